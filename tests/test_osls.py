"""osls of npm deploys, deploys again, changes and removes a service, with only the endpoint set."""
import json

import pytest

from harness import ROOT, Cloud, eventually
from npm_support import Tool, copy_of

pytestmark = pytest.mark.local
QUIET = {"AWS_EC2_METADATA_DISABLED": "true", "SLS_TELEMETRY_DISABLED": "1", "SLS_NOTIFICATIONS_MODE": "off"}
FUNCTION = "tidal-notes-test-forward"


def test_a_service_lives_from_deploy_to_remove(start_server, tmp_path):
    server = start_server()
    cloud, osls = Cloud(server.endpoint), Tool("osls", copy_of(ROOT / "tests" / "osls", tmp_path / "osls"), server, tmp_path,
                                               **QUIET)
    osls("deploy")
    expect_forwarded(cloud, "first")
    changed = cloud.functions.get_function_configuration(FunctionName=FUNCTION)["LastModified"]
    osls("deploy")
    assert cloud.functions.get_function_configuration(FunctionName=FUNCTION)["LastModified"] == changed
    osls("deploy", NOTE="second")
    expect_forwarded(cloud, "second")
    osls("remove")
    assert cloud.functions.list_functions()["Functions"] == []
    assert cloud.dynamodb.list_tables()["TableNames"] == []
    assert cloud.client("sns").list_topics()["Topics"] == []
    assert cloud.sqs.list_queues().get("QueueUrls", []) == []
    assert cloud.s3.list_buckets()["Buckets"] == []


def expect_forwarded(cloud, note):
    """A new item and a message come out of the queue, with what the function's environment says."""
    cloud.put_item("tidal-notes", id=note, text=f"item of {note}")
    topic = cloud.client("sns").list_topics()["Topics"][0]["TopicArn"]
    cloud.client("sns").publish(TopicArn=topic, Message=f"message of {note}")
    url = cloud.sqs.get_queue_url(QueueName="tidal-outbox")["QueueUrl"]
    found = set()

    def both():
        for one in cloud.sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages", []):
            found.add(tuple(json.loads(one["Body"])))
            cloud.sqs.delete_message(QueueUrl=url, ReceiptHandle=one["ReceiptHandle"])
        return found >= {(note, f"item of {note}"), (note, f"message of {note}")}
    eventually(both, f"what is forwarded by {note}")
