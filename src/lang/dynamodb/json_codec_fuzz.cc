// Reads arbitrary text as DynamoDB JSON. What is read must be well-formed and come back the same from its JSON.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "lang/dynamodb/json_codec.h"

using namespace tidemill;
using namespace tidemill::lang::dynamodb;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const Item item = item_from_json(text);
    require(is_valid_item(item.encoded()));
    const std::string written = to_json(item.view());
    require(item_from_json(written) == item);
    require(json::parse(written).has_value());
  } catch (const ValueError&) {
  }
  if (const auto document = json::parse(text)) {
    const auto again = json::parse(json::write(*document));
    require(again.has_value());
  }
  // Bytes from anywhere: what passes the check can be walked.
  if (is_valid_item(text)) (void)to_json(ItemView(text));
  return 0;
}
