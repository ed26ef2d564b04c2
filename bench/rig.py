"""The programs of one benchmark: servers started and ended, load made, processes looked at."""
import contextlib
import itertools
import json
import pathlib
import subprocess
import sys
import time

from harness import ROLE, Cloud, Server, zip_of

AUTHORIZATION = ("Authorization: AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/{service}/aws4_request, "
                 "SignedHeaders=host, Signature=0\r\nX-Amz-Date: 20260101T000000Z")

SETTLE_SECONDS_MAX = 900
IDLE_SHARE_OF_A_CORE = 0.05


class Rig(contextlib.ExitStack):
    def __init__(self, build, scratch, arguments):
        super().__init__()
        self.build, self.scratch, self.arguments = pathlib.Path(build), scratch, arguments
        self.bodies = itertools.count()
        scratch.mkdir(parents=True)

    # --- servers ---

    def server(self, *flags, name="data"):
        """A running tidemill; its clients are in .cloud."""
        server = Server(self.scratch / name, *flags, log=self.scratch / f"{name}.log",
                        program=self.build / "tidemill").start()
        self.callback(server.kill)
        server.cloud = Cloud(server.endpoint)
        server.pid = server.process.pid
        return server

    def program(self, name, *arguments):
        """A bench program that prints "ready URL"; (url, pid)."""
        process = subprocess.Popen([str(self.build / "bench" / name), *map(str, arguments)], stdout=subprocess.PIPE,
                                   text=True)
        self.callback(end, process)
        line = process.stdout.readline()
        if not line.startswith("ready "):
            raise SystemExit(f"{name} did not start: {line!r}")
        return line.split()[1], process.pid

    # --- load ---

    def load(self, url, connections, body="", headers=(), method="POST", vary=None, pid=None, seconds=None, requests=None,
             warmup=None, first=None, status=None):
        """What http_load measured."""
        command = ["--url", url, "--connections", str(connections), "--method", method,
                   "--seconds", str(seconds or self.arguments.seconds)]
        for header in headers:
            command += ["--header", header]
        if body:
            path = self.scratch / f"body-{next(self.bodies)}"  # loads may run beside each other
            path.write_text(body)
            command += ["--body-file", str(path)]
        for flag, given in (("--vary", vary), ("--pid", pid), ("--requests", requests), ("--warmup", warmup),
                            ("--first", first), ("--status", status)):
            if given is not None:
                command += [flag, str(given)]
        answer = self.run_load("http_load", command)
        if pid is not None:
            answer["per_cpu_second"] = answer["requests"] / max(answer["server_cpu_seconds"], 1e-9)
        return answer

    def run_load(self, program, arguments):
        """What a load generator measured. Errors end the benchmark: a fast refusal is no result."""
        result = subprocess.run([str(self.build / "bench" / program), *arguments], capture_output=True, text=True)
        if result.returncode != 0:
            raise SystemExit(f"{program} failed: {result.stderr}")
        answer = json.loads(result.stdout)
        if answer["errors"]:
            raise SystemExit(f"{answer['errors']} of {answer['requests']} requests were refused:\n{result.stderr}")
        return answer

    def dynamodb_load(self, server, operation, document, connections, **options):
        body = document if isinstance(document, str) else json.dumps(document, separators=(",", ":"))
        return self.load(server.endpoint + "/", connections, body, dynamodb_headers(operation), pid=server.pid, **options)

    # --- functions ---

    def minimal_function(self, server, name, handler="null", **environment):
        """The C++ program of minimal_handler.cc as a function."""
        bootstrap = (self.build / "minimal_handler").read_bytes()
        return self.function(server, name, {"bootstrap": bootstrap}, "provided.al2023", handler, environment)

    def python_function(self, server, name, source, handler="app.handler", **environment):
        return self.function(server, name, {"app.py": source}, "python3.12", handler, environment)

    def function(self, server, name, files, runtime, handler, environment):
        functions = server.cloud.functions
        functions.create_function(FunctionName=name, Runtime=runtime, Handler=handler, Role=ROLE, Timeout=60,
                                  Code={"ZipFile": zip_of(files)}, Environment={"Variables": environment})
        functions.get_waiter("function_active_v2").wait(FunctionName=name, WaiterConfig={"Delay": 1})
        return name


def dynamodb_headers(operation):
    return [AUTHORIZATION.format(service="dynamodb"), "Content-Type: application/x-amz-json-1.0",
            f"X-Amz-Target: DynamoDB_20120810.{operation}"]


def end(process):
    process.kill()
    process.wait()


def resident_mb(pid):
    """(resident, of it private and not backed by a file) in MB, of one process."""
    fields = {}
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        name, _, text = line.partition(":")
        if name in ("VmRSS", "RssAnon"):
            fields[name] = int(text.split()[0]) / 1024
    return fields["VmRSS"], fields["RssAnon"]


def share_of_a_core(pid, seconds=60):
    """The CPU time that a process uses while nothing is asked of it, once it has come to rest; over a whole minute, in which
    the metrics are gathered once."""
    time.sleep(1)
    before, started = cpu_seconds(pid), time.monotonic()
    time.sleep(seconds)
    return (cpu_seconds(pid) - before) / (time.monotonic() - started)


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


def settle(pid):
    """Waits until the server has nothing left to do of what it was given: compaction goes on behind a filling. Returns the
    seconds that it took."""
    started = time.monotonic()
    while time.monotonic() - started < SETTLE_SECONDS_MAX and share_of_a_core(pid, 2) >= IDLE_SHARE_OF_A_CORE:
        pass
    return time.monotonic() - started


def progress(text):
    print(f"    {text}", file=sys.stderr, flush=True)
