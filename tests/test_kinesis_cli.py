"""Data streams with the AWS CLI. None of its versions has SubscribeToShard, and the one that Debian ships does not know
DescribeAccountSettings, UpdateMaxRecordSize, TagResource, UntagResource, ListTagsForResource, PutResourcePolicy,
GetResourcePolicy and DeleteResourcePolicy, which are in tests/test_kinesis_resources.py. The basics are in
tests/test_awscli.py."""
import pytest

from awscli_support import aws, refused  # noqa: F401  aws is the fixture
from harness import eventually

pytestmark = pytest.mark.local

MISSING = "no-such-stream"


@pytest.fixture
def kinesis(aws):  # noqa: F811
    """kinesis("split-shard", …), and kinesis.error(…) for the refused."""
    def kinesis(command, **options):
        return aws("kinesis", command, **options)
    kinesis.error = lambda command, **options: aws.error("kinesis", command, **options)
    return kinesis


def active(kinesis, stream):
    """The summary of the stream once it is active."""
    def summary():
        found = kinesis("describe-stream-summary", stream_name=stream)["StreamDescriptionSummary"]
        return found if found["StreamStatus"] == "ACTIVE" else None
    return eventually(summary, f"{stream} active")


def no_stream(operation, arn):
    return refused(operation, "ResourceNotFoundException",
                   f"Stream {MISSING} under account {arn.split(':')[4]} not found.")


def limited(operation):
    """The CLI tries again what is over a limit, and says so."""
    return f"An error occurred (LimitExceededException) when calling the {operation} operation (reached max retries: "


def test_shards_are_split_merged_and_counted_anew(cloud, kinesis):
    stream = cloud.create_data_stream()
    arn = active(kinesis, stream)["StreamARN"]
    kinesis("split-shard", stream_name=stream, shard_to_split="shardId-000000000000", new_starting_hash_key=str(2**127))
    assert active(kinesis, stream)["OpenShardCount"] == 2
    children = kinesis("list-shards", stream_name=stream, shard_filter={"Type": "AT_LATEST"})["Shards"]
    assert [(shard["ParentShardId"], shard["HashKeyRange"]["StartingHashKey"]) for shard in children] == \
        [("shardId-000000000000", "0"), ("shardId-000000000000", str(2**127))]
    assert kinesis.error("split-shard", stream_name=stream, shard_to_split="shardId-000000000001",
                         new_starting_hash_key="1") == refused(
        "SplitShard", "InvalidArgumentException", "NewStartingHashKey 1 used in SplitShard() on shard "
        f"shardId-000000000001 in stream {stream} under account {arn.split(':')[4]} is not both greater than one plus "
        f"the shard's StartingHashKey 0 and less than the shard's EndingHashKey {2**127 - 1}.")
    assert kinesis.error("split-shard", stream_name=MISSING, shard_to_split="shardId-000000000000",
                         new_starting_hash_key="9") == no_stream("SplitShard", arn)

    pair = {"shard_to_merge": "shardId-000000000001", "adjacent_shard_to_merge": "shardId-000000000002"}
    kinesis("merge-shards", stream_name=stream, **pair)
    assert active(kinesis, stream)["OpenShardCount"] == 1
    merged = kinesis("list-shards", stream_name=stream)["Shards"][-1]
    assert (merged["ShardId"], merged["ParentShardId"], merged["AdjacentParentShardId"]) == \
        ("shardId-000000000003", "shardId-000000000001", "shardId-000000000002")
    assert "has already been merged or split" in kinesis.error("merge-shards", stream_name=stream, **pair)
    assert kinesis.error("merge-shards", stream_name=MISSING, **pair) == no_stream("MergeShards", arn)

    counted = kinesis("update-shard-count", stream_name=stream, target_shard_count=2, scaling_type="UNIFORM_SCALING")
    assert (counted["CurrentShardCount"], counted["TargetShardCount"], counted["StreamARN"]) == (1, 2, arn)
    assert active(kinesis, stream)["OpenShardCount"] == 2
    assert kinesis.error("update-shard-count", stream_name=stream, target_shard_count=5,
                         scaling_type="UNIFORM_SCALING") == refused(
        "UpdateShardCount", "InvalidArgumentException", "UpdateShardCount cannot scale up over double your current "
        "open shard count. Current open shard count: 2 Target shard count: 5")
    assert kinesis.error("update-shard-count", stream_name=MISSING, target_shard_count=2,
                         scaling_type="UNIFORM_SCALING") == no_stream("UpdateShardCount", arn)


