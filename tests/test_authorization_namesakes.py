"""With --auth iam: who is made anew under the name of a deleted user or role gets nothing of what policies let it."""
import json
import types

import pytest
from botocore.exceptions import ClientError

from authorization_support import ACCOUNT, policy, statement, trust
from harness import Cloud, Server, unique
from test_authorization import denial, iam, person, root, server, session_client  # noqa: F401 (fixtures)

pytestmark = pytest.mark.local

DENIED = ("AccessDenied", "AccessDeniedException", "AuthorizationError")
NOBODY = f"arn:aws:iam::{ACCOUNT}:user/nobody-of-this-name"


# Where the SDK of the distribution is older than the operation or its parameters.
def by_json(cloud, service, target, **request):
    status, _, body = cloud.raw(service, "POST", "/", json.dumps(request), {
        "X-Amz-Target": target, "Content-Type": "application/x-amz-json-1.1"})
    answer = json.loads(body or b"{}")
    if status == 200:
        return answer
    error = {"Code": answer["__type"].split("#")[-1], "Message": answer.get("message", answer.get("Message", ""))}
    raise ClientError({"Error": error, "ResponseMetadata": {"HTTPStatusCode": status}}, target)


class Guarded:
    """Something with a policy: `put` gives it one, `get` tells it, and what `use` does needs `action`."""

    def __init__(self, action, resource, put, get, use, refusal):
        self.action, self.resource, self.use, self.refusal = action, resource, use, refusal
        self._put, self._get = put, get

    def let(self, principal):
        self._put(policy(statement(self.action, self.resource, Principal={"AWS": principal})))

    def named(self):
        [allowed] = [each for each in json.loads(self._get())["Statement"] if self.action in each["Action"]]
        return allowed["Principal"]["AWS"]


def bucket(root):  # noqa: F811
    name = root.create_bucket()
    return Guarded("s3:ListBucket", f"arn:aws:s3:::{name}",
                   lambda document: root.s3.put_bucket_policy(Bucket=name, Policy=document),
                   lambda: root.s3.get_bucket_policy(Bucket=name)["Policy"],
                   lambda cloud: cloud.s3.list_objects_v2(Bucket=name),
                   ("MalformedPolicy", "Invalid principal in policy"))


def a_queue(root):  # noqa: F811
    url, wanted = root.create_queue(), ["Policy"]
    return Guarded("sqs:SendMessage", root.queue_arn(url),
                   lambda document: root.sqs.set_queue_attributes(QueueUrl=url, Attributes={"Policy": document}),
                   lambda: root.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=wanted)["Attributes"]["Policy"],
                   lambda cloud: cloud.sqs.send_message(QueueUrl=url, MessageBody="m"),
                   ("InvalidAttributeValue", "Invalid value for the parameter Policy."))


def topic(root):  # noqa: F811
    sns = root.client("sns")
    arn = sns.create_topic(Name=unique("topic"))["TopicArn"]
    return Guarded("sns:Publish", arn,
                   lambda document: sns.set_topic_attributes(
                       TopicArn=arn, AttributeName="Policy", AttributeValue=document),
                   lambda: sns.get_topic_attributes(TopicArn=arn)["Attributes"]["Policy"],
                   lambda cloud: cloud.client("sns").publish(TopicArn=arn, Message="m"),
                   ("InvalidParameter", "Invalid parameter: Policy Error: PrincipalNotFound"))


def key(root):  # noqa: F811
    kms = root.client("kms")
    key_id = kms.create_key()["KeyMetadata"]["KeyId"]
    own = statement("kms:*", Principal={"AWS": f"arn:aws:iam::{ACCOUNT}:root"})

    def put(document):
        statements = [*json.loads(document)["Statement"], own]
        kms.put_key_policy(KeyId=key_id, PolicyName="default", Policy=policy(*statements))
    return Guarded("kms:DescribeKey", "*", put,
                   lambda: kms.get_key_policy(KeyId=key_id, PolicyName="default")["Policy"],
                   lambda cloud: cloud.client("kms").describe_key(KeyId=key_id),
                   ("MalformedPolicyDocumentException",
                    "Policy contains a statement with one or more invalid principals."))


