"""The parameters that expressions have replaced: Expected, AttributeUpdates, KeyConditions, filters, AttributesToGet."""
import pytest

from harness import item, refused, value

INVALID = "One or more parameter values were invalid: "
OPERATORS = ["EQ", "NE", "LE", "LT", "GE", "GT", "CONTAINS", "NOT_CONTAINS", "BEGINS_WITH"]
OF_EVERY_TYPE = {"S": "a", "N": 1, "B": b"a", "BOOL": True, "NULL": None, "L": [1], "M": {"a": 1}, "SS": {"a"},
                 "NS": {1}, "BS": {b"a"}}
SUBJECT = item(id="1", n=5, text="hello", b=b"\x01\x02", t=True, null=None, ss={"a", "b"}, ns={1, 2}, bs={b"x"},
               l=[1, "two", [3]], m={"a": 7}, **{"dot.ted": 1})


def condition(operator, *operands):
    return {"ComparisonOperator": operator, "AttributeValueList": [value(operand) for operand in operands]}


@pytest.fixture(scope="module")
def table(shared_cloud):
    name = shared_cloud.create_table()
    shared_cloud.dynamodb.put_item(TableName=name, Item=SUBJECT)
    return name


@pytest.fixture(scope="module")
def sorted_table(shared_cloud):
    name = shared_cloud.create_table("p:S s:N")
    for number in range(6):
        shared_cloud.put_item(name, p="a", s=number, even=number % 2 == 0, text=f"item {number}")
    shared_cloud.put_item(name, p="b", s=9)
    return name


# --- Expected ---

@pytest.fixture
def holds(dynamodb, table):
    def holds(expected, **more):
        try:
            dynamodb.put_item(TableName=table, Item=SUBJECT, Expected=expected, **more)
            return True
        except dynamodb.exceptions.ConditionalCheckFailedException:
            return False
    return holds


@pytest.mark.parametrize("attribute, operator, operands, expected", [
    ("n", "EQ", [5], True), ("n", "EQ", [{"N": "5.0"}], True), ("n", "EQ", ["5"], False), ("absent", "EQ", [5], False),
    ("ss", "EQ", [{"b", "a"}], True), ("l", "EQ", [[1, "two", [3]]], True), ("m", "EQ", [{"a": 7}], True),
    ("t", "EQ", [True], True), ("null", "EQ", [None], True),
    ("n", "NE", [6], True), ("n", "NE", [5], False), ("n", "NE", ["5"], True), ("absent", "NE", [5], True),
    ("n", "LE", [5], True), ("n", "LT", [5], False), ("n", "GE", [5], True), ("n", "GT", [5], False),
    ("text", "LT", ["help"], True), ("b", "GT", [b"\x01"], True), ("n", "LT", ["9"], False), ("absent", "LT", [9], False),
    ("n", "BETWEEN", [5, 6], True), ("n", "BETWEEN", [6, 7], False), ("text", "BETWEEN", ["a", "z"], True),
    ("n", "BETWEEN", ["a", "z"], False), ("absent", "BETWEEN", [0, 9], False),
    ("n", "IN", [1, 5], True), ("n", "IN", [1], False), ("ns", "IN", [1, 2], False), ("absent", "IN", [1], False),
    ("text", "BEGINS_WITH", ["he"], True), ("b", "BEGINS_WITH", [b"\x02"], False), ("n", "BEGINS_WITH", ["5"], False),
    ("text", "CONTAINS", ["ell"], True), ("ss", "CONTAINS", ["a"], True), ("ns", "CONTAINS", [2], True),
    ("l", "CONTAINS", ["two"], True), ("b", "CONTAINS", [b"\x02"], True), ("text", "CONTAINS", [1], False),
    ("absent", "CONTAINS", ["a"], False),
    ("text", "NOT_CONTAINS", ["ell"], False), ("text", "NOT_CONTAINS", ["x"], True), ("ss", "NOT_CONTAINS", ["c"], True),
    ("text", "NOT_CONTAINS", [1], True),
    # Of an attribute that is not there both are false: it has nothing to look into.
    ("absent", "NOT_CONTAINS", ["a"], False),
    # Despite their names, these do not look at values of type NULL.
    ("null", "NULL", [], False), ("null", "NOT_NULL", [], True), ("absent", "NULL", [], True), ("absent", "NOT_NULL", [], False),
    ("dot.ted", "EQ", [1], True), ("m.a", "EQ", [7], False),  # names, never paths
])
def test_expected_means_what_the_guide_says(holds, attribute, operator, operands, expected):
    assert holds({attribute: condition(operator, *operands)}) is expected


