"""Metrics that applications print: events in the embedded metric format become CloudWatch metrics."""
import datetime
import json
import time

from harness import eventually, quietly, unique


def embedded(name_space, value, at=None, **members):
    directive = {"Namespace": name_space, "Dimensions": [["Service"]],
                 "Metrics": [{"Name": "Orders", "Unit": "Count"}]}
    return json.dumps({"_aws": {"Timestamp": at or int(time.time() * 1000), "CloudWatchMetrics": [directive]},
                       "Service": "checkout", "Orders": value, **members})


def statistics(cloud, name_space):
    now = datetime.datetime.now(datetime.timezone.utc)
    found = cloud.client("cloudwatch").get_metric_statistics(
        Namespace=name_space, MetricName="Orders", Dimensions=[{"Name": "Service", "Value": "checkout"}],
        StartTime=now - datetime.timedelta(minutes=10), EndTime=now + datetime.timedelta(minutes=1), Period=3600,
        Statistics=["Sum", "SampleCount"])["Datapoints"]
    return sum(point["SampleCount"] for point in found), sum(point["Sum"] for point in found)


def test_what_a_function_prints_becomes_a_metric(cloud, functions):
    name_space = unique("shop")
    name = cloud.create_function("""
        def handler(event, context):
            for line in event:
                print(line)
    """)
    cloud.cleanup.callback(quietly, cloud.client("logs").delete_log_group, logGroupName=f"/aws/lambda/{name}")
    cloud.invoke(name, [embedded(name_space, 3), "no metric", embedded(name_space, [4, 5])])
    assert eventually(lambda: statistics(cloud, name_space)[0] == 3 and statistics(cloud, name_space)) == (3, 12)


def test_what_is_put_as_an_event_becomes_a_metric(cloud):
    logs, group, name_space = cloud.client("logs"), unique("group"), unique("shop")
    logs.create_log_group(logGroupName=group)
    cloud.cleanup.callback(quietly, logs.delete_log_group, logGroupName=group)
    logs.create_log_stream(logGroupName=group, logStreamName="s")
    now = int(time.time() * 1000)
    lines = [embedded(name_space, 1), embedded(name_space, "no number"), '{"_aws":{}}', embedded(name_space, 2),
             embedded(name_space, 4, at=now * 1000),  # microseconds: nobody's time
             embedded(name_space, 8, at=now + 3 * 3600 * 1000)]
    logs.put_log_events(logGroupName=group, logStreamName="s",
                        logEvents=[{"timestamp": now, "message": line} for line in lines])
    assert eventually(lambda: statistics(cloud, name_space)[0] == 2 and statistics(cloud, name_space)) == (2, 3)
    kept = logs.get_log_events(logGroupName=group, logStreamName="s", startFromHead=True)["events"]
    assert [event["message"] for event in kept] == lines
