"""Query and Scan: order, conditions, filters, and paging by Limit and by megabyte."""
import pytest

from harness import item, refused, values



@pytest.fixture(scope="module")
def table(shared_cloud):
    """Items a/-10 ... a/10 and b/1, each with a square and a parity."""
    name = shared_cloud.create_table("id:S sort:N")
    puts = [{"PutRequest": {"Item": item(id="a", sort=number, square=number * number,
                                         parity="even" if number % 2 == 0 else "odd")}}
            for number in range(-10, 11)]
    puts.append({"PutRequest": {"Item": item(id="b", sort=1)}})
    write_all(shared_cloud.dynamodb, name, puts)
    return name


def write_all(dynamodb, table, puts):
    for start in range(0, len(puts), 25):
        answer = dynamodb.batch_write_item(RequestItems={table: puts[start:start + 25]})
        assert not answer.get("UnprocessedItems")


@pytest.fixture
def query(dynamodb, table):
    def query(condition="id = :id", into=table, **more):
        parameters = values(**{"id": "a", **more.pop("values", {})})
        used = {name: each for name, each in parameters.items() if name in condition + more.get("FilterExpression", "")}
        if used:
            more["ExpressionAttributeValues"] = used
        return dynamodb.query(TableName=into, KeyConditionExpression=condition, **more)
    return query


def numbers(answer):
    return [int(found["sort"]["N"]) for found in answer["Items"]]


# --- order and key conditions ---

def test_items_come_in_the_order_of_their_sort_key(query):
    answer = query()
    assert numbers(answer) == list(range(-10, 11))  # by value: -10 before -9 before 2 before 10
    assert answer["Count"] == answer["ScannedCount"] == 21
    assert "LastEvaluatedKey" not in answer


def test_and_backwards(query):
    assert numbers(query(ScanIndexForward=False)) == list(range(10, -11, -1))


@pytest.mark.parametrize("condition, parameters, expected", [
    ("id = :id AND sort = :x", {"x": 3}, [3]),
    ("id = :id AND sort < :x", {"x": -8}, [-10, -9]),
    ("id = :id AND sort <= :x", {"x": -9}, [-10, -9]),
    ("id = :id AND sort > :x", {"x": 8}, [9, 10]),
    ("id = :id AND sort >= :x", {"x": 9}, [9, 10]),
    ("id = :id AND sort BETWEEN :x AND :y", {"x": -1, "y": 1}, [-1, 0, 1]),
    ("sort BETWEEN :x AND :y AND id = :id", {"x": -1, "y": 1}, [-1, 0, 1]),
    ("(id = :id) AND (sort = :x)", {"x": 3}, [3]),
    ("id = :id AND :x < sort", {"x": 9}, [10]),
    ("id = :id AND sort = :x", {"x": 99}, []),
])
def test_a_condition_on_the_sort_key_narrows(query, condition, parameters, expected):
    assert numbers(query(condition, values=parameters)) == expected


def test_strings_are_ordered_by_their_utf_8_bytes(cloud, dynamodb):
    table = cloud.create_table("id:S sort:S")
    texts = ["", "\u0000", "A", "Z", "a", "a\u0000", "aa", "é", "€", "\uffff", "🦊"]
    for text in texts[1:]:
        dynamodb.put_item(TableName=table, Item=item(id="a", sort=text))
    found = dynamodb.query(TableName=table, KeyConditionExpression="id = :id", ExpressionAttributeValues=values(id="a"))
    assert [each["sort"]["S"] for each in found["Items"]] == texts[1:]
    found = dynamodb.query(TableName=table, KeyConditionExpression="id = :id AND begins_with(sort, :x)",
                           ExpressionAttributeValues=values(id="a", x="a"))
    assert [each["sort"]["S"] for each in found["Items"]] == ["a", "a\u0000", "aa"]


def test_binary_keys_are_ordered_as_unsigned_bytes(cloud, dynamodb):
    table = cloud.create_table("id:B sort:B")
    keys = [b"\x00", b"\x00\x00", b"\x00\xff", b"\x01", b"\x7f", b"\x80", b"\xff", b"\xff\xff"]
    for key in reversed(keys):
        dynamodb.put_item(TableName=table, Item=item(id=b"\xff\x00", sort=key))
    found = dynamodb.query(TableName=table, KeyConditionExpression="id = :id",
                           ExpressionAttributeValues=values(id=b"\xff\x00"))
    assert [each["sort"]["B"] for each in found["Items"]] == keys


