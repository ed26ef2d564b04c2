"""What commands show of what an ARN names: of its region, and of its version."""
import json
import subprocess

import pytest

from harness import SERVER, eventually

pytestmark = pytest.mark.local


def shown(cloud, *arguments):
    found = subprocess.run([SERVER, *arguments, "--endpoint", cloud.endpoint, "--region", "us-east-1"],
                           capture_output=True, text=True, timeout=60)
    assert found.returncode == 0, found.stderr
    return found.stdout


def test_the_log_of_a_version_is_its_own(cloud):
    functions = cloud.functions
    name = cloud.create_function("def handler(event, context):\n    print('said by', context.function_version)\n")
    versions = []
    for description in ("one", "two"):
        functions.update_function_configuration(FunctionName=name, Description=description)
        versions.append(functions.publish_version(FunctionName=name)["Version"])
    first, second = versions
    functions.create_alias(FunctionName=name, Name="live", FunctionVersion=second,
                           RoutingConfig={"AdditionalVersionWeights": {first: 0.5}})
    for version in ("$LATEST", first, second):
        cloud.invoke(f"{name}:{version}")

    def said(qualifier):
        return sorted(line for line in shown(cloud, "logs", name + qualifier).splitlines() if line.startswith("said"))
    all_said = sorted(f"said by {version}" for version in ("$LATEST", first, second))
    eventually(lambda: said("") == all_said, "all three are in the log")
    assert said(":1") == ["said by 1"] and said(f":{second}") == [f"said by {second}"]
    assert said(":$LATEST") == ["said by $LATEST"]
    assert said(":live") == sorted(f"said by {version}" for version in versions)


def test_an_arn_is_looked_for_in_its_region(cloud):
    there = cloud.in_region("eu-west-1")
    name = there.create_function("def handler(event, context):\n    print('said there')\n")
    try:
        there.invoke(name)
        arn = there.functions.get_function_configuration(FunctionName=name)["FunctionArn"]
        eventually(lambda: "said there" in shown(cloud, "logs", arn), "it is in the log")
    finally:
        there.functions.delete_function(FunctionName=name)
    states = there.client("stepfunctions")
    machine = states.create_state_machine(
        name=name, roleArn="arn:aws:iam::000000000000:role/any",
        definition=json.dumps({"StartAt": "Done", "States": {"Done": {"Type": "Succeed"}}}))["stateMachineArn"]
    try:
        states.start_execution(stateMachineArn=machine, name="brewed")
        eventually(lambda: "brewed" in shown(cloud, "executions", machine, "--status", "SUCCEEDED"), "it is listed")
        assert "<svg" in shown(cloud, "graph", machine)
    finally:
        states.delete_state_machine(stateMachineArn=machine)
