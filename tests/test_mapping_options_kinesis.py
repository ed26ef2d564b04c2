"""The options of a mapping on a data stream: lanes by partition key, failures, filters of data, windows."""
import base64
import json
import re

import pytest

from harness import eventually


@pytest.fixture
def stream(cloud):
    return cloud.create_data_stream()


@pytest.fixture
def arn(kinesis, stream):
    return arn_of(kinesis, stream)


def arn_of(kinesis, stream):
    return kinesis.describe_stream_summary(StreamName=stream)["StreamDescriptionSummary"]["StreamARN"]


def put(kinesis, stream, *texts, key="key"):
    return [kinesis.put_record(StreamName=stream, PartitionKey=key, Data=text.encode())["SequenceNumber"]
            for text in texts]


def data(event):
    return [base64.b64decode(record["kinesis"]["data"]).decode() for record in event["Records"]]


def deliveries(cloud, function):
    return [data(event) for event in cloud.events(function)]


def test_records_of_a_partition_key_arrive_in_order_in_every_lane(cloud, kinesis, stream, arn):
    keys, rounds = [f"key {number}" for number in range(12)], 8
    for turn in range(rounds):
        kinesis.put_records(StreamName=stream, Records=[
            {"PartitionKey": key, "Data": f"{turn}".encode()} for key in keys])
    function = cloud.recorder()
    cloud.create_mapping(function, arn, ParallelizationFactor=10, BatchSize=3)
    cloud.wait_for_records(function, len(keys) * rounds, 60)
    seen = {}
    for event in cloud.events(function):
        for record, text in zip(event["Records"], data(event)):
            seen.setdefault(record["kinesis"]["partitionKey"], []).append(int(text))
    assert seen == {key: list(range(rounds)) for key in keys}


# Recorded against AWS: counts, condition, and times with milliseconds.
def test_the_document_of_a_stream_has_milliseconds(cloud, kinesis, sqs, create_queue, stream, arn):
    queue = create_queue()
    numbers = put(kinesis, stream, "1", "2")
    function = cloud.recorder(body="raise RuntimeError('never')")
    cloud.create_mapping(function, arn, MaximumRetryAttempts=1,
                         DestinationConfig={"OnFailure": {"Destination": cloud.queue_arn(queue)}})
    message, = eventually(lambda: sqs.receive_message(QueueUrl=queue).get("Messages"), "a document", 60)
    document = json.loads(message["Body"])
    info = document["KinesisBatchInfo"]
    millisecond = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"
    assert re.fullmatch(millisecond, info.pop("approximateArrivalOfFirstRecord"))
    assert re.fullmatch(millisecond, info.pop("approximateArrivalOfLastRecord"))
    assert info == {"shardId": "shardId-000000000000", "startSequenceNumber": numbers[0],
                    "endSequenceNumber": numbers[1], "batchSize": 2, "streamArn": arn}
    assert document["requestContext"]["approximateInvokeCount"] == 2
    assert document["responseContext"] == {"statusCode": 200, "executedVersion": "$LATEST", "functionError": "Unhandled"}


def test_a_partial_success_is_kept(cloud, kinesis, stream, arn):
    put(kinesis, stream, "good", "bad", "behind")
    function = cloud.recorder(body="""
        import base64
        for record in event["Records"]:
            if base64.b64decode(record["kinesis"]["data"]) == b"bad":
                return {"batchItemFailures": [{"itemIdentifier": record["kinesis"]["sequenceNumber"]}]}
        """)
    cloud.create_mapping(function, arn, MaximumRetryAttempts=1, FunctionResponseTypes=["ReportBatchItemFailures"])
    eventually(lambda: len(deliveries(cloud, function)) >= 3, "retries", 60)
    assert deliveries(cloud, function) == [["good", "bad", "behind"], ["bad", "behind"], ["bad", "behind"]]


