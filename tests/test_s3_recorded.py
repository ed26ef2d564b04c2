"""Answers of S3 as they were recorded on AWS, where they are not what one would guess."""
import contextlib
import urllib.parse
import urllib.request

import pytest
from botocore.exceptions import ClientError


def refusal(call, **arguments):
    with pytest.raises(ClientError) as refused:
        call(**arguments)
    return refused.value.response["Error"]["Code"]


def put(s3, bucket, *keys):
    for key in keys:
        s3.put_object(Bucket=bucket, Key=key, Body=b"x")


def test_a_marker_within_a_common_prefix_passes_it_over(s3, bucket):
    put(s3, bucket, "folder/sub/1", "folder/sub/2", "folder/zfile")
    page = s3.list_objects(Bucket=bucket, Prefix="folder/", Delimiter="/", Marker="folder/sub/1", MaxKeys=1)
    assert [each["Key"] for each in page["Contents"]] == ["folder/zfile"] and "CommonPrefixes" not in page


def test_an_object_may_be_copied_onto_itself_with_its_class(s3, bucket):
    put(s3, bucket, "key")
    source = f"{bucket}/key"
    assert refusal(s3.copy_object, Bucket=bucket, Key="key", CopySource=source) == "InvalidRequest"
    s3.copy_object(Bucket=bucket, Key="key", CopySource=source, StorageClass="STANDARD")


def test_a_plus_in_a_copy_source_is_a_space(s3, bucket):
    put(s3, bucket, "a key")

    def with_plus(request, **_):
        request.headers["x-amz-copy-source"] = f"{bucket}/a+key"
    s3.meta.events.register_first("before-send.s3.CopyObject", with_plus)
    try:
        s3.copy_object(Bucket=bucket, Key="copy", CopySource=f"{bucket}/none")
    finally:
        s3.meta.events.unregister("before-send.s3.CopyObject", with_plus)
    assert s3.get_object(Bucket=bucket, Key="copy")["Body"].read() == b"x"


def test_headers_in_a_presigned_address_count(cloud, bucket):
    s3 = cloud.client("s3")

    def as_parameters(request, **_):
        request.url += "&x-amz-meta-foo=bar" if "?" in request.url else "?x-amz-meta-foo=bar"
    s3.meta.events.register_first("before-sign.s3.PutObject", as_parameters)
    url = s3.generate_presigned_url("put_object", Params={"Bucket": bucket, "Key": "key"})
    assert "x-amz-meta-foo" in urllib.parse.urlparse(url).query
    urllib.request.urlopen(urllib.request.Request(url, data=b"x", method="PUT")).read()
    assert s3.head_object(Bucket=bucket, Key="key")["Metadata"] == {"foo": "bar"}


def test_lists_have_markers_where_nothing_follows(s3, bucket):
    upload = s3.create_multipart_upload(Bucket=bucket, Key="key")["UploadId"]
    of_upload = {"Bucket": bucket, "Key": "key", "UploadId": upload}
    assert "Parts" not in s3.list_parts(**of_upload)
    s3.upload_part(**of_upload, PartNumber=3, Body=b"x")
    assert s3.list_parts(**of_upload)["NextPartNumberMarker"] == 3
    uploads = s3.list_multipart_uploads(Bucket=bucket)
    assert (uploads["IsTruncated"], uploads["NextKeyMarker"], uploads["NextUploadIdMarker"]) == (False, "key", upload)
    assert refusal(s3.complete_multipart_upload, **of_upload, MultipartUpload={"Parts": []}) == "InvalidRequest"


def test_statuses_of_settings(s3, bucket):
    tagged = s3.put_bucket_tagging(Bucket=bucket, Tagging={"TagSet": [{"Key": "a", "Value": "b"}]})
    assert tagged["ResponseMetadata"]["HTTPStatusCode"] == 204


def test_times_in_lists_are_whole_seconds(s3, bucket):
    put(s3, bucket, "key")
    assert s3.list_objects_v2(Bucket=bucket)["Contents"][0]["LastModified"].microsecond == 0


def test_versions_of_buckets_without_any(s3, bucket):
    put(s3, bucket, "key")
    assert refusal(s3.get_object, Bucket=bucket, Key="key", VersionId="HPniJCxqTsMuIH9KX8K8wEjNUgmABCD9") == "InvalidArgument"
    wrong = s3.delete_objects(Bucket=bucket, Delete={"Objects": [
        {"Key": "key", "VersionId": "HPniJCxqTsMuIH9KX8K8wEjNUgmABCD9"}]})
    assert [each["Code"] for each in wrong["Errors"]] == ["NoSuchVersion"]


