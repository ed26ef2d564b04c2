"""State machines: transitions per second, the way through five states, children of maps, and executions that wait."""
import datetime
import json
import subprocess
import threading
import time

from harness import ROLE, Cloud, eventually
from measures import load_row
from rig import progress, resident_mb
from timing import at_percent, json_headers

CHAIN = 200  # Pass states one after the other; their history is far below its limit
AT_ONCE = 64
DURABLE_PER_SECOND = 5_000
EXPRESS_PER_SECOND = 20_000
EXPRESSIONS_PER_SECOND = 100_000  # simple ones, of one core
ITEMS = 100_000    # of a distributed map
ITEMS_MB = 160    # that they may take, however many they are: all memtables, the cache and some
WAITING_KIB = 4
RESUMED = 10_000
RESUMED_SECONDS = 2
STARTED_PER_SECOND = 400  # at least: so long before its end a wait's executions are begun


def measure(rig, report):
    expressions(rig, report)
    transitions(rig, report)
    five_states(rig, report)
    map_children(rig, report)
    waiting(rig, report)
    resumed(rig, report)


def states_client(server):
    return server.cloud.client("stepfunctions", inject_host_prefix=False)


def create_machine(server, name, states, kind="STANDARD"):
    definition = {"StartAt": next(iter(states)), "States": states}
    return states_client(server).create_state_machine(name=name, definition=json.dumps(definition), roleArn=ROLE,
                                                      type=kind)["stateMachineArn"]


def chain(count, **last):
    """`count` Pass states."""
    states = {f"S{number}": {"Type": "Pass", "Next": f"S{number + 1}"} for number in range(count)}
    states[f"S{count - 1}"] = {"Type": "Pass", "End": True, **last}
    return states


def start(rig, server, operation, machine, connections, document="{}", **more):
    return rig.load(server.endpoint + "/", connections, json.dumps({"stateMachineArn": machine, "input": document}),
                    json_headers("states", f"AWSStepFunctions.{operation}", "1.0"), pid=server.pid, **more)


def start_sync(rig, server, machine, connections):
    """The load of StartSyncExecution; its answers are well also if executions fail, so one is looked at first."""
    found = states_client(server).start_sync_execution(stateMachineArn=machine, input="{}")
    if found["status"] != "SUCCEEDED":
        raise SystemExit(f"an execution ended as {found}")
    return start(rig, server, "StartSyncExecution", machine, connections)


def wait_for_all(server, machine, seconds=300):
    """Returns once no execution of the machine runs."""
    client = states_client(server)
    eventually(lambda: not client.list_executions(stateMachineArn=machine, statusFilter="RUNNING", maxResults=1)["executions"],
               "the end of all executions", seconds)


# --- without a server ---

def expressions(rig, report):
    """JSONata expressions that one core evaluates in a second; the simplest is the floor of the others."""
    rounds = max(1, round(rig.arguments.seconds))
    output = subprocess.run([str(rig.build / "bench/jsonata_bench"), str(rounds)], capture_output=True, text=True, check=True)
    lines = [line.split(None, 1) for line in output.stdout.splitlines()]
    floor = float(lines[0][0])
    for number, (per_second, text) in enumerate(lines):
        expect = (f"at least {EXPRESSIONS_PER_SECOND:,}", float(per_second) >= EXPRESSIONS_PER_SECOND) if number == 0 else None
        report.add(f"JSONata evaluations, {text.strip()}".replace("|", "\\|"), float(per_second), "/s", "a comparison", floor,
                   expect=expect)
        progress(f"{per_second} evaluations/s of {text}")


# --- transitions ---

def transitions(rig, report):
    server = rig.server(name="transitions")
    put_url, put_pid = rig.program("put_server", rig.scratch / "put")
    floor = rig.load(put_url, AT_ONCE, "x" * 300, pid=put_pid)["per_second"]
    durable = create_machine(server, "durable", chain(CHAIN))
    started = time.monotonic()
    start(rig, server, "StartExecution", durable, AT_ONCE, requests=AT_ONCE, warmup=0)
    wait_for_all(server, durable)
    seconds = time.monotonic() - started
    per_second = AT_ONCE * CHAIN / seconds
    report.add(f"durable transitions, {AT_ONCE} executions at once", per_second, "/s", "bare durable put", floor,
               expect=(f"at least {DURABLE_PER_SECOND:,}", per_second >= DURABLE_PER_SECOND),
               note=f"{CHAIN} Pass states each, {seconds:.2f} s")
    progress(f"durable: {per_second:,.0f} transitions/s")

    express = create_machine(server, "express", chain(CHAIN), "EXPRESS")
    echo_url, echo_pid = rig.program("echo_server")
    answer = start_sync(rig, server, express, AT_ONCE)
    echo = rig.load(echo_url, AT_ONCE, "{}", pid=echo_pid)["per_second"]
    per_second = answer["per_second"] * CHAIN
    load_row(report, f"express transitions, {AT_ONCE} executions at once", answer, f"echo x {CHAIN}", echo * CHAIN,
             value=per_second, expect=(f"at least {EXPRESS_PER_SECOND:,}", per_second >= EXPRESS_PER_SECOND))
    progress(f"express: {per_second:,.0f} transitions/s")


