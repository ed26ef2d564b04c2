"""Queues as sources of functions: every message arrives, comes back if it fails, and is gone once it succeeded."""
import json
import re

import pytest

from harness import NODE_RUNTIME, eventually, refused

# As in AWS's guide ("Implementing partial batch responses").
PARTIAL_BATCH = """
import json
def process(record):
    if json.loads(record["body"]).get("fails"):
        raise Exception("this one fails")

batch_item_failures = []
for record in event["Records"]:
    try:
        process(record)
    except Exception as error:
        batch_item_failures.append({"itemIdentifier": record["messageId"]})
return {"batchItemFailures": batch_item_failures}
"""


def bodies(records):
    return [record["body"] for record in records]


def send_all(sqs, queue, texts, **more):
    """In batches of ten, in order."""
    for begin in range(0, len(texts), 10):
        entries = [{"Id": str(i), "MessageBody": text, **{name: value(text) for name, value in more.items()}}
                   for i, text in enumerate(texts[begin:begin + 10])]
        assert "Failed" not in sqs.send_message_batch(QueueUrl=queue, Entries=entries)


def wait_until_empty(cloud, queue):
    eventually(lambda: cloud.queue_counts(queue) == (0, 0), "an empty queue")


@pytest.fixture
def queue(cloud):
    return cloud.create_queue()


# --- the event ---

def test_an_event_has_the_shape_of_aws(cloud, sqs, queue):
    function = cloud.recorder()
    cloud.create_mapping(function, cloud.queue_arn(queue))
    sent = sqs.send_message(
        QueueUrl=queue, MessageBody="ζ\"\\\n",
        MessageAttributes={"text": {"DataType": "String", "StringValue": "a"},
                           "raw": {"DataType": "Binary", "BinaryValue": b"\x00\x01"},
                           "count": {"DataType": "Number.int", "StringValue": "3"}})
    record, = cloud.wait_for_records(function, 1)
    assert set(record) == {"messageId", "receiptHandle", "body", "attributes", "messageAttributes",
                           "md5OfMessageAttributes", "md5OfBody", "eventSource", "eventSourceARN", "awsRegion"}
    assert record["messageId"] == sent["MessageId"]
    assert record["body"] == "ζ\"\\\n"
    assert record["md5OfBody"] == sent["MD5OfMessageBody"]
    assert record["md5OfMessageAttributes"] == sent["MD5OfMessageAttributes"]
    assert record["eventSource"] == "aws:sqs"
    assert record["eventSourceARN"] == cloud.queue_arn(queue)
    assert record["awsRegion"] == "us-east-1"
    attributes = record["attributes"]
    assert set(attributes) == {"ApproximateReceiveCount", "SentTimestamp", "SenderId",
                               "ApproximateFirstReceiveTimestamp"}
    assert attributes["ApproximateReceiveCount"] == "1"
    assert re.fullmatch(r"\d{13}", attributes["SentTimestamp"])
    lists = {"stringListValues": [], "binaryListValues": []}
    assert record["messageAttributes"] == {
        "text": {"stringValue": "a", "dataType": "String", **lists},
        "raw": {"binaryValue": "AAE=", "dataType": "Binary", **lists},
        "count": {"stringValue": "3", "dataType": "Number.int", **lists}}


def test_a_message_without_attributes_has_a_digest_of_null(cloud, sqs, queue):
    function = cloud.recorder()
    cloud.create_mapping(function, cloud.queue_arn(queue))
    sqs.send_message(QueueUrl=queue, MessageBody="plain")
    record, = cloud.wait_for_records(function, 1)
    assert record["messageAttributes"] == {}
    assert record["md5OfMessageAttributes"] is None


def test_a_fifo_message_tells_of_its_group(cloud, sqs):
    queue = cloud.create_queue(fifo=True)
    function = cloud.recorder()
    cloud.create_mapping(function, cloud.queue_arn(queue))
    sent = sqs.send_message(QueueUrl=queue, MessageBody="a", MessageGroupId="g", MessageDeduplicationId="d")
    record, = cloud.wait_for_records(function, 1)
    assert record["attributes"]["MessageGroupId"] == "g"
    assert record["attributes"]["MessageDeduplicationId"] == "d"
    assert record["attributes"]["SequenceNumber"] == sent["SequenceNumber"]


# --- success ---

def test_every_message_arrives_and_the_queue_is_empty_afterwards(cloud, sqs, queue):
    texts = [str(number) for number in range(100)]
    function = cloud.recorder()
    cloud.create_mapping(function, cloud.queue_arn(queue), BatchSize=5)
    send_all(sqs, queue, texts)
    records = cloud.wait_for_records(function, 100, 60)
    assert sorted(bodies(records), key=int) == texts
    assert all(len(event["Records"]) <= 5 for event in cloud.events(function))
    wait_until_empty(cloud, queue)


