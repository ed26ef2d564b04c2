"""What the types of Cloud Control tell of a resource, and what a patch makes of it, with boto3: each is made, read, changed,
listed and removed; and what its own service has made is read just so."""
import json

import pytest
from harness import PYTHON_RUNTIME, ROLE, quietly, refused, unique
from test_cloudcontrol import change, control, make, over, replace, state  # noqa: F401  (a fixture)

TRUST = {"Version": "2012-10-17", "Statement": [
    {"Effect": "Allow", "Principal": {"Service": "lambda.amazonaws.com"}, "Action": "sts:AssumeRole"}]}
READS = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*"}]}
TAGS = [{"Key": "a", "Value": "b"}]
TABLE, TOPIC, BUCKET, GROUP = "AWS::DynamoDB::Table", "AWS::SNS::Topic", "AWS::S3::Bucket", "AWS::Logs::LogGroup"
FUNCTION, IAM_ROLE, PARAMETER, STREAM = "AWS::Lambda::Function", "AWS::IAM::Role", "AWS::SSM::Parameter", "AWS::Kinesis::Stream"
RULE, ALARM, COMPOSITE = "AWS::Events::Rule", "AWS::CloudWatch::Alarm", "AWS::CloudWatch::CompositeAlarm"


def add(path, value):
    return {"op": "add", "path": path, "value": value}


def remove(path):
    return {"op": "remove", "path": path}


def answering(word):
    return {"ZipFile": f"def handler(event, context):\n    return {word!r}\n"}


def table(name):
    return {"TableName": name, "BillingMode": "PAY_PER_REQUEST", "Tags": TAGS,
            "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
            "TimeToLiveSpecification": {"AttributeName": "ttl", "Enabled": True}}


# The type, what it is made of, what a patch does, and what of it is other then; None: it is gone.
LIVES = [
    (COMPOSITE, lambda name: {"AlarmName": name, "AlarmRule": "FALSE", "AlarmDescription": "d", "Tags": TAGS},
     [replace("/AlarmDescription", "e")], {"AlarmDescription": "e"}),
    (ALARM, lambda name: {"AlarmName": name, "Namespace": "tide", "MetricName": "height", "Statistic": "Sum", "Period": 60,
                          "EvaluationPeriods": 1, "Threshold": 5, "ComparisonOperator": "GreaterThanThreshold", "Tags": TAGS,
                          "Dimensions": [{"Name": "gate", "Value": "a"}], "AlarmDescription": "d"},
     [replace("/Threshold", 7), remove("/AlarmDescription")], {"Threshold": 7, "AlarmDescription": None}),
    (TABLE, table, [add("/StreamSpecification", {"StreamViewType": "NEW_IMAGE"}),
                    replace("/PointInTimeRecoverySpecification/PointInTimeRecoveryEnabled", True)],
     {"StreamSpecification": {"StreamViewType": "NEW_IMAGE"}}),
    (TOPIC, lambda name: {"TopicName": name, "DisplayName": "one", "Tags": TAGS},
     [replace("/DisplayName", "two"), add("/Tags/-", {"Key": "c", "Value": "d"})],
     {"DisplayName": "two", "Tags": [*TAGS, {"Key": "c", "Value": "d"}]}),
    (BUCKET, lambda name: {
        "BucketName": name, "VersioningConfiguration": {"Status": "Enabled"}, "Tags": TAGS,
        "LifecycleConfiguration": {"Rules": [{"Id": "r", "Status": "Enabled", "Prefix": "p/", "ExpirationInDays": 7}]},
        "CorsConfiguration": {"CorsRules": [{"AllowedMethods": ["GET"], "AllowedOrigins": ["*"], "MaxAge": 10}]}},
     [replace("/VersioningConfiguration/Status", "Suspended"), replace("/LifecycleConfiguration/Rules/0/ExpirationInDays", 9),
      remove("/CorsConfiguration")],
     {"VersioningConfiguration": {"Status": "Suspended"}, "CorsConfiguration": None,
      "LifecycleConfiguration": {"Rules": [{"Id": "r", "Status": "Enabled", "Prefix": "p/", "ExpirationInDays": 9}]}}),
    (GROUP, lambda name: {"LogGroupName": name, "RetentionInDays": 7, "Tags": TAGS},
     [replace("/RetentionInDays", 14)], {"RetentionInDays": 14}),
    (FUNCTION, lambda name: {
        "FunctionName": name, "Runtime": PYTHON_RUNTIME, "Handler": "index.handler", "Role": ROLE, "Code": answering("one"),
        "Timeout": 5, "Environment": {"Variables": {"TIDE": "low"}}, "Tags": TAGS},
     [replace("/Timeout", 9), replace("/Environment/Variables/TIDE", "high"), add("/ReservedConcurrentExecutions", 2)],
     {"Timeout": 9, "Environment": {"Variables": {"TIDE": "high"}}, "ReservedConcurrentExecutions": 2}),
    (IAM_ROLE, lambda name: {"RoleName": name, "AssumeRolePolicyDocument": TRUST, "Description": "one", "Tags": TAGS,
                             "Policies": [{"PolicyName": "p", "PolicyDocument": READS}]},
     [replace("/Description", "two"), replace("/Policies/0/PolicyName", "q"), add("/MaxSessionDuration", 7200)],
     {"Description": "two", "Policies": [{"PolicyName": "q", "PolicyDocument": READS}], "MaxSessionDuration": 7200}),
    (PARAMETER, lambda name: {"Name": f"/{name}/a", "Type": "String", "Value": "one", "Description": "d", "Tags": {"a": "b"}},
     [replace("/Value", "two")], {"Value": "two"}),
    (STREAM, lambda name: {"Name": name, "ShardCount": 1, "Tags": TAGS}, [replace("/RetentionPeriodHours", 48)],
     {"RetentionPeriodHours": 48}),
    (RULE, lambda name: {"Name": name, "EventBusName": "default", "EventPattern": {"source": ["tide"]}, "Tags": TAGS,
                         "Targets": [{"Id": "a", "Arn": "arn:aws:sqs:us-east-1:000000000000:any"}]},
     [replace("/EventPattern/source/0", "ebb"), replace("/Targets/0/Id", "b"), add("/State", "DISABLED")],
     {"EventPattern": {"source": ["ebb"]}, "State": "DISABLED",
      "Targets": [{"Id": "b", "Arn": "arn:aws:sqs:us-east-1:000000000000:any"}]}),
]


