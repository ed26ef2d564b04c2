"""With --auth iam: what leads past no denial, however things are named, gathered or written."""
import json

import pytest
from botocore.exceptions import ClientError

from authorization_support import ACCOUNT, policy, statement, trust
from cloudformation_support import queue, resources, settled, template
from harness import REGION, unique, zip_of
from test_authorization import denial, iam, person, root, server, session_client  # noqa: F401 (fixtures)
from test_s3_websites import put as serve
from test_s3_websites import visit

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


def test_a_colon_behind_a_functions_arn_leads_past_no_denial(person, root):  # noqa: F811
    name = root.create_function("def handler(event, context): pass", Tags={"tea": "green"})
    arn = f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:{name}"
    functions = person(statement("lambda:*"), statement("lambda:*", arn, "Deny")).client("lambda")
    assert denial(functions.list_tags, Resource=arn)[0] == "AccessDeniedException"
    for call, more in [(functions.list_tags, {}), (functions.tag_resource, {"Tags": {"tea": "black"}}),
                       (functions.untag_resource, {"TagKeys": ["tea"]})]:
        assert denial(call, Resource=f"{arn}:", **more)[0] == "InvalidParameterValueException"
    assert root.functions.list_tags(Resource=arn)["Tags"] == {"tea": "green"}


def test_zeroes_before_the_number_of_a_layers_version_lead_past_no_denial(person, root):  # noqa: F811
    layer, package = unique("layer"), zip_of({"python/tea.py": "kind = 'green'"})
    arn = root.functions.publish_layer_version(LayerName=layer, Content={"ZipFile": package})["LayerVersionArn"]
    functions = person(statement("lambda:*"), statement("lambda:*", arn, "Deny")).client("lambda")
    assert denial(functions.get_layer_version_by_arn, Arn=arn)[0] == "AccessDeniedException"
    for number in ("01", "0000000001", "9" * 20):
        said = denial(functions.get_layer_version_by_arn, Arn=f"{arn.rpartition(':')[0]}:{number}")
        assert said[0] == "ResourceNotFoundException", number
    root.functions.delete_layer_version(LayerName=layer, VersionNumber=1)


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


# IAM knows a group without ":*" where its tags are concerned, and with it elsewhere (API reference, LogGroup).
def test_a_groups_arn_with_a_star_leads_past_no_denial_of_its_tags(person, root):  # noqa: F811
    logs, group = root.client("logs"), unique("group")
    logs.create_log_group(logGroupName=group, tags={"tea": "green"})
    arn = f"arn:aws:logs:{REGION}:{ACCOUNT}:log-group:{group}"
    someone = person(statement("logs:*"), statement("logs:*", arn, "Deny"))
    for spelled in (arn, f"{arn}:*"):
        assert denial(someone.client("logs").list_tags_for_resource, resourceArn=spelled)[0] == "AccessDeniedException"
    someone.may(statement("logs:ListTagsForResource", arn))
    for spelled in (arn, f"{arn}:*"):
        assert someone.client("logs").list_tags_for_resource(resourceArn=spelled)["tags"] == {"tea": "green"}
    logs.delete_log_group(logGroupName=group)


@pytest.fixture
def stack(root):  # noqa: F811
    """A stack with a queue; (name, ARN)."""
    cfn, name = root.client("cloudformation"), unique("stack")
    arn = cfn.create_stack(StackName=name, TemplateBody=template())["StackId"]
    assert settled(cfn, arn)["StackStatus"] == "CREATE_COMPLETE"
    yield name, arn
    cfn.delete_stack(StackName=arn)
    settled(cfn, arn)


def test_a_stacks_arn_without_its_identifier_leads_past_no_denial(person, stack):  # noqa: F811
    name, arn = stack
    stacks = person(statement("cloudformation:*"), statement(
        "cloudformation:*", f"arn:aws:cloudformation:{REGION}:{ACCOUNT}:stack/{name}/*", "Deny")).client("cloudformation")
    short = arn.rpartition("/")[0]
    for spelled in (name, arn, f"{short}/"):
        assert denial(stacks.describe_stacks, StackName=spelled)[0] == "AccessDenied", spelled
    assert denial(stacks.describe_stacks, StackName=short)[0] == "ValidationError"
    assert denial(stacks.create_change_set, StackName=short, ChangeSetName="one", ChangeSetType="CREATE",
                  TemplateBody=template())[2] == f"Stack [{short}] does not exist"
    assert denial(stacks.delete_stack, StackName=f"{short}/")[0] == "AccessDenied"


