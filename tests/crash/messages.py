"""Messages while the server is killed: what was acknowledged is received, what was deleted does not come back, and the
groups of a FIFO queue keep their order. See README.md here."""
import collections
import random
import threading
import uuid

from harness import eventually

GROUPS = 4
VISIBILITY_SECONDS = 2
WAIT_SECONDS = 1
DRAINED_WITHIN_SECONDS = 180


class Queues:
    """Senders and receivers of a standard and a FIFO queue. A message says who it is in its body."""

    def __init__(self, run):
        self.run = run
        self.lock = threading.Lock()
        self.acknowledged = set()               # bodies of the standard queue
        self.sent = set()
        self.received = collections.Counter()
        self.deleted = set()                    # of both queues, acknowledged
        self.order = collections.defaultdict(list)   # group -> its numbers in the order of their first receives
        self.next = collections.Counter()       # group -> the next number to be sent
        self.delivered = 0

    def open(self, cloud):
        attributes = {"VisibilityTimeout": str(VISIBILITY_SECONDS)}
        self.standard = cloud.sqs.create_queue(QueueName="crash", Attributes=attributes)["QueueUrl"]
        self.fifo = cloud.sqs.create_queue(QueueName="crash.fifo",
                                           Attributes={**attributes, "FifoQueue": "true"})["QueueUrl"]

    def tasks(self):
        return [(self.send,), (self.send_in_groups,), (self.receive_in_groups,), (self.receive, 0), (self.receive, 1)]

    def send(self):
        chance = random.Random(self.run.arguments.seed * 5000)
        cloud = self.run.cloud()
        while not self.run.done.is_set():
            bodies = [uuid.uuid4().hex for _ in range(chance.choice((1, 1, 3)))]
            self.sent.update(bodies)
            answer = self.run.attempt(lambda: cloud.sqs.send_message_batch(QueueUrl=self.standard, Entries=[
                {"Id": str(i), "MessageBody": body, "DelaySeconds": chance.choice((0, 0, 1))}
                for i, body in enumerate(bodies)]))
            if answer is not None:
                self.acknowledged.update(bodies[int(done["Id"])] for done in answer.get("Successful", []))

    def send_in_groups(self):
        """Numbers, one after the other in each group. One that got no answer is sent again: a duplicate is dropped."""
        chance = random.Random(self.run.arguments.seed * 5000 + 1)
        cloud = self.run.cloud()
        while not self.run.done.is_set():
            group = str(chance.randrange(GROUPS))
            body = f"{group}/{self.next[group]}"
            while not self.run.done.is_set():
                if self.run.attempt(lambda: cloud.sqs.send_message(
                        QueueUrl=self.fifo, MessageBody=body, MessageGroupId=group,
                        MessageDeduplicationId=body)) is not None:
                    self.next[group] += 1
                    break

    def receive(self, worker):
        chance = random.Random(self.run.arguments.seed * 5000 + 2 + worker)
        cloud = self.run.cloud()
        while not self.run.done.is_set():
            self.receive_once(cloud, self.standard, chance, WAIT_SECONDS)

    def receive_in_groups(self):
        chance = random.Random(self.run.arguments.seed * 5000 + 100)
        cloud = self.run.cloud()
        while not self.run.done.is_set():
            self.receive_once(cloud, self.fifo, chance, WAIT_SECONDS)

    def receive_once(self, cloud, url, chance, wait_seconds):
        """How many came. Some are not deleted and come again."""
        with self.lock:
            deleted_before = set(self.deleted)
        answer = self.run.attempt(lambda: cloud.sqs.receive_message(
            QueueUrl=url, MaxNumberOfMessages=10, WaitTimeSeconds=wait_seconds))
        messages = (answer or {}).get("Messages", [])
        for message in messages:
            self.note(message["Body"], deleted_before)
        for message in messages:
            if chance.random() < 0.2:
                continue
            if not self.delete(cloud, url, message) and url == self.fifo:
                break
        return len(messages)

    def note(self, body, deleted_before):
        with self.lock:
            self.delivered += 1
            self.received[body] += 1
            if body in deleted_before:
                self.run.violations.append(f"queues: {body} came back after its deletion")
            if "/" in body and self.received[body] == 1:
                group, number = body.split("/")
                seen = self.order[group]
                if int(number) != len(seen):
                    self.run.violations.append(f"queues: group {group} gave {number} when {len(seen)} was next")
                seen.append(int(number))

    def delete(self, cloud, url, message):
        try:
            answer = self.run.attempt(
                lambda: cloud.sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"]))
        except cloud.sqs.exceptions.ClientError as error:
            if "receipt handle has expired" not in error.response["Error"]["Message"]:
                raise
            return False
        if answer is None:
            return False
        with self.lock:
            self.deleted.add(message["Body"])
        return True

    def check(self, cloud):
        """Drains both queues: all that was acknowledged has come by then."""
        everything = random.Random()
        everything.random = lambda: 1.0
        for url in (self.standard, self.fifo):
            def drained():
                if self.receive_once(cloud, url, everything, 0):
                    return False
                counts = cloud.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
                return not any(int(counts[name]) for name in counts if name.startswith("ApproximateNumberOf"))
            eventually(drained, f"{url} is empty", DRAINED_WITHIN_SECONDS, 0.05)
        if lost := self.acknowledged - self.received.keys():
            self.run.violations.append(f"queues: {len(lost)} acknowledged messages never came, {sorted(lost)[0]} for one")
        if foreign := {body for body in self.received if "/" not in body} - self.sent:
            self.run.violations.append(f"queues: {len(foreign)} messages came that nobody sent")
        for group, count in self.next.items():
            # The last one may have been sent without an answer.
            if self.order[group] not in (list(range(count)), list(range(count + 1))):
                self.run.violations.append(f"queues: group {group} gave {self.order[group][-3:]}…, {count} were sent")
        if not self.deleted or not self.acknowledged:
            self.run.violations.append("no message was sent or deleted")

    def summary(self):
        return (f"{len(self.sent)} messages and {sum(self.next.values())} in groups sent, {self.delivered} delivered, "
                f"{len(self.deleted)} deleted")