@contextlib.contextmanager
def adding(s3, **headers):
    """Requests have these headers beside what boto3 knows."""
    def add(request, **_):
        for name, value in headers.items():
            request.headers[name.replace("_", "-")] = value
    s3.meta.events.register("before-sign.s3", add)
    try:
        yield
    finally:
        s3.meta.events.unregister("before-sign.s3", add)


def fault(call, **arguments):
    """All that S3 says of a refusal."""
    with pytest.raises(ClientError) as refused:
        call(**arguments)
    return {**refused.value.response["Error"], "Status": refused.value.response["ResponseMetadata"]["HTTPStatusCode"]}


@pytest.mark.parametrize("owner", ["0000", "nobody", "1234567890123"])
def test_an_owner_that_is_no_account_is_told_before_the_bucket_is_looked_for(s3, bucket, owner):
    for name in bucket, "no-such-bucket-" + bucket:
        found = fault(s3.list_objects_v2, Bucket=name, ExpectedBucketOwner=owner)
        assert (found["Code"], found["Status"]) == ("InvalidBucketOwnerAWSAccountID", 400)
        assert found["Message"] == ("The value of the expected bucket owner parameter must be an AWS Account ID... "
                                    f"[{owner}]")


def test_conditions_on_a_source_are_told_by_the_names_of_their_headers(s3, bucket):
    put(s3, bucket, "key")
    copy = {"Bucket": bucket, "Key": "copy", "CopySource": f"{bucket}/key"}
    etag = s3.head_object(Bucket=bucket, Key="key")["ETag"]
    assert fault(s3.copy_object, CopySourceIfMatch='"other"', **copy)["Condition"] == "x-amz-copy-source-If-Match"
    assert fault(s3.copy_object, CopySourceIfNoneMatch=etag, **copy)["Condition"] == "x-amz-copy-source-If-None-Match"
    assert fault(s3.copy_object, CopySourceIfUnmodifiedSince="2001-01-01", **copy)["Condition"] == \
        "x-amz-copy-source-If-Unmodified-Since"


def test_a_tag_with_one_quote_is_as_good_as_with_two(s3, bucket):
    put(s3, bucket, "key")
    etag = s3.head_object(Bucket=bucket, Key="key")["ETag"]
    with adding(s3, If_Match=etag[1:]):
        s3.put_object(Bucket=bucket, Key="key", Body=b"x")
    with adding(s3, If_Match='other"'):
        assert refusal(s3.put_object, Bucket=bucket, Key="key", Body=b"x") == "PreconditionFailed"


def test_buckets_tell_their_arns(cloud, s3):
    bucket = cloud.create_bucket()
    arn = f"arn:aws:s3:::{bucket}"
    answer = s3.head_bucket(Bucket=bucket)["ResponseMetadata"]["HTTPHeaders"]
    assert (answer["x-amz-bucket-arn"], answer["x-amz-access-point-alias"], answer["content-type"]) == (
        arn, "false", "application/xml")
    body = cloud.raw("s3", "GET", "/")[2].decode()
    assert f"<Name>{bucket}</Name>" in body and f"<BucketArn>{arn}</BucketArn>" in body


def test_every_answer_says_who_and_when(cloud, bucket):
    for path in f"/{bucket}", f"/no-such-{bucket}":
        _, headers, body = cloud.raw("s3", "GET", path)
        assert headers["Server"] == "AmazonS3" and headers["Date"].endswith(" GMT") and headers["x-amz-id-2"]
        assert body.startswith(b'<?xml version="1.0" encoding="UTF-8"?>\n')
    assert b"<LocationConstraint" in (found := cloud.raw("s3", "GET", f"/{bucket}?location")[2]) and found.endswith(b"/>")


def test_a_lifecycle_tells_from_which_size_on_it_holds(s3, bucket):
    rule = {"ID": "r", "Status": "Enabled", "Filter": {"Prefix": "a"}, "Expiration": {"Days": 1}}
    put = s3.put_bucket_lifecycle_configuration(Bucket=bucket, LifecycleConfiguration={"Rules": [rule]})
    got = s3.get_bucket_lifecycle_configuration(Bucket=bucket)
    for answer in put, got:
        headers = answer["ResponseMetadata"]["HTTPHeaders"]
        assert headers["x-amz-transition-default-minimum-object-size"] == "all_storage_classes_128K"


