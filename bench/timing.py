"""Time and events: expiry while much falls due, schedules of a second, events compared with rules and put, and the virtual clock
turned."""
import datetime
import json
import re
import socket
import subprocess
import time

from harness import ROLE, eventually
from measures import BATCH, REPORT_PORT, fill, item_document, load_row
from rig import AUTHORIZATION, progress
from stream_mappings import Reports

EXPIRING_PER_MINUTE = 1_000_000  # with fewer items the minute is as much shorter
EXPIRY_WINDOW_SECONDS_MIN = 5
FILLED_PER_SECOND = 8_000  # at least: so long before they are due the items are written
LAG_P99_SECONDS = 1
SCHEDULES_OF_A_SECOND = (1_000, 10_000)
SCHEDULED_SECONDS = 10
SCHEDULES_SAMPLED = 100  # whose runs are looked at one by one
JITTER_P99_MS = 100
EVENTS_PER_SECOND = 300_000
SLOWER_THAN_100_RULES = 2
TO_HANDLER_P50_MS = 2
DAILY_SCHEDULES = 1_000
WEEK_SECONDS = 2
YEAR_MS = 100
EVENT_CONNECTIONS = (1, 16, 64)


def measure(rig, report):
    expiry(rig, report)
    schedules(rig, report)
    matching(rig, report)
    events_to_handler(rig, report)
    events_accepted(rig, report)
    virtual_clock(rig, report)


def json_headers(service, target, version="1.1"):
    return [AUTHORIZATION.format(service=service), f"Content-Type: application/x-amz-json-{version}", f"X-Amz-Target: {target}"]


