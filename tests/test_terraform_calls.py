"""The calls that Terraform's AWS provider (5.100) makes for each kind of resource: apply, a second plan that finds
everything as it was applied, a change, and destroy until the provider believes that it is gone. The provider itself is
run by test_terraform.py, where there is one."""
import json

import pytest

from harness import PYTHON_RUNTIME, eventually, refused, unique, zip_of

TRUST = json.dumps({"Version": "2012-10-17", "Statement": [
    {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": "lambda.amazonaws.com"}}]})
CODE = "def handler(event, context):\n    return 1\n"
# What the provider spells out of a queue, though nobody has set it; what it has sent must come back as it was.
QUEUE_DEFAULTS = {"DelaySeconds": "0", "MaximumMessageSize": "262144", "MessageRetentionPeriod": "345600",
                  "ReceiveMessageWaitTimeSeconds": "0", "VisibilityTimeout": "30", "SqsManagedSseEnabled": "true"}


def told(answer):
    return {key: value for key, value in answer.items() if key != "ResponseMetadata"}


class Plan:
    """What was applied, as the provider's reads have told it."""

    def __init__(self, read):
        self.read, self.state = read, read()

    def expect_no_changes(self):
        assert self.read() == self.state

    def expect_changes(self):
        now = self.read()
        assert now != self.state
        self.state = now


@pytest.fixture
def caller(cloud):
    """The provider begins every run so."""
    return cloud.client("sts").get_caller_identity()["Account"]


@pytest.fixture
def role(cloud):
    iam, name = cloud.client("iam"), unique("terraform")
    arn = iam.create_role(RoleName=name, AssumeRolePolicyDocument=TRUST, Path="/terraform/")["Role"]["Arn"]
    cloud.cleanup.callback(iam.delete_role, RoleName=name)
    return arn


def test_tables(cloud, caller):
    dynamodb, name = cloud.dynamodb, unique("table")
    dynamodb.create_table(TableName=name, BillingMode="PAY_PER_REQUEST", KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
                          AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}])
    arn = eventually(lambda: [table["TableArn"] for table in [dynamodb.describe_table(TableName=name)["Table"]]
                              if table["TableStatus"] == "ACTIVE"])[0]
    dynamodb.update_time_to_live(TableName=name, TimeToLiveSpecification={"AttributeName": "ttl", "Enabled": True})
    eventually(lambda: dynamodb.describe_time_to_live(TableName=name)["TimeToLiveDescription"]["TimeToLiveStatus"] == "ENABLED")

    def read():
        return [told(dynamodb.describe_table(TableName=name)), told(dynamodb.describe_continuous_backups(TableName=name)),
                told(dynamodb.describe_time_to_live(TableName=name)), told(dynamodb.list_tags_of_resource(ResourceArn=arn))]

    plan = Plan(read)
    assert plan.state[2]["TimeToLiveDescription"] == {"TimeToLiveStatus": "ENABLED", "AttributeName": "ttl"}
    plan.expect_no_changes()
    dynamodb.tag_resource(ResourceArn=arn, Tags=[{"Key": "a", "Value": "1"}])
    plan.expect_changes()
    dynamodb.delete_table(TableName=name)

    def gone():
        try:
            dynamodb.describe_table(TableName=name)
        except dynamodb.exceptions.ResourceNotFoundException:
            return True
    eventually(gone)


def test_functions_with_an_alias_a_permission_and_a_url(cloud, caller, role):
    functions, name = cloud.functions, unique("function")
    functions.create_function(FunctionName=name, Runtime=PYTHON_RUNTIME, Handler="app.handler", Role=role, Publish=True,
                              Code={"ZipFile": zip_of({"app.py": CODE})}, Timeout=3, MemorySize=128,
                              PackageType="Zip", Architectures=["x86_64"], EphemeralStorage={"Size": 512},
                              TracingConfig={"Mode": "PassThrough"}, Tags={"a": "1"})
    eventually(lambda: functions.get_function(FunctionName=name)["Configuration"]["State"] == "Active")
    functions.create_alias(FunctionName=name, Name="live", FunctionVersion="1")
    functions.add_permission(FunctionName=name, StatementId="events", Action="lambda:InvokeFunction",
                             Principal="events.amazonaws.com", SourceArn=f"arn:aws:events:us-east-1:{caller}:rule/r")
    functions.create_function_url_config(FunctionName=name, AuthType="NONE")
    functions.add_permission(FunctionName=name, StatementId="FunctionURLAllowPublicAccess", Principal="*",
                             Action="lambda:InvokeFunctionUrl", FunctionUrlAuthType="NONE")

    def read():
        return [told(functions.get_function(FunctionName=name)),
                told(functions.list_versions_by_function(FunctionName=name, MaxItems=10_000)),
                told(functions.get_function_code_signing_config(FunctionName=name)),
                told(functions.get_alias(FunctionName=name, Name="live")), told(functions.get_policy(FunctionName=name)),
                told(functions.get_function_url_config(FunctionName=name))]

    plan = Plan(read)
    plan.expect_no_changes()
    functions.update_function_configuration(FunctionName=name, Timeout=9)
    eventually(lambda: functions.get_function(FunctionName=name)["Configuration"]["LastUpdateStatus"] == "Successful")
    plan.expect_changes()
    functions.delete_function_url_config(FunctionName=name)
    with refused("ResourceNotFoundException"):
        functions.get_function_url_config(FunctionName=name)
    for statement in ("events", "FunctionURLAllowPublicAccess"):
        functions.remove_permission(FunctionName=name, StatementId=statement)
    with refused("ResourceNotFoundException"):
        functions.get_policy(FunctionName=name)
    functions.delete_alias(FunctionName=name, Name="live")
    functions.delete_function(FunctionName=name)
    with refused("ResourceNotFoundException"):
        functions.get_function(FunctionName=name)


def test_mappings(cloud, caller, role):
    functions, function = cloud.functions, cloud.create_function(CODE)
    url = cloud.sqs.create_queue(QueueName=unique("queue"))["QueueUrl"]
    cloud.cleanup.callback(cloud.sqs.delete_queue, QueueUrl=url)
    queue = cloud.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]["QueueArn"]
    made = functions.create_event_source_mapping(EventSourceArn=queue, FunctionName=function, Enabled=True, BatchSize=5)
    uuid = made["UUID"]
    arn = f"arn:aws:lambda:us-east-1:{caller}:event-source-mapping:{uuid}"
    eventually(lambda: functions.get_event_source_mapping(UUID=uuid)["State"] == "Enabled")
    plan = Plan(lambda: [told(functions.get_event_source_mapping(UUID=uuid)), told(functions.list_tags(Resource=arn))])
    plan.expect_no_changes()
    functions.update_event_source_mapping(UUID=uuid, BatchSize=7)
    eventually(lambda: functions.get_event_source_mapping(UUID=uuid)["State"] == "Enabled")
    plan.expect_changes()
    functions.delete_event_source_mapping(UUID=uuid)

    def gone():
        try:
            functions.get_event_source_mapping(UUID=uuid)
        except functions.exceptions.ResourceNotFoundException:
            return True
    eventually(gone)


def test_queues(cloud, caller):
    sqs = cloud.sqs
    url = sqs.create_queue(QueueName=unique("queue"), Attributes=QUEUE_DEFAULTS, tags={"a": "1"})["QueueUrl"]
    plan = Plan(lambda: [sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"],
                         told(sqs.list_queue_tags(QueueUrl=url))])
    assert plan.state[0] | QUEUE_DEFAULTS == plan.state[0]  # each as it was sent, or the provider waits for three minutes
    for _ in range(6):
        plan.expect_no_changes()
    policy = json.dumps({"Version": "2012-10-17", "Statement": [
        {"Effect": "Allow", "Principal": "*", "Action": "sqs:SendMessage", "Resource": plan.state[0]["QueueArn"]}]})
    sqs.set_queue_attributes(QueueUrl=url, Attributes={"Policy": policy})
    shown = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["Policy"])["Attributes"]["Policy"]
    assert json.loads(shown) == json.loads(policy)
    sqs.set_queue_attributes(QueueUrl=url, Attributes={"Policy": ""})
    assert "Attributes" not in sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["Policy"])
    sqs.set_queue_attributes(QueueUrl=url, Attributes={"VisibilityTimeout": "60"})
    plan.expect_changes()
    sqs.delete_queue(QueueUrl=url)

    def gone():
        try:
            sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])
        except sqs.exceptions.QueueDoesNotExist:
            return True
    eventually(gone)


