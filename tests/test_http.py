"""HTTP as clients speak it: connections, framing, limits, and what every answer carries."""
import http.client
import json
import re
import socket
import subprocess
import zlib
from concurrent.futures import ThreadPoolExecutor

import pytest

from harness import eventually, item

pytestmark = pytest.mark.local

SCOPE = ("AWS4-HMAC-SHA256 Credential=test/20261101/us-east-1/dynamodb/aws4_request, "
         "SignedHeaders=host, Signature=0")
HEADERS = {"Authorization": SCOPE, "Content-Type": "application/x-amz-json-1.0",
           "X-Amz-Target": "DynamoDB_20120810.ListTables"}
BODY_BYTES_MAX = 16 << 20


@pytest.fixture
def address(server):
    host, port = server.endpoint[len("http://"):].split(":")
    return host, int(port)


@pytest.fixture
def connection(address):
    connection = http.client.HTTPConnection(*address, timeout=20)
    yield connection
    connection.close()


@pytest.fixture
def wire(address):
    with socket.create_connection(address, timeout=20) as wire:
        yield wire


def request_bytes(body=b"{}", headers=None, chunks=None):
    fields = {"Host": "localhost", **HEADERS, **(headers or {})}
    if chunks is None:
        fields["Content-Length"] = str(len(body))
    else:
        fields["Transfer-Encoding"] = "chunked"
        body = b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks) + b"0\r\n\r\n"
    head = "POST / HTTP/1.1\r\n" + "".join(f"{name}: {text}\r\n" for name, text in fields.items()) + "\r\n"
    return head.encode() + body


def read_answer(file):
    """(status, headers, body) of one HTTP/1.1 answer from a socket's file."""
    status_line = file.readline()
    assert status_line, "the server closed the connection"
    headers = http.client.parse_headers(file)
    return int(status_line.split()[1]), headers, file.read(int(headers["content-length"]))


# --- connections ---

def test_a_connection_serves_many_requests(connection):
    for _ in range(20):
        connection.request("POST", "/", b"{}", HEADERS)
        answer = connection.getresponse()
        assert answer.status == 200
        assert "TableNames" in json.load(answer)


def test_pipelined_requests_are_answered_in_order(cloud, wire):
    table = cloud.create_table()
    count = 50
    for number in range(count):
        cloud.put_item(table, id=str(number), number=number)
    target = {"X-Amz-Target": "DynamoDB_20120810.GetItem"}
    wire.sendall(b"".join(
        request_bytes(json.dumps({"TableName": table, "Key": item(id=str(number))}).encode(), target)
        for number in range(count)))
    file = wire.makefile("rb")
    for number in range(count):
        status, _, body = read_answer(file)
        assert status == 200
        assert json.loads(body)["Item"]["number"] == {"N": str(number)}


def test_a_request_may_come_in_small_pieces(wire):
    for byte in request_bytes():
        wire.sendall(bytes([byte]))
    assert read_answer(wire.makefile("rb"))[0] == 200


def test_connection_close_is_honoured(wire):
    wire.sendall(request_bytes(headers={"Connection": "close"}))
    file = wire.makefile("rb")
    assert read_answer(file)[0] == 200
    assert file.read() == b""


def test_http_1_0_is_answered_and_closed(wire):
    wire.sendall(b"GET /_tidemill/health HTTP/1.0\r\n\r\n")
    file = wire.makefile("rb")
    assert b" 200 " in file.readline()
    assert file.read()  # ends, because the server closes


# --- bodies ---

def test_a_chunked_body_is_understood(wire):
    wire.sendall(request_bytes(chunks=[b"{", b'"Limit"', b": 1", b"}"]))
    assert read_answer(wire.makefile("rb"))[0] == 200


# A client that asks first must be told to go on, or it waits for seconds before it sends its body.
def test_expect_100_continue_is_answered_before_the_body(wire):
    head, body = request_bytes(headers={"Expect": "100-continue"}).split(b"\r\n\r\n")
    wire.sendall(head + b"\r\n\r\n")
    file = wire.makefile("rb")
    assert file.readline().startswith(b"HTTP/1.1 100")
    assert file.readline() == b"\r\n"
    wire.sendall(body)
    assert read_answer(file)[0] == 200