def test_a_window_gathers_a_large_batch(cloud, sqs, queue):
    function = cloud.recorder()
    send_all(sqs, queue, [str(number) for number in range(40)])
    cloud.create_mapping(function, cloud.queue_arn(queue), BatchSize=1000, MaximumBatchingWindowInSeconds=2)
    cloud.wait_for_records(function, 40, 60)
    assert max(len(event["Records"]) for event in cloud.events(function)) > 10
    wait_until_empty(cloud, queue)


def test_groups_keep_their_order(cloud, sqs):
    queue = cloud.create_queue(fifo=True)
    function = cloud.recorder()
    cloud.create_mapping(function, cloud.queue_arn(queue), BatchSize=3)
    texts = [f"{group}-{number:03}" for number in range(12) for group in "abc"]
    send_all(sqs, queue, texts, MessageGroupId=lambda text: text[0], MessageDeduplicationId=lambda text: text)
    cloud.wait_for_records(function, len(texts), 60)
    seen = {}
    for event in cloud.events(function):
        for body in bodies(event["Records"]):
            seen.setdefault(body[0], []).append(body)
    assert seen == {group: sorted(text for text in texts if text[0] == group) for group in "abc"}
    wait_until_empty(cloud, queue)


# --- failure ---

def test_a_batch_that_fails_comes_back_until_it_goes_to_the_dead_letter_queue(cloud, sqs):
    dead = cloud.create_queue()
    policy = json.dumps({"deadLetterTargetArn": cloud.queue_arn(dead), "maxReceiveCount": 2})
    queue = cloud.create_queue(VisibilityTimeout="6", RedrivePolicy=policy)
    function = cloud.recorder("raise Exception('always')", Timeout=6)
    cloud.create_mapping(function, cloud.queue_arn(queue))
    sqs.send_message(QueueUrl=queue, MessageBody="poison")
    eventually(lambda: cloud.queue_counts(dead) == (1, 0), "a dead letter", 60)
    counts = [event["Records"][0]["attributes"]["ApproximateReceiveCount"] for event in cloud.events(function)]
    assert counts == ["1", "2"]
    letter, = sqs.receive_message(QueueUrl=dead, AttributeNames=["All"])["Messages"]
    assert letter["Body"] == "poison"
    assert letter["Attributes"]["DeadLetterQueueSourceArn"] == cloud.queue_arn(queue)


# A class that is a member of exports has no name, and neither has an error that takes its name from it.
NAMELESS = """
exports.Missing = class extends Error {
  constructor(message) { super(message); this.name = this.constructor.name; }
};
exports.handler = async () => { throw new exports.Missing("it is not there"); };
"""


def test_a_batch_that_fails_with_an_error_without_a_name_is_not_lost(cloud, sqs):
    dead = cloud.create_queue()
    policy = json.dumps({"deadLetterTargetArn": cloud.queue_arn(dead), "maxReceiveCount": 1})
    queue = cloud.create_queue(VisibilityTimeout="6", RedrivePolicy=policy)
    function = cloud.create_function(None, files={"index.js": NAMELESS}, runtime=NODE_RUNTIME, handler="index.handler",
                                     Timeout=6)
    answer, document = cloud.invoke(function, {})
    assert answer["FunctionError"] == "Unhandled"
    assert document["errorMessage"] == "it is not there"
    cloud.create_mapping(function, cloud.queue_arn(queue))
    sqs.send_message(QueueUrl=queue, MessageBody="wanted")
    eventually(lambda: cloud.queue_counts(dead) == (1, 0), "a dead letter", 60)


def test_only_the_reported_messages_of_a_batch_come_back(cloud, sqs):
    dead = cloud.create_queue()
    policy = json.dumps({"deadLetterTargetArn": cloud.queue_arn(dead), "maxReceiveCount": 2})
    queue = cloud.create_queue(VisibilityTimeout="6", RedrivePolicy=policy)
    send_all(sqs, queue, [json.dumps({"number": number, "fails": number == 2}) for number in range(4)])
    function = cloud.recorder(PARTIAL_BATCH, Timeout=6)
    cloud.create_mapping(function, cloud.queue_arn(queue), FunctionResponseTypes=["ReportBatchItemFailures"])
    eventually(lambda: cloud.queue_counts(dead) == (1, 0), "a dead letter", 60)
    wait_until_empty(cloud, queue)
    seen = [json.loads(body)["number"] for event in cloud.events(function) for body in bodies(event["Records"])]
    assert sorted(seen) == [0, 1, 2, 2, 3]


@pytest.mark.parametrize("answer", ["", None, {}, {"batchItemFailures": []}, {"batchItemFailures": None}, []],
                         ids=json.dumps)
