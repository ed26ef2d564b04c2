"""A server with --auth signed: nobody acts without a signature."""
import base64
import datetime
import gzip
import hashlib
import hmac
import json
import subprocess
import urllib.error
import urllib.request

import boto3
import pytest
from botocore.auth import S3SigV4Auth, SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from botocore.exceptions import ClientError

from harness import PYTHON_RUNTIME, REGION, ROLE, SERVER, Cloud, Server, StartFailed, unique, zip_of

pytestmark = pytest.mark.local

TRUST = json.dumps({"Version": "2012-10-17", "Statement": [
    {"Effect": "Allow", "Principal": {"AWS": "000000000000"}, "Action": "sts:AssumeRole"}]})


@pytest.fixture(scope="module")
def signed_server(tmp_path_factory):
    directory = tmp_path_factory.mktemp("signed")
    server = Server(directory / "data", "--auth", "signed", log=directory / "log").start()
    yield server
    server.kill()


def as_key(server, access_key, secret):
    return Cloud(server.endpoint, access_key=access_key, secret_key=secret)


@pytest.fixture(scope="module")
def root(signed_server):
    key = signed_server.root_key
    cloud = as_key(signed_server, key["AWS_ACCESS_KEY_ID"], key["AWS_SECRET_ACCESS_KEY"])
    with cloud.cleanup:
        yield cloud


def refusal(call, *arguments, **named):
    with pytest.raises(ClientError) as caught:
        call(*arguments, **named)
    error = caught.value.response
    return error["Error"]["Code"], error["ResponseMetadata"]["HTTPStatusCode"], error["Error"]["Message"]


def send(request):
    """(status, body) of a request that somebody has signed."""
    prepared = request.prepare()
    body = prepared.body.encode() if isinstance(prepared.body, str) else prepared.body
    sent = urllib.request.Request(prepared.url, data=body or None, method=prepared.method,
                                  headers=dict(prepared.headers))
    try:
        with urllib.request.urlopen(sent, timeout=30) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def credentials_of(cloud):
    return Credentials(cloud.access_key, cloud.secret_key)


def test_the_root_may_use_every_service(root):
    assert root.client("sts").get_caller_identity()["Arn"] == "arn:aws:iam::000000000000:root"
    root.dynamodb.list_tables()
    root.streams.list_streams()
    root.functions.list_functions()
    root.kinesis.list_streams()
    root.client("sns").list_topics()
    root.client("events").list_event_buses()
    root.client("logs").describe_log_groups()
    root.client("stepfunctions").list_state_machines()
    root.client("cloudwatch").list_metrics()
    root.client("ssm").describe_parameters()
    root.client("scheduler").list_schedules()
    root.client("pipes").list_pipes()
    root.client("iam").list_users()
    url = root.create_queue()
    root.sqs.send_message(QueueUrl=url, MessageBody="a b&c=d+ä")
    assert root.sqs.receive_message(QueueUrl=url)["Messages"][0]["Body"] == "a b&c=d+ä"


@pytest.mark.parametrize("service, operation, code, status", [
    ("dynamodb", "list_tables", "InvalidSignatureException", 400),
    ("ssm", "describe_parameters", "InvalidSignatureException", 400),
    ("kinesis", "list_streams", "InvalidSignatureException", 400),
    ("lambda", "list_functions", "InvalidSignatureException", 403),
    ("scheduler", "list_schedules", "InvalidSignatureException", 403),
    ("sns", "list_topics", "SignatureDoesNotMatch", 403),
    ("sts", "get_caller_identity", "SignatureDoesNotMatch", 403),
    ("iam", "list_users", "SignatureDoesNotMatch", 403),
    ("s3", "list_buckets", "SignatureDoesNotMatch", 403),
])
def test_a_wrong_secret_is_refused_in_the_words_of_the_service(signed_server, root, service, operation, code, status):
    cloud = as_key(signed_server, root.access_key, "wrong")
    found = refusal(getattr(cloud.client(service), operation))
    assert found[:2] == (code, status)
    assert found[2].startswith("The request signature we calculated does not match the signature you provided.")


