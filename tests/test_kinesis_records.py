"""Records from PutRecord to GetRecords as boto3 sees them."""
import datetime

import pytest
from botocore.exceptions import ClientError

from harness import eventually

FIRST, SECOND = "shardId-000000000000", "shardId-000000000001"


def refusal(call, **arguments):
    with pytest.raises(ClientError) as caught:
        call(**arguments)
    return caught.value.response["Error"]


def test_a_record_is_read_as_it_was_written(cloud, kinesis):
    name = cloud.create_data_stream()
    data = bytes(range(256))
    put = kinesis.put_record(StreamName=name, PartitionKey="ключ", Data=data)
    record = cloud.data_records(name, put["ShardId"], 1)[0]
    assert (record["Data"], record["PartitionKey"], record["SequenceNumber"]) == (data, "ключ", put["SequenceNumber"])
    age = datetime.datetime.now(datetime.timezone.utc) - record["ApproximateArrivalTimestamp"]
    assert abs(age) < datetime.timedelta(minutes=1)
    assert "EncryptionType" not in record


def test_sequence_numbers_of_a_shard_grow(cloud, kinesis):
    name = cloud.create_data_stream()
    numbers = []
    for _ in range(10):
        more = {"SequenceNumberForOrdering": numbers[-1]} if numbers else {}
        numbers.append(kinesis.put_record(StreamName=name, PartitionKey="a", Data=b"x", **more)["SequenceNumber"])
    assert all(number.startswith("49") and len(number) == 56 for number in numbers)
    assert sorted(map(int, numbers)) == list(map(int, numbers))
    read = [record["SequenceNumber"] for record in cloud.data_records(name, FIRST, 10)]
    assert read == numbers


def test_a_batch_goes_to_the_shards_of_its_keys(cloud, kinesis):
    name = cloud.create_data_stream(shards=2)
    answer = kinesis.put_records(StreamName=name, Records=[
        {"PartitionKey": "a", "Data": b"1"}, {"PartitionKey": "b", "Data": b"2"},
        {"PartitionKey": "a", "Data": b"3", "ExplicitHashKey": str(2**128 - 1)}])
    assert answer["FailedRecordCount"] == 0
    assert [record["ShardId"] for record in answer["Records"]] == [FIRST, SECOND, SECOND]
    assert [record["Data"] for record in cloud.data_records(name, SECOND, 2)] == [b"2", b"3"]


def test_five_hundred_records_fit_in_a_batch_and_no_more(cloud, kinesis):
    name = cloud.create_data_stream()
    records = [{"PartitionKey": str(i), "Data": b"x" * 100} for i in range(500)]
    answer = kinesis.put_records(StreamName=name, Records=records)
    assert len({record["SequenceNumber"] for record in answer["Records"]}) == 500
    assert [record["PartitionKey"] for record in cloud.data_records(name, FIRST, 500)] == [str(i) for i in range(500)]
    error = refusal(kinesis.put_records, StreamName=name, Records=records + records[:1])
    assert error["Code"] == "ValidationException"
    assert "Member must have length less than or equal to 500" in error["Message"]


def test_each_type_of_iterator_begins_where_it_says(cloud, kinesis):
    name = cloud.create_data_stream()
    latest = kinesis.get_shard_iterator(StreamName=name, ShardId=FIRST, ShardIteratorType="LATEST")["ShardIterator"]
    puts = [kinesis.put_record(StreamName=name, PartitionKey="k", Data=str(i).encode()) for i in range(3)]
    named = {"StartingSequenceNumber": puts[1]["SequenceNumber"]}

    def data(count, **start):
        return [record["Data"] for record in cloud.data_records(name, FIRST, count, **start)]
    assert data(3, ShardIteratorType="TRIM_HORIZON") == [b"0", b"1", b"2"]
    assert data(2, ShardIteratorType="AT_SEQUENCE_NUMBER", **named) == [b"1", b"2"]
    assert data(1, ShardIteratorType="AFTER_SEQUENCE_NUMBER", **named) == [b"2"]
    hour_ago = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(hours=1)
    assert data(3, ShardIteratorType="AT_TIMESTAMP", Timestamp=hour_ago) == [b"0", b"1", b"2"]
    assert [record["Data"] for record in kinesis.get_records(ShardIterator=latest)["Records"]] == [b"0", b"1", b"2"]


def test_pages_end_at_their_limit(cloud, kinesis):
    name = cloud.create_data_stream()
    kinesis.put_records(StreamName=name, Records=[{"PartitionKey": "k", "Data": b"%d" % i} for i in range(5)])
    iterator = kinesis.get_shard_iterator(
        StreamName=name, ShardId=FIRST, ShardIteratorType="TRIM_HORIZON")["ShardIterator"]
    page = kinesis.get_records(ShardIterator=iterator, Limit=2)
    assert [record["Data"] for record in page["Records"]] == [b"0", b"1"]
    rest = kinesis.get_records(ShardIterator=page["NextShardIterator"])
    assert [record["Data"] for record in rest["Records"]] == [b"2", b"3", b"4"]
    assert rest["MillisBehindLatest"] == 0


def test_a_closed_shard_ends_with_its_children(cloud, kinesis):
    name = cloud.create_data_stream()
    kinesis.put_record(StreamName=name, PartitionKey="k", Data=b"last")
    kinesis.split_shard(StreamName=name, ShardToSplit=FIRST, NewStartingHashKey=str(2**127))
    cloud.data_stream_active(name)
    iterator = kinesis.get_shard_iterator(
        StreamName=name, ShardId=FIRST, ShardIteratorType="TRIM_HORIZON")["ShardIterator"]
    page = kinesis.get_records(ShardIterator=iterator)
    assert [record["Data"] for record in page["Records"]] == [b"last"]
    assert page.get("NextShardIterator") is None
    assert [child["ParentShards"] for child in page["ChildShards"]] == [[FIRST], [FIRST]]


