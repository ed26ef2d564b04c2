// The first line is an intrinsic function, the rest an input: whatever they are, no more than an error comes of it.
#include <algorithm>
#include <cstdint>

#include "lang/states/intrinsic.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tidemill;
  using namespace tidemill::lang::states;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t end = std::min(text.find('\n'), text.size());
  auto input = json::parse(text.substr(std::min(end + 1, text.size())));
  try {
    const Intrinsic intrinsic = Intrinsic::parse(text.substr(0, end));
    if (!input) return 0;
    const World world{.random = [] { return uint64_t{4}; }, .uuid = [] { return std::string("u"); }};
    const Scope scope{.input = make_document(std::move(*input)), .world = &world};
    (void)intrinsic.evaluate({.scope = scope, .root = scope.input});
  } catch (const IntrinsicError&) {
  } catch (const StateError&) {
  }
  return 0;
}
