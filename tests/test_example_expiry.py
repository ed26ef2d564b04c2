"""examples/precise-expiry does what its README says: both ways delete what has expired; by hand there is a gap, which native
expiry has not; and what a batch leaves unprocessed is tried again."""
import os
import subprocess

import pytest

from harness import ROOT, SERVER, Cloud, eventually

pytestmark = pytest.mark.local
FOLDER = ROOT / "examples" / "precise-expiry"
TEN_MINUTES = 600
CLEAN = ["sessions-native: 0 items, 0 of them left behind", "sessions-by-hand: 0 items, 0 of them left behind"]


@pytest.fixture
def example(start_server, tmp_path):
    server = start_server("--clock", "virtual")

    def run(program, *arguments):
        environment = {**{name: text for name, text in os.environ.items() if not name.startswith("AWS_")},
                       "TIDEMILL_ENDPOINT": server.endpoint, "HOME": str(tmp_path)}
        done = subprocess.run([str(program), *arguments], capture_output=True, text=True, timeout=300, env=environment)
        assert done.returncode == 0, done.stderr + server.log()[-3000:]
        return done.stdout.splitlines()

    run.cloud = Cloud(server.endpoint)
    # Windows and minutes fall the same way in each run.
    run.cloud.advance(TEN_MINUTES - run.cloud.now() % TEN_MINUTES)
    return run


def deploy(example, *arguments):
    example(FOLDER / "deploy", *arguments)
    example(FOLDER / "deploy", *arguments)  # again: keeps what is there


def tidemill(example, *arguments):
    return example(SERVER, *arguments)


def by_hand(example):
    return example.cloud.dynamodb.scan(TableName="sessions-by-hand", ConsistentRead=True)["Count"]


def test_both_ways_delete_what_has_expired(example):
    deploy(example)
    example(FOLDER / "write", "--items", "60", "--seconds-apart", "10")
    assert example(FOLDER / "report")[1] == "sessions-by-hand: 60 items, 0 of them left behind"
    tidemill(example, "clock", "advance", "301s")
    native, hand = example(FOLDER / "report")
    assert native == "sessions-native: 30 items, 0 of them left behind"
    assert hand == "sessions-by-hand: 31 items, 0 of them left behind"  # the one of that minute comes with the next
    tidemill(example, "clock", "advance", "10m")
    assert example(FOLDER / "report") == CLEAN


def test_every_two_minutes_is_too_seldom_for_windows_of_five(example):
    deploy(example, "--every", "2")
    example(FOLDER / "write", "--items", "120", "--seconds-apart", "10")
    tidemill(example, "clock", "advance", "1h")
    assert example(FOLDER / "report") == [
        "sessions-native: 0 items, 0 of them left behind",
        "sessions-by-hand: 12 items, 12 of them left behind"]


def test_what_is_left_unprocessed_is_tried_again(example):
    deploy(example)
    example(FOLDER / "write", "--items", "40", "--seconds-apart", "1")
    # The first 25 come back three times, and are deleted with the third retry.
    tidemill(example, "faults", "add", "--service", "dynamodb", "--operation", "BatchWriteItem", "--partial", "--times", "75")
    tidemill(example, "clock", "advance", "1m")
    assert by_hand(example) == 0
    assert " struck 75 of " in tidemill(example, "faults", "list")[0]
    retries = eventually(lambda: len(found := [line for line in tidemill(example, "logs", "expire") if "retry" in line]) >= 3
                         and found, "the log has the retries")
    assert ["retry 1: 25 items are left", "retry 2: 25 items are left", "retry 3: 25 items are left"] == [
        line[line.index("retry"):] for line in retries]


def test_an_invocation_that_gives_up_is_repeated(example):
    deploy(example)
    example(FOLDER / "write", "--items", "20", "--seconds-apart", "1")
    # Four attempts of an invocation leave all twenty, and so does the first of the next one.
    tidemill(example, "faults", "add", "--service", "dynamodb", "--operation", "BatchWriteItem", "--partial", "--times", "100")
    example.cloud.advance(60)
    assert by_hand(example) == 20
    example.cloud.advance(120)
    assert example(FOLDER / "report") == CLEAN


def test_some_of_a_batch_by_chance(example):
    deploy(example)
    example(FOLDER / "write", "--items", "60", "--seconds-apart", "1")
    tidemill(example, "faults", "add", "--service", "dynamodb", "--operation", "BatchWriteItem", "--partial",
             "--probability", "0.3", "--seed", "5")
    example.cloud.advance(180)
    assert by_hand(example) == 0
