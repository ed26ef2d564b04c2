// Makes an object of a body.
#include "services/s3/body_intake.h"
#include "services/s3/conditions.h"
#include "services/s3/describing.h"
#include "services/s3/encryption.h"
#include "services/s3/lifecycle.h"
#include "services/s3/notifications.h"
#include "services/s3/operations.h"

namespace tidemill::s3 {
namespace {

BodyClaims claims_of_request(const shapes::PutObjectInput& request) {
  BodyClaims claims = claims_of(request, request.checksum_algorithm);
  claims.content_md5 = request.content_md5;
  claims.content_sha256 = request.content_sha256;
  add_trailer(claims, request.trailer);
  return claims;
}

// Before the body is read, so that nobody sends one for nothing. What counts is the transaction's own look.
Task<void> check_early(Service& service, const shapes::PutObjectInput& request) {
  const auto snapshot = service.store().snapshot();
  const Bucket bucket = co_await require_bucket(*snapshot, request.bucket, request.expected_bucket_owner);
  check_encryption(bucket, request.server_side_encryption, request.ssekms_key_id);
  const auto current = co_await find_current(*snapshot, bucket, request.key);
  check_write(current ? &*current : nullptr, request.key, request.if_match, request.if_none_match);
}

struct Outcome {
  Bucket bucket;
  Object object;
};

}  // namespace

Task<shapes::PutObjectOutput> put_object(Service& service, wire::Context& context, const shapes::PutObjectInput& request) {
  check_key(request.key);
  check_acl(request);
  const BodyClaims claims = claims_of_request(request);
  const Description description = describe_request(request);
  co_await check_early(service, request);
  const TakenBody body = co_await take_body(service.blobs(), request.body, claims, claims.algorithm.value_or(kAlgorithmDefault));

  const auto place = [&](store::Transaction& txn, Removals& removals) -> Task<Outcome> {
    Outcome outcome{co_await require_bucket(txn, request.bucket, request.expected_bucket_owner), {}};
    if (request.if_match || request.if_none_match) {
      const auto current = co_await find_current(txn, outcome.bucket, request.key);
      check_write(current ? &*current : nullptr, request.key, request.if_match, request.if_none_match);
    }
    Object& object = outcome.object;
    object.modified = context.now();
    object.size = body.size;
    object.etag = body.etag();
    object.checksum = body.checksum;
    object.body.pieces = body.pieces;
    object.description = description;
    co_await place_object(txn, outcome.bucket, request.key, object, removals);
    co_await refer_to_body(txn, service.blobs(), outcome.bucket, body);
    co_await announce(txn, context, outcome.bucket, created_event("ObjectCreated:Put", request.key, object));
    co_return outcome;
  };
  const Outcome outcome = co_await commit_body(service.store(), service.blobs(), body, place);

  shapes::PutObjectOutput output;
  output.e_tag = shown_etag(outcome.object.etag);
  show_checksum(output, *outcome.object.checksum);
  output.server_side_encryption = kEncryption;
  output.version_id = shown_version(outcome.bucket, outcome.object);
  output.expiration = expiration_header(outcome.bucket, request.key, outcome.object);
  co_return output;
}

}  // namespace tidemill::s3
