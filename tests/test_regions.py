"""Regions and accounts are worlds of their own: what is made in one is not seen in another."""
import pytest

from harness import item, refused, unique


@pytest.fixture
def elsewhere(cloud):
    other = cloud.in_region("eu-west-1")
    with other.cleanup:
        yield other


def test_a_table_is_not_seen_from_another_region(cloud, elsewhere):
    table = cloud.create_table()
    assert table not in elsewhere.dynamodb.list_tables()["TableNames"]
    with refused("ResourceNotFoundException"):
        elsewhere.dynamodb.get_item(TableName=table, Key=item(id="1"))


def test_the_same_name_in_two_regions_is_two_tables(cloud, elsewhere):
    name = unique("both")
    cloud.create_table(name=name)
    elsewhere.create_table(name=name)
    cloud.put_item(name, id="1", where="here")
    elsewhere.put_item(name, id="1", where="there")
    assert cloud.dynamodb.get_item(TableName=name, Key=item(id="1"))["Item"]["where"] == {"S": "here"}
    assert elsewhere.dynamodb.get_item(TableName=name, Key=item(id="1"))["Item"]["where"] == {"S": "there"}


def test_arns_carry_the_region(cloud, elsewhere):
    arn = elsewhere.dynamodb.describe_table(TableName=elsewhere.create_table())["Table"]["TableArn"]
    assert arn.startswith("arn:aws:dynamodb:eu-west-1:")


def test_streams_and_functions_are_not_seen_from_another_region(cloud, elsewhere):
    stream = cloud.stream_arn(cloud.create_table(stream="KEYS_ONLY"))
    assert stream not in [found["StreamArn"] for found in elsewhere.streams.list_streams()["Streams"]]
    function = cloud.create_function("def handler(event, context): pass\n")
    with refused("ResourceNotFoundException"):
        elsewhere.functions.get_function(FunctionName=function)


def test_a_function_knows_its_region(elsewhere):
    function = elsewhere.create_function(
        "import os\ndef handler(event, context):\n    return os.environ['AWS_REGION']\n")
    assert elsewhere.invoke(function)[1] == "eu-west-1"


# An access key id that is twelve digits names the account: how a test plays several accounts on one server.
@pytest.mark.local
def test_a_table_is_not_seen_from_another_account(cloud):
    other = cloud.as_account("210987654321")
    with other.cleanup:
        table = other.create_table()
        assert ":210987654321:" in other.dynamodb.describe_table(TableName=table)["Table"]["TableArn"]
        assert table in other.dynamodb.list_tables()["TableNames"]
        assert table not in cloud.dynamodb.list_tables()["TableNames"]


@pytest.mark.local
def test_the_default_account_is_all_zeros(cloud):
    assert ":000000000000:" in cloud.dynamodb.describe_table(TableName=cloud.create_table())["Table"]["TableArn"]
