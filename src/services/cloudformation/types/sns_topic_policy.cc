// AWS::SNS::TopicPolicy, of several topics, and AWS::SNS::TopicInlinePolicy, of one.
#include "services/cloudformation/types/claim.h"
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/holders.h"
#include "services/cloudformation/types/iam_principals.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

constexpr Property kTopicPolicyProperties[] = {
    {.name = "Topics", .form = Form::list, .required = true},
    {.name = "PolicyDocument", .kind = Kind::json, .required = true},
};

constexpr Property kTopicInlinePolicyProperties[] = {
    {.name = "TopicArn", .required = true, .update = Update::replaces},
    {.name = "PolicyDocument", .kind = Kind::json, .required = true},
};

// A topic without a policy of somebody's has the one that it was made with: its owner may do everything.
json::Value first_topic_policy(const Step& step, const std::string& topic) {
  const json::Object statement{
      {"Sid", "__default_statement_ID"},
      {"Effect", "Allow"},
      {"Principal", json::Object{{"AWS", "*"}}},
      {"Action",
       json::Array{"SNS:GetTopicAttributes", "SNS:SetTopicAttributes", "SNS:AddPermission", "SNS:RemovePermission",
                   "SNS:DeleteTopic", "SNS:Subscribe", "SNS:ListSubscriptionsByTopic", "SNS:Publish"}},
      {"Resource", topic},
      {"Condition", json::Object{{"StringEquals", json::Object{{"AWS:SourceOwner", step.account()}}}}}};
  json::Array statements;
  statements.push_back(statement);
  return json::Object{{"Version", "2008-10-17"}, {"Id", "__default_policy_ID"}, {"Statement", std::move(statements)}};
}

Task<void> set_topic_policy(Step& step, std::string topic, json::Value policy) {
  co_await step.call(
      "sns", "SetTopicAttributes",
      json::Object{{"TopicArn", topic}, {"AttributeName", "Policy"}, {"AttributeValue", json_text(policy)}});
}

Task<void> set_topic_policies(Step& step, const json::Object& before, const json::Object& after) {
  const json::Value document = *after.find("PolicyDocument");
  co_await put_into_each(step, texts_of(after, "Topics"), texts_of(before, "Topics"),
                         [&](std::string topic) { return set_topic_policy(step, std::move(topic), document); });
}

Task<void> reset_topic_policy(Step& step, std::string topic) {
  if (never_held(step, topic)) co_return;
  json::Object request{
      {"TopicArn", topic}, {"AttributeName", "Policy"}, {"AttributeValue", json_text(first_topic_policy(step, topic))}};
  co_await step.take_away("sns", "SetTopicAttributes", std::move(request), {"NotFoundException"});
}

Task<std::string> create_topic_policy(Step& step, const json::Object& properties) {
  const std::string id = step.physical_name(kPolicyNameSizeMax);
  co_await step.made(id);
  co_await set_topic_policies(step, {}, properties);
  co_return id;
}

Task<std::string> update_topic_policy(Step& step, std::string id, const json::Object& before,
                                      const json::Object& after) {
  co_await set_topic_policies(step, before, after);
  for (const std::string& topic : texts_gone(before, after, "Topics")) co_await reset_topic_policy(step, topic);
  co_return id;
}

Task<void> remove_topic_policy(Step& step, std::string, const json::Object& properties) {
  for (const std::string& topic : texts_of(properties, "Topics")) co_await reset_topic_policy(step, topic);
}

Task<json::Object> describe_topic_policy(Step&, std::string id, const json::Object&) {
  co_return json::Object{{"Id", id}};
}

Task<std::string> create_topic_inline_policy(Step& step, const json::Object& properties) {
  const std::string topic = text_of(properties, "TopicArn");
  co_await set_topic_policy(step, topic, *properties.find("PolicyDocument"));
  co_return topic;
}

Task<std::string> update_topic_inline_policy(Step& step, std::string topic, const json::Object&,
                                             const json::Object& after) {
  co_await set_topic_policy(step, topic, *after.find("PolicyDocument"));
  co_return topic;
}

Task<void> remove_topic_inline_policy(Step& step, std::string topic, const json::Object&) {
  co_await reset_topic_policy(step, topic);
}

}  // namespace

const ResourceType types::kSnsTopicPolicy = {
    .name = "AWS::SNS::TopicPolicy",
    .properties = kTopicPolicyProperties,
    .create = create_topic_policy,
    .update = update_topic_policy,
    .remove = remove_topic_policy,
    .attributes = describe_topic_policy,
};

const ResourceType types::kSnsTopicInlinePolicy = {
    .name = "AWS::SNS::TopicInlinePolicy",
    .properties = kTopicInlinePolicyProperties,
    .create = create_topic_inline_policy,
    .update = update_topic_inline_policy,
    .remove = remove_topic_inline_policy,
};

}  // namespace tidemill::cloudformation
