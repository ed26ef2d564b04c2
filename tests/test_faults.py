"""Faults that somebody asks for: `tidemill faults` and /_tidemill/faults (docs/faults.md)."""
import json
import subprocess
import time
import urllib.error
import urllib.request

import pytest
from botocore.exceptions import ClientError

from harness import SERVER, Cloud, eventually

pytestmark = pytest.mark.local


@pytest.fixture
def faulty(start_server):
    cloud = Cloud(start_server().endpoint)
    with cloud.cleanup:
        yield cloud


def faults(cloud, *arguments):
    return subprocess.run([SERVER, "faults", *arguments, "--endpoint", cloud.endpoint], capture_output=True, text=True)


def add(cloud, **fault):
    return cloud.put("/_tidemill/faults", fault)


def listed_faults(cloud):
    return json.loads(cloud.get("/_tidemill/faults"))["faults"]


def clear(cloud, query=""):
    request = urllib.request.Request(cloud.endpoint + "/_tidemill/faults" + query, method="DELETE")
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.loads(answer.read())


def refused(cloud, **fault):
    with pytest.raises(urllib.error.HTTPError) as caught:
        add(cloud, **fault)
    assert caught.value.code == 400
    return json.loads(caught.value.read())["error"]


def error_of(call, **request):
    with pytest.raises(ClientError) as caught:
        call(**request)
    return caught.value.response


def make_table(cloud):
    cloud.dynamodb.create_table(TableName="things", BillingMode="PAY_PER_REQUEST",
                                KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
                                AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}])
    return "things"


def puts(ids):
    return {"things": [{"PutRequest": {"Item": {"id": {"S": str(i)}}}} for i in ids]}


def test_the_command_adds_lists_and_clears(faulty):
    assert faults(faulty, "list").stdout == "there are no faults\n"
    added = faults(faulty, "add", "--service", "dynamodb", "--operation", "ListTables", "--error",
                   "InternalServerError", "--times", "2", "--seed", "7")
    assert added.returncode == 0 and added.stdout == "fault 1, seed 7\n", added.stderr
    answer = error_of(faulty.dynamodb.list_tables)
    assert answer["Error"]["Code"] == "InternalServerError"
    assert answer["ResponseMetadata"]["HTTPStatusCode"] == 500
    faulty.sqs.list_queues()  # another operation meets nothing
    assert faults(faulty, "list").stdout == (
        "1  dynamodb.ListTables  fail InternalServerError  probability 1  times 2  seed 7  struck 1 of 1\n")
    error_of(faulty.dynamodb.list_tables)
    faulty.dynamodb.list_tables()  # no more than twice
    assert faults(faulty, "add", "--function", "f", "--throttle").returncode == 0
    assert faults(faulty, "clear", "1").stdout == "1 cleared\n"
    assert faults(faulty, "list").stdout.startswith("2  function f  throttle")
    assert faults(faulty, "clear").stdout == "1 cleared\n"
    assert faults(faulty, "list").stdout == "there are no faults\n"


@pytest.mark.parametrize("service, operation, request_, code, status", [
    ("dynamodb", "list_tables", {}, "ProvisionedThroughputExceededException", 400),
    ("kinesis", "list_streams", {}, "ProvisionedThroughputExceededException", 400),
    ("sqs", "list_queues", {}, "RequestThrottled", None),
    ("sns", "list_topics", {}, "Throttled", None),
    ("lambda", "list_functions", {}, "TooManyRequestsException", 429),
    ("s3", "list_buckets", {}, "SlowDown", 503),
    ("events", "list_rules", {}, "ThrottlingException", 400),
    ("logs", "describe_log_groups", {}, "ThrottlingException", 400),
])
def test_a_throttle_is_each_services_own(faulty, service, operation, request_, code, status):
    add(faulty, service=service, effect="throttle", times=1)
    call = getattr(faulty.client(service), operation)
    answer = error_of(call, **request_)
    assert answer["Error"]["Code"] == code
    assert "tidemill faults" in answer["Error"]["Message"]
    if status:
        assert answer["ResponseMetadata"]["HTTPStatusCode"] == status
    call(**request_)


def test_what_is_throttled_succeeds_for_a_client_that_tries_again(faulty):
    add(faulty, service="dynamodb", operation="ListTables", effect="throttle", times=2)
    faulty.client("dynamodb", retries={"max_attempts": 4, "mode": "standard"}).list_tables()
    listed, = listed_faults(faulty)
    assert listed["struck"] == 2


