"""What other services tell event buses: buckets, alarms, and the ends of asynchronous invocations."""
import json

import pytest

from events_support import Inbox, bus, create_bus, events, inbox, put_rule  # noqa: F401
from harness import eventually, quietly, unique


def test_a_bucket_tells_the_default_bus_what_happens_to_its_objects(cloud, inbox, versioned):
    cloud.s3.put_bucket_notification_configuration(
        Bucket=versioned, NotificationConfiguration={"EventBridgeConfiguration": {}})
    assert "EventBridgeConfiguration" in cloud.s3.get_bucket_notification_configuration(Bucket=versioned)
    pattern = {"source": ["aws.s3"], "detail": {"bucket": {"name": [versioned]}}}
    put_rule(cloud, "default", pattern, [{"Arn": inbox.arn}])
    made = cloud.s3.put_object(Bucket=versioned, Key="a b/ζ.txt", Body=b"tea")
    [created] = inbox.documents()
    assert (created["source"], created["detail-type"]) == ("aws.s3", "Object Created")
    assert created["resources"] == [f"arn:aws:s3:::{versioned}"]
    detail = created["detail"]
    assert (detail["version"], detail["bucket"], detail["reason"]) == ("0", {"name": versioned}, "PutObject")
    sequencer = detail["object"].pop("sequencer")
    assert sequencer and detail["object"] == {
        "key": "a b/ζ.txt", "size": 3, "etag": made["ETag"].strip('"'), "version-id": made["VersionId"]}
    cloud.s3.put_object_tagging(Bucket=versioned, Key="a b/ζ.txt", Tagging={"TagSet": [{"Key": "k", "Value": "v"}]})
    assert inbox.documents()[0]["detail-type"] == "Object Tags Added"
    cloud.s3.delete_object(Bucket=versioned, Key="a b/ζ.txt")
    [deleted] = inbox.documents()
    assert (deleted["detail-type"], deleted["detail"]["deletion-type"]) == ("Object Deleted", "Delete Marker Created")
    cloud.s3.delete_object(Bucket=versioned, Key="a b/ζ.txt", VersionId=made["VersionId"])
    assert inbox.documents()[0]["detail"]["deletion-type"] == "Permanently Deleted"
    cloud.s3.put_bucket_notification_configuration(Bucket=versioned, NotificationConfiguration={})
    assert "EventBridgeConfiguration" not in cloud.s3.get_bucket_notification_configuration(Bucket=versioned)


@pytest.mark.parametrize("body, destination, condition", [
    ("return {'answer': 42}\n", "OnSuccess", "Success"),
    ("raise ValueError('broken')\n", "OnFailure", "RetriesExhausted")])
def test_the_end_of_an_invocation_is_told_to_a_bus(cloud, events, bus, inbox, body, destination, condition):
    arn = events.describe_event_bus(Name=bus)["Arn"]
    put_rule(cloud, bus, {"source": ["lambda"]}, [{"Arn": inbox.arn}])
    function = cloud.create_function("def handler(event, context):\n    " + body)
    cloud.functions.put_function_event_invoke_config(
        FunctionName=function, MaximumRetryAttempts=0, DestinationConfig={destination: {"Destination": arn}})
    cloud.functions.invoke(FunctionName=function, InvocationType="Event", Payload=b'{"n": 1}')
    [event] = inbox.documents()
    result = "Success" if condition == "Success" else "Failure"
    assert event["detail-type"] == f"Lambda Function Invocation Result - {result}"
    assert event["resources"][0] == arn and f":function:{function}" in event["resources"][1]
    assert event["detail"]["requestPayload"] == {"n": 1}
    assert event["detail"]["requestContext"]["condition"] == condition