def test_expected_has_an_older_form(holds):
    assert holds({"n": {"Value": value(5)}})
    assert not holds({"n": {"Value": value(6)}})
    assert holds({"n": {"Value": value(5), "Exists": True}})
    assert not holds({"n": {"Value": value(6), "Exists": True}})
    assert not holds({"n": {"Exists": False}})
    assert holds({"absent": {"Exists": False}})
    assert not holds({"absent": {"Value": value(5)}})
    assert holds({"n": {"ComparisonOperator": "GT", "Value": value(4)}})  # accepted, though the guide says otherwise


def test_conditions_are_joined_by_and_unless_the_operator_is_or(holds):
    one_of_two = {"n": condition("EQ", 5), "text": condition("EQ", "bye")}
    assert not holds(one_of_two)
    assert not holds(one_of_two, ConditionalOperator="AND")
    assert holds(one_of_two, ConditionalOperator="OR")
    assert holds({})


@pytest.mark.parametrize("expected, message", [
    ({}, "Value must be provided when Exists is null for Attribute: n"),
    ({"Exists": True}, "Value must be provided when Exists is true for Attribute: n"),
    ({"Exists": False, "Value": value(1)}, "Value cannot be used when Exists is false for Attribute: n"),
    ({"Exists": True, **condition("EQ", 1)}, "Exists and ComparisonOperator cannot be used together for Attribute: n"),
    ({"Value": value(1), **condition("EQ", 1)}, "Value and AttributeValueList cannot be used together for Attribute: n"),
    ({"AttributeValueList": [value(1)]}, "AttributeValueList can only be used with a ComparisonOperator for Attribute: n"),
    ({"AttributeValueList": [value(1)], "Exists": False},
     "AttributeValueList can only be used with a ComparisonOperator for Attribute: n"),
    ({"ComparisonOperator": "EQ"},
     "Value or AttributeValueList must be used with ComparisonOperator: EQ for Attribute: n"),
    ({"ComparisonOperator": "BETWEEN", "Value": value(1)},
     "Invalid number of argument(s) for the BETWEEN ComparisonOperator"),
    ({"ComparisonOperator": "NULL", "Value": value(1)}, "Invalid number of argument(s) for the NULL ComparisonOperator"),
    (condition("IN", 1, "a"), "AttributeValues inside AttributeValueList must be of same type"),
])
def test_the_forms_of_expected_do_not_mix(dynamodb, table, expected, message):
    with refused("ValidationException", "1 validation error detected: " + INVALID + message, exactly=True):
        dynamodb.put_item(TableName=table, Item=SUBJECT, Expected={"n": expected})


def test_expected_guards_every_write(dynamodb, cloud):
    table = cloud.create_table()
    cloud.put_item(table, id="1", n=1)
    with pytest.raises(dynamodb.exceptions.ConditionalCheckFailedException):
        dynamodb.delete_item(TableName=table, Key=item(id="1"), Expected={"n": {"Value": value(2)}})
    with pytest.raises(dynamodb.exceptions.ConditionalCheckFailedException):
        dynamodb.update_item(TableName=table, Key=item(id="1"), Expected={"n": {"Value": value(2)}},
                             AttributeUpdates={"n": {"Value": value(3)}})
    dynamodb.update_item(TableName=table, Key=item(id="1"), Expected={"n": {"Value": value(1)}},
                         AttributeUpdates={"n": {"Value": value(3)}})
    dynamodb.delete_item(TableName=table, Key=item(id="1"), Expected={"n": {"Value": value(3)}})
    assert "Item" not in dynamodb.get_item(TableName=table, Key=item(id="1"))


# --- operands, the same wherever there are conditions ---

