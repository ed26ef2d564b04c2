"""Failures that are kept (DisableRollback), and what later operations make of what was left between two states."""
import json

import pytest
from cloudformation_support import create, events, queue, queue_state, resources, settled, template, update
from harness import eventually, quietly, refused, unique

NOWHERE = "arn:aws:iam::000000000000:policy/no-such-policy"
LOGGING = "arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole"
QUEUES = "arn:aws:iam::aws:policy/service-role/AWSLambdaSQSQueueExecutionRole"
TRUST = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": {"Service": "lambda.amazonaws.com"},
                                                 "Action": "sts:AssumeRole"}]}
FAILED = "The following resource(s) failed to update: [It]. "


@pytest.fixture
def cfn(cloud):
    return cloud.client("cloudformation")


@pytest.fixture
def iam(cloud):
    return cloud.client("iam")


@pytest.fixture
def name(cloud, cfn):
    name = unique("kept")
    cloud.cleanup.callback(quietly, cfn.delete_stack, StackName=name)
    return name


def role(**properties):
    return template({"It": {"Type": "AWS::IAM::Role", "Properties": {"AssumeRolePolicyDocument": TRUST, **properties}}})


def create_role(cfn, name, body):
    create(cfn, name, body, Capabilities=["CAPABILITY_IAM"])


def fail(cfn, name, body):
    stack = update(cfn, name, body, "UPDATE_FAILED", DisableRollback=True, Capabilities=["CAPABILITY_IAM"])
    assert stack["StackStatusReason"] == FAILED
    assert resources(cfn, name)["It"]["ResourceStatus"] == "UPDATE_FAILED"