def at_percent(sorted_values, percent):
    return sorted_values[min(len(sorted_values) - 1, len(sorted_values) * percent // 100)]


# --- items that expire ---

def expiry(rig, report):
    """How late items go of which a million fall due within a minute, and what is written meanwhile."""
    count = rig.arguments.expiring
    window = max(EXPIRY_WINDOW_SECONDS_MIN, round(60 * count / EXPIRING_PER_MINUTE))
    server = rig.server(name="expiry")
    server.cloud.create_table(name="written")
    server.cloud.create_table(name="expiring")
    server.cloud.dynamodb.update_time_to_live(TableName="expiring", TimeToLiveSpecification={
        "Enabled": True, "AttributeName": "ttl"})
    put = {"TableName": "written", "Item": item_document()}
    floor = rig.dynamodb_load(server, "PutItem", put, 16, vary=100_000)["per_second"]
    first = int(time.time()) + 2 + count // FILLED_PER_SECOND

    def expiring(batch, number):
        return {**item_document(f"{batch:010d}-{number}"), "ttl": {"N": str(first + batch % window)}}

    fill(server, "expiring", count, expiring)
    spare = first - time.time()
    if spare < 0:
        raise SystemExit(f"the items were due {-spare:.0f} s before all were written")
    time.sleep(spare)
    before = lags(server)
    written = rig.dynamodb_load(server, "PutItem", put, 16, vary=100_000, seconds=window)
    eventually(lambda: lags(server)["+Inf"] - before["+Inf"] >= count - count % BATCH, "the end of all items", 600, 0.1)
    after = lags(server)
    seen = {bound: after[bound] - before.get(bound, 0) for bound in after}
    p50, p99 = (bucket_at(seen, share) for share in (0.5, 0.99))
    what = f"{count:,} items due within {window} s"
    report.add(f"lag of expiry, p50, {what}", p50, "s at most", ratio="lower")
    report.add(f"lag of expiry, p99, {what}", p99, "s at most", ratio="lower",
               expect=(f"at most {LAG_P99_SECONDS} s", p99 <= LAG_P99_SECONDS))
    load_row(report, f"PutItem meanwhile, 16 connections, {what}", written, "with nothing due", floor)
    progress(f"{what}: lag p50 {p50} s, p99 {p99} s")


def lags(server):
    """How many items went so late or earlier, by the upper bound of the lag."""
    found = re.findall(r'^tidemill_ttl_lag_seconds_bucket\{le="([^"]+)"\} (\d+)', server.cloud.get("/metrics"), re.M)
    return {bound: int(number) for bound, number in found}


def bucket_at(counts, share):
    """The bound below which this share of them lies."""
    wanted = counts["+Inf"] * share
    return min(float(bound) for bound, number in counts.items() if number >= wanted)


# --- schedules of a second ---

def schedules(rig, report):
    put_url, put_pid = rig.program("put_server", rig.scratch / "put")
    floor = rig.load(put_url, 16, "x" * 300, pid=put_pid, seconds=min(2, rig.arguments.seconds))["p99_us"] / 1000
    for count in SCHEDULES_OF_A_SECOND:
        jitter(rig, report, min(count, rig.arguments.schedules), floor)
        if count >= rig.arguments.schedules:
            break


def jitter(rig, report, count, floor):
    """How long after its time the message of a run lies in its queue; the queues' times have milliseconds."""
    server = rig.server(name=f"schedules-{count}")
    sampled, rest = (server.cloud.create_queue(name=name) for name in ("sampled", "rest"))
    start = int(time.time()) + 3 + count // 500
    for name, queue, number in (("sampled", sampled, SCHEDULES_SAMPLED), ("rest", rest, count - SCHEDULES_SAMPLED)):
        body = {"ScheduleExpression": "rate(1 second)", "FlexibleTimeWindow": {"Mode": "OFF"}, "StartDate": start,
                "EndDate": start + SCHEDULED_SECONDS,
                "Target": {"Arn": server.cloud.queue_arn(queue), "RoleArn": ROLE, "Input": "<aws.scheduler.scheduled-time>"}}
        rig.load(f"{server.endpoint}/schedules/{name}-@@I@@", 16, json.dumps(body),
                 [AUTHORIZATION.format(service="scheduler"), "Content-Type: application/json"], requests=number,
                 seconds=600, warmup=0)
    if time.time() > start:
        raise SystemExit("the schedules were to begin before all were made")
    time.sleep(start + SCHEDULED_SECONDS + 1 - time.time())
    wanted = SCHEDULES_SAMPLED * SCHEDULED_SECONDS
    late = []
    eventually(lambda: late.extend(taken(server, sampled)) or len(late) >= wanted, "the messages of all runs", 120)
    late.sort()
    p50, p99 = at_percent(late, 50), at_percent(late, 99)
    report.add(f"jitter of {count:,} schedules of a second, p99", p99, "ms", "durable put, 16 connections, p99", floor, "lower",
               (f"at most {JITTER_P99_MS} ms", p99 <= JITTER_P99_MS), f"p50 {p50:.0f} ms, highest {late[-1]:.0f} ms")
    progress(f"{count:,} schedules of a second: p50 {p50:.0f} ms, p99 {p99:.0f} ms")


def taken(server, queue):
    """Takes some messages; how late each was, in milliseconds."""
    messages = server.cloud.sqs.receive_message(QueueUrl=queue, MaxNumberOfMessages=10,
                                                AttributeNames=["SentTimestamp"]).get("Messages", [])
    if messages:
        server.cloud.sqs.delete_message_batch(QueueUrl=queue, Entries=[
            {"Id": str(number), "ReceiptHandle": message["ReceiptHandle"]} for number, message in enumerate(messages)])
    return [int(message["Attributes"]["SentTimestamp"]) - time_ms(message["Body"]) for message in messages]


def time_ms(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() * 1000


# --- events ---

def matching(rig, report):
    """Events per second of one core, compared with all rules of a bus."""
    rounds = max(1, round(rig.arguments.seconds))
    output = subprocess.run([str(rig.build / "bench/events_bench"), str(rounds)], capture_output=True, text=True, check=True)
    lines = [line.split() for line in output.stdout.splitlines()]
    per_second = {(shape, int(rules)): float(matched) for rules, shape, matched, _, _ in lines}
    for rules, shape, matched, with_reading, build_us in lines:
        rules = int(rules)
        expected = None
        if shape == "exact" and rules == 10_000:
            holds = float(matched) >= EVENTS_PER_SECOND and per_second[shape, 100] < SLOWER_THAN_100_RULES * float(matched)
            expected = (f"at least {EVENTS_PER_SECOND:,}, less than {SLOWER_THAN_100_RULES}x slower than with 100", holds)
        report.add(f"events compared with {rules:,} rules, {shape}", float(matched), "/s", "with one rule", per_second[shape, 1],
                   expect=expected, note=f"{float(with_reading):,.0f}/s read first; built in {float(build_us) / 1000:.1f} ms")
        progress(f"{rules:,} rules, {shape}: {matched} events/s")


def entries(source, detail):
    return json.dumps({"Entries": [{"Source": source, "DetailType": "turn", "Detail": json.dumps(detail)}]})


def rule_to(server, name, target):
    events = server.cloud.client("events")
    events.put_rule(Name=name, EventPattern=json.dumps({"source": [name]}))
    failed = events.put_targets(Rule=name, Targets=[{"Id": "t", "Arn": target}])["FailedEntries"]
    if failed:
        raise SystemExit(f"PutTargets: {failed}")


def events_to_handler(rig, report):
    """From the sending of PutEvents to the entry of the handler, warm, one at a time."""
    server = rig.server(name="handler")
    function = rig.minimal_function(server, "entered", REPORT_PORT=str(REPORT_PORT))
    rule_to(server, "latency", f"arn:aws:lambda:us-east-1:000000000000:function:{function}")
    host, port = server.endpoint[len("http://"):].split(":")
    connection = socket.create_connection((host, int(port)))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    head = "\r\n".join(["POST / HTTP/1.1", "Host: localhost", *json_headers("events", "AWSEvents.PutEvents")])
    took = []
    with Reports() as reports:
        for turn in range(20 + int(100 * rig.arguments.seconds)):
            body = entries("latency", {"turn": turn})
            sent = time.time_ns()
            connection.sendall(f"{head}\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())
            answer = connection.recv(65536)
            if b'"FailedEntryCount":0' not in answer:
                raise SystemExit(f"PutEvents: {answer!r}")
            entered = int(reports.socket.recv(65536).split(b" ", 1)[0])
            took.append((entered - sent) / 1e6)
    connection.close()
    took = sorted(took[20:])
    echo_ms = report.values.get("echo 1 p50", 0) / 1000
    for percent, expected in ((50, TO_HANDLER_P50_MS), (99, None)):
        value = at_percent(took, percent)
        report.add(f"PutEvents to handler, p{percent}", value, "ms", "echo round trip", echo_ms or None, "lower",
                   (f"at most {expected} ms", value <= expected) if expected else None)
    progress(f"PutEvents to handler: p50 {at_percent(took, 50):.2f} ms, p99 {at_percent(took, 99):.2f} ms")


def events_accepted(rig, report):
    """PutEvents of one event each, with one rule and a queue as its target."""
    server = rig.server(name="accepted")
    queue = server.cloud.create_queue(name="q")
    rule_to(server, "accepted", server.cloud.queue_arn(queue))
    body = entries("accepted", {"text": "x" * 100})
    put_url, put_pid = rig.program("put_server", rig.scratch / "put-events")
    for connections in EVENT_CONNECTIONS:
        answer = rig.load(server.endpoint + "/", connections, body, json_headers("events", "AWSEvents.PutEvents"), pid=server.pid)
        floor = rig.load(put_url, connections, body, pid=put_pid)
        load_row(report, f"PutEvents, one rule and one queue, {connections} connections", answer, "bare durable put",
                 floor["per_second"])
        eventually(lambda: sum(server.cloud.queue_counts(queue)) >= answer["requests"], "the deliveries", 120, 0.1)


# --- the virtual clock ---

def virtual_clock(rig, report):
    server = rig.server("--clock", "virtual", name="year")
    took = turned(server.cloud, "P365D") * 1000
    report.add("virtual clock by a year, nothing due", took, "ms", ratio="lower", expect=(f"at most {YEAR_MS} ms", took <= YEAR_MS))
    put_url, put_pid = rig.program("put_server", rig.scratch / "put-clock")
    put_seconds = rig.load(put_url, 1, "x" * 300, pid=put_pid, seconds=1)["p50_us"] / 1e6
    for spread, where in ((False, "at one minute"), (True, "over the day")):
        server = rig.server("--clock", "virtual", name=f"week-{spread}")
        arn = server.cloud.queue_arn(server.cloud.create_queue(name="q"))
        for number in range(DAILY_SCHEDULES):
            minute = number * 1440 // DAILY_SCHEDULES if spread else 0
            create_daily(server.cloud, f"daily-{number}", minute, arn)
        took = turned(server.cloud, "P7D")
        instants = 7 * (DAILY_SCHEDULES if spread else 1)
        report.add(f"virtual clock by 7 days, {DAILY_SCHEDULES:,} daily schedules {where}", took, "s",
                   f"{instants:,} durable puts", instants * put_seconds, "lower",
                   (f"at most {WEEK_SECONDS} s", took <= WEEK_SECONDS))
        progress(f"7 days, schedules {where}: {took:.2f} s")


def create_daily(cloud, name, minute, arn):
    cloud.client("scheduler").create_schedule(
        Name=name, ScheduleExpression=f"cron({minute % 60} {minute // 60} * * ? *)", FlexibleTimeWindow={"Mode": "OFF"},
        Target={"Arn": arn, "RoleArn": ROLE, "Input": "run"})


def turned(cloud, by):
    started = time.perf_counter()
    cloud.advance(by)
    return time.perf_counter() - started
