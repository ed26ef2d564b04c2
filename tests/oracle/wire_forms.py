"""Requests as each protocol writes them, and what answers say, as far as the rules need it."""
import base64
import datetime
import json
import struct
import urllib.parse
import xml.etree.ElementTree
from dataclasses import dataclass

from .requests import Seconds, pruned

JSON_TYPES = {"awsJson1_0": "application/x-amz-json-1.0", "awsJson1_1": "application/x-amz-json-1.1"}


@dataclass
class Answer:
    status: int
    headers: dict  # names in lower case
    body: bytes
    protocol: str

    @property
    def is_error(self):
        return self.status >= 400

    def document(self):
        """What a body of JSON or CBOR holds; {} where there is none."""
        if self.protocol in ("cbor", "rpc_cbor"):
            return Cbor(self.body).value() if self.body else {}
        return json.loads(self.body) if self.body else {}

    def error(self):
        """(code, message)"""
        if self.protocol in ("query", "rest_xml"):
            root = xml.etree.ElementTree.fromstring(self.body)
            found = {element.tag.split("}")[-1]: element.text or "" for element in root.iter()}
            return found.get("Code", ""), found.get("Message", "")
        document = self.document()
        code = self.headers.get("x-amzn-errortype") if self.protocol == "rest_json" else document.get("__type", "")
        return code.split("#")[-1].split(":")[0], document.get("message", document.get("Message", ""))


def sendable(protocol, request):
    """The request as the server sees it once it came in such a form."""
    return pruned(request) if protocol == "query" else request


def call(cloud, operation, protocol, request):
    method, path, headers, body = WRITERS[protocol](operation, request)
    signing = operation.traits.get("signingName", operation.service)
    status, headers, body = cloud.raw(signing, method, path, body, headers)
    return Answer(status, {name.lower(): value for name, value in headers.items()}, body, protocol)


def call_json(cloud, operation, document):
    """A call of a document as it is, whatever its types."""
    kind = next(JSON_TYPES[trait] for trait in JSON_TYPES if trait in operation.traits)
    headers = {"Content-Type": kind, "X-Amz-Target": f"{operation.traits['targetPrefix']}.{operation.name}"}
    signing = operation.traits.get("signingName", operation.service)
    status, headers, body = cloud.raw(signing, "POST", "/", json.dumps(document), headers)
    return Answer(status, {name.lower(): value for name, value in headers.items()}, body, "json")


def asking(operation, member, maker):
    """A value of a refused member that asks for something."""
    unless = member.traits["unsupported"].get("unless")
    kind = operation.model.shape(member.target).kind
    if kind == "Boolean":
        return not unless if isinstance(unless, bool) else True
    if kind in ("structure", "union"):
        shape = operation.model.shape(member.target)
        name = next(iter(shape.members), None)
        return {} if name is None else {name: json_value(operation, shape.members[name], maker.member(shape.members[name]))}
    for _ in range(20):
        value = maker.member(member)
        if value not in ([], {}, unless):
            return json_value(operation, member, value)
    shape = operation.model.shape(member.target)
    return [json_value(operation, shape.members["member"], maker.member(shape.members["member"]))]


# ---- JSON ----

def json_value(operation, member, value):
    shape = operation.model.shape(member.target)
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, Seconds):
        return time_text(operation, member, value) if operation.model.trait(member, "timestampFormat") else int(value)
    if "cppType" in shape.traits or shape.kind == "Document":
        return value
    if isinstance(value, dict):
        return json_structure(operation, shape, value)
    if isinstance(value, list):
        return [json_value(operation, shape.members["member"], each) for each in value]
    return value


def json_structure(operation, shape, value):
    if shape.kind == "map":
        return {key: json_value(operation, shape.members["value"], each) for key, each in value.items()}
    return {shape.members[name].traits.get("jsonName", name): json_value(operation, shape.members[name], each)
            for name, each in value.items()}


