"""With --auth iam: state machines, and the roles that their tasks name."""
import json

import pytest

from authorization_support import ACCOUNT, policy, statement, trust
from harness import eventually, unique
from test_authorization import iam, root, server  # noqa: F401 (fixtures)

pytestmark = pytest.mark.local

SERVICE = "states.amazonaws.com"


def listing_as(role):
    return json.dumps({"StartAt": "List", "States": {"List": {
        "Type": "Task", "Resource": "arn:aws:states:::aws-sdk:dynamodb:listTables", "Parameters": {},
        "Credentials": {"RoleArn": role}, "End": True}}})


def make_role(iam, trust_policy):  # noqa: F811
    name = unique("role")
    return name, iam.create_role(RoleName=name, AssumeRolePolicyDocument=trust_policy)["Role"]["Arn"]


def ended(states, machine):
    run = states.start_execution(stateMachineArn=machine)["executionArn"]
    return eventually(lambda: (found := states.describe_execution(executionArn=run))["status"] != "RUNNING" and found)


def test_a_task_takes_on_a_role_that_its_machines_role_may(root, iam):  # noqa: F811
    states = root.client("stepfunctions")
    own, own_arn = make_role(iam, trust(Service=SERVICE))
    other, other_arn = make_role(iam, trust(Service=SERVICE))
    iam.put_role_policy(RoleName=other, PolicyName="own", PolicyDocument=policy(statement("dynamodb:ListTables")))
    machine = states.create_state_machine(name=unique("machine"), roleArn=own_arn,
                                          definition=listing_as(other_arn))["stateMachineArn"]

    def is_refused():
        run = ended(states, machine)
        assert (run["status"], run["error"]) == ("FAILED", "States.TaskFailed"), run
        assert (f"User: arn:aws:sts::{ACCOUNT}:assumed-role/{own}/StepFunctions is not authorized to perform: "
                f"sts:AssumeRole on resource: {other_arn}") in run["cause"]

    is_refused()
    iam.put_role_policy(RoleName=own, PolicyName="own", PolicyDocument=policy(statement("sts:AssumeRole", other_arn)))
    is_refused()  # it trusts the service, but not who uses it
    for trusted in ({"AWS": own_arn}, {"AWS": f"arn:aws:iam::{ACCOUNT}:root"}):
        iam.update_assume_role_policy(RoleName=other, PolicyDocument=trust(**trusted))
        assert ended(states, machine)["status"] == "SUCCEEDED", trusted
    iam.delete_role_policy(RoleName=own, PolicyName="own")
    is_refused()  # the account is trusted, whose policies do not let it
