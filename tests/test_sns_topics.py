"""Topics and subscriptions as boto3 sees them."""
import json

import pytest
from botocore.exceptions import ClientError

from harness import eventually, quietly, refused, unique
from sns_support import *  # noqa: F403  the fixtures


def test_a_topic_lives_from_creation_to_deletion(sns, create_topic):
    arn = create_topic(DisplayName="Orders")
    name = arn.split(":")[-1]
    assert sns.create_topic(Name=name)["TopicArn"] == arn
    attributes = sns.get_topic_attributes(TopicArn=arn)["Attributes"]
    assert attributes["TopicArn"] == arn
    assert attributes["DisplayName"] == "Orders"
    assert attributes["Owner"] == arn.split(":")[4]
    assert (attributes["SubscriptionsConfirmed"], attributes["SubscriptionsPending"]) == ("0", "0")
    assert json.loads(attributes["Policy"])["Id"] == "__default_policy_ID"
    retries = json.loads(attributes["EffectiveDeliveryPolicy"])["http"]["defaultHealthyRetryPolicy"]
    assert (retries["numRetries"], retries["minDelayTarget"], retries["backoffFunction"]) == (3, 20, "linear")
    pages = sns.get_paginator("list_topics").paginate()
    assert arn in [topic["TopicArn"] for page in pages for topic in page["Topics"]]
    sns.delete_topic(TopicArn=arn)
    sns.delete_topic(TopicArn=arn)
    with refused("NotFound", "Topic does not exist", exactly=True, status=404):
        sns.get_topic_attributes(TopicArn=arn)


def test_a_topic_that_differs_is_refused(sns, create_topic):
    arn = create_topic(DisplayName="a")
    with refused("InvalidParameter", "Topic already exists with different attributes"):
        sns.create_topic(Name=arn.split(":")[-1], Attributes={"DisplayName": "b"})
    with refused("InvalidParameter", "Topic already exists with different tags"):
        sns.create_topic(Name=arn.split(":")[-1], Tags=[{"Key": "a", "Value": "1"}])


@pytest.mark.parametrize("name", ["", "a b", "x" * 257, "topic.fifo"])
def test_names_are_checked(sns, name):
    with refused("InvalidParameter", "Invalid parameter: Topic Name", exactly=True):
        sns.create_topic(Name=name)


def test_a_fifo_topic_needs_its_suffix(sns):
    with refused("InvalidParameter", "Invalid parameter: Topic Name"):
        sns.create_topic(Name="orders", Attributes={"FifoTopic": "true"})


def test_attributes_are_changed_and_checked(sns, create_topic):
    arn = create_topic()
    sns.set_topic_attributes(TopicArn=arn, AttributeName="DisplayName", AttributeValue="changed")
    sns.set_topic_attributes(TopicArn=arn, AttributeName="SignatureVersion", AttributeValue="2")
    attributes = sns.get_topic_attributes(TopicArn=arn)["Attributes"]
    assert (attributes["DisplayName"], attributes["SignatureVersion"]) == ("changed", "2")
    with refused("InvalidParameter", "SignatureVersion"):
        sns.set_topic_attributes(TopicArn=arn, AttributeName="SignatureVersion", AttributeValue="3")
    with refused("InvalidParameter", "AttributeName"):
        sns.set_topic_attributes(TopicArn=arn, AttributeName="Colour", AttributeValue="red")
    with refused("InvalidParameter", "DeliveryPolicy"):
        sns.set_topic_attributes(TopicArn=arn, AttributeName="DeliveryPolicy", AttributeValue=json.dumps(
            {"http": {"defaultHealthyRetryPolicy": {"numRetries": 101}}}))
    with refused("NotFound", "Topic does not exist"):
        sns.set_topic_attributes(TopicArn=arn + "x", AttributeName="DisplayName", AttributeValue="x")
    with refused("InvalidParameter", "TopicArn Reason: An ARN must have at least 6 elements, not 1"):
        sns.get_topic_attributes(TopicArn="topic")


@pytest.mark.local
@pytest.mark.parametrize("name, value", [
    ("TracingConfig", "Active"), ("ArchivePolicy", '{"MessageRetentionPeriod":"1"}'),
    ("HTTPSuccessFeedbackRoleArn", "arn:aws:iam::000000000000:role/x"), ("SQSSuccessFeedbackSampleRate", "100")])
