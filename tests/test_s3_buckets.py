"""Buckets as boto3 sees them: their life, their names, their settings."""
import datetime
import json

import pytest
from botocore.exceptions import ClientError

from harness import eventually, refused, unique


def refusal(call, **arguments):
    with pytest.raises(ClientError) as caught:
        call(**arguments)
    return caught.value.response["Error"]["Code"]


def test_a_bucket_lives_from_creation_to_deletion(s3, cloud):
    name = cloud.create_bucket()
    assert name in [each["Name"] for each in s3.list_buckets()["Buckets"]]
    head = s3.head_bucket(Bucket=name)["ResponseMetadata"]
    assert head["HTTPHeaders"]["x-amz-bucket-region"] == cloud.region
    assert s3.get_bucket_location(Bucket=name)["LocationConstraint"] is None
    s3.delete_bucket(Bucket=name)
    assert refusal(s3.head_bucket, Bucket=name) == "404"
    assert refusal(s3.list_objects_v2, Bucket=name) == "NoSuchBucket"
    assert refusal(s3.delete_bucket, Bucket=name) == "NoSuchBucket"


def test_a_bucket_of_another_region_says_where_it_is(cloud):
    there = cloud.in_region("eu-central-1")
    with there.cleanup:
        name = there.create_bucket()
        assert there.s3.get_bucket_location(Bucket=name)["LocationConstraint"] == "eu-central-1"
        again = refusal(there.s3.create_bucket, Bucket=name,
                        CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
        assert again == "BucketAlreadyOwnedByYou"
        assert refusal(there.s3.create_bucket, Bucket=unique("bucket")) == "IllegalLocationConstraintException"


def test_in_the_first_region_making_ones_own_bucket_again_succeeds(s3, bucket):
    s3.create_bucket(Bucket=bucket)


@pytest.mark.local
def test_another_accounts_bucket_is_not_to_be_had(cloud, bucket):
    other = cloud.as_account("111111111111").s3
    assert refusal(other.create_bucket, Bucket=bucket) == "BucketAlreadyExists"
    assert bucket not in [each["Name"] for each in other.list_buckets()["Buckets"]]


@pytest.mark.parametrize("name", ["ab", "Upper-case", "under_score", "-dash", "dash-", "two..dots", "192.168.0.1",
                                  "xn--name", "name-s3alias", "x" * 64])
def test_names_follow_the_rules(cloud, name):
    # As it is on the wire: clients check names themselves.
    status, _, body = cloud.raw("s3", "PUT", "/" + name)
    assert (status, b"<Code>InvalidBucketName</Code>" in body) == (400, True)


def test_a_bucket_with_something_in_it_stays(s3, bucket):
    s3.put_object(Bucket=bucket, Key="k", Body=b"")
    assert refusal(s3.delete_bucket, Bucket=bucket) == "BucketNotEmpty"
    s3.delete_object(Bucket=bucket, Key="k")
    upload = s3.create_multipart_upload(Bucket=bucket, Key="k")["UploadId"]
    s3.upload_part(Bucket=bucket, Key="k", UploadId=upload, PartNumber=1, Body=b"part")
    s3.delete_bucket(Bucket=bucket)


def test_lists_of_buckets_come_in_pages(cloud):
    prefix = unique("page")
    names = [cloud.create_bucket(f"{prefix}-{i}") for i in range(3)]
    status, _, body = cloud.raw("s3", "GET", f"/?max-buckets=2&prefix={prefix}")
    assert status == 200
    assert [name.encode() in body for name in names] == [True, True, False]
    assert b"<ContinuationToken>" in body


def test_who_expects_another_owner_is_refused(s3, bucket):
    assert refusal(s3.list_objects_v2, Bucket=bucket, ExpectedBucketOwner="999999999999") == "AccessDenied"


def test_tags_of_buckets(s3, bucket):
    assert refusal(s3.get_bucket_tagging, Bucket=bucket) == "NoSuchTagSet"
    tags = [{"Key": "a", "Value": "1"}, {"Key": "b", "Value": ""}]
    s3.put_bucket_tagging(Bucket=bucket, Tagging={"TagSet": tags})
    assert s3.get_bucket_tagging(Bucket=bucket)["TagSet"] == tags
    twice = {"TagSet": [{"Key": "a", "Value": "1"}, {"Key": "a", "Value": "2"}]}
    assert refusal(s3.put_bucket_tagging, Bucket=bucket, Tagging=twice) == "InvalidTag"
    s3.delete_bucket_tagging(Bucket=bucket)
    assert refusal(s3.get_bucket_tagging, Bucket=bucket) == "NoSuchTagSet"


def test_policies_are_kept_and_public_ones_are_blocked(s3, bucket):
    assert refusal(s3.get_bucket_policy, Bucket=bucket) == "NoSuchBucketPolicy"
    statement = {"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": "s3:GetObject",
                 "Resource": f"arn:aws:s3:::{bucket}/*"}
    policy = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
    assert refusal(s3.put_bucket_policy, Bucket=bucket, Policy=policy) == "AccessDenied"
    s3.delete_public_access_block(Bucket=bucket)
    s3.put_bucket_policy(Bucket=bucket, Policy=policy)
    assert json.loads(s3.get_bucket_policy(Bucket=bucket)["Policy"]) == json.loads(policy)
    assert s3.get_bucket_policy_status(Bucket=bucket)["PolicyStatus"]["IsPublic"] is True
    s3.delete_bucket_policy(Bucket=bucket)
    assert refusal(s3.get_bucket_policy, Bucket=bucket) == "NoSuchBucketPolicy"
    assert refusal(s3.put_bucket_policy, Bucket=bucket, Policy="no json") == "MalformedPolicy"


def test_public_access_is_blocked_unless_somebody_says_otherwise(s3, bucket):
    block = s3.get_public_access_block(Bucket=bucket)["PublicAccessBlockConfiguration"]
    assert set(block.values()) == {True} and len(block) == 4
    s3.put_public_access_block(Bucket=bucket, PublicAccessBlockConfiguration={"BlockPublicAcls": True})
    block = s3.get_public_access_block(Bucket=bucket)["PublicAccessBlockConfiguration"]
    assert block == {"BlockPublicAcls": True, "IgnorePublicAcls": False, "BlockPublicPolicy": False,
                     "RestrictPublicBuckets": False}
    s3.delete_public_access_block(Bucket=bucket)
    assert refusal(s3.get_public_access_block, Bucket=bucket) == "NoSuchPublicAccessBlockConfiguration"


def test_the_owner_owns_all(s3, bucket):
    rules = s3.get_bucket_ownership_controls(Bucket=bucket)["OwnershipControls"]["Rules"]
    assert rules == [{"ObjectOwnership": "BucketOwnerEnforced"}]
    acl = s3.get_bucket_acl(Bucket=bucket)
    assert [grant["Permission"] for grant in acl["Grants"]] == ["FULL_CONTROL"]
    assert acl["Grants"][0]["Grantee"]["ID"] == acl["Owner"]["ID"]
    assert acl["Grants"][0]["Grantee"]["Type"] == "CanonicalUser"
    assert refusal(s3.put_bucket_acl, Bucket=bucket, ACL="public-read") == "AccessControlListNotSupported"
    assert refusal(s3.put_object, Bucket=bucket, Key="k", Body=b"",
                   ACL="public-read") == "AccessControlListNotSupported"
    s3.put_object(Bucket=bucket, Key="k", Body=b"", ACL="bucket-owner-full-control")
    assert s3.get_object_acl(Bucket=bucket, Key="k")["Owner"] == acl["Owner"]


# As hashicorp/terraform-provider-aws#34079 met it; "an equivalent form of this ACL expressed in the XML format" is in
# the API reference of OwnershipControlsRule.
def test_where_the_owner_owns_all_lists_are_set_that_say_just_that(s3, bucket):
    s3.put_object(Bucket=bucket, Key="k", Body=b"")
    acl = s3.get_bucket_acl(Bucket=bucket)
    the_same = {"Owner": acl["Owner"], "Grants": acl["Grants"]}
    for call, where in ((s3.put_bucket_acl, {"Bucket": bucket}), (s3.put_object_acl, {"Bucket": bucket, "Key": "k"})):
        for canned in ("private", "public-read"):
            with refused("AccessControlListNotSupported", "The bucket does not allow ACLs", exactly=True, status=400):
                call(**where, ACL=canned)
        call(**where, ACL="bucket-owner-full-control")
        call(**where, AccessControlPolicy=the_same)
    assert s3.get_object_acl(Bucket=bucket, Key="k")["Grants"] == acl["Grants"]
    with refused("NoSuchKey", "The specified key does not exist.", exactly=True, status=404):
        s3.put_object_acl(Bucket=bucket, Key="none", ACL="bucket-owner-full-control")


def test_the_controls_of_ownership_are_deleted_and_set_again(s3, bucket):
    s3.delete_bucket_ownership_controls(Bucket=bucket)
    with refused("OwnershipControlsNotFoundError", "The bucket ownership controls were not found", status=404):
        s3.get_bucket_ownership_controls(Bucket=bucket)
    controls = {"Rules": [{"ObjectOwnership": "BucketOwnerEnforced"}]}
    s3.put_bucket_ownership_controls(Bucket=bucket, OwnershipControls=controls)
    assert s3.get_bucket_ownership_controls(Bucket=bucket)["OwnershipControls"] == controls
    with refused("MalformedXML", status=400):
        s3.put_bucket_ownership_controls(Bucket=bucket, OwnershipControls={"Rules": controls["Rules"] * 2})
    with refused("NoSuchBucket", status=404):
        s3.delete_bucket_ownership_controls(Bucket=unique("none"))


# As the tests of versitygw have it.
def test_an_ownership_that_there_is_not_is_no_valid_document(s3, bucket):
    with refused("MalformedXML", status=400):
        s3.put_bucket_ownership_controls(Bucket=bucket, OwnershipControls={"Rules": [{"ObjectOwnership": "Nobody"}]})


def test_encryption_is_what_is_always_there(s3, bucket):
    rules = s3.get_bucket_encryption(Bucket=bucket)["ServerSideEncryptionConfiguration"]["Rules"]
    assert rules[0]["ApplyServerSideEncryptionByDefault"] == {"SSEAlgorithm": "AES256"}
    s3.put_bucket_encryption(Bucket=bucket, ServerSideEncryptionConfiguration={
        "Rules": [{"ApplyServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}}]})
    assert s3.put_object(Bucket=bucket, Key="k", Body=b"")["ServerSideEncryption"] == "AES256"
    s3.delete_bucket_encryption(Bucket=bucket)
    assert s3.get_bucket_encryption(Bucket=bucket)["ServerSideEncryptionConfiguration"]["Rules"][0][
        "ApplyServerSideEncryptionByDefault"] == {"SSEAlgorithm": "AES256"}
    assert refusal(s3.delete_bucket_encryption, Bucket=unique("none")) == "NoSuchBucket"


@pytest.mark.local  # objects are not encrypted with keys: only what the bucket says may be said again
def test_an_object_may_name_the_encryption_of_its_bucket(s3, bucket):
    def put(**more):
        return s3.put_object(Bucket=bucket, Key="k", Body=b"", **more)

    put(ServerSideEncryption="AES256")
    assert refusal(put, ServerSideEncryption="aws:kms") == "NotImplemented"
    assert refusal(put, SSEKMSKeyId="alias/tide") == "NotImplemented"
    s3.put_bucket_encryption(Bucket=bucket, ServerSideEncryptionConfiguration={
        "Rules": [{"ApplyServerSideEncryptionByDefault": {"SSEAlgorithm": "aws:kms", "KMSMasterKeyID": "alias/tide"}}]})
    put(ServerSideEncryption="aws:kms")
    put(ServerSideEncryption="aws:kms", SSEKMSKeyId="alias/tide")
    upload = s3.create_multipart_upload(Bucket=bucket, Key="m", ServerSideEncryption="aws:kms")["UploadId"]
    s3.abort_multipart_upload(Bucket=bucket, Key="m", UploadId=upload)
    assert refusal(put, ServerSideEncryption="aws:kms", SSEKMSKeyId="alias/other") == "NotImplemented"
    assert refusal(put, ServerSideEncryption="aws:kms:dsse") == "NotImplemented"


@pytest.mark.local
def test_what_is_not_there_is_refused_by_name(s3, bucket):
    with pytest.raises(ClientError) as caught:
        s3.put_bucket_request_payment(Bucket=bucket, RequestPaymentConfiguration={"Payer": "Requester"})
    error = caught.value.response["Error"]
    assert error["Code"] == "NotImplemented" and "PutBucketRequestPayment" in error["Message"]
    with pytest.raises(ClientError) as caught:
        s3.put_object(Bucket=bucket, Key="k", Body=b"", StorageClass="GLACIER")
    assert "x-amz-storage-class" in caught.value.response["Error"]["Message"]


@pytest.mark.local
@pytest.mark.parametrize("kind", ["analytics", "intelligent_tiering"])
def test_configurations_that_are_refused_are_refused_by_their_operations_names(s3, bucket, kind):
    word = "".join(part.capitalize() for part in kind.split("_"))
    with refused("NotImplemented", f"ListBucket{word}Configurations"):
        getattr(s3, f"list_bucket_{kind}_configurations")(Bucket=bucket)
    with refused("NotImplemented", f"GetBucket{word}Configuration"):
        getattr(s3, f"get_bucket_{kind}_configuration")(Bucket=bucket, Id="one")


def test_rules_for_other_origins(s3, bucket, cloud):
    assert refusal(s3.get_bucket_cors, Bucket=bucket) == "NoSuchCORSConfiguration"
    rule = {"AllowedMethods": ["GET", "PUT"], "AllowedOrigins": ["https://*.example.com"], "AllowedHeaders": ["x-*"],
            "ExposeHeaders": ["ETag"], "MaxAgeSeconds": 60}
    s3.put_bucket_cors(Bucket=bucket, CORSConfiguration={"CORSRules": [rule]})
    assert s3.get_bucket_cors(Bucket=bucket)["CORSRules"] == [rule]
    asked = {"Origin": "https://app.example.com", "Access-Control-Request-Method": "PUT",
             "Access-Control-Request-Headers": "x-one, X-Two"}
    status, headers, _ = cloud.raw("s3", "OPTIONS", f"/{bucket}/key", headers=asked)
    assert status == 200
    assert headers["Access-Control-Allow-Origin"] == "https://app.example.com"
    assert headers["Access-Control-Allow-Methods"] == "GET, PUT"
    assert headers["Access-Control-Allow-Headers"] == "x-one, x-two"
    assert headers["Access-Control-Max-Age"] == "60"
    for wrong in ({"Origin": "https://example.org"}, {"Access-Control-Request-Method": "DELETE"},
                  {"Access-Control-Request-Headers": "content-type"}):
        assert cloud.raw("s3", "OPTIONS", f"/{bucket}/key", headers={**asked, **wrong})[0] == 403
    _, headers, _ = cloud.raw("s3", "GET", f"/{bucket}", headers={"Origin": "https://app.example.com"})
    assert headers["Access-Control-Allow-Origin"] == "https://app.example.com"
    assert headers["Access-Control-Expose-Headers"] == "ETag"
    assert "Access-Control-Allow-Origin" not in cloud.raw("s3", "GET", f"/{bucket}", headers={"Origin": "null"})[1]
    bad = {"CORSRules": [{"AllowedMethods": ["PATCH"], "AllowedOrigins": ["*"]}]}
    assert refusal(s3.put_bucket_cors, Bucket=bucket, CORSConfiguration=bad) == "InvalidRequest"
    s3.delete_bucket_cors(Bucket=bucket)
    assert refusal(s3.get_bucket_cors, Bucket=bucket) == "NoSuchCORSConfiguration"


def test_what_a_bucket_cannot_have_is_not_set(s3, bucket):
    assert "Status" not in s3.get_bucket_accelerate_configuration(Bucket=bucket)
    assert "LoggingEnabled" not in s3.get_bucket_logging(Bucket=bucket)
    assert s3.get_bucket_request_payment(Bucket=bucket)["Payer"] == "BucketOwner"
    assert refusal(s3.get_bucket_replication, Bucket=bucket) == "ReplicationConfigurationNotFoundError"
    assert refusal(s3.get_bucket_website, Bucket=bucket) == "NoSuchWebsiteConfiguration"
    assert refusal(s3.get_object_lock_configuration, Bucket=bucket) == "ObjectLockConfigurationNotFoundError"
    assert refusal(s3.get_bucket_website, Bucket=unique("none")) == "NoSuchBucket"


def test_requests_are_measured(cloud, s3, bucket):
    def configure(id, **more):
        s3.put_bucket_metrics_configuration(Bucket=bucket, Id=id, MetricsConfiguration={"Id": id, **more})

    configure("all")
    configure("logs", Filter={"Prefix": "logs/"})
    assert s3.get_bucket_metrics_configuration(Bucket=bucket, Id="logs")["MetricsConfiguration"] == {
        "Id": "logs", "Filter": {"Prefix": "logs/"}}
    assert [one["Id"] for one in s3.list_bucket_metrics_configurations(Bucket=bucket)["MetricsConfigurationList"]] == [
        "all", "logs"]
    s3.put_object(Bucket=bucket, Key="logs/a", Body=b"12345")
    s3.put_object(Bucket=bucket, Key="b", Body=b"1")
    assert s3.get_object(Bucket=bucket, Key="logs/a")["Body"].read() == b"12345"
    with pytest.raises(ClientError):
        s3.head_object(Bucket=bucket, Key="logs/none")
    with pytest.raises(ClientError):  # 304 is no error of the client's
        s3.get_object(Bucket=bucket, Key="logs/a", IfModifiedSince=datetime.datetime.now(datetime.timezone.utc))
    cloudwatch = cloud.client("cloudwatch")
    now = datetime.datetime.now(datetime.timezone.utc)

    def total(metric, id):
        points = cloudwatch.get_metric_statistics(
            Namespace="AWS/S3", MetricName=metric, Statistics=["Sum"], Period=3600,
            Dimensions=[{"Name": "BucketName", "Value": bucket}, {"Name": "FilterId", "Value": id}],
            StartTime=now - datetime.timedelta(hours=2), EndTime=now + datetime.timedelta(hours=2))["Datapoints"]
        return sum(point["Sum"] for point in points)

    eventually(lambda: total("BytesDownloaded", "logs") == 5, deadline_seconds=900)
    assert (total("PutRequests", "logs"), total("PutRequests", "all")) == (1, 2)
    assert (total("BytesUploaded", "logs"), total("BytesUploaded", "all")) == (5, 6)
    assert (total("GetRequests", "logs"), total("HeadRequests", "logs"), total("4xxErrors", "logs")) == (2, 1, 1)
    s3.delete_bucket_metrics_configuration(Bucket=bucket, Id="all")
    with pytest.raises(ClientError) as caught:
        s3.get_bucket_metrics_configuration(Bucket=bucket, Id="all")
    assert caught.value.response["Error"]["Code"] == "NoSuchConfiguration"
