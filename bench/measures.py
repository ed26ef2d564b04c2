"""The benchmarks. Each gets a rig of its own (fresh processes and directories) and adds its lines to the report."""
import http.client
import json
import re
import shutil
import socket
import subprocess
import time
import urllib.parse

from harness import eventually, item
from rig import AUTHORIZATION, dynamodb_headers, progress, resident_mb

CONNECTIONS = (1, 16, 64, 256)
KEYS = 100_000       # how many items the item benchmarks spread over
BATCH = 25           # items of a BatchWriteItem
BALLAST = 1_000_000  # items: several memtables, so that there has been a compaction
ITEM_TEXT = "x" * 100
ECHO_BODY = json.dumps({"TableName": "bench", "Key": {"id": {"S": "@@N@@"}}})
REPORT_PORT = 4599


def item_document(key="@@N@@"):
    return {"id": {"S": key}, "number": {"N": "12345.678"}, "text": {"S": ITEM_TEXT}}


def load_row(report, what, answer, floor=None, floor_value=None, value=None, unit="/s", expect=None):
    note = f"p50 {answer['p50_us']:.0f} us, p99 {answer['p99_us']:.0f} us"
    if "per_cpu_second" in answer:
        note += f"; {answer['per_cpu_second']:,.0f} per CPU-second"
    report.add(what, answer["per_second"] if value is None else value, unit, floor, floor_value, expect=expect, note=note)
    progress(f"{what}: {answer['per_second']:.0f}/s, {note}")


# --- items, and the floors of everything ---

def echo(rig, report):
    """The same HTTP server with a handler that gives the body back, and nothing behind it."""
    url, pid = rig.program("echo_server")
    for connections in (1, 16):
        answer = rig.load(url, connections, ECHO_BODY, vary=KEYS, pid=pid)
        report.values[f"echo {connections} per second"] = answer["per_second"]
        report.values[f"echo {connections} p50"] = answer["p50_us"]


def echo_of_size(rig, size):
    """Echoes per second of bodies of this size over one connection: what moving them alone costs."""
    url, pid = rig.program("echo_server")
    return rig.load(url, 1, "x" * size, pid=pid, seconds=min(2, rig.arguments.seconds))


