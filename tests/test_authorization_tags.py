"""With --auth iam: whoever tags what is being made needs the right to tag."""
import json

import pytest

from authorization_support import policy, statement, trust
from harness import unique
from test_authorization import denial, iam, person, root, server  # noqa: F401 (fixtures)

pytestmark = pytest.mark.local

PAIRS = {"a": "b"}
UPPER = [{"Key": "a", "Value": "b"}]
LOWER = [{"key": "a", "value": "b"}]


@pytest.mark.parametrize("service, operation, arguments, tags, action, tagging", [
    ("sqs", "create_queue", {"QueueName": None}, {"tags": PAIRS}, "sqs:CreateQueue", "sqs:tagqueue"),
    ("sns", "create_topic", {"Name": None}, {"Tags": UPPER}, "sns:CreateTopic", "SNS:TagResource"),
    ("events", "create_event_bus", {"Name": None}, {"Tags": UPPER}, "events:CreateEventBus", "events:TagResource"),
    ("events", "put_rule", {"Name": None, "EventPattern": json.dumps({"source": ["shop"]})}, {"Tags": UPPER},
     "events:PutRule", "events:TagResource"),
    ("stepfunctions", "create_activity", {"name": None}, {"tags": LOWER}, "states:CreateActivity", "states:TagResource"),
    ("ecr", "create_repository", {"repositoryName": None}, {"tags": UPPER}, "ecr:CreateRepository", "ecr:TagResource"),
    ("iam", "create_user", {"UserName": None}, {"Tags": UPPER}, "iam:CreateUser", "iam:TagUser"),
    ("iam", "create_role", {"RoleName": None, "AssumeRolePolicyDocument": trust(Service="lambda.amazonaws.com")},
     {"Tags": UPPER}, "iam:CreateRole", "iam:TagRole"),
    ("iam", "create_policy", {"PolicyName": None, "PolicyDocument": policy(statement("sqs:*"))}, {"Tags": UPPER},
     "iam:CreatePolicy", "iam:TagPolicy"),
    ("iam", "create_instance_profile", {"InstanceProfileName": None}, {"Tags": UPPER}, "iam:CreateInstanceProfile",
     "iam:TagInstanceProfile"),
    ("dynamodb", "create_table",
     {"TableName": None, "BillingMode": "PAY_PER_REQUEST", "KeySchema": [{"AttributeName": "k", "KeyType": "HASH"}],
      "AttributeDefinitions": [{"AttributeName": "k", "AttributeType": "S"}]},
     {"Tags": UPPER}, "dynamodb:CreateTable", "dynamodb:TagResource"),
    ("logs", "create_log_group", {"logGroupName": None}, {"tags": PAIRS}, "logs:CreateLogGroup", "logs:TagResource"),
    ("kms", "create_key", {}, {"Tags": [{"TagKey": "a", "TagValue": "b"}]}, "kms:CreateKey", "kms:TagResource"),
    ("secretsmanager", "create_secret", {"Name": None, "SecretString": "s"}, {"Tags": UPPER},
     "secretsmanager:CreateSecret", "secretsmanager:TagResource"),
    ("ssm", "put_parameter", {"Name": None, "Value": "v", "Type": "String"}, {"Tags": UPPER}, "ssm:PutParameter",
     "ssm:AddTagsToResource"),
    ("scheduler", "create_schedule_group", {"Name": None}, {"Tags": UPPER}, "scheduler:CreateScheduleGroup",
     "scheduler:TagResource"),
    ("cloudwatch", "put_metric_alarm",
     {"AlarmName": None, "Namespace": "n", "MetricName": "m", "Statistic": "Sum", "Period": 60, "EvaluationPeriods": 1,
      "Threshold": 1.0, "ComparisonOperator": "GreaterThanThreshold"},
     {"Tags": UPPER}, "cloudwatch:PutMetricAlarm", "cloudwatch:TagResource"),
])
def test_tags_on_creation_need_the_right_to_tag(person, service, operation, arguments, tags, action, tagging):  # noqa: F811
    someone = person(statement(action))
    create = getattr(someone.client(service), operation)

    def fresh():
        return {name: unique("made") if value is None else value for name, value in arguments.items()}

    assert f"is not authorized to perform: {tagging} on resource: " in denial(create, **fresh(), **tags)[2]
    create(**fresh())
    vendor = action.partition(":")[0]
    someone.may(statement([action, f"{vendor}:{tagging.partition(':')[2]}"]))
    create(**fresh(), **tags)


def test_no_tags_on_creation_need_no_right(person):  # noqa: F811
    create = person(statement("states:CreateActivity")).client("stepfunctions").create_activity
    create(name=unique("made"), tags=[])
