"""Tasks that call any operation of the platform by its name (aws-sdk)."""
import json

import pytest

from harness import refused, unique
from states_support import Execution, create_machine, run, sfn, task  # noqa: F401

SDK = "arn:aws:states:::aws-sdk:"


def test_an_item_is_put_and_found(cloud, run):
    table = cloud.create_table()
    states = {
        "Put": {"Type": "Task", "Resource": SDK + "dynamodb:putItem", "ResultPath": "$.put", "Next": "Query",
                "Parameters": {"TableName": table, "Item": {"id": {"S.$": "$.id"}}}},
        "Query": {"Type": "Task", "Resource": SDK + "dynamodb:query", "End": True, "Parameters": {
            "TableName": table, "KeyConditionExpression": "id = :id",
            "ExpressionAttributeValues": {":id": {"S.$": "$.id"}}}}}
    execution = run(states, {"id": "a"})
    output = execution.output()
    assert output["Items"] == [{"id": {"S": "a"}}] and output["Count"] == 1
    assert "SdkHttpMetadata" not in output
    scheduled = [event["taskScheduledEventDetails"] for event in execution.events() if event["type"] == "TaskScheduled"]
    assert [(one["resourceType"], one["resource"]) for one in scheduled] == [
        ("aws-sdk:dynamodb", "putItem"), ("aws-sdk:dynamodb", "query")]


def test_an_object_is_written_and_read_as_text(cloud, run):
    bucket = cloud.create_bucket()
    states = {
        "Put": {"Type": "Task", "Resource": SDK + "s3:putObject", "ResultPath": None, "Next": "Get", "Parameters": {
            "Bucket": bucket, "Key": "tea.json", "ContentType": "application/json", "Body": {"sort.$": "$.sort"}}},
        "Get": {"Type": "Task", "Resource": SDK + "s3:getObject", "End": True, "Parameters": {
            "Bucket": bucket, "Key": "tea.json"}}}
    output = run(states, {"sort": "green"}).output()
    assert json.loads(output["Body"]) == {"sort": "green"}
    assert output["ContentType"] == "application/json" and output["ETag"].startswith('"')
    assert cloud.s3.get_object(Bucket=bucket, Key="tea.json")["Body"].read() == b'{"sort":"green"}'


def test_an_object_beyond_the_limit_of_results(cloud, run):
    bucket = cloud.create_bucket()
    cloud.s3.put_object(Bucket=bucket, Key="large", Body=b"a" * 262145)
    error, cause = run(task(SDK + "s3:getObject", {"Bucket": bucket, "Key": "large"})).error()
    assert error == "States.DataLimitExceeded"
    assert cause == ("The state/task 'arn:aws:states:::aws-sdk:s3:getObject' returned a result with a size exceeding "
                     "the maximum number of bytes service limit.")


@pytest.mark.parametrize("resource, parameters, error, cause", [
    ("s3:getObject", {"Bucket": "{bucket}", "Key": "none"}, "S3.NoSuchKeyException",
     "The specified key does not exist. (Service: S3, Status Code: 404, Request ID: "),
    ("s3:listObjectsV2", {"Bucket": "{none}"}, "S3.NoSuchBucketException",
     "The specified bucket does not exist (Service: S3, Status Code: 404, Request ID: "),
    ("dynamodb:describeTable", {"TableName": "{none}"}, "DynamoDb.ResourceNotFoundException",
     "Requested resource not found: Table: {none} not found (Service: DynamoDb, Status Code: 400, Request ID: "),
    ("dynamodb:putItem", {"TableName": "{none}", "Item": None}, "DynamoDb.DynamoDbException",
     "1 validation error detected: Value null at 'item' failed to satisfy constraint: Member must not be null "
     "(Service: DynamoDb, Status Code: 400, Request ID: "),
    ("sqs:getQueueUrl", {"QueueName": "{none}"}, "Sqs.QueueDoesNotExistException",
     "The specified queue does not exist"),
    ("sfn:sendTaskSuccess", {"TaskToken": "x", "Output": "{{}}"}, "Sfn.InvalidTokenException", "Invalid Token: "),
    ("eventbridge:describeEventBus", {"Name": "{none}"}, "EventBridge.ResourceNotFoundException",
     "Event bus {none} does not exist. (Service: EventBridge, Status Code: 400, "),
    ("lambda:getFunction", {"FunctionName": "{none}"}, "Lambda.ResourceNotFoundException", "Function not found: "),
])
def test_errors_are_named_by_their_service(cloud, run, resource, parameters, error, cause):
    names = {"none": unique("none"), "bucket": cloud.create_bucket()}
    given = {key: value.format(**names) if isinstance(value, str) else value for key, value in parameters.items()}
    found, why = run(task(SDK + resource, given)).error()
    assert found == error
    assert why.startswith(cause.format(**names))
    assert why.endswith("(SDK Attempt Count: 1)")


