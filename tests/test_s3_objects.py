"""Objects as boto3 sees them: bodies, metadata, ranges, conditions, listings, copies, tags."""
import base64
import datetime
import hashlib
import os
import urllib.error
import urllib.request

import pytest
from botocore.exceptions import ClientError

from harness import unique

LARGE = 3 << 20  # beyond what lies in the store


def refusal(call, **arguments):
    with pytest.raises(ClientError) as caught:
        call(**arguments)
    return caught.value.response["Error"]["Code"]


def body_of(s3, **where):
    return s3.get_object(**where)["Body"].read()


@pytest.mark.parametrize("size", [0, 1, 65536, 65537, LARGE])
def test_what_was_put_is_got(s3, bucket, size):
    body = os.urandom(size)
    etag = s3.put_object(Bucket=bucket, Key="a/b c+ä", Body=body)["ETag"]
    assert etag == f'"{hashlib.md5(body).hexdigest()}"'
    answer = s3.get_object(Bucket=bucket, Key="a/b c+ä")
    assert answer["Body"].read() == body
    assert (answer["ETag"], answer["ContentLength"]) == (etag, size)
    assert answer["ContentType"] == "binary/octet-stream"
    head = s3.head_object(Bucket=bucket, Key="a/b c+ä")
    assert (head["ETag"], head["ContentLength"]) == (etag, size)
    s3.delete_object(Bucket=bucket, Key="a/b c+ä")
    assert refusal(s3.get_object, Bucket=bucket, Key="a/b c+ä") == "NoSuchKey"
    assert refusal(s3.head_object, Bucket=bucket, Key="a/b c+ä") == "404"
    s3.delete_object(Bucket=bucket, Key="a/b c+ä")


def test_putting_again_replaces(s3, bucket):
    s3.put_object(Bucket=bucket, Key="k", Body=b"1" * LARGE, Metadata={"old": "x"})
    s3.put_object(Bucket=bucket, Key="k", Body=b"2")
    answer = s3.get_object(Bucket=bucket, Key="k")
    assert answer["Body"].read() == b"2" and answer["Metadata"] == {}


def test_a_download_goes_on_when_its_object_goes(s3, bucket):
    body = os.urandom(32 << 20)
    s3.put_object(Bucket=bucket, Key="k", Body=body)
    stream = s3.get_object(Bucket=bucket, Key="k")["Body"]
    first = stream.read(1000)
    s3.delete_object(Bucket=bucket, Key="k")
    assert first + stream.read() == body


def test_what_is_said_of_an_object_is_kept(s3, bucket):
    said = {"ContentType": "text/plain", "CacheControl": "no-cache", "ContentDisposition": "attachment",
            "ContentEncoding": "gzip", "ContentLanguage": "de", "Metadata": {"one": "1", "two": "zwei"}}
    expires = datetime.datetime(2030, 1, 2, 3, 4, 5, tzinfo=datetime.timezone.utc)
    s3.put_object(Bucket=bucket, Key="k", Body=b"x", Expires=expires, **said)
    head = s3.head_object(Bucket=bucket, Key="k")
    assert {name: head[name] for name in said} == said
    assert head["Expires"] == expires
    answer = s3.get_object(Bucket=bucket, Key="k", ResponseContentType="text/html", ResponseCacheControl="private")
    assert (answer["ContentType"], answer["CacheControl"]) == ("text/html", "private")
    assert refusal(s3.put_object, Bucket=bucket, Key="k", Metadata={"m": "x" * 2048}) == "MetadataTooLarge"
    assert refusal(s3.put_object, Bucket=bucket, Key="k" * 1025) == "KeyTooLongError"


@pytest.mark.parametrize("size", [100, LARGE])
def test_ranges(s3, bucket, size):
    body = os.urandom(size)
    s3.put_object(Bucket=bucket, Key="k", Body=body)
    for asked, expected in [("bytes=0-9", body[:10]), ("bytes=50-", body[50:]), ("bytes=-7", body[-7:]),
                            (f"bytes=10-{size * 2}", body[10:]), (f"bytes=-{size * 2}", body)]:
        answer = s3.get_object(Bucket=bucket, Key="k", Range=asked)
        assert answer["Body"].read() == expected, asked
        assert answer["ResponseMetadata"]["HTTPStatusCode"] == 206
        assert answer["ContentRange"].endswith(f"/{size}")
    for whole in ("bytes=0-1,3-4", "bytes=5-2", "lines=1-2"):
        answer = s3.get_object(Bucket=bucket, Key="k", Range=whole)
        assert answer["ResponseMetadata"]["HTTPStatusCode"] == 200 and answer["Body"].read() == body
    with pytest.raises(ClientError) as caught:
        s3.get_object(Bucket=bucket, Key="k", Range=f"bytes={size}-")
    assert caught.value.response["Error"]["Code"] == "InvalidRange"
    assert caught.value.response["ResponseMetadata"]["HTTPStatusCode"] == 416
    assert s3.head_object(Bucket=bucket, Key="k", Range="bytes=0-4")["ContentLength"] == 5