def take_back(cfn, name):
    cfn.rollback_stack(StackName=name)
    stack = settled(cfn, name)
    assert stack["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE", stack.get("StackStatusReason")


def roles_of(iam, name):
    return [one["RoleName"] for one in iam.list_roles()["Roles"] if one["RoleName"].startswith(name)]


def test_the_same_change_fails_again(cloud, cfn, name):
    create(cfn, name, template({"It": queue(DelaySeconds=1)}))
    before = queue_state(cloud, name, cfn)
    for _ in range(2):
        fail(cfn, name, template({"It": queue(DelaySeconds=2, VisibilityTimeout=99_999_999)}))
    update(cfn, name, template({"It": queue(DelaySeconds=2)}))
    assert queue_state(cloud, name, cfn)["It"][1]["DelaySeconds"] == "2"
    fail(cfn, name, template({"It": queue(DelaySeconds=3, VisibilityTimeout=99_999_999)}))
    update(cfn, name, template({"It": queue(DelaySeconds=1)}))
    assert queue_state(cloud, name, cfn) == before


def test_all_that_failures_have_changed_is_taken_back(cfn, iam, name):
    create_role(cfn, name, role(Description="one"))
    made = resources(cfn, name)["It"]["PhysicalResourceId"]
    fail(cfn, name, role(Description="two", ManagedPolicyArns=[NOWHERE]))
    assert iam.get_role(RoleName=made)["Role"]["Description"] == "two"
    # It ends before it comes to the description, which it wants as it was.
    fail(cfn, name, role(Description="one", AssumeRolePolicyDocument={"Version": "1984"}))
    assert iam.get_role(RoleName=made)["Role"]["Description"] == "two"
    take_back(cfn, name)
    assert iam.get_role(RoleName=made)["Role"]["Description"] == "one"


def test_a_failure_before_anything_is_changed_forgets_none(cfn, iam, name):
    create_role(cfn, name, role(Description="one"))
    made = resources(cfn, name)["It"]["PhysicalResourceId"]
    fail(cfn, name, role(Description="two", ManagedPolicyArns=[NOWHERE]))
    fail(cfn, name, role(Description="{{resolve:ssm:/no/such/parameter}}"))
    take_back(cfn, name)
    assert iam.get_role(RoleName=made)["Role"]["Description"] == "one"


def test_a_replacement_that_was_left_half_made_fails_again_and_goes(cfn, iam, name):
    create_role(cfn, name, role(Path="/one/"))
    first = resources(cfn, name)["It"]["PhysicalResourceId"]
    for _ in range(2):
        fail(cfn, name, role(Path="/two/", ManagedPolicyArns=[NOWHERE]))
    take_back(cfn, name)
    assert roles_of(iam, name) == [first] and resources(cfn, name)["It"]["PhysicalResourceId"] == first
    fail(cfn, name, role(Path="/two/", ManagedPolicyArns=[NOWHERE]))
    update(cfn, name, role(Path="/two/", ManagedPolicyArns=[LOGGING]), Capabilities=["CAPABILITY_IAM"])
    second = resources(cfn, name)["It"]["PhysicalResourceId"]
    assert roles_of(iam, name) == [second] and second != first
    attached = iam.list_attached_role_policies(RoleName=second)["AttachedPolicies"]
    assert [one["PolicyArn"] for one in attached] == [LOGGING]


def attached(iam, role):
    return sorted(one["PolicyArn"] for one in iam.list_attached_role_policies(RoleName=role)["AttachedPolicies"])


def remove(cfn, name):
    stack = cfn.describe_stacks(StackName=name)["Stacks"][0]["StackId"]
    cfn.delete_stack(StackName=name)
    assert settled(cfn, stack)["StackStatus"] == "DELETE_COMPLETE", events(cfn, stack)


def test_a_deletion_takes_away_what_failures_have_added(cfn, iam, name):
    create_role(cfn, name, role())
    made = resources(cfn, name)["It"]["PhysicalResourceId"]
    inline = {"PolicyName": "added", "PolicyDocument": {"Version": "2012-10-17", "Statement": [
        {"Effect": "Allow", "Action": "sqs:*", "Resource": "*"}]}}
    fail(cfn, name, role(Policies=[inline], ManagedPolicyArns=[LOGGING, NOWHERE]))
    fail(cfn, name, role(ManagedPolicyArns=[QUEUES, NOWHERE + "-either"]))
    remove(cfn, name)
    with refused("NoSuchEntity"):
        iam.get_role(RoleName=made)


def test_a_deletion_takes_away_what_failures_have_added_before_it_was_replaced(cfn, iam, name):
    create_role(cfn, name, role(Path="/one/"))
    first = resources(cfn, name)["It"]["PhysicalResourceId"]
    fail(cfn, name, role(Path="/one/", ManagedPolicyArns=[LOGGING, NOWHERE]))
    fail(cfn, name, role(Path="/two/", ManagedPolicyArns=[NOWHERE]))
    remove(cfn, name)
    assert roles_of(iam, name) == [], first


def test_what_failures_have_added_before_it_was_replaced_is_taken_back(cfn, iam, name):
    create_role(cfn, name, role(Path="/one/", Description="one"))
    first = resources(cfn, name)["It"]["PhysicalResourceId"]
    fail(cfn, name, role(Path="/one/", Description="two", ManagedPolicyArns=[LOGGING, NOWHERE]))
    fail(cfn, name, role(Path="/two/", ManagedPolicyArns=[NOWHERE]))
    take_back(cfn, name)
    assert roles_of(iam, name) == [first] and attached(iam, first) == []
    assert iam.get_role(RoleName=first)["Role"]["Description"] == "one"


def test_what_a_failure_may_have_added_is_put_there_or_taken_away_by_the_next_change(cfn, iam, name):
    create_role(cfn, name, role())
    made = resources(cfn, name)["It"]["PhysicalResourceId"]
    fail(cfn, name, role(ManagedPolicyArns=[QUEUES, NOWHERE, LOGGING]))  # LOGGING it has not come to
    update(cfn, name, role(ManagedPolicyArns=[LOGGING]), Capabilities=["CAPABILITY_IAM"])
    assert attached(iam, made) == [LOGGING]
    fail(cfn, name, role(ManagedPolicyArns=[QUEUES, NOWHERE]))
    fail(cfn, name, role(ManagedPolicyArns=[NOWHERE + "-either"]))
    take_back(cfn, name)
    assert attached(iam, made) == [LOGGING]


def test_a_deletion_takes_away_targets_and_policies_that_failures_have_added(cloud, cfn, iam, name):
    too_long = [{"Key": "too long", "Value": "v" * 300}]
    target = {"Id": "added", "Arn": {"Fn::GetAtt": "Queue.Arn"}}
    def rule(**properties):
        pattern = {"source": ["shop"]}
        return template({"Queue": queue(), "It": {"Type": "AWS::Events::Rule",
                                                  "Properties": {"EventPattern": pattern, **properties}}})
    create(cfn, name, rule())
    fail(cfn, name, rule(Targets=[target], Tags=too_long))
    remove(cfn, name)


def test_a_deletion_takes_a_policy_away_under_each_name_that_a_failure_has_given_it(cfn, iam, name):
    document = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "sqs:*", "Resource": "*"}]}
    def policy(policy_name, *others):
        it = {"Type": "AWS::IAM::Policy", "Properties": {
            "PolicyName": policy_name, "PolicyDocument": document, "Roles": [{"Ref": "Role"}, *others]}}
        bearer = {"Type": "AWS::IAM::Role", "Properties": {"AssumeRolePolicyDocument": TRUST}}
        return template({"It": it, "Role": bearer})
    create_role(cfn, name, policy("one"))
    fail(cfn, name, policy("two", f"{name}-no-such-role"))
    remove(cfn, name)
    assert roles_of(iam, name) == []


