#include "services/states/activity.h"

#include <stdexcept>

#include "base/json_members.h"
#include "base/ordered.h"
#include "base/text.h"
#include "services/states/errors.h"
#include "services/states/keys.h"
#include "store/queue.h"
#include "store/resources.h"
#include "wire/arn.h"

namespace tidemill::states {
namespace {

constexpr store::ResourceType kActivities{"states", "activity"};
constexpr std::string_view kActivity = "activity:";

constexpr auto kActivityMembers = [](auto& member, auto& activity) {
  member("created_us", activity.created);
  member("tags", activity.tags);
};

// Keys begin with the time, so the queue's floor (store/queue.h) does, too.
store::Queue offers_of(std::string_view arn) { return store::Queue(activity_prefix(arn)); }

std::string time_key(std::string_view arn, base::Time at) {
  std::string key = activity_prefix(arn);
  base::append_i64(key, at.time_since_epoch().count());
  return key;
}

std::string offer_key(std::string_view arn, base::Time at, const TaskToken& task) {
  std::string key = time_key(arn, at);
  base::append_fixed(key, task.id.bytes);
  base::append_u32(key, task.frame);
  base::append_u32(key, task.attempt);
  return key;
}

}  // namespace

std::string ActivityRef::arn() const { return base::cat("arn:aws:states:", region, ":", account, ":activity:", name); }
std::string Activity::arn() const { return ActivityRef{account, region, name}.arn(); }

ActivityRef parse_activity_arn(std::string_view text) {
  const auto arn = wire::parse_arn_of("states", text);
  if (!arn || !arn->resource.starts_with(kActivity) || arn->resource.size() == kActivity.size()) {
    throw invalid_arn(text);
  }
  return {std::string(arn->account), std::string(arn->region), std::string(arn->resource.substr(kActivity.size()))};
}

std::string activity_key(const ActivityRef& ref) {
  return store::resource_key(kActivities, ref.account, ref.region, ref.name);
}

store::Range activities_range(std::string_view account, std::string_view region) {
  return store::resources_range(kActivities, account, region);
}

std::string encode_activity(const Activity& activity) { return json::encode(activity, kActivityMembers); }

Activity decode_activity(std::string_view key, std::string_view bytes) {
  auto address = store::resource_of_key(kActivities, key);
  if (!address) throw std::runtime_error("a stored activity is damaged: key");
  return json::decode("activity", bytes, kActivityMembers,
                      Activity{.account = std::move(address->account),
                               .region = std::move(address->region),
                               .name = std::move(address->name)});
}

Task<Activity> load_activity(store::Snapshot& reader, ActivityRef ref) {
  const std::string key = activity_key(ref);
  const auto bytes = co_await reader.get(key);
  if (!bytes) throw no_activity(ref.arn());
  co_return decode_activity(key, *bytes);
}

std::string activity_topic(std::string_view arn) { return base::cat("states-activity/", arn); }

void offer_activity(store::Transaction& txn, std::string_view arn, base::Time at, const TaskToken& task) {
  offers_of(arn).put(txn, offer_key(arn, at, task), "");
  txn.signal(activity_topic(arn));
}

void withdraw_activity(store::Transaction& txn, std::string_view arn, base::Time at, const TaskToken& task) {
  txn.erase(offer_key(arn, at, task));
}

Task<std::optional<OfferedTask>> first_offered(store::Transaction& txn, std::string arn) {
  const store::Queue offers = offers_of(arn);
  const std::string& prefix = offers.prefix();
  const store::Range range{co_await offers.front(txn), store::Range::prefix(prefix).end};
  std::optional<OfferedTask> found;
  co_await txn.scan(range, store::first(1), [&](std::string_view key, std::string_view) {
    base::OrderedReader reader(key.substr(prefix.size()));
    (void)reader.i64();
    OfferedTask offered{.key = std::string(key), .task = {.id = {std::string(reader.fixed(kExecutionIdBytes))}}};
    offered.task.frame = reader.u32();
    offered.task.attempt = reader.u32();
    if (!reader.ok()) throw std::runtime_error("a task offered to workers is damaged");
    found = std::move(offered);
    return false;
  });
  co_return found;
}

void take_offered(store::Transaction& txn, std::string_view arn, const OfferedTask& offered) {
  txn.erase(offered.key);
  offers_of(arn).set_floor(txn, offered.key);
}

Task<void> pass_withdrawn(store::Store& store, std::string arn, base::Time now) {
  const store::Queue offers = offers_of(arn);
  const std::string front = co_await offers.front(*store.snapshot());
  if (front < time_key(arn, now - kOfferFloorAge)) co_await offers.raise(store, time_key(arn, now));
}

void forget_offers(store::Transaction& txn, std::string_view arn) { txn.erase(offers_of(arn).floor_key()); }

}  // namespace tidemill::states
