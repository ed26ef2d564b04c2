"""Queues with the AWS CLI. As Debian ships it, it does not know StartMessageMoveTask, CancelMessageMoveTask and
ListMessageMoveTasks: those are in tests/test_sqs_moves.py. The basics are in tests/test_awscli.py."""
import json

import pytest

from awscli_support import aws, refused  # noqa: F401  aws is the fixture
from harness import eventually, unique

pytestmark = pytest.mark.local

NO_QUEUE = ("AWS.SimpleQueueService.NonExistentQueue", "The specified queue does not exist for this wsdl version.")


@pytest.fixture
def sqs(aws):  # noqa: F811
    """sqs("send-message", …), and sqs.error(…) for the refused."""
    def sqs(command, **options):
        return aws("sqs", command, **options)
    sqs.error = lambda command, **options: aws.error("sqs", command, **options)
    return sqs


def receive(sqs, url, count=1, **options):
    """So many messages."""
    found = []

    def enough():
        answer = sqs("receive-message", queue_url=url, max_number_of_messages=10, wait_time_seconds=1,
                     attribute_names="All", **options)
        found.extend((answer or {}).get("Messages", []))
        return len(found) >= count
    eventually(enough, f"{count} messages")
    return found


def attribute(sqs, url, name):
    found = sqs("get-queue-attributes", queue_url=url, attribute_names=name)
    return ((found or {}).get("Attributes") or {}).get(name)


def test_queues_are_listed_by_prefix_and_gone_when_deleted(sqs, create_queue):
    prefix = unique("listed")
    urls = sorted(create_queue(f"{prefix}-{number}") for number in range(3))
    assert sqs("list-queues", queue_name_prefix=prefix) == {"QueueUrls": urls}
    assert sqs("list-queues", queue_name_prefix=prefix, page_size=2)["QueueUrls"] == urls
    first = sqs("list-queues", queue_name_prefix=prefix, max_items=2, page_size=2)
    assert first["QueueUrls"] == urls[:2]
    rest = sqs("list-queues", queue_name_prefix=prefix, starting_token=first["NextToken"])
    assert rest["QueueUrls"] == urls[2:]
    for url in urls:
        sqs("delete-queue", queue_url=url)
    assert sqs("list-queues", queue_name_prefix=prefix) is None
    assert sqs.error("delete-queue", queue_url=urls[0]) == refused("DeleteQueue", *NO_QUEUE)
    assert sqs.error("list-queues", max_results=1001).startswith(
        refused("ListQueues", "InvalidParameterValue", "Value 1001 for parameter MaxResults is invalid."))


def test_attributes_are_set_and_wrong_ones_refused(sqs, create_queue):
    url = create_queue()
    wanted = {"VisibilityTimeout": "77", "DelaySeconds": "0", "MessageRetentionPeriod": "3600"}
    sqs("set-queue-attributes", queue_url=url, attributes=wanted)
    shown = sqs("get-queue-attributes", queue_url=url, attribute_names="All")["Attributes"]
    assert {name: shown[name] for name in wanted} == wanted
    assert sqs.error("set-queue-attributes", queue_url=url, attributes={"VisibilityTimeout": "43201"}) == refused(
        "SetQueueAttributes", "InvalidAttributeValue", "Invalid value for the parameter VisibilityTimeout.")
    assert sqs.error("set-queue-attributes", queue_url=url, attributes={"Colour": "red"}) == refused(
        "SetQueueAttributes", "InvalidAttributeName", "Unknown Attribute Colour.")
    assert attribute(sqs, url, "VisibilityTimeout") == "77"
    assert sqs.error("get-queue-attributes", queue_url=url, attribute_names="Colour") == refused(
        "GetQueueAttributes", "InvalidAttributeName", "Unknown Attribute Colour.")
    assert sqs.error("set-queue-attributes", queue_url=url + "-none", attributes=wanted) == refused(
        "SetQueueAttributes", *NO_QUEUE)
    assert sqs.error("create-queue", queue_name=url.split("/")[-1], attributes={"VisibilityTimeout": "78"}) == refused(
        "CreateQueue", "QueueAlreadyExists",
        "A queue already exists with the same name and a different value for attribute VisibilityTimeout")


