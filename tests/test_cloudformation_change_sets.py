"""CloudFormation's change sets with boto3: what they say, and what becomes of stacks by them."""
import json

import pytest

from cloudformation_support import (QUEUE, change_set, create, events, queue, resources, settled, template, told, update,
                                    with_values)
from harness import quietly, refused, unique


@pytest.fixture
def cfn(cloud):
    return cloud.client("cloudformation")


@pytest.fixture
def name(cfn):
    name = unique("set")
    yield name
    quietly(cfn.delete_stack, StackName=name)


def test_a_stack_is_made_by_a_change_set(cloud, cfn, name):
    made = change_set(cfn, name, template({"Queue": queue(DelaySeconds=5)}), "CREATE", ClientToken="create-1")
    assert (made["Status"], made["ExecutionStatus"]) == ("CREATE_COMPLETE", "AVAILABLE")
    assert cfn.describe_stacks(StackName=name)["Stacks"][0]["StackStatus"] == "REVIEW_IN_PROGRESS"
    change = made["Changes"][0]["ResourceChange"]
    assert (change["Action"], change["LogicalResourceId"], change["ResourceType"], change["Scope"], change["Details"]) == (
        "Add", "Queue", QUEUE, [], [])
    shown = with_values(cloud, made["ChangeSetId"])["Queue"]
    assert json.loads(shown.findtext("AfterContext")) == {"Properties": {"DelaySeconds": "5"}}
    assert shown.findtext("Replacement") == "True"
    cfn.execute_change_set(ChangeSetName="changes", StackName=name, ClientRequestToken="exec-1")
    assert cfn.describe_stacks(StackName=name)["Stacks"][0]["StackStatus"] != "REVIEW_IN_PROGRESS"
    stack = settled(cfn, name)
    assert stack["StackStatus"] == "CREATE_COMPLETE" and stack["ChangeSetId"] == made["ChangeSetId"]
    assert "LastUpdatedTime" in stack
    assert [one[1] for one in told(cfn, name) if one[0] == name] == [
        "REVIEW_IN_PROGRESS", "CREATE_IN_PROGRESS", "CREATE_COMPLETE"]
    assert {one.get("ClientRequestToken") for one in events(cfn, name)[1:]} == {"exec-1"}
    with refused("ValidationError", f"Stack [{name}] already exists and cannot be created again with the changeSet [more]."):
        change_set(cfn, name, template(), "CREATE", "more")


def test_a_change_set_says_what_would_change(cloud, cfn, name):
    first = {"Queue": queue(QueueName=f"{name}-a"), "Other": queue(Tags=[{"Key": "of", "Value": {"Ref": "Queue"}}]),
             "Old": queue()}
    create(cfn, name, template(first))
    second = {"Queue": queue(QueueName=f"{name}-b"), "Other": first["Other"], "New": queue()}
    made = change_set(cfn, name, template(second), "UPDATE")
    changes = {one["ResourceChange"]["LogicalResourceId"]: one["ResourceChange"] for one in made["Changes"]}
    assert {one: change["Action"] for one, change in changes.items()} == {
        "Queue": "Modify", "Other": "Modify", "Old": "Remove", "New": "Add"}
    assert changes["Queue"]["Replacement"] == "True"
    detail = changes["Queue"]["Details"][0]
    assert detail["Target"] == {"Attribute": "Properties", "Name": "QueueName", "RequiresRecreation": "Always"}
    shown = with_values(cloud, made["ChangeSetId"])
    assert shown["Queue"].findtext("PolicyAction") == "ReplaceAndDelete"
    target = shown["Queue"].find("Details/member/Target")
    assert {one.tag: one.text for one in target} == {
        **detail["Target"], "Path": "/Properties/QueueName", "BeforeValue": f"{name}-a", "AfterValue": f"{name}-b",
        "AttributeChangeType": "Modify"}
    sources = [(one["ChangeSource"], one.get("CausingEntity")) for one in changes["Other"]["Details"]]
    assert sources == [("DirectModification", None), ("ResourceReference", "Queue")]
    assert "{{changeSet:KNOWN_AFTER_APPLY}}" in shown["Other"].findtext("AfterContext")
    cfn.execute_change_set(ChangeSetName=made["ChangeSetId"])
    assert settled(cfn, name)["StackStatus"] == "UPDATE_COMPLETE"
    nothing = change_set(cfn, name, template(second), "UPDATE", "nothing")
    assert (nothing["Status"], nothing["ExecutionStatus"], nothing["Changes"]) == ("FAILED", "UNAVAILABLE", [])
    assert nothing["StatusReason"] == ("The submitted information didn't contain changes. Submit different information "
                                       "to create a change set.")
    with refused("InvalidChangeSetStatus", f"ChangeSet [{nothing['ChangeSetId']}] cannot be executed in its current status of [FAILED]"):
        cfn.execute_change_set(ChangeSetName="nothing", StackName=name)
    cfn.delete_change_set(ChangeSetName="nothing", StackName=name)
    assert cfn.list_change_sets(StackName=name)["Summaries"][0]["ChangeSetName"] == "changes"