def five_states(rig, report):
    """From the start to the end of five states, one of which calls a function, warm, one execution at a time."""
    server = rig.server(name="five")
    function = rig.minimal_function(server, "task")
    states = chain(5)
    states["S2"] = {"Type": "Task", "Resource": f"arn:aws:lambda:us-east-1:000000000000:function:{function}", "Next": "S3"}
    echo_ms = report.values.get("echo 1 p50", 0) / 1000 or None
    express = create_machine(server, "express-five", states, "EXPRESS")
    answer = start_sync(rig, server, express, 1)
    took = {"express": [answer["p50_us"] / 1000, answer["p99_us"] / 1000]}

    client = states_client(server)
    durable = create_machine(server, "durable-five", states)
    lasted = []
    for _ in range(10 + int(50 * rig.arguments.seconds)):
        arn = client.start_execution(stateMachineArn=durable, input="{}")["executionArn"]
        ended = eventually(lambda: finished(client, arn), "its end", interval_seconds=0.002)
        lasted.append((ended["stopDate"] - ended["startDate"]).total_seconds() * 1000)
    lasted = sorted(lasted[10:])
    took["durable"] = [at_percent(lasted, 50), at_percent(lasted, 99)]
    for kind, values in took.items():
        for percent, value in zip((50, 99), values):
            report.add(f"five states with one function, {kind}, p{percent}", value, "ms", "echo round trip", echo_ms, "lower",
                       note="by its own dates, of whole milliseconds" if kind == "durable" else "as who waits for it sees it")
        progress(f"five states, {kind}: p50 {values[0]:.2f} ms, p99 {values[1]:.2f} ms")


def finished(client, arn):
    found = client.describe_execution(executionArn=arn)
    if found["status"] == "RUNNING":
        return None
    if found["status"] != "SUCCEEDED":
        raise SystemExit(f"an execution ended as {found}")
    return found


# --- children of distributed maps ---

