"""Uploads in parts."""
import base64
import hashlib
import os

import pytest
from boto3.s3.transfer import TransferConfig
from botocore.exceptions import ClientError

PART = 5 << 20


def refusal(call, **arguments):
    with pytest.raises(ClientError) as caught:
        call(**arguments)
    return caught.value.response["Error"]["Code"]


class Upload:
    def __init__(self, s3, bucket, key="k", **more):
        self.s3, self.parts = s3, []
        self.where = {"Bucket": bucket, "Key": key}
        self.where["UploadId"] = s3.create_multipart_upload(**self.where, **more)["UploadId"]

    def add(self, body, number=None):
        number = number or len(self.parts) + 1
        etag = self.s3.upload_part(**self.where, PartNumber=number, Body=body)["ETag"]
        self.parts.append({"PartNumber": number, "ETag": etag})
        return etag

    def complete(self, parts=None):
        return self.s3.complete_multipart_upload(**self.where, MultipartUpload={"Parts": parts or self.parts})


def test_an_object_of_parts(s3, bucket):
    bodies = [os.urandom(PART), os.urandom(PART + 1), os.urandom(10)]
    upload = Upload(s3, bucket, ContentType="text/plain", Metadata={"m": "1"}, Tagging="t=1")
    for body in bodies:
        assert upload.add(body) == f'"{hashlib.md5(body).hexdigest()}"'
    assert s3.list_objects_v2(Bucket=bucket)["KeyCount"] == 0
    etag = hashlib.md5(b"".join(hashlib.md5(body).digest() for body in bodies)).hexdigest() + "-3"
    assert upload.complete()["ETag"] == f'"{etag}"'
    answer = s3.get_object(Bucket=bucket, Key="k")
    assert answer["Body"].read() == b"".join(bodies)
    assert (answer["ContentType"], answer["Metadata"], answer["TagCount"]) == ("text/plain", {"m": "1"}, 1)
    across = s3.get_object(Bucket=bucket, Key="k", Range=f"bytes={PART - 5}-{PART + 4}")["Body"].read()
    assert across == (bodies[0] + bodies[1])[PART - 5:PART + 5]
    second = s3.get_object(Bucket=bucket, Key="k", PartNumber=2)
    assert second["Body"].read() == bodies[1]
    assert (second["PartsCount"], second["ResponseMetadata"]["HTTPStatusCode"]) == (3, 206)
    assert refusal(s3.get_object, Bucket=bucket, Key="k", PartNumber=4) in ("InvalidPartNumber", "416")
    told = s3.get_object_attributes(Bucket=bucket, Key="k", ObjectAttributes=["ObjectParts", "ObjectSize"])
    assert told["ObjectParts"]["TotalPartsCount"] == 3
    assert refusal(s3.list_parts, **upload.where) == "NoSuchUpload"


def test_completing_again_is_answered_again(s3, bucket):
    upload = Upload(s3, bucket)
    upload.add(b"abc")
    first = upload.complete()
    again = upload.complete()
    assert (again["ETag"], again["Key"], again["Location"]) == (first["ETag"], first["Key"], first["Location"])
    assert refusal(upload.complete, parts=[{"PartNumber": 1, "ETag": '"900150983cd24fb0d6963f7d28e17f73"'}]) == "InvalidPart"
    s3.delete_object(Bucket=bucket, Key="k")
    assert refusal(upload.complete) == "NoSuchUpload"


def test_what_is_wrong_with_parts(s3, bucket):
    upload = Upload(s3, bucket)
    upload.add(b"small")
    upload.add(b"last")
    assert refusal(upload.complete) == "EntityTooSmall"
    first, last = upload.parts
    assert refusal(upload.complete, parts=[last, first]) == "InvalidPartOrder"
    assert refusal(upload.complete, parts=[{**first, "ETag": '"other"'}]) == "InvalidPart"
    assert refusal(upload.complete, parts=[{**first, "PartNumber": 9}]) == "InvalidPart"
    assert refusal(s3.upload_part, **upload.where, PartNumber=10001, Body=b"") == "InvalidArgument"
    assert refusal(s3.upload_part, Bucket=bucket, Key="k", UploadId="none", PartNumber=1, Body=b"") == "NoSuchUpload"
    # A part that is not named does not come into the object.
    upload.complete(parts=[last])
    assert s3.get_object(Bucket=bucket, Key="k")["Body"].read() == b"last"


def test_a_part_is_replaced_by_one_of_its_number(s3, bucket):
    upload = Upload(s3, bucket)
    upload.add(os.urandom(PART))
    etag = upload.add(b"new", number=1)
    upload.complete(parts=[{"PartNumber": 1, "ETag": etag}])
    assert s3.get_object(Bucket=bucket, Key="k")["Body"].read() == b"new"


def test_an_aborted_upload_is_gone(s3, bucket):
    upload = Upload(s3, bucket)
    upload.add(b"part")
    s3.abort_multipart_upload(**upload.where)
    assert refusal(upload.complete) == "NoSuchUpload"
    assert refusal(s3.abort_multipart_upload, **upload.where) == "NoSuchUpload"
    assert "Uploads" not in s3.list_multipart_uploads(Bucket=bucket)


