// A week in a second: node:test with a server of its own, whose clock the test turns.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline/promises";
import { after, before, test } from "node:test";
import {
  CreateTableCommand, DynamoDBClient, GetItemCommand, PutItemCommand, UpdateTimeToLiveCommand,
} from "@aws-sdk/client-dynamodb";

const data = mkdtempSync(path.join(tmpdir(), "week-"));
let server;
let endpoint;

before(async () => {
  const program = process.env.TIDEMILL ?? "../../build/release/tidemill";
  server = spawn(program, ["serve", "--clock", "virtual", "--port", "0", "--data", data],
    { stdio: ["ignore", "pipe", "ignore"] });
  for await (const line of createInterface({ input: server.stdout })) {
    endpoint = line.split(" ").at(-1); // tidemill ready http://127.0.0.1:40123
    break;
  }
});

after(async () => {
  server.kill();
  await once(server, "exit");
  rmSync(data, { recursive: true, force: true });
});

async function clock(change) {
  const request = change && { method: "POST", body: JSON.stringify(change) };
  return (await fetch(`${endpoint}/_tidemill/clock`, request)).json();
}

test("a session ends after a week", async () => {
  const credentials = { accessKeyId: "test", secretAccessKey: "test" };
  const dynamodb = new DynamoDBClient({ endpoint, region: "us-east-1", credentials });
  await dynamodb.send(new CreateTableCommand({
    TableName: "sessions", BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
    KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
  }));
  await dynamodb.send(new UpdateTimeToLiveCommand({
    TableName: "sessions", TimeToLiveSpecification: { Enabled: true, AttributeName: "ttl" },
  }));
  const ttl = Math.floor((await clock()).now) + 7 * 24 * 3600;
  await dynamodb.send(new PutItemCommand({ TableName: "sessions", Item: { id: { S: "a" }, ttl: { N: String(ttl) } } }));
  const session = async () =>
    (await dynamodb.send(new GetItemCommand({ TableName: "sessions", Key: { id: { S: "a" } } }))).Item;

  await clock({ advance: "P6DT23H" });
  assert.ok(await session());
  await clock({ advance: "PT1H1S" }); // back once all that fell due has run
  assert.equal(await session(), undefined);
  dynamodb.destroy();
});
