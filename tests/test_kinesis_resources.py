"""Operations on data streams and consumers that the boto3 and the AWS CLI of Debian do not know yet, so as they are on
the wire: tags and policies of resources, the size of the largest record, settings of the account."""
import base64
import json

import pytest

from harness import eventually

MISSING = "no-such-stream"


@pytest.fixture
def ask(cloud):
    """ask("TagResource", ResourceARN=…, …): the answer, None if it is empty."""
    def ask(operation, **members):
        status, body = call(cloud, operation, members)
        assert status == 200, body
        return body
    return ask


@pytest.fixture
def refusal(cloud):
    """refusal("TagResource", …): (code, message) of the error."""
    def refusal(operation, **members):
        status, body = call(cloud, operation, members)
        assert status == 400, body
        return body["__type"].split("#")[-1], body["message"]
    return refusal


def call(cloud, operation, members):
    status, _, body = cloud.raw("kinesis", "POST", "/", json.dumps(members), {
        "X-Amz-Target": "Kinesis_20131202." + operation, "Content-Type": "application/x-amz-json-1.1"})
    return status, json.loads(body) if body else None


def no_stream(arn):
    return "ResourceNotFoundException", f"Stream {MISSING} under account {arn.split(':')[4]} not found."


def register(kinesis, stream, name):
    """The ARN of the consumer, which is active."""
    arn = kinesis.register_stream_consumer(StreamARN=stream, ConsumerName=name)["Consumer"]["ConsumerARN"]
    eventually(lambda: kinesis.describe_stream_consumer(ConsumerARN=arn)["ConsumerDescription"][
        "ConsumerStatus"] == "ACTIVE", deadline_seconds=120)
    return arn


def test_a_stream_and_its_consumer_have_tags_of_their_own(cloud, kinesis, ask, refusal):
    stream = cloud.data_stream_active(cloud.create_data_stream())["StreamARN"]
    consumer = register(kinesis, stream, "reader")

    def tags(arn):
        return {tag["Key"]: tag["Value"] for tag in ask("ListTagsForResource", ResourceARN=arn)["Tags"]}
    ask("TagResource", ResourceARN=stream, Tags={"team": "a", "cost": "1"})
    ask("TagResource", ResourceARN=consumer, Tags={"team": "b"})
    eventually(lambda: tags(stream) == {"team": "a", "cost": "1"})
    eventually(lambda: tags(consumer) == {"team": "b"})
    listed = kinesis.list_tags_for_stream(StreamName=stream.split("/")[-1])["Tags"]
    assert {tag["Key"] for tag in listed} == {"team", "cost"}
    ask("UntagResource", ResourceARN=stream, TagKeys=["cost", "never-there"])
    ask("UntagResource", ResourceARN=consumer, TagKeys=["team"])
    eventually(lambda: tags(stream) == {"team": "a"})
    eventually(lambda: tags(consumer) == {})

    missing = stream.replace(stream.split("/")[-1], MISSING)
    assert refusal("TagResource", ResourceARN=missing, Tags={"a": "1"}) == no_stream(stream)
    assert refusal("UntagResource", ResourceARN=missing, TagKeys=["a"]) == no_stream(stream)
    assert refusal("ListTagsForResource", ResourceARN=missing) == no_stream(stream)
    assert refusal("ListTagsForResource", ResourceARN=consumer.replace("reader", "nobody"))[0] == \
        "ResourceNotFoundException"


def test_a_stream_keeps_its_policy_until_it_is_deleted(cloud, ask, refusal):
    stream = cloud.data_stream_active(cloud.create_data_stream())["StreamARN"]
    account = stream.split(":")[4]
    statement = {"Sid": "read", "Effect": "Allow", "Principal": {"AWS": account},
                 "Action": ["kinesis:DescribeStreamSummary", "kinesis:GetRecords"], "Resource": stream}
    policy = {"Version": "2012-10-17", "Statement": [statement]}
    ask("PutResourcePolicy", ResourceARN=stream, Policy=json.dumps(policy))

    def sids():
        shown = json.loads(ask("GetResourcePolicy", ResourceARN=stream)["Policy"])
        return [each["Sid"] for each in shown["Statement"]]
    assert sids() == ["read"]
    ask("PutResourcePolicy", ResourceARN=stream, Policy=json.dumps(
        {**policy, "Statement": [{**statement, "Sid": "changed"}]}))
    assert sids() == ["changed"]
    assert refusal("PutResourcePolicy", ResourceARN=stream, Policy="nonsense")[0] == "InvalidArgumentException"
    assert sids() == ["changed"]
    ask("DeleteResourcePolicy", ResourceARN=stream)
    assert ask("GetResourcePolicy", ResourceARN=stream) == {"Policy": "{}"}
    assert refusal("DeleteResourcePolicy", ResourceARN=stream)[0] == "ResourceNotFoundException"

    missing = stream.replace(stream.split("/")[-1], MISSING)
    assert refusal("PutResourcePolicy", ResourceARN=missing, Policy=json.dumps(
        {**policy, "Statement": [{**statement, "Resource": missing}]})) == no_stream(stream)
    assert refusal("GetResourcePolicy", ResourceARN=missing) == no_stream(stream)


def test_a_stream_takes_larger_records_once_it_is_told_to(cloud, ask, refusal):
    stream = cloud.create_data_stream()
    summary = cloud.data_stream_active(stream)
    large = base64.b64encode(b"x" * (2 << 20)).decode()
    record = {"StreamName": stream, "PartitionKey": "k", "Data": large}
    assert refusal("PutRecord", **record)[0] in ("InvalidArgumentException", "ValidationException")
    ask("UpdateMaxRecordSize", StreamARN=summary["StreamARN"], MaxRecordSizeInKiB=4096)
    cloud.data_stream_active(stream)
    shown = ask("DescribeStreamSummary", StreamName=stream)["StreamDescriptionSummary"]
    assert shown["MaxRecordSizeInKiB"] == 4096
    put = ask("PutRecord", **record)
    [read] = cloud.data_records(stream, put["ShardId"], 1)
    assert len(read["Data"]) == 2 << 20
    for size in (1023, 10241):
        code, message = refusal("UpdateMaxRecordSize", StreamARN=summary["StreamARN"], MaxRecordSizeInKiB=size)
        assert code == "ValidationException" and "maxRecordSizeInKiB" in message
    assert refusal("UpdateMaxRecordSize", MaxRecordSizeInKiB=2048,
                   StreamARN=summary["StreamARN"].replace(stream, MISSING)) == no_stream(summary["StreamARN"])


# Local: an account may have committed itself.
@pytest.mark.local
def test_an_account_is_committed_to_nothing(ask, refusal):
    commitment = {"Status": "DISABLED"}
    assert ask("DescribeAccountSettings") == {"MinimumThroughputBillingCommitment": commitment}
    code, message = refusal("UpdateAccountSettings", MinimumThroughputBillingCommitment={"Status": "ENABLED"})
    assert code == "InvalidArgumentException" and "UpdateAccountSettings" in message
    assert ask("DescribeAccountSettings") == {"MinimumThroughputBillingCommitment": commitment}
