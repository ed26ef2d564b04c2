"""Mappings of streams: from a change to the function, how fast a backlog drains, how far behind a mapping is that has half
of what it can take, and what a thousand idle ones cost."""
import json
import re
import socket
import subprocess
import threading
import time

from harness import eventually
from measures import BATCH, REPORT_PORT, BatchWriter, echo_of_size, fill, item_document
from rig import progress, share_of_a_core

LIMITS_US = {"p50": 1_000, "p99": 5_000}
EVENT_BYTES = 480  # of a record of these items, about
# Of a mapping that drains a backlog: batch size, lanes (ParallelizationFactor), records.
BACKLOGS = ((1, 1, 10_000), (1, 10, 20_000), (100, 1, 100_000), (100, 10, 100_000), (1000, 1, 100_000),
            (10_000, 1, 200_000), (10_000, 10, 200_000))
EXPECTED_PER_SECOND = {10_000: 100_000}  # by batch size
STEADY_SECONDS = 20
STEADY_LANES = (1, 10)
METRICS_APPEAR_WITHIN = 150  # a minute's values are published when it is over
IDLE_TABLES = 500
IDLE_DATA_STREAMS = 500
IDLE_SHARE = 0.01


# --- from a change to the function ---

def latency(rig, report):
    """From the acknowledgement of a PutItem or PutRecord to the entry of the function's handler, warm, one at a time."""
    server = rig.server()
    for name in ("minimal", "python"):
        table = server.cloud.create_table(name=f"latency-{name}", stream="NEW_IMAGE")
        function = reporting_function(rig, server, f"change-{name}", name)
        server.cloud.create_mapping(function, server.cloud.stream_arn(table))
        add_latency(rig, report, server, f"change to function, {name}", name, "--table", table)
    for name in ("minimal", "python"):
        stream, arn = create_data_stream(server, f"latency-{name}")
        function = reporting_function(rig, server, f"record-{name}", name)
        server.cloud.create_mapping(function, arn)
        add_latency(rig, report, server, f"data record to function, {name}", name, "--stream", stream)


def reporting_function(rig, server, name, kind):
    if kind == "minimal":
        return rig.minimal_function(server, name, REPORT_PORT=str(REPORT_PORT))
    source = (rig.build / "../../bench/latency_function.py").resolve().read_text()
    return rig.python_function(server, name, source, REPORT_PORT=str(REPORT_PORT))


def create_data_stream(server, name):
    server.cloud.create_data_stream(name=name)
    return name, server.cloud.kinesis.describe_stream_summary(StreamName=name)["StreamDescriptionSummary"]["StreamARN"]


def add_latency(rig, report, server, what, kind, *target):
    """Has change_latency write to `target`; a line each for p50 and p99."""
    result = subprocess.run(
        [str(rig.build / "bench/change_latency"), "--url", server.endpoint, *target, "--samples",
         str(int(500 * rig.arguments.seconds)), "--report-port", str(REPORT_PORT)], capture_output=True, text=True)
    if result.returncode != 0:
        raise SystemExit(f"change_latency failed: {result.stderr}\n{server.log()[-2000:]}")
    progress(f"{what}: {result.stdout.strip()}")
    measured = json.loads(result.stdout)
    delay, whole = measured["acknowledged_to_entered"], measured["sent_to_entered"]
    for quantile, limit in LIMITS_US.items():
        took = delay[f"{quantile}_us"]
        expected = (f"at most {limit // 1000} ms", took <= limit) if kind == "minimal" else None
        report.add(f"{what}, {quantile}", took, "us", "echo round trip", report.values.get("echo 1 p50"), "lower", expected,
                   f"from the sending: {whole[f'{quantile}_us']:.0f} us")


# --- a backlog ---

def throughput(rig, report):
    """How fast one mapping drains a backlog, with the minimal function; then how old records are at half of that."""
    server = rig.server()
    capacity = {}
    for batch, lanes, count in BACKLOGS:
        capacity[batch, lanes] = drain(rig, report, server, batch, lanes, count)
    for lanes in STEADY_LANES:
        steady(rig, report, server, lanes, capacity[1, lanes] / 2)
    idle(rig, report, server)


class Reports:
    """What the functions tell of their entries. Only one may listen at a time."""

    def __init__(self):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 32 << 20)
        self.socket.bind(("127.0.0.1", REPORT_PORT))
        self.socket.settimeout(30)

    def wait_for(self, count):
        """Returns once so many records have come: (seconds from the first entry to the last, records in the largest event)."""
        seen, first, last, largest = 0, None, None, 0
        while seen < count:
            entered, records, _ = self.socket.recv(65536).split(b" ", 2)
            first, last = first or int(entered), int(entered)
            seen += int(records)
            largest = max(largest, int(records))
        return (last - first) / 1e9, largest

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()


