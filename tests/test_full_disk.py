"""A disk that is full, and has room again: told in one line, and over when there is room."""
import datetime
import json
import subprocess
import time
import urllib.error
import urllib.request

import botocore.exceptions
import pytest

from harness import ROLE, Cloud, Server, StartFailed, eventually

pytestmark = pytest.mark.local

DISK_BYTES = 160 << 20  # a log, its tables before they are compressed, and the next log
PIECE = "x" * 300_000


@pytest.fixture
def disk(tmp_path):
    directory = tmp_path / "disk"
    directory.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tmpfs", directory], capture_output=True)
    if mounted.returncode:
        pytest.skip("only root may mount a small disk")
    yield directory
    subprocess.run(["umount", "--lazy", directory], check=True)


@pytest.fixture
def server(disk):
    server = Server(disk / "data")
    yield server
    server.kill()


def fill(disk):
    """Leaves no room at all."""
    with open(disk / "filler", "ab", buffering=0) as file:
        for size in (1 << 20, 1 << 12):
            try:
                while file.write(b"\0" * size) == size:
                    pass
            except OSError:
                pass


def health(server):
    try:
        with urllib.request.urlopen(server.endpoint + "/_tidemill/health") as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        return json.load(error)


def write_until_refused(cloud, acknowledged):
    with pytest.raises(botocore.exceptions.ClientError) as refused:
        for number in range(1000):
            cloud.dynamodb.put_item(TableName="full", Item={"id": {"S": str(number)}, "v": {"S": PIECE}})
            acknowledged.append(str(number))
    return refused.value.response["Error"]


def test_a_start_on_a_full_disk_is_refused_in_one_line(disk, server):
    fill(disk)
    with pytest.raises(StartFailed) as failed:
        server.start()
    assert failed.value.code == 1
    [line] = failed.value.errors.strip().splitlines()
    assert "the disk is full" in line


def test_a_start_on_a_disk_that_became_full_is_refused_and_one_with_room_finds_all(disk, server):
    server.start()
    Cloud(server.endpoint).create_table(name="full")
    server.stop()
    fill(disk)
    with pytest.raises(StartFailed) as failed:
        server.start()
    assert "the disk is full" in failed.value.errors
    (disk / "filler").unlink()
    server.start()
    assert Cloud(server.endpoint).dynamodb.list_tables()["TableNames"] == ["full"]


def test_a_full_disk_is_named_and_writing_goes_on_once_there_is_room(disk, server):
    server.start()
    cloud = Cloud(server.endpoint)
    cloud.create_table(name="full")
    fill(disk)
    acknowledged = []
    error = write_until_refused(cloud, acknowledged)
    assert "the disk is full" in error["Message"]
    assert health(server) == {"status": "paused", "version": health(server)["version"], "reason": "the disk is full"}
    lines = len(server.log_lines)
    for _ in range(5):
        with pytest.raises(botocore.exceptions.ClientError):
            cloud.dynamodb.put_item(TableName="full", Item={"id": {"S": "refused"}})
    assert len(server.log_lines) == lines, "a refused request has no line of its own"
    for number in acknowledged:
        assert "Item" in cloud.dynamodb.get_item(TableName="full", Key={"id": {"S": number}}), "reading goes on"
    (disk / "filler").unlink()
    eventually(lambda: health(server)["status"] == "ok", "the store goes on by itself")
    cloud.dynamodb.put_item(TableName="full", Item={"id": {"S": "after"}})
    for number in [*acknowledged, "after"]:
        assert "Item" in cloud.dynamodb.get_item(TableName="full", Key={"id": {"S": number}})
    with urllib.request.urlopen(server.endpoint + "/metrics") as metrics:
        assert "tidemill_store_reopened 1" in metrics.read().decode()
    eventually(lambda: sum("opened anew" in line for line in server.log_lines) == 1, "one line tells it")
    # And all of it is there after a crash.
    server.kill()
    server.start()
    cloud = Cloud(server.endpoint)
    for number in [*acknowledged, "after"]:
        assert "Item" in cloud.dynamodb.get_item(TableName="full", Key={"id": {"S": number}})


def test_a_body_that_has_no_room_is_refused_by_that_name_and_leaves_nothing(disk, server):
    server.start()
    s3 = Cloud(server.endpoint).s3
    s3.create_bucket(Bucket="full")
    with pytest.raises(botocore.exceptions.ClientError) as refused:
        s3.put_object(Bucket="full", Key="k", Body=b"x" * DISK_BYTES)
    assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == 503
    assert "the disk is full" in refused.value.response["Error"]["Message"]
    eventually(lambda: not [path for path in (disk / "data" / "blobs").rglob("*") if path.is_file()], "its file is gone")
    s3.put_object(Bucket="full", Key="k", Body=b"x" * 1_000_000)


def test_a_disk_that_is_full_again_and_again_loses_nothing(disk, server):
    server.start()
    cloud = Cloud(server.endpoint)
    cloud.create_table(name="full")
    kept = []
    for _ in range(3):
        fill(disk)
        acknowledged = []
        write_until_refused(cloud, acknowledged)
        kept.append(len(acknowledged))
        (disk / "filler").unlink()
        eventually(lambda: health(server)["status"] == "ok", "the store goes on by itself")
    for number in range(max(kept)):
        assert "Item" in cloud.dynamodb.get_item(TableName="full", Key={"id": {"S": str(number)}})


