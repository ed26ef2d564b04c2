"""Step Functions through boto3 and the AWS CLI: machines, executions, versions, activities, and executions that go on
after kill -9."""
import json
import random
import subprocess
import time

import pytest

from harness import Cloud, NODE_RUNTIME, eventually, refused, unique

ROLE = "arn:aws:iam::000000000000:role/states"


def states_of(cloud):
    return cloud.client("stepfunctions", inject_host_prefix=False)


@pytest.fixture
def states(cloud):
    return states_of(cloud)


def flow(**states):
    """A definition that begins with its first state."""
    return json.dumps({"StartAt": next(iter(states)), "States": states})


def pass_on(then=None, **more):
    return {"Type": "Pass", **({"Next": then} if then else {"End": True}), **more}


def create(states, definition, **more):
    return states.create_state_machine(name=unique("machine"), definition=definition, roleArn=ROLE,
                                       **more)["stateMachineArn"]


def ended(states, arn):
    def is_over():
        described = states.describe_execution(executionArn=arn)
        return described if described["status"] != "RUNNING" else None
    return eventually(is_over, f"the end of {arn}")


def run(states, machine, data=None, **more):
    arn = states.start_execution(stateMachineArn=machine, input=json.dumps({} if data is None else data), **more)["executionArn"]
    return ended(states, arn)


def test_an_execution_runs_and_tells_its_history(states):
    machine = create(states, flow(A=pass_on("B", Result={"n": 1}, ResultPath="$.a"), B={"Type": "Succeed"}))
    described = run(states, machine, {"x": 2})
    assert described["status"] == "SUCCEEDED"
    assert json.loads(described["output"]) == {"x": 2, "a": {"n": 1}}
    events = states.get_execution_history(executionArn=described["executionArn"])["events"]
    assert [event["type"] for event in events] == [
        "ExecutionStarted", "PassStateEntered", "PassStateExited", "SucceedStateEntered", "SucceedStateExited",
        "ExecutionSucceeded"]
    assert [event["id"] for event in events] == [1, 2, 3, 4, 5, 6]
    assert [event["previousEventId"] for event in events] == [0, 0, 2, 3, 4, 5]
    assert events[1]["stateEnteredEventDetails"] == {"name": "A", "input": '{"x": 2}', "inputDetails": {"truncated": False}}
    backwards = states.get_execution_history(executionArn=described["executionArn"], reverseOrder=True, maxResults=4)
    assert [event["id"] for event in backwards["events"]] == [6, 5, 4, 3]
    rest = states.get_execution_history(executionArn=described["executionArn"], reverseOrder=True,
                                        nextToken=backwards["nextToken"])
    assert [event["id"] for event in rest["events"]] == [2, 1]


def test_failures_are_told_with_error_and_cause(states):
    machine = create(states, flow(A={"Type": "Fail", "Error": "No", "Cause": "never"}))
    described = run(states, machine)
    assert (described["status"], described["error"], described["cause"]) == ("FAILED", "No", "never")


def test_definitions_are_checked(states):
    with refused("InvalidDefinition"):
        create(states, json.dumps({"StartAt": "A"}))
    with refused("InvalidName"):
        states.create_state_machine(name="a b", definition=flow(A=pass_on()), roleArn=ROLE)
    with refused("StateMachineDoesNotExist"):
        states.start_execution(stateMachineArn="arn:aws:states:us-east-1:000000000000:stateMachine:none")
    with refused("InvalidArn"):
        states.describe_state_machine(stateMachineArn="nonsense")
    machine = create(states, flow(A=pass_on()))
    with refused("InvalidExecutionInput"):
        states.start_execution(stateMachineArn=machine, input="{")


def test_what_is_not_there_is_refused_by_name(states):
    with refused("InvalidTracingConfiguration", "tracing"):
        create(states, flow(A=pass_on()), tracingConfiguration={"enabled": True})


