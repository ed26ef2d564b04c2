"""What people without rights try against a server with --auth iam: other names for things, and roles that are not theirs."""
import json

import pytest
import requests
from botocore.exceptions import ClientError

from authorization_support import ACCOUNT, policy, statement, trust
from harness import REGION, Cloud, Server, quietly, unique, zip_of
from test_authorization import Person, denial, iam, person, root, server, table_arn, tea  # noqa: F401 (fixtures)
from test_dynamodb_exports import ended as export_ended
from test_dynamodb_exports import with_recovery
from test_dynamodb_imports import ended as import_ended

pytestmark = pytest.mark.local

TRUSTS_LAMBDA = trust(Service="lambda.amazonaws.com")
UNASSUMABLE = ("InvalidParameterValueException", 400, "The role defined for the function cannot be assumed by Lambda.")
READER = """
import boto3
def handler(event, context):
    try:
        boto3.client("dynamodb").scan(TableName=event["table"])
        return "read"
    except Exception as error:
        return str(error)
"""


def invoke(root, function, **event):
    return json.load(root.functions.invoke(FunctionName=function, Payload=json.dumps(event))["Payload"])


def make_function(cloud, role, **more):
    name = unique("mine")
    cloud.functions.create_function(FunctionName=name, Runtime="python3.12", Handler="app.handler", Role=role, Timeout=60,
                                    Code={"ZipFile": zip_of({"app.py": READER})}, **more)
    cloud.functions.get_waiter("function_active_v2").wait(FunctionName=name, WaiterConfig={"Delay": 1})
    return name


@pytest.fixture
def strong_role(iam):  # noqa: F811
    """Makes roles that may do everything with tables: (trust policy) -> (name, ARN)."""
    def make(trust_policy, name=None):
        name = name or unique("strong")
        arn = iam.create_role(RoleName=name, AssumeRolePolicyDocument=trust_policy)["Role"]["Arn"]
        iam.put_role_policy(RoleName=name, PolicyName="all", PolicyDocument=policy(statement("dynamodb:*")))
        return name, arn
    return make


def test_a_role_by_another_path_is_another_role(person, root, iam, strong_role, tea):  # noqa: F811
    name, arn = strong_role(TRUSTS_LAMBDA)
    mine = f"arn:aws:iam::{ACCOUNT}:role/mine/"
    someone = person(statement("lambda:*"), statement("iam:PassRole", mine + "*"))
    assert denial(make_function, someone.cloud, arn)[0] == "AccessDeniedException"
    assert denial(make_function, someone.cloud, mine + name) == UNASSUMABLE
    iam.delete_role_policy(RoleName=name, PolicyName="all")
    iam.delete_role(RoleName=name)
    iam.create_role(RoleName=name, Path="/mine/", AssumeRolePolicyDocument=TRUSTS_LAMBDA)
    function = make_function(someone.cloud, mine + name)
    iam.delete_role(RoleName=name)
    strong_role(TRUSTS_LAMBDA, name)
    assert "is not authorized to perform" in invoke(someone.cloud, function, table=tea)
    root.functions.delete_function(FunctionName=function)


def test_a_role_that_does_not_trust_lambda_is_no_functions(person, root, iam, strong_role, tea):  # noqa: F811
    name, arn = strong_role(trust(Service="states.amazonaws.com"))
    someone = person(statement("lambda:*"), statement("iam:PassRole", arn))
    assert denial(make_function, someone.cloud, arn) == UNASSUMABLE
    iam.update_assume_role_policy(RoleName=name, PolicyDocument=TRUSTS_LAMBDA)
    function = make_function(someone.cloud, arn)
    iam.update_assume_role_policy(RoleName=name, PolicyDocument=trust(Service="states.amazonaws.com"))
    assert denial(someone.cloud.functions.update_function_configuration, FunctionName=function, Role=arn) == UNASSUMABLE
    someone.cloud.functions.update_function_configuration(FunctionName=function, Timeout=50)  # the role stays as it is
    assert "lambda.amazonaws.com is not authorized to perform: sts:AssumeRole" in invoke(someone.cloud, function, table=tea)
    iam.update_assume_role_policy(RoleName=name, PolicyDocument=TRUSTS_LAMBDA)
    assert invoke(someone.cloud, function, table=tea) == "read"
    root.functions.delete_function(FunctionName=function)


