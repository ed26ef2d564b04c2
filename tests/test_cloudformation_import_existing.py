"""What stands already and is imported among other changes, by ImportExistingResources, with boto3."""
import re
import urllib.parse
from xml.etree import ElementTree

import pytest
from cloudformation_support import change_set, create, queue, resources, settled, template, told, update, with_values
from harness import quietly, refused, unique

PARAMETER, BUCKET = "AWS::SSM::Parameter", "AWS::S3::Bucket"
RETAIN, EXCEPT = {"DeletionPolicy": "Retain"}, {"DeletionPolicy": "RetainExceptOnCreate"}


@pytest.fixture
def cfn(cloud):
    """Its change sets import what exists: the clients of Debian do not know the parameter."""
    client, event = cloud.client("cloudformation"), "before-call.cloudformation.CreateChangeSet"

    def add(params, **_):
        params["body"]["ImportExistingResources"] = "true"

    client.meta.events.register(event, add)
    yield client
    client.meta.events.unregister(event, add)


@pytest.fixture
def name(cfn):
    name = unique("existing")
    yield name
    quietly(cfn.delete_stack, StackName=name)


@pytest.fixture
def ssm(cloud):
    return cloud.client("ssm")


@pytest.fixture
def stray(ssm, name):
    """A parameter of nobody's, with a value that no template says."""
    stray = f"{name}-stray"
    ssm.put_parameter(Name=stray, Value="as it was", Type="String")
    yield stray
    quietly(ssm.delete_parameter, Name=stray)


def parameter(name, policy=None, **more):
    return {"Type": PARAMETER, "Properties": {"Name": name, "Type": "String", "Value": "new", **more}, **(policy or {})}


def value_of(ssm, name):
    return ssm.get_parameter(Name=name)["Parameter"]["Value"]


def actions(made):
    return {one["ResourceChange"]["LogicalResourceId"]: one["ResourceChange"]["Action"] for one in made["Changes"]}


def flags(cloud, operation, **given):
    """What the operation tells of ImportExistingResources."""
    form = urllib.parse.urlencode({"Action": operation, "Version": "2010-05-15", **given})
    _, _, body = cloud.raw("cloudformation", "POST", "/", form, {"content-type": "application/x-www-form-urlencoded"})
    root = ElementTree.fromstring(re.sub(rb' xmlns="[^"]*"', b"", body, count=1))
    return [one.text for one in root.iter("ImportExistingResources")]


def execute(cfn, name, expected, set_name="changes"):
    cfn.execute_change_set(ChangeSetName=set_name, StackName=name)
    stack = settled(cfn, name)
    assert stack["StackStatus"] == expected, told(cfn, name)
    return stack


def test_a_stack_is_made_of_what_stands_and_what_does_not(cloud, cfn, name, ssm, stray):
    bucket = unique("stray")
    cloud.s3.create_bucket(Bucket=bucket)
    body = template({"Stray": parameter(stray, RETAIN), "Fresh": parameter(f"{name}-fresh"),
                     "Bucket": {"Type": BUCKET, "Properties": {"BucketName": bucket}, **EXCEPT},
                     "Queue": queue(Tags=[{"Key": "of", "Value": {"Fn::GetAtt": "Bucket.Arn"}}])},
                    Outputs={"Told": {"Value": {"Ref": "Stray"}}})
    made = change_set(cfn, name, body, "CREATE")
    assert actions(made) == {"Stray": "Import", "Fresh": "Add", "Bucket": "Import", "Queue": "Add"}, made
    shown = with_values(cloud, made["ChangeSetId"])["Stray"]
    assert (shown.findtext("PhysicalResourceId"), shown.findtext("Replacement")) == (stray, "True")
    assert flags(cloud, "DescribeChangeSet", ChangeSetName=made["ChangeSetId"]) == ["true"]
    assert flags(cloud, "ListChangeSets", StackName=name) == ["true"]
    stack = execute(cfn, name, "CREATE_COMPLETE")
    assert stack["Outputs"][0]["OutputValue"] == stray
    found = resources(cfn, name)
    assert {one: each["ResourceStatus"] for one, each in found.items()} == {
        "Stray": "IMPORT_COMPLETE", "Fresh": "CREATE_COMPLETE", "Bucket": "IMPORT_COMPLETE", "Queue": "CREATE_COMPLETE"}
    assert (found["Stray"]["PhysicalResourceId"], found["Bucket"]["PhysicalResourceId"]) == (stray, bucket)
    assert [one[1:] for one in told(cfn, name) if one[0] == "Stray"] == [
        ("IMPORT_IN_PROGRESS", "Resource import started."), ("IMPORT_COMPLETE", "Resource import completed.")]
    tags = cloud.sqs.list_queue_tags(QueueUrl=found["Queue"]["PhysicalResourceId"])["Tags"]
    assert tags["of"] == f"arn:aws:s3:::{bucket}"
    assert value_of(ssm, stray) == "as it was"  # it is taken in, not changed
    cfn.delete_stack(StackName=name)
    assert settled(cfn, made["StackId"])["StackStatus"] == "DELETE_COMPLETE"
    assert value_of(ssm, stray) == "as it was" and cloud.s3.head_bucket(Bucket=bucket)
    with refused("ParameterNotFound"):
        value_of(ssm, f"{name}-fresh")


