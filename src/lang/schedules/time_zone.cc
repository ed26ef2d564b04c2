#include "lang/schedules/time_zone.h"

#include <algorithm>
#include <array>
#include <limits>

namespace tidemill::lang::schedules {

namespace {

using std::chrono::seconds;

constexpr int64_t kForever = std::numeric_limits<int64_t>::max();
// More than any clock on the earth is away from UTC.
constexpr int64_t kOffsetMax = 26 * 3600;

int year_of(int64_t second) {
  const auto day = std::chrono::floor<std::chrono::days>(std::chrono::sys_seconds(seconds(second)));
  return static_cast<int>(std::chrono::year_month_day(day).year());
}

int64_t count(WallTime wall) { return wall.time_since_epoch().count(); }

}  // namespace

// The layout of TZif: a block with 4-byte times for old readers, which is passed over, one with 8-byte times, and the
// rule.
class ZoneFile {
 public:
  explicit ZoneFile(std::string_view bytes) : rest_(bytes) {}

  std::shared_ptr<const TimeZone> read() {
    const auto zone = std::make_shared<TimeZone>();
    Counts old;
    Counts counts;
    if (!header(old) || !skip(old.size(4)) || !header(counts)) return nullptr;
    if (counts.types == 0 || counts.size(8) > rest_.size()) return nullptr;
    if (!changes(counts, *zone)) return nullptr;
    skip(counts.size(8));
    const size_t end = rest_.find('\n', 1);
    if (!rest_.starts_with('\n') || end == std::string_view::npos) return nullptr;
    // Empty: the last change holds for ever.
    const std::string_view rule = rest_.substr(1, end - 1);
    if (rule.empty()) return nullptr;
    const auto parsed = ZoneRule::parse(rule);
    if (!parsed) return nullptr;
    zone->rule_ = *parsed;
    return zone;
  }

 private:
  struct Counts {
    uint32_t is_utc = 0, is_standard = 0, leaps = 0, times = 0, types = 0, characters = 0;
    [[nodiscard]] size_t size(size_t time) const {
      return times * (time + 1) + size_t{types} * 6 + characters + leaps * (time + 4) + is_standard + is_utc;
    }
  };

  bool skip(size_t bytes) {
    if (bytes > rest_.size()) return false;
    rest_.remove_prefix(bytes);
    return true;
  }

  static int64_t big_endian(std::string_view bytes) {
    uint64_t value = 0;
    for (const char byte : bytes) value = value << 8 | static_cast<uint8_t>(byte);
    if (bytes.size() == 4) return static_cast<int32_t>(value);
    return static_cast<int64_t>(value);
  }

  bool header(Counts& out) {
    constexpr size_t kSize = 44;
    constexpr size_t kCounts = 20;
    // Version '1' has no second block; no zone of today is so old.
    if (rest_.size() < kSize || !rest_.starts_with("TZif") || rest_[4] < '2') return false;
    size_t at = kCounts;
    for (uint32_t* field : {&out.is_utc, &out.is_standard, &out.leaps, &out.times, &out.types, &out.characters}) {
      *field = static_cast<uint32_t>(big_endian(rest_.substr(at, 4)));
      at += 4;
    }
    return skip(kSize);
  }

  bool changes(const Counts& counts, TimeZone& zone) {
    const std::string_view times = rest_.substr(0, counts.times * size_t{8});
    const std::string_view kinds = rest_.substr(times.size(), counts.times);
    const std::string_view types = rest_.substr(times.size() + kinds.size(), counts.types * size_t{6});
    const auto offset = [&](size_t type) { return big_endian(types.substr(type * 6, 4)); };
    for (size_t type = 0; type < counts.types; ++type) {
      if (std::abs(offset(type)) > kOffsetMax) return false;
    }
    zone.first_offset_ = offset(0);
    for (size_t i = 0; i < counts.times; ++i) {
      const int64_t at = big_endian(times.substr(i * 8, 8));
      const auto type = static_cast<uint8_t>(kinds[i]);
      if (type >= counts.types || (i > 0 && at <= zone.changes_.back().at)) return false;
      zone.changes_.push_back({at, offset(type)});
    }
    return true;
  }

  std::string_view rest_;
};

std::shared_ptr<const TimeZone> TimeZone::utc() {
  static const auto zone = std::make_shared<const TimeZone>();
  return zone;
}

std::shared_ptr<const TimeZone> TimeZone::parse(std::string_view file) { return ZoneFile(file).read(); }

TimeZone::Period TimeZone::period_at(int64_t second) const {
  const auto after = std::ranges::upper_bound(changes_, second, {}, &Change::at);
  const int64_t begin = after == changes_.begin() ? -kForever : std::prev(after)->at;
  if (after != changes_.end()) {
    return {begin, after->at, after == changes_.begin() ? first_offset_ : std::prev(after)->offset};
  }
  if (!rule_.changes()) return {begin, kForever, rule_.standard_offset()};
  Period period{begin, kForever, rule_.standard_offset()};
  const int year = year_of(second);
  for (const int each : {year - 1, year, year + 1}) {
    for (const ZoneRule::Change& change : rule_.in_year(each)) {
      if (change.at > second) return {period.begin, change.at, period.offset};
      period = {std::max(begin, change.at), kForever, change.offset};
    }
  }
  return period;
}

WallTime TimeZone::wall(Time time) const {
  const int64_t second = std::chrono::floor<seconds>(time).time_since_epoch().count();
  return WallTime(seconds(second + period_at(second).offset));
}

TimeZone::Found TimeZone::find(WallTime wall) const {
  Period period = period_at(count(wall) - kOffsetMax);
  for (;;) {
    const int64_t second = count(wall) - period.offset;
    if (period.end == kForever) return {Time(seconds(second)), wall, wall};
    const Period next = period_at(period.end);
    const int64_t wall_before = period.end + period.offset;
    const int64_t wall_after = period.end + next.offset;
    if (second < period.end) {
      const bool repeated = count(wall) >= wall_after;
      return {Time(seconds(second)), repeated ? WallTime(seconds(wall_before)) : wall, wall};
    }
    if (count(wall) < wall_after) return {std::nullopt, WallTime(seconds(wall_after)), WallTime(seconds(wall_before))};
    period = next;
  }
}

}  // namespace tidemill::lang::schedules