def test_attributes_that_are_not_supported_are_refused_by_name(sns, create_topic, name, value):
    with refused("InvalidParameter", name):
        sns.set_topic_attributes(TopicArn=create_topic(), AttributeName=name, AttributeValue=value)
    with refused("InvalidParameter", name):
        sns.create_topic(Name=unique("topic"), Attributes={name: value})


@pytest.mark.parametrize("protocol", ["Application", "Firehose", "HTTP", "Lambda", "SQS"])
def test_a_topic_that_logs_no_deliveries_says_so(sns, create_topic, protocol):
    arn = create_topic()
    assert f"{protocol}SuccessFeedbackSampleRate" not in sns.get_topic_attributes(TopicArn=arn)["Attributes"]
    for setting, value in [("SuccessFeedbackSampleRate", "0"), ("SuccessFeedbackRoleArn", ""),
                           ("FailureFeedbackRoleArn", "")]:
        sns.set_topic_attributes(TopicArn=arn, AttributeName=protocol + setting, AttributeValue=value)
    attributes = sns.get_topic_attributes(TopicArn=arn)["Attributes"]
    assert attributes[f"{protocol}SuccessFeedbackSampleRate"] == "0"
    assert f"{protocol}SuccessFeedbackRoleArn" not in attributes


@pytest.mark.local
def test_what_is_not_supported_is_refused_by_name(sns, create_topic):
    with refused("InvalidParameter", "SetSMSAttributes"):
        sns.set_sms_attributes(attributes={"DefaultSMSType": "Transactional"})
    with refused("InvalidParameter", "CreatePlatformApplication"):
        sns.create_platform_application(Name="x", Platform="GCM", Attributes={})
    with refused("InvalidParameter", "PutDataProtectionPolicy"):
        sns.put_data_protection_policy(ResourceArn=create_topic(), DataProtectionPolicy="{}")
    with refused("InvalidParameter", "PhoneNumber"):
        sns.publish(PhoneNumber="+491700000000", Message="x")
    for protocol in ["email", "email-json", "sms", "application", "firehose"]:
        with refused("InvalidParameter", f"protocol {protocol}"):
            sns.subscribe(TopicArn=create_topic(), Protocol=protocol, Endpoint="someone")


def test_tags_are_kept(cloud, sns):
    arn = sns.create_topic(Name=unique("topic"), Tags=[{"Key": "a", "Value": "1"}])["TopicArn"]
    cloud.cleanup.callback(quietly, sns.delete_topic, TopicArn=arn)
    sns.tag_resource(ResourceArn=arn, Tags=[{"Key": "b", "Value": "2"}])
    sns.untag_resource(ResourceArn=arn, TagKeys=["a"])
    assert sns.list_tags_for_resource(ResourceArn=arn)["Tags"] == [{"Key": "b", "Value": "2"}]
    with refused("ResourceNotFound", "Resource does not exist", status=404):
        sns.list_tags_for_resource(ResourceArn=arn + "x")
    with refused("InvalidParameter", "Duplicated keys are not allowed."):
        sns.tag_resource(ResourceArn=arn, Tags=[{"Key": "c", "Value": "1"}, {"Key": "c", "Value": "2"}])


def test_permissions_become_statements_of_the_policy(sns, create_topic):
    arn = create_topic()
    account = arn.split(":")[4]

    def labels():
        policy = json.loads(sns.get_topic_attributes(TopicArn=arn)["Attributes"]["Policy"])
        return [statement["Sid"] for statement in policy["Statement"]]
    sns.add_permission(TopicArn=arn, Label="all", AWSAccountId=[account], ActionName=["Publish"])
    assert "all" in labels()
    with refused("InvalidParameter", "Statement already exists"):
        sns.add_permission(TopicArn=arn, Label="all", AWSAccountId=[account], ActionName=["Publish"])
    sns.remove_permission(TopicArn=arn, Label="all")
    assert "all" not in labels()
    with refused("InvalidParameter", "Policy statement action out of service scope!"):
        sns.add_permission(TopicArn=arn, Label="bad", AWSAccountId=[account], ActionName=["Fly"])


