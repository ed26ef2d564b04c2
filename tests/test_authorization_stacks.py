"""What is begun under a role is carried out under it: requests of Cloud Control, and stacks."""
import json

import pytest

from authorization_support import ACCOUNT, policy, statement, trust
from cloudformation_support import QUEUE, queue, settled, template, told
from harness import REGION, eventually, quietly, unique, zip_of
from sns_support import Subscriber
from test_authorization import iam, person, root, server  # noqa: F401 (fixtures)

pytestmark = pytest.mark.local

CALLER = """
import boto3
def handler(event, context):
    answer = getattr(boto3.client(event["service"]), event["operation"])(**event["arguments"])
    return answer.get("StackId") or answer["ProgressEvent"]["RequestToken"]
"""
MAY_BEGIN = [statement("cloudformation:*")]
MAY_ALL = [*MAY_BEGIN, statement("sqs:*")]


class Actor:
    """A role, and something that acts under it."""

    def __init__(self, root, iam, service):
        self.root, self.iam, self.name = root, iam, unique("actor")
        self.role = iam.create_role(RoleName=self.name, AssumeRolePolicyDocument=trust(Service=service))["Role"]["Arn"]
        self.may(MAY_BEGIN)

    def may(self, statements):
        self.iam.put_role_policy(RoleName=self.name, PolicyName="own", PolicyDocument=policy(*statements))


class Function(Actor):
    def __init__(self, root, iam):
        super().__init__(root, iam, "lambda.amazonaws.com")
        root.functions.create_function(
            FunctionName=self.name, Runtime="python3.12", Handler="app.handler", Role=self.role, Timeout=60,
            Code={"ZipFile": zip_of({"app.py": CALLER})})
        root.functions.get_waiter("function_active_v2").wait(FunctionName=self.name, WaiterConfig={"Delay": 1})

    def begin(self, service, operation, **arguments):
        answer = self.root.functions.invoke(FunctionName=self.name, Payload=json.dumps(
            {"service": service, "operation": operation, "arguments": arguments}))
        assert "FunctionError" not in answer, answer["Payload"].read()
        return json.load(answer["Payload"])


class Machine(Actor):
    def __init__(self, root, iam):
        super().__init__(root, iam, "states.amazonaws.com")
        self.states = root.client("stepfunctions")

    def begin(self, service, operation, **arguments):
        task = "".join(part if i == 0 else part.title() for i, part in enumerate(operation.split("_")))
        definition = {"StartAt": "Call", "States": {"Call": {
            "Type": "Task", "Resource": f"arn:aws:states:::aws-sdk:{service}:{task}", "Parameters": arguments,
            "End": True}}}
        machine = self.states.create_state_machine(name=unique("machine"), roleArn=self.role,
                                                   definition=json.dumps(definition))["stateMachineArn"]
        run = self.states.start_execution(stateMachineArn=machine)["executionArn"]
        ended = eventually(lambda: (found := self.states.describe_execution(executionArn=run))[
            "status"] != "RUNNING" and found)
        self.states.delete_state_machine(stateMachineArn=machine)
        assert ended["status"] == "SUCCEEDED", ended
        answer = json.loads(ended["output"])
        return answer.get("StackId") or answer["ProgressEvent"]["RequestToken"]


@pytest.fixture(params=[Function, Machine])
def actor(request, root, iam):  # noqa: F811
    made = request.param(root, iam)
    yield made
    quietly(root.functions.delete_function, FunctionName=made.name)


def refusal(actor):
    return f"assumed-role/{actor.name}/", "is not authorized to perform: sqs:getqueueurl"


def test_a_request_of_cloud_control_may_what_the_role_may(root, actor):  # noqa: F811
    control, name = root.client("cloudcontrol"), unique("queue")

    def make():
        token = actor.begin("cloudcontrol", "create_resource", TypeName=QUEUE,
                            DesiredState=json.dumps({"QueueName": name}))
        return eventually(lambda: (found := control.get_resource_request_status(RequestToken=token)["ProgressEvent"])[
            "OperationStatus"] not in ("PENDING", "IN_PROGRESS") and found)

    denied = make()
    assert (denied["OperationStatus"], denied["ErrorCode"]) == ("FAILED", "AccessDenied"), denied
    assert all(part in denied["StatusMessage"] for part in refusal(actor)), denied["StatusMessage"]
    actor.may(MAY_ALL)
    made = make()
    assert made["OperationStatus"] == "SUCCESS", made["StatusMessage"]
    root.sqs.delete_queue(QueueUrl=made["Identifier"])


