// SNS with the AWS SDK for JavaScript v3, and the public validator of messages' signatures.
import assert from "node:assert/strict";
import http from "node:http";
import https from "node:https";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import {
  AddPermissionCommand, BatchEntryIdsNotDistinctException, ConfirmSubscriptionCommand, CreateTopicCommand,
  DeleteTopicCommand, EmptyBatchRequestException, GetSubscriptionAttributesCommand, GetTopicAttributesCommand,
  InvalidParameterException, ListSubscriptionsByTopicCommand, ListSubscriptionsCommand, ListTagsForResourceCommand,
  ListTopicsCommand, NotFoundException, PublishBatchCommand, PublishCommand, RemovePermissionCommand,
  ResourceNotFoundException, SetSubscriptionAttributesCommand, SetTopicAttributesCommand, SNSClient, SubscribeCommand,
  TagResourceCommand, UnsubscribeCommand, UntagResourceCommand, paginateListSubscriptions,
  paginateListSubscriptionsByTopic, paginateListTopics,
} from "@aws-sdk/client-sns";
import {
  CreateQueueCommand, DeleteMessageCommand, GetQueueAttributesCommand, ReceiveMessageCommand,
} from "@aws-sdk/client-sqs";
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
          { Id: "a", Message: "1", MessageGroupId: "g" },
          { Id: "b", Message: "2", MessageGroupId: "g", Subject: "line\nbreak" },
          { Id: "c", Message: "3", MessageGroupId: "g" }],
      }));
      assert.deepEqual(answer.Successful.map((one) => one.Id), ["a", "c"]);
      assert.deepEqual(answer.Failed.map((one) => [one.Id, one.Code]), [["b", "InvalidParameter"]]);
      assert.ok(answer.Successful[0].SequenceNumber < answer.Successful[1].SequenceNumber);
      assert.deepEqual(await bodies(QueueUrl, 2), ["1", "3"]);
      const withoutGroup = { TopicArn, PublishBatchRequestEntries: [{ Id: "a", Message: "4" }] };
      await assert.rejects(sns.send(new PublishBatchCommand(withoutGroup)), { name: "InvalidParameterException" });
    });

    it("topics and subscriptions are listed until they are gone", async () => {
      const TopicArn = await createTopic();
      const { SubscriptionArn } = await subscribedQueue(TopicArn);
      const topics = async () => {
        const found = [];
        for await (const page of paginateListTopics({ client: sns }, {})) {
          found.push(...page.Topics.map((topic) => topic.TopicArn));
        }
        return found;
      };
      const subscriptions = async () => {
        const found = [];
        for await (const page of paginateListSubscriptions({ client: sns }, {})) found.push(...page.Subscriptions);
        return found.filter((one) => one.TopicArn === TopicArn);
      };
      const ofTopic = async () => {
        const { Subscriptions } = await sns.send(new ListSubscriptionsByTopicCommand({ TopicArn }));
        return Subscriptions;
      };
      await eventually(async () => (await topics()).includes(TopicArn), "the topic listed");
      await eventually(async () => (await subscriptions()).length === 1, "the subscription listed");
      const [listed] = await subscriptions();
      assert.deepEqual([listed.SubscriptionArn, listed.Protocol, listed.Owner],
        [SubscriptionArn, "sqs", TopicArn.split(":")[4]]);
      assert.deepEqual(await ofTopic(), [listed]);
      await sns.send(new UnsubscribeCommand({ SubscriptionArn }));
      await eventually(async () => (await ofTopic()).length === 0, "the subscription gone");
      await eventually(async () => (await subscriptions()).length === 0, "the subscription gone from the other list");
      await assert.rejects(sns.send(new GetSubscriptionAttributesCommand({ SubscriptionArn })), {
        name: "NotFoundException", message: "Subscription does not exist",
      });
      for (const command of [
        new ListTopicsCommand({ NextToken: "nonsense" }), new ListSubscriptionsCommand({ NextToken: "nonsense" }),
        new ListSubscriptionsByTopicCommand({ TopicArn, NextToken: "nonsense" }),
      ]) {
        await assert.rejects(sns.send(command), {
          name: "InvalidParameterException", message: /^Invalid parameter: NextToken/,
        });
      }
      await sns.send(new DeleteTopicCommand({ TopicArn }));
      await sns.send(new DeleteTopicCommand({ TopicArn }));
      await eventually(async () => !(await topics()).includes(TopicArn), "the topic gone");
    });

    it("attributes of topics and subscriptions are changed, read back and checked", async () => {
      const TopicArn = await createTopic();
      const set = (AttributeName, AttributeValue) => sns.send(
        new SetTopicAttributesCommand({ TopicArn, AttributeName, AttributeValue }));
      await set("DisplayName", "Orders ü");
      await set("SignatureVersion", "2");
      const { Attributes } = await sns.send(new GetTopicAttributesCommand({ TopicArn }));
      assert.deepEqual([Attributes.DisplayName, Attributes.SignatureVersion], ["Orders ü", "2"]);
      await assert.rejects(set("SignatureVersion", "3"), {
        name: "InvalidParameterException", message: /SignatureVersion/,
      });
      await assert.rejects(set("Colour", "red"), {
        name: "InvalidParameterException", message: "Invalid parameter: AttributeName",
      });
      const { SubscriptionArn } = await subscribedQueue(TopicArn);
      const change = (AttributeName, AttributeValue) => sns.send(
        new SetSubscriptionAttributesCommand({ SubscriptionArn, AttributeName, AttributeValue }));
      await change("RawMessageDelivery", "true");
      const read = await sns.send(new GetSubscriptionAttributesCommand({ SubscriptionArn }));
      assert.deepEqual([read.Attributes.RawMessageDelivery, read.Attributes.PendingConfirmation], ["true", "false"]);
      await assert.rejects(change("RawMessageDelivery", "yes"), {
        name: "InvalidParameterException", message: /RawMessageDelivery/,
      });
      await assert.rejects(change("FilterPolicy", "nonsense"), {
        name: "InvalidParameterException", message: /FilterPolicy: failed to parse JSON\./,
      });
    });

    it("permissions stand in the policy until they are taken back", async () => {
      const TopicArn = await createTopic();
      const allow = { TopicArn, Label: "all", AWSAccountId: [TopicArn.split(":")[4]], ActionName: ["Publish"] };
      const statements = async () => {
        const { Attributes } = await sns.send(new GetTopicAttributesCommand({ TopicArn }));
        return JSON.parse(Attributes.Policy).Statement.filter(({ Sid }) => Sid === "all");
      };
      await sns.send(new AddPermissionCommand(allow));
      const [{ Effect, Action, Resource }] = await statements();
      assert.deepEqual([Effect, Action, Resource], ["Allow", "SNS:Publish", TopicArn]);
      await assert.rejects(sns.send(new AddPermissionCommand(allow)), {
        name: "InvalidParameterException", message: /Statement already exists/,
      });
      await assert.rejects(sns.send(new AddPermissionCommand({ ...allow, Label: "fly", ActionName: ["Fly"] })), {
        name: "InvalidParameterException", message: /Policy statement action out of service scope!/,
      });
      await sns.send(new RemovePermissionCommand({ TopicArn, Label: "all" }));
      assert.deepEqual(await statements(), []);
    });

    it("tags are put on a topic and taken off", async () => {
      const { TopicArn: ResourceArn } = await sns.send(new CreateTopicCommand({
        Name: unique("js"), Tags: [{ Key: "team", Value: "a" }],
      }));
      const tags = async () => (await sns.send(new ListTagsForResourceCommand({ ResourceArn }))).Tags;
      await sns.send(new TagResourceCommand({
        ResourceArn, Tags: [{ Key: "team", Value: "b" }, { Key: "stage", Value: "test" }],
      }));
      const byKey = (await tags()).sort((a, b) => (a.Key < b.Key ? -1 : 1));
      assert.deepEqual(byKey, [{ Key: "stage", Value: "test" }, { Key: "team", Value: "b" }]);
      await sns.send(new UntagResourceCommand({ ResourceArn, TagKeys: ["team", "none"] }));
      assert.deepEqual(await tags(), [{ Key: "stage", Value: "test" }]);
      const twice = [{ Key: "a", Value: "1" }, { Key: "a", Value: "2" }];
      await assert.rejects(sns.send(new TagResourceCommand({ ResourceArn, Tags: twice })), {
        name: "InvalidParameterException", message: /Duplicated keys are not allowed\./,
      });
      const missing = { ResourceArn: `${ResourceArn}x` };
      for (const command of [
        new ListTagsForResourceCommand(missing), new UntagResourceCommand({ ...missing, TagKeys: ["a"] }),
        new TagResourceCommand({ ...missing, Tags: [{ Key: "a", Value: "1" }] }),
      ]) {
        await assert.rejects(sns.send(command), (error) => {
          assert.ok(error instanceof ResourceNotFoundException, `${command.constructor.name}: ${error}`);
          assert.equal(error.message, "Resource does not exist");
          return true;
        });
      }
    });

    it("no operation knows a topic that is not there", async () => {
      const here = await createTopic();
      const { SubscriptionArn: subscription } = await subscribedQueue(here);
      const TopicArn = `${here}x`;
      const AWSAccountId = [here.split(":")[4]];
      for (const command of [
        new GetTopicAttributesCommand({ TopicArn }),
        new SetTopicAttributesCommand({ TopicArn, AttributeName: "DisplayName", AttributeValue: "x" }),
        new AddPermissionCommand({ TopicArn, Label: "l", AWSAccountId, ActionName: ["Publish"] }),
        new RemovePermissionCommand({ TopicArn, Label: "l" }), new ListSubscriptionsByTopicCommand({ TopicArn }),
        new SubscribeCommand({ TopicArn, Protocol: "sqs", Endpoint: here.replace(":sns:", ":sqs:") }),
        new PublishCommand({ TopicArn, Message: "m" }),
        new PublishBatchCommand({ TopicArn, PublishBatchRequestEntries: [{ Id: "a", Message: "m" }] }),
      ]) {
        await assert.rejects(sns.send(command), (error) => {
          assert.ok(error instanceof NotFoundException, `${command.constructor.name}: ${error}`);
          assert.equal(error.message, "Topic does not exist");
          return true;
        });
      }
      const SubscriptionArn = subscription.replace(/[^:]+$/, "00000000-0000-4000-8000-000000000000");
      for (const command of [
        new GetSubscriptionAttributesCommand({ SubscriptionArn }),
        new SetSubscriptionAttributesCommand({
          SubscriptionArn, AttributeName: "RawMessageDelivery", AttributeValue: "true",
        }),
      ]) {
        await assert.rejects(sns.send(command), {
          name: "NotFoundException", message: "Subscription does not exist",
        });
      }
    });

    it("what is wrong is refused in AWS's words", async () => {
      const TopicArn = await createTopic();
      const refused = (command, message) => assert.rejects(sns.send(command), (error) => {
        assert.ok(error instanceof InvalidParameterException, `${error}`);
        assert.match(error.message, message);
        return true;
      });
      const noArn = /Arn Reason: An ARN must have at least 6 elements, not 1$/;
      await refused(new CreateTopicCommand({ Name: "a b" }), /^Invalid parameter: Topic Name$/);
      await refused(new DeleteTopicCommand({ TopicArn: "topic" }), noArn);
      await refused(new UnsubscribeCommand({ SubscriptionArn: "subscription" }), noArn);
      await refused(new ConfirmSubscriptionCommand({ TopicArn, Token: "0" }), /^Invalid token/);
      await refused(new SubscribeCommand({ TopicArn, Protocol: "pigeon", Endpoint: "x" }),
        /does not support this protocol string: pigeon/);
      await refused(new PublishCommand({ TopicArn, Message: "" }), /^Invalid parameter: Empty message$/);
      await refused(new PublishCommand({ TopicArn, Message: "x", MessageStructure: "json" }), /body failed to parse/);
      const batch = (PublishBatchRequestEntries) => sns.send(
        new PublishBatchCommand({ TopicArn, PublishBatchRequestEntries }));
      await assert.rejects(batch([]), EmptyBatchRequestException);
      await assert.rejects(batch([1, 2].map((n) => ({ Id: "same", Message: `${n}` }))),
        BatchEntryIdsNotDistinctException);
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