@pytest.fixture(params=["Expected", "QueryFilter", "KeyConditions", "ScanFilter"])
def refuse(request, dynamodb, table):
    """refuse(condition, message): the condition is refused in each of the parameters."""
    def refuse(wrong, message, prefixed=True):
        # Scan alone does not begin its messages so.
        begin = "1 validation error detected: " if prefixed and request.param != "ScanFilter" else ""
        with refused("ValidationException", begin + message, exactly=True):
            if request.param == "Expected":
                dynamodb.put_item(TableName=table, Item=SUBJECT, Expected={"a": wrong})
            elif request.param == "QueryFilter":
                dynamodb.query(TableName=table, QueryFilter={"a": wrong}, KeyConditions={"id": condition("EQ", "1")})
            elif request.param == "KeyConditions":
                dynamodb.query(TableName=table, KeyConditions={"a": wrong})
            else:
                dynamodb.scan(TableName=table, ScanFilter={"a": wrong})
    return refuse


def test_operands_are_counted(refuse):
    def wrong_count(operator, *operands):
        refuse(condition(operator, *operands),
               INVALID + f"Invalid number of argument(s) for the {operator} ComparisonOperator")

    for operator in OPERATORS:
        wrong_count(operator)
        wrong_count(operator, "a", "b")
    for operator in ["NULL", "NOT_NULL"]:
        wrong_count(operator, "a")
    for operands in [], ["a"], ["a", "b", "c"]:
        wrong_count("BETWEEN", *operands)
    wrong_count("IN")


def test_operands_are_typed(refuse):
    takes = {"LE": "SNB", "LT": "SNB", "GE": "SNB", "GT": "SNB", "IN": "SNB", "BETWEEN": "SNB", "BEGINS_WITH": "SB",
             "CONTAINS": ["S", "N", "B", "BOOL", "NULL"], "NOT_CONTAINS": ["S", "N", "B", "BOOL", "NULL"]}
    for operator, types in takes.items():
        for name, plain in OF_EVERY_TYPE.items():
            if name not in list(types):
                operands = [plain, plain] if operator == "BETWEEN" else [plain]
                refuse(condition(operator, *operands),
                       INVALID + f"ComparisonOperator {operator} is not valid for {name} AttributeValue type")


def test_operands_of_one_condition_are_of_one_type_and_in_order(refuse):
    for operator in "IN", "BETWEEN":
        refuse(condition(operator, "a", 1), INVALID + "AttributeValues inside AttributeValueList must be of same type")
    refuse(condition("BETWEEN", "b", "a"),
           "The BETWEEN condition was provided a range where the lower bound is greater than the upper bound")


def test_operators_are_known(dynamodb, table):
    for unknown in "eq", "DOG":
        with refused("ValidationException", f"1 validation error detected: Value '{unknown}' at 'scanFilter.a.member."
                     "comparisonOperator' failed to satisfy constraint: Member must satisfy enum value set: [IN, NULL, "
                     "BETWEEN, LT, NOT_CONTAINS, EQ, GT, NOT_NULL, NE, LE, BEGINS_WITH, GE, CONTAINS]", exactly=True):
            dynamodb.scan(TableName=table, ScanFilter={"a": condition(unknown, 1)})
    with refused("ValidationException", "Value 'and' at 'conditionalOperator' failed to satisfy constraint: "
                 "Member must satisfy enum value set: [OR, AND]"):
        dynamodb.scan(TableName=table, ConditionalOperator="and", ScanFilter={"a": condition("NULL"),
                                                                               "b": condition("NULL")})


# --- AttributeUpdates ---

@pytest.fixture
def update(cloud, dynamodb):
    """update(before, action, value): what becomes of attribute a, None if there is none; without `before` there is no
    item at first."""
    table = cloud.create_table()

    def update(before, action=None, operand=None):
        if before is None:
            dynamodb.delete_item(TableName=table, Key=item(id="1"))
        else:
            dynamodb.put_item(TableName=table, Item=item(id="1", **before))
        change = {} if action is None else {"Action": action}
        if operand is not None:
            change["Value"] = value(operand)
        dynamodb.update_item(TableName=table, Key=item(id="1"), AttributeUpdates={"a": change})
        return dynamodb.get_item(TableName=table, Key=item(id="1")).get("Item", {"a": "no item"}).get("a")
    return update


def in_order(attribute):
    return {kind: sorted(elements, key=str) for kind, elements in attribute.items()}