def without(properties, *names):
    return {name: value for name, value in properties.items() if name not in names}


def listed(control, kind):  # noqa: F811
    return {one["Identifier"]: json.loads(one["Properties"])
            for page in control.get_paginator("list_resources").paginate(TypeName=kind) for one in page["ResourceDescriptions"]}


@pytest.mark.parametrize("kind, wanted, patch, changed", LIVES, ids=[one[0] for one in LIVES])
def test_a_resource_is_what_it_is_told(control, kind, wanted, patch, changed):  # noqa: F811
    wanted = wanted(unique("control"))
    identifier = make(control, kind, **wanted)["Identifier"]
    found = state(control, kind, identifier)
    told = without(wanted, "Code")  # which nobody can read
    assert {name: found.get(name) for name in told} == told
    assert "Code" not in found
    assert listed(control, kind)[identifier] == found
    event = over(control, change(control, kind, identifier, *patch))
    assert event["Identifier"] == identifier
    after = state(control, kind, identifier)
    assert {name: after.get(name) for name in changed} == changed
    kept = set(told) - set(changed)
    assert {name: after.get(name) for name in kept} == {name: told[name] for name in kept}
    over(control, control.delete_resource(TypeName=kind, Identifier=identifier)["ProgressEvent"])
    assert identifier not in listed(control, kind)
    with refused("ResourceNotFoundException", f"Resource of type '{kind}' with identifier '{identifier}' was not found."):
        state(control, kind, identifier)


def test_what_identifies_a_resource_stays(control):  # noqa: F811
    name = unique("control")
    make(control, GROUP, LogGroupName=name)
    with refused("NotUpdatableException",
                 "Invalid patch update: createOnlyProperties [/properties/LogGroupName] cannot be updated"):
        change(control, GROUP, name, replace("/LogGroupName", "other"))
    over(control, control.delete_resource(TypeName=GROUP, Identifier=name)["ProgressEvent"])


# Its code is no part of what can be read, so a patch adds it.
def test_the_code_of_a_function_is_changed(cloud, control):  # noqa: F811
    name = unique("control")
    make(control, FUNCTION, FunctionName=name, Runtime=PYTHON_RUNTIME, Handler="index.handler", Role=ROLE,
         Code=answering("one"))
    assert cloud.invoke(name, {})[1] == "one"
    over(control, change(control, FUNCTION, name, add("/Code", answering("two"))))
    assert cloud.invoke(name, {})[1] == "two"
    found = state(control, FUNCTION, name)
    assert found["Arn"].endswith(f":function:{name}") and found["MemorySize"] == 128
    over(control, control.delete_resource(TypeName=FUNCTION, Identifier=name)["ProgressEvent"])


