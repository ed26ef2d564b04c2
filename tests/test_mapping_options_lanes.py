"""ParallelizationFactor: several batches of a shard at a time, and the changes of an item still in order."""
import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from harness import eventually


@pytest.fixture
def table(cloud):
    return cloud.create_table(stream="NEW_IMAGE")


def seen(cloud, function):
    turns = {}
    for event in cloud.events(function):
        for record in event["Records"]:
            turns.setdefault(record["dynamodb"]["Keys"]["id"]["S"], []).append(
                int(record["dynamodb"]["NewImage"]["turn"]["N"]))
    return turns


def items_of_one_shard(cloud, table, count):
    """Names of items whose changes are in one shard. They have been put with turn 0."""
    names = [f"item {number}" for number in range(count * 8)]
    for name in names:
        cloud.put_item(table, id=name, turn=0)
    stream = cloud.stream_arn(table)
    cloud.records(stream, len(names))
    for shard in cloud.shards(stream):
        found = [record["dynamodb"]["Keys"]["id"]["S"] for record in cloud.shard_records(stream, shard["ShardId"])]
        if len(found) >= count:
            return found
    raise AssertionError("no shard has that many")


def test_changes_of_an_item_arrive_in_order_in_every_lane(cloud, table):
    function = cloud.recorder()
    cloud.create_mapping(function, cloud.stream_arn(table), BatchSize=5, ParallelizationFactor=10)
    items, rounds = 12, 20

    def write(number):
        for turn in range(rounds):
            cloud.put_item(table, id=f"item {number}", turn=turn)

    with ThreadPoolExecutor(items) as pool:
        list(pool.map(write, range(items)))
    cloud.wait_for_records(function, items * rounds, 60)
    assert seen(cloud, function) == {f"item {number}": list(range(rounds)) for number in range(items)}


def test_an_item_that_fails_holds_up_its_lane_only(cloud, table):
    names = items_of_one_shard(cloud, table, 12)
    function = cloud.recorder(body=f"""
        import json
        if any(record["dynamodb"]["Keys"]["id"]["S"] == {json.dumps(names[0])} for record in event["Records"]):
            raise RuntimeError("never")
        """)
    cloud.create_mapping(function, cloud.stream_arn(table), ParallelizationFactor=10, BatchSize=1)
    for name in names:
        cloud.put_item(table, id=name, turn=1)

    def others_are_done():
        turns = seen(cloud, function)
        return sum(turns.get(name) == [0, 1] for name in names) >= len(names) // 2

    eventually(others_are_done, "the other lanes go on", 60)
    assert set(seen(cloud, function).get(names[0], [0])) == {0}


def test_another_number_of_lanes_keeps_every_items_order(cloud, functions, table):
    function = cloud.recorder()
    mapping = cloud.create_mapping(function, cloud.stream_arn(table), BatchSize=3, ParallelizationFactor=8)
    items, rounds = 10, 30

    def write(number):
        for turn in range(rounds):
            cloud.put_item(table, id=f"item {number}", turn=turn)

    with ThreadPoolExecutor(items + 1) as pool:
        writing = [pool.submit(write, number) for number in range(items)]
        for factor in (1, 5, 10, 2):
            functions.update_event_source_mapping(UUID=mapping, ParallelizationFactor=factor)
            cloud.wait_for_mapping(mapping, "Enabled")
        for each in writing:
            each.result()
    cloud.wait_for_records(function, items * rounds, 60)
    assert seen(cloud, function) == {f"item {number}": list(range(rounds)) for number in range(items)}
