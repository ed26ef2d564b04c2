"""With --auth iam: whoever tags what is being made needs the right to tag."""
import json

import pytest

from authorization_support import policy, statement, trust
from harness import unique, zip_of
from test_authorization import denial, iam, person, root, server, session_client  # noqa: F401 (fixtures)

pytestmark = pytest.mark.local

PAIRS = {"a": "b"}
UPPER = [{"Key": "a", "Value": "b"}]
LOWER = [{"key": "a", "value": "b"}]


@pytest.mark.parametrize("service, operation, arguments, tags, action, tagging", [
    ("sqs", "create_queue", {"QueueName": None}, {"tags": PAIRS}, "sqs:CreateQueue", "sqs:tagqueue"),
    ("sns", "create_topic", {"Name": None}, {"Tags": UPPER}, "sns:CreateTopic", "SNS:TagResource"),
    ("events", "create_event_bus", {"Name": None}, {"Tags": UPPER}, "events:CreateEventBus", "events:TagResource"),
    ("events", "put_rule", {"Name": None, "EventPattern": json.dumps({"source": ["shop"]})}, {"Tags": UPPER},
     "events:PutRule", "events:TagResource"),
    ("stepfunctions", "create_activity", {"name": None}, {"tags": LOWER}, "states:CreateActivity", "states:TagResource"),
    ("ecr", "create_repository", {"repositoryName": None}, {"tags": UPPER}, "ecr:CreateRepository", "ecr:TagResource"),
    ("iam", "create_user", {"UserName": None}, {"Tags": UPPER}, "iam:CreateUser", "iam:TagUser"),
    ("iam", "create_role", {"RoleName": None, "AssumeRolePolicyDocument": trust(Service="lambda.amazonaws.com")},
     {"Tags": UPPER}, "iam:CreateRole", "iam:TagRole"),
    ("iam", "create_policy", {"PolicyName": None, "PolicyDocument": policy(statement("sqs:*"))}, {"Tags": UPPER},
     "iam:CreatePolicy", "iam:TagPolicy"),
    ("iam", "create_instance_profile", {"InstanceProfileName": None}, {"Tags": UPPER}, "iam:CreateInstanceProfile",
     "iam:TagInstanceProfile"),
    ("dynamodb", "create_table",
     {"TableName": None, "BillingMode": "PAY_PER_REQUEST", "KeySchema": [{"AttributeName": "k", "KeyType": "HASH"}],
      "AttributeDefinitions": [{"AttributeName": "k", "AttributeType": "S"}]},
     {"Tags": UPPER}, "dynamodb:CreateTable", "dynamodb:TagResource"),
    ("logs", "create_log_group", {"logGroupName": None}, {"tags": PAIRS}, "logs:CreateLogGroup", "logs:TagResource"),
    ("kms", "create_key", {}, {"Tags": [{"TagKey": "a", "TagValue": "b"}]}, "kms:CreateKey", "kms:TagResource"),
    ("secretsmanager", "create_secret", {"Name": None, "SecretString": "s"}, {"Tags": UPPER},
     "secretsmanager:CreateSecret", "secretsmanager:TagResource"),
    ("ssm", "put_parameter", {"Name": None, "Value": "v", "Type": "String"}, {"Tags": UPPER}, "ssm:PutParameter",
     "ssm:AddTagsToResource"),
    ("scheduler", "create_schedule_group", {"Name": None}, {"Tags": UPPER}, "scheduler:CreateScheduleGroup",
     "scheduler:TagResource"),
    ("cloudwatch", "put_metric_alarm",
     {"AlarmName": None, "Namespace": "n", "MetricName": "m", "Statistic": "Sum", "Period": 60, "EvaluationPeriods": 1,
      "Threshold": 1.0, "ComparisonOperator": "GreaterThanThreshold"},
     {"Tags": UPPER}, "cloudwatch:PutMetricAlarm", "cloudwatch:TagResource"),
])
def test_tags_on_creation_need_the_right_to_tag(person, service, operation, arguments, tags, action, tagging):  # noqa: F811
    someone = person(statement(action))
    create = getattr(someone.client(service), operation)

    def fresh():
        return {name: unique("made") if value is None else value for name, value in arguments.items()}

    assert f"is not authorized to perform: {tagging} on resource: " in denial(create, **fresh(), **tags)[2]
    create(**fresh())
    vendor = action.partition(":")[0]
    someone.may(statement([action, f"{vendor}:{tagging.partition(':')[2]}"]))
    create(**fresh(), **tags)