def test_answers_that_mean_success(cloud, sqs, queue, answer):
    function = cloud.recorder(f"import json\nreturn json.loads({json.dumps(json.dumps(answer))})")
    cloud.create_mapping(function, cloud.queue_arn(queue), FunctionResponseTypes=["ReportBatchItemFailures"])
    sqs.send_message(QueueUrl=queue, MessageBody="a")
    cloud.wait_for_events(function, 1)
    wait_until_empty(cloud, queue)


@pytest.mark.parametrize("answer", [
    {"batchItemFailures": [{"itemIdentifier": ""}]}, {"batchItemFailures": [{"itemIdentifier": None}]},
    {"batchItemFailures": [{"foo": "bar"}]}, {"batchItemFailures": [{"foo": None}]},
    {"batchItemFailures": [{"itemIdentifier": "not-in-the-batch"}]}, "{\"batchItemFailures\": [",
], ids=json.dumps)
def test_answers_that_fail_the_whole_batch(cloud, sqs, answer):
    queue = cloud.create_queue(VisibilityTimeout="6")
    function = cloud.recorder(f"import json\nreturn json.loads({json.dumps(json.dumps(answer))})", Timeout=6)
    cloud.create_mapping(function, cloud.queue_arn(queue), FunctionResponseTypes=["ReportBatchItemFailures"])
    sqs.send_message(QueueUrl=queue, MessageBody="a")
    second = cloud.wait_for_events(function, 2, 60)[1]
    assert second["Records"][0]["attributes"]["ApproximateReceiveCount"] == "2"


def test_a_failing_message_holds_up_its_group_only(cloud, sqs):
    queue = cloud.create_queue(fifo=True, VisibilityTimeout="6")
    function = cloud.recorder("""
        record = event["Records"][0]
        if record["body"] == "a1" and record["attributes"]["ApproximateReceiveCount"] == "1":
            raise Exception("the first time only")
        """, Timeout=6)
    texts = ["a1", "a2", "b1", "b2"]
    send_all(sqs, queue, texts, MessageGroupId=lambda text: text[0], MessageDeduplicationId=lambda text: text)
    cloud.create_mapping(function, cloud.queue_arn(queue), BatchSize=1)
    seen = bodies(cloud.wait_for_records(function, 5, 60))
    assert [body for body in seen if body[0] == "a"] == ["a1", "a1", "a2"]
    assert seen.index("b2") < len(seen) - 2
    wait_until_empty(cloud, queue)


# --- filters ---

@pytest.mark.parametrize("pattern, passing, filtered", [
    ({"body": {"n": [{"numeric": [">", 5]}]}}, '{"n": 6}', ['{"n": 5}', "plain", '{"m": 6}']),
    ({"body": ["plain"]}, "plain", ['{"n": 5}', "other"]),
    ({"body": {"a": {"b": [{"prefix": "x"}]}}}, '{"a": {"b": "xy"}}', ['{"a": "x"}', '{"a": {"b": "y"}}']),
])
def test_messages_that_no_filter_wants_are_gone_without_an_invocation(cloud, sqs, queue, pattern, passing, filtered):
    function = cloud.recorder()
    cloud.create_mapping(function, cloud.queue_arn(queue),
                         FilterCriteria={"Filters": [{"Pattern": json.dumps(pattern)}]})
    send_all(sqs, queue, [*filtered, passing])
    assert bodies(cloud.wait_for_records(function, 1)) == [passing]
    wait_until_empty(cloud, queue)
    assert bodies(cloud.wait_for_records(function, 1)) == [passing]


def test_filters_may_ask_for_message_attributes(cloud, sqs, queue):
    function = cloud.recorder()
    pattern = {"messageAttributes": {"kind": {"stringValue": ["order"]}}}
    cloud.create_mapping(function, cloud.queue_arn(queue),
                         FilterCriteria={"Filters": [{"Pattern": json.dumps(pattern)}]})
    for kind in ("bill", "order"):
        sqs.send_message(QueueUrl=queue, MessageBody=kind,
                         MessageAttributes={"kind": {"DataType": "String", "StringValue": kind}})
    assert bodies(cloud.wait_for_records(function, 1)) == ["order"]
    wait_until_empty(cloud, queue)


# --- scaling ---

