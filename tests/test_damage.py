"""What lies on the disk and is not what was written: it is told, and never given to a client."""
import pathlib

import boto3
import botocore.config
import botocore.exceptions
import pytest

from harness import Server, eventually

pytestmark = pytest.mark.local

BUCKET = "damaged-bodies"
PIECE_BYTES = 64 << 10
SUM_BYTES = 4
BODY = bytes(range(256)) * 6000   # 1.5 MB: several reads of the file


@pytest.fixture
def pond(tmp_path):
    server = Server(tmp_path / "data").start()
    client = boto3.client("s3", endpoint_url=server.endpoint, region_name="us-east-1", aws_access_key_id="test",
                          aws_secret_access_key="test",
                          config=botocore.config.Config(retries={"max_attempts": 0}, s3={"addressing_style": "path"}))
    client.create_bucket(Bucket=BUCKET)
    client.put_object(Bucket=BUCKET, Key="body", Body=BODY)
    yield server, client, body_file(tmp_path)
    server.kill()


def body_file(tmp_path) -> pathlib.Path:
    [file] = [path for path in (tmp_path / "data" / "blobs").rglob("*") if path.is_file()]
    return file


def flip(file, at):
    with open(file, "r+b") as bytes_of_file:
        bytes_of_file.seek(at)
        byte = bytes_of_file.read(1)[0]
        bytes_of_file.seek(at)
        bytes_of_file.write(bytes([byte ^ 1]))


def status_of(call):
    with pytest.raises(botocore.exceptions.ClientError) as refused:
        call()
    return refused.value.response["ResponseMetadata"]["HTTPStatusCode"]


def test_a_body_that_is_damaged_where_it_begins_is_refused_before_anything_is_said(pond):
    _, client, file = pond
    flip(file, 10)
    assert status_of(lambda: client.get_object(Bucket=BUCKET, Key="body")) == 500
    assert status_of(lambda: client.get_object(Bucket=BUCKET, Key="body", Range="bytes=100-200")) == 500


def test_a_body_that_is_damaged_further_on_ends_before_its_wrong_byte(pond):
    _, client, file = pond
    flip(file, 1_300_000)
    stream = client.get_object(Bucket=BUCKET, Key="body")["Body"]
    received = bytearray()
    with pytest.raises(Exception):
        while piece := stream.read(10_000):
            received += piece
    assert len(received) < len(BODY)
    assert received == BODY[:len(received)]


def test_a_range_without_the_damage_is_given(pond):
    _, client, file = pond
    flip(file, 1_300_000)
    assert client.get_object(Bucket=BUCKET, Key="body", Range="bytes=70000-600000")["Body"].read() == BODY[70000:600001]


def test_a_body_that_became_shorter_is_refused_before_anything_is_said(pond):
    _, client, file = pond
    with open(file, "r+b") as bytes_of_file:
        bytes_of_file.truncate(20 * (PIECE_BYTES + SUM_BYTES))
    assert status_of(lambda: client.get_object(Bucket=BUCKET, Key="body")) == 500


def test_a_body_that_is_gone_is_refused_before_anything_is_said_and_the_log_names_it(pond):
    server, client, file = pond
    file.unlink()
    assert status_of(lambda: client.get_object(Bucket=BUCKET, Key="body")) == 500
    eventually(lambda: file.stem in server.log(), "the log names the file")


def test_a_copy_of_a_damaged_body_is_refused(pond):
    _, client, file = pond
    flip(file, 1_300_000)
    with pytest.raises(botocore.exceptions.ClientError):
        client.copy_object(Bucket=BUCKET, Key="copy", CopySource={"Bucket": BUCKET, "Key": "body"},
                           ChecksumAlgorithm="SHA256")


def test_a_body_without_sums_of_an_earlier_version_is_read(pond):
    _, client, file = pond
    whole = file.read_bytes()
    step = PIECE_BYTES + SUM_BYTES
    file.with_suffix("").write_bytes(b"".join(whole[at:at + step][:-SUM_BYTES] for at in range(0, len(whole), step)))
    file.unlink()
    assert client.get_object(Bucket=BUCKET, Key="body")["Body"].read() == BODY
    assert client.get_object(Bucket=BUCKET, Key="body", Range="bytes=70000-600000")["Body"].read() == BODY[70000:600001]