def test_topics_with_a_subscription(cloud, caller):
    sns = cloud.client("sns")
    topic = sns.create_topic(Name=unique("topic"))["TopicArn"]
    for protocol in ("SQS", "HTTP", "Firehose", "Application", "Lambda"):
        sns.set_topic_attributes(TopicArn=topic, AttributeName=f"{protocol}SuccessFeedbackSampleRate", AttributeValue="0")
    url = cloud.sqs.create_queue(QueueName=unique("queue"))["QueueUrl"]
    cloud.cleanup.callback(cloud.sqs.delete_queue, QueueUrl=url)
    queue = cloud.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    one = sns.subscribe(TopicArn=topic, Protocol="sqs", Endpoint=queue, ReturnSubscriptionArn=True,
                        Attributes={"FilterPolicy": '{"kind":["a"]}'})["SubscriptionArn"]
    plan = Plan(lambda: [told(sns.get_topic_attributes(TopicArn=topic)), told(sns.list_tags_for_resource(ResourceArn=topic)),
                         told(sns.get_subscription_attributes(SubscriptionArn=one))])
    attributes = plan.state[2]["Attributes"]
    assert (attributes["PendingConfirmation"], attributes["FilterPolicyScope"]) == ("false", "MessageAttributes")
    assert [each["SubscriptionArn"] for each in sns.list_subscriptions_by_topic(TopicArn=topic)["Subscriptions"]] == [one]
    plan.expect_no_changes()
    sns.set_subscription_attributes(SubscriptionArn=one, AttributeName="RawMessageDelivery", AttributeValue="true")
    plan.expect_changes()
    sns.unsubscribe(SubscriptionArn=one)
    with refused("NotFound"):
        sns.get_subscription_attributes(SubscriptionArn=one)
    sns.delete_topic(TopicArn=topic)
    with refused("NotFound"):
        sns.get_topic_attributes(TopicArn=topic)