def test_tags_come_and_go(sqs, create_queue):
    url = create_queue()
    assert sqs("list-queue-tags", queue_url=url) is None
    sqs("tag-queue", queue_url=url, tags={"team": "a", "cost": ""})
    sqs("tag-queue", queue_url=url, tags={"team": "b"})
    assert sqs("list-queue-tags", queue_url=url) == {"Tags": {"team": "b", "cost": ""}}
    sqs("untag-queue", queue_url=url, tag_keys=["cost", "never-there"])
    assert sqs("list-queue-tags", queue_url=url) == {"Tags": {"team": "b"}}
    assert sqs.error("tag-queue", queue_url=url, tags={str(number): "x" for number in range(50)}) == refused(
        "TagQueue", "InvalidParameterValue", f"Too many tags added for queue {url.split('/')[-1]}.")
    assert sqs("list-queue-tags", queue_url=url) == {"Tags": {"team": "b"}}
    missing = url + "-none"
    assert sqs.error("tag-queue", queue_url=missing, tags={"a": "1"}) == refused("TagQueue", *NO_QUEUE)
    assert sqs.error("untag-queue", queue_url=missing, tag_keys=["a"]) == refused("UntagQueue", *NO_QUEUE)
    assert sqs.error("list-queue-tags", queue_url=missing) == refused("ListQueueTags", *NO_QUEUE)


def test_permissions_are_statements_of_the_policy_until_they_are_removed(sqs, create_queue):
    url = create_queue()
    arn = attribute(sqs, url, "QueueArn")
    permission = {"queue_url": url, "label": "partner", "aws_account_ids": ["111111111111"]}
    sqs("add-permission", **permission, actions=["SendMessage", "GetQueueUrl"])
    [statement] = json.loads(attribute(sqs, url, "Policy"))["Statement"]
    assert statement == {"Sid": "partner", "Effect": "Allow", "Principal": {"AWS": "arn:aws:iam::111111111111:root"},
                         "Action": ["SQS:SendMessage", "SQS:GetQueueUrl"], "Resource": arn}
    assert sqs.error("add-permission", **permission, actions=["SendMessage"]) == refused(
        "AddPermission", "InvalidParameterValue",
        "Value partner for parameter Label is invalid. Reason: Already exists.")
    assert sqs.error("add-permission", **{**permission, "label": "other"}, actions=["DeleteQueue"]) == refused(
        "AddPermission", "InvalidParameterValue", "Value SQS:DeleteQueue for parameter ActionName is invalid. Reason: "
        "Only the queue owner is allowed to invoke this action.")
    sqs("remove-permission", queue_url=url, label="partner")
    assert attribute(sqs, url, "Policy") is None
    assert sqs.error("remove-permission", queue_url=url, label="partner") == refused(
        "RemovePermission", "InvalidParameterValue",
        "Value partner for parameter Label is invalid. Reason: can't find label.")