def test_limits_count_the_open_shards(cloud, kinesis):
    before = kinesis("describe-limits")
    cloud.create_data_stream(shards=3)
    cloud.create_data_stream(shards=None)
    after = kinesis("describe-limits")
    assert after["OpenShardCount"] == before["OpenShardCount"] + 3 <= after["ShardLimit"]
    assert after["OnDemandStreamCount"] == before["OnDemandStreamCount"] + 1 <= after["OnDemandStreamCountLimit"]
    too_many = after["ShardLimit"] - after["OpenShardCount"] + 1
    assert kinesis.error("create-stream", stream_name="too-large", shard_count=too_many).startswith(
        limited("CreateStream"))
    assert kinesis("describe-limits") == after


def test_the_retention_is_lengthened_and_shortened(cloud, kinesis):
    stream = cloud.create_data_stream()

    def change(direction, hours, ask=kinesis, name=stream):
        return ask(f"{direction}-stream-retention-period", stream_name=name, retention_period_hours=hours)
    change("increase", 48)
    summary = active(kinesis, stream)
    assert summary["RetentionPeriodHours"] == 48
    assert change("increase", 24, kinesis.error) == refused(
        "IncreaseStreamRetentionPeriod", "InvalidArgumentException", f"Requested retention period (24 hours) for "
        f"stream {stream} can not be shorter than existing retention period (48 hours). "
        "Use DecreaseRetentionPeriod API.")
    assert change("decrease", 72, kinesis.error) == refused(
        "DecreaseStreamRetentionPeriod", "InvalidArgumentException", f"Requested retention period (72 hours) for "
        f"stream {stream} can not be longer than existing retention period (48 hours). "
        "Use IncreaseRetentionPeriod API.")
    assert active(kinesis, stream)["RetentionPeriodHours"] == 48
    change("decrease", 24)
    assert active(kinesis, stream)["RetentionPeriodHours"] == 24
    assert change("decrease", 23, kinesis.error).startswith(refused(
        "DecreaseStreamRetentionPeriod", "InvalidArgumentException", "Minimum allowed retention period is 24 hours."))
    for direction in ("increase", "decrease"):
        assert change(direction, 48, kinesis.error, MISSING) == \
            no_stream(f"{direction.capitalize()}StreamRetentionPeriod", summary["StreamARN"])


def test_the_mode_is_changed_to_on_demand_and_back(cloud, kinesis):
    stream = cloud.create_data_stream()
    arn = active(kinesis, stream)["StreamARN"]
    on_demand, provisioned = {"StreamMode": "ON_DEMAND"}, {"StreamMode": "PROVISIONED"}
    kinesis("update-stream-mode", stream_arn=arn, stream_mode_details=on_demand)
    assert active(kinesis, stream)["StreamModeDetails"] == on_demand
    assert kinesis.error("update-shard-count", stream_name=stream, target_shard_count=2,
                         scaling_type="UNIFORM_SCALING") == refused(
        "UpdateShardCount", "ValidationException", "Request is invalid. Operation UpdateShardCount is not supported "
        f"for streams with ON_DEMAND capacity mode. Stream: {stream}")
    kinesis("update-stream-mode", stream_arn=arn, stream_mode_details=provisioned)
    assert active(kinesis, stream)["StreamModeDetails"] == provisioned
    assert kinesis.error("update-stream-mode", stream_arn=arn, stream_mode_details=on_demand).startswith(
        limited("UpdateStreamMode"))
    assert kinesis.error("update-stream-mode", stream_arn=arn.replace(stream, MISSING),
                         stream_mode_details=on_demand) == no_stream("UpdateStreamMode", arn)