def test_an_error_has_the_name_status_and_message_that_were_asked_for(faulty):
    add(faulty, service="dynamodb", operation="ListTables", effect="fail", error="LimitExceededException",
        status=418, message="no more")
    answer = error_of(faulty.dynamodb.list_tables)
    assert answer["Error"] == {"Code": "LimitExceededException", "Message": "no more"}
    assert answer["ResponseMetadata"]["HTTPStatusCode"] == 418


def test_the_same_seed_strikes_the_same_calls(faulty):
    def outcomes(seed):
        added = add(faulty, service="sqs", operation="ListQueues", effect="throttle", probability=0.5, seed=seed)
        result = []
        for _ in range(30):
            try:
                faulty.sqs.list_queues()
                result.append(True)
            except ClientError:
                result.append(False)
        clear(faulty, f"?id={added['id']}")
        return result

    first = outcomes(1)
    assert 5 < sum(first) < 25
    assert outcomes(1) == first != outcomes(2)


def test_a_delay_passes_in_the_machines_time(start_server):
    cloud = Cloud(start_server("--clock", "virtual").endpoint)
    assert faults(cloud, "add", "--service", "sqs", "--delay", "300ms", "--times", "1").returncode == 0
    begin = time.monotonic()
    cloud.sqs.list_queues()
    assert time.monotonic() - begin >= 0.3


def test_batch_write_item_leaves_items_unprocessed(faulty):
    table = make_table(faulty)
    add(faulty, service="dynamodb", operation="BatchWriteItem", effect="partial", times=10)
    left = faulty.dynamodb.batch_write_item(RequestItems=puts(range(25)))["UnprocessedItems"]
    assert left == puts(range(10))
    assert faulty.dynamodb.scan(TableName=table)["Count"] == 15
    assert faulty.dynamodb.batch_write_item(RequestItems=left)["UnprocessedItems"] == {}
    assert faulty.dynamodb.scan(TableName=table)["Count"] == 25


def test_batch_write_item_may_leave_all_and_still_refuses_what_is_wrong(faulty):
    make_table(faulty)
    add(faulty, service="dynamodb", operation="BatchWriteItem", effect="partial")
    assert faulty.dynamodb.batch_write_item(RequestItems=puts(range(3)))["UnprocessedItems"] == puts(range(3))
    answer = error_of(faulty.dynamodb.batch_write_item, RequestItems=puts([1, 1]))
    assert answer["Error"]["Message"] == "Provided list of item keys contains duplicates"
    answer = error_of(faulty.dynamodb.batch_write_item, RequestItems={"nothing": puts([1])["things"]})
    assert answer["Error"]["Code"] == "ResourceNotFoundException"


def test_batch_get_item_leaves_keys_unprocessed(faulty):
    make_table(faulty)
    faulty.dynamodb.batch_write_item(RequestItems=puts(range(10)))
    keys = [{"id": {"S": str(i)}} for i in range(10)]
    add(faulty, service="dynamodb", operation="BatchGetItem", effect="partial", times=4)
    request = {"things": {"Keys": keys, "ProjectionExpression": "id"}}
    answer = faulty.dynamodb.batch_get_item(RequestItems=request)
    assert answer["UnprocessedKeys"] == {"things": {"Keys": keys[:4], "ProjectionExpression": "id"}}
    assert answer["Responses"]["things"] == keys[4:]
    add(faulty, service="dynamodb", operation="BatchGetItem", effect="partial")
    answer = faulty.dynamodb.batch_get_item(RequestItems=request)
    assert answer["UnprocessedKeys"]["things"]["Keys"] == keys and answer["Responses"] == {"things": []}


