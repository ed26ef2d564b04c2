#include "engine/mappings/mapping_rights.h"

#include "base/log.h"
#include "base/text.h"
#include "base/uuid.h"
#include "engine/mappings/failure_destination.h"
#include "engine/mappings/mapping_usage.h"
#include "engine/targets/internal_call.h"
#include "wire/arn.h"
#include "wire/error.h"
#include "wire/pipeline/authorize.h"
#include "wire/registry.h"
#include "wire/shapes/lambda.h"
#include "wire/shapes/pipes.h"

namespace tidemill::engine {

namespace {

using base::cat;

std::vector<MappingDeed> deeds(std::initializer_list<std::string_view> actions, std::string_view resource) {
  std::vector<MappingDeed> list;
  for (const std::string_view action : actions) list.push_back({std::string(action), std::string(resource)});
  return list;
}

bool is_not_there(const wire::Error& error) {
  return error.code == "ResourceNotFoundException" || error.code == "NotFoundException";  // of Lambda, of Pipes
}

// The role of the function or the pipe; empty: there is none of that ARN. Throws wire::Error if that is not known now.
Task<std::string> role_of(wire::Platform& platform, const wire::Arn& target, std::string target_arn) {
  wire::Context context = internal_context(platform, target_arn);
  try {
    if (target.service == "pipes") {
      const wire::pipes::DescribePipeInput request{.name = target_arn.substr(target_arn.rfind('/') + 1)};
      const auto found = co_await context.registry().call<wire::pipes::ops::DescribePipe>(context, request);
      co_return found.role_arn.value_or("");
    }
    const wire::lambda::GetFunctionConfigurationInput request{.function_name = std::move(target_arn)};
    const auto found = co_await context.registry().call<wire::lambda::ops::GetFunctionConfiguration>(context, request);
    co_return found.role.value_or("");
  } catch (const wire::Error& error) {
    if (!is_not_there(error)) throw;
  }
  co_return "";
}

}  // namespace

wire::Principal session_of(std::string role, const std::string& target_arn) {
  const bool is_pipe = wire::parse_arn_of("pipes", target_arn).has_value();
  wire::Standing standing{.role_arn = std::move(role)};
  standing.session_name =
      is_pipe ? target_arn.substr(target_arn.rfind('/') + 1) : std::string(function_name_in(target_arn));
  standing.service = is_pipe ? "pipes.amazonaws.com" : "lambda.amazonaws.com";
  if (is_pipe) standing.source_arn = target_arn;
  return wire::Principal::role(std::move(standing));
}

std::vector<MappingDeed> reading_deeds(std::string_view source_arn) {
  const auto arn = wire::parse_arn(source_arn);
  if (!arn) return {};
  if (arn->service == "dynamodb") {
    return deeds({"dynamodb:GetRecords", "dynamodb:GetShardIterator", "dynamodb:DescribeStream"}, source_arn);
  }
  if (arn->service == "kinesis") {
    if (arn->resource.find("/consumer/") != std::string_view::npos) {
      return deeds({"kinesis:SubscribeToShard"}, source_arn);
    }
    return deeds({"kinesis:GetRecords", "kinesis:GetShardIterator", "kinesis:DescribeStream"}, source_arn);
  }
  if (arn->service == "sqs") return deeds({"sqs:ReceiveMessage", "sqs:GetQueueAttributes"}, source_arn);
  return {};
}

std::vector<MappingDeed> removing_deeds(std::string_view source_arn) {
  return wire::parse_arn_of("sqs", source_arn) ? deeds({"sqs:DeleteMessage"}, source_arn) : std::vector<MappingDeed>();
}

std::vector<MappingDeed> telling_deeds(std::string_view destination_arn) {
  const auto arn = wire::parse_arn(destination_arn);
  if (!arn) return {};
  if (arn->service == "sqs") return deeds({"sqs:SendMessage"}, destination_arn);
  if (arn->service == "sns") return deeds({"sns:Publish"}, destination_arn);
  if (arn->service != "s3") return {};
  return {{"s3:PutObject", cat(destination_arn, "/*")}, {"s3:ListBucket", std::string(destination_arn)}};
}

Task<std::optional<wire::Principal>> worker_of(wire::Platform& platform, std::string target_arn) {
  const auto target = wire::parse_arn(target_arn);
  if (!target) co_return std::nullopt;
  std::string role = co_await role_of(platform, *target, target_arn);
  if (role.empty()) co_return std::nullopt;
  co_return session_of(std::move(role), target_arn);
}

Task<std::optional<wire::Principal>> acting_for(wire::Platform& platform, std::string mapping_uuid,
                                                std::string target_arn) {
  if (!platform.authorizer) co_return wire::Principal::platform();
  if (auto worker = co_await worker_of(platform, target_arn)) co_return worker;
  const auto bytes = co_await platform.store.snapshot()->get(mapping_key(mapping_uuid));
  const auto mapping = bytes ? decode_mapping(*bytes) : std::nullopt;
  if (!mapping) co_return std::nullopt;
  // What earlier versions have deleted left no role behind.
  if (mapping->last_role.empty()) co_return wire::Principal::platform();
  co_return session_of(mapping->last_role, target_arn);
}

Task<std::optional<MappingDeed>> first_denied(wire::Platform& platform, wire::Principal worker,
                                              std::vector<MappingDeed> deeds, std::string request_id) {
  for (MappingDeed& deed : deeds) {
    wire::Context asking = internal_context(platform, deed.resource, worker);
    if (!request_id.empty()) asking.request_id = request_id;
    bool is_denied = false;
    try {
      co_await wire::authorize_deed(asking, {deed.action, deed.resource, deed.facts});
    } catch (const wire::Error&) {
      is_denied = true;
    }
    if (is_denied) co_return std::move(deed);
  }
  co_return std::nullopt;
}

// ---- Of those that run ----

Task<void> MappingRights::keep_tellers(std::vector<store::Delivery>& deliveries) {
  if (platform_.authorizer == nullptr) co_return;
  for (store::Delivery& delivery : deliveries) co_await keep_teller(platform_, delivery);
}

Task<bool> MappingRights::may_read(const Mapping& mapping) {
  if (platform_.authorizer == nullptr) return Task<bool>::ready(true);
  return may(cat("read\n", mapping.function_arn, "\n", mapping.event_source_arn), mapping.function_arn,
             reading_deeds(mapping.event_source_arn));
}

Task<bool> MappingRights::may_remove(const Mapping& mapping) {
  if (platform_.authorizer == nullptr) return Task<bool>::ready(true);
  return may(cat("remove\n", mapping.function_arn, "\n", mapping.event_source_arn), mapping.function_arn,
             removing_deeds(mapping.event_source_arn));
}

Task<bool> MappingRights::may(std::string key, std::string target_arn, std::vector<MappingDeed> deeds) {
  const base::Time now = base::RealClock().now();  // the platform's may stand
  if (const auto found = found_.find(key); found != found_.end() && now < found->second.until) {
    co_return found->second.is_allowed;
  }
  std::optional<wire::Principal> worker;
  try {
    worker = co_await worker_of(platform_, std::move(target_arn));
  } catch (const wire::Error& error) {
    base::log_warning("the role that a mapping acts under is not known", {{"error", error.message}});
    co_return false;  // asked anew after kDeniedPause
  }
  // What is not there is found missing by whoever calls it.
  const bool is_allowed = !worker || !co_await first_denied(platform_, *worker, std::move(deeds));
  if (found_.size() >= kFoundMax) found_.clear();
  found_.insert_or_assign(std::move(key), Found{now + kGoodFor, is_allowed});
  co_return is_allowed;
}

}  // namespace tidemill::engine
