"""A disk whose sync fails: writes are refused until a restart, reads go on, and the log tells it once."""
import os
import subprocess

import botocore.exceptions
import pytest

from harness import Cloud, Server

pytestmark = pytest.mark.local

# In the server's process, until the file that TEST_NO_SYNC names is gone: what the kernel says of a failing disk.
FAILING_SYNC = """
#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
static int fails(void) { return access(getenv("TEST_NO_SYNC"), F_OK) == 0; }
int fdatasync(int fd) {
  if (fails()) { errno = EIO; return -1; }
  return (int)syscall(SYS_fdatasync, fd);
}
int fsync(int fd) {
  if (fails()) { errno = EIO; return -1; }
  return (int)syscall(SYS_fsync, fd);
}
"""


@pytest.fixture
def server(tmp_path):
    (tmp_path / "sync.c").write_text(FAILING_SYNC)
    library = tmp_path / "sync.so"
    subprocess.run([os.environ.get("CC", "clang-19"), "-shared", "-fPIC", "-o", library, tmp_path / "sync.c"], check=True)
    server = Server(tmp_path / "data", environment={"LD_PRELOAD": str(library), "TEST_NO_SYNC": str(tmp_path / "failing")})
    yield server.start()
    server.kill()


def test_after_a_failed_sync_writes_are_refused_with_few_lines_and_a_restart_finds_what_was_acknowledged(server, tmp_path):
    cloud = Cloud(server.endpoint)
    table = cloud.create_table()
    cloud.put_item(table, id="before")
    (tmp_path / "failing").touch()
    lines = len(server.log_lines)
    for number in range(50):
        with pytest.raises(botocore.exceptions.ClientError) as refused:
            cloud.put_item(table, id=str(number))
        assert refused.value.response["Error"]["Code"] == "InternalServerError"
    told = server.log_lines[lines:]
    assert sum("a write failed, no more are accepted until a restart" in line for line in told) == 1, told
    assert len(told) < 10, told
    assert "Item" in cloud.dynamodb.get_item(TableName=table, Key={"id": {"S": "before"}})
    (tmp_path / "failing").unlink()
    with pytest.raises(botocore.exceptions.ClientError):
        cloud.put_item(table, id="after")  # what the disk has lost is not known: only a restart reads it
    server.kill()
    server.start()
    cloud = Cloud(server.endpoint)
    assert "Item" in cloud.dynamodb.get_item(TableName=table, Key={"id": {"S": "before"}})
    cloud.put_item(table, id="after")
