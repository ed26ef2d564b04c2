"""Tag keys that begin with aws: are AWS's own: no service takes them from clients, nor lets them be taken away."""
import json
from typing import Callable, NamedTuple

import pytest

from harness import ROLE, eventually, quietly, refused, unique, zip_of

OWN = {"team": "tide"}
PASS = json.dumps({"StartAt": "A", "States": {"A": {"Type": "Pass", "End": True}}})


def listed(tags, key="Key", value="Value"):
    return [{key: name, value: text} for name, text in tags.items()]


def mapped(tags, key="Key", value="Value"):
    return {each[key]: each[value] for each in tags or []}


class Twice(dict):
    """Tags of which each is given twice."""

    def items(self):
        return [*super().items(), *super().items()]


class Tagged(NamedTuple):
    """How one kind of resource is tagged: each takes a client, and what make() has returned."""
    service: str
    code: str
    make: Callable
    tag: Callable
    untag: Callable
    tags: Callable
    drop: Callable


def by_arn(service, code, make, drop, member="ResourceARN", form=listed, **names):
    """TagResource, UntagResource and ListTagsForResource."""
    tags, keys = names.get("tags", "Tags"), names.get("keys", "TagKeys")
    read = names.get("read", mapped)
    return Tagged(service, code, make,
                  lambda client, arn, given: client.tag_resource(**{member: arn, tags: form(given)}),
                  lambda client, arn, given: client.untag_resource(**{member: arn, keys: given}),
                  lambda client, arn: read(client.list_tags_for_resource(**{member: arn})[tags]), drop)


def small(tags):
    return listed(tags, "key", "value")


KEY = "TagKey", "TagValue"
STATES = {"member": "resourceArn", "form": small, "tags": "tags", "keys": "tagKeys",
          "read": lambda tags: mapped(tags, "key", "value")}


def make_rule(cloud, name, tags):
    return cloud.client("events").put_rule(Name=name, EventPattern='{"source": ["shop"]}', Tags=listed(tags))["RuleArn"]


def make_alarm(cloud, name, tags):
    watch = cloud.client("cloudwatch")
    watch.put_metric_alarm(AlarmName=name, Namespace="n", MetricName="m", Statistic="Sum", Period=60, Threshold=1,
                           EvaluationPeriods=1, ComparisonOperator="GreaterThanThreshold", Tags=listed(tags))
    return watch.describe_alarms(AlarmNames=[name])["MetricAlarms"][0]["AlarmArn"]


def make_composite(cloud, name, tags):
    watch = cloud.client("cloudwatch")
    watch.put_composite_alarm(AlarmName=name, AlarmRule="FALSE", Tags=listed(tags))
    return watch.describe_alarms(AlarmNames=[name], AlarmTypes=["CompositeAlarm"])["CompositeAlarms"][0]["AlarmArn"]


def make_parameter(cloud, name, tags):
    cloud.client("ssm").put_parameter(Name=name, Value="v", Type="String", Tags=listed(tags))
    return {"ResourceType": "Parameter", "ResourceId": name}


def make_lake(cloud, name, tags):
    lake = cloud.client("healthlake")
    made = lake.create_fhir_datastore(DatastoreName=name, DatastoreTypeVersion="R4", Tags=listed(tags))

    def is_active():
        return lake.describe_fhir_datastore(DatastoreId=made["DatastoreId"])["DatastoreProperties"][
            "DatastoreStatus"] == "ACTIVE"
    eventually(is_active, "the data store is active")
    return made["DatastoreArn"]


def make_pipe(cloud, name, tags):
    source, target = (cloud.queue_arn(cloud.create_queue()) for _ in range(2))
    return cloud.client("pipes").create_pipe(Name=name, Source=source, Target=target, RoleArn=ROLE, Tags=tags)["Arn"]


# Old SDKs do not know the tags of CreateStream.
def make_stream(cloud, name, tags):
    quietly(cloud.kinesis.create_stream, StreamName=name, ShardCount=1)
    cloud.data_stream_active(name)
    cloud.kinesis.add_tags_to_stream(StreamName=name, Tags=tags)
    return name


def make_table(cloud, name, tags):
    table = cloud.dynamodb.create_table(
        TableName=name, BillingMode="PAY_PER_REQUEST", KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}], Tags=listed(tags))
    cloud.dynamodb.get_waiter("table_exists").wait(TableName=name)
    return table["TableDescription"]["TableArn"]


def make_function(cloud, name, tags):
    code = {"ZipFile": zip_of({"app.py": "def handler(event, context): pass"})}
    return cloud.functions.create_function(FunctionName=name, Runtime="python3.12", Handler="app.handler", Role=ROLE,
                                           Code=code, Tags=tags)["FunctionArn"]


