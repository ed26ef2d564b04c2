"""A topic that holds back, whose server is killed again and again while many publish: what was acknowledged is counted once, and
what passed arrives."""
import collections
import json
import random
import threading
import time
import urllib.parse

import pytest
from botocore.exceptions import BotoCoreError, ClientError

from harness import Cloud, eventually

pytestmark = pytest.mark.local

KILLS = 6
UP_SECONDS = (0.1, 0.8)  # how long it publishes before it is killed
PUBLISHERS = 4
CAUSES = ("Timeout", "Denied")
LADDER = [0, 1]  # seconds; the last repeats: each cause is told several times meanwhile


class Publishers:
    """Threads that publish to the topic; what they sent and what was acknowledged, by cause."""

    def __init__(self, topic):
        self.topic = topic
        self.sent, self.acknowledged = collections.Counter(), collections.Counter()
        self.lock = threading.Lock()

    def least(self):
        """How many of a cause were acknowledged, of that which had the fewest."""
        with self.lock:
            return min(self.acknowledged[cause] for cause in CAUSES)

    def work_until_killed(self, cloud):
        threads = [threading.Thread(target=self._publish, args=(cloud.endpoint, n)) for n in range(PUBLISHERS)]
        for thread in threads:
            thread.start()
        return threads

    def _publish(self, endpoint, n):
        sns = Cloud(endpoint).client("sns", read_timeout=10)
        for number in range(1_000_000):
            cause = CAUSES[(n + number) % len(CAUSES)]
            with self.lock:
                self.sent[cause] += 1
            try:
                sns.publish(TopicArn=self.topic, Message="m", MessageAttributes={
                    "principal_id": {"DataType": "String", "StringValue": "p"},
                    "cause_id": {"DataType": "String", "StringValue": cause}})
            except (BotoCoreError, ClientError):
                return
            with self.lock:
                self.acknowledged[cause] += 1


def states(cloud, topic):
    answer = cloud.get("/_tidemill/backoff?" + urllib.parse.urlencode({"topic": topic}))
    return {state["cause"]: state for state in json.loads(answer)["states"]}


def test_what_is_held_back_is_counted_through_kills(start_server, tmp_path):
    chance = random.Random(11)
    data = tmp_path / "data"
    server = start_server(data=data)
    cloud = Cloud(server.endpoint)
    topic = cloud.client("sns").create_topic(Name="alerts", Attributes={
        "TidemillBackoff": json.dumps({"LadderSeconds": LADDER, "ResetSeconds": 7 * 86400})})["TopicArn"]
    url = cloud.create_queue("alerts")
    cloud.client("sns").subscribe(TopicArn=topic, Protocol="sqs", Endpoint=cloud.queue_arn(url))
    publishers = Publishers(topic)
    for _ in range(KILLS):
        before = publishers.least()
        threads = publishers.work_until_killed(cloud)
        eventually(lambda: publishers.least() > before + 1, "they publish")
        time.sleep(chance.uniform(*UP_SECONDS))
        server.kill()
        for thread in threads:
            thread.join()
        server = start_server(data=data)
        cloud = Cloud(server.endpoint)
    assert min(publishers.acknowledged.values()) > KILLS

    found = states(cloud, topic)
    assert set(found) == set(CAUSES)
    for cause, state in found.items():
        assert publishers.acknowledged[cause] <= state["reports"] <= publishers.sent[cause]
        assert state["deliveries"] > 1

    alerts = {cause: {} for cause in CAUSES}  # by the topic's message id: what is delivered may arrive twice

    def all_arrived():
        url_now = cloud.sqs.get_queue_url(QueueName="alerts")["QueueUrl"]
        messages = cloud.sqs.receive_message(QueueUrl=url_now, MaxNumberOfMessages=10).get("Messages", [])
        for message in (json.loads(message["Body"]) for message in messages):
            attributes = {name: attribute["Value"] for name, attribute in message["MessageAttributes"].items()}
            alerts[attributes["cause_id"]][message["MessageId"]] = int(attributes.get("SuppressedCount", 0))
        return all(len(alerts[cause]) >= found[cause]["deliveries"] for cause in CAUSES)

    eventually(all_arrived, "every delivery arrives")
    for cause, state in found.items():
        held_back = sum(alerts[cause].values()) + state["suppressed"]
        assert len(alerts[cause]) == state["deliveries"]
        assert state["deliveries"] + held_back == state["reports"]
