// CloudWatch Logs with the AWS SDK for JavaScript v3.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  CloudWatchLogsClient, CreateLogGroupCommand, CreateLogStreamCommand, DescribeLogStreamsCommand, FilterLogEventsCommand,
  GetLogEventsCommand, InvalidParameterException, ListLogGroupsCommand, PutLogEventsCommand,
  ResourceAlreadyExistsException, ResourceNotFoundException, StartLiveTailCommand, paginateFilterLogEvents,
} from "@aws-sdk/client-cloudwatch-logs";
import { handlers, startServer, unique } from "./client.mjs";

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
      await assert.rejects(logs.send(new FilterLogEventsCommand({ logGroupName: unique("js") })), ResourceNotFoundException);
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
          await logs.send(new PutLogEventsCommand({
            logGroupName, logStreamName: "s", logEvents: ["fine", "an ERROR"].map((message) => ({ timestamp, message })),
          }));
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
  });
}
