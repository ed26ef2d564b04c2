"""The stream of a table: what is recorded, in which form, and how it is described."""
import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from harness import eventually, item, refused, values

DAY = 24 * 3600


@pytest.fixture
def changes(cloud):
    """changes(view, *writes): the stream records of these writes to a fresh table, each write a call with the table."""
    def changes(view, *writes, keys="id:S", count=None):
        table = cloud.create_table(keys, stream=view)
        for write in writes:
            write(table)
        # A last write that is recorded for certain: all before it must be there as well.
        cloud.put_item(table, **({"id": "fence"} if "sort" not in keys else {"id": "fence", "sort": 0}))
        stream = cloud.stream_arn(table)

        def read():
            found = cloud.records(stream, 1)
            return found if any(record["dynamodb"]["Keys"]["id"] == {"S": "fence"} for record in found) else None

        found = eventually(read, "the last write is in the stream")
        return [record for record in found if record["dynamodb"]["Keys"]["id"] != {"S": "fence"}]
    return changes


@pytest.fixture
def put(dynamodb):
    return lambda **attributes: lambda table: dynamodb.put_item(TableName=table, Item=item(**attributes))


@pytest.fixture
def delete(dynamodb):
    return lambda **key: lambda table: dynamodb.delete_item(TableName=table, Key=item(**key))


@pytest.fixture
def update(dynamodb):
    def update(key, expression, **parameters):
        request = {"ExpressionAttributeValues": values(**parameters)} if parameters else {}
        return lambda table: dynamodb.update_item(TableName=table, Key=item(id=key), UpdateExpression=expression,
                                                  **request)
    return update


def images(records):
    return [(record["eventName"], record["dynamodb"].get("OldImage"), record["dynamodb"].get("NewImage"))
            for record in records]


# --- view types ---

def test_new_and_old_images_show_both(changes, put, update, delete):
    records = changes("NEW_AND_OLD_IMAGES", put(id="1", x=1), update("1", "SET x = :x", x=2), delete(id="1"))
    assert images(records) == [
        ("INSERT", None, item(id="1", x=1)),
        ("MODIFY", item(id="1", x=1), item(id="1", x=2)),
        ("REMOVE", item(id="1", x=2), None)]


def test_new_image_shows_what_is_there_now(changes, put, update, delete):
    records = changes("NEW_IMAGE", put(id="1", x=1), update("1", "SET x = :x", x=2), delete(id="1"))
    assert images(records) == [
        ("INSERT", None, item(id="1", x=1)), ("MODIFY", None, item(id="1", x=2)), ("REMOVE", None, None)]


def test_old_image_shows_what_was_there(changes, put, update, delete):
    records = changes("OLD_IMAGE", put(id="1", x=1), update("1", "SET x = :x", x=2), delete(id="1"))
    assert images(records) == [
        ("INSERT", None, None), ("MODIFY", item(id="1", x=1), None), ("REMOVE", item(id="1", x=2), None)]


def test_keys_only_shows_the_key(changes, put, update, delete):
    records = changes("KEYS_ONLY", put(id="1", x=1), update("1", "SET x = :x", x=2), delete(id="1"))
    assert images(records) == [("INSERT", None, None), ("MODIFY", None, None), ("REMOVE", None, None)]
    assert all(record["dynamodb"]["Keys"] == item(id="1") for record in records)


@pytest.mark.parametrize("view", ["NEW_AND_OLD_IMAGES", "NEW_IMAGE", "OLD_IMAGE", "KEYS_ONLY"])
def test_a_record_has_every_member_of_its_kind(changes, put, view):
    record, = changes(view, put(id="1", sort=2, x=3), keys="id:S sort:N")
    assert re.fullmatch(r"[0-9a-f]{32}", record["eventID"])
    assert record["eventVersion"] == "1.1"
    assert record["eventSource"] == "aws:dynamodb"
    assert record["awsRegion"] == "us-east-1"
    assert "userIdentity" not in record
    change = record["dynamodb"]
    assert change["Keys"] == item(id="1", sort=2)
    assert change["StreamViewType"] == view
    assert re.fullmatch(r"[0-9]{21,40}", change["SequenceNumber"])
    assert change["ApproximateCreationDateTime"].microsecond == 0  # whole seconds here, unlike in a function's event


# --- no record where nothing changed ---

def test_nothing_is_recorded_where_nothing_changes(changes, put, update, delete, dynamodb):
    same = {"id": "1", "x": 1, "m": {"a": 1, "b": [2]}, "s": {"p", "q"}}
    records = changes(
        "NEW_AND_OLD_IMAGES",
        put(**same),
        put(**same),                                              # the same item
        put(id="1", x={"N": "1.0"}, m={"b": [2], "a": 1}, s={"q", "p"}),  # the same, written otherwise
        lambda table: dynamodb.batch_write_item(RequestItems={table: [{"PutRequest": {"Item": item(**same)}}]}),
        update("1", "SET x = :x", x=1),
        update("1", "REMOVE absent"),
        update("1", "ADD s :s", s={"p"}),
        update("1", "SET x = x"),
        delete(id="missing"))
    assert [record["eventName"] for record in records] == ["INSERT"]


