#include "services/sqs/new_message.h"

#include <algorithm>

#include "base/hex.h"
#include "base/text.h"
#include "base/utf8.h"
#include "base/uuid.h"
#include "crypto/digest.h"
#include "services/sqs/errors.h"

namespace tidemill::sqs {
namespace {

using base::cat;

constexpr int kDelaySecondsMax = 900;
constexpr size_t kFifoIdSizeMax = 128;

bool is_allowed(uint32_t code) {
  return code == 0x9 || code == 0xa || code == 0xd || (code >= 0x20 && code <= 0xd7ff) ||
         (code >= 0xe000 && code <= 0xfffd) || (code >= 0x10000 && code <= 0x10ffff);
}

// What XML can carry.
bool is_message_text(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    if (text[at] >= ' ' && text[at] <= '~') {  // most are
      ++at;
      continue;
    }
    const auto [code, size] = base::character_at(text, at);
    if (!is_allowed(code)) return false;
    at += size;
  }
  return true;
}

std::string read_deduplication_id(const Queue& queue, const SendFields& fields) {
  if (fields.deduplication_id && !queue.is_fifo()) {
    throw invalid_parameter(*fields.deduplication_id, "MessageDeduplicationId",
                            "The request includes a parameter that is not valid for this queue type");
  }
  if (fields.deduplication_id) {
    check_fifo_id(*fields.deduplication_id, "MessageDeduplicationId");
    return *fields.deduplication_id;
  }
  if (!queue.is_fifo()) return {};
  if (queue.settings.content_based_deduplication) return base::hex_of(crypto::sha256(*fields.body));
  throw no_deduplication_id();
}

std::optional<std::chrono::seconds> read_delay(const Queue& queue, const SendFields& fields) {
  if (!fields.delay_seconds) return std::nullopt;
  const int delay = *fields.delay_seconds;
  if (delay < 0 || delay > kDelaySecondsMax) {
    throw invalid_parameter(std::to_string(delay), "DelaySeconds", "DelaySeconds must be >= 0 and <= 900.");
  }
  if (!queue.is_fifo()) return std::chrono::seconds(delay);
  if (delay != 0) {
    throw invalid_parameter(std::to_string(delay), "DelaySeconds",
                            "The request include parameter that is not valid for this queue type.");
  }
  return std::nullopt;
}

}  // namespace

void check_fifo_id(const std::string& id, std::string_view name) {
  const bool is_well_formed =
      !id.empty() && id.size() <= kFifoIdSizeMax && std::ranges::all_of(id, [](char c) { return c > ' ' && c <= '~'; });
  if (!is_well_formed) {
    throw invalid_parameter(
        id, name, cat(name, " can only include alphanumeric and punctuation characters. 1 to 128 in length."));
  }
}

wire::Error no_deduplication_id() {
  return errors::invalid_parameter_value_exception(
      "The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly");
}

size_t size_of(const Message& message) { return message.body.size() + size_of(message.attributes); }

NewMessage read_message(const wire::Context& context, const Queue& queue, const SendFields& fields) {
  NewMessage result;
  Message& message = result.message;
  message.body = required(fields.body, "MessageBody");
  if (!is_message_text(message.body)) {
    throw errors::invalid_message_contents(
        "Invalid characters found. Valid unicode characters are #x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | "
        "#x10000 to #x10FFFF");
  }
  result.delay = read_delay(queue, fields);
  message.attributes = read_message_attributes(fields.attributes);
  message.trace_header = read_trace_header(fields.system_attributes);
  result.has_trace_attribute = !message.trace_header.empty();
  if (!result.has_trace_attribute) message.trace_header = context.trace_header;
  result.bytes = size_of(message);
  if (result.bytes > static_cast<size_t>(queue.settings.message_bytes_max)) {
    throw errors::invalid_parameter_value_exception(
        cat("One or more parameters are invalid. Reason: Message must be shorter than ",
            queue.settings.message_bytes_max, " bytes."));
  }
  if (fields.group_id) check_fifo_id(*fields.group_id, "MessageGroupId");
  if (queue.is_fifo() && !fields.group_id) throw missing_parameter("MessageGroupId");
  message.group = fields.group_id.value_or("");
  message.deduplication_id = read_deduplication_id(queue, fields);
  message.id = base::new_uuid();
  message.sender = context.account;
  message.body_md5 = md5_of(message.body);
  return result;
}

}  // namespace tidemill::sqs