def map_children(rig, report):
    """Children of a distributed map that end in a second, each of one Pass state; items are read from a bucket, and results
    written to it. What it takes in memory does not grow with the number of items: a first run of a tenth warms up."""
    server = rig.server("--cache", "32M", name="maps")
    server.cloud.s3.create_bucket(Bucket="items")
    for key, count in (("some", ITEMS // 10), ("all", ITEMS)):
        server.cloud.s3.put_object(Bucket="items", Key=key, Body="".join(f"{number}\n" for number in range(count)).encode())
    put_url, put_pid = rig.program("put_server", rig.scratch / "put-maps")
    floor = rig.load(put_url, AT_ONCE, "x" * 300, pid=put_pid)["per_second"]
    client = states_client(server)
    for kind in ("STANDARD", "EXPRESS"):
        machine = create_machine(server, f"map-{kind.lower()}", {"Each": {
            "Type": "Map", "End": True,
            "ItemReader": {"Resource": "arn:aws:states:::s3:getObject", "ReaderConfig": {"InputType": "JSONL"},
                           "Parameters": {"Bucket": "items", "Key.$": "$.key"}},
            "ResultWriter": {"Resource": "arn:aws:states:::s3:putObject", "Parameters": {"Bucket": "items", "Prefix": "out"}},
            "ItemProcessor": {"ProcessorConfig": {"Mode": "DISTRIBUTED", "ExecutionType": kind},
                              "StartAt": "One", "States": {"One": {"Type": "Pass", "End": True}}}}})
        map_over(client, machine, "some", ITEMS // 10)
        before = resident_mb(server.pid)[1]
        with Peak(server.pid) as peak:
            seconds = map_over(client, machine, "all", ITEMS)
        report.add(f"{kind.lower()} children of a distributed map", ITEMS / seconds, "/s", "bare durable put", floor,
                   note=f"{ITEMS:,} items, {seconds:.2f} s")
        grown = peak.mb - before
        report.add(f"memory of a map over {ITEMS:,} items, {kind.lower()}", grown, "MB", ratio="lower",
                   expect=(f"at most {ITEMS_MB} MB", grown <= ITEMS_MB), note="above that of a tenth; what was written lies in it, too")
        progress(f"{kind.lower()} children: {ITEMS / seconds:,.0f}/s, {grown:.0f} MB")


def map_over(client, machine, key, count):
    """How many seconds it took."""
    begun = time.monotonic()
    arn = client.start_execution(stateMachineArn=machine, input=json.dumps({"key": key}))["executionArn"]
    eventually(lambda: finished(client, arn), "its end", 900, interval_seconds=0.05)
    seconds = time.monotonic() - begun
    run = client.list_map_runs(executionArn=arn)["mapRuns"][0]["mapRunArn"]
    counts = client.describe_map_run(mapRunArn=run)["itemCounts"]
    if counts["succeeded"] != count:
        raise SystemExit(f"a map run ended as {counts}")
    return seconds


class Peak:
    """The most private memory that a process has had meanwhile, in MB, as seen every now and then."""

    def __init__(self, pid):
        self.pid, self.mb, self.over = pid, 0, threading.Event()
        self.thread = threading.Thread(target=self.watch)

    def watch(self):
        while not self.over.wait(0.05):
            self.mb = max(self.mb, resident_mb(self.pid)[1])

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()


# --- executions that wait ---

def waiting_machine(server):
    return create_machine(server, "waits", {"Wait": {"Type": "Wait", "TimestampPath": "$.until", "Next": "Done"},
                                            "Done": {"Type": "Pass", "End": True}})


def begin_waiting(rig, server, machine, count, seconds):
    """Begins executions that wait until so long after the last is begun; returns until when they wait."""
    until = int(time.time() + count / STARTED_PER_SECOND + seconds)
    text = datetime.datetime.fromtimestamp(until, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    start(rig, server, "StartExecution", machine, AT_ONCE, json.dumps({"until": text}), requests=count, seconds=600, warmup=0)
    eventually(lambda: quiet(server), "all executions wait", 60, 0.2)
    if time.time() > until:
        raise SystemExit("the waits ended before all executions were begun")
    return until


def quiet(server):
    """Whether nothing was committed for a while."""
    def commits():
        line = next(line for line in server.cloud.get("/metrics").splitlines() if line.startswith("tidemill_store_commits"))
        return float(line.split()[-1])
    before = commits()
    time.sleep(0.3)
    return commits() == before


def waiting(rig, report):
    """What an execution takes in memory while it waits."""
    server = rig.server(name="waiting")
    machine = waiting_machine(server)
    start(rig, server, "StartExecution", machine, 1, json.dumps({"until": "2020-01-01T00:00:00Z"}), requests=10, warmup=0)
    wait_for_all(server, machine)
    before = resident_mb(server.pid)
    count = rig.arguments.waiting
    begin_waiting(rig, server, machine, count, 3600)
    after = resident_mb(server.pid)
    each = (after[0] - before[0]) * 1024 / count
    report.add(f"memory of a waiting execution, of {count:,}", each, "KiB", ratio="lower",
               expect=(f"at most {WAITING_KIB} KiB", each <= WAITING_KIB),
               note=f"{after[0]:.0f} MB resident, {before[0]:.0f} MB before; what was written lies in it, too")
    progress(f"{count:,} waiting executions: {each:.2f} KiB each")


def resumed(rig, report):
    """From the start of the server after SIGKILL to the end of executions whose wait was over meanwhile."""
    server = rig.server(name="resumed")
    machine = waiting_machine(server)
    count = min(RESUMED, rig.arguments.waiting)
    until = begin_waiting(rig, server, machine, count, 2)
    server.kill()
    time.sleep(max(0.0, until - time.time()) + 0.5)
    started = time.monotonic()
    server.start()
    server.cloud = Cloud(server.endpoint)
    ready = time.monotonic() - started
    wait_for_all(server, machine)
    seconds = time.monotonic() - started
    report.add(f"{count:,} waiting executions resumed after SIGKILL", seconds, "s", "start to ready", ready,
               "lower", (f"at most {RESUMED_SECONDS} s", seconds <= RESUMED_SECONDS), "until all have ended")
    progress(f"{count:,} executions resumed in {seconds:.2f} s")
