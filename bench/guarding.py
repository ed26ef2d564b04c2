"""What guarding costs: signatures beside believing everybody, TLS beside plain, functions in a sandbox beside those
without. What is compared runs in turns, several times: what a machine gives changes over minutes."""
import json
import shutil
import statistics
import subprocess
import time

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from harness import Cloud
from rig import AUTHORIZATION, progress

ROUNDS = 5
TLS_CONNECTIONS = 16
SIGNED_MAX = 1.15      # CPU of a GetItem, beside believing everybody
COLD_MS_MAX = 10       # what a sandbox adds to a cold start
INVOKE_MAX = 1.05      # and to an invocation
COLD_STARTS = 15
TARGET = "DynamoDB_20120810.GetItem"
ITEM = json.dumps({"TableName": "bench", "Key": {"id": {"S": "one"}}}, separators=(",", ":"))


def measure(rig, report):
    signatures(rig, report)
    encryption(rig, report)
    sandbox(rig, report)


def guarded(rig, *flags, name):
    """A server, and its clients with the root's key, whatever it checks."""
    server = rig.server(*flags, name=name)
    if server.root_key:
        server.cloud = Cloud(server.endpoint, access_key=server.root_key["AWS_ACCESS_KEY_ID"],
                             secret_key=server.root_key["AWS_SECRET_ACCESS_KEY"], verify=server.cloud.verify)
    return server


def with_item(server):
    server.cloud.create_table(name="bench")
    server.cloud.dynamodb.put_item(TableName="bench", Item={"id": {"S": "one"}, "text": {"S": "x" * 100}})


def signed_headers(server, body):
    """Of one request, good for five minutes."""
    request = AWSRequest("POST", server.endpoint + "/", data=body, headers={
        "Content-Type": "application/x-amz-json-1.0", "X-Amz-Target": TARGET})
    SigV4Auth(Credentials(server.cloud.access_key, server.cloud.secret_key), "dynamodb", "us-east-1").add_auth(request)
    return [f"{name}: {value}" for name, value in request.prepare().headers.items() if name != "Content-Length"]


def signatures(rig, report):
    open_server = rig.server(name="open")
    signed = guarded(rig, "--auth", "signed", name="signed")
    for server in (open_server, signed):
        with_item(server)
    costs = {"open": [], "signed": []}
    for _ in range(ROUNDS):
        for kind, server in (("open", open_server), ("signed", signed)):
            answer = rig.load(server.endpoint + "/", 16, ITEM, signed_headers(server, ITEM), pid=server.pid)
            costs[kind].append(1e6 / answer["per_cpu_second"])
    ratios = [mine / floor for mine, floor in zip(costs["signed"], costs["open"])]
    ratio = statistics.median(ratios)
    progress(f"signed: {ratio:.2f} of open, rounds {['%.2f' % each for each in ratios]}")
    report.add("GetItem with --auth signed, CPU", statistics.median(costs["signed"]), "us", "--auth open",
               statistics.median(costs["open"]), "lower", expect=(f"at most {SIGNED_MAX}", ratio <= SIGNED_MAX),
               note=f"median of {ROUNDS} rounds in turns: {ratio:.2f}x")


def cpu_seconds(pid):
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / 100


def h2load(rig, server, scheme, protocol):
    """(requests per second, CPU in microseconds of each) of h2load over so many connections."""
    body = rig.scratch / "h2load-body"
    body.write_text(ITEM)
    address = server.endpoint.split("://", 1)[1]
    command = ["h2load", "-D", f"{int(rig.arguments.seconds * 1000)}ms", "-c", str(TLS_CONNECTIONS), "-t", "1", "-d", str(body)]
    command += ["--h1"] if protocol == "HTTP/1.1" else ["-m", "4"]
    for header in (*AUTHORIZATION.format(service="dynamodb").split("\r\n"), "Content-Type: application/x-amz-json-1.0",
                   f"X-Amz-Target: {TARGET}"):
        command += ["-H", header]
    before = cpu_seconds(server.pid)
    output = subprocess.run([*command, f"{scheme}://{address}/"], capture_output=True, text=True, check=True).stdout
    used = cpu_seconds(server.pid) - before
    words = next(line for line in output.splitlines() if line.startswith("requests:")).split()
    done = int(words[words.index("succeeded,") - 1])
    if not done or "0 failed, 0 errored" not in output:
        raise SystemExit(f"h2load failed:\n{output}")
    return done / rig.arguments.seconds, used / done * 1e6


