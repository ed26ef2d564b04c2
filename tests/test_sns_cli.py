"""Topics with the AWS CLI."""
import json

import pytest

from harness import unique
from test_awscli import aws  # noqa: F401  the fixture

pytestmark = pytest.mark.local


def test_a_message_goes_through_a_topic_to_a_queue(aws):  # noqa: F811
    topic = aws("sns", "create-topic", "--name", unique("cli"), "--attributes", "DisplayName=cli",
                "--tags", "Key=a,Value=1")["TopicArn"]
    queue = aws("sqs", "create-queue", "--queue-name", unique("cli"))["QueueUrl"]
    arn = aws("sqs", "get-queue-attributes", "--queue-url", queue, "--attribute-names", "QueueArn")["Attributes"]["QueueArn"]
    subscription = aws("sns", "subscribe", "--topic-arn", topic, "--protocol", "sqs", "--notification-endpoint", arn,
                       "--attributes", '{"FilterPolicy":"{\\"kind\\":[\\"order\\"]}"}')["SubscriptionArn"]
    aws("sns", "publish", "--topic-arn", topic, "--message", "no")
    sent = aws("sns", "publish", "--topic-arn", topic, "--message", "yes", "--subject", "s", "--message-attributes",
               '{"kind":{"DataType":"String","StringValue":"order"}}')
    message = aws("sqs", "receive-message", "--queue-url", queue, "--wait-time-seconds", "5")["Messages"][0]
    envelope = json.loads(message["Body"])
    assert (envelope["Message"], envelope["MessageId"], envelope["Subject"]) == ("yes", sent["MessageId"], "s")
    assert aws("sns", "list-tags-for-resource", "--resource-arn", topic)["Tags"] == [{"Key": "a", "Value": "1"}]
    assert aws("sns", "get-topic-attributes", "--topic-arn", topic)["Attributes"]["DisplayName"] == "cli"
    batch = aws("sns", "publish-batch", "--topic-arn", topic, "--publish-batch-request-entries",
                '[{"Id":"1","Message":"a"},{"Id":"1x","Message":"b"}]')
    assert [entry["Id"] for entry in batch["Successful"]] == ["1", "1x"]
    aws("sns", "unsubscribe", "--subscription-arn", subscription)
    assert aws("sns", "list-subscriptions-by-topic", "--topic-arn", topic)["Subscriptions"] == []
    aws("sns", "delete-topic", "--topic-arn", topic)
    error = aws("sns", "publish", "--topic-arn", topic, "--message", "x", fails=True)
    assert "An error occurred (NotFound) when calling the Publish operation: Topic does not exist" in error