def test_a_stack_takes_in_what_stands_while_it_changes(cloud, cfn, name, ssm, stray):
    create(cfn, name, template({"Own": queue(DelaySeconds=1), "Gone": queue()}))
    body = template({"Own": queue(DelaySeconds=2), "Stray": parameter(stray, RETAIN)})
    made = change_set(cfn, name, body, "UPDATE")
    assert actions(made) == {"Own": "Modify", "Stray": "Import", "Gone": "Remove"}
    execute(cfn, name, "UPDATE_COMPLETE")
    found = resources(cfn, name)
    assert {one: each["ResourceStatus"] for one, each in found.items()} == {
        "Own": "UPDATE_COMPLETE", "Stray": "IMPORT_COMPLETE"}
    nothing = change_set(cfn, name, body, "UPDATE", "nothing")
    assert nothing["StatusReason"].startswith("The submitted information didn't contain changes.")
    # From now on it is the stack's.
    change_set(cfn, name, template({"Own": queue(DelaySeconds=2), "Stray": parameter(stray, RETAIN, Value="mine")}), "UPDATE", "next")
    execute(cfn, name, "UPDATE_COMPLETE", "next")
    assert value_of(ssm, stray) == "mine"


@pytest.mark.parametrize("policy", [RETAIN, EXCEPT], ids=["retain", "except"])
def test_what_was_imported_outlives_a_creation_that_fails(cfn, name, ssm, stray, policy):
    broken = queue(VisibilityTimeout=99_999_999)
    body = template({"Stray": parameter(stray, policy), "Fresh": parameter(f"{name}-fresh", EXCEPT),
                     "Broken": {**broken, "DependsOn": ["Stray", "Fresh"]}})
    change_set(cfn, name, body, "CREATE")
    stack = execute(cfn, name, "ROLLBACK_COMPLETE")
    assert value_of(ssm, stray) == "as it was"
    with refused("ParameterNotFound"):
        value_of(ssm, f"{name}-fresh")
    # It is nobody's again.
    cfn.delete_stack(StackName=name)
    settled(cfn, stack["StackId"])
    change_set(cfn, name, template({"Stray": parameter(stray, policy)}), "CREATE")
    execute(cfn, name, "CREATE_COMPLETE")


def test_what_was_imported_outlives_an_update_that_fails(cfn, name, ssm, stray):
    create(cfn, name, template({"Own": queue(DelaySeconds=1)}))
    broken = {**queue(VisibilityTimeout=99_999_999), "DependsOn": ["Stray", "Own"]}
    change_set(cfn, name, template({"Own": queue(DelaySeconds=2), "Stray": parameter(stray, EXCEPT), "Broken": broken}), "UPDATE")
    execute(cfn, name, "UPDATE_ROLLBACK_COMPLETE")
    assert set(resources(cfn, name)) == {"Own"} and value_of(ssm, stray) == "as it was"


def test_what_is_gone_by_then_fails_the_stack(cfn, name, ssm, stray):
    change_set(cfn, name, template({"Stray": parameter(stray, RETAIN), "Queue": {**queue(), "DependsOn": "Stray"}}), "CREATE")
    ssm.delete_parameter(Name=stray)
    execute(cfn, name, "ROLLBACK_COMPLETE")
    said = told(cfn, name)
    assert any(one[:2] == ("Stray", "IMPORT_FAILED") and "NotFound" in one[2] for one in said)
    assert any(one[0] == name and "failed to import: [Stray]" in (one[2] or "") for one in said)


