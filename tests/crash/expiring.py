"""Items that expire while the server is killed: each goes once, not before its time, with one record in the stream, and
never comes back. See README.md here."""
import collections
import random
import time
import uuid

from harness import eventually, item

TABLE = "expiring"
LIFETIMES_SECONDS = (1, 2, 3, 5)
GONE_WITHIN_SECONDS = 180


class Expiring:
    def __init__(self, run):
        self.run = run
        self.acknowledged = {}          # id -> when it is due
        self.sent = {}                  # the same of all that were ever sent
        self.kept = set()               # whose time was taken away, acknowledged
        self.touched = set()            # whose time somebody tried to take away
        self.gone = set()               # that a reader missed
        self.checks = 0

    def open(self, cloud):
        cloud.create_table(name=TABLE, stream="KEYS_ONLY")
        cloud.dynamodb.update_time_to_live(TableName=TABLE,
                                           TimeToLiveSpecification={"Enabled": True, "AttributeName": "due"})
        self.stream = cloud.stream_arn(TABLE)

    def tasks(self):
        return [(self.write,), (self.read,)]

    def write(self):
        chance = random.Random(self.run.arguments.seed * 4000)
        cloud = self.run.cloud()
        while not self.run.done.is_set():
            key, due = uuid.uuid4().hex, int(time.time()) + chance.choice(LIFETIMES_SECONDS)
            self.sent[key] = due
            if self.run.attempt(lambda: cloud.put_item(TABLE, id=key, due=due)) is not None:
                self.acknowledged[key] = due
            if chance.random() < 0.1:
                self.keep(cloud, chance.choice(list(self.sent)))
            time.sleep(0.005)

    def keep(self, cloud, key):
        """Takes an item's time away, if it is still there."""
        self.touched.add(key)
        try:
            if self.run.attempt(lambda: cloud.dynamodb.update_item(
                    TableName=TABLE, Key=item(id=key), UpdateExpression="REMOVE due",
                    ConditionExpression="attribute_exists(id)")) is not None:
                self.kept.add(key)
        except cloud.dynamodb.exceptions.ConditionalCheckFailedException:
            pass

    def read(self):
        chance = random.Random(self.run.arguments.seed * 4000 + 1)
        cloud = self.run.cloud()
        while not self.run.done.is_set():
            if not self.acknowledged:
                time.sleep(0.01)
                continue
            key = chance.choice(list(self.acknowledged))
            was_gone, was_kept = key in self.gone, key in self.kept
            answer = self.run.attempt(
                lambda: cloud.dynamodb.get_item(TableName=TABLE, Key=item(id=key), ConsistentRead=True))
            if answer is None:
                continue
            self.checks += 1
            now = time.time()
            if "Item" in answer and was_gone:
                self.run.violations.append(f"expiring: {key} came back")
            if "Item" not in answer:
                self.gone.add(key)
                if was_kept:
                    self.run.violations.append(f"expiring: {key} is gone, though its time had been taken away")
                elif now < self.acknowledged[key]:
                    self.run.violations.append(f"expiring: {key} went {self.acknowledged[key] - now:.3f} s early")

    def check(self, cloud):
        def left():
            pages = cloud.dynamodb.get_paginator("scan").paginate(TableName=TABLE, ConsistentRead=True)
            return {found["id"]["S"]: found for page in pages for found in page["Items"]}
        eventually(lambda: not any("due" in found for found in left().values()), "every item expires",
                   GONE_WITHIN_SECONDS, 0.1)
        there = left()
        if lost := self.kept - there.keys():
            self.run.violations.append(f"expiring: {len(lost)} items are gone whose time had been taken away")
        events = collections.defaultdict(list)
        for shard in cloud.shards(self.stream):
            for record in cloud.shard_records(self.stream, shard["ShardId"]):
                by_service = record.get("userIdentity", {}).get("PrincipalId") == "dynamodb.amazonaws.com"
                events[record["dynamodb"]["Keys"]["id"]["S"]].append(
                    record["eventName"] + (" by the service" if by_service else ""))
        for key in self.sent:
            seen = events[key]
            if key in there:
                expected = [["INSERT", "MODIFY"]]
            elif key in self.acknowledged:
                expected = [["INSERT", "REMOVE by the service"]]
            else:
                expected = [[], ["INSERT", "REMOVE by the service"]]
            if seen not in expected:
                self.run.violations.append(f"expiring: the stream says {seen} of {key}, not {expected[0]}")
        if not self.checks or not self.acknowledged:
            self.run.violations.append("nothing was there to expire, or nobody looked")

    def summary(self):
        return f"{len(self.sent)} items to expire, {len(self.kept)} kept"
