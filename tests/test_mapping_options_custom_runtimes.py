"""Handlers for windows and partial batches in custom runtimes (provided.al2023): one in shell, one in C++."""
import pathlib
import subprocess

import pytest

from harness import eventually, printed

SOURCES = pathlib.Path(__file__).parent / "custom_runtime"
COMPILER = "clang++-19"


@pytest.fixture(scope="module", params=["shell", "C++"])
def bootstrap(request, tmp_path_factory):
    if request.param == "shell":
        return (SOURCES / "bootstrap.sh").read_bytes()
    program = tmp_path_factory.mktemp("bootstrap") / "bootstrap"
    subprocess.run([COMPILER, "-std=c++20", "-static-libstdc++", "-o", program, SOURCES / "bootstrap.cc"], check=True)
    return program.read_bytes()


def custom_function(cloud, bootstrap, handler):
    return cloud.create_function(None, runtime="provided.al2023", handler=handler, files={"bootstrap": bootstrap})


def test_a_partial_batch_handler(cloud, bootstrap):
    table = cloud.create_table(stream="NEW_IMAGE")
    for turn in range(4):
        cloud.put_item(table, id="1", turn=turn)
    function = custom_function(cloud, bootstrap, "partial")
    cloud.create_mapping(function, cloud.stream_arn(table), MaximumRetryAttempts=1,
                         FunctionResponseTypes=["ReportBatchItemFailures"])
    delivered = printed(cloud, function, "DELIVERED ")
    eventually(lambda: len(delivered()) >= 3, "retries", 60)
    assert delivered() == [["0", "1", "2", "3"], ["2", "3"], ["2", "3"]]


@pytest.mark.local
def test_a_window_handler(virtual, bootstrap):
    table = virtual.create_table(stream="NEW_IMAGE")
    virtual.advance(3600 - float(virtual.now()) % 3600 + 1)
    function = custom_function(virtual, bootstrap, "window")
    virtual.create_mapping(function, virtual.stream_arn(table), TumblingWindowInSeconds=60)
    for turn in range(3):
        virtual.put_item(table, id="1", turn=turn)
        virtual.advance(0.001)
    virtual.advance(60)
    virtual.put_item(table, id="1", turn=9)
    virtual.advance(1)
    final = printed(virtual, function, "FINAL ")
    eventually(lambda: final() == [3], "the count", 30)