def test_a_deletion_takes_replicas_away_that_a_failure_has_added(cloud, cfn, name):
    def table(*replicas):
        it = {"Type": "AWS::DynamoDB::GlobalTable", "Properties": {
            "TableName": name, "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
            "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
            "StreamSpecification": {"StreamViewType": "NEW_AND_OLD_IMAGES"},
            "Replicas": [{"Region": cloud.region}, *replicas]}}
        return template({"It": it})
    create(cfn, name, table())
    nowhere = f"arn:aws:kinesis:eu-west-1:000000000000:stream/{name}"
    fail(cfn, name, table({"Region": "eu-west-1", "KinesisStreamSpecification": {"StreamArn": nowhere}}))
    west = cloud.in_region("eu-west-1")
    assert west.dynamodb.describe_table(TableName=name)["Table"]["TableStatus"] == "ACTIVE"
    remove(cfn, name)
    for each in (cloud, west):
        with refused("ResourceNotFoundException"):
            each.dynamodb.describe_table(TableName=name)


def test_a_bucket_that_had_neither_block_nor_ownership_has_none_after_a_failure(cloud, cfn, name):
    def bucket(**more):
        return template({"It": {"Type": "AWS::S3::Bucket", "Properties": {"BucketName": name, **more}}})
    create(cfn, name, bucket())
    cloud.s3.delete_public_access_block(Bucket=name)
    cloud.s3.delete_bucket_ownership_controls(Bucket=name)
    broken = json.loads(bucket(PublicAccessBlockConfiguration={"BlockPublicAcls": True},
                               OwnershipControls={"Rules": [{"ObjectOwnership": "ObjectWriter"}]}))
    broken["Resources"]["Broken"] = {**queue(VisibilityTimeout=99_999_999), "DependsOn": "It"}
    update(cfn, name, json.dumps(broken), "UPDATE_ROLLBACK_COMPLETE")
    with refused("NoSuchPublicAccessBlockConfiguration"):
        cloud.s3.get_public_access_block(Bucket=name)
    with refused("OwnershipControlsNotFoundError"):
        cloud.s3.get_bucket_ownership_controls(Bucket=name)