def time_text(operation, member, value):
    wanted = operation.model.trait(member, "timestampFormat")
    moment = datetime.datetime.fromtimestamp(value, datetime.timezone.utc)
    if wanted == "epoch-seconds":
        return int(value)
    return moment.strftime("%a, %d %b %Y %H:%M:%S GMT" if wanted == "http-date" else "%Y-%m-%dT%H:%M:%SZ")


def write_json(operation, request):
    kind = next(JSON_TYPES[trait] for trait in JSON_TYPES if trait in operation.traits)
    headers = {"Content-Type": kind, "X-Amz-Target": f"{operation.traits['targetPrefix']}.{operation.name}"}
    return "POST", "/", headers, json.dumps(json_structure(operation, operation.input, request) if operation.input else {})


# ---- REST with JSON ----

def write_rest_json(operation, request):
    http = operation.shape.traits["http"]
    path, query, headers, body, payload = http["uri"], [], {"Content-Type": "application/json"}, {}, None
    for name, value in request.items():
        member = operation.input.members[name]
        traits, text = member.traits, rest_text(operation, member, value)
        if "httpLabel" in traits:
            path = path.replace("{" + name + "+}", urllib.parse.quote(text)).replace(
                "{" + name + "}", urllib.parse.quote(text, safe=""))
        elif "httpQuery" in traits:
            query += [(traits["httpQuery"], each) for each in (value if isinstance(value, list) else [text])]
        elif "httpHeader" in traits:
            headers[traits["httpHeader"]] = text
        elif "httpPayload" in traits:
            payload = value if isinstance(value, bytes) else json.dumps(json_value(operation, member, value))
        elif "httpQueryParams" not in traits:
            body[traits.get("jsonName", name)] = json_value(operation, member, value)
    if query:
        path += ("&" if "?" in path else "?") + urllib.parse.urlencode(query)
    has_payload = any("httpPayload" in member.traits for member in operation.input.members.values())
    text = payload if has_payload else json.dumps(body) if http["method"] != "GET" else b""
    return http["method"], path, headers, text or b""


def rest_text(operation, member, value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Seconds):
        return str(time_text(operation, member, value))
    return "" if isinstance(value, (dict, list, bytes)) else str(value)


# ---- Query ----

