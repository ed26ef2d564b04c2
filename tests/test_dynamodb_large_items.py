"""Items of many values, which are read, weighed, changed and written down elsewhere than small ones: in all that can be seen
they are like those.
"""
import pytest
from botocore.exceptions import ClientError

from harness import eventually, item, value

VALUES = 30_000  # 90 KB by AWS's rules
COUNT = 12


def is_large(number):
    return number % 3 == 1


def list_of(count):
    return {"L": [{"N": "1"}] * count}


@pytest.fixture(scope="module")
def table(shared_cloud):
    """Every third of its items is large."""
    name = shared_cloud.create_table("id:S at:N")
    for number in range(COUNT):
        shared_cloud.dynamodb.put_item(TableName=name, Item={
            **item(id="a", at=number, even=number % 2 == 0), **({"all": list_of(VALUES)} if is_large(number) else {})})
    return name


@pytest.fixture
def dynamodb(shared_cloud):
    return shared_cloud.dynamodb


def query(dynamodb, table, **more):
    return dynamodb.query(TableName=table, KeyConditionExpression="id = :id", **{
        "ExpressionAttributeValues": item(**{":id": "a"}), **more})


def numbers_of(answer):
    return [int(each["at"]["N"]) for each in answer["Items"]]


def pages(ask):
    """Of a Query or Scan, until nothing follows."""
    found, start = [], {}
    while True:
        answer = ask(**start)
        found.append(answer)
        if "LastEvaluatedKey" not in answer:
            return found
        start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}


@pytest.mark.parametrize("forward", [True, False])
@pytest.mark.parametrize("limit", [None, 1, 2, 5, COUNT])
def test_a_query_finds_large_items_in_their_places(dynamodb, table, forward, limit):
    more = {"Limit": limit} if limit else {}
    found = pages(lambda **start: query(dynamodb, table, ScanIndexForward=forward, **more, **start))
    numbers = [number for page in found for number in numbers_of(page)]
    assert numbers == list(range(COUNT))[::1 if forward else -1]
    for page in found:
        assert page["Count"] == page["ScannedCount"] == len(page["Items"])
        assert limit is None or page["Count"] <= limit
        for each in page["Items"]:
            assert len(each["all"]["L"]) == VALUES if is_large(int(each["at"]["N"])) else "all" not in each


def test_a_scan_finds_each_of_them_once(dynamodb, table):
    found = pages(lambda **start: dynamodb.scan(TableName=table, Limit=4, **start))
    assert sorted(number for page in found for number in numbers_of(page)) == list(range(COUNT))


def test_filters_and_projections_see_into_them(dynamodb, table):
    found = query(dynamodb, table, FilterExpression="size(#all) = :count AND even = :yes",
                  ProjectionExpression="#at, #all[29999]",
                  ExpressionAttributeNames={"#all": "all", "#at": "at"},
                  ExpressionAttributeValues=item(**{":id": "a", ":count": VALUES, ":yes": True}))
    large = [number for number in range(COUNT) if is_large(number) and number % 2 == 0]
    assert found["Items"] == [{**item(at=number), "all": {"L": [value(1)]}} for number in large]
    assert found["ScannedCount"] == COUNT


def test_what_is_only_counted_is_weighed(dynamodb, table):
    found = query(dynamodb, table, Select="COUNT", ReturnConsumedCapacity="TOTAL", ConsistentRead=True)
    assert found["Count"] == COUNT and "Items" not in found
    large = sum(is_large(number) for number in range(COUNT))
    assert found["ConsumedCapacity"]["CapacityUnits"] == pytest.approx(large * 3 * VALUES / 4096, abs=1)