def test_conditions_of_reading(s3, bucket):
    s3.put_object(Bucket=bucket, Key="k", Body=b"x")
    head = s3.head_object(Bucket=bucket, Key="k")
    etag, modified = head["ETag"], head["LastModified"]
    second = datetime.timedelta(seconds=1)
    assert body_of(s3, Bucket=bucket, Key="k", IfMatch=etag) == b"x"
    assert refusal(s3.get_object, Bucket=bucket, Key="k", IfMatch='"other"') == "PreconditionFailed"
    assert refusal(s3.get_object, Bucket=bucket, Key="k", IfNoneMatch=etag) == "304"
    assert body_of(s3, Bucket=bucket, Key="k", IfNoneMatch='"other"') == b"x"
    assert refusal(s3.get_object, Bucket=bucket, Key="k", IfModifiedSince=modified) == "304"
    assert body_of(s3, Bucket=bucket, Key="k", IfModifiedSince=modified - second) == b"x"
    assert refusal(s3.get_object, Bucket=bucket, Key="k", IfUnmodifiedSince=modified - second) == "PreconditionFailed"
    # RFC 9110: an entity tag's verdict comes before a date's.
    assert body_of(s3, Bucket=bucket, Key="k", IfMatch=etag, IfUnmodifiedSince=modified - second) == b"x"
    assert refusal(s3.get_object, Bucket=bucket, Key="k", IfNoneMatch=etag,
                   IfModifiedSince=modified - second) == "304"


def conditional(client, name, header):
    """A client whose requests of that operation carry a header that its model may not know."""
    client.meta.events.register(f"before-sign.s3.{name}", lambda request, **_: request.headers.update(header))


def test_conditions_of_writing(cloud, bucket):
    def put(headers, body=b"x"):
        status, _, answer = cloud.raw("s3", "PUT", f"/{bucket}/k", body, headers)
        return status, answer
    assert put({"If-None-Match": "*"})[0] == 200
    status, answer = put({"If-None-Match": "*"})
    assert status == 412 and b"<Condition>If-None-Match</Condition>" in answer
    assert put({"If-Match": '"other"'})[0] == 412
    assert put({"If-Match": f'"{hashlib.md5(b"x").hexdigest()}"'}, b"y")[0] == 200
    assert put({"If-None-Match": '"tag"'})[0] == 501
    status, _, answer = cloud.raw("s3", "PUT", f"/{bucket}/none", b"x", {"If-Match": '"x"'})
    assert status == 404 and b"NoSuchKey" in answer
    assert cloud.raw("s3", "DELETE", f"/{bucket}/k", headers={"If-Match": '"other"'})[0] == 412


def test_claims_of_bodies_are_checked(cloud, s3, bucket):
    def put(body, **headers):
        return cloud.raw("s3", "PUT", f"/{bucket}/k", body, {name.replace("_", "-"): value for name, value in
                                                             headers.items()})
    right = base64.b64encode(hashlib.md5(b"x").digest()).decode()
    assert put(b"x", Content_MD5=right)[0] == 200
    assert b"<Code>BadDigest</Code>" in put(b"y", Content_MD5=right)[2]
    assert b"<Code>InvalidDigest</Code>" in put(b"y", Content_MD5="short")[2]
    sha256 = base64.b64encode(hashlib.sha256(b"x").digest()).decode()
    status, headers, _ = put(b"x", x_amz_checksum_sha256=sha256)
    assert status == 200 and headers["x-amz-checksum-sha256"] == sha256
    assert b"<Code>BadDigest</Code>" in put(b"y", x_amz_checksum_sha256=sha256)[2]
    assert b"<Code>InvalidRequest</Code>" in put(b"y", x_amz_checksum_crc32="####")[2]
    assert b"<Code>InvalidRequest</Code>" in put(b"x", x_amz_checksum_sha256=sha256, x_amz_checksum_crc32="AAAAAA==")[2]
    wrong = hashlib.sha256(b"other").hexdigest()
    assert b"<Code>XAmzContentSHA256Mismatch</Code>" in put(b"x" * LARGE, x_amz_content_sha256=wrong)[2]
    assert body_of(s3, Bucket=bucket, Key="k") == b"x"


