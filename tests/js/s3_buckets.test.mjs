// The settings of buckets with the AWS SDK for JavaScript v3: what is set is read back, what was deleted is gone.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  BucketAlreadyOwnedByYou, CreateBucketCommand, CreateMultipartUploadCommand, DeleteBucketCommand,
  DeleteBucketCorsCommand, DeleteBucketEncryptionCommand, DeleteBucketLifecycleCommand,
  DeleteBucketMetricsConfigurationCommand, DeleteBucketOwnershipControlsCommand, DeleteBucketPolicyCommand,
  DeleteBucketTaggingCommand, DeleteObjectCommand, DeleteObjectTaggingCommand, DeleteObjectsCommand,
  DeletePublicAccessBlockCommand, GetBucketAccelerateConfigurationCommand, GetBucketAclCommand, GetBucketCorsCommand,
  GetBucketEncryptionCommand, GetBucketLifecycleConfigurationCommand, GetBucketLocationCommand, GetBucketLoggingCommand,
  GetBucketMetricsConfigurationCommand, GetBucketNotificationConfigurationCommand, GetBucketOwnershipControlsCommand,
  GetBucketPolicyCommand, GetBucketPolicyStatusCommand, GetBucketReplicationCommand, GetBucketRequestPaymentCommand,
  GetBucketTaggingCommand, GetBucketVersioningCommand, GetBucketWebsiteCommand, GetObjectAclCommand,
  GetObjectAttributesCommand, GetObjectCommand, GetObjectLockConfigurationCommand, GetObjectTaggingCommand,
  GetPublicAccessBlockCommand, ListBucketMetricsConfigurationsCommand, ListMultipartUploadsCommand,
  ListObjectVersionsCommand, ListObjectsCommand, ListObjectsV2Command, NoSuchBucket, NoSuchKey,
  PutBucketAclCommand, PutBucketCorsCommand, PutBucketEncryptionCommand, PutBucketLifecycleConfigurationCommand,
  PutBucketMetricsConfigurationCommand, PutBucketNotificationConfigurationCommand, PutBucketOwnershipControlsCommand,
  PutBucketPolicyCommand, PutBucketTaggingCommand, PutBucketVersioningCommand, PutObjectAclCommand, PutObjectCommand,
  PutObjectTaggingCommand, PutPublicAccessBlockCommand, S3Client,
} from "@aws-sdk/client-s3";
import {
  CreateQueueCommand, DeleteMessageCommand, DeleteQueueCommand, GetQueueAttributesCommand, ReceiveMessageCommand,
  SetQueueAttributesCommand,
} from "@aws-sdk/client-sqs";
import { eventually, handlers, makeClients, startServer, unique } from "./client.mjs";

let server;

before(async () => { server = await startServer(); });
after(async () => { await server?.stop(); });

