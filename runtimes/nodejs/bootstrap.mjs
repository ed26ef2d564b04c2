// Runs one Node.js function: asks the Lambda Runtime API for invocations and calls the handler with each.
//
// Started by the server as `node bootstrap.mjs` with the environment that AWS documents for a Lambda runtime
// (AWS_LAMBDA_RUNTIME_API, _HANDLER, LAMBDA_TASK_ROOT, ...). One connection is kept for the life of the process; a reply
// and the request for the next invocation leave together, so that a warm invocation costs one round trip.

import { readFileSync, existsSync, realpathSync } from "node:fs";
import Module, { createRequire, register } from "node:module";
import net, { connect } from "node:net";
import path from "node:path";
import { Writable } from "node:stream";
import { pathToFileURL } from "node:url";
import { format } from "node:util";

const API = "/2018-06-01/runtime";
const ERROR_TYPE = "Lambda-Runtime-Function-Error-Type";
const ERROR_BODY = "Lambda-Runtime-Function-Error-Body";
const machineNow = Date.now;

// ---- The Runtime API over one kept-alive connection; bodies of answers always carry their length ---------------------

class RuntimeClient {
  constructor(address) {
    this.host = address;
    const colon = address.lastIndexOf(":");
    this.socket = connect({ host: address.slice(0, colon), port: Number(address.slice(colon + 1)), noDelay: true });
    this.nextRequest =
      `GET ${API}/invocation/next HTTP/1.1\r\nHost: ${address}\r\n` +
      `User-Agent: tidemill-nodejs/${process.versions.node}\r\n\r\n`;
    this.parts = [];
    this.size = 0;
    this.head = null; // of the answer whose body is still coming
    this.onAnswer = null;
    this.streams = false; // an answer whose end has not been sent
    this.socket.on("data", (part) => this.receive(part));
    // The server is gone, and this process with it.
    this.socket.on("error", () => process.exit(0));
    this.socket.on("close", () => process.exit(0));
  }

  // Waits for an invocation: {fields, body}.
  async next() {
    this.socket.write(this.nextRequest);
    return this.invocation();
  }

  // Reports how an invocation ended and waits for the next one. Whether it failed is said apart: an error's type may be
  // empty.
  async replyAndNext(requestId, { body, failed, errorType }) {
    const target = `${API}/invocation/${requestId}/${failed ? "error" : "response"}`;
    this.post(target, body, failed ? errorHeader(errorType) : "", this.nextRequest);
    await this.answer(); // a refused reply (too large) is the server's to report
    return this.invocation();
  }

  // Begins an answer whose body follows in chunks; endStream() is its end.
  beginStream(requestId, contentType) {
    this.streams = true;
    this.socket.write(
      `POST ${API}/invocation/${requestId}/response HTTP/1.1\r\nHost: ${this.host}\r\n` +
        `Content-Type: ${contentType}\r\nLambda-Runtime-Function-Response-Mode: streaming\r\n` +
        `Transfer-Encoding: chunked\r\nTrailer: ${ERROR_TYPE}, ${ERROR_BODY}\r\n\r\n`,
    );
  }

  // `done` is called once the system has taken it.
  writeChunk(bytes, done) {
    if (bytes.length === 0) return done(); // an empty chunk would be the last
    this.socket.cork();
    this.socket.write(`${bytes.length.toString(16)}\r\n`);
    this.socket.write(bytes);
    this.socket.write("\r\n", done);
    this.socket.uncork();
  }

  // If the handler failed, its error stands in the trailers.
  endStream({ body, failed, errorType }, more) {
    this.streams = false;
    const trailers = failed
      ? `${errorHeader(errorType)}${ERROR_BODY}: ${Buffer.from(body).toString("base64")}\r\n`
      : "";
    this.socket.write(`0\r\n${trailers}\r\n${more}`);
  }

  async endStreamAndNext(answer) {
    this.endStream(answer, this.nextRequest);
    await this.answer();
    return this.invocation();
  }

