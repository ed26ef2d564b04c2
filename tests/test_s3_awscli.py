"""Buckets and objects with the AWS CLI as Debian ships it: the commands that people type. What is signed beforehand goes by
the program that is installed, the rest by forks of it."""
import os
import time
import urllib.request

import pytest

from awscli_support import INSTALLED, run_in
from harness import unique

pytestmark = pytest.mark.local


@pytest.fixture
def program(aws_program):
    return aws_program


@pytest.fixture
def aws(program, server, tmp_path):
    def aws(*arguments, fails=False):
        result = run_in(tmp_path, program, "--endpoint-url", server.endpoint, *arguments)
        assert bool(result.returncode) == fails, result.stderr
        return result.stderr if fails else result.stdout
    return aws


def test_files_are_copied_moved_and_removed(aws, tmp_path):
    bucket = unique("cli")
    aws("s3", "mb", f"s3://{bucket}")
    assert bucket in aws("s3", "ls")
    large = os.urandom(20 << 20)  # in parts
    (tmp_path / "large").write_bytes(large)
    (tmp_path / "small").write_text("small")
    aws("s3", "cp", tmp_path / "large", f"s3://{bucket}/dir/large")
    aws("s3", "cp", tmp_path / "small", f"s3://{bucket}/small")
    listed = aws("s3", "ls", f"s3://{bucket}/")
    assert "PRE dir/" in listed and " 5 small" in listed
    aws("s3", "cp", f"s3://{bucket}/dir/large", tmp_path / "back")
    assert (tmp_path / "back").read_bytes() == large
    aws("s3", "cp", f"s3://{bucket}/dir/large", f"s3://{bucket}/copy")
    aws("s3", "mv", f"s3://{bucket}/small", f"s3://{bucket}/moved")
    assert aws("s3", "cp", f"s3://{bucket}/moved", "-") == "small"
    assert "BucketNotEmpty" in aws("s3", "rb", f"s3://{bucket}", fails=True)
    aws("s3", "rm", f"s3://{bucket}", "--recursive")
    aws("s3", "rb", f"s3://{bucket}")


def test_folders_are_kept_in_step(aws, tmp_path):
    bucket = unique("cli")
    aws("s3", "mb", f"s3://{bucket}")
    for name in ("a", "b/c", "b/d e"):
        path = tmp_path / "from" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
        # A list tells whole seconds, and a file that changed later in the same second would be sent again.
        an_hour_ago = time.time() - 3600
        os.utime(path, (an_hour_ago, an_hour_ago))
    aws("s3", "sync", tmp_path / "from", f"s3://{bucket}/x")
    assert aws("s3", "sync", tmp_path / "from", f"s3://{bucket}/x") == ""
    aws("s3", "sync", f"s3://{bucket}/x", tmp_path / "to")
    assert (tmp_path / "to/b/d e").read_text() == "b/d e"
    (tmp_path / "from/a").unlink()
    aws("s3", "sync", tmp_path / "from", f"s3://{bucket}/x", "--delete")
    assert " a\n" not in aws("s3", "ls", f"s3://{bucket}/x/")
    aws("s3", "rb", f"s3://{bucket}", "--force")


@pytest.mark.parametrize("program", [INSTALLED])
def test_a_presigned_url_gives_the_object(aws, tmp_path):
    bucket = unique("cli")
    aws("s3", "mb", f"s3://{bucket}")
    (tmp_path / "file").write_text("text")
    aws("s3", "cp", tmp_path / "file", f"s3://{bucket}/file")
    url = aws("s3", "presign", f"s3://{bucket}/file", "--expires-in", "60").strip()
    with urllib.request.urlopen(url) as answer:
        assert answer.read() == b"text"
    aws("s3", "rb", f"s3://{bucket}", "--force")


def test_the_api_itself(aws, tmp_path):
    bucket = unique("cli")
    aws("s3api", "create-bucket", "--bucket", bucket)
    (tmp_path / "file").write_text("0123456789")
    aws("s3api", "put-object", "--bucket", bucket, "--key", "k", "--body", tmp_path / "file", "--metadata", "one=1",
        "--checksum-algorithm", "SHA256")
    aws("s3api", "get-object", "--bucket", bucket, "--key", "k", "--range", "bytes=2-4", tmp_path / "part")
    assert (tmp_path / "part").read_text() == "234"
    assert '"one": "1"' in aws("s3api", "head-object", "--bucket", bucket, "--key", "k", "--output", "json")
    aws("s3api", "put-bucket-versioning", "--bucket", bucket, "--versioning-configuration", "Status=Enabled")
    assert "Enabled" in aws("s3api", "get-bucket-versioning", "--bucket", bucket)
    assert "NoSuchKey" in aws("s3api", "get-object", "--bucket", bucket, "--key", "none", tmp_path / "none", fails=True)
    aws("s3api", "delete-object", "--bucket", bucket, "--key", "k", "--version-id", "null")
    aws("s3api", "delete-bucket", "--bucket", bucket)
