// Calls of API destinations: what goes to a URL for an event, and how often.
#pragma once

#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "engine/targets/http_target.h"
#include "services/events/connection.h"
#include "services/events/oauth.h"
#include "services/events/rule_set.h"
#include "services/events/target_services.h"
#include "store/delivery.h"
#include "wire/context.h"

namespace tidemill::events {

// What a target adds to the calls of its destination, for one event; values may be paths into it. As JSON.
[[nodiscard]] std::string http_values(const shapes::Target& target, const json::Value& event);

// The same for values that are what they are.
[[nodiscard]] std::string http_values(const shapes::HttpParameters& parameters);

// The call as a whole, with what authorizes it. `values` as http_values() makes them.
[[nodiscard]] net::HttpCall call_of(const ApiDestination& destination, const engine::ConnectionParts& parts,
                                    std::string_view values, std::string input);
// All but what RFC 3986 leaves unreserved.
[[nodiscard]] std::string percent_encoded(std::string_view text);

// There is no such destination, or no authorization for it: what() says which, beginning with AWS's code.
class CannotCall : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Any thread.
class ApiCaller {
 public:
  static constexpr size_t kAnswerBytesMax = 256 * 1024;  // of the body of an answer that is asked for
  static constexpr size_t kPacedMax = 1000;  // destinations whose pace is kept; beyond, all begin anew

  // `platform` outlives this.
  ApiCaller(wire::Platform& platform, engine::HttpSend http)
      : platform_(platform), http_(http), tokens_(platform, std::move(http)) {}

  // One attempt, once its turn has come: no more calls a second than the destination says. rejected: there is no such
  // destination or no authorization for it, or the URL refuses the call.
  Task<store::SendOutcome> send(std::string destination_arn, Outgoing outgoing);

  // What a connection adds, with a token of one of OAuth. Throws as call() does.
  Task<engine::ConnectionParts> parts(Connection connection);
  [[nodiscard]] Tokens& tokens() { return tokens_; }

  // One call, once its turn has come, whatever is answered. `values` as http_values() makes them. Throws CannotCall, and
  // net::HttpFailed if there was no whole answer.
  Task<net::HttpAnswer> call(std::string destination_arn, std::string values, std::string input, bool needs_body);

 private:
  Task<void> wait_for_turn(const ApiDestination& destination);

  wire::Platform& platform_;
  engine::HttpSend http_;
  Tokens tokens_;
  std::mutex mutex_;
  std::map<std::string, base::Time> next_turns_;  // by the destination's ARN
};

}  // namespace tidemill::events