def test_machines_are_described_updated_listed_and_deleted(states):
    first = flow(A=pass_on())
    machine = create(states, first, tags=[{"key": "k", "value": "v"}])
    described = states.describe_state_machine(stateMachineArn=machine)
    assert (described["status"], described["type"], described["definition"]) == ("ACTIVE", "STANDARD", first)
    assert states.list_tags_for_resource(resourceArn=machine)["tags"] == [{"key": "k", "value": "v"}]
    with refused("MissingRequiredParameter"):
        states.update_state_machine(stateMachineArn=machine)
    states.update_state_machine(stateMachineArn=machine, definition=flow(A=pass_on(Result=2)))
    assert json.loads(run(states, machine)["output"]) == 2
    assert machine in [found["stateMachineArn"] for page in states.get_paginator("list_state_machines").paginate()
                       for found in page["stateMachines"]]
    states.delete_state_machine(stateMachineArn=machine)
    with refused("StateMachineDoesNotExist"):
        states.describe_state_machine(stateMachineArn=machine)
    states.delete_state_machine(stateMachineArn=machine)


def test_executions_are_listed_by_status_and_stopped(states):
    machine = create(states, flow(A={"Type": "Wait", "SecondsPath": "$.s", "End": True}))
    done = run(states, machine, {"s": 0})["executionArn"]
    waiting = states.start_execution(stateMachineArn=machine, input='{"s": 9999}')["executionArn"]

    def listed(**more):
        return [found["executionArn"] for found in states.list_executions(stateMachineArn=machine, **more)["executions"]]
    assert listed() == [waiting, done]
    assert listed(statusFilter="SUCCEEDED") == [done]
    first = states.list_executions(stateMachineArn=machine, maxResults=1)
    assert listed(nextToken=first["nextToken"]) == [done]
    states.stop_execution(executionArn=waiting, error="Enough", cause="of it")
    described = ended(states, waiting)
    assert (described["status"], described["error"], described["cause"]) == ("ABORTED", "Enough", "of it")
    assert listed(statusFilter="RUNNING") == []


def test_the_name_of_an_execution_makes_it_one(states):
    machine = create(states, flow(A={"Type": "Wait", "Seconds": 9999, "End": True}))
    first = states.start_execution(stateMachineArn=machine, name="one", input="{}")
    again = states.start_execution(stateMachineArn=machine, name="one", input="{}")
    assert first["executionArn"] == again["executionArn"] and first["startDate"] == again["startDate"]
    with refused("ExecutionAlreadyExists"):
        states.start_execution(stateMachineArn=machine, name="one", input='{"other": 1}')
    states.stop_execution(executionArn=first["executionArn"])


def test_activities_are_worked_off(states):
    activity = states.create_activity(name=unique("activity"))["activityArn"]
    machine = create(states, flow(A={"Type": "Task", "Resource": activity, "End": True}))
    arn = states.start_execution(stateMachineArn=machine, input='{"x": 1}')["executionArn"]
    task = states.get_activity_task(activityArn=activity, workerName="me")
    assert json.loads(task["input"]) == {"x": 1}
    states.send_task_heartbeat(taskToken=task["taskToken"])
    states.send_task_success(taskToken=task["taskToken"], output='{"done": true}')
    assert json.loads(ended(states, arn)["output"]) == {"done": True}
    with refused("TaskTimedOut", "Task Timed Out: 'Provided task does not exist anymore'"):
        states.send_task_success(taskToken=task["taskToken"], output="1")
    with refused("InvalidToken", "Invalid Token: 'Invalid token'"):
        states.send_task_success(taskToken="nonsense", output="1")


def test_express_executions_answer_their_caller(cloud):
    states = states_of(cloud)
    machine = create(states, flow(A=pass_on("B"), B=pass_on(Result={"y": 1}, ResultPath="$.b")), type="EXPRESS")
    answer = states.start_sync_execution(stateMachineArn=machine, input='{"x": 1}')
    assert answer["status"] == "SUCCEEDED"
    assert json.loads(answer["output"]) == {"x": 1, "b": {"y": 1}}
    with refused("StateMachineTypeNotSupported"):
        states.list_executions(stateMachineArn=machine)