def test_what_a_stack_made_leads_past_no_denial_of_the_stack(person, root, stack):  # noqa: F811
    _, arn = stack
    made = resources(root.client("cloudformation"), arn)["Queue"]["PhysicalResourceId"]
    someone = person(statement("cloudformation:*"), statement("cloudformation:*", arn, "Deny"))
    said = denial(someone.client("cloudformation").describe_stack_resources, PhysicalResourceId=made)
    assert said[0] == "AccessDenied" and arn in said[2]
    someone.may(statement("cloudformation:DescribeStackResources", arn))
    [found] = someone.client("cloudformation").describe_stack_resources(PhysicalResourceId=made)["StackResources"]
    assert found["StackId"] == arn


def test_a_change_set_by_its_name_needs_its_stack_alone(person, root, stack):  # noqa: F811
    name, _ = stack
    cfn, named = root.client("cloudformation"), {"StackName": name, "ChangeSetName": "one"}
    cfn.create_change_set(TemplateBody=template({"Queue": queue(DelaySeconds=1)}), **named)
    cfn.get_waiter("change_set_create_complete").wait(WaiterConfig={"Delay": 1}, **named)
    someone = person(statement(["cloudformation:DescribeChangeSet", "cloudformation:DeleteChangeSet"],
                               f"arn:aws:cloudformation:{REGION}:{ACCOUNT}:stack/{name}/*")).client("cloudformation")
    assert someone.describe_change_set(**named)["ChangeSetName"] == "one"
    someone.delete_change_set(**named)


def test_a_change_set_leads_to_no_template_of_another_stack(person, root, stack):  # noqa: F811
    name, arn = stack
    cfn, mine = root.client("cloudformation"), unique("mine")
    made = cfn.create_change_set(StackName=name, ChangeSetName="one", TemplateBody=template({"Queue": queue(DelaySeconds=1)}))
    cfn.get_waiter("change_set_create_complete").wait(ChangeSetName=made["Id"], WaiterConfig={"Delay": 1})
    cfn.create_stack(StackName=mine, TemplateBody=template())
    someone = person(statement("cloudformation:*"), statement(
        "cloudformation:*", f"arn:aws:cloudformation:{REGION}:{ACCOUNT}:stack/{name}/*", "Deny")).client("cloudformation")
    for asked in ({"ChangeSetName": made["Id"]}, {"ChangeSetName": made["Id"], "StackName": mine},
                  {"ChangeSetName": "one", "StackName": name}, {"StackName": arn}):
        assert denial(someone.get_template, **asked)[0] == "AccessDenied", asked
    assert someone.get_template(StackName=mine)["TemplateBody"]
    settled(cfn, mine)
    cfn.delete_stack(StackName=mine)


def test_quotes_and_tokens_lead_past_no_denial_of_a_stream(person, root):  # noqa: F811
    stream = root.create_data_stream(shards=2)
    arn = root.data_stream_active(stream)["StreamARN"]
    page = root.kinesis.list_shards(StreamName=stream, MaxResults=1)
    iterator = root.kinesis.get_shard_iterator(StreamName=stream, ShardId=page["Shards"][0]["ShardId"],
                                               ShardIteratorType="TRIM_HORIZON")["ShardIterator"]
    someone = person(statement("kinesis:*"), statement("kinesis:*", arn, "Deny"))
    for spelled in (iterator, f'"{iterator}"'):
        assert denial(someone.cloud.kinesis.get_records, ShardIterator=spelled)[0] == "AccessDeniedException", spelled
    assert denial(someone.cloud.kinesis.list_shards, NextToken=page["NextToken"])[0] == "AccessDeniedException"
    someone.may(statement(["kinesis:ListShards", "kinesis:GetRecords"], arn))
    assert len(someone.cloud.kinesis.list_shards(NextToken=page["NextToken"])["Shards"]) == 1
    assert someone.cloud.kinesis.get_records(ShardIterator=f'"{iterator}"')["Records"] == []


def test_a_consumers_name_leads_past_no_denial(person, root):  # noqa: F811
    arn = root.data_stream_active(root.create_data_stream())["StreamARN"]
    made = root.kinesis.register_stream_consumer(StreamARN=arn, ConsumerName="one")["Consumer"]["ConsumerARN"]
    someone = person(statement("kinesis:*"), statement("kinesis:*", made, "Deny"))
    ways = {"ConsumerARN": made}, {"StreamARN": arn, "ConsumerName": "one"}
    for named in ways:
        for call in (someone.cloud.kinesis.describe_stream_consumer, someone.cloud.kinesis.deregister_stream_consumer):
            assert denial(call, **named)[0] == "AccessDeniedException", named
    someone.may(statement("kinesis:DescribeStreamConsumer", made))
    for named in ways:
        found = someone.cloud.kinesis.describe_stream_consumer(**named)["ConsumerDescription"]
        assert found["ConsumerARN"] == made


