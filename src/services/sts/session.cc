#include "services/sts/session.h"

#include <algorithm>

#include "base/base64.h"
#include "base/json_members.h"
#include "crypto/random.h"
#include "store/resources.h"
#include "store/timer.h"
#include "wire/access_key.h"

namespace tidemill::sts {
namespace {

constexpr store::ResourceType kSessions{"sts", "session"};
constexpr std::string_view kNoRegion;
constexpr size_t kTokenBytes = 180;

std::string session_key(std::string_view account, std::string_view access_key_id) {
  return store::resource_key(kSessions, account, kNoRegion, access_key_id);
}

// ARNs have no line ends.
std::string lines_of(const std::vector<std::string>& arns) {
  std::string lines;
  for (const std::string& arn : arns) lines.append(lines.empty() ? "" : "\n").append(arn);
  return lines;
}

std::optional<std::vector<std::string>> arns_of(std::string_view lines) {
  std::vector<std::string> arns;
  while (!lines.empty()) {
    const size_t end = std::min(lines.find('\n'), lines.size());
    arns.emplace_back(lines.substr(0, end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return arns;
}

constexpr auto kSessionMembers = [](auto& member, auto& session) {
  member("secret", session.secret);
  member("token", session.token);
  member("issued_us", session.issued);
  member("expires_us", session.expires);
  member("user_id", session.user_id);
  member("arn", session.arn);
  member.unless_empty("source_identity", session.source_identity);
  member.unless_empty("policy", session.policy);
  member.as_when(!session.policy_arns.empty(), "policy_arns", session.policy_arns, lines_of, arns_of);
};

}  // namespace

std::string encode_session(const Session& session) { return json::encode(session, kSessionMembers); }

Session decode_session(std::string account, std::string access_key_id, std::string_view bytes) {
  return json::decode("session", bytes, kSessionMembers,
                      Session{.account = std::move(account), .access_key_id = std::move(access_key_id)});
}

Session new_session(std::string account, base::Time expires) {
  Session session{.account = std::move(account), .expires = expires};
  session.access_key_id = wire::new_access_key_id(wire::kSessionKeys, session.account);
  session.secret = wire::new_secret_access_key();
  session.token = base::base64_encode(crypto::random_bytes(kTokenBytes));
  return session;
}

Task<void> put_session(store::Transaction& txn, const Session& session) {
  const std::string key = session_key(session.account, session.access_key_id);
  txn.put(key, encode_session(session));
  co_await store::set_timer(txn, {std::string(kSessionTimer), key, session.expires + kKeptAfterEnd, ""});
}

Task<std::optional<Session>> find_session_or_ended(store::Snapshot& reader, std::string account,
                                                   std::string access_key_id) {
  const auto bytes = co_await reader.get(session_key(account, access_key_id));
  if (!bytes) co_return std::nullopt;
  co_return decode_session(std::move(account), std::move(access_key_id), *bytes);
}

Task<std::optional<Session>> find_session(store::Snapshot& reader, std::string account, std::string access_key_id,
                                          base::Time now) {
  auto session = co_await find_session_or_ended(reader, std::move(account), std::move(access_key_id));
  if (session && session->expires <= now) session.reset();
  co_return session;
}

void erase_expired_sessions_by(engine::TimerService& timers, store::Store& store) {
  timers.handle(
      store::TimerKind{kSessionTimer},
      [&store](const store::Timer& timer) -> Task<void> {
        co_await store.transact([&](store::Transaction& txn) -> Task<void> {
          if (co_await store::finish_timer(txn, timer)) txn.erase(timer.id);
        });
      },
      {.purpose = base::Purpose::housekeeping});
}

}  // namespace tidemill::sts