def test_one_is_read_with_its_weight(dynamodb, table):
    answer = dynamodb.get_item(TableName=table, Key=item(id="a", at=1), ConsistentRead=True, ReturnConsumedCapacity="TOTAL")
    assert len(answer["Item"]["all"]["L"]) == VALUES
    assert answer["ConsumedCapacity"]["CapacityUnits"] == -(-(3 * VALUES + 30) // 4096)
    part = dynamodb.get_item(TableName=table, Key=item(id="a", at=1), ProjectionExpression="#all[3]",
                             ExpressionAttributeNames={"#all": "all"})["Item"]
    assert part == {"all": {"L": [value(1)]}}
    keys = [item(id="a", at=number) for number in range(COUNT)]
    read = dynamodb.batch_get_item(RequestItems={table: {"Keys": keys}})["Responses"][table]
    assert sorted(numbers_of({"Items": read})) == list(range(COUNT))
    read = dynamodb.transact_get_items(TransactItems=[{"Get": {"TableName": table, "Key": key}} for key in keys])["Responses"]
    assert [len(each["Item"].get("all", {"L": []})["L"]) for each in read] == [
        VALUES if is_large(number) else 0 for number in range(COUNT)]


def test_one_is_changed_as_small_ones_are(cloud):
    table = cloud.create_table()
    key = item(id="x")
    cloud.dynamodb.put_item(TableName=table, Item={**key, "all": list_of(VALUES)})
    answer = cloud.dynamodb.update_item(
        TableName=table, Key=key, UpdateExpression="SET #all[1] = :two, n = :two", ReturnValues="UPDATED_NEW",
        ConditionExpression="NOT contains(#all, :two) AND size(#all) > :two", ExpressionAttributeNames={"#all": "all"},
        ExpressionAttributeValues=item(**{":two": 2}))
    assert answer["Attributes"] == {"all": {"L": [value(2)]}, "n": value(2)}
    with pytest.raises(ClientError) as refused:
        cloud.dynamodb.update_item(
            TableName=table, Key=key, UpdateExpression="SET n = :two", ConditionExpression="NOT contains(#all, :two)",
            ExpressionAttributeNames={"#all": "all"}, ExpressionAttributeValues=item(**{":two": 2}))
    assert refused.value.response["Error"]["Code"] == "ConditionalCheckFailedException"
    too_large = [{"Update": {"TableName": table, "Key": key, "UpdateExpression": "SET b = #all, c = #all, d = #all, e = #all",
                             "ExpressionAttributeNames": {"#all": "all"}}}]
    with pytest.raises(ClientError) as refused:
        cloud.dynamodb.transact_write_items(TransactItems=too_large)
    assert refused.value.response["CancellationReasons"][0]["Code"] == "ValidationError"
    old = cloud.dynamodb.delete_item(TableName=table, Key=key, ReturnValues="ALL_OLD")["Attributes"]
    assert len(old["all"]["L"]) == VALUES and old["all"]["L"][1] == value(2) and old["n"] == value(2)


# Its writers queue, and what one does for all of them is done as each would.
def test_what_streams_and_indexes_have_of_them_is_whole(cloud):
    table = cloud.create_table("id:S at:N", stream="NEW_AND_OLD_IMAGES", AttributeDefinitions=[
        {"AttributeName": name, "AttributeType": kind} for name, kind in (("id", "S"), ("at", "N"), ("n", "N"))],
        LocalSecondaryIndexes=[{"IndexName": "by_n", "Projection": {"ProjectionType": "ALL"}, "KeySchema": [
            {"AttributeName": "id", "KeyType": "HASH"}, {"AttributeName": "n", "KeyType": "RANGE"}]}])
    for number in range(3):
        cloud.dynamodb.put_item(TableName=table, Item={**item(id="x", at=number, n=number), "all": list_of(VALUES)})
    cloud.dynamodb.update_item(TableName=table, Key=item(id="x", at=1), UpdateExpression="SET n = :n",
                               ExpressionAttributeValues=item(**{":n": 7}))
    cloud.dynamodb.delete_item(TableName=table, Key=item(id="x", at=0))
    found = cloud.dynamodb.query(TableName=table, IndexName="by_n", KeyConditionExpression="id = :id", ConsistentRead=True,
                                 ExpressionAttributeValues=item(**{":id": "x"}))["Items"]
    assert [(int(each["n"]["N"]), len(each["all"]["L"])) for each in found] == [(2, VALUES), (7, VALUES)]
    stream = cloud.stream_arn(table)

    def changes():
        records = []
        for shard in cloud.shards(stream):
            start = cloud.streams.get_shard_iterator(StreamArn=stream, ShardId=shard["ShardId"],
                                                     ShardIteratorType="TRIM_HORIZON")["ShardIterator"]
            for _ in range(10):
                answer = cloud.streams.get_records(ShardIterator=start, Limit=2)
                assert len(answer["Records"]) <= 2
                records += answer["Records"]
                start = answer.get("NextShardIterator")
                if not start:
                    break
        return len(records) == 5 and records

    records = eventually(changes)
    assert [record["eventName"] for record in records] == ["INSERT"] * 3 + ["MODIFY", "REMOVE"]
    sizes = [len(record["dynamodb"].get(image, {}).get("all", {"L": []})["L"]) for record in records
             for image in ("OldImage", "NewImage")]
    assert sizes == [0, VALUES] * 3 + [VALUES, VALUES] + [VALUES, 0]
