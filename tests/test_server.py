"""The server as a program: its command line, its start and stop, its own endpoints."""
import json
import os
import pathlib
import resource
import signal
import socket
import subprocess
import threading
import urllib.error
import urllib.request

import pytest

from harness import SERVER, Cloud, Server, StartFailed, eventually, free_port, item, unique

pytestmark = pytest.mark.local


def run(*arguments, **options):
    return subprocess.run([str(SERVER), *map(str, arguments)], capture_output=True, text=True, timeout=120, **options)


def assert_one_line_that_helps(text, *words):
    """What a person gets to see when a start fails: one line, and it names what is wrong."""
    lines = [line for line in text.strip().splitlines() if line]
    assert len(lines) == 1, text
    for word in words:
        assert word in lines[0], text


# --- the command line ---

def test_help_names_the_commands_and_flags():
    result = run("--help")
    assert result.returncode == 0
    for word in ("serve", "version", "--data", "--port", "--bind", "--clock", "--account"):
        assert word in result.stdout


def test_version_prints_one_line():
    result = run("version")
    assert result.returncode == 0
    assert result.stdout.startswith("tidemill ")
    assert len(result.stdout.splitlines()) == 1


@pytest.mark.parametrize("arguments, word", [
    (["serve", "--no-such-flag"], "--no-such-flag"),
    (["serve", "--port"], "--port"),
    (["serve", "--port", "seventy"], "seventy"),
    (["serve", "--port", "70000"], "70000"),
    (["serve", "--clock", "sundial"], "sundial"),
    (["serve", "--account", "12"], "12"),
    (["mill"], "mill"),
], ids=lambda case: " ".join(case) if isinstance(case, list) else case)
def test_a_wrong_command_line_is_refused_in_one_line_that_names_it(arguments, word, tmp_path):
    result = run(*arguments, env={**os.environ, "XDG_DATA_HOME": str(tmp_path)})
    assert result.returncode not in (0, -signal.SIGABRT, -signal.SIGSEGV)
    assert_one_line_that_helps(result.stderr, word)


# Nobody is authenticated yet, so a server that others can reach would hand them everything, code execution included.
@pytest.mark.parametrize("address", ["0.0.0.0", "::", "192.0.2.1"])
def test_binding_to_anything_but_loopback_is_refused(address, tmp_path):
    result = run("serve", "--data", tmp_path / "data", "--port", 0, "--bind", address)
    assert result.returncode != 0
    assert_one_line_that_helps(result.stderr, address)


def test_a_flag_may_come_from_the_environment(start_server, tmp_path):
    server = start_server(environment={"TIDEMILL_ACCOUNT": "123456789012"})
    arn = Cloud(server.endpoint).dynamodb
    arn.create_table(TableName="trees", BillingMode="PAY_PER_REQUEST",
                     AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
                     KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}])
    assert ":123456789012:" in arn.describe_table(TableName="trees")["Table"]["TableArn"]


def test_the_default_data_directory_is_below_xdg_data_home(tmp_path):
    process = subprocess.Popen([str(SERVER), "serve", "--port", "0"], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True, env={**os.environ, "XDG_DATA_HOME": str(tmp_path)})
    try:
        assert process.stdout.readline().startswith("tidemill ready ")
        assert (tmp_path / "tidemill").is_dir()
        assert any((tmp_path / "tidemill").iterdir())
    finally:
        process.kill()
        process.wait()


# --- start and stop ---

