// Functions and what belongs to them with the AWS SDK for JavaScript v3: what is set is read back, what was deleted is
// gone.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { CreateTableCommand, DescribeTableCommand } from "@aws-sdk/client-dynamodb";
import {
  AddPermissionCommand, CreateAliasCommand, CreateEventSourceMappingCommand, CreateFunctionCommand, DeleteAliasCommand,
  DeleteEventSourceMappingCommand, DeleteFunctionCommand, DeleteFunctionConcurrencyCommand,
  DeleteFunctionEventInvokeConfigCommand, GetAccountSettingsCommand, GetAliasCommand, GetEventSourceMappingCommand,
  GetFunctionCommand, GetFunctionConcurrencyCommand, GetFunctionConfigurationCommand,
  GetFunctionEventInvokeConfigCommand, GetFunctionRecursionConfigCommand, GetPolicyCommand,
  InvalidParameterValueException, InvalidRequestContentException, InvokeAsyncCommand, InvokeCommand, ListAliasesCommand,
  ListEventSourceMappingsCommand, ListFunctionEventInvokeConfigsCommand, ListFunctionsCommand, ListTagsCommand,
  ListVersionsByFunctionCommand, PreconditionFailedException, PublishVersionCommand, PutFunctionConcurrencyCommand,
  PutFunctionEventInvokeConfigCommand, PutFunctionRecursionConfigCommand, RemovePermissionCommand,
  ResourceConflictException, ResourceNotFoundException, TagResourceCommand, UntagResourceCommand, UpdateAliasCommand,
  UpdateEventSourceMappingCommand, UpdateFunctionCodeCommand, UpdateFunctionConfigurationCommand,
  UpdateFunctionEventInvokeConfigCommand, waitUntilFunctionActiveV2, waitUntilFunctionUpdatedV2,
} from "@aws-sdk/client-lambda";
import {
  CreateQueueCommand, DeleteQueueCommand, GetQueueAttributesCommand, ReceiveMessageCommand,
} from "@aws-sdk/client-sqs";
import { eventually, handlers, makeClients, startServer, unique, zipOf } from "./client.mjs";

const Role = process.env.TIDEMILL_TEST_ROLE ?? "arn:aws:iam::000000000000:role/tidemill-tests";
const packageOf = (body) => zipOf("index.js", `exports.handler = async (event, context) => { ${body} };`);

let server;

before(async () => { server = await startServer(); });
after(async () => { await server?.stop(); });

