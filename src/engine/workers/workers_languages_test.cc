// Functions in Python and Node.js.
#include "engine/workers/workers_world.h"

namespace tidemill::engine {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

// ---- Python ----

TEST_F(WorkersTest, APythonHandlerAnswersAndStaysWarm) {
  const auto spec = python("import os\ncount = 0\n"
                           "def handler(event, context):\n"
                           "    global count; count += 1\n"
                           "    return [os.getpid(), count, event['x']]\n");
  const InvocationResult first = invoke(spec, R"({"x":"é"})");
  ASSERT_EQ(first.status, InvokeStatus::ok) << first.payload << first.detail;
  EXPECT_THAT(first.payload, MatchesRegex(R"(\[[0-9]+, 1, "é"\])"));
  const InvocationResult second = invoke(spec, R"({"x":2})");
  EXPECT_EQ(second.payload.substr(0, second.payload.find(',')), first.payload.substr(0, first.payload.find(',')));
  EXPECT_THAT(second.payload, EndsWith(", 2, 2]"));
}

TEST_F(WorkersTest, APythonHandlerFindsContextAndEnvironment) {
  auto spec = python(R"(
import os, tempfile
def handler(event, context):
    assert 0 < context.get_remaining_time_in_millis() <= 20000
    return "|".join([context.aws_request_id, context.function_name, context.function_version, context.memory_limit_in_mb,
                     context.invoked_function_arn, context.log_group_name, os.environ["AWS_REGION"],
                     os.environ["AWS_ACCESS_KEY_ID"], os.environ["AWS_ENDPOINT_URL"], os.environ["COLOUR"],
                     os.environ["TZ"], str(os.getcwd() == os.environ["LAMBDA_TASK_ROOT"]),
                     os.environ["AWS_EXECUTION_ENV"], str("HOME_OF_SERVER" in os.environ),
                     str(os.path.isdir(tempfile.gettempdir()))])
)");
  spec->environment["COLOUR"] = "green";
  ::setenv("HOME_OF_SERVER", "x", 1);
  const InvocationResult result = invoke(spec);
  EXPECT_EQ(result.payload, base::cat('"', kId, "|", spec->name, "|$LATEST|256|", spec->arn, "|/aws/lambda/", spec->name,
                                      "|eu-west-1|123456789012|http://127.0.0.1:4566|green|:UTC|True|"
                                      "AWS_Lambda_python3.12|False|True\""));
}

TEST_F(WorkersTest, APythonExceptionHasTheShapeOfAws) {
  const auto spec = python("class Trouble(Exception): pass\ndef deeper():\n    raise Trouble('it broke')\n"
                           "def handler(event, context):\n    deeper()\n");
  const InvocationResult result = invoke(spec, "{}", true);
  EXPECT_EQ(result.status, InvokeStatus::function_error);
  EXPECT_EQ(result.function_error, "Unhandled");
  EXPECT_EQ(member(result.payload, "errorType"), "Trouble");
  EXPECT_EQ(member(result.payload, "errorMessage"), "it broke");
  EXPECT_EQ(member(result.payload, "requestId"), kId);
  EXPECT_EQ(json::parse(result.payload)->find("stackTrace")->array().size(), 2U);
  EXPECT_THAT(result.log_tail, HasSubstr("[ERROR] Trouble: it broke\nTraceback (most recent call last):\n"));
}

// A name is made by the function, and stands in a header of the runtime API.
TEST_F(WorkersTest, APythonExceptionOfAnyNameIsAnError) {
  const auto spec = python("def handler(event, context):\n    raise type(event, (Exception,), {})('it broke')\n");
  for (const std::string name : {"", "two\\nlines", "caf\u00e9"}) {
    const InvocationResult result = invoke(spec, '"' + name + '"');
    EXPECT_EQ(result.function_error, "Unhandled") << name;
    EXPECT_EQ(member(result.payload, "errorMessage"), "it broke") << name;
    EXPECT_EQ(member(result.payload, "errorType"), json::parse('"' + name + '"')->string());
  }
}

TEST_F(WorkersTest, PythonCodeThatCannotBeLoadedSaysWhy) {
  const auto error_of = [&](const std::string& source, const std::string& handler = "app.handler") {
    const auto spec = function("python3.11", handler, {{"app.py", source}});
    const InvocationResult result = invoke(spec);
    EXPECT_EQ(result.function_error, "Unhandled");
    return member(result.payload, "errorType") + ": " + member(result.payload, "errorMessage");
  };
  EXPECT_EQ(error_of("import nonsense_module"),
            "Runtime.ImportModuleError: Unable to import module 'app': No module named 'nonsense_module'");
  EXPECT_EQ(error_of("x = 1"), "Runtime.HandlerNotFound: Handler 'handler' missing on module 'app'");
  EXPECT_THAT(error_of("def handler(:"), StartsWith("Runtime.UserCodeSyntaxError: Syntax error in module 'app': "));
  EXPECT_EQ(error_of("raise ValueError('at import')"), "ValueError: at import");
  EXPECT_EQ(error_of("x = 1", "app"),
            "Runtime.MalformedHandlerName: Bad handler 'app': not enough values to unpack (expected 2, got 1)");
  EXPECT_THAT(error_of("def handler(e, c): return {1}"), StartsWith("Runtime.MarshalError: Unable to marshal response: "));
}

TEST_F(WorkersTest, ACrashIsToldAndTheNextCallGetsANewProcess) {
  const auto spec = python("import os, sys\ndef handler(event, context):\n    exec(event)\n    return 'alive'\n");
  const auto crash = [&](const std::string& code) { return member(invoke(spec, '"' + code + '"').payload, "errorMessage"); };
  const std::string prefix = base::cat("RequestId: ", kId, " Error: ");
  EXPECT_EQ(crash("os._exit(3)"), prefix + "Runtime exited with error: exit status 3");
  EXPECT_EQ(invoke(spec, "\"\"").payload, "\"alive\"");
  EXPECT_EQ(crash("sys.exit(0)"), prefix + "Runtime exited without providing a reason");
  EXPECT_EQ(crash("os.kill(os.getpid(), 9)"), prefix + "Runtime exited with error: signal: killed");
  EXPECT_EQ(crash("os.abort()"), prefix + "Runtime exited with error: signal: aborted");
  EXPECT_EQ(invoke(spec, "\"\"").payload, "\"alive\"");
}

TEST_F(WorkersTest, ACallThatTakesTooLongIsEnded) {
  auto spec = python("import time\ndef handler(event, context):\n    print('begun')\n    time.sleep(event)\n    return 'done'\n");
  spec->timeout = 3s;
  const InvocationResult result = invoke(spec, "20", true);
  EXPECT_EQ(result.payload, base::cat(R"({"errorType":"Sandbox.Timedout","errorMessage":"RequestId: )", kId,
                                      R"( Error: Task timed out after 3.00 seconds"})"));
  EXPECT_THAT(result.log_tail, AllOf(HasSubstr("begun\n"), HasSubstr("Task timed out after 3.00 seconds")));
  EXPECT_EQ(invoke(spec, "0").payload, "\"done\"");
}