def test_wrong_tags_are_told_without_their_keys(cloud, s3, bucket):
    found = fault(s3.put_bucket_tagging, Bucket=bucket, Tagging={"TagSet": [{"Key": "aws:a", "Value": "1"}]})
    assert found["Message"] == "System tags cannot be added/updated by requester" and "TagKey" not in found
    found = fault(s3.put_bucket_tagging, Bucket=bucket, Tagging={"TagSet": [{"Key": "a", "Value": "1"}, {"Key": "a", "Value": "2"}]})
    assert found["Message"] == "Cannot provide multiple Tags with the same key" and "TagKey" not in found
    document = (b'<CreateBucketConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Tags><Tag><Key>aws:a</Key>'
                b"<Value>1</Value></Tag></Tags></CreateBucketConfiguration>")
    status, _, body = cloud.raw("s3", "PUT", f"/{bucket}-tagged", document)
    assert status == 400 and b"<Code>InvalidTag</Code>" in body and b"User-defined tag keys can" in body


@pytest.mark.parametrize("region, location, code", [
    ("us-east-1", "us-east-1", "InvalidLocationConstraint"),
    ("us-east-1", "foo", "InvalidLocationConstraint"),
    ("us-east-1", "aws-global", "InvalidLocationConstraint"),
    ("us-west-2", "us-east-1", "IllegalLocationConstraintException"),
    ("us-west-2", "eu-west-1", "IllegalLocationConstraintException"),
])
def test_places_of_buckets_must_fit_where_the_request_was_sent(cloud, region, location, code):
    document = f"<CreateBucketConfiguration><LocationConstraint>{location}</LocationConstraint></CreateBucketConfiguration>"
    status, _, body = cloud.in_region(region).raw("s3", "PUT", "/bucket-that-is-never-made", document)
    assert status == 400 and f"<Code>{code}</Code>".encode() in body


def start_upload(s3, bucket):
    upload = {"Bucket": bucket, "Key": "key", "UploadId": s3.create_multipart_upload(Bucket=bucket, Key="key")["UploadId"]}
    part = s3.upload_part(PartNumber=1, Body=b"part", **upload)["ETag"]
    return {**upload, "MultipartUpload": {"Parts": [{"PartNumber": 1, "ETag": part}]}}


def test_an_upload_whose_object_was_written_meanwhile_must_begin_anew(s3, bucket):
    put(s3, bucket, "key")
    upload = start_upload(s3, bucket)
    etag = s3.put_object(Bucket=bucket, Key="key", Body=b"written meanwhile")["ETag"]
    with adding(s3, If_Match=etag):
        found = fault(s3.complete_multipart_upload, **upload)
    assert (found["Code"], found["Status"], found["Condition"], found["Key"]) == (
        "ConditionalRequestConflict", 409, "If-Match", "key")
    with adding(s3, If_Match='"other"'):
        assert refusal(s3.complete_multipart_upload, **upload) == "PreconditionFailed"
    again = start_upload(s3, bucket)
    with adding(s3, If_Match=etag):
        s3.complete_multipart_upload(**again)


def test_an_upload_whose_object_was_deleted_meanwhile_must_begin_anew(s3, bucket):
    put(s3, bucket, "key")
    upload = start_upload(s3, bucket)
    with adding(s3, If_None_Match="*"):
        assert refusal(s3.complete_multipart_upload, **upload) == "PreconditionFailed"
    s3.delete_object(Bucket=bucket, Key="key")
    with adding(s3, If_None_Match="*"):
        found = fault(s3.complete_multipart_upload, **upload)
    assert (found["Code"], found["Status"], found["Condition"]) == ("ConditionalRequestConflict", 409, "If-None-Match")
    s3.complete_multipart_upload(**upload)


def upload_two_parts(s3, bucket, checksum_type):
    upload = {"Bucket": bucket, "Key": "two"}
    with adding(s3, x_amz_checksum_type=checksum_type):
        upload["UploadId"] = s3.create_multipart_upload(ChecksumAlgorithm="CRC32", **upload)["UploadId"]
    parts = []
    for number, body in (1, b"1" * (5 << 20)), (2, b"2"):
        sent = s3.upload_part(PartNumber=number, Body=body, ChecksumAlgorithm="CRC32", **upload)
        parts.append({"PartNumber": number, "ETag": sent["ETag"], "ChecksumCRC32": sent["ChecksumCRC32"]})
    s3.complete_multipart_upload(MultipartUpload={"Parts": parts}, **upload)
    return parts


def test_parts_of_composite_checksums_have_their_own(s3, bucket):
    parts = upload_two_parts(s3, bucket, "COMPOSITE")
    for mode in "ENABLED", "enabled":
        found = s3.head_object(Bucket=bucket, Key="two", PartNumber=2, ChecksumMode=mode)
        assert found["ChecksumCRC32"] == parts[1]["ChecksumCRC32"]
    told = s3.get_object_attributes(Bucket=bucket, Key="two", ObjectAttributes=["Checksum", "ObjectParts"])
    assert "-" not in told["Checksum"]["ChecksumCRC32"]
    assert [each["PartNumber"] for each in told["ObjectParts"]["Parts"]] == [1, 2]


