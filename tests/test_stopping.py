"""A stop gives what is under way its time, and lets nobody wait for what will not come."""
import json
import signal
import threading
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import pytest

from harness import Cloud, eventually

pytestmark = pytest.mark.local

SLEEPER = """
    import pathlib, time
    def handler(event, context):
        pathlib.Path(event["begun"]).touch()
        time.sleep(event["seconds"])
        return "slept"
"""


def grace(seconds):
    return {"environment": {"TIDEMILL_GRACE": str(seconds)}}


@pytest.fixture
def pool():
    with ThreadPoolExecutor(4) as pool:
        yield pool


def invoke_sleeper(cloud, pool, tmp_path, seconds):
    """A call of a function that has begun to sleep."""
    name = cloud.create_function(SLEEPER)
    begun = tmp_path / "begun"
    call = pool.submit(cloud.invoke, name, {"begun": str(begun), "seconds": seconds})
    eventually(begun.exists)
    return call


def test_a_function_that_runs_when_the_server_stops_is_waited_for_and_its_caller_answered(start_server, pool, tmp_path):
    server = start_server(**grace(50))
    call = invoke_sleeper(Cloud(server.endpoint), pool, tmp_path, 2)
    code, seconds = server.stop()
    assert code == 0 and seconds < 40
    assert call.result()[1] == "slept"


def test_nothing_is_waited_for_beyond_the_grace(start_server, pool, tmp_path):
    server = start_server(**grace(1))
    call = invoke_sleeper(Cloud(server.endpoint), pool, tmp_path, 25)
    code, seconds = server.stop()
    assert code == 0 and 0.9 < seconds < 20
    assert call.exception() is not None
    assert "stopped with work under way" in server.log()


def test_a_second_signal_ends_the_server_at_once(start_server, pool, tmp_path):
    server = start_server("--grace", "60")
    invoke_sleeper(Cloud(server.endpoint), pool, tmp_path, 25)
    server.process.send_signal(signal.SIGTERM)
    eventually(lambda: "stopping" in server.log())
    code, seconds = server.stop()
    assert code == 0 and seconds < 20


def test_a_long_poll_is_answered_at_once_when_the_server_stops(start_server, pool):
    server = start_server(**grace(50))
    cloud = Cloud(server.endpoint)
    queue = cloud.sqs.create_queue(QueueName="q")["QueueUrl"]
    poll = pool.submit(cloud.sqs.receive_message, QueueUrl=queue, WaitTimeSeconds=20)
    # Itself, and the request for the metrics.
    eventually(lambda: "\ntidemill_requests_under_way 2" in
               urllib.request.urlopen(server.endpoint + "/metrics").read().decode())
    code, seconds = server.stop()
    assert code == 0 and seconds < 15
    assert "Messages" not in poll.result()


def test_on_a_clock_that_stands_a_long_poll_ends_after_the_real_time(start_server):
    server = start_server("--clock", "virtual")
    cloud = Cloud(server.endpoint)
    queue = cloud.sqs.create_queue(QueueName="q")["QueueUrl"]
    began = time.monotonic()
    assert "Messages" not in cloud.sqs.receive_message(QueueUrl=queue, WaitTimeSeconds=1)
    assert time.monotonic() - began > 0.9


def test_an_idle_connection_does_not_hold_a_stop_up(start_server):
    server = start_server(**grace(50))
    cloud = Cloud(server.endpoint)
    cloud.dynamodb.list_tables()  # its connection stays open
    stop_asking = threading.Event()

    def ask():
        while not stop_asking.is_set():
            try:
                cloud.dynamodb.list_tables()
            except Exception:
                return

    asking = threading.Thread(target=ask)
    asking.start()
    code, seconds = server.stop()
    stop_asking.set()
    asking.join()
    assert code == 0 and seconds < 40


def test_a_backup_that_is_under_way_is_cut_short_and_says_so(start_server, pool, tmp_path):
    server = start_server(**grace(60))
    with open(server.data / "large", "wb") as file:
        file.truncate(1 << 42)  # a file of the user's in the pond: it takes hours to copy
    copy = tmp_path / "copy"

    def back_up():
        request = urllib.request.Request(server.endpoint + "/_tidemill/backup", method="POST",
                                         data=json.dumps({"to": str(copy)}).encode())
        try:
            return urllib.request.urlopen(request).status, ""
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)["error"]

    call = pool.submit(back_up)
    eventually(lambda: (copy / "large").exists() and (copy / "large").stat().st_size > 0)
    code, seconds = server.stop()
    assert code == 0 and seconds < 40
    status, error = call.result()
    assert status == 503 and "cut short" in error
    assert not copy.exists()
