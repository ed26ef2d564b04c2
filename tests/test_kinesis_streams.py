"""Data streams and their shards as boto3 sees them."""

import pytest
from botocore.exceptions import ClientError

from harness import Cloud, eventually, unique

LAST_KEY = 2**128 - 1


def refusal(call, **arguments):
    with pytest.raises(ClientError) as caught:
        call(**arguments)
    return caught.value.response["Error"]


def refusal_or_none(call, **arguments):
    try:
        call(**arguments)
    except ClientError as error:
        return error.response["Error"]
    return None


def shards(kinesis, stream, **more):
    return {shard["ShardId"]: shard for shard in kinesis.list_shards(StreamName=stream, **more)["Shards"]}


def ranges(found):
    return sorted((int(shard["HashKeyRange"]["StartingHashKey"]), int(shard["HashKeyRange"]["EndingHashKey"]))
                  for shard in found.values())


def test_a_stream_lives_from_creation_to_deletion(cloud, kinesis):
    name = cloud.create_data_stream(shards=2)
    description = kinesis.describe_stream(StreamName=name)["StreamDescription"]
    assert description["StreamARN"].endswith(f":stream/{name}")
    assert description["StreamModeDetails"] == {"StreamMode": "PROVISIONED"}
    assert (description["RetentionPeriodHours"], description["EncryptionType"]) == (24, "NONE")
    assert [shard["ShardId"] for shard in description["Shards"]] == ["shardId-000000000000", "shardId-000000000001"]
    assert ranges(shards(kinesis, name)) == [(0, 2**127 - 1), (2**127, LAST_KEY)]
    assert refusal(kinesis.create_stream, StreamName=name, ShardCount=1)["Code"] == "ResourceInUseException"
    kinesis.delete_stream(StreamName=name)
    error = eventually(lambda: refusal_or_none(kinesis.describe_stream_summary, StreamName=name), deadline_seconds=120)
    assert error["Code"] == "ResourceNotFoundException"
    assert error["Message"].startswith(f"Stream {name} under account ")


def test_a_stream_without_a_count_of_shards_is_on_demand_and_has_four(cloud, kinesis):
    name = cloud.create_data_stream(shards=None)
    summary = cloud.data_stream_active(name)
    assert (summary["OpenShardCount"], summary["StreamModeDetails"]) == (4, {"StreamMode": "ON_DEMAND"})


def test_streams_are_listed_and_paged(cloud, kinesis):
    names = sorted(cloud.create_data_stream() for _ in range(3))
    first = kinesis.list_streams(Limit=1, ExclusiveStartStreamName=names[0])
    assert first["StreamNames"] == [names[1]]
    assert first["HasMoreStreams"] is True
    assert names[2] in kinesis.list_streams(ExclusiveStartStreamName=names[1])["StreamNames"]


def test_a_shard_is_split_and_its_children_are_merged(cloud, kinesis):
    name = cloud.create_data_stream()
    kinesis.split_shard(StreamName=name, ShardToSplit="shardId-000000000000", NewStartingHashKey=str(2**127))
    cloud.data_stream_active(name)
    split = shards(kinesis, name)
    assert "EndingSequenceNumber" in split["shardId-000000000000"]["SequenceNumberRange"]
    assert [split[f"shardId-00000000000{i}"]["ParentShardId"] for i in (1, 2)] == ["shardId-000000000000"] * 2
    assert ranges({key: value for key, value in split.items() if key[-1] in "12"}) == [(0, 2**127 - 1), (2**127, LAST_KEY)]
    kinesis.merge_shards(StreamName=name, ShardToMerge="shardId-000000000001", AdjacentShardToMerge="shardId-000000000002")
    cloud.data_stream_active(name)
    merged = shards(kinesis, name)["shardId-000000000003"]
    assert (merged["ParentShardId"], merged["AdjacentParentShardId"]) == ("shardId-000000000001", "shardId-000000000002")
    assert list(shards(kinesis, name, ShardFilter={"Type": "AT_LATEST"})) == ["shardId-000000000003"]


def test_shards_that_cannot_be_split_or_merged_are_refused(cloud, kinesis):
    name = cloud.create_data_stream(shards=3)
    error = refusal(kinesis.split_shard, StreamName=name, ShardToSplit="shardId-000000000000", NewStartingHashKey="1")
    assert error["Code"] == "InvalidArgumentException"
    assert "is not both greater than one plus the shard's StartingHashKey 0" in error["Message"]
    error = refusal(kinesis.merge_shards, StreamName=name, ShardToMerge="shardId-000000000000",
                    AdjacentShardToMerge="shardId-000000000002")
    assert error["Code"] == "InvalidArgumentException"
    assert "are not an adjacent pair of shards eligible for merging" in error["Message"]
    error = refusal(kinesis.split_shard, StreamName=name, ShardToSplit="shardId-000000000099", NewStartingHashKey="9")
    assert error["Code"] == "ResourceNotFoundException"


