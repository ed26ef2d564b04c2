"""The same work on Tidemill, on dynalite and on PostgreSQL, each beside Tidemill's floor, all in the same run. What is
compared runs right after each other, since what a machine gives changes over minutes."""
import dataclasses
import json
import re
import socket
import time

import peers
from measures import BATCH, KEYS, fill
from rig import AUTHORIZATION, progress

CONNECTIONS = (1, 16, 64)
ITEMS = 20_000           # that reads, conditional puts and counters find
TEXT = "x" * 100
PARTITIONS = 200         # of the table that is queried and scanned
PARTITION_ITEMS = 100
ITEM_KB_TEXT = "x" * 980  # with keys and names, an item of 1 KB
ITEM_KB = 1024
TRANSACTION_ITEMS = 10
HOT_COUNTER_PER_SECOND = 5000
PAGE_BYTES_MAX = 8 << 20  # of an answer to a Scan

UPSERT = "ON CONFLICT (id) DO UPDATE SET number = excluded.number, text = excluded.text"


@dataclasses.dataclass
class Operation:
    """One line's work in three languages. `floor`: "put", a bare durable put of a body of the same size, or "echo" of an
    answer of that size. `expect`: least ratios to dynalite and PostgreSQL, by the number of connections."""
    name: str
    operation: str
    document: dict
    statement: str
    params: tuple
    floor: str
    vary: int = 1
    calls: int = 1
    items: int = 1  # of a request: what the line counts
    dynalite_has_it: bool = True
    expect_dynalite: float = None
    expect_postgres: float = None
    expect_per_second: float = None


def keyed(key, **attributes):
    return {"id": {"S": key}, **attributes}


def thing(key):
    """Another number each time: a put of what is there already writes nothing."""
    return keyed(key, number={"N": "@@N@@"}, text={"S": TEXT})


def operations():
    found = ITEMS // BATCH
    batch_keys = [f"@@R@@-{number:02d}" for number in range(BATCH)]
    values = ", ".join(f"(${3 * n + 1}, ${3 * n + 2}, ${3 * n + 3})" for n in range(BATCH))
    add_one = {"UpdateExpression": "ADD n :one", "ExpressionAttributeValues": {":one": {"N": "1"}}}
    return [
        Operation("GetItem", "GetItem", {"TableName": "bench", "Key": keyed("@@R@@-0"), "ConsistentRead": True},
                  "SELECT id, number, text FROM bench WHERE id = $1", ("@@R@@-0",), "echo", vary=found,
                  expect_dynalite=5, expect_postgres=1),
        Operation("PutItem", "PutItem", {"TableName": "puts", "Item": thing("@@R@@")},
                  f"INSERT INTO puts VALUES ($1, $2, $3) {UPSERT}", ("@@R@@", "@@N@@", TEXT), "put", vary=KEYS,
                  expect_dynalite=3, expect_postgres=1),
        Operation("conditional PutItem", "PutItem",
                  {"TableName": "bench", "Item": thing("@@R@@-0"), "ConditionExpression": "attribute_exists(id)"},
                  "UPDATE bench SET number = $2, text = $3 WHERE id = $1", ("@@R@@-0", "@@N@@", TEXT), "put", vary=found,
                  expect_dynalite=3),
        Operation("UpdateItem, one hot counter", "UpdateItem", {"TableName": "counters", "Key": keyed("hot"), **add_one},
                  "UPDATE counters SET n = n + 1 WHERE id = $1", ("hot",), "put",
                  expect_per_second=HOT_COUNTER_PER_SECOND),
        Operation(f"Query of {PARTITION_ITEMS} items of 1 KB", "Query",
                  {"TableName": "pages", "KeyConditionExpression": "id = :id",
                   "ExpressionAttributeValues": {":id": {"S": "@@R@@"}}},
                  "SELECT id, sort, text FROM pages WHERE id = $1 ORDER BY sort", ("@@R@@",), "echo", vary=PARTITIONS,
                  expect_dynalite=10),
        Operation(f"BatchWriteItem of {BATCH}", "BatchWriteItem",
                  {"RequestItems": {"batches": [{"PutRequest": {"Item": thing(key)}} for key in batch_keys]}},
                  f"INSERT INTO batches VALUES {values} {UPSERT}",
                  tuple(part for key in batch_keys for part in (key, "@@N@@", TEXT)), "put", vary=KEYS // BATCH,
                  items=BATCH, expect_dynalite=10),
        Operation(f"TransactWriteItems of {TRANSACTION_ITEMS} updates", "TransactWriteItems",
                  {"TransactItems": [{"Update": {"TableName": "counters", "Key": keyed(f"@@R@@-{number}"), **add_one}}
                                     for number in range(TRANSACTION_ITEMS)]},
                  "UPDATE counters SET n = n + 1 WHERE id = $1",
                  tuple(f"@@R@@-{number}" for number in range(TRANSACTION_ITEMS)), "put", vary=found,
                  calls=TRANSACTION_ITEMS, items=TRANSACTION_ITEMS, dynalite_has_it=False),
    ]


