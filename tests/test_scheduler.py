"""EventBridge Scheduler: schedules, groups and tags through boto3, and runs that survive kill -9."""
import json
import random
import time
from datetime import datetime, timedelta, timezone

import pytest

from harness import Cloud, eventually, refused, unique

ROLE = "arn:aws:iam::000000000000:role/scheduler"
OFF = {"Mode": "OFF"}


@pytest.fixture
def scheduler(cloud):
    return cloud.client("scheduler")


def target(arn, text=None, **more):
    return {"Arn": arn, "RoleArn": ROLE, **({} if text is None else {"Input": text}), **more}


def create(cloud, expression, to, **more):
    """A schedule that is gone after the test; its name."""
    name = unique("schedule")
    scheduler = cloud.client("scheduler")
    answer = scheduler.create_schedule(**{"Name": name, "ScheduleExpression": expression, "Target": to,
                                          "FlexibleTimeWindow": OFF, **more})
    assert answer["ScheduleArn"].endswith(f":schedule/{more.get('GroupName', 'default')}/{name}")
    cloud.cleanup.callback(forget, scheduler, name, more.get("GroupName", "default"))
    return name


def forget(scheduler, name, group):
    try:
        scheduler.delete_schedule(Name=name, GroupName=group)
    except scheduler.exceptions.ResourceNotFoundException:
        pass


def bodies(cloud, url):
    """All that the queue has; it is deleted."""
    found = []
    while messages := cloud.sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10,
                                                MessageAttributeNames=["All"]).get("Messages"):
        for message in messages:
            cloud.sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
            found.append(message["Body"])
    return found


def test_a_schedule_lives_from_creation_to_deletion(cloud, scheduler, create_queue):
    arn = cloud.queue_arn(create_queue())
    name = create(cloud, "cron(0 8 ? * MON-FRI *)", target(arn, "hello"), Description="mornings",
                  ScheduleExpressionTimezone="Europe/Berlin",
                  FlexibleTimeWindow={"Mode": "FLEXIBLE", "MaximumWindowInMinutes": 15})
    described = scheduler.get_schedule(Name=name)
    assert described["Arn"].endswith(f":schedule/default/{name}")
    assert described["ScheduleExpression"] == "cron(0 8 ? * MON-FRI *)"
    assert described["ScheduleExpressionTimezone"] == "Europe/Berlin"
    assert described["FlexibleTimeWindow"] == {"Mode": "FLEXIBLE", "MaximumWindowInMinutes": 15}
    assert described["Description"] == "mornings" and described["State"] == "ENABLED"
    assert described["Target"] == target(
        arn, "hello", RetryPolicy={"MaximumEventAgeInSeconds": 86400, "MaximumRetryAttempts": 185})
    scheduler.update_schedule(Name=name, ScheduleExpression="rate(2 hours)", FlexibleTimeWindow=OFF, State="DISABLED",
                              Target=target(arn))
    changed = scheduler.get_schedule(Name=name)
    assert changed["State"] == "DISABLED" and "Description" not in changed
    assert changed["ScheduleExpressionTimezone"] == "UTC" and changed["CreationDate"] == described["CreationDate"]
    scheduler.delete_schedule(Name=name)
    with refused("ResourceNotFoundException", f"Schedule {name} does not exist.", exactly=True):
        scheduler.get_schedule(Name=name)


@pytest.mark.parametrize("expression", ["rate(10 minute)", "rate( 10 minutes )", "cron(0 1 * * * *)", "at(2030-01-01)",
                                        "at(2030-01-01T00:00:00Z)", "whenever"])
def test_a_wrong_expression_is_refused(scheduler, expression):
    with refused("ValidationException", f"Invalid Schedule Expression {expression}.", exactly=True):
        scheduler.create_schedule(Name=unique("s"), ScheduleExpression=expression, FlexibleTimeWindow=OFF,
                                  Target=target("arn:aws:sqs:us-east-1:000000000000:q", "x"))


