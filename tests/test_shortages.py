"""What moves by itself, while nothing more can be opened and while a thousand connections stand idle: pipes, executions with
callbacks, calls over HTTP and map runs, events on their way to URLs, stacks with resources of their own, exports, schedules.
Who asks gets an answer, in the service's form; what was acknowledged is done once there is room; nothing waits for ever.
"""
import contextlib
import datetime
import json
import os
import resource
import socket
import threading

import botocore.exceptions
import pytest

from harness import ROLE, SERVER, Cloud, Server, eventually
from sns_support import http_endpoint  # noqa: F401

pytestmark = pytest.mark.local

ACCOUNT_ARN = "us-east-1:000000000000:"
SQS_ARN = "arn:aws:sqs:" + ACCOUNT_ARN
BASIC = {"AuthorizationType": "BASIC",
         "AuthParameters": {"BasicAuthParameters": {"Username": "miller", "Password": "tide"}}}
DUE_SECONDS = 3
ITEMS, ITEM_BYTES = 20, 20_000  # of a map run: a body of its own file
DONE_WITHIN_SECONDS = 240
CLIENT_SECONDS = 120       # nobody waits longer for an answer, or for a connection behind those that stand idle
FILES = 1024               # of a server with idle connections
IDLE = 1000

ANSWERER = """
import json, urllib.request

def handler(event, context):
    answer = {"Status": "SUCCESS", "PhysicalResourceId": "one", "StackId": event["StackId"],
              "RequestId": event["RequestId"], "LogicalResourceId": event["LogicalResourceId"], "Data": {}}
    urllib.request.urlopen(urllib.request.Request(event["ResponseURL"], data=json.dumps(answer).encode(), method="PUT",
                                                  headers={"content-type": ""}))
"""


