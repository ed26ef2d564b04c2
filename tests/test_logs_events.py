"""Log groups, streams and events as boto3 and the AWS CLI see them."""
import json
import subprocess
import time
import urllib.request

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from botocore.eventstream import EventStreamBuffer
from botocore.exceptions import ClientError

from harness import REGION, eventually, quietly, unique


@pytest.fixture
def logs(cloud):
    return cloud.client("logs")


@pytest.fixture
def group(cloud, logs):
    name = unique("/tests/group")
    logs.create_log_group(logGroupName=name)
    cloud.cleanup.callback(quietly, logs.delete_log_group, logGroupName=name)
    return name


@pytest.fixture
def stream(logs, group):
    logs.create_log_stream(logGroupName=group, logStreamName="one")
    return "one"


def refusal(call, **arguments):
    with pytest.raises(ClientError) as caught:
        call(**arguments)
    return caught.value.response["Error"]


def now():
    return int(time.time() * 1000)


def put(logs, group, stream, *messages, at=None):
    at = at or now()
    return logs.put_log_events(logGroupName=group, logStreamName=stream,
                               logEvents=[{"timestamp": at + i, "message": text} for i, text in enumerate(messages)])


def messages(logs, group, stream, **more):
    answer = logs.get_log_events(logGroupName=group, logStreamName=stream, startFromHead=True, **more)
    return [event["message"] for event in answer["events"]]


def test_a_group_lives_from_creation_to_deletion(logs, cloud):
    name = unique("/tests/group")
    logs.create_log_group(logGroupName=name, tags={"team": "a"})
    cloud.cleanup.callback(quietly, logs.delete_log_group, logGroupName=name)
    found = logs.describe_log_groups(logGroupNamePrefix=name)["logGroups"][0]
    assert found["logGroupName"] == name
    assert found["arn"].endswith(f":log-group:{name}:*")
    assert found["storedBytes"] == 0 and "retentionInDays" not in found
    assert refusal(logs.create_log_group, logGroupName=name) == {
        "Code": "ResourceAlreadyExistsException", "Message": "The specified log group already exists"}
    assert logs.list_tags_log_group(logGroupName=name)["tags"] == {"team": "a"}
    arn = found["arn"].removesuffix(":*")
    logs.tag_resource(resourceArn=arn, tags={"stage": "test"})
    assert logs.list_tags_for_resource(resourceArn=arn)["tags"] == {"team": "a", "stage": "test"}
    logs.put_retention_policy(logGroupName=name, retentionInDays=7)
    assert logs.describe_log_groups(logGroupNamePrefix=name)["logGroups"][0]["retentionInDays"] == 7
    logs.delete_retention_policy(logGroupName=name)
    assert "retentionInDays" not in logs.describe_log_groups(logGroupNamePrefix=name)["logGroups"][0]
    logs.delete_log_group(logGroupName=name)
    assert refusal(logs.delete_log_group, logGroupName=name)["Code"] == "ResourceNotFoundException"


def test_groups_are_tagged_by_name_too(logs, group):
    logs.tag_log_group(logGroupName=group, tags={"a": "1", "b": "2"})
    logs.untag_log_group(logGroupName=group, tags=["a", "none"])
    assert logs.list_tags_log_group(logGroupName=group)["tags"] == {"b": "2"}
    for call, tags in ((logs.tag_log_group, {"a": "1"}), (logs.untag_log_group, ["a"])):
        assert refusal(call, logGroupName=group + "-none", tags=tags) == {
            "Code": "ResourceNotFoundException", "Message": "The specified log group does not exist."}


def call(cloud, operation, **request):
    """(status, parsed body) of an operation that this botocore does not know."""
    status, _, body = cloud.raw("logs", "POST", "/", json.dumps(request), {
        "X-Amz-Target": f"Logs_20140328.{operation}", "Content-Type": "application/x-amz-json-1.1"})
    return status, json.loads(body)


def test_groups_are_listed_by_what_their_names_contain(cloud, group):
    status, answer = call(cloud, "ListLogGroups", logGroupNamePattern=group[-10:])
    assert status == 200 and [each["logGroupName"] for each in answer["logGroups"]] == [group]
    assert answer["logGroups"][0]["logGroupArn"].endswith(f":log-group:{group}")
    status, answer = call(cloud, "ListLogGroups", nextToken="no token")
    assert (status, answer["__type"].split("#")[-1]) == (400, "InvalidParameterException")


