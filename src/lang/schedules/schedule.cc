#include "lang/schedules/schedule.h"

#include <charconv>
#include <string>

namespace tidemill::lang::schedules {

namespace {

using std::chrono::seconds;

// A rate is at most so many of its units; a schedule beyond some thousand years is a mistake in any unit.
constexpr int64_t kRateMax = 999'999;

// What stands in "name(...)".
std::optional<std::string_view> inside(std::string_view text, std::string_view name) {
  if (!text.starts_with(name) || !text.ends_with(')')) return std::nullopt;
  text.remove_prefix(name.size());
  if (!text.starts_with('(')) return std::nullopt;
  return text.substr(1, text.size() - 2);
}

struct Unit {
  std::string_view name;
  seconds length;
};

constexpr Unit kUnits[] = {
    {"second", seconds(1)}, {"minute", seconds(60)}, {"hour", seconds(3600)}, {"day", seconds(86400)}};

std::optional<int> digits(std::string_view text) {
  int value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

// The last whole second before `time`.
Time second_before(Time time) { return std::chrono::ceil<seconds>(time) - seconds(1); }

std::optional<Time> next_of(const Cron& cron, Time time, const TimeZone& zone) {
  auto wall = cron.next(zone.wall(time));
  while (wall) {
    const auto found = zone.find(*wall);
    if (found.first && *found.first > time) return found.first;
    // In a stretch that the clocks skip, or one that they repeat and which has run: on behind it.
    wall = cron.next(std::max(*wall, found.resumes - seconds(1)));
  }
  return std::nullopt;
}

std::optional<Time> previous_of(const Cron& cron, Time time, const TimeZone& zone) {
  // While the clocks repeat a stretch, all of it has run already.
  const WallTime now = zone.wall(second_before(time)) + seconds(1);
  const auto again = zone.find(now);
  const bool repeats = again.first && *again.first < time && again.resumes > now;
  auto wall = cron.previous(repeats ? again.resumes : now);
  while (wall) {
    const auto found = zone.find(*wall);
    if (found.first && *found.first < time) return found.first;
    wall = cron.previous(found.skipped_from);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Schedule::Rate> Schedule::parse_rate(std::string_view text) {
  const size_t space = text.find(' ');
  if (space == std::string_view::npos || space == 0 || text.front() == '-') return std::nullopt;
  int64_t number = 0;
  const auto result = std::from_chars(text.data(), text.data() + space, number);
  if (result.ec != std::errc() || result.ptr != text.data() + space) return std::nullopt;
  if (number < 1 || number > kRateMax) return std::nullopt;
  std::string_view name = text.substr(space + 1);
  if (number > 1) {  // "1 minutes" and "5 minute" are refused
    if (!name.ends_with('s')) return std::nullopt;
    name.remove_suffix(1);
  }
  for (const Unit& unit : kUnits) {
    if (unit.name == name) return Rate{unit.length * number, unit.length == seconds(1)};
  }
  return std::nullopt;
}

// "2026-11-23T08:00:00"
std::optional<Schedule::At> Schedule::parse_at(std::string_view text) {
  constexpr std::string_view kForm = "dddd-dd-ddTdd:dd:dd";
  if (text.size() != kForm.size()) return std::nullopt;
  for (size_t i = 0; i < text.size(); ++i) {
    if (kForm[i] != 'd' && kForm[i] != text[i]) return std::nullopt;
  }
  const auto year = digits(text.substr(0, 4)), month = digits(text.substr(5, 2)), day = digits(text.substr(8, 2));
  const auto hour = digits(text.substr(11, 2)), minute = digits(text.substr(14, 2)),
             second = digits(text.substr(17, 2));
  if (!year || !month || !day || !hour || !minute || !second) return std::nullopt;
  if (*year < kYearFirst || *year > kYearLast || *hour > 23 || *minute > 59 || *second > 59) return std::nullopt;
  const std::chrono::year_month_day date(std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day)));
  if (!date.ok()) return std::nullopt;
  return At{std::chrono::local_days(date) + std::chrono::hours(*hour) + std::chrono::minutes(*minute) +
            seconds(*second)};
}

std::optional<Schedule> Schedule::parse(std::string_view text) {
  if (const auto fields = inside(text, "cron")) {
    auto cron = Cron::parse(*fields);
    return cron ? std::optional(Schedule(std::move(*cron))) : std::nullopt;
  }
  if (const auto rest = inside(text, "rate")) {
    const auto rate = parse_rate(*rest);
    return rate ? std::optional(Schedule(*rate)) : std::nullopt;
  }
  if (const auto rest = inside(text, "at")) {
    const auto at = parse_at(*rest);
    return at ? std::optional(Schedule(*at)) : std::nullopt;
  }
  return std::nullopt;
}

Schedule::Kind Schedule::kind() const {
  if (std::holds_alternative<At>(expression_)) return Kind::at;
  return std::holds_alternative<Rate>(expression_) ? Kind::rate : Kind::cron;
}

bool Schedule::counts_seconds() const {
  if (const auto* rate = std::get_if<Rate>(&expression_)) return rate->in_seconds;
  const auto* cron = std::get_if<Cron>(&expression_);
  return cron && cron->has_seconds();
}

std::optional<Time> Schedule::next(Time time, const Basis& basis) const {
  if (const auto* at = std::get_if<At>(&expression_)) {
    const auto when = basis.zone.find(at->wall).first;
    return when && *when > time ? when : std::nullopt;
  }
  if (const auto* rate = std::get_if<Rate>(&expression_)) {
    if (time < basis.anchor) return basis.anchor;
    return basis.anchor + ((time - basis.anchor) / rate->every + 1) * rate->every;
  }
  return next_of(std::get<Cron>(expression_), time, basis.zone);
}

std::optional<Time> Schedule::previous(Time time, const Basis& basis) const {
  if (const auto* at = std::get_if<At>(&expression_)) {
    const auto when = basis.zone.find(at->wall).first;
    return when && *when < time ? when : std::nullopt;
  }
  if (const auto* rate = std::get_if<Rate>(&expression_)) {
    if (time <= basis.anchor) return std::nullopt;
    return basis.anchor + (time - basis.anchor - base::Duration(1)) / rate->every * rate->every;
  }
  return previous_of(std::get<Cron>(expression_), time, basis.zone);
}

}  // namespace tidemill::lang::schedules