def test_what_is_not_to_be_kept_is_not_imported(cfn, name, stray):
    for policy in ({}, {"DeletionPolicy": "Delete"}):
        made = change_set(cfn, name, template({"Stray": parameter(stray, policy), "Queue": queue()}), "CREATE",
                          "kept" if policy else "open")
        assert made["Status"] == "FAILED"
        assert made["StatusReason"] == (
            "CloudFormation is attempting to import some resources because they already exist in your account. The "
            "resources must have the DeletionPolicy attribute set to 'Retain' or 'RetainExceptOnCreate' in the template "
            f"for successful import. The affected resources are Stray ({{Name={stray}}})")


def test_what_another_stack_has_is_not_imported(cfn, name, stray):
    first = f"{name}-first"
    body = template({"Stray": parameter(stray, RETAIN)})
    change_set(cfn, first, body, "CREATE")
    # Both find it; the second comes too late.
    late = change_set(cfn, name, body, "CREATE", "late")
    assert actions(late) == {"Stray": "Import"}
    execute(cfn, first, "CREATE_COMPLETE")
    made = change_set(cfn, name, body, "CREATE")
    assert made["Status"] == "FAILED" and "already exists in a stack" in made["StatusReason"]
    execute(cfn, name, "ROLLBACK_COMPLETE", "late")
    assert any(one[:2] == ("Stray", "IMPORT_FAILED") for one in told(cfn, name))
    assert resources(cfn, first)["Stray"]["PhysicalResourceId"] == stray
    cfn.delete_stack(StackName=first)


# Logical ids change where code moves: what is left alone under the old one comes back under the new one at once.
def test_a_resource_changes_its_logical_id(cfn, name, ssm):
    named = f"{name}-named"
    create(cfn, name, template({"Before": parameter(named, RETAIN)}))
    made = change_set(cfn, name, template({"After": parameter(named, RETAIN)}), "UPDATE")
    assert actions(made) == {"Before": "Remove", "After": "Import"}
    execute(cfn, name, "UPDATE_COMPLETE")
    assert set(resources(cfn, name)) == {"After"} and value_of(ssm, named) == "new"
    broken = {**queue(VisibilityTimeout=99_999_999), "DependsOn": "Again"}
    change_set(cfn, name, template({"Again": parameter(named, RETAIN), "Broken": broken}), "UPDATE", "broken")
    execute(cfn, name, "UPDATE_ROLLBACK_COMPLETE", "broken")
    found = resources(cfn, name)
    assert set(found) == {"After"} and found["After"]["PhysicalResourceId"] == named and value_of(ssm, named) == "new"
    ssm.delete_parameter(Name=named)


NOWHERE = {"NotificationConfiguration": {"QueueConfigurations": [
    {"Event": "s3:ObjectCreated:*", "Queue": "arn:aws:sqs:us-east-1:000000000000:no-such-queue"}]}}


# No policy keeps what was never whole.
def test_what_the_clean_up_would_remove_is_not_imported(cloud, cfn, name):
    bucket = {"Type": BUCKET, **RETAIN}
    half_made = {**bucket, "Properties": {"BucketName": name, **NOWHERE}}
    create(cfn, name, template({"Old": half_made}), "CREATE_FAILED", DisableRollback=True)
    cloud.s3.head_bucket(Bucket=name)
    made = change_set(cfn, name, template({"New": {**bucket, "Properties": {"BucketName": name}}}), "UPDATE")
    assert made["Status"] == "FAILED" and "already exists in a stack" in made["StatusReason"]
    cloud.s3.head_bucket(Bucket=name)


@pytest.fixture
def replaced(cfn, name):
    """A parameter that the stack has replaced by another, and is to remove once its update has ended, which has failed."""
    before, after = f"{name}-before", f"{name}-after"
    create(cfn, name, template({"It": parameter(before)}))
    broken = {**queue(VisibilityTimeout=99_999_999), "DependsOn": "It"}
    update(cfn, name, template({"It": parameter(after), "Broken": broken}), "UPDATE_FAILED", DisableRollback=True)
    return before, after


def test_what_a_stack_has_still_to_remove_is_not_imported(cfn, name, ssm, replaced):
    before, after = replaced
    other = f"{name}-other"
    made = change_set(cfn, other, template({"Taken": parameter(before, RETAIN)}), "CREATE")
    assert made["Status"] == "FAILED" and "already exists in a stack" in made["StatusReason"]
    cfn.delete_stack(StackName=other)
    made = change_set(cfn, name, template({"It": parameter(after), "Taken": parameter(before, RETAIN)}), "UPDATE")
    assert made["Status"] == "FAILED" and "already exists in a stack" in made["StatusReason"]
    update(cfn, name, template({"It": parameter(after)}))
    with refused("ParameterNotFound"):
        ssm.get_parameter(Name=before)
    assert cfn.describe_stack_resources(PhysicalResourceId=after)["StackResources"]
    with refused("ValidationError"):
        cfn.describe_stack_resources(PhysicalResourceId=before)


