"""Queues, topics and data streams that encrypt with a key of KMS, and tables that name one: what is kept, who may, what
a disabled key ends."""
import base64
import hashlib
import json
import pathlib

import pytest

from harness import Cloud, eventually, refused, unique
from sns_support import create_topic, sns  # noqa: F401
from sns_support import Subscriber
from test_authorization import Person, denial, statement

SECRET = "the tide turns at four"


def new_key(cloud, **more):
    return cloud.client("kms").create_key(**more)["KeyMetadata"]["Arn"]


@pytest.fixture
def key(cloud):
    return new_key(cloud)


def attributes(cloud, url):
    return cloud.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]


def receive(cloud, url, **more):
    def ask():
        answer = cloud.sqs.receive_message(QueueUrl=url, AttributeNames=["All"], MaxNumberOfMessages=10, **more)
        return answer.get("Messages")
    return eventually(ask, "messages")


def encrypted_stream(cloud, key):
    name = cloud.create_data_stream()
    cloud.kinesis.start_stream_encryption(StreamName=name, EncryptionType="KMS", KeyId=key)
    cloud.data_stream_active(name)
    return name


def first_records(cloud, name, count=1):
    return cloud.data_records(name, "shardId-000000000000", count)


# --- queues ---

def test_a_queue_says_how_it_encrypts(cloud, key):
    url = cloud.create_queue(KmsMasterKeyId=key)
    shown = attributes(cloud, url)
    assert shown["KmsMasterKeyId"] == key
    assert shown["KmsDataKeyReusePeriodSeconds"] == "300"
    assert shown["SqsManagedSseEnabled"] == "false"
    cloud.sqs.set_queue_attributes(QueueUrl=url, Attributes={"KmsDataKeyReusePeriodSeconds": "60"})
    assert attributes(cloud, url)["KmsDataKeyReusePeriodSeconds"] == "60"
    cloud.sqs.set_queue_attributes(QueueUrl=url, Attributes={"SqsManagedSseEnabled": "true"})
    shown = attributes(cloud, url)
    assert shown["SqsManagedSseEnabled"] == "true"
    assert not {"KmsMasterKeyId", "KmsDataKeyReusePeriodSeconds"} & set(shown)


def test_a_queue_has_one_kind_of_encryption(cloud):
    with refused("InvalidAttributeName", "You can use one type of server-side encryption (SSE) at one time. You can "
                 "either enable KMS SSE or SQS SSE."):
        cloud.create_queue(KmsMasterKeyId="alias/aws/sqs", SqsManagedSseEnabled="true")


@pytest.mark.parametrize("seconds", ["59", "86401", "x"])
def test_a_data_key_is_used_for_a_minute_to_a_day(cloud, seconds):
    with refused("InvalidAttributeValue", "KmsDataKeyReusePeriodSeconds"):
        cloud.create_queue(KmsMasterKeyId="alias/aws/sqs", KmsDataKeyReusePeriodSeconds=seconds)


@pytest.mark.parametrize("fifo", [False, True])
@pytest.mark.parametrize("size", [10, 100_000])
def test_what_is_encrypted_is_received_as_it_was_sent(cloud, key, fifo, size):
    url = cloud.create_queue(fifo=fifo, KmsMasterKeyId=key)
    ids = {"MessageGroupId": "g", "MessageDeduplicationId": "d"} if fifo else {}
    body = "é" * size
    sent = cloud.sqs.send_message(QueueUrl=url, MessageBody=body, MessageAttributes={
        "a": {"DataType": "String", "StringValue": "x"}}, **ids)
    [message] = receive(cloud, url, MessageAttributeNames=["All"])
    assert message["Body"] == body
    assert message["MD5OfBody"] == sent["MD5OfMessageBody"] == hashlib.md5(body.encode()).hexdigest()
    assert message["MessageAttributes"]["a"]["StringValue"] == "x"
    cloud.sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])


def test_a_batch_is_encrypted_with_the_service_s_own_key(cloud):
    url = cloud.create_queue(KmsMasterKeyId="alias/aws/sqs")
    cloud.sqs.send_message_batch(QueueUrl=url, Entries=[{"Id": str(i), "MessageBody": f"m{i}"} for i in range(10)])
    assert {message["Body"] for message in receive(cloud, url)} == {f"m{i}" for i in range(10)}


