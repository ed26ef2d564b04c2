"""Provisioned concurrency: processes that are there before anybody calls, and what they have to themselves."""
import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from harness import Cloud, eventually, item, refused, unique

KIND = """
    import os
    def handler(event, context):
        return [os.environ["AWS_LAMBDA_INITIALIZATION_TYPE"], context.function_version]
"""
# Says how it was started, and runs until the item "open" is in the table that the event names.
WAIT = """
    import os, time, boto3
    table = boto3.client("dynamodb")
    def handler(event, context):
        table.put_item(TableName=event["table"], Item={"id": {"S": event["name"]}})
        while "Item" not in table.get_item(TableName=event["table"], Key={"id": {"S": "open"}}, ConsistentRead=True):
            time.sleep(0.01)
        return os.environ["AWS_LAMBDA_INITIALIZATION_TYPE"]
"""


def published(cloud, source, **more):
    function = cloud.create_function(source, **more)
    return function, cloud.functions.publish_version(FunctionName=function)["Version"]


def put(functions, function, qualifier, count):
    return functions.put_provisioned_concurrency_config(
        FunctionName=function, Qualifier=qualifier, ProvisionedConcurrentExecutions=count)


def ready(functions, function, qualifier):
    """The configuration once it is ready."""
    def look():
        found = functions.get_provisioned_concurrency_config(FunctionName=function, Qualifier=qualifier)
        assert found["Status"] != "FAILED", found
        return found if found["Status"] == "READY" else None
    return eventually(look, f"{qualifier} ready", deadline_seconds=300 if not functions.meta.endpoint_url else None)


def call(functions, function, qualifier, event=None):
    answer = functions.invoke(FunctionName=function, Qualifier=qualifier, Payload=json.dumps(event or {}))
    return json.loads(answer["Payload"].read())


def test_processes_are_there_before_anybody_calls(cloud, functions):
    function, version = published(cloud, KIND)
    made = put(functions, function, version, 2)
    assert made["ResponseMetadata"]["HTTPStatusCode"] == 202
    assert made["Status"] == "IN_PROGRESS" and made["RequestedProvisionedConcurrentExecutions"] == 2
    assert made["AvailableProvisionedConcurrentExecutions"] == made["AllocatedProvisionedConcurrentExecutions"] == 0
    found = ready(functions, function, version)
    assert found["AvailableProvisionedConcurrentExecutions"] == found["AllocatedProvisionedConcurrentExecutions"] == 2
    assert call(functions, function, version) == ["provisioned-concurrency", version]
    assert call(functions, function, "$LATEST") == ["on-demand", "$LATEST"]
    listed = functions.list_provisioned_concurrency_configs(FunctionName=function)["ProvisionedConcurrencyConfigs"]
    assert [(each["FunctionArn"].split(":")[-1], each["Status"]) for each in listed] == [(version, "READY")]
    functions.delete_provisioned_concurrency_config(FunctionName=function, Qualifier=version)
    with refused("ProvisionedConcurrencyConfigNotFoundException",
                 "No Provisioned Concurrency Config found for this function"):
        functions.get_provisioned_concurrency_config(FunctionName=function, Qualifier=version)
    assert functions.list_provisioned_concurrency_configs(FunctionName=function)["ProvisionedConcurrencyConfigs"] == []


def test_what_cannot_be_provisioned_is_refused(cloud, functions):
    function, version = published(cloud, KIND)
    with refused("InvalidParameterValueException",
                 "Provisioned Concurrency Configs cannot be applied to unpublished function versions."):
        put(functions, function, "$LATEST", 1)
    with refused("InvalidParameterValueException",
                 "The function resource provided must be an alias or a published version."):
        functions.get_provisioned_concurrency_config(FunctionName=function, Qualifier="$LATEST")
    with refused("ResourceNotFoundException"):
        put(functions, unique("nothing"), "1", 1)
    with refused("ResourceNotFoundException", "Cannot find alias arn: "):
        put(functions, function, "nothing", 1)
    with refused("ProvisionedConcurrencyConfigNotFoundException"):
        functions.delete_provisioned_concurrency_config(FunctionName=function, Qualifier=version)
    limit = functions.get_account_settings()["AccountLimit"]["ConcurrentExecutions"]
    with refused("InvalidParameterValueException",
                 "decreases account's UnreservedConcurrentExecution below its minimum value"):
        put(functions, function, version, limit)


def test_a_version_has_its_processes_from_one_configuration_only(cloud, functions):
    function, version = published(cloud, KIND)
    functions.create_alias(FunctionName=function, Name="live", FunctionVersion=version)
    put(functions, function, version, 1)
    with refused("ResourceConflictException",
                 "Alias can't be used for Provisioned Concurrency configuration on an already Provisioned version"):
        put(functions, function, "live", 1)
    functions.delete_provisioned_concurrency_config(FunctionName=function, Qualifier=version)
    put(functions, function, "live", 1)
    with refused("ResourceConflictException", "Version is pointed by a Provisioned Concurrency alias"):
        put(functions, function, version, 1)


