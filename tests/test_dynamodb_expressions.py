"""Conditions and updates: what each operator and function means, and how a wrong expression is refused."""
import pytest

from harness import item, refused, value, values


@pytest.fixture(scope="module")
def table(shared_cloud):
    name = shared_cloud.create_table()
    shared_cloud.dynamodb.put_item(TableName=name, Item=ITEM)
    return name


ITEM = item(id="1", n=5, text="hello", b=b"\x01\x02", t=True, null=None, ss={"a", "b"}, ns={1, 2}, bs={b"x"},
            l=[1, "two", [3]], m={"a": {"b": 7}, "c": "d"}, size="reserved", **{"dot.ted": 1})
EXPRESSION_BYTES_MAX = 4096


# --- conditions ---

@pytest.fixture
def holds(dynamodb, table):
    def holds(condition, names=None, **parameters):
        request = {"TableName": table, "Item": ITEM, "ConditionExpression": condition}
        if parameters:
            request["ExpressionAttributeValues"] = values(**parameters)
        if names:
            request["ExpressionAttributeNames"] = names
        try:
            dynamodb.put_item(**request)
            return True
        except dynamodb.exceptions.ConditionalCheckFailedException:
            return False
    return holds


@pytest.mark.parametrize("condition, parameters, expected", [
    # comparisons, by type
    ("n = :x", {"x": 5}, True), ("n = :x", {"x": "5"}, False), ("n <> :x", {"x": "5"}, True),
    ("n < :x", {"x": 6}, True), ("n <= :x", {"x": 5}, True), ("n > :x", {"x": 5}, False), ("n >= :x", {"x": 5}, True),
    ("#t < :x", {"x": "help"}, True), ("#t > :x", {"x": "Hello"}, True), ("b < :x", {"x": b"\x01\x03"}, True),
    ("n < :x", {"x": "6"}, False),  # types that differ never compare
    ("absent = :x", {"x": 5}, False), ("absent <> :x", {"x": 5}, True), ("absent < :x", {"x": 5}, False),
    # sets, lists, maps and the rest are equal or not
    ("ss = :x", {"x": {"b", "a"}}, True), ("ns = :x", {"x": {2, 1}}, True), ("ss = :x", {"x": {"a"}}, False),
    ("l = :x", {"x": [1, "two", [3]]}, True), ("l = :x", {"x": [1, "two", [4]]}, False),
    ("m = :x", {"x": {"c": "d", "a": {"b": 7}}}, True), ("t = :x", {"x": True}, True), ("#n = :x", {"x": None}, True),
    # paths
    ("m.a.b = :x", {"x": 7}, True), ("l[1] = :x", {"x": "two"}, True), ("l[2][0] = :x", {"x": 3}, True),
    ("l[9] = :x", {"x": 3}, False), ("m.a.absent = :x", {"x": 7}, False), ("#d = :x", {"x": 1}, True),
    # BETWEEN, IN
    ("n BETWEEN :x AND :y", {"x": 5, "y": 6}, True), ("n BETWEEN :x AND :y", {"x": 6, "y": 7}, False),
    ("n IN (:x, :y)", {"x": 1, "y": 5}, True), ("n IN (:x)", {"x": 1}, False),
    (":x BETWEEN n AND :y", {"x": 6, "y": 7}, True),
    # logic
    ("n = :x AND #t = :y", {"x": 5, "y": "hello"}, True), ("n = :x OR #t = :y", {"x": 1, "y": "hello"}, True),
    ("NOT n = :x", {"x": 5}, False), ("NOT (n = :x AND #t = :y)", {"x": 5, "y": "no"}, True),
    ("n = :x OR n = :y AND #t = :z", {"x": 5, "y": 1, "z": "no"}, True),  # AND binds closer than OR
    ("NOT n = :x OR n = :y", {"x": 5, "y": 5}, True),  # NOT binds closest
    ("n = :x and not #t = :y", {"x": 5, "y": "no"}, True),  # keywords in any case
    # functions
    ("attribute_exists(n)", {}, True), ("attribute_exists(absent)", {}, False), ("attribute_exists(m.a.b)", {}, True),
    ("attribute_not_exists(absent)", {}, True), ("attribute_not_exists(l[0])", {}, False),
    ("attribute_exists(#n)", {}, True),  # an attribute of type NULL is there
    ("attribute_type(n, :x)", {"x": "N"}, True), ("attribute_type(m, :x)", {"x": "L"}, False),
    ("attribute_type(#n, :x)", {"x": "NULL"}, True), ("attribute_type(absent, :x)", {"x": "N"}, False),
    ("begins_with(#t, :x)", {"x": "he"}, True), ("begins_with(#t, :x)", {"x": "lo"}, False),
    ("begins_with(b, :x)", {"x": b"\x01"}, True), ("begins_with(n, :x)", {"x": "5"}, False),
    ("contains(#t, :x)", {"x": "ell"}, True), ("contains(ss, :x)", {"x": "a"}, True),
    ("contains(ss, :x)", {"x": "c"}, False), ("contains(ns, :x)", {"x": 2}, True), ("contains(l, :x)", {"x": "two"}, True),
    ("contains(l, :x)", {"x": 3}, False), ("contains(b, :x)", {"x": b"\x02"}, True), ("contains(n, :x)", {"x": 5}, False),
    ("size(#t) = :x", {"x": 5}, True), ("size(ss) = :x", {"x": 2}, True), ("size(l) > :x", {"x": 2}, True),
    ("size(m) = :x", {"x": 2}, True), ("size(b) = :x", {"x": 2}, True), ("size(n) = :x", {"x": 1}, False),
    ("size(absent) = :x", {"x": 0}, False), (":x = size(#t)", {"x": 5}, True),
    ("size(#t) BETWEEN :x AND :y", {"x": 1, "y": 9}, True),
], ids=lambda case: case if isinstance(case, str) else None)
def test_a_condition_means_what_the_guide_says(holds, condition, parameters, expected):
    names = {short: name for short, name in {"#t": "text", "#n": "null", "#d": "dot.ted"}.items() if short in condition}
    assert holds(condition, names or None, **parameters) is expected


