"""CloudFormation's stacks with boto3: created, changed, rolled back and deleted."""
import json
import urllib.request

import pytest

from cloudformation_support import (QUEUE, chain, create, events, queue, queue_names, queue_state, resources, settled,
                                    template, told, update, with_values)
from harness import NODE_RUNTIME, eventually, refused, unique
from sns_support import Subscriber


@pytest.fixture
def cfn(cloud):
    return cloud.client("cloudformation")


@pytest.fixture
def name(cloud, cfn):
    """A stack's name; the stack is gone after the test."""
    name = unique("stack")

    def clean():
        found = [one for one in cfn.list_stacks()["StackSummaries"]
                 if one["StackName"] == name and one["StackStatus"] != "DELETE_COMPLETE"]
        if found:
            if cfn.describe_stacks(StackName=found[0]["StackId"])["Stacks"][0].get("EnableTerminationProtection"):
                cfn.update_termination_protection(EnableTerminationProtection=False, StackName=name)
            cfn.delete_stack(StackName=name)
            settled(cfn, found[0]["StackId"])

    cloud.cleanup.callback(clean)
    return name


# --- one stack -------------------------------------------------------------------------------------------------------

def test_a_stack_lives_from_creation_to_deletion(cloud, cfn, name):
    body = template({"Queue": queue(DelaySeconds="5")}, Description="one queue",
                    Outputs={"Url": {"Value": {"Ref": "Queue"}, "Description": "where"},
                             "Arn": {"Value": {"Fn::GetAtt": ["Queue", "Arn"]}}})
    stack = create(cfn, name, body, Tags=[{"Key": "team", "Value": "tide"}])
    assert stack["StackId"].startswith("arn:aws:cloudformation:us-east-1:")
    assert stack["Description"] == "one queue"
    assert stack["EnableTerminationProtection"] is False and stack["NotificationARNs"] == []
    assert stack["DriftInformation"] == {"StackDriftStatus": "NOT_CHECKED"}
    outputs = {one["OutputKey"]: one["OutputValue"] for one in stack["Outputs"]}
    url = outputs["Url"]
    assert cloud.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["DelaySeconds"])["Attributes"] == {"DelaySeconds": "5"}
    assert cloud.sqs.list_queue_tags(QueueUrl=url)["Tags"] == {"team": "tide"}
    assert outputs["Arn"].endswith(":" + url.rsplit("/", 1)[1])
    assert url.rsplit("/", 1)[1].startswith(f"{name}-Queue-")
    assert told(cfn, name) == [
        (name, "CREATE_IN_PROGRESS", "User Initiated"),
        ("Queue", "CREATE_IN_PROGRESS", None),
        ("Queue", "CREATE_IN_PROGRESS", "Resource creation Initiated"),
        ("Queue", "CREATE_COMPLETE", None),
        (name, "CREATE_COMPLETE", None)]
    first = [one for one in events(cfn, name) if one["LogicalResourceId"] == "Queue"][0]
    assert first["PhysicalResourceId"] == "" and json.loads(first["ResourceProperties"]) == {"DelaySeconds": "5"}
    assert cfn.get_template(StackName=name)["TemplateBody"] == json.loads(body)
    cfn.delete_stack(StackName=name)
    gone = settled(cfn, stack["StackId"])
    assert gone["StackStatus"] == "DELETE_COMPLETE" and "EnableTerminationProtection" not in gone
    with refused("AWS.SimpleQueueService.NonExistentQueue"):
        cloud.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])
    with refused("ValidationError", f"Stack with id {name} does not exist"):
        cfn.describe_stacks(StackName=name)
    with refused("ValidationError", f"Stack [{name}] does not exist"):
        cfn.describe_stack_events(StackName=name)
    cfn.delete_stack(StackName=name)  # as on AWS, deleting what is not there succeeds


def test_texts_of_what_is_not_there(cfn, name):
    with refused("ValidationError", f"Stack with id {name} does not exist", exactly=True):
        cfn.describe_stacks(StackName=name)
    with refused("ValidationError", f"Stack with id {name} does not exist", exactly=True):
        cfn.get_template(StackName=name)
    with refused("ValidationError", f"Stack [{name}] does not exist", exactly=True):
        cfn.update_stack(StackName=name, TemplateBody=template())
    with refused("ValidationError", "StackName must be specified if ChangeSetName is not specified as an ARN."):
        cfn.describe_change_set(ChangeSetName="x")
    with refused("ValidationError", f"Stack [{name}] does not exist", exactly=True):
        cfn.delete_change_set(StackName=name, ChangeSetName="x")
    create(cfn, name, template())
    with refused("ChangeSetNotFound", "ChangeSet [x] does not exist"):
        cfn.describe_change_set(StackName=name, ChangeSetName="x")
    cfn.delete_change_set(StackName=name, ChangeSetName="x")
    with refused("ValidationError", f"Resource X does not exist for stack {name}"):
        cfn.describe_stack_resource(StackName=name, LogicalResourceId="X")
    with refused("AlreadyExistsException", f"Stack [{name}] already exists"):
        cfn.create_stack(StackName=name, TemplateBody=template())
    with refused("ValidationError", "No updates are to be performed."):
        cfn.update_stack(StackName=name, TemplateBody=template())
    for section, value in (("Description", "other"), ("Metadata", {"a": 1}), ("Mappings", {"M": {"a": {"b": "c"}}}),
                           ("Conditions", {"Unused": {"Fn::Equals": ["a", "b"]}})):
        with refused("ValidationError", "No updates are to be performed."):
            cfn.update_stack(StackName=name, TemplateBody=json.dumps({**json.loads(template()), section: value}))
    cfn.update_stack(StackName=name, TemplateBody=json.dumps({**json.loads(template()), "Outputs": {"O": {"Value": "x"}}}))
    assert settled(cfn, name)["StackStatus"] == "UPDATE_COMPLETE"


