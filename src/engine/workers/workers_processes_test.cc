// What functions leave running, what they use, and who may speak for them.
#include "base/no_more_files.h"
#include "engine/workers/worker_leftovers.h"
#include "engine/workers/workers_world.h"

namespace tidemill::engine {
namespace {

using testing::HasSubstr;

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

// What is waited for in vain for so long does not come.
constexpr std::chrono::seconds kLongestWait{60};

template <class Condition>
[[nodiscard]] bool comes_true(Condition condition) {
  const auto until = std::chrono::steady_clock::now() + kLongestWait;
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= until) return false;
    std::this_thread::sleep_for(1ms);
  }
  return true;
}

// Until the process is gone, or a child of ours that nobody asks for.
void wait_for_end(pid_t process) {
  EXPECT_TRUE(comes_true([&] {
    std::ifstream in(base::cat("/proc/", process, "/stat"));
    std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    return text.empty() || text.find(") Z ") != std::string::npos;
  })) << process << " goes on";
}

// Once it is there; 0 if it does not come.
pid_t number_in(const std::string& path) {
  int number = 0;
  EXPECT_TRUE(comes_true([&] { return static_cast<bool>(std::ifstream(path) >> number); })) << path << " has no number";
  return number;
}

// In which a function that then sleeps has done what it is to do before.
constexpr std::chrono::seconds kEnoughToBegin{3};