class Movers:
    """Everything that moves by itself: made beforehand, begun when told, and what shows that it is done."""

    def __init__(self, server, endpoint):
        self.cloud = Cloud(server.endpoint)
        self.endpoint = endpoint
        self.clients = {name: self.cloud.client(name, read_timeout=CLIENT_SECONDS) for name in (
            "stepfunctions", "pipes", "events", "scheduler", "cloudformation", "healthlake", "kms", "secretsmanager", "ssm",
            "iam", "sqs")}
        self.clients["s3"] = self.cloud.s3
        self.executions = {}
        self.url = {name: self.clients["sqs"].create_queue(QueueName=name)["QueueUrl"]
                    for name in ("from", "to", "calls", "due", "ruled")}
        self.clients["iam"].create_role(RoleName="tidemill-tests", AssumeRolePolicyDocument=json.dumps({
            "Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": {"AWS": "000000000000"},
                                                    "Action": "sts:AssumeRole"}]}))
        self.make_connections()
        self.make_machines()
        self.make_the_rest()

    def make_connections(self):
        events = self.clients["events"]
        self.connection = events.create_connection(Name="c", **BASIC)["ConnectionArn"]
        destination = events.create_api_destination(Name="d", ConnectionArn=self.connection, HttpMethod="POST",
                                                    InvocationEndpoint=self.endpoint.url + "/event")["ApiDestinationArn"]
        events.put_rule(Name="r", EventPattern=json.dumps({"source": ["shop"]}))
        events.put_targets(Rule="r", Targets=[{"Id": "url", "Arn": destination, "RoleArn": ROLE},
                                              {"Id": "queue", "Arn": SQS_ARN + "ruled"}])

    def make_machines(self):
        self.clients["s3"].create_bucket(Bucket="bucket")
        self.clients["s3"].put_object(Bucket="bucket", Key="items", Body=json.dumps([{"n": number, "text": "x" * ITEM_BYTES} for number in range(ITEMS)]))
        states = {
            "calls": {"Type": "Task", "Resource": "arn:aws:states:::sqs:sendMessage.waitForTaskToken", "End": True,
                      "Parameters": {"QueueUrl": "calls", "MessageBody": {"token.$": "$$.Task.Token"}}},
            "http": {"Type": "Task", "Resource": "arn:aws:states:::http:invoke", "End": True, "Parameters": {
                "ApiEndpoint": self.endpoint.url + "/task", "Method": "POST", "RequestBody": {"task": 1},
                "Authentication": {"ConnectionArn": self.connection}}},
            "maps": {"Type": "Map", "End": True, "Label": "each", "ItemProcessor": {
                "ProcessorConfig": {"Mode": "DISTRIBUTED", "ExecutionType": "STANDARD"}, "StartAt": "P",
                "States": {"P": {"Type": "Pass", "End": True}}},
                "ItemReader": {"Resource": "arn:aws:states:::s3:getObject", "ReaderConfig": {"InputType": "JSON"},
                               "Parameters": {"Bucket": "bucket", "Key": "items"}},
                "ResultWriter": {"Resource": "arn:aws:states:::s3:putObject",
                                 "Parameters": {"Bucket": "bucket", "Prefix": "results"}}}}
        self.machines = {name: self.clients["stepfunctions"].create_state_machine(
            name=name, roleArn=ROLE, definition=json.dumps({"StartAt": "One", "States": {"One": state}}))["stateMachineArn"]
            for name, state in states.items()}

    def make_the_rest(self):
        pipes = self.clients["pipes"]
        pipes.create_pipe(Name="p", RoleArn=ROLE, Source=SQS_ARN + "from", Target=SQS_ARN + "to",
                          TargetParameters={"InputTemplate": "<$.body>"})
        eventually(lambda: pipes.describe_pipe(Name="p")["CurrentState"] == "RUNNING")
        function = self.cloud.create_function(ANSWERER, name="answerer", Timeout=60)
        function_arn = self.cloud.functions.get_function(FunctionName=function)["Configuration"]["FunctionArn"]
        self.template = json.dumps({"Resources": {
            "Own": {"Type": "Custom::Own", "Properties": {"ServiceToken": function_arn}},
            "After": {"Type": "AWS::SQS::Queue", "DependsOn": "Own", "Properties": {"QueueName": "of-the-stack"}}}})
        lake = self.clients["healthlake"].create_fhir_datastore(DatastoreTypeVersion="R4")["DatastoreId"]
        eventually(lambda: self.clients["healthlake"].describe_fhir_datastore(DatastoreId=lake)
                   ["DatastoreProperties"]["DatastoreStatus"] == "ACTIVE")
        self.cloud.raw("healthlake", "PUT", f"/datastore/{lake}/r4/Patient/p",
                       json.dumps({"resourceType": "Patient", "id": "p"}), {"Content-Type": "application/fhir+json"})
        self.lake = lake
        self.key = self.clients["kms"].create_key()["KeyMetadata"]["KeyId"]
        self.clients["secretsmanager"].create_secret(Name="s", SecretString="kept", KmsKeyId=self.key)
        self.clients["ssm"].put_parameter(Name="kept", Value="v", Type="SecureString")

    # What is begun; each may be begun again if it was refused.

    def begin(self):
        """name -> what begins it."""
        clients = self.clients
        return {
            "schedule": self.schedule,  # its moment must not have passed when it is made
            "pipe": lambda: clients["sqs"].send_message(QueueUrl=self.url["from"], MessageBody='"piped"'),
            "event": lambda: clients["events"].put_events(Entries=[{"Source": "shop", "DetailType": "t", "Detail": "{}"}]),
            "stack": lambda: clients["cloudformation"].create_stack(StackName="s", TemplateBody=self.template),
            "export": lambda: clients["healthlake"].start_fhir_export_job(
                DatastoreId=self.lake, JobName="j", DataAccessRoleArn=ROLE, OutputDataConfig={"S3Configuration": {
                    "S3Uri": "s3://bucket/export", "KmsKeyId": f"arn:aws:kms:{ACCOUNT_ARN}key/{self.key}"}}),
            **{name: lambda name=name: self.execute(name) for name in self.machines}}

    def schedule(self):
        due = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=DUE_SECONDS)
        self.clients["scheduler"].create_schedule(
            Name="once", ScheduleExpression=due.strftime("at(%Y-%m-%dT%H:%M:%S)"), FlexibleTimeWindow={"Mode": "OFF"},
            Target={"Arn": SQS_ARN + "due", "RoleArn": ROLE, "Input": "due"})

    def execute(self, name):
        self.executions[name] = self.clients["stepfunctions"].start_execution(
            stateMachineArn=self.machines[name], name="once", input="{}")["executionArn"]

    # What is asked meanwhile.

    def ask(self):
        """name -> a question, which may be refused, and is answered."""
        clients = self.clients
        return {
            "kms": lambda: clients["kms"].encrypt(KeyId=self.key, Plaintext=b"x"),
            "new key": lambda: clients["kms"].create_key(),
            "secret": lambda: clients["secretsmanager"].get_secret_value(SecretId="s"),
            "parameter": lambda: clients["ssm"].get_parameter(Name="kept", WithDecryption=True),
            "new parameter": lambda: clients["ssm"].put_parameter(Name="kept", Value="w", Type="SecureString", Overwrite=True),
            "schedules": lambda: clients["scheduler"].list_schedules(),
            "rules": lambda: clients["events"].list_rules(),
            "queues": lambda: clients["sqs"].list_queues(),
            "roles": lambda: clients["iam"].list_roles(),
            "stacks": lambda: clients["cloudformation"].describe_stacks(),
            "pipes": lambda: clients["pipes"].list_pipes(),
            "executions": lambda: clients["stepfunctions"].list_executions(stateMachineArn=self.machines["maps"]),
            "lakes": lambda: clients["healthlake"].list_fhir_datastores(),
            "object": lambda: clients["s3"].get_object(Bucket="bucket", Key="items")["Body"].read()}

    def must_be_done(self):
        """All that was begun ends, as it should."""
        def body_in(queue):
            url = self.url[queue]
            return [message["Body"] for message in
                    self.clients["sqs"].receive_message(QueueUrl=url, VisibilityTimeout=0).get("Messages", [])]

        def called():
            for message in self.clients["sqs"].receive_message(QueueUrl=self.url["calls"]).get("Messages", []):
                token = json.loads(message["Body"])["token"]
                self.clients["stepfunctions"].send_task_success(taskToken=token, output='"told"')
                self.clients["sqs"].delete_message(QueueUrl=self.url["calls"], ReceiptHandle=message["ReceiptHandle"])
                return True

        def succeeded(name):
            found = self.clients["stepfunctions"].describe_execution(executionArn=self.executions[name])
            assert found["status"] in ("RUNNING", "SUCCEEDED"), found
            return found["status"] == "SUCCEEDED"

        def stack():
            found = self.clients["cloudformation"].describe_stacks(StackName="s")["Stacks"][0]
            assert found["StackStatus"] in ("CREATE_IN_PROGRESS", "CREATE_COMPLETE"), found
            return found["StackStatus"] == "CREATE_COMPLETE"

        def exported():
            found = self.clients["healthlake"].list_fhir_export_jobs(DatastoreId=self.lake)["ExportJobPropertiesList"][0]
            assert found["JobStatus"] in ("SUBMITTED", "QUEUED", "IN_PROGRESS", "COMPLETED"), found
            return found["JobStatus"] == "COMPLETED"

        def posted(path_member):
            return any(path_member in body for _, body in self.endpoint.requests)

        for what, done in {
                "the pipe's message": lambda: body_in("to") == ["piped"] or body_in("to") == ['"piped"'],
                "the rule's message": lambda: len(body_in("ruled")) == 1,
                "the event at the URL": lambda: posted('"detail-type"'),
                "the schedule's message": lambda: body_in("due") == ["due"],
                "the stack": stack, "the export": exported, "the token": called,
                **{f"the execution {name}": lambda name=name: succeeded(name) for name in self.machines},
                "the task's call": lambda: posted('"task"')}.items():
            eventually(done, what, DONE_WITHIN_SECONDS)