def test_what_a_service_has_made_is_read(cloud, control):  # noqa: F811
    name = unique("control")
    dynamodb, sns = cloud.client("dynamodb"), cloud.client("sns")
    dynamodb.create_table(
        TableName=name, ProvisionedThroughput={"ReadCapacityUnits": 2, "WriteCapacityUnits": 1},
        KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}, {"AttributeName": "at", "KeyType": "RANGE"}],
        AttributeDefinitions=[{"AttributeName": one, "AttributeType": "S"} for one in ("id", "at", "to")],
        LocalSecondaryIndexes=[{"IndexName": "local", "Projection": {"ProjectionType": "KEYS_ONLY"}, "KeySchema": [
            {"AttributeName": "id", "KeyType": "HASH"}, {"AttributeName": "to", "KeyType": "RANGE"}]}],
        GlobalSecondaryIndexes=[{"IndexName": "global", "Projection": {"ProjectionType": "ALL"}, "KeySchema": [
            {"AttributeName": "to", "KeyType": "HASH"}], "ProvisionedThroughput": {
                "ReadCapacityUnits": 1, "WriteCapacityUnits": 1}}])
    dynamodb.get_waiter("table_exists").wait(TableName=name)
    found = state(control, TABLE, name)
    assert (found["BillingMode"], found["ProvisionedThroughput"]) == (
        "PROVISIONED", {"ReadCapacityUnits": 2, "WriteCapacityUnits": 1})
    assert [one["IndexName"] for one in found["LocalSecondaryIndexes"]] == ["local"]
    assert found["GlobalSecondaryIndexes"][0]["ProvisionedThroughput"] == {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}
    assert found["Arn"] == dynamodb.describe_table(TableName=name)["Table"]["TableArn"]
    over(control, change(control, TABLE, name, replace("/GlobalSecondaryIndexes/0/ProvisionedThroughput/ReadCapacityUnits", 3)))
    indexes = dynamodb.describe_table(TableName=name)["Table"]["GlobalSecondaryIndexes"]
    assert indexes[0]["ProvisionedThroughput"]["ReadCapacityUnits"] == 3
    over(control, control.delete_resource(TypeName=TABLE, Identifier=name)["ProgressEvent"])

    topic = sns.create_topic(Name=name)["TopicArn"]
    queue = cloud.sqs.create_queue(QueueName=name)["QueueUrl"]
    arn = cloud.sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    sns.subscribe(TopicArn=topic, Protocol="sqs", Endpoint=arn)
    found = state(control, TOPIC, topic)
    assert (found["TopicName"], found["TopicArn"]) == (name, topic)
    assert found["Subscription"] == [{"Protocol": "sqs", "Endpoint": arn}]
    over(control, change(control, TOPIC, topic, remove("/Subscription")))
    assert sns.list_subscriptions_by_topic(TopicArn=topic)["Subscriptions"] == []
    over(control, control.delete_resource(TypeName=TOPIC, Identifier=topic)["ProgressEvent"])
    cloud.sqs.delete_queue(QueueUrl=queue)


# A rule is called by its ARN here, and by its name in stacks.
def test_a_rule_is_found_on_its_bus(cloud, control):  # noqa: F811
    events, bus = cloud.client("events"), unique("control")
    events.create_event_bus(Name=bus)
    arn = events.put_rule(Name="tide", EventBusName=bus, EventPattern=json.dumps({"source": ["tide"]}))["RuleArn"]
    found = state(control, RULE, arn)
    assert (found["Arn"], found["Name"], found["EventBusName"]) == (arn, "tide", bus)
    assert arn in listed(control, RULE)
    with refused("InvalidRequestException", "is not valid for identifier [/properties/Arn]"):
        state(control, RULE, "tide")
    over(control, control.delete_resource(TypeName=RULE, Identifier=arn)["ProgressEvent"])
    with refused("ResourceNotFoundException"):
        state(control, RULE, arn)
    events.delete_event_bus(Name=bus)


def test_secrets_are_not_told(cloud, control):  # noqa: F811
    ssm, name = cloud.client("ssm"), unique("control")
    ssm.put_parameter(Name=name, Value="hidden", Type="SecureString")
    with refused("InvalidRequestException", "SecureString"):
        state(control, PARAMETER, name)
    assert name not in listed(control, PARAMETER)
    quietly(ssm.delete_parameter, Name=name)


def test_other_spellings_of_an_identifier_name_nothing(control):  # noqa: F811
    parameter, rule, name = PARAMETER, RULE, unique("spelling")
    make(control, parameter, Name=name, Type="String", Value="v")
    with refused("ResourceNotFoundException"):
        control.get_resource(TypeName=parameter, Identifier=f"{name}:1")
    with refused("ResourceNotFoundException"):
        control.delete_resource(TypeName=parameter, Identifier=f"{name}:1")
    event = make(control, rule, Name=name, ScheduleExpression="rate(1 day)", State="DISABLED")
    for arn in (event["Identifier"].replace("us-east-1", "eu-west-1"), f":rule/{name}"):
        with refused("InvalidRequestException"):
            control.delete_resource(TypeName=rule, Identifier=arn)
    assert state(control, rule, event["Identifier"])["Name"] == name
    for kind, identifier in ((parameter, name), (rule, event["Identifier"])):
        over(control, control.delete_resource(TypeName=kind, Identifier=identifier)["ProgressEvent"])
