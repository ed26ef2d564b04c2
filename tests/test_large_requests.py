"""Large requests do not hold others up: no event loop is busy with one for longer than some milliseconds at once, be it to
read its body, or to carry out or refuse what it says (large_support.py says how that is judged). For machines that have
nothing else to do: scripts/test --long runs them. Answers that are large are in test_large_answers.py.
"""
import base64
import gzip
import hashlib
import io
import json
import os
import time
import urllib.parse
import zipfile

import pytest

from harness import ROLE, Cloud, eventually
from http2_support import WINDOW
from large_support import (MEGABYTE, dynamodb, form_request, items, json_request, metrics, numbers, over_http2, rest_request,
                           scope, send, states, timed, worst_of_tries)

pytestmark = [pytest.mark.local, timed]


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    from harness import Server
    server = Server(tmp_path_factory.mktemp("large") / "data").start()
    cloud = Cloud(server.endpoint)
    cloud.create_table(name="large")
    cloud.sqs.create_queue(QueueName="large", Attributes={"MaximumMessageSize": str(MEGABYTE)})
    cloud.s3.create_bucket(Bucket="large")
    cloud.client("kinesis").create_stream(StreamName="large", ShardCount=1)
    logs = cloud.client("logs")
    logs.create_log_group(logGroupName="large")
    logs.create_log_stream(logGroupName="large", logStreamName="large")
    server.datastore = json.loads(send(server, json_request(
        "healthlake", "HealthLake.CreateFHIRDatastore", {"DatastoreTypeVersion": "R4"}))[1])["DatastoreId"]
    chain = {f"s{number}": {"Type": "Pass", "Parameters": {"all.$": "$.all"}, "Next": f"s{number + 1}"} for number in range(10)}
    for kind in "STANDARD", "EXPRESS":
        cloud.client("stepfunctions").create_state_machine(name=kind, type=kind, roleArn=ROLE, definition=json.dumps(
            {"StartAt": "s0", "States": {**chain, "s10": {"Type": "Succeed"}}}))
    eventually(lambda: cloud.client("kinesis").describe_stream_summary(StreamName="large")
               ["StreamDescriptionSummary"]["StreamStatus"] == "ACTIVE")
    yield server
    server.stop()


QUEUE_URL = "http://localhost/000000000000/large"
FHIR = {"Content-Type": "application/fhir+json"}


def definition(state, count):
    """Of about a megabyte."""
    chain = {f"s{number}": {**state, "Next": f"s{number + 1}"} for number in range(count)}
    return json.dumps({"StartAt": "s0", "States": {**chain, f"s{count}": {"Type": "Succeed"}}}, separators=(",", ":"))


def create_machine(state, count):
    return states("CreateStateMachine", name="large", roleArn=ROLE, definition=definition(state, count))


def package():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("index.py", "def handler(event, context): pass")
        archive.writestr("data", os.urandom(8 * MEGABYTE))
    return base64.b64encode(file.getvalue()).decode()


def bundle(kind, count, names):
    return json.dumps({"resourceType": "Bundle", "type": kind, "entry": [
        {"fullUrl": f"urn:uuid:00000000-0000-0000-0000-{number:012d}", "request": {"method": "POST", "url": "Patient"},
         "resource": {"resourceType": "Patient", "name": [{"family": "x"}] * names}} for number in range(count)]}).encode()


def fhir(method, path, body=b""):
    return lambda server: rest_request("healthlake", method, f"/datastore/{server.datastore}/r4/{path}", body, **FHIR)


