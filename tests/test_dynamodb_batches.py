"""BatchWriteItem and BatchGetItem."""
import pytest

from harness import item, refused, unique


@pytest.fixture(scope="module")
def table(shared_cloud):
    return shared_cloud.create_table()


def put(**attributes):
    return {"PutRequest": {"Item": item(**attributes)}}


def delete(**key):
    return {"DeleteRequest": {"Key": item(**key)}}


def test_a_batch_writes_and_deletes_in_several_tables(cloud, dynamodb, table):
    other = cloud.create_table("id:S sort:N")
    cloud.put_item(table, id="old")
    answer = dynamodb.batch_write_item(RequestItems={
        table: [put(id="new", x=1), delete(id="old"), delete(id="never there")], other: [put(id="new", sort=1)]})
    assert answer["UnprocessedItems"] == {}
    assert dynamodb.get_item(TableName=table, Key=item(id="new"))["Item"] == item(id="new", x=1)
    assert "Item" not in dynamodb.get_item(TableName=table, Key=item(id="old"))
    assert dynamodb.scan(TableName=other)["Items"] == [item(id="new", sort=1)]


def test_a_batch_gets_from_several_tables_what_is_there(cloud, dynamodb, table):
    other = cloud.create_table("id:S sort:N")
    cloud.put_item(table, id="here", x=1, y=2)
    cloud.put_item(other, id="here", sort=5, x=3)
    answer = dynamodb.batch_get_item(RequestItems={
        table: {"Keys": [item(id="here"), item(id="missing")], "ProjectionExpression": "x", "ConsistentRead": True},
        other: {"Keys": [item(id="here", sort=5)]}})
    assert answer["Responses"] == {table: [item(x=1)], other: [item(id="here", sort=5, x=3)]}
    assert answer["UnprocessedKeys"] == {}


def test_a_batch_of_25_writes_and_100_gets_is_the_limit(cloud, dynamodb, table):
    dynamodb.batch_write_item(RequestItems={table: [put(id=str(n)) for n in range(25)]})
    keys = [item(id=str(n)) for n in range(100)]
    assert len(dynamodb.batch_get_item(RequestItems={table: {"Keys": keys}})["Responses"][table]) == 25
    with refused("ValidationException", ""):
        dynamodb.batch_write_item(RequestItems={table: [put(id=str(n)) for n in range(26)]})
    with refused("ValidationException", ""):
        dynamodb.batch_get_item(RequestItems={table: {"Keys": keys + [item(id="100")]}})
    other = cloud.create_table()
    with refused("ValidationException", "Too many items requested for the BatchWriteItem call"):
        dynamodb.batch_write_item(RequestItems={table: [put(id=str(n)) for n in range(13)],
                                                other: [put(id=str(n)) for n in range(13)]})
    with refused("ValidationException", "Too many items requested for the BatchGetItem call"):
        dynamodb.batch_get_item(RequestItems={table: {"Keys": keys[:60]}, other: {"Keys": keys[:60]}})


# Nothing of a batch is written if anything in it is wrong.
@pytest.mark.parametrize("wrong, code", [
    (lambda table: {table: [put(id="atomic"), put(other="x")]}, "ValidationException"),
    (lambda table: {table: [put(id="atomic"), put(id=5)]}, "ValidationException"),
    (lambda table: {table: [put(id="atomic"), put(id="big", text="x" * 410_000)]}, "ValidationException"),
    (lambda table: {table: [put(id="atomic"), delete(id="x", sort="y")]}, "ValidationException"),
    (lambda table: {table: [put(id="atomic")], unique("nothing"): [put(id="x")]}, "ResourceNotFoundException"),
], ids=["no key", "key type", "too large", "key schema", "no table"])
def test_one_wrong_member_refuses_the_whole_batch(dynamodb, table, wrong, code):
    with refused(code):
        dynamodb.batch_write_item(RequestItems=wrong(table))
    assert "Item" not in dynamodb.get_item(TableName=table, Key=item(id="atomic"))


