// Calls of API destinations: what goes to a URL for an event, and how often.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/targets/http_target.h"
#include "services/events/connection.h"
#include "services/events/rule_set.h"
#include "services/events/target_services.h"
#include "store/delivery.h"
#include "wire/context.h"

namespace tidemill::events {

// What a target adds to the calls of its destination, for one event; values may be paths into it. As JSON.
[[nodiscard]] std::string http_values(const shapes::Target& target, const json::Value& event);

// The call as a whole, with what authorizes it. `values` as http_values() makes them.
[[nodiscard]] net::HttpCall call_of(const ApiDestination& destination, const Connection& connection,
                                    std::string_view values, std::string input);

class ApiCaller {
 public:
  static constexpr size_t kPacedMax = 1000;  // destinations whose pace is kept; beyond, all begin anew

  // `platform` outlives this.
  ApiCaller(wire::Platform& platform, engine::HttpSend http) : platform_(platform), http_(std::move(http)) {}

  // One attempt, once its turn has come: no more calls a second than the destination says. rejected: there is no such
  // destination or no authorization for it, or the URL refuses the call. On one executor.
  Task<store::SendOutcome> send(std::string destination_arn, Outgoing outgoing);

 private:
  Task<void> wait_for_turn(const ApiDestination& destination);

  wire::Platform& platform_;
  engine::HttpSend http_;
  std::map<std::string, base::Time> next_turns_;  // by the destination's ARN
};

}  // namespace tidemill::events
