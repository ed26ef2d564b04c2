"""CloudFormation's types of resources with boto3: what a stack makes of them is asked of the services themselves.

Types whose services need no processes are tested beside the code as well (src/services/cloudformation/types_test.cc).
"""
import json

import pytest

from harness import PYTHON_RUNTIME, eventually, refused, unique

TRUST = {"Version": "2012-10-17",
         "Statement": [{"Effect": "Allow", "Action": "sts:AssumeRole",
                        "Principal": {"Service": "lambda.amazonaws.com"}}]}
LOGGING = "arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole"
ECHO = "def handler(event, context):\n    return {'event': event, 'version': context.function_version}\n"


@pytest.fixture
def cfn(cloud):
    return cloud.client("cloudformation")


@pytest.fixture
def stack(cloud, cfn):
    """A stack that is gone after the test."""
    return Stack(cloud, cfn, unique("types"))


class Stack:
    def __init__(self, cloud, cfn, name):
        self.cfn, self.name = cfn, name
        cloud.cleanup.callback(self.delete)

    def settled(self):
        def look():
            found = self.cfn.describe_stacks(StackName=self.id)["Stacks"][0]
            return found if not found["StackStatus"].endswith("_IN_PROGRESS") else None
        return eventually(look, "the end of the stack's operation", deadline_seconds=120, interval_seconds=0.05)

    def create(self, resources, expected="CREATE_COMPLETE", **outputs):
        self.id = self.cfn.create_stack(StackName=self.name, TemplateBody=template(resources, outputs),
                                        Capabilities=["CAPABILITY_NAMED_IAM"])["StackId"]
        return self.ended(expected)

    def update(self, resources, expected="UPDATE_COMPLETE", **outputs):
        self.cfn.update_stack(StackName=self.name, TemplateBody=template(resources, outputs),
                              Capabilities=["CAPABILITY_NAMED_IAM"])
        return self.ended(expected)

    def ended(self, expected):
        found = self.settled()
        assert found["StackStatus"] == expected, self.reasons()
        return {one["OutputKey"]: one["OutputValue"] for one in found.get("Outputs", [])}

    def reasons(self):
        return [(one["LogicalResourceId"], one["ResourceStatusReason"])
                for one in self.cfn.describe_stack_events(StackName=self.id)["StackEvents"]
                if one["ResourceStatus"].endswith("FAILED")]

    def physical_id(self, logical_id):
        found = self.cfn.describe_stack_resource(StackName=self.name, LogicalResourceId=logical_id)
        return found["StackResourceDetail"]["PhysicalResourceId"]

    def delete(self):
        if not hasattr(self, "id"):
            return
        self.cfn.delete_stack(StackName=self.id)
        assert self.settled()["StackStatus"] == "DELETE_COMPLETE", self.reasons()


def template(resources, outputs):
    return json.dumps({"Resources": resources, "Outputs": {key: {"Value": value} for key, value in outputs.items()}})


def of(kind, depends_on=None, **properties):
    resource = {"Type": "AWS::" + kind, "Properties": properties}
    if depends_on:
        resource["DependsOn"] = depends_on
    return resource


def att(name, attribute):
    return {"Fn::GetAtt": [name, attribute]}


def ref(name):
    return {"Ref": name}


ROLE = of("IAM::Role", AssumeRolePolicyDocument=TRUST, ManagedPolicyArns=[LOGGING])


def function(code=ECHO, **properties):
    return of("Lambda::Function", Runtime=PYTHON_RUNTIME, Handler="index.handler", Role=att("Role", "Arn"),
              Code={"ZipFile": code}, **properties)


def invoked(cloud, name, event=None):
    answer = cloud.client("lambda").invoke(FunctionName=name, Payload=json.dumps(event or {}))
    payload = json.loads(answer["Payload"].read())
    assert "FunctionError" not in answer, payload
    return payload


