"""What executions tell CloudWatch Logs, through boto3."""
import json

import pytest

from harness import eventually, refused, unique

ROLE = "arn:aws:iam::000000000000:role/states"
FAILING = json.dumps({"StartAt": "A", "States": {
    "A": {"Type": "Pass", "Next": "B"}, "B": {"Type": "Fail", "Error": "No", "Cause": "never"}}})


@pytest.fixture
def states(cloud):
    return cloud.client("stepfunctions", inject_host_prefix=False)


@pytest.fixture
def group(cloud):
    logs = cloud.client("logs")
    name = f"/aws/vendedlogs/states/{unique('group')}"
    logs.create_log_group(logGroupName=name)
    yield name
    logs.delete_log_group(logGroupName=name)


def arn_of(cloud, group):
    groups = cloud.client("logs").describe_log_groups(logGroupNamePrefix=group)["logGroups"]
    return groups[0]["arn"]


def create(cloud, states, group, level, definition=FAILING, with_data=True, **more):
    logging = {"level": level, "includeExecutionData": with_data,
               "destinations": [{"cloudWatchLogsLogGroup": {"logGroupArn": arn_of(cloud, group)}}]}
    return states.create_state_machine(name=unique("machine"), definition=definition, roleArn=ROLE,
                                       loggingConfiguration=logging, **more)["stateMachineArn"]


def logged(cloud, group, count):
    def lines():
        found = cloud.client("logs").filter_log_events(logGroupName=group)["events"]
        return [json.loads(event["message"]) for event in found] if len(found) >= count else None
    return eventually(lines, f"{count} lines of log")


def test_a_standard_execution_is_logged_with_its_data(cloud, states, group):
    machine = create(cloud, states, group, "ALL")
    arn = states.start_execution(stateMachineArn=machine, input='{"x": 1}')["executionArn"]
    lines = logged(cloud, group, 5)
    assert [line["type"] for line in lines] == [
        "ExecutionStarted", "PassStateEntered", "PassStateExited", "FailStateEntered", "ExecutionFailed"]
    assert [line["id"] for line in lines] == ["1", "2", "3", "4", "5"]
    assert {line["execution_arn"] for line in lines} == {arn}
    assert {line["redrive_count"] for line in lines} == {"0"}
    assert lines[0]["details"] == {"input": '{"x": 1}', "inputDetails": {"truncated": "false"}, "roleArn": ROLE}
    assert lines[0]["previous_event_id"] == "0"
    assert lines[4]["details"] == {"error": "No", "cause": "never"}
    events = states.get_execution_history(executionArn=arn)["events"]
    assert [round(event["timestamp"].timestamp() * 1000) for event in events] == [
        int(line["event_timestamp"]) for line in lines]


def test_a_level_says_what_of_an_express_execution_is_logged(cloud, states, group):
    machine = create(cloud, states, group, "ERROR", with_data=False, type="EXPRESS")
    answer = states.start_sync_execution(stateMachineArn=machine, input="{}")
    lines = logged(cloud, group, 2)
    assert [line["type"] for line in lines] == ["FailStateEntered", "ExecutionFailed"]
    assert lines[0]["details"] == {"name": "B"}
    assert {line["execution_arn"] for line in lines} == {answer["executionArn"]}


def test_logging_is_described_and_switched_off(cloud, states, group):
    machine = create(cloud, states, group, "FATAL")
    described = states.describe_state_machine(stateMachineArn=machine)["loggingConfiguration"]
    assert described == {"level": "FATAL", "includeExecutionData": True, "destinations": [
        {"cloudWatchLogsLogGroup": {"logGroupArn": arn_of(cloud, group)}}]}
    states.update_state_machine(stateMachineArn=machine, loggingConfiguration={"level": "OFF"})
    assert states.describe_state_machine(stateMachineArn=machine)["loggingConfiguration"]["level"] == "OFF"


def test_logging_needs_one_destination(states):
    with refused("InvalidLoggingConfiguration", "Must specify exactly one Log Destination"):
        states.create_state_machine(name=unique("machine"), definition=FAILING, roleArn=ROLE,
                                    loggingConfiguration={"level": "ALL"})
