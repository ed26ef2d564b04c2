#include "services/lambda/sending_rights.h"

#include <algorithm>

#include "base/text.h"
#include "engine/targets/internal_call.h"
#include "services/lambda/errors.h"
#include "services/lambda/event_destinations.h"
#include "services/lambda/event_record.h"
#include "wire/arn.h"
#include "wire/registry.h"
#include "wire/shapes/events.h"
#include "wire/shapes/sns.h"
#include "wire/shapes/sqs.h"

namespace tidemill::lambda {

namespace {

using base::cat;
using engine::MappingDeed;

std::string_view operation_of(const MappingDeed& deed) {
  const std::string_view action = deed.action;
  return action.substr(action.find(':') + 1);
}

// What sending a record there takes.
std::vector<MappingDeed> sending_deeds(const FunctionReference& function, const std::string& destination,
                                       bool is_success) {
  const auto arn = wire::parse_arn(destination);
  if (!arn) return {};
  if (arn->service == "lambda") return {{"lambda:InvokeFunction", destination}};
  if (arn->service == "s3") {
    return {{"s3:PutObject", cat(destination, "/", destination_prefix(function.address.name), "*")}};
  }
  if (arn->service == "events") {
    return {{"events:PutEvents",
             destination,
             {{"events:source", std::string(kRecordSource)}, {"events:detail-type", record_detail_type(is_success)}}}};
  }
  return engine::telling_deeds(destination);
}

template <class Op>
Task<void> ask(wire::Context& context, typename Op::Request request) {
  (void)co_await context.registry().call<Op>(context, request);
}

// Functions are looked for where they are kept, and buckets when there is something to tell.
Task<bool> is_there(wire::Platform& platform, std::string destination) {
  const auto arn = wire::parse_arn(destination);
  const std::string service(arn ? arn->service : "");
  wire::Context asking = engine::internal_context(platform, destination);
  try {
    if (service == "sqs") co_await ask<wire::sqs::ops::GetQueueUrl>(asking, {.queue_name = std::string(arn->resource)});
    if (service == "sns") co_await ask<wire::sns::ops::GetTopicAttributes>(asking, {.topic_arn = destination});
    if (service == "events") co_await ask<wire::events::ops::DescribeEventBus>(asking, {.name = destination});
  } catch (const wire::Error& error) {
    if (error.http_status >= 500) throw;
    co_return false;
  }
  co_return true;
}

Task<void> require_rights(wire::Context& context, const FunctionReference& function, const std::string& destination,
                          bool is_success) {
  if (context.platform().authorizer == nullptr) co_return;
  const auto worker = co_await engine::worker_of(context.platform(), function.arn());
  if (!worker) co_return;  // gone meanwhile
  const auto denied = co_await engine::first_denied(
      context.platform(), *worker, sending_deeds(function, destination, is_success), context.request_id);
  if (!denied) co_return;
  throw errors::invalid_parameter_value_exception(
      cat("The function's execution role does not have permissions to call ", operation_of(*denied), " on ",
          destination));
}

Task<void> require_destination(wire::Context& context, const FunctionReference& function, std::string destination,
                               bool is_success) {
  if (destination.empty()) co_return;
  // First: whether it is there is told to those only who may send there.
  co_await require_rights(context, function, destination, is_success);
  if (co_await is_there(context.platform(), destination)) co_return;
  throw errors::invalid_parameter_value_exception(cat("The destination ARN ", destination, " is invalid."));
}

}  // namespace

wire::Error lacks_permission(const MappingDeed& denied) {
  std::string service = denied.action.substr(0, denied.action.find(':'));
  std::ranges::transform(service, service.begin(), [](char c) { return c >= 'a' ? static_cast<char>(c - 32) : c; });
  return errors::invalid_parameter_value_exception(
      cat("The provided execution role does not have permissions to call ", operation_of(denied), " on ", service));
}

Task<void> require_dead_letter_rights(wire::Context& context, const FunctionAddress& function, std::string role,
                                      std::string target) {
  if (context.platform().authorizer == nullptr || target.empty()) co_return;
  wire::Principal worker = engine::session_of(std::move(role), function.arn());
  const auto denied = co_await engine::first_denied(context.platform(), std::move(worker),
                                                    engine::telling_deeds(target), context.request_id);
  if (denied) throw lacks_permission(*denied);
}

Task<void> require_destinations(wire::Context& context, const FunctionReference& function,
                                const EventInvokeConfig& config) {
  co_await require_destination(context, function, config.on_success, true);
  co_await require_destination(context, function, config.on_failure, false);
}

}  // namespace tidemill::lambda