def drain(rig, report, server, batch, lanes, count, where=""):
    """Records per second."""
    name = name_of(f"{batch}-{lanes}{where}")
    table = server.cloud.create_table(name=f"backlog-{name}", stream="NEW_IMAGE")
    function = rig.minimal_function(server, f"drain-{name}", REPORT_PORT=str(REPORT_PORT))
    with Reports() as reports:
        fill(server, table, count)
        mapping = server.cloud.create_mapping(function, server.cloud.stream_arn(table), BatchSize=batch,
                                              ParallelizationFactor=lanes, wait=False)
        seconds, largest = reports.wait_for(count)
    server.cloud.functions.delete_event_source_mapping(UUID=mapping)
    floor = echo_of_size(rig, EVENT_BYTES * largest)["per_second"] * largest
    line = f"batch {batch}{of_lanes(lanes)}{where}"
    wanted = EXPECTED_PER_SECOND.get(batch)
    report.add(f"records through one mapping, {line}", count / seconds, "/s",
               f"echo of events of {EVENT_BYTES * largest // 1024} KB", floor,
               expect=(f"at least {wanted:,}", count / seconds >= wanted) if wanted else None,
               note=f"{count:,} records in {seconds:.2f} s, up to {largest} in an event")
    progress(f"{line}: {count / seconds:.0f} records/s, largest {largest}")
    return count / seconds


def name_of(words):
    return re.sub("[^a-z0-9]+", "-", words)


def of_lanes(lanes):
    return f", {lanes} lanes per shard" if lanes > 1 else ""


# --- at half of capacity ---

def steady(rig, report, server, lanes, per_second, where=""):
    """IteratorAge, as the platform's metrics have it, while records come at this rate, one in each batch."""
    name = name_of(f"steady-{lanes}{where}")
    table = server.cloud.create_table(name=name, stream="NEW_IMAGE")
    function = rig.minimal_function(server, name, REPORT_PORT=str(REPORT_PORT))
    mapping = server.cloud.create_mapping(function, server.cloud.stream_arn(table), BatchSize=1, ParallelizationFactor=lanes)
    batches = int(per_second * STEADY_SECONDS / BATCH)
    sent = batches * BATCH
    with Reports() as reports:  # read while they come: they are more than a socket holds
        writing = threading.Thread(target=write_steadily, args=(server, table, batches, per_second))
        writing.start()
        reports.wait_for(sent)
        writing.join()
    server.cloud.functions.delete_event_source_mapping(UUID=mapping)
    points = eventually(lambda: ages(server, function, sent), "the metric", METRICS_APPEAR_WITHIN, 1)
    average = sum(point["Average"] * point["SampleCount"] for point in points) / sent
    highest = max(point["Maximum"] for point in points)
    report.add(f"IteratorAge at half of capacity, batch 1{of_lanes(lanes)}{where}", average, "ms", ratio="lower",
               note=f"{sent / STEADY_SECONDS:,.0f} records/s for {STEADY_SECONDS} s; highest {highest:.0f} ms")
    progress(f"{lanes} lanes{where}, {sent / STEADY_SECONDS:,.0f} records/s: IteratorAge {average:.1f} ms, highest {highest:.0f} ms")


def write_steadily(server, table, batches, per_second):
    """Batches of 25 items, evenly; `per_second` items."""
    writer = BatchWriter(server.endpoint, table, lambda batch, number: item_document(f"{batch:010d}-{number}"))
    started = time.monotonic()
    for batch in range(batches):
        time.sleep(max(0.0, started + batch * BATCH / per_second - time.monotonic()))
        writer.send(batch)
    writer.close()


def ages(server, function, count):
    """The metric's values by minute, once it has one for each of so many batches; else None."""
    now = time.time()
    points = server.cloud.client("cloudwatch").get_metric_statistics(
        Namespace="AWS/Lambda", MetricName="IteratorAge", Dimensions=[{"Name": "FunctionName", "Value": function}],
        StartTime=now - 600, EndTime=now + 60, Period=60, Statistics=["Average", "Maximum", "SampleCount"])["Datapoints"]
    return points if sum(point["SampleCount"] for point in points) >= count else None


# --- nothing to do ---

def idle(rig, report, server):
    function = rig.minimal_function(server, "idle")
    for number in range(IDLE_TABLES):
        table = server.cloud.create_table(name=f"idle-{number}", stream="NEW_IMAGE")
        server.cloud.create_mapping(function, server.cloud.stream_arn(table), wait=False)
    for number in range(IDLE_DATA_STREAMS):
        _, arn = create_data_stream(server, f"idle-{number}")
        server.cloud.create_mapping(function, arn, wait=False)
    share = share_of_a_core(server.pid)
    what = f"{IDLE_TABLES + IDLE_DATA_STREAMS:,} idle mappings of streams"
    report.add(what, share * 100, "% of a core", expect=(f"below {IDLE_SHARE:.0%}", share < IDLE_SHARE))
    progress(f"{what}: {share:.2%} of a core")
