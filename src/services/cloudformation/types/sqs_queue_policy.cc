// AWS::SQS::QueuePolicy, of several queues, and AWS::SQS::QueueInlinePolicy, of one.
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/holders.h"
#include "services/cloudformation/types/iam_principals.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

constexpr Property kQueuePolicyProperties[] = {
    {.name = "Queues", .form = Form::list, .required = true},
    {.name = "PolicyDocument", .kind = Kind::json, .required = true},
};

constexpr Property kQueueInlinePolicyProperties[] = {
    {.name = "Queue", .required = true, .update = Update::replaces},
    {.name = "PolicyDocument", .kind = Kind::json, .required = true},
};

json::Object queue_policy_request(const std::string& queue, json::Value policy) {
  return json::Object{{"QueueUrl", queue}, {"Attributes", json::Object{{"Policy", std::move(policy)}}}};
}

Task<void> set_queue_policy(Step& step, std::string queue, json::Value document) {
  co_await step.call("sqs", "SetQueueAttributes", queue_policy_request(queue, std::move(document)));
}

Task<void> set_queue_policies(Step& step, const json::Object& before, const json::Object& after) {
  const json::Value document = json_text(*after.find("PolicyDocument"));
  co_await put_into_each(step, texts_of(after, "Queues"), texts_of(before, "Queues"),
                         [&](std::string queue) { return set_queue_policy(step, std::move(queue), document); });
}

// No policy is an empty one.
Task<void> take_queue_policy(Step& step, std::string queue) {
  if (never_held(step, queue)) co_return;
  co_await step.take_away("sqs", "SetQueueAttributes", queue_policy_request(queue, ""), {"QueueDoesNotExist"});
}

Task<std::string> create_queue_policy(Step& step, const json::Object& properties) {
  const std::string id = step.physical_name(kPolicyNameSizeMax);
  co_await step.made(id);
  co_await set_queue_policies(step, {}, properties);
  co_return id;
}

Task<std::string> update_queue_policy(Step& step, std::string id, const json::Object& before,
                                      const json::Object& after) {
  co_await set_queue_policies(step, before, after);
  for (const std::string& queue : texts_gone(before, after, "Queues")) co_await take_queue_policy(step, queue);
  co_return id;
}

Task<void> remove_queue_policy(Step& step, std::string, const json::Object& properties) {
  for (const std::string& queue : texts_of(properties, "Queues")) co_await take_queue_policy(step, queue);
}

Task<json::Object> describe_queue_policy(Step&, std::string id, const json::Object&) {
  co_return json::Object{{"Id", id}};
}

Task<std::string> create_queue_inline_policy(Step& step, const json::Object& properties) {
  const std::string queue = text_of(properties, "Queue");
  co_await set_queue_policy(step, queue, json_text(*properties.find("PolicyDocument")));
  co_return queue;
}

Task<std::string> update_queue_inline_policy(Step& step, std::string queue, const json::Object&,
                                             const json::Object& after) {
  co_await set_queue_policy(step, queue, json_text(*after.find("PolicyDocument")));
  co_return queue;
}

Task<void> remove_queue_inline_policy(Step& step, std::string queue, const json::Object&) {
  co_await take_queue_policy(step, queue);
}

}  // namespace

const ResourceType types::kSqsQueuePolicy = {
    .name = "AWS::SQS::QueuePolicy",
    .properties = kQueuePolicyProperties,
    .create = create_queue_policy,
    .update = update_queue_policy,
    .remove = remove_queue_policy,
    .attributes = describe_queue_policy,
};

const ResourceType types::kSqsQueueInlinePolicy = {
    .name = "AWS::SQS::QueueInlinePolicy",
    .properties = kQueueInlinePolicyProperties,
    .create = create_queue_inline_policy,
    .update = update_queue_inline_policy,
    .remove = remove_queue_inline_policy,
};

}  // namespace tidemill::cloudformation