@pytest.mark.parametrize("spoil, code, message", [
    (lambda kms, key: kms.disable_key(KeyId=key), "KMS.DisabledException", "is disabled."),
    (lambda kms, key: kms.schedule_key_deletion(KeyId=key), "KMS.InvalidStateException", "is pending deletion."),
])
def test_a_key_that_is_gone_takes_no_messages(cloud, key, spoil, code, message):
    url = cloud.create_queue(KmsMasterKeyId=key)
    spoil(cloud.client("kms"), key)
    with refused(code, message):
        cloud.sqs.send_message(QueueUrl=url, MessageBody="m")
    with refused(code, message):
        cloud.sqs.send_message_batch(QueueUrl=url, Entries=[{"Id": "a", "MessageBody": "m"}])


def test_a_key_that_was_never_there_takes_no_messages(cloud):
    url = cloud.create_queue(KmsMasterKeyId="alias/" + unique("none"))
    with refused("KMS.NotFoundException", "is not found."):
        cloud.sqs.send_message(QueueUrl=url, MessageBody="m")


@pytest.mark.local
def test_messages_of_a_disabled_key_wait_until_it_is_enabled(virtual):
    kms, key = virtual.client("kms"), new_key(virtual)
    for fifo in (False, True):
        ids = {"MessageGroupId": "g", "MessageDeduplicationId": "d"} if fifo else {}
        url = virtual.create_queue(fifo=fifo, KmsMasterKeyId=key, KmsDataKeyReusePeriodSeconds="60")
        virtual.sqs.send_message(QueueUrl=url, MessageBody=SECRET, **ids)
        kms.disable_key(KeyId=key)
        virtual.sqs.send_message(QueueUrl=url, MessageBody="by the same data key", **{**ids, **(
            {"MessageDeduplicationId": "e"} if fifo else {})})
        virtual.advance(61)
        for _ in range(3):
            with refused("KMS.DisabledException", "is disabled."):
                virtual.sqs.receive_message(QueueUrl=url)
        kms.enable_key(KeyId=key)
        [message] = virtual.sqs.receive_message(QueueUrl=url, AttributeNames=["All"])["Messages"]
        assert message["Body"] == SECRET
        assert message["Attributes"]["ApproximateReceiveCount"] == "1"


def test_messages_stay_as_they_were_sent_when_the_queue_changes(cloud, key):
    url = cloud.create_queue(VisibilityTimeout="0")
    cloud.sqs.send_message(QueueUrl=url, MessageBody="plain")
    cloud.sqs.set_queue_attributes(QueueUrl=url, Attributes={"KmsMasterKeyId": key})
    cloud.sqs.send_message(QueueUrl=url, MessageBody="encrypted")
    cloud.sqs.set_queue_attributes(QueueUrl=url, Attributes={"KmsMasterKeyId": ""})
    assert {message["Body"] for message in receive(cloud, url)} == {"plain", "encrypted"}


def test_a_dead_letter_stays_encrypted_and_readable(cloud, key):
    dead = cloud.create_queue()
    url = cloud.create_queue(KmsMasterKeyId=key, VisibilityTimeout="0", RedrivePolicy=json.dumps(
        {"deadLetterTargetArn": cloud.queue_arn(dead), "maxReceiveCount": 1}))
    cloud.sqs.send_message(QueueUrl=url, MessageBody=SECRET)
    receive(cloud, url)

    def is_given_up():
        cloud.sqs.receive_message(QueueUrl=url)
        return cloud.queue_counts(dead)[0] == 1
    eventually(is_given_up, "a dead letter")
    [message] = receive(cloud, dead)
    assert message["Body"] == SECRET


def test_a_function_gets_messages_decrypted(cloud, key):
    url = cloud.create_queue(KmsMasterKeyId=key)
    function = cloud.recorder()
    cloud.create_mapping(function, cloud.queue_arn(url))
    cloud.sqs.send_message(QueueUrl=url, MessageBody=SECRET)
    [record] = cloud.wait_for_records(function, 1)
    assert record["body"] == SECRET
    assert record["md5OfBody"] == hashlib.md5(SECRET.encode()).hexdigest()


