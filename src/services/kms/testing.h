// For tests: KMS over the simulated store, asked by documents:
//
//   World world;
//   const std::string key = world.make_key();
//   const std::string sealed = world.encrypt(key, "tea");
//   world.crash();
//   EXPECT_EQ(world.decrypt(sealed), "tea");
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/base64.h"
#include "services/kms/key_file_in_memory.h"
#include "services/kms/service.h"
#include "services/test_world.h"

namespace tidemill::kms::testing {

class World : public services::testing::TestWorld {
 public:
  explicit World(uint64_t seed = 1, store::SimFaults faults = store::SimFaults::none())
      : TestWorld({"kms"}, seed, faults) {
    boot();
  }
  ~World() { shut_down(); }

  // Its ARN.
  std::string make_key(std::string_view more = "{}") {
    return ask("CreateKey", more).find("KeyMetadata")->find("Arn")->string();
  }
  // `more`: further members, ",\"EncryptionContext\":{…}".
  std::string encrypt(std::string_view key, std::string_view plain, std::string_view more = "") {
    return ask("Encrypt", base::cat(R"({"KeyId":")", key, R"(","Plaintext":")", base::base64_encode(plain), "\"", more, "}"))
        .find("CiphertextBlob")
        ->string();
  }
  // What it was, or the refusal.
  std::string decrypt(std::string_view blob, std::string_view more = "") {
    const std::string answer = run("Decrypt", base::cat(R"({"CiphertextBlob":")", blob, "\"", more, "}"));
    if (!answer.starts_with("{")) return answer;
    return base::base64_decode(parse(answer).find("Plaintext")->string()).value();
  }
  // An answer's text at KeyMetadata's member.
  std::string described(std::string_view key, std::string_view member) {
    const std::string answer = run("DescribeKey", base::cat(R"({"KeyId":")", key, R"("})"));
    if (!answer.starts_with("{")) return answer;
    return parse(answer).find("KeyMetadata")->find(member)->string();
  }
  // Of operations that take a key alone.
  std::string of_key(std::string_view operation, std::string_view key, std::string_view more = "") {
    return run(operation, base::cat(R"({"KeyId":")", key, "\"", more, "}"));
  }

  KeyFiles files;
  bool dies_after_making_key_file = false;  // from the next start on
  std::unique_ptr<Service> service;

 private:
  void make_services() override {
    service = std::make_unique<Service>(*platform, std::make_unique<KeyFileInMemory>(files, dies_after_making_key_file));
    service->register_operations(*registry);
    service->register_timers(*timers);
  }
  void drop_services() override { service.reset(); }
};

}  // namespace tidemill::kms::testing
