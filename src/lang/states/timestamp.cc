#include "lang/states/timestamp.h"

namespace tidemill::lang::states {

namespace {

// Reads digits and signs from the front of a text; -1 and false once something is not as it must be.
class TimeReader {
 public:
  explicit TimeReader(std::string_view text) : text_(text) {}

  int number(size_t digits) {
    if (text_.size() < digits) return -1;
    int value = 0;
    for (size_t i = 0; i < digits; ++i) {
      if (text_[i] < '0' || text_[i] > '9') return -1;
      value = value * 10 + (text_[i] - '0');
    }
    text_.remove_prefix(digits);
    return value;
  }
  bool take(char c) {
    if (!text_.starts_with(c)) return false;
    text_.remove_prefix(1);
    return true;
  }
  // Of ".123456789" the microseconds; -1: no digit follows the point.
  int64_t fraction() {
    if (!take('.')) return 0;
    int64_t micros = 0;
    int64_t weight = 100'000;
    size_t digits = 0;
    for (; !text_.empty() && text_[0] >= '0' && text_[0] <= '9'; ++digits, weight /= 10) {
      micros += (text_[0] - '0') * weight;
      text_.remove_prefix(1);
    }
    return digits > 0 ? micros : -1;
  }
  [[nodiscard]] bool at_end() const { return text_.empty(); }

 private:
  std::string_view text_;
};

}  // namespace

std::optional<Time> parse_timestamp(std::string_view text) {
  using namespace std::chrono;
  TimeReader reader(text);
  const int year_number = reader.number(4);
  if (!reader.take('-')) return std::nullopt;
  const int month_number = reader.number(2);
  if (!reader.take('-')) return std::nullopt;
  const int day_number = reader.number(2);
  if (year_number < 0 || month_number < 0 || day_number < 0 || !reader.take('T')) return std::nullopt;
  const year_month_day date(year(year_number), month(static_cast<unsigned>(month_number)),
                            day(static_cast<unsigned>(day_number)));
  const int hour = reader.number(2);
  if (!reader.take(':')) return std::nullopt;
  const int minute = reader.number(2);
  if (!reader.take(':')) return std::nullopt;
  const int second = reader.number(2);
  const int64_t micros = reader.fraction();
  if (!date.ok() || hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59 || micros < 0) {
    return std::nullopt;
  }
  Time time = sys_days(date) + hours(hour) + minutes(minute) + seconds(second) + microseconds(micros);
  if (!reader.take('Z')) {
    const bool is_east = reader.take('+');
    if (!is_east && !reader.take('-')) return std::nullopt;
    const int offset_hours = reader.number(2);
    if (!reader.take(':')) return std::nullopt;
    const int offset_minutes = reader.number(2);
    if (offset_hours < 0 || offset_hours > 18 || offset_minutes < 0 || offset_minutes > 59) return std::nullopt;
    const auto offset = hours(offset_hours) + minutes(offset_minutes);
    time += is_east ? -offset : offset;
  }
  return reader.at_end() ? std::optional(time) : std::nullopt;
}

}  // namespace tidemill::lang::states