TEST_F(WorkersTest, AProcessThatUsesTooMuchMemoryIsKilled) {
  auto spec = python("import time\ndef handler(event, context):\n    block = bytearray(event << 20)\n    time.sleep(event / 20)\n"
                     "    return len(block)\n");
  spec->memory_mb = 128;
  EXPECT_EQ(invoke(spec, "32").payload, "33554432");
  const InvocationResult result = invoke(spec, "300", true);
  EXPECT_EQ(result.payload, base::cat(R"({"errorType":"Runtime.OutOfMemory","errorMessage":"RequestId: )", kId,
                                      R"( Error: Runtime exited with error: signal: killed"})"));
  EXPECT_THAT(result.log_tail, AllOf(HasSubstr("Runtime exited with error: signal: killed\nRuntime.OutOfMemory\n"),
                                     HasSubstr("\tMemory Size: 128 MB\tMax Memory Used: 128 MB\t"),
                                     HasSubstr("\tStatus: error\tError Type: Runtime.OutOfMemory\t\n")));
  EXPECT_EQ(invoke(spec, "32").payload, "33554432");
}

// AWS starts it once more in the same invocation; here that is the one that comes next.
TEST_F(WorkersTest, TheLogSaysThatAFunctionCouldNotBeStartedAndWhy) {
  const std::string_view phases[] = {"init", "invoke", "invoke"};
  const auto broken = python("import nonsense_module\ndef handler(event, context): pass\n");
  for (const std::string_view phase : phases) {
    const std::string tail = invoke(broken, "{}", true).log_tail;
    EXPECT_THAT(tail, testing::MatchesRegex(base::cat(
                          ".*ImportModuleError: .*\nINIT_REPORT Init Duration: [0-9.]+ ms\tPhase: ", phase,
                          "\tStatus: error\tError Type: Runtime.ImportModuleError\nSTART RequestId: ", kId,
                          " Version: .LATEST\nEND RequestId: ", kId, "\nREPORT RequestId: ", kId,
                          "\tDuration: [0-9.]+ ms\tBilled Duration: [0-9]+ ms\tMemory Size: 256 MB"
                          "\tMax Memory Used: [0-9]+ MB\tStatus: error\tError Type: Runtime.ImportModuleError\t\n.*")));
  }
  EXPECT_THAT(invoke(python("raise ValueError('at import')\n"), "{}", true).log_tail,
              HasSubstr("\tPhase: init\tStatus: error\tError Type: Runtime.Unknown\n"));
  EXPECT_THAT(invoke(python("import os\nos._exit(4)\n"), "{}", true).log_tail,
              AllOf(HasSubstr("\tPhase: init\tStatus: error\tError Type: Runtime.ExitError\nSTART "),
                    HasSubstr(" Error: Runtime exited with error: exit status 4\nRuntime.ExitError\nEND ")));
  EXPECT_THAT(invoke(function("provided.al2023", "any", {{"other", ""}}), "{}", true).log_tail,
              HasSubstr("\tStatus: error\tError Type: Runtime.InvalidEntrypoint\n"));
}

