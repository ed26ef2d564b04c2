// What a log group is, and how it is kept: as a resource (account, region, "logs", "log-group", name).
//
// The record also guards what the group holds: whoever writes streams or events reads it in the same transaction, so
// that deleting a group, which writes it, can erase everything at once.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "services/logs/metric_filter.h"
#include "services/logs/subscription_filter.h"
#include "store/resources.h"
#include "store/store.h"

namespace tidemill::logs {

inline constexpr size_t kIdSize = 16;
inline constexpr store::ResourceType kLogGroupType{"logs", "log-group"};

using Milliseconds = int64_t;  // since 1970: the times of this API

[[nodiscard]] Milliseconds milliseconds(base::Time time);

struct LogGroup {
  store::ResourceAddress address;
  std::string id;  // kIdSize random bytes: a group that is made again has another
  base::Time created;
  std::optional<int> retention_days;  // nothing: events are kept for ever
  std::map<std::string, std::string> tags;
  std::vector<MetricFilter> metric_filters;              // by name
  std::vector<SubscriptionFilter> subscription_filters;  // by name

  std::string encoded;  // by decode_group

  // "arn:aws:logs:us-east-1:000000000000:log-group:/aws/lambda/f"
  [[nodiscard]] std::string arn() const;
  // Events before this have outlived the group's retention.
  [[nodiscard]] Milliseconds oldest_kept(base::Time now) const;
};

using LogGroupPtr = std::shared_ptr<const LogGroup>;

[[nodiscard]] std::string new_id();
[[nodiscard]] std::string group_key(const store::ResourceAddress& address);
[[nodiscard]] std::string encode_group(const LogGroup& group);
// Throws std::runtime_error if `bytes` are damaged.
[[nodiscard]] LogGroup decode_group(store::ResourceAddress address, std::string bytes);

// Keeps decoded groups, used only as long as the store still says the same. Any thread.
class GroupCache {
 public:
  static constexpr size_t kGroupsMax = 10'000;  // kept; beyond, the cache starts anew

  // nullptr: there is no such group. The read is tracked if `reader` is a transaction.
  Task<LogGroupPtr> find(store::Snapshot& reader, store::ResourceAddress address);
  // The same; throws ResourceNotFoundException.
  Task<LogGroupPtr> get(store::Snapshot& reader, store::ResourceAddress address);

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, LogGroupPtr> groups_;  // by group_key
};

}  // namespace tidemill::logs
