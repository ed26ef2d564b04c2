"""Large answers do not hold others up: no event loop is busy for longer than some milliseconds at once with reading what a
call asks for, writing it down, its sums, or giving its memory back (large_support.py says how that is judged). Each kind of
answer is as large as AWS lets it be. For machines that have nothing else to do: scripts/test --long runs them.
"""
import base64
import json
import time
import urllib.parse

import pytest

from harness import ROLE, Cloud, Server, eventually
from large_support import (MEGABYTE, cbor, dynamodb, form_request, json_request, metrics, numbers, over_http2, rest_request,
                           scope, send, states, timed, worst_of_tries)

pytestmark = [pytest.mark.local, timed]

QUEUE_URL = "http://localhost/000000000000/large"
STREAM = "arn:aws:kinesis:us-east-1:000000000000:stream/large"
TRUST = json.dumps({"Version": "2012-10-17", "Statement": [
    {"Effect": "Allow", "Principal": {"Service": "lambda.amazonaws.com"}, "Action": "sts:AssumeRole"}] * 19})
TEXTS = 42                # of 390 KB: all that a BatchGetItem gives
ITEMS_OF_VALUES = 100     # of 50,000 values
VALUES = 100_000          # of one item, about as many as fit
ROWS, ROWS_OF_INDEX = 400, 1000
METRICS, POINTS = 70, 1440  # of a day: all that a GetMetricData gives
LISTED_METRICS, DIMENSIONS = 500, 10
STACKS, OUTPUTS = 60, 50
ROLES = 500
NOW = int(time.time())


def must(server, request):
    status, text = send(server, request)
    assert status in (200, 201), (status, text[:300])
    return text


def put_items(server, table, items_, at_once):
    for begin in range(0, len(items_), at_once):
        answer = must(server, dynamodb("BatchWriteItem", RequestItems={table: [
            {"PutRequest": {"Item": item}} for item in items_[begin:begin + at_once]]}))
        assert json.loads(answer)["UnprocessedItems"] == {}


def fill_tables(server, cloud):
    cloud.create_table(name="large")
    cloud.create_table("id:S at:N", name="rows", AttributeDefinitions=[
        {"AttributeName": name, "AttributeType": kind} for name, kind in (("id", "S"), ("at", "N"), ("other", "N"))],
        LocalSecondaryIndexes=[{"IndexName": "keys", "Projection": {"ProjectionType": "KEYS_ONLY"}, "KeySchema": [
            {"AttributeName": "id", "KeyType": "HASH"}, {"AttributeName": "other", "KeyType": "RANGE"}]}])
    cloud.create_table(name="changes", stream="NEW_AND_OLD_IMAGES")
    put_items(server, "large", [{"id": {"S": f"t{n}"}, "text": {"S": '"' * 390_000}} for n in range(TEXTS)], 15)
    put_items(server, "large", [{"id": {"S": f"v{n}"}, "all": numbers(50_000)} for n in range(ITEMS_OF_VALUES)], 10)
    put_items(server, "large", [{"id": {"S": f"w{n}"}, "all": numbers(10_000)} for n in range(100)], 25)
    put_items(server, "large", [{"id": {"S": f"x{n}"}, "all": numbers(VALUES)} for n in range(10)], 5)
    put_items(server, "rows", [{"id": {"S": "x"}, "at": {"N": str(n)}, "all": numbers(VALUES)} for n in range(3)], 3)
    put_items(server, "rows", [{"id": {"S": "r"}, "at": {"N": str(n)}, "other": {"N": str(n)}, "all": numbers(900)}
                               for n in range(ROWS)], 25)
    put_items(server, "rows", [{"id": {"S": "small"}, "at": {"N": str(n)}, "other": {"N": str(n)}, "a": {"N": "1"}}
                               for n in range(30 * ROWS_OF_INDEX)], 25)
    for value in ("1", "2"):
        put_items(server, "changes", [{"id": {"S": "c"}, "v": {"N": value + str(n)}, "all": numbers(20_000)} for n in range(10)], 1)


