#include "services/s3/notification_targets.h"

#include "base/uuid.h"
#include "engine/targets/internal_call.h"
#include "engine/targets/senders.h"
#include "engine/targets/topic_target.h"
#include "wire/registry.h"
#include "wire/shapes/lambda.h"
#include "wire/shapes/sns.h"
#include "wire/shapes/sqs.h"

namespace tidemill::s3 {
namespace {

using namespace std::chrono_literals;

// Events are told for a day to who cannot be reached, more and more seldom.
store::RetryPolicy event_policy() {
  constexpr int kAttemptsMax = 185;
  return {.delays = {1s, 5s, 30s, 60s, 300s}, .attempts_max = kAttemptsMax, .age_max = 24h};
}

std::string_view target_kind(TargetKind kind) {
  switch (kind) {
    case TargetKind::queue: return engine::kQueueTarget;
    case TargetKind::topic: return kTopicTarget;
    case TargetKind::function: return engine::kFunctionTarget;
  }
  return "";
}

Task<bool> has_queue(wire::Context& context, const std::string& arn) {
  wire::Context internal = engine::internal_context(context.platform(), arn);
  const wire::sqs::GetQueueUrlInput request{.queue_name = arn.substr(arn.rfind(':') + 1)};
  try {
    (void)co_await context.registry().call<wire::sqs::ops::GetQueueUrl>(internal, request);
    co_return true;
  } catch (const wire::Error&) {
    co_return false;
  }
}

Task<bool> has_function(wire::Context& context, const std::string& arn) {
  wire::Context internal = engine::internal_context(context.platform(), arn);
  const wire::lambda::GetFunctionConfigurationInput request{.function_name = arn};
  try {
    (void)co_await context.registry().call<wire::lambda::ops::GetFunctionConfiguration>(internal, request);
    co_return true;
  } catch (const wire::Error&) {
    co_return false;
  }
}

Task<bool> has_topic(wire::Context& context, const std::string& arn) {
  wire::Context internal = engine::internal_context(context.platform(), arn);
  const wire::sns::GetTopicAttributesInput request{.topic_arn = arn};
  try {
    (void)co_await context.registry().call<wire::sns::ops::GetTopicAttributes>(internal, request);
    co_return true;
  } catch (const wire::Error&) {
    co_return false;
  }
}

}  // namespace

Task<store::SendOutcome> publish_event(wire::Platform& platform, const store::Delivery& delivery) {
  const engine::TopicMessage message{.body = delivery.payload, .subject = "Amazon S3 Notification",
                                     .trace_header = delivery.trace_header};
  co_return co_await engine::publish_to_topic(platform, delivery.target, message);
}

store::Delivery delivery_to(TargetKind kind, std::string target, std::string document) {
  return {.id = base::new_uuid(),
          .target_kind = std::string(target_kind(kind)),
          .target = std::move(target),
          .payload = std::move(document),
          .policy = event_policy()};
}

Task<std::optional<std::string>> find_fault(wire::Context& context, TargetKind kind, std::string arn) {
  const auto is_of = [&](std::string_view service) { return arn.starts_with("arn:aws:" + std::string(service) + ":"); };
  switch (kind) {
    case TargetKind::queue:
      if (!is_of("sqs") || arn.ends_with(".fifo")) co_return "The ARN is not well formed";
      if (!co_await has_queue(context, arn)) co_return "The destination queue does not exist";
      break;
    case TargetKind::function:
      if (!is_of("lambda")) co_return "The ARN is not well formed";
      if (!co_await has_function(context, arn)) {
        co_return "Not authorized to invoke function [" + arn + "]";
      }
      break;
    case TargetKind::topic:
      if (!is_of("sns") || arn.ends_with(".fifo")) co_return "The ARN is not well formed";
      if (!co_await has_topic(context, arn)) co_return "The destination topic does not exist";
      break;
  }
  co_return std::nullopt;
}

}  // namespace tidemill::s3
