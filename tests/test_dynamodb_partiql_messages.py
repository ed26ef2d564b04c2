"""PartiQL statements that are refused, in AWS's words, and forms that are less common but run."""
import pytest

from harness import item, refused, unique, value

NOT_WELL_FORMED = "Statement wasn't well formed, can't be processed: "
LEFTOVER = NOT_WELL_FORMED + "Unexpected token after expression"
NUMBER_TOO_LARGE = "Number overflow. Attempting to store a number with magnitude larger than supported range"
NUMBER_TOO_SMALL = "Number underflow. Attempting to store a number with magnitude smaller than supported range"
TOO_MANY_DIGITS = "Attempting to store more than 38 significant digits in a Number"


@pytest.fixture(scope="module")
def table(shared_cloud):
    name = shared_cloud.create_table()
    shared_cloud.put_item(name, id="1", ss={"a", "b"}, ns={1, 2}, s="str", m={"x": {"y": 1}})
    return name


@pytest.fixture(scope="module")
def numbers(shared_cloud):
    name = shared_cloud.create_table("id:N")
    for number in ("7310000", "7.3", "-7.3"):
        shared_cloud.put_item(name, id={"N": number})
    return name


@pytest.fixture
def execute(dynamodb):
    def execute(statement, *parameters):
        more = {"Parameters": [value(parameter) for parameter in parameters]} if parameters else {}
        return dynamodb.execute_statement(Statement=statement, **more)["Items"]
    return execute


def said(statement, execute, *parameters):
    with refused("ValidationException") as error:
        execute(statement, *parameters)
    return error.response["Error"]["Message"]


# --- what runs ---

@pytest.mark.parametrize("literal, found", [
    ("7.31e6", "7310000"), ("7.31E6", "7310000"), ("7.31e+6", "7310000"), ("731e4", "7310000"), ("73100000e-1", "7310000"),
    (".73e1", "7.3"), ("-.73e1", "-7.3"),
])
def test_numbers_are_written_in_many_ways(numbers, execute, literal, found):
    assert execute(f'SELECT * FROM "{numbers}" WHERE id = {literal}') == [{"id": {"N": found}}]


@pytest.mark.parametrize("statement", [
    "SELECT id FROM \"{}\" WHERE id = '1' -- a note", "SELECT id FROM \"{}\" -- a note\nWHERE id = '1'",
    "-- a note\nSELECT id FROM \"{}\" WHERE id = '1'", "SELECT id FROM \"{}\" /* a note */ WHERE id = '1'",
    "SELECT id FROM \"{}\" WHERE id = '1' /* a\nnote */",
])
def test_comments_are_as_good_as_spaces(table, execute, statement):
    assert execute(statement.format(table)) == [item(id="1")]


def test_set_functions_change_sets(dynamodb, cloud, execute):
    table = cloud.create_table()

    def after(change, *parameters):
        dynamodb.put_item(TableName=table, Item=item(id="1", ss={"a", "b"}, ns={1, 2}))
        execute(f"UPDATE \"{table}\" {change} WHERE id = '1'", *parameters)
        found = dynamodb.get_item(TableName=table, Key=item(id="1"))["Item"]
        return {name: sorted(next(iter(attribute.values()))) for name, attribute in found.items() if name != "id"}

    assert after("SET ss = set_add(ss, <<'z', 'a'>>)") == {"ss": ["a", "b", "z"], "ns": ["1", "2"]}
    assert after("SET ns = SET_ADD(ns, ?)", {3, 1}) == {"ss": ["a", "b"], "ns": ["1", "2", "3"]}
    assert after("SET new = set_add(new, <<'x'>>)") == {"ss": ["a", "b"], "ns": ["1", "2"], "new": ["x"]}
    assert after("SET ss = set_add(ss, <<'x'>>) SET ns = set_add(ns, <<9>>)") == {"ss": ["a", "b", "x"], "ns": ["1", "2", "9"]}
    assert after("SET ss = set_delete(ss, <<'a', 'zz'>>)") == {"ss": ["b"], "ns": ["1", "2"]}
    assert after("SET ss = set_delete(ss, <<'a', 'b'>>)") == {"ns": ["1", "2"]}
    assert after("SET new = set_delete(new, <<'a'>>)") == {"ss": ["a", "b"], "ns": ["1", "2"]}


