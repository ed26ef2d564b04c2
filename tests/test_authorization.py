"""A server with --auth iam: every operation needs rights, which policies give."""
import json
import os
import subprocess

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from authorization_support import ACCOUNT, policy, statement, trust
from harness import REGION, ROLE, SERVER, Cloud, Server, eventually, unique, zip_of

pytestmark = pytest.mark.local


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    directory = tmp_path_factory.mktemp("rights")
    server = Server(directory / "data", "--auth", "iam", log=directory / "log").start()
    yield server
    server.kill()


@pytest.fixture(scope="module")
def root(server):
    key = server.root_key
    cloud = Cloud(server.endpoint, access_key=key["AWS_ACCESS_KEY_ID"], secret_key=key["AWS_SECRET_ACCESS_KEY"])
    # Of the functions that cloud.create_function makes.
    cloud.client("iam").create_role(RoleName=ROLE.rsplit("/", 1)[1],
                                    AssumeRolePolicyDocument=trust(Service="lambda.amazonaws.com"))
    with cloud.cleanup:
        yield cloud


@pytest.fixture(scope="module")
def iam(root):
    return root.client("iam")


class Person:
    """A user with a key."""

    def __init__(self, server, iam, *statements, **more):
        self.server, self.iam, self.name = server, iam, unique("user")
        self.arn = iam.create_user(UserName=self.name, **more)["User"]["Arn"]
        key = iam.create_access_key(UserName=self.name)["AccessKey"]
        self.cloud = Cloud(server.endpoint, access_key=key["AccessKeyId"], secret_key=key["SecretAccessKey"])
        if statements:
            self.may(*statements)

    def may(self, *statements):
        self.iam.put_user_policy(UserName=self.name, PolicyName="own", PolicyDocument=policy(*statements))

    def client(self, service):
        return self.cloud.client(service)


@pytest.fixture
def person(server, iam):
    return lambda *statements, **more: Person(server, iam, *statements, **more)


def session_client(server, credentials, service):
    return boto3.client(service, endpoint_url=server.endpoint, region_name=REGION,
                        aws_access_key_id=credentials["AccessKeyId"], aws_secret_access_key=credentials["SecretAccessKey"],
                        aws_session_token=credentials["SessionToken"],
                        config=Config(retries={"max_attempts": 0, "mode": "standard"}))


def denial(call, *arguments, **named):
    with pytest.raises(ClientError) as caught:
        call(*arguments, **named)
    error = caught.value.response
    return error["Error"]["Code"], error["ResponseMetadata"]["HTTPStatusCode"], error["Error"].get("Message", "")


@pytest.fixture(scope="module")
def tea(root):
    return root.create_table()


def table_arn(name):
    return f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/{name}"


def test_without_a_policy_nothing_is_allowed_but_to_ask_who_one_is(person, tea):
    nobody = person()
    assert nobody.client("sts").get_caller_identity()["Arn"] == nobody.arn
    assert denial(nobody.cloud.dynamodb.get_item, TableName=tea, Key={"id": {"S": "a"}}) == (
        "AccessDeniedException", 400,
        f"User: {nobody.arn} is not authorized to perform: dynamodb:GetItem on resource: {table_arn(tea)} "
        "because no identity-based policy allows the dynamodb:GetItem action")


