#include "services/sqs/receive_attempt.h"

#include <stdexcept>

#include "base/ordered.h"

namespace tidemill::sqs {
namespace {

constexpr uint8_t kVersion = 1;

// Beside those of deduplication ids, and forgotten like them: no group has this name.
std::string scope_of(std::string_view id) {
  std::string scope = encode_group_name(std::string_view("\0", 1));
  base::append_string(scope, id);
  return scope;
}

base::Time read_time(base::OrderedReader& reader) { return base::Time(base::Duration(reader.i64())); }

void append_time(std::string& out, base::Time time) { base::append_i64(out, time.time_since_epoch().count()); }

std::string encode(const ReceiveAttempt& attempt) {
  std::string out;
  base::append_u8(out, kVersion);
  append_time(out, attempt.expires);
  for (const auto& [position, receive, available] : attempt.given) {
    base::append_fixed(out, position.bytes);
    base::append_u32(out, receive);
    append_time(out, available);
  }
  return out;
}

ReceiveAttempt decode(std::string_view bytes) {
  base::OrderedReader reader(bytes);
  const uint8_t version = reader.u8();
  ReceiveAttempt attempt{.expires = read_time(reader)};
  while (reader.ok() && !reader.at_end()) {
    ReceiveAttempt::Given given{.position = {std::string(reader.fixed(Position::kSize))}};
    given.receive = reader.u32();
    given.available = read_time(reader);
    attempt.given.push_back(std::move(given));
  }
  if (!reader.ok() || version != kVersion) throw std::runtime_error("a stored attempt to receive is damaged");
  return attempt;
}

}  // namespace

Task<std::optional<ReceiveAttempt>> load_attempt(store::Transaction& txn, const Queue& queue, std::string_view id,
                                                 base::Time now) {
  const auto bytes = co_await txn.get(deduplication_key(queue.id, scope_of(id)));
  if (!bytes) co_return std::nullopt;
  ReceiveAttempt attempt = decode(*bytes);
  if (attempt.expires <= now) co_return std::nullopt;
  co_return attempt;
}

Task<void> save_attempt(store::Transaction& txn, const Queue& queue, std::string_view id,
                        const ReceiveAttempt& attempt) {
  const std::string scope = scope_of(id);
  const std::string key = deduplication_key(queue.id, scope);
  if (const auto before = co_await txn.get(key)) {
    txn.erase(deduplication_expiry_key(queue.id, decode(*before).expires, scope));
  }
  txn.put(key, encode(attempt));
  deduplication_expiries(queue.id).put(txn, deduplication_expiry_key(queue.id, attempt.expires, scope), "");
}

}  // namespace tidemill::sqs
