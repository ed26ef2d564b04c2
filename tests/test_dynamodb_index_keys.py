"""Global secondary indexes whose partition or sort key has several attributes (up to four of each)."""
import random

import pytest

from cloudformation_support import create as create_stack, resources, template, update
from harness import eventually, item, refused, unique, value, values

KINDS = {"h1": "S", "h2": "N", "r1": "S", "r2": "N"}
ALL = {"ProjectionType": "ALL"}
ROLES = {"h": "HASH", "r": "RANGE"}


def schema(names):
    return [{"AttributeName": name, "KeyType": ROLES[name[0]]} for name in names.split()]


def definitions(names):
    return [{"AttributeName": name, "AttributeType": KINDS.get(name, "S")} for name in names.split()]


def index(names, projection=ALL, name="wide"):
    return {"IndexName": name, "KeySchema": schema(names), "Projection": projection}


@pytest.fixture(scope="module")
def table(shared_cloud):
    name = shared_cloud.create_table("id:S", AttributeDefinitions=definitions("id h1 h2 r1 r2"),
                                     GlobalSecondaryIndexes=[index("h1 h2 r1 r2")])
    chance = random.Random(11)
    numbers = list(range(30))
    chance.shuffle(numbers)
    for number in numbers:
        shared_cloud.put_item(name, id=f"{number:02}", h1="a", h2=number % 2, r1="xyz"[number % 3], r2=number)
    shared_cloud.put_item(name, id="no r2", h1="a", h2=0, r1="x")
    shared_cloud.put_item(name, id="no h2", h1="a", r1="x", r2=1)
    eventually(lambda: shared_cloud.dynamodb.scan(TableName=name, IndexName="wide")["Count"] == 30, "all are in the index")
    return name


def numbers_of(answer):
    return [int(found["id"]["S"]) for found in answer["Items"]]


def query(dynamodb, table, condition, given, **more):
    return dynamodb.query(TableName=table, IndexName="wide", KeyConditionExpression=condition,
                          ExpressionAttributeValues=values(**given), **more)


# --- reading ---

def test_entries_are_ordered_by_all_sort_attributes(dynamodb, table):
    answer = query(dynamodb, table, "h1 = :a AND h2 = :b", {"a": "a", "b": 0})
    assert numbers_of(answer) == sorted(range(0, 30, 2), key=lambda number: (number % 3, number))
    answer = query(dynamodb, table, "h1 = :a AND h2 = :b", {"a": "a", "b": 0}, ScanIndexForward=False)
    assert numbers_of(answer) == sorted(range(0, 30, 2), key=lambda number: (number % 3, number), reverse=True)
    assert query(dynamodb, table, "h1 = :a AND h2 = :b", {"a": "b", "b": 0})["Count"] == 0


@pytest.mark.parametrize("condition, given, wanted", [
    ("r1 = :x", {"x": "x"}, lambda r1, r2: r1 == "x"),
    ("r1 > :x", {"x": "x"}, lambda r1, r2: r1 > "x"),
    ("begins_with(r1, :x)", {"x": "y"}, lambda r1, r2: r1 == "y"),
    ("r1 = :x AND r2 = :n", {"x": "x", "n": 6}, lambda r1, r2: r1 == "x" and r2 == 6),
    ("r1 = :x AND r2 > :n", {"x": "x", "n": 6}, lambda r1, r2: r1 == "x" and r2 > 6),
    ("r2 <= :n AND r1 = :x", {"x": "x", "n": 12}, lambda r1, r2: r1 == "x" and r2 <= 12),
    ("r1 = :x AND r2 BETWEEN :n AND :m", {"x": "y", "n": 5, "m": 20}, lambda r1, r2: r1 == "y" and 5 <= r2 <= 20),
])
def test_sort_attributes_have_conditions_from_the_left_and_the_last_of_any_kind(dynamodb, table, condition, given, wanted):
    answer = query(dynamodb, table, "h1 = :a AND h2 = :b AND " + condition, {"a": "a", "b": 0, **given})
    assert sorted(numbers_of(answer)) == [n for n in range(0, 30, 2) if wanted("xyz"[n % 3], n)]


def test_what_was_said_before_there_were_expressions_reads_it_too(dynamodb, table):
    def equal(to):
        return {"ComparisonOperator": "EQ", "AttributeValueList": [value(to)]}

    answer = dynamodb.query(TableName=table, IndexName="wide", KeyConditions={
        "h1": equal("a"), "h2": equal(0), "r1": equal("x"),
        "r2": {"ComparisonOperator": "GT", "AttributeValueList": [value(6)]}})
    assert numbers_of(answer) == [12, 18, 24]


