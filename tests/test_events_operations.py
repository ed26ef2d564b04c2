"""Rules whose target is an operation by its name, which AWS has in schedules only."""
import json

import pytest

from events_support import Inbox, bus, create_bus, events, inbox, put, put_rule  # noqa: F401
from harness import ROLE, Cloud, Server, eventually, refused
from test_authorization import policy, statement, trust

pytestmark = pytest.mark.local
SHOP = {"source": ["shop"]}
TRUST = trust(Service="events.amazonaws.com")
PUT_ITEM = "arn:aws:scheduler:::aws-sdk:dynamodb:putItem"


def item_target(table, **more):
    return {"Arn": PUT_ITEM, "RoleArn": ROLE, "InputTransformer": {
        "InputPathsMap": {"id": "$.detail.id", "text": "$.detail.text"},
        "InputTemplate": '{"TableName": "%s", "Item": {"id": {"S": <id>}, "text": {"S": <text>}}}' % table}, **more}


def item_of(cloud, table, key):
    return cloud.dynamodb.get_item(TableName=table, Key={"id": {"S": key}}, ConsistentRead=True).get("Item")


def test_an_event_calls_any_operation_by_its_name(cloud, events, bus):
    table = cloud.create_table()
    put_rule(cloud, bus, SHOP, [item_target(table)])
    put(events, bus, {"id": "a", "text": "tea"})
    assert eventually(lambda: item_of(cloud, table, "a"), "the item")["text"] == {"S": "tea"}


def test_an_events_detail_may_be_the_request(cloud, events, bus, inbox):
    put_rule(cloud, bus, SHOP, [{"Arn": "arn:aws:scheduler:::aws-sdk:sqs:sendMessage", "RoleArn": ROLE,
                                 "InputPath": "$.detail"}])
    put(events, bus, {"QueueUrl": inbox.url, "MessageBody": "as the event says"})
    assert inbox.bodies() == ["as the event says"]


def test_what_an_operation_refuses_goes_to_the_dead_letter_queue(cloud, events, bus, inbox):
    put_rule(cloud, bus, SHOP, [item_target("no-such-table", DeadLetterConfig={"Arn": inbox.arn})])
    put(events, bus, {"id": "a", "text": "tea"})
    [letter] = inbox.messages()
    attributes = {name: value["StringValue"] for name, value in letter["MessageAttributes"].items()}
    assert (attributes["ERROR_CODE"], attributes["TARGET_ARN"]) == ("NO_RESOURCE", PUT_ITEM)
    assert "ResourceNotFoundException" in attributes["ERROR_MESSAGE"]
    assert json.loads(letter["Body"])["detail"]["id"] == "a"


@pytest.mark.parametrize("target, message", [
    ({"Arn": "arn:aws:scheduler:::aws-sdk:dynamodb:getItem", "RoleArn": ROLE, "Input": "{}"},
     "getItem API is not supported."),
    ({"Arn": "arn:aws:scheduler:::aws-sdk:states:startExecution", "RoleArn": ROLE, "Input": "{}"},
     "states is not a supported service for a target."),
    ({"Arn": "arn:aws:scheduler:::aws-sdk:glue:startJobRun", "RoleArn": ROLE, "Input": "{}"},
     "Tidemill does not support the target's operation glue:StartJobRun"),
    ({"Arn": "arn:aws:scheduler:::aws-sdk:sqs", "RoleArn": ROLE, "Input": "{}"},
     "Provided Arn is not in correct format."),
    ({"Arn": PUT_ITEM, "Input": "{}"}, "RoleArn is required for target"),
    ({"Arn": PUT_ITEM, "RoleArn": ROLE}, "Input, InputPath or InputTransformer is required for target")])
def test_a_target_that_names_no_operation_or_says_too_little_is_refused(cloud, events, bus, target, message):
    rule = put_rule(cloud, bus, SHOP)
    with refused("ValidationException", message):
        events.put_targets(Rule=rule, EventBusName=bus, Targets=[{"Id": "t", **target}])


def test_an_operation_is_called_under_the_targets_role(tmp_path):
    server = Server(tmp_path / "data", "--auth", "iam", log=tmp_path / "log").start()
    try:
        key = server.root_key
        root = Cloud(server.endpoint, access_key=key["AWS_ACCESS_KEY_ID"], secret_key=key["AWS_SECRET_ACCESS_KEY"])
        iam, events = root.client("iam"), root.client("events")
        table, box = root.create_table(), Inbox(root)

        def role(name, *statements):
            arn = iam.create_role(RoleName=name, AssumeRolePolicyDocument=TRUST)["Role"]["Arn"]
            if statements:
                iam.put_role_policy(RoleName=name, PolicyName="own", PolicyDocument=policy(*statements))
            return arn
        weak, strong = role("weak"), role("strong", statement("dynamodb:PutItem"))
        for name, arn in (("weak", weak), ("strong", strong)):
            target = item_target(table, RoleArn=arn, DeadLetterConfig={"Arn": box.arn})
            put_rule(root, "default", {"source": [name]}, [target])
        put(events, "default", {"id": "weak", "text": "x"}, source="weak")
        [letter] = box.messages()
        assert letter["MessageAttributes"]["ERROR_CODE"]["StringValue"] == "NO_PERMISSIONS"
        put(events, "default", {"id": "strong", "text": "x"}, source="strong")
        eventually(lambda: item_of(root, table, "strong"), "the item of the role that may")
        assert item_of(root, table, "weak") is None
    finally:
        server.kill()


def test_a_data_stream_gets_records_under_the_targets_role(tmp_path):
    server = Server(tmp_path / "data", "--auth", "iam", log=tmp_path / "log").start()
    try:
        key = server.root_key
        root = Cloud(server.endpoint, access_key=key["AWS_ACCESS_KEY_ID"], secret_key=key["AWS_SECRET_ACCESS_KEY"])
        iam, box = root.client("iam"), Inbox(root)
        arn = iam.create_role(RoleName="weak", AssumeRolePolicyDocument=TRUST)["Role"]["Arn"]
        stream = root.create_data_stream()
        stream_arn = root.kinesis.describe_stream_summary(StreamName=stream)["StreamDescriptionSummary"]["StreamARN"]
        put_rule(root, "default", SHOP, [{"Arn": stream_arn, "RoleArn": arn, "DeadLetterConfig": {"Arn": box.arn}}])
        put(root.client("events"), "default", {"n": 1})
        [letter] = box.messages()
        assert letter["MessageAttributes"]["ERROR_CODE"]["StringValue"] == "NO_PERMISSIONS"
    finally:
        server.kill()