def test_the_shards_are_counted_anew(cloud, kinesis):
    name = cloud.create_data_stream(shards=2)
    answer = kinesis.update_shard_count(StreamName=name, TargetShardCount=3, ScalingType="UNIFORM_SCALING")
    assert (answer["CurrentShardCount"], answer["TargetShardCount"]) == (2, 3)
    assert cloud.data_stream_active(name)["OpenShardCount"] == 3
    open_ones = ranges(shards(kinesis, name, ShardFilter={"Type": "AT_LATEST"}))
    assert open_ones[0][0] == 0 and open_ones[-1][1] == LAST_KEY
    assert all(before[1] + 1 == after[0] for before, after in zip(open_ones, open_ones[1:]))
    error = refusal(kinesis.update_shard_count, StreamName=name, TargetShardCount=7, ScalingType="UNIFORM_SCALING")
    assert error["Code"] == "InvalidArgumentException"


def test_shards_are_paged(cloud, kinesis):
    name = cloud.create_data_stream(shards=3)
    first = kinesis.list_shards(StreamName=name, MaxResults=2)
    assert len(first["Shards"]) == 2
    rest = kinesis.list_shards(NextToken=first["NextToken"])
    assert [shard["ShardId"] for shard in rest["Shards"]] == ["shardId-000000000002"]
    assert "NextToken" not in rest


def test_the_retention_is_changed(cloud, kinesis):
    name = cloud.create_data_stream()
    kinesis.increase_stream_retention_period(StreamName=name, RetentionPeriodHours=48)
    assert cloud.data_stream_active(name)["RetentionPeriodHours"] == 48
    error = refusal(kinesis.increase_stream_retention_period, StreamName=name, RetentionPeriodHours=24)
    assert error["Code"] == "InvalidArgumentException"
    kinesis.decrease_stream_retention_period(StreamName=name, RetentionPeriodHours=24)
    assert cloud.data_stream_active(name)["RetentionPeriodHours"] == 24


def test_the_mode_is_changed(cloud, kinesis):
    name = cloud.create_data_stream()
    arn = cloud.data_stream_active(name)["StreamARN"]
    kinesis.update_stream_mode(StreamARN=arn, StreamModeDetails={"StreamMode": "ON_DEMAND"})
    assert cloud.data_stream_active(name)["StreamModeDetails"] == {"StreamMode": "ON_DEMAND"}


def test_tags_are_kept(cloud, kinesis):
    name = cloud.create_data_stream()
    kinesis.add_tags_to_stream(StreamName=name, Tags={"a": "1", "b": "2"})
    eventually(lambda: len(kinesis.list_tags_for_stream(StreamName=name)["Tags"]) == 2)
    kinesis.remove_tags_from_stream(StreamName=name, TagKeys=["a"])
    eventually(lambda: kinesis.list_tags_for_stream(StreamName=name)["Tags"] == [{"Key": "b", "Value": "2"}])


def test_enhanced_monitoring_is_kept(cloud, kinesis):
    name = cloud.create_data_stream()
    answer = kinesis.enable_enhanced_monitoring(StreamName=name, ShardLevelMetrics=["IncomingBytes"])
    assert (answer["CurrentShardLevelMetrics"], answer["DesiredShardLevelMetrics"]) == ([], ["IncomingBytes"])
    cloud.data_stream_active(name)
    kinesis.disable_enhanced_monitoring(StreamName=name, ShardLevelMetrics=["ALL"])
    assert cloud.data_stream_active(name)["EnhancedMonitoring"][0]["ShardLevelMetrics"] == []


def test_consumers_are_registered_listed_and_deregistered(cloud, kinesis):
    name = cloud.create_data_stream()
    stream = cloud.data_stream_active(name)["StreamARN"]
    consumer = kinesis.register_stream_consumer(StreamARN=stream, ConsumerName="reader")["Consumer"]
    assert consumer["ConsumerARN"].startswith(f"{stream}/consumer/reader:")
    described = eventually(lambda: (found := kinesis.describe_stream_consumer(ConsumerARN=consumer["ConsumerARN"])[
        "ConsumerDescription"])["ConsumerStatus"] == "ACTIVE" and found)
    assert described["StreamARN"] == stream
    listed = kinesis.list_stream_consumers(StreamARN=stream)["Consumers"]
    assert [found["ConsumerName"] for found in listed] == ["reader"]
    assert refusal(kinesis.delete_stream, StreamName=name)["Code"] == "ResourceInUseException"
    kinesis.deregister_stream_consumer(ConsumerARN=consumer["ConsumerARN"])
    eventually(lambda: refusal_or_none(kinesis.describe_stream_consumer, StreamARN=stream, ConsumerName="reader"))


def test_limits_are_told(kinesis):
    limits = kinesis.describe_limits()
    assert limits["ShardLimit"] >= limits["OpenShardCount"]


@pytest.mark.local
def test_streams_and_records_survive_a_kill(start_server, tmp_path):
    server = start_server()
    cloud = Cloud(server.endpoint)
    name = cloud.create_data_stream(shards=2, name=unique("kept"))
    put = cloud.kinesis.put_record(StreamName=name, PartitionKey="a", Data=b"kept")
    cloud.kinesis.update_shard_count(StreamName=name, TargetShardCount=4, ScalingType="UNIFORM_SCALING")
    server.kill()
    again = Cloud(start_server().endpoint)
    assert again.data_stream_active(name)["OpenShardCount"] == 4
    records = again.data_records(name, put["ShardId"], 1)
    assert [(record["Data"], record["SequenceNumber"]) for record in records] == [(b"kept", put["SequenceNumber"])]