def test_put_records_fails_single_records(faulty):
    faulty.kinesis.create_stream(StreamName="s", ShardCount=1)
    faulty.kinesis.get_waiter("stream_exists").wait(StreamName="s")
    add(faulty, service="kinesis", operation="PutRecords", effect="partial", times=2)
    records = [{"Data": str(i), "PartitionKey": "k"} for i in range(5)]
    answer = faulty.kinesis.put_records(StreamName="s", Records=records)
    assert answer["FailedRecordCount"] == 2
    codes = [record.get("ErrorCode") for record in answer["Records"]]
    assert codes == ["ProvisionedThroughputExceededException"] * 2 + [None] * 3
    add(faulty, service="kinesis", operation="PutRecords", effect="partial", error="InternalFailure", times=5)
    answer = faulty.kinesis.put_records(StreamName="s", Records=records)
    assert [record["ErrorCode"] for record in answer["Records"]] == ["InternalFailure"] * 5
    shard = faulty.kinesis.list_shards(StreamName="s")["Shards"][0]["ShardId"]
    place = faulty.kinesis.get_shard_iterator(StreamName="s", ShardId=shard, ShardIteratorType="TRIM_HORIZON")
    read = faulty.kinesis.get_records(ShardIterator=place["ShardIterator"])["Records"]
    assert [record["Data"] for record in read] == [b"2", b"3", b"4"]


def test_batches_of_queues_and_topics_fail_entry_by_entry(faulty):
    url = faulty.sqs.create_queue(QueueName="q")["QueueUrl"]
    entries = [{"Id": str(i), "MessageBody": str(i)} for i in range(4)]
    add(faulty, service="sqs", operation="SendMessageBatch", effect="partial", times=1)
    answer = faulty.sqs.send_message_batch(QueueUrl=url, Entries=entries)
    failure, = answer["Failed"]
    assert (failure["Id"], failure["SenderFault"], failure["Code"]) == ("0", False, "InternalError")
    assert [entry["Id"] for entry in answer["Successful"]] == ["1", "2", "3"]

    received = faulty.sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10, VisibilityTimeout=600)["Messages"]
    handles = [{"Id": str(i), "ReceiptHandle": message["ReceiptHandle"]} for i, message in enumerate(received)]
    add(faulty, service="sqs", operation="ChangeMessageVisibilityBatch", effect="partial", times=1)
    answer = faulty.sqs.change_message_visibility_batch(
        QueueUrl=url, Entries=[{**handle, "VisibilityTimeout": 500} for handle in handles])
    assert [entry["Id"] for entry in answer["Failed"]] == ["0"] and len(answer["Successful"]) == len(handles) - 1
    add(faulty, service="sqs", operation="DeleteMessageBatch", effect="partial", times=1, error="ServiceUnavailable")
    answer = faulty.sqs.delete_message_batch(QueueUrl=url, Entries=handles)
    assert [(entry["Id"], entry["Code"]) for entry in answer["Failed"]] == [("0", "ServiceUnavailable")]
    left = faulty.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["ApproximateNumberOfMessagesNotVisible"])
    assert left["Attributes"]["ApproximateNumberOfMessagesNotVisible"] == "1"

    topic = faulty.client("sns").create_topic(Name="topic")["TopicArn"]
    add(faulty, service="sns", operation="PublishBatch", effect="partial", times=1)
    answer = faulty.client("sns").publish_batch(TopicArn=topic, PublishBatchRequestEntries=[
        {"Id": entry["Id"], "Message": "m"} for entry in entries])
    failure, = answer["Failed"]
    assert (failure["Id"], failure["SenderFault"]) == ("0", False)
    assert [entry["Id"] for entry in answer["Successful"]] == ["1", "2", "3"]


def test_put_events_fails_single_entries(faulty):
    add(faulty, service="events", operation="PutEvents", effect="partial", times=1, error="ThrottlingException")
    entry = {"Source": "mine", "DetailType": "d", "Detail": "{}"}
    answer = faulty.client("events").put_events(Entries=[entry, entry])
    assert answer["FailedEntryCount"] == 1
    assert answer["Entries"][0]["ErrorCode"] == "ThrottlingException" and "EventId" in answer["Entries"][1]


def test_a_function_is_throttled_failed_and_slow(faulty):
    name = faulty.create_function("def handler(event, context): return 'ran'")
    add(faulty, function=name, effect="throttle", times=1)
    assert error_of(faulty.functions.invoke, FunctionName=name)["Error"]["Code"] == "TooManyRequestsException"
    add(faulty, function=name, effect="fail", error="Boom", message="as asked", times=1)
    answer = faulty.functions.invoke(FunctionName=name)
    assert answer["FunctionError"] == "Unhandled"
    document = json.loads(answer["Payload"].read())
    assert document["errorType"] == "Boom" and "as asked" in document["errorMessage"]
    add(faulty, function=name, effect="delay", delay=0.3, times=1)
    begin = time.monotonic()
    assert json.loads(faulty.functions.invoke(FunctionName=name)["Payload"].read()) == "ran"
    assert time.monotonic() - begin >= 0.3


