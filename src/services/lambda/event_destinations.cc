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

constexpr uint8_t kVersion = 1;
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

Outgoing decode(std::string_view bytes) {
  return base::unpack<Outgoing>(kVersion, bytes, kParts, "a stored record for a destination");
}

// A record of what came of an invocation, as an event.
Task<store::SendOutcome> put_record_on_bus(wire::Platform& platform, std::string bus_arn, std::string record,
                                           std::string trace_header) {
  const auto document = json::parse(record);
  const json::Value* request = document ? document->find("requestContext") : nullptr;
  const json::Value* condition = request ? request->find("condition") : nullptr;
  const json::Value* function = request ? request->find("functionArn") : nullptr;
  const bool is_success = condition && condition->is_string() && condition->string() == "Success";
  std::vector<std::string> resources{bus_arn};
  if (function && function->is_string()) resources.push_back(function->string());
  engine::BusEvent event{.source = "lambda",
                         .detail_type = base::cat("Lambda Function Invocation Result - ",
                                                  is_success ? "Success" : "Failure"),
                         .resource = "",
                         .detail = std::move(record),
                         .trace_header = std::move(trace_header)};
  co_return co_await engine::put_on_bus(platform, std::move(bus_arn), std::move(resources), std::move(event));
}

Task<store::SendOutcome> send(wire::Platform& platform, const store::Delivery& delivery) {
  const std::string& target = delivery.target;
  Outgoing outgoing = decode(delivery.payload);
  const auto arn = wire::parse_arn(target);
  const std::string service(arn ? arn->service : "");
  if (service == "sqs") {
    co_return co_await engine::send_to_queue(
        platform, target,
        {.body = std::move(outgoing.body),
         .attributes = std::move(outgoing.attributes),
         .trace_header = std::move(outgoing.trace_header)});
  }
  if (service == "sns") {
    co_return co_await engine::publish_to_topic(
        platform, target,
        {.body = std::move(outgoing.body),
         .attributes = std::move(outgoing.attributes),
         .trace_header = std::move(outgoing.trace_header)});
  }
  if (service == "s3") {
    co_return co_await engine::put_into_bucket(platform, target,
                                               {.key = std::move(outgoing.key), .body = std::move(outgoing.body)});
  }
  if (service == "events") co_return co_await put_record_on_bus(platform, target, std::move(outgoing.body), std::move(outgoing.trace_header));
  if (service == "lambda") {
    co_return co_await engine::invoke_function(platform, target, outgoing.body, outgoing.trace_header);
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

Task<void> enqueue_outgoing(store::Transaction& txn, OutgoingKind kind, std::string_view id, std::string target,
                            const Outgoing& outgoing, base::Time now) {
  store::Delivery delivery;
  delivery.id = base::cat(kind_name(kind), "/", id);
  delivery.target_kind = kind_name(kind);
  delivery.target = std::move(target);
  delivery.payload = base::pack(kVersion, outgoing, kParts);
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
