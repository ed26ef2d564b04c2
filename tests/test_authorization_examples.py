"""Whole applications with --auth iam: they run with the rights that they need, and fail where one is taken away."""
import json
import os
import subprocess

import pytest

from authorization_support import ACCOUNT, policy, statement, trust
from harness import REGION, ROOT, SERVER, Cloud, Server, eventually, refused
from npm_support import Tool, copy_of

pytestmark = pytest.mark.local
TEN_MINUTES = 600


class Guarded:
    """A server that judges, its root, and a role that functions may take on."""

    def __init__(self, directory, role, *services, flags=()):
        self.server = Server(directory / "data", "--auth", "iam", "--clock", "virtual", *flags).start()
        key = self.server.root_key
        self.keys = {name: key[name] for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")}
        authority = str(self.server.data / "tls/authority.pem") if "--tls-self-signed" in flags else None
        self.trust = dict.fromkeys(("AWS_CA_BUNDLE", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"), authority) if authority else {}
        self.cloud = Cloud(self.server.endpoint, access_key=self.keys["AWS_ACCESS_KEY_ID"],
                           secret_key=self.keys["AWS_SECRET_ACCESS_KEY"], verify=authority)
        self.home, self.role = directory, role
        self.iam = self.cloud.client("iam")
        document = trust(Service=list(services))
        self.arn = self.iam.create_role(RoleName=role, AssumeRolePolicyDocument=document)["Role"]["Arn"]

    def let_role(self, *statements):
        self.iam.put_role_policy(RoleName=self.role, PolicyName="own", PolicyDocument=policy(*statements))

    def run(self, program, *arguments):
        environment = {**{name: text for name, text in os.environ.items() if not name.startswith("AWS_")}, **self.keys, **self.trust,
                       "TIDEMILL_ENDPOINT": self.server.endpoint, "HOME": str(self.home), "ROLE_ARN": self.arn}
        done = subprocess.run([str(program), *arguments], capture_output=True, text=True, timeout=300, env=environment)
        assert done.returncode == 0, done.stderr + self.server.log()[-3000:]
        return done.stdout.splitlines()


def begin_window(guarded):
    """Windows and minutes fall the same way in each run."""
    guarded.cloud.advance(TEN_MINUTES - guarded.cloud.now() % TEN_MINUTES)


@pytest.fixture
def expiry(tmp_path):
    guarded = Guarded(tmp_path, "precise-expiry", "lambda.amazonaws.com")
    begin_window(guarded)
    yield guarded
    guarded.server.kill()


def test_expiry_by_hand_needs_the_right_to_query(expiry):
    folder = ROOT / "examples" / "precise-expiry"
    table = f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/sessions-by-hand"
    delete, query = statement("dynamodb:BatchWriteItem", table), statement("dynamodb:Query", f"{table}/index/by-window")
    expiry.let_role(delete, query)
    expiry.run(folder / "deploy")
    expiry.run(folder / "write", "--items", "60", "--seconds-apart", "10")
    expiry.run(SERVER, "clock", "advance", "301s")
    assert expiry.run(folder / "report")[1] == "sessions-by-hand: 31 items, 0 of them left behind"
    expiry.let_role(delete)
    expiry.run(SERVER, "clock", "advance", "2m")
    who = f"arn:aws:sts::{ACCOUNT}:assumed-role/precise-expiry/expire"
    denied = (f"(AccessDeniedException) when calling the Query operation: User: {who} is not authorized to perform: "
              f"dynamodb:Query on resource: {table}/index/by-window because no identity-based policy allows the "
              "dynamodb:Query action")
    eventually(lambda: any(denied in line for line in expiry.run(SERVER, "logs", "expire")), "the function is denied")
    assert expiry.cloud.dynamodb.scan(TableName="sessions-by-hand", ConsistentRead=True)["Count"] == 31
    expiry.let_role(delete, query)
    expiry.run(SERVER, "clock", "advance", "10m")
    assert expiry.cloud.dynamodb.scan(TableName="sessions-by-hand", ConsistentRead=True)["Count"] < 31


# --- a stack of the AWS CDK, deployed by a user who may do everything ---------------------------------------------------

STACK = ROOT / "examples" / "precise-expiry"
DEPLOY = ("deploy", "--require-approval", "never", "--no-notices")


@pytest.fixture
def stack(tmp_path, monkeypatch):
    """With TLS, as the policy of the bucket that the CDK makes for itself allows nothing else."""
    guarded = Guarded(tmp_path, "unused", "lambda.amazonaws.com", flags=("--tls-self-signed",))
    monkeypatch.setenv("SSL_CERT_FILE", guarded.trust["SSL_CERT_FILE"])
    yield guarded
    guarded.server.kill()


def test_a_stacks_function_fails_without_the_statement_that_lets_it_query(stack, tmp_path):
    expiry, user = stack, "deployer"
    expiry.iam.create_user(UserName=user)
    expiry.iam.attach_user_policy(UserName=user, PolicyArn="arn:aws:iam::aws:policy/AdministratorAccess")
    key = expiry.iam.create_access_key(UserName=user)["AccessKey"]
    cdk = Tool("cdk", copy_of(STACK / "cdk", tmp_path / "cdk"), expiry.server, tmp_path,
               AWS_ACCESS_KEY_ID=key["AccessKeyId"], AWS_SECRET_ACCESS_KEY=key["SecretAccessKey"],
               AWS_EC2_METADATA_DISABLED="true", CDK_DISABLE_CLI_TELEMETRY="true", CDK_VALIDATION="false", **expiry.trust)
    cdk("bootstrap", "--no-notices")
    cdk(*DEPLOY)
    begin_window(expiry)
    expiry.run(STACK / "write", "--items", "60", "--seconds-apart", "10")
    expiry.run(SERVER, "clock", "advance", "301s")
    assert expiry.run(STACK / "report") == ["sessions-native: 30 items, 0 of them left behind",
                                            "sessions-by-hand: 31 items, 0 of them left behind"]

    role = expiry.cloud.functions.get_function_configuration(FunctionName="expire")["Role"].rsplit("/", 1)[1]
    (name,) = expiry.iam.list_role_policies(RoleName=role)["PolicyNames"]
    (whole,) = expiry.iam.get_role_policy(RoleName=role, PolicyName=name)["PolicyDocument"]["Statement"]
    expiry.iam.put_role_policy(RoleName=role, PolicyName=name, PolicyDocument=policy(
        {**whole, "Action": ["dynamodb:BatchWriteItem"]}))
    expiry.run(SERVER, "clock", "advance", "2m")
    index = f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/sessions-by-hand/index/by-window"
    denied = (f"User: arn:aws:sts::{ACCOUNT}:assumed-role/{role}/expire is not authorized to perform: dynamodb:Query on "
              f"resource: {index} because no identity-based policy allows the dynamodb:Query action")
    eventually(lambda: any("AccessDeniedException" in line and denied in line for line in expiry.run(SERVER, "logs", "expire")),
               "the function is denied")
    assert expiry.run(STACK / "report")[1].startswith("sessions-by-hand: 31 items")


# --- a workflow with its callbacks ---------------------------------------------------------------------------------------

CALLBACK = ROOT / "examples" / "callback-export"
TABLE = f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/export-runs"
MACHINE = f"arn:aws:states:{REGION}:{ACCOUNT}:stateMachine:callback-export"
EXPORTED, MANIFESTS = "arn:aws:s3:::callback-export/exports/*", "arn:aws:s3:::callback-export/manifests/*"
FIVE_MINUTES = 300


def queue(name):
    return f"arn:aws:sqs:{REGION}:{ACCOUNT}:{name}"


def rights_of_the_workflow(role):
    """What the schedule, the state machine, its functions and their queues need: each a statement of its own."""
    queues = [queue("export-start"), queue("export-poll")]
    objects = "arn:aws:s3:::callback-export/*"
    return [
        statement("states:StartExecution", MACHINE),
        statement("dynamodb:GetItem", TABLE),
        statement("dynamodb:UpdateItem", TABLE),
        statement("sqs:SendMessage", queues[0]),
        statement("sqs:SendMessage", queues[1]),
        statement(["sqs:ReceiveMessage", "sqs:GetQueueAttributes", "sqs:DeleteMessage"], queues),
        statement("states:SendTaskHeartbeat"),
        statement("states:SendTaskSuccess"),
        statement("states:SendTaskFailure"),
        statement(["healthlake:DescribeFHIRDatastore", "healthlake:ListFHIRExportJobs", "healthlake:StartFHIRExportJobWithPost",
                   "healthlake:DescribeFHIRExportJobWithGet"], f"arn:aws:healthlake:{REGION}:{ACCOUNT}:datastore/fhir/*"),
        statement("iam:PassRole", role, Condition={"StringEquals": {"iam:PassedToService": "healthlake.amazonaws.com"}}),
        statement("s3:PutObject", EXPORTED),
        statement("s3:PutObject", MANIFESTS),
        statement("s3:GetObject", objects),
        statement("lambda:InvokeFunction", f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:export-split"),
        statement("events:PutEvents", f"arn:aws:events:{REGION}:{ACCOUNT}:event-bus/resource-changes"),
    ]


class Workflow(Guarded):
    def __init__(self, directory):
        super().__init__(directory, "callback-export", "lambda.amazonaws.com", "states.amazonaws.com",
                         "scheduler.amazonaws.com", "healthlake.amazonaws.com")
        self.rights = rights_of_the_workflow(self.arn)
        self.let_role(*self.rights)
        self.run(CALLBACK / "deploy")
        self.cloud.advance(60)

    def let_all_but(self, action, resource=None):
        left = [each for each in self.rights
                if each["Action"] != action or resource not in (None, each["Resource"])]
        assert len(left) == len(self.rights) - 1
        self.let_role(*left)

    def causes(self):
        """Why executions failed, those of the map included."""
        states = self.cloud.client("stepfunctions")
        for execution in states.list_executions(stateMachineArn=MACHINE, statusFilter="FAILED")["executions"]:
            yield states.describe_execution(executionArn=execution["executionArn"]).get("cause", "")
            for run in states.list_map_runs(executionArn=execution["executionArn"])["mapRuns"]:
                for child in states.list_executions(mapRunArn=run["mapRunArn"], statusFilter="FAILED")["executions"]:
                    yield states.describe_execution(executionArn=child["executionArn"]).get("cause", "")

    def lines_of_functions(self):
        return [line for name in ("export-start", "export-poll") for line in self.run(SERVER, "logs", name)]


@pytest.fixture(scope="module")
def workflow(tmp_path_factory):
    guarded = Workflow(tmp_path_factory.mktemp("workflow"))
    yield guarded
    guarded.server.kill()


def test_a_workflow_runs_with_the_rights_that_it_needs(workflow):
    workflow.run(CALLBACK / "write")
    workflow.cloud.advance(FIVE_MINUTES)
    state, count = workflow.run(CALLBACK / "report")
    assert state.startswith("COMPLETED, last run: 20") and count == "Patient: 20 changes"


@pytest.mark.parametrize("action, resource", [
    ("dynamodb:GetItem", TABLE), ("dynamodb:UpdateItem", TABLE), ("sqs:SendMessage", queue("export-start")),
    ("lambda:InvokeFunction", f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:export-split"),
    ("events:PutEvents", f"arn:aws:events:{REGION}:{ACCOUNT}:event-bus/resource-changes")])
def test_a_workflow_fails_without_one_of_its_statements(workflow, action, resource):
    workflow.let_all_but(action, resource)
    workflow.run(CALLBACK / "write", "--patients", "2")
    workflow.cloud.advance(FIVE_MINUTES)
    shown = action.lower() if action.startswith("sqs:") else action
    denied = "assumed-role/callback-export/", f"is not authorized to perform: {shown} on resource: {resource}"
    eventually(lambda: any(all(part in cause for part in denied) for cause in workflow.causes()), "an execution is denied")
    covers_the_gap(workflow)


def test_a_workflows_export_fails_where_its_role_may_not_write(workflow):
    workflow.let_all_but("s3:PutObject", EXPORTED)
    workflow.run(CALLBACK / "write", "--patients", "2")
    workflow.cloud.advance(FIVE_MINUTES)
    eventually(lambda: any("is not authorized to perform: s3:PutObject" in cause for cause in workflow.causes()),
               "an export is denied")
    covers_the_gap(workflow)


@pytest.mark.parametrize("action, resource", [("states:SendTaskHeartbeat", None), ("states:SendTaskSuccess", None),
                                              ("iam:PassRole", None), ("s3:PutObject", MANIFESTS)])
def test_a_workflows_functions_fail_without_one_of_their_statements(workflow, action, resource):
    workflow.let_all_but(action, resource)
    workflow.run(CALLBACK / "write", "--patients", "2")
    workflow.cloud.advance(FIVE_MINUTES)
    denied = f"is not authorized to perform: {action} on resource: "
    eventually(lambda: any(denied in line for line in workflow.lines_of_functions()), "a function is denied")
    covers_the_gap(workflow)


def covers_the_gap(workflow):
    """With its rights again the next runs bring what those that failed did not."""
    workflow.let_role(*workflow.rights)
    workflow.cloud.advance(12 * FIVE_MINUTES)
    state, *counts = workflow.run(CALLBACK / "report")
    assert state.startswith("COMPLETED") and counts and counts[0].startswith("Patient: ")


def test_a_mapping_is_not_made_for_a_role_that_may_not_receive(workflow):
    names = ["sqs:ReceiveMessage", "sqs:GetQueueAttributes", "sqs:DeleteMessage"]
    workflow.let_all_but(names)
    functions = workflow.cloud.functions
    for mapping in functions.list_event_source_mappings(FunctionName="export-poll")["EventSourceMappings"]:
        functions.delete_event_source_mapping(UUID=mapping["UUID"])
        workflow.cloud.advance(60)
        eventually(lambda: not functions.list_event_source_mappings(FunctionName="export-poll")["EventSourceMappings"],
                   "the mapping is gone")
    with refused("InvalidParameterValueException", "does not have permissions to call ReceiveMessage on SQS"):
        functions.create_event_source_mapping(EventSourceArn=queue("export-poll"), FunctionName="export-poll", BatchSize=1)
    workflow.let_role(*workflow.rights)
    functions.create_event_source_mapping(EventSourceArn=queue("export-poll"), FunctionName="export-poll", BatchSize=1)
