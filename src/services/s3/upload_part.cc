// Takes in one part of an upload.
#include "base/text.h"
#include "services/s3/body_intake.h"
#include "services/s3/describing.h"
#include "services/s3/errors.h"
#include "services/s3/operations.h"
#include "services/s3/uploads.h"
#include "services/s3/words.h"

namespace tidemill::s3 {
namespace {

BodyClaims claims_of_part(const shapes::UploadPartInput& request) {
  BodyClaims claims = claims_of(request, request.checksum_algorithm);
  claims.content_md5 = request.content_md5;
  claims.content_sha256 = request.content_sha256;
  add_trailer(claims, request.trailer);
  return claims;
}

void check_algorithm(const Upload& upload, const BodyClaims& claims) {
  if (!upload.asked_for_checksum || !claims.algorithm || *claims.algorithm == upload.algorithm) return;
  throw errors::invalid_request(base::cat("Checksum Type mismatch occurred, expected checksum Type: ",
                                          lower(name_of(upload.algorithm)),
                                          ", actual checksum Type: ", lower(name_of(*claims.algorithm))));
}

}  // namespace

Task<shapes::UploadPartOutput> upload_part(Service& service, wire::Context& context,
                                           const shapes::UploadPartInput& request) {
  check_part_number(request.part_number);
  const BodyClaims claims = claims_of_part(request);
  Upload upload;
  {
    const auto snapshot = service.store().snapshot();
    const Bucket bucket = co_await require_bucket(*snapshot, request.bucket, request.expected_bucket_owner);
    upload = co_await require_upload(*snapshot, bucket, request.key, request.upload_id);
  }
  check_algorithm(upload, claims);
  const TakenBody body = co_await take_body(service.blobs(), request.body, claims, upload.algorithm);

  const auto save = [&](store::Transaction& txn, Removals& removals) -> Task<void> {
    const Bucket bucket = co_await require_bucket(txn, request.bucket, request.expected_bucket_owner);
    (void)co_await require_upload(txn, bucket, request.key, request.upload_id);
    const Part part{request.part_number, context.now(), body.size, body.md5, body.checksum.bytes, body.pieces};
    co_await save_part(txn, bucket, request.upload_id, part, removals);
    co_await refer_to_body(txn, service.blobs(), bucket, body);
  };
  co_await commit_body(service.store(), service.blobs(), body, save);

  shapes::UploadPartOutput output;
  output.e_tag = shown_etag(body.etag());
  output.server_side_encryption = kEncryption;
  show_checksum(output, body.claimed);
  co_return output;
}

}  // namespace tidemill::s3
