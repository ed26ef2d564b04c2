#include "services/events/sending.h"

#include <algorithm>

#include "base/packed.h"
#include "base/text.h"
#include "base/uuid.h"
#include "engine/targets/queue_target.h"
#include "engine/targets/senders.h"
#include "engine/targets/universal_target.h"
#include "services/events/event_metrics.h"
#include "services/events/target_input.h"
#include "services/events/target_services.h"
#include "wire/arn.h"

namespace tidemill::events {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kDeliveryKind = "events";
constexpr std::string_view kApiDeliveryKind = "events-http";
constexpr std::string_view kCallDeliveryKind = "events-call";
constexpr uint8_t kVersionWithoutRole = 1;
constexpr uint8_t kVersionWithoutDenial = 2;
constexpr uint8_t kVersion = 3;
constexpr int kRetriesMax = 185;         // AWS's default, and the most
constexpr base::Duration kAgeMax = 24h;  // the same
constexpr base::Duration kDelayFirst = 1s;
constexpr base::Duration kDelayMax = 8min;  // 185 retries take about a day
constexpr int64_t kJitterDivisor = 4;       // a delay is up to a quarter shorter

constexpr auto kParts = [](auto& part, auto& outgoing) {
  part(outgoing.rule_arn);
  part(outgoing.dead_letter_queue);
  part(outgoing.event_id);
  part(outgoing.key);
  part(outgoing.trace_header);
  part(outgoing.event);
  part.rest(outgoing.input);
};
constexpr auto kPartsWithRole = [](auto& part, auto& outgoing) {
  part(outgoing.role);
  kParts(part, outgoing);
};
constexpr auto kPartsWithDenial = [](auto& part, auto& outgoing) {
  part(outgoing.denial);
  kPartsWithRole(part, outgoing);
};

// Doubling, each a little shorter by chance, so that what failed together is not tried again together.
std::vector<base::Duration> retry_delays(size_t seed) {
  std::vector<base::Duration> delays;
  for (base::Duration delay = kDelayFirst;; delay = std::min(delay * 2, kDelayMax)) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    const base::Duration most = delay / kJitterDivisor;
    delays.push_back(delay - base::Duration(static_cast<int64_t>(seed >> 33) % most.count()));
    if (delay == kDelayMax) return delays;
  }
}

store::RetryPolicy policy_of(const shapes::Target& target, size_t seed) {
  store::RetryPolicy policy{.delays = retry_delays(seed), .attempts_max = kRetriesMax + 1, .age_max = kAgeMax};
  if (!target.retry_policy) return policy;
  if (const auto retries = target.retry_policy->maximum_retry_attempts) policy.attempts_max = *retries + 1;
  if (const auto age = target.retry_policy->maximum_event_age_in_seconds) policy.age_max = std::chrono::seconds(*age);
  return policy;
}

std::string text_at(const lang::inputs::InputPath& path, const json::Value& document) {
  const json::Value* value = path.find(document);
  if (!value) return "";
  return value->is_string() ? value->string() : json::write(*value);
}

// Of a message group or a record, or what is added to a call.
std::string key_of(const ActiveTarget& target, const Arrival& arrival) {
  if (is_destination_arn(target.target.arn)) return http_values(target.target, arrival.document);
  if (target.target.sqs_parameters) return target.target.sqs_parameters->message_group_id.value_or("");
  return target.partition_key ? text_at(*target.partition_key, arrival.document) : "";
}

std::string_view kind_of(std::string_view target_arn) {
  if (is_destination_arn(target_arn)) return kApiDeliveryKind;
  return engine::is_universal(target_arn) && engine::may_wait(target_arn) ? kCallDeliveryKind : kDeliveryKind;
}

// Calls that take long are in the way of no other account's.
std::string caller_of(const store::Delivery& delivery) {
  const std::string rule_arn = decode_outgoing(delivery.payload).rule_arn;
  const auto rule = wire::parse_arn(rule_arn);
  return base::cat(rule ? rule->account : "", "/", rule ? rule->region : "", "/", delivery.target);
}

// AWS's words for the codes of its services.
std::string_view dead_letter_code(std::string_view error) {
  const std::string_view code = error.substr(0, error.find(':'));
  const auto is_like = [&](std::string_view word) { return code.find(word) != std::string_view::npos; };
  if (is_like("NotFound") || is_like("NonExistent") || is_like("DoesNotExist")) return "NO_RESOURCE";
  if (is_like("AccessDenied") || is_like("Authoriz")) return "NO_PERMISSIONS";
  if (is_like("Throttl") || is_like("TooManyRequests") || is_like("Overloaded")) return "THROTTLING";
  if (is_like("Timeout")) return "TIMEOUT";
  return "SDK_CLIENT_ERROR";
}

engine::QueueMessage dead_letter(const store::Delivery& delivery, Outgoing outgoing, store::GiveUpReason reason) {
  const std::string& event = outgoing.event.empty() ? outgoing.input : outgoing.event;
  engine::QueueMessage letter{.body = event, .attributes = {}, .group_id = "", .deduplication_id = ""};
  const auto add = [&](std::string name, std::string value) {
    if (!value.empty()) letter.attributes.push_back({std::move(name), "String", std::move(value)});
  };
  add("RULE_ARN", outgoing.rule_arn);
  add("TARGET_ARN", delivery.target);
  add("ERROR_CODE", std::string(dead_letter_code(delivery.last_error)));
  add("ERROR_MESSAGE", delivery.last_error);
  if (reason == store::GiveUpReason::attempts_exhausted) add("EXHAUSTED_RETRY_CONDITION", "MaximumRetryAttempts");
  if (reason == store::GiveUpReason::age_exceeded) add("EXHAUSTED_RETRY_CONDITION", "MaximumEventAgeInSeconds");
  const bool was_tried_again = reason != store::GiveUpReason::rejected && delivery.attempts > 0;
  if (was_tried_again) add("RETRY_ATTEMPTS", std::to_string(delivery.attempts - 1));
  return letter;
}

}  // namespace

