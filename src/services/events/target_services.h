// The services that a rule's targets belong to: what a target must say, and how an event gets there.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/task.h"
#include "services/events/address.h"
#include "store/delivery.h"
#include "wire/context.h"
#include "wire/registry.h"
#include "wire/shapes/events.h"

namespace tidemill::events {

// The service, as policies name it.
inline constexpr std::string_view kEventsPrincipal = "events.amazonaws.com";

// An event on its way to one target, as deliveries keep it.
struct Outgoing {
  std::string rule_arn;
  std::string dead_letter_queue;  // an ARN; empty: none
  std::string event_id;
  std::string key;  // of the message group or the record, or what is added to a call
  std::string trace_header;
  std::string event;  // empty: the same as the input
  std::string input;  // what the target receives
  std::string role;   // the target's, which acts where its service or account asks for one; empty: none, or of before it was kept
  std::string denial = {};  // why it is refused without being sent; empty: it is not
};

[[nodiscard]] std::string encode_outgoing(const Outgoing& outgoing);
// Throws std::runtime_error.
[[nodiscard]] Outgoing decode_outgoing(std::string_view bytes);

// Where policies are enforced: what keeps a rule from putting events on a bus, or from calling an API destination, for a
// target with `role`, or none. A destination asks for a role, which must be let call it. A bus asks that of the role, if
// there is one, and its own policy; without a role the rule's account acts, which the policy of another account's bus must
// let. Nothing: it may.
Task<std::optional<store::SendOutcome>> find_denial(wire::Platform& platform, std::string rule_arn,
                                                    std::string target_arn, std::string role);

// One attempt at a delivery of an Outgoing. rejected: there is no such target, or it does not take this.
Task<store::SendOutcome> send_to_target(wire::Platform& platform, const store::Delivery& delivery);

// Of a request: whether there can be such a target of a rule on `bus`, with what it says of itself. Throws
// ValidationException, and AccessDeniedException for what does not go from one account to another.
void check_target(const wire::Context& context, const BusAddress& bus, const wire::events::Target& target);

}  // namespace tidemill::events
