"""What requests on stacks bring beside their template: roles, tokens of requests that are sent again; and what is bounded."""
import json

import pytest
from cloudformation_support import create, events, queue, resources, settled, template, told, update
from harness import quietly, refused, unique


@pytest.fixture
def cfn(cloud):
    return cloud.client("cloudformation")


@pytest.fixture
def name(cfn):
    name = unique("asked")
    yield name
    quietly(cfn.delete_stack, StackName=name)


def trust(service, effect="Allow", action="sts:AssumeRole"):
    return json.dumps({"Version": "2012-10-17",
                       "Statement": [{"Effect": effect, "Action": action, "Principal": {"Service": service}}]})


@pytest.fixture
def make_role(cloud):
    """make_role(trust policy) -> its ARN. It may be gone by the test's end."""
    iam = cloud.client("iam")

    def make(policy=trust("cloudformation.amazonaws.com")):
        name = unique("role")
        arn = iam.create_role(RoleName=name, AssumeRolePolicyDocument=policy)["Role"]["Arn"]
        cloud.cleanup.callback(quietly, iam.delete_role, RoleName=name)
        return arn

    return make


def cannot_be_assumed(role):
    return refused("ValidationError", f"Role {role} is invalid or cannot be assumed")


# --- roles -----------------------------------------------------------------------------------------------------------

def test_a_role_must_be_there_and_trust_cloudformation(cfn, name, make_role):
    account = make_role().split(":")[4]
    for role in (f"arn:aws:iam::{account}:role/{unique('nobody')}", make_role(trust("lambda.amazonaws.com")),
                 make_role(trust("cloudformation.amazonaws.com", "Deny")),
                 make_role(trust("cloudformation.amazonaws.com", action="sts:TagSession")),
                 f"arn:aws:iam::{account}:user/{unique('user')}"):
        with cannot_be_assumed(role):
            cfn.create_stack(StackName=name, TemplateBody=template(), RoleARN=role)
        with cannot_be_assumed(role):
            cfn.create_change_set(StackName=name, ChangeSetName="one", ChangeSetType="CREATE", TemplateBody=template(),
                                  RoleARN=role)
    with refused("ValidationError"):
        cfn.describe_stacks(StackName=name)


def test_a_role_may_trust_by_patterns(cfn, name, make_role):
    for action in ("sts:Assume*", "sts:assumerole", ["sts:TagSession", "sts:A??umeRole"]):
        stack = create(cfn, name, template(), RoleARN=make_role(trust("cloudformation.amazonaws.com", action=action)))
        cfn.delete_stack(StackName=name)
        assert settled(cfn, stack["StackId"])["StackStatus"] == "DELETE_COMPLETE"


# What the stack makes is made by a session of its role: the parameter store says by whom.
def test_a_stack_acts_as_its_role(cloud, cfn, name, make_role):
    def body(value):
        return template({"Parameter": {"Type": "AWS::SSM::Parameter", "Properties": {"Type": "String", "Value": value}}})

    def changed_by():
        parameter = resources(cfn, name)["Parameter"]["PhysicalResourceId"]
        return cloud.client("ssm").get_parameter_history(Name=parameter)["Parameters"][-1]["LastModifiedUser"]

    role, other = make_role(), make_role()
    stack = create(cfn, name, body("1"), RoleARN=role)
    assert stack["RoleARN"] == role
    assert changed_by().endswith(f":assumed-role/{role.rsplit('/')[-1]}/AWSCloudFormation")
    update(cfn, name, body("2"))  # the role stays
    assert role.rsplit("/")[-1] in changed_by()
    update(cfn, name, body("3"), RoleARN=other)
    assert other.rsplit("/")[-1] in changed_by()
    assert settled(cfn, name)["RoleARN"] == other


def test_a_stack_whose_role_is_gone_wants_another(cloud, cfn, name, make_role):
    role = make_role()
    stack = create(cfn, name, template(), RoleARN=role)["StackId"]
    cloud.client("iam").delete_role(RoleName=role.rsplit("/")[-1])
    with cannot_be_assumed(role):
        cfn.delete_stack(StackName=name)
    with cannot_be_assumed(role):
        cfn.update_stack(StackName=name, TemplateBody=template({"Queue": queue(DelaySeconds=1)}))
    cfn.delete_stack(StackName=name, RoleARN=make_role())
    assert settled(cfn, stack)["StackStatus"] == "DELETE_COMPLETE"


def test_a_nested_stack_acts_as_its_parents_role(cloud, cfn, name, make_role, bucket):
    cloud.s3.put_object(Bucket=bucket, Key="child", Body=template().encode())
    child = {"Type": "AWS::CloudFormation::Stack", "Properties": {"TemplateURL": f"https://s3.amazonaws.com/{bucket}/child"}}
    role = make_role()
    create(cfn, name, template({"Child": child}), RoleARN=role)
    arn = resources(cfn, name)["Child"]["PhysicalResourceId"]
    assert cfn.describe_stacks(StackName=arn)["Stacks"][0]["RoleARN"] == role


