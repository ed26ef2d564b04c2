"""How many calls of a function run at the same time."""
import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from harness import eventually, item, refused, unique

# Waits until the item "open" is in the table that the event names, and says in it that it runs.
WAIT = """
    import time, boto3
    table = boto3.client("dynamodb")
    def handler(event, context):
        table.put_item(TableName=event["table"], Item={"id": {"S": event["name"]}})
        while "Item" not in table.get_item(TableName=event["table"], Key={"id": {"S": "open"}}, ConsistentRead=True):
            time.sleep(0.01)
        return event["name"]
"""


@pytest.fixture
def function(cloud):
    return cloud.create_function(WAIT, Timeout=60)


def test_what_is_reserved_is_told_and_taken_from_the_account(functions, function):
    before = functions.get_account_settings()["AccountLimit"]
    assert functions.put_function_concurrency(
        FunctionName=function, ReservedConcurrentExecutions=5)["ReservedConcurrentExecutions"] == 5
    assert functions.get_function_concurrency(FunctionName=function)["ReservedConcurrentExecutions"] == 5
    assert functions.get_function(FunctionName=function)["Concurrency"] == {"ReservedConcurrentExecutions": 5}
    after = functions.get_account_settings()["AccountLimit"]
    assert before["UnreservedConcurrentExecutions"] - after["UnreservedConcurrentExecutions"] == 5
    assert after["ConcurrentExecutions"] == before["ConcurrentExecutions"]
    functions.delete_function_concurrency(FunctionName=function)
    assert "ReservedConcurrentExecutions" not in functions.get_function_concurrency(FunctionName=function)
    assert "Concurrency" not in functions.get_function(FunctionName=function)


def test_not_everything_can_be_reserved(functions, function):
    limit = functions.get_account_settings()["AccountLimit"]["ConcurrentExecutions"]
    with refused("InvalidParameterValueException",
                 "decreases account's UnreservedConcurrentExecution below its minimum value"):
        functions.put_function_concurrency(FunctionName=function, ReservedConcurrentExecutions=limit)
    with refused("ResourceNotFoundException", "Function not found"):
        functions.put_function_concurrency(FunctionName=unique("nothing"), ReservedConcurrentExecutions=1)


def test_calls_beyond_what_is_reserved_are_throttled(cloud, functions, function):
    table = cloud.create_table()
    functions.put_function_concurrency(FunctionName=function, ReservedConcurrentExecutions=2)
    with ThreadPoolExecutor(2) as pool:
        calls = [pool.submit(cloud.invoke, function, {"table": table, "name": name}) for name in ("a", "b")]
        try:
            for name in ("a", "b"):
                eventually(lambda: "Item" in cloud.dynamodb.get_item(
                    TableName=table, Key=item(id=name), ConsistentRead=True), f"{name} runs")
            with pytest.raises(functions.exceptions.TooManyRequestsException) as error:
                cloud.invoke(function, {"table": table, "name": "c"})
            assert error.value.response["ResponseMetadata"]["HTTPStatusCode"] == 429
            assert error.value.response["Reason"] == "ReservedFunctionConcurrentInvocationLimitExceeded"
            assert error.value.response["Error"]["Message"] == "Rate Exceeded."
        finally:
            cloud.put_item(table, id="open")
        assert {call.result()[1] for call in calls} == {"a", "b"}
    assert cloud.invoke(function, {"table": table, "name": "c"})[1] == "c"


NOTE_ORDER = """
    import time, boto3
    table = boto3.client("dynamodb")
    def handler(event, context):
        started = time.time_ns()
        time.sleep(0.2)
        table.put_item(TableName=event["table"], Item={"id": {"S": str(event["n"])}, "at": {"N": str(started)}})
"""


def test_events_beyond_what_is_reserved_run_one_after_the_other_without_pauses(cloud, functions):
    function, table, count = cloud.create_function(NOTE_ORDER, Timeout=10), cloud.create_table(), 15
    functions.put_function_concurrency(FunctionName=function, ReservedConcurrentExecutions=1)
    for n in range(count):
        functions.invoke(FunctionName=function, InvocationType="Event", Payload=json.dumps({"table": table, "n": n}))

    def all_ran():
        items = cloud.dynamodb.scan(TableName=table, ConsistentRead=True)["Items"]
        return items if len(items) == count else None
    # On AWS they share the queue with others' events, and their order there is not told.
    items = eventually(all_ran, "every event ran", deadline_seconds=100)
    assert {int(each["id"]["S"]) for each in items} == set(range(count))


def test_nothing_reserved_switches_a_function_off(cloud, functions, function):
    table = cloud.create_table()
    cloud.put_item(table, id="open")
    functions.put_function_concurrency(FunctionName=function, ReservedConcurrentExecutions=0)
    with pytest.raises(functions.exceptions.TooManyRequestsException):
        cloud.invoke(function, {"table": table, "name": "a"})
    functions.delete_function_concurrency(FunctionName=function)
    assert cloud.invoke(function, {"table": table, "name": "a"})[1] == "a"


def test_versions_share_what_their_function_has_reserved(cloud, functions, function):
    version = functions.publish_version(FunctionName=function)["Version"]
    functions.put_function_concurrency(FunctionName=function, ReservedConcurrentExecutions=0)
    with pytest.raises(functions.exceptions.TooManyRequestsException):
        cloud.invoke(function, {}, Qualifier=version)
    with refused("InvalidParameterValueException", "Aliases and versions do not support this operation"):
        functions.put_function_concurrency(FunctionName=f"{function}:{version}", ReservedConcurrentExecutions=1)


@pytest.mark.local
def test_a_throttled_event_waits_for_a_place(virtual):
    functions = virtual.functions
    function = virtual.create_function(WAIT, Timeout=60)
    recorder_table = virtual.create_table()
    functions.put_function_concurrency(FunctionName=function, ReservedConcurrentExecutions=1)
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(virtual.invoke, function, {"table": recorder_table, "name": "a"})
        eventually(lambda: "Item" in virtual.dynamodb.get_item(
            TableName=recorder_table, Key=item(id="a"), ConsistentRead=True), "a runs")
        functions.invoke(FunctionName=function, InvocationType="Event",
                         Payload=b'{"table": "%s", "name": "b"}' % recorder_table.encode())
        virtual.put_item(recorder_table, id="open")
        assert call.result()[1] == "a"
    virtual.advance(600)
    assert "Item" in virtual.dynamodb.get_item(TableName=recorder_table, Key=item(id="b"), ConsistentRead=True)