# What is not configured must be refused with the code that the provider takes for "none".
BUCKET_READS = {"get_bucket_policy": "NoSuchBucketPolicy", "get_bucket_acl": None, "get_bucket_cors": "NoSuchCORSConfiguration",
                "get_bucket_website": "NoSuchWebsiteConfiguration", "get_bucket_versioning": None,
                "get_bucket_accelerate_configuration": None, "get_bucket_request_payment": None, "get_bucket_logging": None,
                "get_bucket_lifecycle_configuration": "NoSuchLifecycleConfiguration",
                "get_bucket_replication": "ReplicationConfigurationNotFoundError",
                "get_bucket_encryption": None,
                "get_object_lock_configuration": "ObjectLockConfigurationNotFoundError",
                "get_bucket_tagging": "NoSuchTagSet"}


def test_buckets_with_an_object(cloud, caller):
    s3, name = cloud.s3, unique("bucket")
    with refused("404"):
        s3.head_bucket(Bucket=name)
    s3.create_bucket(Bucket=name)
    s3.head_bucket(Bucket=name)

    def read():
        found = []
        for operation, none in BUCKET_READS.items():
            if none is None:
                found.append(told(getattr(s3, operation)(Bucket=name)))
            else:
                with refused(none):
                    getattr(s3, operation)(Bucket=name)
        found.append(told(s3.get_bucket_notification_configuration(Bucket=name)))
        return found

    plan = Plan(read)
    plan.expect_no_changes()
    assert s3.head_bucket(Bucket=name)["ResponseMetadata"]["HTTPHeaders"]["x-amz-bucket-region"] == "us-east-1"
    s3.put_object(Bucket=name, Key="one", Body=b"1", ContentType="text/plain")
    assert s3.head_object(Bucket=name, Key="one")["ContentType"] == "text/plain"
    assert s3.get_object_tagging(Bucket=name, Key="one")["TagSet"] == []
    s3.put_bucket_versioning(Bucket=name, VersioningConfiguration={"Status": "Enabled"})
    plan.expect_changes()
    s3.put_bucket_notification_configuration(Bucket=name, NotificationConfiguration={})
    for version in s3.list_object_versions(Bucket=name)["Versions"]:
        s3.delete_object(Bucket=name, Key=version["Key"], VersionId=version["VersionId"])
    s3.delete_bucket(Bucket=name)
    with refused("404"):
        s3.head_bucket(Bucket=name)


