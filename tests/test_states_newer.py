"""What Debian's boto3 does not know of Step Functions yet, as JSON: versions, aliases, redrives, TestState, validation."""
import json

from harness import eventually, unique

ROLE = "arn:aws:iam::000000000000:role/states"


def ask(cloud, operation, refused=None, **document):
    """The answer; or, of what is to be refused, the message."""
    status, answer = cloud.call_json(f"AWSStepFunctions.{operation}", document, service="states")
    if refused:
        assert status == 400 and answer["__type"].endswith(f"#{refused}"), answer
        return answer.get("message") or answer.get("Message")
    assert status == 200, answer
    return answer


def flow(**states):
    return json.dumps({"StartAt": next(iter(states)), "States": states})


def result(value):
    return flow(A={"Type": "Pass", "Result": value, "End": True})


def create(cloud, definition, **more):
    return ask(cloud, "CreateStateMachine", name=unique("machine"), definition=definition, roleArn=ROLE, **more)


def output(cloud, arn):
    start = ask(cloud, "StartExecution", stateMachineArn=arn)["executionArn"]

    def is_over():
        described = ask(cloud, "DescribeExecution", executionArn=start)
        return described if described["status"] != "RUNNING" else None
    described = eventually(is_over, "the end")
    return json.loads(described["output"]), described


def test_versions_stay_what_they_were(cloud):
    made = create(cloud, result(1), publish=True)
    machine = made["stateMachineArn"]
    assert made["stateMachineVersionArn"] == f"{machine}:1"
    updated = ask(cloud, "UpdateStateMachine", stateMachineArn=machine, definition=result(2), publish=True)
    assert updated["stateMachineVersionArn"] == f"{machine}:2"
    again = ask(cloud, "PublishStateMachineVersion", stateMachineArn=machine, revisionId=updated["revisionId"])
    assert again["stateMachineVersionArn"] == f"{machine}:2"
    ask(cloud, "PublishStateMachineVersion", stateMachineArn=machine, revisionId="another", refused="ConflictException")
    first, described = output(cloud, f"{machine}:1")
    assert first == 1 and described["stateMachineVersionArn"] == f"{machine}:1"
    assert output(cloud, machine)[0] == 2
    versions = ask(cloud, "ListStateMachineVersions", stateMachineArn=machine)["stateMachineVersions"]
    assert [version["stateMachineVersionArn"] for version in versions] == [f"{machine}:2", f"{machine}:1"]
    ask(cloud, "DeleteStateMachineVersion", stateMachineVersionArn=f"{machine}:1")
    ask(cloud, "StartExecution", stateMachineArn=f"{machine}:1", refused="StateMachineDoesNotExist")


def test_aliases_route_by_weight(cloud):
    machine = create(cloud, result(1), publish=True)["stateMachineArn"]
    ask(cloud, "UpdateStateMachine", stateMachineArn=machine, definition=result(2), publish=True)

    def routes(first, second):
        return [{"stateMachineVersionArn": f"{machine}:1", "weight": first},
                {"stateMachineVersionArn": f"{machine}:2", "weight": second}]
    ask(cloud, "CreateStateMachineAlias", name="live", routingConfiguration=routes(50, 40), refused="ValidationException")
    alias = ask(cloud, "CreateStateMachineAlias", name="live", routingConfiguration=routes(100, 0))["stateMachineAliasArn"]
    assert alias == f"{machine}:live"
    value, described = output(cloud, alias)
    assert value == 1 and described["stateMachineAliasArn"] == alias
    ask(cloud, "DeleteStateMachineVersion", stateMachineVersionArn=f"{machine}:1", refused="ConflictException")
    ask(cloud, "UpdateStateMachineAlias", stateMachineAliasArn=alias, routingConfiguration=routes(0, 100))
    assert output(cloud, alias)[0] == 2
    assert ask(cloud, "DescribeStateMachineAlias", stateMachineAliasArn=alias)["routingConfiguration"] == routes(0, 100)
    listed = ask(cloud, "ListStateMachineAliases", stateMachineArn=machine)["stateMachineAliases"]
    assert [found["stateMachineAliasArn"] for found in listed] == [alias]
    ask(cloud, "DeleteStateMachineAlias", stateMachineAliasArn=alias)
    ask(cloud, "DescribeStateMachineAlias", stateMachineAliasArn=alias, refused="ResourceNotFound")


