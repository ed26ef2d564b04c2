#include "services/scheduler/target.h"

#include <algorithm>
#include <array>

#include "base/base64.h"
#include "base/text.h"
#include "services/scheduler/errors.h"
#include "services/scheduler/input.h"
#include "wire/arn.h"

namespace tidemill::scheduler {
namespace {

using base::cat;

constexpr std::string_view kFifoSuffix = ".fifo";

using Operation = engine::NamedOperation;

// Services of templated targets that AWS has beside those below ("Using templated targets" in the user guide).
constexpr auto kTemplatedByAws = std::to_array<std::string_view>(
    {"codebuild", "codepipeline", "ecs", "firehose", "inspector", "sagemaker"});

// Of a templated target: what of AWS's list the platform can call.
Operation templated_operation(const wire::Arn& arn) {
  if (arn.service == "sqs") return {"sqs", "SendMessage"};
  if (arn.service == "lambda") return {"lambda", "Invoke"};
  if (arn.service == "sns") return {"sns", "Publish"};
  if (arn.service == "kinesis") return {"kinesis", "PutRecord"};
  if (arn.service == "events") return {"events", "PutEvents"};
  if (arn.service == "states") return {"states", "StartExecution"};
  const bool is_of_aws = std::ranges::find(kTemplatedByAws, arn.service) != kTemplatedByAws.end();
  if (is_of_aws) throw not_supported(cat("targets of ", arn.service));
  throw invalid(cat(arn.service, " is not a supported service for a target."));
}

Operation operation_of(std::string_view arn) {
  if (engine::is_universal(arn)) return engine::universal_operation(arn);
  const auto parsed = wire::parse_arn(arn);
  if (!parsed) throw invalid("Provided Arn is not in correct format.");
  return templated_operation(*parsed);
}

void check_operation(const wire::Context& context, std::string_view arn) {
  const bool is_universal = engine::is_universal(arn);
  const Operation operation = is_universal ? engine::new_universal_operation(arn) : operation_of(arn);
  if (!engine::is_supported(context.registry(), operation)) {
    throw not_supported(cat("the target's operation ", operation.service, ":", operation.name));
  }
  if (!is_universal && wire::parse_arn(arn)->region != context.region) {
    throw invalid(cat("The target ARN provided does not match the current region ", context.region, "."));
  }
}

void check_parameters(const Target& target, const shapes::Target& asked) {
  const auto arn = wire::parse_arn(target.arn).value_or(wire::Arn{});
  const std::string_view service = target.is_universal() ? "" : arn.service;
  const auto belongs = [&](bool given, std::string_view wanted, std::string_view name) {
    if (given && service != wanted) throw invalid(cat("Parameters ", name, " not supported for the target."));
  };
  belongs(asked.sqs_parameters.has_value(), "sqs", "SqsParameters");
  belongs(asked.kinesis_parameters.has_value(), "kinesis", "KinesisParameters");
  belongs(asked.event_bridge_parameters.has_value(), "events", "EventBridgeParameters");
  const auto needs = [](bool given, std::string_view name) {
    if (!given) throw invalid(cat("Parameters ", name, " must be specified for the target."));
  };
  const bool is_fifo = service == "sqs" && arn.resource.ends_with(kFifoSuffix);
  if (is_fifo) needs(!target.group_id.empty(), "SqsParameters");
  if (!is_fifo && !target.group_id.empty()) throw invalid("Parameters MessageGroupId not valid for the target.");
  if (service == "kinesis") needs(!target.partition_key.empty(), "KinesisParameters");
  if (service == "events") {
    needs(!target.source.empty(), "EventBridgeParameters");
    if (target.source.starts_with("aws.")) throw invalid("EventBridgeParameters: Source must not begin with aws.");
  }
}

bool takes_json(const Target& target) {
  if (target.is_universal()) return true;
  const auto arn = wire::parse_arn(target.arn).value_or(wire::Arn{});
  return arn.service == "lambda" || arn.service == "events" || arn.service == "states";
}

// Names of queues are enough within an account's region, which is the ARN's.
std::string last_part(std::string_view arn) { return std::string(arn.substr(arn.rfind(':') + 1)); }

json::Value templated_document(const Target& target, std::string_view service, const std::string& input) {
  if (service == "lambda") {
    return json::Object{{"FunctionName", target.arn}, {"InvocationType", "Event"}, {"Payload", input}};
  }
  if (service == "sns") return json::Object{{"TopicArn", target.arn}, {"Message", input}};
  if (service == "kinesis") {
    return json::Object{
        {"StreamARN", target.arn}, {"Data", base::base64_encode(input)}, {"PartitionKey", target.partition_key}};
  }
  if (service == "states") return json::Object{{"StateMachineArn", target.arn}, {"Input", input}};
  if (service == "events") {
    json::Object entry{
        {"EventBusName", target.arn}, {"Source", target.source}, {"DetailType", target.detail_type}, {"Detail", input}};
    return json::Object{{"Entries", json::Array{std::move(entry)}}};
  }
  json::Object message{{"QueueUrl", last_part(target.arn)}, {"MessageBody", input}};
  if (!target.group_id.empty()) message.set("MessageGroupId", target.group_id);
  return message;
}

}  // namespace

bool Target::is_universal() const { return engine::is_universal(arn); }
bool Target::is_queue() const { return wire::parse_arn_of("sqs", arn).has_value(); }

Target check_target(const wire::Context& context, const shapes::Target& asked) {
  Target target{.arn = asked.arn, .role = asked.role_arn, .input = asked.input};
  if (asked.sqs_parameters) target.group_id = asked.sqs_parameters->message_group_id.value_or("");
  if (asked.kinesis_parameters) target.partition_key = asked.kinesis_parameters->partition_key;
  if (asked.event_bridge_parameters) {
    target.detail_type = asked.event_bridge_parameters->detail_type;
    target.source = asked.event_bridge_parameters->source;
  }
  if (asked.dead_letter_config) target.dead_letter = asked.dead_letter_config->arn.value_or("");
  if (asked.retry_policy) {
    target.retries = asked.retry_policy->maximum_retry_attempts.value_or(kRetriesDefault);
    if (const auto age = asked.retry_policy->maximum_event_age_in_seconds) target.age_max = std::chrono::seconds(*age);
  }
  try {
    check_operation(context, target.arn);
  } catch (const engine::NoUniversalTarget& error) {
    throw invalid(error.what());
  }
  check_parameters(target, asked);
  if (target.is_universal() && !target.input) {
    throw invalid("You must provide an input to set this target for your schedule.");
  }
  if (target.input && takes_json(target) && !json::parse(with_attributes(*target.input, {}))) {
    throw invalid("JSON syntax error in input for the target.");
  }
  return target;
}

shapes::Target describe(const Target& target) {
  shapes::Target out{.arn = target.arn, .role_arn = target.role};
  out.input = target.input;
  out.retry_policy = {{.maximum_event_age_in_seconds = static_cast<int32_t>(target.age_max.count()),
                       .maximum_retry_attempts = static_cast<int32_t>(target.retries)}};
  if (!target.dead_letter.empty()) out.dead_letter_config = {{.arn = target.dead_letter}};
  if (!target.group_id.empty()) out.sqs_parameters = {{.message_group_id = target.group_id}};
  if (!target.partition_key.empty()) out.kinesis_parameters = {{.partition_key = target.partition_key}};
  if (!target.source.empty()) {
    out.event_bridge_parameters = {{.detail_type = target.detail_type, .source = target.source}};
  }
  return out;
}

Call call_of(const Target& target, const std::string& input) {
  Operation operation = operation_of(target.arn);
  json::Value document;
  if (target.is_universal()) {
    auto parsed = json::parse(input);
    if (!parsed) throw invalid("Input is no JSON document.");
    document = *std::move(parsed);
  } else {
    document = templated_document(target, operation.service, input);
  }
  return {std::move(operation), std::move(document)};
}

}  // namespace tidemill::scheduler