def test_a_bad_record_is_isolated(cloud, kinesis, stream, arn):
    put(kinesis, stream, "a", "bad", "c", "d")
    function = cloud.recorder(body="""
        import base64
        if any(base64.b64decode(record["kinesis"]["data"]) == b"bad" for record in event["Records"]):
            raise ValueError("poisoned")
        """)
    cloud.create_mapping(function, arn, MaximumRetryAttempts=0, BisectBatchOnFunctionError=True)
    eventually(lambda: ["c", "d"] in deliveries(cloud, function), "the rest", 60)
    delivered = deliveries(cloud, function)
    assert delivered[0] == ["a", "bad", "c", "d"]
    assert ["a"] in delivered and ["bad"] in delivered


@pytest.mark.parametrize("pattern, expected", [
    ({"data": {"price": {"eur": [7]}}}, ['{"price": {"eur": 7}}']),
    ({"data": {"price": {"eur": [{"numeric": [">", 7]}]}}}, ['{"price": {"eur": 8}}']),
    ({"partitionKey": ["other"]}, ["elsewhere"]),
])
def test_a_pattern_looks_into_the_data(cloud, kinesis, stream, arn, pattern, expected):
    put(kinesis, stream, '{"price": {"eur": 7}}', "no json", '{"price": {"eur": 8}}')
    put(kinesis, stream, "elsewhere", key="other")
    function = cloud.recorder()
    last = {"data": {"last": [True]}}
    cloud.create_mapping(function, arn, FilterCriteria={"Filters": [
        {"Pattern": json.dumps(pattern)}, {"Pattern": json.dumps(last)}]})
    put(kinesis, stream, '{"last": true}')
    cloud.wait_for_records(function, len(expected) + 1, 60)
    assert [text for event in cloud.events(function) for text in data(event)] == expected + ['{"last": true}']


@pytest.mark.local
def test_a_window_adds_up_and_is_closed(virtual):
    stream = virtual.create_data_stream()
    virtual.advance(3600 - float(virtual.now()) % 3600 + 1)
    function = virtual.recorder(body="""
        state = event["state"]
        state["total"] = state.get("total", 0) + len(event["Records"])
        return {"state": state}
        """)
    virtual.create_mapping(function, arn_of(virtual.kinesis, stream), TumblingWindowInSeconds=120)
    for text in ("1", "2", "3"):
        put(virtual.kinesis, stream, text)
        virtual.advance(1)
    virtual.advance(300)
    events = virtual.events(function)
    assert [event["isFinalInvokeForWindow"] for event in events] == [False, False, False, True]
    assert [event["state"] for event in events] == [{}, {"total": 1}, {"total": 2}, {"total": 3}]
    assert events[-1]["Records"] == []
    assert events[-1]["shardId"] == "shardId-000000000000"


# A window does not span shards: the parent's is closed with it, and the children begin their own.
@pytest.mark.local
def test_resharding_closes_the_window(virtual):
    stream = virtual.create_data_stream()
    virtual.advance(3600 - float(virtual.now()) % 3600 + 1)
    function = virtual.recorder(body="""
        state = event["state"]
        state["total"] = state.get("total", 0) + len(event["Records"])
        return {"state": state}
        """)
    virtual.create_mapping(function, arn_of(virtual.kinesis, stream), TumblingWindowInSeconds=900)
    put(virtual.kinesis, stream, "parent")
    virtual.advance(1)
    virtual.kinesis.split_shard(StreamName=stream, ShardToSplit="shardId-000000000000",
                                NewStartingHashKey=str(2 ** 127))
    virtual.advance(1)
    events = virtual.events(function)
    assert [event["isFinalInvokeForWindow"] for event in events] == [False, True]
    put(virtual.kinesis, stream, "child")
    virtual.advance(1)
    child = virtual.events(function)[-1]
    assert child["state"] == {}
    assert child["shardId"] != "shardId-000000000000"
