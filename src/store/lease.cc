#include "store/lease.h"

#include <stdexcept>

#include "base/ordered.h"
#include "store/keys.h"

namespace tidemill::store {

namespace {

// E m process -> life, beats
// E l name    -> process, life, term; the name as it is, so that a prefix of names is a range
constexpr char kMember = 'm';
constexpr char kLease = 'l';

std::string key_of(char kind, std::string_view name) {
  std::string key{static_cast<char>(KeySpace::lease), kind};
  base::append_fixed(key, name);
  return key;
}

std::string member_key(std::string_view process) { return key_of(kMember, process); }
std::string lease_key(std::string_view name) { return key_of(kLease, name); }

std::string encode(const Member& member) {
  std::string value;
  base::append_u64(value, member.life);
  base::append_u64(value, member.beats);
  return value;
}

std::string encode(const Lease& lease) {
  std::string value;
  base::append_string(value, lease.process);
  base::append_u64(value, lease.life);
  base::append_u64(value, lease.term);
  return value;
}

Member decode_member(std::string_view key, std::string_view value) {
  base::OrderedReader reader(value);
  Member member{.process = std::string(key.substr(member_key("").size()))};
  member.life = reader.u64();
  member.beats = reader.u64();
  if (!reader.ok() || !reader.at_end()) throw std::runtime_error("the record of a member is not readable");
  return member;
}

Lease decode_lease(std::string_view key, std::string_view value) {
  base::OrderedReader reader(value);
  Lease lease{.name = std::string(key.substr(lease_key("").size()))};
  lease.process = reader.string();
  lease.life = reader.u64();
  lease.term = reader.u64();
  if (!reader.ok() || !reader.at_end()) throw std::runtime_error("a lease is not readable");
  return lease;
}

Task<std::optional<Member>> load_member(Transaction& txn, std::string_view process) {
  const std::string key = member_key(process);
  const auto value = co_await txn.get(key);
  if (!value) co_return std::nullopt;
  co_return decode_member(key, *value);
}

// Those whose names start with `prefix`.
Task<std::vector<Lease>> leases(Transaction& txn, std::string_view prefix, bool tracked) {
  std::vector<Lease> found;
  const Range range = Range::prefix(lease_key(prefix));
  const EntryVisitor visit = [&](std::string_view key, std::string_view value) {
    found.push_back(decode_lease(key, value));
    return true;
  };
  if (tracked) {
    co_await txn.scan(range, Direction::forward, visit);
  } else {
    co_await txn.scan_untracked(range, Direction::forward, visit);
  }
  co_return found;
}

}  // namespace

Task<bool> lives(Transaction& txn, std::string_view process, uint64_t life) {
  const auto member = co_await load_member(txn, process);
  co_return member && member->life == life;
}

void join(Transaction& txn, const Member& member) {
  txn.put(member_key(member.process), encode(member));
  txn.signal(kLeasesTopic);
}

Task<bool> beat(Transaction& txn, const Member& member) {
  if (!co_await lives(txn, member.process, member.life)) co_return false;
  txn.put(member_key(member.process), encode(member));
  co_return true;
}

Task<std::vector<Member>> members(Snapshot& snapshot) {
  std::vector<Member> found;
  co_await snapshot.scan(Range::prefix(member_key("")), Direction::forward,
                         [&](std::string_view key, std::string_view value) {
                           found.push_back(decode_member(key, value));
                           return true;
                         });
  co_return found;
}

// The leases go with it so that nobody need ask after an owner that is long gone. Each is read again, so that one that
// somebody is taking meanwhile is not taken from him.
Task<bool> bury(Transaction& txn, const Member& member) {
  if (co_await load_member(txn, member.process) != member) co_return false;
  txn.erase(member_key(member.process));
  for (const Lease& lease : co_await leases(txn, "", false)) {
    if (lease.process == member.process) co_await release_lease(txn, lease);
  }
  txn.signal(kLeasesTopic);
  co_return true;
}

Task<bool> take_lease(Transaction& txn, const Lease& lease) {
  if (!co_await lives(txn, lease.process, lease.life)) co_return false;
  const std::string key = lease_key(lease.name);
  if (const auto value = co_await txn.get(key)) {
    const Lease held = decode_lease(key, *value);
    if (co_await lives(txn, held.process, held.life)) co_return false;
  }
  txn.put(key, encode(lease));
  co_return true;
}

Task<void> release_lease(Transaction& txn, const Lease& lease) {
  if (!co_await holds_lease(txn, lease)) co_return;
  txn.erase(lease_key(lease.name));
  txn.signal(kLeasesTopic);
}

Task<bool> holds_lease(Transaction& txn, const Lease& lease) {
  const auto value = co_await txn.get(lease_key(lease.name));
  co_return value && *value == encode(lease);
}

Task<bool> is_leased(Transaction& txn, std::string_view prefix) {
  for (const Lease& lease : co_await leases(txn, prefix, true)) {
    if (co_await lives(txn, lease.process, lease.life)) co_return true;
  }
  co_return false;
}

}  // namespace tidemill::store
