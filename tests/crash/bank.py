"""Money that moves between accounts while the server is killed: transactions are all or nothing, and a client request
token counts once. See README.md here."""
import collections
import random
import uuid

from harness import item

TABLE = "bank"
ACCOUNTS = 6
BALANCE = 1000


class Bank:
    """Each transfer is one transaction: out of one account, into another, and a note of it in an item of its own. One
    that got no answer is sent again with its token until there is one."""

    def __init__(self, run):
        self.run = run
        self.acknowledged = {}  # note -> (from, to, amount)
        self.sent = {}          # the same of all that were ever sent
        self.resent = self.audits = 0

    def open(self, cloud):
        cloud.create_table(name=TABLE)
        for account in range(ACCOUNTS):
            cloud.put_item(TABLE, id=f"account-{account}", n=BALANCE)

    def tasks(self):
        return [(self.transfer, 0), (self.transfer, 1), (self.audit,)]

    def transfer(self, worker):
        chance = random.Random(self.run.arguments.seed * 2000 + worker)
        cloud = self.run.cloud()
        while not self.run.done.is_set():
            source, target = chance.sample(range(ACCOUNTS), 2)
            amount, note, token = chance.randint(1, 50), f"note-{uuid.uuid4().hex}", uuid.uuid4().hex
            self.sent[note] = (source, target, amount)
            actions = [self.add(source, -amount), self.add(target, amount),
                       {"Put": {"TableName": TABLE, "Item": item(id=note), "ConditionExpression": "attribute_not_exists(id)"}}]
            chance.shuffle(actions)
            attempts = 0
            while not self.run.done.is_set():
                attempts += 1
                if self.run.attempt(lambda: cloud.dynamodb.transact_write_items(
                        TransactItems=actions, ClientRequestToken=token)) is None:
                    continue
                self.acknowledged[note] = self.sent[note]
                self.resent += attempts > 1
                break

    @staticmethod
    def add(account, amount):
        return {"Update": {"TableName": TABLE, "Key": item(id=f"account-{account}"), "UpdateExpression": "ADD n :by",
                           "ExpressionAttributeValues": item(**{":by": amount})}}

    def balances(self, cloud):
        answer = cloud.dynamodb.transact_get_items(TransactItems=[
            {"Get": {"TableName": TABLE, "Key": item(id=f"account-{account}")}} for account in range(ACCOUNTS)])
        return [int(response["Item"]["n"]["N"]) for response in answer["Responses"]]

    def audit(self):
        """Adds all accounts up, again and again."""
        cloud = self.run.cloud()
        while not self.run.done.is_set():
            balances = self.run.attempt(lambda: self.balances(cloud))
            if balances is None:
                continue
            self.audits += 1
            if sum(balances) != ACCOUNTS * BALANCE:
                self.run.violations.append(f"a reader found half a transfer: {balances}")
                self.run.done.set()

    def check(self, cloud):
        notes = {found["id"]["S"] for page in cloud.dynamodb.get_paginator("scan").paginate(TableName=TABLE, ConsistentRead=True)
                 for found in page["Items"] if found["id"]["S"].startswith("note-")}
        if lost := set(self.acknowledged) - notes:
            self.run.violations.append(f"{len(lost)} acknowledged transfers are lost, {sorted(lost)[0]} for one")
        expected = collections.Counter({account: BALANCE for account in range(ACCOUNTS)})
        for note in notes:
            source, target, amount = self.sent[note]
            expected[source] -= amount
            expected[target] += amount
        balances = self.balances(cloud)
        if balances != [expected[account] for account in range(ACCOUNTS)]:
            self.run.violations.append(f"the accounts hold {balances}, the noted transfers make "
                                       f"{[expected[account] for account in range(ACCOUNTS)]}")
        if not self.acknowledged or not self.audits:
            self.run.violations.append("no transfer was acknowledged or no reader added up")

    def summary(self):
        return (f"{len(self.acknowledged)} of {len(self.sent)} transfers acknowledged, {self.resent} after being sent again, "
                f"{self.audits} audits")