@pytest.mark.local
def test_small_chunks_before_the_last_are_refused(cloud, bucket):
    status, _, body = cloud.raw("s3", "PUT", f"/{bucket}/k", b"3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", {
        "x-amz-content-sha256": "STREAMING-UNSIGNED-PAYLOAD-TRAILER", "x-amz-decoded-content-length": "5",
        "content-encoding": "aws-chunked"})
    assert status == 400 and b"<Code>InvalidChunkSizeError</Code>" in body and b"<BadChunkSize>3</BadChunkSize>" in body


def test_claims_of_documents_are_checked(cloud, s3, bucket):
    document = (b'<Tagging xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><TagSet><Tag><Key>a</Key><Value>1</Value></Tag>'
                b"</TagSet></Tagging>")

    def put(**headers):
        status, _, body = cloud.raw("s3", "PUT", f"/{bucket}?tagging", document,
                                    {name.replace("_", "-"): value for name, value in headers.items()})
        return status, body

    other = base64.b64encode(hashlib.md5(b"other").digest()).decode()
    assert b"<Code>BadDigest</Code>" in put(Content_MD5=other)[1]
    assert b"<Code>InvalidDigest</Code>" in put(Content_MD5="short")[1]
    assert b"<Code>BadDigest</Code>" in put(x_amz_checksum_crc32="AAAAAA==")[1]
    with pytest.raises(ClientError):
        s3.get_bucket_tagging(Bucket=bucket)
    right = base64.b64encode(hashlib.sha256(document).digest()).decode()
    assert put(x_amz_checksum_sha256=right)[0] in (200, 204)
    assert s3.get_bucket_tagging(Bucket=bucket)["TagSet"] == [{"Key": "a", "Value": "1"}]


# The check values of "123456789", which everybody publishes.
@pytest.mark.parametrize("algorithm, value", [
    ("crc32", "cbf43926"), ("crc32c", "e3069283"), ("crc64nvme", "ae8b14860a799888"),
    ("sha1", hashlib.sha1(b"123456789").hexdigest()), ("sha256", hashlib.sha256(b"123456789").hexdigest())])
def test_every_checksum_is_computed_and_kept(cloud, bucket, algorithm, value):
    expected = base64.b64encode(bytes.fromhex(value)).decode()
    status, headers, _ = cloud.raw("s3", "PUT", f"/{bucket}/k", b"123456789",
                                   {"x-amz-sdk-checksum-algorithm": algorithm.upper()})
    assert status == 200 and headers[f"x-amz-checksum-{algorithm}"] == expected
    _, headers, _ = cloud.raw("s3", "HEAD", f"/{bucket}/k", headers={"x-amz-checksum-mode": "ENABLED"})
    assert headers[f"x-amz-checksum-{algorithm}"] == expected
    assert headers["x-amz-checksum-type"] == "FULL_OBJECT"


def test_listings(s3, bucket):
    keys = sorted(["a", "b/1", "b/2", "b/c/3", "d e", "ä", "z/"], key=lambda key: key.encode())
    for key in keys:
        s3.put_object(Bucket=bucket, Key=key, Body=key.encode())
    listed = s3.list_objects_v2(Bucket=bucket)
    assert [each["Key"] for each in listed["Contents"]] == keys
    assert (listed["KeyCount"], listed["IsTruncated"], listed["Name"], listed["MaxKeys"]) == (7, False, bucket, 1000)
    assert listed["Contents"][0]["Size"] == 1 and listed["Contents"][0]["StorageClass"] == "STANDARD"
    assert "Owner" not in listed["Contents"][0]
    assert "Owner" in s3.list_objects_v2(Bucket=bucket, FetchOwner=True)["Contents"][0]
    assert "Owner" in s3.list_objects(Bucket=bucket)["Contents"][0]

    divided = s3.list_objects_v2(Bucket=bucket, Delimiter="/")
    assert [each["Prefix"] for each in divided["CommonPrefixes"]] == ["b/", "z/"]
    assert [each["Key"] for each in divided["Contents"]] == ["a", "d e", "ä"]
    assert divided["KeyCount"] == 5
    below = s3.list_objects_v2(Bucket=bucket, Delimiter="/", Prefix="b/")
    assert [each["Key"] for each in below["Contents"]] == ["b/1", "b/2"]
    assert [each["Prefix"] for each in below["CommonPrefixes"]] == ["b/c/"]

    after = s3.list_objects_v2(Bucket=bucket, StartAfter="b/2")
    assert [each["Key"] for each in after["Contents"]] == ["b/c/3", "d e", "z/", "ä"]
    assert [each["Key"] for each in s3.list_objects(Bucket=bucket, Marker="d e")["Contents"]] == ["z/", "ä"]
    assert s3.list_objects_v2(Bucket=bucket, Prefix="none")["KeyCount"] == 0


