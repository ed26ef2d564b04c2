"""STS with boto3 and the AWS CLI: who one is, sessions of roles and of users, and the accounts that their keys tell."""
import json
import re

import boto3
import pytest

from awscli_support import aws  # noqa: F401  the fixture
from harness import REGION, Cloud, refused, unique

pytestmark = pytest.mark.local

TRUST = json.dumps({"Version": "2012-10-17", "Statement": [
    {"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": "sts:AssumeRole"}]})


@pytest.fixture
def role(cloud):
    """The ARN of a role that is gone after the test."""
    iam, name = cloud.client("iam"), unique("role")
    arn = iam.create_role(RoleName=name, AssumeRolePolicyDocument=TRUST, MaxSessionDuration=7200)["Role"]["Arn"]
    cloud.cleanup.callback(iam.delete_role, RoleName=name)
    return arn


def client(cloud, service, credentials):
    return boto3.client(service, endpoint_url=cloud.endpoint, region_name=REGION,
                        aws_access_key_id=credentials["AccessKeyId"],
                        aws_secret_access_key=credentials["SecretAccessKey"],
                        aws_session_token=credentials.get("SessionToken"))


def test_whoever_signs_with_any_key_is_the_account(cloud):
    who = cloud.client("sts").get_caller_identity()
    assert (who["Account"], who["UserId"], who["Arn"]) == ("000000000000",) * 2 + ("arn:aws:iam::000000000000:root",)
    other = Cloud(cloud.endpoint, access_key="111122223333").client("sts").get_caller_identity()
    assert other["Arn"] == "arn:aws:iam::111122223333:root"


def test_a_session_of_a_role_is_that_role_in_its_account(cloud):
    there = Cloud(cloud.endpoint, access_key="444455556666")
    there.client("iam").create_role(RoleName="visited", AssumeRolePolicyDocument=TRUST)
    cloud.cleanup.callback(there.client("iam").delete_role, RoleName="visited")
    arn = "arn:aws:iam::444455556666:role/visited"
    answer = cloud.client("sts").assume_role(RoleArn=arn, RoleSessionName="me")
    assert answer["AssumedRoleUser"]["Arn"] == "arn:aws:sts::444455556666:assumed-role/visited/me"
    assert re.fullmatch("AROA[A-Z2-7]{17}:me", answer["AssumedRoleUser"]["AssumedRoleId"])
    credentials = answer["Credentials"]
    assert re.fullmatch("ASIA[A-Z2-7]{16}", credentials["AccessKeyId"])
    who = client(cloud, "sts", credentials).get_caller_identity()
    assert who["Arn"] == "arn:aws:sts::444455556666:assumed-role/visited/me"
    assert (who["Account"], who["UserId"]) == ("444455556666", answer["AssumedRoleUser"]["AssumedRoleId"])
    # The key tells the account to every service.
    url = client(cloud, "sqs", credentials).create_queue(QueueName=unique("queue"))["QueueUrl"]
    cloud.cleanup.callback(there.client("sqs").delete_queue, QueueUrl=url)
    assert "/444455556666/" in url
    assert cloud.client("sts").get_access_key_info(AccessKeyId=credentials["AccessKeyId"])["Account"] == "444455556666"


def test_what_may_not_be_is_refused(cloud, role):
    sts = cloud.client("sts")
    with refused("AccessDenied", "is not authorized to perform: sts:AssumeRole on resource: " + role + "x"):
        sts.assume_role(RoleArn=role + "x", RoleSessionName="me")
    with refused("ValidationError", "exceeds the MaxSessionDuration set for this role"):
        sts.assume_role(RoleArn=role, RoleSessionName="me", DurationSeconds=7201)
    with refused("ValidationError", r"Value 'a b' at 'roleSessionName' failed to satisfy constraint"):
        sts.assume_role(RoleArn=role, RoleSessionName="a b")
    with refused("ValidationError", "Tags"):
        sts.assume_role(RoleArn=role, RoleSessionName="me", Tags=[{"Key": "k", "Value": "v"}])
    with refused("MalformedPolicyDocument"):
        sts.assume_role(RoleArn=role, RoleSessionName="me", Policy="{}")
    with refused("ValidationError", "GetFederationToken"):
        sts.get_federation_token(Name="me")


def test_a_user_and_its_session_are_the_user(cloud):
    iam, name = cloud.client("iam"), unique("user")
    arn = iam.create_user(UserName=name)["User"]["Arn"]
    cloud.cleanup.callback(iam.delete_user, UserName=name)
    key = iam.create_access_key(UserName=name)["AccessKey"]
    cloud.cleanup.callback(iam.delete_access_key, UserName=name, AccessKeyId=key["AccessKeyId"])
    own = client(cloud, "sts", key)
    assert own.get_caller_identity()["Arn"] == arn
    session = own.get_session_token(DurationSeconds=900)["Credentials"]
    assert client(cloud, "sts", session).get_caller_identity()["Arn"] == arn
    with refused("AccessDenied", "Cannot call GetSessionToken with session credentials"):
        client(cloud, "sts", session).get_session_token()


def test_sessions_survive_kill_9(start_server, tmp_path):
    server = start_server(data=tmp_path / "data")
    cloud = Cloud(server.endpoint)
    arn = cloud.client("iam").create_role(RoleName="r", AssumeRolePolicyDocument=TRUST)["Role"]["Arn"]
    credentials = cloud.client("sts").assume_role(RoleArn=arn, RoleSessionName="me")["Credentials"]
    server.kill()
    cloud = Cloud(start_server(data=tmp_path / "data").endpoint)
    assert client(cloud, "sts", credentials).get_caller_identity()["Arn"].endswith("assumed-role/r/me")


def test_the_command_line_asks_who_it_is(aws, role):  # noqa: F811
    assert aws("sts", "get-caller-identity")["Account"] == "000000000000"
    answer = aws("sts", "assume-role", role_arn=role, role_session_name="me")
    assert answer["AssumedRoleUser"]["Arn"].endswith("/me")
