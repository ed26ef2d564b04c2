// Who knows which secret an access key id stands for, where signatures are checked: users' keys (IAM), sessions (STS),
// the functions of this process, and the root of the server's account.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "engine/workers/function_keys.h"
#include "store/store.h"
#include "wire/pipeline/verify_signatures.h"

namespace tidemill {

struct RootKey {
  std::string access_key_id;
  std::string secret;
};

class AccessKeys final : public wire::SigningSecrets {
 public:
  AccessKeys(store::Store& store, std::string account);

  // The root's key, once: it is made if there is none yet, and then given here. Nothing: it has been given before.
  Task<std::optional<RootKey>> start();

  Task<std::optional<wire::SigningSecret>> find(std::string access_key_id, std::string token) override;
  // The root's, from start() on.
  [[nodiscard]] std::string root_id() const { return root_ ? root_->access_key_id : ""; }
  [[nodiscard]] const engine::FunctionKeys& functions() const { return functions_; }

 private:
  static constexpr size_t kKnownMax = 4096;  // keys; then they are read anew

  // What users' keys are, until one of them changes: reading one takes longer than checking what it signs.
  struct Known {
    std::mutex mutex;
    uint64_t changes = 0;
    std::unordered_map<std::string, wire::SigningSecret> secrets;  // by access key id
  };
  Task<std::optional<wire::SigningSecret>> find_users(std::string account, std::string access_key_id);

  store::Store& store_;
  const std::string account_;
  engine::FunctionKeys functions_;
  std::optional<RootKey> root_;  // from start() on
  const std::shared_ptr<Known> known_ = std::make_shared<Known>();
  store::Subscription watch_;
};

}  // namespace tidemill
