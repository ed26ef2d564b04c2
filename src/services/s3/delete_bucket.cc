// Deletes a bucket that holds no object and no version. Uploads under way in it end.
#include "services/s3/body_intake.h"
#include "services/s3/bucket.h"
#include "services/s3/bucket_keys.h"
#include "services/s3/errors.h"
#include "services/s3/inventory.h"
#include "services/s3/lifecycle.h"
#include "services/s3/operations.h"
#include "services/s3/uploads.h"

namespace tidemill::s3 {
namespace {

Task<void> require_empty(store::Transaction& txn, const Bucket& bucket) {
  bool empty = true;
  const auto see = [&](std::string_view, std::string_view) { return empty = false; };
  // Tracked: who puts an object only reads the bucket's record, and may commit before this does.
  co_await txn.scan(objects_with(bucket.id, ""), store::first(1), see);
  co_await txn.scan(versions_with(bucket.id, ""), store::first(1), see);
  if (empty) co_return;
  const char* message = bucket.versioning == Versioning::never
                            ? "The bucket you tried to delete is not empty"
                            : "The bucket you tried to delete is not empty. You must delete all versions in the bucket.";
  throw errors::error("BucketNotEmpty", 409, message, {{"BucketName", bucket.name}});
}

Task<std::vector<UploadPlace>> uploads_in(store::Snapshot& reader, const Bucket& bucket) {
  std::vector<UploadPlace> uploads;
  co_await reader.scan(uploads_with(bucket.id, ""), store::Direction::forward, [&](std::string_view key, std::string_view) {
    uploads.push_back(place_of_upload(key));
    return true;
  });
  co_return uploads;
}

}  // namespace

Task<shapes::ops::DeleteBucket::Response> delete_bucket(Service& service, wire::Context&,
                                                        const shapes::DeleteBucketInput& request) {
  co_await change_bodies(service.store(), service.blobs(), [&](store::Transaction& txn, Removals& removals) -> Task<void> {
    const Bucket bucket = co_await require_bucket(txn, request.bucket, request.expected_bucket_owner);
    co_await require_empty(txn, bucket);
    for (const UploadPlace& upload : co_await uploads_in(txn, bucket)) {
      co_await erase_upload(txn, bucket, upload.key, upload.upload_id, removals);
    }
    co_await cancel_lifecycle(txn, bucket);
    co_await store::cancel_timer(txn, kInventoryTimer, bucket.id);
    txn.erase(bucket_key(bucket.name));
    txn.erase_range(store::Range::prefix(bucket_prefix(bucket.id)));
  });
  co_return shapes::DeleteBucketOutput{};
}

}  // namespace tidemill::s3
