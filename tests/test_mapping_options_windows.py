"""TumblingWindowInSeconds: states that are handed on, and final invocations. On the virtual clock: a window of fifteen
minutes takes no time."""
import pytest

from harness import Cloud

pytestmark = pytest.mark.local

# The usual form of a window's handler.
WINDOW_HANDLER = """
    state = event["state"]
    if event["isFinalInvokeForWindow"]:
        return {"state": state}
    for record in event["Records"]:
        name = record["dynamodb"]["NewImage"]["name"]["S"]
        state[name] = state.get(name, 0) + 1
    return {"state": state}
    """


@pytest.fixture
def table(virtual):
    return virtual.create_table(stream="NEW_IMAGE")


def windowed(cloud, table, size, **options):
    # From a multiple of every size in these tests on.
    cloud.advance(3600 - float(cloud.now()) % 3600 + 1)
    function = cloud.recorder(body=WINDOW_HANDLER)
    cloud.create_mapping(function, cloud.stream_arn(table), TumblingWindowInSeconds=size, **options)
    return function


def put(cloud, table, name, turn):
    cloud.put_item(table, id="1", name=name, turn=turn)
    cloud.advance(0.001)


def test_state_is_handed_on_until_the_final_invocation(virtual, table):
    function = windowed(virtual, table, 120)
    put(virtual, table, "a", 0)
    put(virtual, table, "b", 1)
    virtual.advance(120)
    put(virtual, table, "a", 2)
    first, second, final, next_window = virtual.events(function)

    assert set(first) == {"Records", "window", "state", "shardId", "eventSourceARN", "isFinalInvokeForWindow",
                          "isWindowTerminatedEarly"}
    assert first["state"] == {}
    assert first["eventSourceARN"] == virtual.stream_arn(table)
    assert first["shardId"].startswith("shardId-")
    assert first["window"]["start"][14:] == "00:00Z"
    assert first["window"]["end"][14:] == "02:00Z"
    assert second["state"] == {"a": 1}
    assert final["state"] == {"a": 1, "b": 1}
    assert final["Records"] == []
    assert final["window"] == first["window"]
    assert [event["isFinalInvokeForWindow"] for event in (first, second, final, next_window)] == \
        [False, False, True, False]
    assert not any(event["isWindowTerminatedEarly"] for event in (first, second, final, next_window))
    assert next_window["state"] == {}
    assert next_window["window"]["start"] == first["window"]["end"]


def test_an_idle_window_is_closed_two_minutes_after_its_end(virtual, table):
    function = windowed(virtual, table, 60)
    put(virtual, table, "a", 0)
    virtual.advance(175)
    assert len(virtual.events(function)) == 1
    virtual.advance(10)
    assert [event["isFinalInvokeForWindow"] for event in virtual.events(function)] == [False, True]


def test_a_window_of_fifteen_minutes_survives_a_kill(start_server, tmp_path):
    server = start_server("--clock", "virtual", "--window-idle-wait", "0", data=tmp_path / "data")
    cloud = Cloud(server.endpoint)
    table = cloud.create_table(stream="NEW_IMAGE")
    function = windowed(cloud, table, 900)
    put(cloud, table, "a", 0)
    now = cloud.now()
    server.kill()
    server.start()
    inbox = cloud._inbox
    cloud = Cloud(server.endpoint)
    cloud._inbox = inbox
    cloud.advance(max(0, now - cloud.now()) + 60)
    put(cloud, table, "a", 1)
    cloud.advance(900)
    first, second, final = cloud.events(function)
    assert second["state"] == {"a": 1}
    assert final["state"] == {"a": 2}
    assert final["isFinalInvokeForWindow"]
    assert first["window"] == second["window"] == final["window"]


def test_an_answer_without_state_is_a_failure(virtual, table):
    virtual.advance(3600 - float(virtual.now()) % 3600 + 1)
    function = virtual.recorder(body="return {'state': {'n': 1}} if count > 1 else {}")
    mapping = virtual.create_mapping(function, virtual.stream_arn(table), TumblingWindowInSeconds=60)
    put(virtual, table, "a", 0)
    found = virtual.functions.get_event_source_mapping(UUID=mapping)
    assert found["LastProcessingResult"] == "PROBLEM: Function call failed"
    virtual.advance(1)
    assert [len(event["Records"]) for event in virtual.events(function)] == [1, 1]
