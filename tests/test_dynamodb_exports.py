"""Tables exported to S3. Exports take ten minutes on AWS: TIDEMILL_TEST_DEADLINE must allow for that."""
import base64
import gzip
import hashlib
import json
import re

import pytest

from harness import eventually, item, quietly, refused, unique


def with_recovery(cloud, **more):
    table = cloud.create_table(**more)

    def update():
        try:
            return cloud.dynamodb.update_continuous_backups(
                TableName=table, PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True})
        except cloud.dynamodb.exceptions.ContinuousBackupsUnavailableException:
            return None
    eventually(update, "recovery is admitted")
    return table


def arn_of(dynamodb, table):
    return dynamodb.describe_table(TableName=table)["Table"]["TableArn"]


def ended(dynamodb, arn):
    def described():
        found = dynamodb.describe_export(ExportArn=arn)["ExportDescription"]
        return found if found["ExportStatus"] != "IN_PROGRESS" else None
    return eventually(described, "the export")


def objects(s3, bucket):
    pages = s3.get_paginator("list_objects_v2").paginate(Bucket=bucket)
    keys = [found["Key"] for page in pages for found in page.get("Contents", [])]
    return {key: s3.get_object(Bucket=bucket, Key=key)["Body"].read() for key in keys}


# For what Debian's SDK does not know yet.
def call(cloud, operation, **request):
    status, answer = cloud.call_json("DynamoDB_20120810." + operation, request)
    return answer if status == 200 else f"{answer['__type'].split('#')[-1]}: {answer.get('message', '')}"


def md5(content):
    return base64.b64encode(hashlib.md5(content).digest()).decode()


def lines(files):
    return [line for key, content in files.items() if "/data/" in key
            for line in gzip.decompress(content).decode().splitlines()]


def test_an_export_is_files_with_manifests(cloud, dynamodb, s3, bucket):
    table = with_recovery(cloud)
    cloud.put_item(table, id="a", n=1, s={"x", "y"})
    cloud.put_item(table, id="b", n=2)
    begun = dynamodb.export_table_to_point_in_time(TableArn=arn_of(dynamodb, table), S3Bucket=bucket,
                                                   S3Prefix="some/where")["ExportDescription"]
    assert begun["ExportStatus"] == "IN_PROGRESS"
    assert begun["ExportFormat"] == "DYNAMODB_JSON"
    assert begun["ClientToken"]
    assert re.search(rf"table/{table}/export/\d{{14}}-[0-9a-f]{{8}}$", begun["ExportArn"])
    described = ended(dynamodb, begun["ExportArn"])
    assert described["ExportStatus"] == "COMPLETED"
    assert described["ItemCount"] == 2
    files = objects(s3, bucket)
    folder = "some/where/AWSDynamoDB/" + begun["ExportArn"].rsplit("/", 1)[1]
    assert {key for key in files if "/data/" not in key} == {
        f"{folder}/{name}" for name in ("_started", "manifest-files.json", "manifest-files.md5",
                                        "manifest-summary.json", "manifest-summary.md5")}
    for name in ("manifest-files", "manifest-summary"):
        assert files[f"{folder}/{name}.md5"].decode().strip() == md5(files[f"{folder}/{name}.json"])
    summary = json.loads(files[f"{folder}/manifest-summary.json"])
    assert summary["exportArn"] == begun["ExportArn"]
    assert summary["itemCount"] == 2
    assert summary["manifestFilesS3Key"] == f"{folder}/manifest-files.json"
    assert described["ExportManifest"] == f"{folder}/manifest-summary.json"
    listed = [json.loads(line) for line in files[f"{folder}/manifest-files.json"].decode().splitlines()]
    assert {file["dataFileS3Key"] for file in listed} == {key for key in files if "/data/" in key}
    for file in listed:
        assert file["md5Checksum"] == md5(files[file["dataFileS3Key"]])
    assert sum(file["itemCount"] for file in listed) == 2
    exported = {found["Item"]["id"]["S"]: found["Item"] for found in map(json.loads, lines(files))}
    assert exported["b"] == item(id="b", n=2)
    assert sorted(exported["a"]["s"]["SS"]) == ["x", "y"]


