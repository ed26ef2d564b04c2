"""Every message about items, keys, values and requests, word for word. Where AWS has two wordings that differ by
region, the test is satisfied with what they share."""
import zlib

import pytest

from dynamodb_message_support import DETECTED, DYNAMODB, INVALID, OPERANDS, call, simple  # noqa: F401: fixtures
from harness import item, value, values


@pytest.fixture(scope="module")
def table(shared_cloud):
    return shared_cloud.create_table("id:S sort:N")


# --- keys ---

def test_a_key_must_fit_the_schema(call, table):
    wrong = "The provided key element does not match the schema"
    for key in (item(id="1"), item(id=1, sort=1), item(id="1", sort="1"), item(id="1", sort=1, more=1), item(other="1", sort=1), {}):
        assert call("GetItem", {"TableName": table, "Key": key}) == wrong
        assert call("DeleteItem", {"TableName": table, "Key": key}) == wrong
        assert call("UpdateItem", {"TableName": table, "Key": key}) == wrong
        assert call("BatchGetItem", {"RequestItems": {table: {"Keys": [key]}}}) == wrong
        assert call("BatchWriteItem", {"RequestItems": {table: [{"DeleteRequest": {"Key": key}}]}}) == wrong


def test_an_item_must_have_its_key(call, table):
    def put(**attributes):
        single = call("PutItem", {"TableName": table, "Item": item(**attributes)})
        if not single.startswith(INVALID + "Type mismatch"):
            batch = {"RequestItems": {table: [{"PutRequest": {"Item": item(**attributes)}}]}}
            assert call("BatchWriteItem", batch) == "The provided key element does not match the schema"
        return single

    assert put(id="1") == INVALID + "Missing the key sort in the item"
    assert put(sort=1) == INVALID + "Missing the key id in the item"
    assert put(id=1, sort=1) == INVALID + "Type mismatch for key id expected: S actual: N"
    assert put(id="1", sort={"x"}) == INVALID + "Type mismatch for key sort expected: N actual: SS"


def test_a_key_is_not_empty(call, cloud, simple):
    empty = ("One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty "
             "{} value. Key: id")
    binary = cloud.create_table("id:B")
    for table, key, kind in (simple, {"id": {"S": ""}}, "string"), (binary, {"id": {"B": ""}}, "binary"):
        for operation, part in ("PutItem", "Item"), ("GetItem", "Key"), ("DeleteItem", "Key"), ("UpdateItem", "Key"):
            assert call(operation, {"TableName": table, part: key}) == empty.format(kind)
        assert call("BatchGetItem", {"RequestItems": {table: {"Keys": [key]}}}) == empty.format(kind)
        assert call("Query", {"TableName": table, "KeyConditionExpression": "id = :v",
                              "ExpressionAttributeValues": {":v": key["id"]}}) == empty.format(kind)


def test_a_key_is_not_too_long_in_any_operation(call, cloud):
    table = cloud.create_table("id:S sort:S")
    hash_long = INVALID + "Size of hashkey has exceeded the maximum size limit of2048 bytes"
    sort_long = INVALID + "Aggregated size of all range keys has exceeded the size limit of 1024 bytes"
    # Bytes, not characters.
    for key, message in (item(id="ä" * 1025, sort="s"), hash_long), (item(id="x", sort="ä" * 513), sort_long):
        for operation, part in ("PutItem", "Item"), ("GetItem", "Key"), ("DeleteItem", "Key"), ("UpdateItem", "Key"):
            assert call(operation, {"TableName": table, part: key}) == message
        assert call("BatchWriteItem", {"RequestItems": {table: [{"PutRequest": {"Item": key}}]}}) == message
        assert call("Query", {"TableName": table, "KeyConditionExpression": "id = :i AND sort = :s",
                              "ExpressionAttributeValues": {":i": key["id"], ":s": key["sort"]}}) == message


def test_a_key_attribute_cannot_be_updated(call, table):
    for expression, name in ("SET id = :v", "id"), ("REMOVE sort", "sort"), ("ADD sort :v", "sort"):
        request = {"TableName": table, "Key": item(id="1", sort=1), "UpdateExpression": expression}
        if ":v" in expression:
            request["ExpressionAttributeValues"] = values(v=1)
        assert call("UpdateItem", request) == INVALID + f"Cannot update attribute {name}. This attribute is part of the key"