def fill_streams(server, cloud):
    cloud.client("kinesis").create_stream(StreamName="large", ShardCount=1)
    eventually(lambda: cloud.client("kinesis").describe_stream_summary(StreamName="large")
               ["StreamDescriptionSummary"]["StreamStatus"] == "ACTIVE")
    for _ in range(3):
        must(server, json_request("kinesis", "Kinesis_20131202.PutRecords", {"StreamName": "large", "Records": [
            {"Data": base64.b64encode(bytes(7_000)).decode(), "PartitionKey": str(number)} for number in range(500)]}, "1.1"))
    iterator = cloud.client("kinesis").get_shard_iterator(
        StreamName="large", ShardId="shardId-000000000000", ShardIteratorType="TRIM_HORIZON")["ShardIterator"]
    changes = cloud.stream_arn("changes")

    def of_changes():
        """The iterator of the shard that has the records."""
        for shard in cloud.shards(changes):
            found = cloud.streams.get_shard_iterator(StreamArn=changes, ShardId=shard["ShardId"],
                                                     ShardIteratorType="TRIM_HORIZON")["ShardIterator"]
            if cloud.streams.get_records(ShardIterator=found)["Records"]:
                return found
    return iterator, eventually(of_changes)


def fill_logs(server, cloud):
    logs = cloud.client("logs")
    logs.create_log_group(logGroupName="large")
    logs.create_log_stream(logGroupName="large", logStreamName="large")
    for begin in range(0, 10_000, 1_000):
        must(server, json_request("logs", "Logs_20140328.PutLogEvents", {
            "logGroupName": "large", "logStreamName": "large", "logEvents": [
                {"timestamp": NOW * 1000, "message": f'{{"n":{begin + number},"text":"{"x" * 800}"}}'}
                for number in range(1_000)]}, "1.1"))
    query = logs.start_query(logGroupName="large", startTime=NOW - 600, endTime=NOW + 600, limit=10_000,
                             queryString="fields @timestamp, @message, n, text")["queryId"]
    eventually(lambda: logs.get_query_results(queryId=query)["status"] == "Complete", deadline_seconds=180)
    return query


def fill_metrics(server):
    for number in range(METRICS):
        for begin in range(0, POINTS, 720):
            must(server, metrics("PutMetricData", Namespace="large", MetricData=[
                {"MetricName": f"m{number}", "Timestamp": NOW - 60 * (begin + point + 5), "Value": point / 7}
                for point in range(720)]))
    for begin in range(0, LISTED_METRICS, 50):
        must(server, metrics("PutMetricData", Namespace="listed", MetricData=[
            {"MetricName": f"m{begin + number}", "Value": 1, "Dimensions": [
                {"Name": f"d{each}", "Value": "&" * 1000} for each in range(DIMENSIONS)]} for number in range(50)]))


def fill_buckets(server, cloud):
    cloud.s3.create_bucket(Bucket="large")
    must(server, rest_request("s3", "PUT", "/large/object", bytes(16 * MEGABYTE)))
    for number in range(1000):
        must(server, rest_request("s3", "PUT", "/large/" + "%26" * 900 + str(number), b""))


def fill_stacks(server):
    must(server, rest_request("s3", "PUT", "/large/template", json.dumps({
        "Resources": {"r": {"Type": "AWS::CloudFormation::WaitConditionHandle"}},
        "Metadata": {f"m{n}": {f"n{m}": '"' for m in range(4_000)} for n in range(15)}}).encode()))
    must(server, form_request("cloudformation", "Action=CreateStack&Version=2010-05-15&StackName=template&TemplateURL=" +
                              urllib.parse.quote("https://s3.amazonaws.com/large/template")))
    template = urllib.parse.quote(json.dumps({
        "Resources": {"r": {"Type": "AWS::CloudFormation::WaitConditionHandle"}},
        "Outputs": {f"o{n}": {"Value": "&" * 400, "Description": "d" * 400} for n in range(OUTPUTS)}}))
    for number in range(STACKS):
        must(server, form_request("cloudformation", f"Action=CreateStack&Version=2010-05-15&StackName=s{number}&"
                                  f"TemplateBody={template}"))


