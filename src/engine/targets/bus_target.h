// Puts an event on an event bus by its ARN, for whom it is told, or as the platform itself tells what happens to resources:
//
//   co_await engine::tell_default_bus(txn, account, region, now, [&] {
//     return engine::BusEvent{.source = "aws.kms", .detail_type = "KMS CMK Deletion", .resource = arn, .detail = json};
//   });
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/task.h"
#include "store/delivery.h"
#include "store/resources.h"
#include "wire/context.h"

namespace tidemill::engine {

struct BusEvent {
  std::string source;  // "aws.s3"
  std::string detail_type;
  std::string resource;  // an ARN; empty: none
  std::string detail;    // a JSON object
  std::string trace_header = {};  // what it belongs to (wire/trace_header.h); not among what is encoded
};

// The default bus of an account's region.
[[nodiscard]] std::string default_bus_arn(std::string_view account, std::string_view region);

// For the payload of a delivery of kind kBusTarget.
[[nodiscard]] std::string encode_bus_event(const BusEvent& event);
// Throws std::runtime_error.
[[nodiscard]] BusEvent decode_bus_event(std::string_view bytes);

// The same on its way, for a day if need be. When the delivery is enqueued is the event's time.
[[nodiscard]] store::Delivery bus_delivery(std::string_view account, std::string_view region, const BusEvent& event);

// The edition of a bus's rules (services/events/bus.h) is kept as this, by the bus's name. None of a default bus: there
// never was a rule or an archive that could want its events.
inline constexpr store::ResourceType kBusRules{"events", "rules"};
inline constexpr std::string_view kDefaultBus = "default";
Task<bool> default_bus_has_rules(store::Transaction& txn, std::string_view account, std::string_view region);

// Tells the default bus of an account's region what happens, in the transaction in which it happens: what is committed
// is told at least once, whatever becomes of the process. `describe` makes the BusEvent if anybody could want it.
template <class Describe>
Task<void> tell_default_bus(store::Transaction& txn, std::string account, std::string region, base::Time now,
                            Describe describe) {
  if (!co_await default_bus_has_rules(txn, account, region)) co_return;
  const BusEvent event = describe();
  co_await store::enqueue_delivery(txn, bus_delivery(account, region, event), now);
}

// rejected: it is no event that a bus takes. A bus that is not there takes it and forgets it. `time`: when it happened;
// nothing: now.
Task<store::SendOutcome> put_on_bus(wire::Platform& platform, std::string bus_arn, std::vector<std::string> resources,
                                    BusEvent event, std::optional<base::Time> time = std::nullopt,
                                    wire::Principal by = wire::Principal::platform());

}  // namespace tidemill::engine
