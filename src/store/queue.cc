#include "store/queue.h"

#include <cassert>

#include "base/ordered.h"
#include "store/keys.h"

namespace tidemill::store {

namespace {

// # f prefix -> the floor: the first bytes behind the prefix of the first key at which an entry may stand
constexpr char kFloor = 'f';
constexpr int kRaiseAttemptsMax = 3;

std::string floor_prefix(std::string_view prefix) {
  std::string key;
  key.reserve(2 + prefix.size());
  key = {static_cast<char>(KeySpace::tally), kFloor};
  key += prefix;
  return key;
}

}  // namespace

Queue::Queue(std::string prefix) : prefix_(std::move(prefix)), floor_key_(floor_prefix(prefix_)) {}

Range Queue::floors(std::string_view prefix) { return Range::prefix(floor_prefix(prefix)); }

std::string_view Queue::floor_of(std::string_view key) const {
  assert(key.starts_with(prefix_));
  return key.substr(prefix_.size(), kFloorBytesMax);
}

void Queue::put(Transaction& txn, std::string_view key, std::string_view value) const {
  txn.put(key, value);
  txn.lower(floor_key_, floor_of(key));
}

Task<std::string> Queue::front(Snapshot& reader) const {
  const auto floor = co_await reader.get(floor_key_);
  co_return prefix_ + floor.value_or("");
}

Task<std::string> Queue::front_untracked(Transaction& txn) const {
  const auto floor = co_await txn.get_untracked(floor_key_);
  co_return prefix_ + floor.value_or("");
}

void Queue::set_floor(Transaction& txn, std::string_view upto) const { txn.put(floor_key_, floor_of(upto)); }

Task<void> Queue::raise(Store& store, std::string upto) const {
  for (int attempt = 0; attempt < kRaiseAttemptsMax; ++attempt) {
    const auto txn = store.begin();
    const std::string from = co_await front(*txn);
    std::string floor = upto;
    co_await txn->scan({from, upto}, first(1), [&](std::string_view key, std::string_view) {
      floor = key;
      return true;
    });
    if (floor_of(floor) <= std::string_view(from).substr(prefix_.size())) co_return;
    set_floor(*txn, floor);
    if ((co_await store.commit(txn)).status == CommitStatus::committed) co_return;
  }
}

}  // namespace tidemill::store
