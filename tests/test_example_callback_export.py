"""examples/callback-export does what its README says: every change of a data store comes to the bus, whatever fails on the way
and however often the server is killed."""
import collections
import json
import os
import random
import subprocess
import time

import pytest

from harness import ROOT, SERVER, Cloud, eventually

pytestmark = pytest.mark.local
FOLDER = ROOT / "examples" / "callback-export"
FIVE_MINUTES, HOUR = 300, 3600
DEADLINE_SECONDS = 120


class Application:
    """The example, deployed at a server; what was written into its data store, and what came out of its bus."""

    def __init__(self, server, home):
        self.server, self.home = server, home
        self.written = {}  # patient: the last version that was acknowledged
        self.changes = collections.defaultdict(list)  # patient: the versions that came
        self.details = []
        self.connect()
        self.server.port = int(self.server.endpoint.rsplit(":", 1)[1])  # queues' URLs hold through restarts, as they would
        self.run("deploy")
        self.datastore = self.cloud.client("healthlake").list_fhir_datastores()["DatastorePropertiesList"][0]["DatastoreId"]
        self.machine = self.states.list_state_machines()["stateMachines"][0]["stateMachineArn"]

    def connect(self):
        self.cloud = Cloud(self.server.endpoint)
        self.states = self.cloud.client("stepfunctions")

    def run(self, program, *arguments):
        program = SERVER if program == "tidemill" else FOLDER / program
        environment = {**{name: text for name, text in os.environ.items() if not name.startswith("AWS_")},
                       "TIDEMILL_ENDPOINT": self.server.endpoint, "HOME": str(self.home)}
        done = subprocess.run([str(program), *arguments], capture_output=True, text=True, timeout=300, env=environment)
        assert done.returncode == 0, done.stderr + self.server.log()[-3000:]
        return done.stdout.splitlines()

    def put(self, patient, **more):
        """A new version of the patient."""
        resource = {"resourceType": "Patient", "id": patient, **more}
        status, _, answer = self.cloud.raw("healthlake", "PUT", f"/datastore/{self.datastore}/r4/Patient/{patient}",
                                           json.dumps(resource), {"Content-Type": "application/fhir+json"})
        assert status in (200, 201), answer
        self.written[patient] = int(json.loads(answer)["meta"]["versionId"])

    def record(self):
        found = self.cloud.dynamodb.scan(TableName="export-runs", ConsistentRead=True)["Items"]
        return {name: value["S"] for name, value in found[0].items()} if found else {}

    def receive(self, queue):
        url = self.cloud.sqs.get_queue_url(QueueName=queue)["QueueUrl"]
        while messages := self.cloud.sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages"):
            for message in messages:
                yield json.loads(message["Body"])
                self.cloud.sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])

    def collect(self):
        for event in self.receive("changes"):
            assert event["source"] == "callback-export" and event["detail-type"] == "Resource Changed"
            self.details.append(event["detail"])
            self.changes[event["detail"]["id"]].append(int(event["detail"]["version"]))

    def missing(self):
        """Patients whose last version has not come."""
        self.collect()
        return {patient: version for patient, version in self.written.items() if version not in self.changes[patient]}

    def executions(self, status):
        pages = self.states.get_paginator("list_executions").paginate(stateMachineArn=self.machine, statusFilter=status)
        return [each for page in pages for each in page["executions"]]

    def all_is_there(self):
        """Once a run that began after the last write is completed, it or one before it has brought all that was written."""
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.cloud.now() + 1))
        eventually(lambda: self.record().get("lastRunTime", "") > now, f"a run that began after {now} is completed",
                   DEADLINE_SECONDS)
        eventually(lambda: not self.missing(), "the changes of completed runs are on the bus", DEADLINE_SECONDS)

    def kill(self):
        self.server.kill()
        self.server.start()
        self.connect()


@pytest.fixture
def deploy(start_server, tmp_path):
    def at(clock):
        application = Application(start_server("--clock", clock), tmp_path)
        if clock == "virtual":
            application.cloud.advance(60)  # the first run, which begins at once, is over before the test writes anything
        return application
    return at


@pytest.fixture(scope="module")
def on_its_own_clock(tmp_path_factory):
    """One for all steps that fail: the clock goes on by itself, five minutes in a fraction of a second."""
    from harness import Server
    home = tmp_path_factory.mktemp("callback-export")
    server = Server(home / "data", "--clock", "auto").start()
    yield Application(server, home)
    server.kill()


# --- run by run, on a clock that the test turns ----------------------------------------------------------------------

def test_each_run_brings_what_has_changed_since_the_last(deploy):
    application = deploy("virtual")
    application.run("deploy")  # again: keeps what is there, but for the schedule, which begins anew
    application.cloud.advance(60)
    application.run("write")
    application.cloud.advance(FIVE_MINUTES)
    state, count = application.run("report")
    assert state.startswith("COMPLETED, last run: 20") and count == "Patient: 20 changes"
    application.run("write", "--patients", "3", "--first", "19")
    application.cloud.advance(FIVE_MINUTES)
    assert application.run("report")[1:] == ["Patient: 3 changes"]
    application.cloud.advance(FIVE_MINUTES)
    assert application.run("report")[1:] == []
    assert len(application.executions("SUCCEEDED")) >= 4 and not application.executions("FAILED")


