"""Object Lock: versions that are not deleted before their time."""
import datetime
import json

import pytest
from botocore.exceptions import ClientError

from harness import Cloud, unique

DAY = datetime.timedelta(days=1)
PROTECTED = ("AccessDenied", "Access Denied because object protected by object lock.")


def refusal(call, **arguments):
    with pytest.raises(ClientError) as refused:
        call(**arguments)
    error = refused.value.response["Error"]
    return error["Code"], error["Message"]


def from_now(days):
    return datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0) + days * DAY


@pytest.fixture
def locked(s3):
    """The name of a bucket whose objects can be locked. Nothing in it is COMPLIANCE, so that it can be emptied."""
    name = unique("locked")
    s3.create_bucket(Bucket=name, ObjectLockEnabledForBucket=True)
    yield name
    s3.put_object_lock_configuration(Bucket=name, ObjectLockConfiguration={"ObjectLockEnabled": "Enabled"})
    listed = s3.list_object_versions(Bucket=name)
    for each in listed.get("Versions", []) + listed.get("DeleteMarkers", []):
        where = {"Bucket": name, "Key": each["Key"], "VersionId": each["VersionId"]}
        if each in listed.get("Versions", []):
            s3.put_object_legal_hold(**where, LegalHold={"Status": "OFF"})
        s3.delete_object(**where, BypassGovernanceRetention=True)
    s3.delete_bucket(Bucket=name)


def put(s3, bucket, key="key", **more):
    """Where the new version is."""
    return {"Bucket": bucket, "Key": key, "VersionId": s3.put_object(Bucket=bucket, Key=key, Body=b"x", **more)["VersionId"]}


def test_a_bucket_is_made_with_locks_and_keeps_versions(s3, locked):
    assert s3.get_object_lock_configuration(Bucket=locked)["ObjectLockConfiguration"] == {"ObjectLockEnabled": "Enabled"}
    assert s3.get_bucket_versioning(Bucket=locked)["Status"] == "Enabled"
    assert refusal(s3.put_bucket_versioning, Bucket=locked, VersioningConfiguration={"Status": "Suspended"}) == (
        "InvalidBucketState",
        "An Object Lock configuration is present on this bucket, so the versioning state cannot be changed.")


def test_a_bucket_with_versions_gets_locks_and_others_do_not(s3, bucket):
    configuration = {"ObjectLockEnabled": "Enabled", "Rule": {"DefaultRetention": {"Mode": "GOVERNANCE", "Days": 1}}}
    arguments = {"Bucket": bucket, "ObjectLockConfiguration": configuration}
    assert refusal(s3.get_object_lock_configuration, Bucket=bucket)[0] == "ObjectLockConfigurationNotFoundError"
    assert refusal(s3.put_object_lock_configuration, **arguments) == (
        "InvalidBucketState", "Versioning must be 'Enabled' on the bucket to apply a Object Lock configuration")
    s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
    s3.put_object_lock_configuration(**arguments)
    assert s3.get_object_lock_configuration(Bucket=bucket)["ObjectLockConfiguration"] == configuration
    for wrong in [{}, {"ObjectLockEnabled": "Enabled", "Rule": {}},
                  {"ObjectLockEnabled": "Enabled", "Rule": {"DefaultRetention": {"Mode": "GOVERNANCE"}}},
                  {"ObjectLockEnabled": "Enabled", "Rule": {"DefaultRetention": {"Mode": "GOVERNANCE", "Days": 1, "Years": 1}}}]:
        assert refusal(s3.put_object_lock_configuration, Bucket=bucket, ObjectLockConfiguration=wrong)[0] == "MalformedXML"
    zero = {"ObjectLockEnabled": "Enabled", "Rule": {"DefaultRetention": {"Mode": "GOVERNANCE", "Days": 0}}}
    assert refusal(s3.put_object_lock_configuration, Bucket=bucket, ObjectLockConfiguration=zero) == (
        "InvalidArgument", "Default retention period must be a positive integer value")


def test_a_locked_version_stays_until_somebody_passes_over_it(s3, locked):
    until = from_now(1)
    version = put(s3, locked, ObjectLockMode="GOVERNANCE", ObjectLockRetainUntilDate=until)
    head = s3.head_object(**version)
    assert (head["ObjectLockMode"], head["ObjectLockRetainUntilDate"]) == ("GOVERNANCE", until)
    assert s3.get_object_retention(**version)["Retention"] == {"Mode": "GOVERNANCE", "RetainUntilDate": until}
    assert refusal(s3.delete_object, **version) == PROTECTED
    told = s3.delete_objects(Bucket=locked, Delete={"Objects": [{"Key": "key", "VersionId": version["VersionId"]}]})
    assert [(each["Code"], each["Message"]) for each in told["Errors"]] == [PROTECTED]
    # What is locked is the version: the key gets others, and a marker.
    put(s3, locked)
    assert s3.delete_object(Bucket=locked, Key="key")["DeleteMarker"]
    assert s3.get_object(**version)["Body"].read() == b"x"
    s3.delete_object(**version, BypassGovernanceRetention=True)
    assert refusal(s3.get_object, **version)[0] == "NoSuchVersion"


