"""Topics with the AWS CLI."""
import json

import pytest

from awscli_support import aws, refused  # noqa: F401  aws is the fixture
from harness import eventually, quietly, unique
from sns_support import *  # noqa: F403  the fixtures

pytestmark = pytest.mark.local

NO_TOPIC = ("NotFound", "Topic does not exist")
NO_SUBSCRIPTION = ("NotFound", "Subscription does not exist")


@pytest.fixture
def topics(aws):  # noqa: F811
    """topics("publish", …), and topics.error(…) for the refused."""
    def topics(command, **options):
        return aws("sns", command, **options)
    topics.error = lambda command, **options: aws.error("sns", command, **options)
    return topics


def test_a_message_goes_through_a_topic_to_a_queue(aws, topics):  # noqa: F811
    topic = topics("create-topic", name=unique("cli"), attributes={"DisplayName": "cli"},
                   tags=[{"Key": "a", "Value": "1"}])["TopicArn"]
    queue = aws("sqs", "create-queue", queue_name=unique("cli"))["QueueUrl"]
    arn = aws("sqs", "get-queue-attributes", queue_url=queue, attribute_names="QueueArn")["Attributes"]["QueueArn"]
    subscription = topics("subscribe", topic_arn=topic, protocol="sqs", notification_endpoint=arn,
                          attributes={"FilterPolicy": '{"kind":["order"]}'})["SubscriptionArn"]
    topics("publish", topic_arn=topic, message="no")
    sent = topics("publish", topic_arn=topic, message="yes", subject="s",
                  message_attributes={"kind": {"DataType": "String", "StringValue": "order"}})
    message = aws("sqs", "receive-message", queue_url=queue, wait_time_seconds=5)["Messages"][0]
    envelope = json.loads(message["Body"])
    assert (envelope["Message"], envelope["MessageId"], envelope["Subject"]) == ("yes", sent["MessageId"], "s")
    assert topics("list-tags-for-resource", resource_arn=topic)["Tags"] == [{"Key": "a", "Value": "1"}]
    assert topics("get-topic-attributes", topic_arn=topic)["Attributes"]["DisplayName"] == "cli"
    batch = topics("publish-batch", topic_arn=topic, publish_batch_request_entries=[
        {"Id": "1", "Message": "a"}, {"Id": "1x", "Message": "b"}])
    assert [entry["Id"] for entry in batch["Successful"]] == ["1", "1x"]
    topics("unsubscribe", subscription_arn=subscription)
    assert topics("list-subscriptions-by-topic", topic_arn=topic)["Subscriptions"] == []
    topics("delete-topic", topic_arn=topic)
    assert topics.error("publish", topic_arn=topic, message="x") == refused("Publish", *NO_TOPIC)
    assert topics.error("publish-batch", topic_arn=topic, publish_batch_request_entries=[
        {"Id": "1", "Message": "a"}]) == refused("PublishBatch", *NO_TOPIC)
    aws("sqs", "delete-queue", queue_url=queue)


def test_topics_are_listed_until_they_are_deleted(cloud, topics):
    created = []
    for _ in range(101):
        created.append(topics("create-topic", name=unique("cli"))["TopicArn"])
        cloud.cleanup.callback(quietly, cloud.client("sns").delete_topic, TopicArn=created[-1])

    def listed():
        return {topic["TopicArn"] for topic in topics("list-topics")["Topics"]} & set(created)
    assert listed() == set(created), "over more than one page"
    for arn in created[:2]:
        topics("delete-topic", topic_arn=arn)
        topics("delete-topic", topic_arn=arn)
    assert listed() == set(created[2:])
    assert topics.error("get-topic-attributes", topic_arn=created[0]) == refused("GetTopicAttributes", *NO_TOPIC)
    assert topics.error("create-topic", name="a b") == refused(
        "CreateTopic", "InvalidParameter", "Invalid parameter: Topic Name")
    assert topics.error("delete-topic", topic_arn="topic") == refused(
        "DeleteTopic", "InvalidParameter",
        "Invalid parameter: TopicArn Reason: An ARN must have at least 6 elements, not 1")
    assert topics.error("list-topics", next_token="nonsense").startswith(
        refused("ListTopics", "InvalidParameter", "Invalid parameter: NextToken"))