def test_a_functions_keys_may_no_more_than_its_role_may_now(root, iam, strong_role, tea):  # noqa: F811
    name, arn = strong_role(TRUSTS_LAMBDA)
    function = make_function(root, arn)
    assert invoke(root, function, table=tea) == "read"
    iam.delete_role_policy(RoleName=name, PolicyName="all")
    assert "dynamodb:Scan" in invoke(root, function, table=tea)  # the same process, with the same keys
    iam.put_role_policy(RoleName=name, PolicyName="all", PolicyDocument=policy(statement("dynamodb:*")))
    assert invoke(root, function, table=tea) == "read"
    iam.delete_role_policy(RoleName=name, PolicyName="all")
    iam.delete_role(RoleName=name)
    assert "not authorized" in invoke(root, function, table=tea)
    root.functions.delete_function(FunctionName=function)


def test_a_qualifier_does_not_turn_a_function_into_another(person, root, strong_role):  # noqa: F811
    function = make_function(root, strong_role(TRUSTS_LAMBDA)[1])
    arn = f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:{function}"
    someone = person(statement("lambda:*", f"{arn}:dev"))
    functions = someone.cloud.functions
    for call in (functions.list_versions_by_function, functions.list_function_url_configs, functions.publish_version,
                 functions.list_provisioned_concurrency_configs, functions.list_function_event_invoke_configs):
        for name in (f"{function}:dev", f"{arn}:dev", f"{ACCOUNT}:function:{function}:dev"):
            assert denial(call, FunctionName=name)[0] == "AccessDeniedException", (call, name)
    root.functions.delete_function(FunctionName=function)


def test_another_partition_does_not_lead_past_a_denial(person, root):  # noqa: F811
    arn = root.client("scheduler").create_schedule_group(Name=unique("group"))["ScheduleGroupArn"]
    someone = person(statement("*"), statement("*", arn, "Deny"))
    tags = someone.client("scheduler").list_tags_for_resource
    assert denial(tags, ResourceArn=arn)[0] == "AccessDeniedException"
    assert denial(tags, ResourceArn=arn.replace("arn:aws:", "arn:aws-cn:"))[0] == "AccessDeniedException"
    root.client("scheduler").delete_schedule_group(Name=arn.rsplit("/", 1)[1])


def test_a_rule_on_a_bus_elsewhere_is_a_rule_there(person):  # noqa: F811
    here = f"arn:aws:events:{REGION}:{ACCOUNT}:rule/*"
    elsewhere = [f"arn:aws:events:eu-west-1:{ACCOUNT}:event-bus/shop",
                 f"arn:aws:events:{REGION}:222222222222:event-bus/shop"]
    someone = person(statement("events:*", here))
    events = someone.client("events")
    calls = [(events.put_rule, {"Name": "r", "EventPattern": json.dumps({"source": ["shop"]})}),
             (events.describe_rule, {"Name": "r"}), (events.enable_rule, {"Name": "r"}), (events.disable_rule, {"Name": "r"}),
             (events.delete_rule, {"Name": "r"}), (events.list_targets_by_rule, {"Rule": "r"}),
             (events.put_targets, {"Rule": "r", "Targets": [{"Id": "q", "Arn": f"arn:aws:sqs:{REGION}:{ACCOUNT}:q"}]}),
             (events.remove_targets, {"Rule": "r", "Ids": ["q"]}), (events.list_rules, {}),
             (events.list_rule_names_by_target, {"TargetArn": f"arn:aws:sqs:{REGION}:{ACCOUNT}:q"})]
    for call, named in calls:
        for bus in elsewhere:
            said = denial(call, EventBusName=bus, **named)
            assert said[0] == "AccessDeniedException" and bus.replace(":event-bus/", ":rule/") in said[2], (named, said)
    # Another account's bus must say so itself; in one's own account rights are enough.
    someone.may(statement("events:*"))
    call, named = calls[0]
    assert denial(call, EventBusName=elsewhere[0], **named)[0] == "ResourceNotFoundException"
    assert denial(call, EventBusName=elsewhere[1], **named)[0] == "AccessDeniedException"


