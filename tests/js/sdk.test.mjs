// The AWS SDK for JavaScript v3, unmodified but for its endpoint, over both versions of HTTP.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  BatchWriteItemCommand, ConditionalCheckFailedException, CreateTableCommand, DeleteTableCommand, DescribeTableCommand,
  GetItemCommand, PutItemCommand, ResourceNotFoundException, TransactionCanceledException, paginateListTables,
  waitUntilTableExists, waitUntilTableNotExists,
} from "@aws-sdk/client-dynamodb";
import {
  DescribeStreamCommand, GetRecordsCommand, GetShardIteratorCommand, ListStreamsCommand,
} from "@aws-sdk/client-dynamodb-streams";
import {
  CreateEventSourceMappingCommand, CreateFunctionCommand, DeleteEventSourceMappingCommand, DeleteFunctionCommand,
  GetEventSourceMappingCommand, InvokeCommand, LogType, UpdateFunctionCodeCommand,
  ResourceNotFoundException as FunctionNotFound, waitUntilFunctionActiveV2, waitUntilFunctionUpdatedV2,
} from "@aws-sdk/client-lambda";
import {
  DynamoDBDocumentClient, GetCommand, PutCommand, QueryCommand, TransactGetCommand, TransactWriteCommand, UpdateCommand,
  paginateScan,
} from "@aws-sdk/lib-dynamodb";
import { eventually, handlers, makeClients, startServer, unique, zipOf } from "./client.mjs";

const ROLE = process.env.TIDEMILL_TEST_ROLE ?? "arn:aws:iam::000000000000:role/tidemill-tests";
const WAIT = { maxWaitTime: 30, minDelay: 1, maxDelay: 1 };
let server;

before(async () => { server = await startServer(); });
after(async () => { await server?.stop(); });

