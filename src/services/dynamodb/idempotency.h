// Client request tokens: what was carried out under a token is not carried out again for ten minutes.
//
// The record of a token commits together with what the request did, so a crash leaves both or neither. Whether a token
// still counts is decided by its record's time alone, exact to the microsecond. The timers here only give the space
// back, one for all tokens that expire in the same minute, so they run as housekeeping.
//
//   const PriorUse prior = co_await find_prior_use(txn, token, now);   // throws IdempotentParameterMismatchException
//   if (prior.payload) …the request was carried out before; this is what it left to answer with…
//   …
//   co_await remember_use(txn, token, prior, payload, now);
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "services/dynamodb/types.h"
#include "store/store.h"
#include "store/timer.h"
#include "wire/context.h"

namespace tidemill::dynamodb {

inline constexpr std::chrono::minutes kTokenLifetime{10};
inline constexpr store::TimerKind kTokenExpiryTimer{"dynamodb-token-expiry"};  // id: the minute of expiry since 1970

// Makes of a request's parameters what tells it from all others. Equal requests have equal fingerprints, however their
// items are spelled: values go in as their canonical encoding.
class Fingerprint {
 public:
  Fingerprint& add(std::string_view part);
  Fingerprint& add(ItemView item) { return add(item.encoded()); }
  Fingerprint& add(const std::optional<std::string>& part);
  Fingerprint& add(const std::optional<Item>& item);
  Fingerprint& add(const std::optional<std::map<std::string, std::string>>& names);

  static constexpr size_t kSize = 32;
  [[nodiscard]] std::string bytes() const;

 private:
  void add_presence(bool present) { parts_.push_back(present ? '\1' : '\0'); }

  std::string parts_;
};

// A token is good for one operation of one account in one region.
struct RequestToken {
  std::string scope;        // what its record's key is made of
  std::string fingerprint;  // Fingerprint::bytes()
};
[[nodiscard]] RequestToken request_token(const wire::Context& context, std::string_view operation,
                                         const std::string& token, const Fingerprint& fingerprint);

struct PriorUse {
  std::optional<std::string> payload;  // of a use that still counts
  std::optional<base::Time> expired;   // there is a record which has expired, at this time
};
// Throws IdempotentParameterMismatchException if the token was used with other parameters.
Task<PriorUse> find_prior_use(store::Transaction& txn, const RequestToken& token, base::Time now);

// `prior` has no payload, and was found in the same transaction.
Task<void> remember_use(store::Transaction& txn, const RequestToken& token, const PriorUse& prior,
                        std::string_view payload, base::Time now);

// The handler of the timers: forgets the tokens of one minute. Running it again does no harm.
Task<void> forget_expired_tokens(store::Store& store, const store::Timer& timer);

}  // namespace tidemill::dynamodb