def items(rig, report):
    """GetItem beside the echo, PutItem beside the bare durable put. What is compared runs right after each other: what a
    machine gives changes over minutes."""
    echo_url, echo_pid = rig.program("echo_server")
    put_url, put_pid = rig.program("put_server", rig.scratch / "put")
    server = rig.server()
    server.cloud.create_table(name="bench")
    server.cloud.create_table(name="streamed", stream="NEW_AND_OLD_IMAGES")
    server.cloud.create_table(name="plain")
    fill(server, "bench", KEYS)
    compact(rig, server)
    put_body = json.dumps({"TableName": "streamed", "Item": item_document()})
    get_body = json.dumps({"TableName": "bench", "Key": {"id": {"S": "@@N@@-0"}}}, separators=(",", ":"))
    get_headers = dynamodb_headers("GetItem")
    measured = {}
    for connections in CONNECTIONS:
        progress(f"{connections} connections")
        measured[connections] = {
            "echo": rig.load(echo_url, connections, ECHO_BODY, vary=KEYS, pid=echo_pid),
            "get": rig.dynamodb_load(server, "GetItem", get_body, connections, vary=KEYS // BATCH),
            "same": rig.load(echo_url, connections, get_body, get_headers, vary=KEYS // BATCH, pid=echo_pid),
            "bare": rig.load(put_url, connections, put_body, vary=KEYS, pid=put_pid),
            "streamed": rig.dynamodb_load(server, "PutItem", put_body, connections, vary=KEYS),
            "plain": rig.dynamodb_load(server, "PutItem", put_body.replace("streamed", "plain"), connections, vary=KEYS),
        }
    for connections, found in measured.items():
        load_row(report, f"HTTP echo, {connections} connections", found["echo"])
        report.values[f"echo {connections} per second"] = found["echo"]["per_second"]
        report.values[f"echo {connections} p50"] = found["echo"]["p50_us"]
    for connections, found in measured.items():
        share = found["get"]["per_cpu_second"] / found["echo"]["per_cpu_second"]
        load_row(report, f"GetItem per CPU-second, {connections} connections", found["get"], "echo",
                 found["echo"]["per_cpu_second"], value=found["get"]["per_cpu_second"], unit="/CPU-s",
                 expect=("at least 60 %", share >= 0.6))
        load_row(report, f"GetItem per CPU-second, {connections} connections", found["get"], "echo of the same requests",
                 found["same"]["per_cpu_second"], value=found["get"]["per_cpu_second"], unit="/CPU-s")
        load_row(report, f"GetItem, {connections} connections", found["get"], "echo", found["echo"]["per_second"])
    for connections, found in measured.items():
        load_row(report, f"bare durable put, {connections} connections", found["bare"])
    for kind, words in (("streamed", "with a stream"), ("plain", "no stream")):
        for connections, found in measured.items():
            share = found[kind]["per_second"] / found["bare"]["per_second"]
            expected = ("at least 60 %", share >= 0.6) if kind == "streamed" and connections in (64, 256) else None
            load_row(report, f"PutItem {words}, {connections} connections", found[kind], "bare durable put",
                     found["bare"]["per_second"], expect=expected)


def compact(rig, server):
    """So many items beside those that are measured that they lie in compacted files, as on a server that has run for a while."""
    server.cloud.create_table(name="ballast")
    puts = [{"PutRequest": {"Item": item_document("@@I@@")}} for _ in range(BATCH)]
    rig.load(server.endpoint + "/", 8, json.dumps({"RequestItems": {"ballast": puts}}, separators=(",", ":")),
             dynamodb_headers("BatchWriteItem"), first=0, requests=BALLAST // BATCH, seconds=600, warmup=0)


def fill(server, table, count, item_of=lambda batch, number: item_document(f"{batch:010d}-{number}")):
    """`count` items, which have keys "<number of the batch, 10 digits>-<0..24>" unless `item_of` makes others."""
    writer = BatchWriter(server.endpoint, table, item_of)
    for batch in range(count // BATCH):
        writer.send(batch)
    writer.close()


class BatchWriter:
    """BatchWriteItem over a few raw connections: filling a table is not what is measured."""

    CONNECTIONS = 8

    def __init__(self, endpoint, table, item_of, deletes=False):
        """With `deletes`, items are removed instead: `item_of` gives their keys."""
        self.item_of, self.deletes = item_of, deletes
        host, port = endpoint[len("http://"):].split(":")
        self.table = table
        self.free = [socket.create_connection((host, int(port))) for _ in range(self.CONNECTIONS)]
        self.busy = []
        self.template = "POST / HTTP/1.1\r\nHost: localhost\r\n" + AUTHORIZATION.format(service="dynamodb") + \
            "\r\nContent-Type: application/x-amz-json-1.0\r\nX-Amz-Target: DynamoDB_20120810.BatchWriteItem\r\n"

    def send(self, batch):
        if not self.free:
            self.finish_one()
        items = [self.item_of(batch, number) for number in range(BATCH)]
        requests = [{"DeleteRequest": {"Key": each}} if self.deletes else {"PutRequest": {"Item": each}} for each in items]
        body = json.dumps({"RequestItems": {self.table: requests}}, separators=(",", ":"))
        connection = self.free.pop()
        connection.sendall(f"{self.template}Content-Length: {len(body)}\r\n\r\n{body}".encode())
        self.busy.append(connection)

    def finish_one(self):
        connection = self.busy.pop(0)
        answer = b""
        while True:
            answer += connection.recv(65536)
            head, found, body = answer.partition(b"\r\n\r\n")
            length = re.search(rb"(?i)content-length: *(\d+)", head)
            if found and length and len(body) >= int(length.group(1)):
                break
        if b" 200 " not in head.split(b"\r\n")[0] or b'"UnprocessedItems":{}' not in body.replace(b" ", b""):
            raise SystemExit(f"BatchWriteItem failed: {answer[:400]!r}")
        self.free.append(connection)

    def close(self):
        while self.busy:
            self.finish_one()
        for connection in self.free:
            connection.close()


def query(rig, report):
    server = rig.server()
    table = server.cloud.create_table("id:S sort:N", name="bench")
    for start in range(0, 1000, BATCH):
        server.cloud.dynamodb.batch_write_item(RequestItems={table: [
            {"PutRequest": {"Item": item(id="a", sort=number, text=ITEM_TEXT)}} for number in range(start, start + BATCH)]})
    document = {"TableName": table, "KeyConditionExpression": "id = :id", "ExpressionAttributeValues": {":id": {"S": "a"}}}
    size = len(server.cloud.raw("dynamodb", "POST", "/", json.dumps(document), {
        "X-Amz-Target": "DynamoDB_20120810.Query", "Content-Type": "application/x-amz-json-1.0"})[2])
    floor = echo_of_size(rig, size)
    answer = rig.dynamodb_load(server, "Query", document, 1)
    load_row(report, "Query of 1,000 items, 1 connection", answer, f"echo of {size // 1024} KB", floor["per_second"])


# --- functions ---

def invoke(rig, report):
    server = rig.server()
    rig.minimal_function(server, "minimal")
    rig.python_function(server, "python", "def handler(event, context):\n    return None\n")
    for name in ("minimal", "python"):
        for connections in (1, 16):
            answer = rig.load(f"{server.endpoint}/2015-03-31/functions/{name}/invocations", connections, "{}",
                              [AUTHORIZATION.format(service="lambda")], pid=server.pid, warmup=2)
            floor = report.values.get(f"echo {connections} per second")
            load_row(report, f"invoke of an empty {name} handler, {connections} at a time", answer, "echo", floor)


# Its first byte is on its way long before its last.
STREAMING = """
exports.handler = awslambda.streamifyResponse(async (event, stream) => {
  stream.write("x");
  await new Promise((done) => setTimeout(done, 20));
  stream.end();
});
"""
FIRST_BYTES = 200


def first_byte(rig, report):
    """From the request to the first byte of the body, of a function that takes 20 ms to its last; the floor is the same
    client's round trip to the echo."""
    def median(url, path):
        parts = urllib.parse.urlsplit(url)
        connection = http.client.HTTPConnection(parts.hostname, parts.port)
        taken = []
        for _ in range(FIRST_BYTES):
            begun = time.perf_counter()
            connection.request("POST", path, "{}")
            answer = connection.getresponse()
            answer.read1(1)
            taken.append((time.perf_counter() - begun) * 1e6)
            answer.read()
        connection.close()
        return sorted(taken)[len(taken) // 2]

    floor = median(rig.program("echo_server")[0], "/")
    server = rig.server()
    rig.function(server, "streaming", {"index.js": STREAMING}, "nodejs20.x", "index.handler", {})
    took = median(server.endpoint, "/2021-11-15/functions/streaming/response-streaming-invocations")
    report.add("first byte of a streamed answer, Node.js, p50", took, "us", "echo round trip", floor, "lower",
               note="the handler ends 20 ms later")


# --- the program itself ---

def startup(rig, report):
    """From exec to the ready line, on an empty and on a used directory; the floor is the same program's `version`."""
    program = str(rig.build / "tidemill")

    def fastest(run, times=7):
        taken = []
        for number in range(times):
            started = time.perf_counter()
            run(number)
            taken.append((time.perf_counter() - started) * 1000)
        return sorted(taken)[len(taken) // 2]

    floor = fastest(lambda _: subprocess.run([program, "version"], capture_output=True))

    def start(directory):
        process = subprocess.Popen([program, "serve", "--data", str(directory), "--port", "0"], stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL)
        line = process.stdout.readline()
        assert line.startswith(b"tidemill ready"), line
        return process

    def measure(directory_of, times=7):
        taken = []
        for number in range(times):
            started = time.perf_counter()
            process = start(directory_of(number))
            taken.append((time.perf_counter() - started) * 1000)
            process.terminate()
            process.wait()
        return sorted(taken)[len(taken) // 2]

    empty = measure(lambda number: rig.scratch / f"empty-{number}")
    used = measure(lambda number: rig.scratch / "empty-0")
    report.add("start to ready, new directory", empty, "ms", "exec of `version`", floor, "lower",
               ("at most 50 ms", empty <= 50))
    report.add("start to ready, used directory", used, "ms", "exec of `version`", floor, "lower",
               ("at most 50 ms", used <= 50))

    server = rig.server(name="idle")
    resident, private = resident_mb(server.pid)
    url, pid = rig.program("echo_server")
    report.add("resident memory, idle", resident, "MB", "echo server", resident_mb(pid)[0], "lower",
               ("at most 40 MB", resident <= 40), f"{private:.0f} MB of it anonymous")

    stripped = rig.scratch / "stripped"
    shutil.copy(program, stripped)
    subprocess.run(["strip", str(stripped)], check=True)
    size = stripped.stat().st_size / 2**20
    report.add("binary, stripped", size, "MB", expect=("at most 30 MB", size <= 30))


def memory(rig, report):
    """Resident memory after loading many items with BatchWriteItem, and how fast that went."""
    server = rig.server()
    before = resident_mb(server.pid)[0]
    server.cloud.create_table(name="bench")
    count = rig.arguments.items
    started = time.perf_counter()
    fill(server, "bench", count)
    seconds = time.perf_counter() - started
    resident, private = resident_mb(server.pid)
    report.add(f"resident memory after {count:,} items", resident, "MB", "idle", before, "lower",
               note=f"{private:.0f} MB of it anonymous; loaded {count / seconds:,.0f} items/s")
    eventually(lambda: server.running, "the server still runs")
