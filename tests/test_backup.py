"""Copies of a pond, and what a stopped one says of itself."""
import subprocess
import threading
import urllib.error

import pytest

from harness import SERVER, Cloud, Server

pytestmark = pytest.mark.local

BODY = b"b" * 300_000
SUMMED_PIECE = (64 << 10) + 4  # of a body's file, with its sum


def tidemill(*arguments):
    return subprocess.run([str(SERVER), *map(str, arguments)], capture_output=True, text=True, timeout=60)


@pytest.fixture
def servers():
    started = []

    def start(data):
        started.append(Server(data).start())
        return started[-1]

    yield start
    for server in started:
        server.kill()


def fill(cloud):
    cloud.create_table(name="kept")
    for number in range(50):
        cloud.dynamodb.put_item(TableName="kept", Item={"id": {"S": str(number)}})
    cloud.s3.create_bucket(Bucket="kept")
    cloud.s3.put_object(Bucket="kept", Key="body", Body=BODY)
    cloud.create_function("def handler(event, context):\n    return event", name="kept")


def test_a_backup_of_a_running_server_is_opened_by_another(servers, tmp_path):
    first = servers(tmp_path / "data")
    cloud = Cloud(first.endpoint)
    fill(cloud)
    done = threading.Event()
    acknowledged = []

    def write():
        while not done.is_set():
            number = len(acknowledged)
            cloud.dynamodb.put_item(TableName="kept", Item={"id": {"S": f"more-{number}"}})
            acknowledged.append(number)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        before = len(acknowledged)
        result = tidemill("backup", "--to", tmp_path / "copy", "--endpoint", first.endpoint)
    finally:
        done.set()
        writer.join()
    assert result.returncode == 0, result.stderr
    assert str(tmp_path / "copy") in result.stdout
    # What goes after the backup is still in it.
    cloud.s3.delete_object(Bucket="kept", Key="body")
    assert tidemill("check", "--data", tmp_path / "copy").returncode == 0
    second = Cloud(servers(tmp_path / "copy").endpoint)
    items = {item["id"]["S"] for page in second.dynamodb.get_paginator("scan").paginate(TableName="kept")
             for item in page["Items"]}
    assert {str(number) for number in range(50)} | {f"more-{number}" for number in range(before)} <= items
    assert second.s3.get_object(Bucket="kept", Key="body")["Body"].read() == BODY
    assert second.functions.invoke(FunctionName="kept", Payload=b"7")["Payload"].read() == b"7"


def test_a_backup_is_not_made_over_something(servers, tmp_path):
    server = servers(tmp_path / "data")
    target = tmp_path / "there"
    target.mkdir()
    (target / "file").write_text("mine")
    result = tidemill("backup", "--to", target, "--endpoint", server.endpoint)
    assert result.returncode == 1 and "not empty" in result.stderr
    assert [path.name for path in target.iterdir()] == ["file"]
    result = tidemill("backup", "--to", tmp_path / "data" / "inside", "--endpoint", server.endpoint)
    assert result.returncode == 1 and "in the data directory" in result.stderr


def test_a_backup_takes_no_wishes_that_it_does_not_know(servers, tmp_path):
    cloud = Cloud(servers(tmp_path / "data").endpoint)
    with pytest.raises(urllib.error.HTTPError) as refused:
        cloud.put("/_tidemill/backup", {"to": str(tmp_path / "there"), "compress": True})
    assert refused.value.code == 400
    assert not (tmp_path / "there").exists()


def test_a_backup_can_be_made_of_a_backup(servers, tmp_path):
    first = servers(tmp_path / "data")
    fill(Cloud(first.endpoint))
    assert tidemill("backup", "--to", tmp_path / "one", "--endpoint", first.endpoint).returncode == 0
    second = servers(tmp_path / "one")
    assert tidemill("backup", "--to", tmp_path / "two", "--endpoint", second.endpoint).returncode == 0
    third = Cloud(servers(tmp_path / "two").endpoint)
    assert third.dynamodb.scan(TableName="kept", Select="COUNT")["Count"] == 50


# --- check ---

@pytest.fixture
def stopped(servers, tmp_path):
    server = servers(tmp_path / "data")
    fill(Cloud(server.endpoint))
    server.stop()
    return tmp_path / "data"


def body_of(pond, size, other=False):
    """The file of the body of so many bytes, or the other one: there are an object's and a package's."""
    files = [path for path in (pond / "blobs").rglob("*") if path.is_file()]
    assert len(files) == 2
    [found] = [path for path in files if (path.stat().st_size > size) != other]
    return found


