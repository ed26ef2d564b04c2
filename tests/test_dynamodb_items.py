"""Items: put, get, delete, what they return, and what an item may be."""
import base64

import pytest

from harness import item, refused, value, values


@pytest.fixture(scope="module")
def table(shared_cloud):
    return shared_cloud.create_table()


@pytest.fixture(scope="module")
def sorted_table(shared_cloud):
    return shared_cloud.create_table("id:S sort:N")


@pytest.fixture
def get(dynamodb, table):
    return lambda key, **more: dynamodb.get_item(TableName=table, Key=item(id=key), **more).get("Item")


EVERY_TYPE = item(
    id="every type", s="text", empty="", unicode="ζ 🦊 \u0000", n=12.5, b=b"\x00\xff", empty_b=b"", t=True, f=False,
    null=None, ss={"b", "a"}, ns={2, 1}, bs={b"2", b"1"}, l=[1, "two", [None, {"three": 3}]], empty_l=[],
    m={"a": {"b": ["c"]}}, empty_m={"M": {}})


def same(one, other):
    """Equal items; sets have no order."""
    def plain(attribute):
        kind, content = next(iter(attribute.items()))
        if kind in ("SS", "NS", "BS"):
            return kind, frozenset(content)
        if kind == "L":
            return kind, [plain(element) for element in content]
        if kind == "M":
            return kind, {name: plain(element) for name, element in content.items()}
        return kind, content
    return plain({"M": one}) == plain({"M": other})


def test_every_type_comes_back_as_it_was_put(dynamodb, table, get):
    dynamodb.put_item(TableName=table, Item=EVERY_TYPE)
    assert same(get("every type"), EVERY_TYPE)


def test_what_is_missing_is_an_answer_without_an_item(dynamodb, table):
    answer = dynamodb.get_item(TableName=table, Key=item(id="missing"))
    assert "Item" not in answer


def test_an_item_of_nothing_but_its_key_is_an_item(dynamodb, table, get):
    dynamodb.put_item(TableName=table, Item=item(id="key only"))
    assert get("key only") == item(id="key only")


def test_put_replaces_the_whole_item(dynamodb, table, get):
    dynamodb.put_item(TableName=table, Item=item(id="replace", old=1))
    dynamodb.put_item(TableName=table, Item=item(id="replace", new=2))
    assert get("replace") == item(id="replace", new=2)


def test_a_deleted_item_is_gone_and_deleting_it_again_succeeds(dynamodb, table, get):
    dynamodb.put_item(TableName=table, Item=item(id="delete"))
    for _ in range(2):
        dynamodb.delete_item(TableName=table, Key=item(id="delete"))
        assert get("delete") is None


@pytest.mark.parametrize("kind, keys", [
    ("S", ["a", "A", "ζ", " ", "a\u0000b", "x" * 2048]),
    ("N", ["0", "-1", "1.5", "1E+20", "-1E-20", "9" * 38]),
    ("B", [b"\x00", b"\xff", b"\x00\x00", b"x" * 2048]),
])
def test_keys_of_every_type_are_told_apart(cloud, dynamodb, kind, keys):
    table = cloud.create_table(f"id:{kind}")
    for number, key in enumerate(keys):
        dynamodb.put_item(TableName=table, Item={"id": {kind: key}, "number": value(number)})
    for number, key in enumerate(keys):
        found = dynamodb.get_item(TableName=table, Key={"id": {kind: key}})["Item"]
        assert found["number"] == value(number)


def test_number_keys_are_equal_by_value(cloud, dynamodb):
    table = cloud.create_table("id:N")
    dynamodb.put_item(TableName=table, Item={"id": {"N": "1.0"}, "x": value("there")})
    for text in ("1", "+1", "01", "1.00", "10e-1", "0.1E1"):
        assert dynamodb.get_item(TableName=table, Key={"id": {"N": text}})["Item"]["x"] == value("there")


# --- ReturnValues, ConsumedCapacity ---

