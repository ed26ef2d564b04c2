"""Random expressions and numbers, and what a second opinion (oracle/) says must come of them.

A failure names its seed: TIDEMILL_TEST_SEED=… repeats it. TIDEMILL_TEST_CASES multiplies the number of cases.
"""
import decimal
import os
import random

import pytest
from botocore.exceptions import ClientError

from harness import item
from oracle import conditions, updates, values

SEED = int(os.environ.get("TIDEMILL_TEST_SEED", "20140424"))
CASES = int(os.environ.get("TIDEMILL_TEST_CASES", "1"))


@pytest.fixture
def chance(request):
    """Each test draws from its own sequence, so that one test alone repeats what it did among others."""
    print(f"seed {SEED}")
    return random.Random(f"{SEED} {request.node.name}")


def plain(attributes):
    return values.canonical({"M": attributes})


def outcome(call, **parameters):
    """(answer, None) or (None, message)."""
    try:
        return call(**parameters), None
    except ClientError as error:
        assert error.response["Error"]["Code"] == "ValidationException", error
        return None, error.response["Error"]["Message"]


# --- conditions ---

@pytest.fixture(scope="module")
def zoo(shared_cloud):
    """A table of random items, and those items by their key."""
    chance = random.Random(f"{SEED} zoo")
    table = shared_cloud.create_table()
    items = {str(number): values.random_item(chance, id={"S": str(number)}) for number in range(40)}
    for attributes in items.values():
        shared_cloud.dynamodb.put_item(TableName=table, Item=attributes)
    return table, items


def test_filters_choose_what_they_must(dynamodb, zoo, chance):
    table, items = zoo
    for _ in range(600 * CASES):
        tree = conditions.random_condition(chance)
        text = conditions.Text(chance)
        expression = text.condition(tree)
        answer = dynamodb.scan(TableName=table, FilterExpression=expression, **text.parameters())
        found = {found["id"]["S"] for found in answer["Items"]}
        expected = {key for key, attributes in items.items() if conditions.holds(tree, attributes)}
        assert found == expected, (expression, text.parameters(), [items[key] for key in found ^ expected][:1])


def test_conditions_decide_as_filters_do(dynamodb, zoo, chance):
    table, items = zoo
    for _ in range(200 * CASES):
        tree, (key, attributes) = conditions.random_condition(chance), chance.choice(list(items.items()))
        text = conditions.Text(chance)
        request = {"TableName": table, "Item": attributes, "ConditionExpression": text.condition(tree)}
        try:
            dynamodb.put_item(**request, **text.parameters())
            decided = True
        except dynamodb.exceptions.ConditionalCheckFailedException:
            decided = False
        assert decided is conditions.holds(tree, attributes), (request, text.parameters())


LEGACY = {"EQ": "=", "NE": "<>", "LT": "<", "LE": "<=", "GT": ">", "GE": ">="}


def random_comparison(chance):
    """(ComparisonOperator, AttributeValueList, tree for a path)."""
    operator = chance.choice([*LEGACY, "BETWEEN", "IN", "NULL", "NOT_NULL", "CONTAINS", "NOT_CONTAINS", "BEGINS_WITH"])
    if operator in LEGACY:
        operand = values.random_value(chance, kinds=None if operator in ("EQ", "NE") else list(values.ORDERED))
        return operator, [operand], lambda path: ("compare", LEGACY[operator], path, ("value", operand))
    if operator == "BETWEEN":
        low, high = conditions.bounds(chance)
        return operator, [low, high], lambda path: ("between", path, ("value", low), ("value", high))
    if operator == "IN":
        kinds = [chance.choice(values.ORDERED)]
        operands = [values.random_value(chance, kinds=kinds) for _ in range(chance.randint(1, 3))]
        return operator, operands, lambda path: ("in", path, [("value", operand) for operand in operands])
    if operator in ("NULL", "NOT_NULL"):
        return operator, [], lambda path: ("call", "attribute_not_exists" if operator == "NULL" else "attribute_exists", path)
    if operator == "BEGINS_WITH":
        operand = values.random_value(chance, kinds=["S", "B"])
        return operator, [operand], lambda path: ("call", "begins_with", path, ("value", operand))
    operand = values.random_value(chance, kinds=["S", "N", "B", "BOOL", "NULL"])

    def contains(path):
        inside = ("call", "contains", path, ("value", operand))
        return inside if operator == "CONTAINS" else ("and", ("call", "attribute_exists", path), ("not", inside))
    return operator, [operand], contains


