"""Stacks of KMS keys and aliases, ECR repositories and secrets, and what refers to their values."""
import json

import pytest

from harness import eventually, quietly, refused, unique

LIFECYCLE = json.dumps({"rules": [{
    "rulePriority": 1, "selection": {"tagStatus": "untagged", "countType": "sinceImagePushed", "countUnit": "days",
                                     "countNumber": 365}, "action": {"type": "expire"}}]})


@pytest.fixture
def cfn(cloud):
    return cloud.client("cloudformation")


@pytest.fixture
def name(cloud, cfn):
    """A stack's name; the stack is gone after the test."""
    name = unique("stack")

    def clean():
        cfn.delete_stack(StackName=name)
        eventually(lambda: gone(cfn, name), "the stack's deletion", deadline_seconds=180)

    cloud.cleanup.callback(clean)
    return name


def gone(cfn, name):
    return not [one for page in cfn.get_paginator("list_stacks").paginate() for one in page["StackSummaries"]
                if one["StackName"] == name and one["StackStatus"] != "DELETE_COMPLETE"]


def deploy(cfn, name, resources, outputs=None, expected="COMPLETE"):
    """Creates or updates; the stack's outputs."""
    body = json.dumps({"Resources": resources,
                       "Outputs": {key: {"Value": value} for key, value in (outputs or {}).items()}})
    call = cfn.create_stack if gone(cfn, name) else cfn.update_stack
    stack = call(StackName=name, TemplateBody=body)["StackId"]

    def settled():
        found = cfn.describe_stacks(StackName=stack)["Stacks"][0]
        return found if not found["StackStatus"].endswith("_IN_PROGRESS") else None

    found = eventually(settled, "the end of the stack's operation", deadline_seconds=180)
    assert found["StackStatus"].endswith(expected), (found["StackStatus"], found.get("StackStatusReason"))
    if expected == "COMPLETE":
        assert "ROLLBACK" not in found["StackStatus"], found.get("StackStatusReason")
    return {one["OutputKey"]: one["OutputValue"] for one in found.get("Outputs", [])}


def test_a_key_and_its_alias_follow_their_template(cloud, cfn, name):
    kms = cloud.client("kms")
    alias = f"alias/{name}"

    def resources(**properties):
        return {"Key": {"Type": "AWS::KMS::Key", "Properties": {"PendingWindowInDays": 7, **properties}},
                "Alias": {"Type": "AWS::KMS::Alias", "Properties": {"AliasName": alias, "TargetKeyId": {"Ref": "Key"}}}}

    outputs = {"Id": {"Ref": "Key"}, "Arn": {"Fn::GetAtt": "Key.Arn"}, "Alias": {"Ref": "Alias"}}
    made = deploy(cfn, name, resources(Description="one", EnableKeyRotation=True, Tags=[{"Key": "a", "Value": "1"}]), outputs)
    shown = kms.describe_key(KeyId=alias)["KeyMetadata"]
    assert (shown["KeyId"], shown["Arn"], made["Alias"]) == (made["Id"], made["Arn"], alias)
    assert (shown["Description"], shown["Enabled"]) == ("one", True)
    assert kms.get_key_rotation_status(KeyId=made["Id"])["KeyRotationEnabled"] is True
    assert {"TagKey": "a", "TagValue": "1"} in kms.list_resource_tags(KeyId=made["Id"])["Tags"]
    assert not [tag for tag in kms.list_resource_tags(KeyId=made["Id"])["Tags"] if "step" in tag["TagKey"]]

    policy = {"Version": "2012-10-17", "Id": "mine", "Statement": [
        {"Effect": "Allow", "Principal": {"AWS": {"Fn::Sub": "arn:aws:iam::${AWS::AccountId}:root"}}, "Action": "kms:*",
         "Resource": "*"}]}
    changed = deploy(cfn, name, resources(Description="two", Enabled=False, KeyPolicy=policy,
                                          Tags=[{"Key": "b", "Value": "2"}]), outputs)
    assert changed["Id"] == made["Id"]
    shown = kms.describe_key(KeyId=made["Id"])["KeyMetadata"]
    assert (shown["Description"], shown["KeyState"]) == ("two", "Disabled")
    assert json.loads(kms.get_key_policy(KeyId=made["Id"], PolicyName="default")["Policy"])["Id"] == "mine"
    tags = {tag["TagKey"] for tag in kms.list_resource_tags(KeyId=made["Id"])["Tags"]}
    assert "b" in tags and "a" not in tags

    cfn.delete_stack(StackName=name)
    eventually(lambda: gone(cfn, name), "the stack's deletion", deadline_seconds=180)
    assert kms.describe_key(KeyId=made["Id"])["KeyMetadata"]["KeyState"] == "PendingDeletion"
    with refused("NotFoundException"):
        kms.describe_key(KeyId=alias)