def test_put_sets_an_attribute(update):
    assert update({}, "PUT", 1) == {"N": "1"}
    assert update({"a": "x"}, "PUT", [1]) == {"L": [{"N": "1"}]}
    assert update({"a": "x"}, None, "y") == {"S": "y"}  # PUT is what is done unless told otherwise
    assert update(None, "PUT", 1) == {"N": "1"}


def test_add_adds_to_numbers_sets_and_lists(update):
    assert update({"a": 7}, "ADD", -2.5) == {"N": "4.5"}
    assert in_order(update({"a": {1, 2}}, "ADD", {2, 3})) == {"NS": ["1", "2", "3"]}
    assert in_order(update({"a": {"x"}}, "ADD", {"y"})) == {"SS": ["x", "y"]}
    assert in_order(update({"a": {b"x"}}, "ADD", {b"y"})) == {"BS": [b"x", b"y"]}
    # Not documented, but so it is: lists grow at their ends.
    assert update({"a": [1]}, "ADD", [1, "x"]) == value([1, 1, "x"])


@pytest.mark.parametrize("operand", [3, {1, 2}, {"a"}, [1]])
def test_add_makes_what_is_missing(update, operand):
    expected = in_order(value(operand)) if isinstance(operand, set) else value(operand)
    assert update({}, "ADD", operand) == expected
    assert update(None, "ADD", operand) == expected


def test_delete_removes_an_attribute_or_elements_of_a_set(update):
    assert update({"a": "x"}, "DELETE") is None
    assert update({}, "DELETE") is None
    assert in_order(update({"a": {1, 2, 3}}, "DELETE", {2, 4})) == {"NS": ["1", "3"]}
    assert update({"a": {"x"}}, "DELETE", {"x"}) is None  # there are no empty sets
    # Deleting makes no item.
    assert update(None, "DELETE") == "no item"
    assert update(None, "DELETE", {1}) == "no item"


def test_types_must_fit_the_action(update):
    begin = "1 validation error detected: " + INVALID
    for name, plain in OF_EVERY_TYPE.items():
        operand = {"NULL": True} if plain is None else plain
        if name not in ("N", "L", "SS", "NS", "BS"):
            with refused("ValidationException", begin + f"ADD action is not supported for the type {name}", exactly=True):
                update({}, "ADD", operand)
        if name not in ("SS", "NS", "BS"):
            with refused("ValidationException",
                         begin + f"DELETE action with value is not supported for the type {name}", exactly=True):
                update({}, "DELETE", operand)
    for before, action, operand in [("x", "ADD", 1), ({"x"}, "ADD", {1}), ({"x"}, "ADD", 1), ([1], "ADD", {1}),
                                    (1, "ADD", [1]), ({"x"}, "DELETE", {1}), (1, "DELETE", {1})]:
        with refused("ValidationException", "Type mismatch for attribute to update", exactly=True):
            update({"a": before}, action, operand)


def test_only_delete_does_without_a_value(update):
    for action in None, "PUT", "ADD":
        with refused("ValidationException", "1 validation error detected: " + INVALID +
                     "Only DELETE action is allowed when no attribute value is specified", exactly=True):
            update({}, action)
    with refused("ValidationException", "1 validation error detected: Value 'NONEXISTENT' at 'attributeUpdates.a.member."
                 "action' failed to satisfy constraint: Member must satisfy enum value set: [ADD, DELETE, PUT]", exactly=True):
        update({}, "NONEXISTENT", 1)


def test_updates_of_several_attributes_happen_together(dynamodb, cloud):
    table = cloud.create_table()
    cloud.put_item(table, id="1", name="old", count=1, extra="x")
    answer = dynamodb.update_item(TableName=table, Key=item(id="1"), ReturnValues="UPDATED_NEW", AttributeUpdates={
        "name": {"Action": "PUT", "Value": value("new")}, "count": {"Action": "ADD", "Value": value(9)},
        "extra": {"Action": "DELETE"}})
    assert answer["Attributes"] == item(name="new", count=10)
    assert dynamodb.get_item(TableName=table, Key=item(id="1"))["Item"] == item(id="1", name="new", count=10)


def test_an_empty_update_makes_an_item_of_its_key(dynamodb, cloud):
    table = cloud.create_table()
    dynamodb.update_item(TableName=table, Key=item(id="1"), AttributeUpdates={})
    assert dynamodb.get_item(TableName=table, Key=item(id="1"))["Item"] == item(id="1")