def test_attributes_of_topics_are_set_and_wrong_ones_refused(topics, create_topic):
    arn = create_topic()

    def set_attribute(name, value, ask=topics):
        return ask("set-topic-attributes", topic_arn=arn, attribute_name=name, attribute_value=value)
    set_attribute("DisplayName", "changed")
    set_attribute("DeliveryPolicy", json.dumps({"http": {"defaultHealthyRetryPolicy": {"numRetries": 5}}}))
    shown = topics("get-topic-attributes", topic_arn=arn)["Attributes"]
    assert shown["DisplayName"] == "changed"
    assert json.loads(shown["EffectiveDeliveryPolicy"])["http"]["defaultHealthyRetryPolicy"]["numRetries"] == 5
    assert set_attribute("Colour", "red", topics.error) == refused(
        "SetTopicAttributes", "InvalidParameter", "Invalid parameter: AttributeName")
    assert set_attribute("SignatureVersion", "3", topics.error).startswith(
        refused("SetTopicAttributes", "InvalidParameter", "Invalid parameter: SignatureVersion"))
    assert topics.error("set-topic-attributes", topic_arn=arn + "x", attribute_name="DisplayName",
                        attribute_value="x") == refused("SetTopicAttributes", *NO_TOPIC)
    name = arn.split(":")[-1]
    assert topics.error("create-topic", name=name, attributes={"DisplayName": "b"}) == refused(
        "CreateTopic", "InvalidParameter",
        "Invalid parameter: Attributes Reason: Topic already exists with different attributes")


def test_permissions_are_statements_of_the_policy_until_they_are_removed(topics, create_topic):
    arn = create_topic()

    def statements():
        policy = json.loads(topics("get-topic-attributes", topic_arn=arn)["Attributes"]["Policy"])
        return {statement["Sid"]: statement for statement in policy["Statement"]}
    before = statements()
    permission = {"topic_arn": arn, "label": "partner", "aws_account_id": ["111111111111"]}
    topics("add-permission", **permission, action_name=["Publish", "Subscribe"])
    added = statements()["partner"]
    assert (added["Effect"], added["Resource"]) == ("Allow", arn)
    assert added["Principal"] == {"AWS": "arn:aws:iam::111111111111:root"}
    assert added["Action"] == ["SNS:Publish", "SNS:Subscribe"]
    assert topics.error("add-permission", **permission, action_name=["Publish"]) == refused(
        "AddPermission", "InvalidParameter", "Invalid parameter: Statement already exists")
    assert topics.error("add-permission", **{**permission, "label": "bad"}, action_name=["Fly"]) == refused(
        "AddPermission", "InvalidParameter", "Invalid parameter: Policy statement action out of service scope!")
    topics("remove-permission", topic_arn=arn, label="partner")
    assert statements() == before
    assert topics.error("add-permission", **{**permission, "topic_arn": arn + "x"}, action_name=["Publish"]) == refused(
        "AddPermission", *NO_TOPIC)
    assert topics.error("remove-permission", topic_arn=arn + "x", label="partner") == refused(
        "RemovePermission", *NO_TOPIC)


def test_tags_come_and_go(topics, create_topic):
    arn = create_topic()
    topics("tag-resource", resource_arn=arn, tags=[{"Key": "team", "Value": "a"}, {"Key": "cost", "Value": ""}])
    topics("tag-resource", resource_arn=arn, tags=[{"Key": "team", "Value": "b"}])
    topics("untag-resource", resource_arn=arn, tag_keys=["cost", "never-there"])
    assert topics("list-tags-for-resource", resource_arn=arn) == {"Tags": [{"Key": "team", "Value": "b"}]}
    assert topics.error("tag-resource", resource_arn=arn, tags=[{"Key": "c", "Value": "1"}] * 2) == refused(
        "TagResource", "InvalidParameter", "Invalid parameter: Duplicated keys are not allowed.")
    assert topics.error("tag-resource", resource_arn=arn, tags=[
        {"Key": str(number), "Value": "x"} for number in range(50)]) == refused(
            "TagResource", "TagLimitExceeded", "Could not complete request: tag quota of per resource exceeded")
    assert topics("list-tags-for-resource", resource_arn=arn) == {"Tags": [{"Key": "team", "Value": "b"}]}
    missing = ("ResourceNotFound", "Resource does not exist")
    assert topics.error("tag-resource", resource_arn=arn + "x", tags=[{"Key": "a", "Value": "1"}]) == refused(
        "TagResource", *missing)
    assert topics.error("untag-resource", resource_arn=arn + "x", tag_keys=["a"]) == refused("UntagResource", *missing)
    assert topics.error("list-tags-for-resource", resource_arn=arn + "x") == refused("ListTagsForResource", *missing)