def test_another_spelling_of_a_name_is_nothing_that_stands(cfn, name, stray):
    for spelling in (f"{stray}:1", f"arn:aws:ssm:us-east-1:000000000000:parameter/{stray}"):
        made = change_set(cfn, name, template({"Stray": parameter(spelling, RETAIN)}), "CREATE", unique("set"))
        assert actions(made) == {"Stray": "Add"}


def test_buckets_of_other_regions_are_not_imported(cloud, cfn, name):
    cloud.in_region("eu-west-1").s3.create_bucket(
        Bucket=name, CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})
    made = change_set(cfn, name, template({"It": {"Type": BUCKET, "Properties": {"BucketName": name}, **RETAIN}}), "CREATE")
    assert actions(made) == {"It": "Add"}


# A queue is identified by its URL, which a template cannot have.
def test_names_that_identify_nothing_are_not_looked_for(cloud, cfn, name):
    url = cloud.sqs.create_queue(QueueName=f"{name}-stray")["QueueUrl"]
    made = change_set(cfn, name, template({"Queue": {**queue(QueueName=f"{name}-stray"), **RETAIN}}), "CREATE")
    assert actions(made) == {"Queue": "Add"}
    execute(cfn, name, "ROLLBACK_COMPLETE")
    assert any(one[:2] == ("Queue", "CREATE_FAILED") and "already exists" in one[2] for one in told(cfn, name))
    cloud.sqs.delete_queue(QueueUrl=url)


def test_a_schedule_is_found_in_its_group(cloud, cfn, name):
    scheduler = cloud.client("scheduler")
    scheduler.create_schedule_group(Name=name)
    target = {"Arn": "arn:aws:sqs:us-east-1:000000000000:any", "RoleArn": "arn:aws:iam::000000000000:role/any"}
    given = {"Name": "tick", "GroupName": name, "ScheduleExpression": "rate(1 hour)", "State": "DISABLED",
             "FlexibleTimeWindow": {"Mode": "OFF"}, "Target": target}
    scheduler.create_schedule(**given)
    made = change_set(cfn, name, template({"Tick": {"Type": "AWS::Scheduler::Schedule", "Properties": given, **RETAIN}}), "CREATE")
    assert actions(made) == {"Tick": "Import"}
    execute(cfn, name, "CREATE_COMPLETE")
    cfn.delete_stack(StackName=name)
    settled(cfn, made["StackId"])
    assert scheduler.get_schedule(Name="tick", GroupName=name)["State"] == "DISABLED"
    scheduler.delete_schedule_group(Name=name)


def test_nested_stacks_import_what_exists(cloud, cfn, name, ssm, stray):
    bucket = unique("templates")
    cloud.s3.create_bucket(Bucket=bucket)
    cloud.s3.put_object(Bucket=bucket, Key="child", Body=template({"Stray": parameter(stray, RETAIN), "Queue": queue()}))
    child = {"Type": "AWS::CloudFormation::Stack",
             "Properties": {"TemplateURL": f"https://s3.amazonaws.com/{bucket}/child"}}
    made = change_set(cfn, name, template({"Child": child}), "CREATE", IncludeNestedStacks=True)
    below = cfn.describe_change_set(ChangeSetName=made["Changes"][0]["ResourceChange"]["ChangeSetId"])
    assert actions(below) == {"Stray": "Import", "Queue": "Add"}
    execute(cfn, name, "CREATE_COMPLETE")
    found = resources(cfn, resources(cfn, name)["Child"]["PhysicalResourceId"])
    assert (found["Stray"]["ResourceStatus"], found["Stray"]["PhysicalResourceId"]) == ("IMPORT_COMPLETE", stray)
    cfn.delete_stack(StackName=name)
    settled(cfn, made["StackId"])
    assert value_of(ssm, stray) == "as it was"


def test_the_two_ways_to_import_are_not_mixed(cfn, name, stray):
    with refused("ValidationError"):
        change_set(cfn, name, template({"Stray": parameter(stray, RETAIN)}), "IMPORT", ResourcesToImport=[
            {"ResourceType": PARAMETER, "LogicalResourceId": "Stray", "ResourceIdentifier": {"Name": stray}}])
