"""Data streams and their consumers as event sources: what a function gets, from where, and in which order."""
import base64
import hashlib
import time

import pytest

from harness import Cloud, eventually, refused, unique

MIDDLE = str(2 ** 127)


@pytest.fixture
def stream(cloud):
    return cloud.create_data_stream()


@pytest.fixture
def arn(kinesis, stream):
    return kinesis.describe_stream_summary(StreamName=stream)["StreamDescriptionSummary"]["StreamARN"]


def put(kinesis, stream, *texts, key="key"):
    return [kinesis.put_record(StreamName=stream, PartitionKey=key, Data=text.encode()) for text in texts]


def data(records):
    return [base64.b64decode(record["kinesis"]["data"]).decode() for record in records]


def test_an_event_has_the_shape_of_aws(cloud, functions, kinesis, stream, arn):
    function = cloud.recorder()
    cloud.create_mapping(function, arn)
    answer, = put(kinesis, stream, "héllo", key="kéy")
    record, = cloud.wait_for_records(function, 1)
    arrival = record["kinesis"].pop("approximateArrivalTimestamp")
    assert isinstance(arrival, float) and abs(arrival - time.time()) < 600
    assert record == {
        "kinesis": {"kinesisSchemaVersion": "1.0", "partitionKey": "kéy", "sequenceNumber": answer["SequenceNumber"],
                    "data": base64.b64encode("héllo".encode()).decode()},
        "eventSource": "aws:kinesis", "eventVersion": "1.0",
        "eventID": f"{answer['ShardId']}:{answer['SequenceNumber']}", "eventName": "aws:kinesis:record",
        "invokeIdentityArn": functions.get_function_configuration(FunctionName=function)["Role"],
        "awsRegion": "us-east-1", "eventSourceARN": arn}


def test_records_come_in_order_in_batches_of_the_asked_size(cloud, kinesis, stream, arn):
    texts = [str(number) for number in range(25)]
    put(kinesis, stream, *texts)
    function = cloud.recorder()
    cloud.create_mapping(function, arn, BatchSize=10)
    assert data(cloud.wait_for_records(function, 25)) == texts
    assert max(len(event["Records"]) for event in cloud.events(function)) <= 10


def test_latest_begins_with_what_comes_after_the_answer(cloud, functions, kinesis, stream, arn):
    function = cloud.recorder()
    put(kinesis, stream, "before")
    mapping = cloud.create_mapping(function, arn, StartingPosition="LATEST")
    put(kinesis, stream, "after")
    assert data(cloud.wait_for_records(function, 1)) == ["after"]
    shown = eventually(lambda: (found := functions.get_event_source_mapping(UUID=mapping))["LastProcessingResult"] == "OK"
                       and found)
    assert shown["StartingPosition"] == "LATEST" and shown["StateTransitionReason"] == "User action"


def test_at_timestamp_begins_with_the_records_of_that_time(cloud, functions, kinesis, stream, arn):
    put(kinesis, stream, "early")
    shard = kinesis.list_shards(StreamName=stream)["Shards"][0]["ShardId"]
    begin = cloud.data_records(stream, shard, 1)[0]["ApproximateArrivalTimestamp"].timestamp()
    later = begin + 1
    eventually(lambda: time.time() > later)
    put(kinesis, stream, "late")
    function = cloud.recorder()
    mapping = cloud.create_mapping(function, arn, StartingPosition="AT_TIMESTAMP", StartingPositionTimestamp=later)
    assert data(cloud.wait_for_records(function, 1)) == ["late"]
    shown = functions.get_event_source_mapping(UUID=mapping)
    assert shown["StartingPosition"] == "AT_TIMESTAMP"
    assert abs(shown["StartingPositionTimestamp"].timestamp() - later) < 1  # older clients send whole seconds


def test_several_functions_read_one_stream_and_one_function_several_streams(cloud, kinesis, stream, arn):
    other = cloud.create_data_stream()
    other_arn = kinesis.describe_stream_summary(StreamName=other)["StreamDescriptionSummary"]["StreamARN"]
    both, one = cloud.recorder(), cloud.recorder()
    cloud.create_mapping(both, arn)
    cloud.create_mapping(both, other_arn)
    cloud.create_mapping(one, arn)
    put(kinesis, stream, "of the first")
    put(kinesis, other, "of the other")
    assert sorted(data(cloud.wait_for_records(both, 2))) == ["of the first", "of the other"]
    assert data(cloud.wait_for_records(one, 1)) == ["of the first"]


