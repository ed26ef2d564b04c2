"""Resource-based policies of tables and streams: kept, checked in form, with revisions. And operations that are refused
by name."""
import json

import pytest

from harness import eventually, refused


def account_of(arn):
    return arn.split(":")[4]


def policy(arn, action="dynamodb:GetItem"):
    return json.dumps({"Version": "2012-10-17", "Statement": [
        {"Effect": "Allow", "Principal": {"AWS": account_of(arn)}, "Action": action, "Resource": "*"}]})


@pytest.fixture
def arn(cloud, dynamodb):
    return dynamodb.describe_table(TableName=cloud.create_table())["Table"]["TableArn"]


# A policy that was just put is read a moment later on AWS.
def read(cloud, arn, revision):
    def answer():
        try:
            found = call(cloud, "GetResourcePolicy", ResourceArn=arn)
        except Refused:
            return None
        return found if found["RevisionId"] == revision else None
    return eventually(answer, "the policy")


class Refused(Exception):
    def __init__(self, code, message):
        super().__init__(code, message)
        self.code, self.message = code, message


# The SDK of the distribution is older than these operations.
def call(cloud, operation, **request):
    status, answer = cloud.call_json("DynamoDB_20120810." + operation, request)
    if status != 200:
        raise Refused(answer["__type"].split("#")[1], answer["message"])
    return answer


def test_a_policy_is_put_read_and_deleted(cloud, arn):
    revision = call(cloud, "PutResourcePolicy", ResourceArn=arn, Policy=policy(arn))["RevisionId"]
    found = read(cloud, arn, revision)
    statement = json.loads(found["Policy"])["Statement"][0]
    assert statement["Action"] == "dynamodb:GetItem" and statement["Effect"] == "Allow"


def test_a_table_without_one_says_so(cloud, arn):
    with pytest.raises(Refused) as error:
        call(cloud, "GetResourcePolicy", ResourceArn=arn)
    assert error.value.code == "PolicyNotFoundException"
    assert error.value.message == "Resource-based policy not found for the provided ResourceArn: " + arn


def test_deleting_what_is_not_there_succeeds(cloud, arn):
    assert call(cloud, "DeleteResourcePolicy", ResourceArn=arn) == {}


def test_an_equal_policy_keeps_its_revision(cloud, arn):
    first = call(cloud, "PutResourcePolicy", ResourceArn=arn, Policy=policy(arn))
    spaced = json.dumps(json.loads(policy(arn)), indent=4)
    assert call(cloud, "PutResourcePolicy", ResourceArn=arn, Policy=spaced) == first


def test_none_is_expected_where_one_is(cloud, arn):
    revision = call(cloud, "PutResourcePolicy", ResourceArn=arn, Policy=policy(arn),
                    ExpectedRevisionId="NO_POLICY")["RevisionId"]
    with pytest.raises(Refused) as error:
        call(cloud, "PutResourcePolicy", ResourceArn=arn, Policy=policy(arn, "dynamodb:PutItem"),
             ExpectedRevisionId="NO_POLICY")
    table = arn.split("/")[1]
    assert error.value.message == (
        "Resource-based policy not found for the provided ResourceArn: Requested policy update expecting none to be "
        f"present for table {table}, but a policy exists with revision id {revision}.")


def test_a_revision_that_is_not_the_current_one_is_refused(cloud, arn):
    call(cloud, "PutResourcePolicy", ResourceArn=arn, Policy=policy(arn))
    with pytest.raises(Refused) as error:
        call(cloud, "PutResourcePolicy", ResourceArn=arn, Policy=policy(arn, "dynamodb:PutItem"), ExpectedRevisionId="1")
    assert error.value.code == "PolicyNotFoundException"
    assert "revision id 1, but" in error.value.message


@pytest.mark.parametrize("document, message", [
    ("{not json", "Invalid policy document: This policy contains invalid Json"),
    ('{"Version":"2012-10-17","Statement":[]}', "Could not parse the policy: Statement is empty!"),
    (" " * 21_000, "Maximum policy size of 20480 bytes exceeded"),
], ids=["json", "empty", "size"])
def test_what_is_no_policy_is_refused(cloud, arn, document, message):
    with pytest.raises(Refused) as error:
        call(cloud, "PutResourcePolicy", ResourceArn=arn, Policy=document)
    assert error.value.code == "ValidationException"
    assert message in error.value.message


def test_a_policy_goes_with_its_table(cloud, dynamodb):
    name = cloud.create_table()
    arn = dynamodb.describe_table(TableName=name)["Table"]["TableArn"]
    call(cloud, "PutResourcePolicy", ResourceArn=arn, Policy=policy(arn))
    eventually(lambda: deleted(dynamodb, name), "deletion is admitted")
    dynamodb.get_waiter("table_not_exists").wait(TableName=name, WaiterConfig={"Delay": 1})
    with pytest.raises(Refused) as error:
        call(cloud, "GetResourcePolicy", ResourceArn=arn)
    assert error.value.message == f"Requested resource not found: Table: {name} not found"


def deleted(dynamodb, name):
    try:
        return dynamodb.delete_table(TableName=name)
    except dynamodb.exceptions.ResourceInUseException:
        return None


# What Tidemill lacks it says by name, with the reason.
@pytest.mark.local
@pytest.mark.parametrize("operation, request_body", [
    ("describe_contributor_insights", {"TableName": "table"}),
    ("list_global_tables", {}),
    ("describe_table_replica_auto_scaling", {"TableName": "table"}),
])
def test_operations_that_are_not_there_are_refused_by_name(dynamodb, operation, request_body):
    name = "".join(part.capitalize() for part in operation.split("_"))
    with refused("ValidationException", f"Tidemill does not support the operation {name}: "):
        getattr(dynamodb, operation)(**request_body)
