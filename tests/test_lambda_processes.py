"""What functions start, and what becomes of it. Processes are looked for here: these tests are for one machine."""
import base64
import pathlib
import re

from harness import Cloud, eventually

# Starts a process that has made itself a session, given away its parent and cleared its environment; its number.
LEAVE = """
import os, time
def leave():
    read, write = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.write(write, str(os.getpid()).encode())
            os.execve("/bin/sleep", ["sleep", "1000"], {})
        os._exit(0)
    return int(os.read(read, 20))
"""


def runs(process):
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_no_process_of_a_function_outlives_its_timeout(cloud):
    function = cloud.create_function(
        LEAVE + "def handler(event, context):\n    print('left', leave(), flush=True)\n    time.sleep(100)\n", Timeout=4)
    answer, error = cloud.invoke(function, LogType="Tail")
    assert error["errorType"] == "Sandbox.Timedout"
    [process] = re.findall("^left ([0-9]+)$", base64.b64decode(answer["LogResult"]).decode(), re.MULTILINE)
    eventually(lambda: not runs(int(process)), "its process is gone")


def test_no_process_of_a_function_outlives_a_killed_server(start_server):
    server = start_server()
    cloud = Cloud(server.endpoint)
    function = cloud.create_function(LEAVE + "def handler(event, context):\n    return [os.getpid(), leave()]\n")
    _, processes = cloud.invoke(function)
    assert all(runs(each) for each in processes)
    server.kill()
    eventually(lambda: not any(runs(each) for each in processes), "its processes are gone")


def test_no_process_of_a_function_outlives_a_stop(start_server):
    server = start_server()
    cloud = Cloud(server.endpoint)
    function = cloud.create_function(LEAVE + "def handler(event, context):\n    return [os.getpid(), leave()]\n")
    _, processes = cloud.invoke(function)
    server.stop()
    eventually(lambda: not any(runs(each) for each in processes), "its processes are gone")
