#!/usr/bin/python3
"""Damages a pond that a killed server left, a file at a time, and cuts what a power failure may cut. See README.md here.

Usage: damage_test.py [--long] [--seed N]
"""
import argparse
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from harness import SERVER, Cloud, Server, StartFailed  # noqa: E402

TABLE = "damaged"
BUCKET = "damaged"
LIVES = 3
WRITES_PER_LIFE = 60
# What RocksDB writes for people, and files that mark something by being there.
HARMLESS = ("LOCK", "LOG", "IDENTITY", "OPTIONS", "boot")


class Pond:
    """Several lives, each ended by SIGKILL, the last by a clean stop if so wanted, and what was acknowledged in them."""

    def __init__(self, directory, chance, is_stopped=False):
        self.is_stopped = is_stopped
        self.data, self.whole = directory / "data", directory / "whole"
        self.items, self.bodies = {}, {}
        for life in range(LIVES):
            server = Server(self.data).start()
            cloud = Cloud(server.endpoint)
            if life == 0:
                cloud.create_table(name=TABLE)
                cloud.s3.create_bucket(Bucket=BUCKET)
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
            lost = []
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
