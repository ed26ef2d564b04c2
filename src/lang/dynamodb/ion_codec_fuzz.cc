// Reads arbitrary text as Amazon Ion. What is read must be well-formed and come back the same from the text that is
// written of it.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "lang/dynamodb/ion_codec.h"

using namespace tidemill;
using namespace tidemill::lang::dynamodb;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const Item item = item_from_ion(text);
    if (!is_valid_item(item.encoded())) std::abort();
    std::string written;
    append_ion(written, item.view());
    if (!(item_from_ion(written) == item)) std::abort();
  } catch (const ValueError&) {
  }
  return 0;
}