def test_an_update_of_what_is_missing_fails_its_condition(cloud, dynamodb, execute):
    table = cloud.create_table()
    with refused("ConditionalCheckFailedException", "The conditional request failed", exactly=True):
        execute(f"UPDATE \"{table}\" SET ss = set_add(ss, <<'x'>>) WHERE id = '1'")
    assert "Item" not in dynamodb.get_item(TableName=table, Key=item(id="1"))


# --- what does not ---

@pytest.mark.parametrize("statement", [
    'SELECT * FROM "{}" WHERE id = 1 foo', 'SELECT * FROM "{}" WHERE id = 1 e5', 'INSERT INTO "{}" VALUE {{\'id\': 1}} foo',
    'UPDATE "{}" SET a = 9 WHERE id = 1 foo', 'DELETE FROM "{}" WHERE id = 1 foo', 'SELECT * FROM "{}" WHERE id = 1)',
    'DELETE FROM "{}" WHERE id = 1 ORDER BY id', 'SELECT * FROM "{}" ORDER BY id WHERE id = 1',
    'INSERT INTO "{}" t VALUE {{\'id\': 1}}',
])
def test_nothing_is_left_over(numbers, execute, statement):
    assert said(statement.format(numbers), execute) == LEFTOVER


@pytest.mark.parametrize("statement", [
    'SELECT * FROM "{}" WHERE id = 1e2147483648', 'SELECT * FROM "{}" WHERE id = 1e99999999999',
    'SELECT * FROM "{}" WHERE id = 1 # note', 'SELECT * FROM "{}" WHERE id = 1 /* note',
])
def test_what_cannot_be_read_is_not_well_formed(numbers, execute, statement):
    assert said(statement.format(numbers), execute).startswith(NOT_WELL_FORMED)


@pytest.mark.parametrize("statement", [
    "SELECT * FROM \"{}\" t WHERE id = '1'", "SELECT * FROM \"{}\" AS t WHERE id = '1'",
    "UPDATE \"{}\" t SET a = 3 WHERE id = '1'", "DELETE FROM \"{}\" t WHERE id = '1'",
])
def test_tables_have_no_aliases(table, execute, statement):
    assert said(statement.format(table), execute) == "Aliasing is not supported"


@pytest.mark.parametrize("statement, message", [
    ('SELECT * FROM "{}" WHERE id = 1e126', NUMBER_TOO_LARGE + " under root"),
    ('SELECT * FROM "{}" WHERE id = 1e-131', NUMBER_TOO_SMALL + " under root"),
    ('SELECT * FROM "{}" WHERE id = ' + "1" * 39, TOO_MANY_DIGITS + " under root"),
    ('INSERT INTO "{}" VALUE {{\'id\': 1e126}}', NUMBER_TOO_LARGE + " under root"),
    ('UPDATE "{}" SET a = 1e-131 WHERE id = 5', NUMBER_TOO_SMALL + " under root"),
    ('INSERT INTO "{}" VALUE {{\'id\': 6, \'m\': {{\'x\': 1e126}}}}', NUMBER_TOO_LARGE + " under root.x"),
    ('INSERT INTO "{}" VALUE {{\'id\': 7, \'l\': [1, 1e126]}}', NUMBER_TOO_LARGE + " under root[1]"),
])
def test_numbers_that_cannot_be_kept_say_where_they_stand(numbers, execute, statement, message):
    assert said(statement.format(numbers), execute) == message


def place(statement, token, begin=0, length=None):
    """Where AWS says that a token stands."""
    return f" at 1:{statement.index(token, begin) + 1}:{length or len(token)}"


FUNCTIONS = "Operator or function requires a document path; operator or function: attribute_exists"
COUNT = "Incorrect number of operands for operator or function; operator or function: attribute_exists, number of operands: "
WRONG_TYPE = "An operand in the update expression has an incorrect data type"


