"""Throughput that is enforced: tidemill serve --throttle. On AWS it always is; there a burst depends on the past, so these
tests need a server and a clock of their own."""
import pytest

from harness import Cloud, item, refused

pytestmark = pytest.mark.local

PROVISIONED = {"BillingMode": "PROVISIONED", "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}}
BURST_SECONDS = 300


@pytest.fixture
def throttled(start_server):
    cloud = Cloud(start_server("--throttle", "--clock", "virtual").endpoint)
    with cloud.cleanup:
        yield cloud


# Without retries of its own, unlike an SDK's client.
def put(cloud, table, key="1"):
    return cloud.call_json("DynamoDB_20120810.PutItem", {"TableName": table, "Item": item(id=key)})


def use_up(cloud, table):
    count = 0
    while put(cloud, table)[0] == 200:
        count += 1
        assert count < 2 * BURST_SECONDS
    return count


def test_a_table_takes_its_burst_and_then_its_rate(throttled):
    table = throttled.create_table(**PROVISIONED)
    assert use_up(throttled, table) == BURST_SECONDS
    status, answer = put(throttled, table)
    assert status == 400
    assert answer["__type"].endswith("#ProvisionedThroughputExceededException")
    assert answer["message"].startswith("The level of configured provisioned throughput for the table was exceeded.")
    throttled.advance(5)
    assert use_up(throttled, table) == 5


def test_a_batch_gives_back_what_it_did_not_write(throttled):
    table = throttled.create_table(**PROVISIONED)
    use_up(throttled, table)
    throttled.advance(2)
    writes = [{"PutRequest": {"Item": item(id=str(number))}} for number in range(5)]
    answer = throttled.dynamodb.batch_write_item(RequestItems={table: writes})
    assert len(answer["UnprocessedItems"][table]) == 3


def test_an_on_demand_maximum_is_enforced(throttled):
    table = throttled.create_table()
    # Raw, since the SDK of the distribution is older than the parameter.
    status, answer = throttled.call_json("DynamoDB_20120810.UpdateTable", {
        "TableName": table, "OnDemandThroughput": {"MaxWriteRequestUnits": 1}})
    assert status == 200, answer
    assert use_up(throttled, table) == BURST_SECONDS
    status, answer = put(throttled, table)
    assert answer["__type"].endswith("#ThrottlingException")
    assert answer["message"] == "Throughput exceeds the maximum OnDemandThroughput configured on table or index"


def test_sdks_wait_and_try_again(throttled):
    table = throttled.create_table(**PROVISIONED)
    use_up(throttled, table)
    with refused("ProvisionedThroughputExceededException"):
        throttled.dynamodb.put_item(TableName=table, Item=item(id="1"))


def test_nothing_is_enforced_without_the_flag(cloud):
    table = cloud.create_table(**PROVISIONED)
    for _ in range(BURST_SECONDS + 50):
        assert put(cloud, table)[0] == 200
