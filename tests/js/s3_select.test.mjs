// Queries on objects, access logs and inventories with the AWS SDK for JavaScript v3, which reads events as they come.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  CreateBucketCommand, DeleteBucketInventoryConfigurationCommand, GetBucketInventoryConfigurationCommand,
  GetBucketLoggingCommand, ListBucketInventoryConfigurationsCommand, PutBucketInventoryConfigurationCommand,
  PutBucketLoggingCommand, PutObjectCommand, SelectObjectContentCommand,
} from "@aws-sdk/client-s3";
import { handlers, makeClients, startServer, unique } from "./client.mjs";

let server;

before(async () => { server = await startServer(); });
after(async () => { await server?.stop(); });

for (const protocol of Object.keys(handlers)) {
  describe(`queries and reports over ${protocol}`, () => {
    let clients;
    let s3;
    let Bucket;
    before(async () => {
      clients = makeClients(server.endpoint, protocol);
      s3 = clients.s3;
      Bucket = unique("bucket");
      await s3.send(new CreateBucketCommand({ Bucket }));
    });
    after(() => clients.destroy());

    async function ask(Expression, more = {}) {
      const answer = await s3.send(new SelectObjectContentCommand({
        Bucket, Key: "teas", Expression, ExpressionType: "SQL", InputSerialization: { CSV: { FileHeaderInfo: "USE" } },
        OutputSerialization: { JSON: {} }, ...more,
      }));
      const found = { text: "" };
      for await (const event of answer.Payload) {
        if (event.Records) found.text += Buffer.from(event.Records.Payload).toString();
        if (event.Stats) found.stats = event.Stats.Details;
        if (event.End) found.ended = true;
      }
      return found;
    }

    it("asks an object and reads its events", async () => {
      const Body = "name,price\nAssam,4\nSencha,10\n";
      await s3.send(new PutObjectCommand({ Bucket, Key: "teas", Body }));
      const found = await ask("SELECT s.name FROM S3Object s WHERE s.price > 5");
      assert.equal(found.text, '{"name":"Sencha"}\n');
      assert.deepEqual(found.stats, { BytesScanned: Body.length, BytesProcessed: Body.length, BytesReturned: 18 });
      assert.ok(found.ended);
    });

    it("is refused what is no statement", async () => {
      await assert.rejects(ask("SELECT"), (error) => error.name.startsWith("Parse"));
    });

    it("keeps where requests are logged", async () => {
      const LoggingEnabled = {
        TargetBucket: Bucket, TargetPrefix: "logs/",
        TargetObjectKeyFormat: { PartitionedPrefix: { PartitionDateSource: "DeliveryTime" } },
      };
      await s3.send(new PutBucketLoggingCommand({ Bucket, BucketLoggingStatus: { LoggingEnabled } }));
      assert.deepEqual((await s3.send(new GetBucketLoggingCommand({ Bucket }))).LoggingEnabled, LoggingEnabled);
      await s3.send(new PutBucketLoggingCommand({ Bucket, BucketLoggingStatus: {} }));
      assert.equal((await s3.send(new GetBucketLoggingCommand({ Bucket }))).LoggingEnabled, undefined);
    });

    it("keeps inventories", async () => {
      const InventoryConfiguration = {
        Id: "all", IsEnabled: true, IncludedObjectVersions: "All", Schedule: { Frequency: "Weekly" },
        Destination: { S3BucketDestination: { Bucket: `arn:aws:s3:::${Bucket}`, Format: "CSV", Prefix: "p" } },
        OptionalFields: ["Size", "ETag"],
      };
      const one = { Bucket, Id: "all" };
      await s3.send(new PutBucketInventoryConfigurationCommand({ ...one, InventoryConfiguration }));
      const kept = await s3.send(new GetBucketInventoryConfigurationCommand(one));
      assert.deepEqual(kept.InventoryConfiguration, InventoryConfiguration);
      const listed = await s3.send(new ListBucketInventoryConfigurationsCommand({ Bucket }));
      assert.deepEqual(listed.InventoryConfigurationList, [InventoryConfiguration]);
      await s3.send(new DeleteBucketInventoryConfigurationCommand(one));
      await assert.rejects(s3.send(new GetBucketInventoryConfigurationCommand(one)),
                           (error) => error.name === "NoSuchConfiguration");
    });
  });
}