def test_a_start_date_long_past_is_refused(cloud, scheduler, create_queue):
    yesterday = datetime.now(timezone.utc) - timedelta(days=1)
    to = target(cloud.queue_arn(create_queue()), "x")
    new = {"Name": unique("s"), "ScheduleExpression": "rate(1 hour)", "FlexibleTimeWindow": OFF, "Target": to}
    refusal = "The StartDate you specify cannot be earlier than 5 minutes ago."
    with refused("ValidationException", refusal, exactly=True):
        scheduler.create_schedule(StartDate=yesterday, **new)
    create(cloud, "at(2100-01-01T00:00:00)", to, StartDate=yesterday)  # it means nothing to what runs once


def test_groups_hold_schedules_and_tags(cloud, scheduler, create_queue):
    group = unique("group")
    arn = scheduler.create_schedule_group(Name=group, Tags=[{"Key": "k", "Value": "v"}])["ScheduleGroupArn"]
    names = sorted(create(cloud, "rate(365 days)", target(cloud.queue_arn(create_queue()), "x"), GroupName=group,
                          State="DISABLED") for _ in range(5))
    pages = scheduler.get_paginator("list_schedules").paginate(GroupName=group, PaginationConfig={"PageSize": 2})
    assert [each["Name"] for page in pages for each in page["Schedules"]] == names
    prefixed = scheduler.list_schedules(GroupName=group, NamePrefix=names[0])["Schedules"]
    assert [each["Name"] for each in prefixed] == names[:1]
    assert scheduler.list_schedules(GroupName=group, State="ENABLED")["Schedules"] == []
    scheduler.tag_resource(ResourceArn=arn, Tags=[{"Key": "l", "Value": "w"}])
    scheduler.untag_resource(ResourceArn=arn, TagKeys=["k"])
    assert scheduler.list_tags_for_resource(ResourceArn=arn)["Tags"] == [{"Key": "l", "Value": "w"}]
    assert group in [each["Name"] for each in scheduler.list_schedule_groups(NamePrefix=group)["ScheduleGroups"]]
    scheduler.delete_schedule_group(Name=group)

    def gone():
        try:
            return scheduler.get_schedule_group(Name=group)["State"] != "DELETING" and None
        except scheduler.exceptions.ResourceNotFoundException:
            return True
    eventually(gone, "the group is gone")
    with refused("ResourceNotFoundException"):
        scheduler.get_schedule(Name=names[0], GroupName=group)


@pytest.mark.local
def test_a_week_of_mornings_runs_a_function_in_a_moment(virtual):
    function = virtual.recorder()
    arn = virtual.functions.get_function(FunctionName=function)["Configuration"]["FunctionArn"]
    virtual.put("/_tidemill/clock", {"advance": 1})
    create(virtual, "cron(0 8 * * ? *)", target(arn, '{"at":"<aws.scheduler.scheduled-time>"}'),
           ScheduleExpressionTimezone="Europe/Berlin")
    virtual.advance(7 * 24 * 3600)
    assert len(virtual.wait_for_events(function, 7)) == 7


@pytest.mark.local
def test_a_schedule_may_go_after_its_last_run(virtual):
    url = virtual.create_queue()
    now = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(virtual.now() + 60))
    document = {"ScheduleExpression": f"at({now})", "FlexibleTimeWindow": OFF, "ActionAfterCompletion": "DELETE",
                "Target": target(virtual.queue_arn(url), "once")}
    name = unique("schedule")
    status, _, _ = virtual.raw("scheduler", "POST", f"/schedules/{name}", json.dumps(document))
    assert status == 200
    virtual.advance(120)
    assert bodies(virtual, url) == ["once"]
    with refused("ResourceNotFoundException"):
        virtual.client("scheduler").get_schedule(Name=name)


@pytest.mark.local
def test_a_topic_is_published_to(virtual):
    url = virtual.create_queue()
    topic = virtual.client("sns").create_topic(Name=unique("topic"))["TopicArn"]
    virtual.client("sns").subscribe(TopicArn=topic, Protocol="sqs", Endpoint=virtual.queue_arn(url),
                                    Attributes={"RawMessageDelivery": "true"})
    create(virtual, "rate(1 hour)", target(topic, "hello"))
    virtual.advance(3 * 3600)
    assert bodies(virtual, url) == ["hello"] * 4  # at once, and every hour


