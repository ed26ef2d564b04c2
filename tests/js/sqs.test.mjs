// SQS with the AWS SDK for JavaScript v3, which speaks json and checks the MD5 of what it sends and receives.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  AddPermissionCommand, BatchEntryIdsNotDistinct, CancelMessageMoveTaskCommand, ChangeMessageVisibilityBatchCommand,
  ChangeMessageVisibilityCommand, CreateQueueCommand, DeleteMessageBatchCommand, DeleteMessageCommand,
  DeleteQueueCommand, EmptyBatchRequest, GetQueueAttributesCommand, GetQueueUrlCommand,
  ListDeadLetterSourceQueuesCommand, ListMessageMoveTasksCommand, ListQueuesCommand, ListQueueTagsCommand,
  PurgeQueueCommand, PurgeQueueInProgress, QueueDoesNotExist, QueueNameExists, ReceiveMessageCommand,
  RemovePermissionCommand, ResourceNotFoundException, SendMessageBatchCommand, SendMessageCommand,
  SetQueueAttributesCommand, StartMessageMoveTaskCommand, TagQueueCommand, TooManyEntriesInBatchRequest,
  UntagQueueCommand, paginateListDeadLetterSourceQueues, paginateListQueues,
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

    async function attribute(QueueUrl, name) {
      const answer = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [name] }));
      return answer.Attributes?.[name];
    }

    const arnOf = (QueueUrl) => attribute(QueueUrl, "QueueArn");

    const redriveTo = async (dead, source) => sqs.send(new SetQueueAttributesCommand({
      QueueUrl: source,
      Attributes: { RedrivePolicy: JSON.stringify({ deadLetterTargetArn: await arnOf(dead), maxReceiveCount: 1 }) },
    }));

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
      const SourceArn = await arnOf(dead);
      await redriveTo(dead, QueueUrl);
      await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: "poison" }));
      const [message] = await receive(QueueUrl);
      await sqs.send(new ChangeMessageVisibilityCommand({
        QueueUrl, ReceiptHandle: message.ReceiptHandle, VisibilityTimeout: 0,
      }));
      assert.deepEqual(await receive(QueueUrl, { WaitTimeSeconds: 0 }), []);
      await sqs.send(new StartMessageMoveTaskCommand({ SourceArn }));
      const task = await eventually(async () => {
        const { Results } = await sqs.send(new ListMessageMoveTasksCommand({ SourceArn }));
        return Results[0].Status === "COMPLETED" && Results[0];
      }, "the move");
      assert.equal(task.ApproximateNumberOfMessagesMoved, 1);
      assert.deepEqual((await receive(QueueUrl)).map((moved) => moved.Body), ["poison"]);
    });

    it("a task that is cancelled leaves the rest where it was", async () => {
      const dead = await createQueue();
      const source = await createQueue();
      const SourceArn = await arnOf(dead);
      const start = new StartMessageMoveTaskCommand({
        SourceArn, DestinationArn: await arnOf(source), MaxNumberOfMessagesPerSecond: 1,
      });
      await assert.rejects(sqs.send(start), {
        name: "InvalidParameterValue", message: "Source queue must be configured as a Dead Letter Queue.",
      });
      await redriveTo(dead, source);
      await sqs.send(new SendMessageBatchCommand({
        QueueUrl: dead, Entries: Array.from({ length: 10 }, (_, i) => ({ Id: `${i}`, MessageBody: `${i}` })),
      }));
      const { TaskHandle } = await sqs.send(start);
      await assert.rejects(sqs.send(start), {
        name: "InvalidParameterValue",
        message: /^There is already a task running. Only one active task is allowed for a source queue arn/,
      });
      const listed = async () => (await sqs.send(new ListMessageMoveTasksCommand({ SourceArn }))).Results[0];
      const running = await listed();
      assert.deepEqual([running.Status, running.TaskHandle, running.SourceArn], ["RUNNING", TaskHandle, SourceArn]);
      assert.equal(running.MaxNumberOfMessagesPerSecond, 1);
      const cancelled = await sqs.send(new CancelMessageMoveTaskCommand({ TaskHandle }));
      assert.ok(cancelled.ApproximateNumberOfMessagesMoved < 10);
      const task = await eventually(async () => {
        const one = await listed();
        return one.Status === "CANCELLED" && one;
      }, "the task cancelled");
      assert.equal(task.TaskHandle, undefined);
      const left = 10 - task.ApproximateNumberOfMessagesMoved;
      assert.ok(left > 0);
      await eventually(async () => await attribute(dead, "ApproximateNumberOfMessages") === `${left}`, "the rest");
      await assert.rejects(sqs.send(new CancelMessageMoveTaskCommand({ TaskHandle })), ResourceNotFoundException);
      const missing = { SourceArn: `${SourceArn}x` };
      await assert.rejects(sqs.send(new StartMessageMoveTaskCommand(missing)), ResourceNotFoundException);
      await assert.rejects(sqs.send(new ListMessageMoveTasksCommand(missing)), ResourceNotFoundException);
    });

    it("queues are listed in pages by their prefix", async () => {
      const prefix = unique("js-pages");
      const made = [];
      for (const end of ["a", "b", "c"]) {
        made.push((await sqs.send(new CreateQueueCommand({ QueueName: `${prefix}-${end}` }))).QueueUrl);
      }
      const all = new ListQueuesCommand({ QueueNamePrefix: prefix });
      await eventually(async () => (await sqs.send(all)).QueueUrls?.length === 3, "three queues");
      const first = await sqs.send(new ListQueuesCommand({ QueueNamePrefix: prefix, MaxResults: 2 }));
      assert.equal(first.QueueUrls.length, 2);
      const { NextToken } = first;
      const second = await sqs.send(new ListQueuesCommand({ QueueNamePrefix: prefix, MaxResults: 2, NextToken }));
      assert.equal(second.NextToken, undefined);
      assert.deepEqual([...first.QueueUrls, ...second.QueueUrls].sort(), made);
      await assert.rejects(sqs.send(new ListQueuesCommand({ MaxResults: 1001 })), {
        name: "InvalidParameterValue", message: /MaxResults/,
      });
    });

    it("tags are put on a queue and taken off", async () => {
      const QueueName = unique("js");
      const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName, tags: { team: "a" } }));
      const tags = async () => (await sqs.send(new ListQueueTagsCommand({ QueueUrl }))).Tags ?? {};
      await sqs.send(new TagQueueCommand({ QueueUrl, Tags: { team: "b", "ä": "" } }));
      await eventually(async () => Object.keys(await tags()).length === 2, "two tags");
      assert.deepEqual(await tags(), { team: "b", "ä": "" });
      await sqs.send(new UntagQueueCommand({ QueueUrl, TagKeys: ["team", "none"] }));
      await eventually(async () => Object.keys(await tags()).length === 1, "one tag");
      await sqs.send(new UntagQueueCommand({ QueueUrl, TagKeys: ["ä"] }));
      await eventually(async () => Object.keys(await tags()).length === 0, "no tags");
      const without = { QueueUrl, Tags: {} };
      await assert.rejects(sqs.send(new TagQueueCommand(without)), {
        name: "MissingParameter", message: "The request must contain the parameter Tags.",
      });
    });

    it("permissions stand in the policy until they are taken back", async () => {
      const QueueUrl = await createQueue();
      const arn = await arnOf(QueueUrl);
      const allow = { QueueUrl, Label: "send", AWSAccountIds: [arn.split(":")[4]], Actions: ["SendMessage"] };
      await sqs.send(new AddPermissionCommand(allow));
      const policy = JSON.parse(await eventually(() => attribute(QueueUrl, "Policy"), "the policy"));
      const [{ Sid, Effect, Action, Resource }] = policy.Statement;
      assert.deepEqual([Sid, Effect, Action, Resource], ["send", "Allow", "SQS:SendMessage", arn]);
      await assert.rejects(sqs.send(new AddPermissionCommand(allow)), {
        name: "InvalidParameterValue", message: "Value send for parameter Label is invalid. Reason: Already exists.",
      });
      await assert.rejects(sqs.send(new AddPermissionCommand({ ...allow, Label: "fly", Actions: ["Fly"] })), {
        name: "InvalidParameterValue", message: /^Value SQS:Fly for parameter ActionName is invalid\./,
      });
      const take = new RemovePermissionCommand({ QueueUrl, Label: "send" });
      await sqs.send(take);
      await eventually(async () => await attribute(QueueUrl, "Policy") === undefined, "no policy");
      await assert.rejects(sqs.send(take), {
        name: "InvalidParameterValue", message: /^Value send for parameter Label is invalid\. Reason: can't find label/,
      });
    });

    it("a dead-letter queue knows the queues that give up to it", async () => {
      const [dead, one, other] = [await createQueue(), await createQueue(), await createQueue()];
      await redriveTo(dead, one);
      await redriveTo(dead, other);
      const sources = async () => {
        const found = [];
        for await (const page of paginateListDeadLetterSourceQueues({ client: sqs, pageSize: 1 }, { QueueUrl: dead })) {
          found.push(...page.queueUrls);
        }
        return found.sort();
      };
      await eventually(async () => (await sources()).length === 2, "two sources");
      assert.deepEqual(await sources(), [one, other].sort());
      await sqs.send(new SetQueueAttributesCommand({ QueueUrl: one, Attributes: { RedrivePolicy: "" } }));
      await eventually(async () => (await sources()).length === 1, "one source");
      const { queueUrls } = await sqs.send(new ListDeadLetterSourceQueuesCommand({ QueueUrl: dead }));
      assert.deepEqual(queueUrls, [other]);
    });

    it("a purge empties a queue, once a minute", async () => {
      const QueueUrl = await createQueue();
      const Entries = ["1", "2"].map((Id) => ({ Id, MessageBody: Id }));
      await sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
      await sqs.send(new PurgeQueueCommand({ QueueUrl }));
      await assert.rejects(sqs.send(new PurgeQueueCommand({ QueueUrl })), (error) => {
        assert.ok(error instanceof PurgeQueueInProgress);
        const name = QueueUrl.split("/").at(-1);
        assert.equal(error.message, `Only one PurgeQueue operation on ${name} is allowed every 60 seconds.`);
        return true;
      });
      await eventually(async () => await attribute(QueueUrl, "ApproximateNumberOfMessages") === "0", "an empty queue");
      assert.deepEqual(await receive(QueueUrl, { WaitTimeSeconds: 0 }), []);
    });

    it("several messages are shown again or hidden at once", async () => {
      const QueueUrl = await createQueue();
      await sqs.send(new SendMessageBatchCommand({
        QueueUrl, Entries: ["1", "2", "3"].map((Id) => ({ Id, MessageBody: Id })),
      }));
      const handles = {};
      await eventually(async () => {
        for (const message of await receive(QueueUrl, { VisibilityTimeout: 600 })) {
          handles[message.Body] = message.ReceiptHandle;
        }
        return Object.keys(handles).length === 3;
      }, "three messages");
      const entry = (Id, ReceiptHandle, VisibilityTimeout) => ({ Id, ReceiptHandle, VisibilityTimeout });
      const change = (Entries) => sqs.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries }));
      const { Successful, Failed } = await change([
        entry("show", handles["1"], 0), entry("hide", handles["2"], 900), entry("long", handles["3"], 43_201),
        entry("bad", "garbage", 0)]);
      assert.deepEqual(Successful.map(({ Id }) => Id), ["show", "hide"]);
      assert.deepEqual(Failed.map(({ Id, Code, SenderFault }) => [Id, Code, SenderFault]),
        [["long", "InvalidParameterValue", true], ["bad", "ReceiptHandleIsInvalid", true]]);
      assert.deepEqual((await receive(QueueUrl)).map(({ Body }) => Body), ["1"]);
      assert.deepEqual(await receive(QueueUrl, { WaitTimeSeconds: 0 }), []);
      await assert.rejects(change([]), EmptyBatchRequest);
      await assert.rejects(change([1, 2].map(() => entry("same", handles["1"], 0))), BatchEntryIdsNotDistinct);
      const eleven = Array.from({ length: 11 }, (_, i) => entry(`${i}`, handles["1"], 0));
      await assert.rejects(change(eleven), TooManyEntriesInBatchRequest);
    });

    it("attributes are changed, read back and checked", async () => {
      const QueueUrl = await createQueue();
      await sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { VisibilityTimeout: "77" } }));
      await eventually(async () => await attribute(QueueUrl, "VisibilityTimeout") === "77", "the timeout");
      const set = (Attributes) => sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes }));
      await assert.rejects(set({ DelaySeconds: "901" }), { name: "InvalidAttributeValue", message: /DelaySeconds/ });
      await assert.rejects(set({ Colour: "red" }), {
        name: "InvalidAttributeName", message: "Unknown Attribute Colour.",
      });
      const ask = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["Colour"] });
      await assert.rejects(sqs.send(ask), { name: "InvalidAttributeName", message: "Unknown Attribute Colour." });
      await assert.rejects(sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: "x", DelaySeconds: 901 })), {
        name: "InvalidParameterValue", message: /^Value 901 for parameter DelaySeconds is invalid\./,
      });
      await assert.rejects(receive(QueueUrl, { MaxNumberOfMessages: 11 }), {
        name: "InvalidParameterValue", message: /^Value 11 for parameter MaxNumberOfMessages is invalid\./,
      });
    });

    it("no operation knows a queue that is not there", async () => {
      const here = await createQueue();
      await sqs.send(new SendMessageCommand({ QueueUrl: here, MessageBody: "x" }));
      const [{ ReceiptHandle }] = await receive(here);
      const QueueUrl = `${here}x`;
      const shown = { ReceiptHandle, VisibilityTimeout: 1 };
      const account = (await arnOf(here)).split(":")[4];
      for (const command of [
        new DeleteQueueCommand({ QueueUrl }), new PurgeQueueCommand({ QueueUrl }),
        new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["All"] }),
        new SetQueueAttributesCommand({ QueueUrl, Attributes: { DelaySeconds: "1" } }),
        new ListQueueTagsCommand({ QueueUrl }), new TagQueueCommand({ QueueUrl, Tags: { a: "1" } }),
        new UntagQueueCommand({ QueueUrl, TagKeys: ["a"] }), new ListDeadLetterSourceQueuesCommand({ QueueUrl }),
        new AddPermissionCommand({ QueueUrl, Label: "l", AWSAccountIds: [account], Actions: ["SendMessage"] }),
        new RemovePermissionCommand({ QueueUrl, Label: "l" }), new SendMessageCommand({ QueueUrl, MessageBody: "x" }),
        new SendMessageBatchCommand({ QueueUrl, Entries: [{ Id: "a", MessageBody: "x" }] }),
        new ReceiveMessageCommand({ QueueUrl }), new DeleteMessageCommand({ QueueUrl, ReceiptHandle }),
        new DeleteMessageBatchCommand({ QueueUrl, Entries: [{ Id: "a", ReceiptHandle }] }),
        new ChangeMessageVisibilityCommand({ QueueUrl, ...shown }),
        new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries: [{ Id: "a", ...shown }] }),
      ]) {
        await assert.rejects(sqs.send(command), (error) => {
          assert.ok(error instanceof QueueDoesNotExist, `${command.constructor.name}: ${error}`);
          assert.equal(error.message, "The specified queue does not exist.");
          return true;
        });
      }
    });
  });
}