def test_put_and_delete_return_what_was_there_before(dynamodb, table):
    old = item(id="before", x=1)
    assert "Attributes" not in dynamodb.put_item(TableName=table, Item=old, ReturnValues="ALL_OLD")
    assert dynamodb.put_item(TableName=table, Item=item(id="before", x=2), ReturnValues="ALL_OLD")["Attributes"] == old
    assert "Attributes" not in dynamodb.put_item(TableName=table, Item=old)
    assert dynamodb.delete_item(TableName=table, Key=item(id="before"), ReturnValues="ALL_OLD")["Attributes"] == old
    assert "Attributes" not in dynamodb.delete_item(TableName=table, Key=item(id="before"), ReturnValues="ALL_OLD")


@pytest.mark.parametrize("what", ["ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"])
def test_put_and_delete_return_nothing_else(dynamodb, table, what):
    with refused("ValidationException", "ReturnValues can only be ALL_OLD or NONE"):
        dynamodb.put_item(TableName=table, Item=item(id="x"), ReturnValues=what)
    with refused("ValidationException", "ReturnValues can only be ALL_OLD or NONE"):
        dynamodb.delete_item(TableName=table, Key=item(id="x"), ReturnValues=what)


def test_consumed_capacity_is_told_when_asked_for(dynamodb, table):
    big = item(id="capacity", text="x" * 5000)
    put = dynamodb.put_item(TableName=table, Item=big, ReturnConsumedCapacity="TOTAL")["ConsumedCapacity"]
    assert put["TableName"] == table
    assert put["CapacityUnits"] == 5  # a unit per started KB
    key = {"TableName": table, "Key": item(id="capacity"), "ReturnConsumedCapacity": "TOTAL"}
    assert dynamodb.get_item(**key)["ConsumedCapacity"]["CapacityUnits"] == 1  # half a unit per started 4 KB
    assert dynamodb.get_item(**key, ConsistentRead=True)["ConsumedCapacity"]["CapacityUnits"] == 2
    missing = {**key, "Key": item(id="missing")}
    assert dynamodb.get_item(**missing)["ConsumedCapacity"]["CapacityUnits"] == 0.5
    assert "ConsumedCapacity" not in dynamodb.get_item(TableName=table, Key=item(id="capacity"))


# --- conditions ---

def test_a_condition_that_fails_leaves_the_item_as_it_is(dynamodb, table, get):
    dynamodb.put_item(TableName=table, Item=item(id="guarded", x=1))
    for call in (lambda: dynamodb.put_item(TableName=table, Item=item(id="guarded", x=2),
                                           ConditionExpression="attribute_not_exists(id)"),
                 lambda: dynamodb.delete_item(TableName=table, Key=item(id="guarded"), ConditionExpression="x > :x",
                                              ExpressionAttributeValues=values(x=1)),
                 lambda: dynamodb.update_item(TableName=table, Key=item(id="guarded"), UpdateExpression="SET x = :x",
                                              ConditionExpression="x = :x", ExpressionAttributeValues=values(x=2))):
        with refused("ConditionalCheckFailedException", "The conditional request failed", exactly=True, status=400):
            call()
    assert get("guarded") == item(id="guarded", x=1)


def test_a_condition_that_holds_lets_the_write_pass(dynamodb, table, get):
    dynamodb.put_item(TableName=table, Item=item(id="first"), ConditionExpression="attribute_not_exists(id)")
    dynamodb.put_item(TableName=table, Item=item(id="first", x=1), ConditionExpression="attribute_exists(id)")
    dynamodb.delete_item(TableName=table, Key=item(id="first"), ConditionExpression="x = :x",
                         ExpressionAttributeValues=values(x=1))
    assert get("first") is None


