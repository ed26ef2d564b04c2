"""Distributed maps: items of objects and listings, batches, tolerated failures, results in S3, and kill -9."""
import collections
import gzip
import json
import random
import time

import pytest

from harness import ROLE, Cloud, eventually, refused, unique
from states_support import ENDED, Execution, create_machine, sfn  # noqa: F401

PASS = {"P": {"Type": "Pass", "End": True}}


def distributed(states=None, kind="STANDARD", **more):
    """A machine of one distributed map, "Each"."""
    states = states or PASS
    processor = {"ProcessorConfig": {"Mode": "DISTRIBUTED", "ExecutionType": kind}, "StartAt": next(iter(states)),
                 "States": states}
    return {"Each": {"Type": "Map", "ItemProcessor": processor, "End": True, "Label": "each", **more}}


def reader(bucket, key, **config):
    return {"Resource": "arn:aws:states:::s3:getObject", "Parameters": {"Bucket": bucket, "Key": key},
            "ReaderConfig": config}


@pytest.fixture
def bucket(cloud):
    name = unique("items")
    cloud.s3.create_bucket(Bucket=name)
    return name


def read(cloud, bucket, key):
    return cloud.s3.get_object(Bucket=bucket, Key=key)["Body"].read().decode()


def test_items_of_the_input_are_executions_of_their_own(sfn, create_machine):
    execution = Execution(sfn, create_machine(distributed()), [1, {"a": 2}, "x"])
    assert execution.output() == [1, {"a": 2}, "x"]
    types = [event["type"] for event in sfn.get_execution_history(executionArn=execution.arn)["events"]]
    assert types == ["ExecutionStarted", "MapStateEntered", "MapStateStarted", "MapRunStarted", "MapRunSucceeded",
                     "MapStateSucceeded", "MapStateExited", "ExecutionSucceeded"]
    run = sfn.list_map_runs(executionArn=execution.arn)["mapRuns"][0]["mapRunArn"]
    described = sfn.describe_map_run(mapRunArn=run)
    assert described["status"] == "SUCCEEDED" and described["itemCounts"]["succeeded"] == 3
    assert described["executionCounts"]["total"] == described["executionCounts"]["resultsWritten"] == 3
    children = sfn.list_executions(mapRunArn=run)["executions"]
    assert len(children) == 3 and all(":each" in c["stateMachineArn"].replace("/", ":") for c in children)
    child = sfn.describe_execution(executionArn=children[0]["executionArn"])
    assert child["mapRunArn"] == run and child["status"] == "SUCCEEDED"
    told = sfn.describe_state_machine_for_execution(executionArn=child["executionArn"])
    assert told["label"] == "each" and told["mapRunArn"] == run


@pytest.mark.parametrize("kind, body, config, expected", [
    ("JSON", '{"x": 1, "l": [1, [2], "3"]}', {"ItemsPointer": "/l"}, [1, [2], "3"]),
    ("JSON", '{"a": 1}', {}, [{"Key": "a", "Value": 1}]),
    ("JSONL", '{"a": 1}\n{"a": 2}\n', {}, [{"a": 1}, {"a": 2}]),
    ("JSONL", "1\n2\n3\n", {"MaxItems": 2}, [1, 2]),
    ("CSV", "a,b\n1,2\n\"x,\",4,5\n", {"CSVHeaderLocation": "FIRST_ROW"},
     [{"a": "1", "b": "2"}, {"a": "x,", "b": "4"}]),
    ("CSV", "1|2|3\n", {"CSVHeaderLocation": "GIVEN", "CSVHeaders": ["a", "b"], "CSVDelimiter": "PIPE"},
     [{"a": "1", "b": "2"}]),
])
def test_items_are_read_from_objects(cloud, sfn, create_machine, bucket, kind, body, config, expected):
    cloud.s3.put_object(Bucket=bucket, Key="items", Body=body)
    machine = create_machine(distributed(ItemReader=reader(bucket, "items", InputType=kind, **config)))
    assert Execution(sfn, machine).output() == expected