@pytest.mark.parametrize("kind", ["User", "Group"])
def test_a_new_name_leads_past_no_denial(person, iam, kind):  # noqa: F811
    old, closed = unique("old"), unique("closed")
    update = f"update_{kind.lower()}"
    getattr(iam, f"create_{kind.lower()}")(Path="/tea/", **{f"{kind}Name": old})
    arns = f"arn:aws:iam::{ACCOUNT}:{kind.lower()}"
    someone = person(statement("iam:*"), statement(
        f"iam:Update{kind}", [f"{arns}/tea/{closed}", f"{arns}/closed/*"], "Deny")).client("iam")

    def rename(of=someone, **new):
        return getattr(of, update)(**{f"{kind}Name": old}, **new)

    for new in ({f"New{kind}Name": closed}, {"NewPath": "/closed/"},
                {"NewPath": "/closed/", f"New{kind}Name": "other"}):
        assert denial(rename, **new)[0] == "AccessDenied", new
    rename(**{f"New{kind}Name": f"{old}-2", "NewPath": "/open/"})
    found = getattr(iam, f"get_{kind.lower()}")(**{f"{kind}Name": f"{old}-2"})[kind]
    assert found["Arn"] == f"{arns}/open/{old}-2"
    getattr(iam, f"delete_{kind.lower()}")(**{f"{kind}Name": f"{old}-2"})


def test_the_boundary_that_is_there_guards_who_has_it(person, iam):  # noqa: F811
    boundary = iam.create_policy(PolicyName=unique("bound"), PolicyDocument=policy(statement("sqs:*")))["Policy"]["Arn"]
    bounded, free, role = unique("bounded"), unique("free"), unique("role")
    iam.create_user(UserName=bounded, PermissionsBoundary=boundary)
    iam.create_user(UserName=free)
    iam.create_role(RoleName=role, AssumeRolePolicyDocument=trust(Service="lambda.amazonaws.com"),
                    PermissionsBoundary=boundary)
    has_it = {"Condition": {"StringEquals": {"iam:PermissionsBoundary": boundary}}}
    someone = person(statement("iam:*"), statement("iam:*", "*", "Deny", **has_it))
    users = someone.client("iam")
    put = {"PolicyName": "own", "PolicyDocument": policy(statement("sqs:*"))}
    for call, named in [
        (users.put_user_policy, {"UserName": bounded, **put}), (users.put_role_policy, {"RoleName": role, **put}),
        (users.delete_user_policy, {"UserName": bounded, "PolicyName": "own"}),
        (users.delete_role_policy, {"RoleName": role, "PolicyName": "own"}),
        (users.attach_user_policy, {"UserName": bounded, "PolicyArn": boundary}),
        (users.detach_role_policy, {"RoleName": role, "PolicyArn": boundary}),
        (users.delete_user_permissions_boundary, {"UserName": bounded}),
        (users.delete_role_permissions_boundary, {"RoleName": role}),
    ]:
        assert denial(call, **named)[0] == "AccessDenied", named
    users.put_user_policy(UserName=free, **put)
    users.get_user(UserName=bounded)  # of which AWS has no such key
    someone.may(statement("iam:PutUserPolicy", **has_it))
    users.put_user_policy(UserName=bounded, **put)
    assert denial(users.put_user_policy, UserName=free, **put)[0] == "AccessDenied"
    for user in (bounded, free):
        iam.delete_user_policy(UserName=user, PolicyName="own")
        iam.delete_user(UserName=user)
    iam.delete_role(RoleName=role)
    iam.delete_policy(PolicyArn=boundary)


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


MISTYPED = {"Sid": "mistyped", "Effect": "Deny", "Principal": "*", "Action": "*", "Resource": "*",
            "Condition": {"StringEqual": {"aws:username": "ann"}}}  # the operator is StringEquals
NAMELESS = {"Effect": "Allow", "Action": "*", "Resource": "*"}  # of a resource: for whom?


