"""Every message about the text of expressions and about placeholders, word for word."""
import pytest

from dynamodb_message_support import DETECTED, OPERANDS, call, simple  # noqa: F401: fixtures
from harness import item, value, values


# --- expressions: what the text alone tells ---

CONDITIONS = [  # with {} for the kind of expression
    ("a = = :v", 'Invalid {}: Syntax error; token: "=", near: "= = :v"'),
    ("a :v", 'Invalid {}: Syntax error; token: ":v", near: "a :v"'),
    ("a = :v)", 'Invalid {}: Syntax error; token: ")", near: ":v)"'),
    ("count = :v", "Invalid {}: Attribute name is a reserved keyword; reserved keyword: count"),
    ("a.NAME = :v", "Invalid {}: Attribute name is a reserved keyword; reserved keyword: NAME"),
    ("nope(a, :v)", "Invalid {}: Invalid function name; function: nope"),
    ("begins_with(a)", "Invalid {}: Incorrect number of operands for operator or function; operator or function: "
     "begins_with, number of operands: 1"),
    ("size(a, :v) > :v", "Invalid {}: Incorrect number of operands for operator or function; operator or function: size, "
     "number of operands: 2"),
    ("size(a)", "Invalid {}: The function is not allowed to be used this way in an expression; function: size"),
    ("((a = :v))", "Invalid {}: The expression has redundant parentheses;"),
    ("#a = :v", "Invalid {}: An expression attribute name used in the document path is not defined; attribute name: #a"),
    ("a = :w", "Invalid {}: An expression attribute value used in expression is not defined; attribute value: :w"),
    ("a < :list", "Invalid {}: Incorrect operand type for operator or function; operator or function: <, operand type: L"),
    ("begins_with(a, :n)", "Invalid {}: Incorrect operand type for operator or function; operator or function: "
     "begins_with, operand type: N"),
    ("a.b = a.b", "Invalid {}: The first operand must be distinct from the remaining operands for this operator or "
     "function; operator: =, first operand: [a, b]"),
    ("contains(l[1], l[1])", "Invalid {}: The first operand must be distinct from the remaining operands for this operator "
     "or function; operator: contains, first operand: [l, [1]]"),
    ("a BETWEEN :two AND :n", "Invalid {}: The BETWEEN operator requires upper bound to be greater than or equal to lower "
     "bound; lower bound operand: AttributeValue: {{N:2}}, upper bound operand: AttributeValue: {{N:1}}"),
    ("a BETWEEN :n AND :v", "Invalid {}: The BETWEEN operator requires same data type for lower and upper bounds; lower "
     "bound operand: AttributeValue: {{N:1}}, upper bound operand: AttributeValue: {{S:x}}"),
]
@pytest.mark.parametrize("text, message", CONDITIONS, ids=[text for text, _ in CONDITIONS])
def test_a_wrong_condition_or_filter_is_refused_in_these_words(call, simple, text, message):
    used = {name: operand for name, operand in OPERANDS.items() if name in text}
    more = {"ExpressionAttributeValues": used} if used else {}
    for operation, request, kind in [
            ("PutItem", {"Item": item(id="1")}, "ConditionExpression"),
            ("DeleteItem", {"Key": item(id="1")}, "ConditionExpression"),
            ("UpdateItem", {"Key": item(id="1")}, "ConditionExpression"),
            ("Scan", {}, "FilterExpression")]:
        said = call(operation, {"TableName": simple, **request, kind: text, **more})
        assert said.removeprefix(DETECTED) == message.format(kind)


def test_an_expression_is_not_empty(call, simple):
    key = item(id="1")
    assert call("UpdateItem", {"TableName": simple, "Key": key, "UpdateExpression": ""}) == \
        DETECTED + "Invalid UpdateExpression: The expression can not be empty;"
    for operation, request, kind in [("Scan", {}, "FilterExpression"), ("Scan", {}, "ProjectionExpression"),
                                     ("GetItem", {"Key": key}, "ProjectionExpression"),
                                     ("DeleteItem", {"Key": key}, "ConditionExpression")]:
        said = call(operation, {"TableName": simple, **request, kind: ""})
        assert said.removeprefix(DETECTED) == f"Invalid {kind}: The expression can not be empty;"
    assert call("Scan", {"TableName": simple, "FilterExpression": ""}).startswith("Invalid")


def test_each_section_of_an_update_stands_once(call, simple):
    for expression, section in ("SET a = :v SET b = :v", "SET"), ("REMOVE a REMOVE b", "REMOVE"), ("ADD a :n ADD b :n", "ADD"):
        used = {name: operand for name, operand in OPERANDS.items() if name in expression}
        assert call("UpdateItem", {"TableName": simple, "Key": item(id="1"), "UpdateExpression": expression,
                                   **({"ExpressionAttributeValues": used} if used else {})}) == DETECTED + \
            f'Invalid UpdateExpression: The "{section}" section can only be used once in an update expression;'