TEMPLATE = json.dumps({"Resources": {"Queue": {"Type": "AWS::SQS::Queue"}}})
TRUST = json.dumps({"Version": "2012-10-17", "Statement": [
    {"Effect": "Allow", "Principal": {"AWS": "000000000000"}, "Action": "sts:AssumeRole"}]})
ARN = "arn:aws:sqs:us-east-1:000000000000:"
WAITS_SECONDS = 5
WRITES = {
    "kms": lambda cloud: cloud.client("kms").create_key(),
    "iam": lambda cloud: cloud.client("iam").create_user(UserName="refused"),
    "sts": lambda cloud: cloud.client("sts").assume_role(RoleArn=ROLE, RoleSessionName="refused"),
    "secretsmanager": lambda cloud: cloud.client("secretsmanager").create_secret(Name="refused", SecretString="s"),
    "ssm": lambda cloud: cloud.client("ssm").put_parameter(Name="refused", Value="v", Type="String"),
    "events": lambda cloud: cloud.client("events").put_rule(Name="refused", ScheduleExpression="rate(1 day)"),
    "scheduler": lambda cloud: cloud.client("scheduler").create_schedule_group(Name="refused"),
    "cloudformation": lambda cloud: cloud.client("cloudformation").create_stack(StackName="refused", TemplateBody=TEMPLATE),
    "states": lambda cloud: cloud.client("stepfunctions").start_execution(
        stateMachineArn="arn:aws:states:us-east-1:000000000000:stateMachine:waits"),
    "healthlake": lambda cloud: cloud.client("healthlake").create_fhir_datastore(DatastoreTypeVersion="R4"),
    "ecr": lambda cloud: cloud.client("ecr").create_repository(repositoryName="refused"),
}


def make_what_moves(cloud):
    """An execution that waits, a schedule, and a pipe with messages before it; returns the execution."""
    for name in ("from", "to", "scheduled"):
        cloud.sqs.create_queue(QueueName=name)
    states = cloud.client("stepfunctions")
    machine = states.create_state_machine(name="waits", roleArn=ROLE, definition=json.dumps({
        "StartAt": "Wait", "States": {"Wait": {"Type": "Wait", "Seconds": WAITS_SECONDS, "Next": "Done"},
                                      "Done": {"Type": "Pass", "End": True}}}))["stateMachineArn"]
    arn = states.start_execution(stateMachineArn=machine)["executionArn"]
    due = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=WAITS_SECONDS)
    cloud.client("scheduler").create_schedule(
        Name="once", ScheduleExpression=due.strftime("at(%Y-%m-%dT%H:%M:%S)"), FlexibleTimeWindow={"Mode": "OFF"},
        Target={"Arn": ARN + "scheduled", "RoleArn": ROLE, "Input": "due"})
    pipes = cloud.client("pipes")
    pipes.create_pipe(Name="pipe", RoleArn=ROLE, Source=ARN + "from", Target=ARN + "to")
    eventually(lambda: pipes.describe_pipe(Name="pipe")["CurrentState"] == "RUNNING")
    return arn


def bodies_in(cloud, queue):
    url = cloud.sqs.get_queue_url(QueueName=queue)["QueueUrl"]
    return [message["Body"] for message in cloud.sqs.receive_message(QueueUrl=url, VisibilityTimeout=0).get("Messages", [])]


def test_services_name_a_full_disk_and_what_moves_by_itself_goes_on_once_there_is_room(disk, server):
    server.start()
    cloud = Cloud(server.endpoint)
    cloud.create_table(name="full")
    cloud.client("iam").create_role(RoleName="tidemill-tests", AssumeRolePolicyDocument=TRUST)
    execution = make_what_moves(cloud)
    begun = time.monotonic()
    cloud.sqs.send_message(QueueUrl=cloud.sqs.get_queue_url(QueueName="from")["QueueUrl"], MessageBody="before")
    fill(disk)
    write_until_refused(cloud, [])
    for service, write in WRITES.items():
        with pytest.raises(botocore.exceptions.ClientError) as refused:
            write(cloud)
        assert "the disk is full" in refused.value.response["Error"]["Message"], service
    # What falls due meanwhile finds no room either.
    eventually(lambda: time.monotonic() > begun + WAITS_SECONDS + 1)
    assert server.process.poll() is None
    (disk / "filler").unlink()
    eventually(lambda: health(server)["status"] == "ok", "the store goes on by itself")
    states = cloud.client("stepfunctions")
    eventually(lambda: states.describe_execution(executionArn=execution)["status"] == "SUCCEEDED", "the execution ends", 60)
    eventually(lambda: bodies_in(cloud, "scheduled") == ["due"], "the schedule's message", 60)
    eventually(lambda: [json.loads(body)["body"] for body in bodies_in(cloud, "to")] == ["before"], "the pipe's message", 60)
    for service, write in WRITES.items():
        write(cloud)
