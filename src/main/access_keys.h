// Who knows which secret an access key id stands for, where signatures are checked: users' keys (IAM), sessions (STS),
// the functions of this process, and the root of the server's account.
#pragma once

#include <optional>
#include <string>

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
  AccessKeys(store::Store& store, std::string account) : store_(store), account_(std::move(account)) {}

  // The root's key, once: it is made if there is none yet, and then given here. Nothing: it has been given before.
  Task<std::optional<RootKey>> start();

  Task<std::optional<wire::SigningSecret>> find(std::string access_key_id, std::string token) override;
  // The root's, from start() on.
  [[nodiscard]] std::string root_id() const { return root_ ? root_->access_key_id : ""; }
  [[nodiscard]] const engine::FunctionKeys& functions() const { return functions_; }

 private:
  store::Store& store_;
  const std::string account_;
  engine::FunctionKeys functions_;
  std::optional<RootKey> root_;  // from start() on
};

}  // namespace tidemill