@pytest.mark.parametrize("service, operation, code", [
    ("dynamodb", "list_tables", "UnrecognizedClientException"),
    ("lambda", "list_functions", "UnrecognizedClientException"),
    ("sts", "get_caller_identity", "InvalidClientTokenId"),
    ("s3", "list_buckets", "InvalidAccessKeyId"),
])
@pytest.mark.parametrize("key", ["test", "000000000000", "AKIAIOSFODNN7EXAMPLE", "ASIAQNZGKIQY56JQ7WML"])
def test_an_unknown_key_is_refused(signed_server, service, operation, code, key):
    assert refusal(getattr(as_key(signed_server, key, "x").client(service), operation))[0] == code


@pytest.mark.parametrize("headers, path, code", [
    ({"X-Amz-Target": "DynamoDB_20120810.ListTables"}, "/", "MissingAuthenticationTokenException"),
    ({}, "/2015-03-31/functions/", "MissingAuthenticationTokenException"),
    ({}, "/?Action=ListUsers&Version=2010-05-08", "MissingAuthenticationToken"),
    ({}, "/bucket/key", "AccessDenied"),
    ({"Authorization": "AWS4-HMAC-SHA256 nonsense", "X-Amz-Target": "DynamoDB_20120810.ListTables"}, "/",
     "IncompleteSignatureException"),
    ({"Authorization": "AWS4-ECDSA-P256-SHA256 Credential=A/20260101/dynamodb/aws4_request, SignedHeaders=host, Signature=0",
      "X-Amz-Target": "DynamoDB_20120810.ListTables"}, "/", "AWS4-ECDSA-P256-SHA256"),
    ({"Authorization": "AWS AKID:c2lnbmF0dXJl"}, "/bucket/key", "Please use AWS4-HMAC-SHA256"),
])
def test_what_is_not_signed_is_refused(root, headers, path, code):
    method = "POST" if "X-Amz-Target" in headers else "GET"
    status, answered, body = root.raw_unsigned(method, path, headers)
    assert status in (400, 403)
    assert code in body.decode() + answered.get("x-amzn-errortype", "")


def dynamodb_request(root, document):
    request = AWSRequest(method="POST", url=root.endpoint + "/", data=json.dumps(document), headers={
        "X-Amz-Target": "DynamoDB_20120810.ListTables", "Content-Type": "application/x-amz-json-1.0"})
    SigV4Auth(credentials_of(root), "dynamodb", REGION).add_auth(request)
    return request


def test_what_was_changed_on_the_way_is_refused(root):
    assert send(dynamodb_request(root, {"Limit": 1}))[0] == 200
    changed = dynamodb_request(root, {"Limit": 1})
    changed.data = json.dumps({"Limit": 2})
    assert "InvalidSignatureException" in send(changed)[1]
    added = dynamodb_request(root, {"Limit": 1})
    added.headers["X-Amz-Meta-More"] = "x"
    assert "must be a 'SignedHeader'" in send(added)[1]
    other = dynamodb_request(root, {"Limit": 1})
    other.headers.replace_header("X-Amz-Target", "DynamoDB_20120810.DescribeLimits")
    assert "InvalidSignatureException" in send(other)[1]


def test_a_signature_is_for_its_service(root):
    request = AWSRequest(method="POST", url=root.endpoint + "/", data="{}", headers={
        "X-Amz-Target": "DynamoDB_20120810.ListTables", "Content-Type": "application/x-amz-json-1.0"})
    SigV4Auth(credentials_of(root), "sqs", REGION).add_auth(request)
    assert "Credential should be scoped to correct service: 'dynamodb'." in send(request)[1]


