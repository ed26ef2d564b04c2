"""FilterCriteria: which changes of a table a function gets."""
import json

import pytest

from harness import eventually


@pytest.fixture
def table(cloud):
    return cloud.create_table(stream="NEW_AND_OLD_IMAGES")


def turns(records):
    return [int(record["dynamodb"]["NewImage"]["turn"]["N"]) for record in records]


def filtered(cloud, table, *patterns, **options):
    function = cloud.recorder()
    filters = [{"Pattern": json.dumps(pattern)} for pattern in patterns]
    mapping = cloud.create_mapping(function, cloud.stream_arn(table), FilterCriteria={"Filters": filters}, **options)
    return function, mapping


def image(**members):
    return {"dynamodb": {"NewImage": members}}


@pytest.mark.parametrize("pattern, expected", [
    ({"eventName": ["INSERT"]}, [0]),
    (image(turn={"N": ["1", "2"]}), [1, 2]),
    (image(turn={"N": [{"numeric": [">", 0]}]}), []),  # a table's numbers are text
    (image(turn={"N": [{"anything-but": ["1"]}]}), [0, 2, 3]),
    (image(kind={"S": [{"prefix": "e"}]}), [0, 2]),
    (image(kind=[{"exists": True}]), []),  # only leaves exist
    (image(kind={"S": [{"exists": True}]}), [0, 1, 2, 3]),
    (image(kind=[{"exists": False}]), [0, 1, 2, 3]),
    ({"dynamodb": {"ApproximateCreationDateTime": [{"numeric": [">", 0]}]}}, [0, 1, 2, 3]),
])
def test_a_pattern_chooses_changes(cloud, table, pattern, expected):
    for turn in range(4):
        cloud.put_item(table, id="1", turn=turn, kind="even" if turn % 2 == 0 else "odd")
    function, _ = filtered(cloud, table, pattern, image(turn={"N": ["99"]}))
    cloud.put_item(table, id="1", turn=99, kind="end")
    records = cloud.wait_for_records(function, len(expected) + 1, 60)
    assert turns(records) == expected + [99]


def test_a_batch_fills_with_matching_changes_only(cloud, table):
    for turn in range(12):
        cloud.put_item(table, id="1", turn=turn, kind="even" if turn % 2 == 0 else "odd")
    function, _ = filtered(cloud, table, image(kind={"S": ["even"]}), BatchSize=3)
    cloud.wait_for_records(function, 6, 60)
    assert [turns(event["Records"]) for event in cloud.events(function)] == [[0, 2, 4], [6, 8, 10]]


def test_filters_are_removed_by_an_empty_update(cloud, functions, table):
    function, mapping = filtered(cloud, table, image(turn={"N": ["1"]}))
    cloud.put_item(table, id="1", turn=0)
    cloud.put_item(table, id="1", turn=1)
    cloud.wait_for_records(function, 1, 60)
    functions.update_event_source_mapping(UUID=mapping, FilterCriteria={})
    cloud.wait_for_mapping(mapping, "Enabled")
    cloud.put_item(table, id="1", turn=2)
    records = cloud.wait_for_records(function, 2, 60)
    assert turns(records) == [1, 2]
    assert "FilterCriteria" not in eventually(lambda: functions.get_event_source_mapping(UUID=mapping), "it")