def test_a_subscription_lives_from_creation_to_deletion(sns, create_topic, subscribe_queue):
    topic = create_topic()
    subscriber = subscribe_queue(topic)
    assert subscriber.arn.startswith(topic + ":")
    again = sns.subscribe(TopicArn=topic, Protocol="sqs", Endpoint=subscriber.queue_arn)["SubscriptionArn"]
    assert again == subscriber.arn
    attributes = sns.get_subscription_attributes(SubscriptionArn=subscriber.arn)["Attributes"]
    assert attributes["Protocol"] == "sqs"
    assert attributes["Endpoint"] == subscriber.queue_arn
    assert attributes["RawMessageDelivery"] == "false"
    assert attributes["PendingConfirmation"] == "false"
    assert attributes["ConfirmationWasAuthenticated"] == "true"
    expected = {"SubscriptionArn": subscriber.arn, "Owner": topic.split(":")[4], "Protocol": "sqs",
                "Endpoint": subscriber.queue_arn, "TopicArn": topic}
    assert sns.list_subscriptions_by_topic(TopicArn=topic)["Subscriptions"] == [expected]
    pages = sns.get_paginator("list_subscriptions").paginate()
    assert expected in [one for page in pages for one in page["Subscriptions"]]
    sns.unsubscribe(SubscriptionArn=subscriber.arn)
    sns.unsubscribe(SubscriptionArn=subscriber.arn)
    assert sns.list_subscriptions_by_topic(TopicArn=topic)["Subscriptions"] == []
    with refused("NotFound", "Subscription does not exist", status=404):
        sns.get_subscription_attributes(SubscriptionArn=subscriber.arn)


def test_lists_come_in_pages_of_a_hundred(cloud, sns, create_topic):
    topic = create_topic()
    account = topic.split(":")[4]
    for n in range(101):
        sns.subscribe(TopicArn=topic, Protocol="sqs", Endpoint=f"arn:aws:sqs:us-east-1:{account}:none-{n}")
    first = sns.list_subscriptions_by_topic(TopicArn=topic)
    assert len(first["Subscriptions"]) == 100
    second = sns.list_subscriptions_by_topic(TopicArn=topic, NextToken=first["NextToken"])
    assert len(second["Subscriptions"]) == 1 and "NextToken" not in second
    with refused("InvalidParameter", "NextToken"):
        sns.list_subscriptions_by_topic(TopicArn=topic, NextToken="nonsense")


def test_subscriptions_are_checked(sns, create_topic, subscribe_queue):
    topic = create_topic()
    fifo = topic.rsplit(":", 1)[0].replace("sns", "sqs") + ":x.fifo"
    with refused("InvalidParameter", "does not support this protocol string: pigeon"):
        sns.subscribe(TopicArn=topic, Protocol="pigeon", Endpoint="x")
    with refused("InvalidParameter", "SQS endpoint ARN"):
        sns.subscribe(TopicArn=topic, Protocol="sqs", Endpoint="queue")
    with refused("InvalidParameter", "FIFO SQS Queues can not be subscribed to standard SNS topics"):
        sns.subscribe(TopicArn=topic, Protocol="sqs", Endpoint=fifo)
    with refused("InvalidParameter", "Endpoint must match the specified protocol"):
        sns.subscribe(TopicArn=topic, Protocol="https", Endpoint="http://example.com/")
    with refused("NotFound", "Topic does not exist"):
        sns.subscribe(TopicArn=topic + "x", Protocol="sqs", Endpoint=fifo.replace(".fifo", ""))
    subscriber = subscribe_queue(topic, RawMessageDelivery="true")
    with refused("InvalidParameter", "Subscription already exists with different attributes"):
        sns.subscribe(TopicArn=topic, Protocol="sqs", Endpoint=subscriber.queue_arn,
                      Attributes={"RawMessageDelivery": "false"})
    with refused("InvalidParameter", "Invalid parameter: AttributeName"):
        sns.set_subscription_attributes(SubscriptionArn=subscriber.arn, AttributeName="Colour", AttributeValue="x")
    with refused("InvalidParameter", "RawMessageDelivery"):
        sns.set_subscription_attributes(SubscriptionArn=subscriber.arn, AttributeName="RawMessageDelivery",
                                        AttributeValue="yes")
    with refused("InvalidParameter", "RedrivePolicy: deadLetterTargetArn is an invalid arn"):
        sns.set_subscription_attributes(SubscriptionArn=subscriber.arn, AttributeName="RedrivePolicy",
                                        AttributeValue=json.dumps({"deadLetterTargetArn": "x"}))


