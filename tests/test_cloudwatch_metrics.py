"""CloudWatch's metrics and alarms as boto3 (the Query protocol) and the AWS CLI see them."""
import datetime
import json
import os
import subprocess

import pytest
from botocore.exceptions import ClientError

from harness import REGION, eventually, quietly, unique


@pytest.fixture
def cloudwatch(cloud):
    return cloud.client("cloudwatch")


def refusal(call, **arguments):
    with pytest.raises(ClientError) as caught:
        call(**arguments)
    return caught.value.response["Error"]


def now():
    return datetime.datetime.now(datetime.timezone.utc)


def statistics(cloudwatch, namespace, name, **more):
    answer = cloudwatch.get_metric_statistics(
        Namespace=namespace, MetricName=name, StartTime=now() - datetime.timedelta(minutes=10),
        EndTime=now() + datetime.timedelta(minutes=2), **{"Period": 3600, **more})
    return answer["Datapoints"]


def test_values_become_statistics(cloudwatch):
    namespace = unique("tests")
    cloudwatch.put_metric_data(Namespace=namespace, MetricData=[
        {"MetricName": "latency", "Unit": "Milliseconds", "Values": [1.5, 2.5], "Counts": [3, 1],
         "Dimensions": [{"Name": "host", "Value": "a"}]},
        {"MetricName": "latency", "Unit": "Milliseconds", "Value": 10,
         "Dimensions": [{"Name": "host", "Value": "a"}]},
        {"MetricName": "sets", "StatisticValues": {"SampleCount": 2, "Sum": 6, "Minimum": 2, "Maximum": 4}}])
    dimensions = [{"Name": "host", "Value": "a"}]
    points = eventually(lambda: statistics(cloudwatch, namespace, "latency", Dimensions=dimensions,
                                           Statistics=["SampleCount", "Sum", "Minimum", "Maximum", "Average"]),
                        deadline_seconds=180)
    assert sum(point["SampleCount"] for point in points) == 5
    assert sum(point["Sum"] for point in points) == 17
    assert min(point["Minimum"] for point in points) == 1.5 and max(point["Maximum"] for point in points) == 10
    assert points[0]["Unit"] == "Milliseconds"
    points = statistics(cloudwatch, namespace, "latency", Dimensions=dimensions, ExtendedStatistics=["p100"])
    assert max(point["ExtendedStatistics"]["p100"] for point in points) == 10
    assert statistics(cloudwatch, namespace, "latency", Statistics=["Sum"]) == [], "without its dimensions: another"
    assert statistics(cloudwatch, namespace, "sets", Statistics=["Average"])[0]["Average"] == 3


def test_several_metrics_are_read_at_once(cloudwatch):
    namespace = unique("tests")
    cloudwatch.put_metric_data(Namespace=namespace, MetricData=[{"MetricName": "a", "Value": 1},
                                                                {"MetricName": "b", "Value": 2}])

    def query(name):
        return {"Id": name, "MetricStat": {"Metric": {"Namespace": namespace, "MetricName": name}, "Period": 3600,
                                           "Stat": "Sum"}}

    def read():
        answer = cloudwatch.get_metric_data(MetricDataQueries=[query("a"), query("b")],
                                            StartTime=now() - datetime.timedelta(minutes=10),
                                            EndTime=now() + datetime.timedelta(minutes=2))
        values = {result["Id"]: result["Values"] for result in answer["MetricDataResults"]}
        return values if all(values.values()) else None
    assert eventually(read, deadline_seconds=180) == {"a": [1.0], "b": [2.0]}


@pytest.mark.local
def test_metrics_are_listed(cloudwatch):
    namespace = unique("tests")
    cloudwatch.put_metric_data(Namespace=namespace, MetricData=[
        {"MetricName": "m", "Value": 1, "Dimensions": [{"Name": "host", "Value": str(i)}]} for i in range(3)])
    pages = cloudwatch.get_paginator("list_metrics").paginate(Namespace=namespace, RecentlyActive="PT3H")
    assert len([metric for page in pages for metric in page["Metrics"]]) == 3
    found = cloudwatch.list_metrics(Namespace=namespace, Dimensions=[{"Name": "host", "Value": "1"}])["Metrics"]
    assert found == [{"Namespace": namespace, "MetricName": "m", "Dimensions": [{"Name": "host", "Value": "1"}]}]


