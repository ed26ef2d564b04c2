// A schedule expression, then a zero byte, then a zone file's rule. What parses goes forward and back consistently in
// zones as they are: the next run is later, and the one before that no later than where we began. In any zone it comes
// to an end.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "lang/schedules/schedule.h"

namespace {

using namespace tidemill::lang::schedules;

void check(bool holds) {
  if (!holds) std::abort();
}

std::shared_ptr<const TimeZone> zone_of(std::string_view rule) {
  const auto header = [](char types) {
    std::string text = "TZif2" + std::string(15, '\0') + std::string(24, '\0');
    text[39] = types;
    return text;
  };
  return TimeZone::parse(header(0) + header(1) + std::string(6, '\0') + "\n" + std::string(rule) + "\n");
}

// Forward a few runs; in zones as they are also back again.
void walk(const Schedule& schedule, const TimeZone& zone, bool sane) {
  const Basis basis{zone, Time(std::chrono::sys_days(std::chrono::year(2026) / 1 / 1))};
  Time time(std::chrono::sys_days(std::chrono::year(2026) / 3 / 8));
  for (int i = 0; i < 20; ++i) {
    const auto next = schedule.next(time, basis);
    if (!next) break;
    check(*next > time);
    const auto before = schedule.previous(*next, basis);
    if (sane) {
      check(!before || *before <= time);
      check(schedule.previous(*next + tidemill::base::Duration(1), basis) == next);
    }
    time = *next;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto berlin = zone_of("CET-1CEST,M3.5.0,M10.5.0/3");
  static const auto new_york = zone_of("EST5EDT,M3.2.0,M11.1.0");
  static const auto lord_howe = zone_of("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0");
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  (void)TimeZone::parse(input);
  const size_t end = input.find('\0');
  const auto schedule = Schedule::parse(input.substr(0, end));
  if (!schedule) return 0;
  for (const auto& zone : {TimeZone::utc(), berlin, new_york, lord_howe}) walk(*schedule, *zone, true);
  const auto other = end == std::string_view::npos ? nullptr : zone_of(input.substr(end + 1));
  if (other) walk(*schedule, *other, false);
  return 0;
}