@pytest.mark.parametrize("service, operation, arguments, code, status, action", [
    ("dynamodb", "list_tables", {}, "AccessDeniedException", 400, "dynamodb:ListTables"),
    ("s3", "list_buckets", {}, "AccessDenied", 403, "s3:ListAllMyBuckets"),
    ("sqs", "list_queues", {}, "AccessDenied", 403, "sqs:listqueues"),
    ("sns", "list_topics", {}, "AuthorizationError", 403, "SNS:ListTopics"),
    ("lambda", "list_functions", {}, "AccessDeniedException", 403, "lambda:ListFunctions"),
    ("iam", "list_users", {}, "AccessDenied", 403, "iam:ListUsers"),
    ("kinesis", "list_streams", {}, "AccessDeniedException", 400, "kinesis:ListStreams"),
    ("events", "list_event_buses", {}, "AccessDeniedException", 400, "events:ListEventBuses"),
    ("scheduler", "list_schedules", {}, "AccessDeniedException", 403, "scheduler:ListSchedules"),
    ("pipes", "list_pipes", {}, "AccessDeniedException", 403, "pipes:ListPipes"),
    ("stepfunctions", "list_state_machines", {}, "AccessDeniedException", 400, "states:ListStateMachines"),
    ("logs", "describe_log_groups", {}, "AccessDeniedException", 400, "logs:DescribeLogGroups"),
    ("ssm", "get_parameter", {"Name": "/a/b"}, "AccessDeniedException", 400, "ssm:GetParameter"),
    ("kms", "list_keys", {}, "AccessDeniedException", 400, "kms:ListKeys"),
    ("secretsmanager", "list_secrets", {}, "AccessDeniedException", 400, "secretsmanager:ListSecrets"),
    ("cloudformation", "list_stacks", {}, "AccessDenied", 403, "cloudformation:ListStacks"),
    ("cloudcontrol", "list_resources", {"TypeName": "AWS::SQS::Queue"}, "AccessDeniedException", 400,
     "cloudformation:ListResources"),
    ("ecr", "describe_repositories", {}, "AccessDeniedException", 400, "ecr:DescribeRepositories"),
    ("healthlake", "list_fhir_datastores", {}, "AccessDeniedException", 400, "healthlake:ListFHIRDatastores"),
])
def test_each_service_denies_in_its_own_form(person, service, operation, arguments, code, status, action):
    nobody = person()
    found = denial(getattr(nobody.client(service), operation), **arguments)
    assert found[:2] == (code, status)
    assert found[2].startswith(f"User: {nobody.arn} is not authorized to perform: {action} on resource: ")
    assert found[2].endswith(f"because no identity-based policy allows the {action} action")


def test_a_user_may_what_the_own_policy_says_and_no_more(person, tea):
    reader = person(statement(["dynamodb:GetItem", "dynamodb:Query"], table_arn(tea)))
    reader.cloud.dynamodb.get_item(TableName=tea, Key={"id": {"S": "a"}})
    reader.cloud.dynamodb.get_item(TableName=table_arn(tea), Key={"id": {"S": "a"}})
    assert "dynamodb:PutItem" in denial(reader.cloud.dynamodb.put_item, TableName=tea, Item={"id": {"S": "a"}})[2]
    reader.may(statement("dynamodb:PutItem", table_arn(tea)))  # what was decided before is forgotten
    reader.cloud.dynamodb.put_item(TableName=tea, Item={"id": {"S": "a"}})
    assert "dynamodb:GetItem" in denial(reader.cloud.dynamodb.get_item, TableName=tea, Key={"id": {"S": "a"}})[2]


def test_cloud_control_asks_for_what_the_service_does_too(person, root):
    url = root.sqs.create_queue(QueueName=unique("queue"))["QueueUrl"]
    somebody = person(statement("cloudformation:*"))
    control = somebody.client("cloudcontrol")
    found = denial(control.get_resource, TypeName="AWS::SQS::Queue", Identifier=url)
    assert found[0] == "GeneralServiceException" and "sqs:getqueueattributes" in found[2]
    somebody.may(statement(["cloudformation:*", "sqs:GetQueueAttributes", "sqs:ListQueueTags"]))
    assert control.get_resource(TypeName="AWS::SQS::Queue", Identifier=url)["ResourceDescription"]["Identifier"] == url


