// Tags of objects and of buckets.
#include "services/s3/bucket_settings.h"
#include "services/s3/errors.h"
#include "services/s3/notifications.h"
#include "services/s3/operations.h"
#include "services/s3/reading.h"
#include "services/s3/tags.h"

namespace tidemill::s3 {
namespace {

template <class Request>
ObjectRequest object_of(const Request& request, const char* method) {
  return {request.bucket, request.key, request.version_id, request.expected_bucket_owner, method};
}

// Replaces an object's tags. Returns its version if it is to be shown.
Task<std::optional<std::string>> replace_tags(Service& service, const wire::Context& context, ObjectRequest target,
                                              TextMap tags, std::string event) {
  co_return co_await service.store().transact([&](store::Transaction& txn) -> Task<std::optional<std::string>> {
    FoundObject found = co_await require_object(txn, target);
    const auto current = co_await find_object(txn, found.bucket, target.key);
    found.object.description.tags = tags;
    save_object(txn, found.bucket, target.key, found.object, current && current->sequence == found.object.sequence);
    ObjectEvent told = created_event(event, target.key, found.object);
    told.size.reset();
    co_await announce(txn, context, found.bucket, std::move(told));
    if (found.bucket.versioning == Versioning::never) co_return std::nullopt;
    co_return found.object.version;
  });
}

}  // namespace

Task<shapes::PutObjectTaggingOutput> put_object_tagging(Service& service, wire::Context& context,
                                                        const shapes::PutObjectTaggingInput& request) {
  TextMap tags = tags_of(request.tagging.tag_set);
  check_object_tags(tags);
  co_return shapes::PutObjectTaggingOutput{
      .version_id = co_await replace_tags(service, context, object_of(request, "PUT"), std::move(tags), "ObjectTagging:Put")};
}

Task<shapes::DeleteObjectTaggingOutput> delete_object_tagging(Service& service, wire::Context& context,
                                                              const shapes::DeleteObjectTaggingInput& request) {
  co_return shapes::DeleteObjectTaggingOutput{
      .version_id = co_await replace_tags(service, context, object_of(request, "DELETE"), {}, "ObjectTagging:Delete")};
}

Task<shapes::GetObjectTaggingOutput> get_object_tagging(Service& service, wire::Context&,
                                                        const shapes::GetObjectTaggingInput& request) {
  const auto snapshot = service.store().snapshot();
  const FoundObject found = co_await require_object(*snapshot, object_of(request, "GET"));
  shapes::GetObjectTaggingOutput output;
  if (found.bucket.versioning != Versioning::never) output.version_id = found.object.version;
  output.tag_set = tag_set_of(found.object.description.tags);
  co_return output;
}

Task<shapes::ops::PutBucketTagging::Response> put_bucket_tagging(Service& service, wire::Context&,
                                                                 const shapes::PutBucketTaggingInput& request) {
  const TextMap tags = tags_of(request.tagging.tag_set);
  check_bucket_tags(tags);
  co_await change_bucket(service, request.bucket, request.expected_bucket_owner,
                         [&](Bucket& bucket) { bucket.tags = tags; });
  co_return shapes::PutBucketTaggingOutput{};
}

Task<shapes::GetBucketTaggingOutput> get_bucket_tagging(Service& service, wire::Context&,
                                                        const shapes::GetBucketTaggingInput& request) {
  const auto snapshot = service.store().snapshot();
  const Bucket bucket = co_await require_bucket(*snapshot, request.bucket, request.expected_bucket_owner);
  if (bucket.tags.empty()) {
    throw errors::error("NoSuchTagSet", 404, "The TagSet does not exist", {{"BucketName", bucket.name}});
  }
  shapes::GetBucketTaggingOutput output;
  output.tag_set = tag_set_of(bucket.tags);
  co_return output;
}

Task<shapes::ops::DeleteBucketTagging::Response> delete_bucket_tagging(Service& service, wire::Context&,
                                                                       const shapes::DeleteBucketTaggingInput& request) {
  co_await change_bucket(service, request.bucket, request.expected_bucket_owner,
                         [](Bucket& bucket) { bucket.tags.clear(); });
  co_return shapes::DeleteBucketTaggingOutput{};
}

}  // namespace tidemill::s3