def function(root):  # noqa: F811
    functions = root.client("lambda")
    name = root.create_function("def handler(event, context): return 1")
    let = []

    def put(document):
        principal = json.loads(document)["Statement"][0]["Principal"]["AWS"]
        if let:
            functions.remove_permission(FunctionName=name, StatementId=let.pop())
        functions.add_permission(FunctionName=name, StatementId="own", Principal=principal,
                                 Action="lambda:GetFunctionConfiguration")
        let.append("own")
    return Guarded("lambda:GetFunctionConfiguration", "*", put,
                   lambda: functions.get_policy(FunctionName=name)["Policy"],
                   lambda cloud: cloud.client("lambda").get_function_configuration(FunctionName=name),
                   ("InvalidParameterValueException",
                    "The provided principal was invalid. Please check the principal and try again."))


def bus(root):  # noqa: F811
    events, name = root.client("events"), unique("bus")
    arn = events.create_event_bus(Name=name)["EventBusArn"]
    return Guarded("events:DescribeEventBus", arn,
                   lambda document: by_json(root, "events", "AWSEvents.PutPermission", EventBusName=name,
                                            Policy=document),
                   lambda: events.describe_event_bus(Name=name)["Policy"],
                   lambda cloud: cloud.client("events").describe_event_bus(Name=name),
                   ("ValidationException", f"Parameter Policy is not valid. Reason: invalid principal {NOBODY}"))


def table(root):  # noqa: F811
    arn = root.dynamodb.describe_table(TableName=root.create_table())["Table"]["TableArn"]
    return Guarded("dynamodb:DescribeTable", arn,
                   lambda document: by_json(root, "dynamodb", "DynamoDB_20120810.PutResourcePolicy", ResourceArn=arn,
                                            Policy=document),
                   lambda: by_json(root, "dynamodb", "DynamoDB_20120810.GetResourcePolicy", ResourceArn=arn)["Policy"],
                   lambda cloud: cloud.dynamodb.describe_table(TableName=arn.split("/")[1]),
                   ("ValidationException",
                    "One or more parameter values were invalid: Invalid principal in policy document"))


def data_stream(root):  # noqa: F811
    arn = root.data_stream_active(root.create_data_stream())["StreamARN"]
    return Guarded("kinesis:DescribeStreamSummary", arn,
                   lambda document: by_json(root, "kinesis", "Kinesis_20131202.PutResourcePolicy", ResourceARN=arn,
                                            Policy=document),
                   lambda: by_json(root, "kinesis", "Kinesis_20131202.GetResourcePolicy", ResourceARN=arn)["Policy"],
                   lambda cloud: cloud.kinesis.describe_stream_summary(StreamName=arn.split("/")[1]),
                   ("InvalidArgumentException", f"Policy is not valid: invalid principal {NOBODY}."))


def secret(root):  # noqa: F811
    secrets = root.client("secretsmanager")
    arn = secrets.create_secret(Name=unique("secret"), SecretString="s")["ARN"]
    return Guarded("secretsmanager:DescribeSecret", "*",
                   lambda document: secrets.put_resource_policy(SecretId=arn, ResourcePolicy=document),
                   lambda: secrets.get_resource_policy(SecretId=arn)["ResourcePolicy"],
                   lambda cloud: cloud.client("secretsmanager").describe_secret(SecretId=arn),
                   ("MalformedPolicyDocumentException", "This resource policy contains an unsupported principal."))


def repository(root):  # noqa: F811
    ecr, name = root.client("ecr"), unique("repository")
    ecr.create_repository(repositoryName=name)

    def put(document):
        [allowed] = json.loads(document)["Statement"]
        del allowed["Resource"]
        answer = ecr.set_repository_policy(repositoryName=name, policyText=policy(allowed))
        assert json.loads(answer["policyText"])["Statement"][0]["Principal"] == allowed["Principal"]
    return Guarded("ecr:ListTagsForResource", "*", put,
                   lambda: ecr.get_repository_policy(repositoryName=name)["policyText"],
                   lambda cloud: cloud.client("ecr").list_tags_for_resource(
                       resourceArn=f"arn:aws:ecr:us-east-1:{ACCOUNT}:repository/{name}"),
                   ("InvalidParameterException",
                    "Invalid parameter at 'PolicyText' failed to satisfy constraint: 'Principal not found'"))


def group(root):  # noqa: F811
    logs, name = root.client("logs"), unique("group")
    logs.create_log_group(logGroupName=name)

    def get():
        found = logs.describe_resource_policies()["resourcePolicies"]
        return next(each["policyDocument"] for each in found if each["policyName"] == name)
    return Guarded("logs:CreateLogStream", f"arn:aws:logs:us-east-1:{ACCOUNT}:log-group:{name}:*",
                   lambda document: logs.put_resource_policy(policyName=name, policyDocument=document), get,
                   lambda cloud: cloud.client("logs").create_log_stream(
                       logGroupName=name, logStreamName=unique("stream")),
                   ("InvalidParameterException", "Could not convert to persistable policy."))