# --- sizes ---

def test_an_item_is_at_most_400_kilobytes(call, simple):
    text = "x" * (400 * 1024 - len("id") - len("1") - len("t"))
    large = item(id="1", t=text + "x")
    too_large = "Item size has exceeded the maximum allowed size"
    assert call("PutItem", {"TableName": simple, "Item": large}) == too_large
    assert call("BatchWriteItem", {"RequestItems": {simple: [{"PutRequest": {"Item": large}}]}}) == too_large
    assert call("UpdateItem", {"TableName": simple, "Key": item(id="big"), "UpdateExpression": "SET t = :t",
                               "ExpressionAttributeValues": values(t=text + "x" * 10)}) == \
        "Item size to update has exceeded the maximum allowed size"


# Half a byte a digit, before and behind the point each rounded up, and a byte: measured at the limit of an item's size.
@pytest.mark.parametrize("text, size", [
    ("0", 1), ("-0", 1), ("1", 2), ("12", 2), ("123", 3), ("1" * 38, 20), ("0042", 2), ("100", 2), ("1010", 3),
    ("0.0000001", 2), ("1E125", 2), ("1E-100", 2), ("1.5", 3), ("1.200", 3), ("1.234", 4), ("3.14159", 5),
    ("123456", 4), ("100.5", 4), ("0.15", 2), ("-42", 3),
])
def test_what_a_number_weighs(call, dynamodb, simple, text, size):
    def weighing(total):
        padding = total - len("id") - len("1") - len("n") - size - len("p")
        return {"id": {"S": "1"}, "n": {"N": text}, "p": {"S": "x" * padding}}

    dynamodb.put_item(TableName=simple, Item=weighing(400 * 1024))
    assert call("PutItem", {"TableName": simple, "Item": weighing(400 * 1024 + 1)}) == \
        "Item size has exceeded the maximum allowed size"


# --- values ---

ENVELOPED = [  # in statements these begin with "1 validation error detected: ", on most other operations not
    ({"SS": []}, INVALID + "An string set  may not be empty"),
    ({"NS": []}, INVALID + "An number set  may not be empty"),
]
VALUES = [
    ({}, "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"),
    ({"X": "1"}, "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"),
    ({"S": "a", "N": "1"}, "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the "
     "supported datatypes"),
    ({"NULL": False}, INVALID + "Null attribute value types must have the value of true"),
    ({"BS": []}, INVALID + "Binary sets should not be empty"),
    ({"N": "abc"}, "The parameter cannot be converted to a numeric value: abc"),
    ({"NS": ["1", "abc"]}, "The parameter cannot be converted to a numeric value: abc"),
    ({"N": "1e126"}, "Number overflow. Attempting to store a number with magnitude larger than supported range"),
    ({"N": "-1e126"}, "Number overflow. Attempting to store a number with magnitude larger than supported range"),
    ({"N": "1e-131"}, "Number underflow. Attempting to store a number with magnitude smaller than supported range"),
    ({"N": "1" * 39}, "Attempting to store more than 38 significant digits in a Number"),
    ({"NS": ["1", "1.0"]}, "Input collection"),
    ({"SS": ["a", "a"]}, "Input collection"),
    ({"BS": ["YQ==", "YQ=="]}, "of type BS contains duplicates."),
]


def places(wrong):
    """The value itself, and inside of others."""
    return [wrong, {"L": [{"S": "x"}, wrong]}, {"M": {"a": {"L": [wrong]}}}]


@pytest.mark.parametrize("wrong, message", VALUES + ENVELOPED, ids=lambda case: str(case)[:30])
def test_a_wrong_value_is_refused_wherever_it_stands(call, simple, wrong, message):
    for attribute in places(wrong):
        for operation, request in [
                ("PutItem", {"TableName": simple, "Item": {"id": {"S": "1"}, "a": attribute}}),
                ("UpdateItem", {"TableName": simple, "Key": item(id="1"), "UpdateExpression": "SET a = :a",
                                "ExpressionAttributeValues": {":a": attribute}}),
                ("Query", {"TableName": simple, "KeyConditionExpression": "id = :a",
                           "ExpressionAttributeValues": {":a": attribute}}),
                ("Scan", {"TableName": simple, "FilterExpression": "id = :a",
                          "ExpressionAttributeValues": {":a": attribute}}),
                ("Scan", {"TableName": simple, "ScanFilter": {"a": {"ComparisonOperator": "EQ",
                                                                     "AttributeValueList": [attribute]}}}),
                ("BatchWriteItem", {"RequestItems": {simple: [{"PutRequest": {"Item": {"id": {"S": "1"}, "a": attribute}}}]}})]:
            assert message in call(operation, request)


