"""The integrations that AWS made for an operation: what they call, and what comes of it."""
import json

import pytest

from events_support import Inbox, bus, create_bus, events, put_rule  # noqa: F401
from harness import eventually, refused, unique
from sns_support import create_topic, sns, subscribe_queue  # noqa: F401
from states_support import Execution, create_machine, run, sfn, task  # noqa: F401

INVOKE = "arn:aws:states:::lambda:invoke"
START = "arn:aws:states:::states:startExecution"


def function_arn(functions, name):
    return functions.get_function_configuration(FunctionName=name)["FunctionArn"]


# --- functions --------------------------------------------------------------------------------------------------------

def test_a_functions_own_arn_gives_it_the_input(cloud, functions, run):
    name = cloud.create_function("def handler(event, context): return {'doubled': event['n'] * 2}\n")
    execution = run(task(function_arn(functions, name)), {"n": 21})
    assert execution.output() == {"doubled": 42}
    assert execution.kinds() == ["ExecutionStarted", "TaskStateEntered", "LambdaFunctionScheduled",
                                 "LambdaFunctionStarted", "LambdaFunctionSucceeded", "TaskStateExited",
                                 "ExecutionSucceeded"]
    scheduled = execution.event("LambdaFunctionScheduled")
    assert scheduled["resource"] == function_arn(functions, name) and json.loads(scheduled["input"]) == {"n": 21}
    assert json.loads(execution.event("LambdaFunctionSucceeded")["output"]) == {"doubled": 42}


def test_lambda_invoke_reads_the_payload(cloud, functions, run):
    name = cloud.create_function("def handler(event, context): return event\n")
    execution = run(task(INVOKE, {"FunctionName": name, "Payload.$": "$"}), {"a": [1, None, "x"]})
    output = execution.output()
    assert output["Payload"] == {"a": [1, None, "x"]}
    assert output["ExecutedVersion"] == "$LATEST" and output["StatusCode"] == 200
    assert output["SdkHttpMetadata"]["HttpStatusCode"] == 200 and output["SdkResponseMetadata"]["RequestId"]
    assert execution.kinds() == [
        "ExecutionStarted", "TaskStateEntered", "TaskScheduled", "TaskStarted", "TaskSucceeded", "TaskStateExited",
        "ExecutionSucceeded"]
    scheduled = execution.event("TaskScheduled")
    assert (scheduled["resourceType"], scheduled["resource"]) == ("lambda", "invoke")
    assert json.loads(scheduled["parameters"]) == {"FunctionName": name, "Payload": {"a": [1, None, "x"]}}


@pytest.mark.parametrize("as_arn", [True, False])
def test_a_functions_error_is_its_type(cloud, functions, run, as_arn):
    name = cloud.create_function("""
        class Spilled(Exception): pass
        def handler(event, context): raise Spilled("tea")
        """)
    states = task(function_arn(functions, name)) if as_arn else task(INVOKE, {"FunctionName": name})
    error, cause = run(states).error()
    assert error == "Spilled"
    cause = json.loads(cause)
    assert (cause["errorMessage"], cause["errorType"]) == ("tea", "Spilled") and cause["stackTrace"]


def test_a_function_that_is_not_there(run):
    name = unique("none")
    error, cause = run(task(INVOKE, {"FunctionName": name})).error()
    assert error == "Lambda.ResourceNotFoundException"
    assert cause.startswith("Function not found: arn:")
    assert "(Service: AWSLambda; Status Code: 404; Error Code: ResourceNotFoundException; " in cause


def test_a_functions_error_is_caught_by_its_name(cloud, functions, run):
    name = cloud.create_function("class Spilled(Exception): pass\ndef handler(event, context): raise Spilled('tea')\n")
    states = task(INVOKE, {"FunctionName": name}, Catch=[{"ErrorEquals": ["Spilled"], "Next": "Wiped"}])
    execution = run({**states, "Wiped": {"Type": "Pass", "End": True}})
    assert execution.output()["Error"] == "Spilled"


def test_a_function_that_has_no_place_is_tried_again(cloud, functions, run):
    name = cloud.create_function("def handler(event, context): return 'tea'\n")
    functions.put_function_concurrency(FunctionName=name, ReservedConcurrentExecutions=0)
    execution = run(task(INVOKE, {"FunctionName": name}, Retry=[{
        "ErrorEquals": ["Lambda.TooManyRequestsException"], "IntervalSeconds": 1, "BackoffRate": 1, "MaxAttempts": 10}]))
    eventually(lambda: "TaskFailed" in execution.kinds(), "a first attempt")
    failed = [event for event in execution.events() if event["type"] == "TaskFailed"][0]["taskFailedEventDetails"]
    assert failed["error"] == "Lambda.TooManyRequestsException" and "Status Code: 429" in failed["cause"]
    functions.delete_function_concurrency(FunctionName=name)
    assert execution.output()["Payload"] == "tea"


