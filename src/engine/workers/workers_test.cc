// Runs real processes: Python and Node.js functions on this host's interpreters, shell and C++ programs as custom runtimes.
#include "engine/workers/workers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <fstream>
#include <future>
#include <thread>

#include "base/json.h"
#include "base/text.h"
#include "engine/workers/worker_leftovers.h"
#include "engine/workers/worker_runtimes.h"

namespace tidemill::engine {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

namespace fs = std::filesystem;
using Files = std::map<std::string, std::string>;

// A pool on a loop on a thread of its own, and functions below a directory that goes with it.
class WorkersTest : public testing::Test {
 protected:
  WorkersTest() : directory_(fs::temp_directory_path() / base::cat("tidemill-workers-", ::getpid())) {
    fs::remove_all(directory_);
    options_.endpoint = "http://127.0.0.1:4566";
    options_.runtimes = directory_ / "runtimes";
    options_.scratch = directory_ / "scratch";
  }
  ~WorkersTest() override {
    if (thread_.joinable()) {
      loop_.stop();
      thread_.join();
    }
    scope_.clear();
    workers_.reset();
    fs::remove_all(directory_);
  }

  Workers& workers() {
    if (!workers_) {
      workers_ = std::make_unique<Workers>(loop_, clock_, metrics_, options_);
      thread_ = std::thread([this] { loop_.run(); });
    }
    return *workers_;
  }

  std::shared_ptr<FunctionSpec> function(std::string runtime, std::string handler, const Files& files) {
    auto spec = std::make_shared<FunctionSpec>();
    const std::string name = base::cat("function-", ++count_);
    spec->arn = "arn:aws:lambda:eu-west-1:123456789012:function:" + name;
    spec->name = name;
    spec->version = "$LATEST";
    spec->revision = "1";
    spec->runtime = std::move(runtime);
    spec->handler = std::move(handler);
    spec->code = directory_ / name;
    spec->timeout = 20s;
    spec->memory_mb = 256;
    spec->account = "123456789012";
    spec->region = "eu-west-1";
    spec->log_group = "/aws/lambda/" + name;
    for (const auto& [path, text] : files) {
      fs::create_directories((spec->code / path).parent_path());
      std::ofstream(spec->code / path, std::ios::binary) << text;
    }
    return spec;
  }
  std::shared_ptr<FunctionSpec> python(const std::string& source) {
    return function("python3.12", "app.handler", {{"app.py", source}});
  }
  std::shared_ptr<FunctionSpec> node(const std::string& source, std::string file = "index.js") {
    return function("nodejs20.x", "index.handler", {{std::move(file), source}});
  }
  std::shared_ptr<FunctionSpec> program(const std::string& script) {
    auto spec = function("provided.al2023", "any", {{"bootstrap", script}});
    fs::permissions(spec->code / "bootstrap", fs::perms::owner_all);
    return spec;
  }

  std::future<InvocationResult> start(std::shared_ptr<const FunctionSpec> spec, std::string payload, bool tail = false,
                                      PlaceTurnPtr turn = {}) {
    auto promise = std::make_shared<std::promise<InvocationResult>>();
    Workers& pool = workers();
    loop_.post([this, &pool, promise, spec = std::move(spec), payload = std::move(payload), tail,
                turn = std::move(turn)]() mutable {
      scope_.spawn(run(pool, std::move(spec), std::move(payload), tail, std::move(turn), promise));
    });
    return promise->get_future();
  }
  InvocationResult invoke(std::shared_ptr<const FunctionSpec> spec, std::string payload = "{}", bool tail = false) {
    auto future = start(std::move(spec), std::move(payload), tail);
    if (future.wait_for(30s) != std::future_status::ready) {
      ADD_FAILURE() << "the invocation did not end";
      std::abort();
    }
    return future.get();
  }

  static Task<void> run(Workers& pool, std::shared_ptr<const FunctionSpec> spec, std::string payload, bool tail,
                        PlaceTurnPtr turn, std::shared_ptr<std::promise<InvocationResult>> promise) {
    Invocation invocation;
    invocation.request_id = "8f2c1a44-0000-4000-8000-123456789abc";
    invocation.payload = std::move(payload);
    invocation.want_tail = tail;
    invocation.turn = std::move(turn);
    promise->set_value(co_await pool.invoke(std::move(spec), std::move(invocation)));
  }

