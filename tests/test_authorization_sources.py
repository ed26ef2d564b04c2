"""With --auth iam: what mappings read under their function's role, and what buckets tell under their targets' policies."""
import json
import time

import pytest
from botocore.exceptions import ClientError

from authorization_support import ACCOUNT, policy, statement, trust
from harness import REGION, eventually, unique, zip_of
from test_authorization import denial, explain, iam, person, root, server  # noqa: F401 (fixtures)

pytestmark = pytest.mark.local

# Puts what it gets into a queue of its own, so that a test sees that it ran; that it may in any case.
TELLER = """
import boto3, json, os
def handler(event, context):
    for record in event["Records"]:
        boto3.client("sqs").send_message(QueueUrl=os.environ["TOLD"], MessageBody=json.dumps(record))
"""
LOGS = statement("logs:*")


class Teller:
    """A function with a role, which tells what it was called with."""

    def __init__(self, cloud, iam):  # noqa: F811
        self.cloud, self.iam, self.name, self.role = cloud, iam, unique("teller"), unique("role")
        arn = iam.create_role(RoleName=self.role, AssumeRolePolicyDocument=trust(Service="lambda.amazonaws.com"))["Role"]["Arn"]
        self.told = cloud.sqs.create_queue(QueueName=unique("told"))["QueueUrl"]
        self.tells = statement("sqs:SendMessage", queue_arn(self.told))
        self.may()
        cloud.functions.create_function(
            FunctionName=self.name, Runtime="python3.12", Handler="app.handler", Role=arn, Timeout=8,
            Code={"ZipFile": zip_of({"app.py": TELLER})}, Environment={"Variables": {"TOLD": self.told}})
        cloud.functions.get_waiter("function_active_v2").wait(FunctionName=self.name, WaiterConfig={"Delay": 1})
        self.arn = f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:{self.name}"

    def may(self, *statements):
        self.iam.put_role_policy(RoleName=self.role, PolicyName="own", PolicyDocument=policy(self.tells, *statements))

    def map(self, source, **more):
        uuid = self.cloud.functions.create_event_source_mapping(
            FunctionName=self.name, EventSourceArn=source, **more)["UUID"]
        self.cloud.cleanup.callback(self.cloud.functions.delete_event_source_mapping, UUID=uuid)
        return uuid

    def records(self):
        """Those that were told since the last time."""
        found = self.cloud.sqs.receive_message(QueueUrl=self.told, MaxNumberOfMessages=10).get("Messages", [])
        for each in found:
            self.cloud.sqs.delete_message(QueueUrl=self.told, ReceiptHandle=each["ReceiptHandle"])
        return [json.loads(each["Body"]) for each in found]


def queue_arn(url):
    return f"arn:aws:sqs:{REGION}:{ACCOUNT}:{url.rsplit('/')[-1]}"


@pytest.fixture
def teller(root, iam):  # noqa: F811
    return Teller(root, iam)


def test_a_mapping_of_a_queue_needs_the_functions_rights(root, teller):  # noqa: F811
    url = root.sqs.create_queue(QueueName=unique("jobs"), Attributes={"VisibilityTimeout": "8"})["QueueUrl"]
    arn = queue_arn(url)
    actions = ["sqs:ReceiveMessage", "sqs:GetQueueAttributes", "sqs:DeleteMessage"]
    for missing in actions:
        teller.may(statement([action for action in actions if action != missing], arn))
        assert denial(teller.map, arn) == (
            "InvalidParameterValueException", 400,
            f"The provided execution role does not have permissions to call {missing[4:]} on SQS")
    teller.may(statement(actions, arn))
    teller.map(arn)
    root.sqs.send_message(QueueUrl=url, MessageBody="first")
    assert eventually(teller.records, "the function gets the message")[0]["body"] == "first"

    # Taken away while it runs: before long what comes stays in the queue, until the right is back.
    teller.may(statement(actions, arn), statement("sqs:ReceiveMessage", arn, effect="Deny"))
    text = first_that(lambda text: eventually(lambda: teller.records() or messages(root, url) == (1, 0), "it is here or there"),
                      root, url, lambda outcome: outcome is True)
    teller.may(statement(actions, arn))
    assert eventually(teller.records, "the function gets the message")[0]["body"] == text
    eventually(lambda: messages(root, url) == (0, 0), "the message is gone")

    # What may not be removed comes back after its timeout.
    teller.may(statement(actions[:2], arn))
    first_that(lambda text: eventually(teller.records, "the function gets a message")[0]["attributes"], root, url,
               lambda outcome: outcome["ApproximateReceiveCount"] == "2")