def test_number_keys_are_ordered_by_value_over_their_whole_range(cloud, dynamodb):
    table = cloud.create_table("id:S sort:N")
    texts = ["-9.9e125", "-1e125", "-12", "-1.5", "-1", "-1e-130", "0", "1e-130", "0.1", "0.11", "1", "1.5", "9", "10",
             "11", "1e38", "9.9e125"]
    for text in reversed(texts):
        dynamodb.put_item(TableName=table, Item={"id": {"S": "a"}, "sort": {"N": text}, "text": {"S": text}})
    found = dynamodb.query(TableName=table, KeyConditionExpression="id = :id", ExpressionAttributeValues=values(id="a"))
    assert [each["text"]["S"] for each in found["Items"]] == texts


# A key whose bytes begin with another's must not leak into it.
def test_partitions_do_not_leak_into_each_other(cloud, dynamodb):
    table = cloud.create_table("id:S sort:S")
    for key in ("a", "aa", "a\u0000", "a\u0000\u0001", "b"):
        dynamodb.put_item(TableName=table, Item=item(id=key, sort="x"))
    for key in ("a", "aa", "a\u0000"):
        found = dynamodb.query(TableName=table, KeyConditionExpression="id = :id",
                               ExpressionAttributeValues=values(id=key))
        assert [each["id"]["S"] for each in found["Items"]] == [key]


# --- filters, projections, Select ---

def test_a_filter_applies_after_reading(query):
    answer = query(FilterExpression="parity = :p", values={"p": "even"})
    assert numbers(answer) == list(range(-10, 11, 2))
    assert answer["Count"] == 11
    assert answer["ScannedCount"] == 21


def test_limit_counts_what_was_read_not_what_passed_the_filter(query):
    answer = query(FilterExpression="parity = :p", values={"p": "odd"}, Limit=3)
    assert numbers(answer) == [-9]
    assert answer["ScannedCount"] == 3
    assert answer["LastEvaluatedKey"] == item(id="a", sort=-8)


def test_select_count_gives_no_items(query):
    answer = query(Select="COUNT")
    assert answer["Count"] == 21
    assert "Items" not in answer or answer["Items"] == []


def test_a_projection_names_what_comes(query):
    answer = query("id = :id AND sort = :x", values={"x": 3}, ProjectionExpression="square")
    assert answer["Items"] == [item(square=9)]
    answer = query("id = :id AND sort = :x", values={"x": 3}, ProjectionExpression="square", Select="SPECIFIC_ATTRIBUTES")
    assert answer["Items"] == [item(square=9)]


@pytest.mark.parametrize("more, message", [
    ({"Select": "ALL_PROJECTED_ATTRIBUTES"}, "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName"),
    ({"Select": "SPECIFIC_ATTRIBUTES"},
     "Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES"),
    ({"Select": "COUNT", "ProjectionExpression": "square"},
     "Cannot specify the ProjectionExpression when choosing to get only the Count"),
    ({"FilterExpression": "sort > :id"},
     "Filter Expression can only contain non-primary key attributes: Primary key attribute: sort"),
    ({"FilterExpression": "id > :id"},
     "Filter Expression can only contain non-primary key attributes: Primary key attribute: id"),
    ({"IndexName": "nothing"}, "The table does not have the specified index"),
    ({"FilterExpression": ""}, "Invalid FilterExpression: The expression can not be empty;"),
], ids=["projected", "specific", "count", "filter sort", "filter id", "index", "empty filter"])
def test_a_query_that_cannot_be_is_refused(query, more, message):
    with refused("ValidationException", message):
        query(**more)


