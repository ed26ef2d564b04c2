// Temporary credentials: KeySpace::resource, (account, "", "sts", "session", access key id), as JSON, until a timer erases
// them a day after they have expired: until then who comes with them is told so, and what they have begun goes on.
// Secrets are kept as they are, since signatures are made of them; they are never logged.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "engine/timer_service.h"
#include "store/store.h"

namespace tidemill::sts {

inline constexpr std::string_view kSessionTimer = "sts-session";
inline constexpr base::Duration kKeptAfterEnd = std::chrono::hours(24);

struct Session {
  std::string account;
  std::string access_key_id;
  std::string secret;
  std::string token;
  std::optional<base::Time> issued;  // nothing: before this was kept
  base::Time expires;
  std::string user_id;  // "AROA…:name"
  std::string arn;      // who this is: "arn:aws:sts::000000000000:assumed-role/role/name"
  std::string source_identity;
  // What bounds it besides the role's policies; all empty: nothing does.
  std::string policy;                    // a document
  std::vector<std::string> policy_arns;  // of managed policies

  [[nodiscard]] bool is_bounded() const { return !policy.empty() || !policy_arns.empty(); }
};

// With a key, a secret and a token of its own. `account` is where it may do something.
[[nodiscard]] Session new_session(std::string account, base::Time expires);

[[nodiscard]] std::string encode_session(const Session& session);
// Throws std::runtime_error if `bytes` are damaged.
[[nodiscard]] Session decode_session(std::string account, std::string access_key_id, std::string_view bytes);

// And the timer that erases it.
Task<void> put_session(store::Transaction& txn, const Session& session);
// Also one that has expired. Nothing: there never was one, or it ended long ago.
Task<std::optional<Session>> find_session_or_ended(store::Snapshot& reader, std::string account, std::string access_key_id);
// Nothing: there never was one, or it has expired by `now`.
Task<std::optional<Session>> find_session(store::Snapshot& reader, std::string account, std::string access_key_id,
                                          base::Time now);

void erase_expired_sessions_by(engine::TimerService& timers, store::Store& store);

}  // namespace tidemill::sts