def test_check_finds_nothing_in_a_whole_pond_and_changes_nothing(stopped):
    before = {path: path.stat().st_mtime_ns for path in stopped.rglob("*") if path.is_file() and path.name != "LOCK"}
    result = tidemill("check", "--data", stopped)
    assert (result.returncode, result.stderr) == (0, "")
    assert "nothing is damaged" in result.stdout
    assert before == {path: path.stat().st_mtime_ns for path in stopped.rglob("*")
                      if path.is_file() and path.name != "LOCK"}


def test_check_names_a_body_that_is_damaged_and_one_that_is_missing(stopped):
    body = body_of(stopped, len(BODY))
    whole = body.read_bytes()
    body.write_bytes(whole[:1000] + b"?" + whole[1001:])
    result = tidemill("check", "--data", stopped)
    assert result.returncode == 1 and body.stem in result.stdout, result.stdout
    body.unlink()
    result = tidemill("check", "--data", stopped)
    assert result.returncode == 1 and body.stem in result.stdout and "missing" in result.stdout


def test_check_tells_of_a_body_that_nothing_refers_to(stopped):
    body = body_of(stopped, len(BODY))
    orphan = body.with_name("0" * 30 + "ff.sum")
    orphan.write_bytes(b"")
    result = tidemill("check", "--data", stopped)
    assert result.returncode == 0 and orphan.stem in result.stdout


def test_check_names_a_package_that_is_damaged_and_one_that_is_missing(stopped):
    package = body_of(stopped, len(BODY), other=True)
    package.write_bytes(package.read_bytes()[:-1] + b"?")
    result = tidemill("check", "--data", stopped)
    assert result.returncode == 1 and package.stem in result.stdout
    assert "of a function cannot be read: " in result.stdout, "that is more than that it is another"
    package.unlink()
    result = tidemill("check", "--data", stopped)
    assert result.returncode == 1 and package.stem in result.stdout and "of a function" in result.stdout
    assert "is missing" in result.stdout


def test_check_names_a_body_that_is_cut_where_its_sums_still_hold(stopped):
    body = body_of(stopped, len(BODY))
    body.write_bytes(body.read_bytes()[:2 * SUMMED_PIECE])
    result = tidemill("check", "--data", stopped)
    assert result.returncode == 1 and body.stem in result.stdout
    assert f"{len(BODY)} bytes" in result.stdout and "which has 131072" in result.stdout


def test_check_names_a_log_that_is_damaged(stopped):
    log = max((stopped / "db").glob("*.log"), key=lambda path: path.stat().st_size)
    whole = log.read_bytes()
    log.write_bytes(whole[:500] + bytes([whole[500] ^ 1]) + whole[501:])
    result = tidemill("check", "--data", stopped)
    assert result.returncode == 1 and log.name in result.stdout


def test_check_refuses_a_pond_in_use_and_what_is_none(servers, tmp_path):
    servers(tmp_path / "data")
    result = tidemill("check", "--data", tmp_path / "data")
    assert result.returncode == 2 and "in use" in result.stderr
    result = tidemill("check", "--data", tmp_path / "nothing")
    assert result.returncode == 2 and "no pond" in result.stderr
    assert not (tmp_path / "nothing").exists()


def test_a_backup_beside_large_writes_is_opened(servers, tmp_path):
    """The log that is written to is copied wherever it just is: within a record, too."""
    first = servers(tmp_path / "data")
    cloud = Cloud(first.endpoint)
    cloud.create_table(name="kept")
    done = threading.Event()

    def write(which):
        number = 0
        while not done.is_set():
            number += 1
            puts = [{"PutRequest": {"Item": {"id": {"S": f"{which}-{number}-{i}"}, "text": {"S": "x" * 100_000}}}}
                    for i in range(20)]
            cloud.dynamodb.batch_write_item(RequestItems={"kept": puts})

    writers = [threading.Thread(target=write, args=(which,)) for which in range(3)]
    for writer in writers:
        writer.start()
    try:
        for copy in range(5):
            result = tidemill("backup", "--to", tmp_path / f"copy{copy}", "--endpoint", first.endpoint)
            assert result.returncode == 0, result.stderr
    finally:
        done.set()
        for writer in writers:
            writer.join()
    for copy in range(5):
        checked = tidemill("check", "--data", tmp_path / f"copy{copy}")
        assert checked.returncode == 0, checked.stdout
        server = servers(tmp_path / f"copy{copy}")
        assert Cloud(server.endpoint).dynamodb.describe_table(TableName="kept")["Table"]["TableStatus"] == "ACTIVE"
        server.kill()


def test_check_misses_the_ledger_as_a_start_does(servers, tmp_path):
    servers(tmp_path / "data").kill()
    (tmp_path / "data" / "LOGS").unlink()
    checked = tidemill("check", "--data", tmp_path / "data")
    assert checked.returncode == 1 and "LOGS is missing" in checked.stdout
