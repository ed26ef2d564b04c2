// CloudWatch Logs with the AWS SDK for JavaScript v3.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  CloudWatchLogsClient, CreateLogGroupCommand, CreateLogStreamCommand, DeleteLogGroupCommand, DeleteLogStreamCommand,
  DeleteMetricFilterCommand, DeleteRetentionPolicyCommand, DescribeLogGroupsCommand, DescribeLogStreamsCommand,
  DescribeMetricFiltersCommand, FilterLogEventsCommand, GetLogEventsCommand, InvalidParameterException,
  ListLogGroupsCommand, ListTagsForResourceCommand, ListTagsLogGroupCommand, PutLogEventsCommand,
  PutMetricFilterCommand, PutRetentionPolicyCommand, ResourceAlreadyExistsException, ResourceNotFoundException,
  StartLiveTailCommand, TagLogGroupCommand, TagResourceCommand, TestMetricFilterCommand, UntagLogGroupCommand,
  UntagResourceCommand, paginateDescribeLogGroups, paginateDescribeMetricFilters, paginateFilterLogEvents,
} from "@aws-sdk/client-cloudwatch-logs";
import { eventually, handlers, startServer, unique } from "./client.mjs";

let server;

before(async () => { server = await startServer(); });
after(async () => { await server?.stop(); });

