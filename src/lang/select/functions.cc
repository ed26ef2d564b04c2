#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "base/text.h"
#include "lang/select/evaluate.h"

namespace tidemill::lang::select {
namespace {

using namespace std::chrono;

[[noreturn]] void fail_arguments(std::string_view name) {
  throw SelectError("EvaluatorInvalidArguments",
                    base::cat("The arguments of the function ", name, " in the SQL expression are not valid."));
}

[[noreturn]] void fail_cast() {
  throw SelectError("CastFailed",
                    "Attempt to convert from one data type to another using CAST failed in the SQL expression.");
}

const std::string& text_argument(const Node& node, const Value& value) {
  const std::string* text = text_of(value);
  if (!text) fail_arguments(node.name);
  return *text;
}

int64_t integer_argument(const Node& node, const Value& value) {
  const auto number = number_of(value);
  if (!number || !number->is_integer) fail_arguments(node.name);
  return number->integer;
}

std::string mapped(std::string text, char first, char last, int by) {
  for (char& c : text) {
    if (c >= first && c <= last) c = static_cast<char>(c + by);
  }
  return text;
}

bool begins_character(char c) { return (c & 0xC0) != 0x80; }

// Characters from `from`, which counts from 1 and may lie before the text, as in SQL.
std::string part_of(const std::string& text, int64_t from, std::optional<int64_t> count) {
  constexpr int64_t kFar = int64_t{1} << 40;
  const int64_t begin = std::clamp(from, -kFar, kFar);
  const int64_t end = count ? begin + std::clamp<int64_t>(*count, 0, kFar) : kFar * 2;
  std::string out;
  int64_t number = 0;
  for (const char c : text) {
    if (begins_character(c)) ++number;
    if (number >= end) break;
    if (number >= begin) out.push_back(c);
  }
  return out;
}

std::string trimmed(const std::string& text, const std::string& side, const std::string& set) {
  size_t begin = 0;
  size_t end = text.size();
  std::array<bool, 256> is_in_set{};
  for (const char c : set) is_in_set[static_cast<unsigned char>(c)] = true;
  const auto is_any = [&](char c) { return is_in_set[static_cast<unsigned char>(c)]; };
  while (side != "TRAILING" && begin < end && is_any(text[begin])) ++begin;
  while (side != "LEADING" && end > begin && is_any(text[end - 1])) --end;
  return text.substr(begin, end - begin);
}

base::Time time_argument(const Node& node, const Value& value) {
  const auto* time = std::get_if<base::Time>(&value);
  if (!time) fail_arguments(node.name);
  return *time;
}

struct Calendar {
  explicit Calendar(base::Time time) : midnight(floor<days>(time)), date(midnight), of_day(time - midnight) {}
  sys_days midnight;
  year_month_day date;
  base::Duration of_day;
};

int64_t part_of_date(const std::string& part, base::Time time) {
  const Calendar at(time);
  if (part == "YEAR") return static_cast<int>(at.date.year());
  if (part == "MONTH") return static_cast<unsigned>(at.date.month());
  if (part == "DAY") return static_cast<unsigned>(at.date.day());
  if (part == "HOUR") return floor<hours>(at.of_day).count();
  if (part == "MINUTE") return floor<minutes>(at.of_day).count() % 60;
  return floor<seconds>(at.of_day).count() % 60;
}

base::Duration length_of(const std::string& part) {
  if (part == "DAY") return days(1);
  if (part == "HOUR") return hours(1);
  return part == "MINUTE" ? base::Duration(minutes(1)) : base::Duration(seconds(1));
}

base::Time date_add(const Node& node, int64_t count, base::Time time) {
  constexpr int64_t kYearsMax = 9'999;  // what a calendar counts with has little room beyond
  constexpr int64_t kSecondsMax = 31'622'400LL * 9'999;
  if (node.word == "YEAR" || node.word == "MONTH") {
    const int64_t length = node.word == "YEAR" ? 12 : 1;
    if (count > kYearsMax * 12 / length || count < -kYearsMax * 12 / length) fail_arguments(node.name);
    const Calendar at(time);
    year_month_day date = at.date + months(count * length);
    if (!date.ok()) date = date.year() / date.month() / last;  // the 31st of a shorter month
    if (date.year() < year(0) || date.year() > year(9'999)) fail_arguments(node.name);
    return sys_days(date) + at.of_day;
  }
  const int64_t length = duration_cast<seconds>(length_of(node.word)).count();
  if (count > kSecondsMax / length || count < -kSecondsMax / length) fail_arguments(node.name);
  const base::Time result = time + length_of(node.word) * count;
  const auto year_of = [](base::Time at) { return Calendar(at).date.year(); };
  if (year_of(result) < year(0) || year_of(result) > year(9'999)) fail_arguments(node.name);
  return result;
}

int64_t date_diff(const std::string& part, base::Time from, base::Time to) {
  if (part != "YEAR" && part != "MONTH") return (to - from) / length_of(part);
  if (to < from) return -date_diff(part, to, from);
  const Calendar a(from);
  const Calendar b(to);
  int64_t count = (static_cast<int>(b.date.year()) - static_cast<int>(a.date.year())) * 12 +
                  (static_cast<int64_t>(static_cast<unsigned>(b.date.month())) - static_cast<unsigned>(a.date.month()));
  const bool is_less = b.date.day() < a.date.day() || (b.date.day() == a.date.day() && b.of_day < a.of_day);
  if (is_less) --count;
  return part == "YEAR" ? count / 12 : count;
}

Value to_integer(const Value& value) {
  if (const auto* truth = std::get_if<bool>(&value)) return int64_t{*truth};
  auto number = number_of(value);
  if (!number && text_of(value)) number = number_of_text(*text_of(value));
  if (!number) fail_cast();
  if (number->is_integer) return number->integer;
  constexpr double kMax = 9.2e18;
  if (!(std::abs(number->real) < kMax)) fail_cast();
  return static_cast<int64_t>(number->real);
}

Value to_real(const Value& value, bool keeps_integers) {
  auto number = number_of(value);
  if (!number && text_of(value)) number = number_of_text(*text_of(value));
  if (!number) fail_cast();
  if (keeps_integers && number->is_integer) return number->integer;
  return Real{number->real, {}};
}

}  // namespace

Value cast_to(const std::string& type, const Value& value) {
  if (is_nothing(value)) return value;
  if (type == "STRING") return shown(value);
  if (type == "INT") return to_integer(value);
  if (type == "FLOAT") return to_real(value, false);
  if (type == "DECIMAL") return to_real(value, true);
  const std::string* text = text_of(value);
  if (type == "TIMESTAMP") {
    if (std::holds_alternative<base::Time>(value)) return value;
    const auto time = text ? parse_timestamp(*text) : std::nullopt;
    if (!time) fail_cast();
    return *time;
  }
  if (const auto* integer = std::get_if<int64_t>(&value)) return *integer != 0;
  const auto truth = truth_of(text ? Value(Field{*text}) : value);
  if (!truth) fail_cast();
  return *truth;
}

Value call_function(const Node& node, const std::vector<Value>& arguments, base::Time now) {
  const std::string& name = node.name;
  if (name == "UTCNOW") return now;
  if (name == "NULLIF") return compare(arguments[0], arguments[1]) == 0 ? Value(Null{}) : arguments[0];
  if (std::ranges::any_of(arguments, [](const Value& one) { return is_nothing(one); })) return Null{};
  const Value& first = arguments[0];
  if (name == "CHAR_LENGTH")
    return static_cast<int64_t>(std::ranges::count_if(text_argument(node, first), begins_character));
  if (name == "LOWER") return mapped(text_argument(node, first), 'A', 'Z', 'a' - 'A');
  if (name == "UPPER") return mapped(text_argument(node, first), 'a', 'z', 'A' - 'a');
  if (name == "SIZE") {
    const auto* document = std::get_if<json::Value>(&first);
    if (!document) fail_arguments(name);
    return static_cast<int64_t>(document->is_array() ? document->array().size() : document->object().size());
  }
  if (name == "SUBSTRING") {
    std::optional<int64_t> count;
    if (arguments.size() > 2) count = integer_argument(node, arguments[2]);
    if (count && *count < 0) fail_arguments(name);
    return part_of(text_argument(node, first), integer_argument(node, arguments[1]), count);
  }
  if (name == "TRIM") {
    return trimmed(text_argument(node, first), node.word,
                   arguments.size() > 1 ? text_argument(node, arguments[1]) : " ");
  }
  if (name == "TO_TIMESTAMP") {
    const auto time = parse_timestamp(text_argument(node, first));
    if (!time) fail_arguments(name);
    return *time;
  }
  if (name == "EXTRACT") return part_of_date(node.word, time_argument(node, first));
  if (name == "DATE_ADD") return date_add(node, integer_argument(node, first), time_argument(node, arguments[1]));
  return date_diff(node.word, time_argument(node, first), time_argument(node, arguments[1]));
}

}  // namespace tidemill::lang::select
