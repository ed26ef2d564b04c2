// For tests: one mapping of a standard or of a FIFO queue, and functions that answer, fail or wait as the test says.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "services/sim/queue_platform.h"

namespace tidemill::sim {

class QueueMappings : public ::testing::Test {
 protected:
  void SetUp() override {
    platform.create_queue("q", R"("VisibilityTimeout":"30")");
    platform.create_queue("q.fifo", R"("VisibilityTimeout":"30")");
  }

  void start(std::string_view queue, const std::function<void(engine::Mapping&)>& change = {}) {
    engine::Mapping mapping = QueuePlatform::mapping(queue);
    if (change) change(mapping);
    platform.put_mapping(mapping);
  }
  void send(std::string_view body) { platform.send("q", base::cat(R"("MessageBody":")", body, "\"")); }
  void send_fifo(std::string_view group, std::string_view body) {
    platform.send_fifo("q.fifo", body, group, body.substr(0, 9));
  }
  void answer(std::string text) {
    platform.functions.handler = [text](const QueueCall&) -> Task<engine::InvokeOutcome> { co_return answering(text); };
  }
  void fail(engine::InvokeStatus status = engine::InvokeStatus::function_error) {
    platform.functions.handler = [status](const QueueCall&) -> Task<engine::InvokeOutcome> {
      co_return failing(status);
    };
  }
  // Invocations wait until release().
  void block() {
    platform.functions.handler = [this](const QueueCall&) -> Task<engine::InvokeOutcome> {
      base::Future<bool> done;
      blocked.push_back(done);
      (void)co_await done;
      co_return engine::InvokeOutcome{};
    };
  }
  void release() {
    for (const auto& done : std::exchange(blocked, {})) done.set(true);
    platform.settle();
  }
  // Until `quiet` is over there is one call; then `more` brings the second.
  void expect_second_call(base::Duration quiet, base::Duration more) {
    platform.advance(quiet);
    EXPECT_EQ(platform.functions.calls.size(), 1u);
    platform.advance(more);
    EXPECT_EQ(platform.functions.calls.size(), 2u);
  }
  double counted(std::string_view name, std::string_view resource = QueuePlatform::kUuid) {
    double sum = 0;
    for (const auto& gathered : gathered_) {
      if (gathered.metric->name == name && gathered.resource == resource) sum += gathered.values.sum();
    }
    return sum;
  }
  void gather() { gathered_ = platform.usage.take(); }

  QueuePlatform platform;
  std::vector<base::Future<bool>> blocked;
  std::vector<wire::PlatformMetrics::Gathered> gathered_;
};

}  // namespace tidemill::sim