# --- updates ---

@pytest.fixture
def update(cloud, dynamodb):
    """update(before, expression, names, **values): the item afterwards, without its key."""
    table = cloud.create_table()

    def update(before, expression, names=None, returned=None, **parameters):
        dynamodb.put_item(TableName=table, Item=item(id="1", **before))
        request = {"TableName": table, "Key": item(id="1"), "UpdateExpression": expression}
        if parameters:
            request["ExpressionAttributeValues"] = values(**parameters)
        if names:
            request["ExpressionAttributeNames"] = names
        if returned:
            request["ReturnValues"] = returned
        answer = dynamodb.update_item(**request)
        if returned:
            return answer.get("Attributes")
        after = dynamodb.get_item(TableName=table, Key=item(id="1"))["Item"]
        del after["id"]
        return after

    return update


def number_set(attribute):
    return {float(text) for text in attribute["NS"]}


def test_set_puts_values_where_the_path_says(update):
    assert update({}, "SET a = :x", x=1) == item(a=1)
    assert update({"a": 1}, "SET a = :x, b = :y", x=2, y="z") == item(a=2, b="z")
    assert update({"m": {"x": 1}}, "SET m.y = :y", y=2) == item(m={"x": 1, "y": 2})
    assert update({"l": [1, 2]}, "SET l[0] = :y", y=9) == item(l=[9, 2])
    # An index beyond the end appends, and never leaves a hole.
    assert update({"l": [1]}, "SET l[7] = :y", y=2) == item(l=[1, 2])
    assert update({"l": [1]}, "SET l[9] = :y, l[5] = :z", y="nine", z="five") == item(l=[1, "five", "nine"])
    assert update({"a": 1, "b": 2}, "SET a = b, b = a") == item(a=2, b=1)  # all right-hand sides see the item before
    assert update({"a": 1}, "SET #n = a", {"#n": "with.dot"}) == {"a": value(1), "with.dot": value(1)}


