"""Stack policies, and resources that are whole once they have been signalled, with boto3."""
import json

import pytest
from cloudformation_support import create, events, queue, resources, settled, template, told, update
from harness import eventually, quietly, refused, unique

WAIT = "AWS::CloudFormation::WaitCondition"


@pytest.fixture
def cfn(cloud):
    return cloud.client("cloudformation")


@pytest.fixture
def name(cfn):
    name = unique("policy")
    yield name
    quietly(cfn.delete_stack, StackName=name)


def statement(effect, action="Update:*", resource="*", **more):
    return {"Effect": effect, "Action": action, "Principal": "*", "Resource": resource, **more}


def policy(*statements):
    return json.dumps({"Statement": list(statements)})


EVERYTHING = policy(statement("Allow"))


def failures(cfn, name, seen):
    return {one[0]: one[2] for one in told(cfn, name)[seen:] if one[1] == "UPDATE_FAILED"}


def test_a_policy_is_set_and_shown_word_for_word(cloud, cfn, name):
    create(cfn, name, template())
    assert "StackPolicyBody" not in cfn.get_stack_policy(StackName=name)
    body = '{ "Statement":' + json.dumps([statement("Allow")]) + "}"
    cfn.set_stack_policy(StackName=name, StackPolicyBody=body)
    assert cfn.get_stack_policy(StackName=name)["StackPolicyBody"] == body
    bucket = unique("policies")
    cloud.s3.create_bucket(Bucket=bucket)
    cloud.s3.put_object(Bucket=bucket, Key="policy", Body=EVERYTHING.encode())
    cfn.set_stack_policy(StackName=name, StackPolicyURL=f"https://s3.amazonaws.com/{bucket}/policy")
    assert cfn.get_stack_policy(StackName=name)["StackPolicyBody"] == EVERYTHING


@pytest.mark.parametrize("body", [
    "no json", "{}", policy(), policy({}), policy(statement("Perhaps")), policy(statement("Allow", "Update:Move")),
    policy(statement("Allow", resource="Queue")), policy({**statement("Allow"), "Principal": "me"}),
    policy({**statement("Allow"), "NotAction": "Update:*"}),
    policy(statement("Allow", Condition={"StringEquals": {"Colour": "red"}})), policy({**statement("Allow"), "More": 1})])
def test_what_is_no_policy_is_refused(cfn, name, body):
    create(cfn, name, template())
    with refused("ValidationError", "Error validating stack policy: Invalid stack policy"):
        cfn.set_stack_policy(StackName=name, StackPolicyBody=body)


def test_a_policy_names_what_the_template_has(cfn, name):
    create(cfn, name, template())
    with refused("ValidationError", "Error validating stack policy: Unknown logical id 'LogicalResourceId/Other' in statement {} "
                                    "- stack policies can only be applied to logical ids referenced in the template"):
        cfn.set_stack_policy(StackName=name, StackPolicyBody=policy(statement("Deny", resource="LogicalResourceId/Other")))
    with refused("ValidationError", "You cannot specify both StackPolicyURL and StackPolicyBody"):
        cfn.set_stack_policy(StackName=name, StackPolicyBody=EVERYTHING, StackPolicyURL="https://s3.amazonaws.com/a/b")


def test_an_update_that_a_policy_denies_is_taken_back(cfn, name):
    guarded = policy(statement("Allow"), statement("Deny", "Update:Replace", "LogicalResourceId/A"),
                     statement("Deny", "Update:Modify", "LogicalResourceId/B*"),
                     statement("Deny", "Update:Delete", Condition={"StringLike": {"ResourceType": ["AWS::SQS::*"]}}))
    first = {"A": queue(DelaySeconds=1), "B": queue(DelaySeconds=1)}
    create(cfn, name, template(first), StackPolicyBody=guarded)

    def denied(changed, expected):
        seen = len(events(cfn, name))
        update(cfn, name, template(changed), "UPDATE_ROLLBACK_COMPLETE")
        assert failures(cfn, name, seen) == expected
        assert set(resources(cfn, name)) == {"A", "B"}

    said = "Action denied by stack policy: Statement [#{}] does not allow [{}] for resource [LogicalResourceId/{}]"
    denied({**first, "A": queue(QueueName=f"{name}-other")}, {"A": said.format(2, "Update:Replace", "A")})
    denied({**first, "B": queue(DelaySeconds=2)}, {"B": said.format(3, "Update:Modify", "B")})
    denied({"A": first["A"]}, {"B": said.format(4, "Update:Delete", "B")})
    update(cfn, name, template({**first, "A": queue(DelaySeconds=2), "New": queue()}))
    # Whom the policy denies nothing but for once.
    update(cfn, name, template({"A": first["A"]}), StackPolicyDuringUpdateBody=EVERYTHING)
    assert cfn.get_stack_policy(StackName=name)["StackPolicyBody"] == guarded


