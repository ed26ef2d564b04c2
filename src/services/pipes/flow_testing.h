// For tests: a pipe from a queue "in" or a data stream, and functions that the test plays.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "services/pipes/testing.h"

namespace tidemill::pipes::testing {

using Texts = std::vector<std::string>;

// Of a data stream.
inline constexpr std::string_view kFromStart =
    R"(,"SourceParameters":{"KinesisStreamParameters":{"StartingPosition":"TRIM_HORIZON","BatchSize":10}})";

inline engine::InvokeOutcome answers(std::string payload) { return {.payload = std::move(payload)}; }

class PipeFlow : public ::testing::Test {
 protected:
  void SetUp() override {
    world.create_queue("in");
    world.create_queue("out");
  }

  // Of a queue "in" with a template; what reaches "out" of one message.
  std::string through(std::string_view form, std::string_view body) {
    std::string text;
    json::append_string(text, form);
    world.create("t", World::queue("in"), World::queue("out"),
                 base::cat(R"(,"TargetParameters":{"InputTemplate":)", text, "}"));
    world.send("in", body);
    world.settle();
    const Texts found = world.bodies("out");
    world.call("DeletePipe", "t");
    world.settle();
    return found.empty() ? "nothing" : found.front();
  }
  void handle(std::function<engine::InvokeOutcome(const std::string& function, const json::Value& batch)> handler) {
    world.functions.handler = [handler](std::string name, std::string payload) -> Task<engine::InvokeOutcome> {
      co_return handler(name, json::parse(payload).value());
    };
  }
  static Texts members(const json::Value& batch, std::string_view name) {
    Texts texts;
    for (const json::Value& one : batch.array()) texts.push_back(one.find(name)->string());
    return texts;
  }

  World world;
};

}  // namespace tidemill::pipes::testing
