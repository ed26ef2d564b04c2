// Answers of functions that stream, with the AWS SDK for JavaScript v3 and at URLs.
import assert from "node:assert/strict";
import http from "node:http";
import { after, before, describe, it } from "node:test";
import {
  AddPermissionCommand, CreateFunctionCommand, CreateFunctionUrlConfigCommand, DeleteFunctionCommand,
  DeleteLayerVersionCommand, GetFunctionUrlConfigCommand, InvokeCommand, InvokeWithResponseStreamCommand,
  PublishLayerVersionCommand, PutFunctionConcurrencyCommand, TooManyRequestsException,
  UpdateFunctionUrlConfigCommand, waitUntilFunctionActiveV2,
} from "@aws-sdk/client-lambda";
import { eventually, handlers, makeClients, startServer, unique, zipOf } from "./client.mjs";

const Role = process.env.TIDEMILL_TEST_ROLE ?? "arn:aws:iam::000000000000:role/tidemill-tests";

let server;

before(async () => { server = await startServer(); });
after(async () => { await server?.stop(); });

const text = (bytes) => Buffer.from(bytes).toString();

for (const protocol of Object.keys(handlers)) {
  describe(`answers that stream, over ${protocol}`, () => {
    let clients;
    let lambda;
    const made = [];
    before(() => {
      clients = makeClients(server.endpoint, protocol);
      lambda = clients.lambda;
    });
    after(async () => {
      for (const FunctionName of made) await lambda.send(new DeleteFunctionCommand({ FunctionName })).catch(() => {});
      clients.destroy();
    });

    async function createFunction(source, more = {}) {
      const FunctionName = unique("stream");
      await lambda.send(new CreateFunctionCommand({
        FunctionName, Role, Runtime: "nodejs20.x", Handler: "index.handler", Timeout: 30, MemorySize: 256,
        Code: { ZipFile: zipOf("index.js", source) }, ...more,
      }));
      made.push(FunctionName);
      await waitUntilFunctionActiveV2({ client: lambda, maxWaitTime: 60, minDelay: 1, maxDelay: 1 }, { FunctionName });
      return FunctionName;
    }

    const streaming = (body) =>
      createFunction(`exports.handler = awslambda.streamifyResponse(async (event, stream, context) => { ${body} });`);

    const open = (FunctionName, event = {}, more = {}) =>
      lambda.send(new InvokeWithResponseStreamCommand({ FunctionName, Payload: JSON.stringify(event), ...more }));

    // The pieces, and how it ended.
    async function all(answer) {
      const pieces = [];
      let end;
      for await (const event of answer.EventStream) {
        assert.equal(end, undefined, "nothing follows the end");
        if (event.PayloadChunk) pieces.push(text(event.PayloadChunk.Payload));
        else end = event.InvokeComplete;
      }
      return { pieces, whole: pieces.join(""), end };
    }

    it("come in pieces, the first before there is a second", async () => {
      // It goes on once its first piece has been seen by who asked, and not before: that is told by another call.
      const name = await createFunction(`
        const fs = require("node:fs");
        exports.handler = awslambda.streamifyResponse(async (event, stream) => {
          stream.write("first");
          while (!fs.existsSync(event.go)) await new Promise((done) => setTimeout(done, 5));
          stream.write({ second: 2 });
          stream.end();
        });`);
      const tell = await createFunction(
        `exports.handler = async (event) => { require("node:fs").writeFileSync(event.go, ""); };`);
      const go = `/tmp/${unique("go")}`;
      const answer = await open(name, { go });
      assert.equal(answer.StatusCode, 200);
      assert.equal(answer.ExecutedVersion, "$LATEST");
      const pieces = [];
      for await (const event of answer.EventStream) {
        if (!event.PayloadChunk) continue;
        if (pieces.length === 0) {
          await lambda.send(new InvokeCommand({ FunctionName: tell, Payload: JSON.stringify({ go }) }));
        }
        pieces.push(text(event.PayloadChunk.Payload));
      }
      assert.deepEqual(pieces, ["first", '{"second":2}']);
    });

    it("end with the log, if that was asked for", async () => {
      const name = await streaming(`console.log("said"); stream.end("x");`);
      const { whole, end } = await all(await open(name, {}, { LogType: "Tail" }));
      assert.equal(whole, "x");
      assert.match(Buffer.from(end.LogResult, "base64").toString(), /said/);
      assert.equal(end.ErrorCode, undefined);
    });

    it("tell of a failure before the first piece and in the middle", async () => {
      const name = await streaming(`
        if (event.middle) stream.write("half");
        throw new RangeError("broke");`);
      for (const middle of [false, true]) {
        const { whole, end } = await all(await open(name, { middle }));
        assert.equal(whole, middle ? "half" : "");
        assert.equal(end.ErrorCode, "Unhandled");
        const details = JSON.parse(end.ErrorDetails);
        assert.equal(details.errorType, "RangeError");
        assert.equal(details.errorMessage, "broke");
      }
      // The process has survived both.
      assert.equal((await lambda.send(new InvokeCommand({ FunctionName: name }))).FunctionError, "Unhandled");
    });

    it("tell of a failure whose error has no name", async () => {
      const name = await streaming(`
        if (event.middle) stream.write("half");
        const error = new Error("broke");
        error.name = "";
        throw error;`);
      for (const middle of [false, true]) {
        const { whole, end } = await all(await open(name, { middle }));
        assert.equal(whole, middle ? "half" : "");
        assert.equal(end.ErrorCode, "Unhandled");
        assert.equal(JSON.parse(end.ErrorDetails).errorMessage, "broke");
      }
    });

    it("tell of a process that ends in the middle, and of one that takes too long", async () => {
      const name = await createFunction(
        `exports.handler = awslambda.streamifyResponse(async (event, stream) => {
           await new Promise((done) => stream.write("half", done));
           if (event.exits) process.exit(3);
           await new Promise((done) => setTimeout(done, 60000));
         });`, { Timeout: 1 });
      const gone = (await all(await open(name, { exits: true }))).end;
      assert.equal(gone.ErrorCode, "Unhandled");
      assert.match(gone.ErrorDetails, /Runtime exited with error: exit status 3/);
      const late = await all(await open(name));
      assert.equal(late.whole, "half");
      assert.equal(late.end.ErrorCode, "Unhandled");
      assert.match(late.end.ErrorDetails, /Task timed out after 1.00 seconds/);
    });

    it("may be large, and wait for a reader that is slow", async () => {
      const size = 24 << 20;
      const name = await streaming(`
        const { once } = require("node:events");
        const piece = Buffer.alloc(1 << 16, "x");
        let waited = 0;
        for (let sent = 0; sent < ${size}; sent += piece.length) {
          if (!stream.write(piece)) { waited++; await once(stream, "drain"); }
        }
        stream.end();
        if (waited === 0) throw new Error("it never had to wait");`);
      let got = 0;
      let end;
      for await (const event of (await open(name)).EventStream) {
        if (event.PayloadChunk) got += event.PayloadChunk.Payload.length;
        if (event.InvokeComplete) end = event.InvokeComplete;
      }
      assert.equal(got, size);
      assert.equal(end.ErrorCode, undefined);
    });

    it("are what a function says that does not stream, too, and whole for who does not ask for a stream", async () => {
      const plain = await createFunction("exports.handler = async (event) => ({ echo: event });");
      assert.equal((await all(await open(plain, { a: 1 }))).whole, '{"echo":{"a":1}}');
      const name = await streaming(`stream.setContentType("text/plain"); stream.write("a"); stream.end("b");`);
      assert.equal(text((await lambda.send(new InvokeCommand({ FunctionName: name }))).Payload), "ab");
    });

    // Two layers, which are merged when the function runs first.
    it("come from functions with layers, too", async () => {
      const layers = [];
      try {
        for (const [file, source] of [["nodejs/node_modules/word.js", "module.exports = 'hello';"], ["name", "the layers"]]) {
          layers.push(await lambda.send(new PublishLayerVersionCommand({
            LayerName: unique("layer"), Content: { ZipFile: zipOf(file, source) } })));
        }
        const name = await createFunction(
          `const word = require("word");
          exports.handler = awslambda.streamifyResponse(async (event, stream) => {
            stream.end(word + " " + require("node:fs").readFileSync("/opt/name"));
          });`, { Layers: layers.map((each) => each.LayerVersionArn) });
        assert.equal((await all(await open(name))).whole, "hello the layers");
      } finally {
        for (const { LayerArn, Version } of layers) {
          await lambda.send(new DeleteLayerVersionCommand({ LayerName: LayerArn, VersionNumber: Version }));
        }
      }
    });

    it("are throttled as any call is", async () => {
      const name = await streaming(`stream.end();`);
      await lambda.send(new PutFunctionConcurrencyCommand({ FunctionName: name, ReservedConcurrentExecutions: 0 }));
      await assert.rejects(eventually(async () => { await all(await open(name)); return false; }, "throttled"),
        TooManyRequestsException);
    });

    it("leave a function that runs on when who asked has left", async () => {
      const name = await createFunction(`
        const fs = require("node:fs");
        exports.handler = awslambda.streamifyResponse(async (event, stream) => {
          stream.write("first");
          while (!fs.existsSync(event.go)) await new Promise((done) => setTimeout(done, 5));
          stream.end("rest");
          fs.writeFileSync(event.go + ".done", "");
        });`);
      const files = await createFunction(`
        const fs = require("node:fs");
        exports.handler = async (event) => {
          if (event.write) fs.writeFileSync(event.write, "");
          return fs.existsSync(event.read);
        };`);
      const look = async (event) => JSON.parse(text((await lambda.send(new InvokeCommand({
        FunctionName: files, Payload: JSON.stringify(event) }))).Payload));
      const go = `/tmp/${unique("go")}`;
      const answer = await open(name, { go });
      for await (const event of answer.EventStream) if (event.PayloadChunk) break;
      await look({ write: go, read: go });
      await eventually(() => look({ read: `${go}.done` }), "it has run to its end");
    });
  });
}

