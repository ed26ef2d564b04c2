"""Who may invoke a function: statements of its resource policy, which are kept and shown."""
import json

import pytest

from harness import refused, unique

TOPIC = "arn:aws:sns:us-east-1:123456789012:alarms"


@pytest.fixture
def function(cloud):
    return cloud.create_function("def handler(event, context): return 1")


def add(cloud, function, label, **more):
    statement = {"Action": "lambda:InvokeFunction", "Principal": "sns.amazonaws.com", **more}
    answer = cloud.functions.add_permission(FunctionName=function, StatementId=label, **statement)
    assert answer["ResponseMetadata"]["HTTPStatusCode"] == 201
    return json.loads(answer["Statement"])


def policy_of(cloud, function, **more):
    answer = cloud.functions.get_policy(FunctionName=function, **more)
    return json.loads(answer["Policy"]), answer["RevisionId"]


def test_a_statement_says_who_may_invoke_from_where(cloud, function):
    arn = cloud.functions.get_function_configuration(FunctionName=function)["FunctionArn"]
    topic = add(cloud, function, "topic", SourceArn=TOPIC)
    assert topic == {"Sid": "topic", "Effect": "Allow", "Principal": {"Service": "sns.amazonaws.com"},
                     "Action": "lambda:InvokeFunction", "Resource": arn,
                     "Condition": {"ArnLike": {"AWS:SourceArn": TOPIC}}}
    bucket = add(cloud, function, "bucket", Principal="s3.amazonaws.com", SourceArn="arn:aws:s3:::photos",
                 SourceAccount="123456789012")
    assert bucket["Condition"] == {"StringEquals": {"AWS:SourceAccount": "123456789012"},
                                   "ArnLike": {"AWS:SourceArn": "arn:aws:s3:::photos"}}
    account = add(cloud, function, "account", Principal="123456789012")
    assert account["Principal"] == {"AWS": "arn:aws:iam::123456789012:root"}
    assert "Condition" not in account

    policy, _ = policy_of(cloud, function)
    assert policy == {"Version": "2012-10-17", "Id": "default", "Statement": [topic, bucket, account]}


def test_a_policy_ends_with_its_last_statement(cloud, function):
    with refused("ResourceNotFoundException", "The resource you requested does not exist.", exactly=True, status=404):
        policy_of(cloud, function)
    add(cloud, function, "one")
    add(cloud, function, "two")
    cloud.functions.remove_permission(FunctionName=function, StatementId="one")
    policy, _ = policy_of(cloud, function)
    assert [statement["Sid"] for statement in policy["Statement"]] == ["two"]
    with refused("ResourceNotFoundException", "Statement one is not found in resource policy.", exactly=True, status=404):
        cloud.functions.remove_permission(FunctionName=function, StatementId="one")
    cloud.functions.remove_permission(FunctionName=function, StatementId="two")
    with refused("ResourceNotFoundException", status=404):
        policy_of(cloud, function)


def test_a_label_is_used_once(cloud, function):
    add(cloud, function, "one")
    with refused("ResourceConflictException", "The statement id (one) provided already exists. Please provide a new "
                 "statement id, or remove the existing statement.", exactly=True, status=409):
        add(cloud, function, "one", Principal="s3.amazonaws.com")


def test_a_change_may_name_the_revision_that_it_changes(cloud, function):
    add(cloud, function, "one")
    _, revision = policy_of(cloud, function)
    add(cloud, function, "two", RevisionId=revision)
    with refused("PreconditionFailedException", status=412):
        cloud.functions.remove_permission(FunctionName=function, StatementId="two", RevisionId=revision)


def test_versions_and_aliases_have_policies_and_revisions_of_their_own(cloud, function):
    version = cloud.functions.publish_version(FunctionName=function)["Version"]
    cloud.functions.create_alias(FunctionName=function, Name="live", FunctionVersion=version)
    for qualifier in (version, "live"):
        add(cloud, function, "one", Qualifier=qualifier)
        _, revision = policy_of(cloud, function, Qualifier=qualifier)
        two = add(cloud, function, "two", Qualifier=qualifier, RevisionId=revision)
        assert two["Resource"].endswith(f":{function}:{qualifier}")
        policy, changed = policy_of(cloud, function, Qualifier=qualifier)
        assert len(policy["Statement"]) == 2 and changed != revision
        with refused("PreconditionFailedException", status=412):
            add(cloud, function, "three", Qualifier=qualifier, RevisionId=revision)
    alias = cloud.functions.get_alias(FunctionName=function, Name="live")
    assert alias["RevisionId"] == changed
    with refused("ResourceNotFoundException", status=404):
        policy_of(cloud, function)


def test_wrong_statements_are_refused(cloud, function):
    with refused("InvalidParameterValueException", "The provided principal was invalid. Please check the principal and "
                 "try again."):
        add(cloud, function, "one", Principal="nobody")
    with refused("InvalidParameterValueException", "We currently do not support adding policies for $LATEST."):
        add(cloud, function, "one", Qualifier="$LATEST")
    with refused("ValidationException"):
        add(cloud, function, "one", Action="s3:GetObject")
    with refused("ResourceNotFoundException", "Function not found: ", status=404):
        add(cloud, unique("nothing"), "one")


def test_a_policy_goes_with_its_function(cloud):
    name = unique("function")
    cloud.create_function("def handler(event, context): return 1", name=name)
    add(cloud, name, "one")
    cloud.functions.delete_function(FunctionName=name)
    cloud.create_function("def handler(event, context): return 1", name=name)
    with refused("ResourceNotFoundException", status=404):
        policy_of(cloud, name)


# Recorded against AWS by others.
def test_who_or_what_is_not_there_is_refused_in_aws_words(cloud, function):
    arn = cloud.functions.get_function_configuration(FunctionName=function)["FunctionArn"]
    with refused("ResourceNotFoundException", f"Cannot find alias arn: {arn}:none", exactly=True, status=404):
        add(cloud, function, "s", Qualifier="none")
    with refused("ResourceNotFoundException", f"Cannot find alias arn: {arn}:none", exactly=True, status=404):
        cloud.functions.remove_permission(FunctionName=function, StatementId="s", Qualifier="none")
    with refused("InvalidParameterValueException",
                 "The provided principal was invalid. Please check the principal and try again.", exactly=True):
        add(cloud, function, "s", Principal="invalid.nonaws.com")
