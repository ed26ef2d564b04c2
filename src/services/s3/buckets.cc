// What is told of buckets: their list, whether one is there, and where.
#include <algorithm>

#include "services/s3/bucket.h"
#include "services/s3/describing.h"
#include "services/s3/errors.h"
#include "services/s3/operations.h"
#include "services/s3/settings_document.h"

namespace tidemill::s3 {
namespace {

constexpr int32_t kBucketsPerPageMax = 10'000;

}  // namespace

Task<shapes::ListBucketsOutput> list_buckets(Service& service, wire::Context& context,
                                             const shapes::ListBucketsInput& request) {
  const int32_t limit = request.max_buckets.value_or(kBucketsPerPageMax);
  if (limit < 1 || limit > kBucketsPerPageMax) {
    throw errors::invalid_argument("Argument max-buckets must be an integer between 1 and 10000", "max-buckets",
                                   std::to_string(limit));
  }
  shapes::ListBucketsOutput output{.buckets = std::vector<shapes::Bucket>(), .owner = shapes::Owner{.id = canonical_id(context.account)}};
  output.prefix = request.prefix;
  const auto snapshot = service.store().snapshot();
  co_await snapshot->scan(buckets_range(), store::Direction::forward, [&](std::string_view, std::string_view value) {
    const Bucket bucket = decode_bucket(value);
    if (bucket.account != context.account || !bucket.name.starts_with(request.prefix.value_or(""))) return true;
    if (request.continuation_token && bucket.name <= *request.continuation_token) return true;
    if (request.bucket_region && bucket.region != *request.bucket_region) return true;
    if (std::ssize(*output.buckets) == limit) {
      output.continuation_token = output.buckets->back().name;
      return false;
    }
    output.buckets->push_back({.name = bucket.name,
                               .creation_date = bucket.created,
                               .bucket_region = bucket.region,
                               .bucket_arn = bucket_arn(bucket.name)});
    return true;
  });
  co_return output;
}

Task<shapes::HeadBucketOutput> head_bucket(Service& service, wire::Context&, const shapes::HeadBucketInput& request) {
  const auto snapshot = service.store().snapshot();
  const Bucket bucket = co_await require_bucket(*snapshot, request.bucket, request.expected_bucket_owner);
  co_return shapes::HeadBucketOutput{.bucket_region = bucket.region,
                                     .access_point_alias = false,
                                     .bucket_arn = bucket_arn(bucket.name),
                                     .content_type = "application/xml"};
}

Task<shapes::GetBucketLocationOutput> get_bucket_location(Service& service, wire::Context&,
                                                          const shapes::GetBucketLocationInput& request) {
  const auto snapshot = service.store().snapshot();
  const Bucket bucket = co_await require_bucket(*snapshot, request.bucket, request.expected_bucket_owner);
  shapes::GetBucketLocationOutput output;
  const std::string* asked = bucket.setting(kLocation);
  if (bucket.region != "us-east-1") output.location_constraint = asked ? *asked : bucket.region;
  co_return output;
}

}  // namespace tidemill::s3
