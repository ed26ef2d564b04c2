// A queue as the source of a function in Node.js, with the AWS SDK for JavaScript v3 on both sides.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  CreateEventSourceMappingCommand, CreateFunctionCommand, DeleteEventSourceMappingCommand,
  GetEventSourceMappingCommand, InvalidParameterValueException, InvokeCommand, UpdateEventSourceMappingCommand,
  waitUntilFunctionActiveV2,
} from "@aws-sdk/client-lambda";
import {
  CreateQueueCommand, GetQueueAttributesCommand, ReceiveMessageCommand, SendMessageBatchCommand, SendMessageCommand,
} from "@aws-sdk/client-sqs";
import { eventually, handlers, makeClients, startServer, unique, zipOf } from "./client.mjs";

const ROLE = "arn:aws:iam::000000000000:role/test";

// As in AWS's guide ("Implementing partial batch responses"); what it saw it tells when it is invoked with no records.
const PARTIAL_BATCH = `
const seen = [];
async function processMessage(record) {
  seen.push([record.body, record.attributes.ApproximateReceiveCount]);
  if (record.body.startsWith("poison")) throw new Error("There is an error in the SQS Message.");
}
exports.handler = async (event) => {
  if (!event.Records) return seen;
  const batchItemFailures = [];
  for (const record of event.Records) {
    try {
      await processMessage(record);
    } catch (error) {
      batchItemFailures.push({ itemIdentifier: record.messageId });
    }
  }
  return { batchItemFailures };
};`;

let server;

before(async () => { server = await startServer(); });
after(async () => { await server?.stop(); });

for (const protocol of Object.keys(handlers)) {
  describe(`mappings of queues over ${protocol}`, () => {
    let clients;
    before(() => { clients = makeClients(server.endpoint, protocol); });
    after(() => clients.destroy());

    async function createQueue(Attributes = {}) {
      const QueueName = unique("js") + (Attributes.FifoQueue ? ".fifo" : "");
      const { QueueUrl } = await clients.sqs.send(new CreateQueueCommand({ QueueName, Attributes }));
      const answer = await clients.sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["QueueArn"] }));
      return { QueueUrl, arn: answer.Attributes.QueueArn };
    }

    async function createFunction(source) {
      const FunctionName = unique("js");
      await clients.lambda.send(new CreateFunctionCommand({
        FunctionName, Runtime: "nodejs20.x", Handler: "index.handler", Role: ROLE, Timeout: 2,
        Code: { ZipFile: zipOf("index.js", source) },
      }));
      await waitUntilFunctionActiveV2({ client: clients.lambda, maxWaitTime: 20, minDelay: 1, maxDelay: 1 },
        { FunctionName });
      return FunctionName;
    }

    async function empty(QueueUrl) {
      const names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"];
      const { Attributes } = await clients.sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: names }));
      return names.every((name) => Attributes[name] === "0");
    }

    it("what a function reports comes back, and in the end goes to the dead-letter queue", async () => {
      const dead = await createQueue();
      const queue = await createQueue({
        VisibilityTimeout: "2", RedrivePolicy: JSON.stringify({ deadLetterTargetArn: dead.arn, maxReceiveCount: 2 }),
      });
      const Entries = ["fine 1", "poison", "fine 2"].map((MessageBody, i) => ({ Id: `${i}`, MessageBody }));
      await clients.sqs.send(new SendMessageBatchCommand({ QueueUrl: queue.QueueUrl, Entries }));
      const FunctionName = await createFunction(PARTIAL_BATCH);
      const created = await clients.lambda.send(new CreateEventSourceMappingCommand({
        FunctionName, EventSourceArn: queue.arn, FunctionResponseTypes: ["ReportBatchItemFailures"],
        ScalingConfig: { MaximumConcurrency: 2 },
      }));
      assert.equal(created.StateTransitionReason, "USER_INITIATED");
      assert.equal(created.LastProcessingResult, undefined);
      const letters = await clients.sqs.send(new ReceiveMessageCommand({ QueueUrl: dead.QueueUrl, WaitTimeSeconds: 15 }));
      assert.deepEqual(letters.Messages.map((message) => message.Body), ["poison"]);
      await eventually(() => empty(queue.QueueUrl), "the queue is empty");
      const answer = await clients.lambda.send(new InvokeCommand({ FunctionName, Payload: "{}" }));
      const seen = JSON.parse(Buffer.from(answer.Payload).toString());
      assert.deepEqual(seen.filter(([body]) => body !== "poison").map(([, count]) => count), ["1", "1"]);
      assert.deepEqual(seen.filter(([body]) => body === "poison").map(([, count]) => count), ["1", "2"]);
      await clients.lambda.send(new DeleteEventSourceMappingCommand({ UUID: created.UUID }));
    });

    it("a group's messages come in order", async () => {
      const queue = await createQueue({ FifoQueue: "true", ContentBasedDeduplication: "true" });
      const FunctionName = await createFunction(PARTIAL_BATCH);
      const { UUID } = await clients.lambda.send(new CreateEventSourceMappingCommand({
        FunctionName, EventSourceArn: queue.arn, BatchSize: 2,
      }));
      const bodies = Array.from({ length: 9 }, (_, i) => `message ${i}`);
      for (const MessageBody of bodies) {
        await clients.sqs.send(new SendMessageCommand({ QueueUrl: queue.QueueUrl, MessageBody, MessageGroupId: "g" }));
      }
      await eventually(() => empty(queue.QueueUrl), "the queue is empty");
      const answer = await clients.lambda.send(new InvokeCommand({ FunctionName, Payload: "{}" }));
      assert.deepEqual(JSON.parse(Buffer.from(answer.Payload).toString()).map(([body]) => body), bodies);
      const updated = await clients.lambda.send(new UpdateEventSourceMappingCommand({ UUID, Enabled: false }));
      assert.equal(updated.State, "Disabling");
      const mapping = () => clients.lambda.send(new GetEventSourceMappingCommand({ UUID }));
      await eventually(async () => (await mapping()).State === "Disabled", "the mapping rests");
      await clients.lambda.send(new DeleteEventSourceMappingCommand({ UUID }));
    });

    it("large batches without a window are refused", async () => {
      const queue = await createQueue();
      const FunctionName = await createFunction(PARTIAL_BATCH);
      await assert.rejects(
        clients.lambda.send(new CreateEventSourceMappingCommand({
          FunctionName, EventSourceArn: queue.arn, BatchSize: 11,
        })),
        (error) => {
          assert.ok(error instanceof InvalidParameterValueException);
          assert.match(error.message, /Maximum batch window in seconds must be greater than 0/);
          return true;
        });
    });
  });
}
