"""TransactWriteItems, TransactGetItems and ExecuteTransaction."""
import threading

import pytest

from harness import Cloud, item, refused, unique


@pytest.fixture(scope="module")
def table(shared_cloud):
    return shared_cloud.create_table()


@pytest.fixture
def write(dynamodb):
    def write(*actions, **more):
        return dynamodb.transact_write_items(TransactItems=list(actions), **more)
    return write


def put(table, key, condition=None, **attributes):
    return {"Put": {"TableName": table, "Item": item(id=key, **attributes), **conditional(condition)}}


def delete(table, key, condition=None):
    return {"Delete": {"TableName": table, "Key": item(id=key), **conditional(condition)}}


def check(table, key, condition):
    return {"ConditionCheck": {"TableName": table, "Key": item(id=key), **conditional(condition)}}


def add(table, key, number, condition=None):
    return {"Update": {"TableName": table, "Key": item(id=key), "UpdateExpression": "ADD n :by",
                       "ExpressionAttributeValues": item(**{":by": number}), **conditional(condition)}}


def get(table, key, **more):
    return {"Get": {"TableName": table, "Key": item(id=key), **more}}


def conditional(condition):
    return {"ConditionExpression": condition} if condition else {}


def found(dynamodb, table, key):
    return dynamodb.get_item(TableName=table, Key=item(id=key), ConsistentRead=True).get("Item")


def reasons(error):
    return error.response["CancellationReasons"]


def cancelled(*codes):
    return refused("TransactionCanceledException", "Transaction cancelled, please refer cancellation reasons for specific "
                   f"reasons [{', '.join(codes)}]")


def test_all_four_actions_happen_together_in_several_tables(cloud, dynamodb, table, write):
    other = cloud.create_table("id:S sort:N")
    old, counter, new, missing = unique("old"), unique("counter"), unique("new"), unique("missing")
    cloud.put_item(table, id=old)
    cloud.put_item(table, id=counter, n=1)
    write(put(table, new, "attribute_not_exists(id)", x="y"), add(table, counter, 41), delete(table, old),
          check(table, missing, "attribute_not_exists(id)"),
          {"Put": {"TableName": other, "Item": item(id=new, sort=1)}})
    assert found(dynamodb, table, new) == item(id=new, x="y")
    assert found(dynamodb, table, counter) == item(id=counter, n=42)
    assert found(dynamodb, table, old) is None
    assert found(dynamodb, table, missing) is None
    assert dynamodb.get_item(TableName=other, Key=item(id=new, sort=1), ConsistentRead=True)["Item"]


