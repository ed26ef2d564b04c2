// What locks a bucket's objects: the bucket's configuration, and the retention and the legal hold of each version.
#include "services/s3/bucket_settings.h"
#include "services/s3/errors.h"
#include "services/s3/object_lock.h"
#include "services/s3/operations.h"
#include "services/s3/reading.h"
#include "services/s3/versions.h"
#include "wire/timestamp.h"

namespace tidemill::s3 {
namespace {

namespace ops = shapes::ops;

constexpr std::string_view kEnabled = "Enabled";

void check_default(const shapes::DefaultRetention& retention) {
  const bool names_mode = retention.mode && lock_mode_of(*retention.mode);
  if (!names_mode || retention.days.has_value() == retention.years.has_value()) throw errors::malformed_xml();
  const int count = retention.days ? *retention.days : *retention.years;
  if (count <= 0) {
    throw errors::invalid_argument("Default retention period must be a positive integer value",
                                   retention.days ? "Days" : "Years", std::to_string(count));
  }
  if (count > (retention.days ? kLockDaysMax : kLockYearsMax)) {
    throw errors::invalid_argument("Default retention period is too large", retention.days ? "Days" : "Years",
                                   std::to_string(count));
  }
}

wire::Error no_lock_of_object() {
  return errors::error("NoSuchObjectLockConfiguration", 404,
                       "The specified object does not have a ObjectLock configuration");
}

// Of a bucket whose objects can be locked.
Task<FoundObject> require_lockable(store::Snapshot& reader, ObjectRequest request) {
  FoundObject found = co_await require_object(reader, request);
  if (!has_object_lock(found.bucket)) throw errors::invalid_request("Bucket is missing Object Lock Configuration");
  co_return found;
}

// Changes what is told of a version. `change` gets the bucket and the version.
template <class Change>
Task<void> change_version(Service& service, ObjectRequest request, Change change) {
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    FoundObject found = co_await require_lockable(txn, request);
    change(found.object);
    const auto current = co_await find_object(txn, found.bucket, request.key);
    save_object(txn, found.bucket, request.key, found.object, current && current->version == found.object.version);
  });
}

// What may be done to a retention: it is made longer by everybody who may set it, and less only where it is GOVERNANCE
// and who asks passes over that.
void check_change(const Object& object, const std::optional<Retention>& wanted, bool bypasses, base::Time now) {
  const auto kept = retention_of(object.description.system);
  if (!kept || kept->until <= now) return;
  const bool is_less = !wanted || wanted->until < kept->until ||
                       (kept->mode == LockMode::compliance && wanted->mode != LockMode::compliance);
  const bool is_other_mode = wanted && wanted->mode != kept->mode;
  if (kept->mode == LockMode::compliance ? is_less : (is_less || is_other_mode) && !bypasses) throw locked_error();
}

std::optional<Retention> wanted_retention(const std::optional<shapes::ObjectLockRetention>& asked, base::Time now) {
  if (!asked || (!asked->mode && !asked->retain_until_date)) return std::nullopt;  // none from now on
  const auto mode = asked->mode ? lock_mode_of(*asked->mode) : std::nullopt;
  if (!mode || !asked->retain_until_date) throw errors::malformed_xml();
  if (*asked->retain_until_date <= now) {
    throw errors::invalid_argument("The retain until date must be in the future!", "RetainUntilDate",
                                   wire::format_timestamp(*asked->retain_until_date, wire::TimestampFormat::date_time));
  }
  return Retention{*mode, *asked->retain_until_date};
}

}  // namespace

