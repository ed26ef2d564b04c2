// Data streams with the AWS SDK for JavaScript v3, which speaks HTTP/2 to them unless it is told otherwise.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  CreateStreamCommand, DeleteStreamCommand, DescribeStreamSummaryCommand, GetRecordsCommand, GetShardIteratorCommand,
  InvalidArgumentException, KinesisClient, ListShardsCommand, PutRecordCommand, PutRecordsCommand,
  RegisterStreamConsumerCommand, ResourceInUseException, ResourceNotFoundException, SubscribeToShardCommand,
  paginateListStreams,
} from "@aws-sdk/client-kinesis";
import { eventually, handlers, startServer, unique } from "./client.mjs";

let server;

before(async () => { server = await startServer(); });
after(async () => { await server?.stop(); });

for (const protocol of Object.keys(handlers)) {
  describe(`data streams over ${protocol}`, () => {
    let kinesis;
    before(() => {
      kinesis = new KinesisClient({
        endpoint: server.endpoint, region: "us-east-1", maxAttempts: 1, requestHandler: handlers[protocol](),
        credentials: { accessKeyId: "test", secretAccessKey: "test" },
      });
    });
    after(() => kinesis.destroy());

    async function createStream(ShardCount = 1) {
      const StreamName = unique("js");
      await kinesis.send(new CreateStreamCommand({ StreamName, ShardCount }));
      await eventually(async () => {
        const answer = await kinesis.send(new DescribeStreamSummaryCommand({ StreamName }));
        return answer.StreamDescriptionSummary.StreamStatus === "ACTIVE";
      }, "the stream active");
      return StreamName;
    }

    const text = (bytes) => Buffer.from(bytes).toString();

    it("records are written and read in their order", async () => {
      const StreamName = await createStream();
      const put = await kinesis.send(new PutRecordCommand({ StreamName, PartitionKey: "k", Data: Buffer.from("1") }));
      const batch = await kinesis.send(new PutRecordsCommand({
        StreamName, Records: [2, 3].map((n) => ({ PartitionKey: "k", Data: Buffer.from(String(n)) })),
      }));
      assert.equal(batch.FailedRecordCount, 0);
      const { ShardIterator } = await kinesis.send(new GetShardIteratorCommand({
        StreamName, ShardId: put.ShardId, ShardIteratorType: "AT_SEQUENCE_NUMBER",
        StartingSequenceNumber: put.SequenceNumber,
      }));
      const page = await kinesis.send(new GetRecordsCommand({ ShardIterator }));
      assert.deepEqual(page.Records.map((record) => text(record.Data)), ["1", "2", "3"]);
      assert.ok(page.Records[0].ApproximateArrivalTimestamp instanceof Date);
      assert.equal(page.MillisBehindLatest, 0);
    });

    it("streams and shards are listed", async () => {
      const StreamName = await createStream(3);
      const { Shards } = await kinesis.send(new ListShardsCommand({ StreamName }));
      assert.equal(Shards.length, 3);
      const names = [];
      for await (const page of paginateListStreams({ client: kinesis, pageSize: 1 }, {})) names.push(...page.StreamNames);
      assert.ok(names.includes(StreamName));
      await kinesis.send(new DeleteStreamCommand({ StreamName }));
    });

    it("a subscriber gets records as they are written", async () => {
      const StreamName = await createStream();
      const summary = await kinesis.send(new DescribeStreamSummaryCommand({ StreamName }));
      const { StreamARN } = summary.StreamDescriptionSummary;
      const { Consumer } = await kinesis.send(new RegisterStreamConsumerCommand({ StreamARN, ConsumerName: "reader" }));
      const put = (data) => kinesis.send(
        new PutRecordCommand({ StreamName, PartitionKey: "k", Data: Buffer.from(data) }));
      const { ShardId } = await put("1");
      const subscribe = new SubscribeToShardCommand({
        ConsumerARN: Consumer.ConsumerARN, ShardId, StartingPosition: { Type: "TRIM_HORIZON" },
      });
      const { EventStream } = await kinesis.send(subscribe);
      await assert.rejects(kinesis.send(subscribe), ResourceInUseException);
      const found = [];
      for await (const { SubscribeToShardEvent: event } of EventStream) {
        assert.match(event.ContinuationSequenceNumber, /^49\d{54}$/);
        for (const record of event.Records) {
          found.push(text(record.Data));
          if (found.length < 3) await put(String(found.length + 1));
        }
        if (found.length === 3) break;
      }
      assert.deepEqual(found, ["1", "2", "3"]);
    });

    it("refusals are errors of their own", async () => {
      const StreamName = await createStream();
      const missing = new DescribeStreamSummaryCommand({ StreamName: unique("missing") });
      await assert.rejects(kinesis.send(missing), ResourceNotFoundException);
      const wrong = new PutRecordCommand({
        StreamName, PartitionKey: "k", Data: Buffer.from("x"), ExplicitHashKey: String(2n ** 128n),
      });
      await assert.rejects(kinesis.send(wrong), InvalidArgumentException);
    });
  });
}
