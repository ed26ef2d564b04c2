"""Messages as boto3 sees them: it also checks the MD5 of every body and of all attributes itself."""
import concurrent.futures
import json
import socket
import threading

import pytest

from harness import Cloud, eventually, unique
from test_sqs_queues import refusal


def receive_all(sqs, url, count):
    found = []

    def receive():
        found.extend(sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10, WaitTimeSeconds=1,
                                         AttributeNames=["All"], MessageAttributeNames=["All"]).get("Messages", []))
        return len(found) >= count
    eventually(receive, f"{count} messages")
    return found


def test_a_message_is_sent_received_and_deleted(sqs, create_queue):
    url = create_queue()
    attributes = {"text": {"DataType": "String", "StringValue": "ü"},
                  "number": {"DataType": "Number", "StringValue": "12.5"},
                  "bytes": {"DataType": "Binary.png", "BinaryValue": b"\x00\xff"}}
    sent = sqs.send_message(QueueUrl=url, MessageBody="<héllo & \"you\">\n", MessageAttributes=attributes)
    message = receive_all(sqs, url, 1)[0]
    assert message["MessageId"] == sent["MessageId"]
    assert message["Body"] == "<héllo & \"you\">\n"
    assert message["MD5OfBody"] == sent["MD5OfMessageBody"]
    assert message["MD5OfMessageAttributes"] == sent["MD5OfMessageAttributes"]
    assert message["MessageAttributes"] == attributes
    assert message["Attributes"]["ApproximateReceiveCount"] == "1"
    sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
    sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
    assert "Messages" not in sqs.receive_message(QueueUrl=url)


def test_a_waiting_receiver_gets_what_is_sent(sqs, create_queue):
    url = create_queue()
    with concurrent.futures.ThreadPoolExecutor() as pool:
        waiting = pool.submit(sqs.receive_message, QueueUrl=url, WaitTimeSeconds=20)
        sqs.send_message(QueueUrl=url, MessageBody="x")
        assert waiting.result(timeout=60)["Messages"][0]["Body"] == "x"


def test_batches_tell_what_failed(sqs, create_queue):
    url = create_queue(MaximumMessageSize="1024")
    sent = sqs.send_message_batch(QueueUrl=url, Entries=[
        {"Id": "a", "MessageBody": "1"}, {"Id": "b", "MessageBody": "x" * 1025}, {"Id": "c", "MessageBody": "3"}])
    assert [entry["Id"] for entry in sent["Successful"]] == ["a", "c"]
    assert [(entry["Id"], entry["Code"], entry["SenderFault"]) for entry in sent["Failed"]] == \
        [("b", "InvalidParameterValue", True)]
    messages = receive_all(sqs, url, 2)
    hidden = sqs.change_message_visibility_batch(QueueUrl=url, Entries=[
        {"Id": str(index), "ReceiptHandle": message["ReceiptHandle"], "VisibilityTimeout": 60}
        for index, message in enumerate(messages)])
    assert len(hidden["Successful"]) == 2
    deleted = sqs.delete_message_batch(QueueUrl=url, Entries=[
        {"Id": "good", "ReceiptHandle": messages[0]["ReceiptHandle"]}, {"Id": "bad", "ReceiptHandle": "garbage"}])
    assert [entry["Id"] for entry in deleted["Successful"]] == ["good"]
    assert [(entry["Id"], entry["Code"]) for entry in deleted["Failed"]] == [("bad", "ReceiptHandleIsInvalid")]


@pytest.mark.parametrize("entries, code", [
    ([{"Id": "a b", "MessageBody": "x"}], "AWS.SimpleQueueService.InvalidBatchEntryId"),
    ([{"Id": "a", "MessageBody": "x"}] * 2, "AWS.SimpleQueueService.BatchEntryIdsNotDistinct"),
    ([{"Id": str(n), "MessageBody": "x"} for n in range(11)], "AWS.SimpleQueueService.TooManyEntriesInBatchRequest"),
])
def test_batches_that_are_wrong_as_a_whole_are_refused(sqs, create_queue, entries, code):
    assert refusal(sqs.send_message_batch, QueueUrl=create_queue(), Entries=entries)["Code"] == code


def test_wrong_parameters_are_refused_in_aws_words(sqs, create_queue):
    url = create_queue()
    error = refusal(sqs.receive_message, QueueUrl=url, MaxNumberOfMessages=11)
    assert error["Code"] == "InvalidParameterValue"
    assert error["Message"] == ("Value 11 for parameter MaxNumberOfMessages is invalid. Reason: Must be between 1 and "
                                "10, if provided.")
    assert refusal(sqs.delete_message, QueueUrl=url, ReceiptHandle="garbage")["Code"] == "ReceiptHandleIsInvalid"
    error = refusal(sqs.send_message, QueueUrl=url, MessageBody="")
    assert (error["Code"], error["Message"]) == \
        ("MissingParameter", "The request must contain the parameter MessageBody.")


