// Messages of application/vnd.amazon.eventstream (AWS: "Event stream encoding"): what an answer that goes on as events is
// made of. Each is lengths, headers with types, a payload, and CRC-32s of the beginning and of all.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/task.h"
#include "wire/body_stream.h"
#include "wire/error.h"
#include "wire/registry.h"

namespace tidemill::wire {

// A message with these headers, all of type string.
[[nodiscard]] std::string encode_message(const std::vector<std::pair<std::string_view, std::string_view>>& headers,
                                         std::string_view payload);

// An event as shape_events.h gives it: the union's member, and its structure in the request's encoding.
struct EventMessage {
  std::string_view type;  // empty: the union is empty, which is nothing to send
  std::string payload;
  std::string_view content_type = {};  // empty: the encoding's
  bool has_payload = true;             // without one nothing says what it would be
};

// What turns a handler's events into messages.
struct EventFormat {
  const OperationInfo& operation;
  Encoding encoding = Encoding::own;
  // The output's other members, encoded. Nothing: they are somewhere else, as with the rest protocols.
  std::optional<std::string> initial_response;
  std::span<const std::string_view> modeled = {};  // codes of the errors that the union has
};

// The events' messages, next one by next one: the initial response, each event, and, if the source of the events throws
// an Error, an exception and the end. Other exceptions become an error message and are logged.
[[nodiscard]] BodyStream message_stream(EventFormat format, std::function<Task<std::optional<EventMessage>>()> next);

}  // namespace tidemill::wire
