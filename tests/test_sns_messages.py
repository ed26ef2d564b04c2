"""What is published reaches queues and functions: envelopes, raw messages, filters, batches, groups, dead letters."""
import concurrent.futures
import json

import pytest

from harness import eventually, refused, unique
from sns_support import *  # noqa: F403  the fixtures
from sns_support import Subscriber, allow, receive


def test_a_message_reaches_every_queue(sns, create_topic, subscribe_queue):
    topic = create_topic()
    subscribers = [subscribe_queue(topic) for _ in range(3)]
    sent = sns.publish(TopicArn=topic, Message='hello "you" ü\n', Subject="greeting", MessageAttributes={
        "text": {"DataType": "String", "StringValue": "x"}, "bytes": {"DataType": "Binary", "BinaryValue": b"\x00\xff"}})
    for subscriber in subscribers:
        message = json.loads(subscriber.messages(1)[0]["Body"])
        assert message["Type"] == "Notification"
        assert message["MessageId"] == sent["MessageId"]
        assert message["TopicArn"] == topic
        assert message["Subject"] == "greeting"
        assert message["Message"] == 'hello "you" ü\n'
        assert message["SignatureVersion"] == "1"
        assert subscriber.arn in message["UnsubscribeURL"]
        assert message["MessageAttributes"] == {"text": {"Type": "String", "Value": "x"},
                                                "bytes": {"Type": "Binary", "Value": "AP8="}}


def test_raw_messages_come_as_they_are(sns, create_topic, subscribe_queue):
    topic = create_topic()
    subscriber = subscribe_queue(topic, RawMessageDelivery="true")
    attributes = {"n": {"DataType": "Number", "StringValue": "7"},
                  "bytes": {"DataType": "Binary", "BinaryValue": b"\x01"}}
    sns.publish(TopicArn=topic, Message="<plain>", MessageAttributes=attributes)
    message = subscriber.messages(1)[0]
    assert message["Body"] == "<plain>"
    assert message["MessageAttributes"] == attributes


def test_each_protocol_may_have_a_text_of_its_own(sns, create_topic, subscribe_queue):
    topic = create_topic()
    subscriber = subscribe_queue(topic, RawMessageDelivery="true")
    sns.publish(TopicArn=topic, MessageStructure="json", Message=json.dumps({"default": "d", "sqs": "for queues"}))
    sns.publish(TopicArn=topic, MessageStructure="json", Message=json.dumps({"default": "d", "http": "for URLs"}))
    assert sorted(subscriber.bodies(2)) == ["d", "for queues"]
    with refused("InvalidParameter", "No default entry in JSON message body"):
        sns.publish(TopicArn=topic, MessageStructure="json", Message=json.dumps({"sqs": "x"}))
    with refused("InvalidParameter", "JSON message body failed to parse"):
        sns.publish(TopicArn=topic, MessageStructure="json", Message="x")


def test_messages_are_checked(sns, create_topic):
    topic = create_topic()
    with refused("InvalidParameter", "Empty message"):
        sns.publish(TopicArn=topic, Message="")
    with refused("InvalidParameter", "Message too long"):
        sns.publish(TopicArn=topic, Message="x" * (256 * 1024 + 1))
    sns.publish(TopicArn=topic, Message="x" * (256 * 1024))
    for subject in ["", "x" * 101, "line\nbreak", " blank"]:
        with refused("InvalidParameter", "Subject"):
            sns.publish(TopicArn=topic, Message="x", Subject=subject)
    with refused("InvalidParameter", "MessageDeduplicationId"):
        sns.publish(TopicArn=topic, Message="x", MessageDeduplicationId="d")
    with refused("NotFound", "Topic does not exist"):
        sns.publish(TopicArn=topic + "x", Message="x")
    with refused("InvalidParameter", "TopicArn or TargetArn Reason: no value for required parameter"):
        sns.publish(Message="x")
    with refused("ParameterValueInvalid", "must contain non-empty message attribute value"):
        sns.publish(TopicArn=topic, Message="x", MessageAttributes={"a": {"DataType": "String", "StringValue": ""}})
    with refused("ParameterValueInvalid", "Could not cast message attribute 'a' value to number."):
        sns.publish(TopicArn=topic, Message="x", MessageAttributes={"a": {"DataType": "Number", "StringValue": "x"}})
    with refused("ParameterValueInvalid", "has an invalid message attribute type"):
        sns.publish(TopicArn=topic, Message="x", MessageAttributes={"a": {"DataType": "Thing", "StringValue": "x"}})
    assert "MessageId" in sns.publish(TargetArn=topic, Message="x")