def test_types_and_properties_that_are_not_supported_are_named(cfn, name):
    with refused("ValidationError", "Unrecognized resource types: [AWS::Foo::Bar]"):
        cfn.create_stack(StackName=name, TemplateBody=template({"A": {"Type": "AWS::Foo::Bar"}}))
    stack = create(cfn, name, template({"Queue": queue(Depth=3)}), "ROLLBACK_COMPLETE")
    failed = [one for one in told(cfn, stack["StackId"]) if one[1] == "CREATE_FAILED"]
    assert len(failed) == 1 and "extraneous key [Depth] is not permitted" in failed[0][2]
    reasons = [one[2] for one in told(cfn, name) if one[1] == "ROLLBACK_IN_PROGRESS"]
    assert reasons == ["The following resource(s) failed to create: [Queue]. Rollback requested by user."]


def test_a_stack_under_protection_stays(cfn, name):
    create(cfn, name, template(), EnableTerminationProtection=True)
    with refused("ValidationError", f"Stack [{name}] cannot be deleted while TerminationProtection is enabled"):
        cfn.delete_stack(StackName=name)
    cfn.update_termination_protection(EnableTerminationProtection=False, StackName=name)
    cfn.delete_stack(StackName=name)


def test_what_is_retained_must_be_there(cloud, cfn, name):
    body = template({"Bucket": {"Type": "AWS::S3::Bucket"}, "Queue": queue()})
    stack = create(cfn, name, body)["StackId"]
    bucket = resources(cfn, name)["Bucket"]["PhysicalResourceId"]
    cloud.s3.put_object(Bucket=bucket, Key="kept", Body=b"")
    with refused("ValidationError", "Specify RetainResources only when the stack is in the DELETE_FAILED state."):
        cfn.delete_stack(StackName=name, RetainResources=["Bucket"])
    cfn.delete_stack(StackName=name)
    assert settled(cfn, stack)["StackStatus"] == "DELETE_FAILED"
    for wrong in ("Bukket", "Queue"):  # of these one never was, the other is no more
        with refused("ValidationError", "The specified resources to retain must be in a valid state. Do not specify "
                                        "resources that are in the DELETE_COMPLETE state."):
            cfn.delete_stack(StackName=name, RetainResources=["Bucket", wrong])
        assert cfn.describe_stacks(StackName=name)["Stacks"][0]["StackStatus"] == "DELETE_FAILED"
    cfn.delete_stack(StackName=name, RetainResources=["Bucket"])
    assert settled(cfn, stack)["StackStatus"] == "DELETE_COMPLETE"
    cloud.s3.delete_object(Bucket=bucket, Key="kept")
    cloud.s3.delete_bucket(Bucket=bucket)


# --- updates ---------------------------------------------------------------------------------------------------------

def test_an_update_changes_in_place_what_it_can(cloud, cfn, name):
    create(cfn, name, template({"Queue": queue(DelaySeconds=1), "Other": queue()}))
    before = queue_state(cloud, name, cfn)
    seen = len(events(cfn, name))
    update(cfn, name, template({"Queue": queue(DelaySeconds=2), "Other": queue()}))
    after = queue_state(cloud, name, cfn)
    assert after["Other"] == before["Other"]
    assert after["Queue"][0] == before["Queue"][0] and after["Queue"][1]["DelaySeconds"] == "2"
    assert told(cfn, name)[seen:] == [
        (name, "UPDATE_IN_PROGRESS", "User Initiated"),
        ("Queue", "UPDATE_IN_PROGRESS", None),
        ("Queue", "UPDATE_COMPLETE", None),
        (name, "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS", None),
        (name, "UPDATE_COMPLETE", None)]


def test_an_update_replaces_what_it_must_and_removes_what_is_gone(cloud, cfn, name):
    create(cfn, name, template({"Queue": queue(QueueName=f"{name}-a"), "Old": queue()}))
    before = {one: found["PhysicalResourceId"] for one, found in resources(cfn, name).items()}
    seen = len(events(cfn, name))
    update(cfn, name, template({"Queue": queue(QueueName=f"{name}-b"), "New": queue(
        Tags=[{"Key": "of", "Value": {"Ref": "Queue"}}])}))
    after = {one: found["PhysicalResourceId"] for one, found in resources(cfn, name).items()}
    assert set(after) == {"Queue", "New"} and after["Queue"].endswith("-b")
    assert cloud.sqs.list_queue_tags(QueueUrl=after["New"])["Tags"] == {"of": after["Queue"]}
    of_queue = [one for one in events(cfn, name)[seen:] if one["LogicalResourceId"] == "Queue"]
    assert [(one["ResourceStatus"], one.get("ResourceStatusReason"), one["PhysicalResourceId"]) for one in of_queue] == [
        ("UPDATE_IN_PROGRESS", "Requested update requires the creation of a new physical resource; hence creating one.",
         before["Queue"]),
        ("UPDATE_IN_PROGRESS", "Resource creation Initiated", after["Queue"]),
        ("UPDATE_COMPLETE", None, after["Queue"]),
        ("DELETE_IN_PROGRESS", None, before["Queue"]),
        ("DELETE_COMPLETE", None, before["Queue"])]
    for gone in (before["Queue"], before["Old"]):
        with refused("AWS.SimpleQueueService.NonExistentQueue"):
            cloud.sqs.get_queue_attributes(QueueUrl=gone, AttributeNames=["All"])


