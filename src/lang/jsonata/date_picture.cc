#include "lang/jsonata/date_picture.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <map>
#include <vector>

#include "base/text.h"
#include "lang/jsonata/error.h"
#include "lang/jsonata/integer_picture.h"
#include "lang/jsonata/regex.h"
#include "lang/jsonata/text.h"
#include "lang/jsonata/value.h"

namespace tidemill::lang::jsonata {

namespace {

using std::chrono::days;
using std::chrono::sys_days;
using std::chrono::year_month_day;

constexpr int kYearMax = 32'767;       // what std::chrono knows
constexpr double kMillisMax = 9.7e14;  // within it
constexpr double kDayMillis = 86'400'000;

constexpr std::array<std::string_view, 12> kMonths = {"January",   "February", "March",    "April",
                                                      "May",       "June",     "July",     "August",
                                                      "September", "October",  "November", "December"};
constexpr std::array<std::string_view, 7> kDays = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                                   "Friday", "Saturday", "Sunday"};

std::string_view default_presentation(char component) {
  static const std::map<char, std::string_view> kDefaults = {
      {'Y', "1"}, {'M', "1"},     {'D', "1"},     {'d', "1"}, {'F', "n"}, {'W', "1"},  {'w', "1"},
      {'X', "1"}, {'x', "1"},     {'H', "1"},     {'h', "1"}, {'P', "n"}, {'m', "01"}, {'s', "01"},
      {'f', "1"}, {'Z', "01:01"}, {'z', "01:01"}, {'C', "n"}, {'E', "n"}};
  const auto found = kDefaults.find(component);
  return found == kDefaults.end() ? std::string_view() : found->second;
}

// A picture's part: a literal, or a component and how it is written.
struct Part {
  enum class Names : uint8_t { none, lower, upper, title };

  std::string literal;
  char component = '\0';
  Names names = Names::none;
  std::optional<IntegerPicture> integer;
  bool zulu = false;  // a zone of 0 is Z
  std::optional<size_t> width_min;
  std::optional<size_t> width_max;
  int year_digits = -1;  // the last so many digits of a year; -1: all
};

std::optional<size_t> parse_width(std::string_view text) {
  constexpr size_t kWidthMax = 100;
  if (text.empty() || text == "*") return std::nullopt;
  size_t width = 0;
  for (const char c : text) width = std::min(kWidthMax, width * 10 + (is_digit(c) ? static_cast<size_t>(c - '0') : 0));
  return width;
}

void read_widths(std::string_view text, Part& part) {
  const size_t dash = text.find('-');
  part.width_min = parse_width(text.substr(0, dash));
  if (dash != std::string_view::npos) part.width_max = parse_width(text.substr(dash + 1));
}

void read_integer(Part& part, const std::string& pattern) {
  IntegerPicture& integer = part.integer.emplace(pattern);
  if (part.width_min) integer.mandatory = std::max(integer.mandatory, *part.width_min);
  if (!std::string_view("YMD").contains(part.component)) return;
  if (part.width_max) {
    part.year_digits = static_cast<int>(*part.width_max);
    integer.mandatory = *part.width_max;
  } else if (integer.mandatory + integer.optional >= 2) {
    part.year_digits = static_cast<int>(integer.mandatory + integer.optional);
  }
}

// What stands between brackets.
Part read_marker(std::string marker) {
  std::erase_if(marker, [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; });
  Part part;
  part.component = marker.empty() ? '?' : marker[0];
  const std::string_view standard = default_presentation(part.component);
  if (standard.empty()) throw JsonataError("D3132", {.value = marker.substr(0, 1)});
  const size_t comma = marker.rfind(',');
  if (comma != std::string::npos) read_widths(std::string_view(marker).substr(comma + 1), part);
  std::string presentation = marker.substr(1, comma == std::string::npos ? comma : comma - 1);
  char modifier = '\0';
  if (presentation.size() > 1 && std::string_view("atco").contains(presentation.back())) {
    modifier = presentation.back();
    presentation.pop_back();
  }
  if (presentation.empty()) presentation = standard;
  part.zulu = modifier == 't';
  if (presentation[0] == 'n') {
    part.names = Part::Names::lower;
  } else if (presentation[0] == 'N') {
    part.names = presentation.starts_with("Nn") ? Part::Names::title : Part::Names::upper;
  } else if (part.component == 'Z' || part.component == 'z') {
    part.integer.emplace(presentation);
  } else if (!std::string_view("PCE").contains(part.component)) {
    read_integer(part, modifier == '\0' ? presentation : presentation + ";" + modifier);
  }
  return part;
}

class PictureReader {
 public:
  explicit PictureReader(std::string_view picture) : picture_(picture) {}