@pytest.mark.parametrize("condition, parameters, message", [
    ("sort = :x", {"x": 1}, "Query condition missed key schema element: id"),
    ("id > :id", {}, "Query key condition not supported"),
    ("begins_with(id, :id)", {}, "Query key condition not supported"),
    ("id = :id AND square = :x", {"x": 1}, "Query condition missed key schema element: sort"),
    ("id = :id AND sort <> :x", {"x": 1}, "Invalid operator used in KeyConditionExpression: <>"),
    ("id = :id OR sort = :x", {"x": 1}, "Invalid operator used in KeyConditionExpression: OR"),
    ("id = :id AND NOT sort = :x", {"x": 1}, "Invalid operator used in KeyConditionExpression: NOT"),
    ("id = :id AND sort IN (:x)", {"x": 1}, "Invalid operator used in KeyConditionExpression: IN"),
    ("id = :id AND sort > :x AND sort < :y", {"x": 1, "y": 2},
     "KeyConditionExpressions must only contain one condition per key"),
    ("id = :id AND a.b = :x", {"x": 1}, "KeyConditionExpressions cannot have conditions on nested attributes"),
    ("id = :id AND sort = :x", {"x": "text"}, "One or more parameter values were invalid: Condition parameter type does "
     "not match schema type"),
    ("id = :id AND sort BETWEEN :x AND :y", {"x": 2, "y": 1}, "The BETWEEN operator requires upper bound"),
    ("id = ", {}, "Invalid KeyConditionExpression: Syntax error"),
    ("", {}, "Invalid KeyConditionExpression: The expression can not be empty;"),
], ids=lambda case: case if isinstance(case, str) and len(case) < 40 else None)
def test_a_key_condition_that_cannot_be_is_refused(query, condition, parameters, message):
    with refused("ValidationException", message):
        query(condition, values=parameters)


def test_a_query_needs_a_key_condition(dynamodb, table):
    with refused("ValidationException",
                 "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request."):
        dynamodb.query(TableName=table)


# --- paging ---

@pytest.mark.parametrize("forward", [True, False], ids=["forward", "backward"])
@pytest.mark.parametrize("limit", [1, 4, 20, 21, 22])
def test_pages_by_limit_give_every_item_once(query, forward, limit):
    found, start = [], {}
    while True:
        page = query(Limit=limit, ScanIndexForward=forward, **start)
        assert len(page["Items"]) <= limit
        found += numbers(page)
        if "LastEvaluatedKey" not in page:
            break
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}
    expected = list(range(-10, 11))
    assert found == (expected if forward else expected[::-1])


# A page that ends exactly with the last item still says "more": only absence ends the paging.
def test_a_page_stopped_by_limit_always_tells_where(query):
    assert query(Limit=21)["LastEvaluatedKey"] == item(id="a", sort=10)
    assert "LastEvaluatedKey" not in query(Limit=22)


def test_a_limit_of_zero_is_refused(cloud, table):
    status, answer = cloud.call_json("DynamoDB_20120810.Query", {
        "TableName": table, "KeyConditionExpression": "id = :id", "ExpressionAttributeValues": values(id="a"),
        "Limit": 0})
    assert status == 400
    assert "at 'Limit' failed to satisfy constraint: Member must have value greater than or equal to 1" in answer["message"]


@pytest.mark.parametrize("start", [
    item(id="a"), item(sort=1), item(id="a", sort="1"), item(id="a", sort=1, more=2),
], ids=["no sort", "no id", "type", "too much"])
def test_a_starting_key_must_be_a_whole_key(query, start):
    with refused("ValidationException", "The provided starting key is invalid"):
        query(ExclusiveStartKey=start)


def test_a_starting_key_must_lie_within_the_query(query):
    with refused("ValidationException", "The provided starting key is outside query boundaries based on provided conditions"):
        query(ExclusiveStartKey=item(id="b", sort=1))
    with refused("ValidationException", "The provided starting key does not match the range key predicate"):
        query("id = :id AND sort > :x", values={"x": 5}, ExclusiveStartKey=item(id="a", sort=1))


@pytest.fixture(scope="module")
def large(shared_cloud):
    """30 items of a little over 100 KB in one partition."""
    table = shared_cloud.create_table("id:S sort:N")
    for number in range(30):
        shared_cloud.dynamodb.put_item(TableName=table, Item=item(id="a", sort=number, text="x" * 100_000, n=number))
    return table


def item_size(number):
    return len("id") + 1 + len("sort") + (len(str(number)) + 1) // 2 + 1 + len("text") + 100_000 + len("n") + \
        (len(str(number)) + 1) // 2 + 1