def test_policies_keep_what_they_say(cloud, cfn, name):
    kept = {**queue(), "DeletionPolicy": "Retain"}
    create(cfn, name, template({"Kept": kept, "Queue": queue()}))
    url = resources(cfn, name)["Kept"]["PhysicalResourceId"]
    cloud.cleanup.callback(lambda: cloud.sqs.delete_queue(QueueUrl=url))
    seen = len(events(cfn, name))
    update(cfn, name, template({"Queue": queue()}))
    assert ("Kept", "DELETE_SKIPPED", None) in told(cfn, name)[seen:]
    cloud.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])


@pytest.mark.parametrize("place", range(10))
def test_a_creation_that_fails_leaves_nothing(cloud, cfn, name, place):
    body = chain(10)
    body[f"Q{place}"]["Properties"]["VisibilityTimeout"] = 99_999_999
    stack = create(cfn, name, template(body), "ROLLBACK_COMPLETE")
    failed = [one for one in told(cfn, name) if one[1] == "CREATE_FAILED"]
    assert [one[0] for one in failed] == [f"Q{place}"]
    assert "VisibilityTimeout" in failed[0][2] and "HandlerErrorCode: InvalidRequest" in failed[0][2]
    assert queue_names(cloud, name) == []
    assert "DeletionTime" in stack
    with refused("ValidationError", f"Stack:{stack['StackId']} is in ROLLBACK_COMPLETE state and can not be updated."):
        cfn.update_stack(StackName=name, TemplateBody=template())


@pytest.mark.parametrize("place", range(10))
def test_an_update_that_fails_is_taken_back_to_exactly_what_was(cloud, cfn, name, place):
    create(cfn, name, template(chain(10)), Tags=[{"Key": "version", "Value": "1"}])
    before = queue_state(cloud, name, cfn)
    changed = chain(10)
    for i in range(10):
        changed[f"Q{i}"]["Properties"]["DelaySeconds"] = 7
    changed["Q3"]["Properties"]["FifoQueue"] = True  # is made anew
    changed["New"] = queue()
    changed[f"Q{place}"]["Properties"]["VisibilityTimeout"] = 99_999_999
    stack = update(cfn, name, template(changed), "UPDATE_ROLLBACK_COMPLETE", Tags=[{"Key": "version", "Value": "2"}])
    assert queue_state(cloud, name, cfn) == before
    assert queue_names(cloud, name) == sorted(one[0] for one in before.values())
    assert stack["Tags"] == [{"Key": "version", "Value": "1"}]
    assert cfn.get_template(StackName=name)["TemplateBody"]["Resources"] == chain(10)
    update(cfn, name, template({**chain(10), "New": queue()}))


ALARM = {"Namespace": "n", "MetricName": "m", "Statistic": "Sum", "Period": 60, "EvaluationPeriods": 1, "Threshold": 1,
         "ComparisonOperator": "GreaterThanThreshold"}


@pytest.mark.parametrize("kind, properties", [
    (QUEUE, {}), ("AWS::SNS::Topic", {}), ("AWS::Events::Rule", {"EventPattern": {"source": ["shop"]}}),
    ("AWS::Scheduler::ScheduleGroup", {}), ("AWS::StepFunctions::Activity", {"Name": unique("activity")}),
    ("AWS::CloudWatch::Alarm", ALARM), ("AWS::SSM::Parameter", {"Type": "String", "Value": "v"}),
    ("AWS::KMS::Key", {"PendingWindowInDays": 7}), ("AWS::S3::Bucket", {})])
def test_a_resource_with_a_tag_key_of_aws_itself_fails_by_name_and_is_taken_back(cfn, name, kind, properties):
    def body(key):
        tags = {key: "tide"} if kind == "AWS::SSM::Parameter" else [{"Key": key, "Value": "tide"}]
        return template({"Tagged": {"Type": kind, "Properties": {**properties, "Tags": tags}}})
    stack = create(cfn, name, body("aws:team"), "ROLLBACK_COMPLETE")
    assert [one[0] for one in told(cfn, name) if one[1] == "CREATE_FAILED"] == ["Tagged"]
    cfn.delete_stack(StackName=name)
    assert settled(cfn, stack["StackId"])["StackStatus"] == "DELETE_COMPLETE"
    create(cfn, name, body("team"))
    seen = len(told(cfn, name))
    update(cfn, name, body("aws:team"), "UPDATE_ROLLBACK_COMPLETE")
    assert [one[0] for one in told(cfn, name)[seen:] if one[1] == "UPDATE_FAILED"] == ["Tagged"]
    update(cfn, name, body("other"))


