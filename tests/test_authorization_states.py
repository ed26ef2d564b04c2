"""With --auth iam: state machines, their versions and aliases, and the roles that their tasks name."""
import json

import pytest

from authorization_support import ACCOUNT, policy, statement, trust
from harness import REGION, eventually, unique
from test_authorization import denial, iam, person, root, server  # noqa: F401 (fixtures)

pytestmark = pytest.mark.local

SERVICE = "states.amazonaws.com"
PASS = json.dumps({"StartAt": "Pass", "States": {"Pass": {"Type": "Pass", "End": True}}})


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


def test_a_distributed_map_reads_what_its_role_may(root, iam):  # noqa: F811
    s3, states, bucket = root.client("s3"), root.client("stepfunctions"), unique("bucket")
    s3.create_bucket(Bucket=bucket)
    s3.put_object(Bucket=bucket, Key="items", Body=b"[1, 2]")
    name, arn = make_role(iam, trust(Service=SERVICE))
    definition = json.dumps({"StartAt": "Each", "States": {"Each": {
        "Type": "Map", "End": True,
        "ItemReader": {"Resource": "arn:aws:states:::s3:getObject", "ReaderConfig": {"InputType": "JSON"},
                       "Parameters": {"Bucket": bucket, "Key": "items"}},
        "ItemProcessor": {"ProcessorConfig": {"Mode": "DISTRIBUTED", "ExecutionType": "EXPRESS"},
                          **json.loads(PASS)}}}})
    machine = states.create_state_machine(name=unique("machine"), roleArn=arn, definition=definition)["stateMachineArn"]
    run = ended(states, machine)
    assert (run["status"], run["error"]) == ("FAILED", "States.ItemReaderFailed"), run
    iam.put_role_policy(RoleName=name, PolicyName="own",
                        PolicyDocument=policy(statement("s3:GetObject", f"arn:aws:s3:::{bucket}/items")))
    run = ended(states, machine)
    assert (run["status"], run.get("output")) == ("SUCCEEDED", "[1,2]"), run


@pytest.mark.parametrize("kind", ["STANDARD", "EXPRESS"])
def test_a_machine_logs_where_its_role_may_deliver_logs(person, root, iam, kind):  # noqa: F811
    logs, group = root.client("logs"), unique("group")
    logs.create_log_group(logGroupName=group)
    logging = {"level": "ALL", "includeExecutionData": True, "destinations": [
        {"cloudWatchLogsLogGroup": {"logGroupArn": f"arn:aws:logs:{REGION}:{ACCOUNT}:log-group:{group}:*"}}]}
    weak, weak_arn = make_role(iam, trust(Service=SERVICE))
    strong, strong_arn = make_role(iam, trust(Service=SERVICE))
    iam.put_role_policy(RoleName=strong, PolicyName="own", PolicyDocument=policy(statement("logs:CreateLogDelivery")))
    mine = person(statement(["states:*", "iam:PassRole"])).client("stepfunctions")
    refusal = ("AccessDeniedException", 400, "The state machine IAM Role is not authorized to access the Log Destination")
    new = {"definition": PASS, "type": kind, "loggingConfiguration": logging}
    assert denial(mine.create_state_machine, name=unique("machine"), roleArn=weak_arn, **new) == refusal
    machine = mine.create_state_machine(name=unique("machine"), roleArn=strong_arn, **new)["stateMachineArn"]
    assert denial(mine.update_state_machine, stateMachineArn=machine, roleArn=weak_arn) == refusal
    mine.start_execution(stateMachineArn=machine)
    eventually(lambda: logs.filter_log_events(logGroupName=group)["events"], "the execution is logged")
    mine.update_state_machine(stateMachineArn=machine, roleArn=weak_arn, loggingConfiguration={"level": "OFF"})
    assert denial(mine.update_state_machine, stateMachineArn=machine, loggingConfiguration=logging) == refusal


# What Debian's boto3 does not know yet.
def ask(cloud, operation, **members):
    return cloud.call_json(f"AWSStepFunctions.{operation}", members, "states")[1]


def is_denied(answer):
    return answer["__type"].endswith("#AccessDeniedException")


def test_a_version_or_alias_of_a_machine_leads_past_no_denial(person, root, iam):  # noqa: F811
    _, role = make_role(iam, trust(Service=SERVICE))
    arn = ask(root, "CreateStateMachine", name=unique("machine"), roleArn=role, definition=PASS, publish=True)["stateMachineArn"]
    alias = ask(root, "CreateStateMachineAlias", name="PROD", routingConfiguration=[
        {"stateMachineVersionArn": f"{arn}:1", "weight": 100}])["stateMachineAliasArn"]
    someone = person(statement("states:*"), statement("states:*", arn, "Deny"))
    mine = someone.client("stepfunctions")
    for spelled in (arn, f"{arn}:1", alias):
        for call in (mine.start_execution, mine.describe_state_machine, mine.list_executions):
            said = denial(call, stateMachineArn=spelled)
            assert said[0] == "AccessDeniedException" and f"on resource: {arn} " in said[2], spelled
    assert is_denied(ask(someone.cloud, "DescribeStateMachineAlias", stateMachineAliasArn=alias))
    assert is_denied(ask(someone.cloud, "DeleteStateMachineAlias", stateMachineAliasArn=alias))
    assert is_denied(ask(someone.cloud, "DeleteStateMachineVersion", stateMachineVersionArn=f"{arn}:1"))
    someone.may(statement("states:StartExecution", arn, Condition={"StringEquals": {"states:StateMachineQualifier": "PROD"}}))
    mine.start_execution(stateMachineArn=alias)
    assert denial(mine.start_execution, stateMachineArn=arn)[0] == "AccessDeniedException"
    assert denial(mine.start_execution, stateMachineArn=f"{arn}:1")[0] == "AccessDeniedException"


def test_whoever_publishes_with_a_machine_needs_the_right_to_publish(person, iam):  # noqa: F811
    _, role = make_role(iam, trust(Service=SERVICE))
    allowed = statement(["states:CreateStateMachine", "iam:PassRole"])
    someone, name = person(allowed), unique("machine")

    def create(name, publish):
        return ask(someone.cloud, "CreateStateMachine", name=name, roleArn=role, definition=PASS, publish=publish)
    said = create(name, True)
    assert is_denied(said)
    assert f"states:PublishStateMachineVersion on resource: arn:aws:states:{REGION}:{ACCOUNT}:stateMachine:{name}" in said[
        "message"]
    assert create(name, False)["stateMachineArn"]
    someone.may(allowed, statement("states:PublishStateMachineVersion"))
    assert create(unique("machine"), True)["stateMachineVersionArn"]