def test_older_filters_choose_what_they_must(dynamodb, zoo, chance):
    table, items = zoo
    for _ in range(300 * CASES):
        filters, trees = {}, []
        for name in chance.sample(values.NAMES, chance.randint(1, 3)):
            operator, operands, tree = random_comparison(chance)
            filters[name] = {"ComparisonOperator": operator, "AttributeValueList": operands}
            trees.append(tree(("path", [name])))
        join = chance.choice(["AND", "OR"]) if len(trees) > 1 else None
        answer = dynamodb.scan(TableName=table, ScanFilter=filters, **({"ConditionalOperator": join} if join else {}))
        found = {found["id"]["S"] for found in answer["Items"]}
        decide = any if join == "OR" else all
        expected = {key for key, attributes in items.items() if decide(conditions.holds(tree, attributes) for tree in trees)}
        assert found == expected, (filters, join)


# --- updates ---

def test_updates_do_what_they_must(dynamodb, cloud, chance):
    table = cloud.create_table()
    key = {"id": {"S": "1"}}
    done = 0
    for _ in range(500 * CASES):
        before = values.random_item(chance, **key)
        actions = updates.random_update(chance)
        text = conditions.Text(chance)
        expression = updates.update_text(actions, text)
        dynamodb.put_item(TableName=table, Item=before)
        answer, message = outcome(dynamodb.update_item, TableName=table, Key=key, UpdateExpression=expression,
                                  ReturnValues="ALL_NEW", **text.parameters())
        expected, errors = updates.apply(actions, before)
        context = (expression, text.parameters(), before)
        if errors:
            assert message and any(message.startswith(error) for error in errors), (message, errors, *context)
            expected = before  # nothing has been changed
        else:
            assert message is None, (message, *context)
            assert plain(answer["Attributes"]) == plain(expected), context
            done += 1
        assert plain(dynamodb.get_item(TableName=table, Key=key)["Item"]) == plain(expected), context
    assert done > 100  # enough of them could be carried out


# --- keys ---

SORT_KEYS = {"N": [{"N": text} for text in ("-1e100", "-10", "-9.5", "-1", "-1e-100", "0", "1e-100", "0.5", "1", "2", "10", "1e100")],
             "S": [{"S": text} for text in ("a", "ab", "abc", "b", "B", "é", "z", "🦊", "ab\u0000", " ")],
             "B": [{"B": raw} for raw in (b"\x00", b"\x00\x00", b"\x01", b"\x7f", b"\x80", b"\xff", b"\xff\x00")]}


@pytest.mark.parametrize("kind", ["N", "S", "B"])
def test_key_conditions_find_their_range_in_order(dynamodb, cloud, chance, kind):
    table = cloud.create_table(f"p:S s:{kind}")
    for sort in SORT_KEYS[kind]:
        dynamodb.put_item(TableName=table, Item={"p": {"S": "a"}, "s": sort, "aa": values.random_value(chance)})
        dynamodb.put_item(TableName=table, Item={"p": {"S": "b"}, "s": sort})
    for _ in range(150 * CASES):
        tree, legacy = random_key_condition(chance, kind)
        text = conditions.Text(chance)
        condition = ("compare", "=", ("path", ["p"]), ("value", {"S": "a"}))
        both = [condition, tree] if chance.random() < 0.5 else [tree, condition]
        forward = chance.random() < 0.5
        limit = chance.choice([1, 2, 5, 100])
        request = {"TableName": table, "ScanIndexForward": forward, "Limit": limit}
        if chance.random() < 0.3:
            request["KeyConditions"] = {"p": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]}, "s": legacy}
        else:
            request["KeyConditionExpression"] = text.condition(("and", *both))
            request.update(text.parameters())
        found = []
        while True:
            page = dynamodb.query(**request)
            found += [values.canonical(each["s"]) for each in page["Items"]]
            if "LastEvaluatedKey" not in page:
                break
            request["ExclusiveStartKey"] = page["LastEvaluatedKey"]
        expected = sorted((sort for sort in SORT_KEYS[kind] if conditions.holds(tree, {"s": sort})), key=values.sort_key,
                          reverse=not forward)
        assert found == [values.canonical(sort) for sort in expected], request