def encryption(rig, report):
    if not shutil.which("h2load"):
        raise SystemExit("h2load is missing: scripts/dependencies --test")
    server = rig.server("--tls-self-signed", name="tls")
    plain = Cloud(server.endpoint.replace("https://", "http://"))  # this machine may
    server.cloud = plain
    with_item(server)
    for protocol in ("HTTP/1.1", "HTTP/2"):
        taken = {"http": [], "https": []}
        for _ in range(ROUNDS):
            for scheme, results in taken.items():
                results.append(h2load(rig, server, scheme, protocol))
        rate, cpu = (statistics.median(values) for values in zip(*taken["https"]))
        plain_rate, plain_cpu = (statistics.median(values) for values in zip(*taken["http"]))
        progress(f"TLS, {protocol}: {rate:.0f}/s, {cpu:.1f} us; plain {plain_rate:.0f}/s, {plain_cpu:.1f} us")
        report.add(f"GetItem over TLS, {protocol}, {TLS_CONNECTIONS} connections, CPU", cpu, "us", "plain", plain_cpu, "lower",
                   note=f"{rate:,.0f}/s beside {plain_rate:,.0f}/s")


def cold_start_ms(server, function, number):
    """Of one invocation after a change that retires the processes."""
    functions = server.cloud.functions
    functions.update_function_configuration(FunctionName=function, Description=str(number))
    functions.get_waiter("function_updated_v2").wait(FunctionName=function, WaiterConfig={"Delay": 1})
    begun = time.perf_counter()
    server.cloud.invoke(function)
    return (time.perf_counter() - begun) * 1000


def sandbox(rig, report):
    servers = {"off": rig.server("--sandbox", "off", name="bare"), "on": rig.server("--sandbox", "on", name="contained")}
    for server in servers.values():
        rig.minimal_function(server, "minimal")
        rig.python_function(server, "python", "def handler(event, context):\n    return None\n")
    for name in ("minimal", "python"):
        cold = {"off": [], "on": []}
        for number in range(COLD_STARTS):
            for kind, server in servers.items():
                cold[kind].append(cold_start_ms(server, name, number))
        bare, contained = (statistics.median(cold[kind]) for kind in ("off", "on"))
        added = contained - bare
        progress(f"cold start, {name}: {contained:.1f} ms, bare {bare:.1f} ms")
        report.add(f"cold start of an empty {name} handler in a sandbox", contained, "ms", "without", bare, "lower",
                   expect=(f"at most {COLD_MS_MAX} ms more", added <= COLD_MS_MAX), note=f"{added:+.1f} ms")
        warm = {"off": [], "on": []}
        for _ in range(ROUNDS):
            for kind, server in servers.items():
                answer = rig.load(f"{server.endpoint}/2015-03-31/functions/{name}/invocations", 1, "{}",
                                  [AUTHORIZATION.format(service="lambda")], pid=server.pid)
                warm[kind].append(answer["p50_us"])
        ratio = statistics.median(mine / floor for mine, floor in zip(warm["on"], warm["off"]))
        report.add(f"invoke of an empty {name} handler in a sandbox, p50", statistics.median(warm["on"]), "us", "without",
                   statistics.median(warm["off"]), "lower", expect=(f"at most {INVOKE_MAX}", ratio <= INVOKE_MAX),
                   note=f"median of {ROUNDS} rounds in turns: {ratio:.2f}x")
