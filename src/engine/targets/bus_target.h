// Puts an event on an event bus by its ARN, as the platform itself tells what happens to resources.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/task.h"
#include "store/delivery.h"
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

// The same on its way, for a day if need be.
[[nodiscard]] store::Delivery bus_delivery(std::string_view account, std::string_view region, const BusEvent& event);

// rejected: it is no event that a bus takes. A bus that is not there takes it and forgets it.
Task<store::SendOutcome> put_on_bus(wire::Platform& platform, std::string bus_arn, std::vector<std::string> resources,
                                    BusEvent event);

}  // namespace tidemill::engine