  WorkersOptions options_;
  const fs::path directory_;
  base::RealClock clock_;
  base::Metrics metrics_;
  net::Loop loop_{clock_.activity()};
  base::Scope scope_;
  std::unique_ptr<Workers> workers_;
  std::thread thread_;
  int count_ = 0;
};

std::string member(const std::string& document, std::string_view name) {
  const auto parsed = json::parse(document);
  const json::Value* found = parsed ? parsed->find(name) : nullptr;
  return found && found->is_string() ? found->string() : "no " + std::string(name) + " in " + document;
}

constexpr const char* kId = "8f2c1a44-0000-4000-8000-123456789abc";

// ---- Custom runtimes ----

TEST_F(WorkersTest, AProgramThatSpeaksTheRuntimeApiAnswers) {
  auto spec = function("provided.al2023", "echo", {});
  fs::create_directories(spec->code);
  fs::copy_file(TIDEMILL_MINIMAL_HANDLER, spec->code / "bootstrap");
  for (const std::string payload : {"{\"a\":1}", "null", "\"\xc3\xa9\""}) {
    const InvocationResult result = invoke(spec, payload);
    EXPECT_EQ(result.status, InvokeStatus::ok) << result.detail;
    EXPECT_EQ(result.payload, payload);
    EXPECT_EQ(result.function_error, "");
  }
}

TEST_F(WorkersTest, APackageWithoutABootstrapHasNoValidEntrypoint) {
  const InvocationResult result = invoke(function("provided", "any", {{"readme", "x"}}));
  EXPECT_EQ(result.status, InvokeStatus::function_error);
  EXPECT_EQ(member(result.payload, "errorType"), "Runtime.InvalidEntrypoint");
  EXPECT_THAT(member(result.payload, "errorMessage"), HasSubstr("Couldn't find valid bootstrap(s)"));
}

// No file can be opened while it lives.
class NoMoreFiles {
 public:
  NoMoreFiles() {
    EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &before_), 0);
    const rlimit none{3, before_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  }
  ~NoMoreFiles() { EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &before_), 0); }

 private:
  rlimit before_{};
};

TEST_F(WorkersTest, AFunctionThatCannotBeStartedForWantOfFilesIsThrottledAndNotAtFault) {
#if defined(__has_feature) && __has_feature(address_sanitizer)
  GTEST_SKIP() << "the sanitizers open files themselves when they look at an object";
#endif
  auto spec = function("provided.al2023", "echo", {});
  fs::create_directories(spec->code);
  fs::copy_file(TIDEMILL_MINIMAL_HANDLER, spec->code / "bootstrap");
  workers();
  {
    const NoMoreFiles nothing_opens;
    EXPECT_EQ(invoke(spec).status, InvokeStatus::throttled);
  }
  EXPECT_EQ(invoke(spec).status, InvokeStatus::ok);
}

TEST_F(WorkersTest, BeyondItsProcessesAnIdleOneOfAnotherFunctionMakesRoom) {
  options_.workers_max = 1;
  std::vector<std::shared_ptr<FunctionSpec>> specs;
  for (int i = 0; i < 2; ++i) {
    specs.push_back(function("provided.al2023", "echo", {}));
    fs::create_directories(specs.back()->code);
    fs::copy_file(TIDEMILL_MINIMAL_HANDLER, specs.back()->code / "bootstrap");
  }
  for (int i = 0; i < 4; ++i) EXPECT_EQ(invoke(specs[static_cast<size_t>(i % 2)]).status, InvokeStatus::ok);
  const auto busy = start(program("#!/bin/sh\nsleep 30\n"), "{}");  // ends the idle one, and never asks
  while (invoke(specs[0]).status != InvokeStatus::throttled) {
  }
}

TEST_F(WorkersTest, APoolThatRefusesMoreEndsWhatRuns) {
  auto spec = program("#!/bin/sh\nexit 1\n");
  EXPECT_EQ(workers().under_way(), 0u);
  EXPECT_EQ(invoke(spec).status, InvokeStatus::function_error);
  EXPECT_EQ(workers().under_way(), 0u);
  workers().refuse_more();
  EXPECT_EQ(invoke(spec).status, InvokeStatus::throttled);
}

TEST_F(WorkersTest, ABootstrapThatIsNotExecutableHasNoValidEntrypoint) {
  auto spec = program("#!/bin/sh\n");
  fs::permissions(spec->code / "bootstrap", fs::perms::owner_read);
  const InvocationResult result = invoke(spec);
  EXPECT_EQ(member(result.payload, "errorType"), "Runtime.InvalidEntrypoint");
}