def test_visibility_can_be_ended(sqs, create_queue):
    url = create_queue()
    sqs.send_message(QueueUrl=url, MessageBody="x")
    first = receive_all(sqs, url, 1)[0]
    sqs.change_message_visibility(QueueUrl=url, ReceiptHandle=first["ReceiptHandle"], VisibilityTimeout=0)
    assert receive_all(sqs, url, 1)[0]["Attributes"]["ApproximateReceiveCount"] == "2"


def test_a_fifo_queue_keeps_the_order_of_each_group(sqs, create_queue):
    url = create_queue(fifo=True)
    numbers = []
    for number in range(20):
        sent = sqs.send_message(QueueUrl=url, MessageBody=str(number), MessageGroupId=f"g{number % 2}",
                                MessageDeduplicationId=str(number))
        numbers.append(sent["SequenceNumber"])
    assert numbers == sorted(numbers) and all(len(number) == 20 for number in numbers)
    got = {"g0": [], "g1": []}
    while sum(map(len, got.values())) < 20:
        for message in sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10, WaitTimeSeconds=5,
                                           AttributeNames=["All"])["Messages"]:
            got[message["Attributes"]["MessageGroupId"]].append(int(message["Body"]))
            sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
    assert got == {"g0": list(range(0, 20, 2)), "g1": list(range(1, 20, 2))}


def test_a_fifo_duplicate_is_dropped(sqs, create_queue):
    url = create_queue(fifo=True, ContentBasedDeduplication="true")
    first = sqs.send_message(QueueUrl=url, MessageBody="same", MessageGroupId="a")
    second = sqs.send_message(QueueUrl=url, MessageBody="same", MessageGroupId="b")
    assert first["MessageId"] == second["MessageId"]
    assert first["SequenceNumber"] == second["SequenceNumber"]
    assert len(receive_all(sqs, url, 1)) == 1
    error = refusal(sqs.send_message, QueueUrl=url, MessageBody="x")
    assert (error["Code"], error["Message"]) == \
        ("MissingParameter", "The request must contain the parameter MessageGroupId.")


def test_a_receive_whose_answer_was_lost_can_be_repeated(sqs, create_queue):
    url = create_queue(fifo=True, VisibilityTimeout="30")
    for number in range(3):
        sqs.send_message(QueueUrl=url, MessageBody=str(number), MessageGroupId="g", MessageDeduplicationId=str(number))

    def receive(attempt):
        answer = sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10, WaitTimeSeconds=1,
                                     ReceiveRequestAttemptId=attempt)
        return [(message["Body"], message["ReceiptHandle"]) for message in answer.get("Messages", [])]
    first = eventually(lambda: receive("one"), "messages")
    assert receive("one") == first
    assert receive("two") == [], "the group is locked"
    sqs.delete_message(QueueUrl=url, ReceiptHandle=first[0][1])
    assert receive("one") == [], "one of its messages is gone"
    error = refusal(sqs.receive_message, QueueUrl=create_queue(), ReceiveRequestAttemptId="one")
    assert error["Code"] == "InvalidParameterValue" and "ReceiveRequestAttemptId" in error["Message"]


