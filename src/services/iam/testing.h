// For tests: IAM over the simulated store, asked by documents:
//
//   World world;
//   world.ask("CreateRole", R"({"RoleName":"r","AssumeRolePolicyDocument":"…"})");
//   EXPECT_EQ(world.say("GetRole", R"({"RoleName":"x"})"), "NoSuchEntityException: The role with name x cannot be found.");
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "engine/policy_principals.h"
#include "services/iam/identity.h"
#include "services/iam/service.h"
#include "services/test_world.h"

namespace tidemill::iam::testing {

inline constexpr std::string_view kTrust =
    R"({"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"Service":"lambda.amazonaws.com"},)"
    R"("Action":"sts:AssumeRole"}]})";
inline constexpr std::string_view kGrant =
    R"({"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"sqs:SendMessage","Resource":"*"}]})";

class World : public services::testing::TestWorld {
 public:
  explicit World(uint64_t seed = 1, store::SimFaults faults = store::SimFaults::none())
      : TestWorld({"iam"}, seed, faults) {
    boot();
  }
  ~World() { shut_down(); }

  // The answer as a document, or "Code: message". `key` signs.
  std::string say(std::string_view operation, std::string_view document, std::string key = "tester") {
    wire::Context context(*platform, std::string(kAccount), std::string(kRegion), "request", std::move(key));
    return await(outcome(context, std::string(operation), json::parse(document).value()));
  }
  // The same of what is not refused.
  json::Value tell(std::string_view operation, std::string_view document) { return parse(say(operation, document)); }

  void make_role(std::string_view name) {
    const std::string answer = say("CreateRole", json::write(json::Object{{"RoleName", name},
                                                                          {"AssumeRolePolicyDocument", kTrust}}));
    ASSERT_THAT(answer, ::testing::StartsWith("{")) << answer;
  }
  // Its ARN.
  std::string make_policy(std::string_view name) {
    const json::Value answer =
        tell("CreatePolicy", json::write(json::Object{{"PolicyName", name}, {"PolicyDocument", kGrant}}));
    return answer.find("Policy")->find("Arn")->string();
  }

  // As by the server's start.
  void start() {
    (void)await([](Service& service) -> Task<bool> {
      co_await service.start();
      co_return true;
    }(*service));
  }
  // Of another account; its id.
  std::string make_user_of(std::string account, std::string name) {
    const Identity user = new_identity({Kind::user, std::move(account), std::move(name)}, clock.now());
    return await([](store::Store& store, Identity user) -> Task<std::string> {
      co_await store.transact([&](store::Transaction& txn) -> Task<void> {
        put_identity(txn, user);
        co_return;
      });
      co_return user.id;
    }(*store, user));
  }
  // As earlier versions have left them.
  void forget_principals(std::vector<std::string> ids) {
    (void)await([](store::Store& store, std::vector<std::string> ids) -> Task<bool> {
      co_await store.transact([&](store::Transaction& txn) -> Task<void> {
        for (const std::string& id : ids) engine::forget_principal(txn, id);
        co_return;
      });
      co_return true;
    }(*store, std::move(ids)));
  }

  std::unique_ptr<Service> service;

 private:
  Task<std::string> outcome(wire::Context& context, std::string operation, json::Value document) {
    try {
      co_return json::write(co_await registry->call(context, "iam", operation, std::move(document)));
    } catch (const wire::Error& error) {
      co_return error.code + ": " + error.message;
    }
  }

  void make_services() override {
    service = std::make_unique<Service>(*store, 0);
    service->register_operations(*registry);
  }
  void drop_services() override { service.reset(); }
};

}  // namespace tidemill::iam::testing