def test_enhanced_monitoring_is_switched_by_metric(cloud, kinesis):
    stream = cloud.create_data_stream()

    def switch(way, *metrics):
        answer = kinesis(f"{way}-enhanced-monitoring", stream_name=stream, shard_level_metrics=list(metrics))
        summary = active(kinesis, stream)
        assert (answer["StreamName"], answer["StreamARN"]) == (stream, summary["StreamARN"])
        assert summary["EnhancedMonitoring"] == [{"ShardLevelMetrics": answer["DesiredShardLevelMetrics"]}]
        return answer["CurrentShardLevelMetrics"], answer["DesiredShardLevelMetrics"]
    current, desired = switch("enable", "IncomingBytes", "OutgoingBytes")
    assert (current, set(desired)) == ([], {"IncomingBytes", "OutgoingBytes"})
    current, desired = switch("disable", "IncomingBytes")
    assert (set(current), desired) == ({"IncomingBytes", "OutgoingBytes"}, ["OutgoingBytes"])
    assert len(switch("enable", "ALL")[1]) == 7
    assert switch("disable", "ALL")[1] == []
    arn = active(kinesis, stream)["StreamARN"]
    for way, operation in (("enable", "EnableEnhancedMonitoring"), ("disable", "DisableEnhancedMonitoring")):
        command = f"{way}-enhanced-monitoring"
        assert kinesis.error(command, stream_name=MISSING, shard_level_metrics=["ALL"]) == no_stream(operation, arn)
        assert kinesis.error(command, stream_name=stream, shard_level_metrics=["Colour"]).startswith(
            refused(operation, "ValidationException"))


def test_tags_of_a_stream_come_and_go(cloud, kinesis):
    stream = cloud.create_data_stream()
    arn = active(kinesis, stream)["StreamARN"]
    kinesis("add-tags-to-stream", stream_name=stream, tags={"a": "1", "b": "2", "c": ""})
    kinesis("add-tags-to-stream", stream_name=stream, tags={"a": "3"})
    first = kinesis("list-tags-for-stream", stream_name=stream, limit=2)
    assert first == {"Tags": [{"Key": "a", "Value": "3"}, {"Key": "b", "Value": "2"}], "HasMoreTags": True}
    rest = kinesis("list-tags-for-stream", stream_name=stream, exclusive_start_tag_key="b")
    assert rest == {"Tags": [{"Key": "c", "Value": ""}], "HasMoreTags": False}
    kinesis("remove-tags-from-stream", stream_name=stream, tag_keys=["a", "c", "never-there"])
    assert kinesis("list-tags-for-stream", stream_arn=arn)["Tags"] == [{"Key": "b", "Value": "2"}]
    assert kinesis.error("add-tags-to-stream", stream_name=stream, tags={str(n): "x" for n in range(50)}).startswith(
        refused("AddTagsToStream", "InvalidArgumentException"))
    assert kinesis("list-tags-for-stream", stream_name=stream)["Tags"] == [{"Key": "b", "Value": "2"}]
    assert kinesis.error("add-tags-to-stream", stream_name=MISSING, tags={"a": "1"}) == \
        no_stream("AddTagsToStream", arn)
    assert kinesis.error("list-tags-for-stream", stream_name=MISSING) == no_stream("ListTagsForStream", arn)
    assert kinesis.error("remove-tags-from-stream", stream_name=MISSING, tag_keys=["a"]) == \
        no_stream("RemoveTagsFromStream", arn)