def test_paths_do_not_overlap_or_conflict(call, simple):
    def update(expression):
        return call("UpdateItem", {"TableName": simple, "Key": item(id="1"), "UpdateExpression": expression,
                                   "ExpressionAttributeValues": values(v=1)})

    clash = "with each other; must remove or rewrite one of these paths; path one: {}, path two: {}"
    assert update("SET a = :v, a.b = :v") == \
        DETECTED + "Invalid UpdateExpression: Two document paths overlap " + clash.format("[a]", "[a, b]")
    assert update("SET a.b = :v, a[0] = :v") == \
        "Invalid UpdateExpression: Two document paths conflict " + clash.format("[a, b]", "[a, [0]]")
    assert call("GetItem", {"TableName": simple, "Key": item(id="1"), "ProjectionExpression": "a.b, a"}) == \
        DETECTED + "Invalid ProjectionExpression: Two document paths overlap " + clash.format("[a, b]", "[a]")
    assert call("Scan", {"TableName": simple, "ProjectionExpression": "a, a"}) == \
        "Invalid ProjectionExpression: Two document paths overlap " + clash.format("[a]", "[a]")


UPDATES = [
    ("ADD a :v", "Invalid UpdateExpression: Incorrect operand type for operator or function; operator: ADD, operand type: "
     "STRING, typeSet: ALLOWED_FOR_ADD_OPERAND"),
    ("DELETE a :n", "Invalid UpdateExpression: Incorrect operand type for operator or function; operator: DELETE, operand "
     "type: NUMBER, typeSet: ALLOWED_FOR_DELETE_OPERAND"),
    ("SET a = :v + :n", "Invalid UpdateExpression: Incorrect operand type for operator or function; operator or function: "
     "+, operand type: S"),
    ("SET a = list_append(a, :n)", "Invalid UpdateExpression: Incorrect operand type for operator or function; operator or "
     "function: list_append, operand type: N"),
    ("SET a = if_not_exists(:v, :n)", "Invalid UpdateExpression: Operator or function requires a document path; operator "
     "or function: if_not_exists"),
    ("SET a = if_not_exists(b)", "Invalid UpdateExpression: Incorrect number of operands for operator or function; operator "
     "or function: if_not_exists, number of operands: 1"),
    ("SET a = size(b)", "Invalid UpdateExpression: The function is not allowed in an update expression; function: size"),
    ("SET m.x.y = :v", "The document path provided in the update expression is invalid for update"),
    ("SET word.x = :v", "The document path provided in the update expression is invalid for update"),
    ("SET a = absent", "The provided expression refers to an attribute that does not exist in the item"),
    ("SET n = word + :n", "An operand in the update expression has an incorrect data type"),
    ("ADD word :n", "An operand in the update expression has an incorrect data type"),
    ("SET l = list_append(l, n)", "An operand in the update expression has an incorrect data type"),
]


@pytest.mark.parametrize("expression, message", UPDATES, ids=[expression for expression, _ in UPDATES])
def test_a_wrong_update_is_refused_in_these_words(call, simple, expression, message):
    if "if_not_exists(b)" in expression or "size" in expression or "absent" in expression or ", n)" in expression:
        more = {}
    else:
        more = {"ExpressionAttributeValues": {name: operand for name, operand in OPERANDS.items() if name in expression}}
    said = call("UpdateItem", {"TableName": simple, "Key": item(id="subject"), "UpdateExpression": expression, **more})
    assert said.removeprefix(DETECTED) == message


def test_limits_of_expressions(call, simple):
    def scan(text, **operands):
        more = {"ExpressionAttributeValues": values(**operands)} if operands else {}
        return call("Scan", {"TableName": simple, "FilterExpression": text, **more})

    assert scan("a = :v " + " " * 4090, v=1) == \
        "Invalid FilterExpression: Expression size has exceeded the maximum allowed size; expression size: 4097"
    assert "Expression size has exceeded the maximum allowed size" in call(
        "GetItem", {"TableName": simple, "Key": item(id="1"), "ProjectionExpression": "a" * 4097})
    assert "Expression size has exceeded the maximum allowed size" in call(
        "UpdateItem", {"TableName": simple, "Key": item(id="1"), "UpdateExpression": "SET a = :v" + " " * 4090,
                       "ExpressionAttributeValues": values(v=1)})
    assert "The expression contains too many operators; operator count: 301" in scan(" OR ".join(["a=:v"] * 151), v=1)
    operands = ",".join(f":v{number}" for number in range(101))
    assert "The IN operator is provided with too many operands; number of operands: 101" in \
        scan(f"a IN ({operands})", **{f"v{number}": number for number in range(101)})


