"""Buses, rules and their targets: making, listing, changing and removing them, and what is refused."""
import json

import pytest

from events_support import Inbox, TRUST, bus, create_bus, events, inbox, put_rule  # noqa: F401
from harness import refused, unique

SHOP = json.dumps({"source": ["shop"]})


# --- buses ---

def test_a_bus_lives_from_creation_to_deletion(events):
    name = unique("bus")
    made = events.create_event_bus(Name=name, Tags=[{"Key": "k", "Value": "v"}])
    assert made["EventBusArn"].endswith(f":event-bus/{name}")
    with refused("ResourceAlreadyExistsException", f"Event bus {name} already exists."):
        events.create_event_bus(Name=name)
    found = events.describe_event_bus(Name=name)
    assert (found["Name"], found["Arn"]) == (name, made["EventBusArn"])
    assert events.describe_event_bus(Name=made["EventBusArn"])["Name"] == name
    assert [bus["Name"] for bus in events.list_event_buses(NamePrefix=name)["EventBuses"]] == [name]
    assert events.list_tags_for_resource(ResourceARN=made["EventBusArn"])["Tags"] == [{"Key": "k", "Value": "v"}]
    events.delete_event_bus(Name=name)
    with refused("ResourceNotFoundException", f"Event bus {name} does not exist."):
        events.describe_event_bus(Name=name)
    events.delete_event_bus(Name=name)


def test_the_default_bus_cannot_be_made_or_deleted(events):
    assert events.describe_event_bus()["Name"] == "default"
    assert "default" in [bus["Name"] for bus in events.list_event_buses()["EventBuses"]]
    with refused("ResourceAlreadyExistsException", "Event bus default already exists."):
        events.create_event_bus(Name="default")
    with refused("ValidationException", "Cannot delete event bus default."):
        events.delete_event_bus(Name="default")


def test_buses_are_listed_in_pages(events, create_bus):
    names = sorted(create_bus() for _ in range(3))
    found, token = [], {}
    while True:
        page = events.list_event_buses(NamePrefix="bus-", Limit=1, **token)
        found += [bus["Name"] for bus in page["EventBuses"]]
        if "NextToken" not in page:
            break
        token = {"NextToken": page["NextToken"]}
    assert [name for name in found if name in names] == names and found == sorted(set(found))


def test_a_bus_with_rules_is_not_deleted(cloud, events, bus):
    rule = put_rule(cloud, bus, {"source": ["shop"]})
    with refused("ValidationException", "since it has rules"):
        events.delete_event_bus(Name=bus)
    events.delete_rule(Name=rule, EventBusName=bus)
    events.delete_event_bus(Name=bus)


def test_a_bus_says_who_may_put_events(events, bus):
    arn = events.describe_event_bus(Name=bus)["Arn"]
    assert "Policy" not in events.describe_event_bus(Name=bus)
    events.put_permission(EventBusName=bus, Action="events:PutEvents", Principal="111111111111", StatementId="one")
    events.put_permission(EventBusName=bus, Action="events:PutEvents", Principal="*", StatementId="all", Condition={
        "Type": "StringEquals", "Key": "aws:PrincipalOrgID", "Value": "o-1"})
    statements = json.loads(events.describe_event_bus(Name=bus)["Policy"])["Statement"]
    assert statements[0] == {"Sid": "one", "Effect": "Allow", "Principal": {"AWS": "arn:aws:iam::111111111111:root"},
                             "Action": "events:PutEvents", "Resource": arn}
    assert statements[1]["Condition"] == {"StringEquals": {"aws:PrincipalOrgID": "o-1"}}
    events.remove_permission(EventBusName=bus, StatementId="one")
    with refused("ResourceNotFoundException", "Statement with the provided id does not exist."):
        events.remove_permission(EventBusName=bus, StatementId="one")
    events.remove_permission(EventBusName=bus, RemoveAllPermissions=True)
    with refused("ResourceNotFoundException", "EventBus does not have a policy."):
        events.remove_permission(EventBusName=bus, StatementId="all")


# --- rules ---