def test_a_body_of_15_megabytes_is_read(cloud, wire):
    # Not an item that fits, so it is refused; but by DynamoDB's rules, not by HTTP's.
    body = json.dumps({"TableName": cloud.create_table(), "Item": item(id="1", text="x" * (15 << 20))}).encode()
    wire.sendall(request_bytes(body, {"X-Amz-Target": "DynamoDB_20120810.PutItem"}))
    status, _, answer = read_answer(wire.makefile("rb"))
    assert status == 400
    assert json.loads(answer)["__type"].endswith("#ValidationException")


def test_a_body_over_the_limit_is_refused_with_413(wire):
    head = request_bytes().split(b"\r\n\r\n")[0]
    wire.sendall(head.replace(b"Content-Length: 2", b"Content-Length: %d" % (BODY_BYTES_MAX + 1)) + b"\r\n\r\n")
    assert b" 413 " in wire.makefile("rb").readline()


def test_headers_over_the_limit_are_refused(wire):
    wire.sendall(request_bytes(headers={"X-Filler": "x" * (20 << 10)}))
    status = int(wire.makefile("rb").readline().split()[1])
    assert status in (400, 431)


@pytest.mark.parametrize("bytes_sent", [
    b"\x00\x01\x02\x03 rubbish\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: many\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
    b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
], ids=["bytes", "length", "two lengths", "chunk"])
def test_what_is_not_http_is_refused_and_the_server_lives_on(wire, address, bytes_sent):
    wire.sendall(bytes_sent)
    answer = wire.makefile("rb").readline()
    assert answer == b"" or b" 400 " in answer
    with socket.create_connection(address, timeout=20) as other:
        other.sendall(request_bytes())
        assert read_answer(other.makefile("rb"))[0] == 200


# Two ways to tell a body's end in one request are how requests are smuggled past a proxy.
def test_content_length_together_with_chunked_is_not_taken_as_two_requests(wire):
    wire.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
                 b"GET /_tidemill/health HTTP/1.1\r\nHost: x\r\n\r\n")
    answer = wire.makefile("rb").readline()
    assert answer == b"" or b" 400 " in answer


# --- HTTP/2 ---

def curl(server, *arguments, operation="ListTables"):
    fields = {**HEADERS, "X-Amz-Target": "DynamoDB_20120810." + operation}
    headers = [part for name, text in fields.items() for part in ("-H", f"{name}: {text}")]
    result = subprocess.run(["/usr/bin/curl", "-sS", *headers, *arguments], capture_output=True, text=True, timeout=30)
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_http_2_with_prior_knowledge_is_served_on_the_same_port(server):
    answer = curl(server, "--http2-prior-knowledge", "-d", "{}", "-w", "\n%{http_version} %{http_code}", server.endpoint)
    body, status = answer.rsplit("\n", 1)
    assert status == "2 200"
    assert "TableNames" in json.loads(body)


# With nghttp: the curl of Debian 12 fails to use a connection with prior knowledge twice, whatever the server.
def test_http_2_streams_share_a_connection(server, tmp_path):
    body = tmp_path / "body"
    body.write_text("{}")
    count = 50
    headers = [f"-H{name}: {text}" for name, text in HEADERS.items()]
    result = subprocess.run(["/usr/bin/nghttp", "--null-out", "--stat", f"--multiply={count}", f"--data={body}", *headers,
                             server.endpoint], capture_output=True, text=True, timeout=30)
    statuses = re.findall(r"^ *\d+ .* (\d{3}) +\d+ /$", result.stdout, re.M)
    assert statuses == ["200"] * count, result.stdout + result.stderr


def test_http_2_carries_bodies_larger_than_a_window(cloud, server, tmp_path):
    table = cloud.create_table()
    document = tmp_path / "request.json"
    document.write_text(json.dumps({"TableName": table, "Item": item(id="1", text="x" * 390_000)}))
    curl(server, "--http2-prior-knowledge", "-d", f"@{document}", server.endpoint, operation="PutItem")
    got = curl(server, "--http2-prior-knowledge", "-d", json.dumps({"TableName": table, "Key": item(id="1")}),
               server.endpoint, operation="GetItem")
    assert len(json.loads(got)["Item"]["text"]["S"]) == 390_000


def test_http_2_error_answers_look_like_those_of_http_1(server):
    one, two = (curl(server, *version, "-d", "{", "-w", "\n%{http_code}", server.endpoint)
                for version in ([], ["--http2-prior-knowledge"]))
    assert one == two
    assert one.endswith("400")


# --- what every answer carries ---

