// For tests: key files that a test holds, so that they outlive crashes, and can be lost or exchanged.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "crypto/sealing.h"
#include "services/kms/key_file.h"

namespace tidemill::kms::testing {

using KeyFiles = std::map<std::string, std::string>;  // by pond

class KeyFileInMemory : public KeyFile {
 public:
  // `dies_after_making`: as if the process was killed right behind the first file that it makes.
  explicit KeyFileInMemory(KeyFiles& files, bool dies_after_making = false)
      : files_(files), dies_after_making_(dies_after_making) {}

  [[nodiscard]] std::string path(std::string_view) const override { return "/keys/pond"; }
  Task<std::optional<crypto::Secret>> read(std::string pond) override {
    const auto found = files_.find(pond);
    if (found == files_.end()) co_return std::nullopt;
    co_return crypto::Secret(found->second);
  }
  Task<crypto::Secret> make(std::string pond) override {
    const auto [made, is_new] = files_.try_emplace(pond, crypto::new_secret(crypto::kSealingKeySize).bytes());
    if (is_new && dies_after_making_) throw KeyFileError("killed");
    co_return crypto::Secret(made->second);
  }

 private:
  KeyFiles& files_;
  const bool dies_after_making_;
};

}  // namespace tidemill::kms::testing
