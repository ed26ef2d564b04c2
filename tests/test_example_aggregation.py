"""examples/stream-aggregation does what its README says: totals are right, also through a crash in the middle of a window,
and the record that cannot be read is given up alone, and counted once it is replayed."""
import os
import subprocess

import pytest

from harness import REGION, ROOT, SERVER, Cloud

pytestmark = pytest.mark.local
FOLDER = ROOT / "examples" / "stream-aggregation"
WINDOWS_OVER = 300  # seconds: beyond the wait for a record that would end a window


@pytest.fixture
def run(aws_program):
    def run(program, server, home, *arguments, **more):
        environment = {**{name: text for name, text in os.environ.items() if not name.startswith("AWS_")},
                       "PATH": f"{aws_program.parent}:/usr/bin:/bin:" + os.environ["PATH"],
                       "TIDEMILL_ENDPOINT": server.endpoint, "HOME": str(home), **more}
        done = subprocess.run([str(FOLDER / program), *arguments], capture_output=True, text=True, timeout=300,
                              env=environment)
        assert done.returncode == 0, done.stderr + server.log()[-3000:]
        return done.stdout.splitlines()
    return run


def parsed(lines):
    return {name: int(amount) for name, amount in (line.split() for line in lines)}


def test_a_record_that_cannot_be_read_is_given_up_alone_and_replayed(run, start_server, tmp_path):
    server = start_server("--clock", "virtual")
    run("deploy", server, tmp_path)
    wanted = parsed(run("trade", server, tmp_path, "--poison", "--sales", "12"))
    Cloud(server.endpoint).advance(WINDOWS_OVER)
    *totals, given_up = run("report", server, tmp_path)
    assert parsed(totals) == wanted
    assert given_up.startswith("given up: 1 in shardId-")

    run("deploy", server, tmp_path, READS_EUROS="yes")
    replayed = subprocess.run([str(SERVER), "replay", "--queue", "poisoned"], capture_output=True, text=True, timeout=120,
                              env={**os.environ, "TIDEMILL_ENDPOINT": server.endpoint, "AWS_REGION": REGION})
    assert replayed.returncode == 0, replayed.stdout + replayed.stderr
    wanted["sales/north"] += 500
    assert parsed(run("report", server, tmp_path)) == wanted


def test_a_crash_in_the_middle_of_a_window_changes_no_total(run, start_server, tmp_path):
    server = start_server("--clock", "virtual")
    run("deploy", server, tmp_path)
    first = run("trade", server, tmp_path, "--sales", "6")
    Cloud(server.endpoint).advance(1)
    server.kill()
    server = start_server("--clock", "virtual", data=server.data)
    run("deploy", server, tmp_path)  # again: keeps what is there
    second = run("trade", server, tmp_path, "--sales", "8")
    Cloud(server.endpoint).advance(WINDOWS_OVER)

    first, second, totals = parsed(first), parsed(second), parsed(run("report", server, tmp_path))
    assert totals == {name: second[name] + (first[name] if name.startswith("sales/") else 0) for name in second}
    windows = run("report", server, tmp_path, "--windows")
    assert len(windows) == len(set(windows)) > 0
