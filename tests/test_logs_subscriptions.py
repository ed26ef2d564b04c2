"""Subscription filters: events of log groups on their way to functions and data streams."""
import base64
import gzip
import json
import time

import pytest
from botocore.exceptions import ClientError

from harness import Cloud, eventually, quietly, unique

SHARD = "shardId-000000000000"
ROLE = "arn:aws:iam::000000000000:role/logs-to-stream"


@pytest.fixture
def logs(cloud):
    return cloud.client("logs")


@pytest.fixture
def group(cloud, logs):
    """A log group with the stream "s" that is gone after the test."""
    return make_group(cloud, logs)


def make_group(cloud, logs):
    name = unique("group")
    logs.create_log_group(logGroupName=name)
    cloud.cleanup.callback(quietly, logs.delete_log_group, logGroupName=name)
    logs.create_log_stream(logGroupName=name, logStreamName="s")
    return name


def put(logs, group, *messages, stream="s"):
    now = int(time.time() * 1000)
    logs.put_log_events(logGroupName=group, logStreamName=stream,
                        logEvents=[{"timestamp": now, "message": message} for message in messages])


def messages(documents):
    return [event["message"] for document in documents if document["messageType"] == "DATA_MESSAGE"
            for event in document["logEvents"]]


def refusal(call, **arguments):
    with pytest.raises(ClientError) as caught:
        call(**arguments)
    return caught.value.response["Error"]


def allow(cloud, function, group):
    cloud.functions.add_permission(FunctionName=function, StatementId="logs", Action="lambda:InvokeFunction",
                                   Principal="logs.amazonaws.com",
                                   SourceArn=f"arn:aws:logs:us-east-1:000000000000:log-group:{group}:*")


def test_a_function_gets_events_that_match_packed_as_aws_packs_them(cloud, logs, group):
    function = cloud.recorder()
    arn = cloud.functions.get_function(FunctionName=function)["Configuration"]["FunctionArn"]
    allow(cloud, function, group)
    logs.put_subscription_filter(logGroupName=group, filterName="errors", filterPattern="ERROR", destinationArn=arn)
    put(logs, group, "ERROR one", "fine", "ERROR two")
    event = cloud.wait_for_events(function, 1)[0]
    document = json.loads(gzip.decompress(base64.b64decode(event["awslogs"]["data"])))
    assert {key: document[key] for key in ("messageType", "owner", "logGroup", "logStream", "subscriptionFilters")} == {
        "messageType": "DATA_MESSAGE", "owner": "000000000000", "logGroup": group, "logStream": "s",
        "subscriptionFilters": ["errors"]}
    assert messages([document]) == ["ERROR one", "ERROR two"]
    found = logs.filter_log_events(logGroupName=group, filterPattern="ERROR")["events"]
    assert [event["id"] for event in document["logEvents"]] == [event["eventId"] for event in found]
    shown = logs.describe_subscription_filters(logGroupName=group)["subscriptionFilters"]
    assert [(one["filterName"], one["filterPattern"], one["destinationArn"], one["distribution"]) for one in shown] == [
        ("errors", "ERROR", arn, "ByLogStream")]
    logs.delete_subscription_filter(logGroupName=group, filterName="errors")
    assert logs.describe_subscription_filters(logGroupName=group)["subscriptionFilters"] == []


def test_a_data_stream_is_tried_and_gets_events_in_their_order(cloud, logs, group):
    stream = cloud.create_data_stream()
    arn = cloud.data_stream_active(stream)["StreamARN"]
    logs.put_subscription_filter(logGroupName=group, filterName="all", filterPattern="", destinationArn=arn, roleArn=ROLE)
    for number in range(20):
        put(logs, group, f"event {number}")
    records = cloud.data_records(stream, SHARD, 2)
    assert json.loads(gzip.decompress(records[0]["Data"]))["messageType"] == "CONTROL_MESSAGE"

    def all_came():
        came = cloud.data_records(stream, SHARD, 2)
        documents = [json.loads(gzip.decompress(record["Data"])) for record in came]
        return messages(documents) if len(messages(documents)) >= 20 else None
    assert eventually(all_came) == [f"event {number}" for number in range(20)]
    keys = {record["PartitionKey"] for record in cloud.data_records(stream, SHARD, 21)[1:]}
    assert len(keys) == 1


def test_what_is_no_destination_is_refused(cloud, logs, group):
    def error(**more):
        return refusal(logs.put_subscription_filter, logGroupName=group, filterName="f", filterPattern="", **more)

    nobody = "arn:aws:lambda:us-east-1:000000000000:function:" + unique("nobody")
    assert error(destinationArn=nobody) == {
        "Code": "InvalidParameterException",
        "Message": "Could not execute the lambda function. Make sure you have given CloudWatch Logs permission to execute "
                   "your function."}
    gone = "arn:aws:kinesis:us-east-1:000000000000:stream/" + unique("gone")
    assert error(destinationArn=gone)["Message"] == "destinationArn for vendor kinesis cannot be used without roleArn"
    assert error(destinationArn=gone, roleArn=ROLE)["Message"].startswith(
        "Could not deliver test message to specified Kinesis stream.")
    assert refusal(logs.put_subscription_filter, logGroupName=unique("none"), filterName="f", filterPattern="",
                   destinationArn=nobody)["Code"] == "ResourceNotFoundException"


def test_a_group_has_two_filters(cloud, logs, group):
    function = cloud.recorder()
    arn = cloud.functions.get_function(FunctionName=function)["Configuration"]["FunctionArn"]
    allow(cloud, function, group)
    for name in ("a", "b"):
        logs.put_subscription_filter(logGroupName=group, filterName=name, filterPattern=name, destinationArn=arn)
    assert refusal(logs.put_subscription_filter, logGroupName=group, filterName="c", filterPattern="",
                   destinationArn=arn) == {"Code": "LimitExceededException", "Message": "Resource limit exceeded."}
    put(logs, group, "a", "b")
    documents = [json.loads(gzip.decompress(base64.b64decode(event["awslogs"]["data"])))
                 for event in cloud.wait_for_events(function, 2)]
    assert sorted((document["subscriptionFilters"][0], messages([document])) for document in documents) == [
        ("a", ["a"]), ("b", ["b"])]


@pytest.mark.local
def test_events_that_were_answered_come_to_the_data_stream_through_kills(start_server):
    server = start_server()
    cloud = Cloud(server.endpoint)
    stream = cloud.create_data_stream()
    arn = cloud.data_stream_active(stream)["StreamARN"]
    logs = cloud.client("logs")
    group = make_group(cloud, logs)
    logs.put_subscription_filter(logGroupName=group, filterName="all", filterPattern="", destinationArn=arn, roleArn=ROLE)
    put_messages = []
    for life in range(4):
        for number in range(10):
            put_messages.append(f"{life} {number}")
            put(logs, group, put_messages[-1])
        server.kill()
        server.start()
        cloud = Cloud(server.endpoint)
        logs = cloud.client("logs")

    def first_occurrences():
        documents = [json.loads(gzip.decompress(record["Data"])) for record in cloud.data_records(stream, SHARD, 1)]
        came = list(dict.fromkeys(messages(documents)))
        return came if len(came) == len(put_messages) else None
    assert eventually(first_occurrences) == put_messages