def test_what_a_mapping_lacks_is_explained_by_the_request_for_it(server, root, teller):  # noqa: F811
    url = root.sqs.create_queue(QueueName=unique("jobs"), Attributes={"VisibilityTimeout": "8"})["QueueUrl"]
    with pytest.raises(ClientError) as caught:
        teller.map(queue_arn(url))
    told = explain(server, caught.value.response["ResponseMetadata"]["RequestId"])
    assert told.returncode == 1, told.stderr
    role = f"arn:aws:iam::{ACCOUNT}:role/{teller.role}"
    assert told.stdout.startswith(f"lambda.CreateEventSourceMapping by {role}, request ")
    assert f"implicitDeny  sqs:ReceiveMessage on {queue_arn(url)}" in told.stdout


# What is read is read by the function's role.
def test_whoever_maps_a_queue_needs_no_right_to_it(root, teller, person):  # noqa: F811
    url = root.sqs.create_queue(QueueName=unique("jobs"), Attributes={"VisibilityTimeout": "8"})["QueueUrl"]
    teller.may(statement(["sqs:ReceiveMessage", "sqs:GetQueueAttributes", "sqs:DeleteMessage"], queue_arn(url)))
    maps = person(statement("lambda:*EventSourceMapping")).client("lambda")
    uuid = maps.create_event_source_mapping(FunctionName=teller.name, EventSourceArn=queue_arn(url))["UUID"]
    maps.update_event_source_mapping(UUID=uuid, FunctionName=teller.name)
    root.sqs.send_message(QueueUrl=url, MessageBody="first")
    assert eventually(teller.records, "the function gets the message")[0]["body"] == "first"
    maps.delete_event_source_mapping(UUID=uuid)


# Whom a policy lets or denies by lambda:FunctionArn.
def test_a_mapping_is_its_functions(root, iam, teller, person, table_stream):  # noqa: F811
    other = Teller(root, iam)
    for each in (teller, other):
        each.may(statement("dynamodb:*", table_stream[0]))
    mine, others = (root.functions.create_event_source_mapping(
        FunctionName=each.name, EventSourceArn=table_stream[0], StartingPosition="LATEST")["UUID"] for each in (teller, other))
    functions = person(statement("lambda:*EventSourceMapping",
                                 Condition={"ArnEquals": {"lambda:FunctionArn": teller.arn}})).client("lambda")
    assert functions.get_event_source_mapping(UUID=mine)["FunctionArn"] == teller.arn
    functions.update_event_source_mapping(UUID=mine, BatchSize=5)
    for call, named in [(functions.get_event_source_mapping, {"UUID": others}),
                        (functions.update_event_source_mapping, {"UUID": others, "BatchSize": 5}),
                        (functions.update_event_source_mapping, {"UUID": others, "FunctionName": teller.name}),
                        (functions.update_event_source_mapping, {"UUID": mine, "FunctionName": other.name}),
                        (functions.delete_event_source_mapping, {"UUID": others})]:
        assert denial(call, **named)[0] == "AccessDeniedException", named
    functions.delete_event_source_mapping(UUID=mine)
    root.functions.delete_event_source_mapping(UUID=others)