def test_a_stack_may_what_the_role_may(root, actor):  # noqa: F811
    cfn = root.client("cloudformation")

    def make():
        return actor.begin("cloudformation", "create_stack", StackName=unique("stack"),
                           TemplateBody=template({"Queue": queue(DelaySeconds=1)}))

    denied = make()
    assert settled(cfn, denied)["StackStatus"] == "ROLLBACK_COMPLETE"
    reasons = [reason for name, status, reason in told(cfn, denied) if (name, status) == ("Queue", "CREATE_FAILED")]
    assert len(reasons) == 1 and all(part in reasons[0] for part in refusal(actor)), reasons
    actor.may(MAY_ALL)
    made = make()
    assert settled(cfn, made)["StackStatus"] == "CREATE_COMPLETE", told(cfn, made)
    cfn.delete_stack(StackName=made)
    settled(cfn, made)


def test_a_stack_tells_no_topic_that_its_caller_may_not(root, person):  # noqa: F811
    cfn, name = root.client("cloudformation"), unique("told")
    topics = [root.client("sns").create_topic(Name=f"{name}-{which}")["TopicArn"] for which in ("denied", "open")]
    inboxes = [Subscriber(root, topic, RawMessageDelivery="true") for topic in topics]
    somebody = person(statement("cloudformation:*"), statement("sns:Publish", topics[1]))
    stack = somebody.client("cloudformation").create_stack(
        StackName=name, TemplateBody=template({"Handle": {"Type": "AWS::CloudFormation::WaitConditionHandle"}}),
        NotificationARNs=topics)["StackId"]
    assert settled(cfn, stack)["StackStatus"] == "CREATE_COMPLETE", told(cfn, stack)
    # Each event goes to the first topic and then to the other.
    assert len(inboxes[1].bodies(len(told(cfn, stack)))) > 0
    assert "Messages" not in root.sqs.receive_message(QueueUrl=inboxes[0].url)


def test_a_deletion_is_made_with_the_rights_of_who_deletes(root, person):  # noqa: F811
    cfn, name = root.client("cloudformation"), unique("cut")
    handle = {"Type": "AWS::CloudFormation::WaitConditionHandle"}
    wait = {"Type": "AWS::CloudFormation::WaitCondition", "DependsOn": "Queue",
            "Properties": {"Handle": {"Ref": "Handle"}, "Timeout": "3600"}}
    stack = cfn.create_stack(StackName=name, TemplateBody=template(
        {"Queue": queue(DelaySeconds=1), "Handle": handle, "Wait": wait}))["StackId"]
    eventually(lambda: ("Wait", "CREATE_IN_PROGRESS") in [(one[0], one[1]) for one in told(cfn, stack)])
    person(statement("cloudformation:*")).client("cloudformation").delete_stack(StackName=stack)
    assert settled(cfn, stack)["StackStatus"] == "DELETE_FAILED", told(cfn, stack)
    failed = [reason for _, status, reason in told(cfn, stack) if status == "DELETE_FAILED"]
    assert any("sqs:" in reason.lower() for reason in failed), failed
    cfn.delete_stack(StackName=stack)
    assert settled(cfn, stack)["StackStatus"] == "DELETE_COMPLETE", told(cfn, stack)


def trusting_for(stack):
    """A trust policy that lets CloudFormation take the role on for stacks of one name."""
    source = f"arn:aws:cloudformation:{REGION}:{ACCOUNT}:stack/{stack}/*"
    return policy({"Effect": "Allow", "Principal": {"Service": "cloudformation.amazonaws.com"}, "Action": "sts:AssumeRole",
                   "Condition": {"ArnLike": {"aws:SourceArn": source}, "StringEquals": {"aws:SourceAccount": ACCOUNT}}})


