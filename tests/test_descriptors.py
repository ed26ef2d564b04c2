"""A running server that may open nothing more, and may again: told in one line, and over when it may."""
import json
import os
import resource
import urllib.error
import urllib.request

import botocore.exceptions
import pytest

from harness import Cloud, eventually

pytestmark = pytest.mark.local

PIECE = "x" * 300_000
MORE_THAN_A_LOG = 300   # pieces: a new write-ahead log is begun before


def test_without_descriptors_writes_are_refused_by_that_name_and_go_on_once_there_are(start_server):
    server = start_server()
    cloud = Cloud(server.endpoint)
    table = cloud.create_table()
    pid = server.process.pid
    before = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    used = max(int(name) for name in os.listdir(f"/proc/{pid}/fd")) + 1
    acknowledged = []
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (used, before[1]))
    with pytest.raises(botocore.exceptions.ClientError) as refused:
        for number in range(MORE_THAN_A_LOG):
            cloud.put_item(table, id=str(number), v=PIECE)
            acknowledged.append(str(number))
    assert "too many files are open" in refused.value.response["Error"]["Message"]
    lines = len(server.log_lines)
    for _ in range(20):
        with pytest.raises(botocore.exceptions.ClientError):
            cloud.put_item(table, id="refused")
    assert len(server.log_lines) - lines < 3
    assert "Item" in cloud.dynamodb.get_item(TableName=table, Key={"id": {"S": acknowledged[-1]}}), "reading goes on"
    resource.prlimit(pid, resource.RLIMIT_NOFILE, before)

    def health():
        try:
            with urllib.request.urlopen(server.endpoint + "/_tidemill/health") as answer:
                return json.load(answer)["status"]
        except urllib.error.HTTPError as error:
            return json.load(error)["status"]

    eventually(lambda: health() == "ok", "the store goes on by itself")
    cloud.put_item(table, id="after")
    eventually(lambda: sum("opened anew" in line for line in server.log_lines) == 1, "one line tells it")
    server.kill()
    server.start()
    cloud = Cloud(server.endpoint)
    for number in [*acknowledged, "after"]:
        assert "Item" in cloud.dynamodb.get_item(TableName=table, Key={"id": {"S": number}})


def test_without_descriptors_functions_are_throttled_and_run_once_there_are(start_server):
    server = start_server()
    function = Cloud(server.endpoint).create_function("def handler(event, context):\n    return 7\n")
    server.kill()
    server.start()  # and has not looked for Python yet
    functions = Cloud(server.endpoint).functions
    functions.get_function(FunctionName=function)
    pid = server.process.pid
    before = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    used = {int(name) for name in os.listdir(f"/proc/{pid}/fd")}
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (min(set(range(len(used) + 1)) - used), before[1]))
    with pytest.raises(botocore.exceptions.ClientError) as refused:
        functions.invoke(FunctionName=function)
    assert refused.value.response["Error"]["Code"] == "TooManyRequestsException"
    resource.prlimit(pid, resource.RLIMIT_NOFILE, before)
    answer = functions.invoke(FunctionName=function)
    assert "FunctionError" not in answer and json.load(answer["Payload"]) == 7
