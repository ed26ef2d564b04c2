#include "services/cloudwatch/composite_watch.h"

#include "base/ordered.h"
#include "store/keys.h"

namespace tidemill::cloudwatch {
namespace {

constexpr char kParent = 'p';

std::string prefix_of(const store::ResourceAddress& child) {
  std::string key{static_cast<char>(store::KeySpace::metric), kParent};
  for (const std::string* part : {&child.account, &child.region, &child.name}) base::append_string(key, *part);
  return key;
}

}  // namespace

std::string composite_key(const store::ResourceAddress& address) {
  return store::resource_key(kCompositeAlarmType, address.account, address.region, address.name);
}

std::string parent_key(const store::ResourceAddress& child, std::string_view parent) {
  std::string key = prefix_of(child);
  base::append_fixed(key, parent);
  return key;
}

store::Range parents_range(const store::ResourceAddress& child) { return store::Range::prefix(prefix_of(child)); }

std::string parent_of_key(std::string_view key) {
  base::OrderedReader reader(key.substr(2));
  for (int part = 0; part < 3; ++part) (void)reader.string();
  return std::string(reader.rest());
}

Task<void> evaluate_composite_at(store::Transaction& txn, const store::ResourceAddress& address, base::Time due) {
  const std::string id = composite_key(address);
  const auto before = co_await store::timer_due(txn, kCompositeTimer, id);
  if (before && *before <= due) co_return;
  co_await store::set_timer(txn, {.kind = std::string(kCompositeTimer.name), .id = id, .due = due});
}

Task<void> evaluate_parents(store::Transaction& txn, const store::ResourceAddress& child, base::Time now) {
  std::vector<std::string> parents;
  co_await txn.scan(parents_range(child), store::Direction::forward, [&](std::string_view key, std::string_view) {
    parents.push_back(parent_of_key(key));
    return true;
  });
  for (const std::string& parent : parents) {
    co_await evaluate_composite_at(txn, {child.account, child.region, parent}, now);
  }
}

}  // namespace tidemill::cloudwatch