def test_an_ion_export_has_a_version_marker_in_each_line(cloud, dynamodb, s3, bucket):
    table = with_recovery(cloud)
    cloud.put_item(table, id="a", n=600)
    begun = call(cloud, "ExportTableToPointInTime", TableArn=arn_of(dynamodb, table), S3Bucket=bucket,
                 ExportFormat="ION", ExportType="FULL_EXPORT")["ExportDescription"]
    assert begun["ExportType"] == "FULL_EXPORT"
    assert ended(dynamodb, begun["ExportArn"])["ExportFormat"] == "ION"
    files = objects(s3, bucket)
    assert all(key.endswith(".ion.gz") for key in files if "/data/" in key)
    line, = lines(files)
    assert line.startswith("$ion_1_0")
    assert "6d2" in line


def test_a_table_without_recovery_is_refused(cloud, dynamodb, bucket):
    table = cloud.create_table()
    with refused("PointInTimeRecoveryUnavailableException"):
        dynamodb.export_table_to_point_in_time(TableArn=arn_of(dynamodb, table), S3Bucket=bucket)


def test_a_table_that_is_not_there_is_not_exported(cloud, dynamodb, bucket):
    arn = arn_of(dynamodb, cloud.create_table()).rsplit("/", 1)[0] + "/" + unique("none")
    with refused("TableNotFoundException", f"Table not found: {arn}", exactly=True):
        dynamodb.export_table_to_point_in_time(TableArn=arn, S3Bucket=bucket)


def test_a_missing_bucket_fails_the_export(cloud, dynamodb):
    table = with_recovery(cloud)
    begun = dynamodb.export_table_to_point_in_time(TableArn=arn_of(dynamodb, table), S3Bucket=unique("missing"))
    described = ended(dynamodb, begun["ExportDescription"]["ExportArn"])
    assert described["ExportStatus"] == "FAILED"
    assert described["FailureCode"] == "S3NoSuchBucket"
    assert "bucket does not exist" in described["FailureMessage"]
    summaries = call(cloud, "ListExports", TableArn=arn_of(dynamodb, table))["ExportSummaries"]
    assert [(found["ExportStatus"], found["ExportType"]) for found in summaries] == [("FAILED", "FULL_EXPORT")]


def test_a_token_makes_a_request_idempotent(cloud, dynamodb, bucket):
    table = with_recovery(cloud)
    request = {"TableArn": arn_of(dynamodb, table), "S3Bucket": bucket, "ClientToken": unique("token")}
    first = dynamodb.export_table_to_point_in_time(**request)["ExportDescription"]["ExportArn"]
    assert dynamodb.export_table_to_point_in_time(**request)["ExportDescription"]["ExportArn"] == first
    with refused("ExportConflictException", "Duplicate request detected"):
        dynamodb.export_table_to_point_in_time(**request, ExportFormat="ION")
    ended(dynamodb, first)


def test_times_outside_of_the_window_are_refused(cloud, dynamodb, bucket):
    table = with_recovery(cloud)
    request = {"TableArn": arn_of(dynamodb, table), "S3Bucket": bucket}
    with refused("InvalidExportTimeException"):
        dynamodb.export_table_to_point_in_time(**request, ExportTime=-1)


@pytest.mark.parametrize("more", [{"ExportType": "QWERTY"}, {"ExportFormat": "XML"}, {"S3SseAlgorithm": "QWERTY"},
                                  {"S3BucketOwner": "1"}, {"S3Prefix": ""}, {"ClientToken": "a$"}])
