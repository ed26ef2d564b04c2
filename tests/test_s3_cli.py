"""Buckets and objects with the commands of `aws s3api`. (Debian's CLI knows every operation of docs/s3.md that works.
`aws s3`, which people type for files and folders, is tried in tests/test_s3_awscli.py.)"""
import hashlib
import json
import os

import pytest

from awscli_support import aws, refused  # noqa: F401  the fixture
from harness import eventually, unique

pytestmark = pytest.mark.local

PART = 5 << 20
NO_BUCKET = ("NoSuchBucket", "The specified bucket does not exist")
NO_KEY = ("NoSuchKey", "The specified key does not exist.")
NO_UPLOAD = ("NoSuchUpload", "The specified upload does not exist. The upload ID may be invalid, or the upload may "
             "have been aborted or completed.")


@pytest.fixture
def api(aws):  # noqa: F811
    """api("get-object-tagging", bucket=…)"""
    def call(*arguments, **options):
        return aws("s3api", *arguments, **options)
    call.error = lambda *arguments, **options: aws.error("s3api", *arguments, **options)
    return call


@pytest.fixture
def put(api, tmp_path):
    """put(bucket, key, bytes): an object."""
    def put(bucket, key, body=b"", **more):
        (tmp_path / "up").write_bytes(body)
        return api("put-object", bucket=bucket, key=key, body=str(tmp_path / "up"), **more)
    return put


@pytest.fixture
def get(api, tmp_path):
    """get(bucket, key): the object's bytes."""
    def get(bucket, key, **more):
        api("get-object", tmp_path / "down", bucket=bucket, key=key, **more)
        return (tmp_path / "down").read_bytes()
    return get


def names(shown, member="Contents", name="Key"):
    return [each[name] for each in (shown or {}).get(member, [])]


def test_a_bucket_is_found_and_placed_until_it_is_deleted(api):
    name = unique("cli")
    assert api("create-bucket", bucket=name)["Location"] == f"/{name}"
    assert name in names(api("list-buckets"), "Buckets", "Name")
    api("head-bucket", bucket=name)
    assert api("get-bucket-location", bucket=name) == {"LocationConstraint": None}
    elsewhere = unique("cli")
    there = {"LocationConstraint": "eu-central-1"}
    api("create-bucket", "--region", "eu-central-1", bucket=elsewhere, create_bucket_configuration=there)
    assert api("get-bucket-location", bucket=elsewhere) == there
    assert api.error("create-bucket", "--region", "eu-central-1", bucket=elsewhere,
                     create_bucket_configuration=there).startswith(refused("CreateBucket", "BucketAlreadyOwnedByYou"))
    for bucket in (name, elsewhere):
        api("delete-bucket", bucket=bucket)
    assert name not in names(api("list-buckets"), "Buckets", "Name")
    assert api.error("head-bucket", bucket=name) == refused("HeadBucket", "404", "Not Found")
    assert api.error("get-bucket-location", bucket=name) == refused("GetBucketLocation", *NO_BUCKET)
    assert api.error("delete-bucket", bucket=name) == refused("DeleteBucket", *NO_BUCKET)


