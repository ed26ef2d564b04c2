#include "base/uuid.h"

#include <cstdint>
#include <random>

#include "base/ordered.h"

namespace tidemill::base {

namespace {

// splitmix64, seeded per thread: two dozen instructions per id.
class Random {
 public:
  Random() {
    std::random_device device;
    state_ = (uint64_t{device()} << 32) | device();
  }
  uint64_t next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

 private:
  uint64_t state_;
};

}  // namespace

std::string new_uuid() {
  thread_local Random random;
  constexpr uint64_t kVersionMask = 0xffffffffffff0fff;
  constexpr uint64_t kVersion4 = 0x4000;
  constexpr uint64_t kVariantMask = 0x3fffffffffffffff;
  constexpr uint64_t kVariant = 0x8000000000000000;
  const uint64_t halves[2] = {(random.next() & kVersionMask) | kVersion4, (random.next() & kVariantMask) | kVariant};
  std::string bytes;
  for (const uint64_t half : halves) append_u64(bytes, half);
  return uuid_text(bytes);
}

std::string uuid_text(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string id(36, '-');
  size_t at = 0;
  for (size_t i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) ++at;
    const auto byte = static_cast<unsigned char>(bytes.at(i));
    id[at++] = kDigits[byte >> 4];
    id[at++] = kDigits[byte & 0xf];
  }
  return id;
}

}  // namespace tidemill::base