def test_a_role_is_taken_on_for_the_stacks_alone_that_its_trust_policy_names(root, iam):  # noqa: F811
    cfn, name, trusted = root.client("cloudformation"), unique("role"), unique("stack")
    role = iam.create_role(RoleName=name, AssumeRolePolicyDocument=trusting_for(trusted))["Role"]["Arn"]
    iam.put_role_policy(RoleName=name, PolicyName="own", PolicyDocument=policy(
        statement("sqs:*", Condition={"Bool": {"aws:ViaAWSService": "false"}})))  # it is the role itself that calls

    def make(stack):
        made = cfn.create_stack(StackName=stack, TemplateBody=template({"Queue": queue(DelaySeconds=1)}), RoleARN=role)
        return made["StackId"], settled(cfn, made["StackId"])["StackStatus"]

    other, ended = make(unique("other"))
    assert ended == "ROLLBACK_COMPLETE", told(cfn, other)
    reasons = [reason for resource, status, reason in told(cfn, other) if (resource, status) == ("Queue", "CREATE_FAILED")]
    assert len(reasons) == 1 and "sts:AssumeRole" in reasons[0] and role in reasons[0], reasons
    made, ended = make(trusted)
    assert ended == "CREATE_COMPLETE", told(cfn, made)
    cfn.delete_stack(StackName=made)
    assert settled(cfn, made)["StackStatus"] == "DELETE_COMPLETE", told(cfn, made)
    cfn.delete_stack(StackName=other)
    settled(cfn, other)
    iam.delete_role_policy(RoleName=name, PolicyName="own")
    iam.delete_role(RoleName=name)


def test_an_output_of_another_stack_is_asked_for_as_the_role_that_is_named(root, iam, person):  # noqa: F811
    cfn, teller = root.client("cloudformation"), unique("teller")
    made = cfn.create_stack(StackName=teller, TemplateBody=template(Outputs={"Told": {"Value": "a word"}}))["StackId"]
    assert settled(cfn, made)["StackStatus"] == "CREATE_COMPLETE"
    # Whoever begins the stacks may not ask for others himself.
    somebody = person(statement(["cloudformation:CreateStack", "sqs:*"]), statement("sts:AssumeRole"))

    def role(trusted, *statements):
        name = unique("reader")
        arn = iam.create_role(RoleName=name, AssumeRolePolicyDocument=trusted)["Role"]["Arn"]
        if statements:
            iam.put_role_policy(RoleName=name, PolicyName="own", PolicyDocument=policy(*statements))
        return arn

    may_ask = statement("cloudformation:DescribeStacks", made.rsplit("/", 1)[0] + "/*")
    reader = role(trust(AWS=somebody.arn), may_ask)
    without_rights = role(trust(AWS=somebody.arn))
    of_others = role(trust(Service="lambda.amazonaws.com"), may_ask)

    def ask(**more):
        output = {"Fn::GetStackOutput": {"StackName": teller, "OutputName": "Told", **more}}
        body = template({"Queue": queue(Tags=[{"Key": "told", "Value": output}])},
                        Outputs={"Url": {"Value": {"Ref": "Queue"}}})
        asker = somebody.client("cloudformation").create_stack(StackName=unique("asker"), TemplateBody=body)["StackId"]
        ended = settled(cfn, asker)
        reasons = [reason for name, status, reason in told(cfn, asker) if (name, status) == ("Queue", "CREATE_FAILED")]
        tag = None
        if ended["StackStatus"] == "CREATE_COMPLETE":
            tag = root.sqs.list_queue_tags(QueueUrl=ended["Outputs"][0]["OutputValue"])["Tags"]["told"]
        cfn.delete_stack(StackName=asker)
        assert settled(cfn, asker)["StackStatus"] == "DELETE_COMPLETE", told(cfn, asker)
        return tag, reasons

    assert ask(RoleArn=reader) == ("a word", [])
    for more, asked_by, action in [
            ({}, somebody.arn, "cloudformation:DescribeStacks"),
            ({"RoleArn": without_rights}, f"{without_rights.rsplit('/', 1)[1]}/", "cloudformation:DescribeStacks"),
            ({"RoleArn": of_others}, somebody.arn, "sts:AssumeRole")]:
        tag, reasons = ask(**more)
        assert tag is None and len(reasons) == 1, (more, reasons)
        assert asked_by in reasons[0] and f"is not authorized to perform: {action}" in reasons[0], reasons
    cfn.delete_stack(StackName=made)
    assert settled(cfn, made)["StackStatus"] == "DELETE_COMPLETE"
