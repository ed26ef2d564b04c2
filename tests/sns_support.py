"""What the tests of topics share: topics, queues that topics may send to, and an HTTP server that is subscribed."""
import http.server
import json
import threading

import pytest

from harness import eventually, quietly, unique


@pytest.fixture
def sns(cloud):
    return cloud.client("sns")


@pytest.fixture
def create_topic(cloud, sns):
    """create_topic(fifo=False, **attributes): its ARN."""
    def create(fifo=False, **attributes):
        name = unique("topic") + (".fifo" if fifo else "")
        if fifo:
            attributes["FifoTopic"] = "true"
        arn = sns.create_topic(Name=name, Attributes=attributes)["TopicArn"]
        cloud.cleanup.callback(quietly, sns.delete_topic, TopicArn=arn)
        return arn
    return create


class Subscriber:
    """A queue that is subscribed to a topic."""

    def __init__(self, cloud, topic, fifo=False, queue=None, **attributes):
        self.sqs = cloud.sqs
        self.url = cloud.create_queue(fifo=fifo, **(queue or {}))
        self.queue_arn = cloud.queue_arn(self.url)
        allow(cloud, self.url, self.queue_arn)
        self.arn = cloud.client("sns").subscribe(TopicArn=topic, Protocol="sqs", Endpoint=self.queue_arn,
                                                 Attributes=attributes)["SubscriptionArn"]

    def messages(self, count, wait_seconds=2):
        """At least so many messages, removed from the queue."""
        return receive(self.sqs, self.url, count, wait_seconds)

    def bodies(self, count):
        return [message["Body"] for message in self.messages(count)]

    def texts(self, count):
        """Of messages that are not raw: what was published."""
        return [json.loads(body)["Message"] for body in self.bodies(count)]


def allow(cloud, url, arn):
    statement = {"Effect": "Allow", "Principal": {"Service": "sns.amazonaws.com"}, "Action": "sqs:SendMessage",
                 "Resource": arn}
    cloud.sqs.set_queue_attributes(
        QueueUrl=url, Attributes={"Policy": json.dumps({"Version": "2012-10-17", "Statement": [statement]})})


def receive(sqs, url, count, wait_seconds=2):
    found = []

    def enough():
        for message in sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10, WaitTimeSeconds=wait_seconds,
                                           AttributeNames=["All"], MessageAttributeNames=["All"]).get("Messages", []):
            sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
            found.append(message)
        return len(found) >= count
    eventually(enough, f"{count} messages")
    return found


@pytest.fixture
def subscribe_queue(cloud):
    """subscribe_queue(topic, fifo=False, queue={}, **attributes): a Subscriber; `queue`: attributes of the queue."""
    def subscribe(topic, fifo=False, queue=None, **attributes):
        return Subscriber(cloud, topic, fifo, queue, **attributes)
    return subscribe


class Endpoint:
    """An HTTP server that keeps what is posted to it and answers as told: `answers` in turn, then `status`; with `reply`
    as the body."""

    def __init__(self):
        self.requests, self.answers, self.status, self.reply = [], [], 200, b""
        endpoint = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                status = endpoint.answers.pop(0) if endpoint.answers else endpoint.status
                endpoint.requests.append((self.headers, body))
                self.send_response(status)
                self.send_header("Content-Length", str(len(endpoint.reply)))
                self.end_headers()
                self.wfile.write(endpoint.reply)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/inbox"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def wait(self, count):
        eventually(lambda: len(self.requests) >= count, f"{count} requests")
        return self.requests

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def http_endpoint():
    endpoint = Endpoint()
    yield endpoint
    endpoint.stop()