for (const protocol of Object.keys(handlers)) {
  describe(`settings of buckets over ${protocol}`, () => {
    let clients;
    let s3;
    before(() => { clients = makeClients(server.endpoint, protocol); s3 = clients.s3; });
    after(() => clients.destroy());

    async function createBucket() {
      const Bucket = unique("js");
      await s3.send(new CreateBucketCommand({ Bucket }));
      return Bucket;
    }

    const policyFor = (Bucket, Principal) => JSON.stringify({
      Version: "2012-10-17",
      Statement: [{ Effect: "Allow", Principal, Action: "s3:GetObject", Resource: `arn:aws:s3:::${Bucket}/*` }],
    });

    it("a bucket of another region tells where it is, and stays while something is in it", async () => {
      const Bucket = await createBucket();
      assert.ok(!(await s3.send(new GetBucketLocationCommand({ Bucket }))).LocationConstraint);
      const there = new S3Client({
        endpoint: server.endpoint, region: "eu-central-1", maxAttempts: 1, requestHandler: handlers[protocol](),
        credentials: { accessKeyId: "test", secretAccessKey: "test" }, forcePathStyle: true,
      });
      try {
        const far = { Bucket: unique("js") };
        const create = new CreateBucketCommand({
          ...far, CreateBucketConfiguration: { LocationConstraint: "eu-central-1" } });
        await there.send(create);
        assert.equal((await there.send(new GetBucketLocationCommand(far))).LocationConstraint, "eu-central-1");
        await assert.rejects(there.send(create), BucketAlreadyOwnedByYou);
        await there.send(new PutObjectCommand({ ...far, Key: "k", Body: "x" }));
        await assert.rejects(there.send(new DeleteBucketCommand(far)), { name: "BucketNotEmpty" });
        await there.send(new DeleteObjectCommand({ ...far, Key: "k" }));
        await there.send(new DeleteBucketCommand(far));
        await assert.rejects(there.send(new GetBucketLocationCommand(far)), NoSuchBucket);
      } finally {
        there.destroy();
      }
    });

    it("versions are kept once that is asked for, and suspended later", async () => {
      const Bucket = await createBucket();
      const status = async () => (await s3.send(new GetBucketVersioningCommand({ Bucket }))).Status;
      const set = (Status) => s3.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status } }));
      assert.equal(await status(), undefined);
      await set("Enabled");
      assert.equal(await status(), "Enabled");
      await set("Suspended");
      assert.equal(await status(), "Suspended");
      await assert.rejects(set("Sometimes"), { name: "MalformedXML" });
      assert.equal(await status(), "Suspended");
    });

    it("tags are of a bucket and of an object until they are deleted", async () => {
      const Bucket = await createBucket();
      const none = { name: "NoSuchTagSet", message: "The TagSet does not exist" };
      await assert.rejects(s3.send(new GetBucketTaggingCommand({ Bucket })), none);
      const TagSet = [{ Key: "a", Value: "1" }, { Key: "b", Value: "" }];
      await s3.send(new PutBucketTaggingCommand({ Bucket, Tagging: { TagSet } }));
      assert.deepEqual((await s3.send(new GetBucketTaggingCommand({ Bucket }))).TagSet, TagSet);
      const twice = [{ Key: "a", Value: "1" }, { Key: "a", Value: "2" }];
      await assert.rejects(s3.send(new PutBucketTaggingCommand({ Bucket, Tagging: { TagSet: twice } })),
        { name: "InvalidTag", message: "Cannot provide multiple Tags with the same key" });
      await s3.send(new DeleteBucketTaggingCommand({ Bucket }));
      await assert.rejects(s3.send(new GetBucketTaggingCommand({ Bucket })), none);

      const object = { Bucket, Key: "k" };
      await s3.send(new PutObjectCommand({ ...object, Body: "x", Tagging: "c=3" }));
      const tagsOf = async () => (await s3.send(new GetObjectTaggingCommand(object))).TagSet;
      assert.deepEqual(await tagsOf(), [{ Key: "c", Value: "3" }]);
      await s3.send(new PutObjectTaggingCommand({ ...object, Tagging: { TagSet } }));
      assert.deepEqual(await tagsOf(), TagSet);
      const many = Array.from({ length: 11 }, (_, number) => ({ Key: String(number), Value: "" }));
      await assert.rejects(s3.send(new PutObjectTaggingCommand({ ...object, Tagging: { TagSet: many } })),
        { name: "BadRequest", message: "Object tags cannot be greater than 10" });
      await s3.send(new DeleteObjectTaggingCommand(object));
      assert.deepEqual(await tagsOf(), []);
      for (const Command of [GetObjectTaggingCommand, DeleteObjectTaggingCommand]) {
        await assert.rejects(s3.send(new Command({ Bucket, Key: "none" })), NoSuchKey);
      }
    });

    it("tags that are AWS's own are refused", async () => {
      const Bucket = await createBucket();
      await s3.send(new PutObjectCommand({ Bucket, Key: "k", Body: "x" }));
      const Tagging = { TagSet: [{ Key: "aws:x", Value: "1" }] };
      await assert.rejects(s3.send(new PutBucketTaggingCommand({ Bucket, Tagging })),
        { name: "InvalidTag", message: "System tags cannot be added/updated by requester" });
      await assert.rejects(s3.send(new PutObjectTaggingCommand({ Bucket, Key: "k", Tagging })),
        { name: "InvalidTag", message: "Your TagKey cannot be prefixed with aws:" });
    });

    it("browsers of other origins are let in by rules", async () => {
      const Bucket = await createBucket();
      const none = { name: "NoSuchCORSConfiguration", message: "The CORS configuration does not exist" };
      await assert.rejects(s3.send(new GetBucketCorsCommand({ Bucket })), none);
      const CORSRules = [{
        ID: "app", AllowedMethods: ["PUT", "GET"], AllowedOrigins: ["https://*.example.com"], AllowedHeaders: ["x-*"],
        ExposeHeaders: ["ETag"], MaxAgeSeconds: 60,
      }];
      await s3.send(new PutBucketCorsCommand({ Bucket, CORSConfiguration: { CORSRules } }));
      assert.deepEqual((await s3.send(new GetBucketCorsCommand({ Bucket }))).CORSRules, CORSRules);
      const preflight = (origin) => fetch(`${server.endpoint}/${Bucket}/key`, {
        method: "OPTIONS", headers: { origin, "access-control-request-method": "PUT" } });
      const allowed = await preflight("https://app.example.com");
      assert.equal(allowed.status, 200);
      assert.equal(allowed.headers.get("access-control-allow-origin"), "https://app.example.com");
      assert.equal((await preflight("https://example.org")).status, 403);
      const patch = [{ AllowedMethods: ["PATCH"], AllowedOrigins: ["*"] }];
      await assert.rejects(s3.send(new PutBucketCorsCommand({ Bucket, CORSConfiguration: { CORSRules: patch } })),
        { name: "InvalidRequest", message: /PATCH/ });
      await s3.send(new DeleteBucketCorsCommand({ Bucket }));
      await assert.rejects(s3.send(new GetBucketCorsCommand({ Bucket })), none);
      assert.equal((await preflight("https://app.example.com")).status, 403);
    });

    it("rules of lifecycle are kept until they are deleted", async () => {
      const Bucket = await createBucket();
      const none = { name: "NoSuchLifecycleConfiguration", message: "The lifecycle configuration does not exist" };
      await assert.rejects(s3.send(new GetBucketLifecycleConfigurationCommand({ Bucket })), none);
      const put = (...Rules) => s3.send(
        new PutBucketLifecycleConfigurationCommand({ Bucket, LifecycleConfiguration: { Rules } }));
      const rule = { ID: "logs", Status: "Enabled", Filter: { Prefix: "logs/" }, Expiration: { Days: 3 } };
      await put(rule);
      const { Rules } = await s3.send(new GetBucketLifecycleConfigurationCommand({ Bucket }));
      assert.deepEqual(Rules, [rule]);
      const { Expiration } = await s3.send(new PutObjectCommand({ Bucket, Key: "logs/1", Body: "x" }));
      assert.match(Expiration, /^expiry-date=".*", rule-id="logs"$/);
      await assert.rejects(put({ ...rule, Expiration: { Days: 0 } }), { name: "InvalidArgument" });
      await s3.send(new DeleteBucketLifecycleCommand({ Bucket }));
      await assert.rejects(s3.send(new GetBucketLifecycleConfigurationCommand({ Bucket })), none);
      const after = await s3.send(new PutObjectCommand({ Bucket, Key: "logs/2", Body: "x" }));
      assert.equal(after.Expiration, undefined);
    });

    it("a public policy is refused until the bucket stops blocking it", async () => {
      const Bucket = await createBucket();
      const none = { name: "NoSuchBucketPolicy", message: "The bucket policy does not exist" };
      for (const Command of [GetBucketPolicyCommand, GetBucketPolicyStatusCommand]) {
        await assert.rejects(s3.send(new Command({ Bucket })), none);
      }
      const Policy = policyFor(Bucket, { AWS: "*" });
      const block = async () =>
        (await s3.send(new GetPublicAccessBlockCommand({ Bucket }))).PublicAccessBlockConfiguration;
      const all = {
        BlockPublicAcls: true, IgnorePublicAcls: true, BlockPublicPolicy: true, RestrictPublicBuckets: true };
      assert.deepEqual(await block(), all);
      await assert.rejects(s3.send(new PutBucketPolicyCommand({ Bucket, Policy })), { name: "AccessDenied" });
      const less = { ...all, BlockPublicPolicy: false, RestrictPublicBuckets: false };
      await s3.send(new PutPublicAccessBlockCommand({ Bucket, PublicAccessBlockConfiguration: less }));
      assert.deepEqual(await block(), less);
      await s3.send(new PutBucketPolicyCommand({ Bucket, Policy }));
      const kept = await s3.send(new GetBucketPolicyCommand({ Bucket }));
      assert.deepEqual(JSON.parse(kept.Policy), JSON.parse(Policy));
      const { PolicyStatus } = await s3.send(new GetBucketPolicyStatusCommand({ Bucket }));
      assert.equal(PolicyStatus.IsPublic, true);
      await assert.rejects(s3.send(new PutBucketPolicyCommand({ Bucket, Policy: "no json" })), {
        name: "MalformedPolicy", message: "Policies must be valid JSON and the first byte must be '{'" });
      await s3.send(new DeleteBucketPolicyCommand({ Bucket }));
      await assert.rejects(s3.send(new GetBucketPolicyCommand({ Bucket })), none);
      await s3.send(new DeletePublicAccessBlockCommand({ Bucket }));
      await assert.rejects(block(), {
        name: "NoSuchPublicAccessBlockConfiguration", message: "The public access block configuration was not found" });
    });

    it("the owner owns what is in a bucket, and nobody else is given more", async () => {
      const Bucket = await createBucket();
      const object = { Bucket, Key: "k" };
      await s3.send(new PutObjectCommand({ ...object, Body: "x" }));
      const OwnershipControls = { Rules: [{ ObjectOwnership: "BucketOwnerEnforced" }] };
      const controls = async () => (await s3.send(new GetBucketOwnershipControlsCommand({ Bucket }))).OwnershipControls;
      assert.deepEqual(await controls(), OwnershipControls);

      const { Owner, Grants } = await s3.send(new GetBucketAclCommand({ Bucket }));
      assert.deepEqual(Grants.map((grant) => [grant.Grantee.Type, grant.Grantee.ID, grant.Permission]),
        [["CanonicalUser", Owner.ID, "FULL_CONTROL"]]);
      const refused = { name: "AccessControlListNotSupported", message: "The bucket does not allow ACLs" };
      await assert.rejects(s3.send(new PutBucketAclCommand({ Bucket, ACL: "public-read" })), refused);
      await assert.rejects(s3.send(new PutObjectAclCommand({ ...object, ACL: "public-read" })), refused);
      // What says no more than what is anyway passes.
      await s3.send(new PutObjectAclCommand({ ...object, ACL: "bucket-owner-full-control" }));
      const ofObject = await s3.send(new GetObjectAclCommand(object));
      assert.deepEqual([ofObject.Owner, ofObject.Grants], [Owner, Grants]);
      const missing = { Bucket, Key: "none", ACL: "bucket-owner-full-control" };
      for (const Command of [GetObjectAclCommand, PutObjectAclCommand]) {
        await assert.rejects(s3.send(new Command(missing)), NoSuchKey);
      }

      await s3.send(new DeleteBucketOwnershipControlsCommand({ Bucket }));
      await assert.rejects(controls(), {
        name: "OwnershipControlsNotFoundError", message: "The bucket ownership controls were not found" });
      await s3.send(new PutBucketOwnershipControlsCommand({ Bucket, OwnershipControls }));
      assert.deepEqual(await controls(), OwnershipControls);
      await assert.rejects(s3.send(new PutBucketOwnershipControlsCommand({ Bucket, OwnershipControls: { Rules: [] } })),
        { name: "MalformedXML" });
    });

    it("an ownership that there is not is refused", async () => {
      const Bucket = await createBucket();
      const OwnershipControls = { Rules: [{ ObjectOwnership: "Nobody" }] };
      await assert.rejects(s3.send(new PutBucketOwnershipControlsCommand({ Bucket, OwnershipControls })),
        { name: "MalformedXML" });
      await assert.rejects(s3.send(new CreateBucketCommand({ Bucket: unique("js"), ObjectOwnership: "Nobody" })), {
        name: "InvalidArgument", message: "Invalid x-amz-object-ownership header: Nobody" });
    });

    it("an access control list may say what is anyway, and nothing else, not even that all is private", async () => {
      const Bucket = await createBucket();
      const object = { Bucket, Key: "k" };
      await s3.send(new PutObjectCommand({ ...object, Body: "x" }));
      const { Owner, Grants } = await s3.send(new GetBucketAclCommand({ Bucket }));
      const refused = { name: "AccessControlListNotSupported", message: "The bucket does not allow ACLs" };
      for (const [Command, where] of [[PutBucketAclCommand, { Bucket }], [PutObjectAclCommand, object]]) {
        await s3.send(new Command({ ...where, ACL: "bucket-owner-full-control" }));
        await s3.send(new Command({ ...where, AccessControlPolicy: { Owner, Grants } }));
        await assert.rejects(s3.send(new Command({ ...where, ACL: "private" })), refused);
      }
      assert.deepEqual((await s3.send(new GetObjectAclCommand(object))).Grants, Grants);
    });

    it("everything is encrypted, whatever is said of it", async () => {
      const Bucket = await createBucket();
      const told = async () => {
        const answer = await s3.send(new GetBucketEncryptionCommand({ Bucket }));
        return answer.ServerSideEncryptionConfiguration.Rules.map((rule) => rule.ApplyServerSideEncryptionByDefault);
      };
      const put = (Rules) => s3.send(
        new PutBucketEncryptionCommand({ Bucket, ServerSideEncryptionConfiguration: { Rules } }));
      const aes = { SSEAlgorithm: "AES256" };
      assert.deepEqual(await told(), [aes]);
      await put([{ ApplyServerSideEncryptionByDefault: aes }]);
      assert.deepEqual(await told(), [aes]);
      await assert.rejects(put([]), { name: "MalformedXML" });
      await s3.send(new DeleteBucketEncryptionCommand({ Bucket }));
      assert.deepEqual(await told(), [aes]);
      const { ServerSideEncryption } = await s3.send(new PutObjectCommand({ Bucket, Key: "k", Body: "x" }));
      assert.equal(ServerSideEncryption, "AES256");
    });

    // Of a new queue that the bucket may send to.
    async function createInbox(Bucket) {
      const { QueueUrl } = await clients.sqs.send(new CreateQueueCommand({ QueueName: Bucket }));
      const { Attributes } = await clients.sqs.send(
        new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["QueueArn"] }));
      const Statement = [{
        Effect: "Allow", Principal: { Service: "s3.amazonaws.com" }, Action: "sqs:SendMessage",
        Resource: Attributes.QueueArn,
      }];
      await clients.sqs.send(new SetQueueAttributesCommand({
        QueueUrl, Attributes: { Policy: JSON.stringify({ Version: "2012-10-17", Statement }) } }));
      return { QueueUrl, QueueArn: Attributes.QueueArn };
    }

    const putNotifications = (Bucket, ...QueueConfigurations) => s3.send(new PutBucketNotificationConfigurationCommand({
      Bucket, NotificationConfiguration: QueueConfigurations.length ? { QueueConfigurations } : {} }));

    async function notificationsOf(Bucket) {
      const { $metadata, ...told } = await s3.send(new GetBucketNotificationConfigurationCommand({ Bucket }));
      return told;
    }

    it("what happens in a bucket is told to a queue", async () => {
      const Bucket = await createBucket();
      const { QueueUrl, QueueArn } = await createInbox(Bucket);
      assert.deepEqual(await notificationsOf(Bucket), {});
      const created = { Id: "there", QueueArn, Events: ["s3:ObjectCreated:*"] };
      await putNotifications(Bucket,
        { ...created, Filter: { Key: { FilterRules: [{ Name: "prefix", Value: "in/" }] } } });
      const [{ Filter, ...kept }] = (await notificationsOf(Bucket)).QueueConfigurations;
      assert.deepEqual(kept, created);
      assert.deepEqual(Filter.Key.FilterRules.map((rule) => rule.Value), ["in/"]);
      await s3.send(new PutObjectCommand({ Bucket, Key: "out/k", Body: "x" }));
      await s3.send(new PutObjectCommand({ Bucket, Key: "in/k", Body: "123" }));
      const bodies = [];
      await eventually(async () => {
        const { Messages } = await clients.sqs.send(
          new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 1 }));
        for (const { Body, ReceiptHandle } of Messages ?? []) {
          bodies.push(JSON.parse(Body));
          await clients.sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
        }
        return bodies.some((body) => body.Records) && bodies.some((body) => body.Event);
      }, "the test event and the object's");
      assert.ok(bodies.some((body) => body.Event === "s3:TestEvent" && body.Bucket === Bucket));
      assert.deepEqual(bodies.flatMap((body) => body.Records ?? []).map((record) => record.s3.object.key), ["in/k"]);
      await assert.rejects(putNotifications(Bucket, { ...created, QueueArn: `${QueueArn}-none` }), {
        name: "InvalidArgument", message: "Unable to validate the following destination configurations" });
      await putNotifications(Bucket);
      assert.deepEqual(await notificationsOf(Bucket), {});
      await clients.sqs.send(new DeleteQueueCommand({ QueueUrl }));
    });

    // What AWS tells is capitalized, and whoever puts it back as it was told is not refused.
    it("the rules of a filter are named in upper and lower case", async () => {
      const Bucket = await createBucket();
      const { QueueUrl, QueueArn } = await createInbox(Bucket);
      const filtered = (Name) => ({
        Id: "there", QueueArn, Events: ["s3:ObjectCreated:*"],
        Filter: { Key: { FilterRules: [{ Name, Value: "a" }] } } });
      for (const [name, told] of [["prefix", "Prefix"], ["Prefix", "Prefix"], ["SUFFIX", "Suffix"]]) {
        await putNotifications(Bucket, filtered(name));
        assert.deepEqual(await notificationsOf(Bucket), { QueueConfigurations: [filtered(told)] });
      }
      await assert.rejects(putNotifications(Bucket, filtered("infix")), {
        name: "InvalidArgument", message: "filter rule name must be either prefix or suffix" });
      await clients.sqs.send(new DeleteQueueCommand({ QueueUrl }));
    });

    it("the requests that are measured are listed and taken off the list", async () => {
      const Bucket = await createBucket();
      const put = (Id, more = {}) => s3.send(
        new PutBucketMetricsConfigurationCommand({ Bucket, Id, MetricsConfiguration: { Id, ...more } }));
      const listed = async () => {
        const answer = await s3.send(new ListBucketMetricsConfigurationsCommand({ Bucket }));
        assert.equal(answer.IsTruncated, false);
        return (answer.MetricsConfigurationList ?? []).map((each) => each.Id);
      };
      assert.deepEqual(await listed(), []);
      await put("all");
      await put("logs", { Filter: { Prefix: "logs/" } });
      const { MetricsConfiguration } = await s3.send(new GetBucketMetricsConfigurationCommand({ Bucket, Id: "logs" }));
      assert.deepEqual(MetricsConfiguration, { Id: "logs", Filter: { Prefix: "logs/" } });
      assert.deepEqual(await listed(), ["all", "logs"]);
      await assert.rejects(s3.send(new PutBucketMetricsConfigurationCommand({
        Bucket, Id: "one", MetricsConfiguration: { Id: "other" } })), { name: "InvalidArgument" });
      await s3.send(new DeleteBucketMetricsConfigurationCommand({ Bucket, Id: "all" }));
      assert.deepEqual(await listed(), ["logs"]);
      const none = { name: "NoSuchConfiguration", message: "The specified configuration does not exist." };
      for (const Command of [GetBucketMetricsConfigurationCommand, DeleteBucketMetricsConfigurationCommand]) {
        await assert.rejects(s3.send(new Command({ Bucket, Id: "all" })), none);
      }
    });

    it("a new bucket tells that nothing else is set", async () => {
      const Bucket = await createBucket();
      assert.equal((await s3.send(new GetBucketAccelerateConfigurationCommand({ Bucket }))).Status, undefined);
      assert.equal((await s3.send(new GetBucketLoggingCommand({ Bucket }))).LoggingEnabled, undefined);
      assert.equal((await s3.send(new GetBucketRequestPaymentCommand({ Bucket }))).Payer, "BucketOwner");
      await assert.rejects(s3.send(new GetBucketReplicationCommand({ Bucket })), {
        name: "ReplicationConfigurationNotFoundError", message: "The replication configuration was not found" });
      await assert.rejects(s3.send(new GetBucketWebsiteCommand({ Bucket })), {
        name: "NoSuchWebsiteConfiguration",
        message: "The specified bucket does not have a website configuration" });
      await assert.rejects(s3.send(new GetObjectLockConfigurationCommand({ Bucket })), {
        name: "ObjectLockConfigurationNotFoundError",
        message: "Object Lock configuration does not exist for this bucket" });
    });

    it("nothing can be asked of a bucket that is not there, nor set on it", async () => {
      const Bucket = unique("missing");
      const Id = "one";
      const Key = "k";
      const TagSet = [{ Key: "a", Value: "1" }];
      const rule = { ID: "r", Status: "Enabled", Filter: { Prefix: "" }, Expiration: { Days: 1 } };
      const settings = [
        [PutBucketAclCommand, { ACL: "bucket-owner-full-control" }],
        [PutBucketCorsCommand, {
          CORSConfiguration: { CORSRules: [{ AllowedMethods: ["GET"], AllowedOrigins: ["*"] }] } }],
        [PutBucketEncryptionCommand, { ServerSideEncryptionConfiguration: {
          Rules: [{ ApplyServerSideEncryptionByDefault: { SSEAlgorithm: "AES256" } }] } }],
        [PutBucketLifecycleConfigurationCommand, { LifecycleConfiguration: { Rules: [rule] } }],
        [PutBucketMetricsConfigurationCommand, { Id, MetricsConfiguration: { Id } }],
        [PutBucketNotificationConfigurationCommand, { NotificationConfiguration: {} }],
        [PutBucketOwnershipControlsCommand, {
          OwnershipControls: { Rules: [{ ObjectOwnership: "BucketOwnerEnforced" }] } }],
        [PutBucketPolicyCommand, { Policy: policyFor(Bucket, { Service: "logging.s3.amazonaws.com" }) }],
        [PutBucketTaggingCommand, { Tagging: { TagSet } }],
        [PutBucketVersioningCommand, { VersioningConfiguration: { Status: "Enabled" } }],
        [PutPublicAccessBlockCommand, { PublicAccessBlockConfiguration: { BlockPublicAcls: true } }],
        [PutObjectTaggingCommand, { Key, Tagging: { TagSet } }],
        [DeleteObjectsCommand, { Delete: { Objects: [{ Key }] } }],
        [GetObjectAttributesCommand, { Key, ObjectAttributes: ["ETag"] }],
        [PutObjectAclCommand, { Key, ACL: "bucket-owner-full-control" }],
        ...[
          DeleteBucketCommand, DeleteBucketCorsCommand, DeleteBucketEncryptionCommand, DeleteBucketLifecycleCommand,
          DeleteBucketOwnershipControlsCommand, DeleteBucketPolicyCommand, DeleteBucketTaggingCommand,
          DeletePublicAccessBlockCommand, GetBucketAccelerateConfigurationCommand, GetBucketAclCommand,
          GetBucketCorsCommand, GetBucketEncryptionCommand, GetBucketLifecycleConfigurationCommand,
          GetBucketLocationCommand, GetBucketLoggingCommand, GetBucketNotificationConfigurationCommand,
          GetBucketOwnershipControlsCommand, GetBucketPolicyCommand, GetBucketPolicyStatusCommand,
          GetBucketReplicationCommand, GetBucketRequestPaymentCommand, GetBucketTaggingCommand,
          GetBucketVersioningCommand, GetBucketWebsiteCommand, GetObjectLockConfigurationCommand,
          GetPublicAccessBlockCommand, ListBucketMetricsConfigurationsCommand, ListMultipartUploadsCommand,
          ListObjectVersionsCommand, ListObjectsCommand, ListObjectsV2Command,
        ].map((Command) => [Command, {}]),
        ...[DeleteBucketMetricsConfigurationCommand, GetBucketMetricsConfigurationCommand]
          .map((Command) => [Command, { Id }]),
        ...[
          CreateMultipartUploadCommand, DeleteObjectCommand, DeleteObjectTaggingCommand, GetObjectAclCommand,
          GetObjectCommand, GetObjectTaggingCommand,
        ].map((Command) => [Command, { Key }]),
      ];
      for (const [Command, more] of settings) {
        await assert.rejects(s3.send(new Command({ Bucket, ...more })),
          { name: "NoSuchBucket", message: "The specified bucket does not exist" }, Command.name);
      }
    });
  });
}