std::string encode_outgoing(const Outgoing& outgoing) { return base::pack(kVersion, outgoing, kPartsWithDenial); }

Outgoing decode_outgoing(std::string_view bytes) {
  constexpr std::string_view kWhat = "an event on its way to a target";
  switch (bytes.empty() ? kVersion : static_cast<uint8_t>(bytes.front())) {
    case kVersionWithoutRole:
      return base::unpack<Outgoing>(kVersionWithoutRole, bytes, kParts, kWhat);
    case kVersionWithoutDenial:
      return base::unpack<Outgoing>(kVersionWithoutDenial, bytes, kPartsWithRole, kWhat);
    default:
      return base::unpack<Outgoing>(kVersion, bytes, kPartsWithDenial, kWhat);
  }
}

void Sending::register_with(engine::Deliveries& deliveries) {
  const auto end_hook = [this](store::Transaction& txn, const store::Delivery& delivery,
                               std::optional<store::GiveUpReason> reason) { return end(txn, delivery, reason); };
  const auto sender = [this](const store::Delivery& delivery) { return send_to_target(platform_, delivery); };
  deliveries.send_with(kDeliveryKind, sender, {}, end_hook);
  deliveries.send_with(kCallDeliveryKind, sender, {}, end_hook,
                       {.targets = engine::Targets::may_hang, .lane_of = caller_of});
  deliveries.send_with(kApiDeliveryKind,
                       [this](const store::Delivery& delivery) { return call_destination(delivery); },
                       {}, end_hook, {.targets = engine::Targets::may_hang});
}

Task<store::SendOutcome> Sending::call_destination(const store::Delivery& delivery) {
  Outgoing outgoing = decode_outgoing(delivery.payload);
  std::string target = delivery.target;
  if (!outgoing.denial.empty()) co_return store::SendOutcome{store::SendStatus::rejected, std::move(outgoing.denial)};
  auto denial = co_await find_denial(platform_, outgoing.rule_arn, target, outgoing.role);
  if (denial) co_return *std::move(denial);
  co_return co_await api_caller_.send(std::move(target), std::move(outgoing));
}

Task<size_t> Sending::enqueue(store::Transaction& txn, const ActiveRule& rule, const ActiveTarget& target,
                              const Arrival& arrival, std::string denial, base::Time now) {
  Outgoing outgoing{
      .rule_arn = rule.arn,
      .dead_letter_queue = target.target.dead_letter_config ? target.target.dead_letter_config->arn.value_or("") : "",
      .event_id = arrival.id(),
      .key = key_of(target, arrival),
      .trace_header = arrival.trace_header,
      .event = "",
      .input = {},
      .role = target.target.role_arn.value_or(""),
      .denial = std::move(denial)};
  if (auto input = co_await input_of(rule, target, arrival)) {
    outgoing.input = *std::move(input);
  } else {  // refused and told of as what a target refuses
    outgoing.denial = base::cat("ValidationException: what the InputTransformer makes of the event is larger than ",
                                kTransformedBytesMax, " bytes");
  }
  if (outgoing.input != arrival.text) outgoing.event = arrival.text;
  store::Delivery delivery;
  delivery.id = base::new_uuid();
  delivery.target_kind = kind_of(target.target.arn);
  delivery.target = target.target.arn;
  delivery.payload = encode_outgoing(outgoing);
  const size_t bytes = delivery.payload.size();
  delivery.policy = policy_of(target.target, std::hash<std::string>()(delivery.id));
  co_await store::enqueue_delivery(txn, std::move(delivery), now);
  co_return bytes;
}

// What was given up goes to the target's dead-letter queue, by a delivery of its own.
Task<void> Sending::end(store::Transaction& txn, const store::Delivery& delivery,
                        std::optional<store::GiveUpReason> reason) {
  Outgoing outgoing = decode_outgoing(delivery.payload);
  measure_rule(platform_, reason ? kFailedInvocations : kInvocations, outgoing.rule_arn);
  if (!reason || outgoing.dead_letter_queue.empty()) co_return;
  measure_rule(platform_, kSentToDeadLetters, outgoing.rule_arn);
  store::Delivery letter;
  letter.id = delivery.id + "/dead-letter";
  letter.target_kind = engine::kQueueLetterTarget;
  letter.target = outgoing.dead_letter_queue;
  letter.policy = {.delays = {1s, 5s, 30s, 60s, 300s}, .attempts_max = kRetriesMax + 1, .age_max = kAgeMax};
  // The queue's policy, and that of its key, must let EventBridge send for the rule.
  const wire::Standing by{"", "", std::string(kEventsPrincipal), outgoing.rule_arn};
  letter.payload = engine::encode_queue_letter({by, dead_letter(delivery, std::move(outgoing), *reason)});
  co_await store::enqueue_delivery(txn, std::move(letter), platform_.clock.now());
}

}  // namespace tidemill::events
