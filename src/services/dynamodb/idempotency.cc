#include "services/dynamodb/idempotency.h"

#include <openssl/sha.h>

#include <charconv>
#include <vector>

#include "base/ordered.h"
#include "services/dynamodb/errors.h"
#include "store/keys.h"
#include "wire/shapes/dynamodb.h"

namespace tidemill::dynamodb {

namespace {

// C r scope          -> version, fingerprint, time of expiry, payload
// C e minute scope   -> nothing: the records that expire in that minute
constexpr char kRecord = 'r';
constexpr char kByExpiry = 'e';
constexpr uint8_t kRecordVersion = 1;
constexpr size_t kForgottenPerCommitMax = 1000;

std::string prefix(char part) { return {static_cast<char>(store::KeySpace::client_token), part}; }

std::string record_key(std::string_view scope) { return prefix(kRecord).append(scope); }

int64_t minute_of(base::Time time) {
  return std::chrono::floor<std::chrono::minutes>(time).time_since_epoch().count();
}

std::string minute_prefix(int64_t minute) {
  std::string key = prefix(kByExpiry);
  base::append_i64(key, minute);
  return key;
}

struct Record {
  std::string_view fingerprint;
  base::Time expires;
  std::string_view payload;
};

std::string encode(const Record& record) {
  std::string bytes;
  base::append_u8(bytes, kRecordVersion);
  base::append_fixed(bytes, record.fingerprint);
  base::append_i64(bytes, record.expires.time_since_epoch().count());
  base::append_fixed(bytes, record.payload);
  return bytes;
}

Record decode(std::string_view bytes) {
  base::OrderedReader reader(bytes);
  const uint8_t version = reader.u8();
  Record record;
  record.fingerprint = reader.fixed(Fingerprint::kSize);
  record.expires = base::Time(base::Duration(reader.i64()));
  record.payload = reader.rest();
  if (!reader.ok() || version != kRecordVersion) throw std::runtime_error("the record of a token is not readable");
  return record;
}

Task<void> set_expiry_timer(store::Transaction& txn, int64_t minute) {
  const std::string id = std::to_string(minute);
  if (co_await store::timer_due(txn, kTokenExpiryTimer, id)) co_return;
  const store::Timer timer{.kind = std::string(kTokenExpiryTimer.name),
                           .id = id,
                           .due = base::Time(std::chrono::minutes(minute + 1))};
  co_await store::set_timer(txn, timer);
}

}  // namespace

Fingerprint& Fingerprint::add(std::string_view part) {
  base::append_u64(parts_, part.size());
  parts_.append(part);
  return *this;
}

Fingerprint& Fingerprint::add(const std::optional<std::string>& part) {
  add_presence(part.has_value());
  return part ? add(std::string_view(*part)) : *this;
}

Fingerprint& Fingerprint::add(const std::optional<Item>& item) {
  add_presence(item.has_value());
  return item ? add(item->view()) : *this;
}

Fingerprint& Fingerprint::add(const std::optional<std::map<std::string, std::string>>& names) {
  add_presence(names.has_value());
  if (!names) return *this;
  base::append_u64(parts_, names->size());
  for (const auto& [name, value] : *names) add(std::string_view(name)).add(std::string_view(value));
  return *this;
}

std::string Fingerprint::bytes() const {
  static_assert(kSize == SHA256_DIGEST_LENGTH);
  std::string hash(kSize, '\0');
  SHA256(reinterpret_cast<const unsigned char*>(parts_.data()), parts_.size(),
         reinterpret_cast<unsigned char*>(hash.data()));
  return hash;
}

RequestToken request_token(const wire::Context& context, std::string_view operation, const std::string& token,
                           const Fingerprint& fingerprint) {
  RequestToken result{.fingerprint = fingerprint.bytes()};
  base::append_string(result.scope, context.account);
  base::append_string(result.scope, context.region);
  base::append_string(result.scope, operation);
  base::append_fixed(result.scope, token);
  return result;
}

Task<PriorUse> find_prior_use(store::Transaction& txn, const RequestToken& token, base::Time now) {
  const std::optional<std::string> bytes = co_await txn.get(record_key(token.scope));
  if (!bytes) co_return PriorUse{};
  const Record record = decode(*bytes);
  if (record.expires <= now) co_return PriorUse{.expired = record.expires};
  if (record.fingerprint != token.fingerprint) {
    throw wire::dynamodb::errors::idempotent_parameter_mismatch_exception(
        "The client request token was used with other parameters");
  }
  co_return PriorUse{.payload = std::string(record.payload)};
}

Task<void> remember_use(store::Transaction& txn, const RequestToken& token, const PriorUse& prior,
                        std::string_view payload, base::Time now) {
  if (prior.expired) txn.erase(minute_prefix(minute_of(*prior.expired)).append(token.scope));
  const base::Time expires = now + kTokenLifetime;
  txn.put(record_key(token.scope), encode({token.fingerprint, expires, payload}));
  txn.put(minute_prefix(minute_of(expires)).append(token.scope), "");
  co_await set_expiry_timer(txn, minute_of(expires));
}

Task<void> forget_expired_tokens(store::Store& store, const store::Timer& timer) {
  int64_t minute = 0;
  std::from_chars(timer.id.data(), timer.id.data() + timer.id.size(), minute);
  const std::string entries = minute_prefix(minute);
  bool finished = false;
  while (!finished) {
    finished = co_await store.transact([&](store::Transaction& txn) -> Task<bool> {
      std::vector<std::string> scopes;
      const store::EntryVisitor visit = [&](std::string_view key, std::string_view) {
        scopes.emplace_back(key.substr(entries.size()));
        return true;
      };
      co_await txn.scan(store::Range::prefix(entries), store::first(kForgottenPerCommitMax), visit);
      for (const std::string& scope : scopes) {
        txn.erase(record_key(scope));
        txn.erase(entries + scope);
      }
      if (scopes.size() == kForgottenPerCommitMax) co_return false;
      (void)co_await store::finish_timer(txn, timer);
      co_return true;
    });
  }
}

}  // namespace tidemill::dynamodb
