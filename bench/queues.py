"""SQS beside Redis Streams and a queue in PostgreSQL, at equal durability; and what waiting costs."""
import json
import socket

import peers
from rig import AUTHORIZATION, progress, share_of_a_core

CONNECTIONS = (1, 16, 64)
BODY_BYTES = 100
BATCH = 10
EXPECTED_RATIO = 2
WAITED_MS = 1
QUEUES = 10_000
WAITING = 1_000
IDLE_SHARE = 0.01

CREATE_TABLE = ("CREATE TABLE queue (id bigserial PRIMARY KEY, body text NOT NULL, available timestamptz NOT NULL DEFAULT now(), "
                "receives int NOT NULL DEFAULT 0)")


def headers(operation):
    return [AUTHORIZATION.format(service="sqs"), "Content-Type: application/x-amz-json-1.0", f"X-Amz-Target: AmazonSQS.{operation}"]


def compare(rig, report):
    server, redis, postgres = rig.server(), peers.redis(rig), peers.postgres(rig)
    url = server.cloud.sqs.create_queue(QueueName="bench")["QueueUrl"].replace("localhost", "127.0.0.1")
    systems = {"Tidemill": ["--system", "sqs", "--url", url, "--header", AUTHORIZATION.format(service="sqs")]}
    if redis:
        redis.run("XGROUP", "CREATE", "bench", "bench", "$", "MKSTREAM")
        systems["Redis"] = ["--system", "redis", "--port", str(redis.port)]
    if postgres:
        postgres.run(CREATE_TABLE)
        postgres.run("CREATE INDEX ON queue (available, id)")
        systems["PostgreSQL"] = ["--system", "postgres", "--port", str(postgres.port), "--user", "bench"]
    floor = rig.program("put_server", rig.scratch / "put")
    for batch in (1, BATCH):
        for connections in CONNECTIONS:
            measure(rig, report, systems, floor, connections, batch)
    waited(rig, report, systems)
    idle(rig, report, server)


def measure(rig, report, systems, floor, connections, batch):
    found = {name: rig.run_load("queue_load", [*system, "--connections", str(connections), "--batch", str(batch), "--bytes",
                                               str(BODY_BYTES), "--seconds", str(rig.arguments.seconds)])
             for name, system in systems.items()}
    beneath = rig.load(floor[0], connections, "x" * BODY_BYTES * batch, pid=floor[1])["per_second"] / 3 * batch
    per_second = {name: answer["per_second"] for name, answer in found.items()}
    ours = per_second.pop("Tidemill")
    wanted = [(f"{EXPECTED_RATIO}x {name}", ours >= EXPECTED_RATIO * theirs) for name, theirs in per_second.items()
              if connections == max(CONNECTIONS)]
    what = f"message sent, received, deleted{f', batches of {batch}' if batch > 1 else ''}, {connections} connections"
    note = "p50, p99: " + "; ".join(f"{name} {answer['p50_us']:,.0f}, {answer['p99_us']:,.0f} us" for name, answer in found.items())
    report.compare(what, "/s", ours, beneath, {"Redis": per_second.get("Redis"), "PostgreSQL": per_second.get("PostgreSQL")},
                   floor="durable put / 3", expect=wanted, note=note)
    progress(f"{what}: {ours:,.0f}, " + ", ".join(f"{name} {value:,.0f}" for name, value in per_second.items()))


def waited(rig, report, systems):
    for name in ("Tidemill", "Redis"):
        if name not in systems:
            continue
        answer = rig.run_load("queue_load", [*systems[name], "--waiting", "1", "--seconds", str(rig.arguments.seconds)])
        took_ms = answer["p50_us"] / 1000
        what = "send to waiting receiver" + ("" if name == "Tidemill" else f", {name}")
        report.add(what, took_ms, "ms", expect=(f"p50 at most {WAITED_MS} ms", took_ms <= WAITED_MS) if name == "Tidemill" else None,
                   note=f"p99 {answer['p99_us'] / 1000:.2f} ms")
        progress(f"{what}: p50 {took_ms:.2f} ms, p99 {answer['p99_us'] / 1000:.2f} ms")


# --- what waiting costs ---

def idle(rig, report, server):
    rig.load(server.endpoint + "/", 16, json.dumps({"QueueName": "idle-@@I@@"}), headers("CreateQueue"), requests=QUEUES,
             seconds=600, warmup=0)
    urls = [url for page in server.cloud.sqs.get_paginator("list_queues").paginate(
        QueueNamePrefix="idle-", PaginationConfig={"PageSize": 1000}) for url in page["QueueUrls"]]
    receivers = [wait_at(server, urls[number % len(urls)]) for number in range(WAITING)]
    share = share_of_a_core(server.pid)
    for receiver in receivers:
        receiver.close()
    report.add(f"{len(urls):,} queues, {WAITING:,} waiting receivers", share * 100, "% of a core",
               expect=(f"below {IDLE_SHARE:.0%}", share < IDLE_SHARE))
    progress(f"{len(urls):,} idle queues and {WAITING:,} waiting receivers: {share:.2%} of a core")


def wait_at(server, url):
    host, port = server.endpoint[len("http://"):].split(":")
    connection = socket.create_connection((host, int(port)))
    body = json.dumps({"QueueUrl": url, "WaitTimeSeconds": 20})
    lines = ["POST / HTTP/1.1", "Host: localhost", *headers("ReceiveMessage"), f"Content-Length: {len(body)}", "", body]
    connection.sendall("\r\n".join(lines).encode())
    return connection
