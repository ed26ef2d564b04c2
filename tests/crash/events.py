"""Events while the server is killed: one that was acknowledged runs its function, and its end is told, always in the same
words. See README.md here."""
import collections
import json
import random
import uuid

from harness import eventually

FUNCTION_NAME = "crash-events"
QUEUE = "crash-event-ends"
TOLD_WITHIN_SECONDS = 120

# Fails for some, by their name.
FUNCTION = """
import os

def handler(event, context):
    file = os.open(os.environ["SEEN_FILE"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(file, (event + "\\n").encode())
    os.fsync(file)
    os.close(file)
    if event[0] in "0123":
        raise ValueError(event)
    return event
"""


class Events:
    """One caller, and a queue that gets the ends of its events."""

    def __init__(self, run):
        self.run = run
        self.acknowledged = set()
        self.sent = set()
        self.told = collections.defaultdict(set)   # event -> the records of its end, as text
        self.file = run.directory / "events"

    def open(self, cloud):
        cloud.create_function(FUNCTION, name=FUNCTION_NAME, Environment={"Variables": {"SEEN_FILE": str(self.file)}})
        self.queue = cloud.sqs.create_queue(QueueName=QUEUE)["QueueUrl"]
        destination = {"Destination": cloud.queue_arn(self.queue)}
        cloud.functions.put_function_event_invoke_config(
            FunctionName=FUNCTION_NAME, MaximumRetryAttempts=0,
            DestinationConfig={"OnSuccess": destination, "OnFailure": destination})

    def tasks(self):
        return [(self.send,)]

    def send(self):
        chance = random.Random(self.run.arguments.seed * 9000)
        cloud = self.run.cloud()
        while not self.run.done.is_set():
            event = uuid.uuid4().hex
            self.sent.add(event)
            if self.run.attempt(lambda: cloud.functions.invoke(
                    FunctionName=FUNCTION_NAME, InvocationType="Event", Payload=json.dumps(event).encode())) is not None:
                self.acknowledged.add(event)
            self.run.done.wait(chance.random() * 0.02)

    def receive(self, cloud):
        answer = cloud.sqs.receive_message(QueueUrl=self.queue, MaxNumberOfMessages=10, WaitTimeSeconds=1)
        messages = answer.get("Messages", [])
        for message in messages:
            self.told[json.loads(message["Body"])["requestPayload"]].add(message["Body"])
        if messages:
            cloud.sqs.delete_message_batch(QueueUrl=self.queue, Entries=[
                {"Id": str(i), "ReceiptHandle": message["ReceiptHandle"]} for i, message in enumerate(messages)])
        return messages

    def check(self, cloud):
        def all_told():
            while self.receive(cloud):
                pass
            return self.acknowledged <= self.told.keys()
        try:
            eventually(all_told, "every event's end is told", TOLD_WITHIN_SECONDS, 0.1)
        except AssertionError:
            lost = self.acknowledged - self.told.keys()
            self.run.violations.append(f"{len(lost)} events were acknowledged and their ends not told: {sorted(lost)[:5]}")
        ran = set(self.file.read_text().split()) if self.file.exists() else set()
        if lost := self.acknowledged - ran:
            self.run.violations.append(f"{len(lost)} events were acknowledged and never ran: {sorted(lost)[:5]}")
        if strange := self.told.keys() - self.sent:
            self.run.violations.append(f"ends were told of events that nobody sent: {sorted(strange)[:5]}")
        for event, records in self.told.items():
            condition = "RetriesExhausted" if event[0] in "0123" else "Success"
            contexts = [json.loads(record)["requestContext"] for record in records]
            requests = {context["requestId"] for context in contexts}   # a client may ask twice
            if len(records) != len(requests) or {context["condition"] for context in contexts} != {condition}:
                self.run.violations.append(f"event {event} ended more than once, or wrongly: {sorted(records)[:2]}")

    def summary(self):
        return f"{len(self.acknowledged)} of {len(self.sent)} events acknowledged, {len(self.told)} ends told"
