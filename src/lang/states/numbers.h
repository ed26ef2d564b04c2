// Inside: randomness for expressions.
#pragma once

#include <cstdint>

#include "lang/states/evaluate.h"

namespace tidemill::lang::states {

// A number that a seed always gives (SplitMix64).
[[nodiscard]] constexpr uint64_t scrambled(uint64_t seed) {
  seed += 0x9e3779b97f4a7c15;
  seed = (seed ^ (seed >> 30)) * 0xbf58476d1ce4e5b9;
  seed = (seed ^ (seed >> 27)) * 0x94d049bb133111eb;
  return seed ^ (seed >> 31);
}

[[nodiscard]] inline uint64_t random_number(const World& world) { return world.random ? world.random() : scrambled(0); }

// In [0, 1).
[[nodiscard]] constexpr double fraction(uint64_t number) { return static_cast<double>(number >> 11) * 0x1.0p-53; }

}  // namespace tidemill::lang::states
