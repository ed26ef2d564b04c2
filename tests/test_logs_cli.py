"""Log groups, streams and events with the AWS CLI. Debian's does not know ListLogGroups and StartLiveTail
(tests/test_logs_events.py has them)."""
import json
import time

import pytest

from awscli_support import aws, refused  # noqa: F401  the fixture
from harness import eventually, quietly, unique

pytestmark = pytest.mark.local

NO_GROUP = ("ResourceNotFoundException", "The specified log group does not exist.")
NO_STREAM = ("ResourceNotFoundException", "The specified log stream does not exist.")


@pytest.fixture
def logs(aws):  # noqa: F811
    """logs("put-log-events", log_group_name=…)"""
    def call(*arguments, **options):
        return aws("logs", *arguments, **options)
    call.error = lambda *arguments, **options: aws.error("logs", *arguments, **options)
    return call


@pytest.fixture
def group(logs, cloud):
    name = unique("/cli/group")
    cloud.cleanup.callback(quietly, cloud.client("logs").delete_log_group, logGroupName=name)
    logs("create-log-group", log_group_name=name)
    return name


def now():
    return int(time.time() * 1000)


def described(logs, group):
    found = logs("describe-log-groups", log_group_name_prefix=group)["logGroups"]
    return next((each for each in found if each["logGroupName"] == group), None)


def put(logs, group, stream, *messages, at=None):
    at = at or now()
    return logs("put-log-events", log_group_name=group, log_stream_name=stream,
                log_events=[{"timestamp": at + i, "message": text} for i, text in enumerate(messages)])


def messages(shown):
    return [event["message"] for event in shown["events"]]


def test_a_group_keeps_events_for_as_long_as_it_is_told(logs, group):
    assert "retentionInDays" not in described(logs, group)
    logs("put-retention-policy", log_group_name=group, retention_in_days=7)
    assert described(logs, group)["retentionInDays"] == 7
    assert logs.error("put-retention-policy", log_group_name=group, retention_in_days=2).startswith(
        refused("PutRetentionPolicy", "InvalidParameterException"))
    logs("delete-retention-policy", log_group_name=group)
    assert "retentionInDays" not in described(logs, group)
    assert logs.error("create-log-group", log_group_name=group) == refused(
        "CreateLogGroup", "ResourceAlreadyExistsException", "The specified log group already exists")
    logs("delete-log-group", log_group_name=group)
    assert described(logs, group) is None
    for command, operation, more in (
            ("delete-log-group", "DeleteLogGroup", {}), ("delete-retention-policy", "DeleteRetentionPolicy", {}),
            ("put-retention-policy", "PutRetentionPolicy", {"retention_in_days": 7})):
        assert logs.error(command, log_group_name=group, **more) == refused(operation, *NO_GROUP)


def test_groups_are_found_by_what_their_names_contain(logs, group):
    found = logs("describe-log-groups", log_group_name_pattern=group[-10:])["logGroups"]
    assert [each["logGroupName"] for each in found] == [group]
    assert logs.error("describe-log-groups", log_group_name_pattern="a", log_group_name_prefix="b").startswith(
        refused("DescribeLogGroups", "InvalidParameterException"))


def test_groups_are_tagged_by_name_and_by_arn(logs, group):
    arn = described(logs, group)["arn"].removesuffix(":*")
    logs("tag-log-group", log_group_name=group, tags={"a": "1", "b": "2"})
    logs("tag-resource", resource_arn=arn, tags={"b": "3", "c": "4"})
    assert logs("list-tags-log-group", log_group_name=group)["tags"] == {"a": "1", "b": "3", "c": "4"}
    logs("untag-log-group", log_group_name=group, tags=["a", "none"])
    logs("untag-resource", resource_arn=arn, tag_keys=["c"])
    assert logs("list-tags-for-resource", resource_arn=arn)["tags"] == {"b": "3"}
    for command, operation, more in (("tag-log-group", "TagLogGroup", {"tags": {"a": "1"}}),
                                     ("untag-log-group", "UntagLogGroup", {"tags": ["a"]}),
                                     ("list-tags-log-group", "ListTagsLogGroup", {})):
        assert logs.error(command, log_group_name=group + "-none", **more) == refused(operation, *NO_GROUP)
    for command, operation, more in (("tag-resource", "TagResource", {"tags": {"a": "1"}}),
                                     ("untag-resource", "UntagResource", {"tag_keys": ["a"]}),
                                     ("list-tags-for-resource", "ListTagsForResource", {})):
        assert logs.error(command, resource_arn=arn + "-none", **more).startswith(
            refused(operation, "ResourceNotFoundException"))


def test_streams_are_made_listed_and_deleted(logs, group):
    for stream in ("one", "two"):
        logs("create-log-stream", log_group_name=group, log_stream_name=stream)
    assert logs.error("create-log-stream", log_group_name=group, log_stream_name="one") == refused(
        "CreateLogStream", "ResourceAlreadyExistsException", "The specified log stream already exists")

    def streams(**more):
        listed = logs("describe-log-streams", log_group_name=group, **more)["logStreams"]
        return [each["logStreamName"] for each in listed]
    assert streams() == streams(page_size=1) == ["one", "two"] and streams(log_stream_name_prefix="t") == ["two"]
    logs("delete-log-stream", log_group_name=group, log_stream_name="one")
    assert streams() == ["two"]
    assert logs.error("delete-log-stream", log_group_name=group, log_stream_name="one") == refused(
        "DeleteLogStream", *NO_STREAM)
    for command, operation, more in (("create-log-stream", "CreateLogStream", {"log_stream_name": "one"}),
                                     ("describe-log-streams", "DescribeLogStreams", {})):
        assert logs.error(command, log_group_name=group + "-none", **more) == refused(operation, *NO_GROUP)