def test_what_is_provisioned_is_part_of_what_is_reserved(cloud, functions):
    function, version = published(cloud, KIND)
    functions.put_function_concurrency(FunctionName=function, ReservedConcurrentExecutions=2)
    with refused("InvalidParameterValueException", "Requested Provisioned Concurrency should not be greater than the "
                                                   "reservedConcurrentExecution for function"):
        put(functions, function, version, 3)
    put(functions, function, version, 2)
    with refused("InvalidParameterValueException", " ReservedConcurrentExecutions  1 should not be lower than function's "
                                                   "total provisioned concurrency [2]."):
        functions.put_function_concurrency(FunctionName=function, ReservedConcurrentExecutions=1)
    ready(functions, function, version)
    # All that is reserved belongs to the version: nothing is left for the others.
    with pytest.raises(functions.exceptions.TooManyRequestsException):
        call(functions, function, "$LATEST")
    assert call(functions, function, version)[0] == "provisioned-concurrency"


def test_calls_beyond_what_is_provisioned_run_as_any_others(cloud, functions):
    table = cloud.create_table()
    function, version = published(cloud, WAIT, Timeout=60)
    put(functions, function, version, 1)
    ready(functions, function, version)
    with ThreadPoolExecutor(2) as pool:
        calls = []
        try:
            for name in ("a", "b"):
                calls.append(pool.submit(call, functions, function, version, {"table": table, "name": name}))
                eventually(lambda: "Item" in cloud.dynamodb.get_item(
                    TableName=table, Key=item(id=name), ConsistentRead=True), f"{name} runs")
        finally:
            cloud.dynamodb.put_item(TableName=table, Item=item(id="open"))
        assert [each.result() for each in calls] == ["provisioned-concurrency", "on-demand"]


def test_an_alias_takes_its_processes_to_another_version(cloud, functions):
    function, first = published(cloud, KIND)
    functions.create_alias(FunctionName=function, Name="live", FunctionVersion=first)
    put(functions, function, "live", 1)
    ready(functions, function, "live")
    assert call(functions, function, "live") == ["provisioned-concurrency", first]
    functions.update_function_configuration(FunctionName=function, Description="second")
    functions.get_waiter("function_updated_v2").wait(FunctionName=function, WaiterConfig={"Delay": 1})
    second = functions.publish_version(FunctionName=function)["Version"]
    functions.update_alias(FunctionName=function, Name="live", FunctionVersion=second)
    ready(functions, function, "live")
    eventually(lambda: call(functions, function, "live") == ["provisioned-concurrency", second], "it runs the second")


def test_a_function_that_does_not_start_says_so(cloud, functions):
    function, version = published(cloud, "raise ValueError('never')\ndef handler(event, context):\n    return 1\n")
    put(functions, function, version, 1)
    found = eventually(lambda: (lambda now: now if now["Status"] == "FAILED" else None)(
        functions.get_provisioned_concurrency_config(FunctionName=function, Qualifier=version)), "failed")
    assert found["StatusReason"] == "FUNCTION_ERROR_INIT_FAILURE"
    assert found["AvailableProvisionedConcurrentExecutions"] == 0


@pytest.mark.local
def test_a_process_that_ends_is_replaced_before_anybody_calls(cloud, functions):
    function, version = published(cloud, """
        import os
        def handler(event, context):
            if event: os._exit(1)
            return os.environ["AWS_LAMBDA_INITIALIZATION_TYPE"]
    """)
    put(functions, function, version, 1)
    ready(functions, function, version)
    for _ in range(4):
        assert call(functions, function, version, {"exit": 1})["errorType"] == "Runtime.ExitError"
        ready(functions, function, version)
    assert call(functions, function, version) == "provisioned-concurrency"


@pytest.mark.local
def test_processes_are_there_again_after_a_kill(start_server):
    server = start_server()
    cloud = Cloud(server.endpoint)
    function, version = published(cloud, KIND)
    put(cloud.functions, function, version, 2)
    ready(cloud.functions, function, version)
    server.kill()
    server.start()
    functions = Cloud(server.endpoint).functions
    assert ready(functions, function, version)["AvailableProvisionedConcurrentExecutions"] == 2
    assert call(functions, function, version) == ["provisioned-concurrency", version]


@pytest.mark.local
def test_how_provisioned_processes_are_used_is_measured(virtual):
    functions = virtual.functions
    function, version = published(virtual, KIND)
    put(functions, function, version, 1)
    ready(functions, function, version)
    call(functions, function, version)
    virtual.advance(120)
    found = virtual.client("cloudwatch").list_metrics(
        Namespace="AWS/Lambda", Dimensions=[{"Name": "Resource", "Value": f"{function}:{version}"}])["Metrics"]
    assert {each["MetricName"] for each in found} == {
        "ProvisionedConcurrencyInvocations", "ProvisionedConcurrentExecutions",
        "ProvisionedConcurrencySpilloverInvocations", "ProvisionedConcurrencyUtilization"}