def test_standard_output_is_the_ready_line_and_nothing_else(tmp_path):
    process = subprocess.Popen([str(SERVER), "serve", "--data", str(tmp_path / "data"), "--port", "0"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    line = process.stdout.readline()
    assert line.startswith("tidemill ready http://127.0.0.1:")
    assert int(line.strip().rsplit(":", 1)[1]) > 0
    process.send_signal(signal.SIGTERM)
    rest, _ = process.communicate(timeout=60)
    assert rest == ""
    assert process.returncode == 0


def test_a_port_in_use_is_refused_in_one_line(start_server, tmp_path):
    first = start_server(data=tmp_path / "first")
    port = first.endpoint.rsplit(":", 1)[1]
    result = run("serve", "--data", tmp_path / "second", "--port", port)
    assert result.returncode != 0
    assert_one_line_that_helps(result.stderr, port)


def test_a_data_directory_in_use_is_refused_in_one_line(start_server, tmp_path):
    start_server(data=tmp_path / "data")
    result = run("serve", "--data", tmp_path / "data", "--port", 0)
    assert result.returncode != 0
    assert_one_line_that_helps(result.stderr, str(tmp_path / "data"))


def test_a_damaged_data_directory_is_refused_in_one_line(start_server, tmp_path):
    server = start_server(data=tmp_path / "data")
    server.stop()
    damaged = [file for file in (tmp_path / "data").rglob("CURRENT")]
    assert damaged
    for file in damaged:
        file.write_bytes(b"\0" * 64)
    result = run("serve", "--data", tmp_path / "data", "--port", 0)
    assert result.returncode not in (0, -signal.SIGABRT, -signal.SIGSEGV)
    assert_one_line_that_helps(result.stderr, str(tmp_path / "data"))


def test_a_data_path_that_is_a_file_is_refused_in_one_line(tmp_path):
    (tmp_path / "data").write_text("not a directory")
    result = run("serve", "--data", tmp_path / "data", "--port", 0)
    assert result.returncode not in (0, -signal.SIGABRT, -signal.SIGSEGV)
    assert_one_line_that_helps(result.stderr, str(tmp_path / "data"))


def test_sigterm_stops_an_idle_server_long_before_its_grace_is_over(start_server):
    code, seconds = start_server("--grace", "50").stop()
    assert code == 0
    assert seconds < 30


def test_a_terminal_that_goes_away_stops_the_server_cleanly(start_server):
    server = start_server()
    server.process.send_signal(signal.SIGHUP)
    assert server.process.wait(timeout=60) == 0


def test_other_signals_do_not_end_the_server(start_server):
    server = start_server()
    for ignored in (signal.SIGUSR1, signal.SIGUSR2):
        server.process.send_signal(ignored)
    eventually(lambda: server.log().count("a signal that means nothing here") == 2, "both were seen")
    assert Cloud(server.endpoint).dynamodb.list_tables()["TableNames"] == []


def with_open_files(soft, hard):
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_the_server_may_open_as_many_files_as_it_is_allowed_to(tmp_path):
    process = subprocess.Popen([str(SERVER), "serve", "--data", str(tmp_path / "data"), "--port", "0"],
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, preexec_fn=with_open_files(256, 2048))
    try:
        assert process.stdout.readline().startswith(b"tidemill ready ")
        assert resource.prlimit(process.pid, resource.RLIMIT_NOFILE) == (2048, 2048)
    finally:
        process.kill()
        process.wait()


def test_too_few_files_to_run_are_told_with_the_number_that_is_needed(tmp_path):
    result = run("serve", "--data", tmp_path / "data", "--port", "0", preexec_fn=with_open_files(256, 512))
    assert result.returncode == 1
    assert_one_line_that_helps(result.stderr, "512", "1024", "ulimit")


# An open connection, a half-sent request and a function that runs must not hold up the stop; what is waited for with
# some grace: test_stopping.py.
def test_without_grace_sigterm_stops_a_busy_server_at_once(start_server):
    server = start_server("--grace", "0")
    cloud = Cloud(server.endpoint)
    table = cloud.create_table()
    cloud.put_item(table, id="1")  # leaves a connection open
    function = cloud.create_function("""
        import time
        def handler(event, context):
            print("asleep", flush=True)
            time.sleep(25)
    """)
    slow = subprocess.Popen(["/usr/bin/python3", "-c", f"""
import sys; sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})
from harness import Cloud
Cloud({server.endpoint!r}).invoke({function!r})
"""], stderr=subprocess.DEVNULL)
    eventually(lambda: "asleep" in server.log(), "the function runs")
    host, port = server.endpoint[7:].split(":")
    half = socket.create_connection((host, int(port)))
    half.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Le")
    code, seconds = server.stop()
    slow.kill()
    slow.wait()
    half.close()
    assert code == 0
    assert seconds < 15  # long before the function ends


def test_what_was_written_is_there_after_a_clean_restart(start_server, tmp_path):
    server = start_server()
    cloud = Cloud(server.endpoint)
    table = cloud.create_table(stream="NEW_IMAGE")
    cloud.put_item(table, id="1", text="kept")
    stream = cloud.stream_arn(table)
    server.stop()

    cloud = Cloud(start_server(data=server.data).endpoint)
    assert cloud.dynamodb.get_item(TableName=table, Key=item(id="1"))["Item"] == item(id="1", text="kept")
    assert [record["eventName"] for record in cloud.records(stream, 1)] == ["INSERT"]


def test_what_was_acknowledged_is_there_after_a_kill(start_server):
    server = start_server()
    cloud = Cloud(server.endpoint)
    table = cloud.create_table(stream="NEW_IMAGE")
    stream = cloud.stream_arn(table)
    for number in range(20):
        cloud.put_item(table, id=str(number))
    server.kill()

    cloud = Cloud(start_server(data=server.data).endpoint)
    assert cloud.dynamodb.scan(TableName=table)["Count"] == 20
    assert len(cloud.records(stream, 20)) == 20


def test_a_function_is_there_after_a_kill(start_server):
    server = start_server()
    cloud = Cloud(server.endpoint)
    function = cloud.create_function("def handler(event, context):\n    return 'here'\n")
    server.kill()

    cloud = Cloud(start_server(data=server.data).endpoint)
    assert cloud.invoke(function)[1] == "here"


def test_no_process_of_a_function_outlives_the_server(start_server):
    server = start_server()
    cloud = Cloud(server.endpoint)
    function = cloud.create_function("import os\ndef handler(event, context):\n    return os.getpid()\n")
    worker = cloud.invoke(function)[1]
    assert pathlib.Path(f"/proc/{worker}").exists()
    server.stop()
    eventually(lambda: not pathlib.Path(f"/proc/{worker}").exists(), "the worker ended")


def test_no_process_of_a_function_outlives_a_killed_server_for_long(start_server):
    server = start_server()
    cloud = Cloud(server.endpoint)
    function = cloud.create_function("import os\ndef handler(event, context):\n    return os.getpid()\n")
    worker = cloud.invoke(function)[1]
    server.kill()
    eventually(lambda: not pathlib.Path(f"/proc/{worker}").exists(), "the worker ended")


# --- its own endpoints ---

def test_health_says_that_the_server_serves(start_server):
    server = start_server()
    with urllib.request.urlopen(server.endpoint + "/_tidemill/health", timeout=5) as answer:
        assert answer.status == 200
        assert json.load(answer)


def test_metrics_are_in_the_text_format_of_prometheus(start_server):
    cloud = Cloud(start_server().endpoint)
    table = cloud.create_table()
    cloud.put_item(table, id="1")
    text = cloud.get("/metrics")
    samples = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            name, number = line.rsplit(" ", 1)
            samples[name] = float(number)
    assert any("PutItem" in name for name in samples), text[:2000]
    assert all(name.startswith(("tidemill_", "process_")) for name in samples)
    for line in text.splitlines():
        assert not line.startswith("# TYPE") or line.split()[-1] in ("counter", "gauge", "histogram")


def test_metrics_count_what_is_asked(start_server):
    cloud = Cloud(start_server().endpoint)
    table = cloud.create_table()

    def puts():
        return sum(float(line.rsplit(" ", 1)[1]) for line in cloud.get("/metrics").splitlines()
                   if "PutItem" in line and not line.startswith("#")
                   and ("_count" in line.split("{")[0] or "_total" in line.split("{")[0])
                   and "error" not in line.split("{")[0])

    before = puts()
    for number in range(5):
        cloud.put_item(table, id=str(number))
    assert puts() - before >= 5


# --- the clock ---

def test_the_virtual_clock_stands_still_until_it_is_turned(start_server):
    cloud = Cloud(start_server("--clock", "virtual").endpoint)
    before = cloud.now()
    cloud.create_table()
    assert cloud.now() == before
    cloud.advance(3600)
    assert cloud.now() == pytest.approx(before + 3600)


def test_turning_a_week_takes_no_time(start_server):
    server = start_server("--clock", "virtual")
    cloud = Cloud(server.endpoint)
    cloud.create_table(stream="KEYS_ONLY")
    before = server.processor_seconds()
    cloud.advance(7 * 24 * 3600)
    assert server.processor_seconds() - before < 5


def test_the_virtual_clock_is_what_clients_see(start_server):
    cloud = Cloud(start_server("--clock", "virtual").endpoint)
    table = cloud.create_table()
    first = cloud.dynamodb.describe_table(TableName=table)["Table"]["CreationDateTime"].timestamp()
    cloud.advance(1000)
    second = cloud.dynamodb.describe_table(TableName=cloud.create_table())["Table"]["CreationDateTime"].timestamp()
    assert second - first == pytest.approx(1000, abs=1)


# Time must not run backwards over a restart: what was due stays due, sequence numbers keep growing.
def test_the_virtual_clock_does_not_go_back_over_a_restart(start_server):
    server = start_server("--clock", "virtual")
    cloud = Cloud(server.endpoint)
    table = cloud.create_table(stream="KEYS_ONLY")
    cloud.advance(100_000)
    cloud.put_item(table, id="1")
    at = cloud.now()
    server.stop()
    cloud = Cloud(start_server("--clock", "virtual", data=server.data).endpoint)
    assert cloud.now() >= at - 1


@pytest.mark.parametrize("body", [b"", b"{}", b"{", b'{"advance": -5}', b'{"advance": "a while"}', b'[1]'])
def test_the_clock_refuses_what_it_does_not_understand(start_server, body):
    server = start_server("--clock", "virtual")
    request = urllib.request.Request(server.endpoint + "/_tidemill/clock", data=body, method="POST")
    with pytest.raises(urllib.error.HTTPError) as error:
        urllib.request.urlopen(request, timeout=10)
    assert error.value.code == 400


def test_the_real_clock_cannot_be_turned(start_server):
    server = start_server()
    request = urllib.request.Request(server.endpoint + "/_tidemill/clock", data=b'{"advance": 60}', method="POST")
    with pytest.raises(urllib.error.HTTPError) as error:
        urllib.request.urlopen(request, timeout=10)
    assert 400 <= error.value.code < 500


def test_explain_says_which_servers_know_why(start_server):
    told = run("explain", "--endpoint", start_server().endpoint)
    assert (told.returncode, told.stdout) == (1, "")
    assert_one_line_that_helps(told.stderr, "start the server with --auth iam")


def test_a_server_that_cannot_start_says_so_to_the_harness(tmp_path):
    with pytest.raises(StartFailed):
        Server(tmp_path / "data", "--clock", unique("sundial")).start()


# --- the log ---

def test_the_log_goes_to_a_file_where_one_is_named(start_server, tmp_path):
    server = start_server("--log-file", tmp_path / "log")
    server.stop()
    assert "event=stopping" in (tmp_path / "log").read_text()
    assert server.log() == ""


def test_a_log_file_that_cannot_be_written_is_refused(start_server, tmp_path):
    with pytest.raises(StartFailed) as failed:
        start_server("--log-file", tmp_path / "no" / "log")
    assert_one_line_that_helps(failed.value.errors, "cannot write the log")


def test_who_asks_before_a_server_is_ready_is_answered_as_afterwards(tmp_path):
    """Until it is, connections wait: the first answer is no half one."""
    port = free_port()
    for start in range(5):
        server = Server(tmp_path / "data", port=port)
        first = []

        def ask():
            while not first:
                try:
                    with socket.create_connection(("127.0.0.1", port)) as connection:
                        connection.settimeout(20)
                        connection.sendall(b"GET /_tidemill/health HTTP/1.1\r\nHost: localhost\r\n\r\n")
                        first.append(connection.recv(4096))
                except ConnectionError:
                    continue

        asking = threading.Thread(target=ask)
        asking.start()
        server.start()
        asking.join()
        server.kill()
        assert first[0].startswith(b"HTTP/1.1 200 "), first[0]