  std::vector<Part> read() {
    for (size_t at = 0; at < picture_.size();) {
      const std::string_view rest = picture_.substr(at);
      if (rest.starts_with("[[") || rest.starts_with("]]")) {
        literal(rest[0]);
        at += 2;
      } else if (rest[0] == '[') {
        const size_t end = rest.find(']');
        if (end == std::string_view::npos) throw JsonataError("D3135");
        marker(std::string(rest.substr(1, end - 1)));
        at += end + 1;
      } else {
        literal(rest[0]);
        ++at;
      }
    }
    return std::move(parts_);
  }

 private:
  void literal(char c) {
    if (parts_.empty() || parts_.back().component != '\0') parts_.emplace_back();
    parts_.back().literal.push_back(c);
  }
  // A number right behind another one: the first is as wide as it says.
  void marker(std::string text) {
    Part part = read_marker(std::move(text));
    if (part.integer && !parts_.empty() && parts_.back().integer) {
      parts_.back().integer->width = parts_.back().integer->mandatory;
    }
    parts_.push_back(std::move(part));
  }

  std::string_view picture_;
  std::vector<Part> parts_;
};

// A moment as its components.
class Moment {
 public:
  explicit Moment(double millis)
      : day_(days(static_cast<int64_t>(std::floor(millis / kDayMillis)))),
        date_(day_),
        of_day_(static_cast<int64_t>(millis - std::floor(millis / kDayMillis) * kDayMillis)) {}

  [[nodiscard]] int64_t component(char name) const {
    switch (name) {
      case 'Y':
        return static_cast<int>(date_.year());
      case 'M':
        return static_cast<unsigned>(date_.month());
      case 'D':
        return static_cast<unsigned>(date_.day());
      case 'd':
        return day_of_year(day_);
      case 'F':
        return weekday();
      case 'X':
        return static_cast<int>(year_month_day(thursday()).year());
      case 'x':
        return static_cast<unsigned>(year_month_day(thursday()).month());
      case 'W':
        return (day_of_year(thursday()) - 1) / 7 + 1;
      case 'w':
        return (static_cast<unsigned>(year_month_day(thursday()).day()) - 1) / 7 + 1;
      case 'H':
        return hour();
      case 'h':
        return hour() % 12 == 0 ? 12 : hour() % 12;
      case 'P':
        return hour() >= 12;
      case 'm':
        return of_day_ / 60'000 % 60;
      case 's':
        return of_day_ / 1000 % 60;
      case 'f':
        return of_day_ % 1000;
      default:
        return 0;
    }
  }

 private:
  static int64_t day_of_year(sys_days day) {
    return (day - sys_days(year_month_day(day).year() / std::chrono::January / 1)).count() + 1;
  }
  [[nodiscard]] int64_t weekday() const { return std::chrono::weekday(day_).iso_encoding(); }
  // A week belongs where its Thursday lies (ISO 8601).
  [[nodiscard]] sys_days thursday() const { return day_ + days(4 - weekday()); }
  [[nodiscard]] int64_t hour() const { return of_day_ / 3'600'000; }

