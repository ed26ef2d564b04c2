"""Pages of every list that comes in pages: whatever their size, together they show all there is, each thing once."""
import json
import random

import pytest

from harness import Cloud, Server, unique, zip_of

pytestmark = pytest.mark.local  # on a server of their own, where nobody else makes anything
ACCOUNT = "111122223333"
ROLE = f"arn:aws:iam::{ACCOUNT}:role/pages"
WHOLE = 50
THINGS = 7
MACHINE = json.dumps({"StartAt": "End", "States": {"End": {"Type": "Succeed"}}})
CODE = {"ZipFile": zip_of({"app.py": "def handler(event, context):\n    pass\n"})}


class Kind:
    """A kind of thing: how one is made, and the operation that lists them.

    `shown`: where the list shows what a thing is known by: "Queues" of names, or "Tables.Name" of structures.
    """

    def __init__(self, service, lists, shown, make):
        self.service, self.lists, self.shown, self.make = service, lists, shown, make

    def __str__(self):
        return f"{self.service}.{self.lists}"

    def names(self, client, size):
        first, _, member = self.shown.partition(".")
        for page in client.get_paginator(self.lists).paginate(PaginationConfig={"PageSize": size}):
            found = page.get(first, [])
            assert len(found) <= size, f"a page of {size} has {len(found)}"
            yield from (one[member] if member else one for one in found)


def table(client, name):
    client.create_table(TableName=name, BillingMode="PAY_PER_REQUEST", KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
                        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}])


def alarm(client, name):
    client.put_metric_alarm(AlarmName=name, Namespace="pages", MetricName="m", Statistic="Sum", Period=60, EvaluationPeriods=1,
                            Threshold=1, ComparisonOperator="GreaterThanThreshold")


def schedule(client, name):
    client.create_schedule(Name=name, ScheduleExpression="rate(1 day)", FlexibleTimeWindow={"Mode": "OFF"},
                           Target={"Arn": f"arn:aws:sqs:us-east-1:{ACCOUNT}:pages", "RoleArn": ROLE})


KINDS = [
    Kind("dynamodb", "list_tables", "TableNames", table),
    Kind("kinesis", "list_streams", "StreamNames", lambda client, name: client.create_stream(StreamName=name, ShardCount=1)),
    Kind("logs", "describe_log_groups", "logGroups.logGroupName",
         lambda client, name: client.create_log_group(logGroupName=name)),
    Kind("cloudwatch", "describe_alarms", "MetricAlarms.AlarmName", alarm),
    Kind("lambda", "list_functions", "Functions.FunctionName", lambda client, name: client.create_function(
        FunctionName=name, Runtime="python3.12", Handler="app.handler", Role=ROLE, Code=CODE)),
    Kind("stepfunctions", "list_activities", "activities.name", lambda client, name: client.create_activity(name=name)),
    Kind("stepfunctions", "list_state_machines", "stateMachines.name", lambda client, name: client.create_state_machine(
        name=name, definition=MACHINE, roleArn=ROLE)),
    Kind("ssm", "describe_parameters", "Parameters.Name", lambda client, name: client.put_parameter(
        Name=name, Value="x", Type="String")),
    Kind("secretsmanager", "list_secrets", "SecretList.Name", lambda client, name: client.create_secret(
        Name=name, SecretString="x")),
    Kind("kms", "list_keys", "Keys.KeyId", lambda client, name: client.create_key(Description=name)),
    Kind("ecr", "describe_repositories", "repositories.repositoryName",
         lambda client, name: client.create_repository(repositoryName=name)),
    Kind("scheduler", "list_schedules", "Schedules.Name", schedule),
    Kind("scheduler", "list_schedule_groups", "ScheduleGroups.Name",
         lambda client, name: client.create_schedule_group(Name=name)),
    Kind("iam", "list_users", "Users.UserName", lambda client, name: client.create_user(UserName=name)),
    Kind("iam", "list_groups", "Groups.GroupName", lambda client, name: client.create_group(GroupName=name)),
    Kind("sqs", "list_queues", "QueueUrls", lambda client, name: client.create_queue(QueueName=name)),
]


@pytest.fixture(scope="module")
def target(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("pages") / "data").start()
    yield Cloud(server.endpoint, access_key=ACCOUNT)
    server.stop()


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_pages_show_everything_once(target, kind):
    client = target.client(kind.service)
    made = [unique("page") for _ in range(THINGS)]
    random.Random(0).shuffle(made)
    for name in made:
        kind.make(client, name)
    whole = list(kind.names(client, WHOLE))
    assert len(whole) == len(set(whole)) >= THINGS
    for size in 1, 2, 3, THINGS:
        assert list(kind.names(client, size)) == whole, f"pages of {size} show something else"