def test_a_rule_lives_from_creation_to_deletion(events, bus):
    name = unique("rule")
    arn = events.put_rule(Name=name, EventBusName=bus, EventPattern=SHOP, Description="orders")["RuleArn"]
    assert arn.endswith(f":rule/{bus}/{name}")
    found = events.describe_rule(Name=name, EventBusName=bus)
    assert {key: found[key] for key in ("Name", "Arn", "EventPattern", "State", "Description", "EventBusName")} == {
        "Name": name, "Arn": arn, "EventPattern": SHOP, "State": "ENABLED", "Description": "orders",
        "EventBusName": bus}
    [listed] = events.list_rules(EventBusName=bus, NamePrefix=name)["Rules"]
    assert listed["Arn"] == arn and listed["EventPattern"] == SHOP
    # A rule that is put again is replaced: what it does not say is gone.
    events.put_rule(Name=name, EventBusName=bus, EventPattern=SHOP, State="DISABLED")
    found = events.describe_rule(Name=name, EventBusName=bus)
    assert found["State"] == "DISABLED" and "Description" not in found
    events.delete_rule(Name=name, EventBusName=bus)
    with refused("ResourceNotFoundException", f"Rule {name} does not exist on EventBus {bus}."):
        events.describe_rule(Name=name, EventBusName=bus)
    events.delete_rule(Name=name, EventBusName=bus)


def test_a_rule_of_the_default_bus_is_named_without_it(cloud, events):
    rule = put_rule(cloud, "default", {"source": [unique("shop")]})
    assert events.describe_rule(Name=rule)["Arn"].endswith(f":rule/{rule}")


def test_rules_are_listed_in_pages(cloud, events, bus):
    names = sorted(put_rule(cloud, bus, {"source": ["shop"]}) for _ in range(3))
    first = events.list_rules(EventBusName=bus, Limit=2)
    second = events.list_rules(EventBusName=bus, Limit=2, NextToken=first["NextToken"])
    assert [rule["Name"] for rule in first["Rules"] + second["Rules"]] == names
    assert "NextToken" not in second


def test_rules_that_make_no_sense_are_refused(events, bus):
    with refused("ValidationException", "Parameter(s) EventPattern or ScheduleExpression must be specified."):
        events.put_rule(Name="r", EventBusName=bus)
    with refused("ResourceNotFoundException", "Event bus none does not exist."):
        events.put_rule(Name="r", EventBusName="none", EventPattern=SHOP)
    with refused("ResourceNotFoundException", "Event bus none does not exist."):
        events.list_rules(EventBusName="none")
    for name in ("enable_rule", "disable_rule"):
        with refused("ResourceNotFoundException", f"Rule none does not exist on EventBus {bus}."):
            getattr(events, name)(Name="none", EventBusName=bus)


@pytest.mark.parametrize("pattern, reason", [
    ({"source": []}, "Empty arrays are not allowed"),
    ({"source": "shop"}, '"source" must be an object or an array'),
    ({"source": [{"EXISTS": True}]}, "Unrecognized match type EXISTS"),
    ({"source": [{"wildcard": "a**b"}]}, "Consecutive wildcard characters at pos 1"),
    ({"detail": {"n": [{"numeric": 5}]}}, "Value of numeric must be an array."),
    ({"detail": {"n": [{"numeric": [">", 1, ">", 2]}]}}, "Bad numeric range operator: >"),
    ({"detail": {"n": [{"numeric": ["<", "1"]}]}}, "Value of < must be numeric"),
    ({"source": [{"prefix": 5}]}, "prefix match pattern must be a string"),
    ({"source": [{"cidr": 5}]}, "prefix match pattern must be a string"),
    ({"source": [{"anything-but": {"prefix": ""}}]}, "Null prefix/suffix not allowed"),
    ({"source": [{"anything-but": [None]}]}, "Inside anything but list, start|null|boolean is not supported."),
    ({"source": [{"cidr": "10.0.0.0"}]}, "Malformed CIDR, one '/' required"),
    ({"source": [{"cidr": "xx/8"}]}, "Nonstandard IP address: xx")])
def test_a_pattern_that_is_none_is_refused_with_the_reason(events, bus, pattern, reason):
    with refused("InvalidEventPatternException", f"Event pattern is not valid. Reason: {reason}"):
        events.put_rule(Name="r", EventBusName=bus, EventPattern=json.dumps(pattern))


@pytest.mark.parametrize("expression", ["rate(5 minutes)", "rate(1 hour)", "cron(0 12 ? * MON-FRI *)",
                                        "cron(0/15 * 1 * ? 2002-2005)", "cron(* * ? * SAT#3 *)"])
def test_a_rule_of_the_default_bus_may_have_a_schedule(cloud, events, expression):
    rule = put_rule(cloud, "default", None, ScheduleExpression=expression, State="DISABLED")
    assert events.describe_rule(Name=rule)["ScheduleExpression"] == expression


@pytest.mark.parametrize("expression", ["rate(1 minutes)", "rate(0 minutes)", "rate(5 years)", "cron(0 1 * * * *)",
                                        "cron(71 8 1 * ? *)", "at(2030-01-01T00:00:00)", "every day"])