def test_one_failed_condition_cancels_everything(cloud, dynamodb, table, write):
    first, second, third = unique("first"), unique("second"), unique("third")
    cloud.put_item(table, id=second, text="kept")
    with cancelled("None", "ConditionalCheckFailed", "ConditionalCheckFailed") as error:
        failing = put(table, second, "attribute_not_exists(id)")
        failing["Put"]["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
        write(put(table, first), failing, check(table, third, "attribute_exists(id)"))
    assert reasons(error) == [
        {"Code": "None"},
        {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed",
         "Item": item(id=second, text="kept")},
        {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"}]
    assert found(dynamodb, table, first) is None


def test_two_actions_on_one_item_are_refused(table, write):
    key = unique("twice")
    with refused("ValidationException", "Transaction request cannot include multiple operations on one item"):
        write(put(table, key), check(table, key, "attribute_exists(id)"))


# The split is AWS's: what can be told from the request alone refuses it, what takes the table's schema or the item
# cancels the transaction.
def test_a_wrong_key_is_that_actions_reason(table, write):
    with cancelled("None", "ValidationError", "None") as error:
        write(put(table, unique("a")), {"Put": {"TableName": table, "Item": item(id=7)}},
              {"Delete": {"TableName": table, "Key": item(id=8)}})
    assert reasons(error)[1]["Message"] == (
        "One or more parameter values were invalid: Type mismatch for key id expected: S actual: N")
    with cancelled("ValidationError") as error:
        write({"Delete": {"TableName": table, "Key": item(id=8)}})
    assert reasons(error)[0]["Message"] == "The provided key element does not match the schema"


def test_an_update_that_cannot_be_carried_out_is_that_actions_reason(cloud, table, write):
    key = unique("small")
    cloud.put_item(table, id=key, text="x" * 300_000)
    with cancelled("ValidationError") as error:
        write({"Update": {"TableName": table, "Key": item(id=key), "UpdateExpression": "SET more = :more",
                          "ExpressionAttributeValues": item(**{":more": "x" * 300_000})}})
    assert reasons(error)[0]["Message"] == "Item size to update has exceeded the maximum allowed size"
    with cancelled("None", "ValidationError") as error:
        write(put(table, unique("a")),
              {"Update": {"TableName": table, "Key": item(id=key), "UpdateExpression": "SET a = b"}})
    assert reasons(error)[1]["Message"] == "The provided expression refers to an attribute that does not exist in the item"


@pytest.mark.parametrize("action, code, message", [
    (lambda table: put(table, ""), "ValidationException",
     "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string "
     "value. Key: id"),
    (lambda table: put("no-such-table", "a"), "ResourceNotFoundException", "Requested resource not found"),
    (lambda table: put(table, "a", "attribute_exists(#x)"), "ValidationException",
     "Invalid ConditionExpression: An expression attribute name used in the document path is not defined; attribute name: #x"),
    (lambda table: put(table, "a", text="x" * 500_000), "ValidationException",
     "Item size has exceeded the maximum allowed size"),
], ids=["empty key", "no table", "undefined name", "too large"])
def test_a_wrong_request_is_refused_as_a_whole(table, write, action, code, message):
    with refused(code, message):
        write(action(table))


def test_an_action_is_exactly_one_of_four(table, write):
    with refused("ValidationException", "TransactItems can only contain one of Check, Put, Update or Delete"):
        write({**put(table, "a"), **delete(table, "b")})


def test_a_transaction_has_up_to_100_actions_and_4_megabytes(table, write):
    write(*[put(table, f"hundred-{n}") for n in range(100)])
    with refused("ValidationException", "Member must have length less than or equal to 100"):
        write(*[put(table, f"hundred-{n}") for n in range(101)])
    write(*[put(table, f"large-{n}", text="x" * 350_000) for n in range(10)])
    with refused("ValidationException", "size cannot exceed"):
        write(*[put(table, f"large-{n}", text="x" * 350_000) for n in range(12)])
    # What is already there does not count.
    write(*[delete(table, f"large-{n}") for n in range(10)])


def test_a_token_makes_a_transaction_happen_once(cloud, dynamodb, table, write):
    key, token = unique("once"), unique("token")
    cloud.put_item(table, id=key, n=0, text="x" * 1500)
    first = write(add(table, key, 1), ClientRequestToken=token, ReturnConsumedCapacity="TOTAL")["ConsumedCapacity"][0]
    again = write(add(table, key, 1), ClientRequestToken=token, ReturnConsumedCapacity="TOTAL")["ConsumedCapacity"][0]
    assert found(dynamodb, table, key)["n"] == {"N": "1"}
    # The second is charged as a read of the same item.
    assert (first["WriteCapacityUnits"], first.get("ReadCapacityUnits")) == (4, None)
    assert (again["ReadCapacityUnits"], again.get("WriteCapacityUnits")) == (2, None)
    with refused("IdempotentParameterMismatchException", ""):
        write(add(table, key, 2), ClientRequestToken=token)
    with refused("ValidationException", "clientRequestToken"):
        write(add(table, key, 1), ClientRequestToken="x" * 37)
    assert found(dynamodb, table, key)["n"] == {"N": "1"}


@pytest.mark.local
def test_a_token_counts_after_a_crash(start_server):
    server = start_server()
    arguments = {"TransactItems": [add("tokens", "a", 1)], "ClientRequestToken": "survives"}
    cloud = Cloud(server.endpoint)
    cloud.create_table(name="tokens")
    cloud.dynamodb.transact_write_items(**arguments)
    server.kill()
    dynamodb = Cloud(server.start().endpoint).dynamodb
    dynamodb.transact_write_items(**arguments)
    assert found(dynamodb, "tokens", "a")["n"] == {"N": "1"}


def test_capacity_is_twice_that_of_single_operations(table, write, dynamodb):
    key = unique("capacity")
    answer = write(put(table, key, text="x" * 1500), check(table, unique("none"), "attribute_not_exists(id)"),
                   ReturnConsumedCapacity="INDEXES")
    assert answer["ConsumedCapacity"] == [{"TableName": table, "CapacityUnits": 6.0, "WriteCapacityUnits": 6.0,
                                           "Table": {"CapacityUnits": 6.0, "WriteCapacityUnits": 6.0}}]
    answer = dynamodb.transact_get_items(TransactItems=[get(table, key), get(table, unique("none"))],
                                         ReturnConsumedCapacity="TOTAL")
    assert answer["ConsumedCapacity"] == [{"TableName": table, "CapacityUnits": 4.0, "ReadCapacityUnits": 4.0}]


def test_items_are_read_in_order_with_their_projections(cloud, dynamodb, table):
    key = unique("read")
    cloud.put_item(table, id=key, x=1, y=2)
    answer = dynamodb.transact_get_items(TransactItems=[
        get(table, unique("none")),
        get(table, key, ProjectionExpression="#x", ExpressionAttributeNames={"#x": "x"})])
    assert answer["Responses"] == [{}, {"Item": item(x=1)}]


def test_wrong_reads_are_refused(dynamodb, table):
    with refused("ValidationException", "Transaction request cannot include multiple operations on one item"):
        dynamodb.transact_get_items(TransactItems=[get(table, "a"), get(table, "a")])
    with cancelled("None", "ValidationError"):
        dynamodb.transact_get_items(TransactItems=[get(table, "a"), {"Get": {"TableName": table, "Key": {}}}])
    with refused("ValidationException", 'Invalid ProjectionExpression: Syntax error; token: "!", near: "!!"'):
        dynamodb.transact_get_items(TransactItems=[get(table, "a", ProjectionExpression="!!!")])
    with refused("ResourceNotFoundException", "Requested resource not found"):
        dynamodb.transact_get_items(TransactItems=[get("no-such-table", "a")])


def test_a_reader_never_sees_half_a_transfer(cloud, dynamodb, table):
    """Writers move money between two accounts while a reader adds both up. On AWS a conflict may cancel either side,
    which then has had no effect; here they wait for each other."""
    left, right = unique("left"), unique("right")
    for key in (left, right):
        cloud.put_item(table, id=key, n=100)
    done = threading.Event()

    def transfer(amount):
        client = cloud.client("dynamodb")
        while not done.is_set():
            try:
                client.transact_write_items(TransactItems=[add(table, left, -amount), add(table, right, amount)])
            except client.exceptions.TransactionCanceledException:
                pass

    threads = [threading.Thread(target=transfer, args=(amount,)) for amount in (1, -2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(50):
            try:
                answer = dynamodb.transact_get_items(TransactItems=[get(table, left), get(table, right)])
            except dynamodb.exceptions.TransactionCanceledException:
                continue
            assert sum(int(one["Item"]["n"]["N"]) for one in answer["Responses"]) == 200
    finally:
        done.set()
        for thread in threads:
            thread.join()


# ---- PartiQL ----

@pytest.fixture
def execute(dynamodb):
    def execute(*statements, **more):
        return dynamodb.execute_transaction(TransactStatements=[
            statement if isinstance(statement, dict) else {"Statement": statement} for statement in statements], **more)
    return execute


def test_statements_write_all_or_nothing(cloud, dynamodb, table, execute):
    old, new, last = unique("old"), unique("new"), unique("last")
    cloud.put_item(table, id=old, n=1)
    execute(f"""EXISTS(SELECT * FROM "{table}" WHERE id = '{old}' AND n = 1)""",
            {"Statement": f"INSERT INTO \"{table}\" VALUE {{'id': ?, 'x': ?}}", "Parameters": [{"S": new}, {"N": "5"}]})
    assert found(dynamodb, table, new) == item(id=new, x=5)
    with cancelled("None", "DuplicateItem") as error:
        execute(f"""UPDATE "{table}" SET n = n + 1 WHERE id = '{old}'""", f"""INSERT INTO "{table}" VALUE {{'id': '{new}'}}""")
    assert reasons(error)[1] == {"Code": "DuplicateItem", "Message": "Duplicate primary key exists in table"}
    with cancelled("ConditionalCheckFailed", "None"):
        execute(f"""EXISTS(SELECT * FROM "{table}" WHERE id = '{old}' AND n IS MISSING)""",
                f"""INSERT INTO "{table}" VALUE {{'id': '{last}'}}""")
    assert found(dynamodb, table, old) == item(id=old, n=1)
    assert found(dynamodb, table, last) is None


def test_statements_read_items_by_their_keys(cloud, table, execute):
    key = unique("key")
    cloud.put_item(table, id=key, x=1, y=2)
    answer = execute(f"""SELECT x FROM "{table}" WHERE id = '{key}'""", f"""SELECT * FROM "{table}" WHERE id = 'none'""",
                     ReturnConsumedCapacity="TOTAL")
    assert answer["Responses"] == [{"Item": item(x=1)}, {}]
    assert answer["ConsumedCapacity"] == [{"TableName": table, "CapacityUnits": 4.0, "ReadCapacityUnits": 4.0}]


def test_a_token_makes_statements_run_once(cloud, dynamodb, table, execute):
    key, token = unique("once"), unique("token")
    cloud.put_item(table, id=key, n=0)
    for _ in range(2):
        execute(f"""UPDATE "{table}" SET n = n + 1 WHERE id = '{key}'""", ClientRequestToken=token)
    assert found(dynamodb, table, key)["n"] == {"N": "1"}
    with refused("IdempotentParameterMismatchException", ""):
        execute(f"""UPDATE "{table}" SET n = n + 2 WHERE id = '{key}'""", ClientRequestToken=token)


@pytest.mark.parametrize("statements, message", [
    (["SELECT * FROM {t} WHERE id = 'a'", "DELETE FROM {t} WHERE id = 'b'"],
     "ExecuteTransaction API does not support both read and write operations in the same request."),
    (["DELETE FROM {t} WHERE id = 'b' RETURNING ALL OLD *"],
     "Validation failed in TransactStatements[0]: RETURNING clause is not supported in ExecuteTransaction."),
    (["SELECT * FROM {t}.\"index\" WHERE id = 'a'"],
     "Validation failed in TransactStatements[0]: Reads on indices are not supported within transactions."),
    (["SELECT * FROM {t} WHERE id = 'a'", "SELECT * FROM {t} WHERE id = 'b' AND x = 1"],
     "Validation failed in TransactStatements[1]: Select statements within ExecuteTransaction must specify the primary key "
     "in the where clause."),
    (["EXISTS(SELECT * FROM {t} WHERE id = 'a')"],
     "Validation failed in TransactStatements[0]: EXISTS() must contain a single item read with additional condition"),
    (["SELECT * FROM {t} WHERE id = 'a'", "SELECT x FROM {t} WHERE id = 'a'"],
     "Transaction request cannot include multiple operations on one item"),
], ids=["mixed", "returning", "index", "no key", "exists", "twice"])
def test_wrong_statements_are_refused(table, execute, statements, message):
    with refused("ValidationException", message):
        execute(*[statement.format(t=f'"{table}"') for statement in statements])
