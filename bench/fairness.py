"""Short requests while others read much: how long a GetItem takes beside scans, searches and reads of what is deleted, and
what those lose by giving way. And what connections cost on which nothing is asked."""
import concurrent.futures
import json
import resource
import socket
import time

from measures import BATCH, ITEM_TEXT, BatchWriter, fill
from rig import AUTHORIZATION, dynamodb_headers, progress, resident_mb

SCANS = (2, 8, 16, 64)       # at a time
SHORT_CONNECTIONS = 8
KEYS = 10_000
PAGE_ITEMS = 10_000          # of 400 bytes: several pages of 1 MB
PAGE_BYTES = 1 << 20
DELETED = 300_000
EVENTS = 50_000
EVENTS_PER_CALL = 1_000
MESSAGES = 10_000
SENDERS = 16
LARGE_ITEMS = 25
LARGE_ITEM_BYTES = 380_000
IDLE_CONNECTIONS = 9_900   # the server takes 10,000, and clients of its own keep some
SPARE_DESCRIPTORS = 200
HEAD_START = 1.0             # s; what runs beside is under way before anything is measured


def measure(rig, report):
    server = rig.server()
    prepare(server)
    alone = short_requests(rig, server)
    add_short(report, "GetItem alone", alone)
    floors = short_echoes_beside(rig, report)
    for scans in SCANS:
        sum_alone = rig.load(server.endpoint, scans, SCAN, dynamodb_headers("Scan"))
        beside, long = short_beside(rig, server, SCAN, dynamodb_headers("Scan"), scans)
        expect = ("at most twice GetItem alone", beside["p99_us"] <= 2 * alone["p99_us"]) if scans == 16 else None
        add_short(report, f"GetItem beside {scans} scans", beside, alone, expect, floors[scans])
        report.add(f"{scans} scans of 1 MB beside GetItem", long["per_second"], "/s", "without GetItem", sum_alone["per_second"],
                   note=f"p99 {long['p99_us'] / 1000:.1f} ms")
    for what, document, headers, *status in (*LONG_READS, *REFUSED):
        beside, long = short_beside(rig, server, document, headers, 2, *status)
        add_short(report, f"GetItem beside 2 {what}", beside, alone)
        report.add(f"2 {what} beside GetItem", long["per_second"], "/s", note=f"p99 {long['p99_us'] / 1000:.1f} ms")
    idle_connections(server, report)


GET = json.dumps({"TableName": "bench", "Key": {"id": {"S": "@@N@@-0"}}}, separators=(",", ":"))
SCAN = json.dumps({"TableName": "pages"})
LONG_READS = (
    ("queries behind 300,000 deleted items",
     json.dumps({"TableName": "deleted", "KeyConditionExpression": "id = :id",
                 "ExpressionAttributeValues": {":id": {"S": "a"}}}), dynamodb_headers("Query")),
    ("scans whose filter takes nothing",
     json.dumps({"TableName": "pages", "FilterExpression": "attribute_exists(nothing)"}), dynamodb_headers("Scan")),
    ("FilterLogEvents that find nothing", json.dumps({"logGroupName": "bench", "filterPattern": "nowhere"}),
     [AUTHORIZATION.format(service="logs"), "Content-Type: application/x-amz-json-1.1",
      "X-Amz-Target: Logs_20140328.FilterLogEvents"]),
    ("GetQueueAttributes of 10,000 messages",
     json.dumps({"QueueUrl": "http://localhost/000000000000/bench", "AttributeNames": ["All"]}),
     [AUTHORIZATION.format(service="sqs"), "Content-Type: application/x-amz-json-1.0",
      "X-Amz-Target: AmazonSQS.GetQueueAttributes"]),
    ("BatchGetItems of 9.5 MB",
     json.dumps({"RequestItems": {"large": {"Keys": [{"id": {"S": str(number)}} for number in range(LARGE_ITEMS)]}}}),
     dynamodb_headers("BatchGetItem")),
    # Under one token only the first is carried out; of the others, what is left is to read them.
    ("TransactWriteItems of 3.8 MB",
     json.dumps({"ClientRequestToken": "bench", "TransactItems": [
         {"Put": {"TableName": "large", "Item": {"id": {"S": f"put-{number}"}, "text": {"S": "x" * LARGE_ITEM_BYTES}}}}
         for number in range(10)]}),
     dynamodb_headers("TransactWriteItems")),
)
# Bodies that are read whole, or as far as they may be, and then refused.
REFUSED = (
    ("refused PutItems of 9.5 MB",
     json.dumps({"TableName": "bench", "Item": {"id": {"S": "a"}, "text": {"S": "x" * 9_500_000}}}),
     dynamodb_headers("PutItem"), 400),
    ("refused items of a million numbers",
     json.dumps({"TableName": "bench", "Item": {"id": {"S": "a"}, "all": {"L": [{"N": "1"}] * 1_000_000}}}),
     dynamodb_headers("PutItem"), 400),
    ("refused forms of 8 MB",
     "Action=SendMessageBatch&" + "&".join(f"A.{number}.B={number}" for number in range(420_000)),
     [AUTHORIZATION.format(service="sqs"), "Content-Type: application/x-www-form-urlencoded"], 404),
)


