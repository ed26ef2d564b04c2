// Activities: workers elsewhere poll for tasks (GetActivityTask) and answer by the tasks' tokens. Tasks that no
// worker has taken stand in a queue of the activity's (store/queue.h), the oldest first.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/json_record.h"
#include "services/states/token.h"
#include "store/store.h"

namespace tidemill::states {

struct Activity {
  std::string account;
  std::string region;
  std::string name;
  base::Time created;
  json::TextMap tags;

  [[nodiscard]] std::string arn() const;
};

struct ActivityRef {
  std::string account;
  std::string region;
  std::string name;
  [[nodiscard]] std::string arn() const;
};
// Throws InvalidArn.
[[nodiscard]] ActivityRef parse_activity_arn(std::string_view arn);

[[nodiscard]] std::string activity_key(const ActivityRef& ref);
[[nodiscard]] store::Range activities_range(std::string_view account, std::string_view region);
[[nodiscard]] std::string encode_activity(const Activity& activity);
[[nodiscard]] Activity decode_activity(std::string_view key, std::string_view bytes);
// Throws ActivityDoesNotExist.
Task<Activity> load_activity(store::Snapshot& reader, ActivityRef ref);

void offer_activity(store::Transaction& txn, std::string_view arn, base::Time at, const TaskToken& task);
void withdraw_activity(store::Transaction& txn, std::string_view arn, base::Time at, const TaskToken& task);
// Signalled by each offer.
[[nodiscard]] std::string activity_topic(std::string_view arn);

struct OfferedTask {
  std::string key;
  TaskToken task;
};
// The oldest; tracked.
Task<std::optional<OfferedTask>> first_offered(store::Transaction& txn, std::string arn);
// Removes what first_offered has found in this transaction: the next look begins there.
void take_offered(store::Transaction& txn, std::string_view arn, const OfferedTask& offered);

// For who has found nothing: what was withdrawn is not stepped over by the next look. Writes if that was not done for
// as long.
inline constexpr std::chrono::minutes kOfferFloorAge{1};
Task<void> pass_withdrawn(store::Store& store, std::string arn, base::Time now);

// With the activity; what is still offered stays for one of the same name.
void forget_offers(store::Transaction& txn, std::string_view arn);

}  // namespace tidemill::states
