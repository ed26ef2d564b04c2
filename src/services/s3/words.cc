#include "services/s3/words.h"

#include <ctime>

namespace tidemill::s3 {

std::string percent_byte(char c) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  const auto byte = static_cast<unsigned char>(c);
  return {'%', kDigits[byte >> 4], kDigits[byte & 0xF]};
}

std::string calendar_text(base::Time time, const char* pattern) {
  const std::time_t seconds = std::chrono::floor<std::chrono::seconds>(time.time_since_epoch()).count();
  std::tm calendar{};
  gmtime_r(&seconds, &calendar);
  char buffer[128];
  return {buffer, std::strftime(buffer, sizeof(buffer), pattern, &calendar)};
}

}  // namespace tidemill::s3