@pytest.mark.parametrize("condition, message", [
    ("attribute_exists('ss')", FUNCTIONS), ("attribute_exists()", COUNT + "0"), ("attribute_exists(ss, ns)", COUNT + "2"),
])
def test_functions_want_their_operands(table, execute, condition, message):
    assert said(f"SELECT * FROM \"{table}\" WHERE id = '1' AND {condition}", execute) == message


@pytest.mark.parametrize("change, token, message", [
    ("t = set_add(ss, <<'x'>>)", "set_add", "The first argument to SET_ADD must equal the assignment value"),
    ("ss = set_add(<<'a'>>, <<'b'>>)", "set_add", "The first argument to SET_ADD must equal the assignment value"),
    ("ss = set_add(ss)", "set_add", "SET_ADD must have exactly two arguments"),
    ("ss = set_add(ss, <<'x'>>, <<'y'>>)", "set_add", "SET_ADD must have exactly two arguments"),
    ("t = set_delete(ss, <<'a'>>)", "set_delete", "The first argument to SET_DELETE must equal the assignment value"),
    ("ss = set_add(ss, <<1>>)", None, WRONG_TYPE), ("s = set_add(s, <<'x'>>)", None, WRONG_TYPE),
    ("ss = set_delete(ss, <<1>>)", None, WRONG_TYPE),
    ("ss = set_add(ss, <<'x', 'x'>>)", None, "One or more parameter values were invalid: Input collection [x, x] contains "
     "duplicates."),
    ("ss = set_add(ss, <<>>)", None, "Empty bags are not supported"),
])
def test_set_functions_want_a_path_and_a_set(table, execute, change, token, message):
    statement = f"UPDATE \"{table}\" SET {change} WHERE id = '1'"
    assert said(statement, execute) == message + (place(statement, token) if token else "")


@pytest.mark.parametrize("function, operand", [("set_add", "'x'"), ("set_add", "['x']"), ("set_delete", "'a'")])
def test_set_functions_take_nothing_but_sets(table, execute, function, operand):
    statement = f"UPDATE \"{table}\" SET ss = {function}(ss, {operand}) WHERE id = '1'"
    begin = statement.index(function + "(")
    assert said(statement, execute) == \
        f"The second argument to {function.upper()} must be a value with type SET" + place(statement, "ss", begin)


def test_functions_have_their_places(table, execute):
    statement = f"SELECT attribute_exists(ss) FROM \"{table}\" WHERE id = '1'"
    assert said(statement, execute) == "Unexpected path component" + place(statement, "attribute_exists")
    statement = f"SELECT * FROM \"{table}\" WHERE id = '1' AND set_add(ss, <<'x'>>) = ss"
    assert said(statement, execute) == "Unrecognized function: set_add" + place(statement, "set_add")
    statement = f"INSERT INTO \"{table}\" VALUE {{'id': '{unique('x')}', 'ss': set_add(<<'a'>>, <<'b'>>)}}"
    assert said(statement, execute) == "Unsupported data type: set_add under key root" + place(statement, "set_add")


def test_parameters_are_values(cloud, table):
    def execute(*parameters):
        status, answer = cloud.call_json("DynamoDB_20120810.ExecuteStatement", {
            "Statement": f"SELECT * FROM \"{table}\" WHERE id = '1' AND n = ?", "Parameters": list(parameters)})
        assert status == 400, answer
        return answer.get("message") or answer.get("Message")

    assert "failed to satisfy constraint: Member must have length greater than or equal to 1" in execute()
    assert execute({"N": "abc"}) == "The parameter cannot be converted to a numeric value: abc"
    assert execute({"L": [{"N": "1"}, {"N": "abc"}]}) == "The parameter cannot be converted to a numeric value: abc"
    assert execute({"N": "1e99999999999"}) == "The parameter cannot be converted to a numeric value: 1e99999999999"
    assert execute({"N": "1e2147483647"}).startswith("Number underflow.")
    assert execute({"N": "1e126"}) == NUMBER_TOO_LARGE