TEST_F(WorkersTest, WhatAFunctionLeavesRunningEndsWithATimeout) {
  const fs::path note = directory_ / "note";
  auto spec = python(base::cat(kLeave, "def handler(event, context):\n    open('", note.string(),
                               "', 'w').write(f'{leave()}\\n')\n    time.sleep(100)\n"));
  spec->timeout = kEnoughToBegin;
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

// A child in a session of its own stops the supervisor again and again, so that it never comes to end anything.
TEST_F(WorkersTest, AFunctionThatKeepsItsSupervisorStoppedIsEndedFromOutside) {
  const fs::path note = directory_ / "note";
  auto spec = python(base::cat(
      "import os, signal, time\n"
      "def handler(event, context):\n"
      "    supervisor = os.getppid()\n"
      "    if os.fork() == 0:\n"
      "        os.setsid()\n"
      "        if os.fork() == 0:\n"
      "            open('", note.string(), "', 'w').write(f'{os.getpid()}\\n')\n"
      "            while True: os.kill(supervisor, signal.SIGSTOP)\n"
      "        os._exit(0)\n"
      "    time.sleep(100)\n"));
  spec->timeout = kEnoughToBegin;
  const auto began = std::chrono::steady_clock::now();
  EXPECT_THAT(invoke(spec).payload, HasSubstr("Sandbox.Timedout"));
  EXPECT_LT(std::chrono::steady_clock::now() - began, 30s);
  wait_for_end(number_in(note));
  EXPECT_EQ(invoke(python("def handler(event, context):\n    return 7\n")).payload, "7");
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

// A runtime by hand that answers its first call, asks for another, says which process watches over it, and hangs up once
// it may.
constexpr const char* kHangsUp = R"(#!/usr/bin/python3
import os, socket, time
address = os.environ["AWS_LAMBDA_RUNTIME_API"]
name, port = address.split(":")
api = socket.create_connection((name, int(port)))
ask = f"GET /2018-06-01/runtime/invocation/next HTTP/1.1\r\nHost: {address}\r\n\r\n".encode()
api.sendall(ask)
api.recv(100000)
api.sendall((f"POST /2018-06-01/runtime/invocation/8f2c1a44-0000-4000-8000-123456789abc/response HTTP/1.1\r\n"
             f"Host: {address}\r\nContent-Length: 6\r\n\r\n\"done\"").encode() + ask)
with open("note", "w") as note:
    note.write(f"{os.getppid()}\n")
while not os.path.exists("go"):
    time.sleep(0.001)
api.close()
time.sleep(100)
)";

enum class Seen { running, ended, gone };

// Ended: it is dead, and nobody has been told yet.
Seen look_at(pid_t process) {
  std::ifstream in(base::cat("/proc/", process, "/stat"));
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return Seen::gone;
  return text.substr(name_end).starts_with(") Z") ? Seen::ended : Seen::running;
}

// A moment of a few milliseconds, which is looked for on the pool's loop, so that nothing happens between the look and the
// call: the process has hung up and been ended for it, and the pool has not been told of its end. A look lasts for as
// long as the end may take once the loop has seen to it, also on a machine that is busy.
TEST_F(WorkersTest, ACallThatComesWhileAnIdleProcessEndsGetsAnother) {
  bool met = false;
  const auto give_up = std::chrono::steady_clock::now() + kLongestWait;
  while (!met && std::chrono::steady_clock::now() < give_up) {
    const auto spec = program(kHangsUp);
    ASSERT_EQ(invoke(spec).payload, "\"done\"");
    const pid_t supervisor = number_in(spec->code / "note");
    const auto promise = std::make_shared<std::promise<InvocationResult>>();
    auto future = promise->get_future();
    std::promise<bool> looked;
    std::function<void()> look = [&] {
      Seen seen = Seen::running;
      for (const auto until = std::chrono::steady_clock::now() + 100ms; std::chrono::steady_clock::now() < until;) {
        if ((seen = look_at(supervisor)) != Seen::running) break;
      }
      const bool looks_again = seen == Seen::running && std::chrono::steady_clock::now() < give_up;
      if (looks_again) return loop_.post([&] { look(); });
      if (seen == Seen::ended) scope_.spawn(run(workers(), spec, "{}", false, {}, promise));
      looked.set_value(seen == Seen::ended);
    };
    std::ofstream(spec->code / "go") << "now";
    loop_.post([&] { look(); });
    met = looked.get_future().get();
    if (met) EXPECT_EQ(future.get().payload, "\"done\"");
  }
  EXPECT_TRUE(met);
}

TEST_F(WorkersTest, WhatProcessesShareCountsOnce) {
  const auto spec = python(
      "import mmap, os, time\ndef handler(event, context):\n    m = mmap.mmap(-1, 120 << 20)\n"
      "    b = bytearray(30 << 20)\n    for i in range(0, 120 << 20, 4096): m[i] = 1\n    for n in range(4):\n        if os.fork() == 0:\n"
      "            for i in range(0, 120 << 20, 4096): m[i]\n            time.sleep(0.6)\n            os._exit(0)\n"
      "    for n in range(4): os.wait()\n    return 'done'\n");
  spec->timeout = kLongestWait;  // a busy machine takes its time to touch so much
  EXPECT_EQ(invoke(spec).payload, "\"done\"");
}

TEST_F(WorkersTest, TheRuntimeApiIsForItsOwnProcessesAlone) {
  const fs::path note = directory_ / "note";
  const auto victim = python(base::cat("import os, time\ndef handler(event, context):\n    open('", note.string(),
                                       "', 'w').write(os.environ['AWS_LAMBDA_RUNTIME_API'])\n    time.sleep(0.5)\n"
                                       "    return 'own'\n"));
  auto called = start(victim, "{}");
  ASSERT_TRUE(comes_true([&] { return fs::exists(note) && !fs::is_empty(note); }));
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

// A sweep comes by later, with nothing else going on.
TEST_F(WorkersTest, WhatCannotBeRemovedOfAProcessForWantOfDescriptorsIsRemovedLater) {
  options_.idle_max = 4s;
  const auto spec = python("def handler(event, context):\n    return 7\n");
  EXPECT_EQ(invoke(spec).payload, "7");
  const auto has_leftovers = [&](std::string_view count) {
    return metrics_.prometheus_text().contains(base::cat("\ntidemill_function_leftovers ", count, "\n"));
  };
  const fs::path left = options_.scratch / "worker-1";
  EXPECT_TRUE(fs::exists(left));
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  rlimit none = before;
  none.rlim_cur = 0;
  ::setrlimit(RLIMIT_NOFILE, &none);
  workers().retire(spec->arn);
  const bool is_left = comes_true([&] { return has_leftovers("1"); });
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_TRUE(is_left);
  EXPECT_TRUE(comes_true([&] { return !fs::exists(left); }));
  EXPECT_TRUE(comes_true([&] { return has_leftovers("0"); }));
}

TEST_F(WorkersTest, WhetherFunctionsCanBeContainedIsNotGuessedForWantOfFiles) {
  if (!base::testing::kMayLackFiles) GTEST_SKIP() << "the sanitizers open files themselves";
  const auto found = Sandbox::find("", FunctionNetwork::open);
  if (!found && found.error().contains("not installed")) GTEST_SKIP() << found.error();
  const base::testing::NoMoreFiles nothing_opens;
  EXPECT_THROW((void)Sandbox::find("", FunctionNetwork::open), std::system_error);
}

// It goes on, and nobody knows.
TEST_F(WorkersTest, AServerThatCannotLookForWhatWasLeftRunningDoesNotStart) {
  if (!base::testing::kMayLackFiles) GTEST_SKIP() << "the sanitizers open files themselves";
  fs::create_directories(options_.scratch / "worker-7");
  {
    const base::testing::NoMoreFiles nothing_opens;
    EXPECT_THROW(end_leftover_workers(options_.scratch), fs::filesystem_error);
  }
  EXPECT_NO_THROW(end_leftover_workers(options_.scratch));
}

TEST_F(WorkersTest, WhatAKilledServerLeftRunningIsEndedFirst) {
  fs::create_directories(options_.scratch / "worker-7");
  const std::string variable = base::cat(kWorkerVariable, "=", (options_.scratch / "worker-7").string());
  const pid_t leftover = ::fork();
  if (leftover == 0) ::execl("/usr/bin/env", "env", variable.c_str(), "sleep", "100", nullptr);
  const std::string environment = base::cat("/proc/", leftover, "/environ");
  EXPECT_TRUE(comes_true([&] {
    std::ifstream in(environment, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    return text.contains(variable);
  }));
  workers();
  int status = 0;
  ASSERT_EQ(::waitpid(leftover, &status, 0), leftover);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  EXPECT_FALSE(fs::exists(options_.scratch / "worker-7"));
}

}  // namespace
}  // namespace tidemill::engine