def fill_machines(cloud):
    client = cloud.client("stepfunctions")
    chain = {f"s{number}": {"Type": "Pass", "Next": f"s{number + 1}"} for number in range(60)}
    machine = client.create_state_machine(name="history", roleArn=ROLE, definition=json.dumps(
        {"StartAt": "s0", "States": {**chain, "s60": {"Type": "Succeed"}}}))["stateMachineArn"]
    execution = client.start_execution(stateMachineArn=machine, input=json.dumps('"' * 100_000))["executionArn"]
    eventually(lambda: client.describe_execution(executionArn=execution)["status"] == "SUCCEEDED", deadline_seconds=180)
    chain = {f"s{number}": {"Type": "Pass", "Next": f"s{number + 1}"} for number in range(24_000)}
    client.create_state_machine(name="machine", roleArn=ROLE, definition=json.dumps(
        {"StartAt": "s0", "States": {**chain, "s24000": {"Type": "Succeed"}}}, separators=(",", ":")))
    return execution


def fill_the_rest(server, cloud):
    url = cloud.sqs.create_queue(QueueName="large")["QueueUrl"]
    for _ in range(30):
        cloud.sqs.send_message(QueueUrl=url, MessageBody="&" * 100_000)
    secrets = cloud.client("secretsmanager")
    for number in range(20):
        secrets.create_secret(Name=f"s{number}", SecretString='"' * 60_000)
    for number in range(ROLES):
        cloud.client("iam").create_role(RoleName=f"r{number}", AssumeRolePolicyDocument=TRUST)
    cloud.create_function("def handler(event, context): return '\"' * 2_900_000", name="large")
    server.datastore = json.loads(must(server, json_request(
        "healthlake", "HealthLake.CreateFHIRDatastore", {"DatastoreTypeVersion": "R4"})))["DatastoreId"]
    eventually(lambda: cloud.client("healthlake").describe_fhir_datastore(DatastoreId=server.datastore)
               ["DatastoreProperties"]["DatastoreStatus"] == "ACTIVE")
    for number in range(8):
        must(server, rest_request("healthlake", "PUT", f"/datastore/{server.datastore}/r4/Patient/p", json.dumps(
            {"resourceType": "Patient", "id": "p", "name": [{"family": str(number)}] * 25_000}).encode(),
            **{"Content-Type": "application/fhir+json"}))


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("answers") / "data").start()
    cloud = Cloud(server.endpoint)
    fill_tables(server, cloud)
    server.iterator, server.iterator_of_changes = fill_streams(server, cloud)
    server.query = fill_logs(server, cloud)
    fill_metrics(server)
    fill_buckets(server, cloud)
    fill_stacks(server)
    server.execution = fill_machines(cloud)
    fill_the_rest(server, cloud)
    yield server
    server.stop()


def get_items(kind, count, **more):
    return dynamodb("BatchGetItem", RequestItems={"large": {
        "Keys": [{"id": {"S": f"{kind}{number}"}} for number in range(count)], **more}})


def statements(kind, count):
    return [{"Statement": f"SELECT * FROM \"large\" WHERE id = '{kind}{number}'"} for number in range(count)]


def query(**more):
    return dynamodb("Query", TableName="rows", KeyConditionExpression="id = :id", **{
        "ExpressionAttributeValues": {":id": {"S": "r"}}, **more})


def metric_queries(seconds=1):
    """Of the whole day; times in milliseconds or seconds."""
    return {"StartTime": (NOW - 86_400) * seconds, "EndTime": (NOW + 60) * seconds, "MetricDataQueries": [
        {"Id": f"q{number}", "MetricStat": {"Metric": {"Namespace": "large", "MetricName": f"m{number}"}, "Period": 60,
                                            "Stat": "Sum"}} for number in range(METRICS)]}


