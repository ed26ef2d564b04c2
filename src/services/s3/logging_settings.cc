// Whether requests to a bucket are logged, and where.
#include "services/s3/bucket_settings.h"
#include "services/s3/errors.h"
#include "services/s3/operations.h"

namespace tidemill::s3 {
namespace {

namespace ops = shapes::ops;

void check_key_format(const shapes::LoggingEnabled& logging) {
  if (!logging.target_object_key_format) return;
  const auto& format = *logging.target_object_key_format;
  if (format.simple_prefix.has_value() == format.partitioned_prefix.has_value()) throw errors::malformed_xml();
  if (!format.partitioned_prefix) return;
  const std::string source = format.partitioned_prefix->partition_date_source.value_or("DeliveryTime");
  if (source == "EventTime") throw errors::not_implemented("access logs by the time of their events");
  if (source != "DeliveryTime") throw errors::malformed_xml();
}

void check_target(const Bucket& bucket, const std::optional<Bucket>& target, const std::string& name) {
  const auto invalid = [&](std::string message) {
    return errors::error("InvalidTargetBucketForLogging", 400, std::move(message), {{"TargetBucket", name}});
  };
  if (!target) throw invalid("The target bucket for logging does not exist");
  if (target->account != bucket.account) {
    throw invalid("The owner for the bucket to be logged and the target bucket must be the same.");
  }
  if (target->region != bucket.region) {
    throw errors::error(
        "CrossLocationLoggingProhibitted", 403,
        "Cross S3 location logging not allowed. Buckets in one geographic location cannot log information "
        "to a bucket in another location.",
        {{"SourceBucketLocation", bucket.region}, {"TargetBucketLocation", target->region}});
  }
}

}  // namespace

Task<ops::PutBucketLogging::Response> put_bucket_logging(Service& service, wire::Context&,
                                                         const shapes::PutBucketLoggingInput& request) {
  const auto& logging = request.bucket_logging_status.logging_enabled;
  if (logging) check_key_format(*logging);
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    Bucket bucket = co_await require_bucket(txn, request.bucket, request.expected_bucket_owner);
    if (!logging) {
      bucket.settings.erase(kLogging);
    } else {
      check_target(bucket, co_await find_bucket(txn, logging->target_bucket), logging->target_bucket);
      bucket.settings[kLogging] = write_document<ops::GetBucketLogging>({.logging_enabled = logging});
    }
    save_bucket(txn, bucket);
  });
  if (logging) service.note_access_log();
  co_return shapes::PutBucketLoggingOutput{};
}

Task<shapes::GetBucketLoggingOutput> get_bucket_logging(Service& service, wire::Context&,
                                                        const shapes::GetBucketLoggingInput& request) {
  const Bucket bucket = co_await read_bucket(service, request.bucket, request.expected_bucket_owner);
  const std::string* document = bucket.setting(kLogging);
  if (!document) co_return shapes::GetBucketLoggingOutput{};
  auto stored = read_document<ops::PutBucketLogging>(*document).bucket_logging_status;
  co_return shapes::GetBucketLoggingOutput{.logging_enabled = std::move(stored.logging_enabled)};
}

}  // namespace tidemill::s3