  // Reports an error that ends this process.
  async lastError(requestId, body, errorType) {
    if (this.streams) {
      this.endStream({ body, failed: true, errorType }, "");
      await this.answer();
      return;
    }
    const what = requestId ? `invocation/${requestId}/error` : "init/error";
    this.post(`${API}/${what}`, body, errorHeader(errorType), "");
    await this.answer();
  }

  post(target, body, headers, more) {
    const bytes = Buffer.from(body);
    const head =
      `POST ${target} HTTP/1.1\r\nHost: ${this.host}\r\nContent-Type: application/json\r\n${headers}` +
      `Content-Length: ${bytes.length}\r\n\r\n`;
    this.socket.cork();
    this.socket.write(head);
    this.socket.write(bytes);
    if (more) this.socket.write(more);
    this.socket.uncork();
  }

  async invocation() {
    const { status, fields, body } = await this.answer();
    if (status !== 200) throw new Error(`the runtime API answered ${status}: ${body}`);
    return { fields, body };
  }

  answer() {
    return new Promise((resolve) => {
      this.onAnswer = resolve;
      this.parse();
    });
  }

  receive(part) {
    this.parts.push(part);
    this.size += part.length;
    this.parse();
  }

  parse() {
    if (!this.onAnswer || this.size === 0) return;
    if (!this.head) {
      const bytes = this.joined();
      const end = bytes.indexOf("\r\n\r\n");
      if (end < 0) return;
      this.head = parseHead(bytes.toString("latin1", 0, end));
      this.keep(bytes.subarray(end + 4));
    }
    const length = Number(this.head.fields["content-length"] ?? 0);
    if (this.size < length) return;
    const bytes = this.joined();
    const { status, fields } = this.head;
    this.head = null;
    this.keep(bytes.subarray(length));
    const deliver = this.onAnswer;
    this.onAnswer = null;
    deliver({ status, fields, body: bytes.toString("utf8", 0, length) });
  }

  joined() {
    return this.parts.length === 1 ? this.parts[0] : Buffer.concat(this.parts);
  }

  keep(rest) {
    this.parts = rest.length ? [rest] : [];
    this.size = rest.length;
  }
}

// What can stand in a header.
const plain = (text) => String(text).replace(/[^\x20-\x7e]/g, "?");

// An error may have any name, also none, as that of a class without a name.
const errorHeader = (errorType) => `${ERROR_TYPE}: ${plain(errorType) || "Error"}\r\n`;

