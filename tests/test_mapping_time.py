"""What a mapping does over time: windows, retries and their back-off, the age of records. On the virtual clock, where
"nothing happened" can be known: advancing returns once the platform is quiet."""
import pytest

from harness import Cloud, eventually

pytestmark = pytest.mark.local

HOUR, DAY = 3600, 24 * 3600


@pytest.fixture
def table(virtual):
    return virtual.create_table(stream="NEW_IMAGE")


def turns(cloud, function):
    """The turns of each event so far: [[0, 1], [2]]."""
    return [[int(record["dynamodb"]["NewImage"]["turn"]["N"]) for record in event["Records"]]
            for event in cloud.events(function)]


def settle(cloud):
    """Lets everything happen that can happen without more time passing than a blink."""
    cloud.advance(0.001)


def put(cloud, table, *numbers, key="1"):
    for turn in numbers:
        cloud.put_item(table, id=key, turn=turn)


# --- the batching window ---

def test_without_a_window_records_go_at_once(virtual, table):
    function = virtual.recorder()
    virtual.create_mapping(function, virtual.stream_arn(table))
    put(virtual, table, 0)
    settle(virtual)
    assert turns(virtual, function) == [[0]]


def test_a_window_gathers_records_until_it_ends(virtual, table):
    function = virtual.recorder()
    virtual.create_mapping(function, virtual.stream_arn(table), MaximumBatchingWindowInSeconds=60)
    put(virtual, table, 0)
    virtual.advance(30)
    put(virtual, table, 1)
    virtual.advance(29)
    assert turns(virtual, function) == []
    virtual.advance(2)
    assert turns(virtual, function) == [[0, 1]]
    # The next window begins with the next record.
    virtual.advance(HOUR)
    put(virtual, table, 2)
    virtual.advance(59)
    assert turns(virtual, function) == [[0, 1]]
    virtual.advance(2)
    assert turns(virtual, function) == [[0, 1], [2]]


def test_a_full_batch_does_not_wait_for_its_window(virtual, table):
    function = virtual.recorder()
    virtual.create_mapping(function, virtual.stream_arn(table), MaximumBatchingWindowInSeconds=300, BatchSize=3)
    put(virtual, table, 0, 1)
    settle(virtual)
    assert turns(virtual, function) == []
    put(virtual, table, 2, 3)
    settle(virtual)
    assert turns(virtual, function) == [[0, 1, 2]]
    virtual.advance(301)
    assert turns(virtual, function) == [[0, 1, 2], [3]]


# The records were durable before the crash, and so is the promise to deliver them.
def test_a_window_goes_on_after_a_kill(start_server):
    server = start_server("--clock", "virtual")
    cloud = Cloud(server.endpoint)
    table = cloud.create_table(stream="NEW_IMAGE")
    function = cloud.recorder()
    cloud.create_mapping(function, cloud.stream_arn(table), MaximumBatchingWindowInSeconds=60)
    put(cloud, table, 0, 1)
    settle(cloud)
    inbox = cloud.inbox_table()
    server.kill()
    cloud = Cloud(start_server("--clock", "virtual", data=server.data).endpoint)
    cloud._inbox = inbox
    assert turns(cloud, function) == []
    cloud.advance(61)
    assert turns(cloud, function) == [[0, 1]]


# --- retries ---

def test_a_failing_batch_is_retried_as_it_was_until_it_succeeds(virtual, table):
    function = virtual.recorder(body="if count <= 3: raise RuntimeError('not yet')")
    virtual.create_mapping(function, virtual.stream_arn(table), BatchSize=2, Enabled=True,
                           MaximumBatchingWindowInSeconds=1)
    put(virtual, table, 0, 1)
    virtual.advance(HOUR)
    put(virtual, table, 2)
    virtual.advance(HOUR)
    assert turns(virtual, function) == [[0, 1]] * 4 + [[2]]
    events = virtual.events(function)
    assert [record["eventID"] for record in events[0]["Records"]] == \
        [record["eventID"] for record in events[3]["Records"]]


