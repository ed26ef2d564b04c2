"""Global tables: replicas of a table in other regions, which can all be written to."""
import json
import threading

import pytest

from cloudformation_support import create, settled, update
from harness import Cloud, eventually, item, quietly, refused, unique, values

THERE, FAR = "eu-west-1", "ap-southeast-2"
SETTLES_SECONDS = 1800  # on AWS, where a replica of a single item takes ten minutes
INDEX = [{"IndexName": "by-g", "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}],
          "Projection": {"ProjectionType": "ALL"}}]


def described(cloud, table):
    return cloud.dynamodb.describe_table(TableName=table)["Table"]


def replicas(cloud, table):
    return {one["RegionName"]: one["ReplicaStatus"] for one in described(cloud, table).get("Replicas", [])}


def update_replicas(cloud, table, **action):
    return cloud.dynamodb.update_table(TableName=table, ReplicaUpdates=[action])["TableDescription"]


def is_settled(cloud, table):
    found = described(cloud, table)
    return found["TableStatus"] == "ACTIVE" and set(replicas(cloud, table).values()) <= {"ACTIVE"}


def settle(cloud, table):
    eventually(lambda: is_settled(cloud, table), f"{table} settled", SETTLES_SECONDS)


def delete_replica(cloud, table, region):
    if region in replicas(cloud, table):
        settle(cloud, table)
        update_replicas(cloud, table, Delete={"RegionName": region})
        eventually(lambda: region not in replicas(cloud, table), f"{region} gone", SETTLES_SECONDS)
        settle(cloud, table)


def add_replica(cloud, table, region):
    """The other region's clients, once the replica is there."""
    update_replicas(cloud, table, Create={"RegionName": region})
    cloud.cleanup.callback(quietly, delete_replica, cloud, table, region)
    eventually(lambda: replicas(cloud, table).get(region) == "ACTIVE", f"a replica in {region}", SETTLES_SECONDS)
    settle(cloud, table)
    return cloud.in_region(region)


def get(cloud, table, **key):
    return cloud.dynamodb.get_item(TableName=table, Key=item(**key)).get("Item")


def arrives(cloud, table, attributes, **key):
    """Waits until the item is that, or is gone (None): on AWS replicas are a second behind."""
    wanted = attributes and item(**attributes)
    eventually(lambda: get(cloud, table, **key) == wanted, f"{key} in {cloud.region}")


def indexed(cloud, **more):
    attributes = [{"AttributeName": name, "AttributeType": "S"} for name in ("id", "g")]
    return cloud.create_table(AttributeDefinitions=attributes, GlobalSecondaryIndexes=INDEX, **more)


def by_group(cloud, table, group):
    pages = cloud.dynamodb.get_paginator("query").paginate(
        TableName=table, IndexName="by-g", KeyConditionExpression="g = :g", ExpressionAttributeValues=values(g=group))
    return sorted(one["id"]["S"] for page in pages for one in page["Items"])


def has_group(cloud, table, group, ids):
    eventually(lambda: by_group(cloud, table, group) == ids, f"the index in {cloud.region}")


def has_indexes(cloud, table, *statuses):
    def look():
        found = described(cloud, table).get("GlobalSecondaryIndexes", [])
        return [index["IndexStatus"] for index in found] == list(statuses)
    eventually(look, f"the indexes in {cloud.region}", SETTLES_SECONDS)


def test_what_is_written_in_one_region_is_read_in_the_other(cloud):
    table = indexed(cloud)
    cloud.put_item(table, id="old", g="a")
    there = add_replica(cloud, table, THERE)
    arrives(there, table, {"id": "old", "g": "a"}, id="old")
    there.put_item(table, id="theirs", g="a")
    cloud.put_item(table, id="ours", g="b")
    cloud.dynamodb.delete_item(TableName=table, Key=item(id="old"))
    for one in (cloud, there):
        arrives(one, table, {"id": "theirs", "g": "a"}, id="theirs")
        arrives(one, table, {"id": "ours", "g": "b"}, id="ours")
        arrives(one, table, None, id="old")
        has_group(one, table, "a", ["theirs"])


