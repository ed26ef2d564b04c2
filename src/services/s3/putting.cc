#include "services/s3/putting.h"

#include "services/s3/conditions.h"
#include "services/s3/notifications.h"
#include "services/s3/object_lock.h"

namespace tidemill::s3 {
namespace {

// Before the body is read, so that nobody sends one for nothing. What counts is the transaction's own look.
Task<void> check_early(Service& service, const std::string& writer, const Put& put) {
  const auto snapshot = service.store().snapshot();
  const Bucket bucket = co_await require_bucket(*snapshot, put.bucket, put.expected_owner);
  check_encryption(bucket, put.encryption, put.encryption_key);
  check_lockable(bucket, put.description.system);
  TextMap unused;
  take_acl(bucket, writer, put.acl, unused);
  const auto current = co_await find_current(*snapshot, bucket, put.key);
  check_write(current ? &*current : nullptr, put.key, put.if_match, put.if_none_match);
}

}  // namespace

Task<PutOutcome> put(Service& service, const wire::Context& context, const Put& put) {
  check_key(put.key);
  co_await check_early(service, context.account, put);
  const TakenBody body =
      co_await take_body(service.blobs(), put.body, put.claims, put.claims.algorithm.value_or(kAlgorithmDefault));

  const auto place = [&](store::Transaction& txn, Removals& removals) -> Task<PutOutcome> {
    PutOutcome outcome{co_await require_bucket(txn, put.bucket, put.expected_owner), {}};
    if (put.if_match || put.if_none_match) {
      const auto current = co_await find_current(txn, outcome.bucket, put.key);
      check_write(current ? &*current : nullptr, put.key, put.if_match, put.if_none_match);
    }
    Object& object = outcome.object;
    object.modified = context.now();
    object.size = body.size;
    object.etag = body.etag();
    object.checksum = body.checksum;
    object.body.pieces = body.pieces;
    object.description = put.description;
    take_acl(outcome.bucket, context.account, put.acl, object.description.system);
    lock_as_bucket_says(outcome.bucket, object.modified, object.description.system);
    co_await place_object(txn, outcome.bucket, put.key, object, removals);
    co_await refer_to_body(txn, service.blobs(), outcome.bucket, body);
    co_await announce(txn, context, outcome.bucket, created_event(put.event, put.key, object));
    co_return outcome;
  };
  co_return co_await commit_body(service.store(), service.blobs(), body, place);
}

}  // namespace tidemill::s3