def test_pages_are_all_of_it_once_and_end_with_all_keys(dynamodb, table):
    seen, start = [], {}
    while True:
        answer = query(dynamodb, table, "h1 = :a AND h2 = :b AND r1 >= :x", {"a": "a", "b": 0, "x": "y"}, Limit=3, **start)
        seen += numbers_of(answer)
        if "LastEvaluatedKey" not in answer:
            break
        assert set(answer["LastEvaluatedKey"]) == {"h1", "h2", "r1", "r2", "id"}
        start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}
    assert seen == sorted((n for n in range(0, 30, 2) if n % 3), key=lambda number: (number % 3, number))


def test_segments_of_a_scan_are_the_whole_index_once(dynamodb, table):
    seen = []
    for segment in range(4):
        seen += numbers_of(dynamodb.scan(TableName=table, IndexName="wide", Segment=segment, TotalSegments=4))
    assert sorted(seen) == list(range(30))


@pytest.mark.parametrize("condition, given, message", [
    ("h1 = :a", {"a": "a"}, "Query condition missed key schema element: h2"),
    ("h1 = :a AND r1 = :x", {"a": "a", "x": "x"}, "Query condition missed key schema element: h2"),
    ("h1 = :a AND h2 > :b", {"a": "a", "b": 0}, "Query key condition not supported"),
    ("h1 = :a AND h2 = :b AND r2 > :n", {"a": "a", "b": 0, "n": 1}, "Query condition missed key schema element: r1"),
    ("h1 = :a AND h2 = :b AND r1 > :x AND r2 = :n", {"a": "a", "b": 0, "x": "x", "n": 1}, "Query key condition not supported"),
    ("h1 = :a AND h2 = :b AND r1 = :x AND r2 = :n AND id = :n", {"a": "a", "b": 0, "x": "x", "n": 1},
     "The number of query conditions (5) exceeds the number of key attributes defined in the schema (4)"),
    ("h1 = :a AND h2 = :a", {"a": "a"},
     "One or more parameter values were invalid: Condition parameter type does not match schema type"),
])
def test_conditions_that_skip_an_attribute_are_refused(dynamodb, table, condition, given, message):
    with refused("ValidationException", message):
        query(dynamodb, table, condition, given)


def test_a_filter_cannot_name_any_of_the_keys(dynamodb, table):
    for name in KINDS:
        with refused("ValidationException", f"Primary key attribute: {name}"):
            query(dynamodb, table, "h1 = :a AND h2 = :b", {"a": "a", "b": 0}, FilterExpression=f"attribute_exists({name})")


def test_a_start_key_must_lie_where_the_query_reads(dynamodb, table):
    start = item(id="02", h1="a", h2=0, r1="z", r2=2)
    conditions = [("h1 = :a AND h2 = :b", {"a": "a", "b": 1}, "outside query boundaries"),
                  ("h1 = :a AND h2 = :b AND r1 = :x AND r2 > :n", {"a": "a", "b": 0, "x": "x", "n": 1}, "range key predicate")]
    for condition, given, message in conditions:
        with refused("ValidationException", message):
            query(dynamodb, table, condition, given, ExclusiveStartKey=start)
    lacking = {name: each for name, each in start.items() if name != "r2"}
    with refused("ValidationException", "The provided starting key is invalid"):
        query(dynamodb, table, "h1 = :a AND h2 = :b", {"a": "a", "b": 0}, ExclusiveStartKey=lacking)


# --- PartiQL: AWS reads no such index with it ---

def test_statements_do_not_read_it(dynamodb, table):
    message = "PartiQL statements cannot be executed on tables with multi-attribute HASH keys or multi-attribute RANGE keys."
    for where in "", " WHERE h1 = 'a'", " WHERE h1 = 5", " WHERE h1 = 'a' AND h2 = 0 ORDER BY r1 DESC":
        with refused("ValidationException", message, exactly=True):
            dynamodb.execute_statement(Statement=f'SELECT * FROM "{table}"."wide"{where}')
    assert dynamodb.execute_statement(Statement=f"SELECT * FROM \"{table}\" WHERE id = '01'")["Items"]
    multi, base = dynamodb.batch_execute_statement(Statements=[
        {"Statement": f"SELECT * FROM \"{table}\".\"wide\" WHERE h1 = 'a' AND h2 = 0"},
        {"Statement": f"SELECT * FROM \"{table}\" WHERE id = '01'"}])["Responses"]
    assert multi["Error"] == {"Code": "ValidationError", "Message": message}
    assert base["Item"]["id"] == {"S": "01"}


# --- creating ---

def create(dynamodb, names, **more):
    name = unique("keys")
    dynamodb.create_table(TableName=name, BillingMode="PAY_PER_REQUEST", KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
                          AttributeDefinitions=definitions(" ".join(["id", *dict.fromkeys(names.split())])),
                          GlobalSecondaryIndexes=[index(names)], **more)
    return name


def test_a_key_schema_of_four_and_four_is_kept_in_its_order(cloud, dynamodb):
    names = "h4 h2 h3 h1 r2 r1 r4 r3"
    name = create(dynamodb, names)
    described = dynamodb.describe_table(TableName=name)["Table"]
    assert described["GlobalSecondaryIndexes"][0]["KeySchema"] == schema(names)
    assert {each["AttributeName"] for each in described["AttributeDefinitions"]} == {"id", *names.split()}
    dynamodb.delete_table(TableName=name)