def first_that(happens, cloud, url, is_meant):
    """Sends messages one by one until one comes to what is meant; its text. A changed policy takes its time to count."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        text = unique("message")
        cloud.sqs.send_message(QueueUrl=url, MessageBody=text)
        if is_meant(happens(text)):
            return text
    raise AssertionError("no message came to what is meant")


def attribute(cloud, url, name):
    return cloud.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=[name])["Attributes"][name]


def messages(cloud, url):
    """(visible, hidden)"""
    return (int(attribute(cloud, url, "ApproximateNumberOfMessages")),
            int(attribute(cloud, url, "ApproximateNumberOfMessagesNotVisible")))


@pytest.fixture
def table_stream(root):  # noqa: F811
    """(ARN, the action to write a record, what the record's event tells of it)"""
    name = root.create_table(StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"})
    arn = root.dynamodb.describe_table(TableName=name)["Table"]["LatestStreamArn"]
    return (arn, lambda text: root.dynamodb.put_item(TableName=name, Item={"id": {"S": text}}),
            lambda record: record["dynamodb"]["Keys"]["id"]["S"])


@pytest.fixture
def data_stream(root):  # noqa: F811
    name, streams = unique("stream"), root.client("kinesis")
    streams.create_stream(StreamName=name, ShardCount=1)
    streams.get_waiter("stream_exists").wait(StreamName=name, WaiterConfig={"Delay": 1})
    arn = streams.describe_stream(StreamName=name)["StreamDescription"]["StreamARN"]
    return (arn, lambda text: streams.put_record(StreamName=name, Data=b"x", PartitionKey=text),
            lambda record: record["kinesis"]["partitionKey"])


@pytest.mark.parametrize("kind", ["table_stream", "data_stream"])
def test_a_mapping_of_a_stream_needs_the_functions_rights(root, teller, request, kind):  # noqa: F811
    arn, write, key_of = request.getfixturevalue(kind)
    vendor = "dynamodb" if kind == "table_stream" else "kinesis"
    actions = [f"{vendor}:{name}" for name in ("GetRecords", "GetShardIterator", "DescribeStream")]
    for missing in actions:
        teller.may(statement([action for action in actions if action != missing], arn))
        assert denial(teller.map, arn, StartingPosition="TRIM_HORIZON") == (
            "InvalidParameterValueException", 400,
            f"Cannot access stream {arn}. Please ensure the role can perform the GetRecords, GetShardIterator, "
            "DescribeStream, and ListStreams Actions on your stream in IAM.")
    teller.may(statement(actions, arn))
    uuid = teller.map(arn, StartingPosition="TRIM_HORIZON")
    write("first")
    assert key_of(eventually(teller.records, "the function gets the record")[0]) == "first"

    # Taken away while it runs: before long what comes waits in the stream, until the right is back.
    teller.may(statement(actions[1:], arn))
    written, told = [], []

    def has_problem():
        written.append(unique("record"))
        write(written[-1])
        told.extend(key_of(record) for record in teller.records())
        result = root.functions.get_event_source_mapping(UUID=uuid)["LastProcessingResult"]
        return result.startswith("PROBLEM: Cannot access stream")
    eventually(has_problem, "the mapping tells its problem", interval_seconds=0.2)
    teller.may(statement(actions, arn))

    def all_told():
        told.extend(key_of(record) for record in teller.records())
        return set(told) == set(written)
    eventually(all_told, "the function gets what it has missed")
    eventually(lambda: root.functions.get_event_source_mapping(UUID=uuid)["LastProcessingResult"] == "OK", "it is well again")


def test_where_a_mapping_tells_its_failures_needs_rights_too(root, teller, table_stream):  # noqa: F811
    arn = table_stream[0]
    url = root.sqs.create_queue(QueueName=unique("failed"))["QueueUrl"]
    reads = statement(["dynamodb:GetRecords", "dynamodb:GetShardIterator", "dynamodb:DescribeStream"], arn)
    options = {"StartingPosition": "LATEST", "DestinationConfig": {"OnFailure": {"Destination": queue_arn(url)}}}
    teller.may(reads)
    assert denial(teller.map, arn, **options)[2] == (
        "The provided execution role does not have permissions to call SendMessage on SQS")
    teller.may(reads, statement("sqs:SendMessage", queue_arn(url)))
    teller.map(arn, **options)


def lets_s3(bucket, action, resource):
    return policy({"Effect": "Allow", "Principal": {"Service": "s3.amazonaws.com"}, "Action": action, "Resource": resource,
                   "Condition": {"ArnLike": {"aws:SourceArn": f"arn:aws:s3:::{bucket}"},
                                 "StringEquals": {"aws:SourceAccount": ACCOUNT}}})


def refusal(cloud, bucket, **configuration):
    return denial(cloud.client("s3").put_bucket_notification_configuration, Bucket=bucket,
                  NotificationConfiguration=configuration)


REFUSED = ("InvalidArgument", 400, "Unable to validate the following destination configurations")


@pytest.fixture
def bucket(root):  # noqa: F811
    name = unique("bucket")
    root.client("s3").create_bucket(Bucket=name)
    return name


def test_a_bucket_tells_queues_that_let_it(root, bucket):  # noqa: F811
    url = root.sqs.create_queue(QueueName=unique("told"))["QueueUrl"]
    wanted = {"QueueConfigurations": [{"QueueArn": queue_arn(url), "Events": ["s3:ObjectCreated:*"]}]}
    assert refusal(root, bucket, **wanted) == REFUSED
    allow = {"Policy": lets_s3(bucket, "sqs:SendMessage", queue_arn(url))}
    root.sqs.set_queue_attributes(QueueUrl=url, Attributes={"Policy": lets_s3("another", "sqs:SendMessage", queue_arn(url))})
    assert refusal(root, bucket, **wanted) == REFUSED
    root.sqs.set_queue_attributes(QueueUrl=url, Attributes=allow)
    root.client("s3").put_bucket_notification_configuration(Bucket=bucket, NotificationConfiguration=wanted)

    def received():
        return [json.loads(each["Body"]) for each in root.sqs.receive_message(
            QueueUrl=url, MaxNumberOfMessages=10).get("Messages", [])]
    assert eventually(received, "the test event comes")[0]["Event"] == "s3:TestEvent"
    root.client("s3").put_object(Bucket=bucket, Key="a", Body=b"x")
    assert eventually(received, "the event comes")[0]["Records"][0]["s3"]["object"]["key"] == "a"


def test_a_bucket_tells_topics_and_functions_that_let_it(root, teller, bucket):  # noqa: F811
    topic = root.client("sns").create_topic(Name=unique("topic"))["TopicArn"]
    root.client("sns").set_topic_attributes(TopicArn=topic, AttributeName="Policy",
                                            AttributeValue=policy(statement("sns:Publish", topic, Principal={"AWS": ACCOUNT})))
    to_topic = {"TopicConfigurations": [{"TopicArn": topic, "Events": ["s3:ObjectRemoved:*"]}]}
    assert refusal(root, bucket, **to_topic) == REFUSED
    root.client("sns").set_topic_attributes(TopicArn=topic, AttributeName="Policy",
                                            AttributeValue=lets_s3(bucket, "sns:Publish", topic))
    to_function = {"LambdaFunctionConfigurations": [{"LambdaFunctionArn": teller.arn, "Events": ["s3:ObjectCreated:*"]}]}
    assert refusal(root, bucket, **to_topic, **to_function) == REFUSED
    permission = {"FunctionName": teller.name, "StatementId": unique("s3"), "Principal": "s3.amazonaws.com",
                  "Action": "lambda:InvokeFunction", "SourceArn": f"arn:aws:s3:::{bucket}", "SourceAccount": ACCOUNT}
    root.functions.add_permission(**permission)
    root.client("s3").put_bucket_notification_configuration(
        Bucket=bucket, NotificationConfiguration={**to_topic, **to_function})
    root.client("s3").put_object(Bucket=bucket, Key="first", Body=b"x")
    assert eventually(teller.records, "the function is called")[0]["s3"]["object"]["key"] == "first"

    # What is taken away later shows when there is something to tell.
    root.functions.remove_permission(FunctionName=teller.name, StatementId=permission["StatementId"])
    root.client("s3").put_object(Bucket=bucket, Key="second", Body=b"x")
    root.functions.add_permission(**permission)
    root.client("s3").put_object(Bucket=bucket, Key="third", Body=b"x")
    told = []

    def has_third():  # the second may come too, when the right is back before it is its turn
        told.extend(record["s3"]["object"]["key"] for record in teller.records())
        return "third" in told
    eventually(has_third, "the function is called again")




def test_what_is_on_its_way_when_the_bucket_goes_is_told(root, bucket):  # noqa: F811
    url = root.sqs.create_queue(QueueName=unique("told"))["QueueUrl"]
    root.sqs.set_queue_attributes(QueueUrl=url, Attributes={"Policy": lets_s3(bucket, "sqs:SendMessage", queue_arn(url))})
    s3 = root.client("s3")
    s3.put_bucket_notification_configuration(Bucket=bucket, NotificationConfiguration={
        "QueueConfigurations": [{"QueueArn": queue_arn(url), "Events": ["s3:ObjectRemoved:*"]}]})
    keys = {str(number) for number in range(100)}
    for key in keys:
        s3.put_object(Bucket=bucket, Key=key, Body=b"x")
    s3.delete_objects(Bucket=bucket, Delete={"Objects": [{"Key": key} for key in keys]})
    s3.delete_bucket(Bucket=bucket)
    told = set()

    def all_told():
        for message in root.sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages", []):
            told.update(record["s3"]["object"]["key"] for record in json.loads(message["Body"]).get("Records", []))
        return told == keys
    eventually(all_told, "every removal is told")