# Newer SDKs can ask for the item that the condition met; botocore of Debian 12 does not know the member yet.
def test_a_failed_condition_can_return_the_item(cloud, dynamodb, table):
    dynamodb.put_item(TableName=table, Item=item(id="shown", x=1))
    request = {"TableName": table, "Item": item(id="shown"), "ConditionExpression": "attribute_not_exists(id)"}
    status, answer = cloud.call_json("DynamoDB_20120810.PutItem", {
        **request, "ReturnValuesOnConditionCheckFailure": "ALL_OLD"})
    assert status == 400
    assert answer["__type"] == "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException"
    assert answer["Message"] == "The conditional request failed"
    assert answer["Item"] == item(id="shown", x=1)
    _, answer = cloud.call_json("DynamoDB_20120810.PutItem", request)
    assert "Item" not in answer


# --- projections ---

def test_a_projection_gives_only_what_it_names(dynamodb, table, get):
    dynamodb.put_item(TableName=table, Item=item(
        id="projected", a=1, m={"x": 1, "y": {"z": 2, "w": 3}}, l=[0, 1, {"p": 2, "q": 3}, 4], **{"dot.ted": 5}))
    names = {"#d": "dot.ted"}
    assert get("projected", ProjectionExpression="a") == item(a=1)
    assert get("projected", ProjectionExpression="id, absent") == item(id="projected")
    assert get("projected", ProjectionExpression="m.y.z, m.x") == item(m={"x": 1, "y": {"z": 2}})
    # Elements keep their order and close up.
    assert get("projected", ProjectionExpression="l[3], l[1]") == item(l=[1, 4])
    assert get("projected", ProjectionExpression="l[2].q") == item(l=[{"q": 3}])
    assert get("projected", ProjectionExpression="#d", ExpressionAttributeNames=names) == {"dot.ted": value(5)}
    assert get("projected", ProjectionExpression="absent") == {}
    assert get("projected", ProjectionExpression="a.b, l.x, m[0]") == {}


@pytest.mark.parametrize("projection", ["m.x, m", "m, m.x", "a, a", "l[1], l[1].p"])
def test_overlapping_paths_are_refused(dynamodb, table, projection):
    with refused("ValidationException", "Invalid ProjectionExpression: Two document paths overlap with each other; "
                 "must remove or rewrite one of these paths; path one: ["):
        dynamodb.get_item(TableName=table, Key=item(id="1"), ProjectionExpression=projection)


# --- the rules of keys ---

@pytest.mark.parametrize("key", [
    item(), item(other="x"), item(id=1), item(id="x", more="y"), item(id=None),
], ids=["none", "other name", "other type", "one too many", "null"])
def test_a_key_that_does_not_match_the_schema_is_refused(dynamodb, table, key):
    for call in (dynamodb.get_item, dynamodb.delete_item):
        with refused("ValidationException", "The provided key element does not match the schema"):
            call(TableName=table, Key=key)
    with refused("ValidationException", "The provided key element does not match the schema"):
        dynamodb.update_item(TableName=table, Key=key)


def test_an_item_without_its_key_is_refused(dynamodb, table, sorted_table):
    with refused("ValidationException", "One or more parameter values were invalid: Missing the key id in the item"):
        dynamodb.put_item(TableName=table, Item=item(x=1))
    with refused("ValidationException", "Missing the key sort in the item"):
        dynamodb.put_item(TableName=sorted_table, Item=item(id="1"))


def test_an_item_whose_key_has_another_type_is_refused(dynamodb, table, sorted_table):
    with refused("ValidationException",
                 "One or more parameter values were invalid: Type mismatch for key id expected: S actual: N"):
        dynamodb.put_item(TableName=table, Item=item(id=1))
    with refused("ValidationException", "Type mismatch for key sort expected: N actual: S"):
        dynamodb.put_item(TableName=sorted_table, Item=item(id="1", sort="1"))


def test_an_empty_key_is_refused(cloud, dynamodb, table):
    message = ("One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an "
               "empty string value. Key: id")
    with refused("ValidationException", message):
        dynamodb.put_item(TableName=table, Item=item(id=""))
    with refused("ValidationException", message):
        dynamodb.get_item(TableName=table, Key=item(id=""))