TEST_F(WorkersTest, AProgramThatEndsBeforeItAsksIsToldByItsStatus) {
  const InvocationResult result = invoke(program("#!/bin/sh\necho said; exit 7\n"), "{}", true);
  EXPECT_EQ(result.function_error, "Unhandled");
  EXPECT_EQ(result.payload, base::cat(R"({"errorType":"Runtime.ExitError","errorMessage":"RequestId: )", kId,
                                      R"( Error: Runtime exited with error: exit status 7"})"));
  EXPECT_THAT(result.log_tail, HasSubstr("said\n"));
}

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
  spec->timeout = 1s;
  const InvocationResult result = invoke(spec, "20", true);
  EXPECT_EQ(result.payload, base::cat(R"({"errorType":"Sandbox.Timedout","errorMessage":"RequestId: )", kId,
                                      R"( Error: Task timed out after 1.00 seconds"})"));
  EXPECT_THAT(result.log_tail, AllOf(HasSubstr("begun\n"), HasSubstr("Task timed out after 1.00 seconds")));
  EXPECT_EQ(invoke(spec, "0").payload, "\"done\"");
}

TEST_F(WorkersTest, AProcessThatUsesTooMuchMemoryIsKilled) {
  auto spec = python("import time\ndef handler(event, context):\n    block = bytearray(event << 20)\n    time.sleep(1)\n"
                     "    return len(block)\n");
  spec->memory_mb = 128;
  EXPECT_EQ(invoke(spec, "32").payload, "33554432");
  EXPECT_THAT(member(invoke(spec, "300").payload, "errorMessage"), HasSubstr("signal: killed"));
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

// ---- The pool ----

TEST_F(WorkersTest, CallsAtTheSameTimeRunInProcessesOfTheirOwn) {
  const auto spec = python("import os, time\ndef handler(event, context):\n    time.sleep(0.5)\n    return os.getpid()\n");
  std::vector<std::future<InvocationResult>> calls;
  for (int i = 0; i < 3; ++i) calls.push_back(start(spec, "{}"));
  std::set<std::string> processes;
  for (auto& call : calls) processes.insert(call.get().payload);
  EXPECT_EQ(processes.size(), 3U);
}

TEST_F(WorkersTest, CallsBeyondTheAccountsConcurrencyAreThrottled) {
  options_.concurrency_max = 2;
  const auto spec = python("import time\ndef handler(event, context):\n    time.sleep(0.5)\n");
  auto first = start(spec, "{}");
  auto second = start(spec, "{}");
  EXPECT_EQ(invoke(spec).status, InvokeStatus::throttled);
  EXPECT_EQ(first.get().status, InvokeStatus::ok);
  EXPECT_EQ(second.get().status, InvokeStatus::ok);
  EXPECT_EQ(invoke(spec).status, InvokeStatus::ok);
}

// On the pool's loop, so that nothing happens between the steps of a test but what they lead to.
TEST_F(WorkersTest, WhoWasThrottledIsCalledOnceThereIsAPlaceTheOldestFirst) {
  options_.concurrency_max = 1;
  const auto spec = python("import time\ndef handler(event, context):\n    time.sleep(0.3)\n");
  auto first = start(spec, "{}");
  EXPECT_EQ(invoke(spec).status, InvokeStatus::throttled);
  std::promise<std::string> called;
  std::string order;
  PlaceTurnPtr young;
  PlaceTurnPtr old;
  loop_.post([&] {
    young = workers().wait_for_place(spec, base::Time(2s), [&] { order += "young", called.set_value(order); });
    old = workers().wait_for_place(spec, base::Time(1s), [&] {
      order += "old ";
      loop_.post([&] { old.reset(); });  // and does not come: the next one's turn
    });
    EXPECT_EQ(order, "");
  });
  EXPECT_EQ(called.get_future().get(), "old young");
  EXPECT_EQ(first.get().status, InvokeStatus::ok);
  std::promise<void> gone;
  loop_.post([&] { young.reset(), gone.set_value(); });
  gone.get_future().get();
  EXPECT_EQ(invoke(spec).status, InvokeStatus::ok);
}

TEST_F(WorkersTest, WhoStandsInLineDoesNotGoBeforeWhoWasCalled) {
  options_.concurrency_max = 1;
  const auto spec = python("def handler(event, context):\n    pass\n");
  PlaceTurnPtr called;
  PlaceTurnPtr waiting;
  std::promise<void> standing;
  Workers& pool = workers();
  loop_.post([&] {
    called = pool.wait_for_place(spec, base::Time(1s), [] {});
    waiting = pool.wait_for_place(spec, base::Time(2s), [] {});
    standing.set_value();
  });
  standing.get_future().get();
  EXPECT_EQ(start(spec, "{}", false, std::move(waiting)).get().status, InvokeStatus::throttled);
  EXPECT_EQ(start(spec, "{}", false, std::move(called)).get().status, InvokeStatus::ok);
}

TEST_F(WorkersTest, AnotherRevisionGetsAnotherProcess) {
  const auto spec = python("import os\ndef handler(event, context):\n    return [os.getpid(), os.environ.get('COLOUR')]\n");
  const std::string first = invoke(spec).payload;
  auto changed = std::make_shared<FunctionSpec>(*spec);
  changed->revision = "2";
  changed->environment["COLOUR"] = "red";
  const std::string second = invoke(changed).payload;
  EXPECT_THAT(second, EndsWith(", \"red\"]"));
  EXPECT_NE(first.substr(0, first.find(',')), second.substr(0, second.find(',')));
}

TEST_F(WorkersTest, ARetiredFunctionStartsAnew) {
  const auto spec = python("import os\ndef handler(event, context):\n    return os.getpid()\n");
  const std::string first = invoke(spec).payload;
  EXPECT_EQ(invoke(spec).payload, first);
  workers().retire(spec->arn);
  EXPECT_NE(invoke(spec).payload, first);
}

// ---- Processes ----

// Python that leaves a process behind which has made itself a session and given away its parent, and gives its number.
constexpr const char* kLeave = R"(
import os, signal, time
def leave():
    read, write = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.environ.clear()
            os.write(write, str(os.getpid()).encode())
            os.closerange(0, 3)
            time.sleep(100)
        os._exit(0)
    return int(os.read(read, 20))
)";

