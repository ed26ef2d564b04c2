"""What Kinesis answers to what is wrong, as it stands on the wire."""
import json

import pytest

from harness import unique

SHARD = "shardId-000000000000"


@pytest.fixture
def stream(cloud):
    return cloud.create_data_stream(shards=2)


@pytest.fixture
def ask(cloud):
    """ask(operation, document): (status, answer)."""
    def send(operation, document):
        status, _, body = cloud.raw("kinesis", "POST", "/", json.dumps(document), {
            "X-Amz-Target": f"Kinesis_20131202.{operation}", "Content-Type": "application/x-amz-json-1.1"})
        return status, json.loads(body) if body else None
    return send


def account_of(cloud, stream):
    return arn_of(cloud, stream).split(":")[4]


def arn_of(cloud, stream):
    return cloud.kinesis.describe_stream_summary(StreamName=stream)["StreamDescriptionSummary"]["StreamARN"]


def latest_in(name, shard):
    return {"StreamName": name, "ShardId": shard, "ShardIteratorType": "LATEST"}


@pytest.mark.parametrize("document, kind", [
    ({"StreamName": True}, "SerializationException"),
    ({"StreamName": ""}, "ValidationException"),
    ({"StreamName": "no-such-stream"}, "ResourceNotFoundException"),
])
def test_errors_are_named_without_a_namespace(ask, document, kind):
    status, answer = ask("DeleteStream", document)
    assert (status, answer["__type"]) == (400, kind)


@pytest.mark.parametrize("shard", ["0", "a-0", "foo-000", "shardId-0", SHARD])
def test_a_shard_is_named_by_its_number_however_it_is_spelled(ask, stream, shard):
    status, answer = ask("GetShardIterator", {"StreamName": stream, "ShardId": shard, "ShardIteratorType": "LATEST"})
    assert (status, list(answer)) == (200, ["ShardIterator"])


@pytest.mark.parametrize("shard", ["shard", "shardId-x", "shardId-2147483648", "-"])
def test_what_names_no_shard_is_not_found_in_any_stream(cloud, ask, stream, shard):
    account = account_of(cloud, stream)
    for name in (stream, unique("none")):
        missing = {"__type": "ResourceNotFoundException",
                   "message": f"Could not find shard {shard} in stream {name} under account {account}."}
        assert ask("GetShardIterator", latest_in(name, shard)) == (400, missing)
        split = {"StreamName": name, "ShardToSplit": shard, "NewStartingHashKey": "5"}
        assert ask("SplitShard", split) == (400, missing)
        merge = {"StreamName": name, "ShardToMerge": SHARD, "AdjacentShardToMerge": shard}
        assert ask("MergeShards", merge) == (400, missing)


def test_a_shard_that_is_not_there_is_told_in_its_long_form_also_without_a_stream(cloud, ask, stream):
    account = account_of(cloud, stream)
    for name in (stream, unique("none")):
        status, answer = ask("GetShardIterator", latest_in(name, "shardId-5"))
        assert (status, answer["message"]) == (
            400, f"Shard shardId-000000000005 in stream {name} under account {account} does not exist")
    split = {"StreamName": stream, "ShardToSplit": "5", "NewStartingHashKey": "5"}
    assert ask("SplitShard", split)[1]["message"] == (
        f"Could not find shard shardId-000000000005 in stream {stream} under account {account}.")


@pytest.mark.parametrize("tags", [
    {"a;b": "1"}, {"a,b": "1"}, {"a\tb": "1"}, {"a": "one\nline"}, {"a": "1%"}, {"a": "\u2028"}])
def test_tags_are_made_of_letters_digits_and_some_signs(cloud, ask, stream, tags):
    arn = arn_of(cloud, stream)
    for operation, named in (("AddTagsToStream", {"StreamName": stream}), ("TagResource", {"ResourceARN": arn})):
        status, answer = ask(operation, {**named, "Tags": tags})
        assert (status, answer["__type"]) == (400, "InvalidArgumentException")
        assert answer["message"].startswith("Some tags contain invalid characters.")
    assert cloud.kinesis.list_tags_for_stream(StreamName=stream)["Tags"] == []


def test_tags_may_have_letters_of_any_language(cloud, ask, stream):
    tags = {"größe 5_./=+-@:": "тест 水"}
    assert ask("AddTagsToStream", {"StreamName": stream, "Tags": tags})[0] == 200
    assert cloud.kinesis.list_tags_for_stream(StreamName=stream)["Tags"] == [
        {"Key": key, "Value": value} for key, value in tags.items()]


@pytest.mark.local
def test_a_stream_that_is_too_large_is_told_how_many_shards_there_are(cloud, ask, stream):
    used = cloud.kinesis.describe_limits()["OpenShardCount"]
    assert used >= 2
    status, answer = ask("CreateStream", {"StreamName": unique("stream"), "ShardCount": 10_001})
    assert (status, answer["__type"]) == (400, "LimitExceededException")
    assert f"Current shard count for the account: {used}. " in answer["message"]