  sys_days day_;
  year_month_day date_;
  int64_t of_day_;  // milliseconds
};

std::string in_letters(std::string_view name, Part::Names letters) {
  return letters == Part::Names::upper   ? to_upper(name)
         : letters == Part::Names::lower ? to_lower(name)
                                         : std::string(name);
}

[[noreturn]] void no_names(const Part& part) { throw JsonataError("D3133", {.value = std::string(1, part.component)}); }

std::string format_name(const Part& part, int64_t value) {
  std::string_view name;
  if (part.component == 'M' || part.component == 'x') {
    name = kMonths[static_cast<size_t>(value - 1)];
  } else if (part.component == 'F') {
    name = kDays[static_cast<size_t>(value - 1)];
  } else {
    no_names(part);
  }
  return in_letters(name.substr(0, part.width_max.value_or(name.size())), part.names);
}

std::string format_zone(const Part& part, int64_t minutes) {
  if (!part.integer) no_names(part);
  if (minutes == 0 && part.zulu) return "Z";
  const int64_t hours = std::abs(minutes) / 60;
  const int64_t rest = std::abs(minutes) % 60;
  const IntegerPicture& integer = *part.integer;
  std::string digits;
  if (integer.regular == 0 && integer.mandatory <= 2) {
    digits = format_integer(static_cast<double>(hours), integer);
    if (rest != 0) digits += ":" + format_integer(static_cast<double>(rest), IntegerPicture("00"));
  } else if (integer.regular > 0 || integer.mandatory <= 4) {
    digits = format_integer(static_cast<double>(hours * 100 + rest), integer);
  } else {
    throw JsonataError("D3134", {.value = integer.text});
  }
  return (part.component == 'z' ? "GMT" : "") + std::string(minutes < 0 ? "-" : "+") + digits;
}

std::string format_part(const Part& part, const Moment& moment, int64_t zone_minutes) {
  if (part.component == '\0') return part.literal;
  if (part.component == 'Z' || part.component == 'z') return format_zone(part, zone_minutes);
  if (part.component == 'C' || part.component == 'E') return "ISO";
  int64_t value = moment.component(part.component);
  if (part.component == 'P') return in_letters(value ? "pm" : "am", part.names);
  if (part.names != Part::Names::none) return format_name(part, value);
  if (part.component == 'Y' && part.year_digits >= 0 && part.year_digits < 18) {
    value %= static_cast<int64_t>(std::pow(10, part.year_digits));
  }
  return format_integer(static_cast<double>(value), *part.integer);
}

// ±hhmm in minutes.
int64_t zone_minutes(std::string_view zone) {
  const bool is_negative = zone.starts_with('-');
  int64_t number = 0;
  for (const char c : zone.substr(0, 6)) number = is_digit(c) ? number * 10 + (c - '0') : number;
  const int64_t minutes = number / 100 * 60 + number % 100;
  return is_negative ? -minutes : minutes;
}

double millis_of(double year, double month, double day, double of_day) {
  if (!(std::abs(year) < kYearMax && std::abs(month) <= 12 && std::abs(day) < kYearMax)) {
    throw JsonataError("D3110", {.value = number_text(year)});
  }
  const double months = year * 12 + month - 1;
  const auto first = std::chrono::year(static_cast<int>(std::floor(months / 12))) /
                     std::chrono::month(static_cast<unsigned>(months - std::floor(months / 12) * 12) + 1) / 1;
  return (static_cast<double>(sys_days(first).time_since_epoch().count()) + day - 1) * kDayMillis + of_day;
}

std::string escaped(std::string_view literal) {
  std::string out;
  for (const char c : literal) {
    if (std::ispunct(static_cast<unsigned char>(c))) out.push_back('\\');
    out.push_back(c);
  }
  return out;
}

// A regular expression of what a part looks like.
std::string pattern_of(const Part& part) {
  if (part.component == '\0') return escaped(part.literal);
  if (part.component == 'Z' || part.component == 'z') {
    const bool has_separator = part.integer && part.integer->regular > 0;
    std::string separator;
    if (has_separator) append_code_point(separator, part.integer->separators[0].character);
    const std::string zone = "[-+][0-9]+" + (has_separator ? escaped(separator) + "[0-9]+" : "");
    return base::cat("(", part.component == 'z' ? "GMT" : "", zone, part.zulu ? "|Z" : "", ")");
  }
  if (part.component == 'P') return "(am|pm)";
  if (part.names != Part::Names::none) return "([a-zA-Z]+)";
  if (!part.integer) return "(ISO)";
  return "(" + integer_pattern(*part.integer) + ")";
}

std::optional<double> parse_name(const Part& part, std::string_view text) {
  const std::string small = to_lower(text);
  const auto place = [&](const auto& names) -> std::optional<double> {
    for (size_t i = 0; i < names.size(); ++i) {
      if (to_lower(names[i].substr(0, part.width_max.value_or(names[i].size()))) == small) return i + 1;
    }
    return std::nullopt;
  };
  if (part.component == 'M' || part.component == 'x') return place(kMonths);
  if (part.component == 'F') return place(kDays);
  if (part.component == 'C' || part.component == 'E') return 0;
  no_names(part);
}

// In minutes.
double parse_zone(std::string_view text) {
  if (text == "Z" || text == "z") return 0;
  if (to_lower(text).starts_with("gmt")) text.remove_prefix(3);
  const bool is_negative = text[0] == '-';
  const std::string digits(text.substr(1));
  const size_t separator = digits.find_first_not_of("0123456789");
  const size_t split = separator != std::string::npos ? separator : digits.size() <= 2 ? digits.size() : 2;
  const std::string minutes =
      digits.substr(std::min(digits.size(), separator == std::string::npos ? split : split + 1));
  const double total = std::atof(digits.substr(0, split).c_str()) * 60 + std::atof(minutes.c_str());
  return is_negative ? -total : total;
}

std::optional<double> parse_part(const Part& part, std::string_view text) {
  if (part.component == 'Z' || part.component == 'z') return parse_zone(text);
  if (part.component == 'P') return to_lower(text) == "pm";
  if (part.names != Part::Names::none) return parse_name(part, text);
  if (part.component == 'f' && part.integer->style == IntegerPicture::Style::decimal && part.integer->zero == U'0') {
    std::string digits(text.substr(0, 3));  // a fraction: .5 is 500
    digits.append(3 - digits.size(), '0');
    return std::atof(digits.c_str());
  }
  return part.integer ? parse_integer(text, *part.integer) : 0;
}

// Which components say a date, and which a time.
class Components {
 public:
  void set(char name, double value) { values_[name] = value; }