def test_the_same_key_twice_is_refused(cloud, dynamodb, table):
    for pair in ([put(id="1"), put(id="1", x=2)], [put(id="1"), delete(id="1")]):
        with refused("ValidationException", "Provided list of item keys contains duplicates", exactly=True):
            dynamodb.batch_write_item(RequestItems={table: pair})
    with refused("ValidationException", "Provided list of item keys contains duplicates", exactly=True):
        dynamodb.batch_get_item(RequestItems={table: {"Keys": [item(id="1"), item(id="1")]}})
    # In another table it is another item.
    other = cloud.create_table()
    dynamodb.batch_write_item(RequestItems={table: [put(id="1")], other: [put(id="1")]})


def test_number_keys_are_duplicates_by_value_when_written(cloud, dynamodb):
    table = cloud.create_table("id:N")
    with refused("ValidationException", "Provided list of item keys contains duplicates"):
        dynamodb.batch_write_item(RequestItems={table: [put(id={"N": "1000"}), put(id={"N": "1e3"})]})


def test_an_empty_batch_is_refused(cloud):
    for operation in ("BatchWriteItem", "BatchGetItem"):
        status, answer = cloud.call_json("DynamoDB_20120810." + operation, {"RequestItems": {}})
        assert status == 400
        assert answer["__type"].endswith("#ValidationException")


def test_a_write_must_be_either_a_put_or_a_delete(cloud, table):
    for wrong in ({}, {**put(id="1"), **delete(id="2")}):
        status, answer = cloud.call_json("DynamoDB_20120810.BatchWriteItem", {"RequestItems": {table: [wrong]}})
        assert status == 400
        assert answer["__type"].endswith("#ValidationException")


# An answer holds 16 MB; what does not fit is named, so that the client asks again.
def test_a_batch_get_returns_what_fits_and_the_keys_of_the_rest(cloud, dynamodb):
    table = cloud.create_table()
    for number in range(50):
        cloud.put_item(table, id=str(number), text="x" * 395_000)
    keys, found, calls = [item(id=str(number)) for number in range(50)], [], 0
    while keys:
        answer = dynamodb.batch_get_item(RequestItems={table: {"Keys": keys}})
        assert answer["Responses"].get(table)
        found += [each["id"]["S"] for each in answer["Responses"][table]]
        keys = answer["UnprocessedKeys"].get(table, {}).get("Keys", [])
        calls += 1
    assert sorted(found) == sorted(map(str, range(50)))
    assert calls >= 2


def test_consumed_capacity_is_a_list_of_tables(cloud, dynamodb, table):
    answer = dynamodb.batch_write_item(RequestItems={table: [put(id="a"), put(id="b")]}, ReturnConsumedCapacity="TOTAL")
    assert answer["ConsumedCapacity"] == [{"TableName": table, "CapacityUnits": 2.0}]
    answer = dynamodb.batch_get_item(RequestItems={table: {"Keys": [item(id="a"), item(id="b")]}},
                                     ReturnConsumedCapacity="TOTAL")
    assert answer["ConsumedCapacity"] == [{"TableName": table, "CapacityUnits": 1.0}]


# Written, two spellings of a number are one key, and refused; read, the item comes once.
def test_number_keys_that_are_spelled_differently_are_read_once(cloud, dynamodb):
    table = cloud.create_table("id:N")
    dynamodb.put_item(TableName=table, Item={"id": {"N": "1000"}})
    answer = dynamodb.batch_get_item(RequestItems={table: {"Keys": [{"id": {"N": "1000"}}, {"id": {"N": "1e3"}}]}})
    assert answer["Responses"][table] == [{"id": {"N": "1000"}}]
    with refused("ValidationException", "Provided list of item keys contains duplicates"):
        dynamodb.batch_get_item(RequestItems={table: {"Keys": [{"id": {"N": "1e3"}}, {"id": {"N": "1e3"}}]}})