TEST_F(WorkersTest, AReplyThatIsTooLargeIsAnErrorAndTheProcessLivesOn) {
  const auto spec = python("import os\ndef handler(event, context):\n    return 'x' * event if event else os.getpid()\n");
  const std::string process = invoke(spec, "0").payload;
  const InvocationResult result = invoke(spec, "7000000");
  EXPECT_EQ(result.payload, R"({"errorMessage":"Response payload size exceeded maximum allowed payload size )"
                            R"((6291556 bytes).","errorType":"Function.ResponseSizeTooLarge"})");
  EXPECT_EQ(result.function_error, "Unhandled");
  EXPECT_EQ(invoke(spec, "0").payload, process);
  EXPECT_EQ(invoke(spec, "6000000").payload.size(), 6'000'002U);
}

TEST_F(WorkersTest, TheTailIsTheEndOfTheLogBetweenStartAndReport) {
  const auto spec = python("import sys, logging\nprint('while loading')\ndef handler(event, context):\n    print('out')\n"
                           "    print('err', file=sys.stderr)\n    logging.getLogger().warning('logged')\n"
                           "    for n in range(event): print('line', n)\n");
  const std::string first = invoke(spec, "0", true).log_tail;
  EXPECT_THAT(first, AllOf(HasSubstr("while loading\n"), HasSubstr("out\n"), HasSubstr("err\n"), HasSubstr("[WARNING]\t"),
                           HasSubstr(base::cat("\t", kId, "\tlogged\n")), HasSubstr("\tInit Duration: ")));
  const std::string second = invoke(spec, "0", true).log_tail;
  EXPECT_THAT(second, StartsWith(base::cat("START RequestId: ", kId, " Version: $LATEST\nout\n")));
  EXPECT_THAT(second, HasSubstr(base::cat("END RequestId: ", kId, "\nREPORT RequestId: ", kId, "\tDuration: ")));
  EXPECT_THAT(second, HasSubstr(" ms\tMemory Size: 256 MB\tMax Memory Used: "));
  const std::string third = invoke(spec, "2000", true).log_tail;
  EXPECT_EQ(third.size(), 4096U);
  EXPECT_THAT(third, HasSubstr("line 1999\n"));
}