def answered(question):
    """Whether it was done; refused in the service's form and with a status that says whose fault it is not."""
    try:
        question()
        return True
    except botocore.exceptions.ClientError as error:
        status = error.response["ResponseMetadata"]["HTTPStatusCode"]
        assert status in (400, 429, 500, 503), error.response
        assert error.response["Error"]["Code"] not in ("", str(status)), error.response
        return False


@contextlib.contextmanager
def without_descriptors(server):
    """Nothing more can be opened, also in place of what is closed meanwhile."""
    pid, over = server.process.pid, threading.Event()
    before = resource.prlimit(pid, resource.RLIMIT_NOFILE)

    def hold():
        while not over.wait(0.005):
            used = {int(name) for name in os.listdir(f"/proc/{pid}/fd")}
            free = next(number for number in range(len(used) + 1) if number not in used)  # which would be taken next
            resource.prlimit(pid, resource.RLIMIT_NOFILE, (free, before[1]))
    holder = threading.Thread(target=hold)
    holder.start()
    eventually(lambda: resource.prlimit(pid, resource.RLIMIT_NOFILE) != before, "the limit")
    try:
        yield
    finally:
        over.set()
        holder.join()
        resource.prlimit(pid, resource.RLIMIT_NOFILE, before)


def test_what_moves_by_itself_gets_over_a_want_of_descriptors(start_server, http_endpoint):  # noqa: F811
    server = start_server()
    movers = Movers(server, http_endpoint)
    for question in movers.ask().values():  # each client has its connection
        question()
    with without_descriptors(server):
        done = {name for name, begin in movers.begin().items() if answered(begin)}
        for question in movers.ask().values():
            answered(question)
        # What they find while nothing can be opened does not end them.
        eventually(lambda: movers.clients["sqs"].get_queue_attributes(
            QueueUrl=movers.url["due"], AttributeNames=["ApproximateNumberOfMessages"])["Attributes"]
            ["ApproximateNumberOfMessages"] == "1" or "schedule" not in done, "the schedule is due")
        for question in movers.ask().values():
            answered(question)
        assert server.running
    for name, begin in movers.begin().items():
        if name not in done:
            eventually(lambda begin=begin: answered(begin), name)
    movers.must_be_done()
    assert server.running
    assert not any("InvalidEntrypoint" in line for line in server.log_lines), "a function's code is not wrong for that"


def test_what_moves_by_itself_goes_on_beside_a_thousand_idle_connections(tmp_path, http_endpoint):  # noqa: F811
    program = tmp_path / "tidemill"
    program.write_text(f'#!/bin/sh\nulimit -n {FILES}\nexec {SERVER} "$@"\n')
    program.chmod(0o700)
    server = Server(tmp_path / "data", log=tmp_path / "log", program=program).start()
    idle = []
    try:
        movers = Movers(server, http_endpoint)
        for question in movers.ask().values():  # those who come later wait until idle ones have made room
            question()
        host, port = server.endpoint[len("http://"):].split(":")
        for _ in range(IDLE):
            connection = socket.socket()
            connection.setblocking(False)
            connection.connect_ex((host, int(port)))
            idle.append(connection)
        eventually(lambda: any("new connections wait" in line for line in server.log_lines), "as many as may be are there")
        for name, begin in movers.begin().items():
            eventually(lambda begin=begin: answered(begin), name, CLIENT_SECONDS)
        for name, question in movers.ask().items():
            eventually(lambda question=question: answered(question), name, CLIENT_SECONDS)
        movers.must_be_done()
        assert server.running
    finally:
        for connection in idle:
            connection.close()
        server.kill()