# --- the same tables everywhere ---

def prepare_dynamodb(server):
    for name in ("bench", "puts", "batches", "counters"):
        server.cloud.create_table(name=name)
    server.cloud.create_table("id:S sort:N", name="pages")
    fill(server, "bench", ITEMS)
    fill(server, "counters", ITEMS)
    fill(server, "pages", PARTITIONS * PARTITION_ITEMS, lambda batch, number: {
        "id": {"S": f"{batch * BATCH // PARTITION_ITEMS:010d}"},
        "sort": {"N": str((batch * BATCH + number) % PARTITION_ITEMS)}, "text": {"S": ITEM_KB_TEXT}})


def prepare_postgres(postgres):
    for name in ("bench", "puts", "batches"):
        postgres.run(f"CREATE TABLE {name} (id text PRIMARY KEY, number numeric, text text)")
    postgres.run("CREATE TABLE counters (id text PRIMARY KEY, n bigint NOT NULL DEFAULT 0)")
    postgres.run("CREATE TABLE pages (id text, sort numeric, text text, PRIMARY KEY (id, sort))")
    each = f"generate_series(0, {ITEMS // BATCH - 1}) AS batch, generate_series(0, {BATCH - 1}) AS number"
    key = "lpad(batch::text, 10, '0') || '-' || number"
    postgres.run(f"INSERT INTO bench SELECT {key}, 12345.678, repeat('x', {len(TEXT)}) FROM {each}")
    postgres.run(f"INSERT INTO counters SELECT {key} FROM {each}")
    postgres.run("INSERT INTO counters VALUES ('hot')")
    postgres.run(f"INSERT INTO pages SELECT lpad(part::text, 10, '0'), sort, repeat('x', {len(ITEM_KB_TEXT)}) "
                 f"FROM generate_series(0, {PARTITIONS - 1}) AS part, generate_series(0, {PARTITION_ITEMS - 1}) AS sort")
    postgres.run("VACUUM ANALYZE")
    postgres.run("CHECKPOINT")


# --- measuring ---

def compare(rig, report):
    server = rig.server()
    dynalite, postgres = peers.dynalite(rig), peers.postgres(rig)
    prepare_dynamodb(server)
    if dynalite:
        prepare_dynamodb(dynalite)
    if postgres:
        prepare_postgres(postgres)
    floors = {"echo": rig.program("echo_server"), "put": rig.program("put_server", rig.scratch / "put")}
    for operation in operations():
        for connections in CONNECTIONS:
            measure(rig, report, operation, connections, server, dynalite, postgres, floors[operation.floor])
    compare_scans(rig, report, server, dynalite, postgres, floors["echo"])


def measure(rig, report, operation, connections, server, dynalite, postgres, floor):
    body = json.dumps(operation.document, separators=(",", ":"))
    options = {"vary": operation.vary}
    ours = rig.dynamodb_load(server, operation.operation, body, connections, **options)
    floor_body = body if operation.floor == "put" else "x" * answer_size(server, operation)
    beneath = rig.load(floor[0], connections, floor_body, vary=KEYS, pid=floor[1])
    theirs = elephant = None
    if dynalite and operation.dynalite_has_it:
        theirs = rig.dynamodb_load(dynalite, operation.operation, body, connections, **options)
    if postgres:
        elephant = postgres.load(connections, operation.statement, operation.params, operation.calls, **options)
    per_second = [answer["per_second"] * operation.items if answer else None for answer in (ours, beneath, theirs, elephant)]
    what = f"{operation.name}, {connections} connections" + (" (items)" if operation.items > 1 else "")
    own, floor_value, dynalite_value, postgres_value = per_second
    report.compare(what, "/s", own, floor_value, {"dynalite": dynalite_value, "PostgreSQL": postgres_value},
                   floor="bare durable put" if operation.floor == "put" else "echo", expect=expected(operation, connections, *per_second),
                   note=f"p50 {ours['p50_us']:.0f} us, p99 {ours['p99_us']:.0f} us; {ours['per_cpu_second']:,.0f} requests per "
                        "CPU-second")
    progress(f"{what}: " + ", ".join("-" if value is None else f"{value:,.0f}" for value in per_second))


