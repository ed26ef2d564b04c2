"""With --auth iam: roles that are not there, or do not trust the service that they are given to, are given to none."""
import json

import pytest

from authorization_support import ACCOUNT, statement, trust
from harness import REGION, unique, zip_of
from test_authorization import denial, iam, person, root, server  # noqa: F401 (fixtures)

pytestmark = pytest.mark.local

PASS = json.dumps({"StartAt": "Pass", "States": {"Pass": {"Type": "Pass", "End": True}}})
QUEUE = f"arn:aws:sqs:{REGION}:{ACCOUNT}:jobs"
STATES = ("AccessDeniedException", 400,
          "Neither the global service principal states.amazonaws.com, nor the regional one is "
          "authorized to assume the provided role.")


def cannot_be_assumed(role, service):
    return "ValidationException", 400, f"Provided role '{role}' cannot be assumed by principal '{service}'."


@pytest.fixture
def roles(iam):  # noqa: F811
    """ARNs of roles that no service in question can take on."""
    of_others = iam.create_role(RoleName=unique("others"), AssumeRolePolicyDocument=trust(Service="ec2.amazonaws.com"))
    return f"arn:aws:iam::{ACCOUNT}:role/{unique('absent')}", of_others["Role"]["Arn"]


@pytest.fixture
def trusting(iam):  # noqa: F811
    def make(service):
        return iam.create_role(RoleName=unique("role"), AssumeRolePolicyDocument=trust(Service=service))["Role"]["Arn"]
    return make


def test_a_function_is_given_no_role_that_lambda_cannot_take_on(root, person, roles, trusting):  # noqa: F811
    new = {"FunctionName": unique("function"), "Runtime": "python3.12", "Handler": "app.handler",
           "Code": {"ZipFile": zip_of({"app.py": "def handler(event, context): pass\n"})}}
    refusal = "InvalidParameterValueException", 400, "The role defined for the function cannot be assumed by Lambda."
    for role in roles:
        assert denial(root.functions.create_function, Role=role, **new) == refusal
        nobody = person(statement("lambda:*"))
        assert denial(nobody.cloud.functions.create_function, Role=role, **new)[0] == "AccessDeniedException"
    root.functions.create_function(Role=trusting("lambda.amazonaws.com"), **new)
    update = root.functions.update_function_configuration
    for role in roles:
        assert denial(update, FunctionName=new["FunctionName"], Role=role) == refusal


def test_a_schedule_is_given_no_role_that_the_scheduler_cannot_take_on(root, roles, trusting):  # noqa: F811
    scheduler = root.client("scheduler")
    refusal = ("ValidationException", 400,
               "The execution role you provide must allow AWS EventBridge Scheduler to assume the role.")
    new = {"Name": unique("schedule"), "ScheduleExpression": "at(2100-01-01T00:00:00)",
           "FlexibleTimeWindow": {"Mode": "OFF"}}
    for role in roles:
        assert denial(scheduler.create_schedule, Target={"Arn": QUEUE, "RoleArn": role}, **new) == refusal
    scheduler.create_schedule(Target={"Arn": QUEUE, "RoleArn": trusting("scheduler.amazonaws.com")}, **new)
    for role in roles:
        assert denial(scheduler.update_schedule, Target={"Arn": QUEUE, "RoleArn": role}, **new) == refusal


def test_a_schedules_role_may_be_for_its_group_alone(root, iam):  # noqa: F811
    scheduler, group = root.client("scheduler"), unique("group")
    arn = scheduler.create_schedule_group(Name=group)["ScheduleGroupArn"]
    trusted = json.loads(trust(Service="scheduler.amazonaws.com"))
    trusted["Statement"][0]["Condition"] = {"StringEquals": {"aws:SourceArn": arn, "aws:SourceAccount": ACCOUNT}}
    role = iam.create_role(RoleName=unique("role"), AssumeRolePolicyDocument=json.dumps(trusted))["Role"]["Arn"]
    new = {"ScheduleExpression": "at(2100-01-01T00:00:00)", "FlexibleTimeWindow": {"Mode": "OFF"},
           "Target": {"Arn": QUEUE, "RoleArn": role}}
    assert denial(scheduler.create_schedule, Name=unique("schedule"), **new)[0] == "ValidationException"
    scheduler.create_schedule(Name=unique("schedule"), GroupName=group, **new)


