#!/usr/bin/python3
"""Damages a pond that a killed server left, a file at a time, and cuts what a power failure may cut. See README.md here.

Usage: damage_test.py [--long] [--seed N]
"""
import argparse
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from harness import ROLE, SERVER, Cloud, Server, StartFailed, eventually  # noqa: E402

TABLE = "damaged"
BUCKET = "damaged"
LIVES = 3
WRITES_PER_LIFE = 60
# What RocksDB writes for people, and files that mark something by being there.
HARMLESS = ("LOCK", "LOG", "IDENTITY", "OPTIONS", "boot")


class Services:
    """What a life leaves with the services that keep more than items: each has a name, and reads back as it was left."""

    def __init__(self):
        self.kept = {}  # what -> what it must read as
        self.key = None

    def begin(self, cloud):
        self.key = cloud.client("kms").create_key()["KeyMetadata"]["KeyId"]
        self.machine = cloud.client("stepfunctions").create_state_machine(name=TABLE, roleArn=ROLE, definition=json.dumps(
            {"StartAt": "P", "States": {"P": {"Type": "Pass", "End": True}}}))["stateMachineArn"]
        for name in (TABLE, TABLE + "-to"):
            cloud.sqs.create_queue(QueueName=name)
        arn = "arn:aws:sqs:us-east-1:000000000000:"
        cloud.client("pipes").create_pipe(Name=TABLE, RoleArn=ROLE, Source=arn + TABLE, Target=arn + TABLE + "-to")
        eventually(lambda: cloud.client("pipes").describe_pipe(Name=TABLE)["CurrentState"] == "RUNNING")
        self.kept["pipe"] = "RUNNING"

    def live(self, cloud, life):
        """What is acknowledged in this life."""
        text = f"life {life}"
        ciphertext = cloud.client("kms").encrypt(KeyId=self.key, Plaintext=text.encode())["CiphertextBlob"]
        self.kept["ciphertext", life, ciphertext] = text
        cloud.client("secretsmanager").create_secret(Name=f"s{life}", SecretString=text, KmsKeyId=self.key)
        self.kept["secret", life] = text
        cloud.client("ssm").put_parameter(Name=f"p{life}", Value=text, Type="SecureString")
        self.kept["parameter", life] = text
        states = cloud.client("stepfunctions")
        arn = states.start_execution(stateMachineArn=self.machine, input=json.dumps(text))["executionArn"]
        eventually(lambda: states.describe_execution(executionArn=arn)["status"] == "SUCCEEDED")
        self.kept["execution", life, arn] = text
        stacks = cloud.client("cloudformation")
        stacks.create_stack(StackName=f"s{life}", TemplateBody=json.dumps({"Resources": {"P": {
            "Type": "AWS::SSM::Parameter", "Properties": {"Name": f"of-stack-{life}", "Type": "String", "Value": text}}}}))
        eventually(lambda: stacks.describe_stacks(StackName=f"s{life}")["Stacks"][0]["StackStatus"] == "CREATE_COMPLETE")
        self.kept["stack", life] = text

    def read(self, cloud, what, life=None, held=None):
        if what == "pipe":
            return cloud.client("pipes").describe_pipe(Name=TABLE)["CurrentState"]
        if what == "ciphertext":
            return cloud.client("kms").decrypt(CiphertextBlob=held)["Plaintext"].decode()
        if what == "secret":
            return cloud.client("secretsmanager").get_secret_value(SecretId=f"s{life}")["SecretString"]
        if what == "parameter":
            return cloud.client("ssm").get_parameter(Name=f"p{life}", WithDecryption=True)["Parameter"]["Value"]
        if what == "execution":
            found = cloud.client("stepfunctions").describe_execution(executionArn=held)
            return json.loads(found["output"]) if found["status"] == "SUCCEEDED" else found["status"]
        status = cloud.client("cloudformation").describe_stacks(StackName=f"s{life}")["Stacks"][0]["StackStatus"]
        value = cloud.client("ssm").get_parameter(Name=f"of-stack-{life}")["Parameter"]["Value"]
        return value if status == "CREATE_COMPLETE" else status

    def lost(self, cloud):
        """What does not read as it was left. A service that says that it is not there has lost it; what cannot be read at
        all is refused as a defect of the server's (500), and raised."""
        lost = []
        for key, expected in self.kept.items():
            place = key if isinstance(key, tuple) else (key,)
            try:
                found = self.read(cloud, *place)
            except cloud.sqs.exceptions.ClientError as error:
                if error.response["ResponseMetadata"]["HTTPStatusCode"] >= 500:
                    raise
                found = error.response["Error"]
            if found != expected:
                lost.append(f"{place[:2]}: {found}")
        return lost


