#include "services/sqs/receipt.h"

#include "base/base64.h"
#include "base/ordered.h"
#include "base/text.h"
#include "services/sqs/errors.h"

namespace tidemill::sqs {
namespace {

constexpr uint8_t kVersion = 1;

}  // namespace

std::string make_receipt_handle(const Queue& queue, const Position& position, uint32_t receive,
                                std::string_view group) {
  std::string bytes;
  base::append_u8(bytes, kVersion);
  base::append_fixed(bytes, queue.id);
  base::append_fixed(bytes, position.bytes);
  base::append_u32(bytes, receive);
  if (queue.is_fifo()) base::append_fixed(bytes, encode_group_name(group));
  return base::base64_encode(bytes);
}

Receipt parse_receipt_handle(const Queue& queue, const std::string& handle) {
  const auto bytes = base::base64_decode(handle);
  Receipt receipt{.text = handle};
  if (bytes) {
    base::OrderedReader reader(*bytes);
    const uint8_t version = reader.u8();
    receipt.queue_id = reader.fixed(kQueueIdSize);
    receipt.position.bytes = reader.fixed(Position::kSize);
    receipt.receive = reader.u32();
    receipt.group = reader.rest();
    const bool is_whole = reader.ok() && version == kVersion && receipt.group.empty() != queue.is_fifo();
    if (is_whole && receipt.queue_id == queue.id) return receipt;
  }
  throw errors::receipt_handle_is_invalid(
      base::cat("The input receipt handle \"", handle, "\" is not a valid receipt handle."));
}

}  // namespace tidemill::sqs