def test_events_are_put_read_back_and_searched(logs, group):
    for stream in ("one", "two"):
        logs("create-log-stream", log_group_name=group, log_stream_name=stream)
    at = now()
    put(logs, group, "one", "fine", '{"level":"error","ms":12}', at=at)
    put(logs, group, "two", "an ERROR", at=at + 5)
    where = {"log_group_name": group, "log_stream_name": "one"}
    read = logs("get-log-events", "--start-from-head", "--no-paginate", **where, limit=1)
    assert messages(read) == ["fine"]
    rest = logs("get-log-events", "--start-from-head", "--no-paginate", **where, next_token=read["nextForwardToken"])
    assert messages(rest) == ['{"level":"error","ms":12}']
    assert messages(logs("filter-log-events", log_group_name=group, page_size=1)) == [
        "fine", '{"level":"error","ms":12}', "an ERROR"]
    for pattern, found in (("ERROR", ["an ERROR"]),
                           ('{ $.level = "error" && $.ms > 10 }', ['{"level":"error","ms":12}'])):
        assert messages(logs("filter-log-events", log_group_name=group, filter_pattern=pattern)) == found
    late = put(logs, group, "one", "long ago", at=at - 15 * 86_400_000)
    assert late["rejectedLogEventsInfo"] == {"tooOldLogEventEndIndex": 1}

    assert logs.error("put-log-events", **where, log_events=[{"timestamp": at, "message": "b"},
                                                             {"timestamp": at - 1, "message": "a"}]) == refused(
        "PutLogEvents", "InvalidParameterException",
        "Log events in a single PutLogEvents request must be in chronological order.")
    where["log_stream_name"] = "none"
    assert logs.error("get-log-events", **where) == refused("GetLogEvents", *NO_STREAM)
    assert logs.error("put-log-events", **where, log_events=[{"timestamp": at, "message": "a"}]) == refused(
        "PutLogEvents", *NO_STREAM)
    assert logs.error("filter-log-events", log_group_name=group, filter_pattern="{ $.a").startswith(
        refused("FilterLogEvents", "InvalidParameterException"))
    assert logs.error("filter-log-events", log_group_name=group + "-none") == refused("FilterLogEvents", *NO_GROUP)


def test_a_pattern_that_was_tried_counts_what_matches(aws, logs, group):  # noqa: F811
    pattern, namespace = "{ $.ms > 100 }", unique("filters")
    lines = [json.dumps({"ms": ms}) for ms in (50, 150, 250)]
    tried = logs("test-metric-filter", filter_pattern=pattern, log_event_messages=lines)["matches"]
    assert [(match["eventNumber"], match["eventMessage"]) for match in tried] == [(2, lines[1]), (3, lines[2])]
    transformation = {"metricName": "slow", "metricNamespace": namespace, "metricValue": "$.ms"}
    logs("put-metric-filter", log_group_name=group, filter_name="slow", filter_pattern=pattern,
         metric_transformations=[transformation])
    [found] = logs("describe-metric-filters", log_group_name=group, filter_name_prefix="sl")["metricFilters"]
    assert (found["filterName"], found["filterPattern"]) == ("slow", pattern)
    assert found["metricTransformations"] == [transformation]
    logs("create-log-stream", log_group_name=group, log_stream_name="s")
    at = now()
    put(logs, group, "s", *lines, at=at)

    def total():
        points = aws("cloudwatch", "get-metric-statistics", namespace=namespace, metric_name="slow", statistics=["Sum"],
                     period=3600, start_time=str(at // 1000 - 3600), end_time=str(at // 1000 + 3600))["Datapoints"]
        return sum(point["Sum"] for point in points)
    eventually(lambda: total() == 400, "the sum of what matched")
    logs("delete-metric-filter", log_group_name=group, filter_name="slow")
    assert logs("describe-metric-filters", log_group_name=group)["metricFilters"] == []

    assert logs.error("delete-metric-filter", log_group_name=group, filter_name="slow").startswith(
        refused("DeleteMetricFilter", "ResourceNotFoundException"))
    for command, operation, more in (
            ("put-metric-filter", "PutMetricFilter", {"filter_name": "f", "filter_pattern": pattern,
                                                      "metric_transformations": [transformation]}),
            ("describe-metric-filters", "DescribeMetricFilters", {}),
            ("delete-metric-filter", "DeleteMetricFilter", {"filter_name": "f"})):
        assert logs.error(command, log_group_name=group + "-none", **more) == refused(operation, *NO_GROUP)
    assert logs.error("test-metric-filter", filter_pattern="{ $.a", log_event_messages=["a"]).startswith(
        refused("TestMetricFilter", "InvalidParameterException"))