def expected(operation, connections, ours, _, dynalite, postgres):
    """What the issue of speed asks for: of dynalite and the counter at 64 connections, of PostgreSQL at 16 and more."""
    wanted = []
    if connections == 64 and operation.expect_dynalite and dynalite:
        wanted.append((f"{operation.expect_dynalite:g}x dynalite", ours >= operation.expect_dynalite * dynalite))
    if connections >= 16 and operation.expect_postgres and postgres:
        wanted.append((f"{operation.expect_postgres:g}x PostgreSQL", ours >= operation.expect_postgres * postgres))
    if connections == 64 and operation.expect_per_second:
        wanted.append((f"{operation.expect_per_second:,}/s", ours >= operation.expect_per_second))
    return wanted


def answer_size(server, operation):
    body = re.sub("@@[NR]@@", "0" * 10, json.dumps(operation.document))
    return len(server.cloud.raw("dynamodb", "POST", "/", body, {
        "X-Amz-Target": f"DynamoDB_20120810.{operation.operation}", "Content-Type": "application/x-amz-json-1.0"})[2])


# --- Scan: pages, one after the other ---

def compare_scans(rig, report, server, dynalite, postgres, echo):
    size_mb = PARTITIONS * PARTITION_ITEMS * ITEM_KB / 2**20
    ours, page = scan(server, rig.arguments.seconds, size_mb)
    beneath = rig.load(echo[0], 1, "x" * page)["per_second"] * page / 2**20
    theirs = scan(dynalite, rig.arguments.seconds, size_mb)[0] if dynalite else None
    elephant = None
    if postgres:
        elephant = postgres.load(1, "SELECT id, sort, text FROM pages")["per_second"] * size_mb
    wanted = [("10x dynalite", ours >= 10 * theirs)] if theirs else []
    report.compare("Scan, 1 connection", "MB/s", ours, beneath, {"dynalite": theirs, "PostgreSQL": elephant},
                   floor=f"echo of {page // 1024} KB", expect=wanted, note="of items as they are stored")
    progress(f"Scan: {ours:.0f} MB/s of items")


def scan(server, seconds, size_mb):
    """(MB of items per second, bytes of a page's answer): the whole table again and again."""
    host, port = server.endpoint[len("http://"):].split(":")
    connection = socket.create_connection((host, int(port)))
    buffer = bytearray(PAGE_BYTES_MAX)
    tables, largest, started = 0, 0, time.perf_counter()
    while True:
        key = None
        while True:
            body = b'{"TableName":"pages","ConsistentRead":true' + (b',"ExclusiveStartKey":' + key if key else b"") + b"}"
            size = request(connection, body, buffer)
            largest = max(largest, size)
            key = last_evaluated_key(buffer, size)
            if not key:
                break
        tables += 1
        taken = time.perf_counter() - started
        if taken >= seconds:
            connection.close()
            return tables * size_mb / taken, largest


LAST_KEY = re.compile(rb'"LastEvaluatedKey": *(\{(?:[^{}]|\{[^{}]*\})*\})')


def last_evaluated_key(answer, size):
    """Cut out of the text, mostly from its end: what parses the items would be measured with them."""
    at = answer.rfind(b'"LastEvaluatedKey"', 0, size)
    found = LAST_KEY.match(answer, at) if at >= 0 else None
    return found and found.group(1)


def request(connection, body, buffer):
    """The size of the answer, which is in the buffer."""
    head = ("POST / HTTP/1.1\r\nHost: localhost\r\n" + AUTHORIZATION.format(service="dynamodb") +
            "\r\nContent-Type: application/x-amz-json-1.0\r\nX-Amz-Target: DynamoDB_20120810.Scan\r\n"
            f"Content-Length: {len(body)}\r\n\r\n")
    connection.sendall(head.encode() + body)
    filled, total = 0, None
    while total is None or filled < total:
        count = connection.recv_into(memoryview(buffer)[filled:])
        if count == 0:
            raise SystemExit("the server closed a connection in the middle of a Scan")
        filled += count
        if total is None and (end := buffer.find(b"\r\n\r\n", 0, filled)) >= 0:
            length = re.search(rb"(?i)content-length: *(\d+)", buffer[:end])
            total = end + 4 + int(length.group(1))
            if total > len(buffer):
                raise SystemExit(f"a page of a Scan has {total} bytes")
    if not buffer.startswith(b"HTTP/1.1 200"):
        raise SystemExit(f"Scan failed: {bytes(buffer[:400])!r}")
    return total
