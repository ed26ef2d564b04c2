"""Secrets Manager with boto3 and the AWS CLI."""
import json
import pathlib
import re
import uuid

import pytest

from awscli_support import aws  # noqa: F401  the fixture
from harness import Cloud, Server, eventually, quietly, refused, unique


@pytest.fixture
def secrets(cloud):
    return cloud.client("secretsmanager")


@pytest.fixture
def name(cloud, secrets):
    """A name whose secret is gone after the test."""
    name = unique("mill/secret")
    cloud.cleanup.callback(quietly, secrets.delete_secret, SecretId=name, ForceDeleteWithoutRecovery=True)
    return name


def value(secrets, name, **which):
    return secrets.get_secret_value(SecretId=name, **which)["SecretString"]


def test_a_secret_lives_from_creation_to_deletion(secrets, name):
    made = secrets.create_secret(Name=name, SecretString="tea", Description="of the mill",
                                 Tags=[{"Key": "stage", "Value": "test"}])
    assert re.fullmatch(rf"arn:aws:secretsmanager:[^:]+:\d{{12}}:secret:{name}-\w{{6}}", made["ARN"])
    found = secrets.get_secret_value(SecretId=made["ARN"])
    assert (found["Name"], found["SecretString"], found["VersionId"]) == (name, "tea", made["VersionId"])
    assert found["VersionStages"] == ["AWSCURRENT"]
    shown = secrets.describe_secret(SecretId=name)
    assert (shown["ARN"], shown["Description"]) == (made["ARN"], "of the mill")
    assert shown["Tags"] == [{"Key": "stage", "Value": "test"}]
    assert shown["VersionIdsToStages"] == {made["VersionId"]: ["AWSCURRENT"]}
    with refused("ResourceExistsException", f"The operation failed because the secret {name} already exists."):
        secrets.create_secret(Name=name, SecretString="coffee")
    secrets.delete_secret(SecretId=name, RecoveryWindowInDays=7)
    with refused("InvalidRequestException", "marked for deletion"):
        secrets.get_secret_value(SecretId=name)
    assert "DeletedDate" in secrets.describe_secret(SecretId=name)
    secrets.restore_secret(SecretId=name)
    assert value(secrets, name) == "tea"


def test_labels_follow_new_values(secrets, name):
    first = secrets.create_secret(Name=name, SecretString="one")["VersionId"]
    put = secrets.put_secret_value(SecretId=name, SecretString="two")
    assert put["VersionStages"] == ["AWSCURRENT"]
    assert value(secrets, name) == "two"
    assert value(secrets, name, VersionStage="AWSPREVIOUS") == "one"
    pending = secrets.put_secret_value(SecretId=name, SecretString="three", VersionStages=["AWSPENDING"])["VersionId"]
    assert value(secrets, name) == "two"
    assert value(secrets, name, VersionStage="AWSPENDING") == "three"
    secrets.update_secret_version_stage(SecretId=name, VersionStage="AWSCURRENT", MoveToVersionId=pending,
                                        RemoveFromVersionId=put["VersionId"])
    assert value(secrets, name) == "three"
    assert value(secrets, name, VersionStage="AWSPREVIOUS") == "two"
    assert value(secrets, name, VersionId=first) == "one"
    listed = secrets.list_secret_version_ids(SecretId=name, IncludeDeprecated=True)["Versions"]
    assert {each["VersionId"] for each in listed} == {first, put["VersionId"], pending}
    with refused("ResourceNotFoundException", "can't find the specified secret value for staging label: mine"):
        secrets.get_secret_value(SecretId=name, VersionStage="mine")


def test_a_request_with_the_same_token_is_the_same_request(secrets, name):
    token = str(uuid.uuid4())
    made = secrets.create_secret(Name=name, SecretString="tea", ClientRequestToken=token)
    assert made["VersionId"] == token
    again = secrets.create_secret(Name=name, SecretString="tea", ClientRequestToken=token)
    assert (again["ARN"], again["VersionId"]) == (made["ARN"], token)
    with refused("ResourceExistsException"):
        secrets.put_secret_value(SecretId=name, SecretString="coffee", ClientRequestToken=token)


def test_bytes_and_large_texts_come_back(secrets, name):
    secrets.create_secret(Name=name, SecretBinary=bytes(range(256)))
    assert secrets.get_secret_value(SecretId=name)["SecretBinary"] == bytes(range(256))
    large = "é" * 32768
    secrets.update_secret(SecretId=name, SecretString=large[:32000])
    assert value(secrets, name) == large[:32000]


def test_a_secret_with_its_own_key_is_opened_with_it_only(cloud, secrets, name):
    kms = cloud.client("kms")
    key = kms.create_key()["KeyMetadata"]["KeyId"]
    cloud.cleanup.callback(quietly, kms.schedule_key_deletion, KeyId=key, PendingWindowInDays=7)
    secrets.create_secret(Name=name, SecretString="tea", KmsKeyId=key)
    assert secrets.describe_secret(SecretId=name)["KmsKeyId"] == key
    assert value(secrets, name) == "tea"
    secrets.update_secret(SecretId=name, KmsKeyId="alias/aws/secretsmanager")
    kms.disable_key(KeyId=key)
    assert value(secrets, name) == "tea"