@pytest.mark.parametrize("attempts", [0, 1, 3])
def test_a_batch_is_given_up_after_the_asked_number_of_retries(virtual, table, attempts):
    function = virtual.recorder(body="if event['Records'][0]['dynamodb']['NewImage']['turn']['N'] == '0':\n"
                                     "    raise RuntimeError('never')\n")
    virtual.create_mapping(function, virtual.stream_arn(table), BatchSize=1, MaximumRetryAttempts=attempts)
    put(virtual, table, 0, 1)
    virtual.advance(HOUR)
    assert turns(virtual, function) == [[0]] * (attempts + 1) + [[1]]


@pytest.mark.parametrize("failure", [
    "raise RuntimeError('never')", "os._exit(1)", "return 'x' * 7_000_000",
], ids=["exception", "crash", "oversized reply"])
def test_every_kind_of_failure_is_retried(virtual, table, failure):
    function = virtual.recorder(body=f"if count == 1: {failure}")
    virtual.create_mapping(function, virtual.stream_arn(table))
    put(virtual, table, 0)
    virtual.advance(HOUR)
    assert turns(virtual, function) == [[0], [0]]


def test_the_pause_between_retries_grows(virtual, table):
    function = virtual.recorder(body="raise RuntimeError('never')")
    virtual.create_mapping(function, virtual.stream_arn(table), MaximumRetryAttempts=6)
    put(virtual, table, 0)
    settle(virtual)
    at, counts = 0.0, [(0.0, len(virtual.events(function)))]
    while counts[-1][1] < 7 and at < 600:
        virtual.advance(0.25)
        at += 0.25
        counts.append((at, len(virtual.events(function))))
    times = [next(when for when, count in counts if count >= attempt) for attempt in range(1, 8)]
    pauses = [later - earlier for earlier, later in zip(times, times[1:])]
    assert len(virtual.events(function)) == 7
    assert pauses[0] <= 2  # the first retry is soon
    assert pauses[-1] >= 2 * pauses[0]
    assert all(later >= earlier * 0.7 for earlier, later in zip(pauses, pauses[1:]))  # some jitter is allowed


def test_a_failing_shard_blocks_only_itself(virtual):
    table = virtual.create_table(stream="NEW_IMAGE")
    bad = "item 0"
    function = virtual.recorder(body=f"""
        if any(record['dynamodb']['Keys']['id']['S'] == '{bad}' for record in event['Records']):
            raise RuntimeError('never')
        """)
    stream = virtual.stream_arn(table)
    virtual.create_mapping(function, stream, BatchSize=1)
    for number in range(30):
        put(virtual, table, 0, key=f"item {number}")
    virtual.advance(60)
    shard_of = {record["dynamodb"]["Keys"]["id"]["S"]: shard["ShardId"] for shard in virtual.shards(stream)
                for record in virtual.shard_records(stream, shard["ShardId"])}
    delivered = {record["dynamodb"]["Keys"]["id"]["S"] for event in virtual.events(function)
                 for record in event["Records"]} - {bad}
    assert delivered >= {key for key, shard in shard_of.items() if shard != shard_of[bad]}
    blocked = {key for key, shard in shard_of.items() if shard == shard_of[bad]} - {bad}
    assert not delivered & blocked


def test_a_count_of_attempts_survives_a_kill(start_server):
    server = start_server("--clock", "virtual")
    cloud = Cloud(server.endpoint)
    table = cloud.create_table(stream="NEW_IMAGE")
    function = cloud.recorder(body="raise RuntimeError('never')")
    cloud.create_mapping(function, cloud.stream_arn(table), MaximumRetryAttempts=4)
    put(cloud, table, 0)
    settle(cloud)
    cloud.advance(2)
    before = len(cloud.events(function))
    assert 1 <= before < 5
    inbox = cloud.inbox_table()
    server.kill()
    cloud = Cloud(start_server("--clock", "virtual", data=server.data).endpoint)
    cloud._inbox = inbox
    cloud.advance(HOUR)
    cloud.advance(DAY / 2)
    # The attempt that was under way may have been lost with the server: one more at most.
    assert 5 <= len(cloud.events(function)) <= 6


