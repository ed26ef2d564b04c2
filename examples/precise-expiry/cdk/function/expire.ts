// The same as ../../function/expire.py: asks the index for the window that the time in the event ends, and deletes what is
// older than that time, 25 items at once. What comes back unprocessed is tried again up to three times; then the invocation
// fails, and Lambda repeats it.
import { setTimeout as wait } from "node:timers/promises";
import { AttributeValue, BatchWriteItemCommand, DynamoDBClient, paginateQuery, WriteRequest } from "@aws-sdk/client-dynamodb";
import { windowOf } from "./windows";

const TABLE = process.env.TABLE!;
const INDEX = process.env.INDEX!;
const CHUNK = 25;
const RETRIES = 3;
const FIRST_WAIT_MS = 50; // twice as long each time

type Key = Record<string, AttributeValue>;

const client = new DynamoDBClient({});

export async function handler(event: { time: string }): Promise<{ deleted: number }> {
  const now = Math.floor(Date.parse(event.time) / 1000);
  let deleted = 0;
  let chunk: Key[] = [];
  for await (const key of expired(windowOf(now - 1), now)) { // a window ends just before the minute that ends it
    chunk.push(key);
    if (chunk.length === CHUNK) {
      deleted += await remove(chunk);
      chunk = [];
    }
  }
  if (chunk.length > 0) deleted += await remove(chunk);
  console.log(`deleted ${deleted} items`);
  return { deleted };
}

async function* expired(window: string, now: number): AsyncGenerator<Key> {
  const pages = paginateQuery({ client }, {
    TableName: TABLE,
    IndexName: INDEX,
    KeyConditionExpression: "expirationWindow = :window AND #ttl < :now",
    ExpressionAttributeNames: { "#ttl": "ttl" },
    ExpressionAttributeValues: { ":window": { S: window }, ":now": { N: String(now) } },
  });
  for await (const page of pages) {
    for (const item of page.Items ?? []) yield { id: item.id };
  }
}

async function remove(keys: Key[]): Promise<number> {
  let requests: WriteRequest[] = keys.map((key) => ({ DeleteRequest: { Key: key } }));
  for (let attempt = 0; attempt <= RETRIES; ++attempt) {
    if (attempt > 0) {
      console.log(`retry ${attempt}: ${requests.length} items are left`);
      await wait(FIRST_WAIT_MS * 2 ** (attempt - 1));
    }
    const answer = await client.send(new BatchWriteItemCommand({ RequestItems: { [TABLE]: requests } }));
    requests = answer.UnprocessedItems?.[TABLE] ?? [];
    if (requests.length === 0) return keys.length;
  }
  throw new Error(`${requests.length} items are not deleted after ${RETRIES} retries`);
}
