"""What a mapping delivers: every change, in order per item, in batches of the asked size, through a restart."""
import re
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from harness import Cloud, eventually, item, values

EVENT_BYTES_MAX = 6 * 1024 * 1024


def keys_and_turns(records):
    return [(record["dynamodb"]["Keys"]["id"]["S"], int(record["dynamodb"]["NewImage"]["turn"]["N"]))
            for record in records]


def turns(records):
    return [turn for _, turn in keys_and_turns(records)]


@pytest.fixture
def table(cloud):
    return cloud.create_table(stream="NEW_AND_OLD_IMAGES")


# --- the event ---

def test_an_event_has_the_shape_of_aws(cloud, dynamodb):
    table = cloud.create_table("id:S sort:N", stream="NEW_AND_OLD_IMAGES")
    stream = cloud.stream_arn(table)
    function = cloud.recorder()
    cloud.create_mapping(function, stream)
    everything = item(id="1", sort=2, text="ζ\"\\\n", n={"N": "1.50"}, b=b"foobar", t=True, null=None, l=[1, ["x"]],
                      m={"a": {"b": "c"}}, ss={"a", "b"}, ns={1}, bs={b"x"})
    dynamodb.put_item(TableName=table, Item=everything)
    dynamodb.update_item(TableName=table, Key=item(id="1", sort=2), UpdateExpression="REMOVE l, m, ss, ns, bs, b, n")
    dynamodb.delete_item(TableName=table, Key=item(id="1", sort=2))
    inserted, modified, removed = cloud.wait_for_records(function, 3)

    assert [record["eventName"] for record in (inserted, modified, removed)] == ["INSERT", "MODIFY", "REMOVE"]
    assert set(inserted) == {"eventID", "eventName", "eventVersion", "eventSource", "awsRegion", "dynamodb",
                             "eventSourceARN"}
    assert re.fullmatch(r"[0-9a-f]{32}", inserted["eventID"])
    assert inserted["eventVersion"] == "1.1"
    assert inserted["eventSource"] == "aws:dynamodb"
    assert inserted["awsRegion"] == "us-east-1"
    assert inserted["eventSourceARN"] == stream
    change = inserted["dynamodb"]
    assert set(change) == {"ApproximateCreationDateTime", "Keys", "NewImage", "SequenceNumber", "SizeBytes",
                           "StreamViewType"}
    assert isinstance(change["ApproximateCreationDateTime"], (int, float))
    assert change["Keys"] == {"id": {"S": "1"}, "sort": {"N": "2"}}
    image = change["NewImage"]
    assert sorted(image["ss"].pop("SS")) == ["a", "b"]
    assert image == {
        "id": {"S": "1"}, "sort": {"N": "2"}, "text": {"S": "ζ\"\\\n"}, "n": {"N": "1.5"}, "b": {"B": "Zm9vYmFy"},
        "t": {"BOOL": True}, "null": {"NULL": True}, "l": {"L": [{"N": "1"}, {"L": [{"S": "x"}]}]},
        "m": {"M": {"a": {"M": {"b": {"S": "c"}}}}}, "ss": {}, "ns": {"NS": ["1"]}, "bs": {"BS": ["eA=="]}}
    assert change["StreamViewType"] == "NEW_AND_OLD_IMAGES"
    assert set(modified["dynamodb"]) == set(change) | {"OldImage"}
    assert set(removed["dynamodb"]) == set(change) - {"NewImage"} | {"OldImage"}


def test_events_carry_what_the_stream_holds(cloud, table):
    function = cloud.recorder()
    stream = cloud.stream_arn(table)
    cloud.create_mapping(function, stream)
    for turn in range(5):
        cloud.put_item(table, id="1", turn=turn)
    delivered = cloud.wait_for_records(function, 5)
    read = cloud.records(stream, 5)
    assert [record["eventID"] for record in delivered] == [record["eventID"] for record in read]
    assert [record["dynamodb"]["SequenceNumber"] for record in delivered] == \
        [record["dynamodb"]["SequenceNumber"] for record in read]
    assert [record["dynamodb"]["SizeBytes"] for record in delivered] == \
        [record["dynamodb"]["SizeBytes"] for record in read]


