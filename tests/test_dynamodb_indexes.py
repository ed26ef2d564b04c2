"""Global and local secondary indexes: creating and deleting them, what they hold, reading them, and what that costs."""
import decimal
import random

import pytest

from harness import eventually, item, refused, unique, values

ALL = {"ProjectionType": "ALL"}
KEYS_ONLY = {"ProjectionType": "KEYS_ONLY"}


def index(name, keys, projection=ALL, **more):
    """An index definition; `keys` such as "group" or "group number"."""
    return {"IndexName": name, "Projection": projection, **more,
            "KeySchema": [{"AttributeName": key, "KeyType": role} for key, role in zip(keys.split(), ("HASH", "RANGE"))]}


def definitions(text):
    return [{"AttributeName": name, "AttributeType": kind} for name, kind in (each.split(":") for each in text.split())]


def table_with(cloud, attributes="id:S sort:N", **indexes):
    """A table with the keys id and sort whose `attributes` are defined."""
    return cloud.create_table("id:S sort:N", AttributeDefinitions=definitions(attributes), **indexes)


@pytest.fixture(scope="module")
def table(shared_cloud):
    """Local index "local" (id, text; keys only); global ones "some" (group, number; includes a) and "all" (group)."""
    name = table_with(
        shared_cloud, "id:S sort:N text:S group:S number:N",
        LocalSecondaryIndexes=[index("local", "id text", KEYS_ONLY)],
        GlobalSecondaryIndexes=[
            index("some", "group number", {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["a"]}),
            index("all", "group")])
    for number in range(12):
        shared_cloud.dynamodb.put_item(TableName=name, Item=item(
            id="x", sort=number, text=f"{number % 3}", group=f"g{number % 2}", number=-number, a=number, b="B" * 10))
    shared_cloud.dynamodb.put_item(TableName=name, Item=item(id="x", sort=99, b="sparse"))
    eventually(lambda: shared_cloud.dynamodb.scan(TableName=name, IndexName="all")["Count"] == 12, "all are in the index")
    eventually(lambda: shared_cloud.dynamodb.scan(TableName=name, IndexName="some")["Count"] == 12, "all are in the index")
    return name


def sorts(answer):
    return [int(found["sort"]["N"]) for found in answer["Items"]]


# --- reading ---

def test_a_global_index_is_ordered_by_its_own_keys(dynamodb, table):
    def query(**more):
        return sorts(dynamodb.query(TableName=table, IndexName="some", KeyConditionExpression="#g = :g",
                                    ExpressionAttributeNames={"#g": "group"},
                                    ExpressionAttributeValues=values(g="g0"), **more))
    assert query() == [10, 8, 6, 4, 2, 0]
    assert query(ScanIndexForward=False) == [0, 2, 4, 6, 8, 10]
    assert query(Limit=2) == [10, 8]


def test_a_local_index_is_ordered_by_its_sort_key(dynamodb, table):
    answer = dynamodb.query(TableName=table, IndexName="local", ConsistentRead=True,
                            KeyConditionExpression="id = :id AND #t > :t", ExpressionAttributeNames={"#t": "text"},
                            ExpressionAttributeValues=values(id="x", t="0"))
    assert [found["text"]["S"] for found in answer["Items"]] == ["1"] * 4 + ["2"] * 4
    assert set(answer["Items"][0]) == {"id", "sort", "text"}


def test_pages_of_an_index_are_all_of_it_once(dynamodb, table):
    seen = []
    paginator = dynamodb.get_paginator("query")
    for page in paginator.paginate(TableName=table, IndexName="local", KeyConditionExpression="id = :id",
                                   ExpressionAttributeValues=values(id="x"), PaginationConfig={"PageSize": 5}):
        seen += sorts(page)
    assert sorted(seen) == list(range(12))


def test_a_last_evaluated_key_has_the_keys_of_index_and_table(dynamodb, table):
    answer = dynamodb.scan(TableName=table, IndexName="some", Limit=1)
    assert set(answer["LastEvaluatedKey"]) == {"id", "sort", "group", "number"}
    rest = dynamodb.scan(TableName=table, IndexName="some", ExclusiveStartKey=answer["LastEvaluatedKey"])
    assert rest["Count"] == 11
    with refused("ValidationException", "The provided starting key is invalid"):
        dynamodb.scan(TableName=table, IndexName="some", ExclusiveStartKey=item(id="x", sort=1))


