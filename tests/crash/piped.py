"""Pipes while the server is killed: every record of a data stream reaches the target at least once, those of a key in their
order, and every message of a queue at least once. See README.md here."""
import collections
import json
import random
import uuid

from harness import ROLE, eventually
from records import Records

STREAM, TARGET = "crash-piped", "crash-piped-to"
SHARDS = 2
KEYS = 6
ARRIVED_WITHIN_SECONDS = 120


class Piped:
    """One producer for both pipes."""

    def __init__(self, run):
        self.run = run
        self.next = collections.Counter()                # key -> the number of its next record
        self.acknowledged = collections.defaultdict(set)  # key -> numbers
        self.messages, self.sent, self.received = set(), set(), set()  # of the queue: acknowledged, all, and come

    def open(self, cloud):
        for name in (STREAM, TARGET):
            cloud.kinesis.create_stream(StreamName=name, ShardCount=SHARDS)
            cloud.data_stream_active(name)
        self.queue = cloud.sqs.create_queue(QueueName=STREAM, Attributes={"VisibilityTimeout": "3"})["QueueUrl"]
        self.queue_target = cloud.sqs.create_queue(QueueName=TARGET)["QueueUrl"]
        pipes = cloud.client("pipes")
        stream = "arn:aws:kinesis:us-east-1:000000000000:stream/"
        pipes.create_pipe(Name="stream", RoleArn=ROLE, Source=stream + STREAM, Target=stream + TARGET,
                          SourceParameters={"KinesisStreamParameters": {"StartingPosition": "TRIM_HORIZON", "BatchSize": 20}},
                          TargetParameters={"KinesisStreamParameters": {"PartitionKey": "$.partitionKey"},
                                            "InputTemplate": '{"key": <$.data.key>, "n": <$.data.n>}'})
        pipes.create_pipe(Name="queue", RoleArn=ROLE, Source=cloud.queue_arn(self.queue),
                          Target=cloud.queue_arn(self.queue_target), TargetParameters={"InputTemplate": "<$.body>"})
        for name in ("stream", "queue"):
            eventually(lambda name=name: pipes.describe_pipe(Name=name)["CurrentState"] == "RUNNING", "the pipe runs")

    def tasks(self):
        return [(self.put,)]

    def put(self):
        chance = random.Random(self.run.arguments.seed * 15_000)
        cloud = self.run.cloud()
        while not self.run.done.is_set():
            key = f"k{chance.randrange(KEYS)}"
            number = self.next[key]
            self.next[key] += 1
            if self.run.attempt(lambda: cloud.kinesis.put_record(
                    StreamName=STREAM, PartitionKey=key, Data=json.dumps({"key": key, "n": number}))) is not None:
                self.acknowledged[key].add(number)
            body = uuid.uuid4().hex
            self.sent.add(body)
            if self.run.attempt(lambda: cloud.sqs.send_message(QueueUrl=self.queue, MessageBody=body)) is not None:
                self.messages.add(body)
            self.run.done.wait(chance.random() * 0.02)

    @staticmethod
    def numbers(cloud, stream):
        """key -> its numbers, in the order in which they came first."""
        found = collections.defaultdict(dict)
        for shard in cloud.kinesis.list_shards(StreamName=stream)["Shards"]:
            for record in Records.read(cloud, shard["ShardId"], stream):
                said = json.loads(record["Data"])
                if said["key"] != record["PartitionKey"]:
                    raise ValueError(f"{said} came by the key {record['PartitionKey']}")
                found[said["key"]].setdefault(said["n"])
        return {key: list(numbers) for key, numbers in found.items()}

    def check(self, cloud):
        source = self.numbers(cloud, STREAM)

        def arrived():
            came = self.numbers(cloud, TARGET)
            return all(set(numbers) <= set(came.get(key, [])) for key, numbers in source.items())
        try:
            eventually(arrived, "every record has come", ARRIVED_WITHIN_SECONDS, 0.5)
        except AssertionError:
            pass  # told below, by which
        came = self.numbers(cloud, TARGET)
        for key, numbers in source.items():
            if lost := self.acknowledged[key] - set(numbers):
                self.run.violations.append(f"piped: of {key} {sorted(lost)[:5]} are not in the source")
            if came.get(key, []) != numbers:
                missing = sorted(set(numbers) - set(came.get(key, [])))[:5]
                self.run.violations.append(f"piped: of {key} {missing or 'none'} are missing at the target, or the order is another")
        eventually(lambda: self.receive(cloud), "every message has come", ARRIVED_WITHIN_SECONDS, 0.0)
        if lost := self.messages - self.received:
            self.run.violations.append(f"piped: {len(lost)} acknowledged messages never came, {sorted(lost)[0]} for one")
        if strange := self.received - self.sent:
            self.run.violations.append(f"piped: {len(strange)} messages came that nobody sent")
        if not self.messages or not source:
            self.run.violations.append("piped: nothing was sent")

    def receive(self, cloud):
        """True: both queues are empty."""
        messages = cloud.sqs.receive_message(QueueUrl=self.queue_target, MaxNumberOfMessages=10).get("Messages", [])
        self.received |= {message["Body"].strip('"') for message in messages}
        if messages:
            cloud.sqs.delete_message_batch(QueueUrl=self.queue_target, Entries=[
                {"Id": str(i), "ReceiptHandle": message["ReceiptHandle"]} for i, message in enumerate(messages)])
        return not messages and cloud.queue_counts(self.queue) == (0, 0) and cloud.queue_counts(self.queue_target) == (0, 0)

    def summary(self):
        return f"{sum(map(len, self.acknowledged.values()))} records and {len(self.messages)} messages in pipes"
