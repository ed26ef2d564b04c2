"""What a mapping does with records that its function fails on: halves, reported failures, failure destinations."""
import json
import re

import pytest

from harness import eventually, unique

ISO_SECOND = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"
ISO_MILLISECOND = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"

# The usual form of a partial-batch handler: the first record that cannot be processed is reported.
PARTIAL_HANDLER = """
    failures = []
    for record in event["Records"]:
        try:
            if record["dynamodb"]["NewImage"]["turn"]["N"] in os.environ["BAD"].split(","):
                raise ValueError("poisoned")
        except ValueError:
            failures.append({"itemIdentifier": record["dynamodb"]["SequenceNumber"]})
            return {"batchItemFailures": failures}
    return {"batchItemFailures": failures}
    """
RAISING_HANDLER = """
    for record in event["Records"]:
        if record["dynamodb"]["NewImage"]["turn"]["N"] in os.environ["BAD"].split(","):
            raise ValueError("poisoned")
    """


@pytest.fixture
def table(cloud):
    return cloud.create_table(stream="NEW_IMAGE")


def turns(event):
    return [int(record["dynamodb"]["NewImage"]["turn"]["N"]) for record in event["Records"]]


def deliveries(cloud, function):
    return [turns(event) for event in cloud.events(function)]


def deliver(cloud, table, body, count, bad="", **options):
    """A mapping over `count` changes of one item, in one batch. Returns function and mapping."""
    for turn in range(count):
        cloud.put_item(table, id="1", turn=turn)
    function = cloud.recorder(body=body, environment={"BAD": bad})
    return function, cloud.create_mapping(function, cloud.stream_arn(table), **options)


def messages(sqs, queue, count):
    found = []

    def enough():
        for message in sqs.receive_message(QueueUrl=queue, MaxNumberOfMessages=10).get("Messages", []):
            found.append(json.loads(message["Body"]))
            sqs.delete_message(QueueUrl=queue, ReceiptHandle=message["ReceiptHandle"])
        return len(found) >= count

    eventually(enough, f"{count} failure documents", 60)
    return found


# --- halves ---

def test_a_failed_batch_is_halved_until_the_bad_record_is_alone(cloud, table):
    function, _ = deliver(cloud, table, RAISING_HANDLER, 5, bad="3", BisectBatchOnFunctionError=True,
                          MaximumRetryAttempts=0)
    cloud.put_item(table, id="1", turn=9)
    eventually(lambda: any(9 in each for each in deliveries(cloud, function)), "the shard goes on", 60)
    delivered = deliveries(cloud, function)
    assert delivered[0][:5] == [0, 1, 2, 3, 4]
    assert [3] in delivered
    good = [each for each in delivered if 3 not in each]
    assert sorted(turn for each in good for turn in each) == [0, 1, 2, 4, 9]


# --- reported failures ---

def test_only_what_follows_a_reported_failure_comes_again(cloud, table):
    function, _ = deliver(cloud, table, PARTIAL_HANDLER, 4, bad="2", MaximumRetryAttempts=1,
                          FunctionResponseTypes=["ReportBatchItemFailures"])
    eventually(lambda: len(deliveries(cloud, function)) >= 3, "retries", 60)
    assert deliveries(cloud, function) == [[0, 1, 2, 3], [2, 3], [2, 3]]


# Recorded against AWS: the attempts of what is left begin anew.
def test_a_partial_success_starts_the_attempts_anew(cloud, sqs, create_queue, table):
    queue = create_queue()
    function, _ = deliver(cloud, table, PARTIAL_HANDLER, 3, bad="2", MaximumRetryAttempts=3,
                          FunctionResponseTypes=["ReportBatchItemFailures"],
                          DestinationConfig={"OnFailure": {"Destination": cloud.queue_arn(queue)}})
    document, = messages(sqs, queue, 1)
    assert deliveries(cloud, function) == [[0, 1, 2], [2], [2], [2], [2]]
    assert document["requestContext"]["approximateInvokeCount"] == 4
    assert document["DDBStreamBatchInfo"]["batchSize"] == 1
    assert document["responseContext"]["functionError"] is None


@pytest.mark.parametrize("answer", ['""', "None", "{}", '{"batchItemFailures": []}', '{"batchItemFailures": None}', "[]"])
def test_every_form_of_success_is_taken_as_one(cloud, functions, table, answer):
    function, mapping = deliver(cloud, table, f"return {answer}", 2, MaximumRetryAttempts=1,
                                FunctionResponseTypes=["ReportBatchItemFailures"])
    eventually(lambda: functions.get_event_source_mapping(UUID=mapping)["LastProcessingResult"] == "OK", "OK", 60)
    assert deliveries(cloud, function) == [[0, 1]]


@pytest.mark.parametrize("item", ['{"itemIdentifier": ""}', '{"itemIdentifier": None}', '{"foo": "x"}', '{"foo": None}',
                                  '{"itemIdentifier": "17"}'])
def test_every_form_of_failure_fails_the_whole_batch(cloud, table, item):
    function, _ = deliver(cloud, table, f'return {{"batchItemFailures": [{item}]}}', 2, MaximumRetryAttempts=1,
                          FunctionResponseTypes=["ReportBatchItemFailures"])
    eventually(lambda: len(deliveries(cloud, function)) >= 2, "a retry", 60)
    assert deliveries(cloud, function) == [[0, 1], [0, 1]]


# --- failure destinations ---