def test_set_computes(update):
    assert update({"a": 5}, "SET a = a + :x", x=2) == item(a=7)
    assert update({"a": 5}, "SET b = a - :x", x=7) == item(a=5, b=-2)
    assert update({"a": 5}, "SET a = if_not_exists(a, :x)", x=1) == item(a=5)
    assert update({}, "SET a = if_not_exists(a, :x) + :y", x=10, y=1) == item(a=11)
    assert update({"l": [1]}, "SET l = list_append(l, :x)", x=[2]) == item(l=[1, 2])
    assert update({"l": [1]}, "SET l = list_append(:x, l)", x=[0]) == item(l=[0, 1])
    assert update({}, "SET l = list_append(if_not_exists(l, :e), :x)", e=[], x=[1]) == item(l=[1])


def test_remove_removes_and_lists_close_up(update):
    assert update({"a": 1, "b": 2}, "REMOVE a") == item(b=2)
    assert update({"a": 1}, "REMOVE absent") == item(a=1)
    assert update({"m": {"x": 1, "y": 2}}, "REMOVE m.x") == item(m={"y": 2})
    # Indexes are those of the list before.
    assert update({"l": [0, 1, 2, 3]}, "REMOVE l[1], l[2]") == item(l=[0, 3])
    assert update({"l": [0]}, "REMOVE l[5]") == item(l=[0])


def test_add_counts_and_extends_sets(update):
    assert update({"n": 5}, "ADD n :x", x=-7) == item(n=-2)
    assert update({}, "ADD n :x", x=3) == item(n=3)
    assert update({"s": {"a"}}, "ADD s :x", x={"b", "a"}) == item(s={"a", "b"})
    assert number_set(update({}, "ADD s :x", x={1, 2})["s"]) == {1, 2}
    assert update({"m": {"n": 1}}, "ADD m.n :x", x=1) == item(m={"n": 2})


def test_delete_shrinks_sets_and_an_empty_one_vanishes(update):
    assert update({"s": {"a", "b", "c"}}, "DELETE s :x", x={"b", "z"}) == item(s={"a", "c"})
    assert update({"s": {"a"}, "k": 1}, "DELETE s :x", x={"a"}) == item(k=1)
    assert update({"k": 1}, "DELETE s :x", x={"a"}) == item(k=1)


def test_all_sections_work_together_in_any_order(update):
    after = update({"a": 1, "b": 2, "n": 1, "s": {"x", "y"}},
                   "ADD n :one REMOVE b DELETE s :s SET a = :z, c = n", one=1, s={"x"}, z="new")
    assert after == item(a="new", n=2, s={"y"}, c=1)
    assert update({"a": 1}, "set b = a remove a") == item(b=1)


def test_return_values_of_an_update(update):
    before = {"a": 1, "b": 2, "m": {"x": 1, "y": 2}}
    assert update(before, "SET a = :x", x=9, returned="NONE") is None
    assert update(before, "SET a = :x", x=9, returned="ALL_OLD") == item(id="1", **before)
    assert update(before, "SET a = :x", x=9, returned="ALL_NEW") == item(id="1", **{**before, "a": 9})
    assert update(before, "SET a = :x, c = :y", x=9, y=0, returned="UPDATED_OLD") == item(a=1)
    assert update(before, "SET a = :x, c = :y", x=9, y=0, returned="UPDATED_NEW") == item(a=9, c=0)
    assert update(before, "SET m.x = :x", x=9, returned="UPDATED_NEW") == item(m={"x": 9})
    assert update(before, "SET m.x = :x", x=9, returned="UPDATED_OLD") == item(m={"x": 1})
    assert update(before, "REMOVE a", returned="UPDATED_OLD") == item(a=1)
    assert update(before, "REMOVE a", returned="UPDATED_NEW") is None


def test_an_update_creates_what_is_missing(cloud, dynamodb):
    table = cloud.create_table()
    dynamodb.update_item(TableName=table, Key=item(id="new"), UpdateExpression="SET a = :x",
                         ExpressionAttributeValues=values(x=1))
    assert dynamodb.get_item(TableName=table, Key=item(id="new"))["Item"] == item(id="new", a=1)
    # Without an expression as well: an item of nothing but its key.
    dynamodb.update_item(TableName=table, Key=item(id="bare"))
    assert dynamodb.get_item(TableName=table, Key=item(id="bare"))["Item"] == item(id="bare")
    answer = dynamodb.update_item(TableName=table, Key=item(id="other"), ReturnValues="ALL_OLD",
                                  UpdateExpression="SET a = :x", ExpressionAttributeValues=values(x=1))
    assert "Attributes" not in answer