@pytest.mark.local
def test_an_event_bus_gets_its_input_as_the_detail(virtual):
    events = virtual.client("events")
    bus = unique("bus")
    arn = events.create_event_bus(Name=bus)["EventBusArn"]
    url = virtual.create_queue()
    events.put_rule(Name="all", EventBusName=bus, EventPattern='{"source": ["app"]}')
    events.put_targets(Rule="all", EventBusName=bus, Targets=[{"Id": "q", "Arn": virtual.queue_arn(url)}])
    create(virtual, "rate(1 hour)", target(arn, '{"n": 1}', EventBridgeParameters={"DetailType": "Tick", "Source": "app"}))
    virtual.advance(2 * 3600)
    got = [json.loads(body) for body in bodies(virtual, url)]
    assert [(event["detail-type"], event["source"], event["detail"]) for event in got] == [("Tick", "app", {"n": 1})] * 3


@pytest.mark.local
def test_a_data_stream_gets_its_input_under_the_partition_key(virtual):
    stream = virtual.create_data_stream()
    arn = virtual.kinesis.describe_stream_summary(StreamName=stream)["StreamDescriptionSummary"]["StreamARN"]
    create(virtual, "rate(1 hour)", target(arn, '{"n":1}', KinesisParameters={"PartitionKey": "mornings"}))
    virtual.advance(2 * 3600)
    shard = virtual.kinesis.list_shards(StreamName=stream)["Shards"][0]["ShardId"]
    place = virtual.kinesis.get_shard_iterator(StreamName=stream, ShardId=shard, ShardIteratorType="TRIM_HORIZON")
    records = virtual.kinesis.get_records(ShardIterator=place["ShardIterator"])["Records"]
    assert [(record["Data"], record["PartitionKey"]) for record in records] == [(b'{"n":1}', "mornings")] * 3


@pytest.mark.local
def test_any_operation_can_be_scheduled_by_its_name(virtual):
    table = virtual.create_table()
    create(virtual, "rate(1 hour)", target(
        "arn:aws:scheduler:::aws-sdk:dynamodb:updateItem",
        json.dumps({"TableName": table, "Key": {"id": {"S": "runs"}}, "UpdateExpression": "ADD n :one",
                    "ExpressionAttributeValues": {":one": {"N": "1"}}})))
    virtual.advance(3 * 3600)
    item = virtual.dynamodb.get_item(TableName=table, Key={"id": {"S": "runs"}})["Item"]
    assert item["n"] == {"N": "4"}  # the first at once


def test_a_target_of_a_service_by_another_name_than_it_has_in_sdks_is_refused(scheduler):
    for action, message in [("states:startExecution", "states is not a supported service for a target"),
                            ("events:putEvents", "events is not a supported service for a target"),
                            ("sqs:getQueueUrl", "getQueueUrl API is not supported")]:
        with refused("ValidationException", message):
            scheduler.create_schedule(Name=unique("s"), ScheduleExpression="rate(1 hour)", FlexibleTimeWindow=OFF,
                                      Target=target(f"arn:aws:scheduler:::aws-sdk:{action}", "{}"))


def test_what_does_not_fit_the_target_is_refused(cloud, scheduler, create_queue):
    queue = cloud.queue_arn(create_queue())

    def schedule(to, **more):
        scheduler.create_schedule(**{"Name": unique("s"), "ScheduleExpression": "rate(1 hour)", "Target": to,
                                     "FlexibleTimeWindow": OFF, **more})
    with refused("ValidationException", "Parameters KinesisParameters not supported for the target."):
        schedule(target(queue, KinesisParameters={"PartitionKey": "k"}))
    with refused("ValidationException", "Parameters MessageGroupId not valid for the target"):
        schedule(target(queue, SqsParameters={"MessageGroupId": "g"}))
    with refused("ValidationException", "Parameters SqsParameters must be specified"):
        schedule(target(queue + ".fifo"))
    with refused("ValidationException", "The target ARN provided does not match the current region "):
        schedule(target(queue.replace(cloud.region, "eu-west-3")))
    with refused("ValidationException", "You must provide an input to set this target for your schedule"):
        schedule(target("arn:aws:scheduler:::aws-sdk:sqs:sendMessage"))
    with refused("ValidationException",
                 "MaximumWindowInMinutes must not be provided when FlexibleTimeWindowMode is set to OFF"):
        schedule(target(queue), FlexibleTimeWindow={**OFF, "MaximumWindowInMinutes": 5})
    day = timedelta(days=1)
    with refused("ValidationException", "The StartDate you specify must come before the EndDate."):
        schedule(target(queue), StartDate=datetime.now(timezone.utc) + 2 * day,
                 EndDate=datetime.now(timezone.utc) + day)