@pytest.mark.parametrize("names, message", [
    ("h1 h2 h3 h4 h5", "The KeySchema exceeds the maximum allowed number of HASH key attributes"),
    ("h1 r1 r2 r3 r4 r5", "The KeySchema exceeds the maximum allowed number of RANGE key attributes"),
    ("h1 r1 h2", "All HASH key attributes must precede RANGE key attributes in the KeySchema"),
    ("h1 h2 h1", "The KeySchema contains multiple key attributes with the same name"),
    ("r1 h1 h2", "The first KeySchemaElement is not a HASH key type"),
])
def test_key_schemas_that_cannot_be_are_refused(dynamodb, table, names, message):
    with refused("ValidationException", message):
        create(dynamodb, names)
    with refused("ValidationException", message):
        dynamodb.update_table(TableName=table, AttributeDefinitions=definitions(" ".join(dict.fromkeys(names.split()))),
                              GlobalSecondaryIndexUpdates=[{"Create": index(names, name="more")}])


def test_tables_and_local_indexes_have_one_attribute_of_each_kind(dynamodb):
    with refused("ValidationException", "Member must have length less than or equal to 2"):
        dynamodb.create_table(TableName=unique("keys"), BillingMode="PAY_PER_REQUEST", KeySchema=schema("h1 r1 r2"),
                              AttributeDefinitions=definitions("h1 r1 r2"))


def test_a_new_index_of_several_attributes_is_filled(cloud, dynamodb):
    name = cloud.create_table()
    for number in range(20):
        cloud.put_item(name, id=str(number), h1="a", h2=number % 2, **({"r1": "x"} if number % 4 else {}))
    dynamodb.update_table(TableName=name, AttributeDefinitions=definitions("id h1 h2 r1"),
                          GlobalSecondaryIndexUpdates=[{"Create": index("h1 h2 r1", {"ProjectionType": "KEYS_ONLY"})}])

    def active():
        return dynamodb.describe_table(TableName=name)["Table"]["GlobalSecondaryIndexes"][0]["IndexStatus"] == "ACTIVE"

    eventually(active, "the index is filled")
    assert sorted(numbers_of(query(dynamodb, name, "h1 = :a AND h2 = :b", {"a": "a", "b": 0}))) == [2, 6, 10, 14, 18]
    found = query(dynamodb, name, "h1 = :a AND h2 = :b", {"a": "a", "b": 1}, Limit=1)["Items"][0]
    assert set(found) == {"id", "h1", "h2", "r1"}


def test_a_wrong_key_is_refused_with_its_index(dynamodb, table):
    with refused("ValidationException", "Type mismatch for Index Key h2 Expected: N Actual: S IndexName: wide"):
        dynamodb.put_item(TableName=table, Item=item(id="new", h1="a", h2="b"))
    with refused("ValidationException", "cannot contain an empty string value. IndexName: wide, IndexKey: r1"):
        dynamodb.put_item(TableName=table, Item=item(id="new", r1=""))


def test_an_item_leaves_the_index_with_any_of_its_keys(cloud, dynamodb, table):
    cloud.put_item(table, id="97", h1="z", h2=1, r1="x", r2=1)

    def found():
        return query(dynamodb, table, "h1 = :a AND h2 = :b", {"a": "z", "b": 1})["Count"]

    eventually(lambda: found() == 1, "the item is in the index")
    dynamodb.update_item(TableName=table, Key=item(id="97"), UpdateExpression="REMOVE r2")
    eventually(lambda: found() == 0, "the item has left the index")


def test_stacks_make_and_add_such_indexes(cloud, dynamodb):
    cfn = cloud.client("cloudformation")
    stack = unique("keys")

    def body(*indexes):
        names = ["id", *dict.fromkeys(name for each in indexes for name in each["KeySchema_"].split())]
        table = {"BillingMode": "PAY_PER_REQUEST", "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
                 "AttributeDefinitions": definitions(" ".join(names)),
                 "GlobalSecondaryIndexes": [index(each["KeySchema_"], name=each["name"]) for each in indexes]}
        return template({"Table": {"Type": "AWS::DynamoDB::Table", "Properties": table}})

    first, second = {"name": "first", "KeySchema_": "h1 h2 r1"}, {"name": "second", "KeySchema_": "h2 r1 r2"}
    create_stack(cfn, stack, body(first))
    name = resources(cfn, stack)["Table"]["PhysicalResourceId"]
    update(cfn, stack, body(first, second))
    indexes = dynamodb.describe_table(TableName=name)["Table"]["GlobalSecondaryIndexes"]
    found = {each["IndexName"]: each["KeySchema"] for each in indexes}
    assert found == {"first": schema("h1 h2 r1"), "second": schema("h2 r1 r2")}
    cfn.delete_stack(StackName=stack)