def test_an_update_that_only_removes_from_what_is_missing_creates_the_key(cloud, dynamodb):
    table = cloud.create_table()
    dynamodb.update_item(TableName=table, Key=item(id="bare"), UpdateExpression="REMOVE a")
    assert dynamodb.get_item(TableName=table, Key=item(id="bare")).get("Item") in (None, item(id="bare"))


# --- what an update may not do ---

@pytest.mark.parametrize("before, expression, parameters, message", [
    ({}, "SET id = :x", {"x": "2"}, "Cannot update attribute id. This attribute is part of the key"),
    ({}, "REMOVE id", {}, "Cannot update attribute id. This attribute is part of the key"),
    ({}, "SET a = absent", {}, "The provided expression refers to an attribute that does not exist in the item"),
    ({}, "SET a = a + :x", {"x": 1}, "The provided expression refers to an attribute that does not exist in the item"),
    ({"a": "text"}, "SET a = a + :x", {"x": 1}, "An operand in the update expression has an incorrect data type"),
    ({"a": 1}, "SET a = list_append(a, :x)", {"x": [1]}, "An operand in the update expression has an incorrect data type"),
    ({"a": "text"}, "ADD a :x", {"x": 1}, "An operand in the update expression has an incorrect data type"),
    ({"a": {"s"}}, "ADD a :x", {"x": {1}}, "An operand in the update expression has an incorrect data type"),
    ({"a": 1}, "DELETE a :x", {"x": {"s"}}, "An operand in the update expression has an incorrect data type"),
    ({}, "SET m.x = :x", {"x": 1}, "The document path provided in the update expression is invalid for update"),
    ({"a": 1}, "SET a.x = :x", {"x": 1}, "The document path provided in the update expression is invalid for update"),
    ({"a": 1}, "SET a[0] = :x", {"x": 1}, "The document path provided in the update expression is invalid for update"),
    ({"a": {"k": 1}}, "SET a[0] = :x", {"x": 1}, "The document path provided in the update expression is invalid"),
    ({}, "REMOVE m.x", {}, "The document path provided in the update expression is invalid for update"),
    ({}, "SET a = :x, a = :y", {"x": 1, "y": 2}, "Two document paths overlap with each other; must remove or rewrite one "
     "of these paths; path one: [a], path two: [a]"),
    ({}, "SET a = :x REMOVE a.b", {"x": 1}, "Two document paths overlap with each other; must remove or rewrite one of "
     "these paths; path one: [a], path two: [a, b]"),
    ({}, "SET a.b = :x, a[0] = :y", {"x": 1, "y": 2}, "Two document paths conflict with each other; must remove or "
     "rewrite one of these paths; path one: [a, b], path two: [a, [0]]"),
    ({}, "SET a = :x SET b = :y", {"x": 1, "y": 2},
     'Invalid UpdateExpression: The "SET" section can only be used once in an update expression;'),
    ({}, "ADD a :x", {"x": "text"}, "Incorrect operand type for operator or function; operator: ADD, operand type: STRING"),
    ({}, "DELETE a :x", {"x": 1}, "Incorrect operand type for operator or function; operator: DELETE, operand type: NUMBER"),
    ({}, "SET a = :x + :y", {"x": 1, "y": "s"},
     "Incorrect operand type for operator or function; operator or function: +, operand type: S"),
    ({}, "SET a = size(b)", {}, "The function is not allowed in an update expression; function: size"),
    ({}, "SET a = nonsense(:x)", {"x": 1}, "Invalid UpdateExpression: Invalid function name; function: nonsense"),
    ({}, "SET a = if_not_exists(a)", {}, "Incorrect number of operands for operator or function; operator or function: "
     "if_not_exists, number of operands: 1"),
    ({}, "SET a = list_append(:x, :y)", {"x": 1, "y": [1]},
     "Incorrect operand type for operator or function; operator or function: list_append, operand type: N"),
], ids=lambda case: case if isinstance(case, str) and len(case) < 40 else None)
def test_an_update_that_cannot_be_is_refused(update, before, expression, parameters, message):
    with refused("ValidationException", message):
        update(before, expression, **parameters)


