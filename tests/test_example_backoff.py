"""examples/failure-backoff does what its README says: a burst of failures is one alert in each way, and the next one tells
how many were held back."""
import json
import os
import re
import subprocess
import urllib.error

import pytest

from harness import ROOT, SERVER, Cloud

pytestmark = pytest.mark.local
FOLDER = ROOT / "examples" / "failure-backoff"


@pytest.fixture
def example(start_server, tmp_path):
    server = start_server("--clock", "virtual")

    def run(program, *arguments):
        environment = {**{name: text for name, text in os.environ.items() if not name.startswith("AWS_")},
                       "TIDEMILL_ENDPOINT": server.endpoint, "HOME": str(tmp_path)}
        done = subprocess.run([str(program), *arguments], capture_output=True, text=True, timeout=300, env=environment)
        assert done.returncode == 0, done.stderr + server.log()[-3000:]
        return sorted(done.stdout.splitlines())

    run(FOLDER / "deploy")
    run(FOLDER / "deploy")  # again: keeps what is there
    run.cloud = Cloud(server.endpoint)
    return run


def fail_and_report(example, *arguments):
    example(FOLDER / "fail", *arguments)
    example.cloud.advance(0.001)  # until all is quiet
    return example(FOLDER / "report")


def held_back(report, error):
    """How many the topic's alert and the tracker's tell of: there is one of each."""
    found = [re.fullmatch(rf"(topic|tracker): {error}, (\d+) held back before", line) for line in report]
    assert [each[1] for each in found] == ["topic", "tracker"], report
    return [int(each[2]) for each in found]


def test_a_burst_of_failures_is_one_alert_and_the_next_one_tells_of_it(example):
    topic, tracker = held_back(fail_and_report(example), "TimeoutError")
    assert topic == 0
    example.cloud.advance(60)
    # Of those that the tracker counts at once not always the first tells.
    assert held_back(fail_and_report(example, "--times", "1"), "TimeoutError") == [19, 19 - tracker]
    topic, _ = held_back(fail_and_report(example, "--times", "3", "--error", "KeyError"), "KeyError")
    assert topic == 0


def test_a_kind_can_be_listed_silenced_and_reset(example):
    fail_and_report(example, "--times", "2")
    line, = example(SERVER, "backoff", "alerts")
    principal = line.split("  ")[0]
    assert principal.endswith(":function:failing:$LATEST")
    assert "  TimeoutError  reports 2  delivered 1  held back 1  " in line

    kind = "--principal", principal, "--cause", "TimeoutError"
    example(SERVER, "backoff", "alerts", *kind, "--silence", "2h")
    assert "silent until" in example(SERVER, "backoff", "alerts")[0]
    example.cloud.advance(3600)
    assert "topic" not in "".join(fail_and_report(example, "--times", "1"))
    example(SERVER, "backoff", "alerts", *kind, "--reset")
    assert "topic: TimeoutError, 0 held back before" in fail_and_report(example, "--times", "1")


def test_what_is_wrong_is_said(example):
    def refused(*arguments):
        done = subprocess.run([str(SERVER), "backoff", *arguments, "--endpoint", example.cloud.endpoint],
                              capture_output=True, text=True, timeout=60)
        assert done.returncode != 0
        return done.stderr

    assert "there is no such topic" in refused("nothing")
    assert "lacks the attribute TidemillBackoff" in refused("failures")
    kind = "--principal", "failing", "--cause", "TimeoutError"
    for change in ("--reset",), ("--silence", "2h"):
        assert "nothing of that principal and cause has been reported yet" in refused("alerts", *kind, *change)
        assert f"{change[0]} is for one kind of message and lacks --principal and --cause" in refused("alerts", *change)
        assert "lacks --cause\n" in refused("alerts", *kind[:2], *change)
        assert "lacks --principal\n" in refused("alerts", *kind[2:], *change)
    assert "go with --silence or --reset" in refused("alerts", *kind)
    assert example(SERVER, "backoff", "alerts") == ["nothing was published yet that it could hold back"]
    assert "tidemill backoff TOPIC" in refused()


def test_what_is_wrong_is_said_over_http(example):
    kind = {"topic": "arn:aws:sns:us-east-1:000000000000:alerts", "principal": "", "cause": ""}

    def refused(**body):
        with pytest.raises(urllib.error.HTTPError) as caught:
            example.cloud.put("/_tidemill/backoff", body)
        return caught.value.code, json.loads(caught.value.read())["error"]

    assert refused(topic=kind["topic"], reset=True) == (400, 'the body lacks "principal", "cause"')
    assert refused(**kind, silence=1, quiet=True) == (400, 'the body has no "quiet"')
    assert example.cloud.put("/_tidemill/backoff", {**kind, "silence": 1}) == {"done": False}
