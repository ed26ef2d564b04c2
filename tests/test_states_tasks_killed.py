"""Tasks that wait, for a token's answer or for the end of another execution, through kill -9."""
import json
import random
import time

import pytest

from harness import ROLE, Cloud, eventually, unique

pytestmark = pytest.mark.local
EXECUTIONS = 30


def create(sfn, states):
    definition = json.dumps({"StartAt": next(iter(states)), "States": states})
    return sfn.create_state_machine(name=unique("machine"), definition=definition, roleArn=ROLE)["stateMachineArn"]


def answer_messages(cloud, url):
    """Answers the token of every message that is there; how many there were."""
    sfn, count = cloud.client("stepfunctions"), 0
    while messages := cloud.sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages"):
        for message in messages:
            body = json.loads(message["Body"])
            try:
                sfn.send_task_success(taskToken=body["token"], output=json.dumps({"doubled": body["n"] * 2}))
            except sfn.exceptions.TaskTimedOut:
                pass  # the message was sent again, and the token is answered
            cloud.sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
            count += 1
    return count


def test_callbacks_and_nested_executions_go_on_after_kill_9(start_server, tmp_path):
    chance = random.Random(11)
    server = start_server(data=tmp_path / "data")
    cloud = Cloud(server.endpoint)
    sfn, url = cloud.client("stepfunctions"), cloud.sqs.create_queue(QueueName="jobs")["QueueUrl"]
    child = create(sfn, {"Wait": {"Type": "Wait", "Seconds": 1, "Next": "Told"},
                         "Told": {"Type": "Pass", "Parameters": {"n.$": "States.MathAdd($.n, 1)"}, "End": True}})
    parent = create(sfn, {
        "Nested": {"Type": "Task", "Resource": "arn:aws:states:::states:startExecution.sync:2", "Next": "Ask",
                   "Parameters": {"StateMachineArn": child, "Input": {"n.$": "$.n"}},
                   "ResultSelector": {"n.$": "$.Output.n"}},
        # By its name: the port is another after each start.
        "Ask": {"Type": "Task", "Resource": "arn:aws:states:::sqs:sendMessage.waitForTaskToken", "End": True,
                "Parameters": {"QueueUrl": "jobs", "MessageBody": {"token.$": "$$.Task.Token", "n.$": "$.n"}}}})
    arns = [sfn.start_execution(stateMachineArn=parent, input=json.dumps({"n": n}))["executionArn"]
            for n in range(EXECUTIONS)]
    for _ in range(4):
        time.sleep(chance.uniform(0.2, 1.2))
        if chance.random() < 0.5:
            answer_messages(cloud, "jobs")
        server.kill()
        server = start_server(data=tmp_path / "data")
        cloud = Cloud(server.endpoint)
    sfn = cloud.client("stepfunctions")

    def are_over():
        answer_messages(cloud, "jobs")
        found = [sfn.describe_execution(executionArn=arn) for arn in arns]
        return found if all(one["status"] != "RUNNING" for one in found) else None
    for n, described in enumerate(eventually(are_over, "the end of all executions", deadline_seconds=180)):
        assert described["status"] == "SUCCEEDED", described
        assert json.loads(described["output"]) == {"doubled": (n + 1) * 2}
    pages = sfn.get_paginator("list_executions").paginate(stateMachineArn=child)
    assert len([one for page in pages for one in page["executions"]]) == EXECUTIONS, "each parent began one child"
