"""Reading the stream of a table: where iterators start, pages, and how a stream ends."""
import re

import pytest

from harness import eventually, refused

DAY = 24 * 3600


# --- iterators ---

@pytest.fixture
def one_shard(cloud):
    """(stream, shard id, its records): ten changes of one item."""
    table = cloud.create_table(stream="NEW_IMAGE")
    for turn in range(10):
        cloud.put_item(table, id="1", turn=turn)
    stream = cloud.stream_arn(table)
    cloud.records(stream, 10)
    for shard in cloud.shards(stream):
        records = cloud.shard_records(stream, shard["ShardId"])
        if records:
            return stream, shard["ShardId"], records
    raise AssertionError("no shard has the records")


def turns(records):
    return [int(record["dynamodb"]["NewImage"]["turn"]["N"]) for record in records]


def iterator(cloud, stream, shard, kind, sequence=None):
    more = {"SequenceNumber": sequence} if sequence else {}
    return cloud.streams.get_shard_iterator(StreamArn=stream, ShardId=shard, ShardIteratorType=kind,
                                            **more)["ShardIterator"]


def test_iterators_start_where_they_say(cloud, one_shard):
    stream, shard, records = one_shard
    third = records[3]["dynamodb"]["SequenceNumber"]

    def read(*how, **more):
        return turns(cloud.streams.get_records(ShardIterator=iterator(cloud, stream, shard, *how), **more)["Records"])

    assert read("TRIM_HORIZON") == list(range(10))
    assert read("AT_SEQUENCE_NUMBER", third) == list(range(3, 10))
    assert read("AFTER_SEQUENCE_NUMBER", third) == list(range(4, 10))
    assert read("TRIM_HORIZON", Limit=4) == list(range(4))


def test_latest_sees_what_comes_after_it(cloud, one_shard):
    stream, shard, _ = one_shard
    latest = iterator(cloud, stream, shard, "LATEST")
    table = stream.split("/")[1]
    cloud.put_item(table, id="1", turn=10)

    def read():
        found = turns(cloud.streams.get_records(ShardIterator=latest)["Records"])
        return found if 10 in found else None

    # AWS may point a little before the end; this server never does, but both hold what came after.
    assert eventually(read, "the new record")[-1] == 10


def test_reading_on_gives_each_record_once_and_never_ends_on_an_open_shard(cloud, one_shard):
    stream, shard, _ = one_shard
    current, found = iterator(cloud, stream, shard, "TRIM_HORIZON"), []
    for _ in range(8):
        page = cloud.streams.get_records(ShardIterator=current, Limit=3)
        found += turns(page["Records"])
        current = page["NextShardIterator"]
    assert found == list(range(10))
    assert page["Records"] == []


# The same iterator may be used again: reading has no effect.
def test_an_iterator_can_be_used_twice(cloud, one_shard):
    stream, shard, _ = one_shard
    once = iterator(cloud, stream, shard, "TRIM_HORIZON")
    assert turns(cloud.streams.get_records(ShardIterator=once)["Records"]) == \
        turns(cloud.streams.get_records(ShardIterator=once)["Records"])


def test_wrong_iterators_are_refused(cloud, one_shard):
    stream, shard, records = one_shard
    sequence = records[0]["dynamodb"]["SequenceNumber"]
    with refused("ValidationException"):
        iterator(cloud, stream, shard, "AT_SEQUENCE_NUMBER")
    with refused("ValidationException"):
        iterator(cloud, stream, shard, "LATEST", sequence)
    with refused("ValidationException"):
        iterator(cloud, stream, shard, "TRIM_HORIZON", sequence)
    with refused("ValidationException", "enum value set"):
        iterator(cloud, stream, shard, "AT_TIMESTAMP")
    with refused("ValidationException"):
        iterator(cloud, stream, shard, "AT_SEQUENCE_NUMBER", "2" * 20 + "x")
    with refused("ValidationException"):
        cloud.streams.get_records(ShardIterator="that is no iterator")
    # A byte changed must not lead anywhere else.
    good = iterator(cloud, stream, shard, "TRIM_HORIZON")
    middle = len(good) // 2
    tampered = good[:middle] + ("A" if good[middle] != "A" else "B") + good[middle + 1:]
    status, answer = cloud.call_json("DynamoDBStreams_20120810.GetRecords", {"ShardIterator": tampered})
    assert status == 400 or answer["Records"] is not None


@pytest.mark.parametrize("limit", [0, 1001])
def test_a_record_limit_out_of_range_is_refused(cloud, one_shard, limit):
    stream, shard, _ = one_shard
    status, answer = cloud.call_json("DynamoDBStreams_20120810.GetRecords", {
        "ShardIterator": iterator(cloud, stream, shard, "TRIM_HORIZON"), "Limit": limit})
    assert status == 400
    assert "ValidationException" in answer["__type"] or "LimitExceededException" in answer["__type"]


def test_a_page_of_records_ends_at_about_a_megabyte(cloud):
    table = cloud.create_table(stream="NEW_IMAGE")
    for turn in range(8):
        cloud.put_item(table, id="1", turn=turn, text="x" * 300_000)
    stream = cloud.stream_arn(table)
    cloud.records(stream, 8)
    for shard in cloud.shards(stream):
        page = cloud.streams.get_records(ShardIterator=iterator(cloud, stream, shard["ShardId"], "TRIM_HORIZON"))
        if page["Records"]:
            assert 1 <= len(page["Records"]) <= 4
            assert len(cloud.shard_records(stream, shard["ShardId"])) == 8
            return
    raise AssertionError("no records")


