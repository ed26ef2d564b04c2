"""What the tests of event buses share: buses, rules that lead to queues, and events."""
import http.server
import json
import threading
import urllib.parse

import pytest

from harness import quietly, unique
from sns_support import receive

TRUST = "arn:aws:iam::000000000000:role/tidemill-tests"


@pytest.fixture
def events(cloud):
    return cloud.client("events")


@pytest.fixture
def create_bus(cloud, events):
    """create_bus(): the name of a new bus."""
    def create(**more):
        name = unique("bus")
        events.create_event_bus(Name=name, **more)
        cloud.cleanup.callback(quietly, events.delete_event_bus, Name=name)
        return name
    return create


@pytest.fixture
def bus(create_bus):
    return create_bus()


def put_rule(cloud, bus, pattern, targets=(), **more):
    """A rule with targets, each {"Arn": …, …}; their ids are t0, t1, … Returns its name."""
    events = cloud.client("events")
    name = unique("rule")
    document = {"EventPattern": json.dumps(pattern)} if pattern is not None else {}
    events.put_rule(Name=name, EventBusName=bus, **document, **more)

    def remove():
        ids = [target["Id"] for target in events.list_targets_by_rule(Rule=name, EventBusName=bus)["Targets"]]
        if ids:
            events.remove_targets(Rule=name, EventBusName=bus, Ids=ids)
        events.delete_rule(Name=name, EventBusName=bus)
    cloud.cleanup.callback(quietly, remove)
    if targets:
        answer = events.put_targets(Rule=name, EventBusName=bus, Targets=[
            {"Id": f"t{place}", **target} for place, target in enumerate(targets)])
        assert answer["FailedEntryCount"] == 0, answer
    return name


class Inbox:
    """A queue that rules may send to."""

    def __init__(self, cloud, **queue):
        self.cloud, self.url = cloud, cloud.create_queue(**queue)
        self.arn = cloud.queue_arn(self.url)
        statement = {"Effect": "Allow", "Principal": {"Service": "events.amazonaws.com"}, "Action": "sqs:SendMessage",
                     "Resource": self.arn}
        cloud.sqs.set_queue_attributes(QueueUrl=self.url, Attributes={
            "Policy": json.dumps({"Version": "2012-10-17", "Statement": [statement]})})

    def messages(self, count=1):
        """At least so many messages, removed from the queue."""
        return receive(self.cloud.sqs, self.url, count)

    def bodies(self, count=1):
        return [message["Body"] for message in self.messages(count)]

    def documents(self, count=1):
        return [json.loads(body) for body in self.bodies(count)]

    def details(self, count=1):
        return [document["detail"] for document in self.documents(count)]


@pytest.fixture
def inbox(cloud):
    return Inbox(cloud)


def put(events, bus, detail, source="shop", detail_type="order", **more):
    """Puts one event; its id."""
    entry = {"Source": source, "DetailType": detail_type, "Detail": json.dumps(detail), "EventBusName": bus, **more}
    answer = events.put_events(Entries=[entry])
    assert answer["FailedEntryCount"] == 0, answer
    return answer["Entries"][0]["EventId"]


class TokenEndpoint(http.server.BaseHTTPRequestHandler):
    """Gives out "token-1", "token-2" …; what it was asked stands in `asked`."""

    def do_POST(self):
        form = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.server.asked.append(dict(urllib.parse.parse_qsl(form)))
        self.send_response(200)
        self.end_headers()
        token = f"token-{len(self.server.asked)}"
        self.wfile.write(json.dumps({"access_token": token, "token_type": "Bearer", "expires_in": 3600}).encode())

    def log_message(self, *_):
        pass


@pytest.fixture
def token_endpoint():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), TokenEndpoint)
    server.asked = []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()