def test_segments_of_a_parallel_scan_share_an_index(dynamodb, table):
    seen = []
    for segment in range(3):
        seen += sorts(dynamodb.scan(TableName=table, IndexName="some", Segment=segment, TotalSegments=3))
    assert sorted(seen) == list(range(12))


def test_a_local_index_fetches_what_it_does_not_project(dynamodb, table):
    def query(**more):
        return dynamodb.query(TableName=table, IndexName="local", KeyConditionExpression="id = :id AND #t = :t",
                              ExpressionAttributeNames={"#t": "text"},
                              ExpressionAttributeValues=values(id="x", t="0"), **more)["Items"][0]
    assert set(query(Select="ALL_ATTRIBUTES")) == {"id", "sort", "text", "group", "number", "a", "b"}
    assert query(ProjectionExpression="b, sort") == item(b="B" * 10, sort=0)
    assert set(query(Select="ALL_PROJECTED_ATTRIBUTES")) == {"id", "sort", "text"}


def test_a_global_index_does_not(dynamodb, table):
    query = {"TableName": table, "IndexName": "some", "KeyConditionExpression": "#g = :g",
             "ExpressionAttributeNames": {"#g": "group"}, "ExpressionAttributeValues": values(g="g0")}
    assert set(dynamodb.query(**query)["Items"][0]) == {"id", "sort", "group", "number", "a"}
    with refused("ValidationException", "One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not "
                 "supported for global secondary index some because its projection type is not ALL"):
        dynamodb.query(**query, Select="ALL_ATTRIBUTES")
    with refused("ValidationException",
                 "One or more parameter values were invalid: Global secondary index some does not project [b]"):
        dynamodb.query(**query, ProjectionExpression="b")
    with refused("ValidationException", "Consistent reads are not supported on global secondary indexes"):
        dynamodb.query(**query, ConsistentRead=True)
    with refused("ValidationException", "Secondary index some does not project one or more filter attributes: [b]"):
        dynamodb.query(**query, FilterExpression="attribute_exists(b)")


def test_an_index_filters_by_the_keys_of_its_table_but_not_by_its_own(dynamodb, table):
    query = {"TableName": table, "IndexName": "all", "KeyConditionExpression": "#g = :g",
             "ExpressionAttributeNames": {"#g": "group"}}
    answer = dynamodb.query(**query, FilterExpression="sort < :n", ExpressionAttributeValues=values(g="g1", n=4))
    assert (sorted(sorts(answer)), answer["Count"], answer["ScannedCount"]) == ([1, 3], 2, 6)
    with refused("ValidationException", "Filter Expression can only contain non-primary key attributes"):
        dynamodb.query(**query, FilterExpression="#g = :g", ExpressionAttributeValues=values(g="g1"))


def test_counting_an_index_gives_no_items(dynamodb, table):
    answer = dynamodb.scan(TableName=table, IndexName="all", Select="COUNT")
    assert answer["Count"] == 12 and "Items" not in answer


def test_partiql_selects_from_an_index(dynamodb, table):
    def select(statement, **more):
        return dynamodb.execute_statement(Statement=statement, **more)["Items"]
    found = select(f'SELECT sort FROM "{table}"."some" WHERE "group" = ? AND "number" < -7 ORDER BY "number" ASC',
                   Parameters=[{"S": "g1"}])
    assert found == [item(sort=11), item(sort=9)]
    assert select(f'SELECT b FROM "{table}"."local" WHERE id = \'x\' AND text = \'2\'', Limit=1) == [item(b="B" * 10)]
    with refused("ValidationException", "does not project [b]"):
        select(f'SELECT b FROM "{table}"."some" WHERE "group" = \'g1\'')
    with refused("ValidationException", "The table does not have the specified index"):
        select(f'SELECT b FROM "{table}"."other" WHERE "group" = \'g1\'')


# --- writing ---

