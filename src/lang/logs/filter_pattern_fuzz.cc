// A pattern and, after a zero byte, a message. What parses answers without harm, and extracts only from what matches.
#include <cstdint>
#include <string_view>

#include "lang/logs/filter_pattern.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t end = input.find('\0');
  const auto pattern = tidemill::lang::logs::FilterPattern::parse(input.substr(0, end));
  if (!pattern) return 0;
  const std::string_view message = end == std::string_view::npos ? "" : input.substr(end + 1);
  if (pattern->matches(message)) (void)pattern->extract(message);
  (void)pattern->matches(R"({"a":[1,{"b":"c"}],"d":null,"e":true})");
  (void)pattern->matches("127.0.0.1 - frank [10/Oct] \"GET /a\" 200 1534");
  return 0;
}
