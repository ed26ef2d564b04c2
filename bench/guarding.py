"""What guarding costs: signatures beside believing everybody, TLS beside plain, functions in a sandbox beside those
without. What is compared runs in turns, several times: what a machine gives changes over minutes."""
import json
import os
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
IAM_MAX = 1.30         # the same with rights
COLD_MS_MAX = 10       # what a sandbox adds to a cold start
INVOKE_MAX = 1.05      # and to an invocation
COLD_STARTS = 15
PRIORITY = 10          # any of real time is before all that has none
NODE = "exports.handler = async () => null;\n"
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
    servers = {"open": rig.server(name="open")}
    for kind in ("signed", "iam"):
        servers[kind] = guarded(rig, "--auth", kind, name=kind)
    for server in servers.values():
        with_item(server)
    be_a_user(servers["iam"])
    costs = {kind: [] for kind in servers}
    for _ in range(ROUNDS):
        for kind, server in servers.items():
            answer = rig.load(server.endpoint + "/", 16, ITEM, signed_headers(server, ITEM), pid=server.pid)
            costs[kind].append(1e6 / answer["per_cpu_second"])
    for kind, most in (("signed", SIGNED_MAX), ("iam", IAM_MAX)):
        ratios = [mine / floor for mine, floor in zip(costs[kind], costs["open"])]
        ratio = statistics.median(ratios)
        progress(f"{kind}: {ratio:.2f} of open, rounds {['%.2f' % each for each in ratios]}")
        report.add(f"GetItem with --auth {kind}, CPU", statistics.median(costs[kind]), "us", "--auth open",
                   statistics.median(costs["open"]), "lower", expect=(f"at most {most}", ratio <= most),
                   note=f"median of {ROUNDS} rounds in turns: {ratio:.2f}x")


def be_a_user(server):
    """From now on the server's clients are one who may read the table, and no more."""
    iam = server.cloud.client("iam")
    iam.create_user(UserName="reader")
    iam.put_user_policy(UserName="reader", PolicyName="read", PolicyDocument=json.dumps({
        "Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "dynamodb:GetItem",
                                                "Resource": "arn:aws:dynamodb:*:*:table/bench"}]}))
    key = iam.create_access_key(UserName="reader")["AccessKey"]
    server.cloud = Cloud(server.endpoint, access_key=key["AccessKeyId"], secret_key=key["SecretAccessKey"])


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


def before_all_others():
    """Whatever else the machine does, cold starts are measured as if it did nothing: what is started from here comes first."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))
    except PermissionError:
        progress("cold starts are measured beside whatever else runs: nobody here may ask for real time")


def sandbox(rig, report):
    was = os.sched_getscheduler(0), os.sched_getparam(0)
    before_all_others()
    try:
        cold_starts(rig, report)
    finally:
        os.sched_setscheduler(0, *was)


def cold_starts(rig, report):
    servers = {"off": rig.server("--sandbox", "off", name="bare"), "on": rig.server("--sandbox", "on", name="contained")}
    for server in servers.values():
        rig.minimal_function(server, "minimal")
        rig.python_function(server, "python", "def handler(event, context):\n    return None\n")
        rig.function(server, "nodejs", {"app.js": NODE}, "nodejs20.x", "app.handler", {})
    for name in ("minimal", "python", "nodejs"):
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