def test_no_more_batches_run_at_once_than_maximum_concurrency_says(cloud, sqs, queue):
    function = cloud.recorder("""
        import uuid
        from inbox import table
        key = {"inbox": {"S": os.environ["INBOX"] + "#running"}, "at": {"S": "-"}}
        def add(number):
            return int(table().update_item(
                TableName=os.environ["INBOX_TABLE"], Key=key, UpdateExpression="ADD #n :n",
                ExpressionAttributeNames={"#n": "n"}, ExpressionAttributeValues={":n": {"N": str(number)}},
                ReturnValues="UPDATED_NEW")["Attributes"]["n"]["N"])
        running = add(1)
        table().put_item(TableName=os.environ["INBOX_TABLE"], Item={
            "inbox": {"S": os.environ["INBOX"] + "#seen"}, "at": {"S": str(uuid.uuid4())}, "n": {"N": str(running)}})
        time.sleep(0.2)
        add(-1)
        """)
    send_all(sqs, queue, [str(number) for number in range(20)])
    cloud.create_mapping(function, cloud.queue_arn(queue), BatchSize=1, ScalingConfig={"MaximumConcurrency": 2})
    cloud.wait_for_records(function, 20, 60)
    wait_until_empty(cloud, queue)
    seen = cloud.dynamodb.query(
        TableName=cloud.inbox_table(), KeyConditionExpression="inbox = :inbox",
        ExpressionAttributeValues={":inbox": {"S": function + "#seen"}})["Items"]
    assert max(int(entry["n"]["N"]) for entry in seen) == 2


# The mapping has places for five batches, the function for one: what is throttled is tried again, for as long as its
# messages stay hidden for what the function may take.
def test_a_function_with_reserved_concurrency_gets_every_message(cloud, functions, sqs, queue):
    function = cloud.recorder("time.sleep(0.1)", Timeout=5)
    functions.put_function_concurrency(FunctionName=function, ReservedConcurrentExecutions=1)
    texts = [str(number) for number in range(8)]
    send_all(sqs, queue, texts)
    cloud.create_mapping(function, cloud.queue_arn(queue), BatchSize=1)
    assert set(bodies(cloud.wait_for_records(function, len(texts), 120))) == set(texts)
    wait_until_empty(cloud, queue)


# --- the life of a mapping ---

def test_a_queues_mapping_is_shown_as_aws_shows_it(cloud, functions, queue):
    function = cloud.recorder()
    created = functions.create_event_source_mapping(FunctionName=function, EventSourceArn=cloud.queue_arn(queue))
    created.pop("ResponseMetadata")
    created.pop("LastModified")
    created.pop("EventSourceMappingArn", None)  # which clients of some age do not know
    uuid = created.pop("UUID")
    account = cloud.queue_arn(queue).split(":")[4]
    assert created == {
        "BatchSize": 10, "MaximumBatchingWindowInSeconds": 0, "EventSourceArn": cloud.queue_arn(queue),
        "FunctionArn": f"arn:aws:lambda:us-east-1:{account}:function:{function}", "State": "Creating",
        "StateTransitionReason": "USER_INITIATED", "FunctionResponseTypes": []}
    cloud.wait_for_mapping(uuid, "Enabled")
    assert functions.delete_event_source_mapping(UUID=uuid)["State"] == "Deleting"
    with refused("ResourceNotFoundException"):
        eventually(lambda: not functions.get_event_source_mapping(UUID=uuid), "the end of the mapping")


def test_a_queue_must_hide_its_messages_for_as_long_as_the_function_may_run(cloud, functions, queue):
    with refused("InvalidParameterValueException",
                 "Queue visibility timeout: 30 seconds is less than Function timeout: 60 seconds", exactly=True):
        functions.create_event_source_mapping(FunctionName=cloud.recorder(Timeout=60),
                                              EventSourceArn=cloud.queue_arn(queue))


def test_a_mapping_at_rest_leaves_messages_where_they_are(cloud, functions, sqs, queue):
    function = cloud.recorder()
    mapping = cloud.create_mapping(function, cloud.queue_arn(queue), Enabled=False)
    sqs.send_message(QueueUrl=queue, MessageBody="a")
    assert cloud.queue_counts(queue) == (1, 0)
    assert functions.update_event_source_mapping(UUID=mapping, Enabled=True)["State"] == "Enabling"
    cloud.wait_for_records(function, 1)
    wait_until_empty(cloud, queue)
    cloud.wait_for_mapping(mapping, "Enabled")
    assert functions.update_event_source_mapping(UUID=mapping, Enabled=False)["State"] == "Disabling"
    cloud.wait_for_mapping(mapping, "Disabled")
    sqs.send_message(QueueUrl=queue, MessageBody="b")
    assert cloud.queue_counts(queue) == (1, 0)


def test_another_function_takes_over(cloud, functions, sqs, queue):
    first, second = cloud.recorder(), cloud.recorder()
    mapping = cloud.create_mapping(first, cloud.queue_arn(queue))
    sqs.send_message(QueueUrl=queue, MessageBody="a")
    cloud.wait_for_records(first, 1)
    functions.update_event_source_mapping(UUID=mapping, FunctionName=second, BatchSize=1)
    cloud.wait_for_mapping(mapping, "Enabled")
    sqs.send_message(QueueUrl=queue, MessageBody="b")
    assert bodies(cloud.wait_for_records(second, 1)) == ["b"]
