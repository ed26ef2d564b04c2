"""Whole applications with --auth iam: they run with the rights that they need, and fail where one is taken away."""
import json
import os
import subprocess

import pytest

from harness import REGION, ROOT, SERVER, Cloud, Server, eventually

pytestmark = pytest.mark.local
ACCOUNT = "000000000000"
TEN_MINUTES = 600


def statement(action, resource="*"):
    return {"Effect": "Allow", "Action": action, "Resource": resource}


def policy(*statements):
    return json.dumps({"Version": "2012-10-17", "Statement": list(statements)})


class Guarded:
    """A server that judges, its root, and a role that functions may take on."""

    def __init__(self, directory, role, *services):
        self.server = Server(directory / "data", "--auth", "iam", "--clock", "virtual").start()
        key = self.server.root_key
        self.keys = {name: key[name] for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")}
        self.cloud = Cloud(self.server.endpoint, access_key=self.keys["AWS_ACCESS_KEY_ID"],
                           secret_key=self.keys["AWS_SECRET_ACCESS_KEY"])
        self.home, self.role = directory, role
        trust = {"Version": "2012-10-17", "Statement": [
            {"Effect": "Allow", "Principal": {"Service": list(services)}, "Action": "sts:AssumeRole"}]}
        self.iam = self.cloud.client("iam")
        self.arn = self.iam.create_role(RoleName=role, AssumeRolePolicyDocument=json.dumps(trust))["Role"]["Arn"]

    def let_role(self, *statements):
        self.iam.put_role_policy(RoleName=self.role, PolicyName="own", PolicyDocument=policy(*statements))

    def run(self, program, *arguments):
        environment = {**{name: text for name, text in os.environ.items() if not name.startswith("AWS_")}, **self.keys,
                       "TIDEMILL_ENDPOINT": self.server.endpoint, "HOME": str(self.home), "ROLE_ARN": self.arn}
        done = subprocess.run([str(program), *arguments], capture_output=True, text=True, timeout=300, env=environment)
        assert done.returncode == 0, done.stderr + self.server.log()[-3000:]
        return done.stdout.splitlines()


@pytest.fixture
def expiry(tmp_path):
    guarded = Guarded(tmp_path, "precise-expiry", "lambda.amazonaws.com")
    # Windows and minutes fall the same way in each run.
    guarded.cloud.advance(TEN_MINUTES - guarded.cloud.now() % TEN_MINUTES)
    yield guarded
    guarded.server.kill()


def test_expiry_by_hand_needs_the_right_to_query(expiry):
    folder = ROOT / "examples" / "precise-expiry"
    table = f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/sessions-by-hand"
    delete, query = statement("dynamodb:BatchWriteItem", table), statement("dynamodb:Query", f"{table}/index/by-window")
    expiry.let_role(delete, query)
    expiry.run(folder / "deploy")
    expiry.run(folder / "write", "--items", "60", "--seconds-apart", "10")
    expiry.run(SERVER, "clock", "advance", "301s")
    assert expiry.run(folder / "report")[1] == "sessions-by-hand: 31 items, 0 of them left behind"
    expiry.let_role(delete)
    expiry.run(SERVER, "clock", "advance", "2m")
    who = f"arn:aws:sts::{ACCOUNT}:assumed-role/precise-expiry/expire"
    denied = (f"(AccessDeniedException) when calling the Query operation: User: {who} is not authorized to perform: "
              f"dynamodb:Query on resource: {table}/index/by-window because no identity-based policy allows the "
              "dynamodb:Query action")
    eventually(lambda: any(denied in line for line in expiry.run(SERVER, "logs", "expire")), "the function is denied")
    assert expiry.cloud.dynamodb.scan(TableName="sessions-by-hand", ConsistentRead=True)["Count"] == 31
    expiry.let_role(delete, query)
    expiry.run(SERVER, "clock", "advance", "10m")
    assert expiry.cloud.dynamodb.scan(TableName="sessions-by-hand", ConsistentRead=True)["Count"] < 31
