// SNS with the AWS SDK for JavaScript v3, and the public validator of messages' signatures.
import assert from "node:assert/strict";
import http from "node:http";
import https from "node:https";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import {
  ConfirmSubscriptionCommand, CreateTopicCommand, DeleteTopicCommand, GetSubscriptionAttributesCommand,
  GetTopicAttributesCommand, InvalidParameterException, NotFoundException, PublishBatchCommand, PublishCommand,
  SetSubscriptionAttributesCommand, SNSClient, SubscribeCommand, UnsubscribeCommand, paginateListSubscriptionsByTopic,
} from "@aws-sdk/client-sns";
import { CreateQueueCommand, DeleteMessageCommand, GetQueueAttributesCommand, ReceiveMessageCommand } from "@aws-sdk/client-sqs";
import MessageValidator from "sns-validator";
import { eventually, handlers, makeClients, startServer, unique } from "./client.mjs";

let server;

before(async () => { server = await startServer(); });
after(async () => { await server?.stop(); });

for (const protocol of Object.keys(handlers)) {
  describe(`topics over ${protocol}`, () => {
    let clients;
    let sns;
    before(() => {
      clients = makeClients(server.endpoint, protocol);
      sns = new SNSClient({
        endpoint: server.endpoint, region: "us-east-1", maxAttempts: 1, requestHandler: handlers[protocol](),
        credentials: { accessKeyId: "test", secretAccessKey: "test" },
      });
    });
    after(() => { clients.destroy(); sns.destroy(); });

    async function createTopic(Attributes = {}, suffix = "") {
      return (await sns.send(new CreateTopicCommand({ Name: unique("js") + suffix, Attributes }))).TopicArn;
    }

    async function subscribedQueue(TopicArn, Attributes = {}, fifo = false) {
      const { QueueUrl } = await clients.sqs.send(new CreateQueueCommand({
        QueueName: unique("js") + (fifo ? ".fifo" : ""), Attributes: fifo ? { FifoQueue: "true" } : {},
      }));
      const answer = await clients.sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["QueueArn"] }));
      const { SubscriptionArn } = await sns.send(new SubscribeCommand({
        TopicArn, Protocol: "sqs", Endpoint: answer.Attributes.QueueArn, Attributes,
      }));
      return { QueueUrl, SubscriptionArn };
    }

    async function bodies(QueueUrl, count) {
      const found = [];
      await eventually(async () => {
        const answer = await clients.sqs.send(new ReceiveMessageCommand({
          QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 1,
        }));
        for (const message of answer.Messages ?? []) {
          found.push(message.Body);
          await clients.sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: message.ReceiptHandle }));
        }
        return found.length >= count;
      }, `${count} messages`);
      return found;
    }

    it("a topic lives from creation to deletion", async () => {
      const TopicArn = await createTopic({ DisplayName: "js" });
      const { Attributes } = await sns.send(new GetTopicAttributesCommand({ TopicArn }));
      assert.equal(Attributes.DisplayName, "js");
      await assert.rejects(
        sns.send(new CreateTopicCommand({ Name: TopicArn.split(":").at(-1), Attributes: { DisplayName: "other" } })),
        InvalidParameterException);
      await sns.send(new DeleteTopicCommand({ TopicArn }));
      await assert.rejects(sns.send(new GetTopicAttributesCommand({ TopicArn })), NotFoundException);
    });

    it("messages reach queues, filtered and raw", async () => {
      const TopicArn = await createTopic();
      const all = await subscribedQueue(TopicArn);
      const some = await subscribedQueue(TopicArn, { RawMessageDelivery: "true" });
      await sns.send(new SetSubscriptionAttributesCommand({
        SubscriptionArn: some.SubscriptionArn, AttributeName: "FilterPolicy",
        AttributeValue: JSON.stringify({ kind: [{ "equals-ignore-case": "ORDER" }] }),
      }));
      const { Attributes } = await sns.send(
        new GetSubscriptionAttributesCommand({ SubscriptionArn: some.SubscriptionArn }));
      assert.equal(Attributes.FilterPolicyScope, "MessageAttributes");
      await sns.send(new PublishCommand({ TopicArn, Message: "1" }));
      await sns.send(new PublishCommand({
        TopicArn, Message: "2", MessageAttributes: { kind: { DataType: "String", StringValue: "order" } },
      }));
      assert.deepEqual(await bodies(some.QueueUrl, 1), ["2"]);
      const texts = (await bodies(all.QueueUrl, 2)).map((body) => JSON.parse(body).Message);
      assert.deepEqual(texts.sort(), ["1", "2"]);
      const listed = [];
      for await (const page of paginateListSubscriptionsByTopic({ client: sns }, { TopicArn })) {
        listed.push(...page.Subscriptions);
      }
      assert.equal(listed.length, 2);
      await sns.send(new UnsubscribeCommand({ SubscriptionArn: some.SubscriptionArn }));
    });

    it("batches and groups keep their order", async () => {
      const TopicArn = await createTopic({ FifoTopic: "true", ContentBasedDeduplication: "true" }, ".fifo");
      const { QueueUrl } = await subscribedQueue(TopicArn, { RawMessageDelivery: "true" }, true);
      const answer = await sns.send(new PublishBatchCommand({
        TopicArn,
        PublishBatchRequestEntries: [
          { Id: "a", Message: "1", MessageGroupId: "g" }, { Id: "b", Message: "2" },
          { Id: "c", Message: "3", MessageGroupId: "g" }],
      }));
      assert.deepEqual(answer.Successful.map((one) => one.Id), ["a", "c"]);
      assert.deepEqual(answer.Failed.map((one) => [one.Id, one.Code]), [["b", "InvalidParameter"]]);
      assert.ok(answer.Successful[0].SequenceNumber < answer.Successful[1].SequenceNumber);
      assert.deepEqual(await bodies(QueueUrl, 2), ["1", "3"]);
    });

    it("a public validator accepts what a subscriber gets", async () => {
      // It takes certificates by HTTPS from AWS's hosts only; here they come from the server instead.
      const get = https.get;
      https.get = (url, ...rest) => http.get(server.endpoint + new URL(url).pathname, ...rest);
      const validator = new MessageValidator();
      const validate = promisify(validator.validate.bind(validator));
      const received = [];
      const endpoint = http.createServer((request, response) => {
        let body = "";
        request.on("data", (data) => { body += data; });
        request.on("end", () => { received.push(JSON.parse(body)); response.end(); });
      });
      await new Promise((resolve) => endpoint.listen(0, "127.0.0.1", resolve));
      try {
        for (const SignatureVersion of ["1", "2"]) {
          received.length = 0;
          const TopicArn = await createTopic({ SignatureVersion });
          await sns.send(new SubscribeCommand({
            TopicArn, Protocol: "http", Endpoint: `http://127.0.0.1:${endpoint.address().port}/`,
          }));
          await eventually(() => received.length >= 1, "the question");
          await sns.send(new ConfirmSubscriptionCommand({ TopicArn, Token: received[0].Token }));
          await sns.send(new PublishCommand({ TopicArn, Message: "signed ü\n", Subject: "s" }));
          await eventually(() => received.length >= 2, "the message");
          for (const message of received) {
            const fromAws = new URL(message.SigningCertURL).pathname;
            await validate({ ...message, SigningCertURL: `https://sns.us-east-1.amazonaws.com${fromAws}` });
          }
          await assert.rejects(validate({
            ...received[1], Message: "forged",
            SigningCertURL: `https://sns.us-east-1.amazonaws.com${new URL(received[1].SigningCertURL).pathname}`,
          }));
        }
      } finally {
        https.get = get;
        endpoint.close();
      }
    });
  });
}
