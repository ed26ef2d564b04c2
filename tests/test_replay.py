"""`tidemill replay`: discarded batches, given to their function again once it is mended."""
import http.server
import json
import os
import subprocess
import threading
import urllib.request

import pytest

from harness import SERVER, eventually, unique

pytestmark = pytest.mark.local  # AWS has nothing of the kind

HANDLER = """
    import base64
    for record in event["Records"]:
        data = base64.b64decode(record["kinesis"]["data"]).decode() if "kinesis" in record else \\
            record["dynamodb"]["NewImage"]["word"]["S"]
        if data in os.environ["BAD"].split(","):
            raise ValueError("poisoned")
    """


def words(event):
    import base64
    return [base64.b64decode(record["kinesis"]["data"]).decode() if "kinesis" in record
            else record["dynamodb"]["NewImage"]["word"]["S"] for record in event["Records"]]


def replay(cloud, *arguments, text=None):
    environment = {**os.environ, "AWS_ENDPOINT_URL": cloud.endpoint, "AWS_REGION": cloud.region}
    done = subprocess.run([str(SERVER), "replay", *arguments], capture_output=True, text=True, env=environment,
                          input=text, timeout=120)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def queue(cloud):
    name = unique("failures")
    return name, cloud.create_queue(name)


@pytest.fixture
def function(cloud):
    return cloud.recorder(body=HANDLER, environment={"BAD": "poison"})


def heal(cloud, function):
    environment = cloud.functions.get_function_configuration(FunctionName=function)["Environment"]["Variables"]
    cloud.functions.update_function_configuration(FunctionName=function,
                                                  Environment={"Variables": {**environment, "BAD": ""}})
    cloud.functions.get_waiter("function_updated_v2").wait(FunctionName=function)


def waiting(cloud, url):
    answer = cloud.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["ApproximateNumberOfMessages"])
    return int(answer["Attributes"]["ApproximateNumberOfMessages"])


def discard(cloud, function, source, url, write):
    """Lets the function fail on what is written, until the document of each batch is in the queue."""
    cloud.create_mapping(function, source, MaximumRetryAttempts=0,
                         DestinationConfig={"OnFailure": {"Destination": cloud.queue_arn(url)}})
    write()
    eventually(lambda: waiting(cloud, url) > 0, "a failure document")


def test_a_queue_of_documents_of_a_table_is_replayed(cloud, function, queue):
    name, url = queue
    table = cloud.create_table(stream="NEW_IMAGE")
    discard(cloud, function, cloud.stream_arn(table), url, lambda: cloud.put_item(table, id="1", word="poison"))

    code, out, _ = replay(cloud, "--queue", name)
    assert code == 1 and out.startswith("failed: 1 record "), out
    assert "poisoned" in out
    assert waiting(cloud, url) == 1  # it is not lost, and visible at once

    heal(cloud, function)
    code, out, errors = replay(cloud, "--queue", name)
    assert code == 0 and out.startswith("replayed: 1 record "), out + errors
    assert function in out
    events = cloud.wait_for_events(function, 3)  # by the mapping, and twice by hand
    assert all(words(event) == ["poison"] for event in events)
    assert events[0] == events[2]  # to the letter what the mapping had sent
    code, out, _ = replay(cloud, "--queue", name)
    assert code == 0 and out == f"nothing to replay: the queue {name} is empty\n"