// ---- Node.js ----

TEST_F(WorkersTest, NodeHandlersOfEveryStyleAnswer) {
  EXPECT_EQ(invoke(node("exports.handler = async (event, context) => [event, context.awsRequestId];"), R"({"x":"ζ"})").payload,
            base::cat(R"([{"x":"ζ"},")", kId, "\"]"));
  EXPECT_EQ(invoke(node("exports.handler = (event, context, done) => setTimeout(() => done(null, 'later'), 5);")).payload,
            "\"later\"");
  EXPECT_EQ(invoke(node("import os from 'node:os'; export const handler = async () => typeof os.cpus;", "index.mjs")).payload,
            "\"function\"");
  EXPECT_EQ(invoke(node("exports.handler = () => new Promise((r) => setTimeout(() => r(undefined), 1));")).payload, "null");
  // A plain function's return value is not an answer.
  EXPECT_EQ(invoke(node("exports.handler = () => 5;")).payload, "null");
  EXPECT_EQ(invoke(node("exports.handler = (e, c, done) => { c.callbackWaitsForEmptyEventLoop = false; "
                        "setInterval(() => {}, 1000); done(null, 'at once'); };")).payload, "\"at once\"");
  const auto packaged = function("nodejs22.x", "src/main.run.now",
                                 {{"package.json", R"({"type":"module"})"},
                                  {"src/main.js", "export const run = { now: async (e) => e };"}});
  EXPECT_EQ(invoke(packaged, "3").payload, "3");
}

TEST_F(WorkersTest, ANodeProcessStaysWarm) {
  const auto spec = node("let count = 0; exports.handler = async () => [process.pid, ++count];");
  const std::string first = invoke(spec).payload;
  const std::string second = invoke(spec).payload;
  EXPECT_EQ(first.substr(0, first.find(',')), second.substr(0, second.find(',')));
  EXPECT_THAT(second, EndsWith(",2]"));
}

TEST_F(WorkersTest, NodeErrorsHaveTheShapeOfAws) {
  const InvocationResult thrown =
      invoke(node("exports.handler = async () => { console.log('said'); throw new TypeError('it broke'); };"), "{}", true);
  EXPECT_EQ(thrown.function_error, "Unhandled");
  EXPECT_EQ(member(thrown.payload, "errorType"), "TypeError");
  EXPECT_EQ(member(thrown.payload, "errorMessage"), "it broke");
  EXPECT_EQ(json::parse(thrown.payload)->find("trace")->array()[0].string(), "TypeError: it broke");
  EXPECT_THAT(thrown.log_tail, AllOf(HasSubstr(base::cat("\t", kId, "\tINFO\tsaid\n")), HasSubstr("\tERROR\tInvoke Error")));

  const auto type_of = [&](const std::string& source, const std::string& handler = "index.handler") {
    return member(invoke(function("nodejs20.x", handler, {{"index.js", source}})).payload, "errorType");
  };
  EXPECT_EQ(type_of("require('nonsense-module')"), "Runtime.ImportModuleError");
  EXPECT_EQ(type_of("exports.other = 1"), "Runtime.HandlerNotFound");
  EXPECT_EQ(type_of("exports.handler = ("), "Runtime.UserCodeSyntaxError");
  EXPECT_EQ(type_of("", "index"), "Runtime.MalformedHandlerName");
  EXPECT_EQ(type_of("exports.handler = (e, c, done) => done(new RangeError('called back'))"), "RangeError");
  EXPECT_EQ(type_of("exports.handler = async () => process.exit(5)"), "Runtime.ExitError");
  EXPECT_EQ(type_of("exports.handler = () => { setTimeout(() => { throw new RangeError('x') }, 1) }"), "RangeError");
  EXPECT_EQ(type_of("exports.handler = async () => { Promise.reject(new Error('lost')); await new Promise(() => "
                    "setTimeout(() => {}, 1000)); }"), "Runtime.UnhandledPromiseRejection");
}