@pytest.mark.local
def test_a_live_tail_shows_what_is_written(cloud, logs, group, stream):
    described = logs.describe_log_groups(logGroupNamePrefix=group)["logGroups"][0]
    arn = described["arn"].removesuffix(":*")
    status, answer = call(cloud, "StartLiveTail", logGroupIdentifiers=[arn + "-none"])
    assert (status, answer["__type"].split("#")[-1]) == (400, "ResourceNotFoundException")
    request = AWSRequest("POST", cloud.endpoint, data=json.dumps({
        "logGroupIdentifiers": [arn], "logEventFilterPattern": "ERROR"}).encode(), headers={
            "X-Amz-Target": "Logs_20140328.StartLiveTail", "Content-Type": "application/x-amz-json-1.1"})
    SigV4Auth(Credentials(cloud.access_key, cloud.secret_key), "logs", cloud.region).add_auth(request)
    prepared, found = request.prepare(), []
    with urllib.request.urlopen(urllib.request.Request(prepared.url, data=prepared.body, method="POST",
                                                       headers=dict(prepared.headers)), timeout=30) as answer:
        events = EventStreamBuffer()
        while not found:
            events.add_data(answer.read1())
            for event in events:
                if event.headers[":event-type"] == "sessionStart":
                    put(logs, group, stream, "fine", "an ERROR")
                elif event.headers[":event-type"] == "sessionUpdate":
                    found += json.loads(event.payload)["sessionResults"]
    assert [(event["message"], event["logStreamName"]) for event in found] == [("an ERROR", "one")]


def test_a_retention_is_one_of_those_documented(logs, group):
    error = refusal(logs.put_retention_policy, logGroupName=group, retentionInDays=2)
    assert error["Code"] == "InvalidParameterException"


def test_groups_are_paged(logs, cloud):
    prefix = unique("/tests/many")
    for i in range(5):
        logs.create_log_group(logGroupName=f"{prefix}/{i}")
        cloud.cleanup.callback(quietly, logs.delete_log_group, logGroupName=f"{prefix}/{i}")
    pages = logs.get_paginator("describe_log_groups").paginate(logGroupNamePrefix=prefix, PaginationConfig={"PageSize": 2})
    assert [group["logGroupName"] for page in pages for group in page["logGroups"]] == [
        f"{prefix}/{i}" for i in range(5)]


def test_events_are_read_both_ways(logs, group, stream):
    put(logs, group, stream, *"abcde")
    eventually(lambda: messages(logs, group, stream) == list("abcde"))
    latest = logs.get_log_events(logGroupName=group, logStreamName=stream, limit=2)
    assert [event["message"] for event in latest["events"]] == ["d", "e"]
    earlier = logs.get_log_events(logGroupName=group, logStreamName=stream, limit=2,
                                  nextToken=latest["nextBackwardToken"])
    assert [event["message"] for event in earlier["events"]] == ["b", "c"]
    end = logs.get_log_events(logGroupName=group, logStreamName=stream, nextToken=latest["nextForwardToken"],
                              startFromHead=True)
    assert end["events"] == [] and end["nextForwardToken"] == latest["nextForwardToken"]


def test_a_batch_is_checked(logs, group, stream):
    at = now()
    events = [{"timestamp": at, "message": "b"}, {"timestamp": at - 1, "message": "a"}]
    assert refusal(logs.put_log_events, logGroupName=group, logStreamName=stream, logEvents=events) == {
        "Code": "InvalidParameterException",
        "Message": "Log events in a single PutLogEvents request must be in chronological order."}
    answer = put(logs, group, stream, "too old", at=at - 15 * 24 * 3600 * 1000)
    assert answer["rejectedLogEventsInfo"] == {"tooOldLogEventEndIndex": 1}
    answer = put(logs, group, stream, "too new", at=at + 3 * 3600 * 1000)
    assert answer["rejectedLogEventsInfo"] == {"tooNewLogEventStartIndex": 0}
    error = refusal(logs.put_log_events, logGroupName=group, logStreamName="other",
                    logEvents=[{"timestamp": at, "message": "a"}])
    assert error == {"Code": "ResourceNotFoundException", "Message": "The specified log stream does not exist."}


def test_events_are_found_by_pattern(logs, group, stream):
    logs.create_log_stream(logGroupName=group, logStreamName="two")
    at = now()
    put(logs, group, stream, '{"level":"error","ms":12}', "plain ERROR text", at=at)
    put(logs, group, "two", '{"level":"info","ms":3}', "127.0.0.1 GET 404 1534", at=at + 10)

    def found(pattern, **more):
        pages = logs.get_paginator("filter_log_events").paginate(logGroupName=group, filterPattern=pattern, **more)
        return [event["message"] for page in pages for event in page["events"]]

    eventually(lambda: len(found("")) == 4)
    assert found("ERROR") == ["plain ERROR text"]
    assert found('{ $.level = "error" && $.ms > 10 }') == ['{"level":"error","ms":12}']
    assert found("[ip, verb, status = 4*, size > 1000]") == ["127.0.0.1 GET 404 1534"]
    assert found("?ERROR ?info") == ["plain ERROR text", '{"level":"info","ms":3}']
    assert found("", logStreamNames=["two"], PaginationConfig={"PageSize": 1}) == [
        '{"level":"info","ms":3}', "127.0.0.1 GET 404 1534"]
    assert refusal(logs.filter_log_events, logGroupName=group, filterPattern="{ $.a")["Code"] == (
        "InvalidParameterException")


