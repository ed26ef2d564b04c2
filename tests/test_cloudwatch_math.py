"""Metric math, composite alarms and dashboards."""
import datetime
import json

import pytest
from botocore.exceptions import ClientError

from harness import eventually, quietly, unique


@pytest.fixture
def cloudwatch(cloud):
    return cloud.client("cloudwatch")


def refusal(call, **arguments):
    with pytest.raises(ClientError) as caught:
        call(**arguments)
    return caught.value.response["Error"]


def metric(identifier, namespace, name, **more):
    return {"Id": identifier, "MetricStat": {"Metric": {"Namespace": namespace, "MetricName": name}, "Period": 3600,
                                             "Stat": "Sum"}, **more}


def values(cloudwatch, queries):
    now = datetime.datetime.now(datetime.timezone.utc)
    results = cloudwatch.get_metric_data(MetricDataQueries=queries, StartTime=now - datetime.timedelta(hours=2),
                                         EndTime=now + datetime.timedelta(hours=1))["MetricDataResults"]
    return {(result["Id"], result["Label"]): sum(result["Values"]) for result in results}


def test_expressions_combine_metrics(cloudwatch):
    namespace = unique("math")
    cloudwatch.put_metric_data(Namespace=namespace, MetricData=[{"MetricName": "errors", "Value": 5},
                                                                {"MetricName": "calls", "Value": 20}])
    hidden = [metric("e", namespace, "errors", ReturnData=False), metric("c", namespace, "calls", ReturnData=False)]
    rate = {"Id": "rate", "Expression": "100 * e / c", "Label": "percent"}
    assert eventually(lambda: values(cloudwatch, [*hidden, rate])) == {("rate", "percent"): 25}
    everything = {"Id": "all", "Expression": "SUM(METRICS())"}
    assert values(cloudwatch, [*hidden, everything]) == {("all", "all"): 25}


def test_a_search_finds_metrics_by_their_dimensions(cloudwatch):
    namespace = unique("math")
    for host in ("a", "b"):
        cloudwatch.put_metric_data(Namespace=namespace, MetricData=[
            {"MetricName": "load", "Value": 1, "Dimensions": [{"Name": "host", "Value": host}]}])
    search = {"Id": "s", "Expression": f"SEARCH('{{{namespace},host}} MetricName=\"load\"', 'Sum', 3600)"}
    assert values(cloudwatch, [search]) == {("s", "a"): 1, ("s", "b"): 1}


def test_what_is_no_expression_is_refused(cloudwatch):
    error = refusal(values, cloudwatch=cloudwatch, queries=[{"Id": "e", "Expression": "a +"}])
    assert error["Code"] == "ValidationError" and error["Message"].startswith("Error in expression 'e'")


def test_an_alarm_watches_an_expression(cloud, cloudwatch):
    name, namespace = unique("alarm"), unique("math")
    cloud.cleanup.callback(quietly, cloudwatch.delete_alarms, AlarmNames=[name])
    queries = [metric("e", namespace, "errors", ReturnData=False), {"Id": "x", "Expression": "e * 2", "Label": "twice"}]
    common = {"AlarmName": name, "EvaluationPeriods": 1, "Threshold": 1, "ComparisonOperator": "GreaterThanThreshold"}
    cloudwatch.put_metric_alarm(Metrics=queries, **common)
    alarm = cloudwatch.describe_alarms(AlarmNames=[name])["MetricAlarms"][0]
    assert [query["Id"] for query in alarm["Metrics"]] == ["e", "x"] and "MetricName" not in alarm
    odd = [metric("e", namespace, "errors", ReturnData=False), {"Id": "x", "Expression": "e * 2", "Period": 7}]
    assert "7" in refusal(cloudwatch.put_metric_alarm, Metrics=odd, **common)["Message"]
    both = [metric("e", namespace, "errors"), {"Id": "x", "Expression": "e * 2"}]
    assert "Exactly one element" in refusal(cloudwatch.put_metric_alarm, Metrics=both, **common)["Message"]


