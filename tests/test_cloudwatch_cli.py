"""Metrics and alarms with the AWS CLI. (Debian's knows every operation of docs/cloudwatch.md that works.)"""
import datetime

import pytest

from awscli_support import aws, refused  # noqa: F401  the fixture
from harness import eventually, quietly, unique

pytestmark = pytest.mark.local

MANY = [f"alarm-{number}" for number in range(101)]


@pytest.fixture
def watch(aws):  # noqa: F811
    """watch("describe-alarms", alarm_names=[…])"""
    def call(*arguments, **options):
        return aws("cloudwatch", *arguments, **options)
    call.error = lambda *arguments, **options: aws.error("cloudwatch", *arguments, **options)
    return call


@pytest.fixture
def alarm(watch, cloud):
    """alarm(name, option=…): an alarm on the metric of its name that is gone after the test."""
    def alarm(name, **more):
        cloud.cleanup.callback(quietly, cloud.client("cloudwatch").delete_alarms, AlarmNames=[name])
        watch("put-metric-alarm", **definition(name, **more))
        return name
    return alarm


def definition(name, **more):
    return {"alarm_name": name, "namespace": "cli", "metric_name": name, "statistic": "Sum", "period": 60,
            "evaluation_periods": 1, "threshold": 5, "comparison_operator": "GreaterThanThreshold", **more}


def around_now(**back):
    now = datetime.datetime.now(datetime.timezone.utc)
    return {"start_time": (now - datetime.timedelta(**back or {"minutes": 10})).isoformat(),
            "end_time": (now + datetime.timedelta(minutes=2)).isoformat()}


def described(watch, name):
    return watch("describe-alarms", alarm_names=[name])["MetricAlarms"]


def test_values_are_put_listed_and_read_back_together(watch):
    namespace = unique("cli")
    watch("put-metric-data", namespace=namespace, metric_data=[
        {"MetricName": "a", "Values": [1, 2], "Counts": [2, 1], "Unit": "Count",
         "Dimensions": [{"Name": "host", "Value": "x"}]},
        {"MetricName": "b", "StatisticValues": {"SampleCount": 2, "Sum": 6, "Minimum": 2, "Maximum": 4}}])
    of_a = {"MetricName": "a", "Namespace": namespace, "Dimensions": [{"Name": "host", "Value": "x"}]}
    assert watch("list-metrics", namespace=namespace, dimensions=[{"Name": "host"}])["Metrics"] == [of_a]
    assert {metric["MetricName"] for metric in watch("list-metrics", namespace=namespace)["Metrics"]} == {"a", "b"}
    queries = [{"Id": "a", "Label": "all of a", "MetricStat": {"Metric": of_a, "Period": 3600, "Stat": "Sum"}},
               {"Id": "b", "MetricStat": {"Metric": {"Namespace": namespace, "MetricName": "b"}, "Period": 3600,
                                          "Stat": "Sum"}}]
    results = watch("get-metric-data", metric_data_queries=queries, **around_now())["MetricDataResults"]
    assert [(result["Label"], sum(result["Values"])) for result in results] == [("all of a", 4), ("b", 6)]
    points = watch("get-metric-statistics", namespace=namespace, metric_name="a", dimensions=of_a["Dimensions"],
                   period=3600, statistics=["Maximum"], **around_now())["Datapoints"]
    assert max(point["Maximum"] for point in points) == 2


def test_values_that_cannot_be_and_spans_that_are_too_long_are_refused(watch):
    assert watch.error("put-metric-data", namespace="AWS/Own", metric_name="m", value=1).startswith(
        refused("PutMetricData", "InvalidParameterValue"))
    error = watch.error("get-metric-statistics", namespace="cli", metric_name="m", statistics=["Sum"], period=60,
                        **around_now(days=2))
    assert error.startswith(refused("GetMetricStatistics", "InvalidParameterCombination"))
    assert "exceeds the limit of 1440" in error
    assert watch.error("list-metrics", namespace="n" * 256).startswith(refused("ListMetrics", "ValidationError"))


# The words: aws-solutions/quota-monitor-for-aws#171, influxdata/telegraf#5420.
def test_queries_are_told_apart_by_ids_that_begin_with_a_small_letter(watch):
    def error(*ids):
        stat = {"Metric": {"Namespace": "cli", "MetricName": "m"}, "Period": 60, "Stat": "Sum"}
        queries = [{"Id": id, "MetricStat": stat} for id in ids]
        return watch.error("get-metric-data", metric_data_queries=queries, **around_now())
    assert error("a", "a") == refused("GetMetricData", "ValidationError",
                                      "The values for parameter id in MetricDataQueries are not unique.")
    assert error("5xx") == refused("GetMetricData", "ValidationError", "The value 5xx for parameter MetricDataQueries."
                                   "member.1.Id is not matching the expected pattern ^[a-z][a-zA-Z0-9_]*$.")