// As on AWS, where nothing tells of it.
TEST_F(WorkersTest, ANodePromiseThatNothingCanSettleIsNullAndTheLogSaysSo) {
  const auto spec = node("exports.handler = (event) => event ? new Promise(() => {}) : undefined;");
  const InvocationResult result = invoke(spec, "1", true);
  EXPECT_EQ(result.payload, "null");
  EXPECT_EQ(result.function_error, "");
  EXPECT_THAT(result.log_tail, HasSubstr(base::cat("\t", kId, "\tWARN\tthe answer is null: the event loop is empty and the "
                                                   "handler's promise is not settled (active resources: ")));
  // One that promises nothing means it.
  EXPECT_THAT(invoke(spec, "0", true).log_tail, testing::Not(HasSubstr("WARN")));
}

// A class that is only a member has no name, and an error that takes its name from it neither.
TEST_F(WorkersTest, ANodeErrorWithoutANameIsAnError) {
  const std::string errors = "exports.Missing = class extends Error {\n"
                             "  constructor(message) { super(message); this.name = this.constructor.name; } };\n";
  for (const std::string handler : {
           "exports.handler = async () => { throw new exports.Missing('it is not there'); };",
           "exports.handler = (event, context, done) => done(new exports.Missing('it is not there'));",
           "exports.handler = () => { setTimeout(() => { throw new exports.Missing('it is not there'); }, 1); };",
           "exports.handler = awslambda.streamifyResponse(async () => { throw new exports.Missing('it is not there'); });",
           "exports.handler = awslambda.streamifyResponse(async (event, stream) => {\n"
           "  stream.write('half'); throw new exports.Missing('it is not there'); });",
           "exports.handler = awslambda.streamifyResponse(async (event, stream) => {\n"
           "  stream.write('half'); setTimeout(() => { throw new exports.Missing('it is not there'); }, 1);\n"
           "  await new Promise(() => {}); });",
       }) {
    const InvocationResult result = invoke(node(errors + handler));
    EXPECT_EQ(result.status, InvokeStatus::function_error) << handler;
    EXPECT_EQ(result.function_error, "Unhandled") << handler;
    EXPECT_EQ(member(result.payload, "errorType"), "") << handler;
    EXPECT_EQ(member(result.payload, "errorMessage"), "it is not there") << handler;
  }
}

TEST_F(WorkersTest, ANodeErrorOfAnyNameIsAnErrorAndTheProcessLivesOn) {
  const auto spec = node("exports.handler = async (event) => {\n"
                         "  if (!event.error) return process.pid;\n"
                         "  throw Object.defineProperties(new Error('it broke'), eval('(' + event.error + ')')); };");
  const std::string process = invoke(spec).payload;
  const std::pair<const char*, const char*> cases[] = {{"{name: {value: 'two\\nlines'}}", "two\nlines"},
                                                       {"{name: {value: Symbol('s')}}", "handled"},
                                                       {"{name: {value: 5}}", "5"},
                                                       {"{name: {value: undefined}}", "Error"},
                                                       {"{message: {get() { throw 'no'; }}}", "handled"}};
  for (const auto& [error, type] : cases) {
    const std::string payload = R"({"error":)" + json::write(json::Value(std::string(error))) + "}";
    const InvocationResult result = invoke(spec, payload);
    EXPECT_EQ(result.function_error, "Unhandled") << error;
    EXPECT_EQ(member(result.payload, "errorType"), type) << error;
  }
  EXPECT_EQ(invoke(spec).payload, process);
}

}  // namespace
}  // namespace tidemill::engine