def test_batches_are_sent_hidden_and_deleted_entry_by_entry(sqs, create_queue):
    url = create_queue(MaximumMessageSize="1024")
    sent = sqs("send-message-batch", queue_url=url, entries=[
        {"Id": "small", "MessageBody": "1", "MessageAttributes": {"kind": {"DataType": "String", "StringValue": "x"}}},
        {"Id": "large", "MessageBody": "x" * 1025}, {"Id": "other", "MessageBody": "2"}])
    assert [entry["Id"] for entry in sent["Successful"]] == ["small", "other"]
    assert [(entry["Id"], entry["Code"], entry["SenderFault"]) for entry in sent["Failed"]] == \
        [("large", "InvalidParameterValue", True)]
    messages = {message["MessageId"]: message for message in receive(sqs, url, 2, message_attribute_names="All")}
    assert messages.keys() == {entry["MessageId"] for entry in sent["Successful"]}
    first, second = (messages[entry["MessageId"]] for entry in sent["Successful"])
    assert first["MessageAttributes"] == {"kind": {"DataType": "String", "StringValue": "x"}}

    shown = sqs("change-message-visibility-batch", queue_url=url, entries=[
        {"Id": "now", "ReceiptHandle": first["ReceiptHandle"], "VisibilityTimeout": 0},
        {"Id": "later", "ReceiptHandle": second["ReceiptHandle"], "VisibilityTimeout": 600},
        {"Id": "wrong", "ReceiptHandle": second["ReceiptHandle"], "VisibilityTimeout": 43201}])
    assert [entry["Id"] for entry in shown["Successful"]] == ["now", "later"]
    assert [(entry["Id"], entry["Code"]) for entry in shown["Failed"]] == [("wrong", "InvalidParameterValue")]
    [again] = receive(sqs, url)
    assert (again["MessageId"], again["Attributes"]["ApproximateReceiveCount"]) == (first["MessageId"], "2")

    deleted = sqs("delete-message-batch", queue_url=url, entries=[
        {"Id": "first", "ReceiptHandle": again["ReceiptHandle"]}, {"Id": "wrong", "ReceiptHandle": "garbage"},
        {"Id": "second", "ReceiptHandle": second["ReceiptHandle"]}])
    assert [entry["Id"] for entry in deleted["Successful"]] == ["first", "second"]
    assert [(entry["Id"], entry["Code"]) for entry in deleted["Failed"]] == [("wrong", "ReceiptHandleIsInvalid")]
    assert attribute(sqs, url, "ApproximateNumberOfMessagesNotVisible") == "0"
    assert attribute(sqs, url, "ApproximateNumberOfMessages") == "0"


def test_batches_that_are_wrong_as_a_whole_are_refused(sqs, create_queue):
    url = create_queue()
    code = "AWS.SimpleQueueService."
    entry = {"Id": "a", "MessageBody": "x"}
    assert sqs.error("send-message-batch", queue_url=url, entries=[]) == refused(
        "SendMessageBatch", code + "EmptyBatchRequest",
        "There should be at least one SendMessageBatchRequestEntry in the request.")
    assert sqs.error("send-message-batch", queue_url=url, entries=[entry, entry]) == refused(
        "SendMessageBatch", code + "BatchEntryIdsNotDistinct", "Id a repeated.")
    many = [{"Id": str(number), "ReceiptHandle": "x"} for number in range(11)]
    assert sqs.error("delete-message-batch", queue_url=url, entries=many) == refused(
        "DeleteMessageBatch", code + "TooManyEntriesInBatchRequest",
        "Maximum number of entries per request are 10. You have sent 11.")
    assert sqs.error("change-message-visibility-batch", queue_url=url, entries=[
        {"Id": "a b", "ReceiptHandle": "x", "VisibilityTimeout": 0}]) == refused(
            "ChangeMessageVisibilityBatch", code + "InvalidBatchEntryId",
            "A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 "
            "letters long.")
    assert attribute(sqs, url, "ApproximateNumberOfMessages") == "0"


def test_a_message_is_shown_again_at_once_and_not_once_it_is_deleted(sqs, create_queue):
    url = create_queue(VisibilityTimeout="600")
    sent = sqs("send-message", queue_url=url, message_body="x")
    [message] = receive(sqs, url)
    handle = message["ReceiptHandle"]
    assert sqs.error("change-message-visibility", queue_url=url, receipt_handle=handle, visibility_timeout=43201) == \
        refused("ChangeMessageVisibility", "InvalidParameterValue", "Value 43201 for parameter VisibilityTimeout is "
                "invalid. Reason: Must be between 0 and 43200, if provided.")
    sqs("change-message-visibility", queue_url=url, receipt_handle=handle, visibility_timeout=0)
    [again] = receive(sqs, url)
    assert again["MessageId"] == sent["MessageId"]
    sqs("delete-message", queue_url=url, receipt_handle=again["ReceiptHandle"])
    assert sqs("receive-message", queue_url=url) is None
    handle = again["ReceiptHandle"]
    assert sqs.error("change-message-visibility", queue_url=url, receipt_handle=handle, visibility_timeout=0) == \
        refused("ChangeMessageVisibility", "InvalidParameterValue", f"Value {handle} for parameter ReceiptHandle is "
                "invalid. Reason: Message does not exist or is not available for visibility timeout change.")
    assert sqs.error("delete-message", queue_url=url, receipt_handle="garbage").startswith(
        refused("DeleteMessage", "ReceiptHandleIsInvalid", "The input receipt handle"))
    assert sqs.error("change-message-visibility", queue_url=url, receipt_handle="garbage",
                     visibility_timeout=1).startswith(
        refused("ChangeMessageVisibility", "ReceiptHandleIsInvalid", "The input receipt handle"))


