// Ends an upload in parts and drops what was uploaded.
#include "services/s3/body_intake.h"
#include "services/s3/operations.h"
#include "services/s3/uploads.h"

namespace tidemill::s3 {

Task<shapes::ops::AbortMultipartUpload::Response> abort_multipart_upload(
    Service& service, wire::Context&, const shapes::AbortMultipartUploadInput& request) {
  co_await change_bodies(service.store(), service.blobs(), [&](store::Transaction& txn, Removals& removals) -> Task<void> {
    const Bucket bucket = co_await require_bucket(txn, request.bucket, request.expected_bucket_owner);
    (void)co_await require_upload(txn, bucket, request.key, request.upload_id);
    co_await erase_upload(txn, bucket, request.key, request.upload_id, removals);
  });
  co_return shapes::AbortMultipartUploadOutput{};
}

}  // namespace tidemill::s3
