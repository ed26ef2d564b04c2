"""The machine's clock is set forward or back under a running server, and between two of its lives."""
import os
import pathlib
import struct
import subprocess
import time

import pytest

from harness import Cloud, Server, eventually

pytestmark = pytest.mark.local

FAULTS = pathlib.Path(__file__).with_name("crash") / "faults.c"
HOUR = 3600


class Machine:
    """A server whose clock is off by what set() says."""

    def __init__(self, directory):
        library, self.shift = directory / "faults.so", directory / "clock"
        subprocess.run([os.environ.get("CC", "clang-19"), "-shared", "-fPIC", "-o", library, FAULTS, "-ldl"], check=True)
        self.shift.write_bytes(bytes(8))
        self.server = Server(directory / "data",
                             environment={"LD_PRELOAD": str(library), "FAULTS_CLOCK": str(self.shift)}).start()

    def set(self, seconds):
        with open(self.shift, "r+b", buffering=0) as file:  # in place: the server has it mapped
            file.write(struct.pack("q", int(seconds * 1e9)))

    @property
    def cloud(self):
        return Cloud(self.server.endpoint)


@pytest.fixture
def machine(tmp_path):
    machine = Machine(tmp_path)
    yield machine
    machine.server.kill()


def received(cloud, url):
    return [message["Body"] for message in
            cloud.sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10, WaitTimeSeconds=5).get("Messages", [])]


def test_a_clock_that_is_set_forward_skips_runs_and_leaves_the_last(machine):
    cloud = machine.cloud
    queue = cloud.sqs.create_queue(QueueName="runs")["QueueUrl"]
    cloud.client("scheduler").create_schedule(
        Name="often", ScheduleExpression="rate(1 second)", FlexibleTimeWindow={"Mode": "OFF"},
        Target={"Arn": cloud.queue_arn(queue), "RoleArn": "arn:aws:iam::000000000000:role/r", "Input": "run"})
    assert received(cloud, queue)
    machine.set(HOUR)
    eventually(lambda: any("runs were missed" in line for line in machine.server.log_lines), "the missed runs are told")
    began = time.monotonic()
    runs = len(received(cloud, queue))
    while len(more := received(cloud, queue)) and time.monotonic() - began < 5:
        runs += len(more)
    assert 0 < runs < 100, "an hour has 3,600 seconds"


def test_what_is_sent_after_the_clock_went_back_comes_at_once(machine):
    cloud = machine.cloud
    queue = cloud.sqs.create_queue(QueueName="q")["QueueUrl"]
    cloud.kinesis.create_stream(StreamName="s", ShardCount=1)
    cloud.data_stream_active("s")
    numbers = []
    for shift in (0, HOUR, -HOUR):
        machine.set(shift)
        cloud.sqs.send_message(QueueUrl=queue, MessageBody=str(shift))
        assert str(shift) in received(cloud, queue)
        numbers.append(int(cloud.kinesis.put_record(StreamName="s", PartitionKey="p", Data=b"x")["SequenceNumber"]))
    machine.server.kill()  # the next life knows nothing of the time that this one went by
    machine.server.start()
    cloud = machine.cloud
    cloud.sqs.send_message(QueueUrl=queue, MessageBody="after")
    assert "after" in received(cloud, queue)
    numbers.append(int(cloud.kinesis.put_record(StreamName="s", PartitionKey="p", Data=b"x")["SequenceNumber"]))
    assert numbers == sorted(set(numbers))
