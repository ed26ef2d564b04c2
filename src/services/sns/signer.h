// The key that messages are signed with, and the certificate by which receivers check them. Both are made when they are
// first needed and kept in one file of mode 0600 in the data directory; the certificate is served over HTTP.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/blocking_work.h"
#include "base/clock.h"

namespace tidemill::sns {

// Immutable; any thread.
class SigningKey {
 public:
  struct Parts;
  explicit SigningKey(std::unique_ptr<Parts> parts);
  ~SigningKey();

  // RSA with SHA1 (version 1) or SHA256 (version 2), base64.
  [[nodiscard]] std::string sign(std::string_view text, int version) const;
  [[nodiscard]] const std::string& certificate() const;  // PEM
  // "/SimpleNotificationService-<32 digits>.pem"
  [[nodiscard]] const std::string& certificate_path() const;

 private:
  std::unique_ptr<Parts> parts_;
};

using SigningKeyPtr = std::shared_ptr<const SigningKey>;

inline constexpr std::string_view kCertificatePathStart = "/SimpleNotificationService-";

class Signer {
 public:
  // `directory` is made with the key. `on_thread`: keys are made and read on a thread of their own; else the caller waits
  // (for simulations).
  Signer(std::filesystem::path directory, base::Clock& clock, bool on_thread);

  // Reads or makes it. Throws std::runtime_error.
  Task<SigningKeyPtr> key();

 private:
  SigningKeyPtr load_or_make();

  const std::filesystem::path directory_;
  base::Clock& clock_;
  std::mutex mutex_;
  SigningKeyPtr key_;  // guarded by mutex_
  std::mutex making_;
  std::optional<base::BlockingWork> thread_;
};

}  // namespace tidemill::sns
