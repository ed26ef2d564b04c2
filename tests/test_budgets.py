"""What clients may make the server hold: memory for their answers, and its open files."""
import json
import resource
import socket
import struct
import subprocess

import pytest

import http2_support as http2
from harness import ROLE, SERVER, Cloud, Server, eventually, item

pytestmark = pytest.mark.local

MEGABYTE = 1 << 20
STREAMS = 256


def head_of(service, target):
    return http2.head_of("POST", "/", {
        "content-type": "application/x-amz-json-1.0", "x-amz-target": target,
        "authorization": f"AWS4-HMAC-SHA256 Credential=test/20261101/us-east-1/{service}/aws4_request, "
                         "SignedHeaders=host, Signature=0"})


def resident_bytes(pid):
    with open(f"/proc/{pid}/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def cpu_ticks(pid):
    with open(f"/proc/{pid}/stat") as file:
        user, system = file.read().rpartition(")")[2].split()[11:13]
    return int(user) + int(system)


def test_a_client_that_reads_no_answer_makes_the_server_hold_little(start_server):
    server = start_server()
    cloud = Cloud(server.endpoint)
    table = cloud.create_table()
    for number in range(10):
        cloud.put_item(table, id=str(number), text="x" * 300_000)
    cloud.dynamodb.scan(TableName=table)
    hold_little(server, head_of("dynamodb", "DynamoDB_20120810.Scan"), ('{"TableName":"%s"}' % table).encode(),
                lambda: cloud.dynamodb.get_item(TableName=table, Key=item(id="1"))["Item"])


def test_a_client_that_reads_no_history_makes_the_server_hold_little(start_server):
    server = start_server()
    cloud = Cloud(server.endpoint)
    states = cloud.client("stepfunctions")
    chain = {f"S{number}": {"Type": "Pass", "Next": f"S{number + 1}"} for number in range(20)}
    machine = states.create_state_machine(name="large", roleArn=ROLE, definition=json.dumps(
        {"StartAt": "S0", "States": {**chain, "S20": {"Type": "Succeed"}}}))["stateMachineArn"]
    arn = states.start_execution(stateMachineArn=machine, input=json.dumps("x" * 250_000))["executionArn"]
    eventually(lambda: states.describe_execution(executionArn=arn)["status"] == "SUCCEEDED")
    states.get_execution_history(executionArn=arn)
    hold_little(server, head_of("states", "AWSStepFunctions.GetExecutionHistory"),
                ('{"executionArn":"%s"}' % arn).encode(), lambda: states.describe_execution(executionArn=arn))


def hold_little(server, head, body, goes_on):
    """Asks for as many large answers as a connection may, and takes none; others are answered meanwhile."""
    before = resident_bytes(server.process.pid)
    host, port = server.endpoint[len("http://"):].split(":")
    with socket.create_connection((host, int(port)), timeout=20) as wire:
        wire.sendall(http2.PREFACE + http2.frame(http2.SETTINGS, 0, 0, struct.pack(">HI", http2.INITIAL_WINDOW_SIZE, 0)))
        for stream in range(1, 2 * STREAMS, 2):
            wire.sendall(http2.frame(http2.HEADERS, http2.END_HEADERS, stream, head) +
                         http2.frame(http2.DATA, http2.END_STREAM, stream, body))
        # It does what it can of that, and then nothing.
        used = [-1]
        eventually(lambda: used.append(cpu_ticks(server.process.pid)) or used[-1] == used[-2], interval_seconds=0.5)
        assert goes_on()
        held = resident_bytes(server.process.pid) - before
        assert held < 240 * MEGABYTE, f"{held >> 20} MB"


def limited(files):
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))


def test_connections_leave_the_store_and_functions_their_files(tmp_path):
    process = subprocess.Popen([str(SERVER), "serve", "--data", str(tmp_path / "data"), "--port", "0"],
                               stdout=subprocess.PIPE, stderr=open(tmp_path / "log", "w"), text=True,
                               preexec_fn=limited(1024), env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)})
    idle = []
    try:
        endpoint = process.stdout.readline().split()[-1]
        cloud = Cloud(endpoint)
        table = cloud.create_table()
        function = cloud.create_function("def handler(event, context): return 'done'")
        host, port = endpoint[len("http://"):].split(":")
        for _ in range(900):
            connection = socket.socket()
            connection.setblocking(False)
            connection.connect_ex((host, int(port)))
            idle.append(connection)
        log = tmp_path / "log"
        eventually(lambda: "new connections wait" in log.read_text())
        for number in range(20):
            cloud.put_item(table, id=str(number), text="x" * 100_000)
        assert cloud.invoke(function)[1] == "done"
        assert log.read_text().count("new connections wait") == 1
    finally:
        for connection in idle:
            connection.close()
        process.kill()
        process.wait()