@pytest.mark.parametrize("operation", ["list_objects", "list_objects_v2"])
@pytest.mark.parametrize("delimiter", ["", "/"])
@pytest.mark.parametrize("size", [1, 2, 3, 1000])
def test_listings_come_in_pages(s3, bucket, operation, delimiter, size):
    keys = ["a", "b/1", "b/2", "c", "d/1", "e&<>", "f+ g"]
    for key in keys:
        s3.put_object(Bucket=bucket, Key=key, Body=b"")
    met = []
    for page in s3.get_paginator(operation).paginate(Bucket=bucket, Delimiter=delimiter,
                                                     PaginationConfig={"PageSize": size}):
        found = [each["Key"] for each in page.get("Contents", [])]
        found += [each["Prefix"] for each in page.get("CommonPrefixes", [])]
        assert len(found) <= size
        met += sorted(found)
    assert met == (["a", "b/", "c", "d/", "e&<>", "f+ g"] if delimiter else keys)


def test_many_are_deleted_at_once(s3, bucket):
    for key in "abc":
        s3.put_object(Bucket=bucket, Key=key, Body=b"")
    objects = [{"Key": key} for key in ("a", "b", "none")]
    deleted = s3.delete_objects(Bucket=bucket, Delete={"Objects": objects})
    assert sorted(each["Key"] for each in deleted["Deleted"]) == ["a", "b", "none"]
    quiet = s3.delete_objects(Bucket=bucket, Delete={"Objects": [{"Key": "c"}], "Quiet": True})
    assert "Deleted" not in quiet and "Errors" not in quiet
    assert s3.list_objects_v2(Bucket=bucket)["KeyCount"] == 0
    wrong = s3.delete_objects(Bucket=bucket, Delete={"Objects": [{"Key": "a", "VersionId": "x"}, {"Key": "b"}]})
    assert [each["Key"] for each in wrong["Errors"]] == ["a"]
    assert [each["Key"] for each in wrong["Deleted"]] == ["b"]


@pytest.mark.parametrize("size", [100, LARGE])
def test_copies(s3, bucket, cloud, size):
    body = os.urandom(size)
    s3.put_object(Bucket=bucket, Key="from ä", Body=body, ContentType="text/plain", Metadata={"m": "1"}, Tagging="t=1")
    source = {"Bucket": bucket, "Key": "from ä"}
    other = cloud.create_bucket()
    copied = s3.copy_object(Bucket=other, Key="to", CopySource=source)["CopyObjectResult"]
    assert copied["ETag"] == f'"{hashlib.md5(body).hexdigest()}"'
    s3.delete_object(**source)
    answer = s3.get_object(Bucket=other, Key="to")
    assert answer["Body"].read() == body
    assert (answer["ContentType"], answer["Metadata"]) == ("text/plain", {"m": "1"})
    assert s3.get_object_tagging(Bucket=other, Key="to")["TagSet"] == [{"Key": "t", "Value": "1"}]

    onto_itself = {"Bucket": other, "Key": "to", "CopySource": {"Bucket": other, "Key": "to"}}
    assert refusal(s3.copy_object, **onto_itself) == "InvalidRequest"
    s3.copy_object(**onto_itself, MetadataDirective="REPLACE", Metadata={"n": "2"}, TaggingDirective="REPLACE",
                   Tagging="u=2")
    answer = s3.get_object(Bucket=other, Key="to")
    assert (answer["Body"].read(), answer["Metadata"]) == (body, {"n": "2"})
    assert s3.get_object_tagging(Bucket=other, Key="to")["TagSet"] == [{"Key": "u", "Value": "2"}]
    assert refusal(s3.copy_object, Bucket=other, Key="x", CopySource=source) == "NoSuchKey"
    assert refusal(s3.copy_object, Bucket=other, Key="x", CopySource={"Bucket": other, "Key": "to"},
                   CopySourceIfNoneMatch=copied["ETag"]) == "PreconditionFailed"
    assert refusal(s3.copy_object, Bucket=other, Key="x", CopySource={"Bucket": other, "Key": "to"},
                   CopySourceIfMatch='"other"') == "PreconditionFailed"


