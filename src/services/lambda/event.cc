#include "services/lambda/event.h"

#include <stdexcept>

#include "base/ordered.h"
#include "base/packed.h"

namespace tidemill::lambda {
namespace {

constexpr uint8_t kVersion = 1;
constexpr auto kParts = [](auto& part, auto& event) {
  part(event.request_id);
  part(event.trace_header);
  part.rest(event.payload);
};

}  // namespace

std::string encode_event(const Event& event) { return base::pack(kVersion, event, kParts); }

Event decode_event(std::string_view bytes) {
  return base::unpack<Event>(kVersion, bytes, kParts, "a stored event");
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
