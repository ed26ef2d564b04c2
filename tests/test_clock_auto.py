"""What waits on the platform for hours and days is over in a moment under --clock auto, as each service's own tests show it under
the virtual clock (the table in docs/clock.md)."""
import json
import time

import pytest

from cloudformation_support import settled, template
from harness import ROLE, Cloud, eventually, item
from states_support import Execution

pytestmark = pytest.mark.local

DAY = 24 * 3600
REAL_SECONDS_MAX = 100  # for what takes minutes to days by the platform's clock
JUMPED_SECONDS_MIN = 150


@pytest.fixture
def cloud(start_server):
    return Cloud(start_server("--clock", "auto").endpoint)


@pytest.fixture(autouse=True)
def in_a_moment(cloud):
    begun, before = time.monotonic(), cloud.now()
    yield
    assert time.monotonic() - begun < REAL_SECONDS_MAX
    eventually(lambda: cloud.now() - before > JUMPED_SECONDS_MIN, "the clock's jump")


def message(cloud, queue, **more):
    """The next message of the queue."""
    return eventually(lambda: cloud.sqs.receive_message(QueueUrl=queue, **more).get("Messages"), "a message", REAL_SECONDS_MAX)[0]


def machine(cloud, state):
    arn = cloud.client("stepfunctions").create_state_machine(
        name="waits", roleArn=ROLE, definition=json.dumps({"StartAt": "S", "States": {"S": {"End": True, **state}}}))
    return arn["stateMachineArn"]


def test_a_schedule_runs(cloud):
    queue = cloud.create_queue()
    at = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(cloud.now() + 30 * DAY))
    cloud.client("scheduler").create_schedule(
        Name="once", ScheduleExpression=f"at({at})", FlexibleTimeWindow={"Mode": "OFF"},
        Target={"Arn": cloud.queue_arn(queue), "RoleArn": ROLE, "Input": "now"})
    assert message(cloud, queue)["Body"] == "now"


def test_a_scheduled_rule_runs(cloud):
    queue, events = cloud.create_queue(), cloud.client("events")
    events.put_rule(Name="daily", ScheduleExpression="rate(1 day)")
    events.put_targets(Rule="daily", Targets=[{"Id": "t", "Arn": cloud.queue_arn(queue)}])
    assert json.loads(message(cloud, queue)["Body"])["detail-type"] == "Scheduled Event"
    events.disable_rule(Name="daily")


def test_a_state_waits(cloud):
    execution = Execution(cloud.client("stepfunctions"), machine(cloud, {"Type": "Wait", "Seconds": 30 * DAY}))
    assert execution.output() == {}


@pytest.mark.parametrize("limit", ["HeartbeatSeconds", "TimeoutSeconds"])
def test_a_task_that_nobody_answers_times_out(cloud, limit):
    queue = cloud.create_queue()
    arn = machine(cloud, {"Type": "Task", "Resource": "arn:aws:states:::sqs:sendMessage.waitForTaskToken", limit: 3600,
                          "Parameters": {"QueueUrl": queue, "MessageBody": "do"}})
    assert Execution(cloud.client("stepfunctions"), arn).error()[0] == "States.Timeout"


def test_a_worker_that_nobody_has_work_for_is_answered(cloud):
    sfn = cloud.client("stepfunctions")
    activity = sfn.create_activity(name="idle")["activityArn"]
    sfn.start_execution(stateMachineArn=machine(cloud, {"Type": "Wait", "Seconds": DAY}))
    assert not sfn.get_activity_task(activityArn=activity).get("taskToken")


def test_a_stack_waits_for_a_signal_no_longer_than_it_says(cloud):
    cfn = cloud.client("cloudformation")
    cfn.create_stack(StackName="waits", OnFailure="DO_NOTHING", TemplateBody=template({
        "Handle": {"Type": "AWS::CloudFormation::WaitConditionHandle"},
        "Wait": {"Type": "AWS::CloudFormation::WaitCondition",
                 "Properties": {"Handle": {"Ref": "Handle"}, "Timeout": "43200"}}}))
    assert settled(cfn, "waits")["StackStatus"] == "CREATE_FAILED"
    reasons = [event.get("ResourceStatusReason", "") for event in cfn.describe_stack_events(StackName="waits")["StackEvents"]]
    assert any("WaitCondition timed out" in reason for reason in reasons)


def test_a_stack_is_made_within_its_time_or_not_at_all(cloud):
    cfn = cloud.client("cloudformation")
    cfn.create_stack(StackName="late", TimeoutInMinutes=60, OnFailure="DO_NOTHING", TemplateBody=template({
        "Handle": {"Type": "AWS::CloudFormation::WaitConditionHandle"},
        "Wait": {"Type": "AWS::CloudFormation::WaitCondition",
                 "Properties": {"Handle": {"Ref": "Handle"}, "Timeout": "43200"}}}))
    before = cloud.now()
    assert settled(cfn, "late")["StackStatus"] == "CREATE_FAILED"
    assert cloud.now() - before < 43_200


def test_an_item_expires(cloud):
    table = cloud.create_table()
    cloud.dynamodb.update_time_to_live(TableName=table, TimeToLiveSpecification={"Enabled": True, "AttributeName": "due"})
    cloud.put_item(table, id="stays", due=int(cloud.now()) - 6 * 365 * DAY)  # too old to expire
    cloud.put_item(table, id="goes", due=int(cloud.now()) + 30 * DAY)
    eventually(lambda: "Item" not in cloud.dynamodb.get_item(TableName=table, Key=item(id="goes")), "gone", REAL_SECONDS_MAX)
    assert "Item" in cloud.dynamodb.get_item(TableName=table, Key=item(id="stays"))


POLLS = pytest.mark.parametrize("wait_seconds", [0, 20])  # without waiting, and long


@POLLS
def test_a_delayed_message_comes(cloud, wait_seconds):
    queue = cloud.create_queue()
    before = cloud.now()
    cloud.sqs.send_message(QueueUrl=queue, MessageBody="late", DelaySeconds=900)
    assert message(cloud, queue, WaitTimeSeconds=wait_seconds)["Body"] == "late"
    assert cloud.now() - before >= 900


@POLLS
@pytest.mark.parametrize("fifo", [False, True])
def test_a_message_that_nobody_deletes_comes_back(cloud, wait_seconds, fifo):
    group = {"MessageGroupId": "g", "MessageDeduplicationId": "d"} if fifo else {}
    queue = cloud.create_queue(fifo=fifo)
    cloud.sqs.send_message(QueueUrl=queue, MessageBody="again", **group)
    first = message(cloud, queue, VisibilityTimeout=6 * 3600)
    before = cloud.now()
    second = message(cloud, queue, WaitTimeSeconds=wait_seconds, AttributeNames=["ApproximateReceiveCount"])
    assert second["MessageId"] == first["MessageId"]
    assert second["Attributes"]["ApproximateReceiveCount"] == "2"
    assert cloud.now() - before > 5 * 3600


def test_an_asynchronous_invocation_is_tried_again(cloud):
    function, failures = cloud.recorder("raise ValueError('broken')\n"), cloud.create_queue()
    cloud.functions.put_function_event_invoke_config(
        FunctionName=function, DestinationConfig={"OnFailure": {"Destination": cloud.queue_arn(failures)}})
    cloud.functions.invoke(FunctionName=function, InvocationType="Event", Payload=b"{}")
    record = json.loads(message(cloud, failures)["Body"])
    assert record["requestContext"]["approximateInvokeCount"] == 3
    assert len(cloud.events(function)) == 3