def test_groups_managed_policies_and_denials_count(person, iam, tea):
    member = person()
    group, managed = unique("group"), unique("policy")
    arn = iam.create_policy(PolicyName=managed, PolicyDocument=policy(statement("dynamodb:*")))["Policy"]["Arn"]
    iam.create_group(GroupName=group)
    iam.attach_group_policy(GroupName=group, PolicyArn=arn)
    iam.add_user_to_group(GroupName=group, UserName=member.name)
    member.cloud.dynamodb.scan(TableName=tea)
    deny = iam.create_policy(PolicyName=unique("policy"), PolicyDocument=policy(
        statement("dynamodb:Scan", effect="Deny")))["Policy"]["Arn"]
    iam.attach_user_policy(UserName=member.name, PolicyArn=deny)
    assert denial(member.cloud.dynamodb.scan, TableName=tea)[2] == (
        f"User: {member.arn} is not authorized to perform: dynamodb:Scan on resource: {table_arn(tea)} "
        f"with an explicit deny in an identity-based policy: {deny}")
    iam.detach_user_policy(UserName=member.name, PolicyArn=deny)
    member.cloud.dynamodb.scan(TableName=tea)
    iam.remove_user_from_group(GroupName=group, UserName=member.name)
    assert denial(member.cloud.dynamodb.scan, TableName=tea)[0] == "AccessDeniedException"


def test_a_boundary_bounds(person, iam, tea):
    bounded = person(statement("dynamodb:*"))
    arn = iam.create_policy(PolicyName=unique("policy"), PolicyDocument=policy(
        statement("dynamodb:GetItem")))["Policy"]["Arn"]
    iam.put_user_permissions_boundary(UserName=bounded.name, PermissionsBoundary=arn)
    bounded.cloud.dynamodb.get_item(TableName=tea, Key={"id": {"S": "a"}})
    assert denial(bounded.cloud.dynamodb.scan, TableName=tea)[2].endswith(
        "because no permissions boundary allows the dynamodb:Scan action")


