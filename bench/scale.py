"""How the same work goes on as the pond fills: gets, puts, queries, messages and a steady mapping after ten thousand, a million
and ten million entries. What is measured against is the first size, in the same run."""
import json

import measures
import queue_scale
import queues
import stream_mappings
from rig import AUTHORIZATION, dynamodb_headers, progress, settle

SIZES = (10_000, 1_000_000, 10_000_000)
CONNECTIONS = 16
FILLERS = 8
LEAST_SHARE = 0.5       # of the first figure
DRAINED = 20_000        # records from which the capacity of a mapping is measured
FILL_SECONDS_MAX = 3600


def measure(rig, report):
    server = rig.server()
    server.cloud.create_table(name="scale", stream="NEW_IMAGE")
    url = server.cloud.sqs.create_queue(QueueName="scale")["QueueUrl"].replace("localhost", "127.0.0.1")
    capacity = stream_mappings.drain(rig, report, server, 1, 1, DRAINED)
    first, filled = {}, 0
    for size in (size for size in SIZES if size <= rig.arguments.entries):
        fill(rig, server, filled, size)
        filled = size
        progress(f"compaction was done after {settle(server.pid):,.0f} s")
        for what, value, unit, note in figures(rig, server, url, size):
            share = value / first.setdefault(what, value)
            report.add(f"{what}, {size:,} entries", value, unit, f"at {SIZES[0]:,}", first[what],
                       expect=(f"at least {LEAST_SHARE:.0%}", share >= LEAST_SHARE) if size > SIZES[0] else None, note=note)
            progress(f"{what}, {size:,} entries: {value:,.0f}{unit} ({share:.0%}), {note}")
        stream_mappings.steady(rig, report, server, 1, capacity / 2, f", {size:,} entries")
    queue_scale.measure(rig, report)


def fill(rig, server, have, want):
    """Items with the keys 0 to `want`, ten digits each, of which the first `have` are there; each is a record of the stream too."""
    puts = [{"PutRequest": {"Item": measures.item_document("@@I@@")}} for _ in range(measures.BATCH)]
    progress(f"filling up to {want:,} items")
    rig.load(server.endpoint + "/", FILLERS, json.dumps({"RequestItems": {"scale": puts}}, separators=(",", ":")),
             dynamodb_headers("BatchWriteItem"), first=have, requests=(want - have) // measures.BATCH,
             seconds=FILL_SECONDS_MAX, warmup=0)


def figures(rig, server, url, size):
    key = {"id": {"S": "@@N@@"}}
    query = {"TableName": "scale", "KeyConditionExpression": "id = :id", "ExpressionAttributeValues": {":id": {"S": "@@N@@"}}}
    for what, operation, document in (("GetItem", "GetItem", {"TableName": "scale", "Key": key}),
                                      ("Query of one item", "Query", query),
                                      ("PutItem", "PutItem", {"TableName": "scale", "Item": measures.item_document("@@N@@")})):
        answer = rig.dynamodb_load(server, operation, document, CONNECTIONS, vary=size)
        yield what, answer["per_second"], "/s", f"p99 {answer['p99_us']:,.0f} us"
    answer = rig.run_load("queue_load", ["--system", "sqs", "--url", url, "--header", AUTHORIZATION.format(service="sqs"),
                                         "--connections", str(CONNECTIONS), "--batch", str(queues.BATCH), "--bytes",
                                         str(queues.BODY_BYTES), "--seconds", str(rig.arguments.seconds)])
    yield "messages sent, received, deleted", answer["per_second"], "/s", f"p99 {answer['p99_us']:,.0f} us"
