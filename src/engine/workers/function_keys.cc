#include "engine/workers/function_keys.h"

#include "base/base64.h"
#include "base/text.h"
#include "crypto/hmac.h"
#include "crypto/random.h"
#include "wire/access_key.h"

namespace tidemill::engine {

namespace {

constexpr size_t kMasterBytes = 32;
constexpr size_t kSecretSize = 40;  // characters, as AWS's have
constexpr size_t kTokenStart = 44;  // of a token: SHA-256 in base64
constexpr std::string_view kBetween = "\n";  // role and name, in which it cannot stand

}  // namespace

FunctionKeys::FunctionKeys() : master_(crypto::random_bytes(kMasterBytes)) {}

FunctionCredentials FunctionKeys::credentials_of(std::string access_key_id, FunctionSession session) const {
  const std::string told = base::cat(session.role_arn, kBetween, session.name);
  const auto derived = [&](std::string_view purpose) {
    return base::base64_encode(crypto::hmac_sha256(master_, base::cat(purpose, "/", access_key_id, "/", told)));
  };
  FunctionCredentials result{.secret = derived("secret").substr(0, kSecretSize),
                             .token = base::cat(derived("token"), base::base64_encode(told)),
                             .session = std::move(session)};
  result.access_key_id = std::move(access_key_id);
  return result;
}

FunctionCredentials FunctionKeys::make(FunctionSession session) const {
  std::string id = wire::new_access_key_id(wire::kSessionKeys, session.account);
  return credentials_of(std::move(id), std::move(session));
}

std::optional<FunctionCredentials> FunctionKeys::find(std::string_view access_key_id, std::string_view token) const {
  const auto account = wire::account_of_access_key(access_key_id);
  if (!account || !access_key_id.starts_with(wire::kSessionKeys) || token.size() <= kTokenStart) return std::nullopt;
  const auto told = base::base64_decode(token.substr(kTokenStart));
  const size_t between = told ? told->find(kBetween) : std::string::npos;
  if (between == std::string::npos) return std::nullopt;
  FunctionCredentials found = credentials_of(std::string(access_key_id),
                                             {*account, told->substr(0, between), told->substr(between + 1)});
  if (!crypto::same_in_constant_time(found.token, token)) return std::nullopt;
  return found;
}

}  // namespace tidemill::engine
