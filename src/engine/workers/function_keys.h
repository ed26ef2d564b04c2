// The credentials that functions get where signatures are checked. They are made of a secret that nobody else has and
// that lives as long as this process does, as functions' processes do: so nothing of them is stored, and after a
// restart none is good any more.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tidemill::engine {

// Whose session they are.
struct FunctionSession {
  std::string account;
  std::string role_arn;
  std::string name;  // the function's
};

struct FunctionCredentials {
  std::string access_key_id;  // "ASIA…", which tells the account
  std::string secret;
  std::string token;  // which tells the session, and cannot be altered
  FunctionSession session;
};

// Any thread.
class FunctionKeys {
 public:
  FunctionKeys();

  [[nodiscard]] FunctionCredentials make(FunctionSession session) const;
  // Nothing: they are none of ours.
  [[nodiscard]] std::optional<FunctionCredentials> find(std::string_view access_key_id, std::string_view token) const;

 private:
  [[nodiscard]] FunctionCredentials credentials_of(std::string access_key_id, FunctionSession session) const;

  const std::string master_;
};

}  // namespace tidemill::engine