def test_wrong_values_are_refused(cloud, dynamodb, more):
    table = with_recovery(cloud)
    answer = call(cloud, "ExportTableToPointInTime", TableArn=arn_of(dynamodb, table), S3Bucket="bucket", **more)
    assert answer.startswith("ValidationException")


def test_what_is_no_export_is_not_described(cloud, dynamodb):
    arn = arn_of(dynamodb, cloud.create_table())
    with refused("ValidationException", "Invalid Export ARN"):
        dynamodb.describe_export(ExportArn=arn)
    with refused("ExportNotFoundException"):
        dynamodb.describe_export(ExportArn=arn + "/export/01234567890123-a1b2c3d4")
    with refused("ValidationException", "ListExports"):
        dynamodb.list_exports(NextToken="0123456789abcdef" * 16)


# The period of an incremental export is a quarter of an hour at least: the clock is turned.
@pytest.mark.local
def test_an_incremental_export_has_what_changed(virtual):
    dynamodb, s3 = virtual.dynamodb, virtual.s3
    table, bucket = with_recovery(virtual), virtual.create_bucket()
    virtual.put_item(table, id="changed", n=1)
    virtual.put_item(table, id="removed", n=1)
    virtual.put_item(table, id="same", n=1)
    virtual.advance(3600)
    begin = int(virtual.now()) + 1
    virtual.advance(2)
    virtual.put_item(table, id="changed", n=2)
    virtual.put_item(table, id="added", n=2)
    dynamodb.delete_item(TableName=table, Key=item(id="removed"))
    virtual.advance(1200)
    end = int(virtual.now())
    virtual.advance(2)
    virtual.put_item(table, id="changed", n=3)

    def export(**period):
        return call(virtual, "ExportTableToPointInTime", TableArn=arn_of(dynamodb, table), S3Bucket=bucket,
                    ExportType="INCREMENTAL_EXPORT", IncrementalExportSpecification=period)
    assert export(ExportFromTime=end - 60, ExportToTime=end).startswith(
        "InvalidExportTimeException: Difference between export period")
    begun = export(ExportFromTime=begin, ExportToTime=end)["ExportDescription"]
    virtual.advance(1)
    described = ended(dynamodb, begun["ExportArn"])
    assert described["ExportStatus"] == "COMPLETED"
    assert described["ItemCount"] == 3
    changes = {found["Keys"]["id"]["S"]: found for found in map(json.loads, lines(objects(s3, bucket)))}
    assert changes["changed"]["OldImage"] == item(id="changed", n=1)
    assert changes["changed"]["NewImage"] == item(id="changed", n=2)
    assert "OldImage" not in changes["added"]
    assert "NewImage" not in changes["removed"]
    assert int(changes["added"]["Metadata"]["WriteTimestampMicros"]["N"]) >= begin * 1_000_000


# Acknowledged exports end also if the server is killed.
@pytest.mark.local
def test_an_export_goes_on_after_a_kill(start_server, tmp_path):
    from harness import Cloud
    data = tmp_path / "data"
    server = start_server(data=data)
    cloud = Cloud(server.endpoint)
    table, bucket = with_recovery(cloud), cloud.create_bucket()
    for start in range(0, 500, 25):
        cloud.dynamodb.batch_write_item(RequestItems={table: [
            {"PutRequest": {"Item": item(id=str(number), f="x" * 10_000)}} for number in range(start, start + 25)]})
    arn = cloud.dynamodb.export_table_to_point_in_time(
        TableArn=arn_of(cloud.dynamodb, table), S3Bucket=bucket)["ExportDescription"]["ExportArn"]
    server.kill()
    cloud = Cloud(start_server(data=data).endpoint)
    assert ended(cloud.dynamodb, arn)["ExportStatus"] == "COMPLETED"
    files = objects(cloud.s3, bucket)
    assert len(lines(files)) == 500
    quietly(cloud.dynamodb.delete_table, TableName=table)
