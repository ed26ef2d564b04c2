#include "lang/insights/functions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "base/find.h"
#include "lang/insights/lexer.h"
#include "lang/insights/node.h"

namespace tidemill::lang::insights {
namespace {

using Arguments = std::span<const Value>;

constexpr size_t kMany = 64;

Value of_number(const Value& argument, double (*function)(double)) {
  const auto number = argument.number();
  if (!number) return {};
  const double result = function(*number);
  return std::isfinite(result) ? Value(result) : Value();
}

Value extreme(Arguments arguments, int sign) {
  Value best;
  for (const Value& argument : arguments) {
    if (argument.is_nothing()) continue;
    if (best.is_nothing() || compare(argument, best) * sign > 0) best = argument;
  }
  return best;
}

// Nothing, if the calendar does not go so far.
Value moment_at(double milliseconds) {
  if (!(std::abs(milliseconds) < kMomentMax)) return {};
  return Moment{static_cast<int64_t>(milliseconds)};
}

// Down to a multiple of the span, or up to one.
Value round_time(const Value& time, const Value& span, bool is_up) {
  const auto at = time.number();
  const auto step = span.number();
  if (!at || !step || *step < 1) return {};
  const double steps = *at / *step;
  return moment_at((is_up ? std::ceil(steps) : std::floor(steps)) * *step);
}

Value trim(Arguments arguments, bool left, bool right) {
  std::string text = arguments[0].text();
  const std::string set = arguments.size() > 1 ? arguments[1].text() : " \t\r\n";
  std::array<bool, 256> is_in_set{};
  for (const char c : set) is_in_set[static_cast<unsigned char>(c)] = true;
  const auto is_any = [&](char c) { return is_in_set[static_cast<unsigned char>(c)]; };
  while (right && !text.empty() && is_any(text.back())) text.pop_back();
  size_t begin = 0;
  while (left && begin < text.size() && is_any(text[begin])) ++begin;
  return text.substr(begin);
}

Value replace_all(Arguments arguments) {
  std::string text = arguments[0].text();
  const std::string what = arguments[1].text();
  const std::string with = arguments[2].text();
  if (what.empty()) return text;
  constexpr size_t kResultMax = 1 << 20;
  std::string out;
  std::string_view rest = text;
  for (size_t found = base::find(rest, what); found != std::string_view::npos && out.size() < kResultMax;
       found = base::find(rest, what)) {
    out.append(rest.substr(0, found)).append(with);
    rest.remove_prefix(found + what.size());
  }
  return out.append(rest);
}

Value part(Arguments arguments) {
  const std::string text = arguments[0].text();
  const auto begin = arguments[1].number();
  const auto size = arguments.size() > 2 ? arguments[2].number() : static_cast<double>(text.size());
  if (!begin || !size || *begin < 0 || *size < 0 || *begin > static_cast<double>(text.size())) return "";
  return text.substr(static_cast<size_t>(*begin),
                     static_cast<size_t>(std::min(*size, static_cast<double>(text.size()))));
}

std::string mapped(std::string text, char first, char last, int by) {
  for (char& c : text) {
    if (c >= first && c <= last) c = static_cast<char>(c + by);
  }
  return text;
}

using Address = std::array<int, 4>;

std::optional<Address> ipv4(std::string_view text) {
  Address address{};
  for (size_t i = 0; i < address.size(); ++i) {
    const size_t dot = text.find('.');
    const std::string_view piece = text.substr(0, dot);
    if (piece.empty() || piece.size() > 3 || !std::ranges::all_of(piece, [](char c) { return c >= '0' && c <= '9'; })) {
      return std::nullopt;
    }
    for (const char c : piece) address[i] = address[i] * 10 + (c - '0');
    if (address[i] > 255 || (dot == std::string_view::npos) != (i + 1 == address.size())) return std::nullopt;
    text.remove_prefix(dot == std::string_view::npos ? text.size() : dot + 1);
  }
  return address;
}

// The least that tells a colon form: groups of hexadecimal digits, "::" at most once.
bool is_ipv6(std::string_view text) {
  constexpr int kGroups = 8;
  const size_t gap = text.find("::");
  if (gap != std::string_view::npos && text.find("::", gap + 1) != std::string_view::npos) return false;
  int groups = 0;
  size_t digits = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && std::isxdigit(static_cast<unsigned char>(text[i])) != 0) {
      if (++digits > 4) return false;
      continue;
    }
    if (i < text.size() && text[i] != ':') return false;
    if (digits > 0) ++groups;
    digits = 0;
  }
  if (gap == std::string_view::npos) return groups == kGroups && !text.starts_with(':') && !text.ends_with(':');
  return groups < kGroups;
}

bool is_in_subnet(std::string_view text, std::string_view subnet) {
  const size_t slash = subnet.find('/');
  const auto address = ipv4(text);
  const auto network = ipv4(subnet.substr(0, slash));
  const auto bits = slash == std::string_view::npos ? std::nullopt : Value(subnet.substr(slash + 1)).number();
  if (!address || !network || !bits || *bits < 0 || *bits > 32) return false;
  const auto as_number = [](const Address& one) {
    uint64_t number = 0;
    for (const int part : one) number = number << 8 | static_cast<uint64_t>(part);
    return number;
  };
  const int shift = 32 - static_cast<int>(*bits);
  return as_number(*address) >> shift == as_number(*network) >> shift;
}

struct Function {
  size_t min = 1;
  size_t max = 1;
  std::function<Value(Arguments)> call;
};