@pytest.mark.parametrize("view, members", [
    ("KEYS_ONLY", set()), ("NEW_IMAGE", {"NewImage"}), ("OLD_IMAGE", {"OldImage"}),
])
def test_events_show_what_the_view_shows(cloud, view, members):
    table = cloud.create_table(stream=view)
    function = cloud.recorder()
    cloud.create_mapping(function, cloud.stream_arn(table))
    cloud.put_item(table, id="1", x=1)
    cloud.put_item(table, id="1", x=2)
    change = cloud.wait_for_records(function, 2)[1]["dynamodb"]
    assert set(change) & {"NewImage", "OldImage"} == members


# --- every change, in order ---

def test_every_change_arrives_in_order_per_item(cloud, table):
    function = cloud.recorder()
    cloud.create_mapping(function, cloud.stream_arn(table), BatchSize=10)
    items, rounds = 8, 25

    def write(number):
        for turn in range(rounds):
            cloud.put_item(table, id=f"item {number}", turn=turn)

    with ThreadPoolExecutor(items) as pool:
        list(pool.map(write, range(items)))
    cloud.wait_for_records(function, items * rounds, 60)
    seen = {}
    for event in cloud.events(function):
        assert len(event["Records"]) <= 10
        for key, turn in keys_and_turns(event["Records"]):
            seen.setdefault(key, []).append(turn)
    assert seen == {f"item {number}": list(range(rounds)) for number in range(items)}


def test_a_batch_never_mixes_shards(cloud, table):
    for number in range(60):
        cloud.put_item(table, id=str(number), turn=0)
    stream = cloud.stream_arn(table)
    cloud.records(stream, 60)
    shard_of = {record["eventID"]: shard["ShardId"] for shard in cloud.shards(stream)
                for record in cloud.shard_records(stream, shard["ShardId"])}
    function = cloud.recorder()
    cloud.create_mapping(function, stream)
    cloud.wait_for_records(function, 60)
    for event in cloud.events(function):
        assert len({shard_of[record["eventID"]] for record in event["Records"]}) == 1


# A commit wakes the mapping. A poller that asks now and then would do none of these in this time, as each begins just
# after it has asked; here those count during which the machine did nothing else.
@pytest.mark.local
def test_a_change_arrives_at_once(cloud, table):
    function = cloud.recorder()
    cloud.create_mapping(function, cloud.stream_arn(table), StartingPosition="LATEST")
    cloud.put_item(table, id="1", turn=-1)  # the worker is warm after this one
    cloud.wait_for_events(function, 1)
    seconds = []
    for turn in range(20):
        began = time.monotonic()
        cloud.put_item(table, id="1", turn=turn)
        cloud.wait_for_records(function, turn + 2)
        seconds.append(time.monotonic() - began)
    assert sorted(seconds)[4] < 0.2, seconds


# --- where it starts ---

def test_trim_horizon_starts_with_the_oldest_change(cloud, table):
    for turn in range(5):
        cloud.put_item(table, id="1", turn=turn)
    function = cloud.recorder()
    cloud.create_mapping(function, cloud.stream_arn(table), StartingPosition="TRIM_HORIZON")
    assert turns(cloud.wait_for_records(function, 5)) == [0, 1, 2, 3, 4]


def test_latest_starts_with_what_comes(cloud, table):
    cloud.put_item(table, id="1", turn=0)
    function = cloud.recorder()
    cloud.create_mapping(function, cloud.stream_arn(table), StartingPosition="LATEST")
    cloud.put_item(table, id="1", turn=1)
    assert turns(cloud.wait_for_records(function, 1)) == [1]


# --- batches ---

