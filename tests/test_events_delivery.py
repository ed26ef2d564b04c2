"""Events from PutEvents to the targets of the rules that want them."""
import json
import re

import pytest

from events_support import TRUST, Inbox, bus, create_bus, events, inbox, put, put_rule  # noqa: F401
from harness import eventually, quietly, refused, unique

SHOP = {"source": ["shop"]}


def test_an_event_reaches_the_queue_of_a_rule_that_wants_it(cloud, events, bus, inbox):
    put_rule(cloud, bus, {"source": ["shop"], "detail": {"price": [{"numeric": [">", 10]}]}}, [{"Arn": inbox.arn}])
    put(events, bus, {"price": 5})
    event_id = put(events, bus, {"price": 12.50, "name": "ζ🦊"}, Resources=["arn:aws:s3:::shelf"], Time=1700000000)
    [body] = inbox.bodies()
    document = json.loads(body)
    account = document["account"]
    assert list(document) == ["version", "id", "detail-type", "source", "account", "time", "region", "resources",
                              "detail"]
    assert document == {"version": "0", "id": event_id, "detail-type": "order", "source": "shop", "account": account,
                        "time": "2023-11-14T22:13:20Z", "region": cloud.region, "resources": ["arn:aws:s3:::shelf"],
                        "detail": {"price": 12.5, "name": "ζ🦊"}}
    assert re.fullmatch(r"\d{12}", account)
    assert "12.5" in body


def test_an_event_runs_a_function(cloud, events, bus):
    function = cloud.recorder()
    arn = cloud.functions.get_function(FunctionName=function)["Configuration"]["FunctionArn"]
    rule = put_rule(cloud, bus, SHOP, [{"Arn": arn}])
    rule_arn = events.describe_rule(Name=rule, EventBusName=bus)["Arn"]
    cloud.functions.add_permission(FunctionName=function, StatementId="events", Action="lambda:InvokeFunction",
                                   Principal="events.amazonaws.com", SourceArn=rule_arn)
    put(events, bus, {"n": 1})
    [event] = cloud.wait_for_events(function, 1)
    assert event["detail"] == {"n": 1} and event["detail-type"] == "order"


def test_every_rule_that_matches_has_all_its_targets_told(cloud, events, bus):
    boxes = [Inbox(cloud) for _ in range(3)]
    put_rule(cloud, bus, SHOP, [{"Arn": boxes[0].arn}, {"Arn": boxes[1].arn}])
    put_rule(cloud, bus, {"detail-type": [{"prefix": "or"}]}, [{"Arn": boxes[2].arn}])
    put_rule(cloud, bus, {"source": ["other"]}, [{"Arn": boxes[0].arn}])
    put(events, bus, {"n": 1})
    for box in boxes:
        assert box.details() == [{"n": 1}]


def test_each_entry_has_an_answer_of_its_own(cloud, events, bus, inbox):
    put_rule(cloud, bus, {"source": [{"exists": True}]}, [{"Arn": inbox.arn}])
    entry = {"Source": "shop", "DetailType": "order", "Detail": "{}", "EventBusName": bus}
    lacks_source = {key: value for key, value in entry.items() if key != "Source"}
    answer = events.put_events(Entries=[
        {**entry, "Detail": '{"n":1}'}, lacks_source, {**entry, "Detail": '"text"'}, {**entry, "Detail": "[1]"},
        {**entry, "Detail": "{"}, {**entry, "Source": "aws.ec2"}, {**entry, "Detail": '{"n":2}'}])
    assert answer["FailedEntryCount"] == 5
    first, *failures, last = answer["Entries"]
    assert set(first) == set(last) == {"EventId"}
    malformed = {"ErrorCode": "MalformedDetail", "ErrorMessage": "Detail is malformed."}
    assert failures == [
        {"ErrorCode": "InvalidArgument",
         "ErrorMessage": "Parameter Source is not valid. Reason: Source is a required argument."},
        malformed, malformed, malformed,
        {"ErrorCode": "NotAuthorizedForSourceException", "ErrorMessage": "Not authorized for the source."}]
    found = {document["id"]: document["detail"] for document in inbox.documents(2)}
    assert found == {first["EventId"]: {"n": 1}, last["EventId"]: {"n": 2}}