# --- topics ---

def test_a_topic_with_a_key_delivers_what_was_published(cloud, sns, create_topic, key):
    topic = create_topic(KmsMasterKeyId=key)
    assert sns.get_topic_attributes(TopicArn=topic)["Attributes"]["KmsMasterKeyId"] == key
    plain, raw = Subscriber(cloud, topic), Subscriber(cloud, topic, RawMessageDelivery="true")
    sns.publish(TopicArn=topic, Message=SECRET)
    assert plain.texts(1) == [SECRET]
    assert raw.bodies(1) == [SECRET]
    sns.publish_batch(TopicArn=topic, PublishBatchRequestEntries=[{"Id": "a", "Message": "in a batch"}])
    assert raw.bodies(1) == ["in a batch"]


def test_a_topic_takes_nothing_with_a_key_that_is_disabled(cloud, sns, create_topic, key):
    topic = create_topic(KmsMasterKeyId=key)
    cloud.client("kms").disable_key(KeyId=key)
    with refused("KMSDisabled", "is disabled."):
        sns.publish(TopicArn=topic, Message="m")
    sns.set_topic_attributes(TopicArn=topic, AttributeName="KmsMasterKeyId", AttributeValue="alias/" + unique("none"))
    with refused("KMSNotFound", "is not found."):
        sns.publish(TopicArn=topic, Message="m")


# --- data streams ---

def test_a_stream_begins_and_ends_to_encrypt(cloud, key):
    name = cloud.create_data_stream()
    assert cloud.data_stream_active(name)["EncryptionType"] == "NONE"
    plain = cloud.kinesis.put_record(StreamName=name, Data=b"plain", PartitionKey="a")
    assert "EncryptionType" not in plain
    cloud.kinesis.start_stream_encryption(StreamName=name, EncryptionType="KMS", KeyId=key)
    summary = cloud.data_stream_active(name)
    assert (summary["EncryptionType"], summary["KeyId"]) == ("KMS", key)
    described = cloud.kinesis.describe_stream(StreamName=name)["StreamDescription"]
    assert (described["EncryptionType"], described["KeyId"]) == ("KMS", key)
    assert cloud.kinesis.put_record(StreamName=name, Data=SECRET, PartitionKey="a")["EncryptionType"] == "KMS"
    many = cloud.kinesis.put_records(StreamName=name, Records=[{"Data": b"x", "PartitionKey": "a"}] * 3)
    assert many["EncryptionType"] == "KMS"
    cloud.kinesis.stop_stream_encryption(StreamName=name, EncryptionType="KMS", KeyId=key)
    summary = cloud.data_stream_active(name)
    assert summary["EncryptionType"] == "NONE" and "KeyId" not in summary
    assert "EncryptionType" not in cloud.kinesis.put_record(StreamName=name, Data=b"again", PartitionKey="a")
    records = first_records(cloud, name, 6)
    assert [record["Data"] for record in records] == [b"plain", SECRET.encode(), b"x", b"x", b"x", b"again"]
    assert [record.get("EncryptionType") for record in records] == [None, "KMS", "KMS", "KMS", "KMS", None]


def test_a_stream_does_not_begin_with_a_key_that_it_cannot_use(cloud, key):
    name = cloud.create_data_stream()
    with refused("KMSNotFoundException", "is not found."):
        cloud.kinesis.start_stream_encryption(StreamName=name, EncryptionType="KMS", KeyId="alias/" + unique("none"))
    cloud.client("kms").disable_key(KeyId=key)
    with refused("KMSDisabledException", "is disabled."):
        cloud.kinesis.start_stream_encryption(StreamName=name, EncryptionType="KMS", KeyId=key)
    assert cloud.data_stream_active(name)["EncryptionType"] == "NONE"


