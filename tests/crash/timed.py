"""Schedules and rules while the server is killed: a schedule that was acknowledged runs, an event that was put reaches the
target of its rule and stands in the archive. See README.md here."""
import json
import random
import time
import uuid

from harness import ROLE, eventually

BUS = "timed"
QUEUE = "timed"
DUE_SECONDS = (1, 2, 3)
TOLD_WITHIN_SECONDS = 120


class Timed:
    """One caller, and a queue that gets what runs."""

    def __init__(self, run):
        self.run = run
        self.acknowledged = set()
        self.sent = set()
        self.told = set()
        self.events = 0  # acknowledged ones

    def open(self, cloud):
        self.queue = cloud.sqs.create_queue(QueueName=QUEUE)["QueueUrl"]
        self.arn = cloud.queue_arn(self.queue)
        events = cloud.client("events")
        bus = events.create_event_bus(Name=BUS)["EventBusArn"]
        events.create_archive(ArchiveName=BUS, EventSourceArn=bus)
        events.put_rule(Name=BUS, EventBusName=BUS, EventPattern=json.dumps({"source": [BUS]}))
        events.put_targets(Rule=BUS, EventBusName=BUS, Targets=[{"Id": "q", "Arn": self.arn, "InputPath": "$.detail.name"}])

    def tasks(self):
        return [(self.send,)]

    def send(self):
        chance = random.Random(self.run.arguments.seed * 13_000)
        cloud = self.run.cloud()
        scheduler, events = cloud.client("scheduler"), cloud.client("events")
        while not self.run.done.is_set():
            name = uuid.uuid4().hex
            self.sent.add(name)
            if chance.random() < 0.5:
                due = int(time.time()) + chance.choice(DUE_SECONDS)
                at = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(due))
                answer = self.run.attempt(lambda: scheduler.create_schedule(
                    Name=name, ScheduleExpression=f"at({at})", FlexibleTimeWindow={"Mode": "OFF"},
                    Target={"Arn": self.arn, "RoleArn": ROLE, "Input": name}))
                if time.time() >= due:  # one that was made too late never runs
                    continue
            else:
                answer = self.run.attempt(lambda: events.put_events(Entries=[
                    {"EventBusName": BUS, "Source": BUS, "DetailType": "t", "Detail": json.dumps({"name": name})}]))
                self.events += answer is not None
            if answer is not None:
                self.acknowledged.add(name)
            self.run.done.wait(chance.random() * 0.02)

    def receive(self, cloud):
        messages = cloud.sqs.receive_message(QueueUrl=self.queue, MaxNumberOfMessages=10, WaitTimeSeconds=1).get("Messages", [])
        self.told |= {message["Body"].strip('"') for message in messages}
        if messages:
            cloud.sqs.delete_message_batch(QueueUrl=self.queue, Entries=[
                {"Id": str(i), "ReceiptHandle": message["ReceiptHandle"]} for i, message in enumerate(messages)])
        return messages

    def check(self, cloud):
        def all_told():
            while self.receive(cloud):
                pass
            return self.acknowledged <= self.told
        try:
            eventually(all_told, "every schedule and rule has run", TOLD_WITHIN_SECONDS, 0.1)
        except AssertionError:
            lost = self.acknowledged - self.told
            self.run.violations.append(f"{len(lost)} schedules or events were acknowledged and never came: {sorted(lost)[:5]}")
        if strange := self.told - self.sent:
            self.run.violations.append(f"what nobody sent came: {sorted(strange)[:5]}")
        archived = cloud.client("events").describe_archive(ArchiveName=BUS)["EventCount"]
        if archived < self.events:
            self.run.violations.append(f"{self.events} events were acknowledged, {archived} are archived")

    def summary(self):
        return f"{len(self.acknowledged)} of {len(self.sent)} schedules and events of a bus acknowledged"