def test_an_alarm_is_made_found_drilled_and_deleted(watch, alarm):
    name = alarm(unique("alarm"), alarm_description="too much", dimensions=[{"Name": "host", "Value": "x"}],
                 treat_missing_data="ignore", tags=[{"Key": "a", "Value": "1"}])
    [found] = described(watch, name)
    assert (found["AlarmDescription"], found["Threshold"], found["StateValue"]) == ("too much", 5, "INSUFFICIENT_DATA")
    assert found["TreatMissingData"] == "ignore" and found["AlarmArn"].endswith(f":alarm:{name}")
    metric = {"namespace": "cli", "metric_name": name}
    shown = watch("describe-alarms-for-metric", **metric, dimensions=found["Dimensions"])["MetricAlarms"]
    assert [each["AlarmName"] for each in shown] == [name]
    assert watch("describe-alarms-for-metric", **metric)["MetricAlarms"] == [], "without its dimensions: another metric"
    watch("set-alarm-state", alarm_name=name, state_value="ALARM", state_reason="a drill")

    def summaries():
        items = watch("describe-alarm-history", alarm_name=name, scan_by="TimestampAscending")["AlarmHistoryItems"]
        return [item["HistorySummary"] for item in items]
    drilled = "Alarm updated from INSUFFICIENT_DATA to ALARM"
    assert eventually(lambda: drilled in (shown := summaries()) and shown)[0] == f'Alarm "{name}" created'
    watch("put-metric-alarm", **definition(name, threshold=7))
    assert [(each["Threshold"], "AlarmDescription" in each) for each in described(watch, name)] == [(7, False)]
    watch("delete-alarms", alarm_names=[name])
    assert described(watch, name) == []
    assert watch.error("set-alarm-state", alarm_name=name, state_value="OK", state_reason="").startswith(
        refused("SetAlarmState", "ResourceNotFound"))


def test_the_actions_of_alarms_are_switched_off_and_on(watch, alarm):
    names = sorted(alarm(unique("alarm")) for _ in range(2))

    def enabled():
        return [each["ActionsEnabled"] for each in watch("describe-alarms", alarm_names=names)["MetricAlarms"]]
    assert enabled() == [True, True]
    watch("disable-alarm-actions", alarm_names=names)
    assert enabled() == [False, False]
    watch("enable-alarm-actions", alarm_names=names[:1])
    assert enabled() == [True, False]
    for command, operation in (("enable-alarm-actions", "EnableAlarmActions"), ("delete-alarms", "DeleteAlarms"),
                               ("disable-alarm-actions", "DisableAlarmActions"), ("describe-alarms", "DescribeAlarms")):
        error = watch.error(command, alarm_names=MANY)
        assert error.startswith(refused(operation, "ValidationError", "1 validation error detected: "))
        assert error.endswith("at 'alarmNames' failed to satisfy constraint: Member must have length less than or "
                              "equal to 100")
    assert enabled() == [True, False]


def test_alarms_are_tagged(watch, alarm):
    name = alarm(unique("alarm"), tags=[{"Key": "a", "Value": "1"}])
    arn = described(watch, name)[0]["AlarmArn"]
    watch("tag-resource", resource_arn=arn, tags=[{"Key": "a", "Value": "2"}, {"Key": "b", "Value": "3"}])
    tags = watch("list-tags-for-resource", resource_arn=arn)["Tags"]
    assert sorted((tag["Key"], tag["Value"]) for tag in tags) == [("a", "2"), ("b", "3")]
    watch("untag-resource", resource_arn=arn, tag_keys=["a"])
    assert watch("list-tags-for-resource", resource_arn=arn)["Tags"] == [{"Key": "b", "Value": "3"}]
    for command, operation, more in (("tag-resource", "TagResource", {"tags": tags}),
                                     ("untag-resource", "UntagResource", {"tag_keys": ["a"]}),
                                     ("list-tags-for-resource", "ListTagsForResource", {})):
        assert watch.error(command, resource_arn=arn + "-none", **more).startswith(
            refused(operation, "ResourceNotFoundException"))


# The words: hashicorp/terraform#24070.
def test_alarms_that_cannot_be_are_refused(watch):
    name = unique("alarm")
    assert watch.error("put-metric-alarm", **definition(name, datapoints_to_alarm=2)) == refused(
        "PutMetricAlarm", "ValidationError", "DatapointsToAlarm must be less than or equal to EvaluationPeriods")
    without = definition(name)
    del without["period"]
    assert watch.error("put-metric-alarm", **without).startswith(refused("PutMetricAlarm", "ValidationError"))
    assert described(watch, name) == []


def test_what_history_and_metrics_are_asked_for_is_checked(watch):
    assert watch.error("describe-alarm-history", "--no-paginate", next_token="none").startswith(
        refused("DescribeAlarmHistory", "InvalidNextToken"))
    assert watch.error("describe-alarms", "--no-paginate", next_token="none").startswith(
        refused("DescribeAlarms", "InvalidNextToken"))
    assert watch.error("describe-alarms-for-metric", namespace="cli", metric_name="m" * 256).startswith(
        refused("DescribeAlarmsForMetric", "ValidationError"))