class Pond:
    """Several lives, each ended by SIGKILL, the last by a clean stop if so wanted, and what was acknowledged in them."""

    def __init__(self, directory, chance, is_stopped=False):
        self.is_stopped = is_stopped
        self.data, self.whole = directory / "data", directory / "whole"
        self.items, self.bodies = {}, {}
        self.services = Services()
        for life in range(LIVES):
            server = Server(self.data).start()
            cloud = Cloud(server.endpoint)
            if life == 0:
                cloud.create_table(name=TABLE)
                cloud.s3.create_bucket(Bucket=BUCKET)
                self.services.begin(cloud)
            self.services.live(cloud, life)
            for number in range(WRITES_PER_LIFE):
                key, value = f"{life}-{number}", "v" * chance.randrange(1, 3000)
                cloud.dynamodb.put_item(TableName=TABLE, Item={"id": {"S": key}, "v": {"S": value}})
                self.items[key] = value
            body = chance.randbytes(chance.randrange(100_000, 400_000))
            cloud.s3.put_object(Bucket=BUCKET, Key=str(life), Body=body)
            self.bodies[str(life)] = body
            if is_stopped and life == LIVES - 1:
                server.stop()
            server.kill()
        shutil.copytree(self.data, self.whole)

    def restore(self):
        shutil.rmtree(self.data)
        shutil.copytree(self.whole, self.data)

    def files(self):
        return sorted(path.relative_to(self.whole) for path in self.whole.rglob("*")
                      if path.is_file() and not path.name.startswith(HARMLESS)
                      and path.parts[len(self.whole.parts)] not in ("scratch", "runtimes"))

    def newest_log(self):
        return max(path for path in self.files() if path.suffix == ".log")

    def lost(self):
        """What a server that starts on it says is gone without being asked to; None: it refuses to start, or a read is
        refused, and `line` says why."""
        server = Server(self.data)
        try:
            server.start()
        except StartFailed as failed:
            return None, failed.errors
        try:
            cloud = Cloud(server.endpoint)
            lost = self.services.lost(cloud)
            for key, value in self.items.items():
                found = cloud.dynamodb.get_item(TableName=TABLE, Key={"id": {"S": key}}, ConsistentRead=True).get("Item")
                if not found or found["v"]["S"] != value:
                    lost.append(key)
            for key, body in self.bodies.items():
                if cloud.s3.get_object(Bucket=BUCKET, Key=key)["Body"].read() != body:
                    lost.append("body " + key)
            return lost, server.log()
        except Exception:  # a read that is refused; the log names the file
            server.kill()
            server._log_reader.join(5)
            return None, server.log()
        finally:
            server.kill()


def flipped(chance):
    def damage(path):
        whole = bytearray(path.read_bytes())
        if whole:
            whole[chance.randrange(len(whole))] ^= 1 << chance.randrange(8)
            path.write_bytes(whole)
    return damage


def cut(chance):
    return lambda path: path.write_bytes(path.read_bytes()[:chance.randrange(max(1, path.stat().st_size))])


def appended(path):
    path.write_bytes(path.read_bytes() + b"and more")


def kinds(chance, times):
    return [("removed", pathlib.Path.unlink), ("emptied", lambda path: path.write_bytes(b"")), ("appended to", appended),
            *[("cut", cut(chance))] * times, *[("flipped", flipped(chance))] * times]


def damage_all(pond, chance, times, violations):
    tried = told = 0
    for file in pond.files():
        for how, damage in kinds(chance, times):
            if pond.is_stopped and file.suffix != ".log":
                continue
            pond.restore()
            damage(pond.data / file)
            tried += 1
            lost, line = pond.lost()
            told += lost is None
            name = file.stem if file.suffix == ".sum" else file.name
            if how in ("emptied", "cut") and file == pond.newest_log() and lost is not None:
                violations.append(f"{file} {how}: is taken for a torn end")
            if lost:
                violations.append(f"{file} {how}: {lost[:5]} are lost without a word")
            elif lost is None and name not in line:
                violations.append(f"{file} {how}: nobody is told that it is this: {line.strip()[-300:]}")
    return tried, told


def cut_unsynced(pond, chance, times, violations):
    """The tails of what may be unsynced: the newest log behind its last acknowledged commit."""
    for _ in range(times):
        pond.restore()
        log = pond.data / pond.newest_log()
        whole = log.read_bytes()
        torn = chance.choice((chance.randbytes(chance.randrange(1, 5000)), bytes(chance.randrange(1, 5000))))
        log.write_bytes(whole + torn)
        for start in range(2):  # the second finds the log no longer the newest
            lost, line = pond.lost()
            if lost is None or lost:
                violations.append(f"start {start} after a power failure: {lost}, {line.strip()[-300:]}")
    return times


def check_agrees(pond, violations):
    pond.restore()
    result = subprocess.run([str(SERVER), "check", "--data", str(pond.data)], capture_output=True, text=True)
    if result.returncode != 0:
        violations.append("check finds damage where there is none: " + result.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--seed", type=int, default=None, help="default: from the clock")
    arguments = parser.parse_args()
    seed = int(time.time()) if arguments.seed is None else arguments.seed
    chance = random.Random(seed)
    times = 10 if arguments.long else 1
    directory = pathlib.Path(tempfile.mkdtemp(prefix="tidemill-damage-"))
    print(f"damage test: seed {seed}, in {directory}", flush=True)
    violations = []
    pond = Pond(directory, chance)
    check_agrees(pond, violations)
    tried, told = damage_all(pond, chance, times, violations)
    failures = cut_unsynced(pond, chance, 4 * times, violations)
    (directory / "stopped").mkdir()
    stopped = Pond(directory / "stopped", chance, is_stopped=True)
    more_tried, more_told = damage_all(stopped, chance, times, violations)
    tried, told = tried + more_tried, told + more_told
    if more_told < 3:
        violations.append("nobody was told of a log that is shorter than at a clean stop")
    print(f"{tried} files damaged, {told} of them told and the others harmless; {failures} power failures")
    for violation in violations[:20]:
        print("VIOLATION: " + violation)
    if violations:
        return 1
    shutil.rmtree(directory, ignore_errors=True)
    print("damage test passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
