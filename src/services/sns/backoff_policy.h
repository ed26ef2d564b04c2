// What the topic attribute TidemillBackoff says (backoff.h tells what comes of it): "true", which is all defaults, or
//
//   {"LadderSeconds": [0, 60, 300], "ResetSeconds": 604800, "PrincipalAttribute": "principal_id",
//    "CauseAttribute": "cause_id"}
//
// whose members may each be left out.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tidemill::sns {

struct BackoffPolicy {
  static constexpr size_t kStepsMax = 100;
  static constexpr std::chrono::seconds kWaitMax{366 * 86'400};

  // The wait before each delivery, counted from the one before it; the last repeats.
  std::vector<std::chrono::seconds> ladder = {
      std::chrono::seconds(0),  std::chrono::minutes(1), std::chrono::minutes(5), std::chrono::minutes(15),
      std::chrono::minutes(30), std::chrono::hours(1),   std::chrono::hours(4),   std::chrono::hours(12),
      std::chrono::hours(24),   std::chrono::hours(48),  std::chrono::hours(96)};
  std::chrono::seconds reset = std::chrono::hours(7 * 24);
  std::string principal_attribute = "principal_id";
  std::string cause_attribute = "cause_id";

  // Before the delivery that comes after so many.
  [[nodiscard]] std::chrono::seconds wait_after(int64_t deliveries) const {
    return ladder[std::min(static_cast<size_t>(deliveries), ladder.size() - 1)];
  }
};

// Throws InvalidParameter, which names what is wrong.
[[nodiscard]] BackoffPolicy parse_backoff_policy(std::string_view text);

}  // namespace tidemill::sns
