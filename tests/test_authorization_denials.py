"""With --auth iam: what leads past no denial, however things are named, gathered or written."""
import json

import pytest

from authorization_support import ACCOUNT, policy, statement, trust
from harness import REGION, unique
from test_authorization import denial, iam, person, root, server, session_client  # noqa: F401 (fixtures)

pytestmark = pytest.mark.local


def test_a_batch_of_secrets_leads_past_no_denial(person, root):  # noqa: F811
    secrets, prefix = root.client("secretsmanager"), unique("secret")
    arns = {each: secrets.create_secret(Name=f"{prefix}-{each}", SecretString=each)["ARN"] for each in ("open", "closed")}
    reads = ["secretsmanager:BatchGetSecretValue", "secretsmanager:GetSecretValue"]
    someone = person(statement(reads), statement("secretsmanager:GetSecretValue", arns["closed"], "Deny"))

    def batch(**wanted):
        status, _, answer = someone.cloud.raw("secretsmanager", "POST", "/", json.dumps(wanted), {
            "X-Amz-Target": "secretsmanager.BatchGetSecretValue", "Content-Type": "application/x-amz-json-1.1"})
        return status, json.loads(answer)

    filters = {"Filters": [{"Key": "name", "Values": [prefix]}]}
    status, answer = batch(**filters)
    assert status == 400 and "secretsmanager:ListSecrets" in json.dumps(answer)
    someone.may(statement([*reads, "secretsmanager:ListSecrets"]),
                statement("secretsmanager:GetSecretValue", arns["closed"], "Deny"))
    for wanted in (filters, {"SecretIdList": list(arns.values())}):
        status, answer = batch(**wanted)
        assert status == 200 and [each["SecretString"] for each in answer["SecretValues"]] == ["open"]
        [error] = answer["Errors"]
        assert error["ErrorCode"] == "AccessDeniedException" and arns["closed"] in error["Message"]
    # Whoever may read nothing is not told what is there.
    someone.may(statement("secretsmanager:BatchGetSecretValue"))
    _, answer = batch(SecretIdList=[f"{prefix}-open", f"{prefix}-none"])
    assert [each["ErrorCode"] for each in answer["Errors"]] == ["AccessDeniedException"] * 2
    for arn in arns.values():
        secrets.delete_secret(SecretId=arn, ForceDeleteWithoutRecovery=True)


def test_a_secrets_arn_without_its_suffix_leads_past_no_denial(person, root):  # noqa: F811
    secrets, name = root.client("secretsmanager"), unique("secret")
    arn = secrets.create_secret(Name=name, SecretString="tea")["ARN"]
    reads = person(statement("secretsmanager:*"), statement("secretsmanager:*", arn, "Deny")).client("secretsmanager")
    for spelled in (arn, arn[:-7], name):
        assert denial(reads.get_secret_value, SecretId=spelled)[0] == "AccessDeniedException", spelled
    secrets.delete_secret(SecretId=arn, ForceDeleteWithoutRecovery=True)


def test_a_version_behind_a_parameters_arn_leads_past_no_denial(person, root):  # noqa: F811
    parameters, name = root.client("ssm"), unique("parameter")
    parameters.put_parameter(Name=name, Value="tea", Type="String")
    parameters.label_parameter_version(Name=name, Labels=["green"])
    arn = f"arn:aws:ssm:{REGION}:{ACCOUNT}:parameter/{name}"
    reads = person(statement("ssm:*"), statement("ssm:*", arn, "Deny")).client("ssm")
    for spelled in (name, f"{name}:1", arn, f"{arn}:1", f"{arn}:green"):
        assert denial(reads.get_parameter, Name=spelled)[0] == "AccessDeniedException", spelled
    parameters.delete_parameter(Name=name)


def test_a_groups_identifier_leads_past_no_denial_of_its_streams(person, root):  # noqa: F811
    logs, group = root.client("logs"), unique("group")
    logs.create_log_group(logGroupName=group)
    logs.create_log_stream(logGroupName=group, logStreamName="closed")
    logs.create_log_stream(logGroupName=group, logStreamName="open")
    arn = f"arn:aws:logs:{REGION}:{ACCOUNT}:log-group:{group}"
    someone = person(statement("logs:*"), statement("logs:GetLogEvents", f"{arn}:log-stream:closed", "Deny"))

    def read(stream, named):
        return someone.cloud.call_json("Logs_20140328.GetLogEvents", {"logStreamName": stream, **named}, "logs")

    for named in ({"logGroupName": group}, {"logGroupIdentifier": group}, {"logGroupIdentifier": arn}):
        status, answer = read("closed", named)
        assert status == 400 and answer["__type"].endswith("AccessDeniedException"), (named, answer)
        assert read("open", named)[1]["events"] == []
    logs.delete_log_group(logGroupName=group)


def test_an_alias_leaves_no_key_without_its_leave(person, root):  # noqa: F811
    keys, alias = root.client("kms"), f"alias/{unique('key')}"
    one, two = (keys.create_key()["KeyMetadata"]["Arn"] for _ in range(2))
    keys.create_alias(AliasName=alias, TargetKeyId=one)
    someone = person(statement("kms:UpdateAlias"), statement("kms:UpdateAlias", one, "Deny"))
    said = denial(someone.client("kms").update_alias, AliasName=alias, TargetKeyId=two)
    assert said[0] == "AccessDeniedException" and one in said[2]
    assert keys.describe_key(KeyId=alias)["KeyMetadata"]["Arn"] == one
    someone.may(statement("kms:UpdateAlias"))
    someone.client("kms").update_alias(AliasName=alias, TargetKeyId=two)
    assert keys.describe_key(KeyId=alias)["KeyMetadata"]["Arn"] == two


def test_a_session_is_not_its_roles_namesake(server, person, iam):  # noqa: F811
    name, someone = unique("role"), person(statement("sts:AssumeRole"))

    def make():
        role = iam.create_role(RoleName=name, AssumeRolePolicyDocument=trust(AWS=f"arn:aws:iam::{ACCOUNT}:root"))["Role"]
        iam.put_role_policy(RoleName=name, PolicyName="own", PolicyDocument=policy(statement("sqs:ListQueues")))
        return role["Arn"]

    def assume(arn):
        made = someone.client("sts").assume_role(RoleArn=arn, RoleSessionName="me")["Credentials"]
        return session_client(server, made, "sqs")

    before = assume(make())
    before.list_queues()
    iam.delete_role_policy(RoleName=name, PolicyName="own")
    iam.delete_role(RoleName=name)
    assert denial(before.list_queues)[0] == "AccessDenied"
    after = assume(make())
    after.list_queues()
    assert denial(before.list_queues)[0] == "AccessDenied"
    iam.delete_role_policy(RoleName=name, PolicyName="own")
    iam.delete_role(RoleName=name)