def test_a_function_that_takes_too_long(cloud, run):
    name = cloud.create_function("import time\ndef handler(event, context): time.sleep(30)\n", Timeout=1)
    error, cause = run(task(INVOKE, {"FunctionName": name})).error()
    assert error == "Sandbox.Timedout" and "Task timed out after 1.00 seconds" in cause


def test_a_long_call_is_in_nobodys_way(cloud, run):
    slow = cloud.create_function("import time\ndef handler(event, context): time.sleep(event)\n")
    waiting = [run(task(INVOKE, {"FunctionName": slow, "Payload": 12})) for _ in range(3)]
    quick = run(task("arn:aws:states:::aws-sdk:sqs:listQueues", {}))
    quick.output()
    assert all("TaskSucceeded" not in one.kinds() for one in waiting)
    for one in waiting:
        assert one.output()["Payload"] is None


# --- tables, queues, topics, buses ------------------------------------------------------------------------------------

def test_items_of_tables(cloud, run):
    table = cloud.create_table()
    key = {"id": {"S": "a"}}
    dynamodb = "arn:aws:states:::dynamodb:"
    states = {
        "Put": {"Type": "Task", "Resource": dynamodb + "putItem", "Next": "Update",
                "Parameters": {"TableName": table, "Item": {**key, "n": {"N": "1"}}}},
        "Update": {"Type": "Task", "Resource": dynamodb + "updateItem", "Next": "Get", "ResultPath": "$.update",
                   "Parameters": {"TableName": table, "Key": key, "UpdateExpression": "ADD n :one",
                                  "ExpressionAttributeValues": {":one": {"N": "1"}}, "ReturnValues": "ALL_NEW"}},
        "Get": {"Type": "Task", "Resource": dynamodb + "getItem", "Next": "Delete", "ResultPath": "$.get",
                "Parameters": {"TableName": table, "Key": key}},
        "Delete": {"Type": "Task", "Resource": dynamodb + "deleteItem", "End": True, "ResultPath": "$.delete",
                   "Parameters": {"TableName": table, "Key": key, "ReturnValues": "ALL_OLD"}}}
    output = run(states).output()
    assert output["update"]["Attributes"] == output["get"]["Item"] == output["delete"]["Attributes"] == {
        **key, "n": {"N": "2"}}
    assert "Item" not in cloud.dynamodb.get_item(TableName=table, Key=key)


def test_a_table_that_is_not_there(run):
    error, cause = run(task("arn:aws:states:::dynamodb:putItem",
                            {"TableName": unique("none"), "Item": {"id": {"S": "a"}}})).error()
    assert error == "DynamoDB.ResourceNotFoundException"
    assert cause.startswith("Requested resource not found (Service: AmazonDynamoDBv2; Status Code: 400; "
                            "Error Code: ResourceNotFoundException; Request ID: ")


def test_a_condition_that_fails(cloud, run):
    table = cloud.create_table()
    cloud.put_item(table, id="a")
    error, _ = run(task("arn:aws:states:::dynamodb:putItem", {
        "TableName": table, "Item": {"id": {"S": "a"}}, "ConditionExpression": "attribute_not_exists(id)"})).error()
    assert error == "DynamoDB.ConditionalCheckFailedException"


@pytest.mark.parametrize("body", ["text", {"a": {"b": [1, 2]}}])
def test_a_message_for_a_queue(cloud, run, body):
    url = cloud.create_queue()
    execution = run(task("arn:aws:states:::sqs:sendMessage", {"QueueUrl": url, "MessageBody.$": "$.body"}),
                    {"body": body})
    assert execution.output()["MessageId"]
    [message] = cloud.sqs.receive_message(QueueUrl=url, WaitTimeSeconds=5)["Messages"]
    assert message["Body"] == body if isinstance(body, str) else json.loads(message["Body"]) == body
    assert execution.output()["MD5OfMessageBody"] == message["MD5OfBody"]


def test_a_message_without_a_body(cloud, run):
    error, cause = run(task("arn:aws:states:::sqs:sendMessage",
                            {"QueueUrl": cloud.create_queue(), "MessageBody": None})).error()
    assert error == "SQS.AmazonSQSException"
    assert cause.startswith("The request must contain the parameter MessageBody. (Service: AmazonSQS; "
                            "Status Code: 400; Error Code: MissingParameter; Request ID: ")


def test_a_message_for_a_topic(cloud, run, create_topic, subscribe_queue):
    topic = create_topic()
    subscriber = subscribe_queue(topic)
    assert run(task("arn:aws:states:::sns:publish", {
        "TopicArn": topic, "Message": {"n": 1}, "Subject": "tea"})).output()["MessageId"]
    assert [json.loads(text) for text in subscriber.texts(1)] == [{"n": 1}]


def test_events_for_a_bus_say_who_sent_them(cloud, run, bus):
    inbox = Inbox(cloud)
    put_rule(cloud, bus, {"source": ["shop"]}, [{"Arn": inbox.arn}])
    execution = run(task("arn:aws:states:::events:putEvents", {"Entries": [
        {"EventBusName": bus, "Source": "shop", "DetailType": "Order", "Detail": {"n.$": "$.n"}}]}), {"n": 7})
    output = execution.output()
    assert output["FailedEntryCount"] == 0 and output["Entries"][0]["EventId"]
    assert "SdkHttpMetadata" not in output
    [body] = inbox.bodies(1)
    event = json.loads(body)
    assert event["detail"] == {"n": 7}
    machine = execution.sfn.describe_execution(executionArn=execution.arn)["stateMachineArn"]
    assert event["resources"] == [machine, execution.arn]