# --- the rules of values ---

@pytest.mark.parametrize("attribute, message", [
    ({}, "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"),
    ({"S": "a", "N": "1"},
     "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"),
    ({"NULL": False}, "Null attribute value types must have the value of true"),
    ({"SS": []}, "may not be empty"),
    ({"NS": []}, "may not be empty"),
    ({"SS": ["a", "b", "a"]}, 'Input collection ["a", "b", "a"] contains duplicates'),
    ({"NS": ["1", "1.0"]}, "Input collection contains duplicates"),
    ({"N": "ten"}, "The parameter cannot be converted to a numeric value: ten"),
    ({"N": ""}, "The parameter cannot be converted to a numeric value"),
    ({"L": [{"M": {"deep": {"N": "ten"}}}]}, "The parameter cannot be converted to a numeric value: ten"),
])
def test_a_value_that_is_not_one_is_refused(cloud, table, attribute, message):
    status, answer = cloud.call_json("DynamoDB_20120810.PutItem", {
        "TableName": table, "Item": {"id": {"S": "x"}, "a": attribute}})
    assert status == 400
    assert answer["__type"] == "com.amazon.coral.validate#ValidationException"
    if attribute == {"NS": ["1", "1.0"]}:
        assert "contains duplicates" in answer["message"]
    else:
        assert message in answer["message"]


# What is not of the shape's JSON types never reaches the service: another error, another namespace.
@pytest.mark.parametrize("body, message", [
    ("{", None),
    ("[]", None),
    ('{"TableName": 5}', "NUMBER_VALUE cannot be converted to String"),
    ('{"TableName": "TABLE", "Item": {"id": {"S": "x"}, "n": {"N": 123}}}', "NUMBER_VALUE cannot be converted to String"),
    ('{"TableName": "TABLE", "Item": {"id": {"S": true}}}', "TRUE_VALUE cannot be converted to String"),
    ('{"TableName": "TABLE", "Item": "text"}', None),
    ('{"TableName": "TABLE", "Item": {"id": {"S": "x"}, "b": {"B": "%%%"}}}', None),
])
def test_json_of_other_types_is_a_serialization_exception(cloud, table, body, message):
    status, answer = cloud.call_json("DynamoDB_20120810.PutItem", body.replace("TABLE", table))
    assert status == 400
    assert answer["__type"] == "com.amazon.coral.service#SerializationException", answer
    if message:
        assert message in (answer.get("message") or answer.get("Message"))


# Newer clients send members that this server has never heard of; a null member is one that is not there.
def test_unknown_and_null_members_are_tolerated(cloud, table):
    status, _ = cloud.call_json("DynamoDB_20120810.PutItem", {
        "TableName": table, "Item": item(id="tolerated"), "ConditionExpression": None, "FromTheFuture": {"x": [1]}})
    assert status == 200


def test_missing_parameters_are_named(cloud):
    status, answer = cloud.call_json("DynamoDB_20120810.GetItem", {})
    assert status == 400
    assert answer["__type"] == "com.amazon.coral.validate#ValidationException"
    assert "at 'tableName' failed to satisfy constraint: Member must not be null" in answer["message"]
    assert "at 'key' failed to satisfy constraint: Member must not be null" in answer["message"]
    assert answer["message"].startswith("2 validation errors detected: ")


def test_binary_values_are_base64_on_the_wire(cloud, table):
    raw = bytes(range(256))
    text = base64.b64encode(raw).decode()
    cloud.call_json("DynamoDB_20120810.PutItem", {"TableName": table, "Item": {"id": {"S": "bin"}, "b": {"B": text}}})
    _, answer = cloud.call_json("DynamoDB_20120810.GetItem", {"TableName": table, "Key": {"id": {"S": "bin"}}})
    assert answer["Item"]["b"] == {"B": text}
