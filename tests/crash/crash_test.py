#!/usr/bin/python3
"""Kills the server at random moments while it works, and checks that nothing promised was lost. See README.md here.

Usage: crash_test.py [--kills N] [--seed N] [--writers N] [--faults KIND,...] [--keep]
"""
import argparse
import collections
import json
import os
import pathlib
import random
import shutil
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from bank import Bank  # noqa: E402
from copies import Copies  # noqa: E402
from events import Events  # noqa: E402
from executions import Executions  # noqa: E402
from expiring import Expiring  # noqa: E402
from faults import KINDS, Faults  # noqa: E402
from fed import Fed  # noqa: E402
from harness import Cloud, Server, eventually, item  # noqa: E402
from kept import Kept  # noqa: E402
from messages import Queues  # noqa: E402
from objects import Objects  # noqa: E402
from piped import Piped  # noqa: E402
from records import Records  # noqa: E402
from stacks import Stacks  # noqa: E402
from timed import Timed  # noqa: E402

TABLE = "crash"
OLD_ITEMS = 1500  # there before everything else, so that filling an index takes a while
ITEMS_PER_WRITER = 5
UP_SECONDS = (0.2, 2.5)  # how long a server lives before it is killed
FAULT_SECONDS = (0.0, 1.5)  # how long one has a fault before, and how long it lives behind those that have passed
PASSING_MAX = 4  # faults that come and go before that one
PASSING_SECONDS = (0.0, 0.7)  # how long each of them lasts, and the time to the next
SHORTAGES = ("the disk is full", "too many files are open", "Too many open files", "Rate Exceeded", "slow down")
SETTLE_SECONDS = 180

FUNCTION = """
import json, os

def handler(event, context):
    lines = "".join(
        json.dumps([record["dynamodb"]["Keys"]["id"]["S"], int(record["dynamodb"]["NewImage"]["n"]["N"])]) + "\\n"
        for record in event["Records"])
    file = os.open(os.environ["SEEN_FILE"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(file, lines.encode())
    os.fsync(file)
    os.close(file)
"""


class Violation(Exception):
    """A promise was broken."""