# --- requests that are sent again ------------------------------------------------------------------------------------

def test_a_request_with_the_same_token_is_carried_out_once(cfn, name):
    first = {"StackName": name, "TemplateBody": template(), "ClientRequestToken": "create-1"}
    made = cfn.create_stack(**first)["StackId"]
    assert cfn.create_stack(**first)["StackId"] == made
    settled(cfn, name)
    assert cfn.create_stack(**first)["StackId"] == made
    with refused("AlreadyExistsException"):
        cfn.create_stack(**{**first, "ClientRequestToken": "create-2"})
    second = {"StackName": name, "TemplateBody": template({"Queue": queue(DelaySeconds=1)}), "ClientRequestToken": "update-1"}
    for _ in range(2):
        assert cfn.update_stack(**second)["StackId"] == made
    assert settled(cfn, name)["StackStatus"] == "UPDATE_COMPLETE"
    before = events(cfn, name)
    assert cfn.update_stack(**second)["StackId"] == made
    assert events(cfn, name) == before
    with refused("TokenAlreadyExistsException"):
        cfn.delete_stack(StackName=name, ClientRequestToken="update-1")
    for _ in range(2):
        cfn.delete_stack(StackName=name, ClientRequestToken="delete-1")
    assert settled(cfn, made)["StackStatus"] == "DELETE_COMPLETE"
    begun = [one for one in events(cfn, made) if one["ResourceStatus"] == "DELETE_IN_PROGRESS" and
             one["LogicalResourceId"] == name]
    assert [one["ClientRequestToken"] for one in begun] == ["delete-1"]


def test_a_change_set_with_the_same_token_is_made_and_executed_once(cfn, name):
    request = {"StackName": name, "ChangeSetName": "one", "ChangeSetType": "CREATE", "TemplateBody": template(),
               "ClientToken": "make-1"}
    made = cfn.create_change_set(**request)
    again = cfn.create_change_set(**request)
    assert (again["Id"], again["StackId"]) == (made["Id"], made["StackId"])
    with refused("AlreadyExistsException"):
        cfn.create_change_set(**{**request, "ClientToken": "make-2"})
    for _ in range(2):
        cfn.execute_change_set(ChangeSetName=made["Id"], ClientRequestToken="exec-1")
    assert settled(cfn, name)["StackStatus"] == "CREATE_COMPLETE"
    cfn.execute_change_set(ChangeSetName=made["Id"], ClientRequestToken="exec-1")
    with refused("InvalidChangeSetStatus"):
        cfn.execute_change_set(ChangeSetName=made["Id"], ClientRequestToken="exec-2")
    assert [one[1] for one in told(cfn, name) if one[0] == name] == ["REVIEW_IN_PROGRESS", "CREATE_IN_PROGRESS",
                                                                     "CREATE_COMPLETE"]


def test_a_rollback_with_the_same_token_is_carried_out_once(cfn, name):
    broken = template({"Queue": queue(), "Broken": queue(VisibilityTimeout=99_999_999)})
    create(cfn, name, broken, "CREATE_FAILED", DisableRollback=True)
    for _ in range(2):
        cfn.rollback_stack(StackName=name, ClientRequestToken="back-1")
    assert settled(cfn, name)["StackStatus"] == "ROLLBACK_COMPLETE"
    cfn.rollback_stack(StackName=name, ClientRequestToken="back-1")
    with refused("ValidationError"):
        cfn.rollback_stack(StackName=name, ClientRequestToken="back-2")


# --- bounds ----------------------------------------------------------------------------------------------------------

def test_events_tell_long_properties_shortened(cfn, name):
    text = "e" * 40_000
    create(cfn, name, template({"Word": {"Type": "AWS::SSM::Parameter", "Properties": {
        "Type": "String", "Value": "short", "Description": text}}}), "ROLLBACK_COMPLETE")
    found = [one["ResourceProperties"] for one in events(cfn, name) if one["LogicalResourceId"] == "Word"]
    properties = json.loads(found[0])
    assert properties["Value"] == "short" and properties["Type"] == "String"
    assert len(found[0].encode()) <= 32 << 10
    assert properties["Description"].startswith("ee") and properties["Description"].endswith("... (40000 bytes)")


def test_a_template_that_nests_itself_is_refused(cloud, cfn, name, bucket):
    url = f"https://s3.amazonaws.com/{bucket}/self"
    body = template({"Child": {"Type": "AWS::CloudFormation::Stack", "Properties": {"TemplateURL": url}}})
    cloud.s3.put_object(Bucket=bucket, Key="self", Body=body.encode())
    create(cfn, name, body, "ROLLBACK_COMPLETE")
    made = [one for page in cfn.get_paginator("list_stacks").paginate() for one in page["StackSummaries"]
            if one["StackName"].startswith(name)]
    reasons = [one[2] or "" for stack in made for one in told(cfn, stack["StackId"])]
    assert any("Stacks may be nested at most 16 deep" in reason for reason in reasons)
    assert {one["StackStatus"] for one in made if one["StackName"] != name} == {"DELETE_COMPLETE"} and len(made) == 17