def test_whose_leading_key_it_is_may_have_the_item(person, tea):
    own = person()
    own.may(statement(["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:BatchWriteItem", "dynamodb:Query",
                       "dynamodb:TransactWriteItems"], table_arn(tea),
                      Condition={"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["${aws:username}"]}}))
    mine, other = {"id": {"S": own.name}}, {"id": {"S": "another"}}
    tables = own.cloud.dynamodb
    tables.put_item(TableName=tea, Item=mine)
    tables.get_item(TableName=tea, Key=mine)
    query = {"TableName": tea, "KeyConditionExpression": "#k = :k", "ExpressionAttributeNames": {"#k": "id"}}
    assert tables.query(**query, ExpressionAttributeValues={":k": mine["id"]})["Count"] == 1
    tables.batch_write_item(RequestItems={tea: [{"PutRequest": {"Item": mine}}]})
    tables.transact_write_items(TransactItems=[{"Put": {"TableName": tea, "Item": mine}}])
    for call, named in [(tables.get_item, {"TableName": tea, "Key": other}),
                        (tables.put_item, {"TableName": tea, "Item": other}),
                        (tables.query, {**query, "ExpressionAttributeValues": {":k": other["id"]}}),
                        (tables.batch_write_item, {"RequestItems": {tea: [{"PutRequest": {"Item": mine}},
                                                                          {"PutRequest": {"Item": other}}]}}),
                        (tables.transact_write_items, {"TransactItems": [{"Put": {"TableName": tea, "Item": other}}]})]:
        assert denial(call, **named)[0] == "AccessDeniedException"


# IAM User Guide, "Amazon DynamoDB: Allows access to specific attributes".
def test_whose_columns_are_named_may_read_no_others(person, root, tea):
    root.dynamodb.put_item(TableName=tea, Item={"id": {"S": "two"}, "open": {"S": "o"}, "hidden": {"S": "h"}})
    reader = person(statement(["dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query", "dynamodb:Scan",
                               "dynamodb:PutItem"], table_arn(tea),
                              Condition={"ForAllValues:StringEquals": {"dynamodb:Attributes": ["id", "open"]},
                                         "StringEqualsIfExists": {"dynamodb:Select": "SPECIFIC_ATTRIBUTES"}}))
    tables, key, columns = reader.cloud.dynamodb, {"id": {"S": "two"}}, {"ProjectionExpression": "id, #open"}
    names = {"ExpressionAttributeNames": {"#open": "open"}}
    query = {"KeyConditionExpression": "id = :id", "ExpressionAttributeValues": {":id": {"S": "two"}}}
    shown = {"id": {"S": "two"}, "open": {"S": "o"}}
    assert tables.get_item(TableName=tea, Key=key, **columns, **names)["Item"] == shown
    assert tables.query(TableName=tea, **query, **columns, **names)["Items"] == [shown]
    assert tables.batch_get_item(RequestItems={tea: {"Keys": [key], **columns, **names}})["Responses"][tea] == [shown]
    tables.put_item(TableName=tea, Item={"id": {"S": "three"}, "open": {"S": "o"}})
    for call, named in [(tables.get_item, {"TableName": tea, "Key": key}),
                        (tables.query, {"TableName": tea, **query}),
                        (tables.query, {"TableName": tea, **query, "Select": "ALL_ATTRIBUTES"}),
                        (tables.scan, {"TableName": tea}),
                        (tables.get_item, {"TableName": tea, "Key": key, "ProjectionExpression": "id, hidden"}),
                        (tables.batch_get_item, {"RequestItems": {tea: {"Keys": [key]}}})]:
        assert denial(call, **named)[0] == "AccessDeniedException", named


def test_what_a_statement_touches_is_unknown_to_conditions(person, tea):
    select, named = f"SELECT * FROM \"{tea}\" WHERE id = 'boss'", {"dynamodb:LeadingKeys": ["boss"]}
    clerk = person(statement("dynamodb:*", table_arn(tea)),
                   statement("dynamodb:*", table_arn(tea), "Deny", Condition={"ForAnyValue:StringEquals": named}))
    assert denial(clerk.cloud.dynamodb.get_item, TableName=tea, Key={"id": {"S": "boss"}})[0] == "AccessDeniedException"
    assert denial(clerk.cloud.dynamodb.execute_statement, Statement=select)[0] == "AccessDeniedException"
    clerk.may(statement("dynamodb:*", table_arn(tea), Condition={"ForAllValues:StringNotEquals": named}))
    clerk.cloud.dynamodb.get_item(TableName=tea, Key={"id": {"S": "another"}}, ProjectionExpression="id")
    assert denial(clerk.cloud.dynamodb.execute_statement, Statement=select)[0] == "AccessDeniedException"


def test_an_index_of_a_table_that_is_named_by_its_arn_is_an_index(person, tea):
    clerk = person(statement("dynamodb:PartiQLSelect", table_arn(tea)))
    for table in (tea, table_arn(tea)):
        assert f"{table_arn(tea)}/index/by-name" in denial(
            clerk.cloud.dynamodb.execute_statement, Statement=f'SELECT * FROM "{table}"."by-name" WHERE id = \'b\'')[2]


def test_indexes_batches_and_statements_need_rights_of_their_own(person, root, tea):
    other = root.create_table()
    clerk = person(statement(["dynamodb:BatchWriteItem", "dynamodb:PartiQLSelect", "dynamodb:PutItem"], table_arn(tea)))
    put = {"PutRequest": {"Item": {"id": {"S": "b"}}}}
    clerk.cloud.dynamodb.batch_write_item(RequestItems={tea: [put]})
    assert table_arn(other) in denial(clerk.cloud.dynamodb.batch_write_item, RequestItems={tea: [put], other: [put]})[2]
    clerk.cloud.dynamodb.execute_statement(Statement=f"SELECT * FROM \"{tea}\" WHERE id = 'b'")
    assert "dynamodb:PartiQLDelete" in denial(clerk.cloud.dynamodb.execute_statement,
                                              Statement=f"DELETE FROM \"{tea}\" WHERE id = 'b'")[2]
    assert f"{table_arn(tea)}/index/by-name" in denial(
        clerk.cloud.dynamodb.scan, TableName=tea, IndexName="by-name")[2]
    clerk.cloud.dynamodb.transact_write_items(TransactItems=[{"Put": {"TableName": tea, "Item": {"id": {"S": "c"}}}}])
    assert "dynamodb:DeleteItem" in denial(clerk.cloud.dynamodb.transact_write_items, TransactItems=[
        {"Put": {"TableName": tea, "Item": {"id": {"S": "c"}}}},
        {"Delete": {"TableName": tea, "Key": {"id": {"S": "b"}}}}])[2]


def test_a_resource_may_say_itself_who_may_use_it(person, root):
    bucket = root.create_bucket()
    root.s3.put_object(Bucket=bucket, Key="a", Body=b"1")
    guest = person()
    objects = f"arn:aws:s3:::{bucket}/*"
    assert denial(guest.cloud.s3.get_object, Bucket=bucket, Key="a")[0] == "AccessDenied"
    root.s3.put_bucket_policy(Bucket=bucket, Policy=policy(statement("s3:GetObject", objects, Principal={"AWS": guest.arn})))
    assert guest.cloud.s3.get_object(Bucket=bucket, Key="a")["Body"].read() == b"1"
    root.s3.put_bucket_policy(Bucket=bucket, Policy=policy(statement("s3:GetObject", objects, "Deny", Principal="*")))
    guest.may(statement("s3:*"))
    assert denial(guest.cloud.s3.get_object, Bucket=bucket, Key="a")[2].endswith(
        "with an explicit deny in a resource-based policy")
    url = root.create_queue()
    root.sqs.set_queue_attributes(QueueUrl=url, Attributes={"Policy": policy(
        statement("sqs:SendMessage", root.queue_arn(url), Principal={"AWS": guest.arn}))})
    guest.cloud.sqs.send_message(QueueUrl=url, MessageBody="m")
    assert denial(guest.cloud.sqs.receive_message, QueueUrl=url)[0] == "AccessDenied"


def test_objects_and_buckets_are_different_things(person, root):
    bucket = root.create_bucket()
    root.s3.put_object(Bucket=bucket, Key="private/a", Body=b"1")
    root.s3.put_object(Bucket=bucket, Key="public/a", Body=b"2")
    reader = person(statement("s3:GetObject", f"arn:aws:s3:::{bucket}/public/*"),
                    statement("s3:ListBucket", f"arn:aws:s3:::{bucket}",
                              Condition={"StringLike": {"s3:prefix": "public/*"}}))
    assert reader.cloud.s3.get_object(Bucket=bucket, Key="public/a")["Body"].read() == b"2"
    assert denial(reader.cloud.s3.get_object, Bucket=bucket, Key="private/a") == (
        "AccessDenied", 403,
        f"User: {reader.arn} is not authorized to perform: s3:GetObject on resource: \"arn:aws:s3:::{bucket}/private/a\" "
        "because no identity-based policy allows the s3:GetObject action")
    assert reader.cloud.s3.list_objects_v2(Bucket=bucket, Prefix="public/")["KeyCount"] == 1
    assert denial(reader.cloud.s3.list_objects_v2, Bucket=bucket)[0] == "AccessDenied"
    assert denial(reader.cloud.s3.put_object, Bucket=bucket, Key="public/b", Body=b"3")[0] == "AccessDenied"
    reader.may(statement(["s3:PutObject", "s3:GetObject"], f"arn:aws:s3:::{bucket}/public/*"))
    # A name that looks like another's ARN is a name.
    assert denial(reader.cloud.s3.get_object, Bucket=bucket, Key=f"arn:aws:s3:::{bucket}/public/a")[0] == "AccessDenied"
    source = {"Bucket": bucket, "Key": "private/a"}
    assert "private/a" in denial(reader.cloud.s3.copy_object, Bucket=bucket, Key="public/c", CopySource=source)[2]
    reader.cloud.s3.copy_object(Bucket=bucket, Key="public/c", CopySource={**source, "Key": "public/a"})
    assert denial(reader.cloud.s3.delete_objects, Bucket=bucket, Delete={"Objects": [{"Key": "public/c"}]})[0] == (
        "AccessDenied")


def test_an_empty_prefix_may_be_let(person, root):
    bucket = root.create_bucket()
    reader = person(statement("s3:ListBucket", f"arn:aws:s3:::{bucket}",
                              Condition={"StringEquals": {"s3:prefix": ["", "home/"], "s3:delimiter": ["/"]}}))
    assert reader.cloud.s3.list_objects_v2(Bucket=bucket, Prefix="", Delimiter="/")["KeyCount"] == 0
    assert denial(reader.cloud.s3.list_objects_v2, Bucket=bucket, Delimiter="/")[0] == "AccessDenied"


def test_tags_that_a_copy_takes_along_need_rights_of_their_own(person, root):
    bucket = root.create_bucket()
    root.s3.put_object(Bucket=bucket, Key="tagged", Body=b"1", Tagging="secret=yes")
    objects, source = f"arn:aws:s3:::{bucket}/*", {"Bucket": bucket, "Key": "tagged"}
    writer = person(statement(["s3:GetObject", "s3:PutObject"], objects))

    def refused():
        return denial(writer.cloud.s3.copy_object, Bucket=bucket, Key="copy", CopySource=source)
    assert refused()[:2] == ("AccessDenied", 403) and f'GetObjectTagging on resource: "arn:aws:s3:::{bucket}/tagged"' in refused()[2]
    writer.cloud.s3.copy_object(Bucket=bucket, Key="copy", CopySource=source, TaggingDirective="REPLACE")
    writer.may(statement(["s3:GetObject", "s3:PutObject", "s3:GetObjectTagging"], objects))
    assert f'PutObjectTagging on resource: "arn:aws:s3:::{bucket}/copy"' in refused()[2]
    writer.may(statement(["s3:GetObject", "s3:PutObject", "s3:GetObjectTagging", "s3:PutObjectTagging"], objects))
    writer.cloud.s3.copy_object(Bucket=bucket, Key="copy", CopySource=source)
    assert root.s3.get_object_tagging(Bucket=bucket, Key="copy")["TagSet"] == [{"Key": "secret", "Value": "yes"}]


def test_a_version_that_may_not_go_does_not_go_with_others_either(person, root):
    bucket = root.create_bucket(versioned=True)
    kept, other = (root.s3.put_object(Bucket=bucket, Key="k", Body=body)["VersionId"] for body in (b"1", b"2"))
    cleaner = person(statement("s3:*", "*"),
                     statement("s3:DeleteObjectVersion", "*", "Deny",
                               Condition={"StringEquals": {"s3:VersionId": kept}}))
    assert denial(cleaner.cloud.s3.delete_object, Bucket=bucket, Key="k", VersionId=kept)[0] == "AccessDenied"
    assert denial(cleaner.cloud.s3.delete_objects, Bucket=bucket,
                  Delete={"Objects": [{"Key": "k", "VersionId": kept}]})[0] == "AccessDenied"
    cleaner.cloud.s3.delete_objects(Bucket=bucket, Delete={"Objects": [{"Key": "k", "VersionId": other}]})
    assert root.s3.get_object(Bucket=bucket, Key="k")["VersionId"] == kept


def test_messages_need_rights(person, root):
    url = root.create_queue()
    topic = root.client("sns").create_topic(Name=unique("topic"))["TopicArn"]
    sender = person(statement("sqs:SendMessage", root.queue_arn(url)), statement("sns:Publish", topic))
    sender.cloud.sqs.send_message(QueueUrl=url, MessageBody="m")
    sender.cloud.sqs.send_message_batch(QueueUrl=url, Entries=[{"Id": "1", "MessageBody": "m"}])
    assert denial(sender.cloud.sqs.receive_message, QueueUrl=url)[2] == (
        f"User: {sender.arn} is not authorized to perform: sqs:receivemessage on resource: {root.queue_arn(url)} "
        "because no identity-based policy allows the sqs:receivemessage action")
    sender.client("sns").publish(TopicArn=topic, Message="m")
    assert denial(sender.client("sns").subscribe, TopicArn=topic, Protocol="sqs", Endpoint=root.queue_arn(url))[0] == (
        "AuthorizationError")
    root.client("sns").delete_topic(TopicArn=topic)


@pytest.fixture(scope="module")
def cook(iam):
    """A role that lambda and the account may take on; (name, ARN)."""
    name = unique("role")
    role = iam.create_role(RoleName=name, AssumeRolePolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": [
        {"Effect": "Allow", "Principal": {"Service": "lambda.amazonaws.com", "AWS": ACCOUNT}, "Action": "sts:AssumeRole"}]}))
    return name, role["Role"]["Arn"]


