"""Messages on their way back from dead-letter queues. The boto3 and the AWS CLI of Debian do not know these operations
yet, so as they are on the wire; tests/js/sqs.test.mjs has them with an SDK."""
import json

import pytest

from harness import eventually
from sns_support import receive


@pytest.fixture
def ask(cloud):
    """ask("StartMessageMoveTask", SourceArn=…, …): the answer."""
    def ask(operation, **members):
        status, answer = cloud.call_json("AmazonSQS." + operation, members, "sqs")
        assert status == 200, answer
        return answer
    return ask


@pytest.fixture
def refusal(cloud):
    """refusal("StartMessageMoveTask", …): (code, message) of the error."""
    def refusal(operation, **members):
        status, answer = cloud.call_json("AmazonSQS." + operation, members, "sqs")
        assert status == (404 if answer["__type"].endswith("ResourceNotFoundException") else 400), answer
        return answer["__type"].split("#")[-1], answer["message"]
    return refusal


class Pair:
    """A queue and its dead-letter queue."""

    def __init__(self, cloud):
        self.cloud, self.sqs = cloud, cloud.sqs
        self.dead = cloud.create_queue()
        self.dead_arn = cloud.queue_arn(self.dead)
        self.url = cloud.create_queue(RedrivePolicy=json.dumps(
            {"deadLetterTargetArn": self.dead_arn, "maxReceiveCount": 1}))
        self.arn = cloud.queue_arn(self.url)

    def give_up(self, count):
        """Sends messages and receives them until all are in the dead-letter queue."""
        self.sqs.send_message_batch(QueueUrl=self.url, Entries=[
            {"Id": str(number), "MessageBody": str(number)} for number in range(count)])

        def all_given_up():
            self.sqs.receive_message(QueueUrl=self.url, MaxNumberOfMessages=10, VisibilityTimeout=0)
            return self.visible(self.dead) == count
        eventually(all_given_up, f"{count} messages given up", deadline_seconds=120)

    def visible(self, url):
        return self.cloud.queue_counts(url)[0]


@pytest.fixture
def pair(cloud):
    return Pair(cloud)


def test_what_was_given_up_goes_back_to_where_it_came_from_or_elsewhere(cloud, create_queue, pair, ask, refusal):
    def last_task():
        return ask("ListMessageMoveTasks", SourceArn=pair.dead_arn)["Results"][0]

    def completed():
        found = last_task()
        return found if found["Status"] == "COMPLETED" else None
    assert ask("ListMessageMoveTasks", SourceArn=pair.dead_arn).get("Results", []) == []
    pair.give_up(3)
    handle = ask("StartMessageMoveTask", SourceArn=pair.dead_arn)["TaskHandle"]
    task = eventually(completed, "the task completed", deadline_seconds=120)
    assert task["SourceArn"] == pair.dead_arn and "TaskHandle" not in task
    eventually(lambda: (pair.visible(pair.dead), pair.visible(pair.url)) == (0, 3), "the messages are back")
    assert refusal("CancelMessageMoveTask", TaskHandle=handle) == ("ResourceNotFoundException", "Task does not exist.")

    elsewhere = create_queue()
    receive(pair.sqs, pair.url, 3)
    pair.give_up(2)
    ask("StartMessageMoveTask", SourceArn=pair.dead_arn, DestinationArn=cloud.queue_arn(elsewhere))
    eventually(lambda: last_task().get("DestinationArn") == cloud.queue_arn(elsewhere) and completed(), "it completed",
               deadline_seconds=120)
    eventually(lambda: pair.visible(elsewhere) == 2, "the messages are elsewhere")

    def moved():
        tasks = ask("ListMessageMoveTasks", SourceArn=pair.dead_arn, MaxResults=10)["Results"]
        return [task["ApproximateNumberOfMessagesMoved"] for task in tasks]
    eventually(lambda: moved() == [2, 3], "both are counted, the latest first")


def test_a_slow_move_is_alone_and_can_be_cancelled(pair, ask, refusal):
    pair.give_up(10)
    handle = ask("StartMessageMoveTask", SourceArn=pair.dead_arn, MaxNumberOfMessagesPerSecond=1)["TaskHandle"]
    [running] = ask("ListMessageMoveTasks", SourceArn=pair.dead_arn)["Results"]
    assert (running["Status"], running["TaskHandle"], running["MaxNumberOfMessagesPerSecond"]) == ("RUNNING", handle, 1)
    assert refusal("StartMessageMoveTask", SourceArn=pair.dead_arn) == (
        "InvalidParameterValueException", "There is already a task running. Only one active task is allowed for a "
        "source queue arn at a given time.")
    moved = ask("CancelMessageMoveTask", TaskHandle=handle)["ApproximateNumberOfMessagesMoved"]
    assert moved < 10
    eventually(lambda: ask("ListMessageMoveTasks", SourceArn=pair.dead_arn)["Results"][0]["Status"] == "CANCELLED",
               "the task is cancelled", deadline_seconds=120)
    assert pair.visible(pair.dead) > 0
    assert refusal("CancelMessageMoveTask", TaskHandle=handle) == ("ResourceNotFoundException", "Task does not exist.")


def test_moves_are_refused_in_aws_words(cloud, create_queue, pair, refusal):
    missing = ("ResourceNotFoundException",
               "The resource that you specified for the SourceArn parameter doesn't exist.")
    for operation in ("StartMessageMoveTask", "ListMessageMoveTasks"):
        assert refusal(operation, SourceArn=pair.arn + "-none") == missing
    assert refusal("StartMessageMoveTask", SourceArn=cloud.queue_arn(create_queue())) == (
        "InvalidParameterValueException", "Source queue must be configured as a Dead Letter Queue.")
    assert refusal("StartMessageMoveTask", SourceArn=pair.dead_arn, DestinationArn=pair.arn + "-none") == (
        "ResourceNotFoundException", "The resource that you specified for the DestinationArn parameter doesn't exist.")
    assert refusal("CancelMessageMoveTask", TaskHandle="nonsense") == (
        "InvalidParameterValueException", "Value for parameter TaskHandle is invalid.")