def test_a_key_attribute_is_not_updated(dynamodb, table):
    for change in {"Value": value("2")}, {"Action": "DELETE"}:
        with refused("ValidationException", INVALID + "Cannot update attribute id. This attribute is part of the key"):
            dynamodb.update_item(TableName=table, Key=item(id="1"), AttributeUpdates={"id": change})


# --- KeyConditions, QueryFilter, ScanFilter ---

@pytest.fixture
def numbers(dynamodb, sorted_table):
    """numbers(s=condition, …): the sort keys found in partition a."""
    def numbers(s=None, **more):
        keys = {"p": condition("EQ", "a")}
        if s:
            keys["s"] = s
        answer = dynamodb.query(TableName=sorted_table, KeyConditions=keys, **more)
        return [int(found["s"]["N"]) for found in answer["Items"]]
    return numbers


def test_key_conditions_find_a_range(numbers):
    assert numbers() == [0, 1, 2, 3, 4, 5]
    assert numbers(condition("EQ", 3)) == [3]
    assert numbers(condition("LT", 2)) == [0, 1]
    assert numbers(condition("LE", 2)) == [0, 1, 2]
    assert numbers(condition("GT", 3)) == [4, 5]
    assert numbers(condition("GE", 3)) == [3, 4, 5]
    assert numbers(condition("BETWEEN", 1, 3)) == [1, 2, 3]
    assert numbers(ScanIndexForward=False, Limit=2) == [5, 4]


def test_key_conditions_find_prefixes(dynamodb, cloud):
    table = cloud.create_table("p:S s:S")
    for s in "a", "ab", "b":
        cloud.put_item(table, p="a", s=s)
    answer = dynamodb.query(TableName=table, KeyConditions={"p": condition("EQ", "a"), "s": condition("BEGINS_WITH", "a")})
    assert [found["s"]["S"] for found in answer["Items"]] == ["a", "ab"]


def test_key_conditions_are_on_the_keys(dynamodb, sorted_table):
    def wrong(message, **conditions):
        with refused("ValidationException", message, exactly=True):
            dynamodb.query(TableName=sorted_table, KeyConditions=conditions)

    p = condition("EQ", "a")
    wrong("Query condition missed key schema element: p", s=condition("EQ", 1))
    wrong("Query condition missed key schema element: s", p=p, x=condition("EQ", 1))
    wrong("Conditions can be of length 1 or 2 only", p=p, s=condition("EQ", 1), x=condition("EQ", 1))
    wrong("Conditions can be of length 1 or 2 only")
    for operator in "LE", "LT", "GE", "GT", "BEGINS_WITH":
        wrong("Query key condition not supported", p=condition(operator, "a"))
    wrong("Query key condition not supported", p=condition("BETWEEN", "a", "b"))
    for operator in "NE", "IN", "CONTAINS", "NOT_CONTAINS":
        wrong("Attempted conditional constraint is not an indexable operation", p=p, s=condition(operator, 1))
    wrong("Attempted conditional constraint is not an indexable operation", p=p, s=condition("NULL"))
    wrong(INVALID + "Condition parameter type does not match schema type", p=condition("EQ", 1))
    wrong(INVALID + "Condition parameter type does not match schema type", p=p, s=condition("EQ", "1"))


def test_a_query_filter_drops_what_has_been_counted(dynamodb, sorted_table, numbers):
    assert numbers(QueryFilter={"even": condition("EQ", True)}) == [0, 2, 4]
    assert numbers(QueryFilter={"even": condition("EQ", True), "text": condition("CONTAINS", "3")}) == []
    assert numbers(QueryFilter={"even": condition("EQ", True), "text": condition("CONTAINS", "3")},
                   ConditionalOperator="OR") == [0, 2, 3, 4]
    assert numbers(QueryFilter={}) == [0, 1, 2, 3, 4, 5]
    answer = dynamodb.query(TableName=sorted_table, KeyConditions={"p": condition("EQ", "a")},
                            QueryFilter={"even": condition("EQ", True)}, Limit=3)
    assert (answer["Count"], answer["ScannedCount"], answer["LastEvaluatedKey"]) == (2, 3, item(p="a", s=2))