# What an application of the CDK consists of: a table with an index, a function that may use it, a rule that calls it.
def test_a_stack_like_the_cdks_applications_works(cloud, stack):
    table = of("DynamoDB::Table", BillingMode="PAY_PER_REQUEST",
               AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"},
                                     {"AttributeName": "at", "AttributeType": "N"}],
               KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
               GlobalSecondaryIndexes=[{"IndexName": "by-time", "Projection": {"ProjectionType": "ALL"},
                                        "KeySchema": [{"AttributeName": "at", "KeyType": "HASH"}]}],
               TimeToLiveSpecification={"AttributeName": "ttl", "Enabled": True})
    policy = of("IAM::Policy", PolicyName="uses-the-table", Roles=[ref("Role")],
                PolicyDocument={"Version": "2012-10-17", "Statement": [
                    {"Effect": "Allow", "Action": ["dynamodb:Query", "dynamodb:BatchWriteItem"],
                     "Resource": [att("Table", "Arn"), {"Fn::Sub": "${Table.Arn}/index/*"}]}]})
    rule = of("Events::Rule", ScheduleExpression="cron(* * * * ? *)", State="DISABLED",
              Targets=[{"Id": "Target0", "Arn": att("Function", "Arn"),
                        "InputTransformer": {"InputPathsMap": {"time": "$.time"}, "InputTemplate": '{"now":<time>}'}}])
    permission = of("Lambda::Permission", FunctionName=att("Function", "Arn"), Action="lambda:InvokeFunction",
                    Principal="events.amazonaws.com", SourceArn=att("Rule", "Arn"))
    resources = {
        "Table": table, "Role": ROLE, "Policy": policy, "Rule": rule, "Permission": permission,
        "Function": function(Timeout="300", MemorySize=2048, Environment={"Variables": {"TABLE": ref("Table")}}),
        "Group": of("Logs::LogGroup", LogGroupName={"Fn::Sub": "/aws/lambda/${Function}"}, RetentionInDays=7),
        "Bucket": of("S3::Bucket", VersioningConfiguration={"Status": "Enabled"}, BucketEncryption={
            "ServerSideEncryptionConfiguration": [{"ServerSideEncryptionByDefault": {"SSEAlgorithm": "aws:kms"}}]}),
        "BucketPolicy": of("S3::BucketPolicy", Bucket=ref("Bucket"), PolicyDocument={
            "Version": "2012-10-17", "Statement": [{"Effect": "Deny", "Principal": "*", "Action": "s3:*",
                                                    "Resource": {"Fn::Sub": "${Bucket.Arn}/*"},
                                                    "Condition": {"Bool": {"aws:SecureTransport": "false"}}}]}),
        "Version": of("SSM::Parameter", Type="String", Value="21", Name={"Fn::Sub": "/${AWS::StackName}/version"}),
        "CDKMetadata": of("CDK::Metadata", Analytics="v2:deflate64:H4sI"),
    }
    made = stack.create(resources, Function=ref("Function"), Rule=ref("Rule"), Bucket=ref("Bucket"), Role=ref("Role"))
    assert invoked(cloud, made["Function"], {"a": 1})["event"] == {"a": 1}
    settings = cloud.client("lambda").get_function_configuration(FunctionName=made["Function"])
    assert (settings["Timeout"], settings["MemorySize"]) == (300, 2048)
    assert settings["Environment"]["Variables"] == {"TABLE": stack.physical_id("Table")}
    policy = json.loads(cloud.client("lambda").get_policy(FunctionName=made["Function"])["Policy"])
    assert policy["Statement"][0]["Sid"] == stack.physical_id("Permission")
    targets = cloud.client("events").list_targets_by_rule(Rule=made["Rule"])["Targets"]
    assert targets[0]["Arn"] == settings["FunctionArn"]
    assert cloud.client("iam").list_role_policies(RoleName=made["Role"])["PolicyNames"] == ["uses-the-table"]
    assert "Deny" in cloud.client("s3").get_bucket_policy(Bucket=made["Bucket"])["Policy"]
    assert cloud.client("ssm").get_parameter(Name=f"/{stack.name}/version")["Parameter"]["Value"] == "21"

    resources["Function"] = function(code=ECHO.replace("'event'", "'heard'"), Timeout=60, Description="new")
    stack.update(resources)
    assert invoked(cloud, made["Function"], {"a": 1})["heard"] == {"a": 1}
    settings = cloud.client("lambda").get_function_configuration(FunctionName=made["Function"])
    assert (settings["Timeout"], settings["MemorySize"], settings["Description"]) == (60, 128, "new")
    assert not settings.get("Environment", {}).get("Variables")

    stack.delete()
    with refused("ResourceNotFoundException"):
        cloud.client("lambda").get_function(FunctionName=made["Function"])
    with refused("NoSuchEntity"):
        cloud.client("iam").get_role(RoleName=made["Role"])


