"""What the black-box tests stand on: a server to start and kill, clients to talk to it, and things to make in it.

Nothing here knows how the server works inside. Against AWS (TIDEMILL_TEST_ENDPOINT=aws) the same tests run with the
same clients; only the endpoint differs.
"""
import base64
import contextlib
import io
import json
import os
import textwrap
import time
import urllib.error
import urllib.request
import uuid
import zipfile
import zlib

import boto3
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.credentials import Credentials
from botocore.exceptions import ClientError

from dynamodb_values import item, value, values  # noqa: F401: tests take them from here
from server_process import ROOT, SERVER, Server, StartFailed, free_port  # noqa: F401: tests take them from here

REGION = "us-east-1"
ROLE = os.environ.get("TIDEMILL_TEST_ROLE", "arn:aws:iam::000000000000:role/tidemill-tests")
PYTHON_RUNTIME = "python3.12"
NODE_RUNTIME = "nodejs20.x"
DEADLINE_SECONDS = float(os.environ.get("TIDEMILL_TEST_DEADLINE", "60"))


# --- waiting ---------------------------------------------------------------------------------------------------------

def eventually(condition, what="the condition", deadline_seconds=None, interval_seconds=0.01):
    """The first true value of condition(), asked again and again until the deadline. Never sleep and hope."""
    limit = deadline_seconds or DEADLINE_SECONDS
    deadline = time.monotonic() + limit
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"{what} did not come true within {limit} s; last value: {value!r}")
        time.sleep(interval_seconds)


# --- clients and resources -------------------------------------------------------------------------------------------

