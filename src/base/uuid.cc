#include "base/uuid.h"

#include <cstdint>
#include <random>

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
  constexpr char kDigits[] = "0123456789abcdef";
  std::string id(36, '-');
  size_t at = 0;
  for (int digit = 0; digit < 32; ++digit) {
    if (digit == 8 || digit == 12 || digit == 16 || digit == 20) ++at;
    id[at++] = kDigits[(halves[digit / 16] >> (60 - 4 * (digit % 16))) & 0xf];
  }
  return id;
}

}  // namespace tidemill::base