def test_a_message_that_is_received_too_often_is_given_up(cloud, sqs, create_queue):
    dead = create_queue()
    url = create_queue(RedrivePolicy=json.dumps({"deadLetterTargetArn": cloud.queue_arn(dead), "maxReceiveCount": 1}))
    sqs.send_message(QueueUrl=url, MessageBody="poison")
    message = receive_all(sqs, url, 1)[0]
    sqs.change_message_visibility(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"], VisibilityTimeout=0)
    eventually(lambda: "Messages" not in sqs.receive_message(QueueUrl=url))
    given_up = receive_all(sqs, dead, 1)[0]
    assert given_up["MessageId"] == message["MessageId"]
    assert given_up["Attributes"]["DeadLetterQueueSourceArn"] == cloud.queue_arn(url)


def test_many_senders_and_receivers_lose_nothing(sqs, create_queue):
    url, count, senders = create_queue(), 400, 8
    got, lock = {}, threading.Lock()

    def send(sender):
        for first in range(0, count // senders, 10):
            sqs.send_message_batch(QueueUrl=url, Entries=[
                {"Id": str(n), "MessageBody": f"{sender}-{first + n}"} for n in range(10)])

    def receive(_):
        while len(got) < count:
            answer = sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10, WaitTimeSeconds=1)
            for message in answer.get("Messages", []):
                sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
                with lock:
                    got[message["Body"]] = got.get(message["Body"], 0) + 1

    with concurrent.futures.ThreadPoolExecutor() as pool:
        jobs = [(send, n) for n in range(senders)] + [(receive, n) for n in range(4)]
        list(pool.map(lambda job: job[0](job[1]), jobs))
    assert len(got) == count
    assert set(got.values()) == {1}


@pytest.mark.local
def test_delays_timeouts_and_retention_follow_the_clock(virtual):
    sqs = virtual.client("sqs")
    url = sqs.create_queue(QueueName=unique("queue"), Attributes={"MessageRetentionPeriod": "3600"})["QueueUrl"]
    sqs.send_message(QueueUrl=url, MessageBody="later", DelaySeconds=900)
    virtual.advance(899)
    assert "Messages" not in sqs.receive_message(QueueUrl=url)
    virtual.advance(1)
    assert sqs.receive_message(QueueUrl=url)["Messages"][0]["Body"] == "later"
    virtual.advance(29)
    assert "Messages" not in sqs.receive_message(QueueUrl=url)
    virtual.advance(1)
    assert sqs.receive_message(QueueUrl=url, AttributeNames=["All"])["Messages"][0]["Attributes"][
        "ApproximateReceiveCount"] == "2"
    virtual.advance(3600)
    assert "Messages" not in sqs.receive_message(QueueUrl=url)


@pytest.mark.local
def test_what_was_acknowledged_outlives_a_kill(start_server):
    server = start_server()
    sqs = Cloud(server.endpoint).client("sqs")
    url = sqs.create_queue(QueueName="q")["QueueUrl"]
    for number in range(20):
        sqs.send_message(QueueUrl=url, MessageBody=str(number))
    for message in sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=5, VisibilityTimeout=0)["Messages"]:
        sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
    server.kill()
    sqs = Cloud(start_server(data=server.data).endpoint).client("sqs")
    bodies = {message["Body"] for message in receive_all(sqs, sqs.get_queue_url(QueueName="q")["QueueUrl"], 15)}
    assert bodies == {str(number) for number in range(5, 20)}


@pytest.mark.local
def test_json_clients_are_told_both_codes(cloud):
    status, headers, body = cloud.raw("sqs", "POST", "/", json.dumps({"QueueName": "nowhere"}), {
        "X-Amz-Target": "AmazonSQS.GetQueueUrl", "Content-Type": "application/x-amz-json-1.0"})
    assert status == 400
    assert headers["x-amzn-query-error"] == "AWS.SimpleQueueService.NonExistentQueue;Sender"
    assert json.loads(body) == {"__type": "com.amazonaws.sqs#QueueDoesNotExist",
                                "message": "The specified queue does not exist."}


# A receive waits for its client's sake, and so it ends when the client leaves: time goes on, and no message is taken.
@pytest.mark.local
def test_a_receiver_that_leaves_takes_nothing(virtual):
    url = virtual.create_queue()
    host, port = virtual.endpoint.split("//")[1].split(":")
    with socket.create_connection((host, int(port))) as client:
        body = json.dumps({"QueueUrl": url, "WaitTimeSeconds": 20})
        client.sendall((f"POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: AmazonSQS.ReceiveMessage\r\n"
                        f"Content-Length: {len(body)}\r\n\r\n{body}").encode())
        virtual.advance(1)
    virtual.advance(60)
    virtual.sqs.send_message(QueueUrl=url, MessageBody="x")
    assert virtual.sqs.receive_message(QueueUrl=url)["Messages"][0]["Body"] == "x"


def test_names_of_attributes_may_have_letters_of_any_script(sqs, create_queue):
    queue = create_queue()
    sqs.send_message(QueueUrl=queue, MessageBody="x", MessageAttributes={
        "attr.1\u00f8\u00df\u00e4": {"DataType": "String", "StringValue": "x"}})
    for wanted in "All", "*", ".*":
        message = sqs.receive_message(QueueUrl=queue, MessageAttributeNames=[wanted], VisibilityTimeout=0)["Messages"][0]
        assert list(message["MessageAttributes"]) == ["attr.1\u00f8\u00df\u00e4"]


def test_values_of_attributes_have_no_control_characters(sqs, create_queue):
    found = refusal(sqs.send_message, QueueUrl=create_queue(), MessageBody="x", MessageAttributes={
        "a": {"DataType": "String", "StringValue": "\x01"}})
    assert "InvalidParameterValue" in str(found)


def test_a_queue_whose_messages_are_to_be_moved_must_be_there(cloud):
    status, _, body = cloud.raw("sqs", "POST", "/", json.dumps({
        "SourceArn": f"arn:aws:sqs:{cloud.region}:000000000000:nonesuch"}), {
            "X-Amz-Target": "AmazonSQS.StartMessageMoveTask", "Content-Type": "application/x-amz-json-1.0"})
    assert status == 404 and json.loads(body)["__type"].endswith("#ResourceNotFoundException")
