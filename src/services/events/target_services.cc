#include "services/events/target_services.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "engine/targets/function_target.h"
#include "engine/targets/internal_call.h"
#include "engine/targets/queue_target.h"
#include "engine/targets/topic_target.h"
#include "engine/targets/universal_target.h"
#include "services/events/address.h"
#include "services/events/api_call.h"
#include "services/events/connection.h"
#include "services/events/errors.h"
#include "services/events/target_input.h"
#include "wire/arn.h"
#include "wire/pipeline/authorize.h"
#include "wire/shapes/kinesis.h"
#include "wire/shapes/logs.h"
#include "wire/shapes/states.h"

namespace tidemill::events {
namespace {

using base::cat;
using store::SendOutcome;
using store::SendStatus;

constexpr std::string_view kFifoSuffix = ".fifo";
constexpr std::string_view kStream = "stream/";
constexpr std::string_view kLogGroup = "log-group:";
constexpr std::string_view kMachine = "stateMachine:";
constexpr std::array<std::string_view, 7> kServices{"lambda", "sqs", "sns", "kinesis", "logs", "states", "events"};
// Whose resources may be targets of rules in other accounts: "Sending events to an AWS service in another account"
// in the user guide. Buses may, too.
constexpr std::array<std::string_view, 4> kServicesAcrossAccounts{"kinesis", "lambda", "sns", "sqs"};

// The target's role, of targets that need one; what is on its way from before roles were kept is the platform's own.
wire::Principal role_of(const Outgoing& outgoing) {
  if (outgoing.role.empty()) return wire::Principal::platform();
  return wire::Principal::role({.role_arn = outgoing.role,
                                .session_name = "EventBridge",
                                .service = std::string(kEventsPrincipal),
                                .source_arn = outgoing.rule_arn});
}

Task<SendOutcome> put_record(wire::Platform& platform, std::string stream_arn, Outgoing outgoing) {
  wire::kinesis::PutRecordInput request;
  request.stream_arn = stream_arn;
  request.data = std::move(outgoing.input);
  request.partition_key = outgoing.key.empty() ? std::move(outgoing.event_id) : std::move(outgoing.key);
  wire::Context context = engine::internal_context(platform, stream_arn, role_of(outgoing));
  co_return co_await engine::call_once<wire::kinesis::ops::PutRecord>(std::move(context), std::move(request));
}

// "/aws/events/x" of "arn:aws:logs:…:log-group:/aws/events/x:*".
std::string group_of(std::string_view arn) {
  std::string_view group = wire::parse_arn(arn)->resource.substr(kLogGroup.size());
  if (group.ends_with(":*")) group.remove_suffix(2);
  return std::string(group);
}

// What a template makes for a group of logs is {"timestamp": …, "message": …}; all else is the message as it is.
wire::logs::InputLogEvent log_event_of(std::string input, base::Time now) {
  wire::logs::InputLogEvent event;
  event.timestamp = std::chrono::floor<std::chrono::milliseconds>(now).time_since_epoch().count();
  const auto document = json::parse(input);
  const json::Value* message = document ? document->find("message") : nullptr;
  const json::Value* timestamp = document ? document->find("timestamp") : nullptr;
  if (message && timestamp && document->object().size() == 2) {
    event.timestamp = timestamp->to_int64().value_or(event.timestamp);
    event.message = message->is_string() ? message->string() : json::write(*message);
  } else {
    event.message = std::move(input);
  }
  return event;
}

Task<SendOutcome> put_log_event(wire::Platform& platform, std::string group_arn, Outgoing outgoing) {
  const auto rule = parse_rule_arn(outgoing.rule_arn);
  wire::logs::PutLogEventsInput request;
  request.log_group_name = group_of(group_arn);
  request.log_stream_name = rule ? rule->name : std::string(kDefaultBus);
  request.log_events.push_back(log_event_of(std::move(outgoing.input), platform.clock.now()));
  // The account's resource policies of CloudWatch Logs must let the service write.
  auto by = wire::Principal::service(std::string(kEventsPrincipal), outgoing.rule_arn);
  wire::Context context = engine::internal_context(platform, group_arn, std::move(by));
  SendOutcome outcome = co_await engine::call_once<wire::logs::ops::PutLogEvents>(context, request);
  if (!outcome.error.contains("log stream")) co_return outcome;
  // The first event of a rule makes its stream.
  wire::logs::CreateLogStreamInput stream;
  stream.log_group_name = request.log_group_name;
  stream.log_stream_name = request.log_stream_name;
  outcome = co_await engine::call_once<wire::logs::ops::CreateLogStream>(context, std::move(stream));
  const bool is_there = outcome.status == SendStatus::delivered || outcome.error.starts_with("ResourceAlreadyExists");
  if (!is_there) co_return outcome;
  co_return co_await engine::call_once<wire::logs::ops::PutLogEvents>(std::move(context), std::move(request));
}

// By a name that is the delivery's own, so that one which is sent again begins no second execution.
Task<SendOutcome> start_execution(wire::Platform& platform, std::string machine_arn, std::string delivery_id,
                                  Outgoing outgoing) {
  constexpr size_t kNameMax = 80;
  wire::states::StartExecutionInput request;
  request.state_machine_arn = machine_arn;
  request.input = std::move(outgoing.input);
  std::string name = cat(outgoing.event_id, "_", delivery_id);
  request.name = name.size() <= kNameMax ? std::move(name) : std::move(delivery_id);
  wire::Context context = engine::internal_context(platform, machine_arn, role_of(outgoing));
  SendOutcome outcome =
      co_await engine::call_once<wire::states::ops::StartExecution>(std::move(context), std::move(request));
  if (outcome.error.starts_with("ExecutionAlreadyExists")) co_return SendOutcome{};  // it has ended since
  co_return outcome;
}

// The input is the operation's request.
Task<SendOutcome> call_operation(wire::Platform& platform, std::string arn, Outgoing outgoing) {
  auto request = json::parse(outgoing.input);
  if (!request || !request->is_object()) {
    co_return SendOutcome{SendStatus::rejected, "ValidationException: the target's input is no JSON object."};
  }
  wire::Context context = engine::internal_context(platform, outgoing.rule_arn, role_of(outgoing));
  try {
    auto operation = engine::universal_operation(arn);
    co_return co_await engine::call_by_name(std::move(context), std::move(operation), *std::move(request));
  } catch (const engine::NoUniversalTarget& error) {
    co_return SendOutcome{SendStatus::rejected, cat("ValidationException: ", error.what())};
  }
}

void check_universal(const wire::Registry& registry, const wire::events::Target& target) {
  try {
    const auto operation = engine::new_universal_operation(target.arn);
    if (!engine::is_supported(registry, operation)) {
      throw not_supported(cat("the target's operation ", operation.service, ":", operation.name));
    }
  } catch (const engine::NoUniversalTarget& error) {
    throw invalid_parameter(target.arn, error.what());
  }
  if (!target.role_arn) throw invalid(cat("RoleArn is required for target ", target.arn, "."));
  if (!target.input && !target.input_path && !target.input_transformer) {
    throw invalid(cat("Input, InputPath or InputTransformer is required for target ", target.arn, "."));
  }
}

void check_queue(const wire::events::Target& target) {
  const bool has_group = target.sqs_parameters && target.sqs_parameters->message_group_id;
  if (!has_group && target.arn.ends_with(kFifoSuffix)) {
    throw invalid(cat("Parameter(s) SqsParameters must be specified for target: ", target.id, "."));
  }
}

void check_http_values(const wire::events::Target& target) {
  try {
    (void)http_values(target, json::Object());
  } catch (const lang::inputs::InputError& error) {
    throw invalid(cat(error.what(), " for target ", target.id, "."));
  }
}

void check_bus_or_destination(const wire::events::Target& target) {
  if (is_destination_arn(target.arn)) return check_http_values(target);
  if (!parse_bus_arn(target.arn)) throw not_supported(cat("the target ", target.arn));
  if (target.input || target.input_path || target.input_transformer) {
    throw invalid(
        cat("Input, InputPath and InputTransformer are not supported for the event bus of target ", target.id, "."));
  }
}

void check_service(const wire::Registry& registry, const wire::events::Target& target, const wire::Arn& arn) {
  if (engine::is_universal(target.arn)) {
    check_universal(registry, target);
  } else if (std::ranges::find(kServices, arn.service) == kServices.end()) {
    throw not_supported(cat(arn.service, " as a target: ", target.arn));
  }
  if (arn.service == "sqs") check_queue(target);
  if (arn.service == "events") check_bus_or_destination(target);
  if (arn.service == "sns" && arn.resource.ends_with(kFifoSuffix)) {
    throw not_supported(cat("FIFO topics as targets: ", target.arn));
  }
  if ((arn.service == "kinesis" || arn.service == "states") && !target.role_arn) {
    throw invalid(cat("RoleArn is required for target ", target.arn, "."));
  }
  const bool is_whole = (arn.service != "kinesis" || arn.resource.starts_with(kStream)) &&
                        (arn.service != "logs" || arn.resource.starts_with(kLogGroup)) &&
                        (arn.service != "states" || arn.resource.starts_with(kMachine));
  if (!is_whole) throw invalid_parameter(target.arn, "Provided Arn is not in correct format.");
  if (target.kinesis_parameters && arn.service != "kinesis") {
    throw invalid(cat("Parameter(s) KinesisParameters not supported for target: ", target.id, "."));
  }
  if (target.sqs_parameters && arn.service != "sqs") {
    throw not_supported(cat("SqsParameters for target ", target.id, ", which is no queue"));
  }
}

wire::Error access_denied(std::string message) { return {"AccessDeniedException", 400, std::move(message)}; }

// EventBridge goes to another account under a role of the bus's account, and only if that itself says so.
void check_account(const wire::Context& context, const BusAddress& bus, const wire::events::Target& target,
                   const wire::Arn& arn) {
  if (engine::is_universal(target.arn) || arn.account == bus.account || parse_bus_arn(target.arn)) return;
  const bool may_be = std::ranges::find(kServicesAcrossAccounts, arn.service) != kServicesAcrossAccounts.end() &&
                      arn.region == bus.region;
  if (!may_be || context.account != bus.account) {
    throw access_denied(cat("Access to the resource ", target.arn,
                            " is denied. Reason: Adding cross-account target is not permitted."));
  }
  if (!target.role_arn) throw invalid(cat("RoleArn is required for target ", target.arn, "."));
  const auto role = wire::parse_arn_of("iam", *target.role_arn);
  if (!role || role->account != bus.account) throw access_denied("Cross-account pass role is not allowed.");
}

void check_dead_letter_queue(const BusAddress& bus, const wire::events::Target& target) {
  constexpr std::string_view kName = "DeadLetterConfig.Arn";
  if (!target.dead_letter_config || !target.dead_letter_config->arn) return;
  const auto arn = wire::parse_arn(*target.dead_letter_config->arn);
  if (!arn) throw invalid_parameter(kName, "Provided Arn is not in correct format.");
  if (arn->service != "sqs") throw invalid(cat(arn->service, " is not supported as a dead letter resource."));
  if (arn->resource.ends_with(kFifoSuffix)) throw invalid("SQS FIFO is not supported by Dead Letter Queues.");
  if (arn->region == bus.region) return;
  throw invalid_parameter(kName, cat("The queue is not in the region ", bus.region, "."));
}

}  // namespace

Task<std::optional<SendOutcome>> find_denial(wire::Platform& platform, std::string rule_arn, std::string target_arn,
                                             std::string role) {
  if (!platform.authorizer) co_return std::nullopt;
  const bool is_destination = is_destination_arn(target_arn);
  if (is_destination && role.empty()) {
    co_return SendOutcome{SendStatus::rejected, cat("AccessDeniedException: no role of the target lets it call ", target_arn)};
  }
  const Outgoing asking{.rule_arn = rule_arn, .role = role};
  // Of neither a role nor a service: the account of the rule (rights/actor.h).
  auto by = role.empty() ? wire::Principal::service("", rule_arn) : role_of(asking);
  const wire::Context context = engine::internal_context(platform, target_arn, std::move(by));
  const std::string action = is_destination ? "events:InvokeApiDestination" : "events:PutEvents";
  try {
    co_await wire::authorize_deed(context, {action, target_arn});
  } catch (const wire::Error& error) {
    co_return engine::outcome_of(error);
  }
  co_return std::nullopt;
}

Task<SendOutcome> send_to_target(wire::Platform& platform, const store::Delivery& delivery) {
  const std::string target_arn = delivery.target;
  Outgoing outgoing = decode_outgoing(delivery.payload);
  if (!outgoing.denial.empty()) co_return SendOutcome{SendStatus::rejected, std::move(outgoing.denial)};
  const auto arn = wire::parse_arn(target_arn);
  const std::string service(arn ? arn->service : "");
  // What these let the service do for the rule stands in their own policies; into another account the role goes.
  const auto rule = wire::parse_arn(outgoing.rule_arn);
  const bool is_abroad = arn && rule && arn->account != rule->account && !outgoing.role.empty();
  auto by = is_abroad ? role_of(outgoing)
                      : wire::Principal::service(std::string(kEventsPrincipal), outgoing.rule_arn);
  if (engine::is_universal(target_arn)) co_return co_await call_operation(platform, target_arn, std::move(outgoing));
  if (service == "lambda") {
    co_return co_await engine::invoke_function(platform, target_arn, outgoing.input, outgoing.trace_header, std::move(by));
  }
  if (service == "sqs") {
    const engine::QueueMessage message{.body = std::move(outgoing.input),
                                       .attributes = {},
                                       .group_id = std::move(outgoing.key),
                                       .deduplication_id = "",
                                       .trace_header = std::move(outgoing.trace_header)};
    co_return co_await engine::send_to_queue(platform, target_arn, message, std::move(by));
  }
  if (service == "sns") {
    const engine::TopicMessage message{.body = std::move(outgoing.input),
                                       .trace_header = std::move(outgoing.trace_header)};
    co_return co_await engine::publish_to_topic(platform, target_arn, message, std::move(by));
  }
  if (service == "kinesis") co_return co_await put_record(platform, target_arn, std::move(outgoing));
  if (service == "logs") co_return co_await put_log_event(platform, target_arn, std::move(outgoing));
  if (service == "states") co_return co_await start_execution(platform, target_arn, delivery.id, std::move(outgoing));
  if (service == "events") {
    // Had it a bus that may have it, it would be there already (routing.h).
    co_return SendOutcome{SendStatus::rejected, "ResourceNotFoundException: no such event bus"};
  }
  co_return SendOutcome{SendStatus::rejected, "nothing is sent to " + target_arn};
}

void check_target(const wire::Context& context, const BusAddress& bus, const wire::events::Target& target) {
  const auto arn = wire::parse_arn(target.arn);
  if (!arn || arn->partition != wire::kPartition) {
    throw invalid_parameter(target.arn, "Provided Arn is not in correct format.");
  }
  if (target.role_arn) check_role(*target.role_arn);
  if (target.http_parameters && !is_destination_arn(target.arn)) {
    throw invalid(cat("Parameter(s) HttpParameters not supported for target: ", target.id, "."));
  }
  if (target.http_parameters && target.http_parameters->header_parameters) {
    for (const auto& [name, value] : *target.http_parameters->header_parameters) {
      if (!is_header_name(name)) throw invalid_parameter("HttpParameters.HeaderParameters", cat(name, " is no name of a header."));
    }
  }
  check_service(context.registry(), target, *arn);
  check_account(context, bus, target, *arn);
  check_dead_letter_queue(bus, target);
  check_input(target);
}

}  // namespace tidemill::events