class Cloud:
    """An endpoint: its clients, and short ways to make things there that are gone after the test."""

    def __init__(self, endpoint, region=REGION, access_key=None, secret_key="test", verify=None):
        """`verify`: a file with the authority of the server's certificate."""
        self.endpoint, self.region, self.verify = endpoint, region, verify
        self.access_key, self.secret_key = access_key or "test", secret_key
        self._clients = {}
        self._inbox = None
        self.cleanup = contextlib.ExitStack()

    def client(self, service, **config):
        key = (service, str(sorted(config.items())))
        if key not in self._clients:
            options = {"retries": {"max_attempts": 0, "mode": "standard"}, "read_timeout": 120, "connect_timeout": 60,
                       **config}
            arguments = {"region_name": self.region, "config": Config(**options)}
            if self.endpoint:
                arguments.update(endpoint_url=self.endpoint, aws_access_key_id=self.access_key,
                                 aws_secret_access_key=self.secret_key, verify=self.verify)
            self._clients[key] = boto3.client(service, **arguments)
        return self._clients[key]

    @property
    def dynamodb(self):
        return self.client("dynamodb")

    @property
    def streams(self):
        return self.client("dynamodbstreams")

    @property
    def functions(self):
        return self.client("lambda")

    @property
    def sqs(self):
        return self.client("sqs")

    @property
    def kinesis(self):
        return self.client("kinesis")

    @property
    def s3(self):
        return self.client("s3", s3={"addressing_style": "path"})

    def in_region(self, region):
        return Cloud(self.endpoint, region, self.access_key, self.secret_key)

    def as_account(self, account):
        """The same server as another account sees it: its access key id is the account's number."""
        return Cloud(self.endpoint, self.region, account, self.secret_key)

    # Raw calls, for requests that no SDK would make and for answers as they are on the wire.

    def raw(self, service, method, path, body=b"", headers=None):
        """(status, headers, body bytes) of a signed request."""
        base = self.endpoint or f"https://{service}.{self.region}.amazonaws.com"
        if isinstance(body, str):
            body = body.encode()
        request = AWSRequest(method=method, url=base + path, data=body, headers=headers or {})
        if self.endpoint:
            credentials = Credentials(self.access_key, self.secret_key)
        else:
            credentials = boto3.Session().get_credentials()
        SigV4Auth(credentials, service, self.region).add_auth(request)
        prepared = request.prepare()
        sent = urllib.request.Request(prepared.url, data=body if method != "GET" else None, method=method,
                                      headers=dict(prepared.headers))
        try:
            with urllib.request.urlopen(sent, timeout=60) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.headers, error.read()

    def raw_unsigned(self, method, path, headers=None):
        """The same of a request that nobody has signed."""
        sent = urllib.request.Request(self.endpoint + path, method=method, headers=headers or {})
        try:
            with urllib.request.urlopen(sent, timeout=60) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.headers, error.read()

    def call_json(self, target, document, service="dynamodb"):
        """(status, parsed body) of a json 1.0 call; `document` may be text that is not valid at all."""
        body = document if isinstance(document, (str, bytes)) else json.dumps(document)
        status, _, answer = self.raw(service, "POST", "/", body, {
            "X-Amz-Target": target, "Content-Type": "application/x-amz-json-1.0"})
        return status, json.loads(answer)

    def put(self, path, document):
        """POST of Tidemill's own endpoints."""
        return json.loads(self._own("POST", path, json.dumps(document).encode(), 120) or b"null")

    def get(self, path):
        return self._own("GET", path, None, 60).decode()

    def _own(self, method, path, body, timeout):
        """Signed, as a server with --auth iam wants it."""
        request = AWSRequest(method=method, url=self.endpoint + path, data=body,
                             headers={"Content-Type": "application/json"} if body else {})
        SigV4Auth(Credentials(self.access_key, self.secret_key), "tidemill", self.region).add_auth(request)
        sent = urllib.request.Request(request.url, data=body, method=method, headers=dict(request.prepare().headers))
        with urllib.request.urlopen(sent, timeout=timeout) as answer:
            return answer.read()

    # Time, on a server with --clock virtual.

    def now(self):
        return json.loads(self.get("/_tidemill/clock"))["now"]

    def advance(self, seconds):
        """Turns the virtual clock forward; returns when everything that was due has happened."""
        return self.put("/_tidemill/clock", {"advance": seconds})

    # Tables.

    def create_table(self, keys="id:S", stream=None, name=None, **more):
        """A table, active. `keys`: "id:S" or "id:S sort:N"; `stream`: a view type or None. Returns its name."""
        name = name or unique("table")
        parsed = [key.split(":") for key in keys.split()]
        request = {
            "TableName": name,
            "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [{"AttributeName": key, "AttributeType": kind} for key, kind in parsed],
            "KeySchema": [{"AttributeName": key, "KeyType": role}
                          for (key, _), role in zip(parsed, ("HASH", "RANGE"))],
            **more,
        }
        if stream:
            request["StreamSpecification"] = {"StreamEnabled": True, "StreamViewType": stream}
        self.dynamodb.create_table(**request)
        self.cleanup.callback(quietly, self.dynamodb.delete_table, TableName=name)
        self.dynamodb.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1})
        return name

    def stream_arn(self, table):
        return self.dynamodb.describe_table(TableName=table)["Table"]["LatestStreamArn"]

    def put_item(self, table, **attributes):
        return self.dynamodb.put_item(TableName=table, Item=item(**attributes))

    def shards(self, stream_arn):
        shards, start = [], {}
        while True:
            page = self.streams.describe_stream(StreamArn=stream_arn, **start)["StreamDescription"]
            shards += page["Shards"]
            if "LastEvaluatedShardId" not in page:
                return shards
            start = {"ExclusiveStartShardId": page["LastEvaluatedShardId"]}

    def records(self, stream_arn, count, deadline_seconds=None):
        """At least `count` records of all shards from the beginning; then whatever else is there."""
        def read():
            found = []
            for shard in self.shards(stream_arn):
                found += self.shard_records(stream_arn, shard["ShardId"])
            return found if len(found) >= count else None
        return eventually(read, f"{count} stream records", deadline_seconds)

    def shard_records(self, stream_arn, shard_id):
        iterator = self.streams.get_shard_iterator(
            StreamArn=stream_arn, ShardId=shard_id, ShardIteratorType="TRIM_HORIZON")["ShardIterator"]
        found = []
        while iterator:
            page = self.streams.get_records(ShardIterator=iterator)
            if not page["Records"]:
                break
            found += page["Records"]
            iterator = page.get("NextShardIterator")
        return found

    # Queues.

    def create_queue(self, name=None, fifo=False, **attributes):
        """A queue. Returns its URL."""
        name = name or unique("queue") + (".fifo" if fifo else "")
        if fifo:
            attributes["FifoQueue"] = "true"
        url = self.sqs.create_queue(QueueName=name, Attributes=attributes)["QueueUrl"]
        self.cleanup.callback(quietly, self.sqs.delete_queue, QueueUrl=url)
        return url

    def create_bucket(self, name=None, versioned=False):
        """The bucket's name. At the end it goes with all that is in it."""
        name = name or unique("bucket")
        where = {} if self.region == "us-east-1" else {
            "CreateBucketConfiguration": {"LocationConstraint": self.region}}
        self.s3.create_bucket(Bucket=name, **where)
        self.cleanup.callback(quietly, self._drop_bucket, Bucket=name)
        if versioned:
            self.s3.put_bucket_versioning(Bucket=name, VersioningConfiguration={"Status": "Enabled"})
        return name

    def _drop_bucket(self, Bucket):
        for page in self.s3.get_paginator("list_object_versions").paginate(Bucket=Bucket):
            for each in page.get("Versions", []) + page.get("DeleteMarkers", []):
                self.s3.delete_object(Bucket=Bucket, Key=each["Key"], VersionId=each["VersionId"])
        self.s3.delete_bucket(Bucket=Bucket)

    def queue_counts(self, url):
        """(visible, in flight) of the queue."""
        names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
        found = self.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=names)["Attributes"]
        return tuple(int(found[name]) for name in names)

    def queue_arn(self, url):
        return self.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]

    # Data streams.

    def create_data_stream(self, shards=1, name=None):
        """A data stream, active; on demand if `shards` is None. Returns its name."""
        name = name or unique("stream")
        self.kinesis.create_stream(StreamName=name, **({"ShardCount": shards} if shards else {}))
        self.cleanup.callback(quietly, self.kinesis.delete_stream, StreamName=name, EnforceConsumerDeletion=True)
        self.data_stream_active(name)
        return name

    def data_stream_active(self, name):
        """The summary of the stream once it is active."""
        def active():
            summary = self.kinesis.describe_stream_summary(StreamName=name)["StreamDescriptionSummary"]
            return summary if summary["StreamStatus"] == "ACTIVE" else None
        return eventually(active, f"{name} active", deadline_seconds=120)

    def data_records(self, stream, shard, count, **start):
        """`count` records of a shard from its beginning, or from `start`."""
        start = start or {"ShardIteratorType": "TRIM_HORIZON"}
        iterator = self.kinesis.get_shard_iterator(StreamName=stream, ShardId=shard, **start)["ShardIterator"]
        records = []

        def enough():
            nonlocal iterator
            if iterator:
                page = self.kinesis.get_records(ShardIterator=iterator)
                records.extend(page["Records"])
                iterator = page.get("NextShardIterator")
            return len(records) >= count
        eventually(enough, f"{count} records in {shard}", interval_seconds=0.3 if not self.endpoint else 0.01)
        return records

    # Functions.

    def create_function(self, source, name=None, runtime=PYTHON_RUNTIME, handler="app.handler", files=None, wait=True,
                        **more):
        """A function from Python (or other) source text, active. Returns its name."""
        name = name or unique("function")
        package = files if files is not None else {"app.py": textwrap.dedent(source)}
        if runtime.startswith("python"):
            package = {"inbox.py": INBOX_SOURCE, **package}
        self.functions.create_function(
            FunctionName=name, Runtime=runtime, Handler=handler, Role=ROLE,
            Code={"ZipFile": zip_of(package)}, **{"Timeout": 30, **more})
        self.cleanup.callback(quietly, self.functions.delete_function, FunctionName=name)
        if wait:
            self.functions.get_waiter("function_active_v2").wait(FunctionName=name, WaiterConfig={"Delay": 1})
        return name

    def recorder(self, body="", **more):
        """A function that keeps every event it gets in its inbox, then runs `body`, in which `event` and `count` (how
        many events came, with this one) are known. Returns its name."""
        source = "import os, time, inbox\ndef handler(event, context):\n    count = inbox.keep(event, context)\n"
        source += textwrap.indent(textwrap.dedent(body) or "pass\n", "    ")
        name = more.pop("name", None) or unique("recorder")
        environment = {"INBOX_TABLE": self.inbox_table(), "INBOX": name, **more.pop("environment", {})}
        return self.create_function(source, name=name, Environment={"Variables": environment}, **more)

    def inbox_table(self):
        if not self._inbox:
            self._inbox = self.create_table("inbox:S at:S", name=unique("inbox"))
        return self._inbox

    def use_inbox(self, table):
        """Of recorders that were made through another Cloud, before a restart."""
        self._inbox = table

    def events(self, function):
        """What a recorder has got so far, in the order in which it got it."""
        pages = self.dynamodb.get_paginator("query").paginate(
            TableName=self.inbox_table(), ConsistentRead=True, KeyConditionExpression="inbox = :inbox",
            ExpressionAttributeValues={":inbox": {"S": function}})
        return [json.loads(zlib.decompress(entry["event"]["B"])) for page in pages for entry in page["Items"]
                if "event" in entry]

    def wait_for_events(self, function, count, deadline_seconds=None):
        def enough():
            found = self.events(function)
            return found if len(found) >= count else None
        return eventually(enough, f"{count} events at {function}", deadline_seconds)

    def wait_for_records(self, function, count, deadline_seconds=None):
        """At least `count` records over all events of the recorder."""
        def enough():
            found = [record for event in self.events(function) for record in event["Records"]]
            return found if len(found) >= count else None
        return eventually(enough, f"{count} records at {function}", deadline_seconds)

    def invoke(self, function, payload=None, **more):
        """(answer, parsed payload) of a synchronous invocation."""
        answer = self.functions.invoke(FunctionName=function, Payload=json.dumps(payload).encode(), **more)
        text = answer["Payload"].read()
        return answer, json.loads(text) if text else None

    # Event source mappings.

    def create_mapping(self, function, source_arn, wait=True, **more):
        """A mapping from the stream's beginning, or of a queue; enabled. Returns its UUID."""
        start = {} if ":sqs:" in source_arn else {"StartingPosition": "TRIM_HORIZON"}
        request = {"FunctionName": function, "EventSourceArn": source_arn, **start, **more}
        # Clients of some age lack the newer members.
        lacks = set(more) & {"ScalingConfig", "MetricsConfig", "ProvisionedPollerConfig"}
        make = self._create_mapping_raw if lacks else self.functions.create_event_source_mapping
        mapping = make(**request)
        self.cleanup.callback(quietly, self.functions.delete_event_source_mapping, UUID=mapping["UUID"])
        if wait:
            self.wait_for_mapping(mapping["UUID"], "Enabled" if more.get("Enabled", True) else "Disabled")
        return mapping["UUID"]

    def _create_mapping_raw(self, **request):
        status, _, body = self.raw("lambda", "POST", "/2015-03-31/event-source-mappings/", json.dumps(request),
                                   {"Content-Type": "application/json"})
        assert status == 202, body
        return json.loads(body)

    def wait_for_mapping(self, mapping, state):
        def reached():
            found = self.functions.get_event_source_mapping(UUID=mapping)
            return found if found["State"] == state else None
        return eventually(reached, f"mapping {state}", None if self.endpoint else 180)