def test_an_alarm_tells_the_default_bus_what_becomes_of_its_configuration(cloud, inbox):
    alarms = cloud.client("cloudwatch")
    name, all_of_it = unique("alarm"), unique("composite")
    put_rule(cloud, "default", {"detail-type": ["CloudWatch Alarm Configuration Change"],
                                "detail": {"alarmName": [name, all_of_it]}}, [{"Arn": inbox.arn}])

    def told():
        [event] = inbox.documents()
        assert event["source"] == "aws.cloudwatch" and event["resources"][0].endswith(
            ":alarm:" + event["detail"]["alarmName"])
        return event["detail"]

    def put(threshold):
        alarms.put_metric_alarm(AlarmName=name, Namespace="tests", MetricName="tea", Statistic="Sum", Period=60,
                                EvaluationPeriods=1, Threshold=threshold, ComparisonOperator="GreaterThanThreshold",
                                AlarmDescription="pots", Dimensions=[{"Name": "house", "Value": "blue"}])
    put(70)
    cloud.cleanup.callback(quietly, alarms.delete_alarms, AlarmNames=[name])
    created = told()
    assert created["operation"] == "create" and "previousConfiguration" not in created
    assert set(created["state"]) == {"value", "timestamp"} and created["state"]["value"] == "INSUFFICIENT_DATA"
    made = created["configuration"]
    metric = made["metrics"][0]["metricStat"]
    assert metric == {"metric": {"namespace": "tests", "name": "tea", "dimensions": {"house": "blue"}},
                      "period": 60, "stat": "Sum"}
    assert (made["threshold"], made["evaluationPeriods"], made["description"]) == (70, 1, "pots")
    assert made["alarmActions"] == made["okActions"] == made["insufficientDataActions"] == []
    put(80)
    updated = told()
    assert (updated["operation"], updated["configuration"]["threshold"]) == ("update", 80)
    assert updated["previousConfiguration"]["timestamp"] == made["timestamp"]
    assert updated["previousConfiguration"]["metrics"] == updated["configuration"]["metrics"] == made["metrics"]
    alarms.disable_alarm_actions(AlarmNames=[name])
    disabled = told()
    assert (disabled["configuration"]["actionsEnabled"], disabled["previousConfiguration"]["actionsEnabled"]) == (
        False, True)
    alarms.put_composite_alarm(AlarmName=all_of_it, AlarmRule=f"ALARM({name})")
    composed = told()
    assert composed["operation"] == "create" and composed["configuration"]["alarmRule"] == f"ALARM({name})"
    alarms.delete_alarms(AlarmNames=[all_of_it])
    assert (told()["operation"]) == "delete"
    alarms.delete_alarms(AlarmNames=[name])
    assert told()["operation"] == "delete"


def test_an_alarm_tells_the_default_bus_that_its_state_changes(cloud, inbox):
    alarms = cloud.client("cloudwatch")
    name = unique("alarm")
    put_rule(cloud, "default", {"source": ["aws.cloudwatch"], "detail": {"alarmName": [name]}}, [{"Arn": inbox.arn}])
    alarms.put_metric_alarm(AlarmName=name, Namespace="tests", MetricName="tea", Statistic="Sum", Period=60,
                            EvaluationPeriods=1, Threshold=1, ComparisonOperator="GreaterThanThreshold")
    cloud.cleanup.callback(quietly, alarms.delete_alarms, AlarmNames=[name])
    alarms.set_alarm_state(AlarmName=name, StateValue="ALARM", StateReason="a test")
    def found():
        return [one for one in inbox.documents() if one["detail"]["state"]["value"] == "ALARM"]
    [event] = eventually(found, "the alarm")
    assert event["detail-type"] == "CloudWatch Alarm State Change"
    assert event["resources"] == [alarms.describe_alarms(AlarmNames=[name])["MetricAlarms"][0]["AlarmArn"]]
    assert event["detail"]["state"]["reason"] == "a test" and "previousState" in event["detail"]
    assert json.dumps(event["detail"]["configuration"]["metrics"]).count("tea") == 1
