"""A server with --auth signed and keys of two accounts: each opens its own, and of the other what policies let."""
import json

import pytest
from botocore.exceptions import ClientError

from authorization_support import policy, statement, trust
from harness import PYTHON_RUNTIME, REGION, Cloud, Server, unique, zip_of

pytestmark = pytest.mark.local

NEIGHBOUR = "111111111111"


def cloud_of(server, key):
    return Cloud(server.endpoint, access_key=key["AccessKeyId"], secret_key=key["SecretAccessKey"])


@pytest.fixture(scope="module")
def clouds(tmp_path_factory):
    """Of the root of the server's account, and of a user of another, made while nobody asked for signatures."""
    directory = tmp_path_factory.mktemp("accounts")
    open_server = Server(directory / "data", log=directory / "log").start()
    iam = Cloud(open_server.endpoint, access_key=NEIGHBOUR).client("iam")
    iam.create_user(UserName="neighbour")
    key = iam.create_access_key(UserName="neighbour")["AccessKey"]
    open_server.stop()
    server = Server(directory / "data", "--auth", "signed", log=directory / "log").start()
    root = Cloud(server.endpoint, access_key=server.root_key["AWS_ACCESS_KEY_ID"],
                 secret_key=server.root_key["AWS_SECRET_ACCESS_KEY"])
    with root.cleanup:
        yield root, cloud_of(server, key)
    server.kill()


@pytest.fixture
def root(clouds):
    return clouds[0]


@pytest.fixture
def neighbour(clouds):
    return clouds[1]


def denial(call, **named):
    with pytest.raises(ClientError) as caught:
        call(**named)
    error = caught.value.response
    return error["Error"]["Code"], error["ResponseMetadata"]["HTTPStatusCode"], error["Error"]["Message"]


def test_a_bucket_is_closed_to_another_account_that_its_policy_does_not_name(root, neighbour):
    bucket = root.create_bucket()
    root.s3.put_object(Bucket=bucket, Key="k", Body=b"1")
    for call in (neighbour.s3.get_object, neighbour.s3.delete_object, neighbour.s3.head_object):
        assert denial(call, Bucket=bucket, Key="k")[1] == 403
    assert denial(neighbour.s3.put_object, Bucket=bucket, Key="k", Body=b"2")[0] == "AccessDenied"
    for call in (neighbour.s3.get_bucket_acl, neighbour.s3.list_objects_v2, neighbour.s3.delete_bucket):
        assert denial(call, Bucket=bucket)[0] == "AccessDenied"
    assert denial(neighbour.s3.create_bucket, Bucket=bucket)[0] == "BucketAlreadyExists"
    assert root.s3.get_object(Bucket=bucket, Key="k")["Body"].read() == b"1"
    reads = statement("s3:GetObject", f"arn:aws:s3:::{bucket}/*", Principal={"AWS": NEIGHBOUR})
    root.s3.put_bucket_policy(Bucket=bucket, Policy=policy(reads))
    assert neighbour.s3.get_object(Bucket=bucket, Key="k")["Body"].read() == b"1"
    assert denial(neighbour.s3.delete_object, Bucket=bucket, Key="k")[0] == "AccessDenied"


def test_a_bucket_of_ones_own_is_open(root, neighbour):
    for cloud in (root, neighbour):
        bucket = unique("own")
        cloud.s3.create_bucket(Bucket=bucket)
        cloud.s3.put_object(Bucket=bucket, Key="k", Body=b"1")
        assert cloud.s3.get_object(Bucket=bucket, Key="k")["Body"].read() == b"1"
        cloud.s3.delete_object(Bucket=bucket, Key="k")
        cloud.s3.delete_bucket(Bucket=bucket)


def test_an_object_is_not_copied_out_of_anothers_bucket(root, neighbour):
    theirs, own = root.create_bucket(), unique("own")
    root.s3.put_object(Bucket=theirs, Key="k", Body=b"1")
    neighbour.s3.create_bucket(Bucket=own)
    assert denial(neighbour.s3.copy_object, Bucket=own, Key="k", CopySource=f"{theirs}/k")[0] == "AccessDenied"
    assert denial(root.s3.copy_object, Bucket=own, Key="k", CopySource=f"{theirs}/k")[0] == "AccessDenied"


def test_a_role_of_another_account_is_for_whom_its_trust_policy_names(root, neighbour):
    iam = root.client("iam")

    def assume(**principal):
        role = iam.create_role(RoleName=unique("role"), AssumeRolePolicyDocument=trust(**principal))["Role"]
        return lambda: neighbour.client("sts").assume_role(RoleArn=role["Arn"], RoleSessionName="me")
    assert denial(assume(Service="lambda.amazonaws.com"))[:2] == ("AccessDenied", 403)
    assert assume(AWS=NEIGHBOUR)()["AssumedRoleUser"]["Arn"].startswith("arn:aws:sts::000000000000:assumed-role/")


def test_a_role_of_another_account_is_given_to_no_service(root, neighbour):
    trusting = trust(Service=["lambda.amazonaws.com", "states.amazonaws.com"])
    role = root.client("iam").create_role(RoleName=unique("role"), AssumeRolePolicyDocument=trusting)
    arn, code = role["Role"]["Arn"], {"ZipFile": zip_of({"app.py": "def handler(event, context): pass"})}
    function = {"FunctionName": unique("function"), "Runtime": PYTHON_RUNTIME, "Handler": "app.handler", "Code": code}
    definition = json.dumps({"StartAt": "A", "States": {"A": {"Type": "Succeed"}}})
    machine = {"name": unique("machine"), "definition": definition}
    refused = "Cross-account pass role is not allowed."
    assert denial(neighbour.functions.create_function, Role=arn, **function) == ("AccessDeniedException", 403, refused)
    found = denial(neighbour.client("stepfunctions").create_state_machine, roleArn=arn, **machine)
    assert found[0] == "AccessDeniedException" and found[2] == refused
    own = f"arn:aws:iam::{NEIGHBOUR}:role/own"
    neighbour.functions.create_function(Role=own, **function)
    update = neighbour.functions.update_function_configuration
    assert denial(update, FunctionName=function["FunctionName"], Role=arn)[2] == refused
    neighbour.functions.delete_function(FunctionName=function["FunctionName"])


def test_what_else_another_account_has_stays_closed(root, neighbour):
    url, table = root.create_queue(), root.create_table()
    arn = f"arn:aws:dynamodb:{REGION}:000000000000:table/{table}"
    for call, named in ((neighbour.sqs.receive_message, {"QueueUrl": url}),
                        (neighbour.sqs.purge_queue, {"QueueUrl": url}),
                        (neighbour.dynamodb.describe_table, {"TableName": arn})):
        assert denial(call, **named)[1] in (400, 403)