def test_a_function_of_another_name_is_another_function(cloud, stack):
    first, second = unique("first"), unique("second")
    stack.create({"Role": ROLE, "Function": function(FunctionName=first)})
    stack.update({"Role": ROLE, "Function": function(FunctionName=second)})
    assert stack.physical_id("Function") == second
    assert invoked(cloud, second) == {"event": {}, "version": "$LATEST"}
    with refused("ResourceNotFoundException"):
        cloud.client("lambda").get_function(FunctionName=first)


def test_versions_and_aliases_stand_for_a_functions_code(cloud, stack):
    def resources(**more):
        return {"Role": ROLE, "Function": function(),
                "One": of("Lambda::Version", FunctionName=ref("Function")),
                "Alias": of("Lambda::Alias", FunctionName=ref("Function"), Name="live",
                            FunctionVersion=att("One", "Version"), **more),
                "Config": of("Lambda::EventInvokeConfig", FunctionName=ref("Function"), Qualifier="$LATEST",
                             MaximumRetryAttempts="1")}
    made = stack.create(resources(), Alias=ref("Alias"), Version=att("One", "Version"), Function=ref("Function"))
    assert made["Alias"].endswith(":live") and made["Version"] == "1"
    assert invoked(cloud, made["Alias"])["version"] == "1"
    found = cloud.client("lambda").get_function_event_invoke_config(FunctionName=made["Function"])
    assert found["MaximumRetryAttempts"] == 1

    stack.update(resources(Description="in use"))
    alias = cloud.client("lambda").get_alias(FunctionName=made["Function"], Name="live")
    assert alias["Description"] == "in use"


# Lambda makes no second version of the same code: one of the two would take the other's away.
def test_a_second_version_of_the_same_code_fails(stack):
    resources = {"Role": ROLE, "Function": function(), "One": of("Lambda::Version", FunctionName=ref("Function")),
                 "Two": of("Lambda::Version", depends_on="One", FunctionName=ref("Function"))}
    stack.create(resources, expected="ROLLBACK_COMPLETE")
    assert any("A version for this Lambda function exists" in reason for _, reason in stack.reasons())