def test_only_whom_its_trust_policy_names_takes_a_role_on(server, person, iam, root, tea):
    name = unique("role")
    someone = person(statement("sts:AssumeRole"))
    other = person(statement("sts:AssumeRole"))
    arn = iam.create_role(RoleName=name, AssumeRolePolicyDocument=trust(AWS=someone.arn))["Role"]["Arn"]
    iam.put_role_policy(RoleName=name, PolicyName="p", PolicyDocument=policy(statement("dynamodb:GetItem", table_arn(tea))))
    assume = {"RoleArn": arn, "RoleSessionName": "test"}
    assert denial(other.client("sts").assume_role, **assume) == (
        "AccessDenied", 403, f"User: {other.arn} is not authorized to perform: sts:AssumeRole on resource: {arn}")
    assert denial(root.client("sts").assume_role, **assume)[2] == "Roles may not be assumed by root accounts."
    tables = session_client(server, someone.client("sts").assume_role(**assume)["Credentials"], "dynamodb")
    tables.get_item(TableName=tea, Key={"id": {"S": "a"}})
    assert denial(tables.scan, TableName=tea)[2].startswith(
        f"User: arn:aws:sts::{ACCOUNT}:assumed-role/{name}/test is not authorized to perform: dynamodb:Scan")
    iam.delete_role_policy(RoleName=name, PolicyName="p")
    assert denial(tables.get_item, TableName=tea, Key={"id": {"S": "a"}})[0] == "AccessDeniedException"


