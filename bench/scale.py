"""How the same work goes on as the pond fills: gets, puts, queries, messages and a steady mapping after ten thousand, a million
and ten million entries. What is measured against is a second server that stays at the first size, in turns with the other: a
machine is not as fast in one minute as in another."""
import json
import statistics

import measures
import queue_scale
import queues
import stream_mappings
from rig import AUTHORIZATION, dynamodb_headers, progress, settle

SIZES = (10_000, 1_000_000, 10_000_000)
CONNECTIONS = 16
FILLERS = 8
ROUNDS = 5
LEAST_SHARE = 0.5       # of what the small one does meanwhile
WARMING_SHARE = 0.1     # of the items are read before: a block of the store holds more than ten of them
DRAINED = 20_000        # records from which the capacity of a mapping is measured
FILL_SECONDS_MAX = 3600


class Pond:
    """A server with so many items, named by the numbers below that, and a queue."""

    def __init__(self, rig, name):
        self.rig, self.name, self.size = rig, name, 0
        self.server = rig.server(name=name)
        self.server.cloud.create_table(name="scale", stream="NEW_IMAGE")
        self.url = self.server.cloud.sqs.create_queue(QueueName="scale")["QueueUrl"].replace("localhost", "127.0.0.1")

    def fill(self, size):
        """Items with keys of ten digits; each is a record of the stream too."""
        puts = [{"PutRequest": {"Item": measures.item_document("@@I@@")}} for _ in range(measures.BATCH)]
        progress(f"filling up to {size:,} items")
        self.rig.load(self.server.endpoint + "/", FILLERS, json.dumps({"RequestItems": {"scale": puts}}, separators=(",", ":")),
                      dynamodb_headers("BatchWriteItem"), first=self.size, requests=(size - self.size) // measures.BATCH,
                      seconds=FILL_SECONDS_MAX, warmup=0)
        self.size = size
        progress(f"compaction was done after {settle(self.server.pid):,.0f} s")

    def warm(self):
        """What was filled in lies on the disk, and nothing of it in the store's cache."""
        self.get(requests=int(self.size * WARMING_SHARE), seconds=FILL_SECONDS_MAX, warmup=0)

    def load(self, operation, document, **options):
        return self.rig.dynamodb_load(self.server, operation, document, CONNECTIONS, vary=self.size, **options)

    def get(self, **options):
        return self.load("GetItem", {"TableName": "scale", "Key": {"id": {"S": "@@N@@"}}}, **options)

    def query(self):
        return self.load("Query", {"TableName": "scale", "KeyConditionExpression": "id = :id",
                                   "ExpressionAttributeValues": {":id": {"S": "@@N@@"}}})

    def put(self):
        return self.load("PutItem", {"TableName": "scale", "Item": measures.item_document("@@N@@")})

    def pass_messages(self):
        return self.rig.run_load("queue_load", ["--system", "sqs", "--url", self.url, "--header",
                                                AUTHORIZATION.format(service="sqs"), "--connections", str(CONNECTIONS),
                                                "--batch", str(queues.BATCH), "--bytes", str(queues.BODY_BYTES),
                                                "--seconds", str(self.rig.arguments.seconds)])


FIGURES = {"GetItem": Pond.get, "Query of one item": Pond.query, "PutItem": Pond.put,
           "messages sent, received, deleted": Pond.pass_messages}


def measure(rig, report):
    small, filled = Pond(rig, "small"), Pond(rig, "filled")
    small.fill(SIZES[0])
    for size in (size for size in SIZES if size <= rig.arguments.entries):
        filled.fill(size)
        compare(report, "GetItem behind filling", Pond.get, small, filled, None)
        filled.warm()
        for what, figure in FIGURES.items():
            compare(report, what, figure, small, filled, LEAST_SHARE)
        steady(rig, report, small, filled)
    queue_scale.measure(rig, report)


def compare(report, what, figure, small, filled, least_share):
    """In turns; what is shown is the round in the middle. `least_share`: what is expected of the filled one, or None."""
    rounds = [(figure(small), figure(filled)) for _ in range(ROUNDS)]
    shares = sorted(large["per_second"] / little["per_second"] for little, large in rounds)
    share = statistics.median(shares)
    little, large = (statistics.median(answers[i]["per_second"] for answers in rounds) for i in (0, 1))
    p99 = statistics.median(large["p99_us"] for _, large in rounds)
    what = f"{what}, {filled.size:,} entries"
    note = f"{share:.0%} of it, {shares[0]:.0%} to {shares[-1]:.0%}; p99 {p99:,.0f} us"
    report.add(what, large, "/s", f"at {small.size:,}", little, note=note,
               expect=(f"at least {least_share:.0%}", share >= least_share) if least_share else None)
    progress(f"{what}: {large:,.0f}/s, {note}")


def steady(rig, report, small, filled):
    """At half of what a mapping of the small one takes now, for each of them."""
    where = f", {filled.size:,} entries"
    capacity = stream_mappings.drain(rig, report, small.server, 1, 1, DRAINED, where)
    for pond in (small, filled):
        stream_mappings.steady(rig, report, pond.server, 1, capacity / 2, f"{where}, {pond.name}")