def test_what_is_not_known_yet_may_replace_or_may_not(cloud, cfn, name):
    # By AWS's API reference of ResourceChange: Always and Static is True, Always and Dynamic is Conditional.
    first = {"Queue": queue(QueueName=f"{name}-a"),
             "Other": queue(QueueName={"Fn::Join": ["-", [{"Fn::GetAtt": ["Queue", "QueueName"]}, "other"]]})}
    create(cfn, name, template(first))
    other = resources(cfn, name)["Other"]["PhysicalResourceId"]
    for queue_changes, replacement, is_replaced in [
            ({**first["Queue"], "Metadata": {"looks": "other"}}, "False", False),
            (queue(QueueName=f"{name}-b"), "True", True)]:
        made = change_set(cfn, name, template({**first, "Queue": queue_changes}), "UPDATE", f"replaces-{replacement}")
        changes = {one["ResourceChange"]["LogicalResourceId"]: one["ResourceChange"] for one in made["Changes"]}
        assert changes["Queue"]["Replacement"] == replacement
        assert {(one["Evaluation"], one["Target"]["RequiresRecreation"]) for one in changes["Other"]["Details"]} == {
            ("Dynamic", "Always")}
        assert changes["Other"]["Replacement"] == "Conditional"
        assert with_values(cloud, made["ChangeSetId"])["Other"].findtext("PolicyAction") is None
        cfn.execute_change_set(ChangeSetName=made["ChangeSetId"])
        assert settled(cfn, name)["StackStatus"] == "UPDATE_COMPLETE"
        assert (resources(cfn, name)["Other"]["PhysicalResourceId"] != other) == is_replaced


def test_what_a_failure_comes_to_is_said_once_and_where_it_can_be(cfn, name):
    said = {}
    def also_say(params, **_):  # OnStackFailure, which clients before 2024 do not know
        params["body"].update(said)

    cfn.meta.events.register("before-call.cloudformation.CreateChangeSet", also_say)
    said["OnStackFailure"] = "ROLLBACK"
    made = change_set(cfn, name, template({"Queue": queue(DelaySeconds=1)}), "CREATE")
    for disable in (True, False):
        with refused("ValidationError", "DisableRollback"):
            cfn.execute_change_set(ChangeSetName=made["ChangeSetId"], DisableRollback=disable)
    cfn.execute_change_set(ChangeSetName=made["ChangeSetId"])
    assert settled(cfn, name)["StackStatus"] == "CREATE_COMPLETE"
    said["OnStackFailure"] = "DELETE"
    with refused("ValidationError", "OnStackFailure DELETE is only for change sets of the type CREATE."):
        change_set(cfn, name, template({"Queue": queue(DelaySeconds=2)}), "UPDATE")
    said.clear()
    change_set(cfn, name, template({"Queue": queue(DelaySeconds=2)}), "UPDATE", "plain")
    cfn.execute_change_set(ChangeSetName="plain", StackName=name, DisableRollback=True)
    assert settled(cfn, name)["StackStatus"] == "UPDATE_COMPLETE"


def test_a_reviewed_stack_is_deleted_by_its_user(cfn, name):
    made = change_set(cfn, name, template(), "CREATE")
    cfn.delete_change_set(ChangeSetName=made["ChangeSetId"])
    assert cfn.describe_stacks(StackName=name)["Stacks"][0]["StackStatus"] == "REVIEW_IN_PROGRESS"
    cfn.delete_stack(StackName=name)
    assert cfn.describe_stacks(StackName=made["StackId"])["Stacks"][0]["StackStatus"] == "DELETE_COMPLETE"


def test_a_logical_id_keeps_its_type(cfn, name):
    create(cfn, name, template({"One": queue(), "Other": queue()}))
    other = template({"One": {"Type": "AWS::SNS::Topic"}, "Other": queue()})
    reason = ("Update of resource type is not permitted. The new template modifies resource type of the following "
              "resources: [One]")
    with refused("ValidationError", reason):
        cfn.update_stack(StackName=name, TemplateBody=other)
    made = change_set(cfn, name, other, "UPDATE")
    assert (made["Status"], made["ExecutionStatus"], made["StatusReason"]) == ("FAILED", "UNAVAILABLE", reason)
    assert settled(cfn, name)["StackStatus"] == "CREATE_COMPLETE"
    # Gone in between, it may come again as something else.
    update(cfn, name, template({"Other": queue()}))
    update(cfn, name, other)
    assert resources(cfn, name)["One"]["ResourceType"] == "AWS::SNS::Topic"


def test_change_sets_are_listed_page_by_page(cfn, name):
    create(cfn, name, template({"Queue": queue(DelaySeconds=1)}))
    wanted = {f"set-{i:03}" for i in range(105)}
    for one in wanted:
        cfn.create_change_set(StackName=name, ChangeSetName=one, TemplateBody=template({"Queue": queue(DelaySeconds=2)}))
    listed = [one["ChangeSetName"] for page in cfn.get_paginator("list_change_sets").paginate(StackName=name)
              for one in page["Summaries"]]
    assert sorted(listed) == sorted(wanted)
    assert "NextToken" in cfn.list_change_sets(StackName=name)
    with refused("ValidationError", "The specified NextToken is not valid."):
        cfn.list_change_sets(StackName=name, NextToken="nonsense")


def test_what_is_included_is_bounded_by_what_a_template_may_be(cloud, cfn, name):
    bucket = unique("included")
    cloud.s3.create_bucket(Bucket=bucket)
    cloud.s3.put_object(Bucket=bucket, Key="part", Body=json.dumps({"DelaySeconds": 1, "Tags": [{"Key": "k", "Value": "v" * 400_000}]}))
    parts = {f"Queue{i}": {"Type": QUEUE, "Properties": {"Fn::Transform": {
        "Name": "AWS::Include", "Parameters": {"Location": f"https://s3.amazonaws.com/{bucket}/part?{i}"}}}} for i in range(3)}
    with refused("ValidationError", "Transform AWS::Include failed with: The template is too large with what it includes."):
        cfn.create_stack(StackName=name, TemplateBody=template(parts), Capabilities=["CAPABILITY_AUTO_EXPAND"])
    cloud.s3.delete_object(Bucket=bucket, Key="part")
    cloud.s3.delete_bucket(Bucket=bucket)