@pytest.mark.parametrize("resource, parameters, member", [
    ("cloudwatch:putMetricData", {"Namespace": "Tea", "MetricData": [{"MetricName": "cups", "Value": 1}]}, None),
    ("cloudwatchlogs:describeLogGroups", {}, "LogGroups"),
    ("kinesis:listStreams", {}, "StreamNames"),
    ("scheduler:listSchedules", {}, "Schedules"),
    ("sns:listTopics", {}, "Topics"),
    ("sfn:listStateMachines", {"MaxResults": 10}, "StateMachines"),
    ("dynamodbstreams:listStreams", {}, "Streams"),
    ("cloudformation:listStacks", {}, "StackSummaries"),
    ("ecr:describeRepositories", {}, "Repositories"),
    ("healthlake:listFHIRDatastores", {}, "DatastorePropertiesList"),
    ("iam:listUsers", {}, "Users"),
    ("kms:listKeys", {}, "Keys"),
    ("pipes:listPipes", {}, "Pipes"),
    ("secretsmanager:listSecrets", {}, "SecretList"),
    ("ssm:describeParameters", {}, "Parameters"),
    ("sts:getCallerIdentity", {}, "Account"),
    ("eventbridge:putEvents", {"Entries": [{"Source": "s", "DetailType": "t", "Detail": "{}"}]}, "FailedEntryCount"),
])
def test_every_service_is_called_by_its_sdks_name(run, resource, parameters, member):
    output = run(task(SDK + resource, parameters)).output()
    assert member in output if member else output == {}


def test_a_functions_error_is_no_error_of_the_call(cloud, run):
    name = cloud.create_function("def handler(event, context): raise ValueError(event['n'])\n")
    output = run(task(SDK + "lambda:invoke", {"FunctionName": name, "Payload": {"n": 1}})).output()
    assert output["FunctionError"] == "Unhandled" and json.loads(output["Payload"])["errorType"] == "ValueError"


def test_queues_are_made_with_urls_that_clients_reach(cloud, run):
    name = unique("queue")
    url = run(task(SDK + "sqs:createQueue", {"QueueName": name})).output()["QueueUrl"]
    try:
        cloud.sqs.send_message(QueueUrl=url, MessageBody="x")
        assert url.endswith("/" + name)
    finally:
        cloud.sqs.delete_queue(QueueUrl=url)


def test_members_are_named_as_the_sdk_does(create_machine, run, cloud):
    url = cloud.create_queue()
    assert "Md5OfMessageBody" in run(task(SDK + "sqs:sendMessage", {"QueueUrl": url, "MessageBody": "x"})).output()
    try:
        error, cause = run(task(SDK + "sqs:sendMessage", {"QueueUrl": url, "messageBody": "x"})).error()
    except Exception as invalid:  # noqa: BLE001: refused with the definition
        cause = str(invalid)
    assert 'messageBody' in cause and "is not supported by Step Functions" in cause