def test_an_empty_page_has_a_list_of_no_records_on_the_wire(cloud):
    stream = cloud.stream_arn(cloud.create_table(stream="KEYS_ONLY"))
    first = iterator(cloud, stream, cloud.shards(stream)[0]["ShardId"], "TRIM_HORIZON")
    _, answer = cloud.call_json("DynamoDBStreams_20120810.GetRecords", {"ShardIterator": first})
    assert answer["Records"] == []
    assert answer["NextShardIterator"]


def test_times_on_the_wire_are_whole_seconds_since_1970(cloud):
    table = cloud.create_table(stream="KEYS_ONLY")
    cloud.put_item(table, id="1")
    stream = cloud.stream_arn(table)
    cloud.records(stream, 1)
    for shard in cloud.shards(stream):
        _, answer = cloud.call_json("DynamoDBStreams_20120810.GetRecords", {
            "ShardIterator": iterator(cloud, stream, shard["ShardId"], "TRIM_HORIZON")})
        for record in answer["Records"]:
            assert float(record["dynamodb"]["ApproximateCreationDateTime"]).is_integer()


# --- the end of a stream ---

def test_a_disabled_stream_can_be_read_to_its_end(cloud, dynamodb):
    table = cloud.create_table(stream="KEYS_ONLY")
    for number in range(5):
        cloud.put_item(table, id=str(number))
    stream = cloud.stream_arn(table)
    dynamodb.update_table(TableName=table, StreamSpecification={"StreamEnabled": False})

    def closed():
        found = cloud.streams.describe_stream(StreamArn=stream)["StreamDescription"]
        return found["StreamStatus"] == "DISABLED"

    eventually(closed, "the stream is disabled")
    cloud.put_item(table, id="after")  # recorded nowhere
    found = []
    for shard in cloud.shards(stream):
        assert re.fullmatch(r"\d{21,40}", shard["SequenceNumberRange"]["EndingSequenceNumber"])
        current = iterator(cloud, stream, shard["ShardId"], "TRIM_HORIZON")
        while current:  # a closed shard that is read to its end has no next iterator
            page = cloud.streams.get_records(ShardIterator=current)
            found += [record["dynamodb"]["Keys"]["id"]["S"] for record in page["Records"]]
            current = page.get("NextShardIterator")
    assert sorted(found) == list("01234")


def test_the_stream_of_a_deleted_table_stays_readable(cloud, dynamodb):
    table = cloud.create_table(stream="OLD_IMAGE")
    cloud.put_item(table, id="1")
    stream = cloud.stream_arn(table)
    dynamodb.delete_table(TableName=table)
    dynamodb.get_waiter("table_not_exists").wait(TableName=table, WaiterConfig={"Delay": 1})
    assert [record["eventName"] for record in cloud.records(stream, 1)] == ["INSERT"]


@pytest.mark.local
class TestOverTime:
    def test_records_are_kept_for_24_hours(self, virtual):
        table = virtual.create_table(stream="NEW_IMAGE")
        stream = virtual.stream_arn(table)
        virtual.put_item(table, id="1", turn=1)
        virtual.advance(DAY - 60)
        virtual.put_item(table, id="1", turn=2)
        assert turns(virtual.records(stream, 2)) == [1, 2]
        virtual.advance(2 * 3600)
        assert turns(virtual.records(stream, 1)) == [2]

    def test_a_position_that_was_trimmed_is_refused(self, virtual):
        table = virtual.create_table(stream="NEW_IMAGE")
        stream = virtual.stream_arn(table)
        virtual.put_item(table, id="1", turn=1)
        record, = virtual.records(stream, 1)
        shard = next(shard["ShardId"] for shard in virtual.shards(stream)
                     if virtual.shard_records(stream, shard["ShardId"]))
        virtual.advance(2 * DAY)
        with refused("TrimmedDataAccessException"):
            position = iterator(virtual, stream, shard, "AT_SEQUENCE_NUMBER", record["dynamodb"]["SequenceNumber"])
            virtual.streams.get_records(ShardIterator=position)

    def test_an_iterator_expires_after_15_minutes(self, virtual):
        table = virtual.create_table(stream="NEW_IMAGE")
        stream = virtual.stream_arn(table)
        current = iterator(virtual, stream, virtual.shards(stream)[0]["ShardId"], "TRIM_HORIZON")
        virtual.advance(14 * 60)
        virtual.streams.get_records(ShardIterator=current)
        virtual.advance(2 * 60)
        with refused("ExpiredIteratorException"):
            virtual.streams.get_records(ShardIterator=current)

    def test_the_stream_of_a_deleted_table_is_gone_after_a_day(self, virtual):
        table = virtual.create_table(stream="KEYS_ONLY")
        virtual.put_item(table, id="1")
        stream = virtual.stream_arn(table)
        virtual.dynamodb.delete_table(TableName=table)
        virtual.advance(25 * 3600)
        with refused("ResourceNotFoundException"):
            virtual.streams.describe_stream(StreamArn=stream)
