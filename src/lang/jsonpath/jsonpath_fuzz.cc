// The first line is a path, the rest a document: whatever they are, no more than an error comes of it.
#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "lang/jsonpath/jsonpath.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tidemill;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t end = std::min(text.find('\n'), text.size());
  const auto document = json::parse(text.substr(std::min(end + 1, text.size())));
  try {
    const auto path = lang::jsonpath::Path::parse(text.substr(0, end));
    if (!document) return 0;
    const auto found = path.select(*document);
    if (path.is_definite() && !found.found()) (void)path.explain(*document);
    // What is placed is found.
    if (path.is_reference()) {
      const json::Value placed = path.place(*document, "here");
      const json::Value* const again = path.find(placed);
      if (!again || !json::equal(*again, "here")) std::abort();
    }
  } catch (const lang::jsonpath::PathError&) {
  }
  return 0;
}
