"""Exports and imports whose server is killed again and again: they end all the same, with all of the items and each
once."""
import collections
import gzip
import json
import random
import time

import pytest

from harness import Cloud, item
from test_dynamodb_exports import arn_of, lines, md5, objects, with_recovery
from test_dynamodb_exports import ended as export_ended
from test_dynamodb_imports import CREATION, begin, counts, name_of, scanned
from test_dynamodb_imports import ended as import_ended

pytestmark = pytest.mark.local

FILES = 5
ITEMS_PER_FILE = 10_000
ITEMS = FILES * ITEMS_PER_FILE
GROUPS = 7
KILLS = 5
UP_SECONDS = (0.01, 0.12)  # how long a server lives before it is killed: a quick one ends the work within half a second
KILLS_AT_WORK_MIN = 1     # so many of them must have met the work: it also goes on while a test is put off

BY_GROUP = {**CREATION, "AttributeDefinitions": CREATION["AttributeDefinitions"] +
            [{"AttributeName": "g", "AttributeType": "N"}],
            "GlobalSecondaryIndexes": [{"IndexName": "by-g", "Projection": {"ProjectionType": "KEYS_ONLY"},
                                        "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}]}]}


class Killed:
    """A server that is killed while something goes on in it."""

    def __init__(self, start_server, data, seed):
        self.start_server, self.data = start_server, data
        self.chance = random.Random(seed)
        self.start()

    def start(self):
        self.server = self.start_server(data=self.data)
        self.cloud = Cloud(self.server.endpoint)

    def kill_while(self, is_at_work):
        """KILLS times; how many of them met the work."""
        met = 0
        for _ in range(KILLS):
            time.sleep(self.chance.uniform(*UP_SECONDS))
            met += is_at_work(self.cloud.dynamodb)
            self.server.kill()
            self.start()
        return met


def text_of(number, version=0):
    return f"{number}-{version}-" + "x" * (number % 2000)


def attributes_of(number):
    return {"id": str(number), "g": number % GROUPS, "t": text_of(number)}


def source_file(number):
    first = number * ITEMS_PER_FILE
    return "".join(json.dumps({"Item": item(**attributes_of(one))}) + "\n"
                   for one in range(first, first + ITEMS_PER_FILE)).encode()


def export_is_at_work(arn):
    return lambda dynamodb: dynamodb.describe_export(ExportArn=arn)["ExportDescription"]["ExportStatus"] == \
        "IN_PROGRESS"


def import_is_at_work(arn):
    return lambda dynamodb: dynamodb.describe_import(ImportArn=arn)["ImportTableDescription"]["ImportStatus"] == \
        "IN_PROGRESS"


def check_manifests(files, arn, described):
    """They tell of each data file, as it is, and of nothing else."""
    folder = "AWSDynamoDB/" + arn.rsplit("/", 1)[1]
    data = {key: content for key, content in files.items() if "/data/" in key}
    listed = [json.loads(line) for line in files[f"{folder}/manifest-files.json"].decode().splitlines()]
    assert sorted(found["dataFileS3Key"] for found in listed) == sorted(data)
    for found in listed:
        content = data[found["dataFileS3Key"]]
        assert found["md5Checksum"] == md5(content)
        assert found["itemCount"] == len(gzip.decompress(content).splitlines())
    summary = json.loads(files[f"{folder}/manifest-summary.json"])
    assert summary["itemCount"] == described["ItemCount"]
    assert summary["billedSizeBytes"] == described["BilledSizeBytes"]
    for name in ("manifest-files", "manifest-summary"):
        assert files[f"{folder}/{name}.md5"].decode() == md5(files[f"{folder}/{name}.json"])


def check_table(dynamodb, table):
    found = {one["id"]["S"]: one for one in scanned(dynamodb, table)}
    assert len(found) == ITEMS
    assert all(found[str(number)] == item(**attributes_of(number)) for number in range(ITEMS))
    entries = collections.Counter()
    for page in dynamodb.get_paginator("scan").paginate(TableName=table, IndexName="by-g"):
        entries.update(entry["g"]["N"] for entry in page["Items"])
    assert entries == collections.Counter(str(number % GROUPS) for number in range(ITEMS))


def test_an_import_and_an_export_end_however_often_they_are_killed(start_server, tmp_path):
    killed = Killed(start_server, tmp_path / "data", seed=1)
    cloud = killed.cloud
    source, target = cloud.create_bucket(), cloud.create_bucket()
    texts = [source_file(number) for number in range(FILES)]
    for number, text in enumerate(texts):
        cloud.s3.put_object(Bucket=source, Key=f"data/{number}.gz", Body=gzip.compress(text))
    begun = begin(cloud, source, creation=BY_GROUP, InputCompressionType="GZIP")
    assert killed.kill_while(import_is_at_work(begun["ImportArn"])) >= KILLS_AT_WORK_MIN
    described = import_ended(killed.cloud.dynamodb, begun)
    assert described["ImportStatus"] == "COMPLETED"
    assert counts(described) == (ITEMS, ITEMS, 0)
    assert described["ProcessedSizeBytes"] == sum(map(len, texts))
    table = name_of(begun)
    check_table(killed.cloud.dynamodb, table)

    dynamodb = killed.cloud.dynamodb
    dynamodb.update_continuous_backups(TableName=table,
                                       PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True})
    arn = dynamodb.export_table_to_point_in_time(TableArn=arn_of(dynamodb, table),
                                                 S3Bucket=target)["ExportDescription"]["ExportArn"]
    # Not part of the export.
    for number in range(0, ITEMS, ITEMS // 5):
        killed.cloud.put_item(table, **{**attributes_of(number), "t": "later"})
    assert killed.kill_while(export_is_at_work(arn)) >= KILLS_AT_WORK_MIN
    described = export_ended(killed.cloud.dynamodb, arn)
    assert described["ExportStatus"] == "COMPLETED"
    assert described["ItemCount"] == ITEMS
    files = objects(killed.cloud.s3, target)
    check_manifests(files, arn, described)
    exported = [json.loads(line)["Item"] for line in lines(files)]
    assert len(exported) == ITEMS
    assert {one["id"]["S"]: one for one in exported} == {str(number): item(**attributes_of(number))
                                                         for number in range(ITEMS)}
    # Names, the text, and a number of one digit in two bytes; and AWS's 100 bytes for each item.
    assert described["BilledSizeBytes"] == sum(
        len("id" + "g" + "t") + len(str(number)) + (1 if number % GROUPS == 0 else 2) + len(text_of(number)) + 100
        for number in range(ITEMS))
