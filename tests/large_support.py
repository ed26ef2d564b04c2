"""Requests and answers of many megabytes, and how long they hold the server's event loops.

That is judged by the server's own measure of its loops' turns (tidemill_loop_turn_seconds). On a busy machine a turn may take
long for want of a processor; so of several tries one without a long turn will do.
"""
import http.client
import json
import os
import re
import struct
import urllib.request

import pytest

import http2_support as http2

TURN_MAX = "0.01"  # s: a bucket's bound
TRIES = 20  # a machine that is busy interrupts some
MEGABYTE = 1 << 20

timed = pytest.mark.skipif(not os.environ.get("TIDEMILL_TEST_TIMED"), reason="TIDEMILL_TEST_TIMED is not set")


def scope(service):
    return (f"AWS4-HMAC-SHA256 Credential=test/20261101/us-east-1/{service}/aws4_request, "
            "SignedHeaders=host, Signature=0")


def json_request(service, target, document, version="1.0"):
    body = document if isinstance(document, bytes) else json.dumps(document, separators=(",", ":")).encode()
    return "POST", "/", {"Authorization": scope(service), "Content-Type": f"application/x-amz-json-{version}",
                         "X-Amz-Target": target}, body


def form_request(service, body):
    return "POST", "/", {"Authorization": scope(service), "Content-Type": "application/x-www-form-urlencoded"}, body.encode()


def rest_request(service, method, path, body, **headers):
    return method, path, {"Authorization": scope(service), **headers}, body


def dynamodb(operation, **document):
    return json_request("dynamodb", f"DynamoDB_20120810.{operation}", document)


def states(operation, **document):
    return json_request("states", f"AWSStepFunctions.{operation}", document)


def metrics(operation, **document):
    return json_request("monitoring", f"GraniteServiceVersion20100801.{operation}", document)


def cbor(value):
    """RFC 8949, as far as requests need it: texts, integers, lists and maps."""
    if isinstance(value, int):
        return struct.pack(">BQ", 0x1b, value)
    if isinstance(value, str):
        return struct.pack(">BI", 0x7a, len(value.encode())) + value.encode()
    if isinstance(value, list):
        return struct.pack(">BI", 0x9a, len(value)) + b"".join(map(cbor, value))
    return struct.pack(">BI", 0xba, len(value)) + b"".join(cbor(key) + cbor(each) for key, each in value.items())


def numbers(count):
    return {"L": [{"N": "1"}] * count}


def items(count, attributes):
    return [{"PutRequest": {"Item": {"id": {"S": str(number)}, **attributes}}} for number in range(count)]


def send(server, request):
    method, path, headers, body = request
    host, port = server.endpoint[len("http://"):].split(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=60)
    try:
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def over_http2(window):
    """As send(), by a client that lets the server have so many bytes of an answer under way."""
    def sends(server, request):
        with http2.Connection(server.endpoint, window) as connection:
            return connection.ask(*request)
    return sends


def longer_turns(server):
    """How many turns have been longer than each of the bounds."""
    text = urllib.request.urlopen(server.endpoint + "/metrics").read().decode()
    count = int(re.search(r"tidemill_loop_turn_seconds_count (\d+)", text)[1])
    return {bound: count - int(within)
            for bound, within in re.findall(r'tidemill_loop_turn_seconds_bucket{le="([\d.]+)"} (\d+)', text)}


def worst_of_tries(server, request, status, bytes_min=0, sends=send):
    """How many long turns the best of the tries had."""
    least = None
    for _ in range(TRIES):
        before = longer_turns(server)
        answered, text = sends(server, request)
        assert answered == status, (answered, text[:300])
        assert len(text) >= bytes_min, (len(text), text[:300])
        turns = longer_turns(server)[TURN_MAX] - before[TURN_MAX]
        least = turns if least is None else min(least, turns)
        if least == 0:
            break
    return least
