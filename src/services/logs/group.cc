#include "services/logs/group.h"

#include <openssl/rand.h>

#include <stdexcept>

#include "base/json_members.h"
#include "base/text.h"
#include "services/logs/errors.h"

namespace tidemill::logs {

Milliseconds milliseconds(base::Time time) {
  return std::chrono::floor<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

std::string LogGroup::arn() const {
  return base::cat("arn:aws:logs:", address.region, ":", address.account, ":log-group:", address.name);
}

Milliseconds LogGroup::oldest_kept(base::Time now) const {
  return retention_days ? milliseconds(now - std::chrono::days(*retention_days)) : 0;
}

std::string new_id() {
  std::string id(kIdSize, '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(id.data()), static_cast<int>(id.size())) != 1) {
    throw std::runtime_error("no random bytes");
  }
  return id;
}

std::string group_key(const store::ResourceAddress& address) {
  return store::resource_key(kLogGroupType, address.account, address.region, address.name);
}

namespace {

constexpr auto kGroupMembers = [](auto& member, auto& group) {
  member.bytes("id", group.id);
  member.check(group.id.size() == kIdSize, "id");
  member("created_us", group.created);
  member("retention_days", group.retention_days);
  member("tags", group.tags);
  member.list_unless_empty("metric_filters", "log group", group.metric_filters, kMetricFilterMembers);
  member.list_unless_empty("subscription_filters", "log group", group.subscription_filters, kSubscriptionFilterMembers);
};

}  // namespace

std::string encode_group(const LogGroup& group) { return json::encode(group, kGroupMembers); }

LogGroup decode_group(store::ResourceAddress address, std::string bytes) {
  LogGroup group = json::decode("log group", bytes, kGroupMembers, LogGroup{.address = std::move(address)});
  for (MetricFilter& filter : group.metric_filters) filter.pattern = parsed_pattern(filter.pattern_text);
  for (SubscriptionFilter& filter : group.subscription_filters) filter.pattern = parsed_pattern(filter.pattern_text);
  group.encoded = std::move(bytes);
  return group;
}

Task<LogGroupPtr> GroupCache::find(store::Snapshot& reader, store::ResourceAddress address) {
  std::string key = group_key(address);
  std::optional<std::string> bytes = co_await reader.get(key);
  if (!bytes) co_return nullptr;
  {
    const std::lock_guard lock(mutex_);
    const auto found = groups_.find(key);
    if (found != groups_.end() && found->second->encoded == *bytes) co_return found->second;
  }
  auto group = std::make_shared<const LogGroup>(decode_group(std::move(address), *std::move(bytes)));
  const std::lock_guard lock(mutex_);
  if (groups_.size() >= kGroupsMax) groups_.clear();
  groups_.insert_or_assign(std::move(key), group);
  co_return group;
}

Task<LogGroupPtr> GroupCache::get(store::Snapshot& reader, store::ResourceAddress address) {
  LogGroupPtr group = co_await find(reader, std::move(address));
  if (!group) throw group_not_found();
  co_return group;
}

}  // namespace tidemill::logs
