#include "engine/mappings/queue_batch.h"

#include "engine/mappings/batch.h"

namespace tidemill::engine {

namespace {

constexpr std::string_view kOpen = R"({"Records":[)";
constexpr std::string_view kClose = "]}";

}  // namespace

QueueCut cut_messages(std::span<const ReceivedMessage> messages, size_t count_max) {
  QueueCut cut;
  size_t bytes = kOpen.size() + kClose.size();
  for (const ReceivedMessage& message : messages) {
    bytes += message.event_json.size() + (cut.count == 0 ? 0 : 1);
    if (cut.count > 0 && bytes > kPayloadBytesMax) return {cut.count, true};
    ++cut.count;
    if (cut.count >= count_max || bytes >= kPayloadBytesMax) return {cut.count, true};
  }
  return cut;
}

std::string event_of(std::span<const ReceivedMessage> messages) {
  size_t bytes = kOpen.size() + kClose.size() + messages.size();
  for (const ReceivedMessage& message : messages) bytes += message.event_json.size();
  std::string event;
  event.reserve(bytes);
  event.append(kOpen);
  for (size_t i = 0; i < messages.size(); ++i) {
    if (i > 0) event.push_back(',');
    event.append(messages[i].event_json);
  }
  event.append(kClose);
  return event;
}

std::chrono::seconds visibility_of(std::chrono::seconds own, std::chrono::seconds window,
                                   std::chrono::seconds function_timeout) {
  if (window.count() == 0 || window + function_timeout <= own) return own;
  return window + function_timeout + kVisibilityMargin;
}

}  // namespace tidemill::engine
