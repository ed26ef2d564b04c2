"""The header X-Amzn-Trace-Id is handed on to whatever comes of a request."""
import json

import pytest

from events_support import Inbox, create_bus, events, put_rule  # noqa: F401
from harness import eventually, unique
from sns_support import create_topic, http_endpoint, sns  # noqa: F401
from sns_support import Subscriber
from test_s3_events import allow as allow_bucket, notify

ROOT = "1-3152b799-8954dae64eda91bc9a23a7e8"
TRACE = f"Root={ROOT};Parent=7fa8c0f79203be72;Sampled=1"
SHOWS_TRACE = "import os\ndef handler(event, context):\n    return {'trace': os.environ['_X_AMZN_TRACE_ID']}\n"
FAILS = "def handler(event, context):\n    raise ValueError()\n"
KEEPS_TRACE = "inbox.keep({'trace': os.environ['_X_AMZN_TRACE_ID']}, context)\n"


@pytest.fixture
def traced(cloud):
    """Makes a client whose requests carry the header."""
    def client(service, header=TRACE):
        made = cloud.client(service, user_agent_extra=unique("traced"))
        made.meta.events.register("before-sign", lambda request, **_: request.headers.add_header("X-Amzn-Trace-Id", header))
        return made
    return client


def next_message(cloud, url, deletes=True):
    """The next message of the queue, with all that it says of itself."""
    def receive():
        return cloud.sqs.receive_message(QueueUrl=url, WaitTimeSeconds=1, AttributeNames=["All"],
                                         MessageAttributeNames=["All"]).get("Messages")
    [message] = eventually(receive, "a message")
    if deletes:
        cloud.sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
    return message


def trace_at(cloud, url):
    return next_message(cloud, url)["Attributes"].get("AWSTraceHeader")


def test_a_message_has_the_trace_of_its_request(cloud, traced):
    url = cloud.create_queue()
    traced("sqs").send_message(QueueUrl=url, MessageBody="m")
    assert trace_at(cloud, url) == TRACE


def test_each_message_of_a_batch_has_the_trace_of_its_request(cloud, traced):
    url = cloud.create_queue()
    traced("sqs").send_message_batch(QueueUrl=url, Entries=[{"Id": "a", "MessageBody": "m"}])
    assert trace_at(cloud, url) == TRACE


def test_a_trace_that_a_message_says_itself_is_its_own(cloud, traced):
    own = "Root=1-5759e988-bd862e3fe1be46a994272793;Sampled=0"
    url = cloud.create_queue()
    traced("sqs").send_message(QueueUrl=url, MessageBody="m", MessageSystemAttributes={
        "AWSTraceHeader": {"DataType": "String", "StringValue": own}})
    assert trace_at(cloud, url) == own


@pytest.mark.parametrize("header", ["nonsense", "Sampled=1", "Root=" + "a" * 2048])
def test_what_is_no_trace_is_not_handed_on(cloud, traced, header):
    url = cloud.create_queue()
    traced("sqs", header).send_message(QueueUrl=url, MessageBody="m")
    assert trace_at(cloud, url) is None


def test_a_message_that_is_given_up_keeps_its_trace(cloud, traced):
    dead = cloud.create_queue()
    url = cloud.create_queue(VisibilityTimeout="0", RedrivePolicy=json.dumps(
        {"deadLetterTargetArn": cloud.queue_arn(dead), "maxReceiveCount": 1}))
    traced("sqs").send_message(QueueUrl=url, MessageBody="m")
    next_message(cloud, url, deletes=False)

    def is_given_up():
        cloud.sqs.receive_message(QueueUrl=url)
        return cloud.queue_counts(dead)[0] == 1
    eventually(is_given_up, "a dead letter")
    assert trace_at(cloud, dead) == TRACE


def test_a_topic_hands_traces_on_to_queues(cloud, traced, create_topic):
    topic = create_topic()
    plain, raw = Subscriber(cloud, topic), Subscriber(cloud, topic, RawMessageDelivery="true")
    traced("sns").publish(TopicArn=topic, Message="m")
    assert trace_at(cloud, plain.url) == TRACE
    assert trace_at(cloud, raw.url) == TRACE
    traced("sns").publish_batch(TopicArn=topic, PublishBatchRequestEntries=[{"Id": "a", "Message": "m"}])
    assert trace_at(cloud, plain.url) == TRACE