# As recorded on AWS.
@pytest.mark.parametrize("name, value, message", [
    ("a^b", {"DataType": "String", "StringValue": "x"},
     "Invalid non-alphanumeric character '#x5E' was found in the message attribute name. Can only include alphanumeric "
     "characters, hyphens, underscores, or dots."),
    ("n" * 257, {"DataType": "String", "StringValue": "x"}, "Length of message attribute name must be less than 256 bytes."),
    (".a", {"DataType": "String", "StringValue": "x"}, "Invalid message attribute name starting with character '.' was found."),
    ("a.", {"DataType": "String", "StringValue": "x"}, "Invalid message attribute name ending with character '.' was found."),
    ("a..b", {"DataType": "String", "StringValue": "x"}, "Message attribute name can not have successive '.' character."),
    ("a", {"DataType": "String.", "StringValue": "x"},
     "The message attribute 'a' has an invalid message attribute type, the set of supported type prefixes is Binary, "
     "Number, and String."),
    ("a", {"DataType": "String", "BinaryValue": b"x"}, "The message attribute 'a' with type 'String' must use field 'String'."),
])
def test_attributes_are_refused_in_the_words_of_aws(sns, create_topic, name, value, message):
    with refused("ParameterValueInvalid", message):
        sns.publish(TopicArn=create_topic(), Message="x", MessageAttributes={name: value})


def test_a_topic_arn_that_is_empty_is_no_arn(sns):
    with refused("InvalidParameter", "An ARN must have at least 6 elements, not 1"):
        sns.publish(TopicArn="", Message="x")


def test_the_ids_of_entries_are_told(sns, create_topic):
    topic = create_topic()
    for entry_id, message in [
            ("message.id", "The Id of a batch entry in the batch request contains an impermissible character: message.id"),
            ("a" * 81, "The Id of a batch entry in the batch request is too long: " + "a" * 81)]:
        with refused("InvalidBatchEntryId", message):
            sns.publish_batch(TopicArn=topic, PublishBatchRequestEntries=[{"Id": entry_id, "Message": "x"}])


def test_a_standard_queue_is_not_told_of_the_groups_of_a_fifo_topic(sns, create_topic, subscribe_queue):
    topic = create_topic(fifo=True)
    subscriber = subscribe_queue(topic)
    sns.publish(TopicArn=topic, Message="x", MessageGroupId="g", MessageDeduplicationId="d")
    assert "MessageGroupId" not in subscriber.messages(1)[0].get("Attributes", {})


def test_subscribers_choose_by_attributes(sns, create_topic, subscribe_queue):
    topic = create_topic()
    subscriber = subscribe_queue(topic, RawMessageDelivery="true", FilterPolicy=json.dumps(
        {"store": ["a", {"prefix": "b"}], "price": [{"numeric": [">=", 100]}]}))
    arrays = subscribe_queue(topic, RawMessageDelivery="true", FilterPolicy=json.dumps({"tags": ["red"]}))

    def publish(text, store, price, tags=None):
        attributes = {"store": {"DataType": "String", "StringValue": store},
                      "price": {"DataType": "Number", "StringValue": price}}
        if tags:
            attributes["tags"] = {"DataType": "String.Array", "StringValue": json.dumps(tags)}
        sns.publish(TopicArn=topic, Message=text, MessageAttributes=attributes)
    publish("1", "a", "99.9")
    publish("2", "c", "100", ["blue", "red"])
    publish("3", "a", "100")
    publish("4", "bcd", "1e3")
    sns.publish(TopicArn=topic, Message="5")
    assert sorted(subscriber.bodies(2)) == ["3", "4"]
    assert arrays.bodies(1) == ["2"]
    sns.set_subscription_attributes(SubscriptionArn=subscriber.arn, AttributeName="FilterPolicy", AttributeValue="{}")
    sns.publish(TopicArn=topic, Message="6")
    assert subscriber.bodies(1) == ["6"]