# A page ends once what was read reaches a megabyte; filter and projection do not make it longer.
@pytest.mark.parametrize("more", [
    {}, {"ProjectionExpression": "n"}, {"FilterExpression": "attribute_not_exists(nothing)"}, {"Select": "COUNT"},
], ids=["plain", "projection", "filter", "count"])
def test_a_page_ends_at_a_megabyte(query, large, more):
    pages, start = [], {}
    while True:
        page = query(into=large, **more, **start)
        pages.append(page["ScannedCount"])
        if "LastEvaluatedKey" not in page:
            break
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}
    assert sum(pages) == 30
    assert pages[0] in (10, 11)  # 10 × 100 KB, and the item that crosses the line may belong to either page
    assert pages[0] == pages[1]


def test_a_megabyte_of_items_that_all_fail_the_filter_is_an_empty_page_that_goes_on(query, large):
    page = query(into=large, FilterExpression="attribute_exists(nothing)")
    assert page["Items"] == [] and page["Count"] == 0
    assert "LastEvaluatedKey" in page


# --- scan ---

def scan_all(dynamodb, table, **more):
    found, start = [], {}
    while True:
        page = dynamodb.scan(TableName=table, **more, **start)
        found += page.get("Items", [])
        if "LastEvaluatedKey" not in page:
            return found
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}


def key_of(found):
    return found["id"]["S"], found.get("sort", {}).get("N")


@pytest.mark.parametrize("limit", [None, 1, 7, 22])
def test_a_scan_gives_every_item_once(dynamodb, table, limit):
    found = scan_all(dynamodb, table, **({"Limit": limit} if limit else {}))
    assert sorted(map(key_of, found)) == sorted([("a", str(n)) for n in range(-10, 11)] + [("b", "1")])


def test_a_scan_filters_and_projects(dynamodb, table):
    answer = dynamodb.scan(TableName=table, FilterExpression="square > :x AND begins_with(parity, :p)",
                           ExpressionAttributeValues=values(x=50, p="e"), ProjectionExpression="sort")
    assert sorted(int(found["sort"]["N"]) for found in answer["Items"]) == [-10, -8, 8, 10]
    assert answer["ScannedCount"] == 22 and answer["Count"] == 4


def test_a_scan_may_filter_by_key_attributes(dynamodb, table):
    answer = dynamodb.scan(TableName=table, FilterExpression="id = :x", ExpressionAttributeValues=values(x="b"))
    assert answer["Count"] == 1


@pytest.mark.parametrize("segments", [1, 2, 3, 8])
def test_segments_of_a_scan_cover_the_table_and_share_nothing(cloud, dynamodb, segments):
    table = cloud.create_table()
    write_all(dynamodb, table, [{"PutRequest": {"Item": item(id=f"item {n}")}} for n in range(100)])
    parts = [scan_all(dynamodb, table, Segment=segment, TotalSegments=segments, Limit=9) for segment in range(segments)]
    found = [part_item["id"]["S"] for part in parts for part_item in part]
    assert sorted(found) == sorted(f"item {n}" for n in range(100))


def test_a_segment_and_their_number_go_together(dynamodb, table):
    with refused("ValidationException", "The TotalSegments parameter is required but was not present in the request when "
                 "Segment parameter is present"):
        dynamodb.scan(TableName=table, Segment=0)
    with refused("ValidationException", "The Segment parameter is required but was not present in the request when "
                 "parameter TotalSegments is present"):
        dynamodb.scan(TableName=table, TotalSegments=2)
    with refused("ValidationException", "The Segment parameter is zero-based and must be less than parameter "
                 "TotalSegments: Segment: 4 is not less than TotalSegments: 4"):
        dynamodb.scan(TableName=table, Segment=4, TotalSegments=4)


def test_a_scan_of_a_table_larger_than_a_page_pages(dynamodb, large):
    first = dynamodb.scan(TableName=large)
    assert "LastEvaluatedKey" in first
    assert len(scan_all(dynamodb, large)) == 30


def test_an_empty_table_gives_an_empty_page(cloud, dynamodb):
    table = cloud.create_table()
    answer = dynamodb.scan(TableName=table)
    assert answer["Items"] == [] and answer["Count"] == 0 and "LastEvaluatedKey" not in answer


def test_consumed_capacity_of_a_query_is_of_all_that_was_read(query, large):
    answer = query("id = :id AND sort < :x", values={"x": 3}, into=large, ReturnConsumedCapacity="TOTAL")
    sizes = sum(item_size(number) for number in range(3))
    units = -(-sizes // 4096) / 2  # sizes are summed, rounded up once to 4 KB, and halved
    assert answer["ConsumedCapacity"]["CapacityUnits"] == units