def test_items_are_the_objects_of_a_bucket(cloud, sfn, create_machine, bucket):
    for key in ["a/1", "a/2", "b/1"]:
        cloud.s3.put_object(Bucket=bucket, Key=key, Body=key)
    listing = {"Resource": "arn:aws:states:::s3:listObjectsV2", "Parameters": {"Bucket": bucket, "Prefix": "a/"}}
    items = Execution(sfn, create_machine(distributed(ItemReader=listing))).output()
    assert [item["Key"] for item in items] == ["a/1", "a/2"]
    assert items[0]["Size"] == 3 and items[0]["Etag"].startswith('"') and items[0]["StorageClass"] == "STANDARD"
    assert isinstance(items[0]["LastModified"], int)


def test_what_cannot_be_read_fails_the_map(cloud, sfn, create_machine, bucket):
    machine = create_machine(distributed(ItemReader=reader(bucket, "none", InputType="JSON")))
    assert Execution(sfn, machine).error()[0] == "States.ItemReaderFailed"
    with refused("InvalidDefinition", "PARQUET"):
        create_machine(distributed(ItemReader=reader(bucket, "none", InputType="PARQUET")))
    with refused("InvalidDefinition", "ATHENA_DATA"):
        create_machine(distributed(ItemReader=reader(bucket, "none", InputType="MANIFEST", ManifestType="ATHENA_DATA")))


def test_items_are_the_rows_of_an_inventory(cloud, sfn, create_machine, bucket):
    rows = [[bucket, f"key-{number}", str(number)] for number in range(300)]
    files = []
    for name, part in (("data/1.csv.gz", rows[:200]), ("data/2.csv.gz", rows[200:])):
        text = "".join(",".join(f'"{cell}"' for cell in row) + "\n" for row in part)
        cloud.s3.put_object(Bucket=bucket, Key=name, Body=gzip.compress(text.encode()))
        files.append({"key": name, "size": 1, "MD5checksum": "0"})
    manifest = {"sourceBucket": bucket, "destinationBucket": f"arn:aws:s3:::{bucket}", "version": "2016-11-30",
                "fileFormat": "CSV", "fileSchema": "Bucket, Key, Size", "files": files}
    cloud.s3.put_object(Bucket=bucket, Key="manifest.json", Body=json.dumps(manifest))
    items = Execution(sfn, create_machine(distributed(
        ItemReader=reader(bucket, "manifest.json", InputType="MANIFEST")))).output()
    assert items == [dict(zip(("Bucket", "Key", "Size"), row)) for row in rows]


def test_items_come_in_batches_to_express_children(sfn, create_machine):
    machine = create_machine(distributed(kind="EXPRESS", ItemBatcher={"MaxItemsPerBatch": 2, "BatchInput": {"n": 1}}))
    assert Execution(sfn, machine, [1, 2, 3]).output() == [
        {"BatchInput": {"n": 1}, "Items": [1, 2]}, {"BatchInput": {"n": 1}, "Items": [3]}]


CHOOSE = {"C": {"Type": "Choice", "Choices": [{"Variable": "$", "NumericEquals": 2, "Next": "F"}], "Default": "S"},
          "F": {"Type": "Fail", "Error": "Bad", "Cause": "two"}, "S": {"Type": "Succeed"}}


def test_failures_are_tolerated_up_to_a_number(sfn, create_machine):
    strict = create_machine(distributed(CHOOSE))
    assert Execution(sfn, strict, [1, 2, 3]).error() == (
        "States.ExceedToleratedFailureThreshold", "The specified tolerated failure threshold was exceeded")
    assert Execution(sfn, create_machine(distributed(CHOOSE, ToleratedFailureCount=1)), [1, 2, 3]).output() == [1, 3]
    percentage = create_machine(distributed(CHOOSE, ToleratedFailurePercentage=30))
    assert Execution(sfn, percentage, [1, 2, 3]).error()[0] == "States.ExceedToleratedFailureThreshold"
    assert Execution(sfn, percentage, [1, 2, 3, 4]).output() == [1, 3, 4]