def test_streams(cloud, caller):
    kinesis, name = cloud.kinesis, unique("stream")
    kinesis.describe_limits()
    kinesis.create_stream(StreamName=name, ShardCount=1, StreamModeDetails={"StreamMode": "PROVISIONED"})

    def summary():
        return kinesis.describe_stream_summary(StreamName=name)["StreamDescriptionSummary"]

    eventually(lambda: summary()["StreamStatus"] == "ACTIVE")
    kinesis.increase_stream_retention_period(StreamName=name, RetentionPeriodHours=24)  # as it is
    eventually(lambda: summary()["StreamStatus"] == "ACTIVE")
    plan = Plan(lambda: [summary(), told(kinesis.list_tags_for_stream(StreamName=name))])
    plan.expect_no_changes()
    kinesis.add_tags_to_stream(StreamName=name, Tags={"a": "1"})
    plan.expect_changes()
    kinesis.delete_stream(StreamName=name, EnforceConsumerDeletion=False)

    def gone():
        try:
            summary()
        except kinesis.exceptions.ResourceNotFoundException:
            return True
    eventually(gone)


def test_rules_and_schedules(cloud, caller, role):
    events, scheduler = cloud.client("events"), cloud.client("scheduler")
    bus, name = unique("bus"), unique("rule")
    events.create_event_bus(Name=bus)
    arn = events.put_rule(Name=name, EventBusName=bus, EventPattern='{"source":["app"]}', State="ENABLED")["RuleArn"]
    target = {"Id": "one", "Arn": f"arn:aws:sqs:us-east-1:{caller}:nobody"}
    assert events.put_targets(Rule=name, EventBusName=bus, Targets=[target])["FailedEntryCount"] == 0
    queue = f"arn:aws:sqs:us-east-1:{caller}:nobody"
    scheduler.create_schedule(Name=name, GroupName="default", ScheduleExpression="rate(1 day)", State="ENABLED",
                              FlexibleTimeWindow={"Mode": "OFF"}, Target={"Arn": queue, "RoleArn": role},
                              ClientToken="terraform-1")
    plan = Plan(lambda: [told(events.describe_event_bus(Name=bus)), told(events.describe_rule(Name=name, EventBusName=bus)),
                         told(events.list_tags_for_resource(ResourceARN=arn)),
                         told(events.list_targets_by_rule(Rule=name, EventBusName=bus, Limit=100)),
                         told(scheduler.get_schedule(Name=name, GroupName="default"))])
    assert plan.state[3]["Targets"] == [target]
    plan.expect_no_changes()
    events.put_rule(Name=name, EventBusName=bus, EventPattern='{"source":["other"]}', State="ENABLED")
    plan.expect_changes()
    scheduler.delete_schedule(Name=name, GroupName="default", ClientToken="terraform-2")
    with refused("ResourceNotFoundException"):
        scheduler.get_schedule(Name=name, GroupName="default")
    events.remove_targets(Rule=name, EventBusName=bus, Ids=["one"])
    events.delete_rule(Name=name, EventBusName=bus)
    events.delete_event_bus(Name=bus)
    with refused("ResourceNotFoundException"):
        events.describe_event_bus(Name=bus)