const std::map<std::string, Function, std::less<>>& functions() {
  static const std::map<std::string, Function, std::less<>> kFunctions{
      {"abs", {1, 1, [](Arguments a) { return of_number(a[0], [](double x) { return std::abs(x); }); }}},
      {"ceil", {1, 1, [](Arguments a) { return of_number(a[0], [](double x) { return std::ceil(x); }); }}},
      {"floor", {1, 1, [](Arguments a) { return of_number(a[0], [](double x) { return std::floor(x); }); }}},
      {"log", {1, 1, [](Arguments a) { return of_number(a[0], [](double x) { return std::log(x); }); }}},
      {"sqrt", {1, 1, [](Arguments a) { return of_number(a[0], [](double x) { return std::sqrt(x); }); }}},
      {"greatest", {1, kMany, [](Arguments a) { return extreme(a, 1); }}},
      {"least", {1, kMany, [](Arguments a) { return extreme(a, -1); }}},
      {"bin", {2, 2, [](Arguments a) { return round_time(a[1], a[0], false); }}},
      {"datefloor", {2, 2, [](Arguments a) { return round_time(a[0], a[1], false); }}},
      {"dateceil", {2, 2, [](Arguments a) { return round_time(a[0], a[1], true); }}},
      {"frommillis",
       {1, 1,
        [](Arguments a) {
          const auto number = a[0].number();
          return number ? moment_at(*number) : Value();
        }}},
      {"tomillis",
       {1, 1,
        [](Arguments a) {
          const auto n = a[0].number();
          return n ? Value(*n) : Value();
        }}},
      {"ispresent", {1, 1, [](Arguments a) { return Value(!a[0].is_nothing()); }}},
      {"coalesce",
       {1, kMany,
        [](Arguments a) {
          const auto found = std::ranges::find_if(a, [](const Value& one) { return !one.is_nothing(); });
          return found == a.end() ? Value() : *found;
        }}},
      {"isempty", {1, 1, [](Arguments a) { return Value(a[0].is_nothing() || a[0].text().empty()); }}},
      {"isblank",
       {1, 1, [](Arguments a) { return Value(a[0].text().find_first_not_of(" \t\r\n") == std::string::npos); }}},
      {"concat",
       {1, kMany,
        [](Arguments a) {
          std::string out;
          for (const Value& one : a) out += one.text();
          return Value(std::move(out));
        }}},
      {"ltrim", {1, 2, [](Arguments a) { return trim(a, true, false); }}},
      {"rtrim", {1, 2, [](Arguments a) { return trim(a, false, true); }}},
      {"trim", {1, 2, [](Arguments a) { return trim(a, true, true); }}},
      {"strlen",
       {1, 1,
        [](Arguments a) {
          const std::string text = a[0].text();
          const auto characters = std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; });
          return a[0].is_nothing() ? Value() : Value(static_cast<double>(characters));
        }}},
      {"toupper",
       {1, 1,
        [](Arguments a) { return a[0].is_nothing() ? Value() : Value(mapped(a[0].text(), 'a', 'z', 'A' - 'a')); }}},
      {"tolower",
       {1, 1,
        [](Arguments a) { return a[0].is_nothing() ? Value() : Value(mapped(a[0].text(), 'A', 'Z', 'a' - 'A')); }}},
      {"substr", {2, 3, [](Arguments a) { return a[0].is_nothing() ? Value() : part(a); }}},
      {"replace", {3, 3, [](Arguments a) { return a[0].is_nothing() ? Value() : replace_all(a); }}},
      {"strcontains",
       {2, 2, [](Arguments a) { return Value(base::find(a[0].text(), a[1].text()) != std::string_view::npos); }}},
      {"isvalidip", {1, 1, [](Arguments a) { return Value(ipv4(a[0].text()).has_value() || is_ipv6(a[0].text())); }}},
      {"isvalidipv4", {1, 1, [](Arguments a) { return Value(ipv4(a[0].text()).has_value()); }}},
      {"isvalidipv6", {1, 1, [](Arguments a) { return Value(is_ipv6(a[0].text())); }}},
      {"isipv4insubnet", {2, 2, [](Arguments a) { return Value(is_in_subnet(a[0].text(), a[1].text())); }}},
  };
  return kFunctions;
}

struct Aggregate {
  std::string_view name;
  size_t arguments = 1;
};
constexpr Aggregate kAggregates[] = {
    {"avg"}, {"count"},  {"count_distinct"}, {"max"},    {"min"},        {"pct", 2},   {"stddev"},
    {"sum"}, {"median"}, {"earliest"},       {"latest"}, {"sortsfirst"}, {"sortslast"}};

}  // namespace

bool walks_texts(std::string_view name) {
  constexpr std::string_view kOfNumbers[] = {"abs",      "ceil",       "floor",    "log",       "sqrt",    "bin",
                                             "datefloor", "dateceil", "frommillis", "tomillis", "ispresent"};
  return std::ranges::find(kOfNumbers, name) == std::end(kOfNumbers);
}

bool is_function(std::string_view name) { return functions().contains(name); }

bool is_aggregate(std::string_view name) {
  return std::ranges::find(kAggregates, name, &Aggregate::name) != std::end(kAggregates);
}

bool takes(std::string_view name, size_t arguments) {
  const auto found = functions().find(name);
  if (name == "bin") return arguments == 1;  // of @timestamp
  if (found != functions().end()) return arguments >= found->second.min && arguments <= found->second.max;
  if (name == "count" && arguments == 0) return true;
  const auto aggregate = std::ranges::find(kAggregates, name, &Aggregate::name);
  return aggregate != std::end(kAggregates) && aggregate->arguments == arguments;
}

Value call(const std::string& name, Arguments arguments) { return functions().at(name).call(arguments); }

}  // namespace tidemill::lang::insights