class BrokenReplay(http.server.BaseHTTPRequestHandler):
    """A server in front of the real one that hangs up whenever something is to be replayed."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path.startswith("/_tidemill/"):
            self.close_connection = True
            return
        headers = {name: value for name, value in self.headers.items() if name.lower() not in ("host", "connection")}
        request = urllib.request.Request(self.server.endpoint + self.path, data=body, headers=headers)
        with urllib.request.urlopen(request) as answer:
            text = answer.read()
        self.send_response(200)
        self.send_header("Content-Type", "application/x-amz-json-1.0")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *arguments):
        pass


def test_what_a_run_that_fails_has_received_is_visible_again_at_once(cloud, queue):
    name, url = queue
    for number in range(3):
        cloud.sqs.send_message(QueueUrl=url, MessageBody=f"document {number}")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), BrokenReplay) as front:
        front.endpoint = cloud.endpoint
        threading.Thread(target=front.serve_forever, daemon=True).start()
        code, _, errors = replay(cloud, "--queue", name, "--endpoint", f"http://127.0.0.1:{front.server_port}")
        front.shutdown()
    assert code == 1 and errors.startswith("tidemill: "), errors
    assert waiting(cloud, url) == 3


def test_a_document_of_a_data_stream_is_replayed_from_a_file(cloud, function, queue, tmp_path):
    _, url = queue
    stream = cloud.create_data_stream()
    arn = cloud.kinesis.describe_stream_summary(StreamName=stream)["StreamDescriptionSummary"]["StreamARN"]
    discard(cloud, function, arn, url, lambda: cloud.kinesis.put_records(StreamName=stream, Records=[
        {"PartitionKey": "k", "Data": word.encode()} for word in ("before", "poison", "after")]))
    message, = cloud.sqs.receive_message(QueueUrl=url)["Messages"]
    assert json.loads(message["Body"])["KinesisBatchInfo"]["batchSize"] == 3
    heal(cloud, function)
    file = tmp_path / "document.json"
    file.write_text(message["Body"])
    code, out, errors = replay(cloud, "--document", str(file))
    assert code == 0 and out.startswith("replayed: 3 records "), out + errors
    assert words(cloud.wait_for_events(function, 2)[-1]) == ["before", "poison", "after"]
    code, out, _ = replay(cloud, "--document", "-", text=message["Body"])
    assert code == 0, out


def test_a_document_by_way_of_a_topic_is_replayed_too(cloud, function, queue):
    name, url = queue
    sns = cloud.client("sns")
    topic = sns.create_topic(Name=unique("topic"))["TopicArn"]
    sns.subscribe(TopicArn=topic, Protocol="sqs", Endpoint=cloud.queue_arn(url))
    table = cloud.create_table(stream="NEW_IMAGE")
    cloud.create_mapping(function, cloud.stream_arn(table), MaximumRetryAttempts=0,
                         DestinationConfig={"OnFailure": {"Destination": topic}})
    cloud.put_item(table, id="1", word="poison")
    eventually(lambda: waiting(cloud, url) > 0, "a failure document")
    heal(cloud, function)
    code, out, errors = replay(cloud, "--queue", name)
    assert code == 0 and out.startswith("replayed: 1 record "), out + errors


def test_records_that_their_stream_has_trimmed_are_said_to_be_lost(virtual):
    url = virtual.create_queue(unique("failures"))
    function = virtual.recorder(body=HANDLER, environment={"BAD": "poison"})
    table = virtual.create_table(stream="NEW_IMAGE")
    discard(virtual, function, virtual.stream_arn(table), url, lambda: virtual.put_item(table, id="1", word="poison"))
    message, = virtual.sqs.receive_message(QueueUrl=url)["Messages"]
    virtual.advance(25 * 3600)
    code, out, _ = replay(virtual, "--document", "-", text=message["Body"])
    assert code == 1 and out.startswith("lost: "), out


def test_what_makes_no_sense_is_said_in_one_line(cloud, tmp_path):
    for arguments in ((), ("--queue", "q", "--document", "f"), ("--queue",), ("--all",)):
        code, out, errors = replay(cloud, *arguments)
        assert code == 2 and out == "" and errors.startswith("tidemill: ") and errors.count("\n") == 1, errors
    code, _, errors = replay(cloud, "--document", str(tmp_path / "nothing"))
    assert code == 1 and "cannot read" in errors
    code, _, errors = replay(cloud, "--queue", unique("nothing"))
    assert code == 1 and "queue does not exist" in errors
    for text in ("", "nonsense", "{}", '{"requestContext": {"functionArn": "f"}}', "[" * 100_000):
        code, out, _ = replay(cloud, "--document", "-", text=text)
        assert code == 1 and out.startswith("refused: this is no document of a discarded batch") and out.count("\n") == 1