def test_an_event_that_a_bus_does_not_take_fails_the_task(run):
    error, cause = run(task("arn:aws:states:::events:putEvents", {"Entries": [
        {"Source": "shop", "DetailType": "Order", "Detail": "\"text\""}]})).error()
    assert error == "EventBridge.FailedEntry"
    cause = json.loads(cause)
    assert cause["FailedEntryCount"] == 1 and cause["Entries"][0]["ErrorCode"] == "MalformedDetail"


# --- executions -------------------------------------------------------------------------------------------------------

@pytest.fixture
def child(create_machine):
    return create_machine({"Told": {"Type": "Pass", "Result": {"tea": "ready"}, "End": True}})


def test_an_execution_is_begun(sfn, run, child):
    execution = run(task(START, {"StateMachineArn": child, "Name": "first", "Input": {"n.$": "$.n"}}), {"n": 1})
    output = execution.output()
    assert output["ExecutionArn"] == child.replace(":stateMachine:", ":execution:") + ":first"
    assert json.loads(sfn.describe_execution(executionArn=output["ExecutionArn"])["input"]) == {"n": 1}


@pytest.mark.parametrize("pattern", [".sync", ".sync:2"])
def test_an_execution_is_waited_for(sfn, run, child, pattern):
    execution = run(task(START + pattern, {"StateMachineArn": child, "Input": {
        "AWS_STEP_FUNCTIONS_STARTED_BY_EXECUTION_ID.$": "$$.Execution.Id"}}))
    output = execution.output()
    begun = {"AWS_STEP_FUNCTIONS_STARTED_BY_EXECUTION_ID": execution.arn}
    if pattern == ".sync":
        assert json.loads(output["Output"]) == {"tea": "ready"} and json.loads(output["Input"]) == begun
    else:
        assert output["Output"] == {"tea": "ready"} and output["Input"] == begun
    assert output["Status"] == "SUCCEEDED" and output["StateMachineArn"] == child
    assert output["InputDetails"] == output["OutputDetails"] == {"Included": True}
    assert output["StopDate"] >= output["StartDate"] > 10 ** 12
    assert execution.kinds() == [
        "ExecutionStarted", "TaskStateEntered", "TaskScheduled", "TaskStarted", "TaskSubmitted", "TaskSucceeded",
        "TaskStateExited", "ExecutionSucceeded"]
    assert execution.event("TaskSubmitted")["resource"] == "startExecution" + pattern


def test_an_execution_that_fails_fails_who_waits_for_it(run, create_machine):
    child = create_machine({"No": {"Type": "Fail", "Error": "Spilled", "Cause": "tea"}})
    error, cause = run(task(START + ".sync:2", {"StateMachineArn": child})).error()
    assert error == "States.TaskFailed"
    cause = json.loads(cause)
    assert (cause["Error"], cause["Cause"], cause["Status"]) == ("Spilled", "tea", "FAILED")


def test_a_machine_that_is_not_there(run, child):
    error, cause = run(task(START, {"StateMachineArn": child + "x"})).error()
    assert error == "StepFunctions.StateMachineDoesNotExistException"
    assert "(Service: AWSStepFunctions; Status Code: 400; Error Code: StateMachineDoesNotExist; Request ID: " in cause


# --- what is refused --------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("resource", ["arn:aws:states:::sqs:receiveMessage", "arn:aws:states:::aws-sdk:sqs:sendLetter",
                                      "arn:aws:states:::aws-sdk:tea:brew",
                                      "arn:aws:states:::dynamodb:getItem.waitForTaskToken"])
def test_a_resource_that_nobody_knows_is_refused(create_machine, resource):
    with refused("InvalidDefinition", f"The resource provided {resource} is not recognized."):
        create_machine(task(resource, {}))


@pytest.mark.local
def test_a_resource_that_is_not_supported_is_refused_by_name(create_machine):
    with refused("InvalidDefinition", "arn:aws:states:::glue:startJobRun"):
        create_machine(task("arn:aws:states:::glue:startJobRun", {"JobName": "j"}))


def test_a_parameter_that_an_integration_does_not_take_is_refused_by_name(run):
    # At the definition or, where AWS only sees it there, as it runs.
    try:
        execution = run(task(INVOKE, {"FunctionName": "f", "LogType": "Tail"}))
    except Exception as error:  # noqa: BLE001: of a client's own kind
        assert 'The field \\"LogType\\" is not supported by Step Functions' in str(error).replace('"', '\\"').replace(
            '\\\\"', '\\"')
        return
    error, cause = execution.error()
    assert error == "States.Runtime" and 'The field "LogType" is not supported by Step Functions' in cause
