"""Numbers of 38 digits, and how large things may be (facts: AWS developer guide, limits; capacity unit sizes)."""
import pytest

from harness import item, refused, value, values

ITEM_BYTES_MAX = 400 * 1024


@pytest.fixture(scope="module")
def table(shared_cloud):
    return shared_cloud.create_table()


def put_number(cloud, table, text):
    return cloud.dynamodb.put_item(TableName=table, Item={"id": {"S": "n"}, "n": {"N": text}})


def get_number(cloud, table):
    return cloud.dynamodb.get_item(TableName=table, Key=item(id="n"))["Item"]["n"]["N"]


# --- numbers ---

@pytest.mark.parametrize("put, got", [
    ("0", "0"), ("-0", "0"), ("0.0", "0"), ("0e5", "0"), ("000", "0"),
    ("1e3", "1000"), ("+3", "3"), ("007", "7"), ("1.10", "1.1"), (".5", "0.5"), ("-.5", "-0.5"), ("5.", "5"),
    ("1E-2", "0.01"), ("12e-1", "1.2"), ("-1.50e1", "-15"),
    ("9" * 38, "9" * 38), ("-" + "9" * 38, "-" + "9" * 38), ("0." + "1" * 38, "0." + "1" * 38),
    ("1e125", "1" + "0" * 125), ("-1e125", "-1" + "0" * 125), ("9." + "9" * 37 + "e125", "9" * 38 + "0" * 88),
    ("1e-130", "0." + "0" * 129 + "1"), ("-1e-130", "-0." + "0" * 129 + "1"),
    ("1" + "0" * 60, "1" + "0" * 60),  # trailing zeros are not significant
    ("0.0e126", "0"),
])
def test_a_number_comes_back_as_plain_decimal(cloud, table, put, got):
    put_number(cloud, table, put)
    assert get_number(cloud, table) == got


@pytest.mark.parametrize("text, message", [
    ("1e126", "Number overflow. Attempting to store a number with magnitude larger than supported range"),
    ("-1e126", "Number overflow. Attempting to store a number with magnitude larger than supported range"),
    ("1" + "0" * 126, "Number overflow"),
    ("1e-131", "Number underflow. Attempting to store a number with magnitude smaller than supported range"),
    ("1" * 39, "Attempting to store more than 38 significant digits in a Number"),
    ("0." + "1" * 39, "Attempting to store more than 38 significant digits in a Number"),
    ("NaN", "The parameter cannot be converted to a numeric value: NaN"),
    ("Infinity", "The parameter cannot be converted to a numeric value: Infinity"),
    (" 1", "The parameter cannot be converted to a numeric value"),
    ("1 ", "The parameter cannot be converted to a numeric value"),
    ("1,5", "The parameter cannot be converted to a numeric value: 1,5"),
    ("0x10", "The parameter cannot be converted to a numeric value: 0x10"),
    ("1e", "The parameter cannot be converted to a numeric value: 1e"),
    ("--1", "The parameter cannot be converted to a numeric value: --1"),
    ("1e99999999999999999999", ""),
])
def test_a_number_that_cannot_be_kept_is_refused(cloud, table, text, message):
    with refused("ValidationException", message):
        put_number(cloud, table, text)


def test_arithmetic_is_exact(cloud, dynamodb, table):
    def add(start, more):
        put_number(cloud, table, start)
        dynamodb.update_item(TableName=table, Key=item(id="n"), UpdateExpression="SET n = n + :x",
                             ExpressionAttributeValues={":x": {"N": more}})
        return get_number(cloud, table)

    assert add("0.1", "0.2") == "0.3"
    assert add("9" * 38, "-" + "9" * 38) == "0"
    assert add("9" * 37, "1") == "1" + "0" * 37
    assert add("0." + "1" * 38, "0." + "8" * 38) == "0." + "9" * 38
    assert add("-1e-130", "1e-130") == "0"


# The exact sum has more than 38 digits: refused, never rounded; AWS calls this an overflow.
@pytest.mark.parametrize("start, more", [("1e50", "1"), ("1e125", "9e125"), ("1", "1e-100")])
def test_a_sum_that_cannot_be_kept_is_refused(cloud, dynamodb, table, start, more):
    put_number(cloud, table, start)
    with refused("ValidationException", "Number overflow"):
        dynamodb.update_item(TableName=table, Key=item(id="n"), UpdateExpression="SET n = n + :x",
                             ExpressionAttributeValues={":x": {"N": more}})