def test_a_session_may_bound_itself(server, person, iam, cook, tea):
    name, arn = cook
    someone = person(statement("sts:AssumeRole", arn))
    iam.put_role_policy(RoleName=name, PolicyName="all", PolicyDocument=policy(statement("dynamodb:*")))
    session = someone.client("sts").assume_role(RoleArn=arn, RoleSessionName="test", Policy=policy(
        statement(["dynamodb:GetItem", "sqs:*"])))["Credentials"]
    tables = session_client(server, session, "dynamodb")
    tables.get_item(TableName=tea, Key={"id": {"S": "a"}})
    assert denial(tables.scan, TableName=tea)[2].endswith("because no session policy allows the dynamodb:Scan action")
    assert denial(session_client(server, session, "sqs").list_queues)[2].endswith(
        "because no identity-based policy allows the sqs:listqueues action")
    iam.delete_role_policy(RoleName=name, PolicyName="all")
    assert denial(someone.client("sts").assume_role, RoleArn=arn, RoleSessionName="test", Policy="{")[0] == (
        "MalformedPolicyDocument")


def test_to_name_an_account_lets_its_own_policies_decide(person, cook):
    assume = {"RoleArn": cook[1], "RoleSessionName": "test"}
    assert denial(person().client("sts").assume_role, **assume)[0] == "AccessDenied"
    person(statement("sts:AssumeRole", cook[1])).client("sts").assume_role(**assume)


