// AWS::Kinesis::ResourcePolicy, of a stream or a consumer.
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

constexpr Property kKinesisPolicyProperties[] = {
    {.name = "ResourceArn", .required = true, .update = Update::replaces},
    {.name = "ResourcePolicy", .kind = Kind::json, .required = true},
};

Task<void> put_kinesis_policy(Step& step, std::string arn, const json::Object& properties) {
  co_await step.call("kinesis", "PutResourcePolicy",
                     json::Object{{"ResourceARN", arn}, {"Policy", json_text(*properties.find("ResourcePolicy"))}});
}

Task<std::string> create_kinesis_policy(Step& step, const json::Object& properties) {
  const std::string arn = text_of(properties, "ResourceArn");
  co_await put_kinesis_policy(step, arn, properties);
  co_return arn;
}

Task<std::string> update_kinesis_policy(Step& step, std::string arn, const json::Object&, const json::Object& after) {
  co_await put_kinesis_policy(step, arn, after);
  co_return arn;
}

Task<void> remove_kinesis_policy(Step& step, std::string arn, const json::Object&) {
  co_await step.call_or_null("kinesis", "DeleteResourcePolicy", json::Object{{"ResourceARN", arn}},
                             {"ResourceNotFoundException"});
}

}  // namespace

const ResourceType types::kKinesisResourcePolicy = {
    .name = "AWS::Kinesis::ResourcePolicy",
    .properties = kKinesisPolicyProperties,
    .create = create_kinesis_policy,
    .update = update_kinesis_policy,
    .remove = remove_kinesis_policy,
};

}  // namespace tidemill::cloudformation
