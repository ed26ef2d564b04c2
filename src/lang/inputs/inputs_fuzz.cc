// The first line is a path, the second a template, the rest an event: whatever they are, no more than an error comes of
// it.
#include <algorithm>
#include <cstdint>

#include "lang/inputs/input_path.h"
#include "lang/inputs/input_template.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tidemill;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto take_line = [&] {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
  };
  const std::string_view path = take_line();
  const auto input = lang::inputs::InputTemplate::parse(take_line());
  const auto event = json::parse(text);
  const json::Value* found = nullptr;
  try {
    using Path = lang::inputs::InputPath;
    if (event) (void)Path::parse(path, Path::Wildcards::allowed).select(*event);
    const auto parsed = Path::parse(path);
    if (event) found = parsed.find(*event);
  } catch (const lang::inputs::InputError&) {
  }
  (void)input.render([&](std::string_view) { return found; }, size_t{1} << 20);
  return 0;
}