def test_lists_of_uploads_and_parts(s3, bucket):
    uploads = [Upload(s3, bucket, key) for key in ("a", "a", "b/1", "b/2")]
    listed = s3.list_multipart_uploads(Bucket=bucket)
    assert [(each["Key"], each["UploadId"]) for each in listed["Uploads"]] == [
        (each.where["Key"], each.where["UploadId"]) for each in uploads]
    divided = s3.list_multipart_uploads(Bucket=bucket, Delimiter="/")
    assert [each["Prefix"] for each in divided["CommonPrefixes"]] == ["b/"]
    met = [each["UploadId"]
           for page in s3.get_paginator("list_multipart_uploads").paginate(Bucket=bucket,
                                                                           PaginationConfig={"PageSize": 1})
           for each in page.get("Uploads", [])]
    assert met == [each.where["UploadId"] for each in uploads]
    for number in (1, 2, 5):
        uploads[0].add(b"x" * number, number)
    parts = s3.list_parts(**uploads[0].where)["Parts"]
    assert [(each["PartNumber"], each["Size"]) for each in parts] == [(1, 1), (2, 2), (5, 5)]
    met = [each["PartNumber"] for page in s3.get_paginator("list_parts").paginate(
        **uploads[0].where, PaginationConfig={"PageSize": 2}) for each in page["Parts"]]
    assert met == [1, 2, 5]
    for upload in uploads:
        s3.abort_multipart_upload(**upload.where)


def test_parts_are_copied_from_objects(s3, bucket):
    body = os.urandom(PART * 2)
    s3.put_object(Bucket=bucket, Key="from", Body=body)
    s3.put_object(Bucket=bucket, Key="small", Body=b"0123456789")
    upload = Upload(s3, bucket)
    sources = [({"Bucket": bucket, "Key": "from"}, f"bytes=100-{PART + 99}"), ({"Bucket": bucket, "Key": "small"},
                                                                              "bytes=2-4")]
    for number, (source, span) in enumerate(sources, 1):
        answer = s3.upload_part_copy(**upload.where, PartNumber=number, CopySource=source, CopySourceRange=span)
        upload.parts.append({"PartNumber": number, "ETag": answer["CopyPartResult"]["ETag"]})
    s3.delete_object(Bucket=bucket, Key="from")
    upload.complete()
    assert s3.get_object(Bucket=bucket, Key="k")["Body"].read() == body[100:PART + 100] + b"234"
    assert refusal(s3.upload_part_copy, **upload.where, PartNumber=1, CopySource=sources[1][0]) == "NoSuchUpload"
    # A copy of an object of parts is one object.
    copied = s3.copy_object(Bucket=bucket, Key="copy", CopySource={"Bucket": bucket, "Key": "k"})
    assert copied["CopyObjectResult"]["ETag"] == f'"{hashlib.md5(body[100:PART + 100] + b"234").hexdigest()}"'
    s3.delete_object(Bucket=bucket, Key="k")
    assert s3.get_object(Bucket=bucket, Key="copy")["Body"].read() == body[100:PART + 100] + b"234"
    wrong = Upload(s3, bucket, "wrong")
    assert refusal(s3.upload_part_copy, **wrong.where, PartNumber=1, CopySource=sources[1][0],
                   CopySourceRange="bytes=5-50") == "InvalidArgument"


def test_checksums_of_parts_make_that_of_the_object(cloud, s3, bucket):
    bodies = [os.urandom(PART), b"end"]
    sums = [hashlib.sha256(body).digest() for body in bodies]
    upload = Upload(s3, bucket, ChecksumAlgorithm="SHA256")
    for number, body in enumerate(bodies, 1):
        answer = s3.upload_part(**upload.where, PartNumber=number, Body=body, ChecksumAlgorithm="SHA256")
        assert answer["ChecksumSHA256"] == base64.b64encode(sums[number - 1]).decode()
        upload.parts.append({"PartNumber": number, "ETag": answer["ETag"],
                             "ChecksumSHA256": answer["ChecksumSHA256"]})
    assert refusal(upload.complete, parts=[{"PartNumber": 1, "ETag": upload.parts[0]["ETag"]}]) == "InvalidRequest"
    expected = base64.b64encode(hashlib.sha256(b"".join(sums)).digest()).decode() + "-2"
    assert upload.complete()["ChecksumSHA256"] == expected
    head = s3.head_object(Bucket=bucket, Key="k", ChecksumMode="ENABLED")
    assert head["ChecksumSHA256"] == expected
    told = s3.get_object_attributes(Bucket=bucket, Key="k", ObjectAttributes=["Checksum", "ObjectParts"])
    assert told["ObjectParts"]["Parts"][1]["ChecksumSHA256"] == base64.b64encode(sums[1]).decode()


def test_files_go_up_and_down(s3, bucket, tmp_path):
    body = os.urandom(PART * 3 + 17)
    (tmp_path / "up").write_bytes(body)
    config = TransferConfig(multipart_threshold=PART, multipart_chunksize=PART)
    s3.upload_file(str(tmp_path / "up"), bucket, "k", Config=config)
    s3.download_file(bucket, "k", str(tmp_path / "down"), Config=config)
    assert (tmp_path / "down").read_bytes() == body
    assert s3.head_object(Bucket=bucket, Key="k")["ETag"].endswith('-4"')
