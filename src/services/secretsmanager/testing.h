// For tests: secrets over the simulated store, with KMS beside them.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "services/kms/key_file_in_memory.h"
#include "services/kms/service.h"
#include "services/secretsmanager/service.h"
#include "services/test_world.h"

namespace tidemill::secretsmanager::testing {

class World : public services::testing::TestWorld {
 public:
  explicit World(uint64_t seed = 1, store::SimFaults faults = store::SimFaults::none())
      : TestWorld({"secretsmanager"}, seed, faults) {
    boot();
  }
  ~World() { shut_down(); }

  // `more`: further members, ",\"VersionStage\":\"x\"".
  std::string of(std::string_view operation, std::string_view id, std::string_view more = "") {
    return run(operation, base::cat(R"({"SecretId":")", id, "\"", more, "}"));
  }
  std::string create(std::string_view name, std::string_view value, std::string_view more = "") {
    return run("CreateSecret", base::cat(R"({"Name":")", name, R"(","SecretString":")", value, "\"", more, "}"));
  }
  // The value, or the refusal.
  std::string value(std::string_view id, std::string_view more = "") {
    const std::string answer = of("GetSecretValue", id, more);
    return answer.starts_with("{") ? parse(answer).find("SecretString")->string() : answer;
  }
  // A member of an answer that is not refused.
  static std::string member(const std::string& answer, std::string_view name) {
    const json::Value document = parse(answer);
    const json::Value* found = document.find(name);
    return found ? found->string() : "";
  }
  // A key's id.
  std::string make_key() {
    return ask("kms", "CreateKey", "{}").find("KeyMetadata")->find("KeyId")->string();
  }
  // 32 letters, as tokens have them.
  static std::string token(char letter) { return std::string(32, letter); }

  kms::testing::KeyFiles files;
  std::unique_ptr<kms::Service> keys;
  std::unique_ptr<Service> service;

 private:
  void make_services() override {
    keys = std::make_unique<kms::Service>(*platform, std::make_unique<kms::testing::KeyFileInMemory>(files));
    keys->register_operations(*registry);
    keys->register_timers(*timers);
    service = std::make_unique<Service>(*store);
    service->register_operations(*registry);
    service->register_timers(*timers);
  }
  void drop_services() override {
    service.reset();
    keys.reset();
  }
};

}  // namespace tidemill::secretsmanager::testing
