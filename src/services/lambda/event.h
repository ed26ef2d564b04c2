// An event on its way to a function that nobody waits for, and how an attempt to run the function with it ended; both as
// deliveries keep them.
#pragma once

#include <string>
#include <string_view>

#include "engine/invoker.h"

namespace tidemill::lambda {

struct Event {
  std::string request_id;    // the same for every attempt
  std::string trace_header;  // the chain it belongs to; its own runs are not counted in yet
  std::string payload;       // JSON
};

[[nodiscard]] std::string encode_event(const Event& event);
// Throws std::runtime_error if `bytes` are damaged.
[[nodiscard]] Event decode_event(std::string_view bytes);

struct EventAttempt {
  engine::InvokeStatus status = engine::InvokeStatus::ok;
  std::string executed_version;
  std::string function_error;  // "Unhandled" or ""
  std::string payload;         // the answer, or the error's document
  std::string detail;          // why, for people
  bool is_switched_off = false;  // throttled since nothing is reserved for the function
  bool is_recursive = false;     // the chain is too long: it did not run
};

[[nodiscard]] std::string encode_attempt(const EventAttempt& attempt);
[[nodiscard]] EventAttempt decode_attempt(std::string_view bytes);

}  // namespace tidemill::lambda
