"""Random requests to every operation of every service, made from the models, and the rules that every answer keeps
(oracle/rules.py). They end up on a server of their own.

A failure names its seed: TIDEMILL_TEST_SEED=… repeats it. TIDEMILL_TEST_CASES multiplies the number of cases.
"""
import os
import random

import pytest

from harness import Cloud, Server
from oracle import constraints, models, requests, rules, wire_forms

pytestmark = pytest.mark.local
SEED = int(os.environ.get("TIDEMILL_TEST_SEED", "20061114"))
CASES = int(os.environ.get("TIDEMILL_TEST_CASES", "1"))
ATTEMPTS = 20
BREAKS_MAX = 3

ALL = [operation for operation in models.all_operations() if operation.input]
# S3 and FHIR word what is wrong with a request in ways of their own (models/README.md).
OWN_WORDS = {"s3", "healthlakefhir"}
CHECKED = [operation for operation in ALL if operation.service not in OWN_WORDS
           and requests.is_worth_breaking(operation.input, operation.model)]


@pytest.fixture(scope="module")
def target(tmp_path_factory):
    directory = tmp_path_factory.mktemp("models")
    server = Server(directory / "data", "--clock", "virtual", log=directory / "log").start()
    yield Cloud(server.endpoint)
    assert server.running, f"the server ended; its log: {directory / 'log'}"
    server.stop()


def broken(chance, operation, protocol):
    """A request that violates one to three constraints, or None if none was found in some attempts."""
    maker, breaker = (kind(chance, operation.model) for kind in (requests.Maker, requests.Breaker))
    for _ in range(ATTEMPTS):
        request = maker.structure(operation.input)
        for _ in range(chance.randint(1, BREAKS_MAX)):
            once_more = breaker.break_one(operation.input, request)
            request = request if once_more is None else once_more
        request = wire_forms.sendable(protocol, request)
        if constraints.message_for(operation, request):
            return request
    return None


def told(operation, protocol, request, number):
    return f"seed {SEED}, {operation} as {protocol}, case {number}: {request}"


@pytest.mark.parametrize("operation", CHECKED, ids=str)
def test_all_violations_are_told_at_once_and_before_anything_else(target, operation):
    for protocol in operation.protocols():
        for number in range(2 * CASES):
            chance = random.Random(f"{SEED} {operation} {protocol} {number}")
            request = broken(chance, operation, protocol)
            if request is None:
                continue
            answer = wire_forms.call(target, operation, protocol, request)
            try:
                rules.check_violations(operation, answer, request)
            except AssertionError as error:
                raise AssertionError(f"{told(operation, protocol, request, number)}: {error}") from None


# --- types ---

TYPED = [operation for operation in CHECKED if operation.protocols()[0] == "json"]
WRONG = {"String": {"wrong": "type"}, "enum": ["wrong"], "Integer": "wrong", "Long": ["wrong"], "Boolean": "wrong", "list": 7,
         "map": 7, "structure": 7, "Double": "wrong", "Blob": {"wrong": "type"}}


def mistyped(chance, operation):
    """A request that violates constraints, too, in which one member is of another type; or None."""
    request = broken(chance, operation, "json") or {}
    model = operation.model
    places = [name for name, member in requests.members_of(operation.input, model).items()
              if model.shape(member.target).kind in WRONG and not models.is_custom(model.shape(member.target))]
    if not places:
        return None
    document = wire_forms.json_structure(operation, operation.input, request)
    name = chance.choice(places)
    document[name] = WRONG[model.shape(operation.input.members[name].target).kind]
    return document


@pytest.mark.parametrize("operation", TYPED, ids=str)
def test_types_are_looked_at_before_constraints(target, operation):
    for number in range(CASES):
        document = mistyped(random.Random(f"{SEED} {operation} types {number}"), operation)
        if document is None:
            continue
        answer = wire_forms.call_json(target, operation, document)
        try:
            rules.check_type_error(answer)
        except AssertionError as error:
            raise AssertionError(f"{told(operation, 'json', document, number)}: {error}") from None


# --- whatever is asked ---

# They wait for what never comes while the clock stands still.
WAITING = {"sqs.ReceiveMessage", "states.GetActivityTask"}
ANSWERED = [operation for operation in ALL if operation.service not in OWN_WORDS and not operation.streams()
            and str(operation) not in WAITING]


@pytest.mark.parametrize("operation", ANSWERED, ids=str)
def test_any_request_is_answered_with_what_the_model_has(target, operation):
    for protocol in operation.protocols():
        for number in range(3 * CASES):
            chance = random.Random(f"{SEED} {operation} {protocol} any {number}")
            request = wire_forms.sendable(protocol, requests.Maker(chance, operation.model).structure(operation.input))
            answer = wire_forms.call(target, operation, protocol, request)
            try:
                rules.check(operation, answer)
            except AssertionError as error:
                raise AssertionError(f"{told(operation, protocol, request, number)}: {error}") from None


# --- what Tidemill lacks ---

REFUSED = [(operation, name) for operation in ALL if "json" in operation.protocols()
           for name, member in operation.input.members.items() if "unsupported" in member.traits]


@pytest.mark.parametrize("operation, name", REFUSED, ids=lambda each: str(each))
def test_a_parameter_that_is_lacking_is_refused_by_its_name(target, operation, name):
    chance = random.Random(f"{SEED} {operation} {name}")
    maker = requests.Maker(chance, operation.model)
    request = maker.structure(operation.input)
    document = wire_forms.json_structure(operation, operation.input, request)
    document[name] = wire_forms.asking(operation, operation.input.members[name], maker)
    code, message = wire_forms.call_json(target, operation, document).error()
    assert f"the parameter {name} of {operation.name}" in message, (code, message)