def test_tags_of_objects(s3, bucket):
    s3.put_object(Bucket=bucket, Key="k", Body=b"", Tagging="a=1&b=two%20words")
    assert s3.get_object_tagging(Bucket=bucket, Key="k")["TagSet"] == [{"Key": "a", "Value": "1"},
                                                                       {"Key": "b", "Value": "two words"}]
    assert s3.get_object(Bucket=bucket, Key="k")["TagCount"] == 2
    s3.put_object_tagging(Bucket=bucket, Key="k", Tagging={"TagSet": [{"Key": "c", "Value": "3"}]})
    assert s3.get_object_tagging(Bucket=bucket, Key="k")["TagSet"] == [{"Key": "c", "Value": "3"}]
    s3.delete_object_tagging(Bucket=bucket, Key="k")
    assert s3.get_object_tagging(Bucket=bucket, Key="k")["TagSet"] == []
    many = {"TagSet": [{"Key": str(i), "Value": ""} for i in range(11)]}
    assert refusal(s3.put_object_tagging, Bucket=bucket, Key="k", Tagging=many) == "BadRequest"
    assert refusal(s3.get_object_tagging, Bucket=bucket, Key="none") == "NoSuchKey"


def fetch(url, method="GET", data=None):
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data=data, method=method)) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


@pytest.mark.parametrize("version", ["s3v4", "s3"])
def test_presigned_urls(cloud, bucket, version):
    s3 = cloud.client("s3", signature_version=version, s3={"addressing_style": "path"})
    where = {"Bucket": bucket, "Key": "a b/ä"}
    assert fetch(s3.generate_presigned_url("put_object", where), "PUT", b"presigned")[0] == 200
    assert fetch(s3.generate_presigned_url("get_object", where)) == (200, b"presigned")


def test_presigned_urls_expire(cloud, bucket):
    s3 = cloud.client("s3", signature_version="s3v4", s3={"addressing_style": "path"})
    s3.put_object(Bucket=bucket, Key="k", Body=b"x")
    url = s3.generate_presigned_url("get_object", {"Bucket": bucket, "Key": "k"}, ExpiresIn=60)
    date = url[url.index("X-Amz-Date=") + 11:][:16]
    old = url.replace(date, f"{int(date[:4]) - 1}{date[4:]}")
    status, body = fetch(old)
    assert status == 403
    # Which of the two AWS finds first; both mean that the URL is good for nothing any more.
    assert b"<Message>Request has expired</Message>" in body or b"SignatureDoesNotMatch" in body


@pytest.mark.local
def test_objects_are_reached_by_their_buckets_host_too(server, cloud, bucket):
    cloud.s3.put_object(Bucket=bucket, Key="k", Body=b"x")
    port = server.endpoint.rsplit(":", 1)[1]
    request = urllib.request.Request(f"{server.endpoint}/k", headers={"Host": f"{bucket}.s3.localhost:{port}"})
    with urllib.request.urlopen(request) as answer:
        assert answer.read() == b"x"


def test_attributes_of_objects(s3, bucket):
    s3.put_object(Bucket=bucket, Key="k", Body=b"123")
    told = s3.get_object_attributes(Bucket=bucket, Key="k", ObjectAttributes=["ETag", "ObjectSize", "StorageClass"])
    assert (told["ETag"], told["ObjectSize"]) == (hashlib.md5(b"123").hexdigest(), 3)
    assert told["StorageClass"] == "STANDARD"
    assert "ObjectParts" not in told


def test_what_is_not_there_says_which(s3, bucket):
    with pytest.raises(ClientError) as caught:
        s3.get_object(Bucket=bucket, Key="nothing here")
    error = caught.value.response["Error"]
    assert (error["Code"], error["Message"], error["Key"]) == ("NoSuchKey", "The specified key does not exist.",
                                                               "nothing here")
    with pytest.raises(ClientError) as caught:
        s3.get_object(Bucket=unique("nobucket"), Key="k")
    assert caught.value.response["Error"]["Code"] == "NoSuchBucket"