def test_streams_are_ordered_by_their_last_event(logs, group, stream):
    logs.create_log_stream(logGroupName=group, logStreamName="two")
    put(logs, group, "two", "x", at=now() - 1000)
    put(logs, group, stream, "x")

    def ordered():
        answer = logs.describe_log_streams(logGroupName=group, orderBy="LastEventTime", descending=True)
        return [one["logStreamName"] for one in answer["logStreams"]] == ["one", "two"]
    eventually(ordered, deadline_seconds=180)
    logs.delete_log_stream(logGroupName=group, logStreamName="one")
    assert [one["logStreamName"] for one in logs.describe_log_streams(logGroupName=group)["logStreams"]] == ["two"]


def test_a_pattern_is_tried_on_messages(logs):
    answer = logs.test_metric_filter(filterPattern="[level = ERROR, code]", logEventMessages=["INFO 1", "ERROR 2"])
    assert answer["matches"] == [
        {"eventNumber": 2, "eventMessage": "ERROR 2", "extractedValues": {"$level": "ERROR", "$code": "2"}}]


@pytest.mark.local
def test_what_is_missing_is_refused_by_name(logs, group):
    error = refusal(logs.put_destination, destinationName="d", roleArn="arn:aws:iam::000000000000:role/r",
                    targetArn="arn:aws:kinesis:us-east-1:000000000000:stream/s")
    assert error["Code"] == "InvalidParameterException" and "PutDestination" in error["Message"]


@pytest.mark.local
def test_events_survive_a_kill(start_server):
    server = start_server()
    from harness import Cloud
    cloud = Cloud(server.endpoint)
    logs = cloud.client("logs")
    logs.create_log_group(logGroupName="g")
    logs.create_log_stream(logGroupName="g", logStreamName="s")
    put(logs, "g", "s", "kept")
    server.kill()
    server.start()
    logs = Cloud(server.endpoint).client("logs")
    assert messages(logs, "g", "s") == ["kept"]


@pytest.mark.local
def test_the_cli_tails_a_group(cloud, logs, group, stream, tmp_path):
    import os
    environment = {**os.environ, "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test",
                   "AWS_DEFAULT_REGION": REGION, "AWS_PAGER": "", "HOME": str(tmp_path), "PYTHONUNBUFFERED": "1"}
    put(logs, group, stream, "before")
    tail = subprocess.Popen(["/usr/bin/aws", "--endpoint-url", cloud.endpoint, "logs", "tail", group, "--follow",
                             "--format", "short", "--since", "1h"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, env=environment)
    try:
        assert tail.stdout.readline().endswith(" before\n")
        put(logs, group, stream, "after")
        assert tail.stdout.readline().endswith(" after\n")
    finally:
        tail.kill()
        tail.wait()
    described = subprocess.run(["/usr/bin/aws", "--endpoint-url", cloud.endpoint, "--output", "json", "logs",
                                "describe-log-groups", "--log-group-name-prefix", group], capture_output=True, text=True,
                               env=environment, timeout=60, check=True)
    assert json.loads(described.stdout)["logGroups"][0]["logGroupName"] == group


def test_a_metric_filter_counts_what_matches(cloud, logs, group):
    cloudwatch = cloud.client("cloudwatch")
    namespace = unique("filters")
    logs.create_log_stream(logGroupName=group, logStreamName="s")
    logs.put_metric_filter(logGroupName=group, filterName="slow", filterPattern="{ $.ms > 100 }", metricTransformations=[
        {"metricName": "slow", "metricNamespace": namespace, "metricValue": "$.ms", "unit": "Milliseconds"}])
    described = logs.describe_metric_filters(logGroupName=group)["metricFilters"][0]
    assert (described["filterName"], described["filterPattern"]) == ("slow", "{ $.ms > 100 }")
    assert described["metricTransformations"][0]["metricValue"] == "$.ms"
    now = int(time.time() * 1000)
    logs.put_log_events(logGroupName=group, logStreamName="s", logEvents=[
        {"timestamp": now, "message": json.dumps({"ms": ms})} for ms in (50, 150, 250)])

    def total():
        points = cloudwatch.get_metric_statistics(
            Namespace=namespace, MetricName="slow", Statistics=["Sum"], Period=3600,
            StartTime=now / 1000 - 3600, EndTime=now / 1000 + 3600)["Datapoints"]
        return sum(point["Sum"] for point in points)
    eventually(lambda: total() == 400, deadline_seconds=300)
    logs.delete_metric_filter(logGroupName=group, filterName="slow")
    assert logs.describe_metric_filters(logGroupName=group)["metricFilters"] == []


# Of what no SDK of Debian's shows. AWS does not repeat an identifier that is wrong.
def test_an_identifier_that_is_wrong_is_not_repeated(cloud):
    arn = "arn:aws:logs:us-east-1:000000000000:log-group:g:*"
    status, answer = call(cloud, "DescribeLogStreams", logGroupIdentifier=arn)
    assert status == 400
    assert "Value at 'logGroupIdentifier' failed to satisfy constraint" in json.dumps(answer)
