// Which events of a bucket are told to whom.
#include <algorithm>
#include <array>

#include "base/json.h"
#include "base/text.h"
#include "base/uuid.h"
#include "services/s3/bucket_settings.h"
#include "services/s3/errors.h"
#include "services/s3/notification_targets.h"
#include "services/s3/operations.h"
#include "services/s3/words.h"

namespace tidemill::s3 {
namespace {

namespace ops = shapes::ops;

constexpr size_t kConfigurationsMax = 100;

// Those that something here gives rise to.
constexpr std::array<std::string_view, 14> kEvents{
    "s3:ObjectCreated:*",         "s3:ObjectCreated:Put",
    "s3:ObjectCreated:Post",      "s3:ObjectCreated:Copy",
    "s3:ObjectCreated:CompleteMultipartUpload",
    "s3:ObjectRemoved:*",         "s3:ObjectRemoved:Delete",
    "s3:ObjectRemoved:DeleteMarkerCreated",
    "s3:LifecycleExpiration:*",   "s3:LifecycleExpiration:Delete",
    "s3:LifecycleExpiration:DeleteMarkerCreated",
    "s3:ObjectTagging:*",         "s3:ObjectTagging:Put",
    "s3:ObjectTagging:Delete"};
// Those that AWS has beside them.
constexpr std::array<std::string_view, 7> kUnsupportedEvents{"s3:ReducedRedundancyLostObject", "s3:ObjectRestore:",
                                                             "s3:Replication:",               "s3:LifecycleTransition",
                                                             "s3:IntelligentTiering",         "s3:ObjectAcl:Put",
                                                             "s3:TestEvent"};

// One of a request's configurations, whatever its target.
struct Entry {
  TargetKind kind;
  std::string target;
  std::vector<std::string> events;
  std::string prefix;
  std::string suffix;
};

void check_events(const std::vector<std::string>& events) {
  if (events.empty()) throw errors::malformed_xml();
  for (const std::string& event : events) {
    if (contains(kEvents, event)) continue;
    for (const std::string_view known : kUnsupportedEvents) {
      if (event.starts_with(known)) throw errors::not_implemented(base::cat("the event ", event));
    }
    throw errors::invalid_argument("A specified event is not supported for notifications.", "Event", event);
  }
}

// The filter's prefix and suffix. Throws for other rules, and for two of one name. Names may be in any case, and become
// those that AWS shows.
void read_filter(std::optional<shapes::NotificationConfigurationFilter>& filter, Entry& entry) {
  if (!filter || !filter->key || !filter->key->filter_rules) return;
  bool has_prefix = false, has_suffix = false;
  for (auto& rule : *filter->key->filter_rules) {
    const std::string name = lower(rule.name.value_or(""));
    if (name != "prefix" && name != "suffix") {
      throw errors::invalid_argument("filter rule name must be either prefix or suffix", "FilterRule.Name", name);
    }
    bool& seen = name == "prefix" ? has_prefix : has_suffix;
    if (seen) {
      throw errors::invalid_argument(base::cat("Cannot specify more than one ", name, " rule in a filter."),
                                     "FilterRule.Name", name);
    }
    seen = true;
    rule.name = name == "prefix" ? "Prefix" : "Suffix";
    (name == "prefix" ? entry.prefix : entry.suffix) = rule.value.value_or("");
  }
}

template <class Configurations, class TargetOf>
void add_entries(std::vector<Entry>& entries, Configurations& configurations, TargetKind kind, TargetOf target_of) {
  if (!configurations) return;
  for (auto& each : *configurations) {
    check_events(each.events);
    if (!each.id || each.id->empty()) each.id = base::new_uuid();
    Entry entry{.kind = kind, .target = target_of(each), .events = each.events};
    read_filter(each.filter, entry);
    entries.push_back(std::move(entry));
  }
}

bool one_begins_with_other(std::string_view a, std::string_view b) { return a.starts_with(b) || b.starts_with(a); }
bool one_ends_with_other(std::string_view a, std::string_view b) { return a.ends_with(b) || b.ends_with(a); }

bool share_event(const Entry& a, const Entry& b) {
  const auto covers = [](std::string_view type, std::string_view other) {
    return type == other || (type.ends_with('*') && other.starts_with(type.substr(0, type.size() - 1)));
  };
  for (const std::string& x : a.events) {
    for (const std::string& y : b.events) {
      if (covers(x, y) || covers(y, x)) return true;
    }
  }
  return false;
}

// An event goes to one target at most.
void check_overlaps(const std::vector<Entry>& entries) {
  for (size_t i = 0; i < entries.size(); ++i) {
    for (size_t j = i + 1; j < entries.size(); ++j) {
      const Entry& a = entries[i];
      const Entry& b = entries[j];
      if (!share_event(a, b) || !one_begins_with_other(a.prefix, b.prefix) || !one_ends_with_other(a.suffix, b.suffix)) {
        continue;
      }
      throw errors::error("InvalidArgument", 400,
                          "Configuration is ambiguously defined. Cannot have overlapping suffixes in two rules if the "
                          "prefixes are overlapping for the same event type.");
    }
  }
}

Task<void> check_targets(wire::Context& context, const Bucket& bucket, const std::vector<Entry>& entries) {
  for (const Entry& entry : entries) {
    const auto fault = co_await find_fault(context, bucket, entry.kind, entry.target);
    if (!fault) continue;
    throw errors::error("InvalidArgument", 400, "Unable to validate the following destination configurations",
                        {{"ArgumentName", entry.target}, {"ArgumentValue", *fault}});
  }
}

// What queues and topics are told when events are to go to them.
std::string test_event(const wire::Context& context, const std::string& bucket) {
  return json::write(json::Object{{"Service", "Amazon S3"},
                                  {"Event", "s3:TestEvent"},
                                  {"Time", base::iso_milliseconds(context.now()) + "Z"},
                                  {"Bucket", bucket},
                                  {"RequestId", context.request_id},
                                  {"HostId", context.request_id}});
}

Task<void> send_test_events(store::Transaction& txn, const wire::Context& context, const Bucket& bucket,
                            const std::vector<Entry>& entries) {
  std::vector<std::string> told;
  for (const Entry& entry : entries) {
    if (entry.kind == TargetKind::function || contains(told, entry.target)) continue;
    told.push_back(entry.target);
    co_await store::enqueue_delivery(txn, delivery_to(entry.kind, bucket, entry.target, test_event(context, bucket.name)),
                                     context.now());
  }
}

std::vector<Entry> read_entries(shapes::NotificationConfiguration& configuration) {
  std::vector<Entry> entries;
  add_entries(entries, configuration.queue_configurations, TargetKind::queue,
              [](const auto& each) { return each.queue_arn; });
  add_entries(entries, configuration.topic_configurations, TargetKind::topic,
              [](const auto& each) { return each.topic_arn; });
  add_entries(entries, configuration.lambda_function_configurations, TargetKind::function,
              [](const auto& each) { return each.lambda_function_arn; });
  if (entries.size() > kConfigurationsMax) {
    throw errors::invalid_request("The number of notification configurations exceeds the limit of 100.");
  }
  check_overlaps(entries);
  return entries;
}

}  // namespace

Task<ops::PutBucketNotificationConfiguration::Response> put_bucket_notification_configuration(
    Service& service, wire::Context& context, const shapes::PutBucketNotificationConfigurationInput& request) {
  shapes::NotificationConfiguration configuration = request.notification_configuration;
  const std::vector<Entry> entries = read_entries(configuration);
  const Bucket known = co_await read_bucket(service, request.bucket, request.expected_bucket_owner);
  if (!request.skip_destination_validation.value_or(false)) co_await check_targets(context, known, entries);

  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    Bucket bucket = co_await require_bucket(txn, request.bucket, request.expected_bucket_owner);
    if (entries.empty() && !configuration.event_bridge_configuration)
      bucket.settings.erase(kNotification);
    else
      bucket.settings[kNotification] = write_document<ops::GetBucketNotificationConfiguration>(
          {.topic_configurations = configuration.topic_configurations,
           .queue_configurations = configuration.queue_configurations,
           .lambda_function_configurations = configuration.lambda_function_configurations,
           .event_bridge_configuration = configuration.event_bridge_configuration});
    save_bucket(txn, bucket);
    co_await send_test_events(txn, context, bucket, entries);
  });
  co_return shapes::PutBucketNotificationConfigurationOutput{};
}

Task<shapes::GetBucketNotificationConfigurationOutput> get_bucket_notification_configuration(
    Service& service, wire::Context&, const shapes::GetBucketNotificationConfigurationInput& request) {
  const Bucket bucket = co_await read_bucket(service, request.bucket, request.expected_bucket_owner);
  const std::string* document = bucket.setting(kNotification);
  if (!document) co_return shapes::GetBucketNotificationConfigurationOutput{};
  auto stored = read_document<ops::PutBucketNotificationConfiguration>(*document).notification_configuration;
  co_return shapes::GetBucketNotificationConfigurationOutput{
      .topic_configurations = std::move(stored.topic_configurations),
      .queue_configurations = std::move(stored.queue_configurations),
      .lambda_function_configurations = std::move(stored.lambda_function_configurations),
      .event_bridge_configuration = stored.event_bridge_configuration};
}

}  // namespace tidemill::s3
