"""What the benchmarks compare with, started fresh like every server here: dynalite, which keeps everything in memory,
PostgreSQL 15 with durable commits, and Redis, which syncs every write. One that is not installed is None, and says so in
one line."""
import os
import pathlib
import pwd
import shutil
import socket
import subprocess
import sys
import time

from harness import Cloud
from rig import end

ROOT = pathlib.Path(__file__).resolve().parent.parent
DYNALITE = ROOT / "bench/dynalite"
PG_BIN = pathlib.Path("/usr/lib/postgresql/15/bin")
DEADLINE_SECONDS = 60


def missing(what):
    print(f"bench: {what}; its column stays empty", file=sys.stderr, flush=True)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until(ready, process, what):
    deadline = time.monotonic() + DEADLINE_SECONDS
    while not ready():
        if process.poll() is not None or time.monotonic() > deadline:
            raise SystemExit(f"{what} did not start")
        time.sleep(0.05)


def accepts(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Peer:
    """As much of a server as Rig.dynamodb_load() needs."""

    def __init__(self, endpoint, process):
        self.endpoint, self.pid = endpoint, process.pid
        self.cloud = Cloud(endpoint)


def dynalite(rig):
    node, npm = shutil.which("node"), shutil.which("npm")
    if not node or not npm:
        return missing("dynalite needs Node.js and npm")
    installed = DYNALITE / "node_modules/.installed"
    lock = (DYNALITE / "package-lock.json").read_bytes()
    if not installed.exists() or installed.read_bytes() != lock:
        done = subprocess.run([npm, "ci", "--no-audit", "--no-fund", "--no-progress", "--loglevel=error"], cwd=DYNALITE,
                              stdout=sys.stderr)
        if done.returncode != 0:
            return missing("npm could not install dynalite")
        installed.write_bytes(lock)
    port = free_port()
    process = subprocess.Popen([node, str(DYNALITE / "node_modules/dynalite/cli.js"), "--host", "127.0.0.1", "--port", str(port),
                                "--createTableMs", "0"], stdout=subprocess.DEVNULL)
    rig.callback(end, process)
    wait_until(lambda: accepts(port), process, "dynalite")
    return Peer(f"http://127.0.0.1:{port}", process)


class Redis:
    def __init__(self, port, process):
        self.port, self.pid = port, process.pid

    def run(self, *words):
        subprocess.run(["redis-cli", "-p", str(self.port), *words], check=True, stdout=subprocess.DEVNULL)


def redis(rig):
    """With an append-only file that is synced before a write is answered."""
    if not shutil.which("redis-server"):
        return missing("Redis is not installed (scripts/dependencies --test)")
    data = rig.scratch / "redis"
    data.mkdir()
    port = free_port()
    process = subprocess.Popen(["redis-server", "--bind", "127.0.0.1", "--port", str(port), "--dir", str(data), "--save", "",
                                "--appendonly", "yes", "--appendfsync", "always"], stdout=subprocess.DEVNULL)
    rig.callback(end, process)
    wait_until(lambda: accepts(port), process, "Redis")
    return Redis(port, process)


class Postgres:
    def __init__(self, rig, port, process):
        self.rig, self.process, self.port = rig, process, port
        self.connect = f"host=127.0.0.1 port={port} user=bench dbname=postgres"

    def run(self, sql):
        subprocess.run(["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", self.connect, "-c", sql], check=True,
                       stdout=subprocess.DEVNULL)

    def load(self, connections, statement, params=(), calls=1, vary=1):
        return self.rig.run_load("pg_load", ["--connect", self.connect, "--statement", statement, "--calls", str(calls),
                                             "--connections", str(connections), "--vary", str(vary),
                                             "--seconds", str(self.rig.arguments.seconds)] +
                                 [word for param in params for word in ("--param", param)])


def postgres(rig):
    """A cluster of its own beside the pond's data, on the same disk, with the settings that make commits durable."""
    if not (PG_BIN / "initdb").exists() or not shutil.which("psql"):
        return missing("PostgreSQL 15 is not installed (scripts/dependencies --test)")
    if not (rig.build / "bench/pg_load").exists():
        return missing("pg_load was built without libpq (scripts/dependencies --test)")
    data = rig.scratch / "postgres"
    data.mkdir()
    as_user = []
    if os.geteuid() == 0:  # which PostgreSQL refuses to run as
        try:
            owner = pwd.getpwnam("postgres")
        except KeyError:
            return missing("PostgreSQL runs for no root, and there is no user postgres")
        os.chown(data, owner.pw_uid, owner.pw_gid)
        for directory in (rig.scratch, rig.scratch.parent):
            directory.chmod(0o711)
        as_user = ["setpriv", f"--reuid={owner.pw_uid}", f"--regid={owner.pw_gid}", "--clear-groups"]
    made = subprocess.run(as_user + [str(PG_BIN / "initdb"), "-D", str(data), "-U", "bench", "-A", "trust", "--no-sync"],
                          cwd="/", capture_output=True, text=True)
    if made.returncode != 0:
        return missing(f"initdb failed: {made.stderr.strip().splitlines()[-1]}")
    port = free_port()
    process = subprocess.Popen(
        as_user + [str(PG_BIN / "postgres"), "-D", str(data), "-p", str(port), "-c", "listen_addresses=127.0.0.1", "-c",
                   "unix_socket_directories=", "-c", "fsync=on", "-c", "synchronous_commit=on", "-c", "full_page_writes=on"],
        cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    rig.callback(end_quickly, process)
    wait_until(lambda: subprocess.run([str(PG_BIN / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(port)]).returncode == 0,
               process, "PostgreSQL")
    return Postgres(rig, port, process)


def end_quickly(process):
    """PostgreSQL's processes end with their first; SIGQUIT makes it leave at once, which a killed one would not."""
    process.send_signal(3)
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        end(process)