# The module that recorders carry: keeps events in a table, so that it works the same on AWS.
INBOX_SOURCE = '''\
import json, os, zlib

_table = None
_count = 0


def table():
    global _table
    if _table is None:
        import boto3
        _table = boto3.client("dynamodb", endpoint_url=os.environ.get("AWS_ENDPOINT_URL"))
    return _table


def keep(event, context):
    """Writes the event down; how many events this inbox has, counted over all workers."""
    name = os.environ["INBOX"]
    counted = table().update_item(
        TableName=os.environ["INBOX_TABLE"], Key={"inbox": {"S": name + "#count"}, "at": {"S": "-"}},
        UpdateExpression="ADD #n :one", ExpressionAttributeNames={"#n": "n"},
        ExpressionAttributeValues={":one": {"N": "1"}}, ReturnValues="UPDATED_NEW")
    count = int(counted["Attributes"]["n"]["N"])
    packed = zlib.compress(json.dumps(event).encode())
    table().put_item(TableName=os.environ["INBOX_TABLE"], Item={
        "inbox": {"S": name}, "at": {"S": "%020d-%s" % (count, context.aws_request_id)},
        "event": {"B": packed}})
    return count
'''


# --- small helpers ---------------------------------------------------------------------------------------------------

def unique(kind):
    return f"{kind}-{uuid.uuid4().hex[:10]}"