# Each key's records stay in order while its shard is split and the parts are merged again.
def test_a_resharding_is_followed_in_order(cloud, kinesis, stream, arn):
    keys = [f"key-{number}" for number in range(8)]
    written = {key: [] for key in keys}

    def write(turns):
        for turn in turns:
            for key in keys:
                put(kinesis, stream, f"{key}/{turn}", key=key)
                written[key].append(f"{key}/{turn}")

    function = cloud.recorder()
    cloud.create_mapping(function, arn)
    write(range(3))
    kinesis.split_shard(StreamName=stream, ShardToSplit="shardId-000000000000", NewStartingHashKey=MIDDLE)
    write(range(3, 6))
    cloud.data_stream_active(stream)
    kinesis.merge_shards(StreamName=stream, ShardToMerge="shardId-000000000001",
                         AdjacentShardToMerge="shardId-000000000002")
    cloud.data_stream_active(stream)
    write(range(6, 9))
    seen = {key: [] for key in keys}
    for text in data(cloud.wait_for_records(function, 9 * len(keys))):
        seen[text.split("/")[0]].append(text)
    assert seen == written


# --- consumers ---

@pytest.fixture
def consumer(kinesis, arn):
    registered = kinesis.register_stream_consumer(StreamARN=arn, ConsumerName=unique("consumer"))["Consumer"]
    eventually(lambda: kinesis.describe_stream_consumer(ConsumerARN=registered["ConsumerARN"])["ConsumerDescription"]
               ["ConsumerStatus"] == "ACTIVE", deadline_seconds=120)
    return registered["ConsumerARN"]


def test_a_consumer_is_a_source(cloud, functions, kinesis, stream, consumer):
    function = cloud.recorder()
    mapping = cloud.create_mapping(function, consumer)
    assert functions.get_event_source_mapping(UUID=mapping)["EventSourceArn"] == consumer
    put(kinesis, stream, "1", "2")
    assert data(cloud.wait_for_records(function, 2)) == ["1", "2"]


def test_a_missing_stream_or_consumer_is_refused(cloud, functions, arn):
    function = cloud.create_function("def handler(event, context):\n    return None\n")
    missing = arn.rsplit("/", 1)[0] + "/" + unique("nothing")
    with refused("InvalidParameterValueException", f"Stream not found: {missing}", exactly=True):
        functions.create_event_source_mapping(FunctionName=function, EventSourceArn=missing, StartingPosition="LATEST")
    with refused("InvalidParameterValueException"):
        functions.create_event_source_mapping(FunctionName=function, EventSourceArn=arn + "/consumer/nothing:1600000000",
                                              StartingPosition="LATEST")


def test_a_time_to_start_from_is_needed(cloud, functions, arn):
    function = cloud.create_function("def handler(event, context):\n    return None\n")
    with refused("InvalidParameterValueException"):
        functions.create_event_source_mapping(FunctionName=function, EventSourceArn=arn, StartingPosition="AT_TIMESTAMP")


def test_a_second_mapping_of_the_same_pair_is_refused(cloud, functions, arn):
    function = cloud.create_function("def handler(event, context):\n    return None\n")
    first = cloud.create_mapping(function, arn)
    with refused("ResourceConflictException",
                 f'The event source arn (" {arn} ") and function (" {function} ") provided mapping already exists. '
                 f"Please update or delete the existing mapping with UUID {first}", exactly=True, status=409):
        functions.create_event_source_mapping(FunctionName=function, EventSourceArn=arn, StartingPosition="LATEST")


# --- aggregated records ---

def varint(value):
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7f | 0x80])
        value >>= 7
    return out + bytes([value])


def field(number, content):
    return varint(number << 3 | 2) + varint(len(content)) + content


def aggregated(*user_records):
    """As the Kinesis Producer Library puts records together: pairs of key and text."""
    message = b"".join(field(1, key.encode()) for key, _ in user_records)
    for index, (_, text) in enumerate(user_records):
        message += field(3, varint(1 << 3) + varint(index) + field(3, text.encode()))
    return b"\xf3\x89\x9a\xc2" + message + hashlib.md5(message).digest()


# AWS does it for consumers; functions that take them apart by themselves get single ones, which they pass over.
@pytest.mark.local
@pytest.mark.parametrize("source", ["stream", "consumer"])
def test_an_aggregated_record_comes_as_its_user_records(cloud, kinesis, stream, arn, request, source):
    function = cloud.recorder()
    cloud.create_mapping(function, arn if source == "stream" else request.getfixturevalue("consumer"), BatchSize=2)
    answer = kinesis.put_record(StreamName=stream, PartitionKey="together",
                                Data=aggregated(("a", "1"), ("b", "2"), ("c", "3")))
    put(kinesis, stream, "4")
    records = cloud.wait_for_records(function, 4)
    assert data(records) == ["1", "2", "3", "4"]
    assert [record["kinesis"]["partitionKey"] for record in records] == ["a", "b", "c", "key"]
    assert {record["kinesis"]["sequenceNumber"] for record in records[:3]} == {answer["SequenceNumber"]}
    assert all(len(event["Records"]) <= 2 for event in cloud.events(function))