def test_objects_are_listed_by_folder_copied_and_deleted_together(api, put, get, bucket):
    for key in ("a", "b/1", "b/2", "c"):
        put(bucket, key, key.encode(), content_type="text/plain")
    assert api.error("delete-bucket", bucket=bucket) == refused(
        "DeleteBucket", "BucketNotEmpty", "The bucket you tried to delete is not empty")
    for operation in ("list-objects", "list-objects-v2"):
        assert names(api(operation, bucket=bucket, page_size=1)) == ["a", "b/1", "b/2", "c"]
        divided = api(operation, bucket=bucket, delimiter="/")
        assert names(divided) == ["a", "c"] and names(divided, "CommonPrefixes", "Prefix") == ["b/"]
    assert names(api("list-objects-v2", bucket=bucket, prefix="b/", start_after="b/1")) == ["b/2"]
    assert names(api("list-objects", bucket=bucket, marker="b/2")) == ["c"]

    copied = api("copy-object", bucket=bucket, key="copy", copy_source=f"{bucket}/a", metadata_directive="REPLACE",
                 metadata={"from": "a"})
    assert copied["CopyObjectResult"]["ETag"] == f'"{hashlib.md5(b"a").hexdigest()}"'
    assert get(bucket, "copy") == b"a"
    assert api("head-object", bucket=bucket, key="copy")["Metadata"] == {"from": "a"}
    told = api("get-object-attributes", bucket=bucket, key="copy", object_attributes=["ETag", "ObjectSize"])
    assert (told["ETag"], told["ObjectSize"]) == (hashlib.md5(b"a").hexdigest(), 1)

    gone = api("delete-objects", bucket=bucket, delete={"Objects": [{"Key": key} for key in ("a", "b/1", "none")]})
    assert sorted(names(gone, "Deleted")) == ["a", "b/1", "none"] and "Errors" not in gone
    assert api("delete-objects", bucket=bucket, delete={"Objects": [{"Key": "b/2"}], "Quiet": True}) is None
    assert names(api("list-objects-v2", bucket=bucket)) == ["c", "copy"]
    assert api.error("copy-object", bucket=bucket, key="x", copy_source=f"{bucket}/a") == refused("CopyObject", *NO_KEY)
    assert api.error("copy-object", bucket=bucket, key="c", copy_source=f"{bucket}/c").startswith(
        refused("CopyObject", "InvalidRequest", "This copy request is illegal because it is trying to copy an object "
                "to itself"))
    assert api.error("get-object-attributes", bucket=bucket, key="a", object_attributes=["ETag"]) == refused(
        "GetObjectAttributes", *NO_KEY)


def test_objects_and_lists_of_a_bucket_that_is_not_there_are_refused(api):
    nowhere = unique("none")
    for command, operation in (("put-object", "PutObject"), ("delete-object", "DeleteObject")):
        assert api.error(command, bucket=nowhere, key="k") == refused(operation, *NO_BUCKET)
    for command, operation in (("list-objects", "ListObjects"), ("list-objects-v2", "ListObjectsV2"),
                               ("list-object-versions", "ListObjectVersions"),
                               ("list-multipart-uploads", "ListMultipartUploads")):
        assert api.error(command, bucket=nowhere) == refused(operation, *NO_BUCKET)
    assert api.error("delete-objects", bucket=nowhere, delete={"Objects": [{"Key": "k"}]}) == refused(
        "DeleteObjects", *NO_BUCKET)
    assert api.error("create-multipart-upload", bucket=nowhere, key="k") == refused("CreateMultipartUpload", *NO_BUCKET)


def test_versions_are_kept_from_when_a_bucket_is_told_to(api, put, bucket):
    put(bucket, "k", b"1")
    assert api("get-bucket-versioning", bucket=bucket) is None
    for status in ("Enabled", "Suspended"):
        api("put-bucket-versioning", bucket=bucket, versioning_configuration={"Status": status})
        assert api("get-bucket-versioning", bucket=bucket) == {"Status": status}
        put(bucket, "k", b"2")
    versions = api("list-object-versions", bucket=bucket)["Versions"]
    assert len(versions) == 2 and versions[0]["VersionId"] == "null", "the first made way for the last"
    nowhere = {"bucket": unique("none")}
    assert api.error("get-bucket-versioning", **nowhere) == refused("GetBucketVersioning", *NO_BUCKET)
    assert api.error("put-bucket-versioning", **nowhere, versioning_configuration={"Status": "Enabled"}) == refused(
        "PutBucketVersioning", *NO_BUCKET)


