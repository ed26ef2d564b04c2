#include "engine/targets/bucket_target.h"

#include <stdexcept>

#include "base/ordered.h"
#include "engine/targets/internal_call.h"
#include "wire/shapes/s3.h"

namespace tidemill::engine {
namespace {

constexpr uint8_t kVersion = 1;

}  // namespace

std::string encode_bucket_object(const BucketObject& object) {
  std::string bytes;
  base::append_u8(bytes, kVersion);
  base::append_string(bytes, object.key);
  base::append_string(bytes, object.content_type);
  base::append_fixed(bytes, object.body);
  return bytes;
}

BucketObject decode_bucket_object(std::string_view bytes) {
  base::OrderedReader reader(bytes);
  BucketObject object;
  const bool is_known = reader.u8() == kVersion;
  object.key = reader.string();
  object.content_type = reader.string();
  object.body = reader.rest();
  if (!is_known || !reader.ok()) throw std::runtime_error("a stored object for a bucket is damaged");
  return object;
}

Task<store::SendOutcome> put_into_bucket(wire::Platform& platform, std::string_view bucket_arn,
                                         const BucketObject& object) {
  const auto arn = wire::parse_arn_of("s3", bucket_arn);
  if (!arn) co_return store::SendOutcome{store::SendStatus::rejected, "not the ARN of a bucket"};
  wire::s3::PutObjectInput request;
  request.bucket = std::string(arn->resource);
  request.key = object.key;
  request.body = object.body;
  if (!object.content_type.empty()) request.content_type = object.content_type;
  wire::Context context = internal_context(platform, bucket_arn);
  co_return co_await call_once<wire::s3::ops::PutObject>(std::move(context), std::move(request));
}

}  // namespace tidemill::engine
