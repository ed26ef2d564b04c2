"""Backups, point-in-time recovery and restored tables while the server is killed: a copy holds exactly the items of its
moment, however often it had to go on. See README.md here."""
import collections
import json
import random
import time

from harness import eventually, item

TABLE = "copied"
ITEMS = 400
FILLER_BYTES = (0, 100, 4000)
BACKUPS_KEPT = 6
MOMENTS_KEPT = 30
WRITES_BETWEEN = 20
RESTORE_SECONDS = 180


class Copies:
    """One writer, which knows what the table holds: after a write that got no answer it reads the item. Between its
    writes it makes backups, and notes the time. The main thread restores them; see turn() and before_kill()."""

    def __init__(self, run):
        self.run = run
        self.contents = {}                      # what the table holds: id -> n
        self.backups = {}                       # ARN -> what it must hold
        self.moments = collections.deque(maxlen=MOMENTS_KEPT)  # (time, what the table held)
        self.restoring = None                   # (table, what it must hold, where from)
        self.made = self.restored = self.recovered = 0

    def open(self, cloud):
        cloud.create_table(name=TABLE, AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"}
                                                             for name in ("id", "g")],
                           GlobalSecondaryIndexes=[{"IndexName": "by-g", "Projection": {"ProjectionType": "ALL"},
                                                    "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}]}])
        cloud.dynamodb.update_continuous_backups(
            TableName=TABLE, PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True})
        for start in range(0, ITEMS, 25):
            cloud.dynamodb.batch_write_item(RequestItems={TABLE: [
                {"PutRequest": {"Item": item(id=str(number), n=0, g=str(number % 3), f="x" * 4000)}}
                for number in range(start, start + 25)]})
        self.contents = {str(number): 0 for number in range(ITEMS)}
        self.chance = random.Random(self.run.arguments.seed * 3000)

    # --- the writer ---

    def tasks(self):
        return [(self.write,)]

    def write(self):
        cloud = self.run.cloud()
        while not self.run.done.is_set():
            for _ in range(WRITES_BETWEEN):
                self.change(cloud)
            self.note_moment()
            if not self.run.done.is_set():
                self.back_up(cloud)

    def change(self, cloud):
        key = str(self.chance.randrange(ITEMS))
        if self.chance.random() < 0.2:
            wanted = None
            answer = self.run.attempt(lambda: cloud.dynamodb.delete_item(TableName=TABLE, Key=item(id=key)))
        else:
            wanted = self.contents.get(key, 0) + 1 + self.chance.randrange(1000)
            filler = "x" * self.chance.choice(FILLER_BYTES)
            answer = self.run.attempt(lambda: cloud.put_item(TABLE, id=key, n=wanted, g=str(wanted % 3), f=filler))
        found = wanted if answer is not None else self.insist(
            lambda: self.number(cloud.dynamodb.get_item(TableName=TABLE, Key=item(id=key), ConsistentRead=True)))
        if self.run.done.is_set() and not self.run.up.is_set():
            return  # nobody is there to say
        if answer is None and found not in (wanted, self.contents.get(key)):
            self.run.violations.append(f"copies: item {key} holds {found}, neither what was there nor what was written")
        if found is None:
            self.contents.pop(key, None)
        else:
            self.contents[key] = found

    @staticmethod
    def number(answer):
        return int(answer["Item"]["n"]["N"]) if "Item" in answer else None

    def insist(self, call):
        """call()'s answer, however often the server has to be asked."""
        while True:
            answer = self.run.attempt(lambda: [call()])
            if answer is not None:
                return answer[0]
            if self.run.done.is_set() and not self.run.up.is_set():
                return None

    def note_moment(self):
        """A moment that no write is near, by the clock that the server has, too."""
        time.sleep(0.002)
        self.moments.append((time.time(), dict(self.contents)))
        time.sleep(0.002)

    def back_up(self, cloud):
        name = f"backup-{self.made}"
        self.made += 1
        answer = self.run.attempt(lambda: cloud.dynamodb.create_backup(TableName=TABLE, BackupName=name))
        if answer is not None:
            arn = answer["BackupDetails"]["BackupArn"]
        else:  # it may be there or not
            listed = self.insist(lambda: cloud.dynamodb.list_backups(TableName=TABLE)["BackupSummaries"]) or []
            arn = next((backup["BackupArn"] for backup in listed if backup["BackupName"] == name), None)
        if arn:
            self.backups[arn] = dict(self.contents)

    # --- the main thread ---

    def before_kill(self, cloud, chance):
        """Starts to restore, so that the kill meets it."""
        if self.restoring or chance.random() < 0.3:
            return
        target = f"restored-{self.restored + self.recovered}-{chance.randrange(10**9)}"
        if self.moments and chance.random() < 0.5:
            moment, expected = chance.choice(list(self.moments))
            answer = self.run.attempt(lambda: self.recover(cloud, target, moment))
            self.restoring = answer and (target, expected, f"the moment {moment}")
        elif self.backups:
            arn, expected = chance.choice(list(self.backups.items()))
            answer = self.run.attempt(lambda: self.restore(cloud, target, arn))
            self.restoring = answer and (target, expected, arn)

    @staticmethod
    def recover(cloud, target, moment):
        # botocore sends whole seconds only.
        status, answer = cloud.call_json("DynamoDB_20120810.RestoreTableToPointInTime", json.dumps(
            {"SourceTableName": TABLE, "TargetTableName": target, "RestoreDateTime": moment}))
        if status != 200:
            raise AssertionError(f"RestoreTableToPointInTime: {answer}")
        return answer

    @staticmethod
    def restore(cloud, target, arn):
        try:
            return cloud.dynamodb.restore_table_from_backup(BackupArn=arn, TargetTableName=target)
        except (cloud.dynamodb.exceptions.BackupInUseException, cloud.dynamodb.exceptions.BackupNotFoundException):
            return None  # it is still being made

    def turn(self, cloud):
        """After a start: compares a restored table that is complete, and forgets old backups."""
        if self.restoring:
            self.compare_if_complete(cloud)
        while len(self.backups) > BACKUPS_KEPT:
            arn = next(iter(self.backups))
            try:
                cloud.dynamodb.delete_backup(BackupArn=arn)
            except cloud.dynamodb.exceptions.BackupInUseException:
                break
            del self.backups[arn]

    def compare_if_complete(self, cloud):
        target, expected, origin = self.restoring
        if cloud.dynamodb.describe_table(TableName=target)["Table"]["TableStatus"] != "ACTIVE":
            return False
        self.compare(target, expected, origin, self.scan(cloud, target))
        self.compare(target + "'s index", expected, origin, self.scan(cloud, target, IndexName="by-g"))
        cloud.dynamodb.delete_table(TableName=target)
        self.restoring = None
        self.recovered += origin.startswith("the moment")
        self.restored += not origin.startswith("the moment")
        return True

    @staticmethod
    def scan(cloud, table, **source):
        pages = cloud.dynamodb.get_paginator("scan").paginate(TableName=table, ProjectionExpression="id, n", **source)
        return {found["id"]["S"]: int(found["n"]["N"]) for page in pages for found in page["Items"]}

    def compare(self, what, expected, origin, found):
        if found == expected:
            return
        wrong = [(key, expected.get(key), found.get(key)) for key in expected.keys() | found.keys()
                 if expected.get(key) != found.get(key)]
        self.run.violations.append(f"{what}, from {origin}: {len(wrong)} items differ, (id, then, found): {wrong[:3]}")

    def check(self, cloud):
        """Everything once more at the end, undisturbed."""
        self.compare(TABLE, self.contents, "its writer's notes", self.scan(cloud, TABLE, ConsistentRead=True))
        if self.restoring:
            eventually(lambda: self.compare_if_complete(cloud), "a table is restored", RESTORE_SECONDS, 0.05)
        sources = [(arn, expected, lambda target, arn=arn: self.restore(cloud, target, arn))
                   for arn, expected in list(self.backups.items())[-3:]]
        sources += [(f"the moment {moment}", expected, lambda target, moment=moment: self.recover(cloud, target, moment))
                    for moment, expected in list(self.moments)[-2:]]
        for number, (origin, expected, start) in enumerate(sources):
            target = f"last-{number}"
            eventually(lambda: start(target), f"{origin} can be restored", RESTORE_SECONDS, 0.05)
            self.restoring = (target, expected, origin)
            eventually(lambda: self.compare_if_complete(cloud), f"{origin} is restored", RESTORE_SECONDS, 0.05)

    def summary(self):
        return f"{self.made} backups made, {self.restored} and {self.recovered} moments restored"