def test_state_machines(cloud, caller, role):
    states, name = cloud.client("stepfunctions"), unique("machine")

    def definition(result):
        return json.dumps({"StartAt": "A", "States": {"A": {"Type": "Pass", "Result": result, "End": True}}})

    status, found = cloud.call_json("AWSStepFunctions.ValidateStateMachineDefinition",
                                    {"definition": definition(1), "type": "STANDARD", "severity": "ERROR", "maxResults": 0},
                                    service="states")
    assert status == 200 and (found["result"], found["diagnostics"], found["truncated"]) == ("OK", [], False)
    arn = states.create_state_machine(name=name, definition=definition(1), roleArn=role, type="STANDARD",
                                      tags=[{"key": "a", "value": "1"}])["stateMachineArn"]

    def read():
        versions = cloud.call_json("AWSStepFunctions.ListStateMachineVersions", {"stateMachineArn": arn}, service="states")
        return [told(states.describe_state_machine(stateMachineArn=arn)), versions,
                told(states.list_tags_for_resource(resourceArn=arn))]

    plan = Plan(read)
    plan.expect_no_changes()
    states.update_state_machine(stateMachineArn=arn, definition=definition(2), roleArn=role)
    plan.expect_changes()
    states.delete_state_machine(stateMachineArn=arn)

    def gone():
        try:
            states.describe_state_machine(stateMachineArn=arn)
        except states.exceptions.StateMachineDoesNotExist:
            return True
    eventually(gone)


def test_roles_and_log_groups(cloud, caller):
    iam, logs, name = cloud.client("iam"), cloud.client("logs"), unique("role")
    iam.create_role(RoleName=name, Path="/", AssumeRolePolicyDocument=TRUST, MaxSessionDuration=3600)
    document = json.dumps({"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]})
    policy = iam.create_policy(PolicyName=name, Path="/", PolicyDocument=document)["Policy"]["Arn"]
    iam.put_role_policy(RoleName=name, PolicyName="inline", PolicyDocument=document)
    iam.attach_role_policy(RoleName=name, PolicyArn=policy)
    logs.create_log_group(logGroupName=name)
    logs.put_retention_policy(logGroupName=name, retentionInDays=7)

    def read():
        group = logs.describe_log_groups(logGroupNamePrefix=name)["logGroups"][0]
        version = iam.get_policy(PolicyArn=policy)["Policy"]["DefaultVersionId"]
        return [told(iam.get_role(RoleName=name)), told(iam.list_role_policies(RoleName=name)),
                told(iam.list_attached_role_policies(RoleName=name)),
                told(iam.get_role_policy(RoleName=name, PolicyName="inline")), told(iam.get_policy(PolicyArn=policy)),
                told(iam.get_policy_version(PolicyArn=policy, VersionId=version)), group,
                told(logs.list_tags_for_resource(resourceArn=group["arn"].removesuffix(":*")))]

    plan = Plan(read)
    assert plan.state[3]["PolicyDocument"] == json.loads(document)
    plan.expect_no_changes()
    iam.update_role_description(RoleName=name, Description="changed")
    plan.expect_changes()
    assert iam.list_instance_profiles_for_role(RoleName=name)["InstanceProfiles"] == []
    iam.detach_role_policy(RoleName=name, PolicyArn=policy)
    iam.delete_role_policy(RoleName=name, PolicyName="inline")
    iam.delete_role(RoleName=name)
    assert len(iam.list_policy_versions(PolicyArn=policy)["Versions"]) == 1
    iam.delete_policy(PolicyArn=policy)
    logs.delete_log_group(logGroupName=name)
    for ask in (lambda: iam.get_role(RoleName=name), lambda: iam.get_policy(PolicyArn=policy)):
        with refused("NoSuchEntity"):
            ask()
    assert logs.describe_log_groups(logGroupNamePrefix=name)["logGroups"] == []