def last(arn):
    return arn.replace("/", ":").rsplit(":", 1)[1]


ALL = {
    "queue": Tagged(
        "sqs", "InvalidParameterValue",
        lambda cloud, name, tags: cloud.sqs.create_queue(QueueName=name, tags=tags)["QueueUrl"],
        lambda sqs, url, tags: sqs.tag_queue(QueueUrl=url, Tags=tags),
        lambda sqs, url, keys: sqs.untag_queue(QueueUrl=url, TagKeys=keys),
        lambda sqs, url: sqs.list_queue_tags(QueueUrl=url).get("Tags"),
        lambda sqs, url: sqs.delete_queue(QueueUrl=url)),
    "topic": by_arn(
        "sns", "InvalidParameter",
        lambda cloud, name, tags: cloud.client("sns").create_topic(Name=name, Tags=listed(tags))["TopicArn"],
        lambda sns, arn: sns.delete_topic(TopicArn=arn), "ResourceArn"),
    "bus": by_arn(
        "events", "ValidationException",
        lambda cloud, name, tags: cloud.client("events").create_event_bus(Name=name, Tags=listed(tags))["EventBusArn"],
        lambda events, arn: events.delete_event_bus(Name=last(arn))),
    "rule": by_arn("events", "ValidationException", make_rule, lambda events, arn: events.delete_rule(Name=last(arn))),
    "schedule group": by_arn(
        "scheduler", "ValidationException",
        lambda cloud, name, tags: cloud.client("scheduler").create_schedule_group(
            Name=name, Tags=listed(tags))["ScheduleGroupArn"],
        lambda scheduler, arn: scheduler.delete_schedule_group(Name=last(arn)), "ResourceArn"),
    "state machine": by_arn(
        "stepfunctions", "ValidationException",
        lambda cloud, name, tags: cloud.client("stepfunctions").create_state_machine(
            name=name, definition=PASS, roleArn=ROLE, tags=small(tags))["stateMachineArn"],
        lambda states, arn: states.delete_state_machine(stateMachineArn=arn), **STATES),
    "activity": by_arn(
        "stepfunctions", "ValidationException",
        lambda cloud, name, tags: cloud.client("stepfunctions").create_activity(
            name=name, tags=small(tags))["activityArn"],
        lambda states, arn: states.delete_activity(activityArn=arn), **STATES),
    "alarm": by_arn("cloudwatch", "InvalidParameterValue", make_alarm,
                    lambda watch, arn: watch.delete_alarms(AlarmNames=[last(arn)])),
    "composite alarm": by_arn("cloudwatch", "InvalidParameterValue", make_composite,
                              lambda watch, arn: watch.delete_alarms(AlarmNames=[last(arn)])),
    "parameter": Tagged(
        "ssm", "ValidationException", make_parameter,
        lambda ssm, parameter, tags: ssm.add_tags_to_resource(**parameter, Tags=listed(tags)),
        lambda ssm, parameter, keys: ssm.remove_tags_from_resource(**parameter, TagKeys=keys),
        lambda ssm, parameter: mapped(ssm.list_tags_for_resource(**parameter)["TagList"]),
        lambda ssm, parameter: ssm.delete_parameter(Name=parameter["ResourceId"])),
    "data store": by_arn("healthlake", "ValidationException", make_lake,
                         lambda lake, arn: lake.delete_fhir_datastore(DatastoreId=last(arn))),
    "table": Tagged(
        "dynamodb", "ValidationException", make_table,
        lambda client, arn, tags: client.tag_resource(ResourceArn=arn, Tags=listed(tags)),
        lambda client, arn, keys: client.untag_resource(ResourceArn=arn, TagKeys=keys),
        lambda client, arn: mapped(client.list_tags_of_resource(ResourceArn=arn)["Tags"]),
        lambda client, arn: client.delete_table(TableName=last(arn))),
    "function": Tagged(
        "lambda", "InvalidParameterValueException", make_function,
        lambda client, arn, tags: client.tag_resource(Resource=arn, Tags=tags),
        lambda client, arn, keys: client.untag_resource(Resource=arn, TagKeys=keys),
        lambda client, arn: client.list_tags(Resource=arn)["Tags"],
        lambda client, arn: client.delete_function(FunctionName=arn)),
    "data stream": Tagged(
        "kinesis", "InvalidArgumentException", make_stream,
        lambda client, name, tags: client.add_tags_to_stream(StreamName=name, Tags=tags),
        lambda client, name, keys: client.remove_tags_from_stream(StreamName=name, TagKeys=keys),
        lambda client, name: mapped(client.list_tags_for_stream(StreamName=name)["Tags"]),
        lambda client, name: client.delete_stream(StreamName=name)),
    "key": Tagged(
        "kms", "TagException",
        lambda cloud, _, tags: cloud.client("kms").create_key(Tags=listed(tags, *KEY))["KeyMetadata"]["KeyId"],
        lambda client, key, tags: client.tag_resource(KeyId=key, Tags=listed(tags, *KEY)),
        lambda client, key, keys: client.untag_resource(KeyId=key, TagKeys=keys),
        lambda client, key: mapped(client.list_resource_tags(KeyId=key)["Tags"], *KEY),
        lambda client, key: client.schedule_key_deletion(KeyId=key, PendingWindowInDays=7)),
    "group of logs": Tagged(
        "logs", "InvalidParameterException",
        lambda cloud, name, tags: cloud.client("logs").create_log_group(logGroupName=name, tags=tags) and name,
        lambda client, name, tags: client.tag_log_group(logGroupName=name, tags=tags),
        lambda client, name, keys: client.untag_log_group(logGroupName=name, tags=keys),
        lambda client, name: client.list_tags_log_group(logGroupName=name)["tags"],
        lambda client, name: client.delete_log_group(logGroupName=name)),
    "pipe": by_arn("pipes", "ValidationException", make_pipe, lambda pipes, arn: pipes.delete_pipe(Name=last(arn)),
                   "resourceArn", dict, tags="tags", keys="tagKeys", read=dict),
}


