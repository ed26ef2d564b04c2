"""IAM with boto3 and the AWS CLI: roles, policies, users and groups as records, and what policies would decide."""
import json

import pytest

from awscli_support import aws  # noqa: F401  the fixture
from harness import Cloud, refused, unique

pytestmark = pytest.mark.local

TRUST = {"Version": "2012-10-17", "Statement": [
    {"Effect": "Allow", "Principal": {"Service": "lambda.amazonaws.com"}, "Action": "sts:AssumeRole"}]}
GRANT = {"Version": "2012-10-17", "Statement": [
    {"Effect": "Allow", "Action": ["dynamodb:Query"], "Resource": "arn:aws:dynamodb:us-east-1:000000000000:table/100%"}]}
BASIC = "arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole"


@pytest.fixture
def iam(cloud):
    return cloud.client("iam")


@pytest.fixture
def role(cloud, iam):
    name = unique("role")
    iam.create_role(RoleName=name, AssumeRolePolicyDocument=json.dumps(TRUST))
    cloud.cleanup.callback(iam.delete_role, RoleName=name)
    return name


@pytest.fixture
def policy(cloud, iam):
    """The ARN of a policy that is gone after the test."""
    arn = iam.create_policy(PolicyName=unique("policy"), PolicyDocument=json.dumps(GRANT), Path="/team/",
                            Description="reads")["Policy"]["Arn"]
    cloud.cleanup.callback(iam.delete_policy, PolicyArn=arn)
    return arn


def test_a_role_is_shown_as_it_was_made(cloud, iam):
    name = unique("role")
    created = iam.create_role(RoleName=name, Path="/app/", AssumeRolePolicyDocument=json.dumps(TRUST), Description="runs",
                              MaxSessionDuration=7200, Tags=[{"Key": "stage", "Value": "test"}])["Role"]
    cloud.cleanup.callback(iam.delete_role, RoleName=name)
    assert created["Arn"] == f"arn:aws:iam::000000000000:role/app/{name}"
    assert "MaxSessionDuration" not in created
    found = iam.get_role(RoleName=name)["Role"]
    assert found["AssumeRolePolicyDocument"] == TRUST
    assert (found["RoleId"], found["CreateDate"]) == (created["RoleId"], created["CreateDate"])
    assert (found["MaxSessionDuration"], found["Description"]) == (7200, "runs")
    assert (found["Tags"], found["RoleLastUsed"]) == ([{"Key": "stage", "Value": "test"}], {})
    iam.update_role(RoleName=name, Description="rests", MaxSessionDuration=3600)
    found = iam.get_role(RoleName=name)["Role"]
    assert (found["MaxSessionDuration"], found["Description"]) == (3600, "rests")
    changed = {**TRUST, "Statement": [{**TRUST["Statement"][0], "Sid": "Changed"}]}
    iam.update_assume_role_policy(RoleName=name, PolicyDocument=json.dumps(changed))
    assert iam.get_role(RoleName=name)["Role"]["AssumeRolePolicyDocument"] == changed
    with refused("EntityAlreadyExists", f"Role with name {name} already exists."):
        iam.create_role(RoleName=name, AssumeRolePolicyDocument=json.dumps(TRUST))


def test_roles_of_one_account_are_the_same_in_all_regions_and_not_anothers(cloud, iam, role):
    assert Cloud(cloud.endpoint, "eu-west-1").client("iam").get_role(RoleName=role)["Role"]["RoleName"] == role
    with refused("NoSuchEntity", f"The role with name {role} cannot be found."):
        Cloud(cloud.endpoint, access_key="111122223333").client("iam").get_role(RoleName=role)


def test_a_role_has_policies_of_its_own(iam, role):
    iam.put_role_policy(RoleName=role, PolicyName="own", PolicyDocument=json.dumps(GRANT))
    assert iam.get_role_policy(RoleName=role, PolicyName="own")["PolicyDocument"] == GRANT  # "%" survives
    assert iam.list_role_policies(RoleName=role)["PolicyNames"] == ["own"]
    with refused("DeleteConflict", "Cannot delete entity, must delete policies first."):
        iam.delete_role(RoleName=role)
    iam.delete_role_policy(RoleName=role, PolicyName="own")
    with refused("NoSuchEntity", "The role policy with name own cannot be found."):
        iam.get_role_policy(RoleName=role, PolicyName="own")


def test_managed_policies_are_attached_and_counted(iam, role, policy):
    iam.attach_role_policy(RoleName=role, PolicyArn=policy)
    iam.attach_role_policy(RoleName=role, PolicyArn=BASIC)
    attached = iam.list_attached_role_policies(RoleName=role)["AttachedPolicies"]
    assert {each["PolicyArn"] for each in attached} == {policy, BASIC}
    shown = iam.get_policy(PolicyArn=policy)["Policy"]
    assert (shown["AttachmentCount"], shown["Description"], shown["Path"]) == (1, "reads", "/team/")
    assert [each["RoleName"] for each in iam.list_entities_for_policy(PolicyArn=policy)["PolicyRoles"]] == [role]
    assert policy in [each["Arn"] for each in iam.list_policies(Scope="Local", OnlyAttached=True)["Policies"]]
    with refused("DeleteConflict", "Cannot delete a policy attached to entities."):
        iam.delete_policy(PolicyArn=policy)
    with refused("DeleteConflict", "Cannot delete entity, must detach all policies first."):
        iam.delete_role(RoleName=role)
    for arn in (policy, BASIC):
        iam.detach_role_policy(RoleName=role, PolicyArn=arn)