def test_replicas_are_described_to_each_other_and_not_to_themselves(cloud):
    table = cloud.create_table()
    assert "GlobalTableVersion" not in described(cloud, table) and "Replicas" not in described(cloud, table)
    there = add_replica(cloud, table, THERE)
    assert {described(one, table)["GlobalTableVersion"] for one in (cloud, there)} == {"2019.11.21"}
    assert replicas(cloud, table) == {THERE: "ACTIVE"}
    assert replicas(there, table) == {cloud.region: "ACTIVE"}
    assert described(cloud, table)["TableId"] != described(there, table)["TableId"]
    delete_replica(cloud, table, THERE)
    assert "GlobalTableVersion" not in described(cloud, table) and "Replicas" not in described(cloud, table)
    with refused("ResourceNotFoundException"):
        eventually(lambda: not described(there, table), "the replica gone", SETTLES_SECONDS)


# DynamoDB switches it on where there is none.
def test_each_replica_has_its_own_stream(cloud):
    table = cloud.create_table()
    there = add_replica(cloud, table, THERE)
    cloud.put_item(table, id="a", n=1)
    arrives(there, table, {"id": "a", "n": 1}, id="a")
    there.put_item(table, id="a", n=2)
    arrives(cloud, table, {"id": "a", "n": 2}, id="a")
    arns = [one.stream_arn(table) for one in (cloud, there)]
    assert [arn.split(":")[3] for arn in arns] == [cloud.region, THERE]
    for one, arn in zip((cloud, there), arns):
        records = one.records(arn, 2)
        assert [(each["eventName"], each["dynamodb"]["NewImage"]["n"]["N"]) for each in records] == [
            ("INSERT", "1"), ("MODIFY", "2")]
        assert {each["awsRegion"] for each in records} == {one.region}


def test_a_function_is_called_for_what_was_written_elsewhere(cloud):
    table = cloud.create_table()
    there = add_replica(cloud, table, THERE)
    with there.cleanup:
        recorder = there.recorder()
        there.create_mapping(recorder, there.stream_arn(table))
        cloud.put_item(table, id="a")
        records = there.wait_for_records(recorder, 1)
        assert records[0]["dynamodb"]["Keys"] == item(id="a") and records[0]["awsRegion"] == THERE


def test_a_condition_is_judged_where_the_write_is_asked_for(cloud):
    table = cloud.create_table()
    there = add_replica(cloud, table, THERE)
    cloud.put_item(table, id="a")
    arrives(there, table, {"id": "a"}, id="a")
    with refused("ConditionalCheckFailedException"):
        there.dynamodb.put_item(TableName=table, Item=item(id="a"), ConditionExpression="attribute_not_exists(id)")


