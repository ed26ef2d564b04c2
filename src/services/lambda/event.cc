#include "services/lambda/event.h"

#include <stdexcept>

#include "base/ordered.h"

namespace tidemill::lambda {
namespace {

constexpr uint8_t kVersion = 1;

}  // namespace

std::string encode_event(const Event& event) {
  std::string bytes;
  base::append_u8(bytes, kVersion);
  base::append_string(bytes, event.request_id);
  base::append_string(bytes, event.trace_header);
  base::append_fixed(bytes, event.payload);
  return bytes;
}

Event decode_event(std::string_view bytes) {
  base::OrderedReader reader(bytes);
  Event event;
  const bool is_known = reader.u8() == kVersion;
  event.request_id = reader.string();
  event.trace_header = reader.string();
  event.payload = reader.rest();
  if (!is_known || !reader.ok()) throw std::runtime_error("a stored event is damaged");
  return event;
}

std::string encode_attempt(const EventAttempt& attempt) {
  std::string bytes;
  base::append_u8(bytes, static_cast<uint8_t>(attempt.status));
  base::append_u8(bytes, attempt.is_switched_off);
  base::append_u8(bytes, attempt.is_recursive);
  base::append_string(bytes, attempt.executed_version);
  base::append_string(bytes, attempt.function_error);
  base::append_string(bytes, attempt.detail);
  base::append_fixed(bytes, attempt.payload);
  return bytes;
}

EventAttempt decode_attempt(std::string_view bytes) {
  base::OrderedReader reader(bytes);
  EventAttempt attempt;
  attempt.status = static_cast<engine::InvokeStatus>(reader.u8());
  attempt.is_switched_off = reader.u8() != 0;
  attempt.is_recursive = reader.u8() != 0;
  attempt.executed_version = reader.string();
  attempt.function_error = reader.string();
  attempt.detail = reader.string();
  attempt.payload = reader.rest();
  if (!reader.ok()) throw std::runtime_error("what became of an event is not readable");
  return attempt;
}

}  // namespace tidemill::lambda