Task<ops::PutObjectLockConfiguration::Response> put_object_lock_configuration(
    Service& service, wire::Context&, const shapes::PutObjectLockConfigurationInput& request) {
  const auto& asked = request.object_lock_configuration;
  if (!asked || asked->object_lock_enabled != kEnabled) throw errors::malformed_xml();
  if (asked->rule) {
    if (!asked->rule->default_retention) throw errors::malformed_xml();
    check_default(*asked->rule->default_retention);
  }
  co_await change_bucket(service, request.bucket, request.expected_bucket_owner, [&](Bucket& bucket) {
    if (bucket.versioning != Versioning::enabled) {
      throw errors::error("InvalidBucketState", 409,
                          "Versioning must be 'Enabled' on the bucket to apply a Object Lock configuration");
    }
    bucket.settings[kObjectLock] =
        write_document<ops::GetObjectLockConfiguration>({.object_lock_configuration = *asked});
  });
  co_return shapes::PutObjectLockConfigurationOutput{};
}

Task<shapes::GetObjectLockConfigurationOutput> get_object_lock_configuration(
    Service& service, wire::Context&, const shapes::GetObjectLockConfigurationInput& request) {
  const Bucket bucket = co_await read_bucket(service, request.bucket, request.expected_bucket_owner);
  const auto stored = require_setting<ops::PutObjectLockConfiguration>(
      bucket, kObjectLock,
      errors::error("ObjectLockConfigurationNotFoundError", 404,
                    "Object Lock configuration does not exist for this bucket", {{"BucketName", bucket.name}}));
  co_return shapes::GetObjectLockConfigurationOutput{.object_lock_configuration = stored.object_lock_configuration};
}

Task<shapes::PutObjectRetentionOutput> put_object_retention(Service& service, wire::Context& context,
                                                            const shapes::PutObjectRetentionInput& request) {
  const auto wanted = wanted_retention(request.retention, context.now());
  const bool bypasses = asks_to_bypass(request.bypass_governance_retention);
  co_await change_version(service,
                          {request.bucket, request.key, request.version_id, request.expected_bucket_owner, "PUT"},
                          [&](Object& object) {
                            check_change(object, wanted, bypasses, context.now());
                            set_retention(object.description.system, wanted);
                          });
  co_return shapes::PutObjectRetentionOutput{};
}

Task<shapes::GetObjectRetentionOutput> get_object_retention(Service& service, wire::Context&,
                                                            const shapes::GetObjectRetentionInput& request) {
  const auto snapshot = service.store().snapshot();
  const FoundObject found = co_await require_lockable(
      *snapshot, {request.bucket, request.key, request.version_id, request.expected_bucket_owner});
  const auto retention = retention_of(found.object.description.system);
  if (!retention) throw no_lock_of_object();
  co_return shapes::GetObjectRetentionOutput{
      .retention = shapes::ObjectLockRetention{.mode = std::string(name_of(retention->mode)),
                                               .retain_until_date = retention->until}};
}

Task<shapes::PutObjectLegalHoldOutput> put_object_legal_hold(Service& service, wire::Context&,
                                                             const shapes::PutObjectLegalHoldInput& request) {
  const auto status = request.legal_hold ? request.legal_hold->status : std::nullopt;
  if (status != "ON" && status != "OFF") throw errors::malformed_xml();
  co_await change_version(service,
                          {request.bucket, request.key, request.version_id, request.expected_bucket_owner, "PUT"},
                          [&](Object& object) { set_legal_hold(object.description.system, *status == "ON"); });
  co_return shapes::PutObjectLegalHoldOutput{};
}

Task<shapes::GetObjectLegalHoldOutput> get_object_legal_hold(Service& service, wire::Context&,
                                                             const shapes::GetObjectLegalHoldInput& request) {
  const auto snapshot = service.store().snapshot();
  const FoundObject found = co_await require_lockable(
      *snapshot, {request.bucket, request.key, request.version_id, request.expected_bucket_owner});
  const auto held = legal_hold_of(found.object.description.system);
  if (!held) throw no_lock_of_object();
  co_return shapes::GetObjectLegalHoldOutput{
      .legal_hold = shapes::ObjectLockLegalHold{.status = std::string(*held ? "ON" : "OFF")}};
}

}  // namespace tidemill::s3