// Until the process is gone, or a child of ours that nobody asks for.
void wait_for_end(pid_t process) {
  for (;; std::this_thread::sleep_for(1ms)) {
    std::ifstream in(base::cat("/proc/", process, "/stat"));
    std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    if (text.empty() || text.find(") Z ") != std::string::npos) return;
  }
}

pid_t number_in(const std::string& path) {
  int number = 0;
  while (!(std::ifstream(path) >> number)) std::this_thread::sleep_for(1ms);
  return number;
}

TEST_F(WorkersTest, WhatAFunctionLeavesRunningEndsWithATimeout) {
  const fs::path note = directory_ / "note";
  auto spec = python(base::cat(kLeave, "def handler(event, context):\n    open('", note.string(),
                               "', 'w').write(f'{leave()}\\n')\n    time.sleep(100)\n"));
  spec->timeout = 1s;
  EXPECT_THAT(invoke(spec).payload, HasSubstr("Sandbox.Timedout"));
  wait_for_end(number_in(note));
}

TEST_F(WorkersTest, WhatAFunctionLeavesRunningEndsWithItsProcess) {
  const std::string source = base::cat(kLeave, "def handler(event, context):\n    return leave()\n");
  const InvocationResult result = invoke(python(source));
  ASSERT_EQ(result.status, InvokeStatus::ok) << result.payload;
  const pid_t left = std::stoi(result.payload);
  EXPECT_EQ(::kill(left, 0), 0);
  const fs::path note = directory_ / "note";
  EXPECT_THAT(invoke(python(base::cat(kLeave, "def handler(event, context):\n    open('", note.string(),
                                      "', 'w').write(f'{leave()}\\n')\n    os._exit(3)\n"))).payload,
              HasSubstr("exit status 3"));
  wait_for_end(number_in(note));
  EXPECT_EQ(::kill(left, 0), 0);
  loop_.stop();
  thread_.join();
  scope_.clear();
  workers_.reset();
  wait_for_end(left);
}

TEST_F(WorkersTest, AFunctionThatKillsItsSupervisorEndsItself) {
  const InvocationResult result = invoke(python(
      "import os, time\ndef handler(event, context):\n    os.kill(os.getppid(), 9)\n    time.sleep(9)\n"));
  EXPECT_EQ(member(result.payload, "errorType"), "Runtime.ExitError");
}

TEST_F(WorkersTest, SharedMemoryCountsAsAFunctionsOwn) {
  const std::string take[] = {
      // Mapped by nobody.
      "f = os.memfd_create('x')\n    for i in range(400): os.write(f, bytes(1 << 20))\n    time.sleep(9)\n",
      // Mapped, and written by a child.
      "m = mmap.mmap(-1, 400 << 20)\n    if os.fork() == 0:\n        for i in range(0, 400 << 20, 4096): m[i] = 1\n"
      "        time.sleep(9)\n    time.sleep(9)\n",
  };
  for (const std::string& how : take) {
    const auto spec = python("import mmap, os, time\ndef handler(event, context):\n    " + how);
    EXPECT_THAT(invoke(spec).payload, HasSubstr("Runtime exited with error: signal: killed")) << how;
  }
}

