"""Handlers in JavaScript as their authors write them for windows and partial batches; what they print tells how it went."""
import pytest

from harness import NODE_RUNTIME, eventually, printed

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


def node_function(cloud, source):
    return cloud.create_function(None, runtime=NODE_RUNTIME, handler="index.handler", files={"index.mjs": source})


def test_a_partial_batch_handler(cloud):
    table = cloud.create_table(stream="NEW_IMAGE")
    for turn in range(4):
        cloud.put_item(table, id="1", turn=turn)
    function = node_function(cloud, PARTIAL_HANDLER)
    cloud.create_mapping(function, cloud.stream_arn(table), MaximumRetryAttempts=1,
                         FunctionResponseTypes=["ReportBatchItemFailures"])
    delivered = printed(cloud, function, "DELIVERED ")
    eventually(lambda: len(delivered()) >= 3, "retries", 60)
    assert delivered() == [["0", "1", "2", "3"], ["2", "3"], ["2", "3"]]


@pytest.mark.local
def test_a_window_handler(virtual):
    table = virtual.create_table(stream="NEW_IMAGE")
    virtual.advance(3600 - float(virtual.now()) % 3600 + 1)
    function = node_function(virtual, WINDOW_HANDLER)
    virtual.create_mapping(function, virtual.stream_arn(table), TumblingWindowInSeconds=60)
    for turn, name in enumerate("aba"):
        virtual.put_item(table, id="1", name=name, turn=turn)
        virtual.advance(0.001)
    virtual.advance(60)
    virtual.put_item(table, id="1", name="c", turn=9)
    virtual.advance(1)
    final = printed(virtual, function, "FINAL ")
    eventually(lambda: final() == [{"a": 2, "b": 1}], "the totals", 30)
