"""Export tasks: the events of a group's streams as files in a bucket."""
import gzip
import time

import pytest
from botocore.exceptions import ClientError

from harness import Cloud, eventually, quietly, unique


@pytest.fixture
def logs(cloud):
    return cloud.client("logs")


def group_with(cloud, logs, **streams):
    """A group with these streams, and how many milliseconds since 1970 their events are of."""
    name, now = unique("group"), int(time.time() * 1000)
    logs.create_log_group(logGroupName=name)
    cloud.cleanup.callback(quietly, logs.delete_log_group, logGroupName=name)
    for stream, messages in streams.items():
        logs.create_log_stream(logGroupName=name, logStreamName=stream)
        for at in range(0, len(messages), 1000):
            logs.put_log_events(logGroupName=name, logStreamName=stream, logEvents=[
                {"timestamp": now, "message": message} for message in messages[at:at + 1000]])
    return name, now


def ended(logs, task, deadline_seconds=180):
    def status():
        found = logs.describe_export_tasks(taskId=task)["exportTasks"][0]
        return found if found["status"]["code"] not in ("PENDING", "RUNNING", "PENDING_CANCEL") else None
    return eventually(status, f"the end of {task}", deadline_seconds=deadline_seconds)


def files(cloud, bucket, prefix=""):
    found = cloud.s3.list_objects_v2(Bucket=bucket, Prefix=prefix).get("Contents", [])
    return {one["Key"]: cloud.s3.get_object(Bucket=bucket, Key=one["Key"])["Body"].read() for one in found}


def refusal(call, **arguments):
    with pytest.raises(ClientError) as caught:
        call(**arguments)
    return caught.value.response["Error"]


def test_each_stream_becomes_files_of_lines_with_their_times(cloud, logs):
    bucket = cloud.create_bucket()
    group, now = group_with(cloud, logs, **{"web/1": ["one", "two\nlines"], "worker": ["three"], "idle": []})
    task = logs.create_export_task(taskName="nightly", logGroupName=group, fromTime=now - 1000, to=now + 1000,
                                   destination=bucket, destinationPrefix="logs")["taskId"]
    found = ended(logs, task)
    assert found["status"] == {"code": "COMPLETED", "message": "Completed successfully"}
    assert (found["taskName"], found["logGroupName"], found["destination"], found["destinationPrefix"]) == (
        "nightly", group, bucket, "logs")
    assert found["executionInfo"]["completionTime"] >= found["executionInfo"]["creationTime"]
    at = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now // 1000)) + f".{now % 1000:03}Z"
    packed = files(cloud, bucket)
    assert packed.pop("logs/aws-logs-write-test") == b"Permission Check Successful"
    assert {key: gzip.decompress(body).decode() for key, body in packed.items()} == {
        f"logs/{task}/web-1/000000.gz": f"{at} one\n{at} two\nlines\n",
        f"logs/{task}/worker/000000.gz": f"{at} three\n"}


def test_streams_that_would_share_a_folder_have_one_each(cloud, logs):
    bucket = cloud.create_bucket()
    names = ["a-b/c", "a/b-c", "a-b-c", "a/b/c"]
    group, now = group_with(cloud, logs, **{name: [f"of {name}"] for name in names})
    task = logs.create_export_task(logGroupName=group, fromTime=now, to=now, destination=bucket)["taskId"]
    assert ended(logs, task)["status"]["code"] == "COMPLETED"
    packed = files(cloud, bucket, f"exportedlogs/{task}")
    assert f"exportedlogs/{task}/a-b-c/000000.gz" in packed
    assert sorted(gzip.decompress(body).decode().strip().split(" ", 1)[1] for body in packed.values()) == sorted(
        f"of {name}" for name in names)


def test_only_streams_of_the_prefix_and_events_of_the_span_are_exported(cloud, logs):
    bucket = cloud.create_bucket()
    group, now = group_with(cloud, logs, a1=["one"], b1=["two"])
    task = logs.create_export_task(logGroupName=group, logStreamNamePrefix="a", fromTime=now, to=now,
                                   destination=bucket)["taskId"]
    ended(logs, task)
    assert list(files(cloud, bucket, f"exportedlogs/{task}")) == [f"exportedlogs/{task}/a1/000000.gz"]
    before = logs.create_export_task(logGroupName=group, fromTime=0, to=now - 1, destination=bucket)["taskId"]
    assert ended(logs, before)["status"]["code"] == "COMPLETED"
    assert files(cloud, bucket, f"exportedlogs/{before}") == {}


def test_what_cannot_be_exported_is_refused(cloud, logs):
    group, now = group_with(cloud, logs, s=[])
    error = refusal(logs.create_export_task, logGroupName=group, fromTime=0, to=now, destination=unique("nowhere"))
    assert error["Code"] == "InvalidParameterException" and "bucket does not exist" in error["Message"]
    assert refusal(logs.create_export_task, logGroupName=unique("none"), fromTime=0, to=now,
                   destination=unique("nowhere"))["Code"] == "ResourceNotFoundException"
    assert refusal(logs.cancel_export_task, taskId=unique("none"))["Code"] == "ResourceNotFoundException"


@pytest.mark.local
def test_one_export_goes_on_through_kills_and_no_second_begins_beside_it(start_server):
    server = start_server()
    cloud = Cloud(server.endpoint)
    logs, bucket = cloud.client("logs"), cloud.create_bucket()
    messages = [f"{number} " + "x" * 900 for number in range(40_000)]  # three files
    group, now = group_with(cloud, logs, s=messages)
    task = logs.create_export_task(logGroupName=group, fromTime=now, to=now, destination=bucket)["taskId"]
    assert refusal(logs.create_export_task, logGroupName=group, fromTime=now, to=now,
                   destination=bucket)["Code"] == "LimitExceededException"
    for _ in range(3):
        server.kill()
        server.start()
    cloud = Cloud(server.endpoint)
    logs = cloud.client("logs")
    assert ended(logs, task)["status"]["code"] == "COMPLETED"
    assert refusal(logs.cancel_export_task, taskId=task)["Code"] == "InvalidOperationException"
    packed = files(cloud, bucket, f"exportedlogs/{task}")
    assert sorted(packed) == [f"exportedlogs/{task}/s/{number:06}.gz" for number in range(len(packed))]
    assert len(packed) >= 3
    lines = b"".join(gzip.decompress(packed[key]) for key in sorted(packed)).decode().splitlines()
    assert [line.split(" ", 1)[1] for line in lines] == messages


@pytest.mark.local
def test_an_export_that_is_cancelled_ends(start_server):
    server = start_server()
    cloud = Cloud(server.endpoint)
    logs, bucket = cloud.client("logs"), cloud.create_bucket()
    group, now = group_with(cloud, logs, s=["x" * 900 for _ in range(40_000)])
    task = logs.create_export_task(logGroupName=group, fromTime=now, to=now, destination=bucket)["taskId"]
    logs.cancel_export_task(taskId=task)
    assert ended(logs, task)["status"]["code"] == "CANCELLED"