def test_versions_are_listed_and_brought_back(api, put, get, versioned):
    first, second = (put(versioned, "k", body)["VersionId"] for body in (b"1", b"2"))
    marker = api("delete-object", bucket=versioned, key="k")
    assert marker["DeleteMarker"] is True
    listed = api("list-object-versions", bucket=versioned, page_size=1)
    assert names(listed, "Versions", "VersionId") == [second, first]
    assert [(each["VersionId"], each["IsLatest"]) for each in listed["DeleteMarkers"]] == [(marker["VersionId"], True)]
    assert get(versioned, "k", version_id=first) == b"1"
    restored = api("copy-object", bucket=versioned, key="k", copy_source=f"{versioned}/k?versionId={first}")
    assert restored["CopySourceVersionId"] == first and get(versioned, "k") == b"1"
    api("delete-objects", bucket=versioned, delete={"Objects": [
        {"Key": "k", "VersionId": version} for version in (second, marker["VersionId"], restored["VersionId"])]})
    listed = api("list-object-versions", bucket=versioned)
    assert names(listed, "Versions", "VersionId") == [first] and "DeleteMarkers" not in listed
    assert api.error("get-object", os.devnull, bucket=versioned, key="k", version_id=second) == refused(
        "GetObject", "NoSuchVersion", "The specified version does not exist.")


def test_an_object_is_put_together_from_parts_and_copied_ones(api, put, get, bucket, tmp_path):
    body = os.urandom(PART)
    (tmp_path / "part").write_bytes(body)
    put(bucket, "from", b"0123456789")
    upload = api("create-multipart-upload", bucket=bucket, key="k", content_type="text/plain")
    where = {"bucket": bucket, "key": "k", "upload_id": upload["UploadId"]}
    etags = [api("upload-part", **where, part_number=1, body=str(tmp_path / "part"))["ETag"],
             api("upload-part-copy", **where, part_number=2, copy_source=f"{bucket}/from",
                 copy_source_range="bytes=2-4")["CopyPartResult"]["ETag"]]
    assert etags == [f'"{hashlib.md5(part).hexdigest()}"' for part in (body, b"234")]
    listed = api("list-parts", **where, page_size=1)["Parts"]
    assert [(each["PartNumber"], each["Size"], each["ETag"]) for each in listed] == [
        (1, PART, etags[0]), (2, 3, etags[1])]
    uploads = api("list-multipart-uploads", bucket=bucket)["Uploads"]
    assert [(each["Key"], each["UploadId"]) for each in uploads] == [("k", upload["UploadId"])]
    parts = [{"PartNumber": number, "ETag": etag} for number, etag in enumerate(etags, 1)]
    assert api.error("complete-multipart-upload", **where, multipart_upload={"Parts": parts[::-1]}) == refused(
        "CompleteMultipartUpload", "InvalidPartOrder",
        "The list of parts was not in ascending order. Parts must be ordered by part number.")
    assert api.error("upload-part-copy", **where, part_number=3, copy_source=f"{bucket}/none") == refused(
        "UploadPartCopy", *NO_KEY)
    done = api("complete-multipart-upload", **where, multipart_upload={"Parts": parts})
    assert (done["Key"], done["ETag"][-3:]) == ("k", '-2"')
    assert get(bucket, "k") == body + b"234"
    assert names(api("list-multipart-uploads", bucket=bucket), "Uploads") == []
    assert api.error("list-parts", **where) == refused("ListParts", *NO_UPLOAD)
    assert api.error("upload-part", **where, part_number=1, body=str(tmp_path / "part")) == refused(
        "UploadPart", *NO_UPLOAD)


def test_an_upload_that_is_given_up_is_gone(api, bucket, tmp_path):
    (tmp_path / "part").write_bytes(b"part")
    upload = api("create-multipart-upload", bucket=bucket, key="k")["UploadId"]
    where = {"bucket": bucket, "key": "k", "upload_id": upload}
    etag = api("upload-part", **where, part_number=1, body=str(tmp_path / "part"))["ETag"]
    api("abort-multipart-upload", **where)
    assert names(api("list-multipart-uploads", bucket=bucket), "Uploads") == []
    assert api.error("abort-multipart-upload", **where) == refused("AbortMultipartUpload", *NO_UPLOAD)
    parts = {"Parts": [{"PartNumber": 1, "ETag": etag}]}
    assert api.error("complete-multipart-upload", **where, multipart_upload=parts) == refused(
        "CompleteMultipartUpload", *NO_UPLOAD)
    assert api.error("head-object", bucket=bucket, key="k") == refused("HeadObject", "404", "Not Found")