def test_what_is_wrong_is_refused(cloudwatch):
    error = refusal(cloudwatch.put_metric_data, Namespace="AWS/Own", MetricData=[{"MetricName": "m", "Value": 1}])
    assert error["Code"] == "InvalidParameterValue"
    error = refusal(cloudwatch.get_metric_statistics, Namespace="n", MetricName="m", Period=60, Statistics=["Sum"],
                    StartTime=now() - datetime.timedelta(days=2), EndTime=now())
    assert error["Code"] == "InvalidParameterCombination"
    assert "exceeds the limit of 1440" in error["Message"]


def alarm(cloudwatch, cloud, name, **more):
    cloudwatch.put_metric_alarm(AlarmName=name, Namespace="tests", MetricName=name, Statistic="Sum", Period=60,
                                EvaluationPeriods=1, Threshold=5, ComparisonOperator="GreaterThanThreshold", **more)
    cloud.cleanup.callback(quietly, cloudwatch.delete_alarms, AlarmNames=[name])


def state(cloudwatch, name):
    return cloudwatch.describe_alarms(AlarmNames=[name])["MetricAlarms"][0]["StateValue"]


def test_an_alarm_lives_from_creation_to_deletion(cloudwatch, cloud):
    name = unique("alarm")
    alarm(cloudwatch, cloud, name, AlarmDescription="too much", Tags=[{"Key": "a", "Value": "1"}])
    found = cloudwatch.describe_alarms(AlarmNames=[name])["MetricAlarms"][0]
    assert found["AlarmDescription"] == "too much" and found["Threshold"] == 5
    assert found["StateValue"] == "INSUFFICIENT_DATA" and found["AlarmArn"].endswith(":alarm:" + name)
    assert cloudwatch.list_tags_for_resource(ResourceARN=found["AlarmArn"])["Tags"] == [{"Key": "a", "Value": "1"}]
    cloudwatch.set_alarm_state(AlarmName=name, StateValue="ALARM", StateReason="a drill")
    items = eventually(lambda: cloudwatch.describe_alarm_history(
        AlarmName=name, HistoryItemType="StateUpdate")["AlarmHistoryItems"])
    assert items[-1]["HistorySummary"] == "Alarm updated from INSUFFICIENT_DATA to ALARM"
    cloudwatch.disable_alarm_actions(AlarmNames=[name])
    assert not cloudwatch.describe_alarms(AlarmNames=[name])["MetricAlarms"][0]["ActionsEnabled"]
    cloudwatch.enable_alarm_actions(AlarmNames=[name])
    assert cloudwatch.describe_alarms(AlarmNames=[name])["MetricAlarms"][0]["ActionsEnabled"]
    many = [f"alarm-{number}" for number in range(101)]
    assert refusal(cloudwatch.enable_alarm_actions, AlarmNames=many)["Code"] == "ValidationError"
    assert cloudwatch.describe_alarms_for_metric(Namespace="tests", MetricName=name)["MetricAlarms"]
    cloudwatch.delete_alarms(AlarmNames=[name])
    assert cloudwatch.describe_alarms(AlarmNames=[name])["MetricAlarms"] == []
    assert refusal(cloudwatch.set_alarm_state, AlarmName=name, StateValue="OK", StateReason="")["Code"] == (
        "ResourceNotFound")


@pytest.mark.local
def test_a_breach_raises_the_alarm_and_runs_its_function(virtual):
    cloudwatch = virtual.client("cloudwatch")
    name = unique("alarm")
    function = virtual.recorder()
    arn = virtual.functions.get_function(FunctionName=function)["Configuration"]["FunctionArn"]
    alarm(cloudwatch, virtual, name, AlarmActions=[arn])
    cloudwatch.put_metric_data(Namespace="tests", MetricData=[{"MetricName": name, "Value": 6}])
    assert state(cloudwatch, name) == "INSUFFICIENT_DATA"
    virtual.advance(60)
    assert state(cloudwatch, name) == "ALARM"
    event = virtual.wait_for_events(function, 1)[0]
    assert event["source"] == "aws.cloudwatch" and event["alarmData"]["alarmName"] == name
    assert event["alarmData"]["state"]["value"] == "ALARM"
    virtual.advance(600)
    assert state(cloudwatch, name) == "INSUFFICIENT_DATA"


