"""PartiQL: ExecuteStatement and BatchExecuteStatement."""
import pytest

from harness import item, refused, unique


@pytest.fixture(scope="module")
def table(shared_cloud):
    return shared_cloud.create_table()


@pytest.fixture(scope="module")
def orders(shared_cloud):
    """Customers c1 to c3 with orders 1 to 5 each; every second one is paid."""
    name = shared_cloud.create_table("id:S sort:N")
    for customer in ("c1", "c2", "c3"):
        for order in range(1, 6):
            shared_cloud.put_item(name, id=customer, sort=order, paid=order % 2 == 0, total=order * 10)
    return name


@pytest.fixture
def execute(dynamodb):
    def execute(statement, *parameters, **more):
        if parameters:
            more["Parameters"] = [item(x=value)["x"] for value in parameters]
        return dynamodb.execute_statement(Statement=statement, **more)
    return execute


def sorts(answer):
    return [int(found["sort"]["N"]) for found in answer["Items"]]


def test_an_item_goes_through_its_whole_life(table, execute):
    """The getting-started tour of the developer guide: INSERT, SELECT, UPDATE, DELETE of one item."""
    key = unique("life")
    assert execute(f"""INSERT INTO "{table}" VALUE {{'id': ?, 'n': 1, 'tags': <<'a', 'b'>>}}""", key)["Items"] == []
    assert execute(f'SELECT n, tags FROM "{table}" WHERE id = ?', key)["Items"] == [
        {"n": {"N": "1"}, "tags": {"SS": ["a", "b"]}}]
    answer = execute(f"""UPDATE "{table}" SET n = n + 41, l = list_append(?, [3]) SET tags = set_add(tags, <<'c'>>)
                         WHERE id = ? RETURNING ALL NEW *""", [1, 2], key)
    assert answer["Items"] == [{"id": {"S": key}, "n": {"N": "42"}, "tags": {"SS": ["a", "b", "c"]},
                                "l": {"L": [{"N": "1"}, {"N": "2"}, {"N": "3"}]}}]
    assert execute(f'UPDATE "{table}" REMOVE l WHERE id = ? RETURNING MODIFIED OLD *', key)["Items"] == [
        {"l": {"L": [{"N": "1"}, {"N": "2"}, {"N": "3"}]}}]
    assert len(execute(f'DELETE FROM "{table}" WHERE id = ? RETURNING ALL OLD *', key)["Items"]) == 1
    assert execute(f'SELECT * FROM "{table}" WHERE id = ?', key)["Items"] == []


def test_an_insert_does_not_replace(table, execute):
    key = unique("once")
    execute(f"INSERT INTO \"{table}\" VALUE {{'id': '{key}'}}")
    with refused("DuplicateItemException", "Duplicate primary key exists in table"):
        execute(f"INSERT INTO \"{table}\" VALUE {{'id': '{key}', 'x': 1}}")


@pytest.mark.parametrize("where, expected", [
    ("id = 'c1'", [1, 2, 3, 4, 5]),
    ("id = 'c1' AND sort > 3", [4, 5]),
    ("id = 'c1' AND sort BETWEEN 2 AND 4 AND paid = true", [2, 4]),
    ("id = 'c1' AND NOT sort = 2 AND total < 40", [1, 3]),
    ("id = 'c1' AND sort IN [1, 5, 9]", [1, 5]),
    ("id = 'c1' AND (paid IS MISSING OR total = 30)", [3]),
    ("id = 'c1' ORDER BY sort DESC", [5, 4, 3, 2, 1]),
    ("id IN ['c1', 'c2'] AND sort = 5 ORDER BY id DESC", [5, 5]),
    ("id = 'c1' AND sort = 2", [2]),
    ("id = 'nobody'", []),
])
def test_a_select_finds_what_its_where_clause_says(orders, execute, where, expected):
    assert sorts(execute(f'SELECT * FROM "{orders}" WHERE {where}')) == expected


def test_a_select_without_a_key_looks_at_every_item(orders, execute):
    assert sorted(sorts(execute(f'SELECT sort FROM "{orders}" WHERE total >= 40 AND contains(id, ?)', "c"))) == [
        4, 4, 4, 5, 5, 5]


def test_limit_and_next_token_page_through_a_select(orders, dynamodb):
    found, pages, more = [], 0, {}
    while True:
        answer = dynamodb.execute_statement(Statement=f'SELECT * FROM "{orders}"', Limit=4, **more)
        found += answer["Items"]
        pages += 1
        if "NextToken" not in answer:
            break
        assert "LastEvaluatedKey" in answer
        more = {"NextToken": answer["NextToken"]}
    assert len(found) == 15 and pages == 4


def test_a_next_token_is_good_for_its_own_statement_only(orders, dynamodb):
    token = dynamodb.execute_statement(Statement=f'SELECT * FROM "{orders}"', Limit=4)["NextToken"]
    with refused("ValidationException", "NextToken does not match request"):
        dynamodb.execute_statement(Statement=f'SELECT id FROM "{orders}"', NextToken=token)
    with refused("ValidationException", "Invalid NextToken"):
        dynamodb.execute_statement(Statement=f'SELECT * FROM "{orders}"', NextToken="nonsense")