def test_an_import_reads_no_objects_that_its_caller_may_not(person, root):  # noqa: F811
    bucket = root.create_bucket()
    root.s3.put_object(Bucket=bucket, Key="private/a.csv", Body=b"id\nsecret\n")
    someone = person(statement("dynamodb:*"), statement("s3:ListBucket", f"arn:aws:s3:::{bucket}"),
                     statement("s3:GetObject", f"arn:aws:s3:::{bucket}/public/*"))
    table = {"TableName": unique("table"), "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
             "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}], "BillingMode": "PAY_PER_REQUEST"}
    for prefix in ({}, {"S3KeyPrefix": "private/"}):
        said = denial(someone.cloud.dynamodb.import_table, S3BucketSource={"S3Bucket": bucket, **prefix}, InputFormat="CSV",
                      TableCreationParameters=table)
        assert said[0] == "AccessDeniedException" and "s3:GetObject" in said[2]
    with pytest.raises(ClientError):
        root.dynamodb.describe_table(TableName=table["TableName"])
    # What is denied below what is allowed ends the import.
    someone.may(statement("dynamodb:*"), statement(["s3:ListBucket", "s3:GetObject"]),
                statement("s3:GetObject", f"arn:aws:s3:::{bucket}/private/*.csv", "Deny"))
    begun = someone.cloud.dynamodb.import_table(S3BucketSource={"S3Bucket": bucket, "S3KeyPrefix": "private/"},
                                                InputFormat="CSV", TableCreationParameters=table)
    root.cleanup.callback(quietly, root.dynamodb.delete_table, TableName=table["TableName"])
    described = import_ended(root.dynamodb, begun["ImportTableDescription"])
    assert (described["ImportStatus"], described["FailureCode"]) == ("FAILED", "S3AccessDenied")
    assert described["ImportedItemCount"] == 0


def test_an_export_writes_no_objects_that_its_caller_may_not(person, root):  # noqa: F811
    bucket, table = root.create_bucket(), with_recovery(root)
    someone = person(statement("dynamodb:*"), statement("s3:*"),
                     statement("s3:PutObject", [f"arn:aws:s3:::{bucket}/mine/AWSDynamoDB/*",
                                                f"arn:aws:s3:::{bucket}/other/*/manifest-files.json"], "Deny"))
    export = someone.cloud.dynamodb.export_table_to_point_in_time
    said = denial(export, TableArn=table_arn(table), S3Bucket=bucket, S3Prefix="mine")
    assert said[0] == "AccessDeniedException" and "s3:PutObject" in said[2]
    # What is denied below what is allowed ends the export.
    begun = export(TableArn=table_arn(table), S3Bucket=bucket, S3Prefix="other/")["ExportDescription"]
    described = export_ended(root.dynamodb, begun["ExportArn"])
    assert (described["ExportStatus"], described["FailureCode"]) == ("FAILED", "S3AccessDenied")


def test_an_address_signed_before_is_good_for_what_its_signer_may_now(person, iam, root):  # noqa: F811
    bucket = root.create_bucket()
    root.s3.put_object(Bucket=bucket, Key="a", Body=b"1")
    someone = person(statement("s3:GetObject", f"arn:aws:s3:::{bucket}/*"))
    signer = someone.cloud.client("s3", signature_version="s3v4", s3={"addressing_style": "path"})
    address = signer.generate_presigned_url("get_object", Params={"Bucket": bucket, "Key": "a"})
    assert requests.get(address, timeout=20).content == b"1"
    iam.delete_user_policy(UserName=someone.name, PolicyName="own")
    refused = requests.get(address, timeout=20)
    assert refused.status_code == 403 and "AccessDenied" in refused.text


def test_whoever_calls_a_functions_address_is_seen_to_come_from_somewhere(person, root):  # noqa: F811
    name = root.create_function("def handler(event, context): return 'poured'")
    made = root.functions.create_function_url_config(FunctionName=name, AuthType="AWS_IAM")
    path = f"/_tidemill/lambda-url/{made['FunctionUrl'].split('//')[1].split('.')[0]}/"
    someone = person()
    for address, status in (("127.0.0.0/8", 200), ("203.0.113.0/24", 403)):
        someone.may(statement("lambda:InvokeFunctionUrl", Condition={
            "IpAddress": {"aws:SourceIp": address}, "StringLike": {"aws:UserAgent": "Python-urllib/*"}}))
        assert someone.cloud.raw("lambda", "GET", path)[0] == status, address


def test_what_drives_the_server_needs_rights(person, root):  # noqa: F811
    someone = person(statement(["dynamodb:*", "iam:*"]))
    drives = [("GET", "/_tidemill/explain"), ("POST", "/_tidemill/clock"), ("POST", "/_tidemill/backup"),
              ("POST", "/_tidemill/faults"), ("POST", "/_tidemill/replay"), ("POST", "/_tidemill/backoff")]
    for method, path in drives:
        assert root.raw_unsigned(method, path)[0] == 403, path
        status, _, body = someone.cloud.raw("tidemill", method, path)
        assert status == 403 and b"tidemill:Administer" in body, path
        assert someone.cloud.raw("iam", method, path)[0] == 403, path  # a signature for something else
    assert root.raw_unsigned("GET", "/_tidemill/health")[0] == 200
    assert root.raw_unsigned("GET", "/metrics")[0] == 200
    assert root.raw_unsigned("GET", "/_tidemill/clock")[0] == 200
    assert root.raw("tidemill", "GET", "/_tidemill/faults")[0] == 200
    someone.may(statement("tidemill:Administer"))
    assert someone.cloud.raw("tidemill", "GET", "/_tidemill/faults")[0] == 200


FORWARDED = [{"Via": "1.1 x"}, {"Forwarded": "proto=https"},
             {"X-Forwarded-For": "203.0.113.7", "X-Forwarded-Proto": "https"}]


def over_tls_only(person):  # noqa: F811
    """Calls GetQueueUrl as somebody who may only over TLS, with more headers: (status, body)."""
    someone = person(statement("sqs:*"),
                     statement("*", "*", "Deny", Condition={"Bool": {"aws:SecureTransport": "false"}}))

    def call(name, headers):
        asked = {"X-Amz-Target": "AmazonSQS.GetQueueUrl", "Content-Type": "application/x-amz-json-1.0", **headers}
        status, _, body = someone.cloud.raw("sqs", "POST", "/", json.dumps({"QueueName": name}), asked)
        return status, json.loads(body)
    return call


def test_no_header_of_a_client_makes_plain_http_secure(person, root):  # noqa: F811
    name = root.create_queue().split("/")[-1]
    call = over_tls_only(person)
    for headers in ({}, *FORWARDED):
        assert call(name, headers)[0] == 403, headers


def test_a_proxy_that_is_expected_says_whether_clients_speak_tls(tmp_path):
    server = Server(tmp_path / "data", "--auth", "iam", "--behind-proxy").start()
    try:
        root = Cloud(server.endpoint, access_key=server.root_key["AWS_ACCESS_KEY_ID"],  # noqa: F811
                     secret_key=server.root_key["AWS_SECRET_ACCESS_KEY"])
        root.sqs.create_queue(QueueName="jobs")
        call = over_tls_only(lambda *statements: Person(server, root.client("iam"), *statements))
        status, answer = call("jobs", {"X-Forwarded-For": "203.0.113.7", "X-Forwarded-Proto": "https"})
        assert (status, answer["QueueUrl"].split(":")[0]) == (200, "https")
        assert call("jobs", {"X-Forwarded-For": "203.0.113.7", "X-Forwarded-Proto": "http"})[0] == 403
        assert call("jobs", {"Via": "1.1 x"})[0] == 403
    finally:
        server.kill()