def test_a_key_only_item_that_is_put_again_is_not_recorded(changes, put, update):
    records = changes("NEW_AND_OLD_IMAGES", put(id="1"), put(id="1"), update("1", "REMOVE x"))
    assert [record["eventName"] for record in records] == ["INSERT"]


def test_a_failed_condition_is_not_recorded(changes, put, dynamodb):
    def refused_put(table):
        with pytest.raises(dynamodb.exceptions.ConditionalCheckFailedException):
            dynamodb.put_item(TableName=table, Item=item(id="1", x=2), ConditionExpression="attribute_not_exists(id)")
    records = changes("NEW_AND_OLD_IMAGES", put(id="1", x=1), refused_put)
    assert len(records) == 1


def test_a_put_over_another_item_is_one_modification(changes, put):
    records = changes("NEW_AND_OLD_IMAGES", put(id="1", x=1), put(id="1", y=2))
    assert images(records)[1:] == [("MODIFY", item(id="1", x=1), item(id="1", y=2))]


def test_an_update_that_creates_is_an_insertion(changes, update):
    assert images(changes("NEW_IMAGE", update("1", "SET x = :x", x=1))) == [("INSERT", None, item(id="1", x=1))]


def test_each_item_of_a_batch_has_a_record_of_its_own(changes, dynamodb):
    writes = [{"PutRequest": {"Item": item(id=str(number))}} for number in range(25)]
    records = changes("KEYS_ONLY", lambda table: dynamodb.batch_write_item(RequestItems={table: writes}))
    assert sorted(record["dynamodb"]["Keys"]["id"]["S"] for record in records) == sorted(map(str, range(25)))
    assert len({record["eventID"] for record in records}) == 25


# --- sizes: the key, and what the view shows of the item before and after ---

@pytest.mark.parametrize("view, writes, sizes", [
    # The developer guide's own example.
    ("NEW_AND_OLD_IMAGES", [dict(Id=101, Message="New item!"), dict(Id=101, Message="This item has changed"), None],
     [26, 59, 38]),
    ("NEW_IMAGE", [dict(Id=101, Message="New item!"), dict(Id=101, Message="This item has changed"), None], [26, 38, 5]),
    ("KEYS_ONLY", [dict(Id=101, Message="New item!"), None], [5, 5]),
])
def test_size_bytes_counts_keys_and_images(changes, dynamodb, cloud, view, writes, sizes):
    table = cloud.create_table("Id:N", stream=view)
    for write in writes:
        if write:
            dynamodb.put_item(TableName=table, Item=item(**write))
        else:
            dynamodb.delete_item(TableName=table, Key=item(Id=101))
    records = cloud.records(cloud.stream_arn(table), len(sizes))
    assert [record["dynamodb"]["SizeBytes"] for record in records] == sizes


# Recorded on AWS: text, raw binary (not its base64), a boolean.
@pytest.mark.parametrize("attributes, size", [
    ({"id": "id_value", "id2": "id2_value"}, 32),
    ({"id": "12345678", "b": b"123456"}, 10 + 10 + 1 + 6),
    ({"id": "12345678", "bool_member": True}, 10 + 10 + 11 + 1),
    ({"id": "12345678", "null": None}, 10 + 10 + 4 + 1),
    ({"id": "12345678", "n": -5}, 10 + 10 + 1 + 1 + 1 + 1),
    ({"id": "12345678", "l": [True, "ab"]}, 10 + 10 + 1 + 3 + (1 + 1) + (1 + 2)),
    ({"id": "12345678", "m": {"k": "ab"}}, 10 + 10 + 1 + 3 + (1 + 1 + 2)),
    ({"id": "12345678", "ss": {"ab", "c"}}, 10 + 10 + 2 + 3),
    ({"id": "12345678", "é": "ü"}, 10 + 10 + 2 + 2),
], ids=lambda case: None if isinstance(case, int) else list(case)[-1])
def test_size_bytes_counts_values_by_their_type(changes, put, attributes, size):
    record, = changes("NEW_AND_OLD_IMAGES", put(**attributes))
    assert record["dynamodb"]["SizeBytes"] == size


# --- order and shards ---

def test_the_changes_of_an_item_are_in_order_in_one_shard(cloud, dynamodb):
    table = cloud.create_table(stream="NEW_IMAGE")
    items, rounds = 10, 20

    def write(number):
        for turn in range(rounds):
            dynamodb.put_item(TableName=table, Item=item(id=f"item {number}", turn=turn))

    with ThreadPoolExecutor(items) as pool:
        list(pool.map(write, range(items)))
    stream = cloud.stream_arn(table)
    cloud.records(stream, items * rounds)
    seen = {}
    for shard in cloud.shards(stream):
        records = cloud.shard_records(stream, shard["ShardId"])
        numbers = [int(record["dynamodb"]["SequenceNumber"]) for record in records]
        assert numbers == sorted(set(numbers))
        for record in records:
            key = record["dynamodb"]["Keys"]["id"]["S"]
            seen.setdefault(key, []).append((shard["ShardId"], int(record["dynamodb"]["NewImage"]["turn"]["N"])))
    assert len(seen) == items
    for turns in seen.values():
        assert len({shard for shard, _ in turns}) == 1
        assert [turn for _, turn in turns] == list(range(rounds))