def test_subscribers_choose_by_bodies(sns, create_topic, subscribe_queue):
    topic = create_topic()
    subscriber = subscribe_queue(topic, RawMessageDelivery="true", FilterPolicyScope="MessageBody",
                                 FilterPolicy=json.dumps({"order": {"kind": [{"anything-but": "test"}]}}))
    for body in ["no JSON", '{"order":{"kind":"test"}}', '{"order":{"kind":"real"}}', '{"order":[{"kind":"list"}]}']:
        sns.publish(TopicArn=topic, Message=body)
    assert sorted(subscriber.bodies(2)) == ['{"order":[{"kind":"list"}]}', '{"order":{"kind":"real"}}']


def test_batches_tell_what_failed(sns, create_topic, subscribe_queue):
    topic = create_topic()
    subscriber = subscribe_queue(topic, RawMessageDelivery="true")
    answer = sns.publish_batch(TopicArn=topic, PublishBatchRequestEntries=[
        {"Id": "a", "Message": "1"}, {"Id": "b", "Message": "2", "Subject": "line\nbreak"}, {"Id": "c", "Message": "3"}])
    assert [entry["Id"] for entry in answer["Successful"]] == ["a", "c"]
    assert [(entry["Id"], entry["Code"], entry["SenderFault"]) for entry in answer["Failed"]] == [
        ("b", "InvalidParameter", True)]
    assert sorted(subscriber.bodies(2)) == ["1", "3"]


@pytest.mark.parametrize("entries, code", [
    ([], "EmptyBatchRequest"),
    ([{"Id": str(n), "Message": "x"} for n in range(11)], "TooManyEntriesInBatchRequest"),
    ([{"Id": "a", "Message": "x"}, {"Id": "a", "Message": "x"}], "BatchEntryIdsNotDistinct"),
    ([{"Id": "a b", "Message": "x"}], "InvalidBatchEntryId"),
    ([{"Id": "a", "Message": "x" * 200_000}, {"Id": "b", "Message": "x" * 100_000}], "BatchRequestTooLong"),
])
def test_batches_are_checked(sns, create_topic, entries, code):
    with refused(code):
        sns.publish_batch(TopicArn=create_topic(), PublishBatchRequestEntries=entries)


def test_a_fifo_topic_keeps_the_order_of_groups_and_drops_duplicates(sns, create_topic, subscribe_queue):
    topic = create_topic(fifo=True, ContentBasedDeduplication="true")
    subscriber = subscribe_queue(topic, fifo=True)
    numbers = []
    for n in range(10):
        for group in ["a", "b"]:
            numbers.append(int(sns.publish(TopicArn=topic, Message=f"{group}{n}", MessageGroupId=group)["SequenceNumber"]))
    assert numbers == sorted(set(numbers)) and len(str(numbers[0])) == 20
    again = sns.publish(TopicArn=topic, Message="a0", MessageGroupId="a")
    assert int(again["SequenceNumber"]) == numbers[0]
    messages = subscriber.messages(20)
    assert len(messages) == 20
    envelopes = [json.loads(message["Body"]) for message in messages]
    for group in ["a", "b"]:
        texts = [envelope["Message"] for envelope, message in zip(envelopes, messages)
                 if message["Attributes"]["MessageGroupId"] == group]
        assert texts == [f"{group}{n}" for n in range(10)]
    assert all("SequenceNumber" in envelope and "Signature" not in envelope for envelope in envelopes)


def test_many_publish_to_one_fifo_topic(sns, create_topic, subscribe_queue):
    topic = create_topic(fifo=True)
    subscriber = subscribe_queue(topic, fifo=True, RawMessageDelivery="true")
    with concurrent.futures.ThreadPoolExecutor(16) as threads:
        answers = list(threads.map(
            lambda number: sns.publish(TopicArn=topic, Message=str(number), MessageGroupId=f"g{number % 16}",
                                       MessageDeduplicationId=str(number)), range(160)))
    assert len({answer["SequenceNumber"] for answer in answers}) == 160
    assert sorted(int(message["Body"]) for message in subscriber.messages(160)) == list(range(160))