def test_a_stopped_execution_is_redriven(cloud):
    machine = create(cloud, flow(A={"Type": "Pass", "Next": "B"}, B={"Type": "Wait", "Seconds": 9999, "End": True}))
    arn = ask(cloud, "StartExecution", stateMachineArn=machine["stateMachineArn"])["executionArn"]
    assert "RUNNING" in ask(cloud, "RedriveExecution", executionArn=arn, refused="ExecutionNotRedrivable")

    def events():
        found = ask(cloud, "GetExecutionHistory", executionArn=arn)["events"]
        return [event["type"] for event in found] if found[-1]["type"] == "WaitStateEntered" else None
    eventually(events, "the wait")
    ask(cloud, "StopExecution", executionArn=arn)
    assert ask(cloud, "DescribeExecution", executionArn=arn)["redriveStatus"] == "REDRIVABLE"
    ask(cloud, "RedriveExecution", executionArn=arn)
    described = ask(cloud, "DescribeExecution", executionArn=arn)
    assert (described["status"], described["redriveCount"]) == ("RUNNING", 1)
    assert eventually(events, "the wait once more") == [
        "ExecutionStarted", "PassStateEntered", "PassStateExited", "WaitStateEntered", "ExecutionAborted",
        "ExecutionRedriven", "WaitStateEntered"]
    ask(cloud, "StopExecution", executionArn=arn)


def test_one_state_is_tested_by_itself(cloud):
    definition = json.dumps({"Type": "Pass", "Parameters": {"y.$": "$.x"}, "ResultPath": "$.r", "Next": "B"})
    answer = ask(cloud, "TestState", definition=definition, roleArn=ROLE, input='{"x": 1}', inspectionLevel="DEBUG")
    assert (answer["status"], answer["nextState"]) == ("SUCCEEDED", "B")
    assert json.loads(answer["output"]) == {"x": 1, "r": {"y": 1}}
    assert json.loads(answer["inspectionData"]["afterParameters"]) == {"y": 1}
    fail = ask(cloud, "TestState", definition=json.dumps({"Type": "Fail", "Error": "No"}), roleArn=ROLE)
    assert (fail["status"], fail["error"]) == ("FAILED", "No")


def test_states_are_tested_with_mocks(cloud):
    task = {"Type": "Task", "Resource": "arn:aws:states:::states:startExecution", "End": True,
            "Parameters": {"StateMachineArn": "nobody is called"},
            "Retry": [{"ErrorEquals": ["States.ALL"], "IntervalSeconds": 2, "MaxAttempts": 3}]}

    def tested(mock, **more):
        return ask(cloud, "TestState", definition=json.dumps(task), mock=mock, **more)

    answer = tested({"result": json.dumps({"ExecutionArn": "a", "StartDate": "now"})})
    assert (answer["status"], json.loads(answer["output"])) == ("SUCCEEDED", {"ExecutionArn": "a", "StartDate": "now"})
    assert tested({"result": "{}"}, refused="ValidationException") == (
        "Mock result schema validation error: Required field 'ExecutionArn' is missing")
    assert tested({"result": "{}", "fieldValidationMode": "PRESENT"})["status"] == "SUCCEEDED"
    assert tested({"result": json.dumps({"StartDate": 1}), "fieldValidationMode": "PRESENT"}, refused="ValidationException") == (
        "Mock result schema validation error: Field 'StartDate' must be a string")
    failed = tested({"errorOutput": {"error": "E", "cause": "c"}}, inspectionLevel="DEBUG",
                    stateConfiguration={"retrierRetryCount": 1})
    assert (failed["status"], failed["error"], failed["cause"]) == ("RETRIABLE", "E", "c")
    assert failed["inspectionData"]["errorDetails"] == {"retryIndex": 0, "retryBackoffIntervalSeconds": 4}


