// Receipt handles: which message, and which receive of it. Opaque to clients; one that was made up names nothing that
// is in flight.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "services/sqs/message_keys.h"
#include "services/sqs/queue.h"

namespace tidemill::sqs {

struct Receipt {
  std::string queue_id;
  Position position;
  uint32_t receive = 0;  // the message's count of receives, with this one
  std::string group;     // encoded; empty in standard queues
  std::string text;      // as the client knows it
};

[[nodiscard]] std::string make_receipt_handle(const Queue& queue, const Position& position, uint32_t receive,
                                              std::string_view group);

// Throws ReceiptHandleIsInvalid, also for that of another queue.
[[nodiscard]] Receipt parse_receipt_handle(const Queue& queue, const std::string& handle);

}  // namespace tidemill::sqs