@pytest.mark.local
def test_records_of_a_disabled_key_wait_until_it_is_enabled(virtual):
    kms, key = virtual.client("kms"), new_key(virtual)
    name = encrypted_stream(virtual, key)
    virtual.kinesis.put_record(StreamName=name, Data=SECRET, PartitionKey="a")
    kms.disable_key(KeyId=key)
    virtual.advance(301)
    with refused("KMSDisabledException", "is disabled."):
        virtual.kinesis.put_record(StreamName=name, Data=b"x", PartitionKey="a")
    iterator = virtual.kinesis.get_shard_iterator(StreamName=name, ShardId="shardId-000000000000",
                                                  ShardIteratorType="TRIM_HORIZON")["ShardIterator"]
    with refused("KMSDisabledException", "is disabled."):
        virtual.kinesis.get_records(ShardIterator=iterator)
    kms.enable_key(KeyId=key)
    [record] = virtual.kinesis.get_records(ShardIterator=iterator)["Records"]
    assert record["Data"] == SECRET.encode()


def test_a_function_gets_records_decrypted(cloud, key):
    name = encrypted_stream(cloud, key)
    cloud.kinesis.put_records(StreamName=name, Records=[{"Data": SECRET, "PartitionKey": str(i)} for i in range(5)])
    function = cloud.recorder()
    arn = cloud.kinesis.describe_stream_summary(StreamName=name)["StreamDescriptionSummary"]["StreamARN"]
    cloud.create_mapping(function, arn)
    records = cloud.wait_for_records(function, 5)
    assert {base64.b64decode(record["kinesis"]["data"]) for record in records} == {SECRET.encode()}


# --- tables ---

def with_key(key):
    return {"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": key}


def key_of(cloud, table):
    return cloud.dynamodb.describe_table(TableName=table)["Table"]["SSEDescription"]["KMSMasterKeyArn"]


def test_a_table_shows_the_key_that_it_names(cloud, key):
    alias = "alias/" + unique("table")
    cloud.client("kms").create_alias(AliasName=alias, TargetKeyId=key)
    for named in (key, key.rsplit("/", 1)[1], alias):
        assert key_of(cloud, cloud.create_table(SSESpecification=with_key(named))) == key
    cloud.client("kms").delete_alias(AliasName=alias)


def test_a_table_names_no_key_that_it_could_not_use(cloud, key):
    keys = cloud.client("kms")
    off, going = new_key(cloud), new_key(cloud)
    keys.disable_key(KeyId=off)
    keys.schedule_key_deletion(KeyId=going, PendingWindowInDays=7)
    none = key.rsplit("/", 1)[0] + "/00000000-0000-4000-8000-000000000000"
    foreign = key.replace(key.split(":")[4], "222222222222")
    model, table = "com.amazonaws.services.kms.model.", unique("table")
    invalid, denied = f"KMS validation error: {model}", f"KMS key access denied error: {model}AWSKMSException: "
    refusals = [(none, "ValidationException", f"{invalid}NotFoundException: Key '{none}' does not exist (Service: "),
                (off, "ValidationException", f"{invalid}DisabledException: {off} is disabled. (Service: AWSKMS; "),
                (going, "ValidationException", f"{invalid}KMSInvalidStateException: {going} is pending deletion. ("),
                (foreign, "AccessDeniedException", denied)]
    for named, code, message in refusals:
        with refused(code, message):
            cloud.create_table(name=table, SSESpecification=with_key(named))
    table = cloud.create_table(SSESpecification=with_key(key))
    for named, code, message in refusals:
        with refused(code, message):
            cloud.dynamodb.update_table(TableName=table, SSESpecification=with_key(named))
    assert key_of(cloud, table) == key


# --- on the disk, and with rights ---

def is_on_disk(directory, text):
    files = [path for path in pathlib.Path(directory).rglob("*") if path.is_file()]
    return any(text.encode() in path.read_bytes() for path in files)