def prepare(server):
    progress("filling")
    for name in ("bench", "pages", "large"):
        server.cloud.create_table(name=name)
    server.cloud.create_table("id:S sort:N", name="deleted")
    fill(server, "bench", KEYS)
    fill(server, "pages", PAGE_ITEMS, lambda batch, number: {"id": {"S": f"{batch}-{number}"}, "text": {"S": ITEM_TEXT * 4}})
    for deletes in (False, True):
        writer = BatchWriter(server.endpoint, "deleted", sorted_key, deletes)
        for batch in range(DELETED // BATCH):
            writer.send(batch)
        writer.close()
    for number in range(LARGE_ITEMS):
        server.cloud.put_item("large", id=str(number), text="x" * LARGE_ITEM_BYTES)
    logs = server.cloud.client("logs")
    logs.create_log_group(logGroupName="bench")
    logs.create_log_stream(logGroupName="bench", logStreamName="all")
    now = int(time.time() * 1000)
    for first in range(0, EVENTS, EVENTS_PER_CALL):
        logs.put_log_events(logGroupName="bench", logStreamName="all", logEvents=[
            {"timestamp": now, "message": f"event {number} {ITEM_TEXT}"} for number in range(first, first + EVENTS_PER_CALL)])


    queue = server.cloud.sqs.create_queue(QueueName="bench")["QueueUrl"]
    with concurrent.futures.ThreadPoolExecutor(SENDERS) as pool:
        entries = [{"Id": str(number), "MessageBody": ITEM_TEXT} for number in range(10)]
        sent = [pool.submit(server.cloud.sqs.send_message_batch, QueueUrl=queue, Entries=entries)
                for _ in range(MESSAGES // len(entries))]
        if any(call.result().get("Failed") for call in sent):
            raise SystemExit("SendMessageBatch failed")


def sorted_key(batch, number):
    return {"id": {"S": "a"}, "sort": {"N": str(batch * BATCH + number)}}


def short_requests(rig, server):
    return rig.load(server.endpoint, SHORT_CONNECTIONS, GET, dynamodb_headers("GetItem"), vary=KEYS // BATCH)


def short_beside(rig, server, document, headers, connections, status=None):
    """What http_load measured of GetItem, and of the long reads beside it. Those begin before and end after."""
    seconds = rig.arguments.seconds
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        long = pool.submit(rig.load, server.endpoint, connections, document, headers, seconds=seconds + 2 * HEAD_START,
                           warmup=0, status=status)
        time.sleep(HEAD_START)
        short = short_requests(rig, server)
        return short, long.result()


def short_echoes_beside(rig, report):
    """The floor of a short request beside long ones: echoes of GetItem's size beside answers of a scan's page, of which
    nothing is read or written. What these take is the share of the processors that the load itself and its bytes have."""
    url, _ = rig.program("echo_server")
    found = {}
    for count in SCANS:
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            long = pool.submit(rig.load, f"{url}/?bytes={PAGE_BYTES}", count, seconds=rig.arguments.seconds + 2 * HEAD_START,
                               warmup=0)
            time.sleep(HEAD_START)
            found[count] = rig.load(url, SHORT_CONNECTIONS, GET, vary=KEYS // BATCH)
            long.result()
        add_short(report, f"echo beside {count} echoes of 1 MB", found[count])
    return found


def add_short(report, what, answer, alone=None, expect=None, floor=None):
    note = f"p50 {answer['p50_us'] / 1000:.2f} ms, {answer['per_second']:,.0f}/s"
    if floor:
        note += f"; echo beside as many echoes of 1 MB: p99 {floor['p99_us'] / 1000:.2f} ms"
    report.add(what, answer["p99_us"] / 1000, "ms p99", "alone" if alone else None, alone["p99_us"] / 1000 if alone else None,
               ratio="lower", expect=expect, note=note)
    progress(f"{what}: p50 {answer['p50_us']:.0f} us, p99 {answer['p99_us']:.0f} us, {answer['per_second']:.0f}/s")


def idle_connections(server, report):
    """Resident memory per connection that has asked once and is kept open."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    count = min(IDLE_CONNECTIONS, hard - SPARE_DESCRIPTORS)
    host, port = server.endpoint[len("http://"):].split(":")
    before = resident_mb(server.pid)[1]
    connections = []
    try:
        for _ in range(count):
            connections.append(socket.create_connection((host, int(port))))
            connections[-1].sendall(b"GET /_tidemill/health HTTP/1.1\r\nHost: localhost\r\n\r\n")
            connections[-1].recv(4096)
        report.add(f"{count:,} idle connections", (resident_mb(server.pid)[1] - before) * 1024 / count, "KB each")
    finally:
        for connection in connections:
            connection.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