# Writers of different items must not queue behind one log.
def test_a_table_has_several_shards_and_uses_them(cloud, dynamodb):
    table = cloud.create_table(stream="KEYS_ONLY")
    for number in range(40):
        cloud.put_item(table, id=str(number))
    stream = cloud.stream_arn(table)
    cloud.records(stream, 40)
    shards = cloud.shards(stream)
    assert len(shards) > 1
    used = [shard for shard in shards if cloud.shard_records(stream, shard["ShardId"])]
    assert len(used) > 1


def test_shards_look_as_clients_expect(cloud):
    stream = cloud.stream_arn(cloud.create_table(stream="KEYS_ONLY"))
    shards = cloud.shards(stream)
    ids = [shard["ShardId"] for shard in shards]
    assert ids == sorted(ids)  # the Kinesis client library relies on it
    for shard in shards:
        assert re.fullmatch(r"shardId-\d{20}-[0-9a-f]{8}", shard["ShardId"])
        assert re.fullmatch(r"\d{21,40}", shard["SequenceNumberRange"]["StartingSequenceNumber"])
        assert "EndingSequenceNumber" not in shard["SequenceNumberRange"]  # an open shard has no end


# --- describe and list ---

def test_a_description_of_a_stream(cloud, dynamodb):
    table = cloud.create_table("id:S sort:N", stream="NEW_IMAGE")
    arn = cloud.stream_arn(table)
    stream = cloud.streams.describe_stream(StreamArn=arn)["StreamDescription"]
    assert stream["StreamArn"] == arn
    assert stream["StreamLabel"] == arn.rsplit("/", 1)[1]
    assert stream["TableName"] == table
    assert stream["StreamStatus"] == "ENABLED"
    assert stream["StreamViewType"] == "NEW_IMAGE"
    assert stream["KeySchema"] == [{"AttributeName": "id", "KeyType": "HASH"},
                                   {"AttributeName": "sort", "KeyType": "RANGE"}]
    assert stream["CreationRequestDateTime"]


def test_shards_are_paged(cloud):
    arn = cloud.stream_arn(cloud.create_table(stream="KEYS_ONLY"))
    every = [shard["ShardId"] for shard in cloud.shards(arn)]
    found, start = [], {}
    while True:
        page = cloud.streams.describe_stream(StreamArn=arn, Limit=1, **start)["StreamDescription"]
        found += [shard["ShardId"] for shard in page["Shards"]]
        if "LastEvaluatedShardId" not in page:
            break
        start = {"ExclusiveStartShardId": page["LastEvaluatedShardId"]}
    assert found == every


def test_streams_are_listed_by_table_and_paged(cloud):
    table = cloud.create_table(stream="KEYS_ONLY")
    cloud.create_table(stream="KEYS_ONLY")
    arn = cloud.stream_arn(table)
    found = cloud.streams.list_streams(TableName=table)["Streams"]
    assert found == [{"StreamArn": arn, "TableName": table, "StreamLabel": arn.rsplit("/", 1)[1]}]
    every, start = [], {}
    while True:
        page = cloud.streams.list_streams(Limit=1, **start)
        every += [stream["StreamArn"] for stream in page["Streams"]]
        if "LastEvaluatedStreamArn" not in page:
            break
        assert page["LastEvaluatedStreamArn"] == page["Streams"][-1]["StreamArn"]
        start = {"ExclusiveStartStreamArn": page["LastEvaluatedStreamArn"]}
    assert arn in every and len(every) == len(set(every))


@pytest.mark.parametrize("limit", [0, 101])
def test_a_list_limit_out_of_range_is_refused(cloud, limit):
    status, answer = cloud.call_json("DynamoDBStreams_20120810.ListStreams", {"Limit": limit})
    assert status == 400
    assert answer["__type"].endswith("#ValidationException")


def test_what_is_not_there_is_refused(cloud):
    arn = cloud.stream_arn(cloud.create_table(stream="KEYS_ONLY"))
    unknown = arn.rsplit("/", 1)[0] + "/2020-01-01T00:00:00.000"
    with refused("ResourceNotFoundException", f"Requested resource not found: Stream: {unknown} not found"):
        cloud.streams.describe_stream(StreamArn=unknown)
    with refused("ValidationException"):
        cloud.streams.describe_stream(StreamArn="arn:that:is:not:a:stream:at:all:but:long:enough")
    with refused("ResourceNotFoundException"):
        cloud.streams.get_shard_iterator(StreamArn=arn, ShardIteratorType="LATEST",
                                         ShardId="shardId-00000001573689847184-864758bb")
