#include "services/s3/lifecycle.h"

#include <algorithm>

#include "base/text.h"
#include "services/s3/bucket_settings.h"
#include "services/s3/listing.h"
#include "services/s3/operations.h"
#include "wire/timestamp.h"

namespace tidemill::s3 {
namespace {

using std::chrono::days;

// What a rule's filter, in its several spellings, asks of an object.
bool has_tags(const std::vector<shapes::Tag>& wanted, const TextMap& tags) {
  return std::ranges::all_of(wanted, [&](const shapes::Tag& tag) {
    const auto found = tags.find(tag.key);
    return found != tags.end() && found->second == tag.value;
  });
}

bool has_size(const std::optional<int64_t>& greater, const std::optional<int64_t>& less, uint64_t size) {
  return (!greater || static_cast<int64_t>(size) > *greater) && (!less || static_cast<int64_t>(size) < *less);
}

bool means(const shapes::LifecycleRule& rule, const std::string& key, const TextMap& tags, uint64_t size) {
  if (rule.prefix && !key.starts_with(*rule.prefix)) return false;
  if (!rule.filter) return true;
  const shapes::LifecycleRuleFilter& filter = *rule.filter;
  if (filter.prefix && !key.starts_with(*filter.prefix)) return false;
  if (filter.tag && !has_tags({*filter.tag}, tags)) return false;
  if (!has_size(filter.object_size_greater_than, filter.object_size_less_than, size)) return false;
  if (!filter.and_) return true;
  const shapes::LifecycleRuleAndOperator& all = *filter.and_;
  return (!all.prefix || key.starts_with(*all.prefix)) && (!all.tags || has_tags(*all.tags, tags)) &&
         has_size(all.object_size_greater_than, all.object_size_less_than, size);
}

bool means(const shapes::LifecycleRule& rule, const std::string& key, const Object& object) {
  return means(rule, key, object.description.tags, object.size);
}

void keep_earliest(std::optional<Due>& due, base::Time time, const shapes::LifecycleRule& rule) {
  if (!due || time < due->time) due = Due{time, rule.id.value_or("")};
}

}  // namespace

Rules lifecycle_rules(const Bucket& bucket) {
  const std::string* document = bucket.setting(kLifecycle);
  if (!document) return {};
  auto request = read_document<shapes::ops::PutBucketLifecycleConfiguration>(*document);
  Rules rules = std::move(request.lifecycle_configuration.value().rules);
  std::erase_if(rules, [](const auto& rule) { return rule.status != "Enabled"; });
  return rules;
}

base::Time midnight_after(base::Time time, int count) {
  return std::chrono::floor<days>(time + days(count)) + days(1);
}

std::optional<Due> expiry_of(const Rules& rules, const std::string& key, const Object& object) {
  std::optional<Due> due;
  for (const auto& rule : rules) {
    if (!rule.expiration || !means(rule, key, object)) continue;
    if (rule.expiration->days) keep_earliest(due, midnight_after(object.modified, *rule.expiration->days), rule);
    if (rule.expiration->date) keep_earliest(due, *rule.expiration->date, rule);
  }
  return due;
}

std::optional<Due> noncurrent_expiry_of(const Rules& rules, const std::string& key, const Object& object, int newer) {
  std::optional<Due> due;
  for (const auto& rule : rules) {
    const auto& expiration = rule.noncurrent_version_expiration;
    if (!expiration || !expiration->noncurrent_days || !means(rule, key, object)) continue;
    if (newer < expiration->newer_noncurrent_versions.value_or(0)) continue;
    keep_earliest(due, midnight_after(object.noncurrent_since.value_or(object.modified), *expiration->noncurrent_days),
                  rule);
  }
  return due;
}

std::optional<Due> lone_marker_expiry_of(const Rules& rules, const std::string& key, const Object& marker) {
  std::optional<Due> due;
  for (const auto& rule : rules) {
    if (!rule.expiration || !means(rule, key, marker)) continue;
    if (rule.expiration->expired_object_delete_marker.value_or(false)) {
      keep_earliest(due, midnight_after(marker.modified, 0), rule);
    }
    if (rule.expiration->days) keep_earliest(due, midnight_after(marker.modified, *rule.expiration->days), rule);
  }
  return due;
}

std::optional<Due> abort_of(const Rules& rules, const std::string& key, const Upload& upload) {
  std::optional<Due> due;
  for (const auto& rule : rules) {
    const auto& abort = rule.abort_incomplete_multipart_upload;
    if (!abort || !abort->days_after_initiation || !means(rule, key, {}, 0)) continue;
    keep_earliest(due, midnight_after(upload.initiated, *abort->days_after_initiation), rule);
  }
  return due;
}

std::optional<std::string> expiration_header(const Bucket& bucket, const std::string& key, const Object& object) {
  if (object.noncurrent_since) return std::nullopt;  // when an old version goes is not told, as on AWS
  const auto due = expiry_of(lifecycle_rules(bucket), key, object);
  if (!due) return std::nullopt;
  return base::cat("expiry-date=\"", wire::format_timestamp(due->time, wire::TimestampFormat::http_date),
                   "\", rule-id=\"", encode_key(due->rule), "\"");
}

std::optional<Due> abort_of(const Bucket& bucket, const std::string& key, const Upload& upload) {
  return abort_of(lifecycle_rules(bucket), key, upload);
}

Task<void> schedule_lifecycle(store::Transaction& txn, const Bucket& bucket, base::Time now) {
  const store::Timer timer{.kind = std::string(kLifecycleTimer.name),
                           .id = bucket.id,
                           .due = midnight_after(now, 0),
                           .payload = bucket.name};
  co_await store::set_timer(txn, timer);
}

Task<void> cancel_lifecycle(store::Transaction& txn, const Bucket& bucket) {
  return store::cancel_timer(txn, kLifecycleTimer, bucket.id);
}

}  // namespace tidemill::s3
