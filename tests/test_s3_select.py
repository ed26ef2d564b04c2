"""Queries on objects: SelectObjectContent of CSV and JSON, packed and not, with its events and refusals."""
import bz2
import gzip
import http.client
import json
import select
import urllib.parse

import pytest
from botocore.exceptions import ClientError, EventStreamError

from harness import refused

TEAS = 'name,price,origin\nAssam,4,India\n"Earl ""Grey""",5.5,"China, mostly"\nSencha,10,Japan\n'
CSV = {"CSV": {"FileHeaderInfo": "USE"}}


@pytest.fixture
def ask(cloud, bucket):
    """ask(body, expression, input, output): the text of the results."""
    def ask(body, expression, reads=CSV, writes=None, events=None, **more):
        cloud.s3.put_object(Bucket=bucket, Key="object", Body=body)
        answer = cloud.s3.select_object_content(
            Bucket=bucket, Key="object", Expression=expression, ExpressionType="SQL", InputSerialization=reads,
            OutputSerialization=writes or {"CSV": {}}, **more)
        found = list(answer["Payload"])
        if events is not None:
            events += found
        assert list(found[-1]) == ["End"]
        return b"".join(event["Records"]["Payload"] for event in found if "Records" in event).decode()
    return ask


def test_columns_are_selected_by_name_and_number(ask):
    assert ask(TEAS, "SELECT s.name, s._2 FROM S3Object s WHERE s.price > 4") == '"Earl ""Grey""",5.5\nSencha,10\n'
    assert ask(TEAS, "SELECT * FROM S3Object LIMIT 2", {"CSV": {"FileHeaderInfo": "IGNORE"}}) == (
        'Assam,4,India\n"Earl ""Grey""",5.5,"China, mostly"\n')
    assert ask(TEAS, "SELECT COUNT(*), AVG(CAST(price AS FLOAT)) FROM S3Object") == "3,6.5\n"


def test_results_are_json_where_that_is_wanted(ask):
    rows = ask(TEAS, "SELECT name, CAST(price AS DECIMAL) AS price FROM S3Object", writes={"JSON": {}})
    assert [json.loads(row) for row in rows.splitlines()] == [
        {"name": "Assam", "price": 4}, {"name": 'Earl "Grey"', "price": 5.5}, {"name": "Sencha", "price": 10}]


def test_formats_are_as_the_request_says(ask):
    reads = {"CSV": {"FieldDelimiter": ";", "RecordDelimiter": "\r\n", "QuoteCharacter": "'",
                     "QuoteEscapeCharacter": "\\", "Comments": "%"}}
    writes = {"CSV": {"FieldDelimiter": "\t", "RecordDelimiter": "|", "QuoteFields": "ALWAYS", "QuoteCharacter": "'"}}
    assert ask("%no\r\na;'b\\';c'\r\n", "SELECT _2, _1 FROM S3Object", reads, writes) == "'b\"';c'\t'a'|"
    assert ask('"a\nb",c\n', "SELECT _1 FROM S3Object", {"CSV": {"AllowQuotedRecordDelimiter": True}},
               {"JSON": {"RecordDelimiter": ";"}}) == '{"_1":"a\\nb"};'


@pytest.mark.parametrize("kind", ["LINES", "DOCUMENT"])
def test_json_is_asked_by_paths(ask, kind):
    pots = '{"name":"blue","parts":[{"of":"lid"},{"of":"spout"}]}\n{"name":"red","price":1.50}\n'
    reads = {"JSON": {"Type": kind}}
    assert ask(pots, "SELECT s.price FROM S3Object s WHERE s.name = 'red'", reads, {"JSON": {}}) == '{"price":1.50}\n'
    assert ask(pots, "SELECT p.of FROM S3Object[*].parts[*] p", reads) == "lid\nspout\n"


@pytest.mark.parametrize("packing, pack", [("GZIP", gzip.compress), ("BZIP2", bz2.compress)])
def test_packed_objects_are_unpacked(ask, packing, pack):
    events = []
    body = pack(TEAS.encode())
    assert ask(body, "SELECT name FROM S3Object LIMIT 1", {**CSV, "CompressionType": packing}, events=events) == "Assam\n"
    [stats] = [event["Stats"]["Details"] for event in events if "Stats" in event]
    assert stats == {"BytesScanned": len(body), "BytesProcessed": len(TEAS), "BytesReturned": 6}
    with refused("TruncatedInput"):
        ask(body[:-8], "SELECT * FROM S3Object", {**CSV, "CompressionType": packing})
    with refused("TruncatedInput"):
        ask(TEAS, "SELECT * FROM S3Object", {**CSV, "CompressionType": packing})


def test_large_objects_come_in_events_with_progress(ask):
    lines = "".join(f"{number},{'x' * 90}\n" for number in range(40_000))
    events = []
    rows = ask(lines, "SELECT * FROM S3Object s WHERE s._1 >= 10", {"CSV": {}}, events=events,
               RequestProgress={"Enabled": True})
    assert rows == lines[lines.index("10,"):]
    assert sum("Records" in event for event in events) > 10
    progress = [event["Progress"]["Details"] for event in events if "Progress" in event]
    assert progress and progress[0]["BytesScanned"] < len(lines)
    [stats] = [event["Stats"]["Details"] for event in events if "Stats" in event]
    assert stats == {"BytesScanned": len(lines), "BytesProcessed": len(lines), "BytesReturned": len(rows)}