def test_requests_that_are_too_large_are_refused_whole(events, bus):
    entry = {"Source": "shop", "DetailType": "order", "Detail": "{}", "EventBusName": bus}
    with refused("ValidationException", "Member must have length less than or equal to 10"):
        events.put_events(Entries=[entry] * 11)
    with refused("ValidationException", "Total size of the entries in the request is over the limit."):
        events.put_events(Entries=[{**entry, "Detail": json.dumps({"text": "x" * (256 << 10)})}])


def test_an_event_on_a_bus_that_is_not_there_is_taken_and_reaches_nobody(events):
    assert put(events, unique("none"), {})


def test_rules_that_are_disabled_get_nothing(cloud, events, bus, inbox):
    rule = put_rule(cloud, bus, SHOP, [{"Arn": inbox.arn}], State="DISABLED")
    put(events, bus, {"n": 1})
    events.enable_rule(Name=rule, EventBusName=bus)
    put(events, bus, {"n": 2})
    assert inbox.details() == [{"n": 2}]
    events.disable_rule(Name=rule, EventBusName=bus)
    put(events, bus, {"n": 3})
    events.enable_rule(Name=rule, EventBusName=bus)
    put(events, bus, {"n": 4})
    assert inbox.details() == [{"n": 4}]


def test_a_rule_that_changes_is_another_for_the_next_event(cloud, events, bus, inbox):
    rule = put_rule(cloud, bus, SHOP, [{"Arn": inbox.arn}])
    events.put_rule(Name=rule, EventBusName=bus, EventPattern=json.dumps({"source": ["store"]}))
    put(events, bus, {"n": 1})
    put(events, bus, {"n": 2}, source="store")
    assert inbox.details() == [{"n": 2}]


def test_the_default_bus_is_there_without_being_made(cloud, events, inbox):
    source = unique("shop")
    put_rule(cloud, "default", {"source": [source]}, [{"Arn": inbox.arn}])
    answer = events.put_events(Entries=[{"Source": source, "DetailType": "order", "Detail": '{"n":1}'}])
    assert answer["FailedEntryCount"] == 0
    assert inbox.details() == [{"n": 1}]


# --- inputs ---

def deliver(cloud, events, bus, target, detail, **more):
    """The body that a queue gets whose target says `target`."""
    box = Inbox(cloud)
    put_rule(cloud, bus, SHOP, [{"Arn": box.arn, **target}])
    put(events, bus, detail, **more)
    return box.bodies()[0]


def test_a_target_may_get_a_constant_or_a_part(cloud, events, bus):
    detail = {"state": {"name": "open", "n": 1.5}, "list": ["a", "b"]}
    assert deliver(cloud, events, bus, {"Input": '{"fixed": true}'}, detail) == '{"fixed": true}'
    assert json.loads(deliver(cloud, events, bus, {"InputPath": "$.detail.state"}, detail)) == detail["state"]
    assert deliver(cloud, events, bus, {"InputPath": "$.detail.state.name"}, detail) == '"open"'
    assert deliver(cloud, events, bus, {"InputPath": "$.detail.list[1]"}, detail) == '"b"'


def test_a_template_takes_values_of_the_event(cloud, events, bus):
    transformer = {"InputPathsMap": {"name": "$.detail.name", "n": "$.detail.n", "all": "$.detail",
                                     "none": "$.detail.none"},
                   "InputTemplate": '{"who": <name>, "count": <n>, "says": "hello <name>, <n> times", "all": <all>,'
                                    ' "nothing": "<none>"}'}
    body = deliver(cloud, events, bus, {"InputTransformer": transformer}, {"name": "Ann", "n": 3})
    assert json.loads(body) == {"who": "Ann", "count": 3, "says": "hello Ann, 3 times", "all": {"name": "Ann", "n": 3},
                                "nothing": ""}


def test_a_template_may_be_a_text(cloud, events, bus):
    transformer = {"InputPathsMap": {"name": "$.detail.name"}, "InputTemplate": '"<name> has ordered"'}
    body = deliver(cloud, events, bus, {"InputTransformer": transformer}, {"name": "Ann"})
    assert body == '"Ann has ordered"'