def check_document(cloud, document, table, count, invocations):
    assert set(document) == {"requestContext", "responseContext", "version", "timestamp", "DDBStreamBatchInfo"}
    assert document["version"] == "1.0"
    assert re.fullmatch(ISO_MILLISECOND, document["timestamp"])
    request = document["requestContext"]
    assert re.fullmatch(r"[0-9a-f-]{36}", request["requestId"])
    assert request["condition"] == "RetryAttemptsExhausted"
    assert request["approximateInvokeCount"] == invocations
    assert document["responseContext"] == {"statusCode": 200, "executedVersion": "$LATEST", "functionError": "Unhandled"}
    info = document["DDBStreamBatchInfo"]
    stream = cloud.stream_arn(table)
    assert info["streamArn"] == stream
    assert info["batchSize"] == count
    assert re.fullmatch(ISO_SECOND, info["approximateArrivalOfFirstRecord"])
    assert re.fullmatch(ISO_SECOND, info["approximateArrivalOfLastRecord"])
    records = cloud.shard_records(stream, info["shardId"])
    assert info["startSequenceNumber"] == records[0]["dynamodb"]["SequenceNumber"]
    assert info["endSequenceNumber"] == records[count - 1]["dynamodb"]["SequenceNumber"]


def test_a_queue_is_told_of_a_batch_that_is_given_up(cloud, sqs, create_queue, table):
    queue = create_queue()
    deliver(cloud, table, "raise RuntimeError('never')", 3, MaximumRetryAttempts=1,
            DestinationConfig={"OnFailure": {"Destination": cloud.queue_arn(queue)}})
    document, = messages(sqs, queue, 1)
    check_document(cloud, document, table, 3, 2)


def test_a_topic_is_told_of_a_batch_that_is_given_up(cloud, sqs, create_queue, table):
    sns = cloud.client("sns")
    topic = sns.create_topic(Name=unique("failures"))["TopicArn"]
    cloud.cleanup.callback(sns.delete_topic, TopicArn=topic)
    queue = create_queue()
    sqs.set_queue_attributes(QueueUrl=queue, Attributes={"Policy": json.dumps({
        "Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": {"Service": "sns.amazonaws.com"},
                                                "Action": "sqs:SendMessage", "Resource": cloud.queue_arn(queue)}]})})
    sns.subscribe(TopicArn=topic, Protocol="sqs", Endpoint=cloud.queue_arn(queue))
    deliver(cloud, table, "raise RuntimeError('never')", 2, MaximumRetryAttempts=0,
            DestinationConfig={"OnFailure": {"Destination": topic}})
    envelope, = messages(sqs, queue, 1)
    check_document(cloud, json.loads(envelope["Message"]), table, 2, 1)


def test_a_bucket_gets_the_records_too(cloud, s3, bucket, table):
    function, mapping = deliver(cloud, table, "raise RuntimeError('never')", 2, MaximumRetryAttempts=0,
                                DestinationConfig={"OnFailure": {"Destination": f"arn:aws:s3:::{bucket}"}})
    objects = eventually(lambda: s3.list_objects_v2(Bucket=bucket).get("Contents"), "an object", 60)
    assert len(objects) == 1
    key = objects[0]["Key"]
    document = json.loads(s3.get_object(Bucket=bucket, Key=key)["Body"].read())
    payload = document.pop("payload")
    check_document(cloud, document, table, 2, 1)
    shard = document["DDBStreamBatchInfo"]["shardId"]
    assert re.fullmatch(rf"aws/lambda/{mapping}/{shard}/\d{{4}}/\d\d/\d\d/"
                        r"\d{4}-\d\d-\d\dT\d\d\.\d\d\.\d\d-[0-9a-f-]{36}", key)
    assert payload == {"Records": cloud.events(function)[0]["Records"]}


@pytest.mark.local
def test_a_document_arrives_once_although_the_server_is_killed(start_server):
    server = start_server()
    from harness import Cloud
    with Cloud(server.endpoint).cleanup:
        cloud = Cloud(server.endpoint)
        queue = cloud.create_queue()
        table = cloud.create_table(stream="NEW_IMAGE")
        deliver(cloud, table, "raise RuntimeError('never')", 1, MaximumRetryAttempts=0,
                DestinationConfig={"OnFailure": {"Destination": cloud.queue_arn(queue)}})
        document, = messages(cloud.sqs, queue, 1)
        server.kill()
        server.start()
        cloud = Cloud(server.endpoint)
        again = cloud.sqs.get_queue_url(QueueName=queue.rsplit("/", 1)[1])["QueueUrl"]
        cloud.put_item(table, id="1", turn=1)
        second, = messages(cloud.sqs, again, 1)
        assert second["DDBStreamBatchInfo"]["startSequenceNumber"] > document["DDBStreamBatchInfo"]["startSequenceNumber"]


# --- ages, on the virtual clock ---

@pytest.mark.local
def test_a_record_that_was_never_delivered_is_told_of_as_too_old(virtual):
    table = virtual.create_table(stream="NEW_IMAGE")
    queue = virtual.create_queue()
    function = virtual.recorder()
    mapping = virtual.create_mapping(function, virtual.stream_arn(table), Enabled=False, MaximumRecordAgeInSeconds=60,
                                     DestinationConfig={"OnFailure": {"Destination": virtual.queue_arn(queue)}})
    virtual.put_item(table, id="1", turn=0)
    virtual.advance(61)
    virtual.put_item(table, id="1", turn=1)
    virtual.functions.update_event_source_mapping(UUID=mapping, Enabled=True)
    virtual.advance(1)
    document, = messages(virtual.sqs, queue, 1)
    assert document["requestContext"]["condition"] == "RecordAgeExceeded"
    assert document["requestContext"]["approximateInvokeCount"] == 1
    assert "responseContext" not in document
    assert document["DDBStreamBatchInfo"]["batchSize"] == 1
    assert deliveries(virtual, function) == [[1]]
