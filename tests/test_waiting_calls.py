"""Who waits for minutes keeps nothing from being cleared away: what a snapshot of the store sees stays on the disk."""
import concurrent.futures
import contextlib
import re
import time
import urllib.request

import pytest

from harness import ROLE, Cloud, eventually
from url_support import ask, open_url

pytestmark = pytest.mark.local

# Runs until the table has the item "go".
WAIT = """
    import os, time, boto3
    def handler(event, context):
        table = boto3.client("dynamodb")
        while "Item" not in table.get_item(TableName=os.environ["TABLE"], Key={"id": {"S": "go"}}, ConsistentRead=True):
            time.sleep(0.5)
        return "went"
"""
MACHINE = '{"StartAt":"W","States":{"W":{"Type":"Wait","Seconds":15,"End":true}}}'


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    from harness import Server
    server = Server(tmp_path_factory.mktemp("waiting") / "data").start()
    cloud = Cloud(server.endpoint)
    cloud.create_table(name="table")
    yield server, cloud
    server.stop()


def views(server):
    text = urllib.request.urlopen(server.endpoint + "/metrics").read().decode()
    return int(re.search(r"tidemill_store_views (\d+)", text)[1])


def url_call(cloud):
    function = cloud.create_function(WAIT, Environment={"Variables": {"TABLE": "table"}}, Timeout=60)
    url = open_url(cloud, function)
    return lambda: ask(cloud, url)


def invocation(cloud):
    function = cloud.create_function(WAIT, Environment={"Variables": {"TABLE": "table"}}, Timeout=60)
    return lambda: cloud.invoke(function)


def sync_execution(cloud):
    machine = cloud.client("stepfunctions").create_state_machine(name="express", definition=MACHINE, roleArn=ROLE,
                                                                 type="EXPRESS")["stateMachineArn"]
    client = cloud.client("stepfunctions", inject_host_prefix=False)
    return lambda: client.start_sync_execution(stateMachineArn=machine)


def message_poll(cloud):
    queue = cloud.create_queue()
    return lambda: cloud.sqs.receive_message(QueueUrl=queue, WaitTimeSeconds=15)


def activity_poll(cloud):
    activity = cloud.client("stepfunctions").create_activity(name="activity")["activityArn"]
    client = cloud.client("stepfunctions", read_timeout=15)

    def poll():
        with contextlib.suppress(Exception):
            client.get_activity_task(activityArn=activity)
    return poll


@pytest.mark.parametrize("kind", [url_call, invocation, sync_execution, message_poll, activity_poll])
def test_a_call_that_waits_holds_no_snapshot(world, kind):
    server, cloud = world
    call = kind(cloud)
    cloud.dynamodb.delete_item(TableName="table", Key={"id": {"S": "go"}})
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(call)
        free = []

        def nothing_else_is_read():
            cloud.dynamodb.put_item(TableName="table", Item={"id": {"S": "other"}, "at": {"N": str(time.time_ns())}})
            free.append(views(server) == 1)
            return all(free[-5:]) and len(free) > 10
        try:
            eventually(nothing_else_is_read, "only the newest state being read", 12, 0.1)
            assert not waiting.done()
        finally:
            cloud.dynamodb.put_item(TableName="table", Item={"id": {"S": "go"}})
        waiting.result(120)
