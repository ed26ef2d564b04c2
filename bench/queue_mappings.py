"""Mappings of queues: from sending to the function, how fast one drains a backlog, and what a thousand idle ones cost."""
import json
import socket
import subprocess
import time

from measures import REPORT_PORT, echo_of_size
from queues import cpu_seconds, headers
from rig import progress

BATCHES = (1, 10, 1_000, 10_000)
MESSAGES = {1: 10_000}  # otherwise:
MESSAGES_USUAL = 50_000
RECORD_BYTES = 900  # of event, about
SENT_AT_ONCE = 10
IDLE = 1_000
IDLE_SECONDS = 10
IDLE_SHARE = 0.01
LIMITS_US = {"p50": 1_000, "p99": 5_000}


def measure(rig, report):
    server = rig.server()
    latency(rig, report, server)
    for batch in BATCHES:
        throughput(rig, report, server, batch)
    idle(rig, report, server)


def create_queue(server, name):
    url = server.cloud.create_queue(name=name, VisibilityTimeout="60")  # as long as the functions may run
    return url, server.cloud.queue_arn(url)


def latency(rig, report, server):
    """From the acknowledgement of a SendMessage to the entry of the function's handler, warm, one message at a time."""
    source = (rig.build / "../../bench/latency_function.py").resolve().read_text()
    for name in ("minimal", "python"):
        _, arn = create_queue(server, f"latency-{name}")
        if name == "minimal":
            function = rig.minimal_function(server, name, REPORT_PORT=str(REPORT_PORT))
        else:
            function = rig.python_function(server, name, source, REPORT_PORT=str(REPORT_PORT))
        server.cloud.create_mapping(function, arn)
        result = subprocess.run(
            [str(rig.build / "bench/change_latency"), "--url", server.endpoint, "--queue", f"latency-{name}", "--samples",
             str(int(500 * rig.arguments.seconds)), "--report-port", str(REPORT_PORT)], capture_output=True, text=True)
        if result.returncode != 0:
            raise SystemExit(f"change_latency failed: {result.stderr}\n{server.log()[-2000:]}")
        progress(f"{name}: {result.stdout.strip()}")
        measured = json.loads(result.stdout)
        delay, whole = measured["acknowledged_to_entered"], measured["sent_to_entered"]
        for quantile, limit in LIMITS_US.items():
            took = delay[f"{quantile}_us"]
            expected = (f"at most {limit // 1000} ms", took <= limit) if name == "minimal" else None
            report.add(f"message to function, {name}, {quantile}", took, "us", "echo round trip",
                       report.values.get("echo 1 p50"), "lower", expected,
                       f"from the sending: {whole[f'{quantile}_us']:.0f} us")


def throughput(rig, report, server, batch):
    """How fast one mapping drains a backlog, with the minimal function."""
    url, arn = create_queue(server, f"backlog-{batch}")
    count = MESSAGES.get(batch, MESSAGES_USUAL)
    entries = [{"Id": str(i), "MessageBody": "x" * 100} for i in range(SENT_AT_ONCE)]
    rig.load(server.endpoint + "/", 16, json.dumps({"QueueUrl": url, "Entries": entries}), headers("SendMessageBatch"),
             requests=count // SENT_AT_ONCE, seconds=600, warmup=0)
    function = rig.minimal_function(server, f"drain-{batch}", REPORT_PORT=str(REPORT_PORT))
    reports = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    reports.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 32 << 20)
    reports.bind(("127.0.0.1", REPORT_PORT))
    reports.settimeout(30)
    window = {"MaximumBatchingWindowInSeconds": 1} if batch > 10 else {}
    mapping = server.cloud.create_mapping(function, arn, BatchSize=batch, wait=False, **window)
    seen, first, last, size = 0, None, None, 0
    while seen < count:
        entered, records, _ = reports.recv(65536).split(b" ", 2)
        first, last = first or int(entered), int(entered)
        seen += int(records)
        size = max(size, int(records))
    reports.close()
    server.cloud.functions.delete_event_source_mapping(UUID=mapping)
    seconds = (last - first) / 1e9
    floor = echo_of_size(rig, RECORD_BYTES * size)["per_second"] * size
    report.add(f"messages through one mapping, batch {batch}", seen / seconds, "/s",
               f"echo of events of {RECORD_BYTES * size // 1024} KB", floor,
               note=f"{seen:,} messages in {seconds:.2f} s, up to {size} in an event")
    progress(f"batch {batch}: {seen / seconds:.0f} messages/s, largest {size}")


def idle(rig, report, server):
    function = rig.minimal_function(server, "idle")
    for number in range(IDLE):
        _, arn = create_queue(server, f"idle-{number}")
        server.cloud.create_mapping(function, arn, wait=False)
    time.sleep(1)  # until all of them wait
    before, started = cpu_seconds(server.pid), time.monotonic()
    time.sleep(IDLE_SECONDS)
    share = (cpu_seconds(server.pid) - before) / (time.monotonic() - started)
    report.add(f"{IDLE:,} idle mappings of queues", share * 100, "% of a core",
               expect=(f"below {IDLE_SHARE:.0%}", share < IDLE_SHARE))
    progress(f"{IDLE:,} idle mappings of queues: {share:.2%} of a core")
