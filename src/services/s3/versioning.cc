// Whether a bucket keeps the versions of its objects.
#include "services/s3/bucket_settings.h"
#include "services/s3/errors.h"
#include "services/s3/object_lock.h"
#include "services/s3/operations.h"

namespace tidemill::s3 {

Task<shapes::ops::PutBucketVersioning::Response> put_bucket_versioning(Service& service, wire::Context&,
                                                                       const shapes::PutBucketVersioningInput& request) {
  const auto& status = request.versioning_configuration.status;
  if (!status) {
    throw errors::error("IllegalVersioningConfigurationException", 400,
                        "The Versioning element must be specified");
  }
  const Versioning versioning = *status == "Enabled" ? Versioning::enabled : Versioning::suspended;
  co_await change_bucket(service, request.bucket, request.expected_bucket_owner, [versioning](Bucket& bucket) {
    if (versioning != Versioning::enabled && has_object_lock(bucket)) {
      throw errors::error("InvalidBucketState", 409,
                          "An Object Lock configuration is present on this bucket, so the versioning "
                          "state cannot be changed.");
    }
    bucket.versioning = versioning;
  });
  co_return shapes::PutBucketVersioningOutput{};
}

Task<shapes::GetBucketVersioningOutput> get_bucket_versioning(Service& service, wire::Context&,
                                                              const shapes::GetBucketVersioningInput& request) {
  const Bucket bucket = co_await read_bucket(service, request.bucket, request.expected_bucket_owner);
  shapes::GetBucketVersioningOutput output;
  if (bucket.versioning == Versioning::enabled) output.status = "Enabled";
  if (bucket.versioning == Versioning::suspended) output.status = "Suspended";
  co_return output;
}

}  // namespace tidemill::s3