# All of its records have one sequence number, so a report of any of them is a report of the first.
@pytest.mark.local
def test_a_reported_failure_brings_the_whole_aggregate_again(cloud, kinesis, stream, arn):
    function = cloud.recorder("""
        if count == 1:
            return {"batchItemFailures": [{"itemIdentifier": event["Records"][2]["kinesis"]["sequenceNumber"]}]}
    """)
    put(kinesis, stream, "0")
    kinesis.put_record(StreamName=stream, PartitionKey="together", Data=aggregated(("a", "1"), ("b", "2"), ("c", "3")))
    cloud.create_mapping(function, arn, BatchSize=10, FunctionResponseTypes=["ReportBatchItemFailures"])
    cloud.wait_for_records(function, 7)
    assert [data(event["Records"]) for event in cloud.events(function)] == [["0", "1", "2", "3"], ["1", "2", "3"]]


# In lanes as well as without: a key's records stay in order, whether they came by themselves or in an aggregate.
@pytest.mark.local
def test_keys_of_aggregates_stay_in_order_in_parallel(cloud, kinesis, stream, arn):
    function = cloud.recorder()
    for turn in range(0, 10, 2):
        kinesis.put_record(StreamName=stream, PartitionKey="together",
                           Data=aggregated(*((key, f"{key}/{turn}") for key in "abc")))
        for key in "abc":
            put(kinesis, stream, f"{key}/{turn + 1}", key=key)
    cloud.create_mapping(function, arn, BatchSize=2, ParallelizationFactor=5)
    seen = {key: [] for key in "abc"}
    for text in data(cloud.wait_for_records(function, 30)):
        seen[text[0]].append(text)
    assert seen == {key: [f"{key}/{turn}" for turn in range(10)] for key in "abc"}


def test_what_is_no_whole_aggregate_comes_as_it_is(cloud, kinesis, stream, arn):
    broken = aggregated(("a", "1"))[:-1] + b"?"
    function = cloud.recorder()
    cloud.create_mapping(function, arn)
    kinesis.put_record(StreamName=stream, PartitionKey="key", Data=broken)
    record, = cloud.wait_for_records(function, 1)
    assert base64.b64decode(record["kinesis"]["data"]) == broken


# --- over time ---

# Kept longer than a table's day: a mapping that rests for two days still delivers.
@pytest.mark.local
def test_a_mapping_that_rested_goes_on_while_the_stream_keeps_its_records(virtual):
    stream = virtual.create_data_stream()
    virtual.kinesis.increase_stream_retention_period(StreamName=stream, RetentionPeriodHours=72)
    arn = virtual.kinesis.describe_stream_summary(StreamName=stream)["StreamDescriptionSummary"]["StreamARN"]
    function = virtual.recorder()
    mapping = virtual.create_mapping(function, arn)
    virtual.functions.update_event_source_mapping(UUID=mapping, Enabled=False)
    virtual.wait_for_mapping(mapping, "Disabled")
    put(virtual.kinesis, stream, "two days old")
    virtual.advance(48 * 3600)
    assert virtual.events(function) == []
    virtual.functions.update_event_source_mapping(UUID=mapping, Enabled=True)
    virtual.advance(0.001)
    assert data(virtual.wait_for_records(function, 1)) == ["two days old"]


@pytest.mark.local
def test_delivery_goes_on_after_a_crash(start_server):
    server = start_server()
    cloud = Cloud(server.endpoint)
    stream = cloud.create_data_stream(shards=2)
    arn = cloud.kinesis.describe_stream_summary(StreamName=stream)["StreamDescriptionSummary"]["StreamARN"]
    function = cloud.recorder()
    cloud.create_mapping(function, arn)
    texts = [f"text {number}" for number in range(40)]
    for text in texts[:20]:
        put(cloud.kinesis, stream, text, key=text)
    inbox = cloud.inbox_table()
    server.kill()
    cloud = Cloud(start_server(data=server.data).endpoint)
    cloud._inbox = inbox
    for text in texts[20:]:
        put(cloud.kinesis, stream, text, key=text)
    eventually(lambda: set(data([record for event in cloud.events(function) for record in event["Records"]])) == set(texts),
               "every record delivered")