def cancelled_addition(cloud, cfn, name, bucket):
    """An update that adds a bucket and is cancelled, while something is in the bucket, so that it cannot be removed."""
    waiting = {"Handle": {"Type": "AWS::CloudFormation::WaitConditionHandle"},
               "Wait": {"Type": "AWS::CloudFormation::WaitCondition", "DependsOn": "Added",
                        "Properties": {"Handle": {"Ref": "Handle"}, "Timeout": "3600"}}}
    create(cfn, name, template())
    cfn.update_stack(StackName=name, TemplateBody=template({"Queue": queue(), "Added": bucket, **waiting}))
    eventually(lambda: resources(cfn, name).get("Added", {}).get("ResourceStatus") == "CREATE_COMPLETE")
    cloud.s3.put_object(Bucket=name, Key="in the way")
    cfn.cancel_update_stack(StackName=name)
    assert settled(cfn, name)["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert resources(cfn, name)["Added"]["ResourceStatus"] == "DELETE_FAILED"
    cloud.s3.delete_object(Bucket=name, Key="in the way")


def test_what_could_not_be_removed_and_is_wanted_again_stays(cloud, cfn, name):
    bucket = {"Type": "AWS::S3::Bucket", "Properties": {"BucketName": name}}
    cancelled_addition(cloud, cfn, name, bucket)
    update(cfn, name, template({"Queue": queue(), "Added": bucket}))
    cloud.s3.head_bucket(Bucket=name)
    assert resources(cfn, name)["Added"]["PhysicalResourceId"] == name


# Changed by one update that failed, replaced by the next: what stands in the end is what stood at first.
def test_what_was_changed_before_it_was_replaced_is_taken_back(cloud, cfn, name):
    broken = {**queue(VisibilityTimeout=99_999_999), "DependsOn": "It"}
    create(cfn, name, template({"It": queue(DelaySeconds=1)}))
    before = queue_state(cloud, name, cfn)
    for properties in ({"DelaySeconds": 2}, {"DelaySeconds": 2, "QueueName": f"{name}-other"}):
        update(cfn, name, template({"It": queue(**properties), "Broken": broken}), "UPDATE_FAILED", DisableRollback=True)
    take_back(cfn, name)
    assert queue_state(cloud, name, cfn) == before


def test_a_cancelled_update_is_taken_back_whatever_is_kept(cfn, name):
    waiting = {"Handle": {"Type": "AWS::CloudFormation::WaitConditionHandle"},
               "Wait": {"Type": "AWS::CloudFormation::WaitCondition",
                        "Properties": {"Handle": {"Ref": "Handle"}, "Timeout": "3600"}}}
    create(cfn, name, template())
    cfn.update_stack(StackName=name, TemplateBody=template({"Queue": queue(), **waiting}), DisableRollback=True)
    eventually(lambda: "Wait" in resources(cfn, name))
    cfn.cancel_update_stack(StackName=name)
    assert settled(cfn, name)["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"


def test_what_was_replaced_and_is_to_be_kept_outlives_the_stack(cloud, cfn, name):
    ssm = cloud.client("ssm")
    def version(suffix, **more):
        it = {"Type": "AWS::SSM::Parameter", "UpdateReplacePolicy": "Retain",
              "Properties": {"Name": f"{name}-{suffix}", "Type": "String", "Value": suffix}}
        return template({"It": it, **more})
    create(cfn, name, version("first"))
    broken = {**queue(VisibilityTimeout=99_999_999), "DependsOn": "It"}
    update(cfn, name, version("second", Broken=broken), "UPDATE_FAILED", DisableRollback=True)
    arn = cfn.describe_stacks(StackName=name)["Stacks"][0]["StackId"]
    cfn.delete_stack(StackName=name)
    assert settled(cfn, arn)["StackStatus"] == "DELETE_COMPLETE"
    assert ssm.get_parameter(Name=f"{name}-first")["Parameter"]["Value"] == "first"
    with refused("ParameterNotFound"):
        ssm.get_parameter(Name=f"{name}-second")
    ssm.delete_parameter(Name=f"{name}-first")


# A deletion overrides no protection, whoever has switched it on; it can be asked for again.
def test_a_protection_that_a_failure_has_switched_on_is_for_its_owner_to_switch_off(cloud, cfn, name):
    def table(**more):
        return template({"It": {"Type": "AWS::DynamoDB::Table", "Properties": {
            "TableName": name, "BillingMode": "PAY_PER_REQUEST",
            "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}], **more}}})

    def protected():
        answer = cloud.call_json("DynamoDB_20120810.DescribeTable", {"TableName": name})[1]
        return answer["Table"]["DeletionProtectionEnabled"]

    create(cfn, name, table())
    fail(cfn, name, table(DeletionProtectionEnabled=True, Tags=[{"Key": "too long", "Value": "v" * 300}]))
    assert protected()
    stack = cfn.describe_stacks(StackName=name)["Stacks"][0]["StackId"]
    cfn.delete_stack(StackName=name)
    assert settled(cfn, stack)["StackStatus"] == "DELETE_FAILED"
    assert "protect" in resources(cfn, name)["It"]["ResourceStatusReason"].lower()
    without = {"TableName": name, "DeletionProtectionEnabled": False}
    assert cloud.call_json("DynamoDB_20120810.UpdateTable", without)[0] == 200
    eventually(lambda: not protected())
    remove(cfn, name)