# As captures of October 2026 have it.
def test_values_are_enveloped_on_writes_of_one_item_only(call, simple):
    for wrong, message in VALUES[:11] + ENVELOPED:
        assert call("DeleteItem", {"TableName": simple, "Key": {"id": wrong}}) == DETECTED + message
        assert call("GetItem", {"TableName": simple, "Key": {"id": wrong}}) == message
        assert call("BatchGetItem", {"RequestItems": {simple: {"Keys": [{"id": wrong}]}}}) == message
        assert call("PutItem", {"TableName": simple, "Item": {"id": {"S": "1"}, "a": wrong}}) == DETECTED + message
        assert call("UpdateItem", {"TableName": simple, "Key": {"id": {"S": "1"}},
                                   "AttributeUpdates": {"a": {"Value": wrong}}}) == DETECTED + message
        assert call("BatchWriteItem", {"RequestItems": {simple: [{"PutRequest": {"Item": {"a": wrong}}}]}}) == message


@pytest.mark.parametrize("wrong, newer, older", [
    ({"SS": ["b", "a", "b", "c"]}, INVALID + 'Input collection ["a", "b", "b", "c"] contains duplicates.',
     INVALID + "Input collection [b, a, b, c] contains duplicates."),
    ({"BS": ["AA==", "/w==", "AA=="]}, INVALID + 'Input collection ["AA==","/w==","AA=="]of type BS contains duplicates.',
     INVALID + "Input collection [AA==, /w==, AA==]of type BS contains duplicates."),
    ({"NS": ["1", "1.0"]}, INVALID + "Input collection contains duplicates.", "Input collection contains duplicates"),
    ({"N": ""}, "The parameter cannot be converted to a numeric value: ", "The parameter cannot be converted to a numeric value"),
])
def test_writes_of_one_item_and_reads_have_newer_words(call, simple, wrong, newer, older):
    key = {"id": {"S": "1"}}
    assert call("PutItem", {"TableName": simple, "Item": {**key, "a": wrong}}) == DETECTED + newer
    assert call("UpdateItem", {"TableName": simple, "Key": key, "UpdateExpression": "SET a = :a",
                               "ExpressionAttributeValues": {":a": wrong}}) == DETECTED + newer
    assert call("Query", {"TableName": simple, "KeyConditionExpression": "id = :a",
                          "ExpressionAttributeValues": {":a": wrong}}) == newer
    assert call("BatchWriteItem", {"RequestItems": {simple: [{"PutRequest": {"Item": {**key, "a": wrong}}}]}}) == older
    assert call("Scan", {"TableName": simple, "FilterExpression": "a = :a", "ExpressionAttributeValues": {":a": wrong}}) == older


@pytest.mark.parametrize("operation, request_part, message", [
    ("PutItem", {"ExpressionAttributeNames": {"#a": "a"}},
     "ExpressionAttributeNames can only be specified when using expressions"),
    ("PutItem", {"ExpressionAttributeValues": {":a": {"S": "a"}}},
     "ExpressionAttributeValues can only be specified when using expressions"),
    ("UpdateItem", {"ExpressionAttributeNames": {}, "UpdateExpression": "REMOVE a"}, "ExpressionAttributeNames must not be empty"),
    ("DeleteItem", {"ConditionExpression": ""}, "Invalid ConditionExpression: The expression can not be empty;"),
    ("DeleteItem", {"ConditionExpression": "a = :v"},
     "Invalid ConditionExpression: An expression attribute value used in expression is not defined; attribute value: :v"),
    ("DeleteItem", {"ReturnValues": "ALL_NEW"}, "ReturnValues can only be ALL_OLD or NONE"),
])
def test_writes_of_one_item_envelope_what_expressions_lack(call, simple, operation, request_part, message):
    where = "Item" if operation == "PutItem" else "Key"
    assert call(operation, {"TableName": simple, where: {"id": {"S": "1"}}, **request_part}) == DETECTED + message