def test_numbers_compare_by_value(cloud, dynamodb, table):
    put_number(cloud, table, "100")
    for condition, number in (("n = :x", "1e2"), ("n < :x", "100.0000000001"), ("n > :x", "99.9"), ("n > :x", "-1e100"),
                              ("n <> :x", "1000"), ("n >= :x", "1.00e2")):
        dynamodb.put_item(TableName=table, Item={"id": {"S": "n"}, "n": {"N": "100"}}, ConditionExpression=condition,
                          ExpressionAttributeValues={":x": {"N": number}})


# --- sizes ---

def test_an_item_of_exactly_400_kb_fits_and_a_byte_more_does_not(dynamodb, table):
    # "id" + "a", "text" + the text
    room = ITEM_BYTES_MAX - len("id") - len("a") - len("text")
    dynamodb.put_item(TableName=table, Item=item(id="a", text="x" * room))
    with refused("ValidationException", "Item size has exceeded the maximum allowed size"):
        dynamodb.put_item(TableName=table, Item=item(id="a", text="x" * (room + 1)))


# An element of a list or map costs a byte, the list or map three; numbers half a byte a digit.
def test_the_size_of_nested_values_counts(dynamodb, table):
    fixed = len("id") + len("a") + len("l") + 3 + 1 + len("m") + 3 + (1 + len("k") + 1) + len("n") + (19 + 1)
    room = ITEM_BYTES_MAX - fixed

    def put(length):
        dynamodb.put_item(TableName=table, Item=item(id="a", l=["x" * length], m={"k": True}, n={"N": "1" * 38}))

    put(room)
    with refused("ValidationException", "Item size has exceeded the maximum allowed size"):
        put(room + 1)


def test_an_update_may_not_make_an_item_too_large(dynamodb, table):
    dynamodb.put_item(TableName=table, Item=item(id="grow", text="x" * 300_000))
    with refused("ValidationException", "Item size to update has exceeded the maximum allowed size"):
        dynamodb.update_item(TableName=table, Key=item(id="grow"), UpdateExpression="SET more = :x",
                             ExpressionAttributeValues=values(x="x" * 200_000))


def test_keys_have_a_length_limit_for_writes_and_reads(cloud, dynamodb, table):
    sorted_table = cloud.create_table("id:S sort:S")
    dynamodb.put_item(TableName=sorted_table, Item=item(id="x" * 2048, sort="y" * 1024))
    hash_message = ("One or more parameter values were invalid: Size of hashkey has exceeded the maximum size limit "
                    "of2048 bytes")
    range_message = ("One or more parameter values were invalid: Aggregated size of all range keys has exceeded the "
                     "size limit of 1024 bytes")
    for call in (lambda key: dynamodb.put_item(TableName=sorted_table, Item=key),
                 lambda key: dynamodb.get_item(TableName=sorted_table, Key=key),
                 lambda key: dynamodb.delete_item(TableName=sorted_table, Key=key)):
        with refused("ValidationException", hash_message):
            call(item(id="x" * 2049, sort="y"))
        with refused("ValidationException", range_message):
            call(item(id="x", sort="y" * 1025))


def test_values_nest_32_levels_deep(dynamodb, table):
    def nested(levels):
        inner = value("bottom")
        for _ in range(levels):
            inner = {"L": [inner]}
        return inner

    dynamodb.put_item(TableName=table, Item={"id": {"S": "deep"}, "l": nested(31)})
    with refused("ValidationException", "Nesting Levels have exceeded supported limits"):
        dynamodb.put_item(TableName=table, Item={"id": {"S": "deep"}, "l": nested(33)})


# A request that nests a thousand levels is nobody's item; it must not take the server down.
def test_absurd_nesting_is_refused_and_the_server_lives_on(cloud, dynamodb, table):
    for opening, closing in (('{"L":[', "]}"), ('{"M":{"x":', "}}")):
        deep = opening * 50_000 + '{"S":"x"}' + closing * 50_000
        status, _ = cloud.call_json("DynamoDB_20120810.PutItem",
                                    '{"TableName":"%s","Item":{"id":{"S":"x"},"l":%s}}' % (table, deep))
        assert status == 400
    dynamodb.get_item(TableName=table, Key=item(id="x"))


def test_attribute_names_may_be_long_but_not_longer_than_65535(dynamodb, table):
    name = "n" * 65535
    dynamodb.put_item(TableName=table, Item={"id": {"S": "long"}, name: {"S": "x"}})
    assert name in dynamodb.get_item(TableName=table, Key=item(id="long"))["Item"]
    with refused("ValidationException", ""):
        dynamodb.put_item(TableName=table, Item={"id": {"S": "long"}, name + "n": {"S": "x"}})