def test_objects_and_buckets_are_tagged(api, put, bucket):
    put(bucket, "k", tagging="a=1&b=two%20words")
    assert api("get-object-tagging", bucket=bucket, key="k")["TagSet"] == [{"Key": "a", "Value": "1"},
                                                                          {"Key": "b", "Value": "two words"}]
    tags = [{"Key": "c", "Value": "3"}]
    api("put-object-tagging", bucket=bucket, key="k", tagging={"TagSet": tags})
    assert api("get-object-tagging", bucket=bucket, key="k")["TagSet"] == tags
    api("delete-object-tagging", bucket=bucket, key="k")
    assert api("get-object-tagging", bucket=bucket, key="k")["TagSet"] == []
    for command, operation, more in (("get", "GetObjectTagging", {}), ("delete", "DeleteObjectTagging", {}),
                                     ("put", "PutObjectTagging", {"tagging": {"TagSet": tags}})):
        assert api.error(f"{command}-object-tagging", bucket=bucket, key="none", **more) == refused(operation, *NO_KEY)

    assert api.error("get-bucket-tagging", bucket=bucket) == refused("GetBucketTagging", "NoSuchTagSet",
                                                                     "The TagSet does not exist")
    api("put-bucket-tagging", bucket=bucket, tagging={"TagSet": tags})
    assert api("get-bucket-tagging", bucket=bucket)["TagSet"] == tags
    assert api.error("put-bucket-tagging", bucket=bucket, tagging={"TagSet": tags * 2}) == refused(
        "PutBucketTagging", "InvalidTag", "Cannot provide multiple Tags with the same key")
    api("delete-bucket-tagging", bucket=bucket)
    assert api.error("get-bucket-tagging", bucket=bucket).startswith(refused("GetBucketTagging", "NoSuchTagSet"))
    assert api.error("delete-bucket-tagging", bucket=unique("none")) == refused("DeleteBucketTagging", *NO_BUCKET)


def test_pages_of_other_origins_are_let_in_and_shut_out(api, bucket):
    nothing = refused("GetBucketCors", "NoSuchCORSConfiguration", "The CORS configuration does not exist")
    assert api.error("get-bucket-cors", bucket=bucket) == nothing
    rule = {"ID": "app", "AllowedMethods": ["GET", "PUT"], "AllowedOrigins": ["https://*.example.com"],
            "AllowedHeaders": ["x-*"], "ExposeHeaders": ["ETag"], "MaxAgeSeconds": 60}
    api("put-bucket-cors", bucket=bucket, cors_configuration={"CORSRules": [rule]})
    assert api("get-bucket-cors", bucket=bucket)["CORSRules"] == [rule]
    wrong = {"CORSRules": [{**rule, "AllowedMethods": ["PATCH"]}]}
    assert api.error("put-bucket-cors", bucket=bucket, cors_configuration=wrong) == refused(
        "PutBucketCors", "InvalidRequest", "Found unsupported HTTP method in CORS config. Unsupported method is PATCH")
    assert api("get-bucket-cors", bucket=bucket)["CORSRules"] == [rule]
    api("delete-bucket-cors", bucket=bucket)
    assert api.error("get-bucket-cors", bucket=bucket) == nothing
    assert api.error("delete-bucket-cors", bucket=unique("none")) == refused("DeleteBucketCors", *NO_BUCKET)


