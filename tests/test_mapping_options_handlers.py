"""Handlers for windows and partial batches as their authors write them, in JavaScript and in custom runtimes
(provided.al2023) in shell and C++; what they print tells how it went. Those in Python: test_mapping_options_failures.py,
test_mapping_options_windows.py."""
import json
import pathlib
import subprocess

import pytest

from harness import NODE_RUNTIME, eventually

CUSTOM = pathlib.Path(__file__).parent / "custom_runtime"
COMPILER = "clang++-19"
PARTIAL_HANDLER = """
export const handler = async (event) => {
  console.log("DELIVERED " + JSON.stringify(event.Records.map((r) => r.dynamodb.NewImage.turn.N)));
  for (const record of event.Records) {
    try {
      if (record.dynamodb.NewImage.turn.N === "2") throw new Error("poisoned");
    } catch (error) {
      return { batchItemFailures: [{ itemIdentifier: record.dynamodb.SequenceNumber }] };
    }
  }
  return { batchItemFailures: [] };
};
"""
WINDOW_HANDLER = """
export const handler = async (event) => {
  const state = event.state || {};
  for (const record of event.Records) {
    const name = record.dynamodb.NewImage.name.S;
    state[name] = (state[name] || 0) + 1;
  }
  if (event.isFinalInvokeForWindow) console.log("FINAL " + JSON.stringify(state));
  return { state };
};
"""


class InJavaScript:
    final = {"a": 2, "b": 1}

    def function(self, cloud, handler):
        source = PARTIAL_HANDLER if handler == "partial" else WINDOW_HANDLER
        return cloud.create_function(None, runtime=NODE_RUNTIME, handler="index.handler", files={"index.mjs": source})


class Custom:
    final = 3

    def __init__(self, bootstrap):
        self.bootstrap = bootstrap

    def function(self, cloud, handler):
        return cloud.create_function(None, runtime="provided.al2023", handler=handler, files={"bootstrap": self.bootstrap})


@pytest.fixture(scope="module", params=["JavaScript", "shell", "C++"])
def author(request, tmp_path_factory):
    if request.param == "JavaScript":
        return InJavaScript()
    if request.param == "shell":
        return Custom((CUSTOM / "bootstrap.sh").read_bytes())
    program = tmp_path_factory.mktemp("bootstrap") / "bootstrap"
    subprocess.run([COMPILER, "-std=c++20", "-static-libstdc++", "-o", program, CUSTOM / "bootstrap.cc"], check=True)
    return Custom(program.read_bytes())


def printed(cloud, function, word):
    """A call that gives the JSON texts that the function has printed so far behind `word`."""
    logs = cloud.client("logs")

    def lines():
        try:
            events = logs.filter_log_events(logGroupName=f"/aws/lambda/{function}")["events"]
        except logs.exceptions.ResourceNotFoundException:
            return []
        return [json.loads(event["message"].split(word, 1)[1]) for event in events if word in event["message"]]
    return lines


def test_a_partial_batch_handler(cloud, author):
    table = cloud.create_table(stream="NEW_IMAGE")
    for turn in range(4):
        cloud.put_item(table, id="1", turn=turn)
    function = author.function(cloud, "partial")
    cloud.create_mapping(function, cloud.stream_arn(table), MaximumRetryAttempts=1,
                         FunctionResponseTypes=["ReportBatchItemFailures"])
    delivered = printed(cloud, function, "DELIVERED ")
    eventually(lambda: len(delivered()) >= 3, "retries", 60)
    assert delivered() == [["0", "1", "2", "3"], ["2", "3"], ["2", "3"]]


@pytest.mark.local
def test_a_window_handler(virtual, author):
    table = virtual.create_table(stream="NEW_IMAGE")
    virtual.advance(3600 - float(virtual.now()) % 3600 + 1)
    function = author.function(virtual, "window")
    virtual.create_mapping(function, virtual.stream_arn(table), TumblingWindowInSeconds=60)
    for turn, name in enumerate("aba"):
        virtual.put_item(table, id="1", name=name, turn=turn)
        virtual.advance(0.001)
    virtual.advance(60)
    virtual.put_item(table, id="1", name="c", turn=9)
    virtual.advance(1)
    final = printed(virtual, function, "FINAL ")
    eventually(lambda: final() == [author.final], "the totals")