def quietly(call, *arguments, **named):
    with contextlib.suppress(Exception):
        call(*arguments, **named)


def zip_of(files):
    """A package: {"app.py": text or bytes}. A file named bootstrap and those that begin with #! get their execute bits."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            info = zipfile.ZipInfo(name, date_time=(2020, 1, 1, 0, 0, 0))
            runs = name == "bootstrap" or content[:2] in ("#!", b"#!")
            info.external_attr = (0o100755 if runs else 0o100644) << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, content)
    return buffer.getvalue()


def log_tail(answer):
    return base64.b64decode(answer["LogResult"]).decode()


class refused:
    """with refused("ValidationException", "text in the message") as error: the call is refused so. The whole answer is
    in error.response afterwards; exactly=True compares the whole message."""

    def __init__(self, code, message="", exactly=False, status=None):
        self.code, self.message, self.exactly, self.status = code, message, exactly, status
        self.response = None

    def __enter__(self):
        return self

    def __exit__(self, kind, error, _):
        if kind is None:
            raise AssertionError(f"not refused; expected {self.code}: {self.message}")
        if not isinstance(error, ClientError):
            return False
        self.response = error.response
        got = error.response["Error"]
        assert got["Code"] == self.code, f"{got['Code']}: {got['Message']}"
        if self.exactly:
            assert got["Message"] == self.message
        else:
            assert self.message.lower() in got["Message"].lower(), got["Message"]
        if self.status:
            assert error.response["ResponseMetadata"]["HTTPStatusCode"] == self.status
        return True