def test_definitions_are_validated_with_places(cloud):
    assert ask(cloud, "ValidateStateMachineDefinition", definition=result(1))["result"] == "OK"
    answer = ask(cloud, "ValidateStateMachineDefinition", definition=flow(A={"Type": "Pass", "Next": "nowhere"}))
    assert answer["result"] == "FAIL"
    assert answer["diagnostics"][0]["location"].startswith("/States/A")


def test_jsonata_and_variables_work(cloud):
    definition = json.dumps({"QueryLanguage": "JSONata", "StartAt": "A", "States": {
        "A": {"Type": "Pass", "Assign": {"n": "{% $states.input.x + 1 %}"}, "Next": "B"},
        "B": {"Type": "Map", "Items": "{% [1..$n] %}", "End": True, "Output": "{% $sum($states.result) %}",
              "ItemProcessor": {"StartAt": "C", "States": {"C": {"Type": "Pass", "End": True}}}}}})
    machine = create(cloud, definition)["stateMachineArn"]
    start = ask(cloud, "StartExecution", stateMachineArn=machine, input='{"x": 3}')["executionArn"]

    def is_over():
        described = ask(cloud, "DescribeExecution", executionArn=start)
        return described if described["status"] != "RUNNING" else None
    assert eventually(is_over, "the end").get("output") == "10"


# The items name tables; one is not there, and the child that asks for it fails.
def test_a_failed_map_run_is_redriven(cloud):
    states = cloud.client("stepfunctions", inject_host_prefix=False)
    tables = [unique("there"), unique("missing")]

    def make_table(name):
        cloud.dynamodb.create_table(TableName=name, BillingMode="PAY_PER_REQUEST",
                                    AttributeDefinitions=[{"AttributeName": "k", "AttributeType": "S"}],
                                    KeySchema=[{"AttributeName": "k", "KeyType": "HASH"}])
        cloud.dynamodb.get_waiter("table_exists").wait(TableName=name)

    make_table(tables[0])
    look = {"Type": "Task", "Resource": "arn:aws:states:::aws-sdk:dynamodb:describeTable",
            "Parameters": {"TableName.$": "$"}, "OutputPath": "$.Table.TableName", "End": True}
    definition = {"StartAt": "Each", "States": {"Each": {
        "Type": "Map", "End": True, "ToleratedFailurePercentage": 10, "ItemProcessor": {
            "ProcessorConfig": {"Mode": "DISTRIBUTED", "ExecutionType": "STANDARD"},
            "StartAt": "Look", "States": {"Look": look}}}}}
    machine = states.create_state_machine(name=unique("machine"), definition=json.dumps(definition), roleArn=ROLE)
    arn = states.start_execution(stateMachineArn=machine["stateMachineArn"], input=json.dumps(tables))["executionArn"]

    def end_of(wanted):
        described = ask(cloud, "DescribeExecution", executionArn=arn)
        return described if described["status"] == wanted else None

    eventually(lambda: end_of("FAILED"), "the failure")
    run = states.list_map_runs(executionArn=arn)["mapRuns"][0]["mapRunArn"]
    make_table(tables[1])
    ask(cloud, "RedriveExecution", executionArn=arn)
    described = eventually(lambda: end_of("SUCCEEDED"), "the success")
    assert json.loads(described["output"]) == tables
    assert described["redriveCount"] == 1
    told = ask(cloud, "DescribeMapRun", mapRunArn=run)
    assert (told["status"], told["redriveCount"]) == ("SUCCEEDED", 1)
    assert (told["itemCounts"]["succeeded"], told["itemCounts"]["failed"]) == (2, 0)
    types = [event["type"] for event in ask(cloud, "GetExecutionHistory", executionArn=arn)["events"]]
    assert types[types.index("ExecutionRedriven"):] == [
        "ExecutionRedriven", "MapRunRedriven", "MapRunSucceeded", "MapStateSucceeded", "MapStateExited",
        "ExecutionSucceeded"]
    children = ask(cloud, "ListExecutions", mapRunArn=run)["executions"]
    assert sorted(child["redriveCount"] for child in children) == [0, 1]