# --- the age of records ---

def test_records_that_are_too_old_are_given_up(virtual, table):
    function = virtual.recorder(body="if event['Records'][0]['dynamodb']['NewImage']['turn']['N'] == '0':\n"
                                     "    raise RuntimeError('never')\n")
    virtual.create_mapping(function, virtual.stream_arn(table), MaximumRecordAgeInSeconds=60, BatchSize=1)
    put(virtual, table, 0)
    virtual.advance(50)
    assert set(map(tuple, turns(virtual, function))) == {(0,)}
    put(virtual, table, 1)
    virtual.advance(HOUR)
    assert turns(virtual, function)[-1] == [1]
    tries = len(turns(virtual, function)) - 1
    assert 3 <= tries <= 20  # AWS makes about eight in a minute
    virtual.advance(HOUR)
    assert turns(virtual, function)[-1] == [1]


# Only what has expired goes; the younger records of the same batch are delivered.
def test_only_the_expired_part_of_a_batch_is_given_up(virtual, table):
    function = virtual.recorder(body="""
        if any(record['dynamodb']['NewImage']['turn']['N'] == '0' for record in event['Records']):
            raise RuntimeError('never')
        """)
    mapping = virtual.create_mapping(function, virtual.stream_arn(table), MaximumRecordAgeInSeconds=60, Enabled=False)
    put(virtual, table, 0)
    virtual.advance(50)
    put(virtual, table, 1)
    virtual.functions.update_event_source_mapping(UUID=mapping, Enabled=True)
    virtual.wait_for_mapping(mapping, "Enabled")
    virtual.advance(HOUR)
    found = turns(virtual, function)
    assert found[-1] == [1]
    assert all(batch == [0, 1] for batch in found[:-1])


def test_records_that_outlive_their_retention_are_given_up(virtual, table):
    function = virtual.recorder(body="raise RuntimeError('never')")
    mapping = virtual.create_mapping(function, virtual.stream_arn(table), Enabled=False)
    put(virtual, table, 0)
    virtual.advance(DAY - 600)
    virtual.functions.update_event_source_mapping(UUID=mapping, Enabled=True)
    virtual.wait_for_mapping(mapping, "Enabled")
    virtual.advance(2 * HOUR)
    tries = len(turns(virtual, function))
    assert 3 <= tries <= 60
    virtual.advance(DAY)
    assert len(turns(virtual, function)) == tries


# --- functions that are not there ---

def test_records_wait_for_a_function_that_is_gone(virtual, table):
    function = virtual.recorder()
    virtual.create_mapping(function, virtual.stream_arn(table))
    put(virtual, table, 0)
    settle(virtual)
    virtual.functions.delete_function(FunctionName=function)
    put(virtual, table, 1)
    virtual.advance(HOUR)
    virtual.recorder(name=function)
    virtual.advance(HOUR)
    assert turns(virtual, function) == [[0], [1]]


def test_a_failure_before_the_function_runs_does_not_use_up_retries(virtual, table):
    function = virtual.recorder()
    virtual.create_mapping(function, virtual.stream_arn(table), MaximumRetryAttempts=0)
    virtual.functions.delete_function(FunctionName=function)
    put(virtual, table, 0)
    virtual.advance(HOUR)
    virtual.recorder(name=function)
    virtual.advance(HOUR)
    assert turns(virtual, function) == [[0]]


# --- the automatic clock ---

def test_the_automatic_clock_hurries_through_what_is_due(start_server):
    cloud = Cloud(start_server("--clock", "auto").endpoint)
    table = cloud.create_table(stream="NEW_IMAGE")
    function = cloud.recorder(body="if count <= 5: raise RuntimeError('not yet')")
    cloud.create_mapping(function, cloud.stream_arn(table), MaximumBatchingWindowInSeconds=300)
    put(cloud, table, 0)
    # Five minutes of window and half a minute of back-off, in a moment.
    found = eventually(lambda: turns(cloud, function) if len(turns(cloud, function)) >= 6 else None, "six attempts")
    assert found == [[0]] * 6