def test_consumers_are_registered_listed_and_deregistered(cloud, kinesis):
    stream = cloud.create_data_stream()
    arn = active(kinesis, stream)["StreamARN"]
    made = {name: kinesis("register-stream-consumer", stream_arn=arn, consumer_name=name)["Consumer"]
            for name in ("one", "two", "three")}
    assert made["one"]["ConsumerARN"].startswith(f"{arn}/consumer/one:")

    def described(**who):
        found = kinesis("describe-stream-consumer", **who)["ConsumerDescription"]
        return found if found["ConsumerStatus"] == "ACTIVE" else None
    one = eventually(lambda: described(consumer_arn=made["one"]["ConsumerARN"]), "the consumer is active")
    assert (one["ConsumerName"], one["ConsumerARN"], one["StreamARN"]) == ("one", made["one"]["ConsumerARN"], arn)
    listed = kinesis("list-stream-consumers", stream_arn=arn, page_size=2)["Consumers"]
    assert {consumer["ConsumerARN"] for consumer in listed} == {each["ConsumerARN"] for each in made.values()}
    assert kinesis.error("register-stream-consumer", stream_arn=arn, consumer_name="one").startswith(
        refused("RegisterStreamConsumer", "ResourceInUseException", "Consumer one under stream "))
    assert kinesis.error("delete-stream", stream_name=stream).startswith(
        refused("DeleteStream", "ResourceInUseException"))

    kinesis("deregister-stream-consumer", consumer_arn=made["one"]["ConsumerARN"])
    kinesis("deregister-stream-consumer", stream_arn=arn, consumer_name="two")

    def names():
        return [consumer["ConsumerName"] for consumer in kinesis("list-stream-consumers", stream_arn=arn)["Consumers"]]
    eventually(lambda: names() == ["three"], "two consumers are gone")
    for command, operation in (("describe-stream-consumer", "DescribeStreamConsumer"),
                               ("deregister-stream-consumer", "DeregisterStreamConsumer")):
        assert kinesis.error(command, stream_arn=arn, consumer_name="one").startswith(
            refused(operation, "ResourceNotFoundException", "Consumer one"))
    missing = arn.replace(stream, MISSING)
    assert kinesis.error("register-stream-consumer", stream_arn=missing, consumer_name="x") == \
        no_stream("RegisterStreamConsumer", arn)
    assert kinesis.error("list-stream-consumers", stream_arn=missing) == no_stream("ListStreamConsumers", arn)
    kinesis("delete-stream", stream_name=stream, enforce_consumer_deletion=True)
    eventually(lambda: stream not in kinesis("list-streams")["StreamNames"], "the stream is gone")


def test_records_are_refused_in_aws_words(cloud, kinesis):
    stream = cloud.create_data_stream()
    arn = active(kinesis, stream)["StreamARN"]
    record = {"partition_key": "a", "data": "MQ=="}
    assert kinesis.error("put-record", stream_name=stream, explicit_hash_key=str(2**128), **record) == refused(
        "PutRecord", "InvalidArgumentException", "Invalid ExplicitHashKey. ExplicitHashKey must be in the range: "
        f"[0, 2^128-1]. Specified value was {2**128}")
    assert kinesis.error("put-record", stream_name=MISSING, **record) == no_stream("PutRecord", arn)
    assert kinesis.error("put-records", stream_name=MISSING, records=[{"PartitionKey": "a", "Data": "MQ=="}]) == \
        no_stream("PutRecords", arn)
    assert kinesis.error("get-shard-iterator", stream_name=stream, shard_id="shardId-000000000001",
                         shard_iterator_type="LATEST").startswith(
        refused("GetShardIterator", "ResourceNotFoundException"))
    assert kinesis.error("get-records", shard_iterator="nonsense").startswith(
        refused("GetRecords", "InvalidArgumentException"))
    assert kinesis.error("list-shards", stream_name=MISSING) == no_stream("ListShards", arn)
    assert kinesis.error("describe-stream", stream_name=MISSING) == no_stream("DescribeStream", arn)
    assert kinesis.error("describe-stream-summary", stream_name=MISSING) == no_stream("DescribeStreamSummary", arn)
    assert kinesis.error("delete-stream", stream_name=MISSING) == no_stream("DeleteStream", arn)
    assert kinesis.error("create-stream", stream_name=stream, shard_count=1).startswith(
        refused("CreateStream", "ResourceInUseException", f"Stream {stream} under account "))
    assert stream in kinesis("list-streams", page_size=1)["StreamNames"]
    assert kinesis.error("list-streams", exclusive_start_stream_name="a b") == refused(
        "ListStreams", "ValidationException", "1 validation error detected: Value 'a b' at 'exclusiveStartStreamName' "
        "failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+")