for (const protocol of Object.keys(handlers)) {
  describe(`logs over ${protocol}`, () => {
    let logs;
    before(() => {
      logs = new CloudWatchLogsClient({
        endpoint: server.endpoint, region: "us-east-1", maxAttempts: 1, requestHandler: handlers[protocol](),
        disableHostPrefix: true,
        credentials: { accessKeyId: "test", secretAccessKey: "test" },
      });
    });
    after(() => logs.destroy());

    async function createStream() {
      const logGroupName = unique("js");
      await logs.send(new CreateLogGroupCommand({ logGroupName }));
      await logs.send(new CreateLogStreamCommand({ logGroupName, logStreamName: "s" }));
      return logGroupName;
    }

    async function groupCalled(logGroupName) {
      const { logGroups } = await logs.send(new DescribeLogGroupsCommand({ logGroupNamePrefix: logGroupName }));
      return logGroups.find((group) => group.logGroupName === logGroupName);
    }

    const arnOf = async (logGroupName) => (await groupCalled(logGroupName)).arn.replace(/:\*$/, "");

    it("events are written, read and searched", async () => {
      const logGroupName = await createStream();
      const timestamp = Date.now();
      const logEvents = ["a ERROR", "b", "c ERROR"].map((message, i) => ({ timestamp: timestamp + i, message }));
      const put = await logs.send(new PutLogEventsCommand({ logGroupName, logStreamName: "s", logEvents }));
      assert.equal(put.rejectedLogEventsInfo, undefined);
      const got = await logs.send(new GetLogEventsCommand({ logGroupName, logStreamName: "s", startFromHead: true }));
      assert.deepEqual(got.events.map(({ message }) => message), ["a ERROR", "b", "c ERROR"]);
      assert.equal(got.events[0].timestamp, timestamp);
      const found = [];
      const request = { logGroupName, filterPattern: "ERROR" };
      for await (const page of paginateFilterLogEvents({ client: logs, pageSize: 1 }, request)) {
        found.push(...page.events.map(({ message }) => message));
      }
      assert.deepEqual(found, ["a ERROR", "c ERROR"]);
      const described = await logs.send(new DescribeLogStreamsCommand({ logGroupName }));
      assert.equal(described.logStreams[0].lastEventTimestamp, timestamp + 2);
    });

    it("errors are of their classes", async () => {
      const logGroupName = await createStream();
      await assert.rejects(logs.send(new CreateLogGroupCommand({ logGroupName })), ResourceAlreadyExistsException);
      const missing = { logGroupName: unique("js") };
      await assert.rejects(logs.send(new FilterLogEventsCommand(missing)), ResourceNotFoundException);
      await assert.rejects(logs.send(new FilterLogEventsCommand({ logGroupName, filterPattern: "{" })),
        InvalidParameterException);
    });

    it("live tail shows events as they are written", async () => {
      const logGroupName = await createStream();
      const arn = `arn:aws:logs:us-east-1:000000000000:log-group:${logGroupName}`;
      const tail = await logs.send(new StartLiveTailCommand({
        logGroupIdentifiers: [arn], logEventFilterPattern: "ERROR",
      }));
      const seen = [];
      for await (const event of tail.responseStream) {
        if (event.sessionStart) {
          assert.deepEqual(event.sessionStart.logGroupIdentifiers, [arn]);
          const timestamp = Date.now();
          const logEvents = ["fine", "an ERROR"].map((message) => ({ timestamp, message }));
          await logs.send(new PutLogEventsCommand({ logGroupName, logStreamName: "s", logEvents }));
        }
        seen.push(...(event.sessionUpdate?.sessionResults ?? []).map(({ message }) => message));
        if (seen.length > 0) break;
      }
      assert.deepEqual(seen, ["an ERROR"]);
    });

    it("groups are listed by pattern", async () => {
      const logGroupName = await createStream();
      const listed = await logs.send(new ListLogGroupsCommand({ logGroupNamePattern: logGroupName.slice(-20) }));
      assert.deepEqual(listed.logGroups.map((group) => group.logGroupName), [logGroupName]);
    });

    it("a group lives from creation to deletion", async () => {
      const logGroupName = unique("js");
      await logs.send(new CreateLogGroupCommand({ logGroupName }));
      const made = await eventually(() => groupCalled(logGroupName), "the group");
      assert.ok(made.arn.endsWith(`:log-group:${logGroupName}:*`));
      assert.deepEqual([made.storedBytes, made.retentionInDays], [0, undefined]);
      const keep = (retentionInDays) => logs.send(new PutRetentionPolicyCommand({ logGroupName, retentionInDays }));
      await keep(7);
      await eventually(async () => (await groupCalled(logGroupName)).retentionInDays === 7, "seven days");
      await assert.rejects(keep(2), { name: "InvalidParameterException", message: /'retentionInDays' failed/ });
      await logs.send(new DeleteRetentionPolicyCommand({ logGroupName }));
      await eventually(async () => (await groupCalled(logGroupName)).retentionInDays === undefined, "no limit");
      await logs.send(new DeleteLogGroupCommand({ logGroupName }));
      await eventually(async () => await groupCalled(logGroupName) === undefined, "the group gone");
      await assert.rejects(logs.send(new CreateLogGroupCommand({ logGroupName: "a b" })), {
        name: "InvalidParameterException", message: /Value 'a b' at 'logGroupName' failed to satisfy/,
      });
    });

    it("groups are described in pages by their prefix", async () => {
      const prefix = unique("js");
      const made = ["a", "b", "c"].map((end) => `${prefix}/${end}`);
      for (const logGroupName of made) await logs.send(new CreateLogGroupCommand({ logGroupName }));
      const found = [];
      const request = { logGroupNamePrefix: prefix };
      for await (const page of paginateDescribeLogGroups({ client: logs, pageSize: 2 }, request)) {
        assert.ok(page.logGroups.length <= 2);
        found.push(...page.logGroups.map((group) => group.logGroupName));
      }
      assert.deepEqual(found, made);
      const refused = (command) => assert.rejects(logs.send(command), InvalidParameterException);
      await refused(new DescribeLogGroupsCommand({ logGroupNamePrefix: "a", logGroupNamePattern: "abc" }));
      await refused(new DescribeLogGroupsCommand({ limit: 51 }));
      await refused(new ListLogGroupsCommand({ logGroupNamePattern: "a b" }));
    });

    it("tags are put on a group by its name and by its ARN", async () => {
      const logGroupName = unique("js");
      await logs.send(new CreateLogGroupCommand({ logGroupName, tags: { team: "a" } }));
      const resourceArn = await arnOf(logGroupName);
      const byName = async () => (await logs.send(new ListTagsLogGroupCommand({ logGroupName }))).tags;
      const byArn = async () => (await logs.send(new ListTagsForResourceCommand({ resourceArn }))).tags;
      await logs.send(new TagLogGroupCommand({ logGroupName, tags: { team: "b", stage: "test" } }));
      assert.deepEqual(await byArn(), { team: "b", stage: "test" });
      await logs.send(new TagResourceCommand({ resourceArn, tags: { kind: "x" } }));
      assert.deepEqual(await byName(), { team: "b", stage: "test", kind: "x" });
      await logs.send(new UntagLogGroupCommand({ logGroupName, tags: ["team", "none"] }));
      assert.deepEqual(await byArn(), { stage: "test", kind: "x" });
      await logs.send(new UntagResourceCommand({ resourceArn, tagKeys: ["stage"] }));
      assert.deepEqual(await byName(), { kind: "x" });
      const own = { "aws:mine": "x" };
      await assert.rejects(logs.send(new TagLogGroupCommand({ logGroupName, tags: own })), InvalidParameterException);
      await assert.rejects(logs.send(new TagResourceCommand({ resourceArn, tags: own })), InvalidParameterException);
    });

    it("a stream that is deleted takes its events along", async () => {
      const logGroupName = await createStream();
      const stream = { logGroupName, logStreamName: "s" };
      await assert.rejects(logs.send(new CreateLogStreamCommand(stream)), {
        name: "ResourceAlreadyExistsException", message: /^The specified log stream already exists/,
      });
      await logs.send(new CreateLogStreamCommand({ logGroupName, logStreamName: "t" }));
      const timestamp = Date.now();
      await logs.send(new PutLogEventsCommand({ ...stream, logEvents: [{ timestamp, message: "x" }] }));
      const late = [{ timestamp, message: "b" }, { timestamp: timestamp - 1, message: "a" }];
      await assert.rejects(logs.send(new PutLogEventsCommand({ ...stream, logEvents: late })), {
        name: "InvalidParameterException",
        message: "Log events in a single PutLogEvents request must be in chronological order.",
      });
      const names = async () => {
        const { logStreams } = await logs.send(new DescribeLogStreamsCommand({ logGroupName }));
        return logStreams.map((one) => one.logStreamName).join();
      };
      await eventually(async () => await names() === "s,t", "both streams");
      await logs.send(new DeleteLogStreamCommand(stream));
      await eventually(async () => await names() === "t", "one stream");
      const { events } = await logs.send(new FilterLogEventsCommand({ logGroupName }));
      assert.deepEqual(events, []);
      for (const command of [
        new DeleteLogStreamCommand(stream), new GetLogEventsCommand(stream),
        new PutLogEventsCommand({ ...stream, logEvents: [{ timestamp, message: "x" }] }),
      ]) {
        await assert.rejects(logs.send(command), {
          name: "ResourceNotFoundException", message: "The specified log stream does not exist.",
        });
      }
    });

    it("metric filters are tried, kept, changed and deleted", async () => {
      const logGroupName = await createStream();
      const metricNamespace = unique("js");
      const put = (filterName, filterPattern, more = {}) => logs.send(new PutMetricFilterCommand({
        logGroupName, filterName, filterPattern,
        metricTransformations: [{ metricName: filterName, metricNamespace, metricValue: "1", ...more }],
      }));
      const filterPattern = "{ $.ms > 100 }";
      const tried = await logs.send(new TestMetricFilterCommand({
        filterPattern, logEventMessages: ['{"ms": 50}', '{"ms": 150}'],
      }));
      assert.deepEqual(tried.matches, [
        { eventNumber: 2, eventMessage: '{"ms": 150}', extractedValues: { "$.ms": "150" } }]);
      await put("slow", "ERROR");
      await put("slow", filterPattern, { metricValue: "$.ms", unit: "Milliseconds" });
      await put("errors", "ERROR", { defaultValue: 0 });
      const described = [];
      for await (const page of paginateDescribeMetricFilters({ client: logs, pageSize: 1 }, { logGroupName })) {
        described.push(...page.metricFilters);
      }
      assert.deepEqual(described.map((filter) => filter.filterName), ["errors", "slow"]);
      assert.equal(described[1].filterPattern, filterPattern);
      const [{ metricValue, unit }] = described[1].metricTransformations;
      assert.deepEqual([metricValue, unit], ["$.ms", "Milliseconds"]);
      assert.equal(described[0].metricTransformations[0].defaultValue, 0);
      await logs.send(new DeleteMetricFilterCommand({ logGroupName, filterName: "slow" }));
      const ofMetric = (metricName, inNamespace = { metricNamespace }) => logs.send(
        new DescribeMetricFiltersCommand({ metricName, ...inNamespace }));
      assert.deepEqual((await ofMetric("slow")).metricFilters, []);
      assert.deepEqual((await ofMetric("errors")).metricFilters.map((filter) => filter.filterName), ["errors"]);
      const half = { filterPattern: "{ $.ms", logEventMessages: ["x"] };
      await assert.rejects(put("bad", half.filterPattern), InvalidParameterException);
      await assert.rejects(logs.send(new TestMetricFilterCommand(half)), InvalidParameterException);
      await assert.rejects(ofMetric("slow", {}), InvalidParameterException);
      await assert.rejects(logs.send(new DeleteMetricFilterCommand({ logGroupName, filterName: "slow" })),
        ResourceNotFoundException);
    });

    it("no operation knows a group that is not there", async () => {
      const here = await createStream();
      const logGroupName = `${here}x`;
      const stream = { logGroupName, logStreamName: "s" };
      const filter = { logGroupName, filterName: "f" };
      const metric = { metricName: "m", metricNamespace: "js", metricValue: "1" };
      for (const command of [
        new DeleteLogGroupCommand({ logGroupName }), new DeleteRetentionPolicyCommand({ logGroupName }),
        new PutRetentionPolicyCommand({ logGroupName, retentionInDays: 7 }),
        new TagLogGroupCommand({ logGroupName, tags: { a: "1" } }),
        new UntagLogGroupCommand({ logGroupName, tags: ["a"] }), new ListTagsLogGroupCommand({ logGroupName }),
        new CreateLogStreamCommand(stream), new DeleteLogStreamCommand(stream),
        new DescribeLogStreamsCommand({ logGroupName }), new GetLogEventsCommand(stream),
        new PutLogEventsCommand({ ...stream, logEvents: [{ timestamp: Date.now(), message: "x" }] }),
        new FilterLogEventsCommand({ logGroupName }), new DescribeMetricFiltersCommand({ logGroupName }),
        new PutMetricFilterCommand({ ...filter, filterPattern: "", metricTransformations: [metric] }),
        new DeleteMetricFilterCommand(filter),
      ]) {
        await assert.rejects(logs.send(command), (error) => {
          assert.ok(error instanceof ResourceNotFoundException, `${command.constructor.name}: ${error}`);
          assert.equal(error.message, "The specified log group does not exist.");
          return true;
        });
      }
      const resourceArn = `${await arnOf(here)}x`;
      for (const command of [
        new TagResourceCommand({ resourceArn, tags: { a: "1" } }), new ListTagsForResourceCommand({ resourceArn }),
        new UntagResourceCommand({ resourceArn, tagKeys: ["a"] }),
        new StartLiveTailCommand({ logGroupIdentifiers: [resourceArn] }),
      ]) {
        await assert.rejects(logs.send(command), ResourceNotFoundException);
      }
    });
  });
}
