"""Backups and point-in-time recovery. Restoring takes minutes on AWS: TIDEMILL_TEST_DEADLINE must allow for that."""
import datetime
import re

import pytest

from harness import Cloud, eventually, item, quietly, refused, unique


def available(dynamodb, arn):
    def described():
        found = dynamodb.describe_backup(BackupArn=arn)["BackupDescription"]
        return found if found["BackupDetails"]["BackupStatus"] == "AVAILABLE" else None
    return eventually(described, "the backup")


# A table can be backed up a few seconds after it is active on AWS.
def backed_up(dynamodb, table, name="daily"):
    def create():
        try:
            return dynamodb.create_backup(TableName=table, BackupName=name)["BackupDetails"]["BackupArn"]
        except dynamodb.exceptions.ContinuousBackupsUnavailableException:
            return None
    arn = eventually(create, "a backup is admitted")
    available(dynamodb, arn)
    return arn


def recovery(dynamodb, table, enabled=True):
    def update():
        try:
            return dynamodb.update_continuous_backups(
                TableName=table, PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": enabled})
        except dynamodb.exceptions.ContinuousBackupsUnavailableException:
            return None
    return eventually(update, "recovery is admitted")["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"]


def active(cloud, table):
    cloud.cleanup.callback(quietly, cloud.dynamodb.delete_table, TableName=table)
    eventually(lambda: cloud.dynamodb.describe_table(TableName=table)["Table"]["TableStatus"] == "ACTIVE", "restored")


def restored(cloud, arn, **more):
    name = unique("restored")
    answer = cloud.dynamodb.restore_table_from_backup(TargetTableName=name, BackupArn=arn, **more)
    assert answer["TableDescription"]["TableStatus"] == "CREATING"
    assert answer["TableDescription"]["RestoreSummary"]["RestoreInProgress"]
    active(cloud, name)
    return name


def items(dynamodb, table):
    return sorted((found["id"]["S"] for found in dynamodb.scan(TableName=table, ConsistentRead=True)["Items"]))


def test_a_backup_is_described_and_deleted(cloud, dynamodb):
    table = cloud.create_table()
    arn = backed_up(dynamodb, table, "nightly")
    assert re.search(rf"table/{table}/backup/\d{{14}}-[0-9a-f]{{8}}$", arn)
    found = available(dynamodb, arn)
    assert found["BackupDetails"]["BackupName"] == "nightly"
    assert found["BackupDetails"]["BackupType"] == "USER"
    assert found["SourceTableDetails"]["TableName"] == table
    assert found["SourceTableDetails"]["BillingMode"] == "PAY_PER_REQUEST"
    deleted = dynamodb.delete_backup(BackupArn=arn)["BackupDescription"]
    assert deleted["BackupDetails"]["BackupStatus"] == "DELETED"
    with refused("BackupNotFoundException", f"Backup not found: {arn}", exactly=True):
        dynamodb.describe_backup(BackupArn=arn)


def test_a_backup_restores_what_was_there(cloud, dynamodb):
    table = cloud.create_table()
    for key in "abc":
        cloud.put_item(table, id=key)
    arn = backed_up(dynamodb, table)
    cloud.cleanup.callback(quietly, dynamodb.delete_backup, BackupArn=arn)
    cloud.put_item(table, id="later")
    dynamodb.delete_item(TableName=table, Key=item(id="a"))
    target = restored(cloud, arn)
    assert items(dynamodb, target) == ["a", "b", "c"]
    assert "RestoreSummary" not in dynamodb.describe_table(TableName=target)["Table"]


def test_a_backup_outlives_its_table(cloud, dynamodb):
    table = cloud.create_table()
    cloud.put_item(table, id="a")
    arn = backed_up(dynamodb, table)
    cloud.cleanup.callback(quietly, dynamodb.delete_backup, BackupArn=arn)
    dynamodb.delete_table(TableName=table)
    dynamodb.get_waiter("table_not_exists").wait(TableName=table, WaiterConfig={"Delay": 1})
    assert items(dynamodb, restored(cloud, arn)) == ["a"]


def test_a_restore_leaves_settings_behind(cloud, dynamodb):
    table = cloud.create_table(stream="KEYS_ONLY", Tags=[{"Key": "a", "Value": "b"}])
    dynamodb.update_time_to_live(TableName=table, TimeToLiveSpecification={"Enabled": True, "AttributeName": "due"})
    arn = backed_up(dynamodb, table)
    cloud.cleanup.callback(quietly, dynamodb.delete_backup, BackupArn=arn)
    features = available(dynamodb, arn)["SourceTableFeatureDetails"]
    assert features["StreamDescription"]["StreamViewType"] == "KEYS_ONLY"
    assert features["TimeToLiveDescription"]["AttributeName"] == "due"
    target = dynamodb.describe_table(TableName=restored(cloud, arn))["Table"]
    assert "StreamSpecification" not in target and "LatestStreamArn" not in target
    ttl = dynamodb.describe_time_to_live(TableName=target["TableName"])["TimeToLiveDescription"]
    assert ttl == {"TimeToLiveStatus": "DISABLED"}
    assert dynamodb.list_tags_of_resource(ResourceArn=target["TableArn"])["Tags"] == []


def test_a_restore_may_change_the_billing(cloud, dynamodb):
    arn = backed_up(dynamodb, cloud.create_table())
    cloud.cleanup.callback(quietly, dynamodb.delete_backup, BackupArn=arn)
    with refused("ValidationException",
                 "Must override ProvisionedThroughput if BillingMode is overridden to PROVISIONED"):
        dynamodb.restore_table_from_backup(TargetTableName=unique("restored"), BackupArn=arn,
                                           BillingModeOverride="PROVISIONED")
    target = restored(cloud, arn, BillingModeOverride="PROVISIONED",
                      ProvisionedThroughputOverride={"ReadCapacityUnits": 1, "WriteCapacityUnits": 2})
    throughput = dynamodb.describe_table(TableName=target)["Table"]["ProvisionedThroughput"]
    assert (throughput["ReadCapacityUnits"], throughput["WriteCapacityUnits"]) == (1, 2)


def test_a_name_that_is_taken_is_refused(cloud, dynamodb):
    table = cloud.create_table()
    arn = backed_up(dynamodb, table)
    cloud.cleanup.callback(quietly, dynamodb.delete_backup, BackupArn=arn)
    with refused("TableAlreadyExistsException", f"Table already exists: {table}", exactly=True):
        dynamodb.restore_table_from_backup(TargetTableName=table, BackupArn=arn)


def test_backups_are_listed_in_order_and_paged(cloud, dynamodb):
    table = cloud.create_table()
    arns = [backed_up(dynamodb, table, name) for name in ("one", "two", "three")]
    for arn in arns:
        cloud.cleanup.callback(quietly, dynamodb.delete_backup, BackupArn=arn)
    assert [found["BackupName"] for found in dynamodb.list_backups(TableName=table)["BackupSummaries"]] == \
        ["one", "two", "three"]
    page = dynamodb.list_backups(TableName=table, Limit=2)
    assert page["LastEvaluatedBackupArn"] == arns[1]
    rest = dynamodb.list_backups(TableName=table, ExclusiveStartBackupArn=arns[1])["BackupSummaries"]
    assert [found["BackupArn"] for found in rest] == arns[2:]


def test_a_table_that_is_not_there_cannot_be_backed_up(dynamodb):
    with refused("TableNotFoundException", "Table not found: missing-table", exactly=True):
        dynamodb.create_backup(TableName="missing-table", BackupName="daily")


def test_what_is_no_backup_is_refused(cloud, dynamodb):
    arn = dynamodb.describe_table(TableName=cloud.create_table())["Table"]["TableArn"]
    with refused("ValidationException", "Invalid Backup ARN"):
        dynamodb.describe_backup(BackupArn=arn)


# --- point-in-time recovery ---

def test_recovery_is_off_at_first_and_switched_on_and_off(cloud, dynamodb):
    table = cloud.create_table()
    found = eventually(lambda: dynamodb.describe_continuous_backups(TableName=table), "described")
    assert found["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"] == {
        "PointInTimeRecoveryStatus": "DISABLED"}
    on = recovery(dynamodb, table)
    assert on["PointInTimeRecoveryStatus"] == "ENABLED"
    assert on["EarliestRestorableDateTime"] <= on["LatestRestorableDateTime"]
    assert recovery(dynamodb, table, False)["PointInTimeRecoveryStatus"] == "DISABLED"


def test_a_table_without_recovery_cannot_be_restored(cloud, dynamodb):
    table = cloud.create_table()
    with refused("PointInTimeRecoveryUnavailableException",
                 f"Point in time recovery is not enabled for table '{table}'", exactly=True):
        dynamodb.restore_table_to_point_in_time(SourceTableName=table, TargetTableName=unique("restored"),
                                                UseLatestRestorableTime=True)


def test_a_moment_must_be_given_and_only_one(cloud, dynamodb):
    table = cloud.create_table()
    now = datetime.datetime.now(datetime.timezone.utc)
    with refused("ValidationException", "Either one of RestoreDateTime or UseLatestRestorableTime must be specified"):
        dynamodb.restore_table_to_point_in_time(SourceTableName=table, TargetTableName=unique("restored"))
    with refused("ValidationException", "Both RestoreDateTime and UseLatestRestorableTime cannot be set"):
        dynamodb.restore_table_to_point_in_time(SourceTableName=table, TargetTableName=unique("restored"),
                                                UseLatestRestorableTime=True, RestoreDateTime=now)


def test_a_moment_outside_the_window_is_refused(cloud, dynamodb):
    table = cloud.create_table()
    recovery(dynamodb, table)
    with refused("InvalidRestoreTimeException", "must be within EarliestRestorableDateTime"):
        dynamodb.restore_table_to_point_in_time(
            SourceTableName=table, TargetTableName=unique("restored"),
            RestoreDateTime=datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(hours=1))


@pytest.mark.local  # on AWS the last five minutes cannot be restored
def test_any_second_can_be_restored(virtual):
    dynamodb, table = virtual.dynamodb, virtual.create_table()
    recovery(dynamodb, table)
    moments = []
    for key in "abcd":
        virtual.put_item(table, id=key)
        moments.append(int(virtual.now()) + 1)  # SDKs send whole seconds
        virtual.advance(2)
    dynamodb.delete_item(TableName=table, Key=item(id="a"))
    for number, moment in enumerate(moments, 1):
        name = unique("restored")
        dynamodb.restore_table_to_point_in_time(
            SourceTableName=table, TargetTableName=name,
            RestoreDateTime=datetime.datetime.fromtimestamp(moment, datetime.timezone.utc))
        active(virtual, name)
        assert items(dynamodb, name) == list("abcd"[:number])
    name = unique("restored")
    dynamodb.restore_table_to_point_in_time(SourceTableName=table, TargetTableName=name, UseLatestRestorableTime=True)
    active(virtual, name)
    assert items(dynamodb, name) == list("bcd")


@pytest.mark.local  # on AWS it appears seconds later
def test_a_deleted_table_with_recovery_leaves_a_system_backup(cloud, dynamodb):
    table = cloud.create_table()
    recovery(dynamodb, table)
    cloud.put_item(table, id="a")
    dynamodb.delete_table(TableName=table)
    found = dynamodb.list_backups(TableName=table, BackupType="SYSTEM")["BackupSummaries"]
    assert [backup["BackupName"] for backup in found] == [table + "$DeletedTableBackup"]
    with refused("ValidationException", "User is not allowed to delete the system backup"):
        dynamodb.delete_backup(BackupArn=found[0]["BackupArn"])
    assert items(dynamodb, restored(cloud, found[0]["BackupArn"])) == ["a"]


@pytest.mark.local
def test_backups_and_restores_go_on_after_a_kill(start_server, tmp_path):
    server = start_server(data=tmp_path / "data")
    cloud = Cloud(server.endpoint)
    table = cloud.create_table()
    for number in range(40):
        cloud.put_item(table, id=f"{number:02}", filler="x" * 200_000)
    arn = cloud.dynamodb.create_backup(TableName=table, BackupName="daily")["BackupDetails"]["BackupArn"]
    cloud.put_item(table, id="after")
    server.kill()
    server = start_server(data=tmp_path / "data")
    cloud = Cloud(server.endpoint)
    available(cloud.dynamodb, arn)
    cloud.dynamodb.restore_table_from_backup(TargetTableName="restored", BackupArn=arn)
    server.kill()
    cloud = Cloud(start_server(data=tmp_path / "data").endpoint)
    active(cloud, "restored")
    answer = cloud.dynamodb.scan(TableName="restored", ProjectionExpression="id")
    found = answer["Items"]
    while "LastEvaluatedKey" in answer:
        answer = cloud.dynamodb.scan(TableName="restored", ProjectionExpression="id",
                                     ExclusiveStartKey=answer["LastEvaluatedKey"])
        found += answer["Items"]
    assert sorted(key["id"]["S"] for key in found) == [f"{number:02}" for number in range(40)]