FUNCTION = """
import boto3
def handler(event, context):
    try:
        if event.get("whoami"):
            return boto3.client("sts").get_caller_identity()["Arn"]
        boto3.client("dynamodb").query(TableName=event["table"], KeyConditionExpression="id = :id",
                                       ExpressionAttributeValues={":id": {"S": "a"}})
        return "queried"
    except Exception as error:
        return str(error)
"""


def test_a_function_acts_under_its_role(person, root, iam, cook, tea):
    role, arn = cook
    function = unique("function")
    creator = person(statement("lambda:*"))
    create = {"FunctionName": function, "Runtime": "python3.12", "Handler": "app.handler", "Role": arn,
              "Timeout": 60, "Code": {"ZipFile": zip_of({"app.py": FUNCTION})}}
    assert denial(creator.cloud.functions.create_function, **create)[2].startswith(
        f"User: {creator.arn} is not authorized to perform: iam:PassRole on resource: {arn} ")
    creator.may(statement("lambda:*"), statement("iam:PassRole", arn, Condition={
        "StringEquals": {"iam:PassedToService": "lambda.amazonaws.com"}}))
    creator.cloud.functions.create_function(**create)
    root.functions.get_waiter("function_active_v2").wait(FunctionName=function, WaiterConfig={"Delay": 1})

    def invoke(**event):
        return json.load(creator.cloud.functions.invoke(FunctionName=function, Payload=json.dumps(event))["Payload"])

    who = f"arn:aws:sts::{ACCOUNT}:assumed-role/{role}/{function}"
    assert invoke(whoami=True) == who
    assert invoke(table=tea) == (
        "An error occurred (AccessDeniedException) when calling the Query operation: "
        f"User: {who} is not authorized to perform: dynamodb:Query on resource: {table_arn(tea)} "
        "because no identity-based policy allows the dynamodb:Query action")
    iam.put_role_policy(RoleName=role, PolicyName="query", PolicyDocument=policy(statement("dynamodb:Query", table_arn(tea))))
    assert invoke(table=tea) == "queried"
    root.functions.delete_function(FunctionName=function)


