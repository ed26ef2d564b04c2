// Data streams, their shards, settings and consumers with the AWS SDK for JavaScript v3, whose version here does not
// know DescribeAccountSettings and UpdateMaxRecordSize.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  AddTagsToStreamCommand, CreateStreamCommand, DecreaseStreamRetentionPeriodCommand, DeleteResourcePolicyCommand,
  DeleteStreamCommand, DeregisterStreamConsumerCommand, DescribeLimitsCommand, DescribeStreamCommand,
  DescribeStreamConsumerCommand, DescribeStreamSummaryCommand, DisableEnhancedMonitoringCommand,
  EnableEnhancedMonitoringCommand, GetRecordsCommand, GetResourcePolicyCommand, GetShardIteratorCommand,
  IncreaseStreamRetentionPeriodCommand, InvalidArgumentException, KinesisClient, ListShardsCommand,
  ListStreamConsumersCommand, ListStreamsCommand, ListTagsForResourceCommand, ListTagsForStreamCommand,
  MergeShardsCommand, PutRecordCommand, PutRecordsCommand, PutResourcePolicyCommand, RegisterStreamConsumerCommand,
  RemoveTagsFromStreamCommand, ResourceInUseException, ResourceNotFoundException, SplitShardCommand,
  SubscribeToShardCommand, TagResourceCommand, UntagResourceCommand, UpdateShardCountCommand, UpdateStreamModeCommand,
  waitUntilStreamNotExists,
} from "@aws-sdk/client-kinesis";
import { eventually, handlers, startServer, unique } from "./client.mjs";

const shardId = (number) => `shardId-${String(number).padStart(12, "0")}`;
let server;

before(async () => { server = await startServer(); });
after(async () => { await server?.stop(); });

