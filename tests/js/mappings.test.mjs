// Event source mappings with the AWS SDK for JavaScript v3, which knows their newer members; and a data stream on its way
// to a handler in Node.js.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, describe, it } from "node:test";
import {
  CreateStreamCommand, DescribeStreamSummaryCommand, KinesisClient, PutRecordsCommand,
} from "@aws-sdk/client-kinesis";
import {
  CreateEventSourceMappingCommand, CreateFunctionCommand, DeleteEventSourceMappingCommand, GetEventSourceMappingCommand,
  InvalidParameterValueException, ListTagsCommand, ResourceConflictException, ResourceNotFoundException,
  TagResourceCommand, UntagResourceCommand,
} from "@aws-sdk/client-lambda";
import { eventually, handlers, makeClients, startServer, unique, zipOf } from "./client.mjs";

const ROLE = process.env.TIDEMILL_TEST_ROLE ?? "arn:aws:iam::000000000000:role/tidemill-tests";
const HANDLER = `exports.handler = async (event) => {
  if (process.env.REPORT_TO) await fetch(process.env.REPORT_TO, { method: "POST", body: JSON.stringify(event) });
};`;

describe("event source mappings", () => {
  let server;
  let lambda;
  let clients;
  let kinesis;
  before(async () => {
    server = await startServer();
    clients = makeClients(server.endpoint, "HTTP/1.1");
    lambda = clients.lambda;
    kinesis = new KinesisClient({
      endpoint: server.endpoint, region: "us-east-1", maxAttempts: 1, requestHandler: handlers["HTTP/1.1"](),
      credentials: { accessKeyId: "test", secretAccessKey: "test" },
    });
  });
  after(async () => {
    clients?.destroy();
    kinesis?.destroy();
    await server?.stop();
  });

  async function createStream() {
    const StreamName = unique("js");
    await kinesis.send(new CreateStreamCommand({ StreamName, ShardCount: 1 }));
    return eventually(async () => {
      const { StreamDescriptionSummary } = await kinesis.send(new DescribeStreamSummaryCommand({ StreamName }));
      return StreamDescriptionSummary.StreamStatus === "ACTIVE" && StreamDescriptionSummary;
    }, "the stream active");
  }

  async function createFunction(environment = {}) {
    const FunctionName = unique("js");
    await lambda.send(new CreateFunctionCommand({
      FunctionName, Runtime: "nodejs20.x", Handler: "index.handler", Role: ROLE, Timeout: 20,
      Code: { ZipFile: zipOf("index.js", HANDLER) }, Environment: { Variables: environment },
    }));
    return FunctionName;
  }

  it("a mapping has an ARN by which it is tagged", async () => {
    const { StreamARN } = await createStream();
    const made = await lambda.send(new CreateEventSourceMappingCommand({
      FunctionName: await createFunction(), EventSourceArn: StreamARN, StartingPosition: "LATEST", Enabled: false,
      Tags: { stage: "test" },
    }));
    assert.equal(made.State, "Disabled");
    assert.ok(made.LastModified instanceof Date);
    const Resource = made.EventSourceMappingArn;
    assert.match(Resource, new RegExp(`:event-source-mapping:${made.UUID}$`));
    await lambda.send(new TagResourceCommand({ Resource, Tags: { owner: "somebody" } }));
    await lambda.send(new UntagResourceCommand({ Resource, TagKeys: ["stage"] }));
    assert.deepEqual((await lambda.send(new ListTagsCommand({ Resource }))).Tags, { owner: "somebody" });
    await lambda.send(new DeleteEventSourceMappingCommand({ UUID: made.UUID }));
    await eventually(async () => {
      try {
        await lambda.send(new ListTagsCommand({ Resource }));
      } catch (error) {
        assert.ok(error instanceof ResourceNotFoundException);
        return error.message === `Event source mapping not found: ${Resource}`;
      }
      return false;
    }, "the mapping gone");
  });

  it("refusals are the SDK's exceptions", async () => {
    const { StreamARN } = await createStream();
    const FunctionName = await createFunction();
    const create = (more) => lambda.send(new CreateEventSourceMappingCommand({
      FunctionName, EventSourceArn: StreamARN, StartingPosition: "TRIM_HORIZON", Enabled: false, ...more,
    }));
    await assert.rejects(create({ ScalingConfig: { MaximumConcurrency: 2 } }), (error) => {
      assert.ok(error instanceof InvalidParameterValueException);
      assert.equal(error.Type, "User");
      return error.message === "Unsupported 'scalingConfig' parameter for given event source mapping type.";
    });
    await assert.rejects(create({ EventSourceArn: `${StreamARN}-not` }), {
      name: "InvalidParameterValueException", message: `Stream not found: ${StreamARN}-not`,
    });
    await create();
    await assert.rejects(create(), ResourceConflictException);
    await assert.rejects(lambda.send(new GetEventSourceMappingCommand({ UUID: crypto.randomUUID() })),
      { name: "ResourceNotFoundException", message: "The resource you requested does not exist." });
  });

  it("a data stream's records come to a handler in their order", async () => {
    const seen = [];
    const inbox = createServer(async (request, response) => {
      let body = "";
      for await (const part of request) body += part;
      seen.push(...JSON.parse(body).Records);
      response.end();
    });
    await new Promise((resolve) => inbox.listen(0, "127.0.0.1", resolve));
    try {
      const { StreamName, StreamARN } = await createStream();
      await lambda.send(new CreateEventSourceMappingCommand({
        FunctionName: await createFunction({ REPORT_TO: `http://127.0.0.1:${inbox.address().port}/` }),
        EventSourceArn: StreamARN, StartingPosition: "TRIM_HORIZON", BatchSize: 4,
      }));
      const texts = Array.from({ length: 10 }, (_, number) => `text ${number}`);
      await kinesis.send(new PutRecordsCommand({
        StreamName, Records: texts.map((text) => ({ PartitionKey: "key", Data: Buffer.from(text) })),
      }));
      await eventually(() => seen.length >= texts.length, "every record delivered");
      assert.deepEqual(seen.map(({ kinesis: record }) => Buffer.from(record.data, "base64").toString()), texts);
      assert.deepEqual(new Set(seen.map((record) => record.eventSource)), new Set(["aws:kinesis"]));
    } finally {
      inbox.close();
    }
  });
});