def role(root):  # noqa: F811
    iam_of_root, name = root.client("iam"), unique("role")
    arn = iam_of_root.create_role(RoleName=name, AssumeRolePolicyDocument=trust(AWS=ACCOUNT))["Role"]["Arn"]

    def put(document):
        principal = json.loads(document)["Statement"][0]["Principal"]["AWS"]
        iam_of_root.update_assume_role_policy(RoleName=name, PolicyDocument=trust(AWS=principal))
    return Guarded("sts:AssumeRole", "*", put,
                   lambda: json.dumps(iam_of_root.get_role(RoleName=name)["Role"]["AssumeRolePolicyDocument"]),
                   lambda cloud: cloud.client("sts").assume_role(RoleArn=arn, RoleSessionName="me"),
                   ("MalformedPolicyDocument", f"Invalid principal in policy: \"AWS\":\"{NOBODY}\""))


class User:
    """A user whom policies of its own let nothing, with a key."""

    def __init__(self, server, iam, name):  # noqa: F811
        self.iam, self.name = iam, name
        made = iam.create_user(UserName=name)["User"]
        self.arn, self.id = made["Arn"], made["UserId"]
        self.key = iam.create_access_key(UserName=name)["AccessKey"]
        self.cloud = Cloud(server.endpoint, access_key=self.key["AccessKeyId"], secret_key=self.key["SecretAccessKey"])

    def delete(self):
        self.iam.delete_access_key(UserName=self.name, AccessKeyId=self.key["AccessKeyId"])
        self.iam.delete_user(UserName=self.name)


@pytest.mark.parametrize("make", (bucket, a_queue, topic, key, function, bus, table, data_stream, secret, repository,
                                  group, role))
def test_a_policy_lets_no_namesake_of_whom_it_names(server, root, iam, make):  # noqa: F811
    guarded, name = make(root), unique("guest")
    guest = User(server, iam, name)
    guarded.let(guest.arn)
    guarded.use(guest.cloud)
    assert guarded.named() == guest.arn
    guest.delete()
    assert guarded.named() == guest.id
    namesake = User(server, iam, name)
    assert namesake.arn == guest.arn and guarded.named() == guest.id
    assert denial(guarded.use, namesake.cloud)[0] in DENIED
    guarded.let(namesake.arn)
    guarded.use(namesake.cloud)
    assert guarded.named() == namesake.arn
    code, _, message = denial(guarded.let, NOBODY)
    assert (code, message) == guarded.refusal
    # Nor is whoever is gone taken for somebody.
    assert denial(guarded.let, guest.id)[0] == guarded.refusal[0]
    namesake.delete()


def test_a_renamed_user_is_still_whom_a_policy_names(server, root, iam):  # noqa: F811
    guarded, name = bucket(root), unique("guest")
    guest = User(server, iam, name)
    guarded.let(guest.arn)
    iam.update_user(UserName=name, NewUserName=name + "-too", NewPath="/moved/")
    assert guarded.named() == f"arn:aws:iam::{ACCOUNT}:user/moved/{name}-too"
    guarded.use(guest.cloud)
    namesake = User(server, iam, name)
    assert denial(guarded.use, namesake.cloud)[0] in DENIED


@pytest.mark.parametrize("of_session", (False, True))
def test_a_policy_lets_no_namesake_of_a_role_or_its_session(server, root, iam, of_session):  # noqa: F811
    guarded, name = a_queue(root), unique("role")
    someone = User(server, iam, unique("someone"))

    def session():
        arn = iam.create_role(RoleName=name, AssumeRolePolicyDocument=trust(AWS=someone.arn))["Role"]["Arn"]
        made = someone.cloud.client("sts").assume_role(RoleArn=arn, RoleSessionName="me")["Credentials"]
        return arn, types.SimpleNamespace(sqs=session_client(server, made, "sqs"))
    arn, before = session()
    principal = f"arn:aws:sts::{ACCOUNT}:assumed-role/{name}/me" if of_session else arn
    role_id = iam.get_role(RoleName=name)["Role"]["RoleId"]
    guarded.let(principal)
    guarded.use(before)
    assert guarded.named() == principal
    iam.delete_role(RoleName=name)
    assert guarded.named() == role_id + (":me" if of_session else "")
    _, after = session()
    assert denial(guarded.use, after)[0] in DENIED