@pytest.mark.parametrize("wrong, message", [
    ({"number": "text"}, "One or more parameter values were invalid: Type mismatch for Index Key number Expected: N "
                         "Actual: S IndexName: some"),
    ({"text": 1}, "Type mismatch for Index Key text Expected: S Actual: N IndexName: local"),
    ({"text": ""}, "One or more parameter values are not valid. A value specified for a secondary index key is not "
                   "supported. The AttributeValue for a key attribute cannot contain an empty string value. IndexName: "
                   "local, IndexKey: text"),
])
def test_an_attribute_that_cannot_be_a_key_is_refused(dynamodb, table, wrong, message):
    with refused("ValidationException", message):
        dynamodb.put_item(TableName=table, Item=item(id="wrong", sort=1, **wrong))
    name, = wrong
    with refused("ValidationException", message):
        dynamodb.update_item(TableName=table, Key=item(id="wrong", sort=1), UpdateExpression="SET #n = :v",
                             ExpressionAttributeNames={"#n": name}, ExpressionAttributeValues=values(v=wrong[name]))
    with refused("ValidationException", message):
        dynamodb.batch_write_item(RequestItems={table: [{"PutRequest": {"Item": item(id="wrong", sort=1, **wrong)}}]})
    assert "Item" not in dynamodb.get_item(TableName=table, Key=item(id="wrong", sort=1), ConsistentRead=True)


def test_an_index_follows_every_change_of_its_items(cloud, dynamodb):
    table = table_with(cloud, "id:S sort:N group:S",
                       GlobalSecondaryIndexes=[index("by-group", "group", {"ProjectionType": "INCLUDE",
                                                                           "NonKeyAttributes": ["a"]})])
    chance = random.Random(3)
    for _ in range(80):
        key = item(id=chance.choice("abc"), sort=chance.randrange(3))
        kind = chance.randrange(4)
        if kind == 0:
            dynamodb.delete_item(TableName=table, Key=key)
        elif kind == 1:
            dynamodb.update_item(TableName=table, Key=key, UpdateExpression="SET a = :a REMOVE #g",
                                 ExpressionAttributeNames={"#g": "group"},
                                 ExpressionAttributeValues=values(a=chance.randrange(3)))
        else:
            dynamodb.put_item(TableName=table, Item={**key, **item(group=chance.choice("xy"), a=chance.randrange(3),
                                                                   b=chance.randrange(3))})

    def ordered(items):
        return sorted(sorted((name, str(value)) for name, value in each.items()) for each in items)

    items = dynamodb.scan(TableName=table, ConsistentRead=True)["Items"]
    expected = ordered({name: value for name, value in each.items() if name != "b"} for each in items if "group" in each)
    eventually(lambda: ordered(dynamodb.scan(TableName=table, IndexName="by-group")["Items"]) == expected,
               "the index agrees with the table")


def test_writes_cost_the_indexes_that_they_change(dynamodb, table):
    def update(expression, **parameters):
        answer = dynamodb.update_item(TableName=table, Key=item(id="cost", sort=1), UpdateExpression=expression,
                                      ExpressionAttributeNames={"#g": "group", "#n": "number"},
                                      ExpressionAttributeValues=values(**parameters),
                                      ReturnConsumedCapacity="INDEXES")["ConsumedCapacity"]
        return (answer["CapacityUnits"], answer["Table"]["CapacityUnits"],
                {name: units["CapacityUnits"] for name, units in answer.get("GlobalSecondaryIndexes", {}).items()})
    assert update("SET #g = :g, #n = :n", g="cost", n=1) == (3, 1, {"some": 1, "all": 1})
    assert update("SET #g = :g, #n = :n", g="cost", n=2) == (4, 1, {"some": 2, "all": 1})
    assert update("SET #g = :g, #n = :n", g="cost", n=2) == (1, 1, {})
    assert update("REMOVE #g SET #n = :n", n=2) == (3, 1, {"some": 1, "all": 1})


def test_reads_cost_the_index_that_they_read(dynamodb, table):
    capacity = dynamodb.query(TableName=table, IndexName="some", KeyConditionExpression="#g = :g",
                              ExpressionAttributeNames={"#g": "group"}, ExpressionAttributeValues=values(g="g0"),
                              ReturnConsumedCapacity="INDEXES")["ConsumedCapacity"]
    assert capacity == {"TableName": table, "CapacityUnits": 0.5, "Table": {"CapacityUnits": 0},
                        "GlobalSecondaryIndexes": {"some": {"CapacityUnits": 0.5}}}