SYNC_CALLERS = {
    "Python": {"source": """
import boto3
def handler(event, context):
    return boto3.client("stepfunctions").start_sync_execution(stateMachineArn=event["machine"], input="{}")["status"]
"""},
    "Node.js": {"source": None, "runtime": NODE_RUNTIME, "handler": "index.handler", "files": {"index.js": """
const { SFNClient, StartSyncExecutionCommand } = require("@aws-sdk/client-sfn");
const client = new SFNClient({});
exports.handler = async ({ machine }) => {
  let answer;  // of more calls than an agent has connections
  for (let call = 0; call < 60; ++call) {
    answer = await client.send(new StartSyncExecutionCommand({ stateMachineArn: machine, input: "{}" }));
  }
  return answer.status;
};
"""}},
}


# SDKs put "sync-" before the endpoint's host.
@pytest.mark.parametrize("language", SYNC_CALLERS)
def test_a_function_calls_what_sdks_put_a_prefix_before(cloud, language):
    machine = create(states_of(cloud), flow(A=pass_on()), type="EXPRESS")
    assert cloud.invoke(cloud.create_function(**SYNC_CALLERS[language], Timeout=30), {"machine": machine})[1] == "SUCCEEDED"


def aws(cloud, *arguments):
    environment = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_DEFAULT_REGION": "us-east-1",
                   "PATH": "/usr/bin:/bin"}
    done = subprocess.run(["aws", "--endpoint-url", cloud.endpoint, "stepfunctions", *arguments], env=environment,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout) if done.stdout else {}


def test_the_command_line_starts_and_describes(cloud):
    machine = aws(cloud, "create-state-machine", "--name", unique("machine"), "--role-arn", ROLE, "--definition",
                  flow(A=pass_on()))["stateMachineArn"]
    arn = aws(cloud, "start-execution", "--state-machine-arn", machine, "--input", '{"x": 1}')["executionArn"]
    ended(states_of(cloud), arn)
    assert json.loads(aws(cloud, "describe-execution", "--execution-arn", arn)["output"]) == {"x": 1}


# Beyond what AWS can show: the server dies again and again while a hundred executions wait, pass on and go round.
@pytest.mark.local
def test_executions_go_on_after_kill_9(start_server, tmp_path):
    chance = random.Random(7)
    server = start_server(data=tmp_path / "data")
    states = states_of(Cloud(server.endpoint))
    rounds = flow(
        Wait={"Type": "Wait", "Seconds": 1, "Next": "Each"},
        Each={"Type": "Map", "ItemsPath": "$.items", "ResultPath": "$.items", "MaxConcurrency": 2, "Next": "Count",
              "ItemProcessor": {"StartAt": "Add", "States": {"Add": pass_on(Parameters={"v.$": "States.MathAdd($.v, 1)"})}}},
        Count=pass_on("Again", Parameters={"items.$": "$.items", "left.$": "States.MathAdd($.left, -1)"}),
        Again={"Type": "Choice", "Choices": [{"Variable": "$.left", "NumericGreaterThan": 0, "Next": "Wait"}],
               "Default": "Done"},
        Done={"Type": "Succeed"})
    machine = create(states, rounds)
    begun = json.dumps({"items": [{"v": 0}, {"v": 10}, {"v": 20}], "left": 5})
    arns = [states.start_execution(stateMachineArn=machine, input=begun)["executionArn"] for _ in range(100)]
    for _ in range(4):
        time.sleep(chance.uniform(0.5, 1.5))
        server.kill()
        server = start_server(data=tmp_path / "data")
    states = states_of(Cloud(server.endpoint))
    for arn in arns:
        described = eventually(
            lambda: (lambda found: found if found["status"] != "RUNNING" else None)(states.describe_execution(executionArn=arn)),
            "the end of an execution", deadline_seconds=180)
        assert described["status"] == "SUCCEEDED", described
        assert json.loads(described["output"])["items"] == [{"v": 5}, {"v": 15}, {"v": 25}]
    events = [event for page in states.get_paginator("get_execution_history").paginate(executionArn=arns[0])
              for event in page["events"]]
    assert [event["id"] for event in events] == list(range(1, len(events) + 1))
    assert sum(event["type"] == "WaitStateEntered" for event in events) == 5
