// What is told of an event's end: the document for a destination ("Capturing records of Lambda asynchronous
// invocations"), and the attributes of the message for a dead-letter target.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "engine/targets/message_attributes.h"
#include "services/lambda/event.h"

namespace tidemill::lambda {

inline constexpr std::string_view kSuccess = "Success";
inline constexpr std::string_view kRetriesExhausted = "RetriesExhausted";
inline constexpr std::string_view kEventAgeExceeded = "EventAgeExceeded";
inline constexpr std::string_view kZeroReservedConcurrency = "ZeroReservedConcurrency";
inline constexpr std::string_view kRecursiveInvocation = "RecursiveInvocation";

struct EventEnd {
  std::string function_arn;  // qualified: ":$LATEST" stands there too
  std::string_view condition;
  int invoke_count = 0;      // how often the function ran
  std::optional<EventAttempt> last;  // nothing: it was never tried, or that is not known any more
  base::Time at;
};

[[nodiscard]] std::string destination_record(const Event& event, const EventEnd& end);

// RequestID, ErrorCode (if the function or Lambda gave one) and ErrorMessage.
[[nodiscard]] engine::MessageAttributes dead_letter_attributes(const Event& event, const EventEnd& end);

// Objects of a function's records: "aws/lambda/async/<function>/"
[[nodiscard]] std::string destination_prefix(std::string_view function_name);
// "aws/lambda/async/<function>/YYYY/MM/DD/YYYY-MM-DDTHH.MM.SS-<id>"
[[nodiscard]] std::string destination_key(std::string_view function_name, base::Time at, std::string_view id);

}  // namespace tidemill::lambda
