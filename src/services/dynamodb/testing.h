// For tests: the whole service over the simulated store, asked as clients ask it, one line per request:
//
//   World world;
//   world.run("CreateTable", R"({"TableName":"Tab", …})");
//   EXPECT_EQ(world.run("GetItem", R"({"TableName":"Tab","Key":{"k":{"S":"a"}}})"), R"({"Item":{"k":{"S":"a"}}})");
//
// A refusal reads "ValidationException: One or more …".
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "services/dynamodb/service.h"
#include "services/test_world.h"
#include "wire/shapes/kms.h"

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

  // What KMS says of a key: its state, or the code that it refuses with. All others are there and enabled.
  std::map<std::string, std::string> keys;

  std::unique_ptr<Service> service;

 private:
  void make_services() override {
    options_.usage = &gathered;
    service = std::make_unique<Service>(*store, clock, options_);
    service->register_operations(*registry);
    service->register_timers(*timers);
    registry->add<wire::kms::ops::DescribeKey>(
        [this](wire::Context&, const wire::kms::DescribeKeyInput& request) -> Task<wire::kms::DescribeKeyOutput> {
          co_return wire::kms::DescribeKeyOutput{.key_metadata = describe_key(request.key_id)};
        });
  }
  // An alias "one" is of the key "of-one".
  wire::kms::KeyMetadata describe_key(std::string arn) {
    constexpr std::string_view kAlias = ":alias/";
    if (const size_t at = arn.find(kAlias); at != std::string::npos) arn.replace(at, kAlias.size(), ":key/of-");
    const auto known = keys.find(arn.substr(arn.rfind('/') + 1));
    const std::string state = known == keys.end() ? "Enabled" : known->second;
    if (state.ends_with("Exception")) throw wire::Error(state, 400, "no " + arn);
    wire::kms::KeyMetadata key;
    key.arn = std::move(arn);
    key.enabled = state == "Enabled";
    if (state == "PendingDeletion") key.deletion_date = clock.now();
    key.key_usage = wire::kms::KeyUsage::kEncryptDecrypt;
    return key;
  }
  void drop_services() override { service.reset(); }

  ServiceOptions options_;
};

}  // namespace tidemill::dynamodb::testing