def test_a_subscription_is_changed_shown_and_ended(topics, create_topic, subscribe_queue):
    topic = create_topic()
    subscriber = subscribe_queue(topic)
    arn = subscriber.arn

    def set_attribute(name, value, ask=topics):
        return ask("set-subscription-attributes", subscription_arn=arn, attribute_name=name, attribute_value=value)
    set_attribute("RawMessageDelivery", "true")
    set_attribute("FilterPolicyScope", "MessageBody")
    set_attribute("FilterPolicy", '{"kind":["order"]}')
    shown = topics("get-subscription-attributes", subscription_arn=arn)["Attributes"]
    assert (shown["Protocol"], shown["Endpoint"], shown["TopicArn"]) == ("sqs", subscriber.queue_arn, topic)
    assert (shown["RawMessageDelivery"], shown["FilterPolicyScope"]) == ("true", "MessageBody")
    assert json.loads(shown["FilterPolicy"]) == {"kind": ["order"]}
    topics("publish", topic_arn=topic, message='{"kind":"offer"}')
    topics("publish", topic_arn=topic, message='{"kind":"order"}')
    assert subscriber.bodies(1) == ['{"kind":"order"}']

    assert set_attribute("Colour", "red", topics.error) == refused(
        "SetSubscriptionAttributes", "InvalidParameter", "Invalid parameter: AttributeName")
    assert set_attribute("RawMessageDelivery", "yes", topics.error).startswith(refused(
        "SetSubscriptionAttributes", "InvalidParameter", "Invalid parameter: RawMessageDelivery"))
    assert set_attribute("FilterPolicy", "nonsense", topics.error).startswith(refused(
        "SetSubscriptionAttributes", "InvalidParameter", "Invalid parameter: FilterPolicy: failed to parse JSON."))

    expected = {"SubscriptionArn": arn, "Owner": topic.split(":")[4], "Protocol": "sqs",
                "Endpoint": subscriber.queue_arn, "TopicArn": topic}
    assert topics("list-subscriptions-by-topic", topic_arn=topic)["Subscriptions"] == [expected]
    assert expected in topics("list-subscriptions")["Subscriptions"]
    topics("unsubscribe", subscription_arn=arn)
    assert expected not in topics("list-subscriptions")["Subscriptions"]
    assert topics.error("get-subscription-attributes", subscription_arn=arn) == refused(
        "GetSubscriptionAttributes", *NO_SUBSCRIPTION)
    assert set_attribute("RawMessageDelivery", "false", topics.error) == refused(
        "SetSubscriptionAttributes", *NO_SUBSCRIPTION)
    assert topics.error("unsubscribe", subscription_arn="subscription").startswith(refused(
        "Unsubscribe", "InvalidParameter", "Invalid parameter: SubscriptionArn"))
    assert topics.error("list-subscriptions-by-topic", topic_arn=topic + "x") == refused(
        "ListSubscriptionsByTopic", *NO_TOPIC)
    assert topics.error("list-subscriptions", next_token="nonsense").startswith(
        refused("ListSubscriptions", "InvalidParameter", "Invalid parameter: NextToken"))
    assert topics.error("subscribe", topic_arn=topic, protocol="pigeon", notification_endpoint="x") == refused(
        "Subscribe", "InvalidParameter",
        "Invalid parameter: Amazon SNS does not support this protocol string: pigeon")


def test_a_subscription_is_confirmed_by_the_token_that_its_endpoint_gets(topics, create_topic, http_endpoint):
    topic = create_topic()
    answer = topics("subscribe", topic_arn=topic, protocol="http", notification_endpoint=http_endpoint.url)
    assert answer == {"SubscriptionArn": "pending confirmation"}
    [listed] = topics("list-subscriptions-by-topic", topic_arn=topic)["Subscriptions"]
    assert listed["SubscriptionArn"] == "PendingConfirmation"
    token = json.loads(http_endpoint.wait(1)[0][1])["Token"]
    assert topics.error("confirm-subscription", topic_arn=topic, token="0" * len(token)).startswith(
        refused("ConfirmSubscription", "InvalidParameter", "Invalid token"))
    assert topics.error("confirm-subscription", topic_arn=topic + "x", token=token) == refused(
        "ConfirmSubscription", "InvalidParameter", "Invalid parameter: Token")
    arn = topics("confirm-subscription", topic_arn=topic, token=token,
                 authenticate_on_unsubscribe="true")["SubscriptionArn"]
    [listed] = topics("list-subscriptions-by-topic", topic_arn=topic)["Subscriptions"]
    assert listed["SubscriptionArn"] == arn
    shown = topics("get-subscription-attributes", subscription_arn=arn)["Attributes"]
    assert (shown["PendingConfirmation"], shown["ConfirmationWasAuthenticated"]) == ("false", "true")
    topics("publish", topic_arn=topic, message="hello")
    assert json.loads(http_endpoint.wait(2)[1][1])["Message"] == "hello"
    topics("unsubscribe", subscription_arn=arn)
    eventually(lambda: topics("list-subscriptions-by-topic", topic_arn=topic)["Subscriptions"] == [])