def test_events_are_of_a_megabyte_at_most(ask):
    for body, statement, reads in [
            (json.dumps([f"{number}" + "ü" * 5000 for number in range(300)], ensure_ascii=False),
             "SELECT * FROM S3Object[*][*]", {"JSON": {"Type": "DOCUMENT"}}),
            ("ü" * 100_000 + "\n" + "xü" * 340_000 + "\n", "SELECT * FROM S3Object", {"CSV": {}})]:
        events = []
        rows = ask(body, statement, reads, events=events)
        assert rows.count("ü") == body.count("ü")
        payloads = [event["Records"]["Payload"] for event in events if "Records" in event]
        assert max(map(len, payloads)) <= 1 << 20
        assert all(payload.decode() for payload in payloads)


def heavy_query(cloud, bucket, key):
    """A connection that waits for the answer to a query of minutes."""
    statement = "SELECT COUNT(*) FROM S3Object s WHERE " + " OR ".join(["UPPER(s._1) = 'a'"] * 300)
    body = f"""<SelectObjectContentRequest xmlns="http://s3.amazonaws.com/doc/2006-03-01/">
        <Expression>{statement}</Expression><ExpressionType>SQL</ExpressionType>
        <InputSerialization><CSV/><CompressionType>GZIP</CompressionType></InputSerialization>
        <OutputSerialization><CSV/></OutputSerialization></SelectObjectContentRequest>"""
    address = urllib.parse.urlsplit(cloud.s3.generate_presigned_url("select_object_content", {
        "Bucket": bucket, "Key": key, "Expression": "", "ExpressionType": "SQL", "InputSerialization": {},
        "OutputSerialization": {}}, HttpMethod="POST"))
    kind = http.client.HTTPSConnection if address.scheme == "https" else http.client.HTTPConnection
    connection = kind(address.netloc, timeout=60)
    connection.request("POST", f"{address.path}?{address.query}", body)
    return connection


def test_queries_take_turns(ask, cloud, bucket):
    """Several that go on for minutes hold up neither others nor, once their clients have left, the server."""
    cloud.s3.put_object(Bucket=bucket, Key="heavy", Body=gzip.compress(b"1\n" * 4_000_000))
    heavy = [heavy_query(cloud, bucket, "heavy") for _ in range(4)]
    assert ask(TEAS, "SELECT COUNT(*) FROM S3Object") == "3\n"
    answered, _, _ = select.select([connection.sock for connection in heavy], [], [], 0)
    assert not answered
    for connection in heavy:
        connection.close()
    assert ask(TEAS, "SELECT COUNT(*) FROM S3Object") == "3\n"


def test_what_is_found_late_ends_the_events(ask):
    lines = "".join('{"n":1}\n' for _ in range(300_000)) + '{"n":}\n'
    with pytest.raises(EventStreamError) as caught:
        ask(lines, "SELECT COUNT(*) FROM S3Object", {"JSON": {"Type": "LINES"}})
    assert caught.value.response["Error"]["Code"] == "JSONParsingError"


@pytest.mark.parametrize("code, expression, more", [
    ("ParseUnexpectedToken", "SELECT * FROM S3Object WHERE", {}),
    ("ParseSelectMissingFrom", "SELECT 1", {}),
    ("MissingHeaders", "SELECT colour FROM S3Object", {}),
    ("CastFailed", "SELECT CAST(name AS INT) FROM S3Object", {}),
    ("UnsupportedFunction", "SELECT SOUNDEX(name) FROM S3Object", {}),
    ("InvalidFileHeaderInfo", "SELECT * FROM S3Object", {"reads": {"CSV": {"FileHeaderInfo": "PERHAPS"}}}),
    ("InvalidJsonType", "SELECT * FROM S3Object", {"reads": {"JSON": {}}}),
    ("InvalidCompressionFormat", "SELECT * FROM S3Object", {"reads": {"CSV": {}, "CompressionType": "ZIP"}}),
    ("InvalidQuoteFields", "SELECT * FROM S3Object", {"writes": {"CSV": {"QuoteFields": "NEVER"}}}),
    ("ObjectSerializationConflict", "SELECT * FROM S3Object", {"writes": {"CSV": {}, "JSON": {}}}),
])
def test_what_is_wrong_is_told(ask, code, expression, more):
    with pytest.raises(ClientError) as caught:
        ask(TEAS, expression, **more)
    assert caught.value.response["Error"]["Code"] == code
    assert caught.value.response["ResponseMetadata"]["HTTPStatusCode"] == 400


@pytest.mark.local
def test_what_is_not_there_is_refused_by_name(ask):
    for more, name in [({"ScanRange": {"Start": 0, "End": 9}}, "ScanRange"), ({"reads": {"Parquet": {}}}, "Parquet")]:
        with refused("NotImplemented", name):
            ask(TEAS, "SELECT * FROM S3Object", **more)


def test_an_object_that_is_not_there(cloud, bucket):
    with refused("NoSuchKey"):
        cloud.s3.select_object_content(Bucket=bucket, Key="none", Expression="SELECT * FROM S3Object", ExpressionType="SQL",
                                       InputSerialization=CSV, OutputSerialization={"CSV": {}})
