"""Tables imported from S3. Imports take minutes on AWS: TIDEMILL_TEST_DEADLINE must allow for that."""
import decimal
import gzip
import json
import os
import subprocess

import boto3.dynamodb.types
import pytest

from harness import REGION, eventually, item, quietly, refused, unique
from test_dynamodb_exports import arn_of, with_recovery
from test_dynamodb_exports import ended as export_ended

CREATION = {"BillingMode": "PAY_PER_REQUEST", "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}]}


def begin(cloud, bucket, prefix="data/", creation=CREATION, **more):
    name = unique("imported")
    request = {"InputFormat": "DYNAMODB_JSON", "TableCreationParameters": {"TableName": name, **creation},
               "S3BucketSource": {"S3Bucket": bucket, "S3KeyPrefix": prefix}, **more}
    cloud.cleanup.callback(quietly, cloud.dynamodb.delete_table, TableName=name)
    return cloud.dynamodb.import_table(**request)["ImportTableDescription"]


def ended(dynamodb, begun):
    def described():
        found = dynamodb.describe_import(ImportArn=begun["ImportArn"])["ImportTableDescription"]
        return found if found["ImportStatus"] != "IN_PROGRESS" else None
    return eventually(described, "the import")


def counts(described):
    return tuple(described[name] for name in ("ImportedItemCount", "ProcessedItemCount", "ErrorCount"))


def scanned(dynamodb, table):
    pages = dynamodb.get_paginator("scan").paginate(TableName=table, ConsistentRead=True)
    return sorted((found for page in pages for found in page["Items"]), key=str)


def line(**attributes):
    return json.dumps({"Item": item(**attributes)}) + "\n"


def put(s3, bucket, key, *lines):
    body = "".join(lines)
    s3.put_object(Bucket=bucket, Key=key, Body=gzip.compress(body.encode()) if key.endswith(".gz") else body.encode())


def name_of(begun):
    return begun["TableCreationParameters"]["TableName"]


def test_files_become_a_new_table(cloud, dynamodb, s3, bucket):
    put(s3, bucket, "data/1.json", line(id="a"), line(id="b", n=2))
    put(s3, bucket, "data/2", line(id="c").strip())
    put(s3, bucket, "elsewhere", "not read")
    begun = begin(cloud, bucket)
    assert begun["ImportStatus"] == "IN_PROGRESS"
    assert counts(begun) == (0, 0, 0)
    assert "ProcessedSizeBytes" not in begun and "EndTime" not in begun
    described = ended(dynamodb, begun)
    assert described["ImportStatus"] == "COMPLETED"
    assert counts(described) == (3, 3, 0)
    assert described["ProcessedSizeBytes"] == sum(
        len(s3.get_object(Bucket=bucket, Key=key)["Body"].read()) for key in ("data/1.json", "data/2"))
    assert "/aws-dynamodb/imports" in described["CloudWatchLogGroupArn"]
    assert scanned(dynamodb, name_of(begun)) == sorted([item(id="a"), item(id="b", n=2), item(id="c")], key=str)
    table = dynamodb.describe_table(TableName=name_of(begun))["Table"]
    assert table["TableId"] == begun["TableId"]
    assert table["TableStatus"] == "ACTIVE"


EVERY_TYPE = {
    "types": {"n": decimal.Decimal("-0.05"), "big": decimal.Decimal("9.99999E+37"),
              "digits": decimal.Decimal("1" * 38), "b": b"\x00\x01\xfe\xff", "nob": b"",
              "yes": True, "no": False, "nothing": None, "empty": "",
              "list": ["s", decimal.Decimal(1), True, None, b"b", [], {}], "map": {"a.b": {"c": "d"}, "null": "n"},
              "ss": {"a", "b"}, "ns": {decimal.Decimal(1), decimal.Decimal("2.5")}, "bs": {b"\x00", b"\x01"}},
    "text": {"unicode": "zażółć 日本語 🦑", "escapes": "quote\" backslash\\ newline\n tab\t it's",
             "$ion": "{{}}", "long": "x" * 100_000},
    "n" * 200: {"deep": {"0": {"1": {"2": ["leaf"]}}}},
}


@pytest.mark.parametrize("export_format", ["DYNAMODB_JSON", "ION"])
def test_an_export_comes_back_as_it_was(cloud, dynamodb, s3, bucket, export_format):
    table = with_recovery(cloud)
    serializer = boto3.dynamodb.types.TypeSerializer()
    for key, attributes in EVERY_TYPE.items():
        dynamodb.put_item(TableName=table, Item={name: serializer.serialize(value)
                                                 for name, value in {"id": key, **attributes}.items()})
    arn = dynamodb.export_table_to_point_in_time(TableArn=arn_of(dynamodb, table), S3Bucket=bucket,
                                                 ExportFormat=export_format)["ExportDescription"]["ExportArn"]
    assert export_ended(dynamodb, arn)["ExportStatus"] == "COMPLETED"
    begun = begin(cloud, bucket, f"AWSDynamoDB/{arn.rsplit('/', 1)[1]}/data/", InputFormat=export_format,
                  InputCompressionType="GZIP")
    described = ended(dynamodb, begun)
    assert described["ImportStatus"] == "COMPLETED"
    assert counts(described) == (3, 3, 0)

    def values(name):
        # Sets have no order.
        read = boto3.dynamodb.types.TypeDeserializer().deserialize
        return {found["id"]["S"]: {attribute: read(value) for attribute, value in found.items()}
                for found in scanned(dynamodb, name)}
    assert values(name_of(begun)) == values(table)


def test_compressed_files_count_as_what_they_hold(cloud, dynamodb, s3, bucket):
    text = line(id="a") + line(id="b")
    put(s3, bucket, "data/1.gz", text)
    described = ended(dynamodb, begin(cloud, bucket, InputCompressionType="GZIP"))
    assert counts(described) == (2, 2, 0)
    assert described["ProcessedSizeBytes"] == len(text)


def test_zstd_files_are_read(cloud, dynamodb, s3, bucket):
    text = (line(id="a") + line(id="b")).encode()
    # A Zstandard file of one block as it is (RFC 8878): magic number, descriptor of a single segment, size, block.
    assert len(text) < 256
    block = (len(text) << 3 | 1).to_bytes(3, "little") + text
    s3.put_object(Bucket=bucket, Key="data/1.zst", Body=b"\x28\xb5\x2f\xfd\x20" + bytes([len(text)]) + block)
    assert counts(ended(dynamodb, begin(cloud, bucket, InputCompressionType="ZSTD"))) == (2, 2, 0)


def test_csv_has_a_header(cloud, dynamodb, s3, bucket):
    put(s3, bucket, "data/1.csv", "id,n,note\n", 'a,1,"with, comma"\n', "b,2,\n")
    begun = begin(cloud, bucket, InputFormat="CSV")
    assert counts(ended(dynamodb, begun)) == (2, 2, 0)
    assert item(id="a", n="1", note="with, comma") in scanned(dynamodb, name_of(begun))


def test_csv_options_are_kept(cloud, dynamodb, s3, bucket):
    put(s3, bucket, "data/1.csv", "a|1\n")
    options = {"Csv": {"Delimiter": "|", "HeaderList": ["id", "v"]}}
    begun = begin(cloud, bucket, InputFormat="CSV", InputFormatOptions=options)
    assert begun["InputFormatOptions"] == options
    assert counts(ended(dynamodb, begun)) == (1, 1, 0)
    assert scanned(dynamodb, name_of(begun)) == [item(id="a", v="1")]


def test_keys_of_csv_have_their_types(cloud, dynamodb, s3, bucket):
    put(s3, bucket, "data/1.csv", "id,n\n", "a,7\n")
    creation = {**CREATION, "AttributeDefinitions": CREATION["AttributeDefinitions"] +
                [{"AttributeName": "n", "AttributeType": "N"}],
                "GlobalSecondaryIndexes": [{"IndexName": "by-n", "Projection": {"ProjectionType": "ALL"},
                                            "KeySchema": [{"AttributeName": "n", "KeyType": "HASH"}]}]}
    begun = begin(cloud, bucket, creation=creation, InputFormat="CSV")
    assert counts(ended(dynamodb, begun)) == (1, 1, 0)
    found = dynamodb.query(TableName=name_of(begun), IndexName="by-n", KeyConditionExpression="n = :n",
                           ExpressionAttributeValues=item(**{":n": 7}))["Items"]
    assert found == [item(id="a", n=7)]


def test_what_cannot_be_imported_is_counted_and_told(cloud, dynamodb, s3, bucket):
    put(s3, bucket, "data/0-good", line(id="a"), "\n", "   \n", line(id="b"))
    defects = ['{"NotAnItem": {"id": {"S": "x"}}}', '{"Item": {"n": {"N": "1"}}}', '{"Item": {"id": {"N": "1"}}}',
               '{"Item": ', '{"Item": {"id": {"S": "x"}, "": {"S": "v"}}}']
    for number, defect in enumerate(defects):
        put(s3, bucket, f"data/{number + 1}-bad", defect + "\n")
    begun = begin(cloud, bucket)
    described = ended(dynamodb, begun)
    assert described["ImportStatus"] == "FAILED"
    assert described["FailureCode"] == "ItemValidationError"
    assert described["FailureMessage"]
    assert counts(described) == (2, 7, 5)
    assert scanned(dynamodb, name_of(begun)) == sorted([item(id="a"), item(id="b")], key=str)
    logs = cloud.client("logs")
    stream = begun["ImportArn"].rsplit("/", 1)[1] + "/error"

    def told():
        found = logs.get_log_events(logGroupName="/aws-dynamodb/imports", logStreamName=stream, startFromHead=True)
        return [json.loads(event["message"]) for event in found["events"]]
    events = eventually(lambda: len(told()) >= 5 and told(), "the log")
    pointers = sorted(event["itemS3Pointer"]["key"] for event in events)
    assert pointers == [f"data/{number + 1}-bad" for number in range(5)]
    assert all(event["importArn"] == begun["ImportArn"] for event in events)
    assert any("Missing the key id in the item" in event["errorMessages"][0] for event in events)


def test_the_first_line_that_is_no_item_ends_its_file(cloud, dynamodb, s3, bucket):
    put(s3, bucket, "data/1", line(id="a"), "not an item\n", "nor this\n", line(id="b"))
    put(s3, bucket, "data/2", line(id="c"))
    begun = begin(cloud, bucket)
    assert counts(ended(dynamodb, begun)) == (2, 3, 1)
    assert scanned(dynamodb, name_of(begun)) == [item(id="a"), item(id="c")]


def test_a_missing_bucket_leaves_no_table(cloud, dynamodb):
    begun = begin(cloud, unique("missing"))
    described = ended(dynamodb, begun)
    assert described["ImportStatus"] == "FAILED"
    assert described["FailureCode"] == "S3NoSuchBucket"
    assert counts(described) == (0, 0, 0)
    with refused("ResourceNotFoundException"):
        dynamodb.describe_table(TableName=name_of(begun))


def test_no_file_at_all_is_an_empty_table(cloud, dynamodb, bucket):
    begun = begin(cloud, bucket, "nothing/")
    assert ended(dynamodb, begun)["ImportStatus"] == "COMPLETED"
    assert scanned(dynamodb, name_of(begun)) == []


def test_a_name_that_is_taken_is_refused(cloud, dynamodb, bucket):
    table = cloud.create_table()
    with refused("ResourceInUseException", "Table already exists"):
        dynamodb.import_table(S3BucketSource={"S3Bucket": bucket}, InputFormat="ION",
                              TableCreationParameters={"TableName": table, **CREATION})


@pytest.mark.parametrize("more", [
    {"InputFormat": "XML"}, {"InputCompressionType": "BZIP2"}, {"InputFormatOptions": {"Csv": {"Delimiter": ","}}},
    {"InputFormat": "CSV", "InputFormatOptions": {"Csv": {"Delimiter": "x"}}}, {"ClientToken": "a$b"},
    {"S3BucketSource": {"S3Bucket": "-no!"}}])
def test_wrong_values_are_refused(cloud, more):
    with refused("ValidationException"):
        begin(cloud, "bucket", **more)


def test_a_request_needs_a_token(cloud):
    answer = cloud.call_json("DynamoDB_20120810.ImportTable", {
        "S3BucketSource": {"S3Bucket": "bucket"}, "InputFormat": "CSV",
        "TableCreationParameters": {"TableName": unique("imported"), **CREATION}})
    assert "clientToken" in json.dumps(answer, default=str)


def test_imports_are_listed(cloud, dynamodb, bucket):
    begun = begin(cloud, bucket)
    ended(dynamodb, begun)
    summary, = dynamodb.list_imports(TableArn=begun["TableArn"])["ImportSummaryList"]
    assert summary["ImportArn"] == begun["ImportArn"]
    assert set(summary) == {"ImportArn", "ImportStatus", "TableArn", "S3BucketSource", "CloudWatchLogGroupArn",
                            "InputFormat", "StartTime", "EndTime"}
    other = begin(cloud, bucket)
    ended(dynamodb, other)
    paged, token = [], {}
    while True:
        page = dynamodb.list_imports(PageSize=1, **token)
        paged += [found["ImportArn"] for found in page["ImportSummaryList"]]
        if "NextToken" not in page:
            break
        token = {"NextToken": page["NextToken"]}
    assert {begun["ImportArn"], other["ImportArn"]} <= set(paged)
    assert len(paged) == len(set(paged))


def test_what_is_no_import_is_not_described(cloud, dynamodb):
    arn = arn_of(dynamodb, cloud.create_table())
    with refused("ImportNotFoundException"):
        dynamodb.describe_import(ImportArn=arn + "/import/01234567890123-a1b2c3d4")
    with refused("ValidationException"):
        dynamodb.list_imports(NextToken="0" * 112)


# Acknowledged imports end also if the server is killed.
@pytest.mark.local
def test_an_import_goes_on_after_a_kill(start_server, tmp_path):
    from harness import Cloud
    data = tmp_path / "data"
    server = start_server(data=data)
    cloud = Cloud(server.endpoint)
    bucket = cloud.create_bucket()
    for number in range(5):
        put(cloud.s3, bucket, f"data/{number}.gz", *(line(id=f"{number}-{one}", f="x" * 500) for one in range(2000)))
    begun = begin(cloud, bucket, InputCompressionType="GZIP")
    server.kill()
    cloud = Cloud(start_server(data=data).endpoint)
    assert counts(ended(cloud.dynamodb, begun)) == (10_000, 10_000, 0)
    assert len(scanned(cloud.dynamodb, name_of(begun))) == 10_000


@pytest.mark.local
def test_the_command_line_exports_and_imports(server, cloud, dynamodb, s3, bucket, tmp_path):
    environment = {**os.environ, "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test",
                   "AWS_DEFAULT_REGION": REGION, "AWS_PAGER": "", "HOME": str(tmp_path)}

    def aws(*arguments):
        result = subprocess.run(["/usr/bin/aws", "--endpoint-url", server.endpoint, "dynamodb", *arguments],
                                capture_output=True, text=True, env=environment, timeout=120, check=True)
        return json.loads(result.stdout)
    table = with_recovery(cloud)
    cloud.put_item(table, id="a", n=1)
    exported = aws("export-table-to-point-in-time", "--table-arn", arn_of(dynamodb, table), "--s3-bucket", bucket,
                   "--export-format", "DYNAMODB_JSON")["ExportDescription"]["ExportArn"]
    eventually(lambda: aws("describe-export", "--export-arn", exported)["ExportDescription"]["ExportStatus"] ==
               "COMPLETED", "the export")
    assert exported in json.dumps(aws("list-exports"))
    name = unique("imported")
    cloud.cleanup.callback(quietly, dynamodb.delete_table, TableName=name)
    begun = aws("import-table", "--s3-bucket-source",
                f"S3Bucket={bucket},S3KeyPrefix=AWSDynamoDB/{exported.rsplit('/', 1)[1]}/data/",
                "--input-format", "DYNAMODB_JSON", "--input-compression-type", "GZIP", "--table-creation-parameters",
                json.dumps({"TableName": name, **CREATION}))["ImportTableDescription"]
    assert counts(ended(dynamodb, begun)) == (1, 1, 0)
    assert scanned(dynamodb, name) == [item(id="a", n=1)]