def test_a_false_condition_stops_a_write(table, execute):
    key = unique("condition")
    execute(f"INSERT INTO \"{table}\" VALUE {{'id': '{key}', 'n': 5}}")
    for statement in (f'UPDATE "{table}" SET n = 9 WHERE id = \'{key}\' AND n = 4',
                      f'DELETE FROM "{table}" WHERE id = \'{key}\' AND attribute_not_exists(n)',
                      f'UPDATE "{table}" SET n = 9 WHERE id = \'{key} is not there\''):
        with refused("ConditionalCheckFailedException", "The conditional request failed"):
            execute(statement)
    assert execute(f'DELETE FROM "{table}" WHERE id = \'{key} is not there\' AND n = 1')["Items"] == []
    assert execute(f'SELECT n FROM "{table}" WHERE id = ?', key)["Items"] == [item(n=5)]


@pytest.mark.parametrize("statement, message", [
    ("SLECT * FROM {}", "Statement wasn't well formed, can't be processed: Expected data manipulation"),
    ("SELECT * FROM {} WHERE id = 'a' foo",
     "Statement wasn't well formed, can't be processed: Unexpected token after expression"),
    ("SELECT * FROM {} WHERE", "Statement wasn't well formed, can't be processed: Unexpected term"),
    ("SELECT * FROM {} t WHERE id = 'a'", "Aliasing is not supported"),
    ("UPDATE {} SET n = 1", "Where clause does not contain a mandatory equality on all key attributes"),
    ("DELETE FROM {} WHERE n = 1", "Where clause does not contain a mandatory equality on all key attributes"),
    ("DELETE FROM {} WHERE id = 'a' RETURNING ALL NEW *",
     "Invalid returning clause: RETURNING ALL NEW *. Only RETURNING ALL OLD * is allowed in DELETE statements."),
    ("SELECT * FROM {} WHERE id = ?", "Number of parameters in request and statement don't match."),
    ("SELECT * FROM {} WHERE id = 'a' AND n < true",
     "Incorrect operand type for operator or function; operator or function: <, operand type: BOOL"),
    ("SELECT * FROM {} ORDER BY id", "Must have WHERE clause in the statement when using ORDER BY clause."),
    ("INSERT INTO {} VALUE {{'id': 'a', 'n': 1e126}}",
     "Number overflow. Attempting to store a number with magnitude larger than supported range under root"),
])
def test_refusals_say_what_aws_says(table, execute, statement, message):
    with refused("ValidationException", message):
        execute(statement.format(f'"{table}"'))


def test_a_batch_reads_one_item_per_statement(orders, dynamodb):
    answer = dynamodb.batch_execute_statement(Statements=[
        {"Statement": f'SELECT total FROM "{orders}" WHERE id = ? AND sort = ?', "Parameters": [{"S": "c1"}, {"N": "3"}]},
        {"Statement": f'SELECT * FROM "{orders}" WHERE id = \'c1\' AND sort = 99'},
        {"Statement": f'SELECT * FROM "{orders}" WHERE id = \'c1\''},
    ])
    found, missing, wrong = answer["Responses"]
    assert found == {"TableName": orders, "Item": item(total=30)}
    assert missing == {"TableName": orders}
    assert wrong["Error"]["Code"] == "ValidationError"
    assert wrong["Error"]["Message"] == (
        "Select statements within BatchExecuteStatement must specify the primary key in the where clause.")


def test_one_failed_write_of_a_batch_stops_no_other(table, dynamodb):
    key = unique("batch")
    answer = dynamodb.batch_execute_statement(Statements=[
        {"Statement": f"INSERT INTO \"{table}\" VALUE {{'id': '{key}'}}"},
        {"Statement": f"INSERT INTO \"{table}\" VALUE {{'id': '{key}'}}"},
        {"Statement": f'UPDATE "{table}" SET n = 1 WHERE id = \'{key}\''},
        {"Statement": f'DELETE FROM "{unique("missing")}" WHERE id = \'{key}\''},
    ])
    codes = [response.get("Error", {}).get("Code") for response in answer["Responses"]]
    assert codes == [None, "DuplicateItem", None, "ResourceNotFound"]
    assert dynamodb.get_item(TableName=table, Key=item(id=key))["Item"] == item(id=key, n=1)


@pytest.mark.parametrize("where, expected", [
    ("id = 'c1' AND sort = 2 OR id = 'c2' AND sort = 3", [2, 3]),
    ("id = 'c1' AND sort = 2 OR id = 'c1' AND sort = 4", [2, 4]),
    ("id = 'c1' AND NOT sort = 1 OR id = 'c1' AND sort = 2", [2, 3, 4, 5]),
    ("id = 'c1' AND sort <> 1 OR id = 'c1' AND sort = 2", [2, 3, 4, 5]),
    ("id = 'c1' OR id = 'c1' AND NOT sort = 1", [1, 2, 3, 4, 5]),
    ("(id = 'c1' AND sort < 2 OR id = 'c2' AND sort > 4) AND paid = false", [1, 5]),
])
def test_alternatives_of_keys_find_the_union(orders, execute, where, expected):
    assert sorted(sorts(execute(f'SELECT * FROM "{orders}" WHERE {where}'))) == expected


def test_alternatives_of_keys_read_the_keys_alone(orders, execute):
    answer = execute(f"SELECT * FROM \"{orders}\" WHERE id = 'c1' AND sort = 2 OR id = 'c2' AND sort = 3",
                     ConsistentRead=True, ReturnConsumedCapacity="TOTAL")
    assert answer["ConsumedCapacity"]["CapacityUnits"] == 2  # a unit for each of the two items


def test_alternatives_on_the_sort_key_do_not_overlap(orders, execute):
    with refused("ValidationException", "Overlapping conditions with range keys are not supported in where clause"):
        execute(f"SELECT * FROM \"{orders}\" WHERE id = 'c1' AND sort > 1 OR id = 'c1' AND sort < 4")