def test_no_tags_on_creation_need_no_right(person):  # noqa: F811
    create = person(statement("states:CreateActivity")).client("stepfunctions").create_activity
    create(name=unique("made"), tags=[])


def test_tags_of_a_request_are_told_to_conditions(person):  # noqa: F811
    creator = person(statement(["sqs:CreateQueue", "sqs:TagQueue"], Condition={
        "StringEquals": {"aws:RequestTag/a": "b"}, "ForAllValues:StringEquals": {"aws:TagKeys": ["a"]}}))
    create = creator.client("sqs").create_queue
    create(QueueName=unique("made"), tags=PAIRS)
    for tags in ({"a": "c"}, {"a": "b", "c": "d"}, {}):
        assert denial(create, QueueName=unique("made"), tags=tags)[1] == 403, tags


def test_tags_of_resources_are_unknown_to_conditions(person, root):  # noqa: F811
    url = root.create_queue()
    name = {"StringEquals": {"aws:ResourceTag/env": "prod"}}
    someone = person(statement("sqs:*"), statement("sqs:PurgeQueue", "*", "Deny", Condition=name))
    someone.client("sqs").get_queue_attributes(QueueUrl=url)
    assert denial(someone.client("sqs").purge_queue, QueueUrl=url)[1] == 403
    someone.may(statement("sqs:*", Condition={"StringNotEquals": {"aws:ResourceTag/env": "prod"}}))
    assert denial(someone.client("sqs").get_queue_attributes, QueueUrl=url)[1] == 403


def test_an_objects_tags_are_told_to_conditions(person, root):  # noqa: F811
    bucket = root.create_bucket()
    root.s3.put_object(Bucket=bucket, Key="closed", Body=b"1", Tagging="secret=yes")
    root.s3.put_object(Bucket=bucket, Key="open", Body=b"2")
    reader = person(statement("s3:*"), statement("s3:GetObject", "*", "Deny", Condition={
        "StringEquals": {"s3:ExistingObjectTag/secret": "yes"}}))
    assert reader.cloud.s3.get_object(Bucket=bucket, Key="open")["Body"].read() == b"2"
    assert denial(reader.cloud.s3.get_object, Bucket=bucket, Key="closed")[0] == "AccessDenied"
    reader.may(statement("s3:*", Condition={"StringNotEquals": {"s3:RequestObjectTag/secret": "no"}}))
    put = reader.cloud.s3.put_object
    put(Bucket=bucket, Key="k", Body=b"3", Tagging="secret=yes")
    assert denial(put, Bucket=bucket, Key="k", Body=b"3", Tagging="secret=no")[0] == "AccessDenied"


def create_tagged_bucket(someone, key="team"):
    """(status, body): older clients cannot say it."""
    body = (f"<CreateBucketConfiguration><Tags><Tag><Key>{key}</Key><Value>tea</Value></Tag></Tags>"
            "</CreateBucketConfiguration>")
    status, _, answer = someone.cloud.raw("s3", "PUT", "/" + unique("tagged"), body,
                                          {"X-Amz-Content-SHA256": "UNSIGNED-PAYLOAD"})
    return status, answer.decode()


def test_a_bucket_with_tags_needs_the_right_to_tag(person):  # noqa: F811
    someone = person(statement("s3:CreateBucket"))
    status, answer = create_tagged_bucket(someone)
    assert status == 403 and "s3:TagResource" in answer
    someone.may(statement(["s3:CreateBucket", "s3:TagResource"]))
    assert create_tagged_bucket(someone)[0] == 200


def test_tags_of_buckets_are_told_to_conditions(person, root):  # noqa: F811
    someone = person(statement("s3:*"), statement("s3:CreateBucket", "*", "Deny",
                                                  Condition={"Null": {"aws:RequestTag/team": "true"}}))
    assert denial(someone.cloud.s3.create_bucket, Bucket=unique("bare"))[0] == "AccessDenied"
    assert create_tagged_bucket(someone)[0] == 200
    bucket = root.create_bucket()
    someone.may(statement("s3:*"), statement("*", "*", "Deny",
                                             Condition={"ForAnyValue:StringEquals": {"aws:TagKeys": "secret"}}))
    put = someone.cloud.s3.put_bucket_tagging
    assert create_tagged_bucket(someone, "secret")[0] == 403
    assert denial(put, Bucket=bucket, Tagging={"TagSet": [{"Key": "secret", "Value": "x"}]})[0] == "AccessDenied"
    put(Bucket=bucket, Tagging={"TagSet": [{"Key": "team", "Value": "tea"}]})