class Run:
    def __init__(self, arguments, directory):
        self.random = random.Random(arguments.seed)
        self.arguments = arguments
        self.directory = directory
        self.faults = Faults(arguments.faults, directory, self.random)
        self.server = Server(self.faults.data, port=0, log=directory / "log", environment=self.faults.environment)
        self.sent = collections.Counter()          # item -> highest n that was ever sent
        self.acknowledged = collections.Counter()  # item -> highest n that was acknowledged
        self.all_acknowledged = collections.defaultdict(list)
        self.seen_by_reader = collections.Counter()
        self.seen_in_stream = collections.defaultdict(list)
        self.up = threading.Event()                # the server is up
        self.done = threading.Event()
        self.violations = []
        self.reads = self.restarts = self.index_checks = self.filled = 0
        self.copies = Copies(self)
        # Each has open(cloud) before the first kill, tasks() for threads of their own, check(cloud) at the end, and summary().
        self.works = [Bank(self), self.copies, Expiring(self), Queues(self), Fed(self), Records(self), Events(self), Timed(self),
                      Executions(self), Piped(self), Stacks(self), Kept(self), Objects(self)]
        if "clock" in arguments.faults:  # they go by the time of the machine that they run on
            self.works = [work for work in self.works if not isinstance(work, (Copies, Expiring, Timed))]

    # --- the server ---

    def start(self):
        self.faults.before_start()
        self.server.start()
        if self.server.port == 0:  # clients must find it again
            self.server.port = int(self.server.endpoint.rsplit(":", 1)[1])
        self.up.set()

    def require_alive(self):
        if (status := self.server.process.poll()) is not None:
            raise Violation(f"the server ended by itself, with status {status}: see its log")

    def kill(self):
        self.require_alive()
        self.up.clear()
        self.server.kill()
        self.faults.after_kill()

    def cloud(self):
        return Cloud(self.server.endpoint)

    def deploy(self):
        cloud = self.cloud()
        cloud.create_table(name=TABLE, AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"}
                                                             for name in ("id", "g")],
                           GlobalSecondaryIndexes=[self.index("first", {"ProjectionType": "ALL"})])
        for start in range(0, OLD_ITEMS, 25):
            cloud.dynamodb.batch_write_item(RequestItems={TABLE: [
                {"PutRequest": {"Item": item(id=f"old-{number}", n=0, g=str(number % 3))}}
                for number in range(start, start + 25)]})
        cloud.dynamodb.update_table(TableName=TABLE, StreamSpecification={"StreamEnabled": True,
                                                                          "StreamViewType": "NEW_IMAGE"})
        cloud.create_function(FUNCTION, name="crash-seen",
                              Environment={"Variables": {"SEEN_FILE": str(self.directory / "seen")}})
        cloud.create_mapping("crash-seen", cloud.stream_arn(TABLE), BatchSize=10)
        self.stream = cloud.stream_arn(TABLE)
        for work in self.works:
            work.open(cloud)

    # --- indexes ---

    @staticmethod
    def index(name, projection):
        return {"IndexName": name, "Projection": projection, "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}]}

    def turn_index(self):
        """Checks the indexes that can be read. The second one comes and goes, so that it is filled through kills."""
        cloud = self.cloud()
        self.check_index(cloud, "first")
        late = self.late_status(cloud)
        if late == "ACTIVE":
            self.check_index(cloud, "late")
            cloud.dynamodb.update_table(TableName=TABLE, GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "late"}}])
            self.filled += 1
        elif late is None:
            cloud.dynamodb.update_table(
                TableName=TABLE, AttributeDefinitions=[{"AttributeName": "g", "AttributeType": "S"}],
                GlobalSecondaryIndexUpdates=[{"Create": self.index("late", {"ProjectionType": "INCLUDE",
                                                                            "NonKeyAttributes": ["n"]})}])

    @staticmethod
    def late_status(cloud):
        indexes = cloud.dynamodb.describe_table(TableName=TABLE)["Table"]["GlobalSecondaryIndexes"]
        return next((index["IndexStatus"] for index in indexes if index["IndexName"] == "late"), None)

    @staticmethod
    def contents(cloud, **source):
        pages = cloud.dynamodb.get_paginator("scan").paginate(
            TableName=TABLE, ProjectionExpression="id, n, g", **source)
        return {found["id"]["S"]: found for page in pages for found in page["Items"]}

    def check_index(self, cloud, name):
        """What the index says of items that did not change while it was read must be what the table says."""
        before = self.contents(cloud, ConsistentRead=True)
        entries = self.contents(cloud, IndexName=name)
        after = self.contents(cloud, ConsistentRead=True)
        for key, found in before.items():
            expected = found if "g" in found else None
            if after.get(key) == found and entries.get(key) != expected:
                self.violations.append(f"index {name}: item {key} is {found}, its entry {entries.get(key)}")
        for key in entries.keys() - before.keys() - after.keys():
            self.violations.append(f"index {name}: an entry of {key}, which does not exist")
        self.index_checks += 1

    # --- what runs meanwhile ---

    def in_thread(self, work, *arguments):
        def guarded():
            try:
                work(*arguments)
            except Violation as violation:
                self.violations.append(str(violation))
                self.done.set()
            except Exception as error:  # a defect of this program must not pass for success
                self.violations.append(f"{work.__name__}: {type(error).__name__}: {error}")
                self.done.set()

        thread = threading.Thread(target=guarded, daemon=True)
        thread.start()
        return thread

    def attempt(self, call):
        """call()'s answer, or None while the server is down or dying. Other refusals are violations."""
        try:
            return call()
        except Exception as error:
            name = type(error).__name__
            if name in ("EndpointConnectionError", "ConnectionClosedError", "ReadTimeoutError", "ConnectTimeoutError",
                        "ConnectionError", "HTTPClientError", "ResponseStreamingError", "IncompleteReadError", "ConnectionResetError"):
                self.up.wait(1)
                time.sleep(0.01)
                return None
            if name == "ResponseParserError":  # an answer that was cut off
                return None
            status = getattr(error, "response", {}).get("ResponseMetadata", {}).get("HTTPStatusCode")
            if status == 503 or self.is_of_shortage(error):
                time.sleep(0.01)
                return None
            raise

    def is_of_shortage(self, error):
        """Whether a refusal may come of a fault: nothing of the request was done."""
        message = getattr(error, "response", {}).get("Error", {}).get("Message", "")
        return bool(self.arguments.faults) and any(text in message for text in SHORTAGES)

    def write(self, writer):
        """Counts its items up, one after the other. An unanswered write may be there or not: it is not repeated, the
        next one carries a higher number."""
        chance = random.Random(self.arguments.seed * 1000 + writer)
        cloud = self.cloud()
        while not self.done.is_set():
            key = f"{writer}-{chance.randrange(ITEMS_PER_WRITER)}"
            number = self.sent[key] + 1
            filler = "x" * chance.choice((0, 10, 1000, 20_000))
            self.sent[key] = number
            use_update = chance.random() < 0.3
            if use_update:
                answer = self.attempt(lambda: cloud.dynamodb.update_item(
                    TableName=TABLE, Key=item(id=key), UpdateExpression="SET n = :n, f = :f",
                    ExpressionAttributeValues={":n": {"N": str(number)}, ":f": {"S": filler}}))
            else:
                group = {"g": chance.choice("012")} if chance.random() < 0.8 else {}
                answer = self.attempt(lambda: cloud.put_item(TABLE, id=key, n=number, f=filler, **group))
            if answer is not None:
                self.acknowledged[key] = number
                self.all_acknowledged[key].append(number)

    def read(self):
        """Reads items; what was seen or acknowledged before the read began must be there."""
        chance = random.Random(self.arguments.seed + 1)
        cloud = self.cloud()
        while not self.done.is_set():
            key = f"{chance.randrange(self.arguments.writers)}-{chance.randrange(ITEMS_PER_WRITER)}"
            least = max(self.acknowledged[key], self.seen_by_reader[key])
            answer = self.attempt(lambda: cloud.dynamodb.get_item(TableName=TABLE, Key=item(id=key), ConsistentRead=True))
            if answer is None:
                continue
            self.reads += 1
            found = int(answer["Item"]["n"]["N"]) if "Item" in answer else 0
            if found < least:
                raise Violation(f"item {key}: a reader found {found} after {least} had been acknowledged or seen")
            self.seen_by_reader[key] = max(found, self.seen_by_reader[key])

    def read_stream(self):
        """Follows every shard of the stream by sequence number, through all restarts."""
        cloud = self.cloud()
        after = {}
        while not self.done.is_set():
            shards = self.attempt(lambda: cloud.shards(self.stream))
            for shard in shards or []:
                self.attempt(lambda: self.follow(cloud, shard["ShardId"], after))

    def follow(self, cloud, shard, after):
        position = {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": after[shard]} if shard in after else \
            {"ShardIteratorType": "TRIM_HORIZON"}
        iterator = cloud.streams.get_shard_iterator(StreamArn=self.stream, ShardId=shard, **position)["ShardIterator"]
        for record in cloud.streams.get_records(ShardIterator=iterator)["Records"]:
            change = record["dynamodb"]
            number = int(change["NewImage"]["n"]["N"])
            self.seen_in_stream[change["Keys"]["id"]["S"]].append(number)
            after[shard] = change["SequenceNumber"]

    # --- the run ---

    def run(self):
        self.start()
        self.deploy()
        threads = [self.in_thread(self.write, writer) for writer in range(self.arguments.writers)]
        threads += [self.in_thread(self.read), self.in_thread(self.read), self.in_thread(self.read_stream)]
        threads += [self.in_thread(*task) for work in self.works for task in work.tasks()]
        for _ in range(self.arguments.kills):
            if self.done.wait(self.random.uniform(*UP_SECONDS)):
                break
            if self.copies in self.works:
                self.copies.before_kill(self.cloud(), self.random)
            self.suffer()
            self.kill()
            self.start()
            self.restarts += 1
            self.turn_index()
            if self.copies in self.works:
                self.copies.turn(self.cloud())
        self.faults.settle()
        self.done.wait(1)
        self.done.set()
        for thread in threads:
            thread.join(180)  # as long as an answer may take
        if not self.violations:
            self.check()

    def suffer(self):
        """Faults that pass, and one that may pass before the kill."""
        if not self.arguments.faults:
            return
        for _ in range(self.random.randint(0, PASSING_MAX)):
            self.require_alive()
            self.faults.meanwhile(self.server.process)
            self.done.wait(self.random.uniform(*PASSING_SECONDS))
            self.faults.end_shortage()
            self.done.wait(self.random.uniform(*PASSING_SECONDS))
        self.require_alive()
        self.faults.meanwhile(self.server.process)
        self.done.wait(self.random.uniform(*FAULT_SECONDS))
        if self.random.random() < 0.5:
            self.faults.end_shortage()
            self.done.wait(self.random.uniform(*FAULT_SECONDS))

    def check(self):
        cloud = self.cloud()
        for work in self.works:
            work.check(cloud)
        self.check_items(cloud)
        self.check_index(cloud, "first")
        if self.late_status(cloud):
            eventually(lambda: self.late_status(cloud) == "ACTIVE", "the index is filled", SETTLE_SECONDS, 0.1)
            self.check_index(cloud, "late")
        written = self.check_stream(cloud)
        eventually(lambda: self.function_saw(written), "the function saw every change", SETTLE_SECONDS, 0.1)
        self.check_function(written)

    def check_items(self, cloud):
        by_function = collections.Counter()
        for key, number in self.seen_by_function():
            by_function[key] = max(by_function[key], number)
        for key in self.sent:
            answer = cloud.dynamodb.get_item(TableName=TABLE, Key=item(id=key), ConsistentRead=True)
            found = int(answer["Item"]["n"]["N"]) if "Item" in answer else 0
            least = max(self.acknowledged[key], self.seen_by_reader[key], by_function[key], *self.seen_in_stream[key], 0)
            if found < least:
                self.violations.append(f"item {key}: {found} at the end, but {least} had been acknowledged or seen")
            if found > self.sent[key]:
                self.violations.append(f"item {key}: {found} at the end, but {self.sent[key]} was the last to be sent")

    def check_stream(self, cloud):
        """item -> the numbers that the stream holds, which are those that were written."""
        written = collections.defaultdict(list)
        for shard in cloud.shards(self.stream):
            for record in cloud.shard_records(self.stream, shard["ShardId"]):
                change = record["dynamodb"]
                written[change["Keys"]["id"]["S"]].append(int(change["NewImage"]["n"]["N"]))
        for key in self.sent:
            numbers = written[key]
            if lost := set(self.all_acknowledged[key]) - set(numbers):
                self.violations.append(f"item {key}: acknowledged changes {sorted(lost)[:5]} are not in the stream")
            if numbers != sorted(set(numbers)):
                self.violations.append(f"item {key}: its changes are not each once and in order in the stream")
            followed = self.seen_in_stream[key]
            if followed != [number for number in numbers if number <= (followed or [0])[-1]]:
                self.violations.append(f"item {key}: the stream's reader saw {followed[-5:]}…, the stream holds "
                                       f"{numbers[-5:]}…")
            last = int(cloud.dynamodb.get_item(TableName=TABLE, Key=item(id=key), ConsistentRead=True)
                       .get("Item", {"n": {"N": "0"}})["n"]["N"])
            if (numbers or [0])[-1] != last:
                self.violations.append(f"item {key}: holds {last}, but the stream ends with {numbers[-1:]}")
        return written

    def seen_by_function(self):
        path = self.directory / "seen"
        if not path.exists():
            return []
        return [tuple(json.loads(line)) for line in path.read_text().splitlines()]

    def function_saw(self, written):
        seen = set(self.seen_by_function())
        return all((key, number) in seen for key, numbers in written.items() for number in numbers)

    def check_function(self, written):
        first_seen = collections.defaultdict(list)
        counted = set()
        for key, number in self.seen_by_function():
            if (key, number) not in counted:
                counted.add((key, number))
                first_seen[key].append(number)
        for key, numbers in written.items():
            if first_seen[key] != numbers:
                extra = set(first_seen[key]) - set(numbers)
                self.violations.append(
                    f"item {key}: the function saw {'changes that are lost: ' + str(sorted(extra)) if extra else 'its changes out of order'}")
        self.deliveries, self.distinct = len(self.seen_by_function()), len(counted)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=None, help="default: from the clock")
    parser.add_argument("--writers", type=int, default=4)
    parser.add_argument("--keep", action="store_true", help="keep the data directory of a run that passed")
    parser.add_argument("--faults", type=lambda text: [kind for kind in text.split(",") if kind], default=[],
                        help=f"besides kills, of {', '.join(KINDS)}; disk needs root")
    arguments = parser.parse_args()
    if unknown := set(arguments.faults) - set(KINDS):
        parser.error(f"no such faults: {', '.join(sorted(unknown))}")
    if arguments.seed is None:
        arguments.seed = int(time.time())
    directory = pathlib.Path(tempfile.mkdtemp(prefix="tidemill-crash-"))
    print(f"crash test: seed {arguments.seed}, {arguments.kills} kills, faults {arguments.faults}, in {directory}", flush=True)
    run = Run(arguments, directory)
    started = time.monotonic()
    try:
        run.run()
    except Exception as error:
        run.violations.append(f"{type(error).__name__}: {error}")
    finally:
        run.server.kill()
        run.faults.close()
    seconds = time.monotonic() - started
    print(f"{run.restarts} restarts in {seconds:.0f} s; {sum(map(len, run.all_acknowledged.values()))} of {sum(run.sent.values())} writes "
          f"acknowledged, {run.reads} reads, {sum(map(len, run.seen_in_stream.values()))} records followed, "
          f"{getattr(run, 'deliveries', 0)} deliveries of {getattr(run, 'distinct', 0)} changes; "
          f"{run.index_checks} checks of indexes, {run.filled} filled; " + "; ".join(work.summary() for work in run.works))
    if arguments.faults:
        print(f"faults: {run.faults.counts}; {run.faults.cut} files cut, {run.faults.undone} changes of names undone")
    if run.violations:
        for violation in run.violations[:20]:
            print("VIOLATION: " + violation)
        print(f"data and log are kept in {directory}; again: crash_test.py --seed {arguments.seed} --kills {arguments.kills} "
              f"--faults {','.join(arguments.faults)}")
        return 1
    if not sum(run.acknowledged.values()) or not run.reads:
        print("VIOLATION: nothing was written or read at all")
        return 1
    if not arguments.keep:
        shutil.rmtree(directory, ignore_errors=True)
    print("crash test passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