def test_a_repository_follows_its_template(cloud, cfn, name):
    ecr = cloud.client("ecr")
    repository = unique("mill/repository")
    policy = {"Version": "2012-10-17", "Statement": [{
        "Sid": "Pull", "Effect": "Allow", "Principal": {"Service": "lambda.amazonaws.com"},
        "Action": ["ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"]}]}

    def resources(**properties):
        return {"Repository": {"Type": "AWS::ECR::Repository",
                               "Properties": {"RepositoryName": repository, **properties}}}

    outputs = {"Arn": {"Fn::GetAtt": "Repository.Arn"}, "Uri": {"Fn::GetAtt": "Repository.RepositoryUri"},
               "Name": {"Ref": "Repository"}}
    made = deploy(cfn, name, resources(ImageTagMutability="IMMUTABLE", LifecyclePolicy={"LifecyclePolicyText": LIFECYCLE},
                                       RepositoryPolicyText=policy), outputs)
    shown = ecr.describe_repositories(repositoryNames=[repository])["repositories"][0]
    assert (shown["repositoryArn"], shown["repositoryUri"]) == (made["Arn"], made["Uri"])
    assert (made["Name"], shown["imageTagMutability"]) == (repository, "IMMUTABLE")
    assert json.loads(ecr.get_lifecycle_policy(repositoryName=repository)["lifecyclePolicyText"]) == json.loads(LIFECYCLE)
    assert json.loads(ecr.get_repository_policy(repositoryName=repository)["policyText"])["Statement"][0]["Sid"] == "Pull"
    deploy(cfn, name, resources(ImageScanningConfiguration={"ScanOnPush": True}), outputs)
    shown = ecr.describe_repositories(repositoryNames=[repository])["repositories"][0]
    assert (shown["imageTagMutability"], shown["imageScanningConfiguration"]) == ("MUTABLE", {"scanOnPush": True})
    with refused("LifecyclePolicyNotFoundException"):
        ecr.get_lifecycle_policy(repositoryName=repository)
    with refused("RepositoryPolicyNotFoundException"):
        ecr.get_repository_policy(repositoryName=repository)


def test_a_generated_secret_is_told_to_what_refers_to_it(cloud, cfn, name):
    secrets = cloud.client("secretsmanager")
    generated = {"SecretStringTemplate": json.dumps({"username": "miller"}), "GenerateStringKey": "password",
                 "PasswordLength": 20, "ExcludePunctuation": True}

    def resources(**properties):
        return {"Secret": {"Type": "AWS::SecretsManager::Secret", "Properties": properties},
                "Queue": {"Type": "AWS::SQS::Queue", "Properties": {"Tags": [{
                    "Key": "user", "Value": {"Fn::Sub": "{{resolve:secretsmanager:${Secret}:SecretString:username}}"}}]}}}

    outputs = {"Secret": {"Ref": "Secret"}, "Url": {"Ref": "Queue"}}
    made = deploy(cfn, name, resources(GenerateSecretString=generated, Description="one"), outputs)
    first = json.loads(secrets.get_secret_value(SecretId=made["Secret"])["SecretString"])
    assert first["username"] == "miller" and len(first["password"]) == 20
    assert cloud.sqs.list_queue_tags(QueueUrl=made["Url"])["Tags"]["user"] == "miller"

    deploy(cfn, name, resources(GenerateSecretString=generated, Description="two"), outputs)
    assert secrets.describe_secret(SecretId=made["Secret"])["Description"] == "two"
    assert json.loads(secrets.get_secret_value(SecretId=made["Secret"])["SecretString"]) == first

    deploy(cfn, name, resources(SecretString=json.dumps({"username": "other"})), outputs)
    assert json.loads(secrets.get_secret_value(SecretId=made["Secret"])["SecretString"]) == {"username": "other"}
    cfn.delete_stack(StackName=name)
    eventually(lambda: gone(cfn, name), "the stack's deletion", deadline_seconds=180)
    with refused("ResourceNotFoundException"):
        secrets.describe_secret(SecretId=made["Secret"])


def test_what_stands_there_already_is_not_taken_over(cloud, cfn, name):
    secrets = cloud.client("secretsmanager")
    secret = unique("mill/secret")
    secrets.create_secret(Name=secret, SecretString="tea")
    cloud.cleanup.callback(quietly, secrets.delete_secret, SecretId=secret, ForceDeleteWithoutRecovery=True)
    deploy(cfn, name, {"Secret": {"Type": "AWS::SecretsManager::Secret", "Properties": {"Name": secret}}},
           expected="ROLLBACK_COMPLETE")
    assert secrets.get_secret_value(SecretId=secret)["SecretString"] == "tea"


@pytest.mark.local
def test_what_is_not_carried_fails_the_stack_by_name(cfn, name):
    deploy(cfn, name, {"Secret": {"Type": "AWS::SecretsManager::Secret",
                                  "Properties": {"ReplicaRegions": [{"Region": "eu-west-1"}]}}},
           expected="ROLLBACK_COMPLETE")
    reasons = [one.get("ResourceStatusReason", "") for one in cfn.describe_stack_events(StackName=name)["StackEvents"]]
    assert any("ReplicaRegions" in reason for reason in reasons), reasons


@pytest.mark.local
def test_a_type_that_is_not_there_is_refused_by_name(cfn):
    with refused("ValidationError", "AWS::SecretsManager::SecretTargetAttachment"):
        cfn.create_stack(StackName=unique("stack"), TemplateBody=json.dumps({"Resources": {
            "Attachment": {"Type": "AWS::SecretsManager::SecretTargetAttachment", "Properties": {
                "SecretId": "s", "TargetId": "t", "TargetType": "AWS::RDS::DBInstance"}}}}))
