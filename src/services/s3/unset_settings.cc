// Settings that no bucket can have here, as AWS tells of a bucket for which nobody has set them: tools that describe whole
// buckets read them all. Setting them is refused.
#include "services/s3/bucket_settings.h"
#include "services/s3/errors.h"
#include "services/s3/operations.h"
#include "services/s3/reading.h"

namespace tidemill::s3 {
namespace {

namespace ops = shapes::ops;

constexpr std::string_view kPayer = "BucketOwner";

// Throws NoSuchBucket and what else reading a bucket throws, or that it has no such setting.
Task<void> tell_it_is_unset(Service& service, std::string bucket, std::optional<std::string> owner, std::string code,
                            std::string message) {
  (void)co_await read_bucket(service, bucket, owner);
  throw errors::error(code, 404, message, {{"BucketName", bucket}});
}

}  // namespace

Task<shapes::GetBucketAccelerateConfigurationOutput> get_bucket_accelerate_configuration(
    Service& service, wire::Context&, const shapes::GetBucketAccelerateConfigurationInput& request) {
  (void)co_await read_bucket(service, request.bucket, request.expected_bucket_owner);
  co_return shapes::GetBucketAccelerateConfigurationOutput{};
}

Task<shapes::GetBucketRequestPaymentOutput> get_bucket_request_payment(
    Service& service, wire::Context&, const shapes::GetBucketRequestPaymentInput& request) {
  (void)co_await read_bucket(service, request.bucket, request.expected_bucket_owner);
  co_return shapes::GetBucketRequestPaymentOutput{.payer = std::string(kPayer)};
}

Task<ops::GetBucketReplication::Response> get_bucket_replication(Service& service, wire::Context&,
                                                                 const shapes::GetBucketReplicationInput& request) {
  co_await tell_it_is_unset(service, request.bucket, request.expected_bucket_owner,
                            "ReplicationConfigurationNotFoundError", "The replication configuration was not found");
  co_return ops::GetBucketReplication::Response{};
}

}  // namespace tidemill::s3
