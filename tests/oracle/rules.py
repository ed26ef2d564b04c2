"""What holds for every answer of every operation, stated once."""
import json

from . import constraints
from .models import NUMBERS, is_custom

# Errors that any service may answer with, beside those of its model.
COMMON = {"ValidationException", "SerializationException", "AccessDeniedException", "UnrecognizedClientException",
          "InternalFailure", "ThrottlingException", "ValidationError", "InvalidParameterValue", "MissingParameter",
          "UnknownOperationException", "Throttling", "InvalidParameterValueException", "RequestEntityTooLargeException"}
SERVERS_FAULT = 500
NOT_READY = 503


def check(operation, answer):
    """Whatever was asked: the answer is no defect, has its id, and shows only what the model has."""
    said = f"{answer.status} {answer.body[:400]!r}"
    assert answer.status < SERVERS_FAULT or answer.status in (501, NOT_READY), f"a defect: {said}"
    assert "x-amzn-requestid" in answer.headers or "x-amz-request-id" in answer.headers, f"no id: {said}"
    if answer.is_error:
        check_error(operation, answer)
    elif answer.protocol in ("json", "cbor", "rpc_cbor", "rest_json"):
        check_members(operation, answer)


def error_names(operation):
    names = set()
    for shape in operation.model.errors():
        names |= {shape.name, shape.traits.get("awsQueryError", {}).get("code", shape.name)}
    return names


def check_error(operation, answer):
    code, message = answer.error()
    known = error_names(operation) | COMMON
    assert code in known, f"{code!r} is no error of {operation.service}: {message}"
    if answer.protocol == "json":
        kind = operation.traits.get("targetPrefix") and answer.document()["__type"]
        assert kind.split("#")[-1] == code


def check_violations(operation, answer, request):
    """A request that violates constraints is refused for all of them at once, before anything else is looked at."""
    message = constraints.message_for(operation, request)
    assert message, "the request violates nothing"
    code, said = answer.error() if answer.is_error else ("(none)", answer.body[:300])
    wanted = operation.validation_error
    if answer.protocol == "query" and wanted == "ValidationException":
        wanted = "ValidationError"
    assert (code, said) == (wanted, message)


def check_type_error(answer):
    """What is of another type than the model's is told before any constraint."""
    code, message = answer.error()
    assert answer.status == 400 and code == "SerializationException", (answer.status, code, message)


# ---- Members shown ----

def check_members(operation, answer):
    if operation.output is None:
        assert not answer.body or answer.document() == {}, answer.body[:300]
        return
    if any("httpPayload" in member.traits for member in operation.output.members.values()):
        return
    document = answer.document()
    in_body = {name: member for name, member in operation.output.members.items()
               if not {"httpHeader", "httpResponseCode", "httpPrefixHeaders"} & set(member.traits)}
    check_structure(operation, in_body, document, operation.name)


def check_structure(operation, members, value, path):
    named = {member.traits.get("jsonName", name): member for name, member in members.items()}
    for name, each in value.items():
        assert name in named, f"{path} shows {name}, which its model lacks: {json.dumps(each, default=str)[:200]}"
        check_value(operation, named[name], each, f"{path}.{name}")
    lacking = [name for name, member in named.items() if "required" in member.traits and name not in value]
    assert not lacking, f"{path} does not show {lacking}, which its model requires"


def check_value(operation, member, value, path):
    shape = operation.model.shape(member.target)
    if is_custom(shape) or shape.kind == "Document" or value is None:
        return
    if shape.kind in ("structure", "union"):
        assert isinstance(value, dict), f"{path} is no structure: {value!r}"
        check_structure(operation, shape.members, value, path)
    elif shape.kind == "list":
        assert isinstance(value, list), f"{path} is no list: {value!r}"
        for each in value:
            check_value(operation, shape.members["member"], each, path + "[]")
    elif shape.kind == "map":
        assert isinstance(value, dict), f"{path} is no map: {value!r}"
        for key, each in value.items():
            check_value(operation, shape.members["value"], each, f"{path}.{key}")
    else:
        check_scalar(shape, value, path)


def check_scalar(shape, value, path):
    if shape.kind == "Boolean":
        assert isinstance(value, bool), f"{path} is no boolean: {value!r}"
    elif shape.kind in NUMBERS:
        assert isinstance(value, (int, float)) and not isinstance(value, bool), f"{path} is no number: {value!r}"
    elif shape.kind == "enum":
        assert value in [known for _, known in shape.values], f"{path} is {value!r}, which its model lacks"
    elif shape.kind == "String":
        assert isinstance(value, str), f"{path} is no text: {value!r}"