def test_results_are_written_to_a_bucket(cloud, sfn, create_machine, bucket):
    writer = {"Resource": "arn:aws:states:::s3:putObject", "Parameters": {"Bucket": bucket, "Prefix": "out"}}
    machine = create_machine(distributed(CHOOSE, ToleratedFailureCount=1, ResultWriter=writer))
    output = Execution(sfn, machine, [1, 2]).output()
    key = output["ResultWriterDetails"]["Key"]
    assert key == f"out/{output['MapRunArn'].rsplit(':', 1)[1]}/manifest.json"
    manifest = json.loads(read(cloud, bucket, key))
    assert manifest["DestinationBucket"] == bucket and manifest["MapRunArn"] == output["MapRunArn"]
    files = {status: json.loads(read(cloud, bucket, manifest["ResultFiles"][status][0]["Key"]))
             for status in ["SUCCEEDED", "FAILED"]}
    assert [(r["Input"], r["Output"], r["Status"]) for r in files["SUCCEEDED"]] == [("1", "1", "SUCCEEDED")]
    assert [(r["Input"], r["Error"], r["Status"]) for r in files["FAILED"]] == [("2", "Bad", "FAILED")]
    size = manifest["ResultFiles"]["FAILED"][0]["Size"]
    assert size == len(read(cloud, bucket, manifest["ResultFiles"]["FAILED"][0]["Key"]))


def test_a_run_is_updated_and_aborted_with_its_parent(sfn, create_machine):
    wait = {"W": {"Type": "Wait", "Seconds": 1000, "End": True}}
    execution = Execution(sfn, create_machine(distributed(wait, MaxConcurrency=1)), [1, 2, 3])
    run = eventually(lambda: sfn.list_map_runs(executionArn=execution.arn)["mapRuns"], "the run")[0]["mapRunArn"]

    def running(count):
        return eventually(lambda: sfn.describe_map_run(mapRunArn=run)["itemCounts"]["running"] == count, f"{count} run")
    running(1)
    sfn.update_map_run(mapRunArn=run, maxConcurrency=2, toleratedFailureCount=3)
    running(2)
    assert sfn.describe_map_run(mapRunArn=run)["toleratedFailureCount"] == 3
    sfn.stop_execution(executionArn=execution.arn)
    eventually(lambda: sfn.describe_map_run(mapRunArn=run)["status"] == "ABORTED", "the end of the run")
    assert sfn.describe_map_run(mapRunArn=run)["itemCounts"]["aborted"] == 2


@pytest.mark.local
@pytest.mark.parametrize("kind, items", [("STANDARD", 3000), ("EXPRESS", 40_000)])
def test_map_runs_go_on_after_kill_9(start_server, tmp_path, kind, items):
    chance = random.Random(5)
    server = start_server(data=tmp_path / "data")
    cloud = Cloud(server.endpoint)
    sfn = cloud.client("stepfunctions")
    cloud.s3.create_bucket(Bucket="items")
    cloud.s3.put_object(Bucket="items", Key="k", Body="".join(f'{{"n": {n}}}\n' for n in range(items)))
    writer = {"Resource": "arn:aws:states:::s3:putObject", "Parameters": {"Bucket": "items"},
              "WriterConfig": {"OutputType": "JSONL", "Transformation": "NONE"}}
    states = distributed(kind=kind, MaxConcurrency=100, ItemReader=reader("items", "k", InputType="JSONL"),
                         ResultWriter=writer)
    machine = sfn.create_state_machine(name="m", roleArn=ROLE, definition=json.dumps(
        {"StartAt": "Each", "States": states}))["stateMachineArn"]
    arn = sfn.start_execution(stateMachineArn=machine)["executionArn"]
    kills = 0
    for _ in range(4):
        time.sleep(chance.uniform(0.05, 0.3))
        kills += sfn.describe_execution(executionArn=arn)["status"] == "RUNNING"
        server.kill()
        server = start_server(data=tmp_path / "data")
        cloud = Cloud(server.endpoint)
        sfn = cloud.client("stepfunctions")
    assert kills > 0
    described = eventually(lambda: (lambda found: found if found["status"] in ENDED else None)(
        sfn.describe_execution(executionArn=arn)), "the end", deadline_seconds=300)
    assert described["status"] == "SUCCEEDED", described
    manifest = json.loads(read(cloud, "items", json.loads(described["output"])["ResultWriterDetails"]["Key"]))
    lines = [line for file in manifest["ResultFiles"]["SUCCEEDED"]
             for line in read(cloud, "items", file["Key"]).splitlines()]
    seen = collections.Counter(json.loads(json.loads(line)["Input"])["n"] for line in lines)
    assert seen == collections.Counter(range(items))
    if kind == "STANDARD":
        pages = sfn.get_paginator("list_executions").paginate(mapRunArn=manifest["MapRunArn"])
        assert sum(len(page["executions"]) for page in pages) == items