function parseHead(text) {
  const lines = text.split("\r\n");
  const fields = {};
  for (const line of lines.slice(1)) {
    const colon = line.indexOf(":");
    fields[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  return { status: Number(lines[0].split(" ")[1]), fields };
}

// ---- Errors ----------------------------------------------------------------------------------------------------------

class InitFailed extends Error {
  constructor(name, message, cause) {
    super(message);
    this.name = name;
    if (cause?.stack) this.stack = `${name}: ${cause.stack}`;
  }
}

// Also of what cannot be made text of, as Object.create(null).
function asText(value) {
  try {
    return String(value);
  } catch {
    return format("%o", value);
  }
}

// The name as it is, as on AWS: "" is one. An error whose members cannot be read is still an error.
function errorDocument(error) {
  try {
    if (error instanceof Error || (error && typeof error === "object" && "stack" in error && "message" in error)) {
      return {
        errorType: String(error.name ?? "Error"),
        errorMessage: String(error.message),
        trace: String(error.stack ?? "").split("\n"),
      };
    }
    const message = typeof error === "object" && error !== null ? format("%o", error) : String(error);
    return { errorType: typeof error, errorMessage: message, trace: [] };
  } catch {
    const errorMessage =
      "callback called with Error argument, but there was a problem while retrieving one or more of its message, name, and stack";
    return { errorType: "handled", errorMessage, trace: [] };
  }
}

// ---- Where modules are found -----------------------------------------------------------------------------------------

const isBare = (specifier) => !/^(\.{0,2}\/|\.{1,2}$|[a-z]+:)/.test(specifier);
const isBelow = (file, folder) => file === folder || file.startsWith(`${folder}/`);

// The SDK that stands beside the server; "" if it does not. The server links it beside the packages, where import looks.
function findSdk() {
  const folder = process.env._TIDEMILL_NODE_MODULES ?? "";
  delete process.env._TIDEMILL_NODE_MODULES;
  return folder;
}

// require() looks in the package, the layers and the SDK, in this order and nowhere else: what the host has installed for
// itself is none of the function's.
function confineRequire(root, opt, sdk) {
  const roots = [root, opt, sdk, ...(process.env.NODE_PATH ?? "").split(":")].filter(Boolean);
  const lookupPaths = Module._resolveLookupPaths;
  Module._resolveLookupPaths = (request, parent) => {
    const paths = lookupPaths(request, parent);
    return paths && isBare(request) ? paths.filter((folder) => roots.some((each) => isBelow(folder, each))) : paths;
  };
}

// import knows no NODE_PATH. What is not in the package itself is looked for in the layers, and only then in the SDK.
// A module of its own, which runs in another thread.
const layerHooks = `
  let settings;
  export const initialize = (data) => { settings = data; };
  export async function resolve(specifier, context, next) {
    if (/^(\\.{0,2}\\/|\\.{1,2}$|[a-z]+:)/.test(specifier)) return next(specifier, context);
    let own, failure;
    try { own = await next(specifier, context); } catch (error) { failure = error; }
    const isSdk = (url) => settings.sdk && url?.startsWith(settings.sdk);
    if (own && (!isSdk(own.url) || isSdk(context.parentURL))) return own;
    for (const parentURL of settings.parents) {
      try { return await next(specifier, { ...context, parentURL }); } catch {}
    }
    if (own) return own;
    throw failure;
  }`;

function extendImport(opt, sdk) {
  if (!existsSync(`${opt}/nodejs`) || !register) return;
  const major = process.env.AWS_EXECUTION_ENV?.match(/nodejs(\d+)/)?.[1];
  const url = (folder) => String(pathToFileURL(`${folder}/`));
  register(`data:text/javascript,${encodeURIComponent(layerHooks)}`, {
    data: {
      sdk: sdk && url(realpathSync(sdk)),
      parents: [`${opt}/nodejs/node${major}`, `${opt}/nodejs`].map((folder) => `${url(folder)}_.mjs`),
    },
  });
}

// Says of a module of the SDK that is not there how to get it.
function explainMissing(error, sdk) {
  if (error?.code !== "MODULE_NOT_FOUND" && error?.code !== "ERR_MODULE_NOT_FOUND") return;
  const [, name] = String(error.message).match(/^Cannot find (?:module|package) '([^']+)'/) ?? [];
  if (!name) return;
  let advice;
  if (/^(@aws-sdk|@smithy|@aws-crypto)\//.test(name)) {
    advice = sdk
      ? "it is not among the packages of the AWS SDK for JavaScript that stand beside this server (runtimes/nodejs/package.json): bring it in the function's package or a layer"
      : "the AWS SDK for JavaScript is not installed beside this server: install it with scripts/dependencies --run (docs/lambda.md), or bring it in the function's package or a layer";
  } else if (/^aws-sdk(\/|$)/.test(name)) {
    advice = "the runtimes of AWS have version 3 of the AWS SDK for JavaScript (@aws-sdk/client-...), not version 2: bring it in the function's package or a layer";
  }
  if (advice && !error.message.includes(advice)) error.message += `\n(${name}: ${advice})`;
}

const sdk = findSdk();

// ---- Names that lead to the server ----------------------------------------------------------------------------------

const server = process.env._TIDEMILL_ENDPOINT; // "http://127.0.0.1:4566"
delete process.env._TIDEMILL_ENDPOINT;

// SDKs put "sync-" (StartSyncExecution, TestState) or "streaming-" (StartLiveTail) before the endpoint's host.
function leadPrefixed() {
  const host = new URL(server).hostname;
  const names = new Set([`sync-${host}`, `streaming-${host}`]);
  const plain = net.Socket.prototype.connect;
  net.Socket.prototype.connect = function (...values) {
    const options = Array.isArray(values[0]) ? values[0][0] : values[0];
    if (names.has(options?.host)) {
      const led = { ...options, host }; // by its own ones an agent knows the connection again
      if (Array.isArray(values[0])) values[0][0] = led;
      else values[0] = led;
    }
    return plain.apply(this, values);
  };
}

if (server) leadPrefixed();

// Where custom resources are answered, before the handler sees an event that tells such an address.
function findAnswers() {
  let leads = !server;
  return (event) => {
    if (leads || !event.includes("cloudformation-custom-resource-response-")) return;
    leads = true;
    createRequire(import.meta.url)("./answers.cjs")(server);
  };
}

// ---- Loading the handler ---------------------------------------------------------------------------------------------

async function loadHandler(root, name) {
  const base = path.basename(name);
  const dot = base.indexOf(".");
  if (dot <= 0 || dot === base.length - 1 || name.includes("..")) {
    throw new InitFailed("Runtime.MalformedHandlerName", `'${name}' is not a valid handler name. Use 'module.function'.`);
  }
  const file = path.resolve(root, path.dirname(name), base.slice(0, dot));
  const module = await loadModule(root, file, path.join(path.dirname(name), base.slice(0, dot)));
  let handler = module;
  for (const part of base.slice(dot + 1).split(".")) handler = handler?.[part] ?? handler?.default?.[part];
  if (handler === undefined) throw new InitFailed("Runtime.HandlerNotFound", `${name} is undefined or not exported`);
  if (typeof handler !== "function") throw new InitFailed("Runtime.HandlerNotFound", `${name} is not a function`);
  return handler;
}

async function loadModule(root, file, module) {
  const require = createRequire(path.join(root, "index.js"));
  try {
    if (existsSync(`${file}.js`)) {
      return isEsModule(path.dirname(file)) ? await import(pathToFileURL(`${file}.js`)) : require(`${file}.js`);
    }
    if (existsSync(`${file}.mjs`)) return await import(pathToFileURL(`${file}.mjs`));
    if (existsSync(`${file}.cjs`)) return require(`${file}.cjs`);
    return require(existsSync(file) ? file : module);
  } catch (error) {
    explainMissing(error, sdk);
    if (error instanceof SyntaxError) throw new InitFailed("Runtime.UserCodeSyntaxError", String(error), error);
    if (error?.code === "MODULE_NOT_FOUND" || error?.code === "ERR_MODULE_NOT_FOUND") {
      throw new InitFailed("Runtime.ImportModuleError", String(error), error);
    }
    throw error;
  }
}

// Whether the nearest package.json says that .js files are ES modules.
function isEsModule(folder) {
  for (let here = folder; ; here = path.dirname(here)) {
    const file = path.join(here, "package.json");
    if (existsSync(file)) return JSON.parse(readFileSync(file, "utf8")).type === "module";
    if (path.dirname(here) === here) return false;
  }
}

// ---- Console ---------------------------------------------------------------------------------------------------------

let currentRequestId;

const LEVELS = ["TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL"];

// AWS's line: time, request id, level, message; a message of several lines stays one event.
function textLine(level, values) {
  const text = format(...values).replaceAll("\n", "\r");
  return `${new Date().toISOString()}\t${currentRequestId}\t${level}\t${text}`;
}

const shownError = (error) => ({
  errorType: error?.constructor?.name ?? "UnknownError",
  errorMessage: error.message,
  stackTrace: typeof error.stack === "string" ? error.stack.split("\n") : [],
});

// AWS's record: a single value stays what it is; of several one text is made, and the first error among them told apart.
function jsonLine(level, values) {
  const record = { timestamp: new Date().toISOString(), level, requestId: currentRequestId };
  if (values.length === 1) {
    record.message = values[0];
    try {
      return JSON.stringify(record, (name, value) => (value instanceof Error ? shownError(value) : value));
    } catch {
      // A circle, or a BigInt: as text, as below.
    }
  }
  record.message = format(...values);
  const error = values.find((value) => value instanceof Error);
  return JSON.stringify(error ? { ...record, ...shownError(error) } : record);
}

const logsJson = process.env.AWS_LAMBDA_LOG_FORMAT?.toUpperCase() === "JSON";

const logLine = logsJson ? jsonLine : textLine;

function isLogged(level) {
  return !logsJson || LEVELS.indexOf(level) >= LEVELS.indexOf(process.env.AWS_LAMBDA_LOG_LEVEL ?? "INFO");
}

function installConsole() {
  const print = (level) =>
    isLogged(level) ? (...values) => void process.stdout.write(`${logLine(level, values)}\n`) : () => {};
  console.log = print("INFO");
  console.info = print("INFO");
  console.warn = print("WARN");
  console.error = print("ERROR");
  console.debug = print("DEBUG");
  console.trace = print("TRACE");
}

// Of the runtime itself, beside what the function makes of its console.
function warn(text) {
  if (isLogged("WARN")) process.stderr.write(`${logLine("WARN", [text])}\n`);
}

// What ended an invocation or the process.
function logFailure(title, document) {
  if (!logsJson) return console.error(title, JSON.stringify(document));
  const { errorType, errorMessage, trace, stack } = document;
  console.error({ errorType, errorMessage, stackTrace: trace ?? stack ?? [] });
}

// ---- The platform's time ---------------------------------------------------------------------------------------------

// Where it is not the machine's (--clock virtual, auto): Date begins there with each invocation, and goes on by as much as
// has really passed. What measures durations (performance, hrtime) and what waits (timers) stay as they are.
function installTime(nowUs) {
  const RealDate = Date;
  let offset;
  const begin = (us) => {
    offset = Number(us) / 1000 - performance.now();
  };
  const now = () => Math.floor(performance.now() + offset);
  begin(nowUs);
  RealDate.now = now;
  const date = new Proxy(RealDate, {
    construct: (target, values, made) =>
      Reflect.construct(target, values.length ? values : [now()], made === date ? target : made),
    apply: () => new RealDate(now()).toString(),
  });
  RealDate.prototype.constructor = date;
  globalThis.Date = date;
  return begin;
}

// ---- One invocation --------------------------------------------------------------------------------------------------

function makeContext(fields, finish) {
  const environment = process.env;
  const deadline = Number(fields["lambda-runtime-deadline-ms"]);
  const clientContext = fields["lambda-runtime-client-context"];
  return {
    callbackWaitsForEmptyEventLoop: true,
    functionName: environment.AWS_LAMBDA_FUNCTION_NAME,
    functionVersion: environment.AWS_LAMBDA_FUNCTION_VERSION,
    memoryLimitInMB: environment.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
    logGroupName: environment.AWS_LAMBDA_LOG_GROUP_NAME,
    logStreamName: environment.AWS_LAMBDA_LOG_STREAM_NAME,
    awsRequestId: fields["lambda-runtime-aws-request-id"],
    invokedFunctionArn: fields["lambda-runtime-invoked-function-arn"],
    clientContext: clientContext ? JSON.parse(clientContext) : undefined,
    identity: undefined,
    getRemainingTimeInMillis: () => deadline - machineNow(),
    succeed: (result) => finish(null, result, false),
    fail: (error) => finish(error ?? "handled", undefined, false),
    done: (error, result) => finish(error, result, false),
  };
}

function warnOfEmptyLoop() {
  const resources = process.getActiveResourcesInfo?.() ?? [];
  warn(
    "the answer is null: the event loop is empty and the handler's promise is not settled " +
      `(active resources: ${resources.join(", ") || "none"})`,
  );
}

// Calls the handler and waits for its end in whatever form it comes: a value, a promise, or the callback. A handler that
// leaves nothing behind that could still call back has ended with null, as on AWS. If it has promised an answer that null
// is hardly meant: AWS says nothing of it, here it is told.
function callHandler(handler, event, fields) {
  return new Promise((resolve, reject) => {
    let settled = false;
    const settle = (act) => {
      if (settled) return;
      settled = true;
      process.removeListener("beforeExit", onEmpty);
      act();
    };
    let promises = false;
    let whenEmpty = () => {
      if (promises) warnOfEmptyLoop();
      resolve(null);
    };
    const onEmpty = () => setImmediate(() => settle(() => whenEmpty()));
    const finish = (error, result, wait) => {
      const act = () => (error !== null && error !== undefined ? reject(error) : resolve(result));
      if (wait) whenEmpty = act;
      else settle(act);
    };
    const context = makeContext(fields, finish);
    const callback = (error, result) => finish(error, result, context.callbackWaitsForEmptyEventLoop);
    process.on("beforeExit", onEmpty);
    try {
      const result = handler(event, context, callback);
      if (typeof result?.then === "function") {
        promises = true;
        result.then((value) => settle(() => resolve(value)), (error) => settle(() => reject(error)));
      }
      // What a plain function returns is dropped, as on AWS: it answers through the callback or not at all.
    } catch (error) {
      settle(() => reject(error));
    }
  });
}

function failure(error) {
  explainMissing(error, sdk);
  const document = errorDocument(error);
  logFailure("Invoke Error", { ...document, stack: document.trace, trace: undefined });
  return { body: JSON.stringify(document), failed: true, errorType: document.errorType };
}

async function invoke(handler, { fields, body }) {
  try {
    const result = await callHandler(handler, JSON.parse(body || "{}"), fields);
    let text;
    try {
      text = JSON.stringify(result === undefined ? null : result);
    } catch {
      throw new Error("Unable to stringify response body");
    }
    return { body: text ?? "null", failed: false };
  } catch (error) {
    return failure(error);
  }
}

// ---- Answers that stream ---------------------------------------------------------------------------------------------

const IS_STREAMING = Symbol.for("aws.lambda.runtime.handler.streaming");
const HIGH_WATER_MARK = Symbol.for("aws.lambda.runtime.handler.streaming.highWaterMark");
const HTTP_ANSWER = "application/vnd.awslambda.http-integration-response";
const PRELUDE_END = Buffer.alloc(8); // NULs

// What a handler writes goes on at once; write() says when the server, and with it who asked, cannot keep up.
class ResponseStream extends Writable {
  constructor(client, requestId, highWaterMark) {
    super({ highWaterMark });
    this.client = client;
    this.requestId = requestId;
    this.contentType = "application/octet-stream";
    this.prelude = undefined; // status, headers and cookies of an HTTP answer
    this.begun = false;
  }

  setContentType(type) {
    if (this.begun) throw new Error("Cannot set content-type, too late.");
    this.contentType = plain(type);
  }

  write(chunk, ...more) {
    return super.write(asBytes(chunk), ...more);
  }

  end(chunk, ...more) {
    return super.end(typeof chunk === "function" ? chunk : asBytes(chunk), ...more);
  }

  _write(chunk, encoding, done) {
    this.begin();
    this.client.writeChunk(chunk, done);
  }

  _final(done) {
    this.begin();
    done();
  }

  begin() {
    if (this.begun) return;
    this.begun = true;
    this.client.beginStream(this.requestId, this.contentType);
    if (!this.prelude) return;
    this.client.writeChunk(Buffer.concat([Buffer.from(JSON.stringify(this.prelude)), PRELUDE_END]), () => {});
  }
}

// What is neither text nor bytes is written as JSON, as on AWS.
function asBytes(chunk) {
  if (chunk === undefined || chunk === null || typeof chunk === "string" || chunk instanceof Uint8Array) return chunk;
  return JSON.stringify(chunk);
}

// What handlers find as `awslambda`.
globalThis.awslambda = {
  streamifyResponse(handler, options) {
    handler[IS_STREAMING] = "response";
    if (options?.highWaterMark !== undefined) handler[HIGH_WATER_MARK] = Number(options.highWaterMark);
    return handler;
  },
  HttpResponseStream: class HttpResponseStream {
    // The same stream, which begins with status, headers and cookies.
    static from(stream, prelude) {
      stream.setContentType(HTTP_ANSWER);
      stream.prelude = prelude;
      return stream;
    }
  },
};

// Ends once the handler has ended and the stream with it, with an error of either.
function callStreamingHandler(handler, event, fields, stream) {
  return new Promise((resolve, reject) => {
    const settle = (act) => {
      process.removeListener("beforeExit", onEmpty);
      act();
    };
    const onEmpty = () => settle(() => reject(new Error("Response stream is not finished.")));
    const finish = (error) => (error === null || error === undefined ? stream.end() : settle(() => reject(error)));
    const finished = new Promise((done) => stream.once("finish", done));
    process.on("beforeExit", onEmpty);
    stream.on("error", (error) => settle(() => reject(error)));
    let result;
    try {
      result = handler(event, stream, makeContext(fields, finish));
      if (typeof result?.then !== "function") throw new Error("Streaming does not support non-async handlers.");
    } catch (error) {
      settle(() => reject(error));
      return;
    }
    result.then(
      () => finished.then(() => settle(resolve)),
      (error) => settle(() => reject(error)),
    );
  });
}

async function invokeStreaming(handler, { fields, body }, client) {
  const stream = new ResponseStream(client, fields["lambda-runtime-aws-request-id"], handler[HIGH_WATER_MARK]);
  let answer = { failed: false };
  try {
    await callStreamingHandler(handler, JSON.parse(body || "{}"), fields, stream);
  } catch (error) {
    answer = failure(error);
  }
  stream.destroy(); // whoever still writes to it writes into the void
  return { streamed: stream.begun, ...answer };
}

// ---- The life of the process -----------------------------------------------------------------------------------------

async function main() {
  const client = new RuntimeClient(process.env.AWS_LAMBDA_RUNTIME_API);
  const nowUs = process.env._TIDEMILL_TIME_US;
  delete process.env._TIDEMILL_TIME_US;
  const beginTime = nowUs ? installTime(nowUs) : undefined;
  installConsole();
  const opt = process.env._TIDEMILL_OPT ?? "/opt";
  delete process.env._TIDEMILL_OPT;
  const leadAnswers = findAnswers();
  confineRequire(process.env.LAMBDA_TASK_ROOT, opt, sdk);
  extendImport(opt, sdk);

  // What nobody caught ends the process; the invocation under way gets it as its error.
  let dying = false;
  const die = (status, errorType) => async (error) => {
    if (dying) return;
    dying = true;
    client.socket.ref();
    const document = errorDocument(error);
    if (errorType) Object.assign(document, { errorType, errorMessage: asText(error) });
    logFailure(errorType ? "Unhandled Promise Rejection" : "Uncaught Exception", document);
    await client.lastError(currentRequestId, JSON.stringify(document), document.errorType);
    process.exit(status);
  };
  process.on("uncaughtException", die(129));
  process.on("unhandledRejection", die(128, "Runtime.UnhandledPromiseRejection"));

  let handler;
  try {
    handler = await loadHandler(process.env.LAMBDA_TASK_ROOT, process.env._HANDLER);
  } catch (error) {
    const document = errorDocument(error);
    logFailure("Uncaught Exception", document);
    await client.lastError(undefined, JSON.stringify(document), document.errorType);
    process.exit(1);
  }

  let invocation = await client.next();
  for (;;) {
    currentRequestId = invocation.fields["lambda-runtime-aws-request-id"];
    beginTime?.(invocation.fields["tidemill-time-us"]);
    const trace = invocation.fields["lambda-runtime-trace-id"];
    if (trace) process.env._X_AMZN_TRACE_ID = trace;
    leadAnswers(invocation.body);
    client.socket.unref(); // so that an empty event loop shows
    const answer = handler[IS_STREAMING]
      ? await invokeStreaming(handler, invocation, client)
      : await invoke(handler, invocation);
    if (dying) return;
    client.socket.ref();
    invocation = answer.streamed
      ? await client.endStreamAndNext(answer)
      : await client.replyAndNext(currentRequestId, answer);
  }
}

main();