def query_fields(operation, member, value, name):
    shape = operation.model.shape(member.target)
    if isinstance(value, list):
        element = shape.members["member"]
        at = name if "xmlFlattened" in member.traits else f"{name}.{element.traits.get('xmlName', 'member')}"
        for number, each in enumerate(value, 1):
            yield from query_fields(operation, element, each, f"{at}.{number}")
    elif isinstance(value, dict) and shape.kind == "map":
        at = name if "xmlFlattened" in member.traits else name + ".entry"
        key, element = shape.members["key"], shape.members["value"]
        for number, (each_key, each) in enumerate(value.items(), 1):
            yield f"{at}.{number}.{key.traits.get('xmlName', 'key')}", each_key
            yield from query_fields(operation, element, each, f"{at}.{number}.{element.traits.get('xmlName', 'value')}")
    elif isinstance(value, dict):
        for each, inner in value.items():
            inner_member = shape.members[each]
            yield from query_fields(operation, inner_member, inner, f"{name}.{inner_member.traits.get('xmlName', each)}")
    elif isinstance(value, bytes):
        yield name, base64.b64encode(value).decode()
    elif isinstance(value, Seconds):
        yield name, datetime.datetime.fromtimestamp(value, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    else:
        yield name, rest_text(operation, member, value)


def write_query(operation, request):
    fields = [("Action", operation.name), ("Version", operation.model.service.properties["version"])]
    for name, value in request.items():
        member = operation.input.members[name]
        fields += query_fields(operation, member, value, member.traits.get("xmlName", name))
    return "POST", "/", {"Content-Type": "application/x-www-form-urlencoded"}, urllib.parse.urlencode(fields)


# ---- CBOR ----

def cbor_value(operation, member, value):
    shape = operation.model.shape(member.target)
    if isinstance(value, dict):
        inner = lambda name: shape.members["value" if shape.kind == "map" else name]
        return {name: cbor_value(operation, inner(name), each) for name, each in value.items()}
    if isinstance(value, list):
        return [cbor_value(operation, shape.members["member"], each) for each in value]
    return value


def cbor_head(major, number):
    if number < 24:
        return bytes([major << 5 | number])
    for more, (form, limit) in enumerate(((">B", 1 << 8), (">H", 1 << 16), (">I", 1 << 32), (">Q", 1 << 64))):
        if number < limit:
            return bytes([major << 5 | 24 + more]) + struct.pack(form, number)
    raise ValueError(number)


def to_cbor(value):
    if isinstance(value, bool):
        return b"\xf5" if value else b"\xf4"
    if isinstance(value, Seconds):
        return b"\xc1" + b"\xfb" + struct.pack(">d", float(value))
    if isinstance(value, int):
        return cbor_head(0, value) if value >= 0 else cbor_head(1, -1 - value)
    if isinstance(value, float):
        return b"\xfb" + struct.pack(">d", value)
    if isinstance(value, bytes):
        return cbor_head(2, len(value)) + value
    if isinstance(value, str):
        return cbor_head(3, len(value.encode())) + value.encode()
    if isinstance(value, list):
        return cbor_head(4, len(value)) + b"".join(map(to_cbor, value))
    return cbor_head(5, len(value)) + b"".join(to_cbor(key) + to_cbor(each) for key, each in value.items())


def cbor_body(operation, request):
    fields = {name: cbor_value(operation, operation.input.members[name], value) for name, value in request.items()}
    return to_cbor(fields)


def write_cbor(operation, request):
    return "POST", "/", {"Content-Type": "application/x-amz-cbor-1.1",
                         "X-Amz-Target": f"{operation.traits['targetPrefix']}.{operation.name}"}, cbor_body(operation, request)


def write_rpc_cbor(operation, request):
    path = f"/service/{operation.traits['targetPrefix']}/operation/{operation.name}"
    return "POST", path, {"Content-Type": "application/cbor", "smithy-protocol": "rpc-v2-cbor"}, cbor_body(operation, request)


class Cbor:
    """Reads one value; breaks off at what no answer has."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        self.at += count
        assert self.at <= len(self.data), "the CBOR ends too early"
        return self.data[self.at - count:self.at]

    def value(self):
        first = self.take(1)[0]
        major, more = first >> 5, first & 31
        if major == 7:
            return self.simple(more)
        if more == 31:
            return self.unbounded(major)
        number = more if more < 24 else int.from_bytes(self.take(1 << (more - 24)), "big")
        return self.sized(major, number)

    def sized(self, major, number):
        if major == 0:
            return number
        if major == 1:
            return -1 - number
        if major == 2:
            return self.take(number)
        if major == 3:
            return self.take(number).decode()
        if major == 4:
            return [self.value() for _ in range(number)]
        if major == 5:
            return {self.value(): self.value() for _ in range(number)}
        return self.value()  # tagged

    def unbounded(self, major):
        found = []
        while self.data[self.at] != 0xFF:
            found.append((self.value(), self.value()) if major == 5 else self.value())
        self.take(1)
        if major == 4:
            return found
        return dict(found) if major == 5 else type(found[0])().join(found)

    def simple(self, more):
        if more in (25, 26, 27):
            return struct.unpack({25: ">e", 26: ">f", 27: ">d"}[more], self.take(1 << (more - 24)))[0]
        return {20: False, 21: True, 22: None, 23: None}[more]


WRITERS = {"json": write_json, "rest_json": write_rest_json, "query": write_query, "cbor": write_cbor,
           "rpc_cbor": write_rpc_cbor}
