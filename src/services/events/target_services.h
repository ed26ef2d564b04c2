// The services that a rule's targets belong to: what a target must say, and how an event gets there.
#pragma once

#include <string>
#include <string_view>

#include "base/task.h"
#include "store/delivery.h"
#include "wire/context.h"
#include "wire/registry.h"
#include "wire/shapes/events.h"

namespace tidemill::events {

// An event on its way to one target, as deliveries keep it.
struct Outgoing {
  std::string rule_arn;
  std::string dead_letter_queue;  // an ARN; empty: none
  std::string event_id;
  std::string key;  // of the message group or the record, or what is added to a call
  std::string trace_header;
  std::string event;  // empty: the same as the input
  std::string input;  // what the target receives
  std::string role;   // the target's, which acts where its service asks for one; empty: none, or of before it was kept
};

[[nodiscard]] std::string encode_outgoing(const Outgoing& outgoing);
// Throws std::runtime_error.
[[nodiscard]] Outgoing decode_outgoing(std::string_view bytes);

// One attempt at a delivery of an Outgoing. rejected: there is no such target, or it does not take this.
Task<store::SendOutcome> send_to_target(wire::Platform& platform, const store::Delivery& delivery);

// Of a request: whether there can be such a target, with what it says of itself. Throws ValidationException.
void check_target(const wire::Registry& registry, const wire::events::Target& target);

}  // namespace tidemill::events