def test_a_retention_is_made_longer_by_all_and_shorter_by_few(s3, locked):
    version = put(s3, locked)
    assert refusal(s3.get_object_retention, **version) == (
        "NoSuchObjectLockConfiguration", "The specified object does not have a ObjectLock configuration")

    def retain(days, **more):
        return s3.put_object_retention(**version, Retention={"Mode": "GOVERNANCE", "RetainUntilDate": from_now(days)}, **more)
    assert refusal(s3.put_object_retention, **version, Retention={"Mode": "GOVERNANCE", "RetainUntilDate": from_now(-1)}) == (
        "InvalidArgument", "The retain until date must be in the future!")
    retain(2)
    retain(3)
    with pytest.raises(ClientError) as refused:
        retain(1)
    assert refused.value.response["Error"]["Message"] == PROTECTED[1]
    assert refusal(s3.put_object_retention, **version, Retention={}) == PROTECTED
    retain(1, BypassGovernanceRetention=True)
    s3.put_object_retention(**version, Retention={}, BypassGovernanceRetention=True)
    assert refusal(s3.get_object_retention, **version)[0] == "NoSuchObjectLockConfiguration"


def test_a_held_version_stays_until_it_is_let_go(s3, locked):
    version = put(s3, locked, ObjectLockLegalHoldStatus="ON")
    assert s3.get_object_legal_hold(**version)["LegalHold"] == {"Status": "ON"}
    assert s3.get_object(**version)["ObjectLockLegalHoldStatus"] == "ON"
    assert refusal(s3.delete_object, **version, BypassGovernanceRetention=True) == PROTECTED
    s3.put_object_legal_hold(**version, LegalHold={"Status": "OFF"})
    s3.delete_object(**version)
    other = put(s3, locked)
    assert refusal(s3.get_object_legal_hold, **other)[0] == "NoSuchObjectLockConfiguration"
    assert refusal(s3.put_object_legal_hold, **other, LegalHold={})[0] == "MalformedXML"


def test_new_versions_get_what_the_bucket_says(s3, locked):
    s3.put_object_lock_configuration(Bucket=locked, ObjectLockConfiguration={
        "ObjectLockEnabled": "Enabled", "Rule": {"DefaultRetention": {"Mode": "GOVERNANCE", "Days": 2}}})

    def retention(version):
        return s3.get_object_retention(**version)["Retention"]
    before = from_now(2)
    version = put(s3, locked)
    assert retention(version)["Mode"] == "GOVERNANCE" and before <= retention(version)["RetainUntilDate"] <= from_now(3)
    own = put(s3, locked, ObjectLockMode="GOVERNANCE", ObjectLockRetainUntilDate=from_now(9))
    assert retention(own)["RetainUntilDate"] > from_now(8)
    # A copy has the bucket's, not its source's; an upload in parts, when it is completed.
    copied = s3.copy_object(Bucket=locked, Key="copy", CopySource={**own})
    assert retention({"Bucket": locked, "Key": "copy", "VersionId": copied["VersionId"]})["RetainUntilDate"] < from_now(3)
    where = {"Bucket": locked, "Key": "parts"}
    upload = s3.create_multipart_upload(**where, ObjectLockLegalHoldStatus="ON")["UploadId"]
    etag = s3.upload_part(**where, UploadId=upload, PartNumber=1, Body=b"x")["ETag"]
    s3.complete_multipart_upload(**where, UploadId=upload, MultipartUpload={"Parts": [{"PartNumber": 1, "ETag": etag}]})
    head = s3.head_object(**where)
    assert (head["ObjectLockMode"], head["ObjectLockLegalHoldStatus"]) == ("GOVERNANCE", "ON")