def test_rules_say_what_expires(api, bucket):
    nothing = refused("GetBucketLifecycleConfiguration", "NoSuchLifecycleConfiguration",
                      "The lifecycle configuration does not exist")
    assert api.error("get-bucket-lifecycle-configuration", bucket=bucket) == nothing
    rules = [{"ID": "logs", "Status": "Enabled", "Filter": {"Prefix": "logs/"}, "Expiration": {"Days": 3}},
             {"ID": "parts", "Status": "Disabled", "Filter": {"Prefix": ""},
              "AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 1}}]
    api("put-bucket-lifecycle-configuration", bucket=bucket, lifecycle_configuration={"Rules": rules})
    assert api("get-bucket-lifecycle-configuration", bucket=bucket)["Rules"] == rules
    wrong = {"Rules": [{**rules[0], "Expiration": {"Days": 0}}]}
    assert api.error("put-bucket-lifecycle-configuration", bucket=bucket, lifecycle_configuration=wrong) == refused(
        "PutBucketLifecycleConfiguration", "InvalidArgument", "'Days' for Expiration action must be a positive integer")
    api("delete-bucket-lifecycle", bucket=bucket)
    assert api.error("get-bucket-lifecycle-configuration", bucket=bucket) == nothing
    assert api.error("delete-bucket-lifecycle", bucket=unique("none")) == refused("DeleteBucketLifecycle", *NO_BUCKET)


def test_what_happens_in_a_bucket_is_told_to_a_queue(aws, api, put, cloud, bucket):  # noqa: F811
    assert api("get-bucket-notification-configuration", bucket=bucket) is None
    url = cloud.create_queue()
    queue = cloud.queue_arn(url)
    policy = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": {"Service": "s3.amazonaws.com"},
                                                     "Action": "sqs:SendMessage", "Resource": queue}]}
    aws("sqs", "set-queue-attributes", queue_url=url, attributes={"Policy": json.dumps(policy)})
    told = {"Id": "new", "QueueArn": queue, "Events": ["s3:ObjectCreated:*"],
            "Filter": {"Key": {"FilterRules": [{"Name": "prefix", "Value": "in/"}]}}}
    configuration = {"QueueConfigurations": [told]}
    setting = {"bucket": bucket, "notification_configuration": configuration}
    api("put-bucket-notification-configuration", **setting)
    shown = api("get-bucket-notification-configuration", bucket=bucket)
    [rule] = shown["QueueConfigurations"][0]["Filter"]["Key"]["FilterRules"]
    rule["Name"] = rule["Name"].lower()
    assert shown == configuration
    for key in ("out/a", "in/b"):
        put(bucket, key)

    def keys():
        for message in names(aws("sqs", "receive-message", queue_url=url, wait_time_seconds=5), "Messages", "Body"):
            if "Records" in json.loads(message):  # else it is the test event
                return [record["s3"]["object"]["key"] for record in json.loads(message)["Records"]]
    assert eventually(keys, "an event") == ["in/b"]
    told["QueueArn"] += "-none"
    assert api.error("put-bucket-notification-configuration", **setting) == refused(
        "PutBucketNotificationConfiguration", "InvalidArgument",
        "Unable to validate the following destination configurations")
    api("put-bucket-notification-configuration", bucket=bucket, notification_configuration={})
    assert api("get-bucket-notification-configuration", bucket=bucket) is None
    assert api.error("get-bucket-notification-configuration", bucket=unique("none")) == refused(
        "GetBucketNotificationConfiguration", *NO_BUCKET)


