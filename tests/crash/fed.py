"""Functions that queues feed while the server is killed: each acknowledged message is finished by the function, the messages
of a group in their order, and in the end the queues are empty. See README.md here."""
import collections
import json
import random
import uuid

from harness import eventually

GROUPS = 3
VISIBILITY_SECONDS = 3
DRAINED_WITHIN_SECONDS = 180
# A group stands still for a visibility timeout behind each failure, so only a few messages pass in a second, however fast
# the machine is. The sender waits while so many are in the FIFO queue; they drain well within the time above.
MOST_WAITING = 100

# Fails one message in ten, and of a group then all behind it, as AWS's guide advises.
FUNCTION = """
import json, os, random

def handler(event, context):
    lines, failures = "", []
    for record in event["Records"]:
        ordered = "MessageGroupId" in record["attributes"]
        if (ordered and failures) or random.random() < 0.1:
            failures.append({"itemIdentifier": record["messageId"]})
        else:
            lines += json.dumps(record["body"]) + "\\n"
    file = os.open(os.environ["FINISHED_FILE"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(file, lines.encode())
    os.fsync(file)
    os.close(file)
    return {"batchItemFailures": failures}
"""


class Fed:
    """Senders to a standard and a FIFO queue, each the source of the same function. A message says who it is in its body:
    "3/17" is the eighteenth of group 3."""

    def __init__(self, run):
        self.run = run
        self.path = run.directory / "finished"
        self.acknowledged = set()              # bodies of the standard queue
        self.sent = set()
        self.next = collections.Counter()      # group -> the next number to be sent

    def open(self, cloud):
        attributes = {"VisibilityTimeout": str(VISIBILITY_SECONDS)}
        self.standard = cloud.sqs.create_queue(QueueName="fed", Attributes=attributes)["QueueUrl"]
        self.fifo = cloud.sqs.create_queue(QueueName="fed.fifo",
                                           Attributes={**attributes, "FifoQueue": "true"})["QueueUrl"]
        cloud.create_function(FUNCTION, name="fed", Timeout=VISIBILITY_SECONDS,
                              Environment={"Variables": {"FINISHED_FILE": str(self.path)}})
        for queue in (self.standard, self.fifo):
            cloud.create_mapping("fed", cloud.queue_arn(queue), BatchSize=5,
                                 FunctionResponseTypes=["ReportBatchItemFailures"])

    def tasks(self):
        return [(self.send,)]

    def send(self):
        """Numbers, one after the other in each group; one that got no answer is sent again, a duplicate is dropped. Between
        them messages of the standard queue, each once."""
        chance = random.Random(self.run.arguments.seed * 6000)
        cloud = self.run.cloud()
        while not self.run.done.is_set():
            body = uuid.uuid4().hex
            self.sent.add(body)
            if self.run.attempt(lambda: cloud.sqs.send_message(QueueUrl=self.standard, MessageBody=body)) is not None:
                self.acknowledged.add(body)
            counts = self.run.attempt(lambda: cloud.queue_counts(self.fifo))
            if counts is None or sum(counts) >= MOST_WAITING:
                continue
            group = str(chance.randrange(GROUPS))
            body = f"{group}/{self.next[group]}"
            while not self.run.done.is_set():
                if self.run.attempt(lambda: cloud.sqs.send_message(
                        QueueUrl=self.fifo, MessageBody=body, MessageGroupId=group,
                        MessageDeduplicationId=body)) is not None:
                    self.next[group] += 1
                    break

    def finished(self):
        """What the function finished, in that order, each as often as it did."""
        return [json.loads(line) for line in self.path.read_text().splitlines()] if self.path.exists() else []

    def check(self, cloud):
        for url in (self.standard, self.fifo):
            eventually(lambda: cloud.queue_counts(url) == (0, 0), f"{url} is empty", DRAINED_WITHIN_SECONDS, 0.1)
        finished = self.finished()
        if lost := self.acknowledged - set(finished):
            self.run.violations.append(f"fed: {len(lost)} acknowledged messages were not finished, {sorted(lost)[0]} for one")
        if foreign := {body for body in finished if "/" not in body} - self.sent:
            self.run.violations.append(f"fed: {len(foreign)} messages came that nobody sent")
        order = collections.defaultdict(list)  # group -> its numbers as they were first finished
        for body in dict.fromkeys(body for body in finished if "/" in body):
            group, number = body.split("/")
            order[group].append(int(number))
        for group, count in self.next.items():
            # The last one may have been sent without an answer.
            if order[group] not in (list(range(count)), list(range(count + 1))):
                self.run.violations.append(f"fed: group {group} was finished as {order[group][-5:]}…, {count} were sent")
        if not self.acknowledged or not self.next:
            self.run.violations.append("fed: nothing was sent")

    def summary(self):
        return f"{len(self.finished())} messages finished by functions that queues feed"
