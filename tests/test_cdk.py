"""The AWS CDK of npm bootstraps, deploys, updates, hot-swaps and destroys examples/precise-expiry/cdk, unmodified, with
only the endpoint set; and what it has deployed does its work."""
import os
import subprocess

import pytest

from harness import ROOT, Cloud, eventually
from npm_support import Tool, copy_of

pytestmark = pytest.mark.local
EXAMPLE = ROOT / "examples" / "precise-expiry"
TEN_MINUTES = 600
STACK = "PreciseExpiry"
# Nothing but the endpoint's own calls.
# Its own check of templates takes most of its time; what is sent is checked by the server.
QUIET = {"AWS_EC2_METADATA_DISABLED": "true", "CDK_DISABLE_CLI_TELEMETRY": "true", "CDK_VALIDATION": "false"}
DEPLOY = ("deploy", "--require-approval", "never", "--no-notices")


class Application:
    def __init__(self, server, folder, home):
        self.cloud, self.folder, self.home = Cloud(server.endpoint), folder, home
        self.cfn = self.cloud.client("cloudformation")
        self.cdk = Tool("cdk", folder, server, home, **QUIET)

    def example(self, program, *arguments):
        """What a program of the example prints."""
        kept = {name: text for name, text in os.environ.items() if not name.startswith("AWS_")}
        done = subprocess.run([str(EXAMPLE / program), *arguments], capture_output=True, text=True, timeout=600,
                              env={**kept, "TIDEMILL_ENDPOINT": self.cloud.endpoint, "HOME": str(self.home)})
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    def status(self):
        return self.cfn.describe_stacks(StackName=STACK)["Stacks"][0]["StackStatus"]

    def last_event(self):
        return self.cfn.describe_stack_events(StackName=STACK)["StackEvents"][0]["EventId"]

    def change(self, file, old, new):
        path = self.folder / file
        text = path.read_text()
        assert text.count(old) == 1
        path.write_text(text.replace(old, new))

    def begin_window(self):
        """Turns the clock to where windows and minutes fall the same way in each run."""
        self.cloud.advance(TEN_MINUTES - self.cloud.now() % TEN_MINUTES)


@pytest.fixture
def application(start_server, tmp_path):
    return Application(start_server("--clock", "virtual"), copy_of(EXAMPLE / "cdk", tmp_path / "cdk"), tmp_path)


def test_an_application_lives_from_bootstrap_to_destroy(application):
    cloud, cdk = application.cloud, application.cdk
    assert "bootstrapped" in cdk("bootstrap", "--no-notices")
    cdk(*DEPLOY)
    assert application.status() == "CREATE_COMPLETE"
    expect_what_the_stack_says(cloud)
    expect_expiry(application)

    # Again without a change: nothing happens.
    last = application.last_event()
    assert "no changes" in cdk(*DEPLOY)
    assert application.last_event() == last

    # An update in place: of the rule alone, so the table and its items stay.
    cdk(*DEPLOY, "-c", "every=2")
    assert application.status() == "UPDATE_COMPLETE"
    assert rule(cloud)["ScheduleExpression"] == "cron(*/2 * * * ? *)"
    expect_the_gap(application)

    # A hot-swap of the code, which the stack does not see.
    application.change("function/expire.ts", "deleted ${deleted} items", "swapped: ${deleted}")
    last = application.last_event()
    cdk(*DEPLOY, "-c", "every=2", "--hotswap")
    assert application.last_event() == last
    _, answer = cloud.invoke("expire", {"time": "2026-11-23T08:00:00Z"})
    assert answer == {"deleted": 0}
    eventually(lambda: any("swapped: 0" in line for line in log_of(cloud, "expire")), "the swapped code's line")

    cdk("destroy", "--force", "--no-notices")
    gone = [one["StackStatus"] for one in application.cfn.list_stacks()["StackSummaries"] if one["StackName"] == STACK]
    assert gone == ["DELETE_COMPLETE"]
    assert cloud.dynamodb.list_tables()["TableNames"] == []
    assert cloud.functions.list_functions()["Functions"] == []
    assert cloud.client("events").list_rules()["Rules"] == []


def rule(cloud):
    return cloud.client("events").list_rules()["Rules"][0]


def log_of(cloud, function):
    logs = cloud.client("logs")
    return [one["message"] for one in logs.filter_log_events(logGroupName=f"/aws/lambda/{function}")["events"]]


def expect_what_the_stack_says(cloud):
    table = cloud.dynamodb.describe_table(TableName="sessions-by-hand")["Table"]
    assert table["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert [(one["IndexName"], one["KeySchema"]) for one in table["GlobalSecondaryIndexes"]] == [("by-window", [
        {"AttributeName": "expirationWindow", "KeyType": "HASH"}, {"AttributeName": "ttl", "KeyType": "RANGE"}])]
    expiry = cloud.dynamodb.describe_time_to_live(TableName="sessions-by-hand")["TimeToLiveDescription"]
    assert expiry == {"TimeToLiveStatus": "ENABLED", "AttributeName": "purgeAt"}

    function = cloud.functions.get_function_configuration(FunctionName="expire")
    assert (function["Timeout"], function["MemorySize"], function["Runtime"]) == (300, 2048, "nodejs22.x")
    assert function["Environment"]["Variables"]["TABLE"] == "sessions-by-hand"

    role = function["Role"].rsplit("/", 1)[1]
    iam = cloud.client("iam")
    (name,) = iam.list_role_policies(RoleName=role)["PolicyNames"]
    (statement,) = iam.get_role_policy(RoleName=role, PolicyName=name)["PolicyDocument"]["Statement"]
    assert statement["Action"] == ["dynamodb:Query", "dynamodb:BatchWriteItem"]
    assert statement["Resource"] == [table["TableArn"], table["TableArn"] + "/index/by-window"]

    (target,) = cloud.client("events").list_targets_by_rule(Rule=rule(cloud)["Name"])["Targets"]
    assert list(target["InputTransformer"]["InputPathsMap"].values()) == ["$.time"]


def expect_expiry(application):
    """Every minute, what has expired is gone: natively, and by hand with the next minute."""
    application.begin_window()
    application.example("write", "--items", "60", "--seconds-apart", "10")
    application.cloud.advance(301)
    assert application.example("report") == ["sessions-native: 30 items, 0 of them left behind",
                                             "sessions-by-hand: 31 items, 0 of them left behind"]
    application.cloud.advance(TEN_MINUTES)
    assert application.example("report") == ["sessions-native: 0 items, 0 of them left behind",
                                             "sessions-by-hand: 0 items, 0 of them left behind"]


def expect_the_gap(application):
    """Every two minutes is too seldom for windows of five, and what is left behind goes when it is to be purged."""
    application.begin_window()
    application.example("write", "--items", "120", "--seconds-apart", "10")
    application.cloud.advance(3 * TEN_MINUTES)
    assert application.example("report") == ["sessions-native: 0 items, 0 of them left behind",
                                             "sessions-by-hand: 12 items, 12 of them left behind"]
    application.cloud.advance(6 * TEN_MINUTES)
    assert application.example("report")[1] == "sessions-by-hand: 0 items, 0 of them left behind"