def test_a_stack_has_no_tag_keys_of_aws_itself(cfn, name):
    words = "aws: prefixed tag key names are not allowed for external use."
    reserved = {"StackName": name, "TemplateBody": template(), "Tags": [{"Key": "aws:team", "Value": "tide"}]}
    with refused("ValidationError", words):
        cfn.create_stack(**reserved)
    with refused("ValidationError", words):
        cfn.create_change_set(ChangeSetName="c", ChangeSetType="CREATE", **reserved)
    create(cfn, name, template())
    with refused("ValidationError", words):
        cfn.update_stack(**reserved)


def test_a_failure_can_be_kept_mended_and_rolled_back(cloud, cfn, name):
    create(cfn, name, template({"A": queue(DelaySeconds=1), "B": queue()}))
    before = queue_state(cloud, name, cfn)
    bad = {"A": queue(DelaySeconds=2), "B": {**queue(VisibilityTimeout=99_999_999), "DependsOn": "A"}}
    stack = update(cfn, name, template(bad), "UPDATE_FAILED", DisableRollback=True)
    assert stack["StackStatusReason"] == "The following resource(s) failed to update: [B]. "
    assert queue_state(cloud, name, cfn)["A"][1]["DelaySeconds"] == "2"
    cfn.rollback_stack(StackName=name)
    assert settled(cfn, name)["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert queue_state(cloud, name, cfn) == before


def test_outputs_of_unknown_attributes_take_the_stack_back(cfn, name):
    body = template(Outputs={"Out": {"Value": {"Fn::GetAtt": ["Queue", "Invalid"]}}})
    create(cfn, name, body, "ROLLBACK_COMPLETE")
    reasons = [one[2] for one in told(cfn, name) if one[1] == "ROLLBACK_IN_PROGRESS"]
    assert reasons == ["[Error] /Outputs/Out/Value/Fn::GetAtt: Resource type AWS::SQS::Queue does not support attribute "
                       "{Invalid}. Rollback requested by user."]


# --- templates, parameters, exports ----------------------------------------------------------------------------------

def test_templates_come_back_word_for_word(cfn, name):
    body = ("# a comment\nParameters:\n  Delay: {Type: Number, Default: 3}\nResources:\n  Queue:\n"
            "    Type: AWS::SQS::Queue\n    Properties: {DelaySeconds: !Ref Delay}\n")
    create(cfn, name, body, Parameters=[{"ParameterKey": "Delay", "ParameterValue": "4"}])
    assert cfn.get_template(StackName=name)["TemplateBody"] == body
    stack = cfn.describe_stacks(StackName=name)["Stacks"][0]
    assert stack["Parameters"] == [{"ParameterKey": "Delay", "ParameterValue": "4"}]
    update(cfn, name, body.replace("# a", "# another").replace("Queue:\n", "Queue2:\n"),
           Parameters=[{"ParameterKey": "Delay", "UsePreviousValue": True}])
    summary = cfn.get_template_summary(StackName=name)
    assert summary["Parameters"][0]["ParameterKey"] == "Delay" and summary["ResourceTypes"] == [QUEUE]
    assert cfn.validate_template(TemplateBody=body)["Parameters"][0]["DefaultValue"] == "3"


@pytest.mark.local
def test_templates_come_from_buckets_by_any_of_their_hosts(cloud, cfn, name):
    bucket = unique("templates")
    cloud.s3.create_bucket(Bucket=bucket)
    cloud.s3.put_object(Bucket=bucket, Key="a/t.json", Body=template().encode())
    for url in (f"{cloud.endpoint}/{bucket}/a/t.json", f"https://s3.amazonaws.com/{bucket}/a/t.json",
                f"https://s3.us-east-1.amazonaws.com/{bucket}/a/t.json",
                f"https://{bucket}.s3.us-east-1.amazonaws.com/a/t.json", f"https://s3-us-east-1.amazonaws.com/{bucket}/a/t.json"):
        assert cfn.validate_template(TemplateURL=url)["Parameters"] == []
    with refused("ValidationError", "TemplateURL must be a supported URL."):
        cfn.validate_template(TemplateURL="https://example.com/a/t.json")
    with refused("ValidationError", "S3 error: The specified key does not exist"):
        cfn.validate_template(TemplateURL=f"https://s3.amazonaws.com/{bucket}/none")


def test_exports_are_imported_and_guarded(cloud, cfn, name):
    export = unique("export")
    body = template(Outputs={"Out": {"Value": {"Ref": "Queue"}, "Export": {"Name": export}}})
    first = create(cfn, name, body)
    importer = unique("importer")
    user = template({"User": queue(Tags=[{"Key": "of", "Value": {"Fn::ImportValue": export}}])})
    made = create(cfn, importer, user)
    try:
        exports = {one["Name"]: one for one in cfn.list_exports()["Exports"]}
        assert exports[export]["ExportingStackId"] == first["StackId"]
        assert cfn.list_imports(ExportName=export)["Imports"] == [importer]
        cfn.delete_stack(StackName=name)
        in_use = f"Export {export} cannot be deleted as it is in use by {importer}"
        stack = settled(cfn, name)
        assert (stack["StackStatus"], stack["StackStatusReason"]) == ("CREATE_COMPLETE", in_use)
        last = [(name, "DELETE_IN_PROGRESS", "User Initiated"), (name, "CREATE_COMPLETE", in_use)]
        assert told(cfn, name)[-2:] == last
        stack = update(cfn, name, template(), "UPDATE_ROLLBACK_COMPLETE")
        assert export in {one["Name"] for one in cfn.list_exports()["Exports"]}
    finally:
        cfn.delete_stack(StackName=importer)
        assert settled(cfn, made["StackId"])["StackStatus"] == "DELETE_COMPLETE"
    cfn.delete_stack(StackName=name)
    assert settled(cfn, stack["StackId"])["StackStatus"] == "DELETE_COMPLETE"
    assert export not in {one["Name"] for one in cfn.list_exports()["Exports"]}
    create(cfn, unique("none"), user, "ROLLBACK_COMPLETE")


def test_a_stack_imports_no_export_of_its_own(cfn, name):
    export = unique("export")
    outputs = {"Out": {"Value": "it", "Export": {"Name": export}}}
    imported = {"Fn::ImportValue": export}
    user = template({"Queue": queue(), "User": queue(Tags=[{"Key": "of", "Value": imported}])}, Outputs=outputs)
    teller = template(Outputs={**outputs, "Copy": {"Value": imported}})
    reason = f"No export named {export} found. Rollback requested by user."
    for body in user, teller:
        failed = create(cfn, name, body, "ROLLBACK_COMPLETE")["StackId"]
        assert (name, "ROLLBACK_IN_PROGRESS", reason) in told(cfn, failed)
        cfn.delete_stack(StackName=name)
        settled(cfn, failed)
    stack = create(cfn, name, template(Outputs=outputs))["StackId"]
    for body in user, teller:
        update(cfn, name, body, "UPDATE_ROLLBACK_COMPLETE")
        assert told(cfn, stack)[-1][1] == "UPDATE_ROLLBACK_COMPLETE"
        assert (name, "UPDATE_ROLLBACK_IN_PROGRESS", reason) in told(cfn, stack)
    cfn.delete_stack(StackName=name)
    assert settled(cfn, stack)["StackStatus"] == "DELETE_COMPLETE"


def test_what_goes_is_not_imported_any_more(cloud, cfn, name):
    topic = cloud.client("sns").create_topic(Name=unique("topic"))["TopicArn"]
    cloud.cleanup.callback(lambda: cloud.client("sns").delete_topic(TopicArn=topic))
    asked = Subscriber(cloud, topic, RawMessageDelivery="true")

    def answer(request_type):
        event = json.loads(asked.bodies(1)[0])
        assert event["RequestType"] == request_type
        said = {"Status": "SUCCESS", "PhysicalResourceId": "it", **{key: event[key] for key in (
            "StackId", "RequestId", "LogicalResourceId")}}
        urllib.request.urlopen(urllib.request.Request(event["ResponseURL"], data=json.dumps(said).encode(),
                                                      method="PUT", headers={"content-type": ""}))

    export = unique("export")
    thing = {"Thing": {"Type": "Custom::Thing", "Properties": {"ServiceToken": topic}}}
    body = template(thing, Outputs={"Out": {"Value": {"Ref": "Thing"}, "Export": {"Name": export}}})
    stack = cfn.create_stack(StackName=name, TemplateBody=body)["StackId"]
    answer("Create")
    assert settled(cfn, stack)["StackStatus"] == "CREATE_COMPLETE"
    cfn.delete_stack(StackName=name)
    eventually(lambda: ("Thing", "DELETE_IN_PROGRESS", None) in told(cfn, stack), "the deletion of the resource")
    importer = unique("importer")
    made = create(cfn, importer, template({"User": queue(Tags=[{"Key": "of", "Value": {"Fn::ImportValue": export}}])}),
                  "ROLLBACK_COMPLETE")
    cfn.delete_stack(StackName=importer)
    assert any((one[2] or "").startswith(f"No export named {export} found") for one in told(cfn, made["StackId"]))
    answer("Delete")
    assert settled(cfn, stack)["StackStatus"] == "DELETE_COMPLETE"


def test_a_template_keeps_to_conditions_and_quotas(cfn, name):
    condition = {"Fn::Equals": [{"Fn::ImportValue": "any"}, "x"]}
    with refused("ValidationError", "Template error: Cannot use Fn::ImportValue in Conditions."):
        cfn.create_stack(StackName=name, TemplateBody=template(Conditions={"Is": condition}))
    mapping = {"Map": {"row": {f"key{i}": "value" for i in range(201)}}}
    with refused("ValidationError", "201"):
        cfn.create_stack(StackName=name, TemplateBody=template(Mappings=mapping))


def test_outputs_of_other_stacks_are_told_without_exports(cloud, cfn, name):
    def copy(stack, output="Out", **more):
        told = {"Fn::GetStackOutput": {"StackName": stack, "OutputName": output, **more}}
        return template({"Copy": queue(Tags=[{"Key": "of", "Value": told}])}, Outputs={"Url": {"Value": {"Ref": "Copy"}}})

    create(cfn, name, template(Outputs={"Out": {"Value": "here"}}))
    west = cloud.in_region("eu-west-1").client("cloudformation")
    far = create(west, name, template(Outputs={"Out": {"Value": "there"}}))
    asker = unique("asker")
    made = create(cfn, asker, copy(name))
    try:
        url = made["Outputs"][0]["OutputValue"]
        assert cloud.sqs.list_queue_tags(QueueUrl=url)["Tags"]["of"] == "here"
        # A change set tells the value, and that nothing else changes.
        far_set = cfn.create_change_set(StackName=asker, ChangeSetName="far", TemplateBody=copy(name, Region="eu-west-1"))["Id"]
        cfn.get_waiter("change_set_create_complete").wait(StackName=asker, ChangeSetName="far", WaiterConfig={"Delay": 1})
        assert "there" in with_values(cloud, far_set)["Copy"].findtext("AfterContext")
        update(cfn, asker, copy(name, Region="eu-west-1"))
        assert cloud.sqs.list_queue_tags(QueueUrl=url)["Tags"]["of"] == "there"
        update(cfn, asker, copy(name, "None"), "UPDATE_ROLLBACK_COMPLETE")
        reasons = [one.get("ResourceStatusReason", "") for one in events(cfn, asker)]
        assert any(f"Fn::GetStackOutput references output None from stack {name}" in one for one in reasons)
        cfn.delete_stack(StackName=name)  # nothing holds it
        west.delete_stack(StackName=name)
        assert settled(west, far["StackId"])["StackStatus"] == "DELETE_COMPLETE"
        update(cfn, asker, copy(name, Region="us-west-2"), "UPDATE_ROLLBACK_COMPLETE")
        reasons = [one.get("ResourceStatusReason", "") for one in events(cfn, asker)]
        assert any(one.startswith(f"Stack with id {name} does not exist (Service: AmazonCloudFormation; ") for one in reasons)
    finally:
        cfn.delete_stack(StackName=asker)
        assert settled(cfn, made["StackId"])["StackStatus"] == "DELETE_COMPLETE"


# --- size ------------------------------------------------------------------------------------------------------------

def test_two_hundred_resources_at_once(cfn, name):
    create(cfn, name, template({f"Q{i}": queue(DelaySeconds=i) for i in range(200)}))
    pages = list(cfn.get_paginator("list_stack_resources").paginate(StackName=name))
    assert [len(page["StackResourceSummaries"]) for page in pages] == [100, 100]


# --- what answers from outside ---------------------------------------------------------------------------------------

CUSTOM = """
import json, urllib.request
def handler(event, context):
    kept = event["ResourceProperties"]
    answer = {"Status": "FAILED" if kept.get("Fails") == "true" and event["RequestType"] != "Delete" else "SUCCESS",
              "Reason": "it was told to", "PhysicalResourceId": "thing-" + kept["Name"], "StackId": event["StackId"],
              "RequestId": event["RequestId"], "LogicalResourceId": event["LogicalResourceId"],
              "Data": {"Said": event["RequestType"] + " " + kept["Name"]}}
    request = urllib.request.Request(event["ResponseURL"], data=json.dumps(answer).encode(), method="PUT",
                                     headers={"content-type": ""})
    urllib.request.urlopen(request)
"""


def thing(function, **properties):
    return template({"Thing": {"Type": "Custom::Thing", "Properties": {"ServiceToken": function, **properties}}},
                    Outputs={"Said": {"Value": {"Fn::GetAtt": "Thing.Said"}}})


def test_custom_resources_answer(cloud, cfn, name):
    function = cloud.functions.get_function(FunctionName=cloud.create_function(CUSTOM))["Configuration"]["FunctionArn"]
    stack = create(cfn, name, thing(function, Name="a"))
    assert stack["Outputs"][0]["OutputValue"] == "Create a"
    assert resources(cfn, name)["Thing"]["PhysicalResourceId"] == "thing-a"
    seen = len(events(cfn, name))
    stack = update(cfn, name, thing(function, Name="b"))  # answers with another id: that is a replacement
    assert stack["Outputs"][0]["OutputValue"] == "Update b"
    deleted = [one for one in events(cfn, name)[seen:] if one["ResourceStatus"] == "DELETE_COMPLETE"]
    assert [one["PhysicalResourceId"] for one in deleted] == ["thing-a"]
    seen = len(events(cfn, name))
    update(cfn, name, thing(function, Name="b", Fails=True), "UPDATE_ROLLBACK_COMPLETE")
    reasons = [one[2] for one in told(cfn, name)[seen:] if one[1] == "UPDATE_FAILED"]
    assert len(reasons) == 1
    assert reasons[0].startswith("Received response status [FAILED] from custom resource. Message returned: it was told to")


# As the CDK's own handlers and AWS's cfn-response do it: https, whatever scheme and port the URL has.
BY_HOST_AND_PATH = {
    "https of Node.js": """
const https = require("https");
exports.handler = (event) => new Promise((resolve, reject) => {
  const url = new URL(event.ResponseURL), body = ANSWER;
  const headers = { "content-type": "", "content-length": Buffer.byteLength(body) };
  const options = { hostname: url.hostname, path: url.pathname + url.search, method: "PUT", headers };
  https.request(options, (answer) => answer.resume().on("end", resolve)).on("error", reject).end(body);
});
""",
    "fetch of Node.js": """
exports.handler = (event) => fetch(event.ResponseURL, { method: "PUT", headers: { "content-type": "" }, body: ANSWER });
""",
    "http.client of Python": """
import http.client, json, urllib.parse
def handler(event, context):
    url = urllib.parse.urlsplit(event["ResponseURL"])
    connection = http.client.HTTPSConnection(url.hostname)
    connection.request("PUT", f"{url.path}?{url.query}", ANSWER, {"content-type": ""})
    assert connection.getresponse().status == 200
""",
    "urllib3 of Python": """
import json, urllib3
def handler(event, context):
    headers = {"content-type": ""}
    answer = urllib3.PoolManager().request("PUT", event["ResponseURL"], body=ANSWER, headers=headers, retries=False)
    assert answer.status == 200
""",
    "asyncio of Python": """
import asyncio, json, urllib.parse
async def put(url, body):
    reader, writer = await asyncio.open_connection(url.hostname, 443, ssl=True)
    head = (f"PUT {url.path}?{url.query} HTTP/1.1", f"Host: {url.hostname}", f"Content-Length: {len(body)}",
            "Connection: close")
    writer.write("\\r\\n".join((*head, "", body)).encode())
    status = await reader.readline()
    writer.close()
    assert status.startswith(b"HTTP/1.1 200 "), status
def handler(event, context):
    asyncio.run(put(urllib.parse.urlsplit(event["ResponseURL"]), ANSWER))
"""}
ANSWERS_BY_HOST = {
    "Node.js": """JSON.stringify({ Status: "SUCCESS", PhysicalResourceId: "it", StackId: event.StackId,
                                   RequestId: event.RequestId, LogicalResourceId: event.LogicalResourceId,
                                   Data: { Said: event.ResponseURL } })""",
    "Python": """json.dumps({"Status": "SUCCESS", "PhysicalResourceId": "it", "StackId": event["StackId"],
                             "RequestId": event["RequestId"], "LogicalResourceId": event["LogicalResourceId"],
                             "Data": {"Said": event["ResponseURL"]}})"""}


@pytest.mark.parametrize("way", BY_HOST_AND_PATH)
def test_custom_resources_answer_at_awss_own_host(cloud, cfn, name, way):
    language = way.partition(" of ")[2]
    code = BY_HOST_AND_PATH[way].replace("ANSWER", ANSWERS_BY_HOST[language])
    node = {"files": {"index.js": code}, "runtime": NODE_RUNTIME, "handler": "index.handler"}
    function = cloud.create_function(None, **node) if language == "Node.js" else cloud.create_function(code)
    arn = cloud.functions.get_function(FunctionName=function)["Configuration"]["FunctionArn"]
    stack = create(cfn, name, thing(arn, ServiceTimeout=60))
    assert stack["Outputs"][0]["OutputValue"].startswith("https://cloudformation-custom-resource-response-useast1.s3.")
    cfn.delete_stack(StackName=name)
    assert settled(cfn, stack["StackId"])["StackStatus"] == "DELETE_COMPLETE"


def test_who_makes_a_custom_resource_stays(cloud, cfn, name):
    # The other one fails whatever it is asked for, so that nothing succeeds that is sent to it.
    useless = CUSTOM.replace('"SUCCESS"', '"FAILED"')
    first, other = (cloud.functions.get_function(FunctionName=cloud.create_function(code))["Configuration"]["FunctionArn"]
                    for code in (CUSTOM, useless))
    stack = create(cfn, name, thing(first, Name="a"))["StackId"]
    update(cfn, name, thing(other, Name="a"), "UPDATE_ROLLBACK_COMPLETE")
    update(cfn, name, thing(other, Name="a"), "UPDATE_FAILED", DisableRollback=True)
    reasons = [one[2] for one in told(cfn, name) if one[1] == "UPDATE_FAILED" and one[0] == "Thing"]
    assert reasons == ["Modifying service token is not allowed."] * 2
    assert update(cfn, name, thing(first, Name="a", Size="5"))["Outputs"][0]["OutputValue"] == "Update a"
    update(cfn, name, thing(other, Name="a"), "UPDATE_FAILED", DisableRollback=True)
    cfn.delete_stack(StackName=name)
    assert settled(cfn, stack)["StackStatus"] == "DELETE_COMPLETE"


def test_a_custom_resource_that_fails_is_told_to_go(cloud, cfn, name):
    function = cloud.functions.get_function(FunctionName=cloud.create_function(CUSTOM))["Configuration"]["FunctionArn"]
    create(cfn, name, thing(function, Name="a", Fails=True), "ROLLBACK_COMPLETE")
    ends = [one for one in told(cfn, name) if one[0] == "Thing" and one[1] == "DELETE_COMPLETE"]
    assert len(ends) == 1


SILENT = CUSTOM.replace("    request = ", "    if event['RequestType'] == 'Create':\n        return\n    request = ")
GARBAGE = CUSTOM.replace("json.dumps(answer).encode()",
                         r"""json.dumps(answer).encode() if event["RequestType"] == "Delete" else b"\xff\x00{" """)


def test_a_deletion_ends_a_wait_for_a_custom_resource(cloud, cfn, name):
    function = cloud.functions.get_function(FunctionName=cloud.create_function(SILENT))["Configuration"]["FunctionArn"]
    stack = cfn.create_stack(StackName=name, TemplateBody=thing(function, Name="a"))["StackId"]
    eventually(lambda: any(one[0] == "Thing" for one in told(cfn, stack)), "the creation of the resource")
    cfn.delete_stack(StackName=name)
    assert settled(cfn, stack)["StackStatus"] == "DELETE_COMPLETE"


def test_garbage_is_no_answer_of_a_custom_resource(cloud, cfn, name):
    function = cloud.functions.get_function(FunctionName=cloud.create_function(GARBAGE))["Configuration"]["FunctionArn"]
    create(cfn, name, thing(function, Name="a"), "ROLLBACK_COMPLETE")
    assert any((one[2] or "").startswith("Invalid response object") for one in told(cfn, name))


def test_a_wait_condition_waits(cloud, cfn, name):
    body = template({"Handle": {"Type": "AWS::CloudFormation::WaitConditionHandle"},
                     "Wait": {"Type": "AWS::CloudFormation::WaitCondition", "Properties": {
                         "Handle": {"Ref": "Handle"}, "Timeout": "60", "Count": 2}}},
                    Outputs={"Data": {"Value": {"Fn::GetAtt": "Wait.Data"}}})
    cfn.create_stack(StackName=name, TemplateBody=body)

    def handle():
        found = cfn.describe_stack_resources(StackName=name)["StackResources"]
        return next((one["PhysicalResourceId"] for one in found if one["LogicalResourceId"] == "Handle" and
                     one["ResourceStatus"] == "CREATE_COMPLETE"), None)

    url = eventually(handle, "the handle")
    for number in (1, 2):
        answer = {"Status": "SUCCESS", "Reason": "done", "UniqueId": f"id{number}", "Data": f"data{number}"}
        urllib.request.urlopen(urllib.request.Request(url, data=json.dumps(answer).encode(), method="PUT"))
    stack = settled(cfn, name)
    assert stack["StackStatus"] == "CREATE_COMPLETE"
    assert json.loads(stack["Outputs"][0]["OutputValue"]) == {"id1": "data1", "id2": "data2"}


def test_nested_stacks(cloud, cfn, name, bucket):
    def put(key, body):
        cloud.s3.put_object(Bucket=bucket, Key=key, Body=body.encode())
        return f"https://s3.amazonaws.com/{bucket}/{key}"

    def parent(url):
        return template({"Child": {"Type": "AWS::CloudFormation::Stack", "Properties": {
            "TemplateURL": url, "Parameters": {"Delay": 3}}}},
            Outputs={"Url": {"Value": {"Fn::GetAtt": "Child.Outputs.Url"}}})

    def child(**more):
        return template({"Queue": queue(DelaySeconds={"Ref": "Delay"}, **more)}, Parameters={"Delay": {"Type": "Number"}},
                        Outputs={"Url": {"Value": {"Ref": "Queue"}}})

    stack = create(cfn, name, parent(put("one", child())))
    url = stack["Outputs"][0]["OutputValue"]
    assert cloud.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["DelaySeconds"])["Attributes"]["DelaySeconds"] == "3"
    arn = resources(cfn, name)["Child"]["PhysicalResourceId"]
    inner = cfn.describe_stacks(StackName=arn)["Stacks"][0]
    assert inner["ParentId"] == inner["RootId"] == stack["StackId"] and inner["StackName"].startswith(f"{name}-Child-")
    update(cfn, name, parent(put("two", child(VisibilityTimeout=99_999_999))), "UPDATE_ROLLBACK_COMPLETE")
    assert any("failed to update: [Queue]" in (one[2] or "") for one in told(cfn, name) if one[0] == "Child")
    assert cfn.describe_stacks(StackName=arn)["Stacks"][0]["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    cfn.delete_stack(StackName=name)
    assert settled(cfn, stack["StackId"])["StackStatus"] == "DELETE_COMPLETE"
    assert cfn.describe_stacks(StackName=arn)["Stacks"][0]["StackStatus"] == "DELETE_COMPLETE"


def test_a_nested_update_is_taken_back_with_its_parents(cloud, cfn, name, bucket):
    def parent(key, body, **more):
        cloud.s3.put_object(Bucket=bucket, Key=key, Body=body.encode())
        return template({"Child": {"Type": "AWS::CloudFormation::Stack", "Properties": {
            "TemplateURL": f"https://s3.amazonaws.com/{bucket}/{key}"}}, **more})

    handle, wait = "AWS::CloudFormation::WaitConditionHandle", "AWS::CloudFormation::WaitCondition"
    create(cfn, name, parent("one", template()))
    child = resources(cfn, name)["Child"]["PhysicalResourceId"]
    endless = template({"Queue": queue(DelaySeconds=5), "Handle": {"Type": handle},
                        "Wait": {"Type": wait, "Properties": {"Handle": {"Ref": "Handle"}, "Timeout": 3600}}})
    update(cfn, name, parent("two", endless, Broken=queue(VisibilityTimeout=99_999_999)), "UPDATE_ROLLBACK_COMPLETE")
    assert not cfn.describe_stacks(StackName=child)["Stacks"][0]["StackStatus"].endswith("IN_PROGRESS")
    assert set(resources(cfn, child)) == {"Queue"}
