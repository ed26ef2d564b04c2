"""Terraform's AWS provider applies, plans again, changes, replaces, imports and destroys tests/terraform, unmodified,
with only the endpoint set; and what it has applied does its work. Skipped where Terraform or its provider is missing:
neither is fetched. test_terraform_calls.py makes the provider's calls without it."""
import json
import shutil

import pytest

from harness import ROOT, Cloud, Server, eventually, zip_of
from terraform_support import Terraform, needed

pytestmark = [pytest.mark.local, *needed()]
CODE = """
import common, os, boto3

def handler(event, context):
    boto3.client("sqs").send_message(QueueUrl=os.environ["QUEUE"], MessageBody=common.told(event))
    return event
"""
LAYER = "import json\n\ndef told(event):\n    return json.dumps(event)\n"
# Those with the generation in a property that cannot be changed.
REPLACED = {
    "aws_cloudwatch_log_group.workflows", "aws_cloudwatch_metric_alarm.slow", "aws_dynamodb_table.provisioned",
    "aws_iam_policy.boundary", "aws_kinesis_stream.demand", "aws_kms_alias.notes", "aws_s3_bucket.plain",
    "aws_scheduler_schedule.high", "aws_scheduler_schedule_group.tides", "aws_sfn_state_machine.quick",
    "aws_sns_topic.ordered", "aws_sqs_queue.spare", "aws_ssm_parameter.delay"}
# What is imported again after it was forgotten, by which id. Of others, the provider keeps arguments that no service
# tells.
IMPORTED = {
    "aws_dynamodb_table.sessions": lambda is_: is_["name"],
    "aws_lambda_event_source_mapping.table": lambda is_: is_["uuid"],
    "aws_sqs_queue.inbox": lambda is_: is_["url"],
    "aws_sns_topic.news": lambda is_: is_["arn"],
    "aws_s3_bucket_cors_configuration.files": lambda is_: is_["bucket"],
    "aws_cloudwatch_event_target.function": lambda is_: f"{is_['event_bus_name']}/{is_['rule']}/{is_['target_id']}",
    "aws_scheduler_schedule.high": lambda is_: f"{is_['group_name']}/{is_['name']}",
    "aws_sfn_activity.human": lambda is_: is_["id"],
    "aws_pipes_pipe.orders": lambda is_: is_["name"],
    "aws_iam_role_policy.functions": lambda is_: f"{is_['role']}:{is_['name']}",
    "aws_kms_alias.notes": lambda is_: is_["name"],
    "aws_cloudwatch_metric_alarm.errors": lambda is_: is_["alarm_name"],
}


@pytest.fixture(scope="module")
def terraform(tmp_path_factory):
    directory = tmp_path_factory.mktemp("terraform")
    folder = directory / "configuration"
    shutil.copytree(ROOT / "tests" / "terraform", folder)
    (folder / "code.zip").write_bytes(zip_of({"forward.py": CODE}))
    (folder / "layer.zip").write_bytes(zip_of({"python/common.py": LAYER}))
    server = Server(directory / "data", log=directory / "log").start()
    try:
        yield Terraform(folder, server, code=folder / "code.zip", layer=folder / "layer.zip")
    finally:
        server.kill()


def test_everything_lives_from_apply_to_destroy(terraform):
    cloud = Cloud(terraform.server.endpoint)
    terraform.apply()
    applied = terraform.state()
    assert terraform.planned() == {}, differences(terraform)
    expect_a_function_that_works(cloud)

    terraform.variables.update(delay_seconds=7, generation="two")
    planned = terraform.planned()
    replaced = {address for address, actions in planned.items() if "delete" in actions}
    assert replaced >= REPLACED
    terraform("apply", "-parallelism=100", "plan")
    changed = terraform.state()
    for address, actions in planned.items():
        if address in REPLACED:
            assert identity(changed[address]) != identity(applied[address])
    assert terraform.planned() == {}, differences(terraform)
    expect_a_function_that_works(cloud)

    terraform("state rm", *IMPORTED)
    taken = {address: how(changed[address]) for address, how in IMPORTED.items()}
    (terraform.folder / "imports.tf").write_text("".join(
        f'import {{\n  to = {address}\n  id = "{id_}"\n}}\n' for address, id_ in taken.items()))
    assert terraform.planned() == {}, differences(terraform)
    assert {address: change["importing"]["id"] for address, change in terraform.last_plan.items()
            if "importing" in change} == taken
    terraform("apply", "plan")
    assert ids(terraform.state()) == ids(changed)

    terraform.destroy()
    assert terraform.state() == {}
    expect_nothing(cloud)


def ids(state):
    return {address: values.get("id") for address, values in state.items()}


def identity(values):
    return values.get("arn", values["id"])


def differences(terraform):
    """What a plan that should be empty would do."""
    def of(change):
        before, after = change["before"], change["after"] or {}
        return {name: (before[name], after.get(name)) for name in before if before[name] != after.get(name)}
    return {address: (change["actions"], of(change)) for address, change in terraform.last_plan.items()
            if change["before"] and change["actions"] != ["no-op"]}


def expect_a_function_that_works(cloud):
    _, answer = cloud.invoke("tidal-forward", {"high": "tide"})
    assert answer == {"high": "tide"}
    queue = next(url for url in cloud.sqs.list_queues()["QueueUrls"] if "tidal-outbox" in url)

    def arrived():
        found = cloud.sqs.receive_message(QueueUrl=queue, MaxNumberOfMessages=10).get("Messages", [])
        return any(json.loads(one["Body"]) == {"high": "tide"} for one in found)
    eventually(arrived, "what the function has sent")


def expect_nothing(cloud):
    assert cloud.dynamodb.list_tables()["TableNames"] == []
    assert cloud.functions.list_functions()["Functions"] == []
    assert cloud.functions.list_event_source_mappings()["EventSourceMappings"] == []
    assert cloud.sqs.list_queues().get("QueueUrls", []) == []
    assert cloud.s3.list_buckets()["Buckets"] == []
    assert cloud.kinesis.list_streams()["StreamNames"] == []
    assert cloud.client("sns").list_topics()["Topics"] == []
    assert cloud.client("events").list_rules()["Rules"] == []
    assert [bus["Name"] for bus in cloud.client("events").list_event_buses()["EventBuses"]] == ["default"]
    assert cloud.client("scheduler").list_schedules()["Schedules"] == []
    assert cloud.client("pipes").list_pipes()["Pipes"] == []
    assert cloud.client("stepfunctions").list_state_machines()["stateMachines"] == []
    assert cloud.client("secretsmanager").list_secrets()["SecretList"] == []
    assert cloud.client("ssm").describe_parameters()["Parameters"] == []
    assert cloud.client("iam").list_users()["Users"] == []
    assert cloud.client("iam").list_roles()["Roles"] == []
    assert cloud.client("cloudwatch").describe_alarms()["MetricAlarms"] == []
    assert cloud.client("ecr").describe_repositories()["repositories"] == []