def test_a_query_filter_is_not_on_keys(dynamodb, sorted_table):
    for key, plain in ("p", "a"), ("s", 1):
        with refused("ValidationException", "QueryFilter can only contain non-primary key attributes: Primary key "
                     f"attribute: {key}", exactly=True):
            dynamodb.query(TableName=sorted_table, KeyConditions={"p": condition("EQ", "a")},
                           QueryFilter={key: condition("EQ", plain)})


def test_key_conditions_go_with_newer_filters_and_projections(dynamodb, sorted_table):
    answer = dynamodb.query(TableName=sorted_table, KeyConditions={"p": condition("EQ", "a")}, ProjectionExpression="s",
                            FilterExpression="even = :e", ExpressionAttributeValues={":e": {"BOOL": False}})
    assert answer["Items"] == [item(s=1), item(s=3), item(s=5)]


def test_a_scan_filter_may_be_on_anything(dynamodb, sorted_table):
    def scan(**filters):
        answer = dynamodb.scan(TableName=sorted_table, ScanFilter=filters)
        return sorted(int(found["s"]["N"]) for found in answer["Items"])

    assert scan(p=condition("EQ", "b")) == [9]
    assert scan(s=condition("BETWEEN", 4, 9)) == [4, 5, 9]
    assert scan(even=condition("NULL")) == [9]
    assert scan(even=condition("NE", True)) == [1, 3, 5, 9]
    assert scan(s=condition("IN", 1, 9), p=condition("EQ", "a")) == [1]


def test_query_wants_key_conditions(dynamodb, sorted_table):
    with refused("ValidationException", "Either the KeyConditions or KeyConditionExpression parameter must be specified "
                 "in the request.", exactly=True):
        dynamodb.query(TableName=sorted_table, QueryFilter={"p": condition("EQ", "a")})


# --- ConditionalOperator ---

def requests(dynamodb, table):
    """Each operation that has a ConditionalOperator, with the name of the conditions that it joins."""
    key = item(id="1")
    return [
        (lambda **more: dynamodb.put_item(TableName=table, Item=SUBJECT, **more), "Expected"),
        (lambda **more: dynamodb.delete_item(TableName=table, Key=key, **more), "Expected"),
        (lambda **more: dynamodb.update_item(TableName=table, Key=key, **more), "Expected"),
        (lambda **more: dynamodb.query(TableName=table, **more), "QueryFilter"),
        (lambda **more: dynamodb.scan(TableName=table, **more), "ScanFilter"),
    ]


def test_a_conditional_operator_needs_conditions_to_join(dynamodb, table):
    for call, conditions in requests(dynamodb, table):
        for nothing in {}, {conditions: {}}:
            with refused("ValidationException", "ConditionalOperator cannot be used without Filter or Expected",
                         exactly=True):
                call(ConditionalOperator="AND", **nothing)
        with refused("ValidationException", "ConditionalOperator can only be used when Filter or Expected has two or "
                     "more elements", exactly=True):
            call(ConditionalOperator="AND", **{conditions: {"a": condition("EQ", 1)}})


# --- what does not go together ---

def mixed(old, new):
    return refused("ValidationException", "Can not use both expression and non-expression parameters in the same request: "
                   f"Non-expression parameters: {{{old}}} Expression parameters: {{{new}}}", exactly=True)