for (const protocol of Object.keys(handlers)) {
  describe(`over ${protocol}`, () => {
    let clients;
    before(() => { clients = makeClients(server.endpoint, protocol); });
    after(() => clients.destroy());

    async function createTable(more = {}) {
      const TableName = unique("js");
      await clients.dynamodb.send(new CreateTableCommand({
        TableName, BillingMode: "PAY_PER_REQUEST",
        AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }, { AttributeName: "sort", AttributeType: "N" }],
        KeySchema: [{ AttributeName: "id", KeyType: "HASH" }, { AttributeName: "sort", KeyType: "RANGE" }],
        ...more,
      }));
      await waitUntilTableExists({ client: clients.dynamodb, ...WAIT }, { TableName });
      return TableName;
    }

    it("a table lives from creation to deletion", async () => {
      const TableName = await createTable();
      const { Table } = await clients.dynamodb.send(new DescribeTableCommand({ TableName }));
      assert.equal(Table.TableStatus, "ACTIVE");
      assert.ok(Table.CreationDateTime instanceof Date);
      const names = [];
      for await (const page of paginateListTables({ client: clients.dynamodb, pageSize: 2 }, {})) names.push(...page.TableNames);
      assert.ok(names.includes(TableName));
      await clients.dynamodb.send(new DeleteTableCommand({ TableName }));
      await waitUntilTableNotExists({ client: clients.dynamodb, ...WAIT }, { TableName });
    });

    it("documents of every type go there and back", async () => {
      const TableName = await createTable();
      const documents = DynamoDBDocumentClient.from(clients.dynamodb);
      const Item = {
        id: "1", sort: 2.5, text: "ζ🦊", flag: true, nothing: null, list: [1, "two", [3]], map: { a: { b: "c" } },
        bytes: new Uint8Array([0, 255]), set: new Set(["a", "b"]), numbers: new Set([1, 2]), empty: "",
      };
      await documents.send(new PutCommand({ TableName, Item }));
      const { Item: got } = await documents.send(new GetCommand({ TableName, Key: { id: "1", sort: 2.5 } }));
      assert.deepEqual({ ...got, bytes: [...got.bytes] }, { ...Item, bytes: [...Item.bytes] });
      const { Attributes } = await documents.send(new UpdateCommand({
        TableName, Key: { id: "1", sort: 2.5 }, UpdateExpression: "SET #c = if_not_exists(#c, :zero) + :one",
        ExpressionAttributeNames: { "#c": "count" }, ExpressionAttributeValues: { ":zero": 0, ":one": 1 },
        ReturnValues: "UPDATED_NEW",
      }));
      assert.deepEqual(Attributes, { count: 1 });
    });

    it("a transaction happens as a whole or says why not", async () => {
      const TableName = await createTable();
      const documents = DynamoDBDocumentClient.from(clients.dynamodb);
      const Item = { id: "1", sort: 1, text: "there" };
      const insert = { Put: { TableName, Item, ConditionExpression: "attribute_not_exists(id)", ReturnValuesOnConditionCheckFailure: "ALL_OLD" } };
      await documents.send(new TransactWriteCommand({ TransactItems: [insert] }));
      const other = { Put: { TableName, Item: { id: "2", sort: 1 } } };
      await assert.rejects(documents.send(new TransactWriteCommand({ TransactItems: [other, insert] })), (error) => {
        assert.ok(error instanceof TransactionCanceledException);
        assert.deepEqual(error.CancellationReasons.map(({ Code }) => Code), ["None", "ConditionalCheckFailed"]);
        assert.deepEqual(error.CancellationReasons[1].Item.text, { S: "there" });
        return true;
      });
      const { Responses } = await documents.send(new TransactGetCommand({ TransactItems: ["1", "2"].map((id) => ({ Get: { TableName, Key: { id, sort: 1 } } })) }));
      assert.deepEqual(Responses, [{ Item }, {}]);
    });

    it("queries and scans page by themselves", async () => {
      const TableName = await createTable();
      const documents = DynamoDBDocumentClient.from(clients.dynamodb);
      await clients.dynamodb.send(new BatchWriteItemCommand({
        RequestItems: {
          [TableName]: Array.from({ length: 25 }, (_, number) => ({
            PutRequest: { Item: { id: { S: "a" }, sort: { N: String(number) } } },
          })),
        },
      }));
      const { Items } = await documents.send(new QueryCommand({
        TableName, KeyConditionExpression: "id = :id AND sort BETWEEN :low AND :high",
        ExpressionAttributeValues: { ":id": "a", ":low": 3, ":high": 5 },
      }));
      assert.deepEqual(Items.map((item) => item.sort), [3, 4, 5]);
      const found = [];
      for await (const page of paginateScan({ client: documents, pageSize: 4 }, { TableName })) found.push(...page.Items);
      assert.deepEqual(found.map((item) => item.sort), Array.from({ length: 25 }, (_, number) => number));
    });

    it("errors become the SDK's own exceptions", async () => {
      const TableName = await createTable();
      const Item = { id: { S: "1" }, sort: { N: "1" }, x: { S: "there" } };
      await clients.dynamodb.send(new PutItemCommand({ TableName, Item }));
      await assert.rejects(
        clients.dynamodb.send(new PutItemCommand({
          TableName, Item, ConditionExpression: "attribute_not_exists(id)", ReturnValuesOnConditionCheckFailure: "ALL_OLD",
        })),
        (error) => {
          assert.ok(error instanceof ConditionalCheckFailedException);
          assert.equal(error.message, "The conditional request failed");
          assert.deepEqual(error.Item, Item);
          assert.equal(error.$metadata.httpStatusCode, 400);
          assert.ok(error.$metadata.requestId);
          return true;
        });
      await assert.rejects(
        clients.dynamodb.send(new GetItemCommand({ TableName: unique("nothing"), Key: { id: { S: "1" } } })),
        ResourceNotFoundException);
      await assert.rejects(
        clients.dynamodb.send(new GetItemCommand({ TableName, Key: { id: { S: "1" } } })),
        { name: "ValidationException", message: "The provided key element does not match the schema" });
      await assert.rejects(
        clients.lambda.send(new InvokeCommand({ FunctionName: unique("nothing") })), FunctionNotFound);
    });

    it("many requests at once are all answered", async () => {
      const TableName = await createTable();
      await Promise.all(Array.from({ length: 200 }, (_, number) => clients.dynamodb.send(new PutItemCommand({
        TableName, Item: { id: { S: String(number) }, sort: { N: "0" }, text: { S: "x".repeat(2000) } },
      }))));
      const answers = await Promise.all(Array.from({ length: 200 }, (_, number) => clients.dynamodb.send(
        new GetItemCommand({ TableName, Key: { id: { S: String(number) }, sort: { N: "0" } } }))));
      assert.ok(answers.every((answer, number) => answer.Item.id.S === String(number)));
    });

    it("a large item passes both ways", async () => {
      const TableName = await createTable();
      const text = "x".repeat(390_000);
      await clients.dynamodb.send(new PutItemCommand({
        TableName, Item: { id: { S: "1" }, sort: { N: "0" }, text: { S: text } },
      }));
      const { Item } = await clients.dynamodb.send(new GetItemCommand({
        TableName, Key: { id: { S: "1" }, sort: { N: "0" } },
      }));
      assert.equal(Item.text.S, text);
    });

    it("a stream is read", async () => {
      const TableName = await createTable({
        StreamSpecification: { StreamEnabled: true, StreamViewType: "NEW_AND_OLD_IMAGES" },
      });
      await clients.dynamodb.send(new PutItemCommand({
        TableName, Item: { id: { S: "1" }, sort: { N: "0" }, bytes: { B: new Uint8Array([1, 2]) } },
      }));
      const { Streams } = await clients.streams.send(new ListStreamsCommand({ TableName }));
      const StreamArn = Streams[0].StreamArn;
      const { StreamDescription } = await clients.streams.send(new DescribeStreamCommand({ StreamArn }));
      const records = [];
      for (const { ShardId } of StreamDescription.Shards) {
        const { ShardIterator } = await clients.streams.send(new GetShardIteratorCommand({
          StreamArn, ShardId, ShardIteratorType: "TRIM_HORIZON",
        }));
        records.push(...(await clients.streams.send(new GetRecordsCommand({ ShardIterator }))).Records);
      }
      assert.equal(records.length, 1);
      assert.equal(records[0].eventName, "INSERT");
      assert.deepEqual([...records[0].dynamodb.NewImage.bytes.B], [1, 2]);
      assert.ok(records[0].dynamodb.ApproximateCreationDateTime instanceof Date);
    });

    it("a function is created, invoked, updated, and fed by a mapping", async () => {
      const TableName = await createTable({
        StreamSpecification: { StreamEnabled: true, StreamViewType: "NEW_IMAGE" },
      });
      const FunctionName = unique("js");
      // Modern code inside the function too: it reports what it saw in the answer to a later invocation.
      const source = (answer) => `
        const seen = [];
        exports.handler = async (event) => {
          if (event.Records) { seen.push(...event.Records.map((record) => record.dynamodb.Keys.id.S)); return null; }
          console.log("said by node");
          return { answer: ${answer}, seen, event };
        };`;
      await clients.lambda.send(new CreateFunctionCommand({
        FunctionName, Runtime: "nodejs20.x", Handler: "index.handler", Role: ROLE, Timeout: 20,
        Code: { ZipFile: zipOf("index.js", source(1)) },
      }));
      await waitUntilFunctionActiveV2({ client: clients.lambda, ...WAIT }, { FunctionName });
      const invoke = async (event) => {
        const answer = await clients.lambda.send(new InvokeCommand({
          FunctionName, Payload: JSON.stringify(event), LogType: LogType.Tail,
        }));
        return { ...answer, body: JSON.parse(Buffer.from(answer.Payload).toString()) };
      };
      const first = await invoke({ x: 1 });
      assert.deepEqual(first.body, { answer: 1, seen: [], event: { x: 1 } });
      assert.match(Buffer.from(first.LogResult, "base64").toString(), /said by node/);

      await clients.lambda.send(new UpdateFunctionCodeCommand({ FunctionName, ZipFile: zipOf("index.js", source(2)) }));
      await waitUntilFunctionUpdatedV2({ client: clients.lambda, ...WAIT }, { FunctionName });
      assert.equal((await invoke({})).body.answer, 2);

      const { Table } = await clients.dynamodb.send(new DescribeTableCommand({ TableName }));
      const { UUID } = await clients.lambda.send(new CreateEventSourceMappingCommand({
        FunctionName, EventSourceArn: Table.LatestStreamArn, StartingPosition: "TRIM_HORIZON",
      }));
      const mapping = () => clients.lambda.send(new GetEventSourceMappingCommand({ UUID }));
      await eventually(async () => (await mapping()).State === "Enabled", "the mapping is enabled");
      await clients.dynamodb.send(new PutItemCommand({ TableName, Item: { id: { S: "changed" }, sort: { N: "0" } } }));
      await eventually(async () => (await mapping()).LastProcessingResult === "OK", "the change was delivered");
      await clients.lambda.send(new DeleteEventSourceMappingCommand({ UUID }));
      await clients.lambda.send(new DeleteFunctionCommand({ FunctionName }));
    });
  });
}