def test_lists_are_filtered_and_paged(cloud, secrets):
    prefix = unique("listed")
    names = [f"{prefix}/{number}" for number in range(5)]
    for each in names:
        secrets.create_secret(Name=each, SecretString="v", Tags=[{"Key": prefix, "Value": each[-1]}])
        cloud.cleanup.callback(quietly, secrets.delete_secret, SecretId=each, ForceDeleteWithoutRecovery=True)
    pages = secrets.get_paginator("list_secrets").paginate(Filters=[{"Key": "name", "Values": [prefix]}],
                                                           PaginationConfig={"PageSize": 2})
    assert sorted(each["Name"] for page in pages for each in page["SecretList"]) == names
    some = secrets.list_secrets(Filters=[{"Key": "tag-key", "Values": [prefix]}, {"Key": "tag-value", "Values": ["3"]}])
    assert [each["Name"] for each in some["SecretList"]] == [names[3]]


# Newer than the SDK of Debian 12.
def test_several_values_come_in_one_call(cloud, secrets, name):
    secrets.create_secret(Name=name, SecretString="tea")
    status, _, answer = cloud.raw("secretsmanager", "POST", "/", json.dumps({"SecretIdList": [name, name + "x"]}), {
        "X-Amz-Target": "secretsmanager.BatchGetSecretValue", "Content-Type": "application/x-amz-json-1.1"})
    assert status == 200, answer
    found = json.loads(answer)
    assert [each["SecretString"] for each in found["SecretValues"]] == ["tea"]
    assert [(each["SecretId"], each["ErrorCode"]) for each in found["Errors"]] == [
        (name + "x", "ResourceNotFoundException")]


def test_passwords_are_as_asked_for(secrets):
    password = secrets.get_random_password(PasswordLength=40, ExcludePunctuation=True, ExcludeCharacters="abc")
    assert re.fullmatch(r"[d-zA-Z0-9]{40}", password["RandomPassword"])
    assert password != secrets.get_random_password(PasswordLength=40, ExcludePunctuation=True, ExcludeCharacters="abc")


def test_policies_and_tags_are_kept(secrets, name):
    arn = secrets.create_secret(Name=name, SecretString="tea")["ARN"]
    policy = {"Version": "2012-10-17", "Statement": [{
        "Effect": "Deny", "Principal": {"AWS": arn.split(":")[4]}, "Action": "secretsmanager:DeleteSecret", "Resource": "*"}]}
    secrets.put_resource_policy(SecretId=name, ResourcePolicy=json.dumps(policy))
    assert json.loads(secrets.get_resource_policy(SecretId=name)["ResourcePolicy"])["Statement"][0]["Effect"] == "Deny"
    secrets.delete_resource_policy(SecretId=name)
    assert "ResourcePolicy" not in secrets.get_resource_policy(SecretId=name)
    secrets.tag_resource(SecretId=name, Tags=[{"Key": "a", "Value": "1"}, {"Key": "b", "Value": "2"}])
    secrets.untag_resource(SecretId=name, TagKeys=["a"])
    assert secrets.describe_secret(SecretId=name)["Tags"] == [{"Key": "b", "Value": "2"}]


@pytest.mark.local
def test_what_is_not_supported_is_refused_by_name(secrets, name):
    secrets.create_secret(Name=name, SecretString="tea")
    with refused("InvalidRequestException", "RotateSecret"):
        secrets.rotate_secret(SecretId=name, RotationLambdaARN="arn:aws:lambda:us-east-1:000000000000:function:f")
    with refused("InvalidRequestException", "ReplicateSecretToRegions"):
        secrets.replicate_secret_to_regions(SecretId=name, AddReplicaRegions=[{"Region": "eu-west-1"}])


@pytest.mark.local
def test_the_command_line_keeps_a_secret(aws, name):  # noqa: F811
    assert aws("secretsmanager", "create-secret", name=name, secret_string="tea")["Name"] == name
    assert aws("secretsmanager", "get-secret-value", secret_id=name)["SecretString"] == "tea"
    assert "(ResourceNotFoundException)" in aws.error("secretsmanager", "get-secret-value", secret_id=name + "x")


@pytest.mark.local
def test_acknowledged_secrets_survive_a_kill_and_lie_nowhere_as_they_are(tmp_path):
    server = Server(tmp_path / "data", "--log-level", "debug").start()
    try:
        secrets = Cloud(server.endpoint).client("secretsmanager")
        secrets.create_secret(Name="s", SecretString="first plain text")
        for number in range(20):
            secrets.put_secret_value(SecretId="s", SecretString=f"plain text number {number}")
        server.kill()
        killed = server
        server = Server(tmp_path / "data").start()
        secrets = Cloud(server.endpoint).client("secretsmanager")
        assert value(secrets, "s") == "plain text number 19"
        assert value(secrets, "s", VersionStage="AWSPREVIOUS") == "plain text number 18"
        server.stop()
        eventually(lambda: "event=stopping" in server.log(), "all of the log")
        everything = [path.read_bytes() for path in pathlib.Path(tmp_path / "data").rglob("*") if path.is_file()]
        everything += [killed.log().encode(), server.log().encode()]
        assert len(everything) > 5 and not [each for each in everything if b"plain text" in each]
    finally:
        server.kill()
