"""Subscriptions of URLs: confirmation, notifications, retries, signatures."""
import base64
import json
import urllib.error
import urllib.request

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding

from harness import Cloud, eventually, refused, unique
from sns_support import *  # noqa: F403  the fixtures
from sns_support import Subscriber, receive

pytestmark = pytest.mark.local  # AWS would have to reach this machine


def get(url):
    with urllib.request.urlopen(url) as answer:
        return answer.read().decode()


def confirmed(sns, endpoint, topic, **attributes):
    """Subscribes the endpoint and follows the link that it is sent. Returns the subscription's ARN."""
    count = len(endpoint.requests)
    answer = sns.subscribe(TopicArn=topic, Protocol="http", Endpoint=endpoint.url, Attributes=attributes)
    assert answer["SubscriptionArn"] == "pending confirmation"
    message = json.loads(endpoint.wait(count + 1)[-1][1])
    get(message["SubscribeURL"])
    return sns.list_subscriptions_by_topic(TopicArn=topic)["Subscriptions"][-1]["SubscriptionArn"]


def check_signature(message):
    """As the SNS developer guide says."""
    names = ["Message", "MessageId", "Subject", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"]
    if message["Type"] == "Notification":
        names = ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"]
    text = "".join(f"{name}\n{message[name]}\n" for name in names if name in message)
    certificate = x509.load_pem_x509_certificate(get(message["SigningCertURL"]).encode())
    digest = {"1": hashes.SHA1, "2": hashes.SHA256}[message["SignatureVersion"]]()
    certificate.public_key().verify(base64.b64decode(message["Signature"]), text.encode(), padding.PKCS1v15(), digest)


def test_an_endpoint_confirms_before_it_gets_messages(sns, create_topic, http_endpoint):
    topic = create_topic()
    arn = sns.subscribe(TopicArn=topic, Protocol="http", Endpoint=http_endpoint.url,
                        ReturnSubscriptionArn=True)["SubscriptionArn"]
    assert arn.startswith(topic + ":")
    headers, body = http_endpoint.wait(1)[0]
    message = json.loads(body)
    assert headers["x-amz-sns-message-type"] == message["Type"] == "SubscriptionConfirmation"
    assert headers["x-amz-sns-topic-arn"] == message["TopicArn"] == topic
    assert headers["Content-Type"] == "text/plain; charset=UTF-8"
    check_signature(message)
    assert sns.get_subscription_attributes(SubscriptionArn=arn)["Attributes"]["PendingConfirmation"] == "true"
    listed = sns.list_subscriptions_by_topic(TopicArn=topic)["Subscriptions"]
    assert [one["SubscriptionArn"] for one in listed] == ["PendingConfirmation"]
    sns.publish(TopicArn=topic, Message="too early")
    with refused("InvalidParameter", "Invalid token"):
        sns.confirm_subscription(TopicArn=topic, Token="0" * len(message["Token"]))
    assert arn in get(message["SubscribeURL"])
    attributes = sns.get_subscription_attributes(SubscriptionArn=arn)["Attributes"]
    assert (attributes["PendingConfirmation"], attributes["ConfirmationWasAuthenticated"]) == ("false", "false")

    sent = sns.publish(TopicArn=topic, Message="ü", Subject="s")
    headers, body = http_endpoint.wait(2)[1]
    message = json.loads(body)
    assert headers["x-amz-sns-message-type"] == message["Type"] == "Notification"
    assert headers["x-amz-sns-message-id"] == message["MessageId"] == sent["MessageId"]
    assert headers["x-amz-sns-subscription-arn"] == arn
    assert (message["Message"], message["Subject"]) == ("ü", "s")
    check_signature(message)


@pytest.mark.parametrize("version", ["1", "2"])
def test_messages_are_signed_in_both_versions(sns, create_topic, subscribe_queue, version):
    topic = create_topic(SignatureVersion=version)
    subscriber = subscribe_queue(topic)
    sns.publish(TopicArn=topic, Message="signed\ntwice", Subject="s")
    sns.publish(TopicArn=topic, Message="without subject")
    for message in subscriber.messages(2):
        envelope = json.loads(message["Body"])
        assert envelope["SignatureVersion"] == version
        check_signature(envelope)


def test_the_link_to_leave_works_and_may_be_taken_back(sns, create_topic, http_endpoint):
    topic = create_topic()
    arn = confirmed(sns, http_endpoint, topic)
    sns.publish(TopicArn=topic, Message="1")
    get(json.loads(http_endpoint.wait(2)[1][1])["UnsubscribeURL"])
    headers, body = http_endpoint.wait(3)[2]
    farewell = json.loads(body)
    assert headers["x-amz-sns-message-type"] == farewell["Type"] == "UnsubscribeConfirmation"
    check_signature(farewell)
    assert sns.list_subscriptions_by_topic(TopicArn=topic)["Subscriptions"] == []
    assert sns.get_topic_attributes(TopicArn=topic)["Attributes"]["SubscriptionsDeleted"] == "1"
    get(farewell["SubscribeURL"])
    assert sns.list_subscriptions_by_topic(TopicArn=topic)["Subscriptions"][0]["SubscriptionArn"] == arn


def test_leaving_may_need_a_signature(sns, create_topic, http_endpoint):
    topic = create_topic()
    sns.subscribe(TopicArn=topic, Protocol="http", Endpoint=http_endpoint.url)
    token = json.loads(http_endpoint.wait(1)[0][1])["Token"]
    arn = sns.confirm_subscription(TopicArn=topic, Token=token, AuthenticateOnUnsubscribe="true")["SubscriptionArn"]
    assert sns.get_subscription_attributes(SubscriptionArn=arn)["Attributes"]["ConfirmationWasAuthenticated"] == "true"
    sns.publish(TopicArn=topic, Message="1")
    link = json.loads(http_endpoint.wait(2)[1][1])["UnsubscribeURL"]
    with pytest.raises(urllib.error.HTTPError) as refusal:
        get(link)
    assert refusal.value.code == 403
    sns.unsubscribe(SubscriptionArn=arn)
    assert sns.list_subscriptions_by_topic(TopicArn=topic)["Subscriptions"] == []


def test_raw_messages_are_posted_as_they_are(sns, create_topic, http_endpoint):
    topic = create_topic()
    confirmed(sns, http_endpoint, topic, RawMessageDelivery="true", DeliveryPolicy=json.dumps(
        {"requestPolicy": {"headerContentType": "application/json"}}))
    sns.publish(TopicArn=topic, Message='{"a":1}')
    headers, body = http_endpoint.wait(2)[1]
    assert body == '{"a":1}'
    assert headers["x-amz-sns-rawdelivery"] == "true"
    assert headers["Content-Type"] == "application/json"


@pytest.fixture
def later(virtual):
    """Topics on a server whose clock the test turns: (cloud, sns, topic)."""
    sns = virtual.client("sns")
    topic = sns.create_topic(Name=unique("topic"))["TopicArn"]
    yield virtual, sns, topic
    sns.delete_topic(TopicArn=topic)


def test_failures_are_tried_again_by_the_policy(later, http_endpoint):
    virtual, sns, topic = later
    confirmed(sns, http_endpoint, topic)
    http_endpoint.answers = [500, 429]
    sns.publish(TopicArn=topic, Message="again")
    http_endpoint.wait(2)
    virtual.advance(19)
    assert len(http_endpoint.requests) == 2
    virtual.advance(1)
    assert len(http_endpoint.requests) == 3
    virtual.advance(20)
    assert len(http_endpoint.requests) == 4
    virtual.advance(3600)
    assert len(http_endpoint.requests) == 4
    assert len({headers["x-amz-sns-message-id"] for headers, _ in http_endpoint.requests[1:]}) == 1


def test_an_exhausted_message_goes_to_the_dead_letter_queue_once(later, http_endpoint):
    virtual, sns, topic = later
    dead = virtual.create_queue()
    arn = confirmed(sns, http_endpoint, topic, RedrivePolicy=json.dumps({"deadLetterTargetArn": virtual.queue_arn(dead)}),
                    DeliveryPolicy=json.dumps({"healthyRetryPolicy": {
                        "numRetries": 5, "numNoDelayRetries": 1, "minDelayTarget": 1, "maxDelayTarget": 30,
                        "numMinDelayRetries": 1, "numMaxDelayRetries": 1, "backoffFunction": "exponential"}}))
    http_endpoint.status = 503
    sns.publish(TopicArn=topic, Message="lost")
    virtual.advance(600)
    assert len(http_endpoint.requests) == 1 + 6
    messages = receive(virtual.sqs, dead, 1, wait_seconds=0)
    assert [json.loads(message["Body"])["Message"] for message in messages] == ["lost"]
    virtual.advance(600)
    assert "Messages" not in virtual.sqs.receive_message(QueueUrl=dead)
    assert arn in sns.get_subscription_attributes(SubscriptionArn=arn)["Attributes"]["SubscriptionArn"]


def test_what_an_endpoint_refuses_is_not_tried_again(later, http_endpoint):
    virtual, sns, topic = later
    confirmed(sns, http_endpoint, topic)
    http_endpoint.answers = [403]
    sns.publish(TopicArn=topic, Message="no")
    http_endpoint.wait(2)
    virtual.advance(3600)
    assert len(http_endpoint.requests) == 2


def test_a_topic_may_forbid_policies_of_subscriptions(later, http_endpoint):
    virtual, sns, topic = later
    sns.set_topic_attributes(TopicArn=topic, AttributeName="DeliveryPolicy", AttributeValue=json.dumps({"http": {
        "defaultHealthyRetryPolicy": {"numRetries": 0}, "disableSubscriptionOverrides": True}}))
    confirmed(sns, http_endpoint, topic, DeliveryPolicy=json.dumps({"healthyRetryPolicy": {"numRetries": 3}}))
    http_endpoint.status = 500
    sns.publish(TopicArn=topic, Message="once")
    http_endpoint.wait(2)
    virtual.advance(3600)
    assert len(http_endpoint.requests) == 2


def test_a_subscription_that_nobody_confirms_is_forgotten_after_two_days(later, http_endpoint):
    virtual, sns, topic = later
    sns.subscribe(TopicArn=topic, Protocol="http", Endpoint=http_endpoint.url)
    message = json.loads(http_endpoint.wait(1)[0][1])
    virtual.advance(48 * 3600 - 60)
    assert len(sns.list_subscriptions_by_topic(TopicArn=topic)["Subscriptions"]) == 1
    virtual.advance(120)
    assert sns.list_subscriptions_by_topic(TopicArn=topic)["Subscriptions"] == []
    with refused("InvalidParameter", "Invalid token"):
        sns.confirm_subscription(TopicArn=topic, Token=message["Token"])


def test_duplicates_are_known_for_five_minutes(later):
    virtual, sns, _ = later
    topic = sns.create_topic(Name=unique("topic") + ".fifo", Attributes={"FifoTopic": "true"})["TopicArn"]
    one = {"TopicArn": topic, "Message": "x", "MessageGroupId": "g", "MessageDeduplicationId": "d"}
    first = sns.publish(**one)["MessageId"]
    virtual.advance(299)
    assert sns.publish(**one)["MessageId"] == first
    virtual.advance(2)
    assert sns.publish(**one)["MessageId"] != first


def test_the_key_is_kept_and_the_host_of_its_url_is_a_setting(start_server, tmp_path):
    server = start_server("--sns-certificates", "https://sns.us-east-1.amazonaws.com/")
    cloud = Cloud(server.endpoint)
    sns = cloud.client("sns")
    topic = sns.create_topic(Name="t")["TopicArn"]
    subscriber = Subscriber(cloud, topic)
    sns.publish(TopicArn=topic, Message="1")
    url = json.loads(subscriber.bodies(1)[0])["SigningCertURL"]
    host, path = url.rsplit("/", 1)
    assert host == "https://sns.us-east-1.amazonaws.com"
    certificate = get(f"{server.endpoint}/{path}")
    assert (server.data / "sns" / "signing.pem").stat().st_mode & 0o777 == 0o600
    with pytest.raises(urllib.error.HTTPError):
        get(f"{server.endpoint}/SimpleNotificationService-0.pem")
    server.kill()
    again = start_server(data=server.data)
    assert get(f"{again.endpoint}/{path}") == certificate
