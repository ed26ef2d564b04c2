"""What the log says of what is given up: what it was and why, once, however often it happens."""
import datetime
import re

import pytest

from harness import ROLE, Cloud, eventually, item

pytestmark = pytest.mark.local

FAIL = """
    def handler(event, context):
        raise ValueError("no")
"""
MANY = 30


@pytest.fixture
def server(start_server):
    return start_server()


@pytest.fixture
def cloud(server):
    return Cloud(server.endpoint)


def lines(server, event):
    return [line for line in server.log().splitlines() if f'event="{event}"' in line]


def told(server, target, event="delivery given up"):
    """The one line about it, once there is one; more of its kind do not come at once."""
    eventually(lambda: [line for line in lines(server, event) if target in line], f"a line about {target}")
    found = [line for line in lines(server, event) if target in line]
    assert len(found) == 1, found
    return found[0]


def test_of_a_topic(server, cloud):
    topic = cloud.client("sns").create_topic(Name="topic")["TopicArn"]
    url = cloud.create_queue()
    subscription = cloud.client("sns").subscribe(TopicArn=topic, Protocol="sqs", Endpoint=cloud.queue_arn(url),
                                       ReturnSubscriptionArn=True)["SubscriptionArn"]
    cloud.sqs.delete_queue(QueueUrl=url)
    for number in range(MANY):
        cloud.client("sns").publish(TopicArn=topic, Message=str(number))
    assert "reason=rejected" in told(server, subscription)


def test_of_a_rule(server, cloud):
    events = cloud.client("events")
    queue = f"arn:aws:sqs:{cloud.region}:000000000000:nowhere"
    events.put_rule(Name="rule", EventPattern='{"source":["test"]}')
    events.put_targets(Rule="rule", Targets=[{"Id": "1", "Arn": queue, "RetryPolicy": {"MaximumRetryAttempts": 0}}])
    for _ in range(MANY):
        events.put_events(Entries=[{"Source": "test", "DetailType": "t", "Detail": "{}"}])
    assert re.search(r'reason="?(rejected|attempts exhausted)"? .*error=', told(server, queue))


def test_of_an_asynchronous_invocation(server, cloud):
    function = cloud.create_function(FAIL)
    cloud.functions.put_function_event_invoke_config(FunctionName=function, MaximumRetryAttempts=0)
    for _ in range(3):
        cloud.invoke(function, InvocationType="Event")
    line = told(server, f":function:{function}")
    assert 'reason="attempts exhausted"' in line and "error=ValueError" in line


def test_of_a_schedule(server, cloud):
    queue = f"arn:aws:sqs:{cloud.region}:000000000000:nowhere"
    soon = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=5)
    cloud.client("scheduler").create_schedule(
        Name="schedule", ScheduleExpression=f"at({soon:%Y-%m-%dT%H:%M:%S})", FlexibleTimeWindow={"Mode": "OFF"},
        Target={"Arn": queue, "RoleArn": ROLE, "Input": "{}", "RetryPolicy": {"MaximumRetryAttempts": 0}})
    assert "error=" in told(server, queue)


def test_of_a_mapping_without_a_destination(server, cloud):
    function = cloud.create_function(FAIL)
    table = cloud.create_table(stream="NEW_IMAGE")
    cloud.create_mapping(function, cloud.stream_arn(table), StartingPosition="TRIM_HORIZON", MaximumRetryAttempts=0, BatchSize=1)
    for number in range(5):
        cloud.put_item(table, id=str(number))
    line = told(server, f":function:{function}", "a mapping discards records")
    assert 'reason="its attempts are exhausted"' in line and "records=1" in line


def test_of_a_pipe(server, cloud):
    table = cloud.create_table(stream="NEW_IMAGE")
    cloud.client("pipes").create_pipe(
        Name="pipe", Source=cloud.stream_arn(table), RoleArn=ROLE, Target=f"arn:aws:sqs:{cloud.region}:000000000000:nowhere",
        SourceParameters={"DynamoDBStreamParameters": {"StartingPosition": "TRIM_HORIZON", "MaximumRetryAttempts": 0}})
    cloud.dynamodb.put_item(TableName=table, Item=item(id="a"))
    assert "records=1" in told(server, "pipe/pipe", "a mapping discards records")