describe("answers that stream at URLs", () => {
  let clients;
  let lambda;
  const made = [];
  before(() => {
    clients = makeClients(server.endpoint, "HTTP/1.1");
    lambda = clients.lambda;
  });
  after(async () => {
    for (const FunctionName of made) await lambda.send(new DeleteFunctionCommand({ FunctionName })).catch(() => {});
    clients.destroy();
  });

  async function openUrl(source, InvokeMode = "RESPONSE_STREAM") {
    const FunctionName = unique("url");
    await lambda.send(new CreateFunctionCommand({
      FunctionName, Role, Runtime: "nodejs20.x", Handler: "index.handler", Timeout: 30, MemorySize: 256,
      Code: { ZipFile: zipOf("index.js", source) },
    }));
    made.push(FunctionName);
    await waitUntilFunctionActiveV2({ client: lambda, maxWaitTime: 60, minDelay: 1, maxDelay: 1 }, { FunctionName });
    const url = await lambda.send(new CreateFunctionUrlConfigCommand({ FunctionName, AuthType: "NONE", InvokeMode }));
    assert.equal(url.InvokeMode, InvokeMode);
    await lambda.send(new AddPermissionCommand({
      FunctionName, StatementId: "url", Action: "lambda:InvokeFunctionUrl", Principal: "*", FunctionUrlAuthType: "NONE" }));
    return { FunctionName, url: new URL(url.FunctionUrl) };
  }

  // {status, headers, body, whole}: whole is false if the connection ended before the answer did.
  function ask(url, path = "/") {
    const at = new URL(server.endpoint);
    return new Promise((resolve, reject) => {
      const request = http.request({
        host: at.hostname, port: at.port, path, headers: { host: url.host }, agent: false }, (answer) => {
        const parts = [];
        answer.on("data", (part) => parts.push(part));
        answer.on("error", () => {});
        answer.on("close", () => resolve({ status: answer.statusCode, headers: answer.headers,
          body: Buffer.concat(parts).toString(), whole: answer.complete }));
      });
      request.on("error", reject);
      request.end();
    });
  }

  it("begin with the status, headers and cookies that the function gives", async () => {
    const { url } = await openUrl(`exports.handler = awslambda.streamifyResponse(async (event, stream) => {
      stream = awslambda.HttpResponseStream.from(stream, {
        statusCode: 202, headers: { "Content-Type": "text/html", "X-Own": "yes" }, cookies: ["a=1", "b=2"] });
      stream.write("<p>");
      stream.end(event.rawPath);
    });`);
    const answer = await ask(url, "/there");
    assert.equal(answer.status, 202);
    assert.equal(answer.headers["content-type"], "text/html");
    assert.equal(answer.headers["x-own"], "yes");
    assert.deepEqual(answer.headers["set-cookie"], ["a=1", "b=2"]);
    assert.equal(answer.body, "<p>/there");
    assert.ok(answer.whole);
  });

  it("are bytes with status 200 if it gives none", async () => {
    const { url } = await openUrl(`exports.handler = awslambda.streamifyResponse(async (event, stream) => {
      if (event.rawPath === "/text") stream.setContentType("text/plain");
      stream.end("x");
    });`);
    const answer = await ask(url);
    assert.deepEqual([answer.status, answer.headers["content-type"], answer.body], [200, "application/octet-stream", "x"]);
    assert.equal((await ask(url, "/text")).headers["content-type"], "text/plain");
  });

  it("break off where the function failed, and are an error if that was before the beginning", async () => {
    const { url } = await openUrl(`exports.handler = awslambda.streamifyResponse(async (event, stream) => {
      if (event.rawPath === "/middle") stream.write("half");
      throw new Error("broke");
    });`);
    const early = await ask(url);
    assert.deepEqual([early.status, early.body], [502, "Internal Server Error"]);
    const middle = await ask(url, "/middle");
    assert.deepEqual([middle.status, middle.body, middle.whole], [200, "half", false]);
  });

  it("are an error where they begin with no head that a client could read", async () => {
    const { url } = await openUrl(`
      const heads = {
        "/long": "x".repeat(300000), "/none": "", "/text": "no JSON", "/early": '{"statusCode":101}',
        "/name": '{"headers":{"a: b":"c"}}', "/large": JSON.stringify({ headers: { a: "x".repeat(40000) } }),
      };
      exports.handler = awslambda.streamifyResponse(async (event, stream) => {
        stream.setContentType("application/vnd.awslambda.http-integration-response");
        stream.write(heads[event.rawPath]);
        stream.end(event.rawPath === "/long" ? "" : "\\0".repeat(8) + "body");
      });`);
    for (const path of ["/long", "/none", "/text", "/early", "/name", "/large"]) {
      const answer = await ask(url, path);
      assert.deepEqual([path, answer.status, answer.body, answer.whole], [path, 502, "Internal Server Error", true]);
    }
  });

  it("come whole where the URL does not stream", async () => {
    const { url, FunctionName } = await openUrl(
      `exports.handler = awslambda.streamifyResponse(async (event, stream) => { stream.end('{"statusCode":203}'); });`,
      "BUFFERED");
    assert.equal((await ask(url)).status, 203);
    const changed = await lambda.send(new UpdateFunctionUrlConfigCommand({ FunctionName, InvokeMode: "RESPONSE_STREAM" }));
    assert.equal(changed.InvokeMode, "RESPONSE_STREAM");
    assert.equal((await lambda.send(new GetFunctionUrlConfigCommand({ FunctionName }))).InvokeMode, "RESPONSE_STREAM");
    assert.equal((await ask(url)).body, '{"statusCode":203}');
  });
});
