// Runs one Node.js function: asks the Lambda Runtime API for invocations and calls the handler with each.
//
// Started by the server as `node bootstrap.mjs` with the environment that AWS documents for a Lambda runtime
// (AWS_LAMBDA_RUNTIME_API, _HANDLER, LAMBDA_TASK_ROOT, ...). One connection is kept for the life of the process; a reply
// and the request for the next invocation leave together, so that a warm invocation costs one round trip.

import { readFileSync, existsSync } from "node:fs";
import { createRequire } from "node:module";
import { connect } from "node:net";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { format } from "node:util";

const API = "/2018-06-01/runtime";

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

  // Reports how an invocation ended and waits for the next one.
  async replyAndNext(requestId, body, errorType) {
    this.post(`${API}/invocation/${requestId}/${errorType ? "error" : "response"}`, body, errorType, this.nextRequest);
    await this.answer(); // a refused reply (too large) is the server's to report
    return this.invocation();
  }

  // Reports an error that ends this process.
  async lastError(requestId, body, errorType) {
    const what = requestId ? `invocation/${requestId}/error` : "init/error";
    this.post(`${API}/${what}`, body, errorType, "");
    await this.answer();
  }

  post(target, body, errorType, more) {
    const bytes = Buffer.from(body);
    const error = errorType ? `Lambda-Runtime-Function-Error-Type: ${errorType}\r\n` : "";
    const head =
      `POST ${target} HTTP/1.1\r\nHost: ${this.host}\r\nContent-Type: application/json\r\n${error}` +
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

function errorDocument(error) {
  if (error instanceof Error || (error && typeof error === "object" && "stack" in error && "message" in error)) {
    return {
      errorType: error.name ?? "Error",
      errorMessage: String(error.message),
      trace: String(error.stack ?? "").split("\n"),
    };
  }
  const message = typeof error === "object" && error !== null ? format("%o", error) : String(error);
  return { errorType: typeof error, errorMessage: message, trace: [] };
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

// AWS's line: time, request id, level, message; a message of several lines stays one event.
function installConsole() {
  const print = (level) => (message, ...rest) => {
    const text = format(message, ...rest).replaceAll("\n", "\r");
    process.stdout.write(`${new Date().toISOString()}\t${currentRequestId}\t${level}\t${text}\n`);
  };
  console.log = print("INFO");
  console.info = print("INFO");
  console.warn = print("WARN");
  console.error = print("ERROR");
  console.debug = print("DEBUG");
  console.trace = print("TRACE");
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
    getRemainingTimeInMillis: () => deadline - Date.now(),
    succeed: (result) => finish(null, result, false),
    fail: (error) => finish(error ?? "handled", undefined, false),
    done: (error, result) => finish(error, result, false),
  };
}

// Calls the handler and waits for its end in whatever form it comes: a value, a promise, or the callback. A handler that
// leaves nothing behind that could still call back has ended with null.
function callHandler(handler, event, fields) {
  return new Promise((resolve, reject) => {
    let settled = false;
    const settle = (act) => {
      if (settled) return;
      settled = true;
      process.removeListener("beforeExit", onEmpty);
      act();
    };
    let whenEmpty = () => resolve(null);
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
        result.then((value) => settle(() => resolve(value)), (error) => settle(() => reject(error)));
      }
      // What a plain function returns is dropped, as on AWS: it answers through the callback or not at all.
    } catch (error) {
      settle(() => reject(error));
    }
  });
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
    return { body: text ?? "null" };
  } catch (error) {
    const document = errorDocument(error);
    console.error("Invoke Error", JSON.stringify({ ...document, stack: document.trace, trace: undefined }));
    return { body: JSON.stringify(document), errorType: document.errorType };
  }
}

// ---- The life of the process -----------------------------------------------------------------------------------------

async function main() {
  const client = new RuntimeClient(process.env.AWS_LAMBDA_RUNTIME_API);
  installConsole();

  // What nobody caught ends the process; the invocation under way gets it as its error.
  let dying = false;
  const die = (status, errorType) => async (error) => {
    if (dying) return;
    dying = true;
    client.socket.ref();
    const document = errorDocument(error);
    if (errorType) Object.assign(document, { errorType, errorMessage: String(error) });
    console.error(errorType ? "Unhandled Promise Rejection" : "Uncaught Exception", JSON.stringify(document));
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
    console.error("Uncaught Exception", JSON.stringify(document));
    await client.lastError(undefined, JSON.stringify(document), document.errorType);
    process.exit(1);
  }

  let invocation = await client.next();
  for (;;) {
    currentRequestId = invocation.fields["lambda-runtime-aws-request-id"];
    const trace = invocation.fields["lambda-runtime-trace-id"];
    if (trace) process.env._X_AMZN_TRACE_ID = trace;
    client.socket.unref(); // so that an empty event loop shows
    const { body, errorType } = await invoke(handler, invocation);
    if (dying) return;
    client.socket.ref();
    invocation = await client.replyAndNext(currentRequestId, body, errorType);
  }
}

main();