def sign_at(root, minutes):
    """A request that was signed so many minutes from now."""
    when = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(minutes=minutes)
    stamp = when.strftime("%Y%m%dT%H%M%SZ")
    body = "{}"
    target = "DynamoDB_20120810.ListTables"
    host = root.endpoint.split("//")[1]
    names = "host;x-amz-date;x-amz-target"
    canonical = "\n".join(["POST", "/", "", f"host:{host}", f"x-amz-date:{stamp}", f"x-amz-target:{target}", "", names,
                           hashlib.sha256(body.encode()).hexdigest()])
    scope = f"{stamp[:8]}/{REGION}/dynamodb/aws4_request"
    text = "\n".join(["AWS4-HMAC-SHA256", stamp, scope, hashlib.sha256(canonical.encode()).hexdigest()])
    signature = hmac.new(signing_key(root, stamp, "dynamodb"), text.encode(), hashlib.sha256).hexdigest()
    return AWSRequest(method="POST", url=root.endpoint + "/", data=body, headers={
        "X-Amz-Target": target, "X-Amz-Date": stamp, "Authorization":
        f"AWS4-HMAC-SHA256 Credential={root.access_key}/{scope}, SignedHeaders={names}, Signature={signature}"})


def signing_key(root, stamp, service):
    key = ("AWS4" + root.secret_key).encode()
    for part in (stamp[:8], REGION, service, "aws4_request"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return key


def test_clocks_may_differ_by_five_minutes(root):
    assert send(sign_at(root, 0))[0] == 200
    assert send(sign_at(root, -4))[0] == 200
    assert send(sign_at(root, 4))[0] == 200
    assert "Signature expired: " in send(sign_at(root, -7))[1]
    assert "Signature not yet current: " in send(sign_at(root, 7))[1]


def test_a_users_key_is_good_while_it_is_active(signed_server, root):
    iam = root.client("iam")
    user = unique("user")
    iam.create_user(UserName=user)
    key = iam.create_access_key(UserName=user)["AccessKey"]
    cloud = as_key(signed_server, key["AccessKeyId"], key["SecretAccessKey"])
    assert cloud.client("sts").get_caller_identity()["Arn"].endswith(f":user/{user}")
    iam.update_access_key(UserName=user, AccessKeyId=key["AccessKeyId"], Status="Inactive")
    assert refusal(cloud.dynamodb.list_tables)[0] == "UnrecognizedClientException"
    iam.update_access_key(UserName=user, AccessKeyId=key["AccessKeyId"], Status="Active")
    cloud.dynamodb.list_tables()
    iam.delete_access_key(UserName=user, AccessKeyId=key["AccessKeyId"])
    assert refusal(cloud.dynamodb.list_tables)[0] == "UnrecognizedClientException"


def test_a_session_needs_its_token(signed_server, root):
    role = root.client("iam").create_role(RoleName=unique("role"), AssumeRolePolicyDocument=TRUST)["Role"]
    made = root.client("sts").assume_role(RoleArn=role["Arn"], RoleSessionName="session")["Credentials"]
    named = {"aws_access_key_id": made["AccessKeyId"], "aws_secret_access_key": made["SecretAccessKey"],
             "region_name": REGION, "endpoint_url": signed_server.endpoint}
    sts = boto3.client("sts", aws_session_token=made["SessionToken"], **named)
    assert sts.get_caller_identity()["Arn"].endswith("/session")
    assert refusal(boto3.client("sts", **named).get_caller_identity)[0] == "InvalidClientTokenId"
    other = boto3.client("dynamodb", aws_session_token="other", **named)
    assert refusal(other.list_tables)[0] == "UnrecognizedClientException"
    assert refusal(boto3.client("s3", aws_session_token="other", **named).list_buckets)[0] == "InvalidToken"


def test_objects_come_and_go_by_signed_requests_and_addresses(signed_server, root):
    bucket = root.create_bucket()
    key = "a folder/ä+b=c&d*.txt"
    root.s3.put_object(Bucket=bucket, Key=key, Body=b"one", ContentType="text/plain", Metadata={"who": "me  and   you"})
    assert root.s3.get_object(Bucket=bucket, Key=key)["Body"].read() == b"one"
    assert [each["Key"] for each in root.s3.list_objects_v2(Bucket=bucket, Prefix="a f")["Contents"]] == [key]
    s3 = root.client("s3", signature_version="s3v4", s3={"addressing_style": "path"})
    url = s3.generate_presigned_url("get_object", {"Bucket": bucket, "Key": key}, ExpiresIn=60)
    with urllib.request.urlopen(url) as answer:
        assert answer.read() == b"one"
    for wrong in (url.replace("Expires=60", "Expires=600"), url.replace("a%20folder", "b%20folder")):
        assert wrong != url
        with pytest.raises(urllib.error.HTTPError) as caught:
            urllib.request.urlopen(wrong)
        assert caught.value.code == 403 and b"SignatureDoesNotMatch" in caught.value.read()
    put = s3.generate_presigned_url("put_object", {"Bucket": bucket, "Key": "by-address"}, ExpiresIn=60)
    urllib.request.urlopen(urllib.request.Request(put, data=b"two", method="PUT"))
    assert root.s3.get_object(Bucket=bucket, Key="by-address")["Body"].read() == b"two"
    request = AWSRequest(method="PUT", url=f"{root.endpoint}/{bucket}/unsigned-header", data=b"x", headers={})
    S3SigV4Auth(credentials_of(root), "s3", REGION).add_auth(request)
    request.headers["x-amz-acl"] = "private"
    assert "HeadersNotSigned" in send(request)[1]


def chunked_put(root, bucket, key, spoil=lambda body: body):
    """An object in signed chunks; `spoil` may change what is sent."""
    stamp = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    host = root.endpoint.split("//")[1]
    content = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"
    scope = f"{stamp[:8]}/{REGION}/s3/aws4_request"
    headers = {"content-encoding": "aws-chunked", "host": host, "x-amz-content-sha256": content, "x-amz-date": stamp,
               "x-amz-decoded-content-length": "9000"}
    names = ";".join(sorted(headers))
    canonical = "\n".join(["PUT", f"/{bucket}/{key}", "", *(f"{name}:{headers[name]}" for name in sorted(headers)), "", names,
                           content])
    secret = signing_key(root, stamp, "s3")

    def sign(*lines):
        return hmac.new(secret, "\n".join(lines).encode(), hashlib.sha256).hexdigest()

    empty = hashlib.sha256(b"").hexdigest()
    seed = sign("AWS4-HMAC-SHA256", stamp, scope, hashlib.sha256(canonical.encode()).hexdigest())
    previous, body = seed, b""
    for chunk in (b"a" * 8192, b"b" * 808, b""):
        previous = sign("AWS4-HMAC-SHA256-PAYLOAD", stamp, scope, previous, empty, hashlib.sha256(chunk).hexdigest())
        body += b"%x;chunk-signature=%s\r\n%s\r\n" % (len(chunk), previous.encode(), chunk)
    headers["Authorization"] = (f"AWS4-HMAC-SHA256 Credential={root.access_key}/{scope}, SignedHeaders={names}, "
                                f"Signature={seed}")
    del headers["host"]
    return send(AWSRequest(method="PUT", url=f"{root.endpoint}/{bucket}/{key}", data=spoil(body), headers=headers))


def test_signed_chunks_are_checked_one_by_one(root):
    bucket = root.create_bucket()
    assert chunked_put(root, bucket, "whole")[0] == 200
    assert root.s3.get_object(Bucket=bucket, Key="whole")["Body"].read() == b"a" * 8192 + b"b" * 808
    for spoil in (lambda body: body.replace(b"bbb", b"bcb", 1), lambda body: body.replace(b"aaa", b"aba", 1)):
        status, answer = chunked_put(root, bucket, "spoiled", spoil)
        assert status == 403 and "SignatureDoesNotMatch" in answer
    assert "Contents" not in root.s3.list_objects_v2(Bucket=bucket, Prefix="spoiled")


def test_functions_sign_with_credentials_of_their_own(signed_server, root):
    name = unique("function")
    code = """
import boto3, os
def handler(event, context):
    boto3.client("dynamodb").list_tables()
    boto3.client("s3").list_buckets()
    return [os.environ[name] for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")]
"""
    root.functions.create_function(FunctionName=name, Runtime=PYTHON_RUNTIME, Role=ROLE, Handler="app.handler", Timeout=60,
                                   Code={"ZipFile": zip_of({"app.py": code})})
    answer = root.functions.invoke(FunctionName=name)
    assert "FunctionError" not in answer, answer["Payload"].read()
    key, secret, token = json.loads(answer["Payload"].read())
    assert key.startswith("ASIA") and secret not in ("", "tidemill") and token not in ("", "tidemill")
    without = as_key(signed_server, key, secret)
    assert refusal(without.dynamodb.list_tables)[0] == "UnrecognizedClientException"


def test_the_servers_own_paths_are_for_its_machine(root):
    assert root.raw_unsigned("GET", "/metrics")[0] == 200
    status, _, body = root.raw_unsigned("GET", "/metrics", {"X-Forwarded-For": "203.0.113.7"})
    assert status == 403 and b"own machine" in body


def test_what_drives_the_server_is_for_its_root(signed_server, root):
    iam = root.client("iam")
    user = unique("user")
    iam.create_user(UserName=user)
    key = iam.create_access_key(UserName=user)["AccessKey"]
    someone = as_key(signed_server, key["AccessKeyId"], key["SecretAccessKey"])
    for method, path in (("POST", "/_tidemill/backup"), ("POST", "/_tidemill/faults"), ("GET", "/_tidemill/faults"),
                         ("POST", "/_tidemill/replay"), ("POST", "/_tidemill/backoff"), ("POST", "/_tidemill/clock")):
        assert root.raw_unsigned(method, path)[0] == 403, path
        status, _, body = someone.raw("tidemill", method, path)
        assert status == 403 and b"tidemill:Administer" in body, path
        assert root.raw("iam", method, path)[0] == 403, path  # a signature for something else
    assert root.raw("tidemill", "GET", "/_tidemill/faults")[0] == 200
    for path in ("/_tidemill/health", "/_tidemill/clock", "/metrics"):
        assert root.raw_unsigned("GET", path)[0] == 200, path


def test_a_function_does_not_drive_the_server(root):
    code = """
import os, urllib.error, urllib.request
def handler(event, context):
    body = b'{"service": "dynamodb", "effect": "fail", "error": "AccessDeniedException"}'
    asked = urllib.request.Request(os.environ["AWS_ENDPOINT_URL"] + "/_tidemill/faults", data=body, method="POST")
    try:
        return urllib.request.urlopen(asked).status
    except urllib.error.HTTPError as error:
        return error.code
"""
    name = unique("function")
    root.functions.create_function(FunctionName=name, Runtime=PYTHON_RUNTIME, Role=ROLE, Handler="app.handler",
                                   Timeout=60, Code={"ZipFile": zip_of({"app.py": code})})
    assert json.loads(root.functions.invoke(FunctionName=name)["Payload"].read()) == 403
    root.dynamodb.list_tables()


def test_credentials_of_get_session_token_may_call_neither_iam_nor_most_of_sts(signed_server, root):
    iam = root.client("iam")
    user = unique("user")
    iam.create_user(UserName=user)
    key = iam.create_access_key(UserName=user)["AccessKey"]
    someone = as_key(signed_server, key["AccessKeyId"], key["SecretAccessKey"])
    made = someone.client("sts").get_session_token()["Credentials"]

    def client(service):
        return boto3.client(service, region_name=REGION, endpoint_url=signed_server.endpoint,
                            aws_access_key_id=made["AccessKeyId"], aws_secret_access_key=made["SecretAccessKey"],
                            aws_session_token=made["SessionToken"])
    assert refusal(client("iam").list_users) == \
        ("InvalidClientTokenId", 403, "The security token included in the request is invalid")
    assert refusal(client("iam").create_access_key, UserName=user)[0] == "InvalidClientTokenId"
    assert refusal(client("sts").get_session_token)[0] == "AccessDenied"
    assert refusal(client("sts").get_access_key_info, AccessKeyId=key["AccessKeyId"])[0] == "AccessDenied"
    assert client("sts").get_caller_identity()["Arn"].endswith(f":user/{user}")
    role = iam.create_role(RoleName=unique("role"), AssumeRolePolicyDocument=TRUST)["Role"]
    client("sts").assume_role(RoleArn=role["Arn"], RoleSessionName="session")
    client("sqs").list_queues()


def test_the_roots_key_is_shown_once_and_survives_a_crash(tmp_path):
    server = Server(tmp_path / "data", "--auth", "signed").start()
    key = server.root_key
    assert key["AWS_ACCESS_KEY_ID"].startswith("AKIA") and len(key["AWS_SECRET_ACCESS_KEY"]) == 40
    server.kill()
    again = Server(tmp_path / "data", "--auth", "signed").start()
    try:
        assert again.root_key is None
        as_key(again, key["AWS_ACCESS_KEY_ID"], key["AWS_SECRET_ACCESS_KEY"]).dynamodb.list_tables()
    finally:
        again.kill()


def test_the_commands_sign_with_the_environments_credentials(signed_server, root):
    command = [str(SERVER), "executions", "--endpoint", signed_server.endpoint]
    good = subprocess.run(command, env=signed_server.root_key, capture_output=True, text=True, timeout=60)
    assert good.returncode == 0, good.stderr
    wrong = subprocess.run(command, env={**signed_server.root_key, "AWS_SECRET_ACCESS_KEY": "x"}, capture_output=True,
                           text=True, timeout=60)
    assert wrong.returncode != 0 and "signature" in wrong.stderr


@pytest.mark.parametrize("flags, why", [
    (["--bind", "0.0.0.0"], "without authentication"),
    (["--bind", "0.0.0.0", "--auth", "signed"], "--behind-proxy"),
])
def test_a_start_that_nobody_would_guard_is_refused(tmp_path, flags, why):
    with pytest.raises(StartFailed) as caught:
        Server(tmp_path / "data", *flags).start()
    assert why in caught.value.errors


def test_an_address_of_a_function_is_signed_as_well(root, signed_server):
    handler = zip_of({"main.py": "def handler(event, context):\n    return event['body']\n"})
    name = unique("signed-url")
    root.client("lambda").create_function(FunctionName=name, Runtime=PYTHON_RUNTIME, Role=ROLE, Handler="main.handler",
                                          Code={"ZipFile": handler})
    url_id = root.client("lambda").create_function_url_config(FunctionName=name, AuthType="AWS_IAM")["FunctionUrl"] \
        .split("//")[1].split(".")[0]
    url = f"{signed_server.endpoint}/_tidemill/lambda-url/{url_id}/"
    key = signed_server.root_key

    def signed(secret, body="hello", **headers):
        request = AWSRequest("POST", url, data=body, headers={"Content-Type": "text/plain"} | headers)
        SigV4Auth(Credentials(key["AWS_ACCESS_KEY_ID"], secret), "lambda", REGION).add_auth(request)
        return request
    assert send(signed(key["AWS_SECRET_ACCESS_KEY"])) == (200, "hello")
    assert send(signed("wrong"))[0] == 403
    forged = signed(key["AWS_SECRET_ACCESS_KEY"])
    forged.data = "other"
    assert send(forged)[0] == 403
    assert send(AWSRequest("POST", url, data="hello"))[0] == 403
    packed = gzip.compress(b"hello")  # the function's to unpack
    assert send(signed(key["AWS_SECRET_ACCESS_KEY"], packed, **{"Content-Encoding": "gzip"})) == \
        (200, base64.b64encode(packed).decode())
