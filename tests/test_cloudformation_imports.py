"""Resources that stand already, taken into stacks by change sets of the type IMPORT, with boto3."""
import json

import pytest
from cloudformation_support import QUEUE, change_set, create, queue, resources, settled, template, told, update
from harness import quietly, refused, unique

KEPT = {"DeletionPolicy": "Retain"}


@pytest.fixture
def cfn(cloud):
    return cloud.client("cloudformation")


@pytest.fixture
def name(cfn):
    name = unique("import")
    yield name
    quietly(cfn.delete_stack, StackName=name)


@pytest.fixture
def stray(cloud, name):
    """A queue of nobody's."""
    url = cloud.sqs.create_queue(QueueName=f"{name}-stray", Attributes={"DelaySeconds": "7"})["QueueUrl"]
    yield url
    quietly(cloud.sqs.delete_queue, QueueUrl=url)


def kept(name, **more):
    return {**queue(QueueName=f"{name}-stray", DelaySeconds=7, **more), **KEPT}


def told_of(logical, url, kind=QUEUE, identifier="QueueUrl"):
    return {"ResourceType": kind, "LogicalResourceId": logical, "ResourceIdentifier": {identifier: url}}


def importing(cfn, name, body, *taken, set_name="import", **more):
    return change_set(cfn, name, body, "IMPORT", set_name, ResourcesToImport=list(taken), **more)


def test_a_stack_is_made_of_what_stands(cloud, cfn, name, stray):
    made = importing(cfn, name, template({"Queue": kept(name)}), told_of("Queue", stray))
    change = made["Changes"][0]["ResourceChange"]
    assert (made["Status"], change["Action"], change["PhysicalResourceId"]) == ("CREATE_COMPLETE", "Import", stray)
    cfn.execute_change_set(ChangeSetName="import", StackName=name)
    assert settled(cfn, name)["StackStatus"] == "IMPORT_COMPLETE"
    assert told(cfn, name) == [
        (name, "REVIEW_IN_PROGRESS", "User Initiated"), (name, "IMPORT_IN_PROGRESS", "User Initiated"),
        ("Queue", "IMPORT_IN_PROGRESS", "Resource import started."),
        ("Queue", "IMPORT_COMPLETE", "Resource import completed."), (name, "IMPORT_COMPLETE", None)]
    # From now on it is the stack's.
    update(cfn, name, template({"Queue": kept(name) | queue(QueueName=f"{name}-stray", DelaySeconds=9)},
                               Outputs={"Arn": {"Value": {"Fn::GetAtt": "Queue.Arn"}}}))
    attributes = cloud.sqs.get_queue_attributes(QueueUrl=stray, AttributeNames=["DelaySeconds", "QueueArn"])["Attributes"]
    assert attributes["DelaySeconds"] == "9"
    assert cfn.describe_stacks(StackName=name)["Stacks"][0]["Outputs"][0]["OutputValue"] == attributes["QueueArn"]
    cfn.delete_stack(StackName=name)
    settled(cfn, made["StackId"])
    assert cloud.sqs.get_queue_attributes(QueueUrl=stray, AttributeNames=["QueueArn"])  # Retain