def test_what_is_wrong_with_locks(s3, locked, bucket):
    lock = {"ObjectLockMode": "GOVERNANCE", "ObjectLockRetainUntilDate": from_now(1)}
    assert refusal(s3.put_object, Bucket=bucket, Key="key", Body=b"", **lock) == (
        "InvalidRequest", "Bucket is missing Object Lock Configuration")
    assert refusal(s3.put_object, Bucket=locked, Key="key", Body=b"", ObjectLockMode="GOVERNANCE") == (
        "InvalidArgument", "x-amz-object-lock-retain-until-date and x-amz-object-lock-mode must both be supplied")
    assert refusal(s3.put_object, Bucket=locked, Key="key", Body=b"", **{**lock, "ObjectLockMode": "SOMETIMES"}) == (
        "InvalidArgument", "Unknown wormMode directive.")
    s3.put_object(Bucket=bucket, Key="key", Body=b"")
    for call, more in [(s3.get_object_retention, {}), (s3.get_object_legal_hold, {}),
                       (s3.put_object_legal_hold, {"LegalHold": {"Status": "ON"}})]:
        assert refusal(call, Bucket=bucket, Key="key", **more) == (
            "InvalidRequest", "Bucket is missing Object Lock Configuration")
    assert refusal(s3.delete_object, Bucket=bucket, Key="key", VersionId="null", BypassGovernanceRetention=True) == (
        "InvalidArgument", "x-amz-bypass-governance-retention is only applicable to Object Lock enabled buckets.")
    # The whole request is refused, not single keys of it.
    assert refusal(s3.delete_objects, Bucket=bucket, BypassGovernanceRetention=True, Delete={"Objects": [
        {"Key": "key"}, {"Key": "key", "VersionId": "null"}]}) == (
        "InvalidArgument", "x-amz-bypass-governance-retention is only applicable to Object Lock enabled buckets.")
    assert s3.get_object(Bucket=bucket, Key="key")["Body"].read() == b""


@pytest.mark.local
def test_compliance_ends_with_its_time_and_not_before(virtual):
    s3, name = virtual.s3, unique("compliance")
    s3.create_bucket(Bucket=name, ObjectLockEnabledForBucket=True)
    s3.put_object_lock_configuration(Bucket=name, ObjectLockConfiguration={
        "ObjectLockEnabled": "Enabled", "Rule": {"DefaultRetention": {"Mode": "COMPLIANCE", "Days": 3}}})
    s3.put_bucket_lifecycle_configuration(Bucket=name, LifecycleConfiguration={"Rules": [
        {"ID": "old", "Status": "Enabled", "Filter": {"Prefix": ""}, "NoncurrentVersionExpiration": {"NoncurrentDays": 1}}]})
    first = put(s3, name)
    put(s3, name)
    kept = s3.get_object_retention(**first)["Retention"]
    for call, more in [(s3.delete_object, {}),
                       (s3.put_object_retention, {"Retention": {}}),
                       (s3.put_object_retention, {"Retention": {**kept, "Mode": "GOVERNANCE"}}),
                       (s3.put_object_retention, {"Retention": {
                           **kept, "RetainUntilDate": kept["RetainUntilDate"] - DAY / 24}})]:
        assert refusal(call, **first, BypassGovernanceRetention=True, **more) == PROTECTED
    # A rule that says it should go by now waits for the lock.
    virtual.advance(2.5 * DAY.total_seconds())
    assert len(s3.list_object_versions(Bucket=name)["Versions"]) == 2
    virtual.advance(2 * DAY.total_seconds())
    assert len(s3.list_object_versions(Bucket=name)["Versions"]) == 1


@pytest.mark.local
def test_who_may_pass_over_a_retention_is_a_right_of_its_own(start_server):
    server = start_server("--auth", "iam")
    root = Cloud(server.endpoint, access_key=server.root_key["AWS_ACCESS_KEY_ID"],
                 secret_key=server.root_key["AWS_SECRET_ACCESS_KEY"])
    iam, s3 = root.client("iam"), root.s3
    iam.create_user(UserName="ann")
    key = iam.create_access_key(UserName="ann")["AccessKey"]
    ann = Cloud(server.endpoint, access_key=key["AccessKeyId"], secret_key=key["SecretAccessKey"]).s3

    def may(*actions):
        iam.put_user_policy(UserName="ann", PolicyName="own", PolicyDocument=json.dumps({
            "Version": "2012-10-17", "Statement": {"Effect": "Allow", "Action": actions, "Resource": "*"}}))
    s3.create_bucket(Bucket="locked", ObjectLockEnabledForBucket=True)
    version = put(s3, "locked", ObjectLockMode="GOVERNANCE", ObjectLockRetainUntilDate=from_now(1))
    may("s3:DeleteObjectVersion", "s3:PutObject")
    assert refusal(ann.delete_object, **version) == PROTECTED
    assert refusal(ann.delete_object, **version, BypassGovernanceRetention=True)[0] == "AccessDenied"
    several = {"Bucket": "locked", "Delete": {"Objects": [{"Key": "key", "VersionId": version["VersionId"]}]}}
    assert refusal(ann.delete_objects, **several, BypassGovernanceRetention=True)[0] == "AccessDenied"
    assert refusal(ann.put_object, Bucket="locked", Key="key", Body=b"", ObjectLockLegalHoldStatus="ON")[0] == "AccessDenied"
    assert s3.get_object(**version)["Body"].read() == b"x"
    may("s3:DeleteObjectVersion", "s3:BypassGovernanceRetention")
    ann.delete_object(**version, BypassGovernanceRetention=True)
