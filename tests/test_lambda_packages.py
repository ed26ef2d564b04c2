"""Where packages of functions are, through crashes and losses."""
import shutil
import subprocess
import threading

import pytest

from harness import ROLE, SERVER, Cloud, eventually, unique, zip_of

pytestmark = pytest.mark.local

WRITERS = 4
KILLS = 2
ROUNDS_BEFORE_KILL = 8

SOURCE = "def handler(event, context):\n    return %d\n"


def check(data):
    return subprocess.run([str(SERVER), "check", "--data", str(data)], capture_output=True, text=True, timeout=60)


def package(number):
    return zip_of({"app.py": SOURCE % number})


class Writer(threading.Thread):
    """Makes a function, gives it other code again and again, deletes it at times; knows what was acknowledged."""

    def __init__(self, endpoint, first):
        super().__init__()
        self.functions = Cloud(endpoint).functions  # here: making clients is not for threads
        self.name = unique("packaged")
        self.first = first
        self.acknowledged = None   # the code that it must have; None: there is none
        self.pending = None        # what was asked for and not answered
        self.rounds = 0
        self.enough = threading.Event()

    def run(self):
        functions = self.functions
        number = self.first
        try:
            while True:
                number += 1
                if self.acknowledged is None:
                    self.pending = number
                    functions.create_function(FunctionName=self.name, Runtime="python3.12", Handler="app.handler", Role=ROLE,
                                              Code={"ZipFile": package(number)}, Timeout=30, Publish=number % 2 == 0)
                    self.acknowledged = number
                elif number % 5 == 0:
                    self.pending = None
                    functions.delete_function(FunctionName=self.name)
                    self.acknowledged = None
                else:
                    self.pending = number
                    # Half of the packages are another writer's, too.
                    functions.update_function_code(FunctionName=self.name, ZipFile=package(number), Publish=number % 3 == 0)
                    self.acknowledged = number
                self.rounds += 1
                if self.rounds >= ROUNDS_BEFORE_KILL:
                    self.enough.set()
        except Exception:  # the server is gone
            self.enough.set()


def code_of(cloud, name):
    """What the function returns; None: there is none."""
    try:
        return int(cloud.functions.invoke(FunctionName=name, Payload=b"{}")["Payload"].read())
    except cloud.functions.exceptions.ResourceNotFoundException:
        return None


def bodies(data):
    return [path for path in (data / "blobs").rglob("*") if path.is_file()]


def test_no_package_is_lost_or_left_over_when_the_server_is_killed(start_server, tmp_path):
    data = tmp_path / "data"
    server = start_server(data=data)
    for kill in range(KILLS):
        # Two by two they upload equal packages.
        writers = [Writer(server.endpoint, 1000 * kill + 100 * (number // 2)) for number in range(WRITERS)]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.enough.wait(60)
        server.kill()
        for writer in writers:
            writer.join(60)
        assert all(writer.rounds >= ROUNDS_BEFORE_KILL for writer in writers)
        result = check(data)
        assert result.returncode == 0, result.stdout
        server.start()
        cloud = Cloud(server.endpoint)
        for writer in writers:
            assert code_of(cloud, writer.name) in (writer.acknowledged, writer.pending), writer.name
    functions = cloud.functions
    for page in functions.get_paginator("list_functions").paginate():
        for function in page["Functions"]:
            functions.delete_function(FunctionName=function["FunctionName"])
    server.kill()
    server.start()
    eventually(lambda: not bodies(data), "the bodies are gone")  # what the kill left goes beside the first requests
    server.stop()
    assert check(data).returncode == 0


def test_what_is_unpacked_is_only_a_cache(start_server, tmp_path):
    data = tmp_path / "data"
    server = start_server(data=data)
    cloud = Cloud(server.endpoint)
    name = cloud.create_function(None, files={"app.py": SOURCE % 7}, name=unique("cached"))
    server.stop()
    shutil.rmtree(data / "functions")
    server.start()
    cloud = Cloud(server.endpoint)
    assert code_of(cloud, name) == 7
    assert len(bodies(data)) == 1