def test_what_is_no_schedule_of_a_rule_is_refused(events, expression):
    with refused("ValidationException", "Parameter ScheduleExpression is not valid."):
        events.put_rule(Name="r", ScheduleExpression=expression)


def test_only_the_default_bus_has_schedules(events, bus):
    with refused("ValidationException", "ScheduleExpression is supported only on the default event bus."):
        events.put_rule(Name="r", EventBusName=bus, ScheduleExpression="rate(5 minutes)")


# --- targets ---

def test_targets_are_put_listed_and_removed(cloud, events, bus, inbox):
    rule = put_rule(cloud, bus, {"source": ["shop"]})
    answer = events.put_targets(Rule=rule, EventBusName=bus, Targets=[
        {"Id": "a", "Arn": inbox.arn, "Input": '{"n":1}'},
        {"Id": "b", "Arn": inbox.arn, "RetryPolicy": {"MaximumRetryAttempts": 3, "MaximumEventAgeInSeconds": 60}}])
    assert (answer["FailedEntryCount"], answer["FailedEntries"]) == (0, [])
    found = events.list_targets_by_rule(Rule=rule, EventBusName=bus)["Targets"]
    assert found == [{"Id": "a", "Arn": inbox.arn, "Input": '{"n":1}'},
                     {"Id": "b", "Arn": inbox.arn,
                      "RetryPolicy": {"MaximumRetryAttempts": 3, "MaximumEventAgeInSeconds": 60}}]
    page = events.list_targets_by_rule(Rule=rule, EventBusName=bus, Limit=1)
    assert [target["Id"] for target in page["Targets"]] == ["a"]
    page = events.list_targets_by_rule(Rule=rule, EventBusName=bus, Limit=1, NextToken=page["NextToken"])
    assert [target["Id"] for target in page["Targets"]] == ["b"] and "NextToken" not in page
    assert events.list_rule_names_by_target(TargetArn=inbox.arn, EventBusName=bus)["RuleNames"] == [rule]
    # The same id replaces.
    events.put_targets(Rule=rule, EventBusName=bus, Targets=[{"Id": "a", "Arn": inbox.arn}])
    found = events.list_targets_by_rule(Rule=rule, EventBusName=bus)["Targets"]
    assert {"Id": "a", "Arn": inbox.arn} in found and len(found) == 2
    with refused("ValidationException", "Rule can't be deleted since it has targets."):
        events.delete_rule(Name=rule, EventBusName=bus)
    answer = events.remove_targets(Rule=rule, EventBusName=bus, Ids=["a", "b", "c"])
    assert answer["FailedEntryCount"] == 1 and answer["FailedEntries"][0]["TargetId"] == "c"
    assert events.list_targets_by_rule(Rule=rule, EventBusName=bus)["Targets"] == []
    assert events.list_rule_names_by_target(TargetArn=inbox.arn, EventBusName=bus)["RuleNames"] == []


def test_a_rule_has_five_targets_at_most(cloud, events, bus, inbox):
    rule = put_rule(cloud, bus, {"source": ["shop"]}, [{"Arn": inbox.arn}] * 5)
    with refused("LimitExceededException", "The requested resource exceeds the maximum number allowed."):
        events.put_targets(Rule=rule, EventBusName=bus, Targets=[{"Id": "sixth", "Arn": inbox.arn}])