# What AWS reads as an exponent is as long as 64 bits, and zero's is looked at, too.
@pytest.mark.parametrize("text, message", [
    ("1e99999999999", "Number overflow."), ("1e2147483648", "Number overflow."), ("-1e99999999999", "Number overflow."),
    ("1e-99999999999", "Number underflow."), ("1e-2147483649", "Number underflow."), ("0e126", "Number overflow."),
    ("0e-131", "Number underflow."), ("1e9223372036854775808", "The parameter cannot be converted to a numeric value"),
    ("1e-9223372036854775809", "The parameter cannot be converted to a numeric value"),
])
def test_exponents_are_read_in_full(call, simple, text, message):
    assert message in call("PutItem", {"TableName": simple, "Item": {"id": {"S": "1"}, "n": {"N": text}}})


def test_a_batch_reads_the_largest_exponent_as_the_smallest(call, simple):
    put = {"PutRequest": {"Item": {"id": {"S": "1"}, "n": {"N": "1e2147483647"}}}}
    assert call("BatchWriteItem", {"RequestItems": {simple: [put]}}).startswith("Number underflow.")


def test_attribute_names_are_not_empty(call, simple):
    for attribute in {"": {"S": "x"}}, {"m": {"M": {"": {"S": "x"}}}}, {"l": {"L": [{"M": {"": {"S": "x"}}}]}}:
        assert "Empty attribute name" in call("PutItem", {"TableName": simple, "Item": {"id": {"S": "1"}, **attribute}})


def test_attribute_names_have_at_most_65535_bytes_wherever_they_stand(call, dynamodb, simple):
    longest = "n" * 65535
    key = item(id="names")
    dynamodb.put_item(TableName=simple, Item={**key, longest: {"N": "1"}})
    dynamodb.update_item(TableName=simple, Key=key, UpdateExpression="SET #n = #n + :one", ConditionExpression="#n = :one",
                         ExpressionAttributeNames={"#n": longest}, ExpressionAttributeValues=values(one=1))
    dynamodb.update_item(TableName=simple, Key=key, AttributeUpdates={longest: {"Action": "ADD", "Value": value(1)}})
    assert dynamodb.get_item(TableName=simple, Key=key, AttributesToGet=[longest])["Item"] == {longest: {"N": "3"}}
    long = longest + "n"
    for operation, request in [
            ("PutItem", {"Item": {**key, long: {"N": "1"}}}),
            ("PutItem", {"Item": key, "Expected": {long: {"Exists": False}}}),
            ("GetItem", {"Key": key, "AttributesToGet": [long]}),
            ("GetItem", {"Key": key, "ProjectionExpression": "#n", "ExpressionAttributeNames": {"#n": long}}),
            ("UpdateItem", {"Key": key, "AttributeUpdates": {long: {"Value": value(1)}}}),
            ("UpdateItem", {"Key": key, "UpdateExpression": "REMOVE #n", "ExpressionAttributeNames": {"#n": long}}),
            ("Scan", {"ScanFilter": {long: {"ComparisonOperator": "NULL"}}})]:
        said = call(operation, {"TableName": simple, **request})
        assert "65535" in said or "65536" in said


def test_values_nest_32_levels(call, dynamodb, simple):
    def nested(levels, inner="L"):
        inside = {"S": "x"}
        for _ in range(levels):
            inside = {"L": [inside]} if inner == "L" else {"M": {"x": inside}}
        return inside

    message = ("Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond "
               "supported limit")
    for inner in "L", "M":
        dynamodb.put_item(TableName=simple, Item={"id": {"S": "deep"}, "a": nested(31, inner)})
        assert call("PutItem", {"TableName": simple, "Item": {"id": {"S": "deep"}, "a": nested(32, inner)}}) == message
        # Also of a value that only a condition sees.
        assert message in call("PutItem", {"TableName": simple, "Item": {"id": {"S": "deep"}}, "ConditionExpression": "a = :a",
                                           "ExpressionAttributeValues": {":a": nested(32, inner)}})
    # What an update builds deeper than that.
    dynamodb.put_item(TableName=simple, Item={"id": {"S": "deep"}, "a": nested(30)})
    assert call("UpdateItem", {"TableName": simple, "Key": {"id": {"S": "deep"}}, "UpdateExpression": "SET a[0][0] = :a",
                               "ExpressionAttributeValues": {":a": nested(30)}}) == message


# --- constraints of the request's shape ---