def test_a_topic_hands_traces_on_to_functions(cloud, traced, create_topic):
    topic = create_topic()
    function = cloud.recorder(KEEPS_TRACE)
    arn = cloud.functions.get_function(FunctionName=function)["Configuration"]["FunctionArn"]
    cloud.functions.add_permission(FunctionName=function, StatementId="sns", Action="lambda:InvokeFunction",
                                   Principal="sns.amazonaws.com", SourceArn=topic)
    cloud.client("sns").subscribe(TopicArn=topic, Protocol="lambda", Endpoint=arn)
    traced("sns").publish(TopicArn=topic, Message="m")
    _, kept = cloud.wait_for_events(function, 2)
    assert f"Root={ROOT};" in kept["trace"]


@pytest.mark.local
def test_a_topic_hands_traces_on_to_urls(cloud, traced, create_topic, http_endpoint):
    topic = create_topic()
    cloud.client("sns").subscribe(TopicArn=topic, Protocol="http", Endpoint=http_endpoint.url)
    _, asked = http_endpoint.wait(1)[0]
    cloud.client("sns").confirm_subscription(TopicArn=topic, Token=json.loads(asked)["Token"])
    traced("sns").publish(TopicArn=topic, Message="m")
    assert http_endpoint.wait(2)[1][0]["X-Amzn-Trace-Id"] == TRACE


def test_a_bus_hands_traces_on(cloud, traced, create_bus):
    bus, box = create_bus(), Inbox(cloud)
    put_rule(cloud, bus, {"source": ["shop"]}, [{"Arn": box.arn}])
    entry = {"Source": "shop", "DetailType": "order", "Detail": "{}", "EventBusName": bus}
    traced("events").put_events(Entries=[entry])
    assert trace_at(cloud, box.url) == TRACE
    own = "Root=1-5759e988-bd862e3fe1be46a994272793;Sampled=0"
    cloud.client("events").put_events(Entries=[{**entry, "TraceHeader": own}])
    assert trace_at(cloud, box.url) == own


def test_a_bucket_hands_traces_on(cloud, traced, bucket):
    url = cloud.create_queue()
    notify(cloud, bucket, allow_bucket(cloud, url), ["s3:ObjectCreated:*"])

    def forget_test_event():
        found = cloud.sqs.receive_message(QueueUrl=url, WaitTimeSeconds=1).get("Messages", [])
        for message in found:
            cloud.sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
        return found
    eventually(forget_test_event, "the test event")
    traced("s3").put_object(Bucket=bucket, Key="k", Body=b"")
    assert trace_at(cloud, url) == TRACE


def test_a_function_sees_the_trace_of_who_called_it(cloud, traced):
    function = cloud.create_function(SHOWS_TRACE)
    answer = traced("lambda").invoke(FunctionName=function)
    trace = json.loads(answer["Payload"].read())["trace"]
    assert trace.startswith(f"Root={ROOT};Parent=") and ";Sampled=1" in trace


@pytest.mark.parametrize("fails", [False, True])
def test_what_becomes_of_an_event_has_its_trace(cloud, traced, fails):
    url = cloud.create_queue()
    function = cloud.create_function(FAILS if fails else SHOWS_TRACE)
    kind = "OnFailure" if fails else "OnSuccess"
    cloud.functions.put_function_event_invoke_config(
        FunctionName=function, MaximumRetryAttempts=0, DestinationConfig={kind: {"Destination": cloud.queue_arn(url)}})
    traced("lambda").invoke(FunctionName=function, InvocationType="Event", Payload=b"{}")
    assert f"Root={ROOT}" in trace_at(cloud, url)


def test_the_dead_letter_of_an_event_has_its_trace(cloud, traced):
    url = cloud.create_queue()
    function = cloud.create_function(FAILS, DeadLetterConfig={"TargetArn": cloud.queue_arn(url)})
    cloud.functions.put_function_event_invoke_config(FunctionName=function, MaximumRetryAttempts=0)
    traced("lambda").invoke(FunctionName=function, InvocationType="Event", Payload=b"{}")
    assert f"Root={ROOT}" in trace_at(cloud, url)
