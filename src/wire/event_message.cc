#include "wire/event_message.h"

#include <algorithm>
#include <exception>

#include "base/crc32.h"
#include "base/log.h"
#include "wire/respond.h"

namespace tidemill::wire {

namespace {

constexpr char kStringHeader = 7;  // a header's type

void append_number(std::string& out, size_t value, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) out.push_back(static_cast<char>(value >> shift));
}

std::string_view payload_type(const EventFormat& format) {
  switch (format.encoding) {
    case Encoding::cbor: return "application/x-amz-cbor-1.1";
    case Encoding::rpc_cbor: return "application/cbor";
    default: return error_style(format.operation, format.encoding).content_type;
  }
}

class MessageSource final : public BodySource {
 public:
  MessageSource(EventFormat format, std::function<Task<std::optional<EventMessage>>()> next)
      : format_(std::move(format)), next_(std::move(next)) {}

  Task<std::optional<std::string>> next() override {
    if (auto initial = std::exchange(format_.initial_response, std::nullopt)) {
      co_return encode({"initial-response", *std::move(initial)});
    }
    while (!ended_) {
      std::optional<Error> error;
      bool is_defect = false;
      try {
        const std::optional<EventMessage> event = co_await next_();
        if (!event) break;
        if (!event->type.empty()) co_return encode(*event);
      } catch (const Error& thrown) {
        error = thrown;
      } catch (const std::exception& thrown) {
        is_defect = true;
        base::log_error("event stream failed", {{"operation", std::string(format_.operation.name)}, {"error", thrown.what()}});
      }
      if (!error && !is_defect) continue;
      ended_ = true;
      co_return error ? encode_error(*error) : encode_failure(format_.operation.internal_error, "Internal server error");
    }
    ended_ = true;
    co_return std::nullopt;
  }

 private:
  std::string encode(const EventMessage& event) const {
    std::vector<std::pair<std::string_view, std::string_view>> headers{{":message-type", "event"},
                                                                       {":event-type", event.type}};
    if (event.has_payload) {
      headers.emplace_back(":content-type", event.content_type.empty() ? payload_type(format_) : event.content_type);
    }
    return encode_message(headers, event.payload);
  }
  std::string encode_error(const Error& error) const {
    if (std::ranges::find(format_.modeled, error.code) == format_.modeled.end()) return encode_failure(error.code, error.message);
    return encode_message({{":message-type", "exception"},
                           {":exception-type", error.code},
                           {":content-type", payload_type(format_)}},
                          error_payload(error, format_.encoding));
  }
  static std::string encode_failure(std::string_view code, std::string_view message) {
    return encode_message({{":message-type", "error"}, {":error-code", code}, {":error-message", message}}, {});
  }

  EventFormat format_;
  std::function<Task<std::optional<EventMessage>>()> next_;
  bool ended_ = false;
};

}  // namespace

std::string encode_message(const std::vector<std::pair<std::string_view, std::string_view>>& headers,
                           std::string_view payload) {
  constexpr size_t kAround = 16;             // two lengths and two checksums
  constexpr size_t kValueBytesMax = 32'767;  // of a header
  std::string encoded;
  for (const auto& [name, value] : headers) {
    const std::string_view cut = value.substr(0, kValueBytesMax);
    append_number(encoded, name.size(), 1);
    encoded.append(name).push_back(kStringHeader);
    append_number(encoded, cut.size(), 2);
    encoded.append(cut);
  }
  std::string message;
  message.reserve(kAround + encoded.size() + payload.size());
  append_number(message, kAround + encoded.size() + payload.size(), 4);
  append_number(message, encoded.size(), 4);
  append_number(message, base::crc32(message), 4);
  message.append(encoded).append(payload);
  append_number(message, base::crc32(message), 4);
  return message;
}

BodyStream message_stream(EventFormat format, std::function<Task<std::optional<EventMessage>>()> next) {
  return {std::make_shared<MessageSource>(std::move(format), std::move(next)), std::nullopt};
}

}  // namespace tidemill::wire