# --- what is wrong with an expression itself ---

@pytest.fixture
def condition(dynamodb, table):
    def condition(text, names=None, **parameters):
        request = {"TableName": table, "Key": item(id="1"), "ConditionExpression": text}
        if parameters:
            request["ExpressionAttributeValues"] = values(**parameters)
        if names:
            request["ExpressionAttributeNames"] = names
        dynamodb.delete_item(**request)
    return condition


@pytest.mark.parametrize("text, parameters, message", [
    ("", {}, "Invalid ConditionExpression: The expression can not be empty;"),
    ("a = ", {}, 'Invalid ConditionExpression: Syntax error; token: "<EOF>", near: "= '),
    ("a == :x", {"x": 1}, 'Invalid ConditionExpression: Syntax error; token: "="'),
    ("a = :x AND", {"x": 1}, 'Invalid ConditionExpression: Syntax error; token: "<EOF>", near: "AND"'),
    ("(a = :x", {"x": 1}, 'Invalid ConditionExpression: Syntax error; token: "<EOF>"'),
    ("a ! :x", {"x": 1}, 'Invalid ConditionExpression: Syntax error; token: "!"'),
    ("size = :x", {"x": 1}, "Invalid ConditionExpression: Attribute name is a reserved keyword; reserved keyword: size"),
    ("m.Name = :x", {"x": 1}, "Invalid ConditionExpression: Attribute name is a reserved keyword; reserved keyword: Name"),
    ("a = :absent", {}, "Invalid ConditionExpression: An expression attribute value used in expression is not defined; "
     "attribute value: :absent"),
    ("#absent = :x", {"x": 1}, "Invalid ConditionExpression: An expression attribute name used in the document path is "
     "not defined; attribute name: #absent"),
    ("nonsense(a)", {}, "Invalid ConditionExpression: Invalid function name; function: nonsense"),
    ("Attribute_Exists(a)", {}, "Invalid ConditionExpression: Invalid function name; function: Attribute_Exists"),
    ("attribute_exists(a, b)", {}, "Incorrect number of operands for operator or function; operator or function: "
     "attribute_exists, number of operands: 2"),
    ("begins_with(a, :x)", {"x": 1}, "Incorrect operand type for operator or function; operator or function: "
     "begins_with, operand type: N"),
    ("attribute_type(a, :x)", {"x": "Z"}, "Invalid attribute type name found"),
    ("size(a)", {}, "The function is not allowed to be used this way in an expression; function: size"),
    ("attribute_exists(a) = :x", {"x": True}, "The function is not allowed to be used this way in an expression; "
     "function: attribute_exists"),
    ("a = a", {}, "The first operand must be distinct from the remaining operands for this operator or function; "
     "operator: =, first operand: [a]"),
    ("a BETWEEN :x AND :y", {"x": 2, "y": 1}, "The BETWEEN operator requires upper bound to be greater than or equal to "
     "lower bound; lower bound operand: AttributeValue: {N:2}, upper bound operand: AttributeValue: {N:1}"),
    ("a < :x", {"x": [1]}, "Incorrect operand type for operator or function; operator or function: <, operand type: L"),
    ("((a = :x))", {"x": 1}, "The expression has redundant parentheses;"),
    ("a = :x", {"x": 1, "y": 2},
     "Value provided in ExpressionAttributeValues unused in expressions: keys: {:y}"),
], ids=lambda case: case if isinstance(case, str) and len(case) < 30 else None)
def test_a_wrong_condition_is_refused(condition, text, parameters, message):
    with refused("ValidationException", message):
        condition(text, **parameters)


def test_names_that_are_not_used_are_refused(condition):
    with refused("ValidationException",
                 "Value provided in ExpressionAttributeNames unused in expressions: keys: {#unused}"):
        condition("a = :x", {"#unused": "b"}, x=1)


