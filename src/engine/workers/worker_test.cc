// One process and what its owner is told of it.
#include "engine/workers/worker.h"

#include "engine/workers/scratch_removal.h"
#include "engine/workers/worker_runtimes.h"
#include "engine/workers/workers_world.h"

namespace tidemill::engine {
namespace {

using testing::ElementsAre;

// The beginning of a runtime that speaks the API by hand.
constexpr const char* kRuntime = R"(#!/usr/bin/python3
import os, socket, sys, time
address = os.environ["AWS_LAMBDA_RUNTIME_API"]
name, port = address.split(":")
api = socket.create_connection((name, int(port)))
NEXT = f"GET /2018-06-01/runtime/invocation/next HTTP/1.1\r\nHost: {address}\r\n\r\n".encode()
def answer(request_id):
    return (f"POST /2018-06-01/runtime/invocation/{request_id}/response HTTP/1.1\r\nHost: {address}\r\n"
            "Content-Length: 6\r\n\r\n\"done\"").encode()
def wait_for_file():
    while not os.path.exists("go"):
        time.sleep(0.001)
)";

// On the test's own thread: run() returns once the worker has ended.
class WorkerTest : public WorkersTest, public Worker::Owner {
 protected:
  WorkerTest() { runtimes_.install(options_.runtimes); }
  ~WorkerTest() override {
    if (worker_) worker_->close();
  }

  void run(const std::string& script, std::chrono::seconds timeout = 20s) {
    Worker::Setup setup;
    setup.spec = spec_ = program(kRuntime + script);
    spec_->timeout = timeout;
    setup.launch = *runtimes_.resolve(spec_->runtime);
    setup.temporary = options_.scratch / "worker";
    setup.endpoint = options_.endpoint;
    setup.clock = &clock_;
    setup.start_limit = 20s;
    worker_ = std::make_shared<Worker>(loop_, disk_, looks_, removal_, *this, std::move(setup));
    loop_.post([this] { worker_->start(scope_); });
    loop_.run();
  }

  std::unique_ptr<WorkerCall> make_call() {
    Invocation invocation;
    invocation.request_id = kId;
    return std::make_unique<WorkerCall>(WorkerCall{spec_, std::move(invocation), {}, clock_.activity().hold()});
  }
  void let_go() { std::ofstream(spec_->code / "go") << "now"; }

  void on_idle(Worker&) override {
    told_.emplace_back("idle");
    if (when_idle_) when_idle_();
  }
  void on_unusable(Worker&) override {
    told_.emplace_back("unusable");
    if (when_unusable_) when_unusable_();
  }
  void on_start_failed(Worker&, StartFailure failure) override { told_.push_back(failure.error_type); }
  void on_call_done(Worker&, std::unique_ptr<WorkerCall> call, InvocationResult result) override {
    told_.push_back(result.status == InvokeStatus::ok ? result.payload : member(result.payload, "errorType"));
    call->finish(std::move(result));
    if (when_done_) when_done_();
  }
  void on_ended(Worker&) override {
    told_.emplace_back("ended");
    loop_.stop();
  }

  HostRuntimes runtimes_{"", false};
  base::BlockingWork disk_{1};
  base::BlockingWork looks_{1};
  ScratchRemoval removal_{disk_};
  std::shared_ptr<FunctionSpec> spec_;
  std::shared_ptr<Worker> worker_;
  std::vector<std::string> told_;
  std::function<void()> when_idle_;
  std::function<void()> when_unusable_;
  std::function<void()> when_done_;
};

TEST_F(WorkerTest, AnIdleProcessThatHangsUpIsUnusableBeforeItHasEnded) {
  when_idle_ = [this] { let_go(); };
  run("api.sendall(NEXT)\nwait_for_file()\napi.close()\ntime.sleep(100)\n");
  EXPECT_THAT(told_, ElementsAre("idle", "unusable", "ended"));
}

TEST_F(WorkerTest, AnIdleProcessThatEndsIsUnusableBeforeThatIsTold) {
  when_idle_ = [this] { let_go(); };
  run("api.sendall(NEXT)\nwait_for_file()\n");
  EXPECT_THAT(told_, ElementsAre("idle", "unusable", "ended"));
}

TEST_F(WorkerTest, AnIdleProcessThatIsEndedIsUnusable) {
  when_idle_ = [this] { worker_->end(); };
  run("api.sendall(NEXT)\ntime.sleep(100)\n");
  EXPECT_THAT(told_, ElementsAre("idle", "unusable", "ended"));
}

TEST_F(WorkerTest, ACallForAProcessThatHasHungUpFailsAsByACrash) {
  when_idle_ = [this] { let_go(); };
  when_unusable_ = [this] { worker_->dispatch(make_call()); };
  run("api.sendall(NEXT)\nwait_for_file()\napi.close()\ntime.sleep(100)\n");
  EXPECT_THAT(told_, ElementsAre("idle", "unusable", "Runtime.ExitError", "ended"));
}

// As one that is looked at and found to use too much memory just as it answers. What it asks for then it does not get: who
// came next would be told that its process was killed.
TEST_F(WorkerTest, AProcessThatIsEndedAsItAnswersGetsNoOtherCall) {
  when_idle_ = [this] { worker_->dispatch(make_call()); };
  when_done_ = [this] { worker_->end(); };
  run(base::cat("api.sendall(NEXT)\napi.recv(100000)\napi.sendall(answer('", kId, "') + NEXT)\ntime.sleep(100)\n"));
  EXPECT_THAT(told_, ElementsAre("idle", "\"done\"", "ended"));
}

// Soon, whatever an invocation may take.
TEST_F(WorkerTest, ARuntimeThatCouldNotStartAndGoesOnGetsNoCallAndIsEnded) {
  const auto began = std::chrono::steady_clock::now();
  run("api.sendall(f'POST /2018-06-01/runtime/init/error HTTP/1.1\\r\\nHost: {address}\\r\\nContent-Length: 2\\r\\n'\n"
      "            'Lambda-Runtime-Function-Error-Type: Shop.Closed\\r\\n\\r\\n{}'.encode() + NEXT)\ntime.sleep(100)\n",
      900s);
  EXPECT_THAT(told_, ElementsAre("Shop.Closed", "ended"));
  EXPECT_LT(std::chrono::steady_clock::now() - began, 60s);
}

}  // namespace
}  // namespace tidemill::engine
