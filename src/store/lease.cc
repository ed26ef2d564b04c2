#include "store/lease.h"

#include <stdexcept>

#include "base/ordered.h"
#include "store/keys.h"

namespace tidemill::store {

namespace {

// E name -> epoch, expires, owner. A released lease stays with an empty owner, so that its epoch goes on.
std::string lease_key(std::string_view name) {
  std::string key(1, static_cast<char>(KeySpace::lease));
  base::append_string(key, name);
  return key;
}

Task<std::optional<Lease>> load(Transaction& txn, std::string_view name) {
  const auto value = co_await txn.get(lease_key(name));
  if (!value) co_return std::nullopt;
  base::OrderedReader reader(*value);
  Lease lease;
  lease.name = name;
  lease.epoch = reader.u64();
  lease.expires = base::Time(base::Duration(reader.i64()));
  lease.owner = reader.string();
  if (!reader.ok() || !reader.at_end()) throw std::runtime_error("a lease is not readable");
  co_return lease;
}

void save(Transaction& txn, const Lease& lease) {
  std::string value;
  base::append_u64(value, lease.epoch);
  base::append_i64(value, lease.expires.time_since_epoch().count());
  base::append_string(value, lease.owner);
  txn.put(lease_key(lease.name), value);
}

bool same_holder(const std::optional<Lease>& stored, const Lease& lease) {
  return stored && stored->owner == lease.owner && stored->epoch == lease.epoch;
}

}  // namespace

Task<std::optional<Lease>> acquire_lease(Transaction& txn, std::string_view name, std::string_view owner,
                                         base::Time now, base::Duration length) {
  const auto stored = co_await load(txn, name);
  const bool mine = stored && stored->owner == owner;
  if (stored && !mine && !stored->owner.empty() && now < stored->expires) co_return std::nullopt;
  Lease lease{std::string(name), std::string(owner), now + length, stored ? stored->epoch + (mine ? 0 : 1) : 1};
  save(txn, lease);
  co_return lease;
}

Task<std::optional<Lease>> renew_lease(Transaction& txn, const Lease& lease, base::Time now, base::Duration length) {
  if (!same_holder(co_await load(txn, lease.name), lease)) co_return std::nullopt;
  Lease renewed = lease;
  renewed.expires = now + length;
  save(txn, renewed);
  co_return renewed;
}

Task<void> release_lease(Transaction& txn, const Lease& lease) {
  if (!same_holder(co_await load(txn, lease.name), lease)) co_return;
  Lease released = lease;
  released.owner.clear();
  save(txn, released);
}

Task<bool> holds_lease(Transaction& txn, const Lease& lease) {
  co_return same_holder(co_await load(txn, lease.name), lease);
}

}  // namespace tidemill::store