def explain(server, request):
    return subprocess.run([str(SERVER), "explain", request, "--endpoint", server.endpoint], capture_output=True,
                          text=True, timeout=30, env={**os.environ, **server.root_key})


def test_a_denied_call_is_logged_and_explained(server, person, tea):
    nobody = person()
    with pytest.raises(ClientError) as caught:
        nobody.cloud.dynamodb.scan(TableName=tea)
    request = caught.value.response["ResponseMetadata"]["RequestId"]
    eventually(lambda: any(request in line and "denied" in line for line in server.log_lines), "the log tells the denial")

    told = explain(server, request)
    assert told.returncode == 1, told.stderr
    assert "no identity-based policy allows it" in told.stdout
    least = json.loads(told.stdout.splitlines()[-1])
    nobody.may(*least["Statement"])
    answer = nobody.cloud.dynamodb.scan(TableName=tea)
    allowed = explain(server, answer["ResponseMetadata"]["RequestId"])
    assert allowed.returncode == 0
    assert "allowed  dynamodb:Scan" in allowed.stdout


def test_what_is_asked_for_each_entry_is_explained_once(server, person):
    someone = person()
    entries = [{"Source": "tea", "DetailType": "poured", "Detail": "{}"}] * 3
    for _ in range(2):  # the second time it is known
        with pytest.raises(ClientError) as caught:
            someone.client("events").put_events(Entries=entries)
        told = explain(server, caught.value.response["ResponseMetadata"]["RequestId"]).stdout
        assert told.count("implicitDeny  events:PutEvents") == 1, told
        assert len(json.loads(told.splitlines()[-1])["Statement"]) == 1
    someone.may(statement("events:PutEvents"))
    for _ in range(2):
        answer = someone.client("events").put_events(Entries=entries)
        told = explain(server, answer["ResponseMetadata"]["RequestId"]).stdout
        assert told.count("allowed  events:PutEvents") == 1, told


def test_rights_survive_a_crash(tmp_path):
    server = Server(tmp_path / "data", "--auth", "iam").start()
    key = server.root_key
    root = Cloud(server.endpoint, access_key=key["AWS_ACCESS_KEY_ID"], secret_key=key["AWS_SECRET_ACCESS_KEY"])
    user = Person(server, root.client("iam"), statement("dynamodb:ListTables"))
    server.kill()
    server.start()
    user.cloud.endpoint = server.endpoint
    user.cloud._clients.clear()
    user.cloud.dynamodb.list_tables()
    assert denial(user.cloud.sqs.list_queues)[0] == "AccessDenied"
    server.kill()