# Left aside because nobody can evaluate it, a policy would not deny what it was written to deny.
def test_a_policy_with_an_operator_that_is_none_is_refused_wherever_it_is_put(root):  # noqa: F811
    name, bad = unique("mill"), policy(MISTYPED)
    queue = root.sqs.create_queue(QueueName=name)["QueueUrl"]
    topic = root.client("sns").create_topic(Name=name)["TopicArn"]
    secret = root.client("secretsmanager").create_secret(Name=name, SecretString="tea")["ARN"]
    key = root.client("kms").create_key()["KeyMetadata"]["KeyId"]
    table = root.create_table()
    stream = root.data_stream_active(root.create_data_stream())["StreamARN"]
    root.client("ecr").create_repository(repositoryName=name)
    root.client("events").create_event_bus(Name=name)
    bucket = root.create_bucket()
    table_arn = f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/{table}"
    puts = [
        ("MalformedPolicy", lambda text: root.s3.put_bucket_policy(Bucket=bucket, Policy=text)),
        ("InvalidAttributeValue", lambda text: root.sqs.set_queue_attributes(QueueUrl=queue, Attributes={"Policy": text})),
        ("InvalidParameter", lambda text: root.client("sns").set_topic_attributes(
            TopicArn=topic, AttributeName="Policy", AttributeValue=text)),
        ("MalformedPolicyDocumentException", lambda text: root.client("secretsmanager").put_resource_policy(
            SecretId=secret, ResourcePolicy=text)),
        ("MalformedPolicyDocumentException", lambda text: root.client("kms").put_key_policy(
            KeyId=key, PolicyName="default", Policy=text)),
        ("ValidationException", lambda text: root.call_json(
            "DynamoDB_20120810.PutResourcePolicy", {"ResourceArn": table_arn, "Policy": text})),
        ("InvalidArgumentException", lambda text: root.call_json(
            "Kinesis_20131202.PutResourcePolicy", {"ResourceARN": stream, "Policy": text}, "kinesis")),
        ("InvalidParameterException", lambda text: root.client("ecr").set_repository_policy(
            repositoryName=name, policyText=text)),
        ("ValidationException", lambda text: root.client("events").put_permission(EventBusName=name, Policy=text)),
        ("InvalidParameterException", lambda text: root.client("logs").put_resource_policy(
            policyName=name, policyDocument=text)),
    ]
    for code, put in puts:
        for text in (bad, policy(NAMELESS)):
            assert refused_with(put, text) == code, text
    root.client("ecr").delete_repository(repositoryName=name)
    root.client("events").delete_event_bus(Name=name)
    root.client("secretsmanager").delete_secret(SecretId=secret, ForceDeleteWithoutRecovery=True)
    root.client("sns").delete_topic(TopicArn=topic)
    root.sqs.delete_queue(QueueUrl=queue)


def refused_with(put, text):
    """The code of a refusal, also of a call that tells (status, body)."""
    try:
        status, body = put(text)
    except ClientError as error:
        return error.response["Error"]["Code"]
    assert status == 400
    return body["__type"].rsplit("#")[-1]


def test_iam_takes_no_policy_with_an_operator_that_is_none(iam, person):  # noqa: F811
    someone = person()
    bad = policy({name: value for name, value in MISTYPED.items() if name != "Principal"})
    trusting = policy({name: value for name, value in MISTYPED.items() if name != "Resource"})
    for call, named in [
        (iam.put_user_policy, {"UserName": someone.name, "PolicyName": "bad", "PolicyDocument": bad}),
        (iam.create_policy, {"PolicyName": unique("policy"), "PolicyDocument": bad}),
        (iam.create_role, {"RoleName": unique("role"), "AssumeRolePolicyDocument": trusting}),
    ]:
        assert denial(call, **named) == ("MalformedPolicyDocument", 400, "Syntax errors in policy.")


def test_a_public_bucket_can_be_restricted_to_its_account(person, root):  # noqa: F811
    bucket, someone = root.create_bucket(), person()
    root.s3.put_object(Bucket=bucket, Key="index.html", Body=b"tea")
    serve(root.s3, bucket)
    root.s3.delete_public_access_block(Bucket=bucket)
    root.s3.put_bucket_policy(Bucket=bucket, Policy=policy(
        statement("s3:GetObject", f"arn:aws:s3:::{bucket}/*", Principal="*")))
    for restricted in (False, True, False):
        root.s3.put_public_access_block(Bucket=bucket, PublicAccessBlockConfiguration={"RestrictPublicBuckets": restricted})
        for reader in (someone.cloud.s3, root.s3):
            assert reader.get_object(Bucket=bucket, Key="index.html")["Body"].read() == b"tea"
        assert visit(root.endpoint, bucket)[0] == (403 if restricted else 200), restricted


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