def test_a_run_that_is_on_is_left_alone_for_an_hour(deploy):
    application = deploy("virtual")
    application.put("a")
    now = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(application.cloud.now()))
    application.cloud.dynamodb.put_item(TableName="export-runs", Item={
        "id": {"S": application.datastore}, "runStatus": {"S": "IN_PROGRESS"}, "execution": {"S": "another"},
        "triggerTime": {"S": now}, "lastRunTime": {"S": application.record()["lastRunTime"]}})
    application.cloud.advance(HOUR - 60)
    assert application.record()["execution"] == "another" and application.missing() == {"a": 1}
    last = application.states.describe_execution(executionArn=application.executions("SUCCEEDED")[0]["executionArn"])
    assert json.loads(last["output"]) == {"result": "a run is on", "execution": "another"}
    application.cloud.advance(FIVE_MINUTES + 60)
    assert application.record()["runStatus"] == "COMPLETED" and not application.missing()


def test_large_files_are_read_in_parts_and_large_resources_told_by_their_place(deploy):
    application = deploy("virtual")
    for number in range(80):  # 2.4 MB
        application.put(f"p{number}", text={"status": "generated", "div": "x" * 30_000})
    application.put("large", text={"status": "generated", "div": "x" * 300_000})
    application.cloud.advance(FIVE_MINUTES)
    assert not application.missing() and not application.executions("FAILED")
    assert len(application.details) == 81, "each once"
    details = {detail["id"]: detail for detail in application.details}
    assert len(details["p7"]["resource"]["text"]["div"]) == 30_000
    place = details["large"]["at"]
    assert "resource" not in details["large"]
    body = application.cloud.s3.get_object(Bucket=place["bucket"], Key=place["key"], Range="bytes=%d-%d" % (
        place["offset"], place["offset"] + place["bytes"] - 1))["Body"].read()
    assert json.loads(body)["id"] == "large"


def test_a_run_that_cannot_begin_is_a_dead_letter(deploy):
    application = deploy("virtual")
    application.states.delete_state_machine(stateMachineArn=application.machine)
    application.cloud.advance(2 * FIVE_MINUTES)
    assert list(application.receive("export-missed"))


# --- on the automatic clock ------------------------------------------------------------------------------------------

REFUSED = {"effect": "fail", "error": "AccessDenied", "status": 403}  # which SDKs do not try again by themselves
# What is made to fail, how often, and whether a run has failed then. (Of the bus entries are: ten at once, four times.)
STEPS = {
    "beginning the execution": ({"service": "states", "operation": "StartExecution", "effect": "fail"}, 2, False),
    "reading the record": ({"service": "dynamodb", "operation": "GetItem", "effect": "fail"}, 8, True),
    "recording the trigger": ({"service": "dynamodb", "operation": "UpdateItem", "effect": "throttle"}, 8, True),
    # The functions send as well: whether it strikes a run or them, who try again, is as it happens.
    "sending the token": ({"service": "sqs", "operation": "SendMessage", "effect": "fail"}, 4, False),
    "the data store": ({"service": "healthlake", "operation": "DescribeFHIRDatastore", "effect": "throttle"}, 5, False),
    "beginning the export": ({"function": "export-start", "effect": "fail"}, 4, True),
    "heartbeats": ({"service": "states", "operation": "SendTaskHeartbeat", **REFUSED}, 4, True),
    "looking after it": ({"function": "export-poll", "effect": "fail"}, 4, True),
    "its files, or the manifest": ({"service": "s3", "operation": "PutObject", **REFUSED}, 4, True),
    "the answer": ({"service": "states", "operation": "SendTaskSuccess", **REFUSED}, 4, True),
    "reading the manifest": ({"service": "s3", "operation": "GetObject", **REFUSED}, 4, True),
    "splitting": ({"function": "export-split", "effect": "fail"}, 8, True),
    "the bus": ({"service": "events", "operation": "PutEvents", "effect": "partial"}, 44, True),
}


@pytest.mark.parametrize("step", STEPS)
def test_a_change_outlives_the_failure_of(step, on_its_own_clock):
    application, (what, times, fails) = on_its_own_clock, STEPS[step]
    failed = len(application.executions("FAILED"))
    fault = application.cloud.put("/_tidemill/faults", {**what, "times": times})["id"]
    number = 0

    def has_struck():
        nonlocal number
        number += 1
        application.put(f"{step.replace(' ', '-').replace(',', '')}-{number % 10}")
        listed = json.loads(application.cloud.get("/_tidemill/faults"))["faults"]
        return next(each for each in listed if each["id"] == fault)["struck"] == times
    eventually(has_struck, f"{times} faults", DEADLINE_SECONDS, interval_seconds=0.05)
    application.all_is_there()
    assert not fails or len(application.executions("FAILED")) > failed


def test_nothing_is_missing_through_faults_and_kills(deploy):
    application, chance = deploy("auto"), random.Random(14)
    for _ in range(8):
        for step in chance.sample(sorted(STEPS), 3):
            application.cloud.put("/_tidemill/faults", {
                **STEPS[step][0], "probability": 0.3, "times": 10, "seed": chance.randrange(1 << 30)})
        until = time.monotonic() + chance.uniform(0.3, 2.5)
        while time.monotonic() < until:
            application.put(f"p{chance.randrange(40)}")
            if chance.random() < 0.2:
                time.sleep(chance.uniform(0, 0.2))
        application.collect()
        application.kill()
    application.all_is_there()
    assert application.written