TEST_F(WorkersTest, WhatProcessesShareCountsOnce) {
  const auto spec = python(
      "import mmap, os, time\ndef handler(event, context):\n    m = mmap.mmap(-1, 120 << 20)\n"
      "    b = bytearray(30 << 20)\n    for i in range(0, 120 << 20, 4096): m[i] = 1\n    for n in range(4):\n        if os.fork() == 0:\n"
      "            for i in range(0, 120 << 20, 4096): m[i]\n            time.sleep(0.6)\n            os._exit(0)\n"
      "    for n in range(4): os.wait()\n    return 'done'\n");
  EXPECT_EQ(invoke(spec).payload, "\"done\"");
}

TEST_F(WorkersTest, TheRuntimeApiIsForItsOwnProcessesAlone) {
  const fs::path note = directory_ / "note";
  const auto victim = python(base::cat("import os, time\ndef handler(event, context):\n    open('", note.string(),
                                       "', 'w').write(os.environ['AWS_LAMBDA_RUNTIME_API'])\n    time.sleep(0.5)\n"
                                       "    return 'own'\n"));
  auto called = start(victim, "{}");
  while (!fs::exists(note) || fs::is_empty(note)) std::this_thread::sleep_for(1ms);
  const auto thief = python(base::cat(R"(
import http.client
def handler(event, context):
    connection = http.client.HTTPConnection(open(')", note.string(), R"(').read(), timeout=5)
    try:
        connection.request("POST", f"/2018-06-01/runtime/invocation/{context.aws_request_id}/response", "stolen")
        return connection.getresponse().status
    except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
        return "refused"
)"));
  EXPECT_EQ(invoke(thief).payload, "\"refused\"");
  EXPECT_EQ(called.get().payload, "\"own\"");
}

// Also one that it has started, by a connection of its own: as curl in a custom runtime written in shell.
TEST_F(WorkersTest, AnyProcessOfTheFunctionMaySpeakTheRuntimeApi) {
  auto spec = python(R"py(
import http.client, os, subprocess, sys
def handler(event, context):
    code = "import http.client, os; c = http.client.HTTPConnection(os.environ['AWS_LAMBDA_RUNTIME_API']); "
    code += "c.request('GET', '/none'); print(c.getresponse().status)"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, start_new_session=True).stdout.decode()
)py");
  EXPECT_EQ(invoke(spec).payload, "\"404\\n\"");
}

TEST_F(WorkersTest, WhatAKilledServerLeftRunningIsEndedFirst) {
  fs::create_directories(options_.scratch / "worker-7");
  const std::string variable = base::cat(kWorkerVariable, "=", (options_.scratch / "worker-7").string());
  const pid_t leftover = ::fork();
  if (leftover == 0) ::execl("/usr/bin/env", "env", variable.c_str(), "sleep", "100", nullptr);
  const std::string environment = base::cat("/proc/", leftover, "/environ");
  for (std::string text; text.find(variable) == std::string::npos; std::this_thread::sleep_for(1ms)) {
    std::ifstream in(environment, std::ios::binary);
    text.assign(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  workers();
  int status = 0;
  ASSERT_EQ(::waitpid(leftover, &status, 0), leftover);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  EXPECT_FALSE(fs::exists(options_.scratch / "worker-7"));
}

TEST_F(WorkersTest, RuntimesThatTheHostLacksAreRefusedWithWhatIsThere) {
  EXPECT_EQ(workers().unsupported_reason("python3.12"), std::nullopt);
  EXPECT_EQ(workers().unsupported_reason("nodejs22.x"), std::nullopt);
  EXPECT_EQ(workers().unsupported_reason("provided.al2023"), std::nullopt);
  for (const char* runtime : {"java21", "dotnet8", "cobol85", "python2.7", "nodejs", "python3.x", ""}) {
    EXPECT_THAT(workers().unsupported_reason(runtime).value_or("supported"), HasSubstr("On this host: provided.al2023, python3."))
        << runtime;
  }
}

TEST_F(WorkersTest, StrictRuntimesAreTheExactVersionOnly) {
  const HostRuntimes host("", true);
  ASSERT_FALSE(host.interpreters().empty());
  for (const Interpreter& interpreter : host.interpreters()) {
    const std::string exact = interpreter.language == Language::python
                                  ? base::cat("python3.", interpreter.minor)
                                  : base::cat("nodejs", interpreter.major, ".x");
    EXPECT_TRUE(host.resolve(exact)) << exact;
  }
  EXPECT_FALSE(host.resolve("python3.99"));
  EXPECT_FALSE(host.resolve("nodejs99.x"));
}

}  // namespace
}  // namespace tidemill::engine