def test_violations_are_gathered(call, simple):
    said = call("PutItem", {"TableName": "", "ReturnValues": "ALL", "ReturnConsumedCapacity": "SOME",
                            "ReturnItemCollectionMetrics": "MANY"})
    assert said.startswith("5 validation errors detected: ")
    for part in ("Value null at 'item' failed to satisfy constraint: Member must not be null",
                 "Value 'ALL' at 'returnValues' failed to satisfy constraint: Member must satisfy enum value set: "
                 "[ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]",
                 "Value 'SOME' at 'returnConsumedCapacity' failed to satisfy constraint: Member must satisfy enum value "
                 "set: [INDEXES, TOTAL, NONE]",
                 "Value 'MANY' at 'returnItemCollectionMetrics' failed to satisfy constraint: Member must satisfy enum "
                 "value set: [SIZE, NONE]",
                 "Member must have length greater than or equal to 1"):
        assert part in said
    assert said.count("; ") == 4


def test_one_violation_is_one_error(call, simple):
    assert call("GetItem", {"TableName": simple, "Key": item(id="1"), "ReturnConsumedCapacity": "Garbage"}) == DETECTED + \
        "Value 'Garbage' at 'returnConsumedCapacity' failed to satisfy constraint: Member must satisfy enum value set: " \
        "[INDEXES, TOTAL, NONE]"
    assert call("BatchGetItem", {"RequestItems": {simple: {"Keys": [item(id=str(n)) for n in range(101)]}}}) == DETECTED + \
        f"Value at 'RequestItems.{simple}.member.Keys' failed to satisfy constraint: Member must have length less than or " \
        "equal to 100"


# As captures of October 2026 have it: numbers and collections are not shown, and their members are spelled in capitals.
def test_what_is_not_shown_is_named_as_the_api_spells_it(call, simple):
    failed = "failed to satisfy constraint: Member must have"
    assert call("Query", {"TableName": simple, "KeyConditionExpression": "id = :v", "Limit": 0,
                          "ExpressionAttributeValues": values(v="1")}) == \
        DETECTED + f"Value at 'Limit' {failed} value greater than or equal to 1"
    put = {"PutRequest": {"Item": item(id="1")}}
    assert call("BatchWriteItem", {"RequestItems": {simple: [put] * 26}}) == \
        DETECTED + f"Value at 'RequestItems.{simple}.member' {failed} length less than or equal to 25"
    for operation in "BatchWriteItem", "BatchGetItem":
        assert call(operation, {"RequestItems": {}}) == \
            DETECTED + f"Value at 'RequestItems' {failed} length greater than or equal to 1"
    for operation in "TransactWriteItems", "TransactGetItems":
        assert call(operation, {"TransactItems": []}) == \
            DETECTED + f"Value at 'TransactItems' {failed} length greater than or equal to 1"


def test_lists_of_writes_that_are_empty_are_told_of_with_their_tables(call, simple):
    assert call("BatchWriteItem", {"RequestItems": {simple: []}}) == DETECTED + \
        f"Value '{{{simple}=[]}}' at 'requestItems' failed to satisfy constraint: Map value must satisfy constraint: " \
        "[Member must have length less than or equal to 25, Member must have length greater than or equal to 1]"


NAME_PATTERN = "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"


def test_a_tables_name_is_checked_with_all_other_members(call, simple):
    def at(name):
        return f"Value '{name}' at 'tableName' failed to satisfy constraint: "

    assert call("PutItem", {"TableName": "bad table!@#", "Item": item(id="1")}) == DETECTED + at("bad table!@#") + NAME_PATTERN
    assert call("GetItem", {"TableName": "t" * 256, "Key": item(id="1")}) == \
        DETECTED + at("t" * 256) + "Member must have length less than or equal to 255"
    said = call("PutItem", {"TableName": "bad table", "Item": item(id="1"), "ReturnValues": "ALL"})
    assert said.startswith("2 validation errors detected: " + at("bad table") + NAME_PATTERN + "; Value 'ALL' at 'returnValues'")
    assert call("DescribeTable", {"TableName": "bad table"}) == DETECTED + at("bad table") + NAME_PATTERN


