// The pool of workers, programs as custom runtimes, and which runtimes there are.
#include "engine/workers/workers.h"

#include "base/no_more_files.h"
#include "engine/workers/worker_environment.h"
#include "engine/workers/worker_runtimes.h"
#include "engine/workers/workers_world.h"

namespace tidemill::engine {
namespace {

using testing::Contains;
using testing::EndsWith;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

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

TEST_F(WorkersTest, AFunctionThatCannotBeStartedForWantOfFilesIsThrottledAndNotAtFault) {
  if (!base::testing::kMayLackFiles) GTEST_SKIP() << "the sanitizers open files themselves";
  auto spec = function("provided.al2023", "echo", {});
  fs::create_directories(spec->code);
  fs::copy_file(TIDEMILL_MINIMAL_HANDLER, spec->code / "bootstrap");
  workers();
  {
    const base::testing::NoMoreFiles nothing_opens;
    EXPECT_EQ(invoke(spec).status, InvokeStatus::throttled);
  }
  EXPECT_EQ(invoke(spec).status, InvokeStatus::ok);
}

TEST_F(WorkersTest, ProcessesThatAreKeptAreStartedOnceThereAreFiles) {
  if (!base::testing::kMayLackFiles) GTEST_SKIP() << "the sanitizers open files themselves";
  const auto has_tried = [&] {
    std::promise<void> done;
    loop_.post([&] { done.set_value(); });
    done.get_future().wait();
  };
  auto own = function("provided.al2023", "echo", {});
  fs::create_directories(own->code);
  fs::copy_file(TIDEMILL_MINIMAL_HANDLER, own->code / "bootstrap");
  workers();
  // One is not started, the other's language is not found out.
  for (const auto& spec : {own, python("def handler(event, context): pass\n")}) {
    {
      const base::testing::NoMoreFiles nothing_opens;
      workers().provision(spec->arn, {{spec, 1}}, 1);
      for (int round = 0; round < 3; ++round) has_tried();
      EXPECT_EQ(workers().provisioned(spec->arn, spec->version).wanted, 1);
      EXPECT_FALSE(workers().provisioned(spec->arn, spec->version).failed);
    }
    while (workers().provisioned(spec->arn, spec->version).ready < 1) {
      ASSERT_FALSE(workers().provisioned(spec->arn, spec->version).failed);
      std::this_thread::sleep_for(1ms);
    }
  }
}

// The first who asks looks for what the host has.
TEST_F(WorkersTest, ALanguageThatCannotBeLookedForForWantOfFilesIsThereLater) {
  if (!base::testing::kMayLackFiles) GTEST_SKIP() << "the sanitizers open files themselves";
  const auto spec = python("def handler(event, context):\n    return 7\n");
  workers();
  {
    const base::testing::NoMoreFiles nothing_opens;
    const InvocationResult result = invoke(spec);
    EXPECT_EQ(result.status, InvokeStatus::throttled);
    EXPECT_THAT(result.detail, HasSubstr("Too many open files"));
    EXPECT_THROW((void)workers().unsupported_reason(spec->runtime), std::system_error);
  }
  EXPECT_EQ(workers().unsupported_reason(spec->runtime), std::nullopt);
  EXPECT_EQ(invoke(spec).payload, "7");
}

TEST_F(WorkersTest, WhetherLayersMayBeMountedIsFoundOutOnceThereAreFiles) {
  if (!base::testing::kMayLackFiles) GTEST_SKIP() << "the sanitizers open files themselves";
  HostRuntimes host("", false);
  host.install(directory_ / "runtimes");
  {
    const base::testing::NoMoreFiles nothing_opens;
    EXPECT_THROW((void)host.may_mount(), std::system_error);
  }
  EXPECT_NO_THROW((void)host.may_mount());
}

TEST_F(WorkersTest, WhoBringsTheClientOfJavaIsNotGuessedForWantOfFiles) {
  if (!base::testing::kMayLackFiles) GTEST_SKIP() << "the sanitizers open files themselves";
  const auto spec = function("java21", "any.Handler", {{"lib/aws-lambda-java-runtime-interface-client-2.jar", ""}});
  const Launch launch{.name = {Language::java, 21, 0},
                      .interpreter = Interpreter{Language::java, 21, 0, "/java", false}};
  {
    const base::testing::NoMoreFiles nothing_opens;
    EXPECT_THROW((void)worker_process(*spec, launch, {}), std::system_error);
  }
  EXPECT_THAT(worker_process(*spec, launch, {}).argv, Contains(HasSubstr("api.client.AWSLambda")));
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

// ---- The pool ----

// Each waits for all.
TEST_F(WorkersTest, CallsAtTheSameTimeRunInProcessesOfTheirOwn) {
  const fs::path met = directory_ / "met";
  fs::create_directories(met);
  const auto spec = python(base::cat(R"(import os, time
def handler(event, context):
    open(os.path.join(")", met.string(), R"(", str(os.getpid())), "w").close()
    while len(os.listdir(")", met.string(), R"(")) < 3:
        time.sleep(0.001)
    return os.getpid()
)"));
  std::vector<std::future<InvocationResult>> calls;
  for (int i = 0; i < 3; ++i) calls.push_back(start(spec, "{}"));
  std::set<std::string> processes;
  for (auto& call : calls) processes.insert(call.get().payload);
  EXPECT_EQ(processes.size(), 3U);
}

TEST_F(WorkersTest, CallsBeyondTheAccountsConcurrencyAreThrottled) {
  options_.concurrency_max = 2;
  const fs::path go = directory_ / "go";
  const auto spec = python_that_waits_for(go);
  auto first = start(spec, "{}");
  auto second = start(spec, "{}");
  EXPECT_EQ(invoke(spec).status, InvokeStatus::throttled);
  std::ofstream(go) << "now";
  EXPECT_EQ(first.get().status, InvokeStatus::ok);
  EXPECT_EQ(second.get().status, InvokeStatus::ok);
  EXPECT_EQ(invoke(spec).status, InvokeStatus::ok);
}

// Reservations are no part of a function's revision: its processes stay, and others are started beside them. Each waits
// for all.
TEST_F(WorkersTest, AsManyRunAsMayByNowBesideProcessesFromBefore) {
  for (const std::optional<int> reserved : {std::optional(3), std::optional<int>()}) {
    const fs::path met = directory_ / (reserved ? "of three" : "of all");
    fs::create_directories(met);
    const auto before = python(base::cat(R"(import os, time
def handler(count, context):
    open(os.path.join(")", met.string(), R"(", str(os.getpid())), "w").close()
    while len(os.listdir(")", met.string(), R"(")) < count:
        time.sleep(0.001)
)"));
    before->reserved_concurrency = 1;
    before->edition = 7;
    EXPECT_EQ(invoke(before, "1").status, InvokeStatus::ok);
    const auto now = std::make_shared<FunctionSpec>(*before);
    now->reserved_concurrency = reserved;
    now->edition = 8;
    std::vector<std::future<InvocationResult>> calls;
    for (int i = 0; i < 3; ++i) calls.push_back(start(now, "3"));
    for (auto& call : calls) EXPECT_EQ(call.get().status, InvokeStatus::ok) << met;
  }
}

// It is at work until it asks for the next invocation, as on AWS: whoever comes meanwhile waits for that, or for its end.
TEST_F(WorkersTest, AProcessThatGoesOnAfterItsAnswerIsAmongThoseThatMayRun) {
  options_.concurrency_max = 1;
  for (const bool ends : {false, true}) {
    const fs::path go = directory_ / (ends ? "end" : "ask");
    const auto spec = program(base::cat(R"(#!/usr/bin/python3
import os, time, urllib.request
api = f"http://{os.environ['AWS_LAMBDA_RUNTIME_API']}/2018-06-01/runtime/invocation/"
while True:
    with urllib.request.urlopen(api + "next") as call:
        request = call.headers["Lambda-Runtime-Aws-Request-Id"]
    urllib.request.urlopen(api + request + "/response", str(os.getpid()).encode()).close()
    while not os.path.exists(")", go.string(), R"("):
        time.sleep(0.001)
    )", ends ? "break" : "continue", "\n"));
    const std::string first = invoke(spec).payload;
    const auto started = [this] { return metrics_.counter("tidemill_function_starts_total", "").value(); };
    const auto starts = started();
    auto second = start(spec, "{}");
    std::promise<void> submitted;
    loop_.post([&] { submitted.set_value(); });
    submitted.get_future().get();
    EXPECT_EQ(started(), starts);
    std::ofstream(go) << "now";
    EXPECT_EQ(second.get().payload == first, !ends);
  }
}

// On the pool's loop, so that nothing happens between the steps of a test but what they lead to.
TEST_F(WorkersTest, WhoWasThrottledIsCalledOnceThereIsAPlaceTheOldestFirst) {
  options_.concurrency_max = 1;
  const fs::path go = directory_ / "go";
  const auto spec = python_that_waits_for(go);
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
    std::ofstream(go) << "now";
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

// A call may have read the function before it was changed, and come after one that has read it since. It runs what the
// function is now, and that one does not run what the function was; nor if the update has retired their processes between.
TEST_F(WorkersTest, ACallOfAnOlderRevisionIsServedByTheNewerOne) {
  for (const bool is_retired : {false, true}) {
    const auto before = python("import os\ndef handler(event, context):\n    return os.environ.get('COLOUR')\n");
    before->edition = 7;
    auto now = std::make_shared<FunctionSpec>(*before);
    now->revision = "2";
    now->edition = 8;
    now->environment["COLOUR"] = "red";
    auto waits = start(now, "{}");
    if (is_retired) workers().retire(now->arn);
    auto late = start(before, "{}");
    EXPECT_EQ(waits.get().payload, "\"red\"") << is_retired;
    EXPECT_EQ(late.get().payload, "\"red\"") << is_retired;
  }
}

TEST_F(WorkersTest, ARetiredFunctionStartsAnew) {
  const auto spec = python("import os\ndef handler(event, context):\n    return os.getpid()\n");
  const std::string first = invoke(spec).payload;
  EXPECT_EQ(invoke(spec).payload, first);
  workers().retire(spec->arn);
  EXPECT_NE(invoke(spec).payload, first);
}

TEST_F(WorkersTest, RuntimesThatTheHostLacksAreRefusedWithWhatIsThere) {
  EXPECT_EQ(workers().unsupported_reason("python3.12"), std::nullopt);
  EXPECT_EQ(workers().unsupported_reason("nodejs22.x"), std::nullopt);
  EXPECT_EQ(workers().unsupported_reason("provided.al2023"), std::nullopt);
  EXPECT_EQ(workers().unsupported_reason("java17.al2023"), workers().unsupported_reason("java17"));
  EXPECT_EQ(workers().unsupported_reason("ruby4.0").has_value(), workers().unsupported_reason("ruby3.4").has_value());
  for (const char* runtime : {"dotnet8", "cobol85", "python2.7", "nodejs", "python3.x", "ruby2.7", "java", ""}) {
    EXPECT_THAT(workers().unsupported_reason(runtime).value_or("supported"), HasSubstr("On this host: provided.al2023, python3."))
        << runtime;
  }
}

TEST_F(WorkersTest, StrictRuntimesAreTheExactVersionOnly) {
  const HostRuntimes host("", true);
  ASSERT_FALSE(host.interpreters().empty());
  for (const Interpreter& interpreter : host.interpreters()) {
    const std::string description = interpreter.describe();
    const std::string exact = description.substr(0, description.find(' '));
    EXPECT_TRUE(host.resolve(exact)) << exact;
  }
  EXPECT_FALSE(host.resolve("python3.99"));
  EXPECT_FALSE(host.resolve("nodejs99.x"));
  EXPECT_FALSE(host.resolve("ruby3.99"));
  EXPECT_FALSE(host.resolve("java99"));
}

}  // namespace
}  // namespace tidemill::engine
