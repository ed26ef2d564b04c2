// Deletes objects: makes a delete marker where there are versions, or removes a version for good.
#include "services/s3/body_intake.h"
#include "services/s3/conditions.h"
#include "services/s3/describing.h"
#include "services/s3/errors.h"
#include "services/s3/notifications.h"
#include "services/s3/object_lock.h"
#include "services/s3/operations.h"

namespace tidemill::s3 {
namespace {

constexpr size_t kKeysPerRequestMax = 1000;

struct Target {
  std::string key;
  std::optional<std::string> version;
  std::optional<std::string> if_match;
  bool bypasses_retention = false;
};

Task<Deleted> delete_target(store::Transaction& txn, const wire::Context& context, const Bucket& bucket,
                            const Target& target, Removals& removals) {
  if (target.if_match) {
    const auto current = co_await find_current(txn, bucket, target.key);
    check_write(current ? &*current : nullptr, target.key, target.if_match, {});
  }
  if (target.version) {
    const auto version = co_await find_version(txn, bucket, target.key, *target.version);
    check_unlocked(version.value_or(Object{}), target.bypasses_retention, context.now());
  }
  Deleted deleted = target.version ? co_await delete_version(txn, bucket, target.key, *target.version, removals)
                                   : co_await delete_current(txn, bucket, target.key, context.now(), removals);
  if (deleted.marker)
    co_await announce(txn, context, bucket,
                      removed_event("ObjectRemoved:DeleteMarkerCreated", target.key, *deleted.marker, deleted.sequence));
  else if (deleted.removed || !target.version)  // what was not there is told of as well
    co_await announce(txn, context, bucket,
                      removed_event("ObjectRemoved:Delete", target.key, deleted.removed.value_or(Object{}), deleted.sequence));
  co_return deleted;
}

}  // namespace

Task<shapes::DeleteObjectOutput> delete_object(Service& service, wire::Context& context,
                                               const shapes::DeleteObjectInput& request) {
  const Target target{request.key, request.version_id, request.if_match,
                      asks_to_bypass(request.bypass_governance_retention)};
  const auto remove = [&](store::Transaction& txn, Removals& removals) -> Task<Deleted> {
    const Bucket bucket = co_await require_bucket(txn, request.bucket, request.expected_bucket_owner);
    check_bypass(bucket, target.bypasses_retention);
    co_return co_await delete_target(txn, context, bucket, target, removals);
  };
  const Deleted deleted = co_await change_bodies(service.store(), service.blobs(), remove);
  shapes::DeleteObjectOutput output;
  output.version_id = request.version_id;
  if (deleted.marker) {
    output.delete_marker = true;
    output.version_id = deleted.marker->version;
  } else if (request.version_id && deleted.removed && deleted.removed->is_marker) {
    output.delete_marker = true;
  }
  co_return output;
}

// One transaction for all of them: a refusal of one, which changes nothing, is told beside the others' answers.
Task<shapes::DeleteObjectsOutput> delete_objects(Service& service, wire::Context& context,
                                                 const shapes::DeleteObjectsInput& request) {
  const auto& objects = request.delete_.objects;
  if (objects.empty() || objects.size() > kKeysPerRequestMax) throw errors::malformed_xml();
  const bool bypasses = asks_to_bypass(request.bypass_governance_retention);
  const auto remove = [&](store::Transaction& txn, Removals& removals) -> Task<shapes::DeleteObjectsOutput> {
    const Bucket bucket = co_await require_bucket(txn, request.bucket, request.expected_bucket_owner);
    check_bypass(bucket, bypasses);
    shapes::DeleteObjectsOutput output;
    output.deleted.emplace();
    output.errors.emplace();
    for (const auto& object : objects) {
      try {
        const Target target{object.key, object.version_id, object.e_tag, bypasses};
        const Deleted deleted = co_await delete_target(txn, context, bucket, target, removals);
        if (request.delete_.quiet.value_or(false)) continue;
        shapes::DeletedObject shown{.key = object.key, .version_id = object.version_id};
        if (deleted.marker) {
          shown.delete_marker = true;
          shown.delete_marker_version_id = deleted.marker->version;
        } else if (object.version_id && deleted.removed && deleted.removed->is_marker) {
          shown.delete_marker = true;
          shown.delete_marker_version_id = object.version_id;
        }
        output.deleted->push_back(std::move(shown));
      } catch (const wire::Error& error) {
        // What is no version's id is told here as one of a version that is not there.
        const wire::Error told = object.version_id && error.code == "InvalidArgument"
                                     ? errors::no_such_version(object.key, *object.version_id)
                                     : error;
        output.errors->push_back(
            {.key = object.key, .version_id = object.version_id, .code = told.code, .message = told.message});
      }
    }
    co_return output;
  };
  co_return co_await change_bodies(service.store(), service.blobs(), remove);
}

}  // namespace tidemill::s3