def random_key_condition(chance, kind):
    """A tree on attribute s, and the same as a member of KeyConditions."""
    path, operand = ("path", ["s"]), chance.choice(SORT_KEYS[kind])
    choice = chance.random()
    if choice < 0.2 and kind != "N":
        inside = values.content(operand)
        prefix = {kind: inside[:chance.randint(1, len(inside))]}
        return ("call", "begins_with", path, ("value", prefix)), legacy_condition("BEGINS_WITH", prefix)
    if choice < 0.4:
        low, high = sorted(chance.choices(SORT_KEYS[kind], k=2), key=values.sort_key)
        return ("between", path, ("value", low), ("value", high)), legacy_condition("BETWEEN", low, high)
    name = chance.choice(["EQ", "LT", "LE", "GT", "GE"])
    operator = LEGACY[name]
    if chance.random() < 0.3:
        turned = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}[operator]
        return ("compare", turned, ("value", operand), path), legacy_condition(name, operand)
    return ("compare", operator, path, ("value", operand)), legacy_condition(name, operand)


def legacy_condition(operator, *operands):
    return {"ComparisonOperator": operator, "AttributeValueList": list(operands)}


# --- numbers ---

def test_numbers_are_kept_exactly(dynamodb, cloud, chance):
    table = cloud.create_table()
    key = {"id": {"S": "1"}}
    for _ in range(300 * CASES):
        text = values.random_number(chance)
        dynamodb.put_item(TableName=table, Item={**key, "n": {"N": text}})
        kept = dynamodb.get_item(TableName=table, Key=key)["Item"]["n"]["N"]
        assert kept == values.plain_text(values.number(text)), text


def test_arithmetic_is_exact_or_refused(dynamodb, cloud, chance):
    table = cloud.create_table()
    key = {"id": {"S": "1"}}
    kept = 0
    for number in range(500 * CASES):
        left, right = values.random_number(chance), values.random_number(chance)
        if number % 3 == 0:  # close together, so that digits cancel out
            right = values.plain_text(values.EXACT.multiply(values.number(left), chance.choice(
                [decimal.Decimal(1), decimal.Decimal(-1)])))
        sign = chance.choice([1, -1])
        dynamodb.put_item(TableName=table, Item={**key, "n": {"N": left}})
        answer, message = outcome(dynamodb.update_item, TableName=table, Key=key, ReturnValues="UPDATED_NEW",
                                  UpdateExpression=f"SET n = n {'+' if sign > 0 else '-'} :x",
                                  ExpressionAttributeValues={":x": {"N": right}})
        try:
            expected = updates.add_numbers({"N": left}, {"N": right}, sign)["N"]
        except updates.Impossible as error:
            assert message and message.startswith(str(error)), (left, sign, right, message, answer)
            continue
        assert message is None and answer["Attributes"]["n"]["N"] == expected, (left, sign, right, message, answer)
        kept += 1
    assert kept > 100


def test_numbers_sort_and_equal_by_value(dynamodb, cloud, chance):
    table = cloud.create_table("p:S s:N")
    numbers = {}
    for _ in range(200 * CASES):
        text = values.random_number(chance)
        numbers[values.number(text)] = text
        dynamodb.put_item(TableName=table, Item={"p": {"S": "a"}, "s": {"N": text}})
    found, start = [], {}
    while True:
        page = dynamodb.query(TableName=table, KeyConditionExpression="p = :p",
                              ExpressionAttributeValues={":p": {"S": "a"}}, **start)
        found += [each["s"]["N"] for each in page["Items"]]
        if "LastEvaluatedKey" not in page:
            break
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}
    assert found == [values.plain_text(number) for number in sorted(numbers)]
    for number, text in chance.sample(list(numbers.items()), 50):
        spelled = f"{values.EXACT.multiply(number, decimal.Decimal(1)):e}"
        assert dynamodb.get_item(TableName=table, Key={"p": {"S": "a"}, "s": {"N": spelled}})["Item"], (text, spelled)


def test_sets_of_numbers_hold_each_once(dynamodb, cloud, chance):
    table = cloud.create_table()
    key = item(id="1")
    for _ in range(100 * CASES):
        texts = [values.random_number(chance) for _ in range(chance.randint(1, 5))]
        twice = chance.random() < 0.3
        if twice:
            texts.append(values.plain_text(values.number(texts[0])))
        distinct = {values.number(text) for text in texts}
        answer, message = outcome(dynamodb.put_item, TableName=table, Item={**key, "s": {"NS": texts}})
        if len(distinct) < len(texts):
            assert message and "contains duplicates" in message, texts
        else:
            assert message is None, texts
            kept = dynamodb.get_item(TableName=table, Key=key)["Item"]["s"]["NS"]
            assert sorted(kept) == sorted(values.plain_text(number) for number in distinct)