def test_parts_of_whole_checksums_have_none(s3, bucket):
    upload_two_parts(s3, bucket, "FULL_OBJECT")
    found = s3.head_object(Bucket=bucket, Key="two", PartNumber=2, ChecksumMode="ENABLED")
    assert "ChecksumCRC32" not in found
    told = s3.get_object_attributes(Bucket=bucket, Key="two", ObjectAttributes=["ObjectParts"])
    assert told["ObjectParts"] == {"TotalPartsCount": 2}


def test_a_bucket_with_versions_says_what_must_go(s3, versioned, bucket):
    for name in versioned, bucket:
        s3.put_object(Bucket=name, Key="key", Body=b"x")
    message = "The bucket you tried to delete is not empty"
    assert fault(s3.delete_bucket, Bucket=bucket)["Message"] == message
    assert fault(s3.delete_bucket, Bucket=versioned)["Message"] == message + ". You must delete all versions in the bucket."


def test_tags_of_a_delete_marker_are_refused_by_the_method(s3, versioned):
    s3.put_object(Bucket=versioned, Key="key", Body=b"x")
    marker = {"Bucket": versioned, "Key": "key", "VersionId": s3.delete_object(Bucket=versioned, Key="key")["VersionId"]}
    for method, call, more in [("PUT", s3.put_object_tagging, {"Tagging": {"TagSet": []}}),
                               ("DELETE", s3.delete_object_tagging, {}), ("GET", s3.get_object_tagging, {})]:
        found = fault(call, **marker, **more)
        assert (found["Code"], found["Method"], found["ResourceType"]) == ("MethodNotAllowed", method, "DeleteMarker")


def test_a_list_says_where_it_is_and_echoes_one_start(cloud, s3, bucket):
    put(s3, bucket, "a", "b", "c")
    token = s3.list_objects_v2(Bucket=bucket, MaxKeys=1)["NextContinuationToken"]
    page = s3.list_objects_v2(Bucket=bucket, ContinuationToken=token, StartAfter="b")
    assert [each["Key"] for each in page["Contents"]] == ["b", "c"] and "StartAfter" not in page
    assert page["ResponseMetadata"]["HTTPHeaders"]["x-amz-bucket-region"] == cloud.region


def test_a_copy_of_an_object_without_versions_names_none(s3, versioned, bucket):
    for name in versioned, bucket:
        s3.put_object(Bucket=name, Key="key", Body=b"x")
        copied = s3.copy_object(Bucket=bucket, Key="copy", CopySource=f"{name}/key")
        assert ("CopySourceVersionId" in copied) == (name == versioned)


@contextlib.contextmanager
def with_header(s3, operation, name, value):
    """What `operation` is called with inside carries a header that older clients have no parameter for."""
    def add(request, **_):
        request.headers[name] = value
    s3.meta.events.register_first(f"before-sign.s3.{operation}", add)
    try:
        yield
    finally:
        s3.meta.events.unregister(f"before-sign.s3.{operation}", add)


def test_checksums_that_nobody_asked_for_are_not_taken_on_trust(s3, bucket):
    where = {"Bucket": bucket, "Key": "key"}
    where["UploadId"] = s3.create_multipart_upload(**where)["UploadId"]
    part = {"PartNumber": 1, "ETag": s3.upload_part(**where, PartNumber=1, Body=b"x")["ETag"]}
    wrong = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
    assert refusal(s3.complete_multipart_upload, **where,
                   MultipartUpload={"Parts": [{**part, "ChecksumSHA256": wrong}]}) == "InvalidPart"
    with with_header(s3, "CompleteMultipartUpload", "x-amz-checksum-type", "FULL_OBJECT"):
        told = fault(s3.complete_multipart_upload, **where, MultipartUpload={"Parts": [part]})
    assert (told["Code"], told["Message"]) == (
        "InvalidRequest",
        "The upload was created using the null checksum mode. The complete request must use the same checksum mode.")
    s3.complete_multipart_upload(**where, MultipartUpload={"Parts": [part]})


def test_only_the_current_version_says_when_it_expires(s3, versioned):
    s3.put_bucket_lifecycle_configuration(Bucket=versioned, LifecycleConfiguration={"Rules": [
        {"ID": "old", "Status": "Enabled", "Filter": {"Prefix": ""}, "Expiration": {"Days": 1}}]})
    versions = [s3.put_object(Bucket=versioned, Key="key", Body=b"x")["VersionId"] for _ in range(2)]
    told = ["Expiration" in s3.head_object(Bucket=versioned, Key="key", VersionId=version) for version in versions]
    assert told == [False, True]