for (const protocol of Object.keys(handlers)) {
  describe(`functions and what belongs to them over ${protocol}`, () => {
    let clients;
    let lambda;
    let wait;
    before(() => {
      clients = makeClients(server.endpoint, protocol);
      lambda = clients.lambda;
      wait = { client: lambda, maxWaitTime: 60, minDelay: 1, maxDelay: 1 };
    });
    after(() => clients.destroy());

    const settings = (ZipFile) => ({
      Role, Runtime: "nodejs20.x", Handler: "index.handler", Timeout: 30, Code: { ZipFile } });

    async function createFunction(body = "return 1;", more = {}) {
      const FunctionName = unique("js");
      await lambda.send(new CreateFunctionCommand({ FunctionName, ...settings(packageOf(body)), ...more }));
      await waitUntilFunctionActiveV2(wait, { FunctionName });
      return FunctionName;
    }

    async function invoke(FunctionName, more = {}) {
      const answer = await lambda.send(new InvokeCommand({ FunctionName, Payload: "{}", ...more }));
      return JSON.parse(Buffer.from(answer.Payload).toString());
    }

    it("logs as JSON, with levels", async () => {
      const FunctionName = await createFunction('console.log("sold %s", "tea"); console.debug("quiet");',
        { LoggingConfig: { LogFormat: "JSON", ApplicationLogLevel: "DEBUG" } });
      const { LoggingConfig } = await configurationOf(FunctionName);
      assert.deepEqual(LoggingConfig, { LogFormat: "JSON", ApplicationLogLevel: "DEBUG", SystemLogLevel: "INFO",
        LogGroup: `/aws/lambda/${FunctionName}` });
      const answer = await lambda.send(new InvokeCommand({ FunctionName, Payload: "{}", LogType: "Tail" }));
      const records = Buffer.from(answer.LogResult, "base64").toString().trim().split("\n").map((line) => JSON.parse(line));
      assert.deepEqual(records.map(({ type, level, message }) => type ?? `${level} ${message}`),
        ["platform.start", "INFO sold tea", "DEBUG quiet", "platform.report"]);
      await assert.rejects(lambda.send(new UpdateFunctionConfigurationCommand({
        FunctionName, LoggingConfig: { LogFormat: "Text", SystemLogLevel: "WARN" } })), InvalidParameterValueException);
      await lambda.send(new DeleteFunctionCommand({ FunctionName }));
    });

    const configurationOf = (FunctionName, more = {}) => lambda.send(
      new GetFunctionConfigurationCommand({ FunctionName, ...more }));

    async function createQueue() {
      const { QueueUrl } = await clients.sqs.send(new CreateQueueCommand({ QueueName: unique("js") }));
      const { Attributes } = await clients.sqs.send(
        new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["QueueArn"] }));
      return { QueueUrl, QueueArn: Attributes.QueueArn };
    }

    it("a function is told as it was made and as it was changed, and its package is given back", async () => {
      const FunctionName = await createFunction("return process.env.COLOUR;", {
        Description: "tells its colour", Environment: { Variables: { COLOUR: "green" } } });
      const { Configuration, Code } = await lambda.send(new GetFunctionCommand({ FunctionName }));
      const { Description, State, Version } = Configuration;
      assert.equal(Configuration.FunctionName, FunctionName);
      assert.deepEqual([Description, State, Version], ["tells its colour", "Active", "$LATEST"]);
      assert.equal(Code.RepositoryType, "S3");
      const fetched = await fetch(Code.Location);
      assert.deepEqual(Buffer.from(await fetched.arrayBuffer()), packageOf("return process.env.COLOUR;"));
      assert.equal(await invoke(FunctionName), "green");

      const updated = await lambda.send(new UpdateFunctionConfigurationCommand({
        FunctionName, MemorySize: 256, Environment: { Variables: { COLOUR: "red" } } }));
      assert.notEqual(updated.RevisionId, Configuration.RevisionId);
      await waitUntilFunctionUpdatedV2(wait, { FunctionName });
      const told = await configurationOf(FunctionName);
      assert.deepEqual([told.MemorySize, told.Description, told.Timeout], [256, "tells its colour", 30]);
      assert.deepEqual(told.Environment, { Variables: { COLOUR: "red" } });
      assert.equal(await invoke(FunctionName), "red");
      const change = (more) => lambda.send(new UpdateFunctionConfigurationCommand({ FunctionName, ...more }));
      await assert.rejects(change({ Timeout: 9, RevisionId: Configuration.RevisionId }), PreconditionFailedException);
      await assert.rejects(change({ Timeout: 901 }), {
        name: "ValidationException", message: /at 'timeout' failed to satisfy constraint/ });
      assert.equal((await configurationOf(FunctionName)).Timeout, 30);
    });

    it("a name is taken until its function is deleted", async () => {
      const FunctionName = await createFunction();
      const again = new CreateFunctionCommand({ FunctionName, ...settings(packageOf("return 2;")) });
      await assert.rejects(lambda.send(again), (error) => {
        assert.ok(error instanceof ResourceConflictException);
        assert.equal(error.message, `Function already exist: ${FunctionName}`);
        return true;
      });
      await lambda.send(new DeleteFunctionCommand({ FunctionName }));
      await assert.rejects(configurationOf(FunctionName), ResourceNotFoundException);
      await lambda.send(again);
      await waitUntilFunctionActiveV2(wait, { FunctionName });
      assert.equal(await invoke(FunctionName), 2);
    });

    it("code that cannot be is refused and what runs stays", async () => {
      const FunctionName = await createFunction("return 1;");
      const { CodeSha256 } = await configurationOf(FunctionName);
      const update = (ZipFile, more = {}) => lambda.send(
        new UpdateFunctionCodeCommand({ FunctionName, ZipFile, ...more }));
      await assert.rejects(update(Buffer.from("that is no zip")), {
        name: "InvalidParameterValueException",
        message: "Could not unzip uploaded file. Please check your file, then try to upload again." });
      const tried = await update(packageOf("return 2;"), { DryRun: true });
      assert.notEqual(tried.CodeSha256, CodeSha256);
      assert.equal((await configurationOf(FunctionName)).CodeSha256, CodeSha256);
      assert.equal(await invoke(FunctionName), 1);
      await assert.rejects(invoke(FunctionName, { Payload: "{" }), InvalidRequestContentException);
      await assert.rejects(lambda.send(new CreateFunctionCommand({
        FunctionName: unique("js"), ...settings(packageOf("return 1;")), Runtime: "cobol85" })),
      InvalidParameterValueException);
    });

    it("functions are listed in pages", async () => {
      const names = [await createFunction(), await createFunction()];
      const found = [];
      let Marker;
      do {
        const page = await lambda.send(new ListFunctionsCommand({ MaxItems: 1, Marker }));
        assert.ok(page.Functions.length <= 1);
        found.push(...page.Functions.map((each) => each.FunctionName));
        Marker = page.NextMarker;
      } while (Marker);
      assert.equal(new Set(found).size, found.length);
      for (const name of names) assert.ok(found.includes(name));
      await assert.rejects(lambda.send(new ListFunctionsCommand({ MaxItems: 0 })), {
        name: "ValidationException", message: /at 'maxItems' failed to satisfy constraint/ });
    });

    it("a policy says who may invoke, and ends with its last statement", async () => {
      const FunctionName = await createFunction();
      const { FunctionArn } = await configurationOf(FunctionName);
      const policy = async () => JSON.parse((await lambda.send(new GetPolicyCommand({ FunctionName }))).Policy);
      const missing = { name: "ResourceNotFoundException", message: "The resource you requested does not exist." };
      await assert.rejects(policy(), missing);
      const add = async (StatementId, more = {}) => JSON.parse((await lambda.send(new AddPermissionCommand({
        FunctionName, StatementId, Action: "lambda:InvokeFunction", Principal: "s3.amazonaws.com", ...more,
      }))).Statement);
      const bucket = await add("bucket", { SourceArn: "arn:aws:s3:::photos", SourceAccount: "123456789012" });
      assert.deepEqual(bucket, {
        Sid: "bucket", Effect: "Allow", Principal: { Service: "s3.amazonaws.com" }, Action: "lambda:InvokeFunction",
        Resource: FunctionArn,
        Condition: {
          StringEquals: { "AWS:SourceAccount": "123456789012" }, ArnLike: { "AWS:SourceArn": "arn:aws:s3:::photos" } },
      });
      const all = await add("all");
      assert.deepEqual(await policy(), { Version: "2012-10-17", Id: "default", Statement: [bucket, all] });
      await assert.rejects(add("all"), {
        name: "ResourceConflictException",
        message: "The statement id (all) provided already exists. Please provide a new statement id, or remove the " +
          "existing statement." });
      await assert.rejects(add("nobody", { Principal: "nobody" }), InvalidParameterValueException);
      const remove = (StatementId) => lambda.send(new RemovePermissionCommand({ FunctionName, StatementId }));
      await remove("bucket");
      assert.deepEqual((await policy()).Statement, [all]);
      await assert.rejects(remove("bucket"), {
        name: "ResourceNotFoundException", message: "Statement bucket is not found in resource policy." });
      await remove("all");
      await assert.rejects(policy(), missing);
    });

    it("versions stay as they were, and an alias goes from one to another", async () => {
      const FunctionName = await createFunction("return 'one';");
      const publish = (more = {}) => lambda.send(new PublishVersionCommand({ FunctionName, ...more }));
      const { CodeSha256 } = await publish({ Description: "the first" });
      await lambda.send(new UpdateFunctionCodeCommand({ FunctionName, ZipFile: packageOf("return 'two';") }));
      await waitUntilFunctionUpdatedV2(wait, { FunctionName });
      await assert.rejects(publish({ CodeSha256 }), {
        name: "InvalidParameterValueException", message: /is different from current CodeSHA256 in \$LATEST/ });
      await publish();
      const listed = await lambda.send(new ListVersionsByFunctionCommand({ FunctionName }));
      assert.deepEqual(listed.Versions.map((each) => [each.Version, each.CodeSha256 === CodeSha256]),
        [["$LATEST", false], ["1", true], ["2", false]]);
      assert.equal((await configurationOf(FunctionName, { Qualifier: "1" })).Description, "the first");

      const Name = "live";
      const create = (FunctionVersion) => lambda.send(new CreateAliasCommand({ FunctionName, Name, FunctionVersion }));
      const missing = { name: "ResourceNotFoundException" };
      await assert.rejects(create("7"), missing);
      const created = await create("1");
      assert.ok(created.AliasArn.endsWith(`:${FunctionName}:live`));
      await assert.rejects(create("1"), { name: "ResourceConflictException", message: /^Alias already exists/ });
      assert.equal(await invoke(FunctionName, { Qualifier: Name }), "one");
      const update = (more) => lambda.send(new UpdateAliasCommand({ FunctionName, Name, ...more }));
      await update({ FunctionVersion: "2", Description: "the second" });
      const told = await lambda.send(new GetAliasCommand({ FunctionName, Name }));
      assert.deepEqual([told.FunctionVersion, told.Description, told.AliasArn], ["2", "the second", created.AliasArn]);
      assert.equal(await invoke(FunctionName, { Qualifier: Name }), "two");
      await assert.rejects(update({ FunctionVersion: "1", RevisionId: created.RevisionId }),
        PreconditionFailedException);
      const aliases = async (FunctionVersion) => (await lambda.send(
        new ListAliasesCommand({ FunctionName, FunctionVersion }))).Aliases.map((each) => each.Name);
      assert.deepEqual([await aliases(), await aliases("1"), await aliases("2")], [["live"], [], ["live"]]);
      await assert.rejects(lambda.send(new DeleteFunctionCommand({ FunctionName, Qualifier: "2" })), {
        name: "ResourceConflictException", message: /aliases reference it/ });
      await lambda.send(new DeleteAliasCommand({ FunctionName, Name }));
      assert.deepEqual(await aliases(), []);
      await assert.rejects(lambda.send(new GetAliasCommand({ FunctionName, Name })), {
        ...missing, message: `Cannot find alias arn: ${created.AliasArn}` });
      await assert.rejects(update({ FunctionVersion: "1" }), missing);
      await assert.rejects(invoke(FunctionName, { Qualifier: Name }), missing);
      await lambda.send(new DeleteFunctionCommand({ FunctionName, Qualifier: "2" }));
      const left = await lambda.send(new ListVersionsByFunctionCommand({ FunctionName, MaxItems: 10 }));
      assert.deepEqual(left.Versions.map((each) => each.Version), ["$LATEST", "1"]);
    });

    it("concurrency is reserved and given back", async () => {
      const FunctionName = await createFunction();
      const limits = async () => (await lambda.send(new GetAccountSettingsCommand({}))).AccountLimit;
      const reserved = async () => (await lambda.send(
        new GetFunctionConcurrencyCommand({ FunctionName }))).ReservedConcurrentExecutions;
      const reserve = (ReservedConcurrentExecutions, name = FunctionName) => lambda.send(
        new PutFunctionConcurrencyCommand({ FunctionName: name, ReservedConcurrentExecutions }));
      const before = await limits();
      assert.equal(await reserved(), undefined);
      assert.equal((await reserve(5)).ReservedConcurrentExecutions, 5);
      assert.equal(await reserved(), 5);
      assert.deepEqual((await lambda.send(new GetFunctionCommand({ FunctionName }))).Concurrency,
        { ReservedConcurrentExecutions: 5 });
      assert.equal((await limits()).UnreservedConcurrentExecutions, before.UnreservedConcurrentExecutions - 5);
      await assert.rejects(reserve(before.ConcurrentExecutions), {
        name: "InvalidParameterValueException",
        message: /decreases account's UnreservedConcurrentExecution below its minimum value/ });
      const { Version } = await lambda.send(new PublishVersionCommand({ FunctionName }));
      await assert.rejects(reserve(1, `${FunctionName}:${Version}`), {
        name: "InvalidParameterValueException", message: /Aliases and versions do not support this operation/ });
      await lambda.send(new DeleteFunctionConcurrencyCommand({ FunctionName }));
      assert.equal(await reserved(), undefined);
      assert.deepEqual(await limits(), before);
    });

    it("what becomes of events is set, changed, listed and deleted", async () => {
      const FunctionName = await createFunction();
      const { FunctionArn } = await configurationOf(FunctionName);
      const { QueueUrl, QueueArn } = await createQueue();
      const missing = {
        name: "ResourceNotFoundException",
        message: `The function ${FunctionArn}:$LATEST doesn't have an EventInvokeConfig` };
      const get = () => lambda.send(new GetFunctionEventInvokeConfigCommand({ FunctionName }));
      const update = (more) => lambda.send(new UpdateFunctionEventInvokeConfigCommand({ FunctionName, ...more }));
      const remove = () => lambda.send(new DeleteFunctionEventInvokeConfigCommand({ FunctionName }));
      for (const call of [get, () => update({ MaximumRetryAttempts: 1 }), remove]) {
        await assert.rejects(call(), missing);
      }
      const put = (more) => lambda.send(new PutFunctionEventInvokeConfigCommand({ FunctionName, ...more }));
      await assert.rejects(put({}), {
        name: "InvalidParameterValueException",
        message: "You must specify at least one of error handling or destination setting." });
      await assert.rejects(put({ DestinationConfig: { OnSuccess: { Destination: FunctionArn } } }), {
        name: "InvalidParameterValueException",
        message: "You can't specify the function as a destination for itself." });
      await put({ MaximumRetryAttempts: 1, DestinationConfig: { OnFailure: { Destination: QueueArn } } });
      const updated = await update({ MaximumEventAgeInSeconds: 100 });
      const { $metadata, ...told } = await get();
      assert.ok(told.LastModified instanceof Date);
      assert.deepEqual({ ...told, LastModified: undefined }, {
        FunctionArn: `${FunctionArn}:$LATEST`, MaximumRetryAttempts: 1, MaximumEventAgeInSeconds: 100,
        DestinationConfig: { OnSuccess: {}, OnFailure: { Destination: QueueArn } }, LastModified: undefined,
      });
      assert.deepEqual(updated.LastModified, told.LastModified);
      await assert.rejects(update({ MaximumRetryAttempts: 3 }), { name: "ValidationException" });
      const list = async () => (await lambda.send(
        new ListFunctionEventInvokeConfigsCommand({ FunctionName }))).FunctionEventInvokeConfigs;
      assert.deepEqual(await list(), [told]);
      await remove();
      assert.deepEqual(await list(), []);
      await assert.rejects(get(), missing);
      await clients.sqs.send(new DeleteQueueCommand({ QueueUrl }));
    });

    it("an event may be sent in the old way", async () => {
      const FunctionName = await createFunction("return event.n + 1;");
      const { QueueUrl, QueueArn } = await createQueue();
      await lambda.send(new PutFunctionEventInvokeConfigCommand({
        FunctionName, DestinationConfig: { OnSuccess: { Destination: QueueArn } } }));
      const send = (InvokeArgs) => lambda.send(new InvokeAsyncCommand({ FunctionName, InvokeArgs }));
      assert.equal((await send('{"n": 1}')).Status, 202);
      const [message] = await eventually(async () => (await clients.sqs.send(
        new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 1 }))).Messages, "a record");
      assert.equal(JSON.parse(message.Body).responsePayload, 2);
      await assert.rejects(send("{"), InvalidRequestContentException);
      await clients.sqs.send(new DeleteQueueCommand({ QueueUrl }));
    });

    it("a function has tags until they are taken off", async () => {
      const FunctionName = await createFunction("return 1;", { Tags: { stage: "test" } });
      const { FunctionArn: Resource } = await configurationOf(FunctionName);
      const tags = async () => (await lambda.send(new ListTagsCommand({ Resource }))).Tags;
      assert.deepEqual(await tags(), { stage: "test" });
      await lambda.send(new TagResourceCommand({ Resource, Tags: { stage: "live", owner: "somebody" } }));
      assert.deepEqual((await lambda.send(new GetFunctionCommand({ FunctionName }))).Tags,
        { stage: "live", owner: "somebody" });
      await lambda.send(new UntagResourceCommand({ Resource, TagKeys: ["owner"] }));
      assert.deepEqual(await tags(), { stage: "live" });
      for (const command of [
        new ListTagsCommand({ Resource: `${Resource}-not` }),
        new TagResourceCommand({ Resource: `${Resource}-not`, Tags: { a: "1" } }),
        new UntagResourceCommand({ Resource: `${Resource}-not`, TagKeys: ["a"] }),
      ]) {
        await assert.rejects(lambda.send(command), {
          name: "ResourceNotFoundException", message: `Function not found: ${Resource}-not` });
      }
    });

    it("mappings are listed by their function and by their source", async () => {
      const FunctionName = await createFunction();
      const sources = [];
      const made = [];
      for (let i = 0; i < 2; ++i) {
        const TableName = unique("js");
        await clients.dynamodb.send(new CreateTableCommand({
          TableName, BillingMode: "PAY_PER_REQUEST", KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
          AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
          StreamSpecification: { StreamEnabled: true, StreamViewType: "KEYS_ONLY" },
        }));
        const EventSourceArn = await eventually(async () => {
          const { Table } = await clients.dynamodb.send(new DescribeTableCommand({ TableName }));
          return Table.TableStatus === "ACTIVE" && Table.LatestStreamArn;
        }, "the table active");
        sources.push(EventSourceArn);
        made.push((await lambda.send(new CreateEventSourceMappingCommand({
          FunctionName, EventSourceArn, StartingPosition: "LATEST", Enabled: false }))).UUID);
      }
      const list = async (filter) => {
        const found = [];
        let Marker;
        do {
          const page = await lambda.send(new ListEventSourceMappingsCommand({ ...filter, MaxItems: 1, Marker }));
          assert.ok(page.EventSourceMappings.length <= 1);
          found.push(...page.EventSourceMappings.map((each) => each.UUID));
          Marker = page.NextMarker;
        } while (Marker);
        return found.sort();
      };
      assert.deepEqual(await list({ FunctionName }), [...made].sort());
      assert.deepEqual(await list({ EventSourceArn: sources[0] }), [made[0]]);
      assert.deepEqual(await list({ FunctionName, EventSourceArn: sources[1] }), [made[1]]);
      await assert.rejects(list({ FunctionName: "with space" }), { name: "ValidationException" });
      const missing = { name: "ResourceNotFoundException", message: "The resource you requested does not exist." };
      const UUID = crypto.randomUUID();
      for (const Command of [
        GetEventSourceMappingCommand, UpdateEventSourceMappingCommand, DeleteEventSourceMappingCommand,
      ]) {
        await assert.rejects(lambda.send(new Command({ UUID })), missing, Command.name);
      }
      for (const each of made) await lambda.send(new DeleteEventSourceMappingCommand({ UUID: each }));
      await eventually(async () => (await list({ FunctionName })).length === 0, "the mappings gone");
    });

    it("whether a function may call itself again and again is one of two words", async () => {
      const FunctionName = await createFunction();
      const put = (RecursiveLoop) => lambda.send(
        new PutFunctionRecursionConfigCommand({ FunctionName, RecursiveLoop }));
      const told = async () => (await lambda.send(
        new GetFunctionRecursionConfigCommand({ FunctionName }))).RecursiveLoop;
      for (const word of ["Allow", "Terminate"]) {
        assert.equal((await put(word)).RecursiveLoop, word);
        assert.equal(await told(), word);
      }
      await assert.rejects(put("Sometimes"), { name: "ValidationException" });
      assert.equal(await told(), "Terminate");
    });

    it("nothing can be asked of a function that is not there", async () => {
      const FunctionName = unique("missing");
      const notFound = new RegExp(
        `^Function not found: arn:aws:lambda:us-east-1:\\d{12}:function:${FunctionName}(:\\$LATEST)?$`);
      const told = [
        [AddPermissionCommand, {
          StatementId: "s", Action: "lambda:InvokeFunction", Principal: "s3.amazonaws.com" }],
        [CreateAliasCommand, { Name: "live", FunctionVersion: "1" }],
        [DeleteFunctionCommand, {}],
        [DeleteFunctionConcurrencyCommand, {}],
        [GetFunctionCommand, {}],
        [GetFunctionConcurrencyCommand, {}],
        [GetFunctionConfigurationCommand, {}],
        [InvokeCommand, { Payload: "{}" }],
        [InvokeAsyncCommand, { InvokeArgs: "{}" }],
        [ListAliasesCommand, {}],
        [ListVersionsByFunctionCommand, {}],
        [PublishVersionCommand, {}],
        [PutFunctionConcurrencyCommand, { ReservedConcurrentExecutions: 1 }],
        [UpdateFunctionCodeCommand, { ZipFile: packageOf("return 1;") }],
        [UpdateFunctionConfigurationCommand, { Timeout: 9 }],
      ];
      for (const [Command, more] of told) {
        await assert.rejects(lambda.send(new Command({ FunctionName, ...more })), (error) => {
          assert.ok(error instanceof ResourceNotFoundException, `${Command.name}: ${error}`);
          assert.equal(error.Type, "User", Command.name);
          assert.match(error.message, notFound, Command.name);
          return true;
        });
      }
      // What these say of it is their own.
      const refused = [
        [DeleteFunctionEventInvokeConfigCommand, {}],
        [GetAliasCommand, { Name: "live" }],
        [GetFunctionEventInvokeConfigCommand, {}],
        [GetFunctionRecursionConfigCommand, {}],
        [GetPolicyCommand, {}],
        [ListFunctionEventInvokeConfigsCommand, {}],
        [PutFunctionEventInvokeConfigCommand, { MaximumRetryAttempts: 1 }],
        [PutFunctionRecursionConfigCommand, { RecursiveLoop: "Allow" }],
        [RemovePermissionCommand, { StatementId: "s" }],
        [UpdateAliasCommand, { Name: "live", FunctionVersion: "1" }],
        [UpdateFunctionEventInvokeConfigCommand, { MaximumRetryAttempts: 1 }],
      ];
      for (const [Command, more] of refused) {
        const command = new Command({ FunctionName, ...more });
        await assert.rejects(lambda.send(command), ResourceNotFoundException, Command.name);
      }
    });
  });
}