@pytest.mark.parametrize("policy, reason", [
    ("nonsense", "failed to parse JSON."),
    ({"a": "x"}, '"a" must be an object or an array'),
    ({"a": [["x"]]}, "Match value must be String, number, true, false, or null"),
    ({"a": [{"is": "x"}]}, "Unrecognized match type is"),
    ({"a": [{"numeric": [">", "1"]}]}, "Value of > must be numeric"),
    ({"a": {"b": ["x"]}}, "Filter policy scope MessageAttributes does not support nested filter policy"),
    ({"a": [str(n) for n in range(151)]}, "Filter policy is too complex"),
    ({str(n): ["x"] for n in range(6)}, "Filter policy can not have more than 5 keys"),
])
def test_filter_policies_are_checked(sns, create_topic, subscribe_queue, policy, reason):
    subscriber = subscribe_queue(create_topic())
    text = policy if isinstance(policy, str) else json.dumps(policy)
    with refused("InvalidParameter", reason):
        sns.set_subscription_attributes(SubscriptionArn=subscriber.arn, AttributeName="FilterPolicy",
                                        AttributeValue=text)


# AWS says of this refusal alone not that it is the policy's.
def test_a_scope_is_shown_with_a_policy_only(sns, create_topic, subscribe_queue):
    subscriber = subscribe_queue(create_topic())

    def shown():
        return sns.get_subscription_attributes(SubscriptionArn=subscriber.arn)["Attributes"].get("FilterPolicyScope")

    def set_attribute(name, value):
        sns.set_subscription_attributes(SubscriptionArn=subscriber.arn, AttributeName=name, AttributeValue=value)

    with refused("InvalidParameter", "Invalid parameter: Filter policy scope MessageAttributes does not support nested"):
        set_attribute("FilterPolicy", '{"a": {"b": ["x"]}}')
    set_attribute("FilterPolicyScope", "MessageBody")
    assert shown() is None
    set_attribute("FilterPolicy", '{"a": {"b": ["x"]}}')
    assert shown() == "MessageBody"
    for nothing in ("", "{}"):
        set_attribute("FilterPolicy", '{"a": {"b": ["x"]}}')
        set_attribute("FilterPolicy", nothing)
        assert shown() is None
        assert "FilterPolicy" not in sns.get_subscription_attributes(SubscriptionArn=subscriber.arn)["Attributes"]


@pytest.mark.local
def test_accounts_do_not_reach_each_others_topics(cloud, create_topic):
    with refused("AuthorizationError", status=403):
        cloud.as_account("111111111111").client("sns").get_topic_attributes(TopicArn=create_topic())


def test_a_topic_is_looked_for_before_the_endpoint_is_looked_at(sns, create_topic):
    with refused("NotFound", "Topic does not exist"):
        sns.subscribe(TopicArn=create_topic() + "x", Protocol="sqs", Endpoint="no arn")


def test_values_of_subscriptions_are_checked_also_if_they_are_empty(cloud, sns, create_topic):
    subscription = {"TopicArn": create_topic(), "Protocol": "sqs", "Endpoint": cloud.queue_arn(cloud.create_queue())}
    with refused("InvalidParameter", "RawMessageDelivery: Invalid value []. Must be true or false."):
        sns.subscribe(Attributes={"RawMessageDelivery": ""}, **subscription)


def test_dead_letters_of_fifo_queues_need_a_fifo_queue(cloud, sns, create_topic):
    queue, letters = cloud.queue_arn(cloud.create_queue(fifo=True)), cloud.queue_arn(cloud.create_queue())
    with refused("InvalidParameter", "RedrivePolicy: must use a FIFO queue as DLQ for a FIFO Subscription to a FIFO Topic."):
        sns.subscribe(TopicArn=create_topic(fifo=True), Protocol="sqs", Endpoint=queue,
                      Attributes={"RedrivePolicy": json.dumps({"deadLetterTargetArn": letters})})
