#include "services/lambda/event_destinations.h"

#include <limits>

#include "base/packed.h"
#include "base/text.h"
#include "base/json.h"
#include "engine/targets/bucket_target.h"
#include "engine/targets/bus_target.h"
#include "engine/targets/function_target.h"
#include "engine/targets/queue_target.h"
#include "engine/targets/topic_target.h"
#include "services/lambda/function_name.h"
#include "wire/arn.h"
#include "wire/metrics/platform_metrics.h"

namespace tidemill::lambda {
namespace {

using namespace std::chrono_literals;

constexpr uint8_t kVersionWithoutRole = 1;
constexpr uint8_t kVersion = 2;
constexpr wire::PlatformMetric kDestinationDeliveryFailures{"AWS/Lambda", "DestinationDeliveryFailures", "Count",
                                                            "FunctionName"};
constexpr wire::PlatformMetric kDeadLetterErrors{"AWS/Lambda", "DeadLetterErrors", "Count", "FunctionName"};

std::string_view kind_name(OutgoingKind kind) {
  return kind == OutgoingKind::destination ? "lambda-destination" : "lambda-dead-letter";
}

// Where the target answers for nothing, for a day; what it refuses is given up at once.
store::RetryPolicy outgoing_policy() {
  return {.delays = {1s, 5s, 30s, 60s, 300s}, .attempts_max = std::numeric_limits<int>::max(), .age_max = 24h};
}

constexpr auto kParts = [](auto& part, auto& outgoing) {
  part(outgoing.function_arn);
  part(outgoing.trace_header);
  part(outgoing.key);
  part(outgoing.attributes, engine::append_attributes, engine::read_attributes);
  part.rest(outgoing.body);
};

constexpr auto kPartsWithRole = [](auto& part, auto& outgoing) {
  part(outgoing.role);
  kParts(part, outgoing);
};

Outgoing decode(std::string_view bytes) {
  constexpr std::string_view kWhat = "a stored record for a destination";
  const bool has_role = bytes.empty() || static_cast<uint8_t>(bytes.front()) != kVersionWithoutRole;
  return has_role ? base::unpack<Outgoing>(kVersion, bytes, kPartsWithRole, kWhat)
                  : base::unpack<Outgoing>(kVersionWithoutRole, bytes, kParts, kWhat);
}

// A session of the function's role. What is on its way from before roles were kept is the platform's own.
wire::Principal role_of(const Outgoing& outgoing) {
  if (outgoing.role.empty()) return wire::Principal::platform();
  const auto function = parse_function_arn(outgoing.function_arn);
  return wire::Principal::role({.role_arn = outgoing.role,
                                .session_name = function ? function->address.name : std::string(),
                                .service = "lambda.amazonaws.com"});
}

// A record of what came of an invocation, as an event.
Task<store::SendOutcome> put_record_on_bus(wire::Platform& platform, std::string bus_arn, std::string record,
                                           std::string trace_header, wire::Principal by) {
  const auto document = json::parse(record);
  const json::Value* request = document ? document->find("requestContext") : nullptr;
  const json::Value* condition = request ? request->find("condition") : nullptr;
  const json::Value* function = request ? request->find("functionArn") : nullptr;
  const bool is_success = condition && condition->is_string() && condition->string() == "Success";
  std::vector<std::string> resources{bus_arn};
  if (function && function->is_string()) resources.push_back(function->string());
  engine::BusEvent event{.source = std::string(kRecordSource),
                         .detail_type = record_detail_type(is_success),
                         .resource = "",
                         .detail = std::move(record),
                         .trace_header = std::move(trace_header)};
  co_return co_await engine::put_on_bus(platform, std::move(bus_arn), std::move(resources), std::move(event),
                                           std::nullopt, std::move(by));
}

Task<store::SendOutcome> send(wire::Platform& platform, const store::Delivery& delivery) {
  const std::string& target = delivery.target;
  Outgoing outgoing = decode(delivery.payload);
  const auto arn = wire::parse_arn(target);
  const std::string service(arn ? arn->service : "");
  wire::Principal by = role_of(outgoing);
  if (service == "sqs") {
    const engine::QueueMessage message{.body = std::move(outgoing.body),
                                       .attributes = std::move(outgoing.attributes),
                                       .group_id = "",
                                       .deduplication_id = "",
                                       .trace_header = std::move(outgoing.trace_header)};
    co_return co_await engine::send_to_queue(platform, target, message, std::move(by));
  }
  if (service == "sns") {
    const engine::TopicMessage message{.body = std::move(outgoing.body),
                                       .attributes = std::move(outgoing.attributes),
                                       .trace_header = std::move(outgoing.trace_header)};
    co_return co_await engine::publish_to_topic(platform, target, message, std::move(by));
  }
  if (service == "s3") {
    const engine::BucketObject object{.key = std::move(outgoing.key), .body = std::move(outgoing.body)};
    co_return co_await engine::put_into_bucket(platform, target, object, std::move(by));
  }
  if (service == "events") {
    co_return co_await put_record_on_bus(platform, target, std::move(outgoing.body), std::move(outgoing.trace_header),
                                         std::move(by));
  }
  if (service == "lambda") {
    co_return co_await engine::invoke_function(platform, target, outgoing.body, outgoing.trace_header, std::move(by));
  }
  co_return store::SendOutcome{store::SendStatus::rejected, "nothing is sent to " + target};
}

// Counted where it is given up.
engine::Deliveries::EndHook count_failures(OutgoingKind kind, wire::PlatformMetrics* usage) {
  return [kind, usage](store::Transaction&, const store::Delivery& delivery,
                       std::optional<store::GiveUpReason> reason) -> Task<void> {
    const auto function = parse_function_arn(decode(delivery.payload).function_arn);
    if (!reason || !usage || !function) co_return;
    usage->add(kind == OutgoingKind::destination ? kDestinationDeliveryFailures : kDeadLetterErrors,
               function->address.account, function->address.region, function->address.name);
  };
}

}  // namespace

std::string record_detail_type(bool is_success) {
  return base::cat("Lambda Function Invocation Result - ", is_success ? "Success" : "Failure");
}

Task<void> enqueue_outgoing(store::Transaction& txn, OutgoingKind kind, std::string_view id, std::string target,
                            const Outgoing& outgoing, base::Time now) {
  store::Delivery delivery;
  delivery.id = base::cat(kind_name(kind), "/", id);
  delivery.target_kind = kind_name(kind);
  delivery.target = std::move(target);
  delivery.payload = base::pack(kVersion, outgoing, kPartsWithRole);
  delivery.policy = outgoing_policy();
  co_await store::enqueue_delivery(txn, std::move(delivery), now);
}

void register_outgoing(engine::Deliveries& deliveries, wire::Platform& platform, wire::PlatformMetrics* usage) {
  for (const OutgoingKind kind : {OutgoingKind::destination, OutgoingKind::dead_letter}) {
    deliveries.send_with(
        kind_name(kind), [&platform](const store::Delivery& delivery) { return send(platform, delivery); }, {},
        count_failures(kind, usage));
  }
}

}  // namespace tidemill::lambda