@pytest.mark.parametrize("kind", ALL)
def test_tag_keys_of_aws_itself_are_refused(cloud, kind):
    tagged, name = ALL[kind], unique("tagged")
    client = cloud.client(tagged.service)
    for key in "aws:team", "AWS:team":
        with refused(tagged.code):
            tagged.make(cloud, name, {**OWN, key: "tide"})
    made = tagged.make(cloud, name, OWN)  # of that name nothing was there
    cloud.cleanup.callback(quietly, tagged.drop, client, made)
    for key in "aws:team", "AWS:team":
        with refused(tagged.code):
            tagged.tag(client, made, {"other": "1", key: "tide"})
        with refused(tagged.code):
            tagged.untag(client, made, ["team", key])
    assert tagged.tags(client, made) == OWN
    tagged.tag(client, made, {"awsome": "1"})
    tagged.untag(client, made, ["team"])
    assert tagged.tags(client, made) == {"awsome": "1"}


@pytest.mark.parametrize("key", ["aws:team", "AWS:team"])
def test_buckets_and_objects_take_no_keys_of_aws(cloud, key):
    bucket = cloud.create_bucket()
    cloud.s3.put_object(Bucket=bucket, Key="k", Body=b"")
    with refused("InvalidTag"):
        cloud.s3.put_bucket_tagging(Bucket=bucket, Tagging={"TagSet": listed({key: "tide"})})
    with refused("InvalidTag"):
        cloud.s3.put_object_tagging(Bucket=bucket, Key="k", Tagging={"TagSet": listed({key: "tide"})})
    assert cloud.s3.get_object_tagging(Bucket=bucket, Key="k")["TagSet"] == []


# What else tags cannot be, by the services that say it of themselves and not by their models.
@pytest.mark.parametrize("kind", ["queue", "topic", "bus", "rule", "state machine", "activity", "parameter", "alarm",
                                  "composite alarm", "schedule group", "table", "group of logs", "pipe"])
@pytest.mark.parametrize("tags", [{"a!": "1"}, {"a": "{1}"}, {"a\tb": "1"}], ids=["key", "value", "tab"])
def test_tags_are_letters_digits_spaces_and_a_few_signs(cloud, kind, tags):
    tagged = ALL[kind]
    client = cloud.client(tagged.service)
    with refused(tagged.code):
        tagged.make(cloud, unique("tagged"), tags)
    made = tagged.make(cloud, unique("tagged"), OWN)
    cloud.cleanup.callback(quietly, tagged.drop, client, made)
    with refused(tagged.code):
        tagged.tag(client, made, tags)
    good = {"Straße 9 _.:/=+-@": "日本 _.:/=+-@"}
    tagged.tag(client, made, good)
    assert tagged.tags(client, made) == {**OWN, **good}


@pytest.mark.parametrize("kind", ["topic", "bus", "rule", "schedule group", "alarm", "composite alarm", "parameter",
                                  "data store", "table", "key"])
def test_a_key_of_a_tag_stands_once(cloud, kind):
    tagged, name = ALL[kind], unique("tagged")
    client = cloud.client(tagged.service)
    with refused(tagged.code):
        tagged.make(cloud, name, Twice(OWN))
    made = tagged.make(cloud, name, OWN)
    cloud.cleanup.callback(quietly, tagged.drop, client, made)
    with refused(tagged.code):
        tagged.tag(client, made, Twice({"other": "1"}))
    assert tagged.tags(client, made) == OWN
