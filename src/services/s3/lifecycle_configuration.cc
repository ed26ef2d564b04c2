// The rules of a bucket's lifecycle.
#include <set>

#include "base/text.h"
#include "base/uuid.h"
#include "services/s3/bucket_settings.h"
#include "services/s3/errors.h"
#include "services/s3/lifecycle.h"
#include "services/s3/operations.h"

namespace tidemill::s3 {
namespace {

namespace ops = shapes::ops;

constexpr size_t kRuleIdMax = 255;
constexpr int kNewerVersionsMax = 100;
// From which size on objects move to other classes; the default, and all that there is where there is one class.
constexpr const char* kTransitionSize = "all_storage_classes_128K";

void require_positive(const std::optional<int32_t>& number, std::string_view name, std::string_view action) {
  if (!number || *number > 0) return;
  throw errors::error("InvalidArgument", 400, base::cat("'", name, "' for ", action, " action must be a positive integer"));
}

void check_expiration(const shapes::LifecycleExpiration& expiration) {
  const int asked = expiration.days.has_value() + expiration.date.has_value() +
                    expiration.expired_object_delete_marker.has_value();
  if (asked != 1) throw errors::malformed_xml();
  require_positive(expiration.days, "Days", "Expiration");
  if (expiration.date && *expiration.date != std::chrono::floor<std::chrono::days>(*expiration.date)) {
    throw errors::error("InvalidArgument", 400, "'Date' must be at midnight GMT");
  }
}

void check_filter(const shapes::LifecycleRule& rule) {
  if (rule.filter && rule.prefix) throw errors::malformed_xml();
  if (!rule.filter && !rule.prefix) throw errors::malformed_xml();
  if (!rule.filter) return;
  const auto& filter = *rule.filter;
  const int asked = filter.prefix.has_value() + filter.tag.has_value() + filter.object_size_greater_than.has_value() +
                    filter.object_size_less_than.has_value() + filter.and_.has_value();
  if (asked > 1) throw errors::malformed_xml();
}

bool filters_by_tag(const shapes::LifecycleRule& rule) {
  return rule.filter && (rule.filter->tag || (rule.filter->and_ && rule.filter->and_->tags));
}

void check_actions(const shapes::LifecycleRule& rule) {
  if (!rule.expiration && !rule.noncurrent_version_expiration && !rule.abort_incomplete_multipart_upload) {
    throw errors::invalid_request("At least one action needs to be specified in a rule");
  }
  if (rule.expiration) check_expiration(*rule.expiration);
  if (const auto& noncurrent = rule.noncurrent_version_expiration) {
    if (!noncurrent->noncurrent_days) throw errors::malformed_xml();
    require_positive(noncurrent->noncurrent_days, "NoncurrentDays", "NoncurrentVersionExpiration");
    const int newer = noncurrent->newer_noncurrent_versions.value_or(1);
    if (newer < 1 || newer > kNewerVersionsMax) {
      throw errors::error("InvalidArgument", 400,
                          "'NewerNoncurrentVersions' for NoncurrentVersionExpiration action must be between 1 and 100");
    }
  }
  if (const auto& abort = rule.abort_incomplete_multipart_upload) {
    if (!abort->days_after_initiation) throw errors::malformed_xml();
    require_positive(abort->days_after_initiation, "DaysAfterInitiation", "AbortIncompleteMultipartUpload");
    if (filters_by_tag(rule)) {
      throw errors::invalid_request("AbortIncompleteMultipartUpload cannot be specified with Tags.");
    }
  }
  if (rule.expiration && rule.expiration->expired_object_delete_marker && filters_by_tag(rule)) {
    throw errors::invalid_request("ExpiredObjectDeleteMarker cannot be specified with Tags.");
  }
}

void check_rules(Rules& rules) {
  if (rules.empty() || rules.size() > kRulesMax) throw errors::malformed_xml();
  std::set<std::string> ids;
  for (auto& rule : rules) {
    check_filter(rule);
    check_actions(rule);
    if (!rule.id || rule.id->empty()) rule.id = base::new_uuid();
    if (rule.id->size() > kRuleIdMax) {
      throw errors::error("InvalidArgument", 400, "ID length should not exceed allowed limit of 255");
    }
    if (!ids.insert(*rule.id).second) {
      throw errors::error("InvalidArgument", 400, "Rule ID must be unique. Found same ID for more than one rule");
    }
  }
}

}  // namespace

Task<ops::PutBucketLifecycleConfiguration::Response> put_bucket_lifecycle_configuration(
    Service& service, wire::Context& context, const shapes::PutBucketLifecycleConfigurationInput& request) {
  if (!request.lifecycle_configuration) throw errors::malformed_xml();
  Rules rules = request.lifecycle_configuration->rules;
  check_rules(rules);
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    Bucket bucket = co_await require_bucket(txn, request.bucket, request.expected_bucket_owner);
    bucket.settings[kLifecycle] = write_document<ops::GetBucketLifecycleConfiguration>({.rules = rules});
    save_bucket(txn, bucket);
    co_await schedule_lifecycle(txn, bucket, context.now());
  });
  co_return shapes::PutBucketLifecycleConfigurationOutput{.transition_default_minimum_object_size = kTransitionSize};
}

Task<shapes::GetBucketLifecycleConfigurationOutput> get_bucket_lifecycle_configuration(
    Service& service, wire::Context&, const shapes::GetBucketLifecycleConfigurationInput& request) {
  const Bucket bucket = co_await read_bucket(service, request.bucket, request.expected_bucket_owner);
  const auto stored = require_setting<ops::PutBucketLifecycleConfiguration>(
      bucket, kLifecycle,
      errors::error("NoSuchLifecycleConfiguration", 404, "The lifecycle configuration does not exist",
                    {{"BucketName", bucket.name}}));
  co_return shapes::GetBucketLifecycleConfigurationOutput{.rules = stored.lifecycle_configuration->rules,
                                                          .transition_default_minimum_object_size = kTransitionSize};
}

Task<ops::DeleteBucketLifecycle::Response> delete_bucket_lifecycle(Service& service, wire::Context&,
                                                                   const shapes::DeleteBucketLifecycleInput& request) {
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    Bucket bucket = co_await require_bucket(txn, request.bucket, request.expected_bucket_owner);
    bucket.settings.erase(kLifecycle);
    save_bucket(txn, bucket);
    co_await cancel_lifecycle(txn, bucket);
  });
  co_return shapes::DeleteBucketLifecycleOutput{};
}

}  // namespace tidemill::s3
