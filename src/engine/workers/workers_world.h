// For tests of workers: real processes of functions, on this host's interpreters.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>
#include <future>
#include <map>
#include <thread>

#include "base/json.h"
#include "base/text.h"
#include "engine/workers/workers.h"

namespace tidemill::engine {

using namespace std::chrono_literals;

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
  // Its calls end once there is such a file.
  std::shared_ptr<FunctionSpec> python_that_waits_for(const fs::path& file) {
    return python(base::cat("import os, time\ndef handler(event, context):\n    while not os.path.exists('", file.string(),
                            "'):\n        time.sleep(0.001)\n"));
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
    if (future.wait_for(120s) != std::future_status::ready) {
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

inline std::string member(const std::string& document, std::string_view name) {
  const auto parsed = json::parse(document);
  const json::Value* found = parsed ? parsed->find(name) : nullptr;
  return found && found->is_string() ? found->string() : "no " + std::string(name) + " in " + document;
}

inline constexpr const char* kId = "8f2c1a44-0000-4000-8000-123456789abc";

}  // namespace tidemill::engine