def test_what_no_statement_allows_is_denied(cfn, name):
    create(cfn, name, template({"A": queue(), "B": queue()}),
           StackPolicyBody=policy(statement("Allow", resource="LogicalResourceId/A")))
    seen = len(events(cfn, name))
    update(cfn, name, template({"A": queue(), "B": queue(DelaySeconds=1)}), "UPDATE_ROLLBACK_COMPLETE")
    assert failures(cfn, name, seen) == {
        "B": "Action denied by stack policy: No statement allows [Update:Modify] for resource [LogicalResourceId/B]"}
    update(cfn, name, template({"A": queue(DelaySeconds=1), "B": queue()}), StackPolicyBody=EVERYTHING)
    assert cfn.get_stack_policy(StackName=name)["StackPolicyBody"] == EVERYTHING  # from now on
    update(cfn, name, template({"A": queue(), "B": queue(DelaySeconds=1)}))


def signalled(**signal):
    return template({"Wait": {"Type": WAIT, "CreationPolicy": {"ResourceSignal": signal}}})


def begin(cfn, name, body):
    stack = cfn.create_stack(StackName=name, TemplateBody=body)["StackId"]
    eventually(lambda: "Wait" in resources(cfn, stack), "the wait condition")
    return stack


def test_a_wait_condition_waits_for_signals(cfn, name):
    begin(cfn, name, signalled(Count=2, Timeout="PT5M"))
    for one in ("a", "a", "b"):  # the same one twice is one
        assert settled_not(cfn, name)
        cfn.signal_resource(StackName=name, LogicalResourceId="Wait", UniqueId=one, Status="SUCCESS")
    assert settled(cfn, name)["StackStatus"] == "CREATE_COMPLETE"
    with refused("ValidationError", "state and can not be signaled."):
        cfn.signal_resource(StackName=name, LogicalResourceId="Wait", UniqueId="c", Status="SUCCESS")


def settled_not(cfn, name):
    return cfn.describe_stacks(StackName=name)["Stacks"][0]["StackStatus"] == "CREATE_IN_PROGRESS"


def test_a_failure_that_is_signalled_fails_the_resource(cfn, name):
    stack = begin(cfn, name, signalled())
    with refused("ValidationError", f"Resource Other does not exist for stack {name}"):
        cfn.signal_resource(StackName=name, LogicalResourceId="Other", UniqueId="a", Status="SUCCESS")
    cfn.signal_resource(StackName=name, LogicalResourceId="Wait", UniqueId="a", Status="FAILURE")
    assert settled(cfn, stack)["StackStatus"] == "ROLLBACK_COMPLETE"
    assert ("Wait", "CREATE_FAILED", "Received FAILURE signal with UniqueId a") in told(cfn, stack)


def test_signals_that_do_not_come_fail_the_resource(cfn, name):
    stack = cfn.create_stack(StackName=name, TemplateBody=signalled(Count=3, Timeout="PT1S"))["StackId"]
    assert settled(cfn, stack)["StackStatus"] == "ROLLBACK_COMPLETE"
    assert ("Wait", "CREATE_FAILED",
            "Failed to receive 3 resource signal(s) within the specified duration") in told(cfn, stack)


def test_creation_and_update_policies_of_other_types_are_refused(cfn, name):
    for attribute in ("CreationPolicy", "UpdatePolicy"):
        with refused("ValidationError", attribute):
            cfn.create_stack(StackName=name, TemplateBody=template({"Queue": {**queue(), attribute: {}}}))