def test_policies_have_versions(iam, policy):
    document = {**GRANT, "Id": "second"}
    made = iam.create_policy_version(PolicyArn=policy, PolicyDocument=json.dumps(document), SetAsDefault=True)
    assert (made["PolicyVersion"]["VersionId"], made["PolicyVersion"]["IsDefaultVersion"]) == ("v2", True)
    assert iam.get_policy_version(PolicyArn=policy, VersionId="v2")["PolicyVersion"]["Document"] == document
    assert [each["VersionId"] for each in iam.list_policy_versions(PolicyArn=policy)["Versions"]] == ["v2", "v1"]
    with refused("DeleteConflict", "Cannot delete the default version of a policy."):
        iam.delete_policy_version(PolicyArn=policy, VersionId="v2")
    iam.delete_policy_version(PolicyArn=policy, VersionId="v1")


def test_users_have_keys_and_groups(cloud, iam):
    name, group = unique("user"), unique("group")
    iam.create_user(UserName=name)
    iam.create_group(GroupName=group)
    iam.add_user_to_group(GroupName=group, UserName=name)
    assert [each["UserName"] for each in iam.get_group(GroupName=group)["Users"]] == [name]
    key = iam.create_access_key(UserName=name)["AccessKey"]
    assert len(key["SecretAccessKey"]) == 40
    listed = iam.list_access_keys(UserName=name)["AccessKeyMetadata"]
    assert [(each["AccessKeyId"], each["Status"]) for each in listed] == [(key["AccessKeyId"], "Active")]
    assert iam.get_access_key_last_used(AccessKeyId=key["AccessKeyId"])["UserName"] == name
    with refused("DeleteConflict", "Cannot delete entity, must remove users from group first."):
        iam.delete_user(UserName=name)
    iam.remove_user_from_group(GroupName=group, UserName=name)
    iam.delete_access_key(UserName=name, AccessKeyId=key["AccessKeyId"])
    iam.delete_user(UserName=name)
    iam.delete_group(GroupName=group)
    with refused("NoSuchEntity", f"The user with name {name} cannot be found."):
        iam.get_user(UserName=name)


def test_lists_come_page_by_page(cloud, iam):
    path = f"/{unique('path')}/"
    names = [f"page-{number}-{unique('role')}" for number in range(5)]
    for name in names:
        iam.create_role(RoleName=name, Path=path, AssumeRolePolicyDocument=json.dumps(TRUST))
        cloud.cleanup.callback(iam.delete_role, RoleName=name)
    pages = list(iam.get_paginator("list_roles").paginate(PathPrefix=path, PaginationConfig={"PageSize": 2}))
    assert [role["RoleName"] for page in pages for role in page["Roles"]] == names
    assert [page["IsTruncated"] for page in pages] == [True, True, False]


def test_messages_do_not_show_what_was_sent(iam):
    with refused("ValidationError", "1 validation error detected: Value at 'roleName' failed to satisfy constraint: "
                                    "Member must satisfy regular expression pattern"):
        iam.get_role(RoleName="a b")
    with refused("MalformedPolicyDocument", "This policy contains invalid Json"):
        iam.create_role(RoleName="x", AssumeRolePolicyDocument="tea")


def test_what_is_not_supported_is_refused_by_name(iam):
    with refused("ValidationError", "CreateSAMLProvider"):
        iam.create_saml_provider(SAMLMetadataDocument="x" * 1000, Name="x")
    with refused("ValidationError", "ListAccountAliases"):
        iam.list_account_aliases()
    with refused("ValidationError", "AWS's own policies"):
        iam.get_policy(PolicyArn=BASIC)


