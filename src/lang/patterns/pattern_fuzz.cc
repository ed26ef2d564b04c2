// The first line is a pattern, the rest an event: whatever they are, no more than an error comes of it, and a set of
// patterns says what the pattern says.
#include <cstdint>
#include <cstdlib>

#include "lang/patterns/pattern.h"
#include "lang/patterns/pattern_set.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tidemill;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t line = std::min(text.find('\n'), text.size());
  const auto event = json::parse(line < text.size() ? text.substr(line + 1) : std::string_view());
  for (const auto& options : {lang::patterns::event_bridge(), lang::patterns::sns_attributes(), lang::patterns::sns_body()}) {
    try {
      const auto pattern = lang::patterns::Pattern::parse(text.substr(0, line), options);
      if (!event) continue;
      lang::patterns::PatternSet::Builder builder;
      builder.add(pattern);
      const auto set = std::move(builder).finish();
      if (set.match(*event).empty() == pattern.matches(*event)) std::abort();
    } catch (const lang::patterns::PatternError&) {
    }
  }
  return 0;
}
