// The first line is an expression, the rest its input: whatever they are, no more than an error comes of it.
#include <cstdint>

#include "lang/jsonata/jsonata.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tidemill;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t line = std::min(text.find('\n'), text.size());
  const auto input = json::parse(line < text.size() ? text.substr(line + 1) : std::string_view());
  const lang::jsonata::World world{.random = [] { return uint64_t{4}; }};
  const lang::jsonata::Limits limits{.depth = 200, .steps = 20'000, .memory_bytes = size_t{4} << 20};
  try {
    const auto expression = lang::jsonata::Expression::compile(text.substr(0, line));
    const auto result = expression.evaluate(input ? &*input : nullptr, {}, world, limits);
    if (result) (void)json::write(*result);
  } catch (const lang::jsonata::JsonataError&) {
  }
  return 0;
}