def test_a_new_tables_name_is_needed_and_has_three_characters(call):
    request = {"AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}], "BillingMode": "PAY_PER_REQUEST",
               "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}]}
    assert call("CreateTable", {**request, "TableName": "ab"}) == DETECTED + \
        "Value 'ab' at 'tableName' failed to satisfy constraint: Member must have length greater than or equal to 3"
    assert call("CreateTable", request) == "The parameter 'TableName' is required but was not present in the request"


def test_a_batchs_wrong_tables_are_shown_as_they_came(call):
    name = "Value '{\"bad!name\":{\"Keys\":[{\"pk\":{\"S\":\"a\"}}]}}' at 'requestItems' failed to satisfy constraint: Map keys " \
           "must satisfy constraint: [Member must have length less than or equal to 255, Member must have length greater than or " \
           f"equal to 3, {NAME_PATTERN}]"
    request = {"RequestItems": {"bad!name": {"Keys": [item(pk="a")]}}}
    assert call("BatchGetItem", request) == DETECTED + name
    assert call("BatchGetItem", {**request, "ReturnConsumedCapacity": "BOGUS"}) == \
        f"2 validation errors detected: {name}; Value 'BOGUS' at 'returnConsumedCapacity' failed to satisfy constraint: " \
        "Member must satisfy enum value set: [INDEXES, TOTAL, NONE]"
    assert call("BatchWriteItem", {"RequestItems": {"bad!name": [{"PutRequest": {"Item": item(pk="a")}}]}}).endswith(
        f"equal to 3, {NAME_PATTERN}]")


def test_several_violations_come_in_the_order_of_aws(call, simple):
    empty_name = "Value '' at 'tableName' failed to satisfy constraint: Member must have length greater than or equal to 1"
    no_key = "Value null at 'key' failed to satisfy constraint: Member must not be null"
    enum = "failed to satisfy constraint: Member must satisfy enum value set: "
    assert call("UpdateItem", {"TableName": ""}) == f"2 validation errors detected: {empty_name}; {no_key}"
    assert call("UpdateItem", {"TableName": "", "ReturnConsumedCapacity": "INVALID", "ReturnValues": "INVALID"}) == \
        f"4 validation errors detected: Value 'INVALID' at 'returnConsumedCapacity' {enum}[INDEXES, TOTAL, NONE]; " \
        f"{empty_name}; Value 'INVALID' at 'returnValues' {enum}[ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]; {no_key}"
    assert call("UpdateItem", {"TableName": simple, "ConditionalOperator": "XOR"}) == \
        f"2 validation errors detected: Value 'XOR' at 'conditionalOperator' {enum}[OR, AND]; {no_key}"
    said = call("TransactWriteItems", {"TransactItems": [{"Put": {"TableName": simple, "Item": item(id="1")}}],
                                       "ClientRequestToken": "x" * 37, "ReturnConsumedCapacity": "BOGUS"})
    assert said.index("lientRequestToken") < said.index("returnConsumedCapacity")

    def index(name):
        return {"IndexName": name, "Projection": {"ProjectionType": "ALL"},
                "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}]}

    said = call("CreateTable", {
        "TableName": "order-of-indexes", "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}], "BillingMode": "PAY_PER_REQUEST",
        "LocalSecondaryIndexes": [index("aa")], "GlobalSecondaryIndexes": [index("zz")]})
    short = "Member must have length greater than or equal to 3"
    assert said == "2 validation errors detected: " \
        f"Value 'zz' at 'globalSecondaryIndexes.1.member.indexName' failed to satisfy constraint: {short}; " \
        f"Value 'aa' at 'localSecondaryIndexes.1.member.indexName' failed to satisfy constraint: {short}"


def test_return_values_of_puts_and_deletes_are_few(call, simple):
    for operation, part, beginning in ("PutItem", "Item", ""), ("DeleteItem", "Key", DETECTED):
        assert call(operation, {"TableName": simple, part: item(id="1"), "ReturnValues": "ALL_NEW"}) == \
            beginning + "ReturnValues can only be ALL_OLD or NONE"


# --- kinds of errors ---

def test_an_unknown_table_has_two_wordings(call):
    kind = DYNAMODB + "ResourceNotFoundException"
    assert call("GetItem", {"TableName": "no-such-table", "Key": item(id="1")}, kind) == "Requested resource not found"
    assert call("Scan", {"TableName": "no-such-table"}, kind) == "Requested resource not found"
    assert call("DescribeTable", {"TableName": "no-such-table"}, kind) == \
        "Requested resource not found: Table: no-such-table not found"


def test_json_of_another_type_is_a_serialization_error(call, simple):
    kind = "com.amazon.coral.service#SerializationException"
    put = {"TableName": simple}
    assert call("PutItem", {**put, "Item": {"id": {"S": "1"}, "n": {"N": 123}}}, kind) == \
        "NUMBER_VALUE cannot be converted to String"
    assert call("PutItem", {**put, "Item": {"id": {"S": True}}}, kind) == "TRUE_VALUE cannot be converted to String"
    assert call("GetItem", {**put, "Key": item(id="1"), "ProjectionExpression": ["a"]}, kind)
    assert call("GetItem", {**put, "Key": item(id="1"), "ConsistentRead": "yes"}, kind)


def test_every_answer_is_signed_with_its_sum(cloud, simple):
    for operation, body in ("GetItem", b'{"TableName":"%s","Key":{"id":{"S":"1"}}}' % simple.encode()), ("GetItem", b"{}"):
        status, headers, content = cloud.raw("dynamodb", "POST", "/", body, {
            "X-Amz-Target": "DynamoDB_20120810." + operation, "Content-Type": "application/x-amz-json-1.0"})
        headers = {name.lower(): text for name, text in headers.items()}
        assert int(headers["x-amz-crc32"]) == zlib.crc32(content)
        assert headers["content-type"] == "application/x-amz-json-1.0"
        assert headers["x-amzn-requestid"]


def test_a_failed_condition_may_bring_the_item(cloud):
    table = cloud.create_table()
    cloud.put_item(table, id="1", n=1)
    status, answer = cloud.call_json("DynamoDB_20120810.PutItem", {
        "TableName": table, "Item": item(id="1"), "ConditionExpression": "attribute_not_exists(id)",
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD"})
    assert (status, answer["__type"], answer["Message"], answer["Item"]) == (
        400, DYNAMODB + "ConditionalCheckFailedException", "The conditional request failed", item(id="1", n=1))


# --- batches, queries and scans ---

def test_a_batch_does_not_mix_old_and_new_ways_to_pick_attributes(call, table, simple):
    old, new = {"AttributesToGet": ["a"]}, {"ProjectionExpression": "a"}
    mixed = "Can not use both expression and non-expression parameters in the same request: Non-expression parameters: " \
            "{AttributesToGet} Expression parameters: {ProjectionExpression}"
    assert call("BatchGetItem", {"RequestItems": {simple: {"Keys": [item(id="1")], **old},
                                                  table: {"Keys": [item(id="1", sort=1)], **new}}}) == mixed
    assert call("BatchGetItem", {"RequestItems": {simple: {"Keys": [item(id="1")], **old, **new}}}) == mixed


def test_batches_are_limited_and_without_duplicates(call, simple):
    twice = [item(id="1"), item(id="1")]
    duplicates = "Provided list of item keys contains duplicates"
    assert call("BatchGetItem", {"RequestItems": {simple: {"Keys": twice}}}) == duplicates
    assert call("BatchWriteItem", {"RequestItems": {simple: [{"DeleteRequest": {"Key": key}} for key in twice]}}) == duplicates
    assert call("BatchWriteItem", {"RequestItems": {simple: [{"PutRequest": {"Item": twice[0]}},
                                                             {"DeleteRequest": {"Key": twice[1]}}]}}) == duplicates


QUERIES = [
    ("sort = :n", "Query condition missed key schema element: id"),
    ("id = :v AND another = :n", "Query condition missed key schema element: sort"),
    ("id > :v", "Query key condition not supported"),
    ("id BETWEEN :v AND :v", "Query key condition not supported"),
    ("id = :v OR sort = :n", "Invalid operator used in KeyConditionExpression: OR"),
    ("NOT id = :v", "Invalid operator used in KeyConditionExpression: NOT"),
    ("id IN (:v)", "Invalid operator used in KeyConditionExpression: IN"),
    ("id <> :v", "Invalid operator used in KeyConditionExpression: <>"),
    ("attribute_exists(id)", "Invalid operator used in KeyConditionExpression: attribute_exists"),
    ("contains(id, :v)", "Invalid operator used in KeyConditionExpression: contains"),
    ("size(id) = :n", "KeyConditionExpressions cannot contain nested operations"),
    ("id.x = :v", "Invalid KeyConditionExpression: KeyConditionExpressions cannot have conditions on nested attributes"),
    ("id = :v AND sort[0] = :n", "Invalid KeyConditionExpression: KeyConditionExpressions cannot have conditions on nested "
     "attributes"),
    ("id = sort", "Invalid KeyConditionExpression: Invalid condition in KeyConditionExpression: Multiple attribute names used in "
     "one condition"),
    (":v = :v", "Invalid KeyConditionExpression: Invalid condition in KeyConditionExpression: No key attribute specified"),
    ("begins_with(:v, id)", "Invalid KeyConditionExpression: Invalid condition in KeyConditionExpression: begins_with operator "
     "must have the key attribute as its first operand"),
    ("id = :v AND sort > :n AND sort < :n", "Invalid KeyConditionExpression: KeyConditionExpressions must only contain one "
     "condition per key"),
    ("id = :v AND sort > :n AND extra = :n", "The number of query conditions (3) exceeds the number of key attributes "
     "defined in the schema (2)"),
    ("id = :n", INVALID + "Condition parameter type does not match schema type"),
    ("id = :v AND sort = :v", INVALID + "Condition parameter type does not match schema type"),
    ("id = :v AND begins_with(sort, :v)", INVALID + "Condition parameter type does not match schema type"),
    ("id = :v AND begins_with(sort, :n)", "Invalid KeyConditionExpression: Incorrect operand type for operator or function; "
     "operator or function: begins_with, operand type: N"),
    ("id = :v AND sort BETWEEN :two AND :n", "Invalid KeyConditionExpression: The BETWEEN operator requires upper bound to "
     "be greater than or equal to lower bound; lower bound operand: AttributeValue: {N:2}, upper bound operand: "
     "AttributeValue: {N:1}"),
]


def test_a_querys_filter_is_read_before_its_key_conditions(call, table):
    for condition in "(id = x)", "id > :v", "oops oops":
        assert call("Query", {"TableName": table, "KeyConditionExpression": condition, "FilterExpression": ""}) \
            .endswith("Invalid FilterExpression: The expression can not be empty;")


@pytest.mark.parametrize("text, message", QUERIES, ids=[text for text, _ in QUERIES])
def test_a_wrong_key_condition_is_refused_in_these_words(call, table, text, message):
    used = {name: operand for name, operand in OPERANDS.items() if name in text}
    said = call("Query", {"TableName": table, "KeyConditionExpression": text,
                          **({"ExpressionAttributeValues": used} if used else {})})
    assert said.removeprefix(DETECTED) == message


def test_what_a_query_selects_must_fit(call, table):
    query = {"TableName": table, "KeyConditionExpression": "id = :v", "ExpressionAttributeValues": values(v="1")}
    for more, message in [
            ({"Select": "ALL_PROJECTED_ATTRIBUTES"},
             "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName"),
            ({"Select": "SPECIFIC_ATTRIBUTES"},
             "Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES"),
            ({"Select": "COUNT", "ProjectionExpression": "a"},
             "Cannot specify the ProjectionExpression when choosing to get only the Count")]:
        assert call("Query", {**query, **more}) == DETECTED + message
        assert call("Scan", {"TableName": table, **more}) == message
    assert call("Query", {**query, "FilterExpression": "sort = :v"}) == \
        "Filter Expression can only contain non-primary key attributes: Primary key attribute: sort"
    assert call("Query", {"TableName": table}) == \
        "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request."


def test_where_a_query_or_scan_starts_must_fit(call, cloud, table, simple):
    query = {"TableName": table, "KeyConditionExpression": "id = :v AND sort > :n",
             "ExpressionAttributeValues": values(v="1", n=5)}
    assert call("Query", {**query, "ExclusiveStartKey": item(id="1", sort=1)}) == \
        "The provided starting key does not match the range key predicate"
    assert call("Query", {"TableName": table, "KeyConditionExpression": "id = :v", "ExpressionAttributeValues": values(v="1"),
                          "ExclusiveStartKey": item(id="2", sort=1)}) == \
        "The provided starting key is outside query boundaries based on provided conditions"
    for start in item(id="1"), item(id="1", sort="x"), item(id="1", sort=1, x=1), item(x=1, sort=1):
        assert call("Query", {**query, "ExclusiveStartKey": start}).startswith("The provided starting key is invalid")
        assert call("Scan", {"TableName": table, "ExclusiveStartKey": start}).startswith("The provided starting key is invalid")