def test_keys_of_substitutions_have_a_form(dynamodb, table):
    with refused("ValidationException", 'ExpressionAttributeNames contains invalid key: Syntax error; key: "x"'):
        dynamodb.get_item(TableName=table, Key=item(id="1"), ProjectionExpression="x",
                          ExpressionAttributeNames={"x": "y"})
    with refused("ValidationException", 'ExpressionAttributeValues contains invalid key: Syntax error; key: "x"'):
        dynamodb.put_item(TableName=table, Item=item(id="1"), ConditionExpression="a = :x",
                          ExpressionAttributeValues={"x": value(1)})


def test_substitutions_without_an_expression_are_refused(dynamodb, table):
    with refused("ValidationException", "ExpressionAttributeNames can only be specified when using expressions"):
        dynamodb.get_item(TableName=table, Key=item(id="1"), ExpressionAttributeNames={"#a": "a"})
    with refused("ValidationException", "ExpressionAttributeValues can only be specified when using expressions"):
        dynamodb.put_item(TableName=table, Item=item(id="1"), ExpressionAttributeValues=values(x=1))
    with refused("ValidationException", "ExpressionAttributeNames must not be empty"):
        dynamodb.get_item(TableName=table, Key=item(id="1"), ProjectionExpression="a", ExpressionAttributeNames={})
    with refused("ValidationException", "ExpressionAttributeValues must not be empty"):
        dynamodb.put_item(TableName=table, Item=item(id="1"), ConditionExpression="attribute_exists(a)",
                          ExpressionAttributeValues={})


# Checked before the syntax, so that a parser never sees what is too long.
def test_an_expression_of_more_than_4_kb_is_refused(condition):
    with refused("ValidationException", "Invalid ConditionExpression: Expression size has exceeded the maximum allowed "
                 f"size; expression size: {EXPRESSION_BYTES_MAX + 1}"):
        condition("!" * (EXPRESSION_BYTES_MAX + 1))


def test_an_expression_of_more_than_300_operators_is_refused(condition):
    text = " OR ".join(["a=:x"] * 151)  # 151 comparisons and 150 ORs
    with refused("ValidationException", "The expression contains too many operators; operator count: 301"):
        condition(text, x=1)


def test_in_takes_100_operands(condition, dynamodb):
    hundred = ",".join(f":v{number}" for number in range(100))
    with pytest.raises(dynamodb.exceptions.ConditionalCheckFailedException):
        condition(f"a IN ({hundred})", **{f"v{number}": number for number in range(100)})
    with refused("ValidationException", ""):
        condition(f"a IN ({hundred},:v100)", **{f"v{number}": number for number in range(101)})


def test_deep_parentheses_do_not_take_the_server_down(condition):
    with refused("ValidationException", ""):
        condition("(" * 2000 + "a=:x" + ")" * 2000, x=1)
    with refused("ValidationException", ""):
        condition("NOT " * 1000 + "a=:x", x=1)


# --- concurrency ---

def test_counters_lose_nothing_when_many_count_at_once(cloud, dynamodb):
    from concurrent.futures import ThreadPoolExecutor
    table = cloud.create_table()
    dynamodb.put_item(TableName=table, Item=item(id="counter", n=0))

    def count(_):
        dynamodb.update_item(TableName=table, Key=item(id="counter"), UpdateExpression="SET n = n + :one",
                             ExpressionAttributeValues=values(one=1))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(count, range(400)))
    assert dynamodb.get_item(TableName=table, Key=item(id="counter"), ConsistentRead=True)["Item"]["n"] == {"N": "400"}


def test_only_one_of_many_creates_an_item(cloud, dynamodb):
    from concurrent.futures import ThreadPoolExecutor
    table = cloud.create_table()

    def create(number):
        try:
            dynamodb.put_item(TableName=table, Item=item(id="only", by=number),
                              ConditionExpression="attribute_not_exists(id)")
            return number
        except dynamodb.exceptions.ConditionalCheckFailedException:
            return None

    with ThreadPoolExecutor(8) as pool:
        winners = [number for number in pool.map(create, range(40)) if number is not None]
    assert len(winners) == 1
    assert dynamodb.get_item(TableName=table, Key=item(id="only"))["Item"]["by"] == value(winners[0])