def test_fifo_topics_need_groups_and_ids(sns, create_topic):
    topic = create_topic(fifo=True)
    with refused("InvalidParameter", "The MessageGroupId parameter is required for FIFO topics"):
        sns.publish(TopicArn=topic, Message="x", MessageDeduplicationId="d")
    with refused("InvalidParameter", "ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly"):
        sns.publish(TopicArn=topic, Message="x", MessageGroupId="g")
    with refused("InvalidParameter"):
        sns.subscribe(TopicArn=topic, Protocol="http", Endpoint="http://example.com/")


def test_duplicates_may_be_those_within_a_group(sns, create_topic, subscribe_queue):
    topic = create_topic(fifo=True, FifoThroughputScope="MessageGroup")
    subscriber = subscribe_queue(topic, fifo=True, RawMessageDelivery="true",
                                 queue={"DeduplicationScope": "messageGroup", "FifoThroughputLimit": "perMessageGroupId"})
    for group in ["a", "b", "a"]:
        sns.publish(TopicArn=topic, Message=group, MessageGroupId=group, MessageDeduplicationId="same")
    assert sorted(subscriber.bodies(2)) == ["a", "b"]


def test_groups_of_standard_topics_reach_standard_queues(sns, create_topic, subscribe_queue):
    topic = create_topic()
    subscriber = subscribe_queue(topic, RawMessageDelivery="true")
    sns.publish(TopicArn=topic, Message="x", MessageGroupId="tenant")
    assert subscriber.messages(1)[0]["Attributes"]["MessageGroupId"] == "tenant"


def test_what_cannot_be_delivered_goes_to_the_dead_letter_queue(cloud, sns, create_topic, subscribe_queue):
    topic = create_topic()
    dead = cloud.create_queue()
    dead_arn = cloud.queue_arn(dead)
    allow(cloud, dead, dead_arn)
    subscriber = subscribe_queue(topic, RawMessageDelivery="true",
                                 RedrivePolicy=json.dumps({"deadLetterTargetArn": dead_arn}))
    other = subscribe_queue(topic, RawMessageDelivery="true")
    cloud.sqs.delete_queue(QueueUrl=subscriber.url)
    sns.publish(TopicArn=topic, Message="lost", MessageAttributes={"a": {"DataType": "String", "StringValue": "1"}})
    message = receive(cloud.sqs, dead, 1)[0]
    assert message["Body"] == "lost"
    assert message["MessageAttributes"]["a"]["StringValue"] == "1"
    assert other.bodies(1) == ["lost"]


def test_a_function_is_run_with_the_message(cloud, sns, create_topic):
    topic = create_topic()
    function = cloud.recorder()
    arn = cloud.functions.get_function(FunctionName=function)["Configuration"]["FunctionArn"]
    subscription = sns.subscribe(TopicArn=topic, Protocol="lambda", Endpoint=arn)["SubscriptionArn"]
    sent = sns.publish(TopicArn=topic, Message="work", MessageAttributes={
        "a": {"DataType": "String", "StringValue": "1"}})
    record = cloud.wait_for_events(function, 1)[0]["Records"][0]
    assert record["EventSource"] == "aws:sns"
    assert record["EventVersion"] == "1.0"
    assert record["EventSubscriptionArn"] == subscription
    assert record["Sns"]["MessageId"] == sent["MessageId"]
    assert record["Sns"]["Message"] == "work"
    assert record["Sns"]["Subject"] is None
    assert record["Sns"]["TopicArn"] == topic
    assert record["Sns"]["MessageAttributes"] == {"a": {"Type": "String", "Value": "1"}}


@pytest.mark.local
def test_messages_and_subscriptions_survive_a_kill(start_server, tmp_path):
    from harness import Cloud
    server = start_server()
    cloud = Cloud(server.endpoint)
    sns = cloud.client("sns")
    topic = sns.create_topic(Name="t")["TopicArn"]
    subscribers = [Subscriber(cloud, topic, RawMessageDelivery="true") for _ in range(3)]
    texts = {f"message {n}" for n in range(30)}
    for text in sorted(texts):
        sns.publish(TopicArn=topic, Message=text)
    server.kill()
    cloud = Cloud(start_server(data=server.data).endpoint)
    for subscriber in subscribers:
        url = cloud.endpoint + "/" + subscriber.url.split("/", 3)[3]
        found = set()

        def enough():
            found.update(message["Body"] for message in receive(cloud.sqs, url, 1))
            return found >= texts
        eventually(enough)