def test_a_denial_does_not_strike_a_namesake(server, root, iam):  # noqa: F811
    name, secrets = unique("guest"), root.client("secretsmanager")
    arn = secrets.create_secret(Name=unique("secret"), SecretString="s")["ARN"]
    secrets.put_resource_policy(SecretId=arn, ResourcePolicy=policy(
        statement("secretsmanager:DescribeSecret", effect="Deny",
                  Principal={"AWS": User(server, iam, name).arn})))
    own = policy(statement("secretsmanager:DescribeSecret"))
    iam.put_user_policy(UserName=name, PolicyName="own", PolicyDocument=own)
    [known] = iam.list_access_keys(UserName=name)["AccessKeyMetadata"]
    iam.delete_access_key(UserName=name, AccessKeyId=known["AccessKeyId"])
    iam.delete_user_policy(UserName=name, PolicyName="own")
    iam.delete_user(UserName=name)
    namesake = User(server, iam, name)
    iam.put_user_policy(UserName=name, PolicyName="own", PolicyDocument=own)
    namesake.cloud.client("secretsmanager").describe_secret(SecretId=arn)


def test_what_names_somebody_who_was_not_there_counts_by_name(tmp_path):
    """As policies do that were saved before ids were kept."""
    open_server = Server(tmp_path / "data", log=tmp_path / "log").start()
    cloud = Cloud(open_server.endpoint, access_key=ACCOUNT)
    guarded = a_queue(cloud)
    guarded.let(f"arn:aws:iam::{ACCOUNT}:user/later")
    guest = User(open_server, cloud.client("iam"), "later")
    url = cloud.sqs.list_queues()["QueueUrls"][0]
    open_server.stop()
    server = Server(tmp_path / "data", "--auth", "iam", log=tmp_path / "log").start()  # noqa: F811
    try:
        again = Cloud(server.endpoint, access_key=guest.key["AccessKeyId"], secret_key=guest.key["SecretAccessKey"])
        again.sqs.send_message(QueueUrl=url, MessageBody="m")
    finally:
        server.kill()


def test_a_queue_and_a_topic_are_made_again_with_the_same_policy(server, root, iam):  # noqa: F811
    guest = User(server, iam, unique("guest"))
    document = policy(statement("*", Principal={"AWS": guest.arn}))
    name = unique("same")
    first = root.sqs.create_queue(QueueName=name, Attributes={"Policy": document})["QueueUrl"]
    assert root.sqs.create_queue(QueueName=name, Attributes={"Policy": document})["QueueUrl"] == first
    sns = root.client("sns")
    arn = sns.create_topic(Name=name, Attributes={"Policy": document})["TopicArn"]
    assert sns.create_topic(Name=name, Attributes={"Policy": document})["TopicArn"] == arn
    for shown in (root.sqs.get_queue_attributes(QueueUrl=first, AttributeNames=["All"])["Attributes"]["Policy"],
                  sns.get_topic_attributes(TopicArn=arn)["Attributes"]["Policy"]):
        assert json.loads(shown)["Statement"][0]["Principal"] == {"AWS": guest.arn}
    sns.delete_topic(TopicArn=arn)
    root.sqs.delete_queue(QueueUrl=first)


def test_a_key_and_a_table_are_made_with_policies_that_name_ids(server, root, iam):  # noqa: F811
    guest = User(server, iam, unique("guest"))
    own = statement("kms:*", Principal={"AWS": f"arn:aws:iam::{ACCOUNT}:root"})
    kms, name = root.client("kms"), unique("table")
    made = kms.create_key(Policy=policy(own, statement("kms:DescribeKey", Principal={"AWS": guest.arn})))
    key_id = made["KeyMetadata"]["KeyId"]
    guest.cloud.client("kms").describe_key(KeyId=key_id)
    by_json(root, "dynamodb", "DynamoDB_20120810.CreateTable", TableName=name, BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
            KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
            ResourcePolicy=policy(statement("dynamodb:DescribeTable", Principal={"AWS": guest.arn})))
    guest.cloud.dynamodb.describe_table(TableName=name)
    guest.delete()
    namesake = User(server, iam, guest.name)
    assert denial(namesake.cloud.client("kms").describe_key, KeyId=key_id)[0] in DENIED
    assert denial(namesake.cloud.dynamodb.describe_table, TableName=name)[0] in DENIED
    root.dynamodb.delete_table(TableName=name)