@pytest.mark.local
def test_the_platform_s_metrics_are_there(cloud, functions, cloudwatch):
    name = cloud.create_function("def handler(event, context):\n    if event: raise ValueError('no')\n")
    functions.invoke(FunctionName=name)
    functions.invoke(FunctionName=name, Payload="1")

    def total(namespace, metric, dimension, value, statistic="Sum"):
        return sum(point[statistic] for point in statistics(
            cloudwatch, namespace, metric, Dimensions=[{"Name": dimension, "Value": value}], Statistics=[statistic]))

    def of_function(metric, statistic="Sum"):
        return total("AWS/Lambda", metric, "FunctionName", name, statistic)

    eventually(lambda: of_function("Duration", "SampleCount") == 2)
    assert of_function("Invocations") == 2 and of_function("Errors") == 1 and of_function("Throttles") == 0
    assert of_function("ConcurrentExecutions", "Maximum") >= 1
    assert {metric["MetricName"] for metric in cloudwatch.list_metrics(
        Namespace="AWS/Lambda", Dimensions=[{"Name": "FunctionName", "Value": name}])["Metrics"]} >= {
            "Invocations", "Errors", "Duration", "Throttles", "ConcurrentExecutions"}


@pytest.mark.local
def test_queues_topics_streams_and_tables_are_measured(virtual):
    cloudwatch = virtual.client("cloudwatch")
    sqs, sns, kinesis, dynamodb = (virtual.client(name) for name in ("sqs", "sns", "kinesis", "dynamodb"))
    queue, topic, stream, table = (unique(name) for name in ("queue", "topic", "stream", "table"))
    url = sqs.create_queue(QueueName=queue)["QueueUrl"]
    arn = sns.create_topic(Name=topic)["TopicArn"]
    sns.subscribe(TopicArn=arn, Protocol="sqs",
                  Endpoint=sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"])
    sns.publish(TopicArn=arn, Message="hello")
    eventually(lambda: sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"][
        "ApproximateNumberOfMessages"] == "1")
    kinesis.create_stream(StreamName=stream, ShardCount=1)
    eventually(lambda: kinesis.describe_stream_summary(StreamName=stream)["StreamDescriptionSummary"][
        "StreamStatus"] == "ACTIVE")
    kinesis.put_record(StreamName=stream, PartitionKey="a", Data=b"four")
    dynamodb.create_table(TableName=table, BillingMode="PAY_PER_REQUEST",
                          AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
                          KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}])
    eventually(lambda: dynamodb.describe_table(TableName=table)["Table"]["TableStatus"] == "ACTIVE")
    dynamodb.put_item(TableName=table, Item={"id": {"S": "a"}})
    with pytest.raises(ClientError):
        dynamodb.put_item(TableName=table, Item={"id": {"N": "1"}})
    virtual.advance(60)
    time = datetime.datetime.fromtimestamp(virtual.now(), datetime.timezone.utc)

    def total(namespace, metric, **dimensions):
        answer = cloudwatch.get_metric_statistics(
            Namespace=namespace, MetricName=metric, Statistics=["Sum"], Period=3600,
            Dimensions=[{"Name": name, "Value": value} for name, value in dimensions.items()],
            StartTime=time - datetime.timedelta(hours=2), EndTime=time + datetime.timedelta(hours=2))
        return sum(point["Sum"] for point in answer["Datapoints"])

    assert total("AWS/SQS", "NumberOfMessagesSent", QueueName=queue) == 1
    assert total("AWS/SQS", "ApproximateNumberOfMessagesVisible", QueueName=queue) == 1
    assert total("AWS/SNS", "NumberOfMessagesPublished", TopicName=topic) == 1
    assert total("AWS/SNS", "NumberOfNotificationsDelivered", TopicName=topic) == 1
    assert total("AWS/Kinesis", "IncomingBytes", StreamName=stream) == 5
    assert total("AWS/DynamoDB", "ConsumedWriteCapacityUnits", TableName=table) == 1
    assert total("AWS/DynamoDB", "SuccessfulRequestLatency", TableName=table, Operation="PutItem") > 0
    assert total("AWS/DynamoDB", "UserErrors") == 1


@pytest.mark.local
def test_what_a_mapping_takes_from_a_queue_is_measured(cloud, sqs, cloudwatch):
    queue = cloud.create_queue()
    function = cloud.recorder()
    cloud.create_mapping(function, cloud.queue_arn(queue))
    sqs.send_message(QueueUrl=queue, MessageBody="a")
    cloud.wait_for_records(function, 1)
    dimensions = [{"Name": "QueueName", "Value": queue.split("/")[-1]}]
    for metric in ("NumberOfMessagesReceived", "NumberOfMessagesDeleted"):
        eventually(lambda: sum(point["Sum"] for point in statistics(
            cloudwatch, "AWS/SQS", metric, Dimensions=dimensions, Statistics=["Sum"])) == 1, metric)