@pytest.mark.parametrize("size", [1, 3, 100])
def test_a_batch_has_at_most_the_asked_size(cloud, table, size):
    for turn in range(10):
        cloud.put_item(table, id="1", turn=turn)
    function = cloud.recorder()
    cloud.create_mapping(function, cloud.stream_arn(table), BatchSize=size)
    cloud.wait_for_records(function, 10)
    sizes = [len(event["Records"]) for event in cloud.events(function)]
    assert max(sizes) <= size
    # What is there already fills the batches, and none waits.
    assert sizes == [size] * (10 // size) + ([10 % size] if 10 % size else [])


# An event must fit into an invocation, whatever the batch size says.
def test_a_batch_is_cut_at_6_mb(cloud, table):
    for turn in range(20):
        cloud.put_item(table, id="1", turn=turn, text="x" * 390_000)
    function = cloud.recorder(body="""
        import json
        inbox.table().put_item(TableName=os.environ["INBOX_TABLE"], Item={
            "inbox": {"S": os.environ["INBOX"] + "#sizes"}, "at": {"S": context.aws_request_id},
            "size": {"N": str(len(json.dumps(event)))}})
        """, MemorySize=512)
    cloud.create_mapping(function, cloud.stream_arn(table), BatchSize=1000)

    def sizes():
        found = cloud.dynamodb.query(
            TableName=cloud.inbox_table(), KeyConditionExpression="inbox = :inbox", ConsistentRead=True,
            ExpressionAttributeValues=values(inbox=function + "#sizes"))["Items"]
        return [int(each["size"]["N"]) for each in found]

    # Old and new image: about 780 KB each but the first.
    eventually(lambda: sum(sizes()) > 15_000_000, "all records came", 60)
    assert max(sizes()) <= EVENT_BYTES_MAX * 1.02  # Python's spaces after colons make it a little longer
    assert len(sizes()) < 10


# --- several mappings, life of a mapping ---

def test_two_functions_on_one_stream_both_get_everything(cloud, table):
    one, two = cloud.recorder(), cloud.recorder()
    stream = cloud.stream_arn(table)
    cloud.create_mapping(one, stream)
    cloud.create_mapping(two, stream)
    for turn in range(5):
        cloud.put_item(table, id="1", turn=turn)
    for function in (one, two):
        assert turns(cloud.wait_for_records(function, 5)) == list(range(5))


def test_a_disabled_mapping_keeps_its_place_and_resumes_there(cloud, functions, table):
    function = cloud.recorder()
    mapping = cloud.create_mapping(function, cloud.stream_arn(table))
    cloud.put_item(table, id="1", turn=0)
    cloud.wait_for_records(function, 1)
    functions.update_event_source_mapping(UUID=mapping, Enabled=False)
    cloud.wait_for_mapping(mapping, "Disabled")
    for turn in range(1, 4):
        cloud.put_item(table, id="1", turn=turn)
    functions.update_event_source_mapping(UUID=mapping, Enabled=True)
    assert turns(cloud.wait_for_records(function, 4)) == [0, 1, 2, 3]


def test_an_update_of_the_batch_size_holds_for_the_next_batch(cloud, functions, table):
    function = cloud.recorder()
    mapping = cloud.create_mapping(function, cloud.stream_arn(table), Enabled=False)
    for turn in range(6):
        cloud.put_item(table, id="1", turn=turn)
    functions.update_event_source_mapping(UUID=mapping, BatchSize=2)
    cloud.wait_for_mapping(mapping, "Disabled")
    functions.update_event_source_mapping(UUID=mapping, Enabled=True)
    cloud.wait_for_records(function, 6)
    assert [len(event["Records"]) for event in cloud.events(function)] == [2, 2, 2]


def test_an_update_may_name_another_function(cloud, functions, table):
    one, two = cloud.recorder(), cloud.recorder()
    mapping = cloud.create_mapping(one, cloud.stream_arn(table))
    cloud.put_item(table, id="1", turn=0)
    cloud.wait_for_records(one, 1)
    eventually(lambda: functions.get_event_source_mapping(UUID=mapping)["LastProcessingResult"] == "OK", "done")
    functions.update_event_source_mapping(UUID=mapping, FunctionName=two)
    cloud.wait_for_mapping(mapping, "Enabled")
    cloud.put_item(table, id="1", turn=1)
    assert turns(cloud.wait_for_records(two, 1)) == [1]


def test_a_deleted_mapping_delivers_nothing_more(cloud, functions, table):
    one, two = cloud.recorder(), cloud.recorder()
    stream = cloud.stream_arn(table)
    mapping = cloud.create_mapping(one, stream)
    cloud.create_mapping(two, stream)
    functions.delete_event_source_mapping(UUID=mapping)

    def gone():
        return mapping not in [found["UUID"] for found in functions.list_event_source_mappings()["EventSourceMappings"]]

    eventually(gone, "the mapping is gone")
    cloud.put_item(table, id="1", turn=0)
    cloud.wait_for_records(two, 1)
    assert cloud.events(one) == []


def test_the_last_result_tells_how_it_went(cloud, functions, table):
    function = cloud.recorder(body="if event['Records'][0]['dynamodb']['NewImage']['turn']['N'] == '1':\n"
                                   "    raise RuntimeError('not this one')\n")
    mapping = cloud.create_mapping(function, cloud.stream_arn(table), MaximumRetryAttempts=0, BatchSize=1)

    def result_is(expected):
        return lambda: functions.get_event_source_mapping(UUID=mapping)["LastProcessingResult"] == expected

    assert result_is("No records processed")()
    cloud.put_item(table, id="1", turn=0)
    eventually(result_is("OK"), "OK")
    cloud.put_item(table, id="1", turn=1)
    eventually(result_is("PROBLEM: Function call failed"), "PROBLEM")
    cloud.put_item(table, id="1", turn=2)
    eventually(result_is("OK"), "OK")
    functions.update_event_source_mapping(UUID=mapping, Enabled=False)
    cloud.wait_for_mapping(mapping, "Disabled")
    assert result_is("OK")()


def test_a_function_may_answer_anything(cloud, table):
    function = cloud.recorder(body="return {'batchItemFailures': [{'itemIdentifier': 'x'}], 'big': 'y' * 100000}")
    cloud.create_mapping(function, cloud.stream_arn(table))
    cloud.put_item(table, id="1", turn=0)
    cloud.wait_for_records(function, 1)
    cloud.put_item(table, id="1", turn=1)
    assert turns(cloud.wait_for_records(function, 2)) == [0, 1]


# A table whose stream is switched off and on again has two streams; a mapping follows the one that it names.
def test_a_mapping_reads_a_disabled_stream_to_its_end(cloud, dynamodb, table):
    for turn in range(3):
        cloud.put_item(table, id="1", turn=turn)
    stream = cloud.stream_arn(table)
    dynamodb.update_table(TableName=table, StreamSpecification={"StreamEnabled": False})
    function = cloud.recorder()
    cloud.create_mapping(function, stream)
    assert turns(cloud.wait_for_records(function, 3)) == [0, 1, 2]


# --- restarts ---

@pytest.mark.local
@pytest.mark.parametrize("how", ["stop", "kill"])
def test_changes_that_were_not_delivered_yet_are_delivered_after_a_restart(start_server, how):
    server = start_server()
    cloud = Cloud(server.endpoint)
    table = cloud.create_table(stream="NEW_IMAGE")
    function = cloud.recorder()
    mapping = cloud.create_mapping(function, cloud.stream_arn(table), BatchSize=1)
    for turn in range(30):
        cloud.put_item(table, id="1", turn=turn)
    inbox = cloud.inbox_table()
    getattr(server, how)()

    cloud = Cloud(start_server(data=server.data).endpoint)
    cloud._inbox = inbox
    found = turns(cloud.wait_for_records(function, 30))
    # At least once: the batch in flight and the one whose checkpoint was on its way may come twice, and nothing else.
    assert sorted(set(found)) == list(range(30))
    first_seen = list(dict.fromkeys(found))
    assert first_seen == sorted(first_seen)
    assert len(found) <= 32
    assert cloud.functions.get_event_source_mapping(UUID=mapping)["State"] == "Enabled"


@pytest.mark.local
def test_what_was_delivered_is_not_delivered_again_after_a_kill(start_server):
    server = start_server()
    cloud = Cloud(server.endpoint)
    table = cloud.create_table(stream="NEW_IMAGE")
    function = cloud.recorder()
    mapping = cloud.create_mapping(function, cloud.stream_arn(table), BatchSize=5)
    for turn in range(20):
        cloud.put_item(table, id="1", turn=turn)
    cloud.wait_for_records(function, 20)
    eventually(lambda: cloud.functions.get_event_source_mapping(UUID=mapping)["LastProcessingResult"] == "OK", "done")
    inbox = cloud.inbox_table()
    server.kill()

    cloud = Cloud(start_server(data=server.data).endpoint)
    cloud._inbox = inbox
    cloud.put_item(table, id="1", turn=20)

    def last_came():
        found = turns([record for event in cloud.events(function) for record in event["Records"]])
        return found if found[-1] == 20 else None

    found = eventually(last_came, "the new change")
    assert len(found) <= 21 + 2 * 5  # at most the last two batches again


@pytest.mark.local
def test_a_mapping_that_was_disabled_is_disabled_after_a_restart(start_server):
    server = start_server()
    cloud = Cloud(server.endpoint)
    table = cloud.create_table(stream="NEW_IMAGE")
    function = cloud.recorder()
    mapping = cloud.create_mapping(function, cloud.stream_arn(table), Enabled=False)
    cloud.put_item(table, id="1", turn=0)
    inbox = cloud.inbox_table()
    server.kill()
    cloud = Cloud(start_server(data=server.data).endpoint)
    cloud._inbox = inbox
    assert cloud.functions.get_event_source_mapping(UUID=mapping)["State"] == "Disabled"
    cloud.functions.update_event_source_mapping(UUID=mapping, Enabled=True)
    assert turns(cloud.wait_for_records(function, 1)) == [0]