for (const protocol of Object.keys(handlers)) {
  describe(`data streams and their settings over ${protocol}`, () => {
    let kinesis;
    before(() => {
      kinesis = new KinesisClient({
        endpoint: server.endpoint, region: "us-east-1", maxAttempts: 1, requestHandler: handlers[protocol](),
        credentials: { accessKeyId: "test", secretAccessKey: "test" },
      });
    });
    after(() => kinesis.destroy());

    // Its summary, once it is active.
    const active = (StreamName) => eventually(async () => {
      const { StreamDescriptionSummary } = await kinesis.send(new DescribeStreamSummaryCommand({ StreamName }));
      return StreamDescriptionSummary.StreamStatus === "ACTIVE" && StreamDescriptionSummary;
    }, "the stream active");

    async function createStream(ShardCount = 1) {
      const StreamName = unique("js");
      await kinesis.send(new CreateStreamCommand({ StreamName, ShardCount }));
      const { StreamARN } = await active(StreamName);
      return { StreamName, StreamARN };
    }

    async function shardsOf(StreamName, ShardFilter) {
      const { Shards } = await kinesis.send(new ListShardsCommand({ StreamName, ShardFilter }));
      return Shards;
    }

    it("a stream lives from creation to deletion", async () => {
      const { StreamName, StreamARN } = await createStream(2);
      const { StreamDescription: told } = await kinesis.send(new DescribeStreamCommand({ StreamName }));
      assert.deepEqual([told.StreamARN, told.RetentionPeriodHours, told.EncryptionType], [StreamARN, 24, "NONE"]);
      assert.deepEqual(told.StreamModeDetails, { StreamMode: "PROVISIONED" });
      assert.ok(told.StreamCreationTimestamp instanceof Date);
      const page = await kinesis.send(new DescribeStreamCommand({ StreamName, Limit: 1 }));
      assert.deepEqual(page.StreamDescription.Shards.map((shard) => shard.ShardId), [shardId(0)]);
      assert.equal(page.StreamDescription.HasMoreShards, true);
      const again = new CreateStreamCommand({ StreamName, ShardCount: 1 });
      await assert.rejects(kinesis.send(again), ResourceInUseException);
      const { StreamNames } = await kinesis.send(
        new ListStreamsCommand({ ExclusiveStartStreamName: StreamName.slice(0, -1), Limit: 1 }));
      assert.deepEqual(StreamNames, [StreamName]);
      await assert.rejects(kinesis.send(new ListStreamsCommand({ Limit: 0 })), {
        name: "ValidationException", message: /at 'limit' failed to satisfy constraint/ });
      await kinesis.send(new DeleteStreamCommand({ StreamName }));
      await waitUntilStreamNotExists({ client: kinesis, maxWaitTime: 120, minDelay: 1, maxDelay: 1 }, { StreamName });
    });

    it("limits are told, and streams count", async () => {
      const { StreamName } = await createStream(3);
      const limits = await kinesis.send(new DescribeLimitsCommand({}));
      assert.ok(limits.OpenShardCount >= 3 && limits.ShardLimit >= limits.OpenShardCount);
      assert.ok(limits.OnDemandStreamCountLimit >= limits.OnDemandStreamCount);
      await kinesis.send(new DeleteStreamCommand({ StreamName }));
    });

    it("a shard is split and its children are merged", async () => {
      const { StreamName } = await createStream();
      const middle = String(2n ** 127n);
      const split = (NewStartingHashKey, ShardToSplit = shardId(0)) => kinesis.send(
        new SplitShardCommand({ StreamName, ShardToSplit, NewStartingHashKey }));
      await assert.rejects(split("1"), (error) => {
        assert.ok(error instanceof InvalidArgumentException);
        assert.match(error.message, /is not both greater than one plus the shard's StartingHashKey 0/);
        return true;
      });
      await assert.rejects(split(middle, shardId(99)), ResourceNotFoundException);
      await split(middle);
      await active(StreamName);
      const children = (await shardsOf(StreamName)).slice(1);
      assert.deepEqual(
        children.map((shard) => [shard.ShardId, shard.ParentShardId, shard.HashKeyRange.StartingHashKey]),
        [[shardId(1), shardId(0), "0"], [shardId(2), shardId(0), middle]]);
      const merge = (ShardToMerge, AdjacentShardToMerge) => kinesis.send(
        new MergeShardsCommand({ StreamName, ShardToMerge, AdjacentShardToMerge }));
      await assert.rejects(merge(shardId(1), shardId(0)), InvalidArgumentException);
      await merge(shardId(1), shardId(2));
      await active(StreamName);
      const [merged, ...more] = await shardsOf(StreamName, { Type: "AT_LATEST" });
      assert.deepEqual([merged.ShardId, merged.ParentShardId, merged.AdjacentParentShardId, more.length],
        [shardId(3), shardId(1), shardId(2), 0]);
    });

    it("the shards are counted anew", async () => {
      const { StreamName, StreamARN } = await createStream(2);
      const update = (TargetShardCount) => kinesis.send(new UpdateShardCountCommand({
        StreamName, TargetShardCount, ScalingType: "UNIFORM_SCALING" }));
      const answer = await update(3);
      assert.deepEqual([answer.StreamName, answer.StreamARN, answer.CurrentShardCount, answer.TargetShardCount],
        [StreamName, StreamARN, 2, 3]);
      assert.equal((await active(StreamName)).OpenShardCount, 3);
      const open = await shardsOf(StreamName, { Type: "AT_LATEST" });
      const ranges = open.map(({ HashKeyRange: range }) => [BigInt(range.StartingHashKey), BigInt(range.EndingHashKey)])
        .sort(([a], [b]) => (a < b ? -1 : 1));
      assert.equal(ranges[0][0], 0n);
      assert.equal(ranges.at(-1)[1], 2n ** 128n - 1n);
      for (let i = 1; i < ranges.length; ++i) assert.equal(ranges[i][0], ranges[i - 1][1] + 1n);
      await assert.rejects(update(7), InvalidArgumentException);
      await assert.rejects(kinesis.send(new ListShardsCommand({ StreamName, ShardFilter: { Type: "AFTER_SHARD_ID" } })),
        InvalidArgumentException);
    });

    it("the retention grows and shrinks, each by its own operation", async () => {
      const { StreamName } = await createStream();
      const increase = (RetentionPeriodHours) => kinesis.send(
        new IncreaseStreamRetentionPeriodCommand({ StreamName, RetentionPeriodHours }));
      const decrease = (RetentionPeriodHours) => kinesis.send(
        new DecreaseStreamRetentionPeriodCommand({ StreamName, RetentionPeriodHours }));
      await increase(48);
      assert.equal((await active(StreamName)).RetentionPeriodHours, 48);
      await assert.rejects(increase(24), {
        name: "InvalidArgumentException", message: /can not be shorter than existing retention period/ });
      await assert.rejects(decrease(72), {
        name: "InvalidArgumentException", message: /can not be longer than existing retention period/ });
      await decrease(24);
      assert.equal((await active(StreamName)).RetentionPeriodHours, 24);
      await assert.rejects(decrease(23), InvalidArgumentException);
    });

    it("the mode is changed to another and back", async () => {
      const { StreamName, StreamARN } = await createStream();
      const update = (StreamMode) => kinesis.send(
        new UpdateStreamModeCommand({ StreamARN, StreamModeDetails: { StreamMode } }));
      for (const StreamMode of ["ON_DEMAND", "PROVISIONED"]) {
        await update(StreamMode);
        assert.deepEqual((await active(StreamName)).StreamModeDetails, { StreamMode });
      }
      await assert.rejects(update("SOMETIMES"), { name: "ValidationException" });
    });

    it("shards are measured as long as that is wanted", async () => {
      const { StreamName } = await createStream();
      const on = await kinesis.send(new EnableEnhancedMonitoringCommand({
        StreamName, ShardLevelMetrics: ["IncomingBytes", "OutgoingBytes"] }));
      assert.deepEqual(on.CurrentShardLevelMetrics ?? [], []);
      assert.deepEqual([...on.DesiredShardLevelMetrics].sort(), ["IncomingBytes", "OutgoingBytes"]);
      const told = await active(StreamName);
      assert.deepEqual([...told.EnhancedMonitoring[0].ShardLevelMetrics].sort(), ["IncomingBytes", "OutgoingBytes"]);
      const off = await kinesis.send(new DisableEnhancedMonitoringCommand({
        StreamName, ShardLevelMetrics: ["OutgoingBytes"] }));
      assert.deepEqual(off.DesiredShardLevelMetrics, ["IncomingBytes"]);
      assert.deepEqual((await active(StreamName)).EnhancedMonitoring, [{ ShardLevelMetrics: ["IncomingBytes"] }]);
      for (const Command of [EnableEnhancedMonitoringCommand, DisableEnhancedMonitoringCommand]) {
        await assert.rejects(kinesis.send(new Command({ StreamName, ShardLevelMetrics: ["Weight"] })),
          { name: "ValidationException" });
      }
    });

    it("tags are kept by a stream's name, and by the ARN of a stream or a consumer", async () => {
      const { StreamName, StreamARN } = await createStream();
      const ofStream = async () => (await kinesis.send(new ListTagsForStreamCommand({ StreamName }))).Tags;
      const ofResource = async (ResourceARN) =>
        (await kinesis.send(new ListTagsForResourceCommand({ ResourceARN }))).Tags;
      const becomes = (tags, wanted) => eventually(async () =>
        JSON.stringify(await tags()) === JSON.stringify(wanted), `the tags ${JSON.stringify(wanted)}`);
      await kinesis.send(new AddTagsToStreamCommand({ StreamName, Tags: { a: "1", b: "2" } }));
      await becomes(ofStream, [{ Key: "a", Value: "1" }, { Key: "b", Value: "2" }]);
      const page = await kinesis.send(new ListTagsForStreamCommand({ StreamName, Limit: 1 }));
      assert.deepEqual([page.Tags, page.HasMoreTags], [[{ Key: "a", Value: "1" }], true]);
      await kinesis.send(new RemoveTagsFromStreamCommand({ StreamName, TagKeys: ["a"] }));
      await kinesis.send(new TagResourceCommand({ ResourceARN: StreamARN, Tags: { b: "3" } }));
      await becomes(() => ofResource(StreamARN), [{ Key: "b", Value: "3" }]);

      const { Consumer } = await kinesis.send(
        new RegisterStreamConsumerCommand({ StreamARN, ConsumerName: "reader", Tags: { c: "4" } }));
      await becomes(() => ofResource(Consumer.ConsumerARN), [{ Key: "c", Value: "4" }]);
      await kinesis.send(new TagResourceCommand({ ResourceARN: Consumer.ConsumerARN, Tags: { d: "5" } }));
      await kinesis.send(new UntagResourceCommand({ ResourceARN: Consumer.ConsumerARN, TagKeys: ["c"] }));
      await becomes(() => ofResource(Consumer.ConsumerARN), [{ Key: "d", Value: "5" }]);
      await becomes(ofStream, [{ Key: "b", Value: "3" }]);
      await kinesis.send(new UntagResourceCommand({ ResourceARN: StreamARN, TagKeys: ["b"] }));
      await becomes(ofStream, []);
      await assert.rejects(kinesis.send(new AddTagsToStreamCommand({ StreamName, Tags: { "aws:x": "1" } })),
        InvalidArgumentException);
    });

    it("a policy is kept until it is deleted", async () => {
      const { StreamARN: ResourceARN } = await createStream();
      const Policy = JSON.stringify({
        Version: "2012-10-17",
        Statement: [{
          Sid: "readers", Effect: "Allow", Principal: { AWS: `arn:aws:iam::${ResourceARN.split(":")[4]}:root` },
          Action: ["kinesis:DescribeStreamSummary", "kinesis:ListShards"], Resource: ResourceARN,
        }],
      });
      await kinesis.send(new PutResourcePolicyCommand({ ResourceARN, Policy }));
      const kept = await kinesis.send(new GetResourcePolicyCommand({ ResourceARN }));
      assert.deepEqual(JSON.parse(kept.Policy), JSON.parse(Policy));
      await assert.rejects(kinesis.send(new PutResourcePolicyCommand({ ResourceARN, Policy: "{}" })),
        InvalidArgumentException);
      await kinesis.send(new DeleteResourcePolicyCommand({ ResourceARN }));
      assert.equal((await kinesis.send(new GetResourcePolicyCommand({ ResourceARN }))).Policy, "{}");
      await assert.rejects(kinesis.send(new DeleteResourcePolicyCommand({ ResourceARN })), ResourceNotFoundException);
    });

    it("consumers are registered, described, listed and deregistered", async () => {
      const { StreamName, StreamARN } = await createStream();
      const arns = [];
      for (const ConsumerName of ["one", "two"]) {
        const { Consumer } = await kinesis.send(new RegisterStreamConsumerCommand({ StreamARN, ConsumerName }));
        assert.ok(Consumer.ConsumerARN.startsWith(`${StreamARN}/consumer/${ConsumerName}:`));
        arns.push(Consumer.ConsumerARN);
      }
      await assert.rejects(kinesis.send(new RegisterStreamConsumerCommand({ StreamARN, ConsumerName: "one" })),
        ResourceInUseException);
      const [ConsumerARN] = arns;
      const told = await eventually(async () => {
        const { ConsumerDescription } = await kinesis.send(new DescribeStreamConsumerCommand({ ConsumerARN }));
        return ConsumerDescription.ConsumerStatus === "ACTIVE" && ConsumerDescription;
      }, "the consumer active");
      assert.deepEqual([told.ConsumerName, told.StreamARN], ["one", StreamARN]);
      const first = await kinesis.send(new ListStreamConsumersCommand({ StreamARN, MaxResults: 1 }));
      const rest = await kinesis.send(new ListStreamConsumersCommand({ StreamARN, NextToken: first.NextToken }));
      assert.deepEqual([...first.Consumers, ...rest.Consumers].map((consumer) => consumer.ConsumerARN).sort(),
        [...arns].sort());
      await assert.rejects(kinesis.send(new DeleteStreamCommand({ StreamName })), ResourceInUseException);
      await kinesis.send(new DeregisterStreamConsumerCommand({ ConsumerARN }));
      await eventually(async () => {
        const { Consumers } = await kinesis.send(new ListStreamConsumersCommand({ StreamARN }));
        return Consumers.length === 1 && Consumers[0].ConsumerName === "two";
      }, "one consumer left");
      const subscribe = new SubscribeToShardCommand({
        ConsumerARN, ShardId: shardId(0), StartingPosition: { Type: "LATEST" } });
      for (const command of [
        new DescribeStreamConsumerCommand({ StreamARN, ConsumerName: "one" }),
        new DeregisterStreamConsumerCommand({ ConsumerARN }), subscribe,
      ]) {
        await assert.rejects(kinesis.send(command), ResourceNotFoundException, command.constructor.name);
      }
      await kinesis.send(new DeleteStreamCommand({ StreamName, EnforceConsumerDeletion: true }));
    });

    it("records are neither read from nor put where there is nothing", async () => {
      const { StreamName } = await createStream();
      await assert.rejects(kinesis.send(new GetRecordsCommand({ ShardIterator: "nonsense" })),
        { name: "InvalidArgumentException", message: "Invalid ShardIterator." });
      await assert.rejects(kinesis.send(new GetShardIteratorCommand({
        StreamName, ShardId: shardId(7), ShardIteratorType: "LATEST" })), ResourceNotFoundException);
      const record = { PartitionKey: "k", Data: Buffer.from("x") };
      await assert.rejects(kinesis.send(new PutRecordsCommand({ StreamName, Records: Array(501).fill(record) })), {
        name: "ValidationException", message: /Member must have length less than or equal to 500/ });
    });

    it("nothing can be asked of a stream that is not there", async () => {
      const { StreamARN: there } = await createStream();
      const StreamName = unique("missing");
      const StreamARN = `${there.slice(0, there.lastIndexOf("/"))}/${StreamName}`;
      const record = { PartitionKey: "k", Data: Buffer.from("x") };
      const Policy = JSON.stringify({ Version: "2012-10-17", Statement: [{
        Sid: "s", Effect: "Allow", Principal: { AWS: `arn:aws:iam::${there.split(":")[4]}:root` },
        Action: "kinesis:ListShards", Resource: StreamARN }] });
      const named = [
        [AddTagsToStreamCommand, { Tags: { a: "1" } }],
        [DecreaseStreamRetentionPeriodCommand, { RetentionPeriodHours: 24 }],
        [DeleteStreamCommand, {}],
        [DescribeStreamCommand, {}],
        [DescribeStreamSummaryCommand, {}],
        [DisableEnhancedMonitoringCommand, { ShardLevelMetrics: ["ALL"] }],
        [EnableEnhancedMonitoringCommand, { ShardLevelMetrics: ["ALL"] }],
        [IncreaseStreamRetentionPeriodCommand, { RetentionPeriodHours: 48 }],
        [ListShardsCommand, {}],
        [ListTagsForStreamCommand, {}],
        [MergeShardsCommand, { ShardToMerge: shardId(0), AdjacentShardToMerge: shardId(1) }],
        [PutRecordCommand, record],
        [PutRecordsCommand, { Records: [record] }],
        [RemoveTagsFromStreamCommand, { TagKeys: ["a"] }],
        [SplitShardCommand, { ShardToSplit: shardId(0), NewStartingHashKey: "10" }],
        [UpdateShardCountCommand, { TargetShardCount: 2, ScalingType: "UNIFORM_SCALING" }],
      ];
      const notFound = new RegExp(`^Stream ${StreamName} under account \\d{12} not found\\.$`);
      for (const [Command, more] of named) {
        await assert.rejects(kinesis.send(new Command({ StreamName, ...more })), (error) => {
          assert.ok(error instanceof ResourceNotFoundException, `${Command.name}: ${error}`);
          assert.match(error.message, notFound, Command.name);
          return true;
        });
      }
      // Who asks for a shard is told of the shard.
      await assert.rejects(
        kinesis.send(new GetShardIteratorCommand({ StreamName, ShardId: shardId(0), ShardIteratorType: "LATEST" })),
        { name: "ResourceNotFoundException",
          message: new RegExp(`^Shard ${shardId(0)} in stream ${StreamName} under account \\d{12} does not exist$`) });
      const ResourceARN = StreamARN;
      const byArn = [
        [DeleteResourcePolicyCommand, { ResourceARN }],
        [GetResourcePolicyCommand, { ResourceARN }],
        [ListStreamConsumersCommand, { StreamARN }],
        [ListTagsForResourceCommand, { ResourceARN }],
        [PutResourcePolicyCommand, { ResourceARN, Policy }],
        [RegisterStreamConsumerCommand, { StreamARN, ConsumerName: "reader" }],
        [TagResourceCommand, { ResourceARN, Tags: { a: "1" } }],
        [UntagResourceCommand, { ResourceARN, TagKeys: ["a"] }],
        [UpdateStreamModeCommand, { StreamARN, StreamModeDetails: { StreamMode: "ON_DEMAND" } }],
      ];
      for (const [Command, request] of byArn) {
        await assert.rejects(kinesis.send(new Command(request)), ResourceNotFoundException, Command.name);
      }
    });
  });
}