@pytest.mark.local
def test_what_is_missing_is_refused_by_name(cloudwatch):
    error = refusal(cloudwatch.get_metric_widget_image, MetricWidget="{}")
    assert error["Code"] == "InvalidParameterValue" and "GetMetricWidgetImage" in error["Message"]


@pytest.mark.local
def test_the_cli_puts_and_reads(cloud, tmp_path):
    environment = {**os.environ, "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test",
                   "AWS_DEFAULT_REGION": REGION, "AWS_PAGER": "", "HOME": str(tmp_path)}

    def aws(*arguments):
        result = subprocess.run(["/usr/bin/aws", "--endpoint-url", cloud.endpoint, "--output", "json", "cloudwatch",
                                 *arguments], capture_output=True, text=True, env=environment, timeout=120)
        assert result.returncode == 0, result.stderr
        return json.loads(result.stdout) if result.stdout.strip() else None

    namespace = unique("cli")
    aws("put-metric-data", "--namespace", namespace, "--metric-name", "m", "--value", "2", "--unit", "Count")
    start = (now() - datetime.timedelta(minutes=5)).isoformat()
    end = (now() + datetime.timedelta(minutes=5)).isoformat()
    answer = aws("get-metric-statistics", "--namespace", namespace, "--metric-name", "m", "--statistics", "Sum",
                 "--period", "3600", "--start-time", start, "--end-time", end)
    assert answer["Datapoints"][0]["Sum"] == 2 and answer["Datapoints"][0]["Unit"] == "Count"
    assert aws("list-metrics", "--namespace", namespace)["Metrics"][0]["MetricName"] == "m"


def test_values_and_statistics_of_one_datum_both_count(cloudwatch):
    name = unique("metric")
    cloudwatch.put_metric_data(Namespace="words", MetricData=[{
        "MetricName": name, "Values": [1.0, 2.0], "StatisticValues": {"SampleCount": 1, "Sum": 5, "Minimum": 5, "Maximum": 5}}])
    now = datetime.datetime.now(datetime.timezone.utc)
    points = eventually(lambda: cloudwatch.get_metric_statistics(
        Namespace="words", MetricName=name, Period=60, Statistics=["Sum", "SampleCount"],
        StartTime=now - datetime.timedelta(minutes=10), EndTime=now + datetime.timedelta(minutes=10))["Datapoints"])
    assert (sum(point["Sum"] for point in points), sum(point["SampleCount"] for point in points)) == (8, 3)


def test_a_day_of_minutes_fits_wherever_it_begins(cloudwatch):
    start = (now() - datetime.timedelta(days=2)).replace(second=30, microsecond=0)
    wanted = {"Namespace": "words", "MetricName": "none", "Period": 60, "Statistics": ["Sum"], "StartTime": start}
    assert cloudwatch.get_metric_statistics(EndTime=start + datetime.timedelta(days=1), **wanted)["Datapoints"] == []
    error = refusal(cloudwatch.get_metric_statistics, EndTime=start + datetime.timedelta(days=1, minutes=1), **wanted)
    assert "up to 1441 datapoints, which exceeds the limit of 1440" in error["Message"]


# Of what no SDK shows: json as it is on the wire.
def test_json_has_doubles_and_the_names_of_errors_as_aws_writes_them(cloud, cloudwatch):
    alarm = unique("alarm")
    def call(operation, **request):
        status, _, body = cloud.raw("monitoring", "POST", "/", json.dumps(request), {
            "X-Amz-Target": "GraniteServiceVersion20100801." + operation, "Content-Type": "application/x-amz-json-1.0"})
        return status, body.decode()
    call("PutMetricAlarm", AlarmName=alarm, Namespace="words", MetricName="m", Statistic="Sum", Period=60,
         EvaluationPeriods=1, Threshold=2, ComparisonOperator="GreaterThanThreshold")
    assert '"Threshold":2.0,' in call("DescribeAlarms", AlarmNames=[alarm])[1]
    cloudwatch.delete_alarms(AlarmNames=[alarm])
    status, body = call("SetAlarmState", AlarmName=alarm, StateValue="OK", StateReason="none")
    assert (status, json.loads(body)) == (400, {"__type": "com.amazonaws.cloudwatch.v2010_08_01#ResourceNotFound"})
    status, body = call("SetAlarmState", AlarmName=alarm, StateValue="FINE", StateReason="none")
    assert (status, json.loads(body)) == (400, {
        "__type": "com.amazon.coral.validate#ValidationException",
        "message": "1 validation error detected: Value 'FINE' at 'stateValue' failed to satisfy constraint: Member must "
                   "satisfy enum value set: [INSUFFICIENT_DATA, ALARM, OK]"})