def test_targets_that_make_no_sense_are_refused(cloud, events, bus, inbox):
    rule = put_rule(cloud, bus, {"source": ["shop"]})

    def put_target(**target):
        return events.put_targets(Rule=rule, EventBusName=bus, Targets=[{"Id": "t", "Arn": inbox.arn, **target}])
    with refused("ResourceNotFoundException", f"Rule none does not exist on EventBus {bus}."):
        events.put_targets(Rule="none", EventBusName=bus, Targets=[{"Id": "t", "Arn": inbox.arn}])
    with refused("ValidationException",
                 "Only one of Input, InputPath, or InputTransformer must be provided for target t."):
        put_target(Input="{}", InputPath="$.detail")
    with refused("ValidationException", "InputTemplate for target t contains invalid placeholder b."):
        put_target(InputTransformer={"InputPathsMap": {"a": "$.detail.a"}, "InputTemplate": "<a> <b>"})
    with refused("ValidationException", "InputTemplate for target t contains invalid placeholder a."):
        put_target(InputTransformer={"InputPathsMap": {"a": "$.detail.a"}, "InputTemplate": '{"a":<a}'})
    for template in ('"event was <aws.events.event.json> today"', "[<aws.events.event.json>]"):
        with refused("ValidationException", "InputTemplate for target t contains placeholder aws.events.event.json "
                                            "valid only for JSON template."):
            put_target(InputTransformer={"InputTemplate": template})
    with refused("ValidationException", "InputPath for target t is invalid."):
        put_target(InputPath="detail")
    with refused("ValidationException", "JSON syntax error in input for target t"):
        put_target(Input="{")
    with refused("ValidationException", "Parameter(s) KinesisParameters not supported for target: t"):
        put_target(KinesisParameters={"PartitionKeyPath": "$.id"})
    with refused("ValidationException", "Provided Arn is not in correct format."):
        put_target(Arn="queue")
    with refused("ValidationException", "Parameter(s) SqsParameters must be specified for target: t."):
        put_target(Arn=inbox.arn + ".fifo")
    with refused("ValidationException", "SQS FIFO is not supported by Dead Letter Queues"):
        put_target(DeadLetterConfig={"Arn": inbox.arn + ".fifo"})
    with refused("ValidationException", "sns is not supported as a dead letter resource"):
        put_target(DeadLetterConfig={"Arn": inbox.arn.replace(":sqs:", ":sns:")})
    with refused("ValidationException", "is not valid"):
        put_target(DeadLetterConfig={"Arn": inbox.arn.replace(cloud.region, "eu-west-3")})
    with refused("ValidationException", "Parameter targets is not valid. Reason: More than one target with Id 't' is "
                                        "provided."):
        events.put_targets(Rule=rule, EventBusName=bus, Targets=[{"Id": "t", "Arn": inbox.arn}] * 2)
    assert events.list_targets_by_rule(Rule=rule, EventBusName=bus)["Targets"] == []


@pytest.mark.local
@pytest.mark.parametrize("arn, named", [
    ("arn:aws:ecs:us-east-1:000000000000:cluster/c", "ecs"),
    ("arn:aws:firehose:us-east-1:000000000000:deliverystream/d", "firehose")])
def test_targets_that_are_not_supported_are_refused_by_name(cloud, events, bus, arn, named):
    rule = put_rule(cloud, bus, {"source": ["shop"]})
    with refused("ValidationException", named):
        events.put_targets(Rule=rule, EventBusName=bus, Targets=[{"Id": "t", "Arn": arn, "RoleArn": TRUST}])


def test_rules_and_buses_have_tags(cloud, events, bus):
    rule = put_rule(cloud, bus, {"source": ["shop"]}, Tags=[{"Key": "a", "Value": "1"}])
    arn = events.describe_rule(Name=rule, EventBusName=bus)["Arn"]
    events.tag_resource(ResourceARN=arn, Tags=[{"Key": "b", "Value": "2"}])
    assert events.list_tags_for_resource(ResourceARN=arn)["Tags"] == [
        {"Key": "a", "Value": "1"}, {"Key": "b", "Value": "2"}]
    events.untag_resource(ResourceARN=arn, TagKeys=["a"])
    assert events.list_tags_for_resource(ResourceARN=arn)["Tags"] == [{"Key": "b", "Value": "2"}]
    with refused("ResourceNotFoundException", "does not exist"):
        events.list_tags_for_resource(ResourceARN=arn + "x")


# --- patterns by themselves ---

EVENT = {"id": "1", "account": "000000000000", "source": "shop", "time": "2026-01-01T00:00:00Z", "region": "us-east-1",
         "resources": [], "detail-type": "order", "detail": {"n": 5, "state": {"name": "open"}}}


@pytest.mark.parametrize("pattern, result", [
    ({"source": ["shop"]}, True), ({"source": ["other"]}, False), ({"detail": {"n": [5.0]}}, True),
    ({"detail": {"n": [{"numeric": [">", 5]}]}}, False), ({"detail": {"state.name": [{"prefix": "op"}]}}, True),
    ({"detail": {"none": [{"exists": False}]}}, True), ({"resources": [{"exists": True}]}, False),
    ({"$or": [{"source": ["x"]}, {"detail-type": [{"equals-ignore-case": "ORDER"}]}]}, True)])
def test_a_pattern_is_tested_without_a_rule(events, pattern, result):
    found = events.test_event_pattern(EventPattern=json.dumps(pattern), Event=json.dumps(EVENT))
    assert found["Result"] is result


def test_only_events_are_tested(events):
    pattern = json.dumps({"source": ["shop"]})
    for event in ([], {key: value for key, value in EVENT.items() if key != "id"}):
        with refused("ValidationException", "Parameter Event is not valid."):
            events.test_event_pattern(EventPattern=pattern, Event=json.dumps(event))
    with refused("InvalidEventPatternException", "Event pattern is not valid. Reason: "):
        events.test_event_pattern(EventPattern="{", Event=json.dumps(EVENT))
