// SQS with the AWS SDK for JavaScript v3, which speaks json and checks the MD5 of what it sends and receives.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  ChangeMessageVisibilityCommand, CreateQueueCommand, DeleteMessageBatchCommand, DeleteMessageCommand,
  DeleteQueueCommand, GetQueueAttributesCommand, GetQueueUrlCommand, ListMessageMoveTasksCommand, QueueDoesNotExist,
  QueueNameExists, ReceiveMessageCommand, SendMessageBatchCommand, SendMessageCommand, SetQueueAttributesCommand,
  StartMessageMoveTaskCommand, paginateListQueues,
} from "@aws-sdk/client-sqs";
import { eventually, handlers, makeClients, startServer, unique } from "./client.mjs";

let server;

before(async () => { server = await startServer(); });
after(async () => { await server?.stop(); });

for (const protocol of Object.keys(handlers)) {
  describe(`queues over ${protocol}`, () => {
    let clients;
    let sqs;
    before(() => { clients = makeClients(server.endpoint, protocol); sqs = clients.sqs; });
    after(() => clients.destroy());

    async function createQueue({ fifo = false, ...Attributes } = {}) {
      const QueueName = unique("js") + (fifo ? ".fifo" : "");
      if (fifo) Attributes.FifoQueue = "true";
      const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName, Attributes }));
      return QueueUrl;
    }

    async function arnOf(QueueUrl) {
      const answer = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["QueueArn"] }));
      return answer.Attributes.QueueArn;
    }

    async function receive(QueueUrl, more = {}) {
      const answer = await sqs.send(new ReceiveMessageCommand({
        QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 5, MessageSystemAttributeNames: ["All"],
        MessageAttributeNames: ["All"], ...more,
      }));
      return answer.Messages ?? [];
    }

    it("a queue lives from creation to deletion", async () => {
      const QueueUrl = await createQueue();
      const QueueName = QueueUrl.split("/").at(-1);
      assert.equal((await sqs.send(new GetQueueUrlCommand({ QueueName }))).QueueUrl, QueueUrl);
      const other = new CreateQueueCommand({ QueueName, Attributes: { DelaySeconds: "9" } });
      await assert.rejects(sqs.send(other), QueueNameExists);
      const found = [];
      for await (const page of paginateListQueues({ client: sqs, pageSize: 1 }, { QueueNamePrefix: QueueName })) {
        found.push(...page.QueueUrls ?? []);
      }
      assert.deepEqual(found, [QueueUrl]);
      await sqs.send(new DeleteQueueCommand({ QueueUrl }));
      await assert.rejects(sqs.send(new GetQueueUrlCommand({ QueueName })), (error) => {
        assert.ok(error instanceof QueueDoesNotExist);
        assert.equal(error.Code ?? error.Error?.Code, "AWS.SimpleQueueService.NonExistentQueue");
        return true;
      });
    });

    it("a message goes there and back with its attributes", async () => {
      const QueueUrl = await createQueue();
      await sqs.send(new SendMessageCommand({
        QueueUrl, MessageBody: "hé <&>",
        MessageAttributes: {
          text: { DataType: "String", StringValue: "ü" },
          bytes: { DataType: "Binary", BinaryValue: new Uint8Array([0, 255]) },
        },
      }));
      const [message] = await receive(QueueUrl);
      assert.equal(message.Body, "hé <&>");
      assert.equal(message.MessageAttributes.text.StringValue, "ü");
      assert.deepEqual([...message.MessageAttributes.bytes.BinaryValue], [0, 255]);
      assert.equal(message.Attributes.ApproximateReceiveCount, "1");
      await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: message.ReceiptHandle }));
      assert.deepEqual(await receive(QueueUrl, { WaitTimeSeconds: 0 }), []);
    });

    it("a waiting receiver gets what is sent", async () => {
      const QueueUrl = await createQueue();
      const waiting = receive(QueueUrl, { WaitTimeSeconds: 20 });
      await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: "x" }));
      assert.deepEqual((await waiting).map((message) => message.Body), ["x"]);
    });

    it("batches tell what succeeded and what failed", async () => {
      const QueueUrl = await createQueue();
      const sent = await sqs.send(new SendMessageBatchCommand({
        QueueUrl, Entries: [{ Id: "a", MessageBody: "1" }, { Id: "b", MessageBody: "2", DelaySeconds: 901 }],
      }));
      assert.deepEqual(sent.Successful.map((entry) => entry.Id), ["a"]);
      assert.deepEqual(sent.Failed.map((entry) => [entry.Id, entry.Code]), [["b", "InvalidParameterValue"]]);
      const [message] = await receive(QueueUrl);
      const deleted = await sqs.send(new DeleteMessageBatchCommand({
        QueueUrl, Entries: [{ Id: "a", ReceiptHandle: message.ReceiptHandle }],
      }));
      assert.deepEqual(deleted.Successful.map((entry) => entry.Id), ["a"]);
      assert.equal(deleted.Failed, undefined);
    });

    it("a FIFO group comes in order, one after the other", async () => {
      const QueueUrl = await createQueue({ fifo: true, ContentBasedDeduplication: "true" });
      for (const MessageBody of ["1", "2", "2", "3"]) {
        await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody, MessageGroupId: "g" }));
      }
      const first = await receive(QueueUrl, { MaxNumberOfMessages: 2 });
      assert.deepEqual(first.map((message) => message.Body), ["1", "2"]);
      assert.deepEqual(await receive(QueueUrl, { WaitTimeSeconds: 0 }), []);
      for (const { ReceiptHandle } of first) await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
      assert.deepEqual((await receive(QueueUrl)).map((message) => message.Body), ["3"]);
    });

    it("what was given up is moved back by a task", async () => {
      const dead = await createQueue();
      const QueueUrl = await createQueue();
      const deadLetterTargetArn = await arnOf(dead);
      await sqs.send(new SetQueueAttributesCommand({
        QueueUrl, Attributes: { RedrivePolicy: JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 1 }) },
      }));
      await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: "poison" }));
      const [message] = await receive(QueueUrl);
      await sqs.send(new ChangeMessageVisibilityCommand({
        QueueUrl, ReceiptHandle: message.ReceiptHandle, VisibilityTimeout: 0,
      }));
      assert.deepEqual(await receive(QueueUrl, { WaitTimeSeconds: 0 }), []);
      await sqs.send(new StartMessageMoveTaskCommand({ SourceArn: deadLetterTargetArn }));
      const task = await eventually(async () => {
        const { Results } = await sqs.send(new ListMessageMoveTasksCommand({ SourceArn: deadLetterTargetArn }));
        return Results[0].Status === "COMPLETED" && Results[0];
      }, "the move");
      assert.equal(task.ApproximateNumberOfMessagesMoved, 1);
      assert.deepEqual((await receive(QueueUrl)).map((moved) => moved.Body), ["poison"]);
    });
  });
}
