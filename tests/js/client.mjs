// A server of the tests' own, and clients for it. TIDEMILL_TEST_ENDPOINT uses a running one instead.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBStreamsClient } from "@aws-sdk/client-dynamodb-streams";
import { LambdaClient } from "@aws-sdk/client-lambda";
import { S3Client } from "@aws-sdk/client-s3";
import { SQSClient } from "@aws-sdk/client-sqs";
import { NodeHttp2Handler, NodeHttpHandler } from "@smithy/node-http-handler";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const DEADLINE_MS = 60_000;

export async function startServer() {
  if (process.env.TIDEMILL_TEST_ENDPOINT) return { endpoint: process.env.TIDEMILL_TEST_ENDPOINT, stop: async () => {} };
  const data = await mkdtemp(path.join(tmpdir(), "tidemill-js-"));
  const program = process.env.TIDEMILL_TEST_SERVER ?? path.join(root, "build/release/tidemill");
  const server = spawn(program, ["serve", "--data", path.join(data, "data"), "--port", "0"],
    { stdio: ["ignore", "pipe", process.env.TIDEMILL_TEST_LOG ? "inherit" : "ignore"] });
  const ended = new Promise((resolve) => server.once("exit", resolve));
  const lines = createInterface({ input: server.stdout });
  const ready = await Promise.race([
    new Promise((resolve) => lines.once("line", resolve)),
    ended.then((code) => { throw new Error(`the server ended with ${code} before it was ready`); }),
  ]);
  return {
    endpoint: ready.split(" ").at(-1),
    stop: async () => {
      server.kill("SIGTERM");
      await ended;
      await rm(data, { recursive: true, force: true });
    },
  };
}

// HTTP/2 with prior knowledge is what this handler speaks to http:// endpoints.
export const handlers = {
  "HTTP/1.1": () => new NodeHttpHandler(),
  "HTTP/2": () => new NodeHttp2Handler(),
};

export function makeClients(endpoint, protocol) {
  const config = () => ({
    endpoint,
    region: "us-east-1",
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
    maxAttempts: 1,
    requestHandler: handlers[protocol](),
  });
  return {
    dynamodb: new DynamoDBClient(config()),
    streams: new DynamoDBStreamsClient(config()),
    lambda: new LambdaClient(config()),
    s3: new S3Client({ ...config(), forcePathStyle: true }),
    sqs: new SQSClient(config()),
    destroy() {
      for (const client of [this.dynamodb, this.streams, this.lambda, this.s3, this.sqs]) client.destroy();
    },
  };
}

export const unique = (kind) => `${kind}-${randomBytes(5).toString("hex")}`;

// The first true value of condition(), asked again and again until the deadline.
export async function eventually(condition, what) {
  const deadline = Date.now() + DEADLINE_MS;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > deadline) throw new Error(`${what} did not come true within ${DEADLINE_MS} ms`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

// A zip archive with one stored file: all that a function of one module needs.
export function zipOf(name, text) {
  const data = Buffer.from(text);
  const title = Buffer.from(name);
  const common = Buffer.alloc(26);
  common.writeUInt16LE(20, 0); // version needed
  common.writeUInt32LE(0x21 << 16, 6); // time and date
  common.writeUInt32LE(crc32(data), 10);
  common.writeUInt32LE(data.length, 14);
  common.writeUInt32LE(data.length, 18);
  common.writeUInt16LE(title.length, 22);
  const local = Buffer.concat([Buffer.from("PK\x03\x04"), common, title, data]);
  const tail = Buffer.alloc(14);
  tail.writeUInt32LE((0o100644 << 16) >>> 0, 6); // mode
  const central = Buffer.concat([Buffer.from("PK\x01\x02\x14\x03"), common, tail, title]);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(1, 4);
  end.writeUInt16LE(1, 6);
  end.writeUInt32LE(central.length, 8);
  end.writeUInt32LE(local.length, 12);
  return Buffer.concat([local, central, Buffer.from("PK\x05\x06"), end]);
}

function crc32(bytes) {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; ++bit) crc = (crc >>> 1) ^ (0xedb88320 & -(crc & 1));
  }
  return ~crc >>> 0;
}
