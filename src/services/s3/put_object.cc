// Makes an object of a body.
#include "services/s3/operations.h"
#include "services/s3/putting.h"

namespace tidemill::s3 {
namespace {

BodyClaims claims_of_request(const shapes::PutObjectInput& request) {
  BodyClaims claims = claims_of(request, request.checksum_algorithm);
  claims.content_md5 = request.content_md5;
  claims.content_sha256 = request.content_sha256;
  add_trailer(claims, request.trailer);
  return claims;
}

}  // namespace

Task<shapes::PutObjectOutput> put_object(Service& service, wire::Context& context, const shapes::PutObjectInput& request) {
  check_key(request.key);
  const Put asked{.bucket = request.bucket,
                  .key = request.key,
                  .expected_owner = request.expected_bucket_owner,
                  .if_match = request.if_match,
                  .if_none_match = request.if_none_match,
                  .encryption = request.server_side_encryption,
                  .encryption_key = request.ssekms_key_id,
                  .body = request.body,
                  .claims = claims_of_request(request),
                  .description = describe_object(request, context.now()),
                  .acl = acl_headers_of(request),
                  .event = "ObjectCreated:Put"};
  const PutOutcome outcome = co_await put(service, context, asked);
  shapes::PutObjectOutput output;
  show_put(output, request.key, outcome);
  co_return output;
}

}  // namespace tidemill::s3