def test_a_composite_alarm_follows_its_children_and_tells_its_topic(cloud, cloudwatch, sqs):
    child, composite = unique("child"), unique("composite")
    cloud.cleanup.callback(quietly, cloudwatch.delete_alarms, AlarmNames=[composite, child])
    cloudwatch.put_metric_alarm(AlarmName=child, Namespace=unique("none"), MetricName="m", Statistic="Sum", Period=60,
                                EvaluationPeriods=1, Threshold=1, ComparisonOperator="GreaterThanThreshold")
    sns = cloud.client("sns")
    topic = sns.create_topic(Name=unique("topic"))["TopicArn"]
    cloud.cleanup.callback(quietly, sns.delete_topic, TopicArn=topic)
    url = cloud.create_queue()
    sns.subscribe(TopicArn=topic, Protocol="sqs", Endpoint=cloud.queue_arn(url))
    cloudwatch.put_composite_alarm(AlarmName=composite, AlarmRule=f"ALARM({child})", AlarmActions=[topic])

    def state():
        found = cloudwatch.describe_alarms(AlarmNames=[composite], AlarmTypes=["CompositeAlarm"])["CompositeAlarms"]
        return found[0]["StateValue"]
    eventually(lambda: state() == "OK")
    cloudwatch.set_alarm_state(AlarmName=child, StateValue="ALARM", StateReason="a test")
    eventually(lambda: state() == "ALARM")
    received = eventually(lambda: sqs.receive_message(QueueUrl=url, WaitTimeSeconds=1).get("Messages"))
    message = json.loads(json.loads(received[0]["Body"])["Message"])
    told = (message["AlarmName"], message["NewStateValue"], message["AlarmRule"])
    assert told == (composite, "ALARM", f"ALARM({child})")
    assert [one["Arn"].split(":")[-1] for one in message["TriggeringChildren"]] == [child]
    assert cloudwatch.describe_alarms(ParentsOfAlarmName=child)["CompositeAlarms"][0]["AlarmName"] == composite
    children = cloudwatch.describe_alarms(ChildrenOfAlarmName=composite)
    assert [one["AlarmName"] for one in children["MetricAlarms"]] == [child]
    of_type = cloudwatch.describe_alarms(ChildrenOfAlarmName=composite, AlarmTypes=["CompositeAlarm"])
    assert not of_type["MetricAlarms"] and not of_type["CompositeAlarms"]
    error = refusal(cloudwatch.put_composite_alarm, AlarmName=unique("other"), AlarmRule="ALARM(nobody-here)")
    assert error["Code"] == "ValidationError" and "in the alarm rule do not exist" in error["Message"]


def test_a_dashboard_is_kept_as_it_is(cloud, cloudwatch):
    name = unique("dashboard")
    body = json.dumps({"widgets": [{"type": "text", "x": 0, "y": 0, "width": 3, "height": 3,
                                    "properties": {"markdown": "hello"}}]})
    assert cloudwatch.put_dashboard(DashboardName=name, DashboardBody=body)["DashboardValidationMessages"] == []
    shown = cloudwatch.get_dashboard(DashboardName=name)
    assert shown["DashboardBody"] == body
    assert shown["DashboardArn"] == f"arn:aws:cloudwatch::000000000000:dashboard/{name}"
    entries = cloudwatch.list_dashboards(DashboardNamePrefix=name)["DashboardEntries"]
    assert [(entry["DashboardName"], entry["Size"]) for entry in entries] == [(name, len(body))]
    cloudwatch.delete_dashboards(DashboardNames=[name])
    assert refusal(cloudwatch.get_dashboard, DashboardName=name)["Code"] == "ResourceNotFound"
    error = refusal(cloudwatch.put_dashboard, DashboardName=name, DashboardBody='{"widgets": [{"type": "pie"}]}')
    assert error["Code"] == "InvalidParameterInput" and "The dashboard body is invalid" in error["Message"]