def form_of(document, prefix=""):
    """As the Query protocol spells it."""
    if isinstance(document, dict):
        return "".join(form_of(value, f"{prefix}.{key}" if prefix else key) for key, value in document.items())
    if isinstance(document, list):
        return "".join(form_of(value, f"{prefix}.member.{number}") for number, value in enumerate(document, 1))
    return f"&{prefix}={urllib.parse.quote(str(document))}"


def cloudwatch_form(action, document):
    return form_request("monitoring", f"Action={action}&Version=2010-08-01" + form_of(document))


def times_as_text(document):
    return {**document, **{name: time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(document[name]))
                           for name in ("StartTime", "EndTime")}}


def tagged(document):
    """In CBOR, with times as RPC v2 has them."""
    head, rest = {}, dict(document)
    for name in ("StartTime", "EndTime"):
        head[name] = rest.pop(name)
    return (b"\xbf" + b"".join(cbor(name) + b"\xc1" + cbor(value) for name, value in head.items()) +
            b"".join(cbor(name) + cbor(value) for name, value in rest.items()) + b"\xff")


def rpc_request(operation, body):
    return "POST", f"/service/GraniteServiceVersion20100801/operation/{operation}", {
        "Authorization": scope("monitoring"), "smithy-protocol": "rpc-v2-cbor", "Content-Type": "application/cbor"}, body


def kinesis_in_cbor(operation, document):
    return "POST", "/", {"Authorization": scope("kinesis"), "X-Amz-Target": f"Kinesis_20131202.{operation}",
                         "Content-Type": "application/x-amz-cbor-1.1"}, cbor(document)


def logs(operation, **document):
    return json_request("logs", f"Logs_20140328.{operation}", document, "1.1")


def fhir(path):
    return lambda server: rest_request("healthlake", "GET", f"/datastore/{server.datastore}/r4/{path}", b"")