# One commit is in all regions: there is no last writer who wins over another.
@pytest.mark.local
def test_counters_of_both_regions_count_all(cloud):
    table = cloud.create_table()
    there = add_replica(cloud, table, THERE)

    def count(one):
        for _ in range(40):
            one.dynamodb.update_item(TableName=table, Key=item(id="n"), UpdateExpression="ADD n :one",
                                     ExpressionAttributeValues=values(one=1))

    threads = [threading.Thread(target=count, args=(one,)) for one in (cloud, there) * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert get(cloud, table, id="n") == get(there, table, id="n") == item(id="n", n=160)


def test_an_index_and_a_time_to_live_are_made_in_all_regions(cloud):
    table = cloud.create_table()
    there = add_replica(cloud, table, THERE)
    there.dynamodb.update_table(
        TableName=table, AttributeDefinitions=[{"AttributeName": "g", "AttributeType": "S"}],
        GlobalSecondaryIndexUpdates=[{"Create": INDEX[0]}])
    for one in (there, cloud):
        has_indexes(one, table, "ACTIVE")
    cloud.dynamodb.update_time_to_live(TableName=table,
                                       TimeToLiveSpecification={"Enabled": True, "AttributeName": "due"})
    eventually(lambda: there.dynamodb.describe_time_to_live(TableName=table)["TimeToLiveDescription"]
               == {"TimeToLiveStatus": "ENABLED", "AttributeName": "due"}, "time to live", SETTLES_SECONDS)


@pytest.mark.local
def test_an_expired_item_goes_in_all_regions(virtual):
    table = virtual.create_table()
    virtual.dynamodb.update_time_to_live(TableName=table,
                                         TimeToLiveSpecification={"Enabled": True, "AttributeName": "due"})
    there = add_replica(virtual, table, THERE)
    now = described(virtual, table)["CreationDateTime"].timestamp()
    there.put_item(table, id="a", due=int(now) + 100)
    virtual.advance(200)
    assert get(virtual, table, id="a") is None and get(there, table, id="a") is None
    ends = [one.records(one.stream_arn(table), 2)[-1] for one in (virtual, there)]
    assert [end["eventName"] for end in ends] == ["REMOVE", "REMOVE"]
    assert sum("userIdentity" in end for end in ends) == 1


def test_replicas_are_added_one_at_a_time_and_by_themselves(cloud):
    table = cloud.create_table()
    dynamodb = cloud.dynamodb
    there = {"Create": {"RegionName": THERE}}
    with refused("ValidationException", "Update table operation with more than one create or delete replica actions"):
        dynamodb.update_table(TableName=table, ReplicaUpdates=[there, {"Create": {"RegionName": FAR}}])
    with refused("ValidationException", "Replica modification must be the only operation in the request"):
        dynamodb.update_table(TableName=table, ReplicaUpdates=[there], BillingMode="PAY_PER_REQUEST")
    with refused("ValidationException", "Cannot add or delete the local region through ReplicaUpdates."):
        update_replicas(cloud, table, Create={"RegionName": cloud.region})
    with refused("ValidationException", "Region us-fake-1 is not supported."):
        update_replicas(cloud, table, Create={"RegionName": "us-fake-1"})
    with refused("ValidationException", f"Please retry the request without these replicas: [{THERE}]."):
        update_replicas(cloud, table, Delete={"RegionName": THERE})
    add_replica(cloud, table, THERE)
    with refused("ValidationException", "because one or more replicas already existed as tables."):
        update_replicas(cloud, table, **there)
    with refused("ValidationException", "Disabling Stream is not allowed for a Global Table replica."):
        dynamodb.update_table(TableName=table, StreamSpecification={"StreamEnabled": False})
    with refused("ValidationException", "it has acted as a source region for new replica(s)"):
        dynamodb.delete_table(TableName=table)


# As on AWS, where throughput that does not scale by itself cannot be replicated.
def test_a_provisioned_table_gets_no_replica(cloud):
    table = cloud.create_table(BillingMode="PROVISIONED",
                               ProvisionedThroughput={"ReadCapacityUnits": 1, "WriteCapacityUnits": 1})
    with refused("ValidationException", "Table write capacity should either be Pay-Per-Request or AutoScaled."):
        update_replicas(cloud, table, Create={"RegionName": THERE})


@pytest.mark.local
def test_what_global_tables_lack_is_refused_by_name(cloud):
    table = cloud.create_table()
    there = {"Create": {"RegionName": THERE}}
    status, error = cloud.call_json("DynamoDB_20120810.UpdateTable", {
        "TableName": table, "ReplicaUpdates": [there], "MultiRegionConsistency": "STRONG"})
    assert status == 400 and error["__type"].endswith("#ValidationException")
    assert "MultiRegionConsistency" in error["message"]
    with refused("ValidationException", "CreateGlobalTable"):
        cloud.dynamodb.create_global_table(GlobalTableName=table, ReplicationGroup=[{"RegionName": THERE}])


# --- a server that is killed -----------------------------------------------------------------------------------------

ITEMS = 4000
KILLS = 4


@pytest.mark.local
def test_a_replica_is_filled_through_crashes(start_server, tmp_path):
    server = start_server(data=tmp_path / "data")
    cloud = Cloud(server.endpoint)
    table = indexed(cloud)
    puts = [{"PutRequest": {"Item": item(id=f"{number:05}", g=str(number % 7))}} for number in range(ITEMS)]
    for start in range(0, ITEMS, 25):
        cloud.dynamodb.batch_write_item(RequestItems={table: puts[start:start + 25]})
    update_replicas(cloud, table, Create={"RegionName": THERE})
    for number in range(KILLS):
        server.kill()
        server = start_server(data=tmp_path / "data")
        cloud = Cloud(server.endpoint)
        cloud.put_item(table, id=f"{number:05}", g="new")
        cloud.dynamodb.delete_item(TableName=table, Key=item(id=f"{ITEMS - 1 - number:05}"))
    there = cloud.in_region(THERE)
    eventually(lambda: is_settled(cloud, table) and is_settled(there, table), "the replica is filled")
    for one in (cloud, there):
        assert by_group(one, table, "new") == [f"{number:05}" for number in range(KILLS)]
    scans = [sorted((one["id"]["S"], one["g"]["S"]) for page in
                    region.dynamodb.get_paginator("scan").paginate(TableName=table) for one in page["Items"])
             for region in (cloud, there)]
    assert scans[0] == scans[1] and len(scans[0]) == ITEMS - KILLS


# --- stacks ----------------------------------------------------------------------------------------------------------

# As the CDK makes it of a TableV2 with these replicas.
def table_v2(*others, **more):
    properties = {
        "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}], "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
        "Replicas": [*others, {"Region": {"Ref": "AWS::Region"}}], **more}
    if others:
        properties["StreamSpecification"] = {"StreamViewType": "NEW_AND_OLD_IMAGES"}
    return json.dumps({
        "Resources": {"Table": {"Type": "AWS::DynamoDB::GlobalTable", "Properties": properties,
                                "UpdateReplacePolicy": "Delete", "DeletionPolicy": "Delete"}},
        "Outputs": {"Name": {"Value": {"Ref": "Table"}}}})


def test_a_stack_makes_changes_and_removes_replicas(cloud):
    cfn, stack = cloud.client("cloudformation"), unique("stack")
    made = create(cfn, stack, table_v2())
    cloud.cleanup.callback(quietly, cfn.delete_stack, StackName=stack)
    table = made["Outputs"][0]["OutputValue"]
    there = cloud.in_region(THERE)
    assert replicas(cloud, table) == {}
    recovery = {"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True}}
    update(cfn, stack, table_v2({"Region": THERE, **recovery, "Tags": [{"Key": "where", "Value": "there"}]}))
    assert replicas(cloud, table) == {THERE: "ACTIVE"}
    cloud.put_item(table, id="a")
    arrives(there, table, {"id": "a"}, id="a")
    arn = described(there, table)["TableArn"]
    assert {"Key": "where", "Value": "there"} in there.dynamodb.list_tags_of_resource(ResourceArn=arn)["Tags"]
    backups = there.dynamodb.describe_continuous_backups(TableName=table)["ContinuousBackupsDescription"]
    assert backups["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"] == "ENABLED"
    update(cfn, stack, table_v2({"Region": THERE}, TimeToLiveSpecification={"AttributeName": "due", "Enabled": True}))
    backups = there.dynamodb.describe_continuous_backups(TableName=table)["ContinuousBackupsDescription"]
    assert backups["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"] == "DISABLED"
    described_ttl = there.dynamodb.describe_time_to_live(TableName=table)["TimeToLiveDescription"]
    assert described_ttl["AttributeName"] == "due"
    cfn.delete_stack(StackName=stack)
    assert settled(cfn, made["StackId"])["StackStatus"] == "DELETE_COMPLETE"
    for one in (cloud, there):
        with refused("ResourceNotFoundException"):
            described(one, table)
