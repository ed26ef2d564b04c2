// A time zone: what stands on the wall at a point in time, and when something stands there. Made of the contents of a
// compiled zone file (TZif, RFC 8536), whose last line goes on for ever: the clocks of 2090 change as those of today.
//
//   const auto zone = TimeZone::parse(contents_of("/usr/share/zoneinfo/Europe/Berlin"));
//   const auto wall = zone->wall(now);
//   if (const auto when = zone->find(wall + 1h); when.first) ...
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "lang/schedules/zone_rule.h"

namespace tidemill::lang::schedules {

using base::Time;
// What a clock on the wall shows.
using WallTime = std::chrono::local_seconds;

// Immutable, any thread.
class TimeZone {
 public:
  [[nodiscard]] static std::shared_ptr<const TimeZone> utc();
  // Null: it is no such file.
  [[nodiscard]] static std::shared_ptr<const TimeZone> parse(std::string_view file);

  // The whole second that `time` is in.
  [[nodiscard]] WallTime wall(Time time) const;

  struct Found {
    std::optional<Time> first;  // the first time that the clocks show it; nothing: they skip it
    // The next wall time that they neither skip nor repeat together with this one; the time itself if they do neither.
    WallTime resumes;
    WallTime skipped_from;  // if they skip it: where that begins
  };
  [[nodiscard]] Found find(WallTime wall) const;

  // From one change of the clocks to the next.
  struct Period {
    int64_t begin;  // seconds since 1970
    int64_t end;
    int64_t offset;  // seconds that the wall is ahead of UTC
  };
  [[nodiscard]] Period period_at(int64_t second) const;

 private:
  struct Change {
    int64_t at;
    int64_t offset;
  };

  int64_t first_offset_ = 0;
  std::vector<Change> changes_;  // ascending
  ZoneRule rule_;                // after the last of them
  friend class ZoneFile;
};

}  // namespace tidemill::lang::schedules
