#include "services/s3/notification_targets.h"

#include "base/packed.h"
#include "base/text.h"
#include "base/uuid.h"
#include "engine/targets/function_target.h"
#include "engine/targets/internal_call.h"
#include "engine/targets/queue_target.h"
#include "engine/targets/topic_target.h"
#include "wire/pipeline/authorize.h"
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

constexpr std::string_view kSubject = "Amazon S3 Notification";

// A delivery's payload.
struct Outgoing {
  TargetKind kind = TargetKind::queue;
  std::string bucket;
  std::string account;  // the bucket's
  std::string document;
};

constexpr uint8_t kVersion = 1;
constexpr auto kParts = [](auto& part, auto& outgoing) {
  part(outgoing.kind);
  part(outgoing.bucket);
  part(outgoing.account);
  part.rest(outgoing.document);
};

std::string_view action_of(TargetKind kind) {
  switch (kind) {
    case TargetKind::queue:
      return "sqs:SendMessage";
    case TargetKind::topic:
      return "sns:Publish";
    case TargetKind::function:
      break;
  }
  return "lambda:InvokeFunction";
}

// Who tells: what the target's policy must let, and the policy of the key that encrypts what the target keeps. The
// bucket's ARN does not say whose it is, and the bucket may be gone.
wire::Principal s3_for(std::string_view bucket, std::string_view account) {
  return wire::Principal::service("s3.amazonaws.com", base::cat("arn:aws:s3:::", bucket), std::string(account));
}

// Whether the target lets S3 tell it of the bucket. Throws Error and store::Overloaded where that is not to be known now.
Task<bool> lets(wire::Platform& platform, TargetKind kind, std::string arn, wire::Principal s3) {
  const wire::Context asking = engine::internal_context(platform, arn, std::move(s3));
  wire::Deed deed{std::string(action_of(kind)), std::move(arn)};
  try {
    co_await wire::authorize_deed(asking, std::move(deed));
  } catch (const wire::Error& error) {
    if (engine::outcome_of(error).status != store::SendStatus::rejected) throw;
    co_return false;
  }
  co_return true;
}

// The same for a delivery: delivered, or why there is none.
Task<store::SendOutcome> ask_target(wire::Platform& platform, TargetKind kind, std::string arn, wire::Principal s3) {
  using store::SendStatus;
  try {
    if (co_await lets(platform, kind, std::move(arn), std::move(s3))) co_return store::SendOutcome{};
  } catch (const wire::Error& error) {
    co_return engine::outcome_of(error);
  } catch (const store::Overloaded& error) {
    co_return store::SendOutcome{SendStatus::unavailable, error.what()};
  }
  co_return store::SendOutcome{SendStatus::rejected, "the target does not let S3 tell it of the bucket"};
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

Task<store::SendOutcome> send_event(wire::Platform& platform, const store::Delivery& delivery) {
  Outgoing outgoing = base::unpack<Outgoing>(kVersion, delivery.payload, kParts, "a stored event of a bucket");
  const wire::Principal s3 = s3_for(outgoing.bucket, outgoing.account);
  const store::SendOutcome asked = co_await ask_target(platform, outgoing.kind, delivery.target, s3);
  if (asked.status != store::SendStatus::delivered) co_return asked;
  switch (outgoing.kind) {
    case TargetKind::queue: {
      const engine::QueueMessage message{.body = std::move(outgoing.document), .trace_header = delivery.trace_header};
      co_return co_await engine::send_to_queue(platform, delivery.target, message, s3);
    }
    case TargetKind::topic: {
      const engine::TopicMessage message{.body = std::move(outgoing.document),
                                         .subject = std::string(kSubject),
                                         .trace_header = delivery.trace_header};
      co_return co_await engine::publish_to_topic(platform, delivery.target, message, s3);
    }
    case TargetKind::function:
      break;
  }
  co_return co_await engine::invoke_function(platform, delivery.target, outgoing.document, delivery.trace_header,
                                             s3);
}

Task<store::SendOutcome> publish_event(wire::Platform& platform, const store::Delivery& delivery) {
  const engine::TopicMessage message{.body = delivery.payload,
                                     .subject = std::string(kSubject),
                                     .trace_header = delivery.trace_header};
  co_return co_await engine::publish_to_topic(platform, delivery.target, message);
}

store::Delivery delivery_to(TargetKind kind, const Bucket& bucket, std::string target, std::string document) {
  const Outgoing outgoing{kind, bucket.name, bucket.account, std::move(document)};
  return {.id = base::new_uuid(),
          .target_kind = std::string(kEventTarget),
          .target = std::move(target),
          .payload = base::pack(kVersion, outgoing, kParts),
          .policy = event_policy()};
}

Task<std::optional<std::string>> find_fault(wire::Context& context, const Bucket& bucket, TargetKind kind,
                                            std::string arn) {
  const auto is_of = [&](std::string_view service) { return arn.starts_with(base::cat("arn:aws:", service, ":")); };
  const auto is_allowed = [&] { return lets(context.platform(), kind, arn, s3_for(bucket.name, bucket.account)); };
  constexpr std::string_view kRefusal = " do not allow S3 to publish notifications from this bucket";
  switch (kind) {
    case TargetKind::queue:
      if (!is_of("sqs") || arn.ends_with(".fifo")) co_return "The ARN is not well formed";
      if (!co_await has_queue(context, arn)) co_return "The destination queue does not exist";
      if (!co_await is_allowed()) {
        co_return base::cat("Permissions on the destination queue", kRefusal);
      }
      break;
    case TargetKind::function:
      if (!is_of("lambda")) co_return "The ARN is not well formed";
      if (!co_await has_function(context, arn) || !co_await is_allowed()) {
        co_return base::cat("Not authorized to invoke function [", arn, "]");
      }
      break;
    case TargetKind::topic:
      if (!is_of("sns") || arn.ends_with(".fifo")) co_return "The ARN is not well formed";
      if (!co_await has_topic(context, arn)) co_return "The destination topic does not exist";
      if (!co_await is_allowed()) {
        co_return base::cat("Permissions on the destination topic", kRefusal);
      }
      break;
  }
  co_return std::nullopt;
}

}  // namespace tidemill::s3