def test_placeholders_have_at_most_255_bytes(call, dynamodb, simple):
    for sign, parameter, operand in (":", "ExpressionAttributeValues", value(1)), ("#", "ExpressionAttributeNames", "a"):
        longest = sign + "v" * 254
        text = f"a = {longest}" if sign == ":" else f"attribute_exists({longest})"
        dynamodb.scan(TableName=simple, FilterExpression=text, **{parameter: {longest: operand}})
        assert call("Scan", {"TableName": simple, "FilterExpression": "a = :v", parameter: {longest + "v": operand}}) == \
            f"{parameter} contains invalid key: The expression attribute map contains a key that is too long; size of key: 256"


def test_names_and_values_have_at_most_2_megabytes(call, dynamodb, simple):
    def scan(sizes, names=None):
        text = " OR ".join(f"a = :v{number}" for number in range(len(sizes))) + (" OR attribute_exists(#n)" if names else "")
        return {"TableName": simple, "FilterExpression": text, **({"ExpressionAttributeNames": names} if names else {}),
                "ExpressionAttributeValues": {f":v{number}": {"S": "x" * size} for number, size in enumerate(sizes)}}

    most = [512 * 1024 - 3] * 4
    dynamodb.scan(**scan(most))
    assert "exceeds max size" in call("Scan", scan([*most[:3], most[3] + 1]))
    assert "exceeds max size" in call("Scan", scan([*most[:3], most[3] - 5], {"#n": "a name"}))


# --- placeholders ---

def test_placeholders_are_well_formed_used_and_there(call, simple):
    key = item(id="1")
    get = {"TableName": simple, "Key": key}
    put = {"TableName": simple, "Item": key}
    assert call("GetItem", {**get, "ProjectionExpression": "#a", "ExpressionAttributeNames": {"#a": "a", "#b": "b"}}) == \
        "Value provided in ExpressionAttributeNames unused in expressions: keys: {#b}"
    assert call("PutItem", {**put, "ConditionExpression": "a = :a", "ExpressionAttributeValues": values(a=1, b=1)}) == \
        DETECTED + "Value provided in ExpressionAttributeValues unused in expressions: keys: {:b}"
    assert call("PutItem", {**put, "ConditionExpression": "attribute_exists(a)", "ExpressionAttributeValues": {}}) == \
        DETECTED + "ExpressionAttributeValues must not be empty"
    assert call("GetItem", {**get, "ProjectionExpression": "a", "ExpressionAttributeNames": {}}) == \
        "ExpressionAttributeNames must not be empty"
    for wrong in "a", "#", "#a-b", "##", "#ä":
        assert call("GetItem", {**get, "ProjectionExpression": "a", "ExpressionAttributeNames": {wrong: "a"}}) == \
            f'ExpressionAttributeNames contains invalid key: Syntax error; key: "{wrong}"'
    for wrong in "a", ":", "#a", ":a.b":
        assert call("PutItem", {**put, "ConditionExpression": "a = :a", "ExpressionAttributeValues": {wrong: value(1)}}) == \
            f'ExpressionAttributeValues contains invalid key: Syntax error; key: "{wrong}"'
    # Nothing is prefixed on Scan.
    assert call("Scan", {"TableName": simple, "FilterExpression": "a = :a", "ExpressionAttributeValues": values(a=1, b=1)}) == \
        "Value provided in ExpressionAttributeValues unused in expressions: keys: {:b}"


def test_placeholders_need_an_expression(call, simple):
    key = item(id="1")
    names = "ExpressionAttributeNames can only be specified when using expressions"
    operands = "ExpressionAttributeValues can only be specified when using expressions"
    for operation, request in [("GetItem", {"Key": key}), ("PutItem", {"Item": key}), ("UpdateItem", {"Key": key}),
                               ("DeleteItem", {"Key": key}), ("Scan", {})]:
        request = {"TableName": simple, **request}
        beginning = "" if operation in ("GetItem", "Scan") else DETECTED
        assert call(operation, {**request, "ExpressionAttributeNames": {"#a": "a"}}) == beginning + names
        if operation != "GetItem":
            assert call(operation, {**request, "ExpressionAttributeValues": values(a=1)}).startswith(beginning + operands)
    assert call("Scan", {"TableName": simple, "ExpressionAttributeValues": values(a=1)}) == \
        operands + ": FilterExpression is null"
    assert call("UpdateItem", {"TableName": simple, "Key": key, "ExpressionAttributeValues": values(a=1)}) == \
        DETECTED + operands