def test_a_mapping_brings_a_tables_changes_to_the_function(cloud, stack):
    code = ("import boto3, os\n"
            "def handler(event, context):\n"
            "    table = boto3.resource('dynamodb').Table(os.environ['SEEN'])\n"
            "    for record in event['Records']:\n"
            "        table.put_item(Item={'id': record['dynamodb']['Keys']['id']['S']})\n")
    keys = dict(BillingMode="PAY_PER_REQUEST", KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
                AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}])
    role = of("IAM::Role", AssumeRolePolicyDocument=TRUST,
              ManagedPolicyArns=["arn:aws:iam::aws:policy/service-role/AWSLambdaDynamoDBExecutionRole"],
              Policies=[{"PolicyName": "p", "PolicyDocument": {"Version": "2012-10-17", "Statement": [
                  {"Effect": "Allow", "Action": "dynamodb:PutItem", "Resource": att("Seen", "Arn")}]}}])

    def resources(**options):
        return {"Role": role, "Seen": of("DynamoDB::Table", **keys),
                "Table": of("DynamoDB::Table", StreamSpecification={"StreamViewType": "KEYS_ONLY"}, **keys),
                "Function": function(code, Timeout=30, Environment={"Variables": {"SEEN": ref("Seen")}}),
                "Mapping": of("Lambda::EventSourceMapping", EventSourceArn=att("Table", "StreamArn"),
                              FunctionName=att("Function", "Arn"), StartingPosition="TRIM_HORIZON", **options)}
    made = stack.create(resources(BatchSize="7", MaximumRetryAttempts="3"), Table=ref("Table"), Seen=ref("Seen"),
                        Mapping=ref("Mapping"), MappingArn=att("Mapping", "EventSourceMappingArn"))
    found = cloud.client("lambda").get_event_source_mapping(UUID=made["Mapping"])
    assert (found["State"], found["BatchSize"], found["MaximumRetryAttempts"]) == ("Enabled", 7, 3)
    dynamodb = cloud.client("dynamodb")
    dynamodb.put_item(TableName=made["Table"], Item={"id": {"S": "x"}})
    eventually(lambda: dynamodb.get_item(TableName=made["Seen"], Key={"id": {"S": "x"}}).get("Item"),
               "the change at the function")

    stack.update(resources(Enabled=False, Tags=[{"Key": "a", "Value": "b"}]))
    found = cloud.client("lambda").get_event_source_mapping(UUID=made["Mapping"])
    assert (found["State"], found["BatchSize"], found["MaximumRetryAttempts"]) == ("Disabled", 100, -1)
    tags = cloud.client("lambda").list_tags(Resource=made["MappingArn"])["Tags"]
    assert tags["a"] == "b"