def test_writes_to_a_table_with_local_indexes_tell_the_size_of_the_collection(dynamodb, table):
    expected = {"ItemCollectionKey": item(id="metrics"), "SizeEstimateRangeGB": [0.0, 1.0]}
    answer = dynamodb.put_item(TableName=table, Item=item(id="metrics", sort=1), ReturnItemCollectionMetrics="SIZE")
    assert answer["ItemCollectionMetrics"] == expected
    answer = dynamodb.delete_item(TableName=table, Key=item(id="metrics", sort=1), ReturnItemCollectionMetrics="SIZE")
    assert answer["ItemCollectionMetrics"] == expected
    answer = dynamodb.batch_write_item(RequestItems={table: [{"PutRequest": {"Item": item(id="metrics", sort=1)}}]},
                                       ReturnItemCollectionMetrics="SIZE")
    assert answer["ItemCollectionMetrics"] == {table: [expected]}


# --- creating and deleting ---

def described(dynamodb, table, name):
    found = [each for each in dynamodb.describe_table(TableName=table)["Table"].get("GlobalSecondaryIndexes", [])
             if each["IndexName"] == name]
    return found[0] if found else None


def create(dynamodb, table, definition, attributes):
    dynamodb.update_table(TableName=table, AttributeDefinitions=definitions(attributes),
                          GlobalSecondaryIndexUpdates=[{"Create": definition}])
    eventually(lambda: described(dynamodb, table, definition["IndexName"])["IndexStatus"] == "ACTIVE",
               "the index is active", deadline_seconds=900)


def test_an_index_can_be_created_on_a_live_table_and_deleted(cloud, dynamodb):
    table = cloud.create_table("id:S")
    for start in range(0, 100, 25):
        dynamodb.batch_write_item(RequestItems={table: [
            {"PutRequest": {"Item": item(id=str(number), group=str(number % 7) if number % 10 else number, n=number)}}
            for number in range(start, start + 25)]})
    create(dynamodb, table, index("by-group", "group"), "id:S group:S")
    # Every tenth item's group is a number: those are passed over.
    assert dynamodb.scan(TableName=table, IndexName="by-group")["Count"] == 90
    assert described(dynamodb, table, "by-group")["IndexArn"].endswith(f"table/{table}/index/by-group")
    with refused("ValidationException", "Type mismatch for Index Key group Expected: S Actual: N IndexName: by-group"):
        dynamodb.put_item(TableName=table, Item=item(id="new", group=1))
    answer = dynamodb.update_table(TableName=table, GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "by-group"}}])
    assert answer["TableDescription"]["GlobalSecondaryIndexes"][0]["IndexStatus"] == "DELETING"
    eventually(lambda: described(dynamodb, table, "by-group") is None, "the index is gone", deadline_seconds=900)
    with refused("ValidationException", "The table does not have the specified index"):
        dynamodb.scan(TableName=table, IndexName="by-group")
    dynamodb.put_item(TableName=table, Item=item(id="new", group=1))


@pytest.mark.parametrize("updates, code, message", [
    ([{}], "ValidationException", "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, "
                                  "GlobalSecondaryIndexUpdate.Delete must not be null"),
    ([{"Delete": {"IndexName": "abc"}}, {"Delete": {"IndexName": "abc"}}], "ValidationException",
     "Only one global secondary index update per index is allowed simultaneously. Index: abc"),
    ([{"Delete": {"IndexName": "abc"}}, {"Delete": {"IndexName": "abd"}}], "LimitExceededException",
     "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table"),
    ([{"Create": index("all", "group")}], "ValidationException", "Attempting to create an index which already exists"),
    ([{"Delete": {"IndexName": "local"}}], "ValidationException",
     "Cannot delete an index that is not a GlobalSecondaryIndex: local"),
    ([{"Create": index("new", "unknown")}], "ValidationException",
     "Some index key attributes are not defined in AttributeDefinitions"),
    ([{"Delete": {"IndexName": "unknown"}}], "ResourceNotFoundException", ""),
])
def test_wrong_updates_of_indexes_are_refused(dynamodb, table, updates, code, message):
    with refused(code, message):
        dynamodb.update_table(TableName=table, GlobalSecondaryIndexUpdates=updates,
                              AttributeDefinitions=definitions("id:S sort:N text:S group:S number:N"))


