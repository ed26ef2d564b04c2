// AWS::S3::BucketPolicy.
#include "services/cloudformation/types/claim.h"
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

constexpr Property kBucketPolicyProperties[] = {
    {.name = "Bucket", .required = true, .update = Update::replaces},
    {.name = "PolicyDocument", .kind = Kind::json, .required = true},
};

Task<void> put_bucket_policy(Step& step, std::string bucket, const json::Object& properties) {
  const json::Value policy = json_text(*properties.find("PolicyDocument"));
  co_await step.call("s3", "PutBucketPolicy", json::Object{{"Bucket", bucket}, {"Policy", policy}});
}

Task<std::string> create_bucket_policy(Step& step, const json::Object& properties) {
  const std::string bucket = text_of(properties, "Bucket");
  co_await claim(step, bucket, {"s3", "GetBucketPolicy", json::Object{{"Bucket", bucket}}, {"NoSuchBucketPolicy"}});
  co_await put_bucket_policy(step, bucket, properties);
  co_return bucket;
}

Task<std::string> update_bucket_policy(Step& step, std::string bucket, const json::Object&, const json::Object& after) {
  co_await put_bucket_policy(step, bucket, after);
  co_return bucket;
}

Task<void> remove_bucket_policy(Step& step, std::string bucket, const json::Object&) {
  co_await step.call_or_null("s3", "DeleteBucketPolicy", json::Object{{"Bucket", bucket}}, {"NoSuchBucket"});
}

}  // namespace

const ResourceType types::kS3BucketPolicy = {
    .name = "AWS::S3::BucketPolicy",
    .properties = kBucketPolicyProperties,
    .create = create_bucket_policy,
    .update = update_bucket_policy,
    .remove = remove_bucket_policy,
};

}  // namespace tidemill::cloudformation