# What makes the request, and the status that it is answered with.
KINDS = {
    "form_of_many_parameters": (lambda: form_request("sqs", "Action=ListQueues&" + "&".join(
        f"A.{number}.B={number}" for number in range(420_000))), 404),
    "form_of_one_long_value": (lambda: form_request(
        "sqs", "Action=SendMessage&Version=2012-11-05&QueueUrl=" + QUEUE_URL + "&MessageBody=" + "%41" * (5 * MEGABYTE)), 400),
    "form_that_is_zipped": (lambda: (
        "POST", "/", {"Authorization": scope("monitoring"), "Content-Encoding": "gzip",
                      "Content-Type": "application/x-www-form-urlencoded"},
        gzip.compress(b"Action=ListMetrics&Version=2010-08-01&X=" + b"x" * (12 * MEGABYTE))), 200),
    "json_of_one_long_text": (lambda: dynamodb("PutItem", TableName="large", Item={
        "id": {"S": "a"}, "text": {"S": "x" * (15 * MEGABYTE)}}), 400),
    "json_of_many_values": (lambda: dynamodb("PutItem", TableName="large", Item={"id": {"S": "a"}, "all": numbers(700_000)}), 400),
    "json_of_many_elements": (lambda: dynamodb("BatchGetItem", RequestItems={"large": {
        "Keys": [{"id": {"S": str(number)}} for number in range(400_000)]}}), 400),
    "json_that_is_none": (lambda: json_request("dynamodb", "DynamoDB_20120810.PutItem", b"[" * (15 * MEGABYTE)), 400),
    "json_that_is_unknown": (lambda: dynamodb(
        "PutItem", TableName="large", Item={"id": {"S": "a"}}, Nothing=[[1]] * 2_000_000), 200),
    "batch_of_many_values": (lambda: dynamodb("BatchWriteItem", RequestItems={"large": items(25, {"all": numbers(65_000)})}), 200),
    "batch_of_many_attributes": (lambda: dynamodb("BatchWriteItem", RequestItems={"large": items(
        25, {f"a{number}": {"N": "1"} for number in range(25_000)})}), 200),
    "batch_of_an_item_too_large": (lambda: dynamodb(
        "BatchWriteItem", RequestItems={"large": items(1, {"all": numbers(1_000_000)})}), 400),
    "transaction": (lambda: dynamodb("TransactWriteItems", TransactItems=[
        {"Put": {"TableName": "large", "Item": {"id": {"S": str(number)}, "all": numbers(10_000)}}} for number in range(100)]), 200),
    "expression_values": (lambda: dynamodb(
        "UpdateItem", TableName="large", Key={"id": {"S": "x"}}, UpdateExpression="SET a = :v",
        ExpressionAttributeValues={f":v{number}": {"N": "1"} for number in range(500_000)}), 400),
    "message": (lambda: json_request("sqs", "AmazonSQS.SendMessage", {
        "QueueUrl": QUEUE_URL, "MessageBody": "x" * MEGABYTE}), 200),
    "messages": (lambda: json_request("sqs", "AmazonSQS.SendMessageBatch", {"QueueUrl": QUEUE_URL, "Entries": [
        {"Id": str(number), "MessageBody": "x" * 100_000} for number in range(10)]}), 200),
    "records": (lambda: json_request("kinesis", "Kinesis_20131202.PutRecords", {
        "StreamName": "large", "Records": [{"Data": base64.b64encode(bytes(18_000)).decode(), "PartitionKey": str(number)}
                                           for number in range(500)]}, "1.1"), 200),
    "log_events": (lambda: json_request("logs", "Logs_20140328.PutLogEvents", {
        "logGroupName": "large", "logStreamName": "large",
        "logEvents": [{"timestamp": 0, "message": "event %d" % number} for number in range(10_000)]}, "1.1"), 200),
    "log_pattern": (lambda: json_request("logs", "Logs_20140328.TestMetricFilter", {
        "filterPattern": "{ $.a = 1 }", "logEventMessages": [json.dumps({"a": [1] * 20_000})] * 50}, "1.1"), 200),
    "metric_values": (lambda: metrics("PutMetricData", Namespace="n", MetricData=[
        {"MetricName": f"m{number}", "Values": [float(value) for value in range(150)], "Counts": [1.0] * 150}
        for number in range(500)]), 200),
    "metric_queries": (lambda: metrics("GetMetricData", StartTime=int(time.time()) - 86_400, EndTime=int(time.time()) + 300,
                                       MetricDataQueries=[{"Id": f"q{number}", "MetricStat": {
                                           "Metric": {"Namespace": "n", "MetricName": f"m{number}"}, "Period": 60,
                                           "Stat": "p99"}} for number in range(500)]), 200),
    "xml_with_a_checksum": (lambda: rest_request("s3", "POST", "/large?delete", (
        b"<Delete>" + b"".join(b"<Object><Key>%d</Key></Object>" % number for number in range(1000)) +
        b" " * MEGABYTE + b"</Delete>")), 200),
    "parts_of_an_upload": (lambda: rest_request("s3", "POST", "/large/none?uploadId=none", (
        b"<CompleteMultipartUpload>" + b"".join(
            b'<Part><PartNumber>%d</PartNumber><ETag>"9dd4e461268c8034f5c8564e155c67a6"</ETag></Part>' % number
            for number in range(1, 10_001)) + b"</CompleteMultipartUpload>")), 404),
    "bucket_policy": (lambda: rest_request("s3", "PUT", "/large?policy", json.dumps({"Statement": [
        {"Effect": "Allow", "Principal": "*", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::large/*"}] * 90_000}).encode()), 400),
    "object": (lambda: rest_request("s3", "PUT", "/large/object", bytes(16 * MEGABYTE), **{
        "Content-MD5": base64.b64encode(hashlib.md5(bytes(16 * MEGABYTE)).digest()).decode()}), 200),
    "template": (lambda: form_request("cloudformation", "Action=ValidateTemplate&Version=2010-05-15&TemplateBody=" +
                                      json.dumps({"Resources": {f"r{n}": {"Type": "AWS::SQS::Queue"} for n in range(480)}})), 200),
    "role_policy": (lambda: form_request("iam", "Action=CreateRole&Version=2010-05-08&RoleName=r&AssumeRolePolicyDocument=" +
                                         urllib.parse.quote(json.dumps({"Statement": [{
                                             "Effect": "Allow", "Action": "sts:AssumeRole",
                                             "Principal": {"Service": "lambda.amazonaws.com"}}] * 10_000}))), 400),
    "events": (lambda: json_request("events", "AWSEvents.PutEvents", {"Entries": [
        {"Source": "s", "DetailType": "t", "Detail": json.dumps({"all": [1] * 8_000})} for _ in range(10)]}, "1.1"), 200),
    "pattern_and_event": (lambda: json_request("events", "AWSEvents.TestEventPattern", {
        "EventPattern": '{"source":["a"]}',
        "Event": json.dumps({"id": "1", "account": "000000000000", "source": "a", "time": "2026-01-01T00:00:00Z",
                             "region": "us-east-1", "resources": [], "detail-type": "t",
                             "detail": {"all": [1] * 100_000}})}, "1.1"), 200),
    "function": (lambda: rest_request("lambda", "PUT", "/2015-03-31/functions/none/code",
                                      json.dumps({"ZipFile": package()}).encode(), **{"Content-Type": "application/json"}), 404),
    "machine": (lambda: create_machine({"Type": "Pass"}, 25_000), 200),
    "machine_of_expressions": (lambda: states("ValidateStateMachineDefinition", definition=definition(
        {"Type": "Pass", "QueryLanguage": "JSONata", "Output": "{% $sum($states.input.a) + 1 %}"}, 9_000)), 200),
    "machine_that_is_refused": (lambda: states("ValidateStateMachineDefinition", definition=json.dumps(
        {"StartAt": "a", "States": {f"s{number}": {"Type": "Pass"} for number in range(30_000)}})), 200),
    "state_that_is_tested": (lambda: states(
        "TestState", roleArn=ROLE, inspectionLevel="TRACE", input=json.dumps([1] * 80_000),
        definition=json.dumps({"Type": "Pass", "Parameters": {"a": [1] * 80_000}, "End": True})), 200),
    "resources_in_a_transaction": (fhir("POST", "", bundle("transaction", 200, 1_500)), 200),
    "resources_in_a_batch": (fhir("POST", "", bundle("batch", 500, 400)), 200),
    "resource": (fhir("POST", "Patient", json.dumps({"resourceType": "Patient", "name": [{"family": "x"}] * 60_000}).encode()), 201),
    "search_of_large_resources": (fhir("GET", "Patient?family=nobody"), 200),
}


def request_of(kind, server):
    make, status = KINDS[kind]
    return make(server) if kind.startswith(("resource", "search")) else make(), status


@pytest.mark.parametrize("kind", KINDS)
def test_no_loop_is_held_by_a_large_request(large, kind):
    assert worst_of_tries(large, *request_of(kind, large)) == 0


def until_it_has_ended(server, request):
    """Starts an execution, and looks after it."""
    status, text = send(server, request)
    described = {}
    eventually(lambda: described.update(json.loads(send(server, states(
        "DescribeExecution", executionArn=json.loads(text)["executionArn"]))[1])) or described["status"] != "RUNNING")
    assert described["status"] == "SUCCEEDED", described
    return status, text


MANY_VALUES = json.dumps({"all": [1] * 80_000})


def machine_arn(name):
    return f"arn:aws:states:us-east-1:000000000000:stateMachine:{name}"


# Also by what moves by itself.
def test_no_loop_is_held_by_an_execution_of_many_values(large):
    request = states("StartExecution", stateMachineArn=machine_arn("STANDARD"), input=MANY_VALUES)
    assert worst_of_tries(large, request, 200, sends=until_it_has_ended) == 0


def test_no_loop_is_held_by_an_express_execution_of_many_values(large):
    request = states("StartSyncExecution", stateMachineArn=machine_arn("EXPRESS"), input=MANY_VALUES)
    assert worst_of_tries(large, request, 200, len(MANY_VALUES)) == 0


# Of a hundred thousand files, of whose first one row is read.
def test_no_loop_is_held_by_the_manifest_of_a_large_inventory(large):
    cloud = Cloud(large.endpoint)
    files = [{"key": f"{number}.csv"} for number in range(100_000)]
    cloud.s3.put_object(Bucket="large", Key="0.csv", Body=b'"first"\n')
    cloud.s3.put_object(Bucket="large", Key="manifest.json", Body=json.dumps(
        {"destinationBucket": "arn:aws:s3:::large", "fileFormat": "CSV", "fileSchema": "Key", "files": files}))
    reader = {"Resource": "arn:aws:states:::s3:getObject", "Parameters": {"Bucket": "large", "Key": "manifest.json"},
              "ReaderConfig": {"InputType": "MANIFEST", "MaxItems": 1}}
    each = {"StartAt": "one", "ProcessorConfig": {"Mode": "DISTRIBUTED", "ExecutionType": "STANDARD"},
            "States": {"one": {"Type": "Pass", "End": True}}}
    cloud.client("stepfunctions").create_state_machine(name="inventory", roleArn=ROLE, definition=json.dumps(
        {"StartAt": "all", "States": {"all": {"Type": "Map", "ItemReader": reader, "ItemProcessor": each, "End": True}}}))
    request = states("StartExecution", stateMachineArn=machine_arn("inventory"))
    assert worst_of_tries(large, request, 200, sends=until_it_has_ended) == 0


# Bodies come through the windows of HTTP/2, frame by frame; one of each way that they are read.
@pytest.mark.parametrize("kind", ["form_of_one_long_value", "form_that_is_zipped", "json_of_one_long_text", "json_of_many_values",
                                  "json_that_is_none", "batch_of_many_values", "transaction", "message", "records", "log_events",
                                  "metric_values", "xml_with_a_checksum", "bucket_policy", "object", "events", "function", "machine",
                                  "resources_in_a_batch"])
def test_no_loop_is_held_by_a_large_request_over_http2(large, kind):
    assert worst_of_tries(large, *request_of(kind, large), sends=over_http2(WINDOW)) == 0
