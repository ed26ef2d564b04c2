// Lambda with the AWS SDK for JavaScript v3: events, versions, aliases and concurrency.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  CreateAliasCommand, CreateFunctionCommand, DeleteFunctionCommand, GetAccountSettingsCommand,
  GetFunctionRecursionConfigCommand, InvokeCommand, PublishVersionCommand, PutFunctionConcurrencyCommand,
  PutFunctionEventInvokeConfigCommand, PutFunctionRecursionConfigCommand, RecursiveInvocationException,
  TooManyRequestsException, paginateListVersionsByFunction,
} from "@aws-sdk/client-lambda";
import { CreateQueueCommand, GetQueueAttributesCommand, ReceiveMessageCommand } from "@aws-sdk/client-sqs";
import { eventually, handlers, makeClients, startServer, unique, zipOf } from "./client.mjs";

const Role = "arn:aws:iam::000000000000:role/js-tests";

let server;

before(async () => { server = await startServer(); });
after(async () => { await server?.stop(); });

for (const protocol of Object.keys(handlers)) {
  describe(`functions over ${protocol}`, () => {
    let clients;
    let lambda;
    before(() => { clients = makeClients(server.endpoint, protocol); lambda = clients.lambda; });
    after(() => clients.destroy());

    async function createFunction(body) {
      const FunctionName = unique("js");
      await lambda.send(new CreateFunctionCommand({
        FunctionName, Role, Runtime: "nodejs20.x", Handler: "index.handler", Timeout: 30,
        Code: { ZipFile: zipOf("index.js", `exports.handler = async (event, context) => { ${body} };`) },
      }));
      return FunctionName;
    }

    async function invoke(FunctionName, payload, more = {}) {
      const answer = await lambda.send(new InvokeCommand({ FunctionName, Payload: JSON.stringify(payload), ...more }));
      const text = answer.Payload ? Buffer.from(answer.Payload).toString() : "";
      return { ...answer, value: text ? JSON.parse(text) : undefined };
    }

    it("an event is answered at once and its end is told", async () => {
      const FunctionName = await createFunction("return event.n + 1;");
      const { QueueUrl } = await clients.sqs.send(new CreateQueueCommand({ QueueName: unique("js") }));
      const { Attributes } = await clients.sqs.send(new GetQueueAttributesCommand({
        QueueUrl, AttributeNames: ["QueueArn"] }));
      await lambda.send(new PutFunctionEventInvokeConfigCommand({
        FunctionName, DestinationConfig: { OnSuccess: { Destination: Attributes.QueueArn } } }));
      const answer = await invoke(FunctionName, { n: 1 }, { InvocationType: "Event" });
      assert.equal(answer.StatusCode, 202);
      assert.equal(answer.value, undefined);
      const [message] = await eventually(async () =>
        (await clients.sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 1 }))).Messages, "a record");
      const record = JSON.parse(message.Body);
      assert.equal(record.requestContext.requestId, answer.$metadata.requestId);
      assert.equal(record.responsePayload, 2);
    });

    it("an alias stands for a version", async () => {
      const FunctionName = await createFunction("return context.functionVersion;");
      const { Version } = await lambda.send(new PublishVersionCommand({ FunctionName }));
      await lambda.send(new CreateAliasCommand({ FunctionName, Name: "live", FunctionVersion: Version }));
      const answer = await invoke(FunctionName, {}, { Qualifier: "live" });
      assert.equal(answer.ExecutedVersion, "1");
      assert.equal(answer.value, "1");
      const versions = [];
      for await (const page of paginateListVersionsByFunction({ client: lambda, pageSize: 1 }, { FunctionName })) {
        versions.push(...page.Versions.map((each) => each.Version));
      }
      assert.deepEqual(versions, ["$LATEST", "1"]);
      await lambda.send(new DeleteFunctionCommand({ FunctionName }));
    });

    it("a function without concurrency is throttled", async () => {
      const FunctionName = await createFunction("return 1;");
      await lambda.send(new PutFunctionConcurrencyCommand({ FunctionName, ReservedConcurrentExecutions: 0 }));
      await assert.rejects(invoke(FunctionName, {}), (error) => {
        assert.ok(error instanceof TooManyRequestsException);
        assert.equal(error.Reason, "ReservedFunctionConcurrentInvocationLimitExceeded");
        return true;
      });
      assert.equal((await lambda.send(new GetAccountSettingsCommand({}))).AccountLimit.ConcurrentExecutions, 1000);
    });

    it("a chain of calls that goes round is stopped", async () => {
      const FunctionName = await createFunction("return process.env._X_AMZN_TRACE_ID;");
      const config = await lambda.send(new GetFunctionRecursionConfigCommand({ FunctionName }));
      assert.equal(config.RecursiveLoop, "Terminate");
      // As the SDK inside a function does it: each call says which chain it belongs to.
      const call = async (trace) => {
        const command = new InvokeCommand({ FunctionName, Payload: "{}" });
        command.middlewareStack.add((next) => (args) => {
          if (trace) args.request.headers["x-amzn-trace-id"] = trace;
          return next(args);
        }, { step: "build" });
        return JSON.parse(Buffer.from((await lambda.send(command)).Payload).toString());
      };
      let trace;
      for (let turn = 0; turn < 16; ++turn) trace = await call(trace);
      await assert.rejects(call(trace), RecursiveInvocationException);
      await lambda.send(new PutFunctionRecursionConfigCommand({ FunctionName, RecursiveLoop: "Allow" }));
      assert.ok(await call(trace));
    });
  });
}