def test_a_policy_may_ask_for_encryption(person, root):  # noqa: F811
    bucket = root.create_bucket()
    writer = person(statement("s3:*"), statement("s3:PutObject", "*", "Deny", Condition={
        "StringNotEquals": {"s3:x-amz-server-side-encryption": "AES256"}}))
    put = writer.cloud.s3.put_object
    put(Bucket=bucket, Key="k", Body=b"1", ServerSideEncryption="AES256")
    assert denial(put, Bucket=bucket, Key="k", Body=b"1")[0] == "AccessDenied"


def test_parts_are_judged_by_what_their_upload_began_with(person, root):  # noqa: F811
    """S3 takes the header when an upload begins, and of no part: a policy that asks for it lets whole uploads through."""
    bucket, s3 = root.create_bucket(), person(statement("s3:*"), statement("s3:PutObject", "*", "Deny", Condition={
        "Null": {"s3:x-amz-server-side-encryption": "true"}})).cloud.s3
    assert denial(s3.create_multipart_upload, Bucket=bucket, Key="k")[0] == "AccessDenied"
    root.s3.put_object(Bucket=bucket, Key="source", Body=b"2")
    ids = [client.create_multipart_upload(Bucket=bucket, Key="k", **asked)["UploadId"]
           for client, asked in ((s3, {"ServerSideEncryption": "AES256"}), (root.s3, {}))]
    upload, bare = ({"Bucket": bucket, "Key": "k", "UploadId": upload_id} for upload_id in ids)
    assert denial(s3.upload_part, PartNumber=1, Body=b"1", **bare)[0] == "AccessDenied"
    s3.upload_part_copy(PartNumber=1, CopySource=f"{bucket}/source", **upload)
    part = s3.upload_part(PartNumber=1, Body=b"1", **upload)
    s3.complete_multipart_upload(MultipartUpload={"Parts": [{"PartNumber": 1, "ETag": part["ETag"]}]}, **upload)
    assert s3.get_object(Bucket=bucket, Key="k")["Body"].read() == b"1"


def test_older_sessions_can_be_revoked(person, iam):  # noqa: F811
    someone = person(statement("sts:AssumeRole"))
    role = iam.create_role(RoleName=unique("role"), AssumeRolePolicyDocument=trust(AWS=someone.arn))["Role"]

    def let(moment):
        iam.put_role_policy(RoleName=role["RoleName"], PolicyName="own", PolicyDocument=policy(
            statement("sqs:ListQueues"), statement("*", "*", "Deny", Condition={"DateLessThan": {"aws:TokenIssueTime": moment}})))
    let("2020-01-01T00:00:00Z")
    session = someone.client("sts").assume_role(RoleArn=role["Arn"], RoleSessionName="older")["Credentials"]
    queues = session_client(someone.server, session, "sqs")
    queues.list_queues()
    let("2099-01-01T00:00:00Z")
    assert denial(queues.list_queues)[1] == 403


def test_a_functions_tags_are_told_to_whom_they_may_be_listed(root, iam, person):  # noqa: F811
    name = unique("tagged")
    role = iam.create_role(RoleName=name, AssumeRolePolicyDocument=trust(Service="lambda.amazonaws.com"))["Role"]["Arn"]
    code = {"ZipFile": zip_of({"app.py": "def handler(event, context): pass"})}
    arn = root.functions.create_function(FunctionName=name, Runtime="python3.12", Handler="app.handler", Role=role,
                                         Code=code, Tags=PAIRS)["FunctionArn"]
    someone = person(statement("lambda:GetFunction", arn))

    def told():
        status, _, body = someone.cloud.raw("lambda", "GET", f"/2015-03-31/functions/{name}")
        assert status == 200, body
        return {key: value for key, value in json.loads(body).items() if key.startswith("Tags")}

    assert told() == {"TagsError": {"ErrorCode": "AccessDeniedException", "Message": (
        f"User: {someone.arn} is not authorized to perform: lambda:ListTags on resource: {arn} "
        "because no identity-based policy allows the lambda:ListTags action")}}
    someone.may(statement(["lambda:GetFunction", "lambda:ListTags"], arn))
    assert told() == {"Tags": PAIRS}
    root.functions.untag_resource(Resource=arn, TagKeys=list(PAIRS))
    someone.may(statement("lambda:GetFunction", arn))
    assert told() == {}
    root.functions.delete_function(FunctionName=name)