def test_a_key_keeps_its_type_in_new_indexes(dynamodb, table):
    with refused("ValidationException", "One or more parameter values were invalid: Attributes cannot be redefined. Please check "
                 "that your attribute has the same type as previously defined. Existing schema: "
                 "Schema:[SchemaElement: key{group:S:HASH}, SchemaElement: key{number:N:RANGE}] New schema: "
                 "Schema:[SchemaElement: key{group:N:HASH}]", exactly=True):
        dynamodb.update_table(TableName=table, AttributeDefinitions=definitions("group:N"),
                              GlobalSecondaryIndexUpdates=[{"Create": index("new", "group")}])


def test_an_index_key_cannot_become_another_type_by_an_update(dynamodb, table):
    key = item(id="x", sort=1)
    with refused("ValidationException", "Type mismatch for Index Key group Expected: S Actual: N IndexName: some"):
        dynamodb.update_item(TableName=table, Key=key, UpdateExpression="SET #g = :n", ExpressionAttributeNames={"#g": "group"},
                             ExpressionAttributeValues=values(n=1))
    for computed in "a", "a + :n", "if_not_exists(a, :n)":
        with refused("ValidationException", "The update expression attempted to update the secondary index key to unsupported type",
                     exactly=True):
            dynamodb.update_item(TableName=table, Key=key, UpdateExpression=f"SET #g = {computed}",
                                 ExpressionAttributeNames={"#g": "group"},
                                 **({"ExpressionAttributeValues": values(n=1)} if ":n" in computed else {}))


def test_wrong_indexes_of_a_new_table_are_refused(dynamodb):
    def create(message, attributes="id:S sort:N", **indexes):
        with refused("ValidationException", message):
            dynamodb.create_table(TableName=unique("never"), BillingMode="PAY_PER_REQUEST",
                                  AttributeDefinitions=definitions(attributes),
                                  KeySchema=index("x", "id sort")["KeySchema"], **indexes)
    create("Some index key attributes are not defined in AttributeDefinitions. Keys: [a], AttributeDefinitions: [id, sort]",
           GlobalSecondaryIndexes=[index("one", "a")])
    create("Some AttributeDefinitions are not used.", "id:S sort:N a:S", GlobalSecondaryIndexes=[index("one", "sort")])
    create("Duplicate index name: one", GlobalSecondaryIndexes=[index("one", "sort"), index("one", "sort id")])
    create("Index KeySchema does not have the same leading hash key as table KeySchema for index: one. index hash key: "
           "sort, table hash key: id", LocalSecondaryIndexes=[index("one", "sort id")])
    create("ProjectionType is INCLUDE, but NonKeyAttributes is not specified",
           GlobalSecondaryIndexes=[index("one", "sort", {"ProjectionType": "INCLUDE"})])
    create("GlobalSecondaryIndex count exceeds the per-table limit of 20",
           GlobalSecondaryIndexes=[index(f"index-{number}", "sort") for number in range(21)])
    create("Number of LocalSecondaryIndexes exceeds per-table limit of 5",
           LocalSecondaryIndexes=[index(f"index-{number}", "id sort") for number in range(6)])


def test_numbers_are_index_keys_by_value(cloud, dynamodb):
    table = table_with(cloud, "id:S sort:N number:N", GlobalSecondaryIndexes=[index("by-number", "number", KEYS_ONLY)])
    for sort, number in enumerate(("1", "1.0", "10e-1", "2")):
        dynamodb.put_item(TableName=table, Item={**item(id="a", sort=sort), "number": {"N": number}})
    def found():
        return dynamodb.query(TableName=table, IndexName="by-number", KeyConditionExpression="#n = :n",
                              ExpressionAttributeNames={"#n": "number"},
                              ExpressionAttributeValues={":n": {"N": "1.00"}})["Count"]
    eventually(lambda: found() == 3, "equal numbers are one key")