def test_the_same_request_may_come_twice_and_its_token_with_nothing_else(cloud, scheduler, create_queue):
    arn = cloud.queue_arn(create_queue())
    name, group = unique("schedule"), unique("group")
    request = {"Name": name, "ScheduleExpression": "rate(1 day)", "FlexibleTimeWindow": OFF, "Target": target(arn),
               "StartDate": datetime.now(timezone.utc).replace(microsecond=0) + timedelta(days=1)}
    cloud.cleanup.callback(forget, scheduler, name, "default")
    for _ in range(2):
        scheduler.create_schedule(**request, ClientToken=name)
    with refused("ConflictException"):
        scheduler.create_schedule(**{**request, "ScheduleExpression": "rate(2 days)"}, ClientToken=name)
    for _ in range(2):
        scheduler.update_schedule(**request, ClientToken=name + "-2")
    with refused("ConflictException"):
        scheduler.update_schedule(**{**request, "ScheduleExpression": "rate(2 days)"}, ClientToken=name + "-2")
    scheduler.update_schedule(**{**request, "ScheduleExpression": "rate(2 days)"}, ClientToken=name + "-3")
    cloud.cleanup.callback(scheduler.delete_schedule_group, Name=group)
    for _ in range(2):
        scheduler.create_schedule_group(Name=group, ClientToken=group)
    with refused("ConflictException"):
        scheduler.create_schedule_group(Name=group, Tags=[{"Key": "k", "Value": "v"}], ClientToken=group)
    with refused("ValidationException", "This operation cannot be performed on schedule group default."):
        scheduler.create_schedule_group(Name="default")


@pytest.mark.local
def test_a_target_of_another_service_is_refused_by_name(scheduler):
    with refused("ValidationException", "Tidemill does not support targets of ecs."):
        scheduler.create_schedule(Name=unique("s"), ScheduleExpression="rate(1 hour)", FlexibleTimeWindow=OFF,
                                  Target=target("arn:aws:ecs:us-east-1:000000000000:cluster/c"))


KILLS = 6


# Beyond AWS: seconds. What the server was down for is not made up for each time but once; here it is back at once, so
# that of every schedule hardly a run is missing, and none twice beyond what "at least once" allows.
@pytest.mark.local
def test_schedules_go_on_after_kill_9(start_server, tmp_path):
    chance = random.Random(3)
    server = start_server(data=tmp_path / "data")
    cloud = Cloud(server.endpoint)
    url = cloud.create_queue()
    name = url.rsplit("/", 1)[-1]
    for _ in range(20):
        create(cloud, "rate(1 second)",
               target(cloud.queue_arn(url), "<aws.scheduler.schedule-arn> <aws.scheduler.scheduled-time>"))
    seen, lived = {}, 0.0
    for _ in range(KILLS):
        up = chance.uniform(0.3, 1.2)
        time.sleep(up)
        lived += up
        server.kill()
        server = start_server(data=tmp_path / "data")
        cloud = Cloud(server.endpoint)
    url = cloud.sqs.get_queue_url(QueueName=name)["QueueUrl"]

    def all_ran_lately():
        for body in bodies(cloud, url):
            schedule, at = body.split()
            seen.setdefault(schedule, []).append(at)
        late = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(ended))
        return len(seen) == 20 and all(max(times) >= late for times in seen.values())
    ended = time.time()
    eventually(all_ran_lately, "every schedule ran after the last kill")
    for times in seen.values():
        assert len(set(times)) >= lived - KILLS - 1