def test_refusals_have_the_words_of_aws(cloud, kinesis):
    name = cloud.create_data_stream()
    error = refusal(kinesis.put_record, StreamName=name, PartitionKey="k", Data=b"x", ExplicitHashKey=str(2**128))
    assert error["Message"] == ("Invalid ExplicitHashKey. ExplicitHashKey must be in the range: [0, 2^128-1]. Specified "
                                f"value was {2**128}")
    error = refusal(kinesis.get_shard_iterator, StreamName=name, ShardId=SECOND, ShardIteratorType="LATEST")
    assert error["Code"] == "ResourceNotFoundException"
    assert refusal(kinesis.get_records, ShardIterator="nonsense")["Code"] == "InvalidArgumentException"
    error = refusal(kinesis.put_record, StreamName="no-such-stream", PartitionKey="k", Data=b"x")
    assert error["Code"] == "ResourceNotFoundException"


def test_a_subscriber_gets_records_as_they_are_written(cloud, kinesis):
    name = cloud.create_data_stream()
    stream = cloud.data_stream_active(name)["StreamARN"]
    consumer = kinesis.register_stream_consumer(StreamARN=stream, ConsumerName="reader")["Consumer"]["ConsumerARN"]
    eventually(lambda: kinesis.describe_stream_consumer(ConsumerARN=consumer)["ConsumerDescription"][
        "ConsumerStatus"] == "ACTIVE", deadline_seconds=120)
    kinesis.put_record(StreamName=name, PartitionKey="k", Data=b"1")
    events = kinesis.subscribe_to_shard(ConsumerARN=consumer, ShardId=FIRST,
                                        StartingPosition={"Type": "TRIM_HORIZON"})["EventStream"]
    found = []
    for event in events:
        records = event["SubscribeToShardEvent"]["Records"]
        if records and not found:
            kinesis.put_record(StreamName=name, PartitionKey="k", Data=b"2")
        found += [record["Data"] for record in records]
        if len(found) == 2:
            break
    events.close()
    assert found == [b"1", b"2"]


def test_a_subscription_to_a_closed_shard_ends_with_its_children(cloud, kinesis):
    # Client libraries know the end of a shard by this: it names children and nothing to go on from.
    name = cloud.create_data_stream()
    stream = cloud.data_stream_active(name)["StreamARN"]
    consumer = kinesis.register_stream_consumer(StreamARN=stream, ConsumerName="reader")["Consumer"]["ConsumerARN"]
    eventually(lambda: kinesis.describe_stream_consumer(ConsumerARN=consumer)["ConsumerDescription"][
        "ConsumerStatus"] == "ACTIVE", deadline_seconds=120)
    kinesis.put_record(StreamName=name, PartitionKey="k", Data=b"last")
    kinesis.split_shard(StreamName=name, ShardToSplit=FIRST, NewStartingHashKey=str(2**127))
    cloud.data_stream_active(name)
    events = [event["SubscribeToShardEvent"] for event in kinesis.subscribe_to_shard(
        ConsumerARN=consumer, ShardId=FIRST, StartingPosition={"Type": "TRIM_HORIZON"})["EventStream"]]
    assert [record["Data"] for event in events for record in event["Records"]] == [b"last"]
    assert len(events[-1]["ChildShards"]) == 2
    assert ["ContinuationSequenceNumber" in event for event in events] == [True] * (len(events) - 1) + [False]


def cbor(value):
    """The few kinds of CBOR that a request needs."""
    def head(kind, size):
        return bytes([kind << 5 | size]) if size < 24 else bytes([kind << 5 | 25]) + size.to_bytes(2, "big")
    if isinstance(value, dict):
        return head(5, len(value)) + b"".join(cbor(key) + cbor(item) for key, item in value.items())
    if isinstance(value, bytes):
        return head(2, len(value)) + value
    return head(3, len(value.encode())) + value.encode()


def test_requests_in_cbor_are_answered_in_cbor(cloud):
    name = cloud.create_data_stream()
    headers = {"X-Amz-Target": "Kinesis_20131202.PutRecord", "Content-Type": "application/x-amz-cbor-1.1"}
    data = bytes(range(200, 256))
    status, found, body = cloud.raw("kinesis", "POST", "/", cbor({"StreamName": name, "PartitionKey": "k", "Data": data}),
                                    headers)
    assert (status, found["Content-Type"]) == (200, "application/x-amz-cbor-1.1")
    record = cloud.data_records(name, FIRST, 1)[0]
    assert record["Data"] == data
    assert record["SequenceNumber"].encode() in body
    status, _, body = cloud.raw("kinesis", "POST", "/", cbor({"StreamName": "none", "PartitionKey": "k", "Data": b""}),
                                headers)
    assert status == 400
    assert b"ResourceNotFoundException" in body


@pytest.mark.local
def test_records_and_iterators_have_their_time(virtual):
    name = virtual.create_data_stream()
    virtual.kinesis.put_record(StreamName=name, PartitionKey="k", Data=b"old")
    iterator = virtual.kinesis.get_shard_iterator(
        StreamName=name, ShardId=FIRST, ShardIteratorType="TRIM_HORIZON")["ShardIterator"]
    virtual.advance(300)
    assert refusal(virtual.kinesis.get_records, ShardIterator=iterator)["Code"] == "ExpiredIteratorException"
    virtual.kinesis.put_record(StreamName=name, PartitionKey="k", Data=b"young")
    virtual.advance(24 * 3600 - 299)
    assert [record["Data"] for record in virtual.data_records(name, FIRST, 1)] == [b"young"]
