// For tests: the whole service over the simulated store, asked as clients ask it, one line per request:
//
//   World world;
//   world.run("CreateTable", R"({"TableName":"Tab", …})");
//   EXPECT_EQ(world.run("GetItem", R"({"TableName":"Tab","Key":{"k":{"S":"a"}}})"), R"({"Item":{"k":{"S":"a"}}})");
//
// A refusal reads "ValidationException: One or more …".
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "services/dynamodb/service.h"
#include "services/test_world.h"

namespace tidemill::dynamodb::testing {

class World : public services::testing::TestWorld {
 public:
  explicit World(uint64_t seed = 1, store::SimFaults faults = store::SimFaults::none(), ServiceOptions options = {})
      : TestWorld({"dynamodb", "dynamodbstreams"}, seed, faults), options_(options) {
    boot();
  }
  ~World() { shut_down(); }

  // A table with partition key k of type S, and sort key s of `sort_type` unless that is empty.
  void create_table(std::string_view name, std::string_view sort_type = "", std::string_view stream = "") {
    std::string body = R"({"TableName":")" + std::string(name) +
                       R"(","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"})";
    if (!sort_type.empty()) body += R"(,{"AttributeName":"s","AttributeType":")" + std::string(sort_type) + R"("})";
    body += R"(],"KeySchema":[{"AttributeName":"k","KeyType":"HASH"})";
    if (!sort_type.empty()) body += R"(,{"AttributeName":"s","KeyType":"RANGE"})";
    body += "]";
    if (!stream.empty()) {
      body += R"(,"StreamSpecification":{"StreamEnabled":true,"StreamViewType":")" + std::string(stream) + R"("})";
    }
    EXPECT_THAT(run("CreateTable", body + "}"), ::testing::HasSubstr("CREATING"));
  }

  // Puts an item into table Tab: {"k":{"S":"a"}}.
  std::string put(std::string_view item) {
    return run("PutItem", R"({"TableName":"Tab","Item":)" + std::string(item) + "}");
  }

  std::unique_ptr<Service> service;

 private:
  void make_services() override {
    options_.usage = &gathered;
    service = std::make_unique<Service>(*store, clock, options_);
    service->register_operations(*registry);
    service->register_timers(*timers);
  }
  void drop_services() override { service.reset(); }

  ServiceOptions options_;
};

}  // namespace tidemill::dynamodb::testing