def test_a_machine_is_given_no_role_that_step_functions_cannot_take_on(root, roles, trusting):  # noqa: F811
    states = root.client("stepfunctions")
    for role in roles:
        assert denial(states.create_state_machine, name=unique("machine"), roleArn=role, definition=PASS) == STATES
    machine = states.create_state_machine(name=unique("machine"), roleArn=trusting("states.amazonaws.com"),
                                          definition=PASS)["stateMachineArn"]
    for role in roles:
        assert denial(states.update_state_machine, stateMachineArn=machine, roleArn=role) == STATES


def test_a_pipe_and_a_rule_are_given_no_role_that_cannot_be_taken_on(root, roles):  # noqa: F811
    events, rule = root.client("events"), unique("rule")
    events.put_rule(Name=rule, EventPattern=json.dumps({"source": ["shop"]}))
    for role in roles:
        assert denial(root.client("pipes").create_pipe, Name=unique("pipe"), RoleArn=role, Source=QUEUE,
                      Target=QUEUE) == cannot_be_assumed(role, "pipes.amazonaws.com")
        assert denial(events.put_targets, Rule=rule, Targets=[{"Id": "1", "Arn": QUEUE, "RoleArn": role}]) == (
            cannot_be_assumed(role, "events.amazonaws.com"))


def test_a_subscription_is_given_no_role_that_logs_cannot_take_on(root, roles):  # noqa: F811
    logs, group = root.client("logs"), unique("group")
    logs.create_log_group(logGroupName=group)
    refusal = "Make sure you have given CloudWatch Logs permission to assume the provided role."
    for role in roles:
        said = denial(logs.put_subscription_filter, logGroupName=group, filterName="f", filterPattern="", roleArn=role,
                      destinationArn=f"arn:aws:kinesis:{REGION}:{ACCOUNT}:stream/s")
        assert said == ("ValidationException", 400, refusal)


@pytest.mark.parametrize("arn", ["miller", f"arn:aws:iam::{ACCOUNT}:user/miller", "arn:aws:iam::1:role/miller"])
def test_what_is_no_roles_arn_is_told_first(root, person, arn):  # noqa: F811
    """Whoever asks: rights are asked for afterwards."""
    for cloud in root, person(statement("s3:GetObject")).cloud:
        machines, events, schedule = cloud.client("stepfunctions"), cloud.client("events"), cloud.client("scheduler")
        invalid_arn = "InvalidArn", 400, f"Invalid Role Arn: '{arn}'"
        assert denial(machines.create_state_machine, name="m", definition=PASS, roleArn=arn) == invalid_arn
        machine = f"arn:aws:states:{REGION}:{ACCOUNT}:stateMachine:m"
        assert denial(machines.update_state_machine, stateMachineArn=machine, roleArn=arn) == invalid_arn
        target = {"Id": "1", "Arn": QUEUE, "RoleArn": arn}
        reason = "Reason: Provided Arn is not in correct format."
        invalid = "ValidationException", 400, f"Parameter {arn} is not valid. {reason}"
        assert denial(events.put_targets, Rule="r", Targets=[target]) == invalid
        assert denial(events.put_rule, Name="r", ScheduleExpression="rate(1 hour)", RoleArn=arn) == invalid
        refusal = denial(schedule.create_schedule, Name="s", ScheduleExpression="rate(1 hour)",
                         FlexibleTimeWindow={"Mode": "OFF"}, Target={"Arn": QUEUE, "RoleArn": arn})
        assert refusal[:2] == ("ValidationException", 400)