# What makes the request, and how many bytes the answer has at least.
KINDS = {
    "batch_of_texts": (lambda server: get_items("t", TEXTS), 30 * MEGABYTE),
    "batch_of_values": (lambda server: get_items("v", ITEMS_OF_VALUES), 40 * MEGABYTE),
    "batch_with_projections": (lambda server: get_items("v", ITEMS_OF_VALUES, ProjectionExpression="#a", ExpressionAttributeNames={
        "#a": "all"}), 40 * MEGABYTE),
    "statements": (lambda server: dynamodb("BatchExecuteStatement", Statements=statements("v", 25)), 10 * MEGABYTE),
    "statements_of_texts": (lambda server: dynamodb("BatchExecuteStatement", Statements=statements("t", 25)), 15 * MEGABYTE),
    "statements_in_a_transaction": (lambda server: dynamodb("ExecuteTransaction", TransactStatements=statements("w", 100)),
                                    8 * MEGABYTE),
    "transaction": (lambda server: dynamodb("TransactGetItems", TransactItems=[
        {"Get": {"TableName": "large", "Key": {"id": {"S": f"w{number}"}}}} for number in range(100)]), 8 * MEGABYTE),
    "item_of_many_values": (lambda server: dynamodb("GetItem", TableName="large", Key={"id": {"S": "x1"}}), MEGABYTE * 9 // 10),
    "item_with_a_projection": (lambda server: dynamodb(
        "GetItem", TableName="large", Key={"id": {"S": "x1"}}, ProjectionExpression="id, #a[99999]",
        ExpressionAttributeNames={"#a": "all"}), 20),
    "item_that_is_changed": (lambda server: dynamodb(
        "UpdateItem", TableName="large", Key={"id": {"S": "x1"}}, UpdateExpression="SET #n = :n", ReturnValues="ALL_NEW",
        ExpressionAttributeNames={"#n": "n"}, ExpressionAttributeValues={":n": {"N": "1"}}), MEGABYTE * 9 // 10),
    "item_that_is_searched": (lambda server: dynamodb(
        "UpdateItem", TableName="large", Key={"id": {"S": "x2"}}, UpdateExpression="SET #n = :n",
        ConditionExpression="NOT contains(#a, :s) AND size(#a) > :n", ReturnConsumedCapacity="TOTAL",
        ExpressionAttributeNames={"#n": "n", "#a": "all"},
        ExpressionAttributeValues={":n": {"N": "1"}, ":s": {"S": "s"}}), 20),
    "items_of_many_values": (lambda server: get_items("x", 10), 9 * MEGABYTE),
    "items_in_a_transaction": (lambda server: dynamodb("TransactGetItems", TransactItems=[
        {"Get": {"TableName": "large", "Key": {"id": {"S": f"x{n}"}}}} for n in range(10)]), 9 * MEGABYTE),
    "items_that_a_transaction_changes": (lambda server: dynamodb("TransactWriteItems", TransactItems=[
        {"Update": {"TableName": "large", "Key": {"id": {"S": f"x{n}"}}, "UpdateExpression": "ADD #n :n",
                    "ExpressionAttributeNames": {"#n": "n"}, "ExpressionAttributeValues": {":n": {"N": "1"}}}}
        for n in range(10)]), 2),
    "query_of_items_of_many_values": (lambda server: query(ExpressionAttributeValues={":id": {"S": "x"}}), 2 * MEGABYTE),
    "query_that_counts_items_of_many_values": (lambda server: query(
        ExpressionAttributeValues={":id": {"S": "x"}}, Select="COUNT"), 20),
    "statement_about_an_item": (lambda server: dynamodb(
        "ExecuteStatement", Statement="SELECT * FROM \"large\" WHERE id = 'x3'"), MEGABYTE * 9 // 10),
    "item": (lambda server: dynamodb("GetItem", TableName="large", Key={"id": {"S": "v1"}}), MEGABYTE // 3),
    "statement": (lambda server: dynamodb("ExecuteStatement", Statement='SELECT * FROM "rows"'), 2 * MEGABYTE),
    "query": (lambda server: query(), 2 * MEGABYTE),
    "query_backwards": (lambda server: query(ScanIndexForward=False), 2 * MEGABYTE),
    "query_with_a_projection": (lambda server: query(ProjectionExpression="#a", ExpressionAttributeNames={"#a": "all"}),
                                2 * MEGABYTE),
    "query_of_small_items": (lambda server: query(ExpressionAttributeValues={":id": {"S": "small"}}), MEGABYTE),
    "query_that_counts": (lambda server: query(ExpressionAttributeValues={":id": {"S": "small"}}, Select="COUNT"), 20),
    "query_that_fetches": (lambda server: query(IndexName="keys", Select="ALL_ATTRIBUTES"), 2 * MEGABYTE),
    "scan": (lambda server: dynamodb("Scan", TableName="rows"), MEGABYTE),
    "changes": (lambda server: json_request("dynamodb", "DynamoDBStreams_20120810.GetRecords", {
        "ShardIterator": server.iterator_of_changes}), MEGABYTE),
    "records": (lambda server: json_request("kinesis", "Kinesis_20131202.GetRecords", {
        "ShardIterator": server.iterator}, "1.1"), 12 * MEGABYTE),
    "records_in_cbor": (lambda server: kinesis_in_cbor("GetRecords", {"ShardIterator": server.iterator}), 9 * MEGABYTE),
    "log_events": (lambda server: logs("GetLogEvents", logGroupName="large", logStreamName="large", startFromHead=True), MEGABYTE),
    "log_events_that_are_searched": (lambda server: logs("FilterLogEvents", logGroupName="large", filterPattern="x"), 0),
    "log_events_that_are_found": (lambda server: logs("FilterLogEvents", logGroupName="large", filterPattern="{ $.n > 1 }"), MEGABYTE),
    "rows_of_a_query": (lambda server: logs("GetQueryResults", queryId=server.query), 10 * MEGABYTE),
    "metric_points": (lambda server: metrics("GetMetricData", **metric_queries()), MEGABYTE),
    "metric_points_in_xml": (lambda server: cloudwatch_form("GetMetricData", times_as_text(metric_queries())), 4 * MEGABYTE),
    "metric_points_in_cbor": (lambda server: rpc_request("GetMetricData", tagged(metric_queries())), MEGABYTE),
    "metric_statistics": (lambda server: metrics("GetMetricStatistics", Namespace="large", MetricName="m1", Period=60,
                                                 StartTime=NOW - 86_000, EndTime=NOW, Statistics=["Sum", "Average"]), 50_000),
    "metrics": (lambda server: metrics("ListMetrics", Namespace="listed"), 4 * MEGABYTE),
    "metrics_in_xml": (lambda server: cloudwatch_form("ListMetrics", {"Namespace": "listed"}), 20 * MEGABYTE),
    "object": (lambda server: rest_request("s3", "GET", "/large/object", b""), 16 * MEGABYTE),
    "part_of_an_object": (lambda server: rest_request("s3", "GET", "/large/object", b"", Range="bytes=10-12000000"), 11 * MEGABYTE),
    "objects": (lambda server: rest_request("s3", "GET", "/large?list-type=2", b""), 4 * MEGABYTE),
    "objects_and_their_versions": (lambda server: rest_request("s3", "GET", "/large?versions&encoding-type=url", b""), 2 * MEGABYTE),
    "template": (lambda server: form_request(
        "cloudformation", "Action=GetTemplate&Version=2010-05-15&StackName=template"), MEGABYTE // 2),
    "stacks": (lambda server: form_request("cloudformation", "Action=DescribeStacks&Version=2010-05-15"), 3 * MEGABYTE),
    "history": (lambda server: states("GetExecutionHistory", executionArn=server.execution, maxResults=1000), 6 * MEGABYTE),
    "machine": (lambda server: states("DescribeStateMachine", stateMachineArn=(
        "arn:aws:states:us-east-1:000000000000:stateMachine:machine")), MEGABYTE),
    "execution": (lambda server: states("DescribeExecution", executionArn=server.execution), MEGABYTE // 4),
    "messages": (lambda server: json_request("sqs", "AmazonSQS.ReceiveMessage", {
        "QueueUrl": QUEUE_URL, "MaxNumberOfMessages": 10, "VisibilityTimeout": 0}), MEGABYTE // 2),
    "messages_in_xml": (lambda server: form_request(
        "sqs", f"Action=ReceiveMessage&Version=2012-11-05&QueueUrl={QUEUE_URL}&MaxNumberOfMessages=10&VisibilityTimeout=0"),
        2 * MEGABYTE),
    "secrets": (lambda server: json_request("secretsmanager", "secretsmanager.BatchGetSecretValue", {
        "SecretIdList": [f"s{number}" for number in range(20)]}, "1.1"), 2 * MEGABYTE),
    "roles": (lambda server: form_request("iam", "Action=ListRoles&Version=2010-05-08&MaxItems=1000"), MEGABYTE),
    "result_of_a_function": (lambda server: rest_request(
        "lambda", "POST", "/2015-03-31/functions/large/invocations", b"{}"), 5 * MEGABYTE),
    "resource": (fhir("Patient/p"), MEGABYTE // 4),
    "history_of_a_resource": (fhir("Patient/p/_history"), 2 * MEGABYTE),
}


def asked(kind, server):
    make, bytes_min = KINDS[kind]
    return make(server), 206 if kind == "part_of_an_object" else 200, bytes_min


@pytest.mark.parametrize("kind", KINDS)
def test_no_loop_is_held_by_a_large_answer(filled, kind):
    assert worst_of_tries(filled, *asked(kind, filled)) == 0


# One of each way that answers are made, for clients that take a page at a time, much, or little.
@pytest.mark.parametrize("window", [16_384, 65_535, 16 * MEGABYTE])
@pytest.mark.parametrize("kind", ["batch_of_texts", "batch_of_values", "item", "query", "scan", "changes", "records", "log_events",
                                  "rows_of_a_query", "metric_points_in_xml", "object", "part_of_an_object", "objects", "template",
                                  "history", "execution", "messages_in_xml", "secrets", "roles", "result_of_a_function",
                                  "history_of_a_resource"])
def test_no_loop_is_held_by_a_large_answer_over_http2(filled, kind, window):
    assert worst_of_tries(filled, *asked(kind, filled), sends=over_http2(window)) == 0
