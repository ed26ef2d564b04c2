#include "engine/targets/bus_target.h"

#include "base/packed.h"
#include "base/text.h"
#include "base/uuid.h"
#include "engine/targets/internal_call.h"
#include "engine/targets/senders.h"
#include "wire/shapes/events.h"

namespace tidemill::engine {
namespace {

using namespace std::chrono_literals;

constexpr uint8_t kVersion = 1;
constexpr int kAttemptsMax = 185;
constexpr auto kParts = [](auto& part, auto& event) {
  part(event.source);
  part(event.detail_type);
  part(event.resource);
  part.rest(event.detail);
};

wire::events::PutEventsInput request_of(std::string bus_arn, std::vector<std::string> resources, BusEvent event,
                                        std::optional<base::Time> time) {
  wire::events::PutEventsRequestEntry entry;
  entry.time = time;
  entry.event_bus_name = std::move(bus_arn);
  entry.source = std::move(event.source);
  entry.detail_type = std::move(event.detail_type);
  entry.detail = std::move(event.detail);
  entry.resources = std::move(resources);
  wire::events::PutEventsInput request;
  request.entries.push_back(std::move(entry));
  return request;
}

}  // namespace

std::string default_bus_arn(std::string_view account, std::string_view region) {
  return wire::Arn{
      .service = "events", .region = region, .account = account, .resource = base::cat("event-bus/", kDefaultBus)}
      .text();
}

// Not tracked: an event that comes while the first rule is made may reach it or not, as on AWS.
Task<bool> default_bus_has_rules(store::Transaction& txn, std::string_view account, std::string_view region) {
  const std::string key = store::resource_key(kBusRules, account, region, kDefaultBus);
  co_return (co_await txn.get_untracked(key)).has_value();
}

std::string encode_bus_event(const BusEvent& event) { return base::pack(kVersion, event, kParts); }

BusEvent decode_bus_event(std::string_view bytes) {
  return base::unpack<BusEvent>(kVersion, bytes, kParts, "a stored event for a bus");
}

store::Delivery bus_delivery(std::string_view account, std::string_view region, const BusEvent& event) {
  store::Delivery delivery;
  delivery.id = base::new_uuid();
  delivery.target_kind = kBusTarget;
  delivery.target = default_bus_arn(account, region);
  delivery.payload = encode_bus_event(event);
  delivery.trace_header = event.trace_header;
  delivery.policy = {.delays = {1s, 5s, 30s, 60s, 300s}, .attempts_max = kAttemptsMax, .age_max = 24h};
  return delivery;
}

Task<store::SendOutcome> put_on_bus(wire::Platform& platform, std::string bus_arn, std::vector<std::string> resources,
                                    BusEvent event, std::optional<base::Time> time, wire::Principal by) {
  wire::Context context = internal_context(platform, bus_arn, std::move(by), event.trace_header);
  const auto request = request_of(std::move(bus_arn), std::move(resources), std::move(event), time);
  try {
    const auto answer = co_await context.registry().call<wire::events::ops::PutEvents>(context, request);
    const auto& entry = answer.entries->at(0);
    if (!entry.error_code) co_return store::SendOutcome{};
    const std::string error = base::cat(*entry.error_code, ": ", entry.error_message.value_or(""));
    co_return store::SendOutcome{store::SendStatus::rejected, error};
  } catch (const wire::Error& error) {
    co_return outcome_of(error);
  } catch (const store::Overloaded& error) {
    co_return store::SendOutcome{store::SendStatus::unavailable, error.what()};
  }
}

}  // namespace tidemill::engine
