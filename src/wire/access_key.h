// Access key ids: "AKIA" (of a user) or "ASIA" (of a session) and 16 letters of base32. In those that AWS makes today, and
// in all of ours, the first of the 80 bits is set and the 40 behind it are the account, so that a key tells its account
// without a read.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tidemill::wire {

inline constexpr std::string_view kUserKeys = "AKIA";
inline constexpr std::string_view kSessionKeys = "ASIA";

// Nothing: `id` is no access key id, or one of the old kind ("AKIAI…", "AKIAJ…"), which tells no account.
[[nodiscard]] std::optional<std::string> account_of_access_key(std::string_view id);

// `account`: twelve digits. The rest is random.
[[nodiscard]] std::string new_access_key_id(std::string_view kind, std::string_view account);

// 40 characters that nobody can guess.
[[nodiscard]] std::string new_secret_access_key();

// `count` random letters of base32: "A2Z…".
[[nodiscard]] std::string random_base32(size_t count);

}  // namespace tidemill::wire