def allow(action, resource="*", **more):
    return {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": action, "Resource": resource, **more}]}


def test_policies_are_tried_before_they_are_attached(iam):
    objects = ["arn:aws:s3:::mill/flour", "arn:aws:s3:::mill/grain"]
    pages = iam.get_paginator("simulate_custom_policy").paginate(
        PolicyInputList=[json.dumps(allow("s3:GetObject", "arn:aws:s3:::mill/f*"))],
        ActionNames=["s3:GetObject", "s3:PutObject"], ResourceArns=objects, PaginationConfig={"PageSize": 3})
    results = [result for page in pages for result in page["EvaluationResults"]]
    assert [(each["EvalActionName"], each["EvalResourceName"], each["EvalDecision"]) for each in results] == [
        ("s3:GetObject", objects[0], "allowed"), ("s3:GetObject", objects[1], "implicitDeny"),
        ("s3:PutObject", objects[0], "implicitDeny"), ("s3:PutObject", objects[1], "implicitDeny")]
    # {"Version": "2012-10-17", "Statement": [ has 40 letters.
    assert results[0]["MatchedStatements"] == [{
        "SourcePolicyId": "PolicyInputList.1", "SourcePolicyType": "IAM Policy",
        "StartPosition": {"Line": 1, "Column": 41}, "EndPosition": {"Line": 1, "Column": 122}}]
    assert results[0]["ResourceSpecificResults"][0]["EvalResourceDecision"] == "allowed"
    assert results[0]["EvalDecisionDetails"] == {}


def test_what_a_role_may_do_is_told_with_the_policy_that_says_so(cloud, iam, role, policy):
    arn = iam.get_role(RoleName=role)["Role"]["Arn"]
    table = "arn:aws:dynamodb:us-east-1:000000000000:table/100%"
    iam.attach_role_policy(RoleName=role, PolicyArn=policy)
    cloud.cleanup.callback(iam.detach_role_policy, RoleName=role, PolicyArn=policy)
    own = allow("sqs:*", Condition={"IpAddress": {"aws:SourceIp": "10.0.0.0/8"}})
    iam.put_role_policy(RoleName=role, PolicyName="own", PolicyDocument=json.dumps(own))
    cloud.cleanup.callback(iam.delete_role_policy, RoleName=role, PolicyName="own")

    def one(action, **more):
        return iam.simulate_principal_policy(PolicySourceArn=arn, ActionNames=[action], **more)["EvaluationResults"][0]

    read = one("dynamodb:Query", ResourceArns=[table])
    assert (read["EvalDecision"], read["MatchedStatements"][0]["SourcePolicyId"]) == ("allowed", policy.split("/")[-1])
    sent = one("sqs:SendMessage")
    assert (sent["EvalDecision"], sent["MissingContextValues"]) == ("implicitDeny", ["aws:SourceIp"])
    entry = {"ContextKeyName": "aws:SourceIp", "ContextKeyType": "ip", "ContextKeyValues": ["10.1.2.3"]}
    sent = one("sqs:SendMessage", ContextEntries=[entry])
    assert (sent["EvalDecision"], sent["MissingContextValues"]) == ("allowed", [])
    assert sent["MatchedStatements"][0]["SourcePolicyId"] == f"role_{role}_own"
    bounded = one("dynamodb:Query", ResourceArns=[table],
                  PermissionsBoundaryPolicyInputList=[json.dumps(allow("sqs:*"))])
    assert bounded["EvalDecision"] == "implicitDeny"
    assert bounded["PermissionsBoundaryDecisionDetail"] == {"AllowedByPermissionsBoundary": False}
    assert iam.get_context_keys_for_principal_policy(PolicySourceArn=arn)["ContextKeyNames"] == ["aws:SourceIp"]


def test_what_cannot_be_simulated_is_refused(iam):
    with refused("InvalidInput"):
        iam.simulate_custom_policy(PolicyInputList=["{"], ActionNames=["sqs:SendMessage"])
    with refused("InvalidInput", "CallerArn"):
        iam.simulate_custom_policy(PolicyInputList=[json.dumps(GRANT)], ActionNames=["sqs:SendMessage"],
                                   ResourcePolicy=json.dumps(GRANT))
    with refused("NoSuchEntity", "The role with name none cannot be found."):
        iam.simulate_principal_policy(PolicySourceArn="arn:aws:iam::000000000000:role/none",
                                      ActionNames=["s3:GetObject"])


def test_the_command_line_simulates_policies(aws):  # noqa: F811
    dated = {"Version": "2012-10-17", "Statement": {
        "Effect": "Allow", "Action": "dynamodb:*", "Resource": "*",
        "Condition": {"DateGreaterThan": {"aws:CurrentTime": "2018-08-16T12:00:00Z"}}}}
    keys = aws("iam", "get-context-keys-for-custom-policy", policy_input_list=json.dumps(dated))["ContextKeyNames"]
    assert keys == ["aws:CurrentTime"]
    for time, decision in (("2019-04-25T11:00:00Z", "allowed"), ("2014-04-25T11:00:00Z", "implicitDeny")):
        entries = f"ContextKeyName=aws:CurrentTime,ContextKeyValues={time},ContextKeyType=date"
        found = aws("iam", "simulate-custom-policy", policy_input_list=json.dumps(dated),
                    action_names="dynamodb:CreateBackup", context_entries=entries)["EvaluationResults"]
        assert [each["EvalDecision"] for each in found] == [decision]


def test_the_command_line_makes_a_role(cloud, iam, aws, policy):  # noqa: F811
    name = unique("role")
    made = aws("iam", "create-role", role_name=name, assume_role_policy_document=TRUST)["Role"]
    cloud.cleanup.callback(iam.delete_role, RoleName=name)
    assert made["AssumeRolePolicyDocument"] == TRUST
    aws("iam", "attach-role-policy", role_name=name, policy_arn=policy)
    cloud.cleanup.callback(iam.detach_role_policy, RoleName=name, PolicyArn=policy)
    listed = aws("iam", "list-attached-role-policies", role_name=name)["AttachedPolicies"]
    assert [each["PolicyArn"] for each in listed] == [policy]
    assert "The role with name none cannot be found." in aws.error("iam", "get-role", role_name="none")
