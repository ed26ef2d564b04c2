#include "engine/targets/bucket_target.h"

#include "base/packed.h"
#include "engine/targets/internal_call.h"
#include "wire/shapes/s3.h"

namespace tidemill::engine {
namespace {

constexpr uint8_t kVersion = 1;
constexpr auto kParts = [](auto& part, auto& object) {
  part(object.key);
  part(object.content_type);
  part.rest(object.body);
};

}  // namespace

std::string encode_bucket_object(const BucketObject& object) { return base::pack(kVersion, object, kParts); }

BucketObject decode_bucket_object(std::string_view bytes) {
  return base::unpack<BucketObject>(kVersion, bytes, kParts, "a stored object for a bucket");
}

Task<store::SendOutcome> put_into_bucket(wire::Platform& platform, std::string_view bucket_arn,
                                         const BucketObject& object, wire::Principal by) {
  const auto arn = wire::parse_arn_of("s3", bucket_arn);
  if (!arn) co_return store::SendOutcome{store::SendStatus::rejected, "not the ARN of a bucket"};
  wire::s3::PutObjectInput request;
  request.bucket = std::string(arn->resource);
  request.key = object.key;
  request.body = object.body;
  if (!object.content_type.empty()) request.content_type = object.content_type;
  wire::Context context = internal_context(platform, bucket_arn, std::move(by));
  co_return co_await call_once<wire::s3::ops::PutObject>(std::move(context), std::move(request));
}

}  // namespace tidemill::engine
