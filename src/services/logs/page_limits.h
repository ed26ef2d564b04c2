// How much one answer with events holds: GetLogEvents and FilterLogEvents in the API reference.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "services/logs/stream.h"

namespace tidemill::logs {

inline constexpr size_t kPageBytesMax = 1 << 20;
inline constexpr size_t kPageEventsMax = 10'000;
inline constexpr Milliseconds kEndOfTime = std::numeric_limits<Milliseconds>::max();

class PageLimits {
 public:
  explicit PageLimits(std::optional<int32_t> limit)
      : events_max_(limit ? static_cast<size_t>(*limit) : kPageEventsMax) {}

  // The most events that are looked at to find out: one more than fit.
  [[nodiscard]] size_t looked_at_max() const { return events_max_ + 1; }

  // Whether one more event with a message of this size fits; counts it if so. The first always does.
  bool take(size_t message_bytes) {
    const size_t bytes = bytes_ + message_bytes + kEventOverheadBytes;
    if (events_ == events_max_ || (events_ > 0 && bytes > kPageBytesMax)) return false;
    ++events_;
    bytes_ = bytes;
    return true;
  }

 private:
  size_t events_max_;
  size_t events_ = 0;
  size_t bytes_ = 0;
};

}  // namespace tidemill::logs
