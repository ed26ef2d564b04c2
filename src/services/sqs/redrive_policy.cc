#include "services/sqs/redrive_policy.h"

#include <algorithm>
#include <charconv>

#include "base/json.h"
#include "base/text.h"
#include "services/sqs/errors.h"

namespace tidemill::sqs {
namespace {

using base::cat;

wire::Error refuse_redrive(const std::string& text, std::string_view reason) {
  return invalid_parameter(text, "RedrivePolicy", reason);
}

wire::Error refuse_allow(const std::string& text, std::string_view reason) {
  return invalid_parameter(text, "RedriveAllowPolicy", reason);
}

// A number, or text that is one.
std::optional<int64_t> integer_of(const json::Value& value) {
  if (value.is_number()) return value.to_int64();
  if (!value.is_string()) return std::nullopt;
  const std::string& text = value.string();
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string shown(const json::Value& value) { return value.is_string() ? value.string() : json::write(value); }

}  // namespace

bool RedriveAllowPolicy::allows(const QueueAddress& source) const {
  if (permission == Permission::by_queue) return std::ranges::find(source_arns, source.arn()) != source_arns.end();
  return permission == Permission::all;
}

RedrivePolicy parse_redrive_policy(const std::string& text) {
  const auto document = json::parse(text);
  if (!document || !document->is_object()) {
    throw refuse_redrive(text, "Redrive policy is not a valid JSON map.");
  }
  const json::Value* target = document->find("deadLetterTargetArn");
  const json::Value* receives = document->find("maxReceiveCount");
  if (!receives) throw refuse_redrive(text, "Redrive policy does not contain mandatory attribute: maxReceiveCount.");
  if (!target || !target->is_string()) {
    throw refuse_redrive(text, "Redrive policy does not contain mandatory attribute: deadLetterTargetArn.");
  }
  const auto count = integer_of(*receives);
  if (!count || *count < RedrivePolicy::kReceivesMin || *count > RedrivePolicy::kReceivesMax) {
    throw refuse_redrive(text, cat("Invalid value for maxReceiveCount: ", shown(*receives),
                                   ", valid values are from 1 to 1000 both inclusive."));
  }
  auto address = parse_queue_arn(target->string());
  if (!address) throw refuse_redrive(text, "Invalid value for deadLetterTargetArn.");
  return {*std::move(address), static_cast<int>(*count)};
}

RedriveAllowPolicy parse_redrive_allow_policy(const std::string& text) {
  const auto document = json::parse(text);
  if (!document || !document->is_object()) throw refuse_allow(text, "Redrive allow policy is not a valid JSON map.");
  const json::Value* permission = document->find("redrivePermission");
  const json::Value* sources = document->find("sourceQueueArns");
  if (!permission || !permission->is_string()) {
    throw refuse_allow(text, "Redrive allow policy does not contain mandatory attribute: redrivePermission.");
  }
  RedriveAllowPolicy policy;
  const std::string& word = permission->string();
  if (word == "denyAll")
    policy.permission = RedriveAllowPolicy::Permission::none;
  else if (word == "byQueue")
    policy.permission = RedriveAllowPolicy::Permission::by_queue;
  else if (word != "allowAll")
    throw refuse_allow(text, cat("Invalid value for redrivePermission: ", word, "."));
  const bool by_queue = policy.permission == RedriveAllowPolicy::Permission::by_queue;
  if (by_queue != (sources != nullptr)) {
    throw refuse_allow(text, by_queue ? "sourceQueueArns is required when redrivePermission is byQueue."
                                      : "sourceQueueArns is only valid when redrivePermission is byQueue.");
  }
  if (!by_queue) return policy;
  if (!sources->is_array() || sources->array().empty() || sources->array().size() > RedriveAllowPolicy::kSourcesMax) {
    throw refuse_allow(text, "sourceQueueArns must name 1 to 10 queues.");
  }
  for (const json::Value& source : sources->array()) {
    if (!source.is_string() || !parse_queue_arn(source.string())) {
      throw refuse_allow(text, cat("Invalid value for sourceQueueArns: ", shown(source), "."));
    }
    policy.source_arns.push_back(source.string());
  }
  return policy;
}

}  // namespace tidemill::sqs
