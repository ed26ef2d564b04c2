"""Tasks that wait until somebody answers with their token."""
import json
import time

from harness import eventually, refused
from states_support import Execution, create_machine, run, sfn, task  # noqa: F401

SEND = "arn:aws:states:::sqs:sendMessage.waitForTaskToken"


def waiting(url, **more):
    return task(SEND, {"QueueUrl": url, "MessageBody": {"token.$": "$$.Task.Token", "input.$": "$"}}, **more)


def take(cloud, url):
    """The body of the next message, as JSON."""
    def receive():
        return cloud.sqs.receive_message(QueueUrl=url, WaitTimeSeconds=2).get("Messages")
    [message] = eventually(receive, "a message with a token")
    cloud.sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
    return json.loads(message["Body"])


def test_a_queues_consumer_answers(cloud, sfn, run):
    url = cloud.create_queue()
    execution = run(waiting(url), {"n": 1})
    message = take(cloud, url)
    assert message["input"] == {"n": 1}
    sfn.send_task_heartbeat(taskToken=message["token"])
    sfn.send_task_success(taskToken=message["token"], output='{"answer": 42}')
    assert execution.output() == {"answer": 42}
    assert execution.kinds() == [
        "ExecutionStarted", "TaskStateEntered", "TaskScheduled", "TaskStarted", "TaskSubmitted", "TaskSucceeded",
        "TaskStateExited", "ExecutionSucceeded"]
    scheduled = execution.event("TaskScheduled")
    assert (scheduled["resourceType"], scheduled["resource"]) == ("sqs", "sendMessage.waitForTaskToken")
    assert json.loads(execution.event("TaskSubmitted")["output"])["MessageId"]
    assert json.loads(execution.event("TaskSucceeded")["output"]) == {"answer": 42}


def test_a_queues_consumer_refuses(cloud, sfn, run):
    url = cloud.create_queue()
    execution = run(waiting(url))
    sfn.send_task_failure(taskToken=take(cloud, url)["token"], error="Spilled", cause="tea")
    assert execution.error() == ("Spilled", "tea")
    assert execution.event("TaskFailed") == {"resourceType": "sqs", "resource": "sendMessage.waitForTaskToken",
                                             "error": "Spilled", "cause": "tea"}


def test_each_attempt_has_a_token_of_its_own(cloud, sfn, run):
    url = cloud.create_queue()
    execution = run(waiting(url, Retry=[{"ErrorEquals": ["Again"], "IntervalSeconds": 1, "MaxAttempts": 1}]))
    first = take(cloud, url)["token"]
    sfn.send_task_failure(taskToken=first, error="Again")
    second = take(cloud, url)["token"]
    assert first != second
    with refused("TaskTimedOut"):
        sfn.send_task_success(taskToken=first, output="1")
    sfn.send_task_success(taskToken=second, output="2")
    assert execution.output() == 2


def test_a_token_counts_once(cloud, sfn, run):
    url = cloud.create_queue()
    execution = run(waiting(url))
    token = take(cloud, url)["token"]
    sfn.send_task_success(taskToken=token, output="1")
    assert execution.output() == 1
    with refused("TaskTimedOut"):
        sfn.send_task_success(taskToken=token, output="2")
    with refused("InvalidToken"):
        sfn.send_task_success(taskToken="nothing", output="2")


def test_a_function_answers_before_it_has_returned(cloud, run):
    name = cloud.create_function("""
        import boto3, json, os
        def handler(event, context):
            sfn = boto3.client("stepfunctions", endpoint_url=os.environ.get("AWS_ENDPOINT_URL"))
            sfn.send_task_success(taskToken=event["token"], output=json.dumps({"early": True}))
            return "late"
        """)
    execution = run(task("arn:aws:states:::lambda:invoke.waitForTaskToken",
                         {"FunctionName": name, "Payload": {"token.$": "$$.Task.Token"}}))
    assert execution.output() == {"early": True}


def test_an_sdk_call_waits_too(cloud, sfn, run):
    url = cloud.create_queue()
    execution = run(task("arn:aws:states:::aws-sdk:sqs:sendMessage.waitForTaskToken",
                         {"QueueUrl": url, "MessageBody.$": "States.JsonToString($$.Task)"}))
    sfn.send_task_success(taskToken=take(cloud, url)["Token"], output='"done"')
    assert execution.output() == "done"


def test_a_call_that_fails_is_not_waited_for(run):
    error, cause = run(waiting("http://127.0.0.1:1/000000000000/none")).error()
    assert error in ("SQS.QueueDoesNotExistException", "SQS.SdkClientException"), cause


def test_no_heartbeat_fails_the_task(cloud, run):
    url = cloud.create_queue()
    execution = run(waiting(url, HeartbeatSeconds=1, TimeoutSeconds=60))
    assert execution.error()[0] == "States.Timeout"
    assert execution.event("TaskTimedOut")["error"] == "States.Timeout"


def test_heartbeats_keep_a_task(cloud, sfn, run):
    url = cloud.create_queue()
    execution = run(waiting(url, HeartbeatSeconds=5, TimeoutSeconds=60))
    token, began = take(cloud, url)["token"], time.monotonic()

    def is_kept_for_longer():
        sfn.send_task_heartbeat(taskToken=token)
        return time.monotonic() - began > 7
    eventually(is_kept_for_longer, "more than a heartbeat's time", interval_seconds=0.3)
    sfn.send_task_success(taskToken=token, output="1")
    assert execution.output() == 1