def test_a_mapping_tries_again_what_a_fault_throttled_and_failed(faulty):
    name = faulty.create_function("def handler(event, context): return {}", Timeout=10)
    url = faulty.sqs.create_queue(QueueName="work", Attributes={"VisibilityTimeout": "10"})["QueueUrl"]
    add(faulty, function=name, effect="throttle", times=2)
    faulty.functions.create_event_source_mapping(FunctionName=name, EventSourceArn=faulty.queue_arn(url))
    faulty.sqs.send_message(QueueUrl=url, MessageBody="m")

    def gone():
        counts = faulty.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
        return counts["ApproximateNumberOfMessages"] == counts["ApproximateNumberOfMessagesNotVisible"] == "0"

    eventually(gone, "the message was handled", deadline_seconds=180)
    assert listed_faults(faulty)[0]["struck"] == 2


def test_an_event_that_a_fault_throttles_waits_for_its_function(start_server):
    cloud = Cloud(start_server("--clock", "virtual").endpoint)
    name = cloud.recorder()
    cloud.functions.put_function_event_invoke_config(FunctionName=name, MaximumRetryAttempts=0)
    add(cloud, function=name, effect="throttle", times=3)
    cloud.functions.invoke(FunctionName=name, InvocationType="Event", Payload=b"{}")
    cloud.advance(600)
    assert len(cloud.wait_for_events(name, 1)) == 1
    assert listed_faults(cloud)[0]["struck"] == 3


def test_deliveries_of_the_platform_meet_faults_and_try_again(start_server):
    cloud = Cloud(start_server("--clock", "virtual").endpoint)
    url = cloud.sqs.create_queue(QueueName="q")["QueueUrl"]
    topic = cloud.client("sns").create_topic(Name="t")["TopicArn"]
    cloud.client("sns").subscribe(TopicArn=topic, Protocol="sqs", Endpoint=cloud.queue_arn(url))
    add(cloud, service="sqs", operation="SendMessage", effect="fail")
    cloud.client("sns").publish(TopicArn=topic, Message="m")
    eventually(lambda: listed_faults(cloud)[0]["struck"] > 0, "the delivery fails")
    assert "Messages" not in cloud.sqs.receive_message(QueueUrl=url)
    clear(cloud)
    cloud.advance(3600)
    assert len(cloud.sqs.receive_message(QueueUrl=url)["Messages"]) == 1


def test_what_is_wrong_is_refused_by_name(faulty):
    assert "what is it to strike" in refused(faulty, effect="throttle")
    assert refused(faulty, service="kitchen", effect="throttle") == "there is no service kitchen"
    assert "there is no operation Boil of sqs" == refused(faulty, service="sqs", operation="Boil", effect="throttle")
    assert "\"effect\" must be" in refused(faulty, service="sqs")
    assert "a fault has no \"color\"" == refused(faulty, service="sqs", effect="throttle", color="red")
    assert "not for sqs.SendMessage" in refused(faulty, service="sqs", operation="SendMessage", effect="partial")
    assert "probability" in refused(faulty, service="sqs", effect="throttle", probability=1.5)
    assert "delay" in refused(faulty, service="sqs", effect="delay")
    assert "delay" in refused(faulty, service="sqs", effect="delay", delay=100000)
    assert "times" in refused(faulty, service="sqs", effect="throttle", times=0)
    assert "error" in refused(faulty, service="sqs", effect="fail", error="a\r\nb: c")
    assert "function" in refused(faulty, function="f", service="sqs", effect="throttle")
    assert "partial" in refused(faulty, function="f", effect="partial")
    assert "without a qualifier" in refused(faulty, function="f:1", effect="throttle")
    arn = "arn:aws:lambda:us-east-1:000000000000:function:f"
    assert "without a qualifier" in refused(faulty, function=arn + ":live", effect="throttle")
    assert "id" in add(faulty, function=arn, effect="throttle")
    assert faults(faulty, "add", "--service", "sqs").returncode == 2
    assert faults(faulty, "add", "--service", "sqs", "--throttle", "--partial").returncode == 2
    assert faults(faulty, "add", "--service", "sqs", "--delay", "soon").returncode == 2
    assert "there is no fault 9" in faults(faulty, "clear", "9").stderr
    assert "--probability" in faults(faulty, "--help").stdout