def test_a_public_policy_needs_that_public_access_is_not_blocked(api, bucket):
    nothing = ("NoSuchBucketPolicy", "The bucket policy does not exist")
    for command, operation in (("get-bucket-policy", "GetBucketPolicy"),
                               ("get-bucket-policy-status", "GetBucketPolicyStatus")):
        assert api.error(command, bucket=bucket) == refused(operation, *nothing)
    policy = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": "*", "Action": "s3:GetObject",
                                                     "Resource": f"arn:aws:s3:::{bucket}/*"}]}
    assert api.error("put-bucket-policy", bucket=bucket, policy=policy).startswith(
        refused("PutBucketPolicy", "AccessDenied"))
    block = dict.fromkeys(
        ("BlockPublicAcls", "IgnorePublicAcls", "BlockPublicPolicy", "RestrictPublicBuckets"), True)
    assert api("get-public-access-block", bucket=bucket)["PublicAccessBlockConfiguration"] == block
    opened = {**block, "BlockPublicPolicy": False}
    api("put-public-access-block", bucket=bucket, public_access_block_configuration=opened)
    assert api("get-public-access-block", bucket=bucket)["PublicAccessBlockConfiguration"] == opened
    api("put-bucket-policy", bucket=bucket, policy=policy)
    assert json.loads(api("get-bucket-policy", bucket=bucket)["Policy"]) == policy
    assert api("get-bucket-policy-status", bucket=bucket)["PolicyStatus"] == {"IsPublic": True}
    api("delete-bucket-policy", bucket=bucket)
    assert api.error("get-bucket-policy", bucket=bucket) == refused("GetBucketPolicy", *nothing)
    assert api.error("put-bucket-policy", bucket=bucket, policy="no json") == refused(
        "PutBucketPolicy", "MalformedPolicy", "Policies must be valid JSON and the first byte must be '{'")
    api("delete-public-access-block", bucket=bucket)
    assert api.error("get-public-access-block", bucket=bucket) == refused(
        "GetPublicAccessBlock", "NoSuchPublicAccessBlockConfiguration",
        "The public access block configuration was not found")
    nowhere = unique("none")
    for command, operation, more in (
            ("delete-bucket-policy", "DeleteBucketPolicy", {}),
            ("delete-public-access-block", "DeletePublicAccessBlock", {}),
            ("put-public-access-block", "PutPublicAccessBlock", {"public_access_block_configuration": opened})):
        assert api.error(command, bucket=nowhere, **more) == refused(operation, *NO_BUCKET)


def test_the_owner_of_a_bucket_owns_what_is_in_it(api, put, bucket):
    owned = {"Rules": [{"ObjectOwnership": "BucketOwnerEnforced"}]}
    assert api("get-bucket-ownership-controls", bucket=bucket)["OwnershipControls"] == owned
    put(bucket, "k")
    lists = [api("get-bucket-acl", bucket=bucket), api("get-object-acl", bucket=bucket, key="k")]
    assert lists[0] == lists[1] and names(lists[0], "Grants", "Permission") == ["FULL_CONTROL"]
    refusals = [("put-bucket-acl", "PutBucketAcl", {}), ("put-object-acl", "PutObjectAcl", {"key": "k"})]
    for command, operation, more in refusals:
        assert api.error(command, bucket=bucket, **more, acl="public-read") == refused(
            operation, "AccessControlListNotSupported", "The bucket does not allow ACLs")
        api(command, bucket=bucket, **more, acl="bucket-owner-full-control")
    assert [api("get-bucket-acl", bucket=bucket), api("get-object-acl", bucket=bucket, key="k")] == lists
    assert api.error("get-object-acl", bucket=bucket, key="none") == refused("GetObjectAcl", *NO_KEY)
    assert api.error("get-bucket-acl", bucket=unique("none")) == refused("GetBucketAcl", *NO_BUCKET)

    api("delete-bucket-ownership-controls", bucket=bucket)
    assert api.error("get-bucket-ownership-controls", bucket=bucket) == refused(
        "GetBucketOwnershipControls", "OwnershipControlsNotFoundError", "The bucket ownership controls were not found")
    api("put-bucket-ownership-controls", bucket=bucket, ownership_controls=owned)
    assert api("get-bucket-ownership-controls", bucket=bucket)["OwnershipControls"] == owned
    nowhere = unique("none")
    assert api.error("put-bucket-ownership-controls", bucket=nowhere, ownership_controls=owned) == refused(
        "PutBucketOwnershipControls", *NO_BUCKET)
    assert api.error("delete-bucket-ownership-controls", bucket=nowhere) == refused(
        "DeleteBucketOwnershipControls", *NO_BUCKET)


