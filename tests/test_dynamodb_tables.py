"""Tables: their life, their descriptions, and what a definition may not be."""
import re

import pytest

from harness import eventually, item, refused, unique

KEY = {"AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
       "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}]}
ON_DEMAND = {"BillingMode": "PAY_PER_REQUEST"}


def attribute(name, kind="S"):
    return {"AttributeName": name, "AttributeType": kind}


def key(name, role="HASH"):
    return {"AttributeName": name, "KeyType": role}


# --- creation ---

def test_a_new_table_is_creating_and_then_active(cloud, dynamodb):
    name = unique("table")
    cloud.cleanup.callback(dynamodb.delete_table, TableName=name)
    created = dynamodb.create_table(TableName=name, **KEY, **ON_DEMAND)["TableDescription"]
    assert created["TableStatus"] in ("CREATING", "ACTIVE")
    eventually(lambda: dynamodb.describe_table(TableName=name)["Table"]["TableStatus"] == "ACTIVE", "active")


def test_a_description_tells_what_was_asked_for(cloud, dynamodb):
    name = cloud.create_table("id:S sort:N")
    table = dynamodb.describe_table(TableName=name)["Table"]
    assert table["TableName"] == name
    assert re.fullmatch(rf"arn:aws:dynamodb:us-east-1:\d{{12}}:table/{name}", table["TableArn"])
    assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", table["TableId"])
    assert table["KeySchema"] == [key("id"), key("sort", "RANGE")]
    assert sorted(table["AttributeDefinitions"], key=str) == sorted([attribute("id"), attribute("sort", "N")], key=str)
    assert table["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    # On-demand tables describe a provisioned throughput all the same, of zero.
    assert table["ProvisionedThroughput"]["ReadCapacityUnits"] == 0
    assert table["ProvisionedThroughput"]["WriteCapacityUnits"] == 0
    assert table["ProvisionedThroughput"]["NumberOfDecreasesToday"] == 0
    assert table["ItemCount"] == 0 and table["TableSizeBytes"] == 0
    assert "StreamSpecification" not in table and "LatestStreamArn" not in table


def test_a_provisioned_table_describes_its_throughput(cloud, dynamodb):
    name = cloud.create_table(BillingMode="PROVISIONED",
                              ProvisionedThroughput={"ReadCapacityUnits": 5, "WriteCapacityUnits": 6})
    table = dynamodb.describe_table(TableName=name)["Table"]
    assert table["ProvisionedThroughput"]["ReadCapacityUnits"] == 5
    assert table["ProvisionedThroughput"]["WriteCapacityUnits"] == 6


def test_a_table_may_be_named_by_its_arn(cloud, dynamodb):
    name = cloud.create_table()
    arn = dynamodb.describe_table(TableName=name)["Table"]["TableArn"]
    dynamodb.put_item(TableName=arn, Item=item(id="1"))
    assert dynamodb.get_item(TableName=name, Key=item(id="1"))["Item"] == item(id="1")


def test_a_name_that_is_taken_is_refused(cloud, dynamodb):
    name = cloud.create_table()
    with refused("ResourceInUseException", f"Table already exists: {name}", exactly=True):
        dynamodb.create_table(TableName=name, **KEY, **ON_DEMAND)


def test_a_name_is_free_again_after_deletion_and_the_new_table_is_empty(cloud, dynamodb):
    name = cloud.create_table()
    cloud.put_item(name, id="1")
    dynamodb.delete_table(TableName=name)
    dynamodb.get_waiter("table_not_exists").wait(TableName=name, WaiterConfig={"Delay": 1})
    cloud.create_table(name=name)
    assert dynamodb.scan(TableName=name)["Items"] == []


def test_tags_of_another_accounts_table_are_nobody_elses(dynamodb):
    arn = "arn:aws:dynamodb:us-east-1:999999999999:table/theirs"
    for operation, more in ("tag_resource", {"Tags": [{"Key": "a", "Value": "b"}]}), ("untag_resource", {"TagKeys": ["a"]}), \
            ("list_tags_of_resource", {}):
        with refused("AccessDeniedException", "is not authorized to perform: dynamodb:"):
            getattr(dynamodb, operation)(ResourceArn=arn, **more)


@pytest.mark.parametrize("name", ["ab", "a" * 256], ids=["2", "256"])
def test_a_name_of_a_wrong_length_is_refused(cloud, name):
    status, answer = cloud.call_json("DynamoDB_20120810.CreateTable", {"TableName": name, **KEY, **ON_DEMAND})
    assert status == 400
    assert answer["__type"].endswith("#ValidationException")
    assert answer["message"].endswith("greater than or equal to 3" if len(name) < 3 else "less than or equal to 255")


def test_a_name_with_other_characters_is_refused(cloud, dynamodb):
    with refused("ValidationException", "failed to satisfy constraint: Member must satisfy regular expression pattern: "
                 "[a-zA-Z0-9_.-]+"):
        dynamodb.create_table(TableName="table name", **KEY, **ON_DEMAND)


# AWS lists everything that is wrong in one answer, so that a client need not find out one by one.
def test_all_violations_are_listed_at_once(cloud):
    status, answer = cloud.call_json("DynamoDB_20120810.CreateTable", {
        "TableName": "a b", "KeySchema": [{"AttributeName": "id", "KeyType": "SORT"}],
        "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "X"}], "BillingMode": "FREE"})
    assert status == 400
    assert re.match(r"\d validation errors detected: ", answer["message"]), answer
    for part in ("'SORT' at 'keySchema.1.member.keyType'", "'X' at 'attributeDefinitions.1.member.attributeType'",
                 "'FREE' at 'billingMode'", "enum value set: [HASH, RANGE]", "; "):
        assert part in answer["message"]


@pytest.mark.parametrize("request_part, message", [
    ({"AttributeDefinitions": [attribute("id"), attribute("other")], "KeySchema": [key("id")]},
     "Number of attributes in KeySchema does not exactly match number of attributes defined in AttributeDefinitions"),
    ({"AttributeDefinitions": [attribute("other")], "KeySchema": [key("id")]}, "not defined in AttributeDefinitions"),
    ({"AttributeDefinitions": [attribute("id")], "KeySchema": [key("id"), key("id", "RANGE")]},
     "Invalid KeySchema: Some index key attribute have no definition"),
    ({"AttributeDefinitions": [attribute("id"), attribute("sort")], "KeySchema": [key("id"), key("sort")]}, ""),
    ({"AttributeDefinitions": [attribute("id")], "KeySchema": [key("id", "RANGE")]}, ""),
    ({"AttributeDefinitions": [attribute("id", "BOOL")], "KeySchema": [key("id")]},
     "failed to satisfy constraint: Member must satisfy enum value set: [B, N, S]"),
], ids=["unused attribute", "undefined attribute", "same name", "two hash keys", "range first", "type"])
def test_a_wrong_key_schema_is_refused(dynamodb, request_part, message):
    with refused("ValidationException", message):
        dynamodb.create_table(TableName=unique("table"), **ON_DEMAND, **request_part)


def test_throughput_and_billing_mode_must_agree(dynamodb):
    units = {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}
    with refused("ValidationException",
                 "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST"):
        dynamodb.create_table(TableName=unique("table"), **KEY, **ON_DEMAND, ProvisionedThroughput=units)
    with refused("ValidationException",
                 "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED"):
        dynamodb.create_table(TableName=unique("table"), **KEY, BillingMode="PROVISIONED")


# --- list, delete ---

def test_a_list_of_tables_is_sorted_and_paged(cloud, dynamodb):
    names = sorted(cloud.create_table(name=unique("listed")) for _ in range(5))
    found, start = [], {}
    while True:
        page = dynamodb.list_tables(Limit=2, **start)
        assert len(page["TableNames"]) <= 2
        found += page["TableNames"]
        if "LastEvaluatedTableName" not in page:
            break
        assert page["LastEvaluatedTableName"] == page["TableNames"][-1]
        start = {"ExclusiveStartTableName": page["LastEvaluatedTableName"]}
    assert found == sorted(found)
    assert set(names) <= set(found)


@pytest.mark.parametrize("limit", [0, 101])
def test_a_list_limit_out_of_range_is_refused(cloud, limit):
    status, answer = cloud.call_json("DynamoDB_20120810.ListTables", {"Limit": limit})
    assert status == 400
    assert answer["__type"].endswith("#ValidationException")
    assert "'Limit' failed to satisfy constraint: Member must have value" in answer["message"]


def test_what_is_unknown_cannot_be_described_or_deleted(dynamodb):
    name = unique("nothing")
    message = f"Requested resource not found: Table: {name} not found"
    with refused("ResourceNotFoundException", message, exactly=True):
        dynamodb.describe_table(TableName=name)
    with refused("ResourceNotFoundException", message, exactly=True):
        dynamodb.delete_table(TableName=name)
    with refused("ResourceNotFoundException", message, exactly=True):
        dynamodb.update_table(TableName=name, StreamSpecification={"StreamEnabled": False})


def test_items_of_an_unknown_table_are_refused(dynamodb):
    name = unique("nothing")
    for call in (lambda: dynamodb.get_item(TableName=name, Key=item(id="1")),
                 lambda: dynamodb.put_item(TableName=name, Item=item(id="1")),
                 lambda: dynamodb.query(TableName=name, KeyConditionExpression="id = :x",
                                        ExpressionAttributeValues={":x": {"S": "1"}}),
                 lambda: dynamodb.scan(TableName=name)):
        with refused("ResourceNotFoundException", "Requested resource not found"):
            call()


def test_a_deleted_table_is_deleting_and_then_gone(cloud, dynamodb):
    name = cloud.create_table()
    assert dynamodb.delete_table(TableName=name)["TableDescription"]["TableStatus"] == "DELETING"
    dynamodb.get_waiter("table_not_exists").wait(TableName=name, WaiterConfig={"Delay": 1})
    assert name not in dynamodb.list_tables()["TableNames"]


def test_deletion_protection_protects(cloud, dynamodb):
    name = cloud.create_table()

    # A member newer than the botocore of Debian 12.
    def protect(on):
        status, answer = cloud.call_json("DynamoDB_20120810.UpdateTable",
                                         {"TableName": name, "DeletionProtectionEnabled": on})
        assert status == 200, answer

    protect(True)
    with refused("ValidationException", "can't be deleted while DeletionProtectionEnabled is set to True"):
        dynamodb.delete_table(TableName=name)
    protect(False)
    dynamodb.delete_table(TableName=name)


# --- the stream of a table ---

def test_a_table_with_a_stream_names_it(cloud, dynamodb):
    name = cloud.create_table(stream="NEW_AND_OLD_IMAGES")
    table = dynamodb.describe_table(TableName=name)["Table"]
    assert table["StreamSpecification"] == {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}", table["LatestStreamLabel"])
    assert table["LatestStreamArn"] == f"{table['TableArn']}/stream/{table['LatestStreamLabel']}"


def test_a_stream_can_be_switched_on_and_off(cloud, dynamodb):
    name = cloud.create_table()

    def table():
        return dynamodb.describe_table(TableName=name)["Table"]

    def active():
        return eventually(lambda: table()["TableStatus"] == "ACTIVE", "active")

    dynamodb.update_table(TableName=name, StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"})
    active()
    first = table()["LatestStreamArn"]
    dynamodb.update_table(TableName=name, StreamSpecification={"StreamEnabled": False})
    active()
    # The specification goes; where the last stream was stays known.
    assert "StreamSpecification" not in table()
    assert table()["LatestStreamArn"] == first
    dynamodb.update_table(TableName=name, StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"})
    active()
    assert table()["LatestStreamArn"] != first
    assert table()["StreamSpecification"]["StreamViewType"] == "NEW_IMAGE"


def test_switching_a_stream_to_what_it_is_is_refused(cloud, dynamodb):
    name = cloud.create_table(stream="KEYS_ONLY")
    with refused("ValidationException", "already"):
        dynamodb.update_table(TableName=name,
                              StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"})
    with refused("ValidationException", "already"):
        dynamodb.update_table(TableName=name,
                              StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"})
    with refused("ValidationException", "stream"):
        dynamodb.update_table(TableName=cloud.create_table(), StreamSpecification={"StreamEnabled": False})


def test_a_stream_needs_a_view_type(dynamodb):
    with refused("ValidationException", "StreamViewType"):
        dynamodb.create_table(TableName=unique("table"), **KEY, **ON_DEMAND,
                              StreamSpecification={"StreamEnabled": True})
    with refused("ValidationException", "enum value set"):
        dynamodb.create_table(TableName=unique("table"), **KEY, **ON_DEMAND,
                              StreamSpecification={"StreamEnabled": True, "StreamViewType": "EVERYTHING"})