  double millis(double now) {
    complete(now);
    double month = get('M');
    double day = get('D');
    if (by_day_of_year()) {
      month = 1;
      day = get('d');
    }
    double hour = get('H');
    if (by_half_days()) hour = (get('h') == 12 ? 0 : get('h')) + (get('P') == 1 ? 12 : 0);
    const double zone = has('Z') ? get('Z') : has('z') ? get('z') : 0;
    const double of_day = ((hour * 60 + get('m') - zone) * 60 + get('s')) * 1000 + get('f');
    return millis_of(get('Y'), month, day, of_day);
  }

 private:
  [[nodiscard]] bool has(char name) const { return values_.contains(name); }
  [[nodiscard]] double get(char name) const { return has(name) ? values_.at(name) : 0; }
  [[nodiscard]] bool has_any(std::string_view names) const {
    return std::ranges::any_of(names, [&](char name) { return has(name); });
  }
  [[nodiscard]] bool by_day_of_year() const { return has('d') && !has_any("MD"); }
  [[nodiscard]] bool by_half_days() const { return has_any("Ph") && !has('H'); }

  // What lies before the first given component is now, what lies behind the last is the beginning; there is no gap.
  void complete(double now) {
    const bool by_weeks = has_any("XxWw") && !has_any("YMDd");
    if (by_weeks) throw JsonataError("D3136");
    const Moment present(now);
    const std::string order = std::string(by_day_of_year() ? "Yd" : "YMD") + (by_half_days() ? "Phmsf" : "Hmsf");
    bool has_begun = false;
    bool has_ended = false;
    for (const char name : order) {
      if (has(name)) {
        if (has_ended) throw JsonataError("D3136");
        has_begun = true;
      } else if (has_begun) {
        set(name, std::string_view("MDd").contains(name) ? 1 : 0);
        has_ended = true;
      } else {
        set(name, static_cast<double>(present.component(name)));
      }
    }
  }

  std::map<char, double> values_;
};

}  // namespace

std::string format_date(double millis, std::string_view picture, std::string_view zone) {
  if (!(std::abs(millis) <= kMillisMax)) throw JsonataError("D3110", {.value = number_text(millis)});
  const int64_t minutes = zone_minutes(zone);
  const Moment moment(millis + static_cast<double>(minutes) * 60'000);
  std::string out;
  for (const Part& part : PictureReader(picture).read()) out += format_part(part, moment, minutes);
  return out;
}

std::optional<double> parse_date(std::string_view text, std::string_view picture, double now) {
  const std::vector<Part> parts = PictureReader(picture).read();
  std::string pattern = "^";
  for (const Part& part : parts) {
    if (part.names != Part::Names::none && !std::string_view("MxFPCE").contains(part.component)) no_names(part);
    pattern += pattern_of(part);
  }
  const auto match = Regex(pattern + "$", "i").find(text, 0);
  if (!match) return std::nullopt;
  Components components;
  size_t group = 0;
  for (const Part& part : parts) {
    if (part.component == '\0') continue;
    const auto value = parse_part(part, match->groups[group++].value_or(""));
    if (!value) return std::nullopt;
    components.set(part.component, *value);
  }
  if (group == 0) return std::nullopt;
  return components.millis(now);
}

double parse_iso_date(std::string_view text) {
  static const Regex kIso(
      "^(\\d{4})(?:-([01]\\d))?(?:-([0-3]\\d))?(?:T([0-2]\\d):([0-5]\\d):([0-5]\\d))?(?:\\.(\\d+))?"
      "([+-][0-2]\\d:?[0-5]\\d|Z)?$",
      "");
  const auto match = kIso.find(text, 0);
  if (!match) throw JsonataError("D3110", {.value = excerpt(Value(text))});
  const auto number = [&](size_t group, double otherwise) {
    const auto& found = match->groups[group];
    return found ? std::atof(std::string(*found).c_str()) : otherwise;
  };
  std::string fraction(match->groups[6].value_or("").substr(0, 3));
  fraction.append(3 - fraction.size(), '0');
  const double zone = match->groups[7] ? parse_zone(*match->groups[7]) : 0;
  const double of_day =
      ((number(3, 0) * 60 + number(4, 0) - zone) * 60 + number(5, 0)) * 1000 + std::atof(fraction.c_str());
  return millis_of(number(0, 1970), number(1, 1), number(2, 1), of_day);
}

}  // namespace tidemill::lang::jsonata