def test_every_answer_has_a_request_id_of_its_own(cloud):
    ids = set()
    for _ in range(3):
        _, headers, _ = cloud.raw("dynamodb", "POST", "/", "{}", HEADERS)
        ids.add(headers["x-amzn-requestid"])
    _, headers, _ = cloud.raw("lambda", "GET", "/2015-03-31/functions/")
    ids.add(headers["x-amzn-requestid"])
    _, headers, _ = cloud.raw("dynamodb", "POST", "/", "{", HEADERS)  # errors as well
    ids.add(headers["x-amzn-requestid"])
    assert None not in ids and "" not in ids
    assert len(ids) == 5


# Support staff and logs ask for it just where something went wrong.
@pytest.mark.parametrize("sent", [
    b"rubbish\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: x\r\nX-Filler: " + b"x" * (20 << 10) + b"\r\n\r\n",
    b"GET /_tidemill/health HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n",
    b"POST /_tidemill/clock HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n",
], ids=["no HTTP", "headers too large", "health", "metrics", "clock"])
def test_answers_of_no_service_have_a_request_id_too(wire, sent):
    wire.sendall(sent)
    headers = read_answer(wire.makefile("rb"))[1]
    assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", headers["x-amzn-requestid"])


def test_a_name_of_any_bytes_is_refused_as_text(wire):
    wire.sendall(request_bytes(headers={"X-Amz-Target": "DynamoDB_20120810.Li\xffst\tT"}))
    status, _, body = read_answer(wire.makefile("rb"))
    assert status == 400
    assert "operation Li" in json.loads(body)["message"]


def test_a_write_goes_through_though_its_client_has_left(cloud, address):
    table = cloud.create_table()
    document = json.dumps({"TableName": table, "Key": item(id="1"), "UpdateExpression": "ADD n :one",
                           "ExpressionAttributeValues": item(**{":one": 1})})
    writers = 50
    for _ in range(writers):
        with socket.create_connection(address, timeout=20) as wire:
            wire.sendall(request_bytes(document.encode(), {"X-Amz-Target": "DynamoDB_20120810.UpdateItem"}))
            # Closing with unread input resets: the server may hear of it while the write waits for the disk.
    with ThreadPoolExecutor(8) as pool:
        for answer in pool.map(lambda _: cloud.client("dynamodb").update_item(**json.loads(document)), range(writers)):
            assert answer["ResponseMetadata"]["HTTPStatusCode"] == 200
    eventually(lambda: cloud.client("dynamodb").get_item(TableName=table, Key=item(id="1"))["Item"]["n"]["N"]
               == str(2 * writers), "every write has gone through")


# SDKs check it and take a mismatch for a broken answer.
@pytest.mark.parametrize("body", ["{}", "{"], ids=["success", "error"])
def test_dynamodb_answers_carry_the_checksum_of_their_body(cloud, body):
    _, headers, answer = cloud.raw("dynamodb", "POST", "/", body, HEADERS)
    assert int(headers["x-amz-crc32"]) == zlib.crc32(answer)
    assert headers["content-type"] == "application/x-amz-json-1.0"


# --- routing ---

def test_an_unknown_operation_is_refused_by_name(cloud):
    status, answer = cloud.call_json("DynamoDB_20120810.TurnToGold", {})
    assert status == 400
    assert answer["__type"].endswith("#UnknownOperationException")


def test_an_unknown_service_is_refused(cloud):
    status, answer = cloud.call_json("Alchemy_20120810.TurnToGold", {})
    assert status in (400, 404)
    assert "UnknownOperationException" in answer["__type"]


def test_an_unknown_path_is_refused(cloud):
    status, _, _ = cloud.raw("lambda", "GET", "/2015-03-31/alchemists/")
    assert status in (403, 404)


# Some clients sign for no service at all when they are given a bare address.
def test_an_empty_service_in_the_credential_scope_falls_back_to_the_target(connection):
    connection.request("POST", "/", b"{}", {**HEADERS, "Authorization": SCOPE.replace("/dynamodb/", "//")})
    assert connection.getresponse().status == 200


def test_streams_are_reached_by_their_target_though_signed_as_dynamodb(connection):
    connection.request("POST", "/", b"{}", {**HEADERS, "X-Amz-Target": "DynamoDBStreams_20120810.ListStreams"})
    answer = connection.getresponse()
    assert answer.status == 200
    assert "Streams" in json.load(answer)


def test_the_event_source_mapping_path_may_end_with_a_slash(cloud):
    for path in ("/2015-03-31/event-source-mappings", "/2015-03-31/event-source-mappings/"):
        status, _, body = cloud.raw("lambda", "GET", path)
        assert status == 200
        assert "EventSourceMappings" in json.loads(body)
