"""Holds back what tells the same again, by a table of its own: who failed (principal_id) and why (cause_id), how often, when
first and last. Runs on AWS as it does here.

Counting is an ADD, which never loses one. Who tells is decided by a condition: of all that run at once, one update finds the
step that it has read, and the others fail."""
import json
import os
from datetime import datetime

import boto3
from botocore.exceptions import ClientError

LADDER = [int(wait) for wait in os.environ["LADDER"].split(",")]  # seconds; the last repeats
RESET = int(os.environ["RESET"])  # seconds since the first report
table = boto3.resource("dynamodb").Table(os.environ["TABLE"])
topics = boto3.client("sns")


def handler(event, context):
    for record in event["Records"]:
        failure = json.loads(record["Sns"]["Message"])
        now = datetime.fromisoformat(record["Sns"]["Timestamp"].replace("Z", "+00:00")).timestamp()
        report(failure["requestContext"]["functionArn"], failure["responsePayload"]["errorType"], int(now))


def report(principal, cause, now):
    key = {"principal_id": principal, "cause_id": cause}
    begin_anew(key, now)
    state = table.update_item(
        Key=key, ReturnValues="ALL_NEW",
        UpdateExpression="SET last_report_time = :now, first_report_time = if_not_exists(first_report_time, :now) "
                         "ADD report_count :one",
        ExpressionAttributeValues={":now": now, ":one": 1})["Attributes"]
    if now >= state.get("next_time", 0) and claim(key, state, now):
        tell(state)


def begin_anew(key, now):
    """Once the first report is old enough; of those that run at once, one does it."""
    try:
        table.delete_item(Key=key, ConditionExpression="first_report_time <= :old",
                          ExpressionAttributeValues={":old": now - RESET})
    except ClientError as error:
        if error.response["Error"]["Code"] != "ConditionalCheckFailedException":
            raise


def claim(key, state, now):
    step = int(state.get("step", 0)) + 1
    wait = LADDER[min(step, len(LADDER) - 1)]
    try:
        table.update_item(
            Key=key, UpdateExpression="SET step = :step, next_time = :next, told_count = :count",
            ConditionExpression="attribute_not_exists(step) OR step = :read",
            ExpressionAttributeValues={":step": step, ":read": step - 1, ":next": now + wait,
                                       ":count": state["report_count"]})
    except ClientError as error:
        if error.response["Error"]["Code"] != "ConditionalCheckFailedException":
            raise
        return False  # another one tells
    return True


def tell(state):
    held_back = int(state["report_count"] - state.get("told_count", 0)) - 1
    topics.publish(TopicArn=os.environ["TOPIC"], Message=json.dumps(
        {"principal": state["principal_id"], "cause": state["cause_id"], "held_back": held_back}))