def test_a_stack_takes_in_what_stands(cloud, cfn, name, stray):
    table, bucket = unique("stray"), unique("stray")
    cloud.s3.create_bucket(Bucket=bucket)
    cloud.client("dynamodb").create_table(
        TableName=table, BillingMode="PAY_PER_REQUEST", KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}])
    first = {"Own": queue(DelaySeconds=1)}
    create(cfn, name, template(first))
    taken = {
        "Table": {"Type": "AWS::DynamoDB::Table", **KEPT, "Properties": {
            "TableName": table, "BillingMode": "PAY_PER_REQUEST", "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}]}},
        "Bucket": {"Type": "AWS::S3::Bucket", **KEPT, "Properties": {"BucketName": bucket}},
        "Queue": kept(name, Tags=[{"Key": "beside", "Value": {"Ref": "Bucket"}}])}
    whole = template({**first, **taken})
    summaries = {one["ResourceType"]: one for one in
                 cfn.get_template_summary(TemplateBody=whole)["ResourceIdentifierSummaries"]}
    assert summaries[QUEUE]["ResourceIdentifiers"] == ["QueueUrl"]
    assert summaries["AWS::DynamoDB::Table"]["ResourceIdentifiers"] == ["TableName"]
    made = importing(cfn, name, whole, told_of("Queue", stray), told_of("Table", table, "AWS::DynamoDB::Table", "TableName"),
                     told_of("Bucket", bucket, "AWS::S3::Bucket", "BucketName"))
    assert {one["ResourceChange"]["LogicalResourceId"] for one in made["Changes"]} == set(taken), made.get("StatusReason")
    cfn.execute_change_set(ChangeSetName=made["ChangeSetId"])
    assert settled(cfn, name)["StackStatus"] == "IMPORT_COMPLETE", told(cfn, name)
    assert {one: each["ResourceStatus"] for one, each in resources(cfn, name).items()} == {
        "Own": "CREATE_COMPLETE", **dict.fromkeys(taken, "IMPORT_COMPLETE")}
    nothing = change_set(cfn, name, whole, "UPDATE", "nothing")
    assert nothing["StatusReason"].startswith("The submitted information didn't contain changes.")


def test_what_is_not_there_is_not_taken_in(cloud, cfn, name, stray):
    create(cfn, name, template({"Own": queue()}))
    body = template({"Own": queue(), "Queue": kept(name), "Gone": {**queue(), **KEPT, "DependsOn": "Queue"}})
    importing(cfn, name, body, told_of("Queue", stray), told_of("Gone", f"{stray}-gone"))
    cfn.execute_change_set(ChangeSetName="import", StackName=name)
    assert settled(cfn, name)["StackStatus"] == "IMPORT_ROLLBACK_COMPLETE"
    said = told(cfn, name)
    assert [one[1] for one in said if one[0] == "Queue"] == [
        "IMPORT_IN_PROGRESS", "IMPORT_COMPLETE", "IMPORT_ROLLBACK_IN_PROGRESS", "IMPORT_ROLLBACK_COMPLETE"]
    assert any(one[:2] == ("Gone", "IMPORT_FAILED") and "NotFound" in one[2] for one in said)
    assert set(resources(cfn, name)) == {"Own"}
    assert cloud.sqs.get_queue_attributes(QueueUrl=stray, AttributeNames=["QueueArn"])
    assert "Queue" not in json.loads(json.dumps(cfn.get_template(StackName=name)["TemplateBody"]))["Resources"]
    importing(cfn, name, template({"Own": queue(), "Queue": kept(name)}), told_of("Queue", stray), set_name="again")
    cfn.execute_change_set(ChangeSetName="again", StackName=name)
    assert settled(cfn, name)["StackStatus"] == "IMPORT_COMPLETE"


def test_what_cannot_be_imported_is_refused(cfn, name, stray):
    create(cfn, name, template({"Own": queue(DelaySeconds=1)}))
    own, taken = {"Own": queue(DelaySeconds=1)}, {"Queue": kept(name)}
    for body, told_as, message in (
            (template({**own, "Queue": queue(QueueName=f"{name}-stray")}), [told_of("Queue", stray)],
             "Following resources to import [Queue] must have DeletionPolicy attribute specified in the template."),
            (template({**own, **taken, "New": queue()}), [told_of("Queue", stray)],
             "Resources [New] is missing from ResourceToImport list"),
            (template({**own, **taken}, Outputs={"A": {"Value": "b"}}), [told_of("Queue", stray)],
             "As part of the import operation, you cannot modify or add [Outputs]"),
            (template({**own, **taken}), [told_of("Queue", stray, "AWS::CDK::Metadata", "Id")],
             "ResourceTypes [AWS::CDK::Metadata] are not supported for Import"),
            (template({**own, "Queue": {**kept(name), "Condition": "Never"}},
                      Conditions={"Never": {"Fn::Equals": ["a", "b"]}}), [told_of("Queue", stray)],
             "Resources [Queue] do not exist in the template"),
            (template({**own, **taken}), [told_of("Queue", "arn:aws:sns:us-east-1:000000000000:t", "AWS::SNS::Topic", "TopicArn")],
             "Resource Queue in ResourcesToImport is of the type AWS::SNS::Topic, and of the type AWS::SQS::Queue")):
        with refused("ValidationError", message):
            importing(cfn, name, body, *told_as)
    changed = importing(cfn, name, template({"Own": queue(DelaySeconds=2), **taken}), told_of("Queue", stray))
    assert changed["Status"] == "FAILED"
    assert changed["StatusReason"] == (
        "You have modified resources [Own] in your template that are not being imported. Update, create or delete "
        "operations cannot be executed during import operations.")
    mine = resources(cfn, name)["Own"]["PhysicalResourceId"]
    with refused("ValidationError", "already exists in a stack"):
        importing(cfn, name, template({**own, **taken}), told_of("Queue", mine), set_name="twice")


def test_an_import_into_a_new_stack_that_failed_is_tried_again(cfn, name, stray):
    body = template({"Queue": kept(name)})
    importing(cfn, name, body, told_of("Queue", f"{stray}-gone"))
    cfn.execute_change_set(ChangeSetName="import", StackName=name)
    assert settled(cfn, name)["StackStatus"] == "IMPORT_ROLLBACK_COMPLETE"
    made = importing(cfn, name, body, told_of("Queue", stray), set_name="again")
    assert [one["ResourceChange"]["Action"] for one in made["Changes"]] == ["Import"]
    cfn.execute_change_set(ChangeSetName="again", StackName=name)
    assert settled(cfn, name)["StackStatus"] == "IMPORT_COMPLETE", told(cfn, name)
    assert resources(cfn, name)["Queue"]["PhysicalResourceId"] == stray


def test_of_two_stacks_only_one_takes_a_resource_in(cfn, name, stray):
    other = f"{name}-other"
    body = template({"Queue": kept(name)})
    for stack in (name, other):
        importing(cfn, stack, body, told_of("Queue", stray))
    for stack in (name, other):
        cfn.execute_change_set(ChangeSetName="import", StackName=stack)
    ends = {stack: settled(cfn, stack)["StackStatus"] for stack in (name, other)}
    assert sorted(ends.values()) == ["IMPORT_COMPLETE", "IMPORT_ROLLBACK_COMPLETE"]
    first, second = sorted(ends, key=ends.get)
    failed = ("Queue", "IMPORT_FAILED", f"Resource Queue with identifier {stray} already exists in a stack")
    assert failed in told(cfn, second)
    assert resources(cfn, first)["Queue"]["PhysicalResourceId"] == stray and not resources(cfn, second)
    cfn.delete_stack(StackName=second)
    settled(cfn, first)


def test_what_a_deleted_stack_has_left_comes_into_another(cfn, name, stray):
    first, second = f"{name}-first", name
    for stack in (first, second):
        made = importing(cfn, stack, template({"Queue": kept(name)}), told_of("Queue", stray))
        cfn.execute_change_set(ChangeSetName="import", StackName=stack)
        assert settled(cfn, stack)["StackStatus"] == "IMPORT_COMPLETE"
        cfn.delete_stack(StackName=stack)
        settled(cfn, made["StackId"])
