"""Mappings of queues: from sending to the function, how fast one drains a backlog, and what a thousand idle ones cost."""
import json

from measures import REPORT_PORT, echo_of_size
from queues import headers
from rig import progress, share_of_a_core
from stream_mappings import Reports, add_latency, reporting_function

BATCHES = (1, 10, 1_000, 10_000)
MESSAGES = {1: 10_000}  # otherwise:
MESSAGES_USUAL = 50_000
RECORD_BYTES = 900  # of event, about
SENT_AT_ONCE = 10
IDLE = 1_000
IDLE_SHARE = 0.01


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
    for name in ("minimal", "python"):
        _, arn = create_queue(server, f"latency-{name}")
        function = reporting_function(rig, server, name, name)
        server.cloud.create_mapping(function, arn)
        add_latency(rig, report, server, f"message to function, {name}", name, "--queue", f"latency-{name}")


def throughput(rig, report, server, batch):
    """How fast one mapping drains a backlog, with the minimal function."""
    url, arn = create_queue(server, f"backlog-{batch}")
    count = MESSAGES.get(batch, MESSAGES_USUAL)
    entries = [{"Id": str(i), "MessageBody": "x" * 100} for i in range(SENT_AT_ONCE)]
    rig.load(server.endpoint + "/", 16, json.dumps({"QueueUrl": url, "Entries": entries}), headers("SendMessageBatch"),
             requests=count // SENT_AT_ONCE, seconds=600, warmup=0)
    function = rig.minimal_function(server, f"drain-{batch}", REPORT_PORT=str(REPORT_PORT))
    window = {"MaximumBatchingWindowInSeconds": 1} if batch > 10 else {}
    with Reports() as reports:
        mapping = server.cloud.create_mapping(function, arn, BatchSize=batch, wait=False, **window)
        seconds, size = reports.wait_for(count)
    server.cloud.functions.delete_event_source_mapping(UUID=mapping)
    floor = echo_of_size(rig, RECORD_BYTES * size)["per_second"] * size
    report.add(f"messages through one mapping, batch {batch}", count / seconds, "/s",
               f"echo of events of {RECORD_BYTES * size // 1024} KB", floor,
               note=f"{count:,} messages in {seconds:.2f} s, up to {size} in an event")
    progress(f"batch {batch}: {count / seconds:.0f} messages/s, largest {size}")


def idle(rig, report, server):
    function = rig.minimal_function(server, "idle")
    for number in range(IDLE):
        _, arn = create_queue(server, f"idle-{number}")
        server.cloud.create_mapping(function, arn, wait=False)
    share = share_of_a_core(server.pid)
    report.add(f"{IDLE:,} idle mappings of queues", share * 100, "% of a core",
               expect=(f"below {IDLE_SHARE:.0%}", share < IDLE_SHARE))
    progress(f"{IDLE:,} idle mappings of queues: {share:.2%} of a core")