@pytest.mark.local
def test_nothing_that_is_encrypted_stands_on_the_disk(start_server, tmp_path):
    server = start_server(data=tmp_path / "data")
    cloud = Cloud(server.endpoint)
    key = new_key(cloud)
    texts = {kind: f"{SECRET} of {kind} {unique('text')}" for kind in ("plain", "queue", "managed", "large", "topic", "stream")}
    cloud.sqs.send_message(QueueUrl=cloud.create_queue(), MessageBody=texts["plain"])
    url = cloud.create_queue(KmsMasterKeyId=key)
    cloud.sqs.send_message(QueueUrl=url, MessageBody=texts["queue"])
    managed = cloud.create_queue(SqsManagedSseEnabled="true")
    cloud.sqs.send_message(QueueUrl=managed, MessageBody=texts["managed"])
    assert receive(cloud, managed)[0]["Body"] == texts["managed"]
    cloud.sqs.send_message(QueueUrl=url, MessageBody=texts["large"] + "x" * 10_000)
    cloud.kinesis.put_record(StreamName=encrypted_stream(cloud, key), Data=texts["stream"], PartitionKey="a")
    topic = cloud.client("sns").create_topic(Name=unique("topic"), Attributes={"KmsMasterKeyId": key})["TopicArn"]
    cloud.client("sns").subscribe(TopicArn=topic, Protocol="sqs", Endpoint=cloud.queue_arn(url))
    cloud.client("sns").publish(TopicArn=topic, Message=texts["topic"])
    eventually(lambda: cloud.queue_counts(url)[0] == 3, "the delivery")
    server.stop()
    on_disk = {kind for kind, text in texts.items() if is_on_disk(tmp_path / "data", text)}
    assert on_disk == {"plain"}


@pytest.mark.local
def test_who_sends_and_who_receives_needs_rights_to_the_key(start_server, tmp_path):
    server = start_server("--auth", "iam", data=tmp_path / "data")
    root_key = server.root_key
    root = Cloud(server.endpoint, access_key=root_key["AWS_ACCESS_KEY_ID"],
                 secret_key=root_key["AWS_SECRET_ACCESS_KEY"])
    iam, key, url = root.client("iam"), new_key(root), None
    url = root.create_queue(KmsMasterKeyId=key)
    stream = encrypted_stream(root, key)
    sender = Person(server, iam, statement(["sqs:*", "kinesis:*"]))
    code, status, message = denial(sender.cloud.sqs.send_message, QueueUrl=url, MessageBody="m")
    assert (code, status) == ("KMS.AccessDeniedException", 400)
    assert f"User: {sender.arn} is not authorized to perform: kms:GenerateDataKey on resource: {key}" in message
    assert denial(sender.cloud.kinesis.put_record, StreamName=stream, Data=b"x", PartitionKey="a")[0] == \
        "KMSAccessDeniedException"
    sender.may(statement(["sqs:*", "kinesis:*"]), statement("kms:GenerateDataKey", key))
    sender.cloud.sqs.send_message(QueueUrl=url, MessageBody="m")
    sender.cloud.kinesis.put_record(StreamName=stream, Data=b"x", PartitionKey="a")
    code, _, message = denial(sender.cloud.sqs.receive_message, QueueUrl=url)
    assert code == "KMS.AccessDeniedException" and "kms:Decrypt" in message
    sender.may(statement(["sqs:*", "kinesis:*"]), statement("kms:Decrypt", key))
    assert sender.cloud.sqs.receive_message(QueueUrl=url)["Messages"][0]["Body"] == "m"
    assert first_records(sender.cloud, stream)[0]["Data"] == b"x"
    anybody = Person(server, iam, statement("sqs:*"))
    own = root.create_queue(KmsMasterKeyId="alias/aws/sqs")
    anybody.cloud.sqs.send_message(QueueUrl=own, MessageBody="m")
    assert anybody.cloud.sqs.receive_message(QueueUrl=own)["Messages"][0]["Body"] == "m"


@pytest.mark.local
def test_who_gives_a_table_a_key_needs_rights_to_it(start_server, tmp_path):
    server = start_server("--auth", "iam", data=tmp_path / "data")
    own = server.root_key
    root = Cloud(server.endpoint, access_key=own["AWS_ACCESS_KEY_ID"], secret_key=own["AWS_SECRET_ACCESS_KEY"])
    key = new_key(root)
    tables = statement("dynamodb:*")
    someone = Person(server, root.client("iam"), tables)
    for action in ("kms:DescribeKey", "kms:CreateGrant"):
        said = denial(someone.cloud.create_table, SSESpecification=with_key(key))
        assert said[:2] == ("AccessDeniedException", 400) and said[2].startswith("KMS key access denied error: ")
        assert f"User: {someone.arn} is not authorized to perform: {action} on resource: {key}" in said[2]
        someone.may(tables, statement(["kms:DescribeKey", action], key))
    assert key_of(someone.cloud, someone.cloud.create_table(SSESpecification=with_key(key))) == key
