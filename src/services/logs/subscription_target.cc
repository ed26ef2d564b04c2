#include "services/logs/subscription_target.h"

#include <limits>

#include "base/base64.h"
#include "base/json_record.h"
#include "base/text.h"
#include "base/uuid.h"
#include "engine/targets/function_target.h"
#include "engine/targets/internal_call.h"
#include "services/logs/errors.h"
#include "services/logs/group.h"
#include "wire/packing.h"
#include "wire/shapes/lambda.h"

namespace tidemill::logs {
namespace {

using base::cat;

constexpr std::string_view kService = "logs.amazonaws.com";

wire::Principal logs_itself(const std::string& group_arn) {
  return wire::Principal::service(std::string(kService), group_arn + ":*");
}

std::string control_message(base::Time now) {
  std::string out;
  json::Writer writer(out);
  writer.begin_object();
  json::write_member(writer, "messageType", "CONTROL_MESSAGE");
  json::write_member(writer, "owner", "CloudwatchLogs");
  json::write_member(writer, "logGroup", "");
  json::write_member(writer, "logStream", "");
  writer.key("subscriptionFilters");
  writer.begin_array();
  writer.end_array();
  writer.key("logEvents");
  writer.begin_array();
  writer.begin_object();
  json::write_member(writer, "id", "");
  json::write_member(writer, "timestamp", milliseconds(now));
  json::write_member(writer, "message", "CWL CONTROL MESSAGE: Checking health of destination Kinesis stream.");
  writer.end_object();
  writer.end_array();
  writer.end_object();
  return out;
}

Task<void> try_function(wire::Context& context, const SubscriptionFilter& filter, const std::string& group_arn) {
  wire::lambda::InvokeInput request;
  request.function_name = filter.destination;
  request.invocation_type = wire::lambda::InvocationType::kDryRun;
  wire::Context caller = engine::internal_context(context.platform(), filter.destination, logs_itself(group_arn));
  bool is_refused = false;
  try {
    (void)co_await context.registry().call<wire::lambda::ops::Invoke>(caller, request);
  } catch (const wire::Error&) {
    is_refused = true;
  }
  if (!is_refused) co_return;
  throw errors::invalid_parameter_exception(
      "Could not execute the lambda function. Make sure you have given CloudWatch Logs permission to execute your "
      "function.");
}

Task<void> try_stream(wire::Context& context, const SubscriptionFilter& filter, const std::string& group_arn) {
  wire::kinesis::PutRecordInput request;
  request.stream_arn = filter.destination;
  const std::string document = control_message(context.now());
  request.data = co_await wire::packed(document);
  request.partition_key = base::new_uuid();
  wire::Context caller = stream_context(context.platform(), filter.destination, filter.role, group_arn);
  bool is_refused = false;
  try {
    (void)co_await context.registry().call<wire::kinesis::ops::PutRecord>(caller, request);
  } catch (const wire::Error&) {
    is_refused = true;
  }
  if (!is_refused) co_return;
  throw errors::invalid_parameter_exception(
      "Could not deliver test message to specified Kinesis stream. Check if the given kinesis stream is in ACTIVE "
      "state.");
}

}  // namespace

std::string encode_function_document(std::string_view group_arn, std::string_view document) {
  std::string out;
  json::Writer writer(out);
  writer.begin_object();
  json::write_member(writer, "group", group_arn);
  json::write_member(writer, "document", document);
  writer.end_object();
  return out;
}

Task<store::SendOutcome> invoke_subscribed(wire::Platform& platform, const store::Delivery& delivery) {
  const json::Record record("subscribed document", delivery.payload);
  const std::string document = record.text("document");
  const std::string bytes = co_await wire::packed(document);
  const std::string event = cat(R"({"awslogs":{"data":")", base::base64_encode(bytes), R"("}})");
  co_return co_await engine::invoke_function(platform, delivery.target, event, {}, logs_itself(record.text("group")));
}

store::Delivery function_delivery(const SubscriptionFilter& filter, std::string_view group_arn,
                                  std::string_view document) {
  store::RetryPolicy policy;
  policy.delays = {std::chrono::seconds(1), std::chrono::minutes(1)};
  policy.attempts_max = std::numeric_limits<int>::max();
  return {.id = base::new_uuid(),
          .target_kind = std::string(kSubscribedFunctionTarget),
          .target = filter.destination,
          .payload = encode_function_document(group_arn, document),
          .policy = std::move(policy)};
}

wire::Context stream_context(wire::Platform& platform, const std::string& stream_arn, const std::string& role_arn,
                             const std::string& group_arn) {
  auto as_role = wire::Principal::role({.role_arn = role_arn,
                                        .session_name = "CloudWatchLogs",
                                        .service = std::string(kService),
                                        .source_arn = group_arn + ":*"});
  return engine::internal_context(platform, stream_arn, std::move(as_role));
}

Task<void> try_destination(wire::Context& context, const SubscriptionFilter& filter, const std::string& group_arn) {
  if (filter.is_function()) return try_function(context, filter, group_arn);
  return try_stream(context, filter, group_arn);
}

}  // namespace tidemill::logs