def test_a_template_knows_the_rule_and_the_event(cloud, events, bus, inbox):
    template = ('{"arn": <aws.events.rule-arn>, "name": <aws.events.rule-name>,'
                ' "at": <aws.events.event.ingestion-time>, "head": <aws.events.event>, "event": <aws.events.event.json>}')
    rule = put_rule(cloud, bus, SHOP, [{"Arn": inbox.arn, "InputTransformer": {"InputTemplate": template}}])
    put(events, bus, {"n": 1})
    [found] = inbox.documents()
    assert found["name"] == rule
    assert found["arn"] == events.describe_rule(Name=rule, EventBusName=bus)["Arn"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", found["at"])
    assert "detail" not in found["head"] and found["event"]["detail"] == {"n": 1}
    assert found["head"]["id"] == found["event"]["id"]


# --- targets ---

def test_an_event_reaches_a_fifo_queue_in_its_group(cloud, events, bus):
    box = Inbox(cloud, fifo=True, ContentBasedDeduplication="true")
    put_rule(cloud, bus, SHOP, [{"Arn": box.arn, "SqsParameters": {"MessageGroupId": "orders"}}])
    put(events, bus, {"n": 1})
    [message] = box.messages()
    assert message["Attributes"]["MessageGroupId"] == "orders"
    assert json.loads(message["Body"])["detail"] == {"n": 1}


def test_an_event_reaches_a_topic(cloud, events, bus, inbox):
    topics = cloud.client("sns")
    topic = topics.create_topic(Name=unique("topic"))["TopicArn"]
    cloud.cleanup.callback(quietly, topics.delete_topic, TopicArn=topic)
    topics.subscribe(TopicArn=topic, Protocol="sqs", Endpoint=inbox.arn, Attributes={"RawMessageDelivery": "true"})
    put_rule(cloud, bus, SHOP, [{"Arn": topic}])
    put(events, bus, {"n": 1})
    assert inbox.details() == [{"n": 1}]


def test_an_event_reaches_a_data_stream_under_the_key_that_a_path_names(cloud, events, bus):
    stream = cloud.create_data_stream()
    arn = cloud.kinesis.describe_stream_summary(StreamName=stream)["StreamDescriptionSummary"]["StreamARN"]
    put_rule(cloud, bus, SHOP, [
        {"Arn": arn, "RoleArn": TRUST, "KinesisParameters": {"PartitionKeyPath": "$.detail.customer"}}])
    put(events, bus, {"customer": "c-7"})
    [record] = cloud.data_records(stream, "shardId-000000000000", 1)
    assert record["PartitionKey"] == "c-7"
    assert json.loads(record["Data"])["detail"] == {"customer": "c-7"}


def test_a_record_of_a_data_stream_has_the_events_id_as_its_key_otherwise(cloud, events, bus):
    stream = cloud.create_data_stream()
    arn = cloud.kinesis.describe_stream_summary(StreamName=stream)["StreamDescriptionSummary"]["StreamARN"]
    put_rule(cloud, bus, SHOP, [{"Arn": arn, "RoleArn": TRUST}])
    event_id = put(events, bus, {})
    [record] = cloud.data_records(stream, "shardId-000000000000", 1)
    assert record["PartitionKey"] == event_id


def test_an_event_reaches_a_group_of_logs(cloud, events, bus):
    logs = cloud.client("logs")
    group = "/aws/events/" + unique("group")
    logs.create_log_group(logGroupName=group)
    cloud.cleanup.callback(quietly, logs.delete_log_group, logGroupName=group)
    arn = logs.describe_log_groups(logGroupNamePrefix=group)["logGroups"][0]["arn"]
    put_rule(cloud, bus, SHOP, [{"Arn": arn}])
    for n in range(2):
        put(events, bus, {"n": n})

    def both():
        found = logs.filter_log_events(logGroupName=group)["events"]
        return found if len(found) == 2 else None
    found = [json.loads(event["message"]) for event in eventually(both, "events in the logs")]
    assert sorted(event["detail"]["n"] for event in found) == [0, 1]


def test_an_event_goes_on_to_another_bus_and_no_further(cloud, events, create_bus):
    first, second, third = (create_bus() for _ in range(3))
    arns = {name: events.describe_event_bus(Name=name)["Arn"] for name in (first, second, third)}
    box, far = Inbox(cloud), Inbox(cloud)
    put_rule(cloud, first, SHOP, [{"Arn": arns[second], "RoleArn": TRUST}])
    put_rule(cloud, second, SHOP, [{"Arn": arns[third], "RoleArn": TRUST}, {"Arn": arns[first], "RoleArn": TRUST},
                                   {"Arn": box.arn}])
    put_rule(cloud, third, SHOP, [{"Arn": far.arn}])
    event_id = put(events, first, {"n": 1})
    [document] = box.documents()
    assert document["id"] == event_id and document["detail"] == {"n": 1}
    put(events, third, {"n": 2})
    assert far.details() == [{"n": 2}]


@pytest.mark.local
def test_an_event_goes_on_to_a_bus_of_another_account_and_region(cloud, events, bus):
    other = cloud.as_account("222222222222").in_region("eu-west-1")
    box = Inbox(other)
    put_rule(other, "default", SHOP, [{"Arn": box.arn}])
    arn = other.client("events").describe_event_bus()["Arn"]
    assert arn == "arn:aws:events:eu-west-1:222222222222:event-bus/default"
    put_rule(cloud, bus, SHOP, [{"Arn": arn, "RoleArn": TRUST}])
    put(events, bus, {"n": 1})
    [document] = box.documents()
    assert (document["region"], document["account"]) == (cloud.region, "000000000000")


# --- what cannot be delivered ---

def test_what_has_no_target_ends_in_the_dead_letter_queue(cloud, events, bus):
    box, dead = Inbox(cloud), Inbox(cloud)
    rule = put_rule(cloud, bus, SHOP, [{"Arn": box.arn, "Input": '"constant"', "DeadLetterConfig": {"Arn": dead.arn}}])
    cloud.sqs.delete_queue(QueueUrl=box.url)
    event_id = put(events, bus, {"n": 1})
    [message] = dead.messages()
    document = json.loads(message["Body"])
    assert document["id"] == event_id and document["detail"] == {"n": 1}
    attributes = {name: value["StringValue"] for name, value in message["MessageAttributes"].items()}
    assert attributes["RULE_ARN"] == events.describe_rule(Name=rule, EventBusName=bus)["Arn"]
    assert attributes["TARGET_ARN"] == box.arn
    assert attributes["ERROR_CODE"] == "NO_RESOURCE"
    assert attributes["ERROR_MESSAGE"]
    assert "EXHAUSTED_RETRY_CONDITION" not in attributes


@pytest.mark.local
def test_events_survive_a_kill(start_server, tmp_path):
    from harness import Cloud
    server = start_server()
    cloud = Cloud(server.endpoint)
    events = cloud.client("events")
    events.create_event_bus(Name="b")
    box = Inbox(cloud)
    put_rule(cloud, "b", SHOP, [{"Arn": box.arn}])
    entry = {"Source": "shop", "DetailType": "order", "EventBusName": "b"}
    taken = []
    for n in range(20):
        answer = events.put_events(Entries=[{**entry, "Detail": json.dumps({"n": n * 10 + i})} for i in range(10)])
        taken += [one["EventId"] for one in answer["Entries"]]
    server.kill()
    cloud = Cloud(start_server().endpoint)
    box.cloud, box.url = cloud, cloud.sqs.get_queue_url(QueueName=box.arn.rsplit(":", 1)[1])["QueueUrl"]
    arrived = set()

    def all_have_come():  # some may come twice
        arrived.update(document["id"] for document in box.documents())
        return arrived >= set(taken)
    eventually(all_have_come, "all events")


@pytest.mark.local
def test_a_schedule_runs_to_the_minute_and_its_time_is_known_to_templates(virtual):
    box = Inbox(virtual)
    put_rule(virtual, "default", None, [
        {"Arn": box.arn, "InputTransformer": {"InputPathsMap": {"time": "$.time"}, "InputTemplate": '{"at": <time>}'}}],
             ScheduleExpression="cron(*/1 * * * ? *)")
    virtual.advance(180)
    times = sorted(document["at"] for document in box.documents(3))
    assert len(times) == 3 and all(time.endswith(":00Z") for time in times)
