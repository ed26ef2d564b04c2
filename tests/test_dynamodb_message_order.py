"""Of several things that are wrong with a request, which one DynamoDB tells of."""
import pytest

from dynamodb_message_support import INVALID, call, simple  # noqa: F401: fixtures
from harness import item, values

TOO_DEEP = ("Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported "
            "limit")
NO_SYNTAX = 'Invalid ConditionExpression: Syntax error; token: "<EOF>", near: "("'
DEEPEST = 31  # lists around a string


def nested(levels):
    inside = {"S": "x"}
    for _ in range(levels):
        inside = {"L": [inside]}
    return inside


@pytest.fixture
def transact(call):
    """transact(action, …): the message with which a transaction of them is refused."""
    return lambda *actions: call("TransactWriteItems", {"TransactItems": list(actions)})


# --- transactions: action by action ---

def test_an_earlier_actions_expression_is_told_of_before_a_later_ones_nesting(transact, simple):
    check = {"ConditionCheck": {"TableName": simple, "Key": item(id="1"), "ConditionExpression": "attribute_not_exists("}}
    deep = {"Put": {"TableName": simple, "Item": {**item(id="2"), "a": nested(DEEPEST + 1)}}}
    assert transact(check, deep) == NO_SYNTAX
    assert transact(deep, check) == TOO_DEEP


def test_an_actions_expressions_are_told_of_before_what_its_key_nests(transact, simple):
    deep = {"id": nested(DEEPEST + 1)}
    for action, more in [("Delete", {}), ("ConditionCheck", {}),
                         ("Update", {"UpdateExpression": "SET a = :v", "ExpressionAttributeValues": values(v=1)})]:
        known = {"TableName": simple, "Key": deep, **more}
        assert transact({action: {**known, "ConditionExpression": "attribute_not_exists("}}) == NO_SYNTAX
        assert transact({action: {**known, "ConditionExpression": "attribute_not_exists(id)"}}) == TOO_DEEP


def test_a_value_of_an_expression_nests_no_deeper(transact, simple):
    assert transact({"Update": {"TableName": simple, "Key": item(id="1"), "UpdateExpression": "SET a = :v",
                                "ExpressionAttributeValues": {":v": nested(DEEPEST + 1)}}}) == TOO_DEEP


def test_an_empty_name_is_told_of_before_nesting_and_inside_a_map_behind_it(transact, simple):
    def put(attributes):
        return {"Put": {"TableName": simple, "Item": {**item(id="1"), **attributes}}}

    empty, empty_inside = put({"": {"S": "x"}}), put({"m": {"L": [{"M": {"": {"S": "x"}}}]}})
    deep = put({"a": nested(DEEPEST + 1)})
    assert transact(deep, empty) == transact(empty, deep) == transact(empty_inside) == "Empty attribute name"
    assert transact(deep, empty_inside) == TOO_DEEP
    assert transact(empty_inside, deep) == "Empty attribute name"


def test_what_nests_far_too_deep_is_found_at_once(transact, simple):
    check = {"ConditionCheck": {"TableName": simple, "Key": item(id="1"), "ConditionExpression": "attribute_not_exists("}}
    assert transact(check, {"Put": {"TableName": simple, "Item": {**item(id="2"), "a": nested(200)}}}) == TOO_DEEP


def test_a_transaction_may_nest_as_deep_as_other_writes(cloud, dynamodb, simple):
    dynamodb.transact_write_items(TransactItems=[
        {"Put": {"TableName": simple, "Item": {**item(id="deepest"), "a": nested(DEEPEST)}}}])
    assert dynamodb.get_item(TableName=simple, Key=item(id="deepest"))["Item"]["a"] == nested(DEEPEST)


@pytest.mark.parametrize("wrong, message", [
    ({"SS": ["b", "a", "b"]}, INVALID + "Input collection [b, a, b] contains duplicates."),
    ({"BS": ["AA==", "AA=="]}, INVALID + "Input collection [AA==, AA==]of type BS contains duplicates."),
    ({"NS": ["1", "1.0"]}, "Input collection contains duplicates"),
    ({"N": ""}, "The parameter cannot be converted to a numeric value"),
])
def test_a_wrong_value_of_a_transactions_expression_is_told_with_its_placeholder(transact, simple, wrong, message):
    for action, more in [("Update", {"UpdateExpression": "SET a = :t"}), ("Delete", {"ConditionExpression": "a = :t"}),
                         ("ConditionCheck", {"ConditionExpression": "a = :t"})]:
        assert transact({action: {"TableName": simple, "Key": item(id="1"), **more,
                                  "ExpressionAttributeValues": {":t": wrong}}}) == \
            f"ExpressionAttributeValues contains invalid value: {message} for key :t"
    # As ever where it is an item's.
    assert transact({"Put": {"TableName": simple, "Item": {**item(id="1"), ":t": wrong}}}) == message


# --- inside expressions, and among them ---

@pytest.mark.parametrize("text, message", [
    ("begins_with(a, :v, count)", "Attribute name is a reserved keyword; reserved keyword: count"),
    ("size(#u, :v) > :v", "An expression attribute name used in the document path is not defined; attribute name: #u"),
    ("attribute_exists(a, :u)", "An expression attribute value used in expression is not defined; attribute value: :u"),
    ("size(a, size(:u)) > :v", "An expression attribute value used in expression is not defined; attribute value: :u"),
    ("contains(:v)", "Incorrect number of operands for operator or function; operator or function: contains, number of "
     "operands: 1"),
    ("begins_with(a, count) AND nope(a)", "Attribute name is a reserved keyword; reserved keyword: count"),
])
def test_names_and_placeholders_are_told_of_before_counts_of_operands(call, simple, text, message):
    assert call("Scan", {"TableName": simple, "FilterExpression": text, "ExpressionAttributeValues": values(v="x")}) == \
        "Invalid FilterExpression: " + message


def test_a_filter_is_told_of_before_the_other_expressions(call, simple):
    wrong = {"TableName": simple, "FilterExpression": "a = = :v", "ProjectionExpression": "a a",
             "ExpressionAttributeValues": values(v="x")}
    message = 'Invalid FilterExpression: Syntax error; token: "=", near: "= = :v"'
    assert call("Scan", wrong) == message
    assert call("Query", {**wrong, "KeyConditionExpression": "id = = :v"}).endswith(message)