def between_queues(**options):
    trust = json.loads(json.dumps(TRUST).replace("lambda.", "pipes."))
    role = of("IAM::Role", AssumeRolePolicyDocument=trust, Policies=[{"PolicyName": "p", "PolicyDocument": {
        "Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "sqs:*", "Resource": "*"}]}}])
    return {"Role": role, "In": of("SQS::Queue"), "Out": of("SQS::Queue"),
            "Pipe": of("Pipes::Pipe", Source=att("In", "Arn"), Target=att("Out", "Arn"),
                       RoleArn=att("Role", "Arn"), **options)}


def test_a_pipe_carries_messages_between_queues(cloud, stack):
    made = stack.create(between_queues(SourceParameters={"SqsQueueParameters": {"BatchSize": "1"}}),
                        In=ref("In"), Out=ref("Out"), Pipe=ref("Pipe"), State=att("Pipe", "CurrentState"))
    assert made["State"] == "RUNNING"
    sqs = cloud.client("sqs")
    sqs.send_message(QueueUrl=made["In"], MessageBody="hello")
    found = eventually(lambda: sqs.receive_message(QueueUrl=made["Out"], WaitTimeSeconds=1).get("Messages"),
                       "the message behind the pipe")
    assert "hello" in found[0]["Body"]
    stack.update(between_queues(DesiredState="STOPPED", Description="off"))
    pipe = cloud.client("pipes").describe_pipe(Name=made["Pipe"])
    assert (pipe["CurrentState"], pipe["Description"]) == ("STOPPED", "off")
    stack.delete()
    with refused("NotFoundException"):
        cloud.client("pipes").describe_pipe(Name=made["Pipe"])


def test_what_a_pipe_is_not_told_any_more_goes(cloud, stack):
    queue = {"SqsQueueParameters": {"BatchSize": 5}}
    filters = {"FilterCriteria": {"Filters": [{"Pattern": '{"body": {"a": [1]}}'}]}}

    def update(**parameters):
        stack.update(between_queues(DesiredState="STOPPED", **parameters))
        found = cloud.client("pipes").describe_pipe(Name=made["Pipe"])
        source = found["SourceParameters"]
        return (source["SqsQueueParameters"]["BatchSize"], source.get("FilterCriteria"),
                found.get("TargetParameters", {}).get("InputTemplate", ""))
    made = stack.create(between_queues(DesiredState="STOPPED"), Pipe=ref("Pipe"))
    body = '{"a": <$.body>}'
    everything = {"SourceParameters": {**queue, **filters}, "TargetParameters": {"InputTemplate": body}}
    assert update(**everything) == (5, filters["FilterCriteria"], body)
    assert update(SourceParameters=queue, TargetParameters={}) == (5, None, "")
    assert update(**everything) == (5, filters["FilterCriteria"], body)
    assert update() == (10, None, "")


def test_a_function_whose_template_says_no_more_of_its_log_logs_as_usual(cloud, stack):
    def update(**logging):
        stack.update({"Role": ROLE, "Function": function(**({"LoggingConfig": logging} if logging else {}))})
        # Raw: this boto3 may know no LoggingConfig.
        _, _, body = cloud.raw("lambda", "GET", f"/2015-03-31/functions/{made['Function']}/configuration")
        return json.loads(body)["LoggingConfig"]
    made = stack.create({"Role": ROLE, "Function": function()}, Function=ref("Function"))
    group, json_levels = f"/aws/lambda/{made['Function']}", {"ApplicationLogLevel": "INFO", "SystemLogLevel": "INFO"}
    assert update(LogGroup="/x/y") == {"LogFormat": "Text", "LogGroup": "/x/y"}
    assert update() == {"LogFormat": "Text", "LogGroup": group}
    assert update(LogFormat="JSON", LogGroup="/x/z", ApplicationLogLevel="DEBUG")["ApplicationLogLevel"] == "DEBUG"
    assert update(LogFormat="JSON") == {"LogFormat": "JSON", "LogGroup": group, **json_levels}


def test_a_user_has_an_access_key_whose_secret_the_stack_tells(cloud, stack):
    def resources(status):
        return {"User": of("IAM::User"),
                "Key": of("IAM::AccessKey", UserName=ref("User"), Status=status)}
    outputs = {"User": ref("User"), "Key": ref("Key"), "Secret": att("Key", "SecretAccessKey")}
    made = stack.create(resources("Active"), **outputs)
    assert len(made["Secret"]) == 40
    changed = stack.update(resources("Inactive"), **outputs)
    assert changed == made
    keys = cloud.client("iam").list_access_keys(UserName=made["User"])["AccessKeyMetadata"]
    assert [(one["AccessKeyId"], one["Status"]) for one in keys] == [(made["Key"], "Inactive")]


@pytest.mark.local
def test_policies_of_what_is_another_accounts_fail_and_leave_nothing_to_remove(cloud, stack):
    name, other = stack.name, cloud.as_account("111111111111")
    topic = other.client("sns").create_topic(Name=name)["TopicArn"]
    url = other.sqs.create_queue(QueueName=name)["QueueUrl"]

    def document(action, resource="*"):
        return {"Version": "2012-10-17", "Statement": [
            {"Effect": "Allow", "Principal": {"Service": "events.amazonaws.com"}, "Action": action,
             "Resource": resource}]}

    own = {"Topic": of("SNS::Topic"), "Queue": of("SQS::Queue")}
    topics = of("SNS::TopicPolicy", Topics=[ref("Topic"), topic], PolicyDocument=document("sns:Publish"))
    queues = of("SQS::QueuePolicy", Queues=[ref("Queue"), url], PolicyDocument=document("sqs:SendMessage"))
    try:
        for policy in (topics, queues,
                       of("SNS::TopicInlinePolicy", TopicArn=topic, PolicyDocument=document("sns:Publish")),
                       of("SQS::QueueInlinePolicy", Queue=url, PolicyDocument=document("sqs:SendMessage")),
                       of("S3::BucketPolicy", Bucket=f"{name}-not-there",
                          PolicyDocument=document("s3:PutObject", f"arn:aws:s3:::{name}-not-there/*"))):
            stack.create({**own, "Policy": policy}, expected="ROLLBACK_COMPLETE")
            stack.delete()
        alone = {**topics, "Properties": {**topics["Properties"], "Topics": [ref("Topic")]}}
        stack.create({**own, "Policy": alone})
        stack.update({**own, "Policy": topics}, expected="UPDATE_ROLLBACK_COMPLETE")
    finally:
        other.client("sns").delete_topic(TopicArn=topic)
        other.sqs.delete_queue(QueueUrl=url)


def test_a_policy_of_a_bus_may_name_somebody_by_an_id(cloud, stack):
    iam, events, name = cloud.client("iam"), cloud.client("events"), unique("bus")
    user = iam.create_user(UserName=unique("user"))["User"]
    cloud.cleanup.callback(iam.delete_user, UserName=user["UserName"])
    bus = {"Type": "AWS::Events::EventBus", "Properties": {"Name": name}}
    statement = {"Effect": "Allow", "Principal": {"AWS": user["UserId"]}, "Action": "events:PutEvents",
                 "Resource": {"Fn::GetAtt": "Bus.Arn"}}
    policy = {"Type": "AWS::Events::EventBusPolicy",
              "Properties": {"EventBusName": {"Ref": "Bus"}, "StatementId": "s", "Statement": statement}}
    stack.create({"Bus": bus, "Policy": policy})
    shown = json.loads(events.describe_event_bus(Name=name)["Policy"])["Statement"]
    assert [one["Principal"] for one in shown] == [{"AWS": user["Arn"]}]


@pytest.mark.local
@pytest.mark.parametrize("resource, reason", [
    (of("SQS::Queue", Colour="red"), "extraneous key [Colour] is not permitted"),
    (of("S3::BucketPolicy", Bucket="b"), "The property {/PolicyDocument} is required"),
    (of("S3::Bucket", AccelerateConfiguration={"AccelerationStatus": "Enabled"}), "there is no transfer acceleration"),
    (of("Kinesis::Stream", StreamEncryption={"EncryptionType": "KMS", "KeyId": "k"}), "Invalid keyId 'k'"),
    (of("CloudWatch::Alarm", ComparisonOperator="GreaterThanThreshold", EvaluationPeriods=1, Threshold=1,
        Metrics=[{"Id": "m", "Expression": "1+1"}]), "at least one element must have a MetricStat"),
])
def test_what_is_not_carried_fails_the_stack_by_name(stack, resource, reason):
    stack.create({"Thing": resource}, expected="ROLLBACK_COMPLETE")
    assert reason in stack.reasons()[-1][1]


# Without a description the version of the same revision is answered once more.
def test_a_version_of_a_state_machine_outlives_its_description(cloud, stack):
    states = cloud.client("stepfunctions")
    trusted = TRUST | {"Statement": [TRUST["Statement"][0] | {"Principal": {"Service": "states.amazonaws.com"}}]}
    role = {"Type": "AWS::IAM::Role", "Properties": {"AssumeRolePolicyDocument": trusted}}
    machine = {"Type": "AWS::StepFunctions::StateMachine",
               "Properties": {"RoleArn": {"Fn::GetAtt": "Role.Arn"},
                              "Definition": {"StartAt": "End", "States": {"End": {"Type": "Succeed"}}}}}

    def body(**more):
        version = {"Type": "AWS::StepFunctions::StateMachineVersion",
                   "Properties": {"StateMachineArn": {"Ref": "Machine"}, **more}}
        return {"Role": role, "Machine": machine, "Version": version}

    stack.create(body(Description="first"))
    arn = stack.physical_id("Version")
    stack.update(body())
    assert stack.physical_id("Version") == arn
    assert states.describe_state_machine(stateMachineArn=arn)["stateMachineArn"] == arn
