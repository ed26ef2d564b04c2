"""Inventories: reports of what a bucket holds, with their manifests, when their time comes."""
import csv
import gzip
import hashlib
import io
import json

import pytest

from harness import refused, unique

DAY = 24 * 60 * 60


def configuration(target, ident="all", **more):
    destination = {"Bucket": f"arn:aws:s3:::{target}", "Format": "CSV", **more.pop("destination", {})}
    return {"Id": ident, "IsEnabled": True, "IncludedObjectVersions": "Current", "Schedule": {"Frequency": "Daily"},
            "Destination": {"S3BucketDestination": destination}, **more}


def put(s3, bucket, wanted):
    s3.put_bucket_inventory_configuration(Bucket=bucket, Id=wanted["Id"], InventoryConfiguration=wanted)


def body_of(s3, bucket, key):
    return s3.get_object(Bucket=bucket, Key=key)["Body"].read()


def reports(s3, target, folder):
    """The manifests of a folder, in the order of their times."""
    found = [one["Key"] for one in s3.list_objects_v2(Bucket=target, Prefix=folder).get("Contents", [])]
    manifests = []
    for key in found:
        if key.endswith("/manifest.json"):
            text = body_of(s3, target, key)
            assert body_of(s3, target, key.replace(".json", ".checksum")).decode() == hashlib.md5(text).hexdigest()
            manifests.append(json.loads(text))
    return manifests


def rows(s3, target, manifest):
    columns = manifest["fileSchema"].split(", ")
    lines = []
    for file in manifest["files"]:
        packed = body_of(s3, target, file["key"])
        assert (len(packed), hashlib.md5(packed).hexdigest()) == (file["size"], file["MD5checksum"])
        lines += csv.reader(io.StringIO(gzip.decompress(packed).decode()))
    return [dict(zip(columns, line, strict=True)) for line in lines]


@pytest.fixture
def buckets(virtual):
    s3, name, target = virtual.s3, unique("stock"), unique("reports")
    for bucket in (name, target):
        s3.create_bucket(Bucket=bucket)
    return name, target


@pytest.mark.local
def test_a_daily_report_shows_what_a_bucket_holds(virtual, buckets):
    (name, target), s3 = buckets, virtual.s3
    etag = s3.put_object(Bucket=name, Key="in/a b,ä", Body=b"tea")["ETag"].strip('"')
    s3.put_object(Bucket=name, Key="out", Body=b"")
    put(s3, name, configuration(target, Filter={"Prefix": "in/"}, destination={"Prefix": "p"},
                                OptionalFields=["ETag", "Size", "StorageClass", "EncryptionStatus"]))
    assert reports(s3, target, "p/") == []
    virtual.advance(DAY)
    [manifest] = reports(s3, target, f"p/{name}/all/")
    assert (manifest["sourceBucket"], manifest["destinationBucket"], manifest["fileFormat"], manifest["version"]) == (
        name, f"arn:aws:s3:::{target}", "CSV", "2016-11-30")
    assert manifest["fileSchema"] == "Bucket, Key, Size, ETag, StorageClass, EncryptionStatus"
    assert rows(s3, target, manifest) == [{"Bucket": name, "Key": "in/a%20b%2C%C3%A4", "Size": "3", "ETag": etag,
                                          "StorageClass": "STANDARD", "EncryptionStatus": "SSE-S3"}]
    [links] = [one["Key"] for one in s3.list_objects_v2(Bucket=target, Prefix=f"p/{name}/all/hive/")["Contents"]]
    assert body_of(s3, target, links).decode() == f"s3://{target}/{manifest['files'][0]['key']}\n"
    virtual.advance(DAY)
    assert len(reports(s3, target, f"p/{name}/all/")) == 2
    s3.delete_bucket_inventory_configuration(Bucket=name, Id="all")
    virtual.advance(DAY)
    assert len(reports(s3, target, f"p/{name}/all/")) == 2


@pytest.mark.local
def test_a_report_may_show_all_versions(virtual, buckets):
    (name, target), s3 = buckets, virtual.s3
    s3.put_bucket_versioning(Bucket=name, VersioningConfiguration={"Status": "Enabled"})
    first = s3.put_object(Bucket=name, Key="k", Body=b"1")["VersionId"]
    second = s3.put_object(Bucket=name, Key="k", Body=b"22")["VersionId"]
    s3.put_object(Bucket=name, Key="gone", Body=b"")
    marker = s3.delete_object(Bucket=name, Key="gone")["VersionId"]
    put(s3, name, configuration(target, IncludedObjectVersions="All", OptionalFields=["Size"]))
    virtual.advance(DAY)
    [manifest] = reports(s3, target, f"{name}/all/")
    found = {(row["Key"], row["VersionId"]): row for row in rows(s3, target, manifest)}
    assert len(found) == 4
    assert (found["k", second]["IsLatest"], found["k", second]["Size"]) == ("true", "2")
    assert (found["k", first]["IsLatest"], found["k", first]["Size"]) == ("false", "1")
    assert (found["gone", marker]["IsLatest"], found["gone", marker]["IsDeleteMarker"]) == ("true", "true")


@pytest.mark.local
def test_a_weekly_report_comes_once_a_week_also_of_an_empty_bucket(virtual, buckets):
    (name, target), s3 = buckets, virtual.s3
    put(s3, name, configuration(target, Schedule={"Frequency": "Weekly"}))
    virtual.advance(14 * DAY)
    found = reports(s3, target, f"{name}/all/")
    assert len(found) == 2
    assert rows(s3, target, found[0]) == []


def test_configurations_are_kept_listed_and_deleted(s3, bucket):
    with refused("NoSuchConfiguration"):
        s3.get_bucket_inventory_configuration(Bucket=bucket, Id="a")
    for ident in "ab":
        put(s3, bucket, configuration(bucket, ident))
    assert s3.get_bucket_inventory_configuration(Bucket=bucket, Id="a")["InventoryConfiguration"] == configuration(
        bucket, "a")
    listed = s3.list_bucket_inventory_configurations(Bucket=bucket)
    assert ([one["Id"] for one in listed["InventoryConfigurationList"]], listed["IsTruncated"]) == (["a", "b"], False)
    s3.delete_bucket_inventory_configuration(Bucket=bucket, Id="a")
    with refused("NoSuchConfiguration"):
        s3.delete_bucket_inventory_configuration(Bucket=bucket, Id="a")
    with refused("MalformedXML"):
        put(s3, bucket, configuration(bucket, Schedule={"Frequency": "Hourly"}))
    s3.delete_bucket_inventory_configuration(Bucket=bucket, Id="b")


@pytest.mark.local
@pytest.mark.parametrize("more, name", [({"destination": {"Format": "ORC"}}, "ORC"),
                                        ({"destination": {"Format": "Parquet"}}, "Parquet"),
                                        ({"OptionalFields": ["ObjectAccessControlList"]}, "ObjectAccessControlList")])
def test_what_is_not_there_is_refused_by_name(s3, bucket, more, name):
    with refused("NotImplemented", name):
        put(s3, bucket, configuration(bucket, **more))