def test_messages_are_refused_in_aws_words(sqs, create_queue):
    url = create_queue()
    assert sqs.error("receive-message", queue_url=url, max_number_of_messages=11) == refused(
        "ReceiveMessage", "InvalidParameterValue",
        "Value 11 for parameter MaxNumberOfMessages is invalid. Reason: Must be between 1 and 10, if provided.")
    assert sqs.error("send-message", queue_url=create_queue(fifo=True), message_body="x") == refused(
        "SendMessage", "MissingParameter", "The request must contain the parameter MessageGroupId.")
    assert sqs.error("send-message", queue_url=url + "-none", message_body="x") == refused("SendMessage", *NO_QUEUE)
    assert sqs.error("receive-message", queue_url=url + "-none") == refused("ReceiveMessage", *NO_QUEUE)


def test_a_purge_takes_what_is_in_flight_too_and_is_allowed_once_a_minute(sqs, create_queue):
    url = create_queue()
    for body in ("seen", "unseen"):
        sqs("send-message", queue_url=url, message_body=body)
    assert len(sqs("receive-message", queue_url=url)["Messages"]) == 1
    sqs("purge-queue", queue_url=url)
    assert attribute(sqs, url, "ApproximateNumberOfMessages") == "0"
    assert attribute(sqs, url, "ApproximateNumberOfMessagesNotVisible") == "0"
    assert sqs.error("purge-queue", queue_url=url) == refused(
        "PurgeQueue", "AWS.SimpleQueueService.PurgeQueueInProgress",
        f"Only one PurgeQueue operation on {url.split('/')[-1]} is allowed every 60 seconds.")
    assert sqs.error("purge-queue", queue_url=url + "-none") == refused("PurgeQueue", *NO_QUEUE)


def test_a_dead_letter_queue_knows_its_sources(sqs, create_queue):
    dead, sources = create_queue(), [create_queue() for _ in range(3)]
    assert sqs("list-dead-letter-source-queues", queue_url=dead) in (None, {"queueUrls": []})
    policy = json.dumps({"deadLetterTargetArn": attribute(sqs, dead, "QueueArn"), "maxReceiveCount": 1})
    for source in sources:
        sqs("set-queue-attributes", queue_url=source, attributes={"RedrivePolicy": policy})
    found = sqs("list-dead-letter-source-queues", queue_url=dead, page_size=2)["queueUrls"]
    assert sorted(found) == sorted(sources)
    sqs("set-queue-attributes", queue_url=sources[0], attributes={"RedrivePolicy": ""})
    found = sqs("list-dead-letter-source-queues", queue_url=dead)["queueUrls"]
    assert sorted(found) == sorted(sources[1:])

    sent = sqs("send-message", queue_url=sources[1], message_body="poison")
    [message] = receive(sqs, sources[1], visibility_timeout=0)
    assert message["MessageId"] == sent["MessageId"]
    eventually(lambda: sqs("receive-message", queue_url=sources[1]) is None)
    [given_up] = receive(sqs, dead)
    assert given_up["MessageId"] == sent["MessageId"]
    assert sqs.error("list-dead-letter-source-queues", queue_url=dead + "-none") == refused(
        "ListDeadLetterSourceQueues", *NO_QUEUE)
