#include "services/secretsmanager/random_text.h"

#include <stdexcept>

#include "crypto/random.h"

namespace tidemill::secretsmanager {
namespace {

constexpr size_t kDraws = 65536;  // of two bytes

}  // namespace

std::string random_text(std::string_view letters, size_t size) {
  if (letters.empty() || letters.size() > kDraws) throw std::logic_error("random_text: 1 to 65536 letters");
  // What is above the last whole multiple is drawn again: else the first ones would be likelier.
  const size_t end = kDraws - kDraws % letters.size();
  std::string text;
  text.reserve(size);
  while (text.size() < size) {
    const std::string bytes = crypto::random_bytes(2 * (size - text.size()));
    for (size_t i = 0; i < bytes.size(); i += 2) {
      const size_t drawn = static_cast<unsigned char>(bytes[i]) * 256u + static_cast<unsigned char>(bytes[i + 1]);
      if (drawn < end) text.push_back(letters[drawn % letters.size()]);
    }
  }
  return text;
}

size_t random_index(size_t count) {
  if (count == 0 || count > kDraws) throw std::logic_error("random_index: 1 to 65536 of them");
  const size_t end = kDraws - kDraws % count;
  for (;;) {
    const std::string bytes = crypto::random_bytes(2);
    const size_t drawn = static_cast<unsigned char>(bytes[0]) * 256u + static_cast<unsigned char>(bytes[1]);
    if (drawn < end) return drawn % count;
  }
}

}  // namespace tidemill::secretsmanager