def test_every_bucket_is_encrypted_also_when_that_is_deleted(api, put, bucket):
    def algorithm():
        rules = api("get-bucket-encryption", bucket=bucket)["ServerSideEncryptionConfiguration"]["Rules"]
        return rules[0]["ApplyServerSideEncryptionByDefault"]["SSEAlgorithm"]
    assert algorithm() == "AES256"
    rules = {"Rules": [{"ApplyServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}}]}
    api("put-bucket-encryption", bucket=bucket, server_side_encryption_configuration=rules)
    assert put(bucket, "k")["ServerSideEncryption"] == algorithm() == "AES256"
    api("delete-bucket-encryption", bucket=bucket)
    assert put(bucket, "k")["ServerSideEncryption"] == algorithm() == "AES256"
    nowhere = unique("none")
    assert api.error("put-bucket-encryption", bucket=nowhere, server_side_encryption_configuration=rules) == refused(
        "PutBucketEncryption", *NO_BUCKET)
    assert api.error("get-bucket-encryption", bucket=nowhere) == refused("GetBucketEncryption", *NO_BUCKET)
    assert api.error("delete-bucket-encryption", bucket=nowhere) == refused("DeleteBucketEncryption", *NO_BUCKET)


def test_a_bucket_says_whose_requests_it_measures(api, bucket):
    shown = [{"Id": "all"}, {"Id": "logs", "Filter": {"Prefix": "logs/"}}]
    for one in shown:
        api("put-bucket-metrics-configuration", bucket=bucket, id=one["Id"], metrics_configuration=one)
    assert api("get-bucket-metrics-configuration", bucket=bucket, id="logs")["MetricsConfiguration"] == shown[1]
    assert api("list-bucket-metrics-configurations", bucket=bucket)["MetricsConfigurationList"] == shown
    api("delete-bucket-metrics-configuration", bucket=bucket, id="logs")
    assert api("list-bucket-metrics-configurations", bucket=bucket)["MetricsConfigurationList"] == shown[:1]
    for command, operation in (("get", "GetBucketMetricsConfiguration"),
                               ("delete", "DeleteBucketMetricsConfiguration")):
        assert api.error(f"{command}-bucket-metrics-configuration", bucket=bucket, id="logs") == refused(
            operation, "NoSuchConfiguration", "The specified configuration does not exist.")
    nowhere = {"bucket": unique("none")}
    assert api.error("put-bucket-metrics-configuration", **nowhere, id="all",
                     metrics_configuration=shown[0]) == refused("PutBucketMetricsConfiguration", *NO_BUCKET)
    assert api.error("list-bucket-metrics-configurations", **nowhere) == refused(
        "ListBucketMetricsConfigurations", *NO_BUCKET)


def test_what_a_new_bucket_has_not_is_told(api, bucket):
    assert api("get-bucket-accelerate-configuration", bucket=bucket) is None
    assert api("get-bucket-logging", bucket=bucket) is None
    assert api("get-bucket-request-payment", bucket=bucket) == {"Payer": "BucketOwner"}
    for command, operation, code, message in (
            ("get-bucket-replication", "GetBucketReplication", "ReplicationConfigurationNotFoundError",
             "The replication configuration was not found"),
            ("get-bucket-website", "GetBucketWebsite", "NoSuchWebsiteConfiguration",
             "The specified bucket does not have a website configuration"),
            ("get-object-lock-configuration", "GetObjectLockConfiguration", "ObjectLockConfigurationNotFoundError",
             "Object Lock configuration does not exist for this bucket")):
        assert api.error(command, bucket=bucket) == refused(operation, code, message)
    for name in ("bucket-accelerate-configuration", "bucket-logging", "bucket-request-payment", "bucket-replication",
                 "bucket-website", "object-lock-configuration"):
        operation = "Get" + "".join(part.capitalize() for part in name.split("-"))
        assert api.error(f"get-{name}", bucket=unique("none")) == refused(operation, *NO_BUCKET)
