"""The platform's clock, turned by the command line and over HTTP."""
import json
import subprocess
import urllib.error

import pytest

from cloudformation_support import chain, create, events, settled, template
from harness import SERVER, Cloud

pytestmark = pytest.mark.local

YEAR = 365 * 24 * 3600
# Far above the milliseconds that it takes, far below what visiting every hour or minute would.
YEARS_SECONDS_MAX = 10


def tidemill(server, *arguments):
    return subprocess.run([SERVER, "clock", *arguments, "--endpoint", server.endpoint], capture_output=True, text=True)


def morning(cloud):
    """A schedule of every day at eight, and its queue."""
    url = cloud.create_queue()
    cloud.client("scheduler").create_schedule(
        Name="morning", ScheduleExpression="cron(0 8 * * ? *)", FlexibleTimeWindow={"Mode": "OFF"},
        Target={"Arn": cloud.queue_arn(url), "RoleArn": "arn:aws:iam::000000000000:role/r", "Input": "x"})
    return url


def test_the_command_line_turns_it_and_says_what_ran(start_server):
    server = start_server("--clock", "virtual")
    cloud = Cloud(server.endpoint)
    shown = tidemill(server, "show")
    assert shown.returncode == 0 and shown.stdout.rstrip().endswith("Z virtual")
    before = cloud.now()
    morning(cloud)
    turned = tidemill(server, "advance", "3d")
    assert turned.returncode == 0, turned.stderr
    assert cloud.now() == before + 3 * 24 * 3600
    assert "       3 schedule\n" in turned.stdout


def test_it_does_not_go_back(start_server):
    server = start_server("--clock", "virtual")
    assert tidemill(server, "set", "2098-01-01").stdout.startswith("2098-01-01T00:00:00Z virtual\n")
    refused = tidemill(server, "set", "2026-01-01")
    assert refused.returncode == 1 and "the clock does not go back" in refused.stderr


def test_the_real_clock_cannot_be_turned(server):
    refused = tidemill(server, "advance", "1s")
    assert refused.returncode == 1 and "start the server with --clock virtual" in refused.stderr
    assert tidemill(server, "show").stdout.rstrip().endswith("Z real")


# Each year once cost more than the one before, and twenty seconds; the schedule goes on after them.
def test_decades_pass_in_a_moment(start_server):
    server = start_server("--clock", "virtual")
    cloud = Cloud(server.endpoint)
    cloud.create_table(stream="NEW_IMAGE")
    url = cloud.create_queue()
    cloud.sqs.send_message(QueueUrl=url, MessageBody="x")
    cloud.advance(24 * 3600)
    before = server.processor_seconds()
    for _ in range(30):
        cloud.advance(YEAR)
    assert server.processor_seconds() - before < YEARS_SECONDS_MAX
    morning(cloud)
    ran = cloud.put("/_tidemill/clock", {"advance": "P2D"})["ran"]
    assert ran["schedule"] == 2


def test_what_mappings_have_run_is_told(start_server):
    cloud = Cloud(start_server("--clock", "virtual").endpoint)
    url = cloud.create_queue()
    name = cloud.create_function("def handler(event, context):\n    pass\n")
    cloud.functions.create_event_source_mapping(FunctionName=name, EventSourceArn=cloud.queue_arn(url))
    cloud.advance(60)
    cloud.sqs.send_message(QueueUrl=url, MessageBody="x", DelaySeconds=600)
    assert "mapping" not in cloud.put("/_tidemill/clock", {"advance": 300})["ran"]
    assert cloud.put("/_tidemill/clock", {"advance": 600})["ran"]["mapping"] == 1


# The CDK sorts by times what it is told the newest first.
def test_events_of_a_stack_have_times_of_their_own(start_server):
    cfn = Cloud(start_server("--clock", "virtual").endpoint).client("cloudformation")
    stack = create(cfn, "brewing", template(chain(3)))["StackId"]
    cfn.update_stack(StackName=stack, TemplateBody=template(chain(5)))
    assert settled(cfn, stack)["StackStatus"] == "UPDATE_COMPLETE"
    cfn.delete_stack(StackName=stack)
    assert settled(cfn, stack)["StackStatus"] == "DELETE_COMPLETE"
    told = events(cfn, stack)
    times = [event["Timestamp"] for event in told]
    assert times == sorted(set(times)), told


def test_wrong_requests_are_refused(start_server):
    cloud = Cloud(start_server("--clock", "virtual").endpoint)
    for body in ({}, {"advance": -1}, {"advance": "soon"}, {"to": "1999-01-01T00:00:00Z"},
                 {"advance": 1, "unit": "days"}):
        with pytest.raises(urllib.error.HTTPError) as refused:
            cloud.put("/_tidemill/clock", body)
        assert refused.value.code == 400 and "error" in json.loads(refused.value.read())