def test_expressions_and_what_they_replaced_do_not_mix(dynamodb, table):
    key, one = item(id="1"), {"a": condition("EQ", 1)}
    with mixed("Expected, ConditionalOperator", "ConditionExpression"):
        dynamodb.put_item(TableName=table, Item=key, Expected=one, ConditionalOperator="AND",
                          ConditionExpression="attribute_exists(id)")
    with mixed("ConditionalOperator", "ConditionExpression"):
        dynamodb.delete_item(TableName=table, Key=key, ConditionalOperator="AND", ConditionExpression="attribute_exists(id)")
    with mixed("AttributeUpdates, Expected, ConditionalOperator", "UpdateExpression, ConditionExpression"):
        dynamodb.update_item(TableName=table, Key=key, AttributeUpdates={"a": {"Value": value(1)}}, Expected=one,
                             ConditionalOperator="AND", UpdateExpression="SET a = :a",
                             ConditionExpression="attribute_exists(id)", ExpressionAttributeValues={":a": value(1)})
    with mixed("AttributeUpdates", "ConditionExpression"):
        dynamodb.update_item(TableName=table, Key=key, AttributeUpdates={"a": {"Value": value(1)}},
                             ConditionExpression="attribute_exists(id)")
    with mixed("AttributesToGet", "ProjectionExpression"):
        dynamodb.get_item(TableName=table, Key=key, AttributesToGet=["a"], ProjectionExpression="a")
    with mixed("AttributesToGet", "ProjectionExpression"):
        dynamodb.batch_get_item(RequestItems={table: {"Keys": [key], "AttributesToGet": ["a"], "ProjectionExpression": "a"}})
    with mixed("AttributesToGet, QueryFilter, ConditionalOperator, KeyConditions",
               "ProjectionExpression, FilterExpression, KeyConditionExpression"):
        dynamodb.query(TableName=table, AttributesToGet=["a"], QueryFilter=one, ConditionalOperator="OR",
                       KeyConditions=one, ProjectionExpression="a", FilterExpression="a = :a",
                       KeyConditionExpression="id = :a", ExpressionAttributeValues={":a": value(1)})
    with mixed("AttributesToGet", "KeyConditionExpression"):
        dynamodb.query(TableName=table, AttributesToGet=["a"], KeyConditionExpression="id = :a",
                       ExpressionAttributeValues={":a": value("1")})
    # Comes before what else is wrong.
    with mixed("AttributesToGet, ScanFilter, ConditionalOperator", "ProjectionExpression, FilterExpression"):
        dynamodb.scan(TableName=table, AttributesToGet=["a"], ScanFilter=one, ConditionalOperator="OR",
                      ProjectionExpression="", FilterExpression="a = :a",
                      ExpressionAttributeValues={":a": value(1), ":unused": value(1)})


# --- AttributesToGet ---

def test_attributes_to_get_are_whole_attributes(dynamodb, table):
    names = ["n", "dot.ted", "absent", "m"]
    expected = item(n=5, m={"a": 7}, **{"dot.ted": 1})
    assert dynamodb.get_item(TableName=table, Key=item(id="1"), AttributesToGet=names)["Item"] == expected
    assert dynamodb.query(TableName=table, KeyConditions={"id": condition("EQ", "1")},
                          AttributesToGet=names)["Items"] == [expected]
    assert dynamodb.scan(TableName=table, AttributesToGet=names)["Items"] == [expected]
    assert dynamodb.scan(TableName=table, AttributesToGet=names, Select="SPECIFIC_ATTRIBUTES")["Items"] == [expected]
    answer = dynamodb.batch_get_item(RequestItems={table: {"Keys": [item(id="1")], "AttributesToGet": names}})
    assert answer["Responses"][table] == [expected]
    # Names, not paths; and an item of which nothing is left is still an item.
    assert dynamodb.get_item(TableName=table, Key=item(id="1"), AttributesToGet=["m.a"])["Item"] == {}


def test_attributes_to_get_are_named_once(dynamodb, table):
    message = INVALID + "Duplicate value in attribute name: a"
    with refused("ValidationException", message):
        dynamodb.get_item(TableName=table, Key=item(id="1"), AttributesToGet=["a", "b", "a"])
    with refused("ValidationException", message):
        dynamodb.query(TableName=table, KeyConditions={"id": condition("EQ", "1")}, AttributesToGet=["a", "a"])
    with refused("ValidationException", message, exactly=True):
        dynamodb.scan(TableName=table, AttributesToGet=["a", "a"])
    with refused("ValidationException", message, exactly=True):
        dynamodb.batch_get_item(RequestItems={table: {"Keys": [item(id="1")], "AttributesToGet": ["a", "a"]}})


def test_attributes_to_get_do_not_go_with_counting(dynamodb, table):
    with refused("ValidationException", "Cannot specify the AttributesToGet when choosing to get only the Count", exactly=True):
        dynamodb.scan(TableName=table, AttributesToGet=["a"], Select="COUNT")
    with refused("ValidationException",
                 "1 validation error detected: Cannot specify the AttributesToGet when choosing to get ALL_ATTRIBUTES",
                 exactly=True):
        dynamodb.query(TableName=table, KeyConditions={"id": condition("EQ", "1")}, AttributesToGet=["a"],
                       Select="ALL_ATTRIBUTES")
