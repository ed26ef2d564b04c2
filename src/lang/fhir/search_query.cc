#include "lang/fhir/search_query.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/text.h"
#include "lang/fhir/resource_types.h"

namespace tidemill::lang::fhir {

namespace {

using base::cat;

// What FHIR has for results and Tidemill lacks: refused whatever the handling, since it changes what a client gets.
constexpr std::array<std::string_view, 15> kRefused{
    "_at",   "_contained", "_containedType", "_content", "_elements", "_filter", "_has", "_include",
    "_list", "_query",     "_revinclude",    "_score",   "_sort",     "_text",   "_type"};

[[noreturn]] void fail(const std::string& message) { throw SearchError("invalid", message); }
[[noreturn]] void lacks(const std::string& what) {
  throw SearchError("not-supported", cat("Tidemill does not support ", what));
}

// "a\,b,c" -> "a\,b" and "c": at separators that no backslash escapes.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  size_t begin = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == separator) {
      parts.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  parts.push_back(text.substr(begin));
  return parts;
}

std::string unescaped(std::string_view text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    result.push_back(text[i]);
  }
  return result;
}

TimeRange time_of(std::string_view name, std::string_view text) {
  const auto range = parse_time(text);
  if (!range) fail(cat("The value of ", name, " is no date: ", text));
  return *range;
}

void read_prefix(std::string_view name, std::string_view& text, Alternative& out) {
  const auto prefixed = split_prefix(text);
  if (!prefixed) fail(cat("The value of ", name, " begins with an unknown prefix: ", text));
  out.prefix = prefixed->prefix;
  text = prefixed->value;
}

// Half of what the last digit means: 0.05 of "1.2", 50 of "1e2".
double precision_of(std::string_view text) {
  const size_t exponent_at = text.find_first_of("eE");
  const std::string_view digits = text.substr(0, exponent_at);
  int exponent = 0;
  if (exponent_at != std::string_view::npos) {
    std::string_view rest = text.substr(exponent_at + 1);
    if (rest.starts_with('+')) rest.remove_prefix(1);
    std::from_chars(rest.data(), rest.data() + rest.size(), exponent);
  }
  const size_t point = digits.find('.');
  if (point != std::string_view::npos) exponent -= static_cast<int>(digits.size() - point - 1);
  return 0.5 * std::pow(10.0, exponent);
}

void read_number(std::string_view name, std::string_view text, Alternative& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out.number);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(out.number)) {
    fail(cat("The value of ", name, " is no number: ", text));
  }
  out.precision = precision_of(text);
}

void read_token(std::string_view text, Alternative& out) {
  const auto parts = split(text, '|');
  if (parts.size() == 1) {
    out.code = unescaped(text);
    return;
  }
  out.system = unescaped(parts[0]);
  out.code = unescaped(text.substr(parts[0].size() + 1));
}

Alternative parse_value(std::string_view name, ParameterKind kind, std::string_view text) {
  Alternative out{.text = unescaped(text)};
  switch (kind) {
    case ParameterKind::token:
      read_token(text, out);
      break;
    case ParameterKind::date: {
      read_prefix(name, text, out);
      out.time = time_of(name, text);
      break;
    }
    case ParameterKind::number: {
      read_prefix(name, text, out);
      read_number(name, text, out);
      break;
    }
    case ParameterKind::quantity: {
      read_prefix(name, text, out);
      const auto parts = split(text, '|');
      read_number(name, parts[0], out);
      if (parts.size() > 3) fail(cat("The value of ", name, " is no quantity: ", text));
      if (parts.size() > 1 && !parts[1].empty()) out.system = unescaped(parts[1]);
      if (parts.size() > 1) out.code = unescaped(parts.back());
      if (parts.size() == 2) out.system = std::nullopt, out.code = unescaped(parts[1]);
      break;
    }
    case ParameterKind::string:
    case ParameterKind::reference:
    case ParameterKind::uri:
      break;
  }
  return out;
}

std::vector<Alternative> parse_values(std::string_view name, ParameterKind kind, std::string_view text) {
  std::vector<Alternative> alternatives;
  for (const std::string_view part : split(text, ',')) {
    if (part.empty()) fail(cat("A value of ", name, " is empty"));
    if (alternatives.size() == kAlternativesMax) fail(cat(name, " has more than ", kAlternativesMax, " values"));
    alternatives.push_back(parse_value(name, kind, part));
  }
  return alternatives;
}

// "name:exact" -> "name" and "exact".
std::pair<std::string_view, std::string_view> split_name(std::string_view name) {
  const size_t colon = name.find(':');
  if (colon == std::string_view::npos) return {name, {}};
  return {name.substr(0, colon), name.substr(colon + 1)};
}

Modifier modifier_of(std::string_view text, ParameterKind kind) {
  if (text.empty()) return Modifier::none;
  if (text == "missing") return Modifier::missing;
  if (kind == ParameterKind::string && text == "exact") return Modifier::exact;
  if (kind == ParameterKind::string && text == "contains") return Modifier::contains;
  if (kind == ParameterKind::token && text == "not") return Modifier::is_not;
  if (kind == ParameterKind::reference && text == "identifier") return Modifier::identifier;
  if (kind == ParameterKind::reference && is_resource_type(text)) return Modifier::type;
  lacks(cat("the modifier :", text, " of ", name_of(kind), " parameters"));
}

Filter parse_filter(const SearchParameter& parameter, std::string_view modifier, const std::string& text) {
  Filter filter{.parameter = &parameter, .modifier = modifier_of(modifier, parameter.kind)};
  if (filter.modifier == Modifier::missing) {
    if (text != "true" && text != "false") fail(cat(parameter.name, ":missing is true or false"));
    filter.alternatives = {{.text = text}};
    return filter;
  }
  if (filter.modifier == Modifier::type) filter.type = modifier;
  const bool as_token = filter.modifier == Modifier::identifier;
  filter.alternatives = parse_values(parameter.name, as_token ? ParameterKind::token : parameter.kind, text);
  return filter;
}

// The span outside of which no target meets the comparison.
TimeRange bounds_of(const Alternative& alternative) {
  const TimeRange& time = alternative.time;
  switch (alternative.prefix) {
    case Prefix::eq:
      return time;
    case Prefix::gt:
    case Prefix::ge:
    case Prefix::sa:
      return {time.begin, kEndOfTime};
    case Prefix::lt:
    case Prefix::le:
    case Prefix::eb:
      return {kBeginningOfTime, time.end};
    case Prefix::ne:
      break;
  }
  return {kBeginningOfTime, kEndOfTime};
}

// Reads the parameters into a query.
class QueryParser {
 public:
  QueryParser(std::string_view type, Handling handling, SearchQuery& out)
      : type_(type), handling_(handling), out_(out) {}

  void add(const std::string& name, const std::vector<std::string>& values) {
    for (const std::string& value : values) {
      const auto [plain, modifier] = split_name(name);
      if (!add_one(plain, modifier, value)) {
        if (handling_ == Handling::strict) fail(cat(type_, " has no search parameter ", name));
        return;
      }
    }
    out_.used.push_back(name);
  }

 private:
  // False: nobody knows it.
  bool add_one(std::string_view name, std::string_view modifier, const std::string& value) {
    if (std::ranges::find(kRefused, name) != kRefused.end()) lacks(cat("the search parameter ", name));
    if (name.find('.') != std::string_view::npos) lacks(cat("chained search parameters, as ", name));
    if (modifier.find('.') != std::string_view::npos) lacks(cat("chained search parameters, as ", name, ":", modifier));
    if (name == "_id") return add_ids(modifier, value);
    if (name == "_lastUpdated") return add_updated(modifier, value);
    if (add_of_result(name, value)) return true;
    const SearchParameter* parameter = find_parameter(type_, name);
    if (!parameter) return false;
    if (out_.filters.size() == kFiltersMax) fail(cat("A search has more than ", kFiltersMax, " parameters"));
    out_.filters.push_back(parse_filter(*parameter, modifier, value));
    return true;
  }

  bool add_ids(std::string_view modifier, std::string_view value) {
    if (!modifier.empty()) lacks(cat("the modifier :", modifier, " of _id"));
    std::vector<std::string> ids;
    for (const Alternative& each : parse_values("_id", ParameterKind::string, value)) ids.push_back(each.text);
    std::ranges::sort(ids);
    const auto repeated = std::ranges::unique(ids);
    ids.erase(repeated.begin(), repeated.end());
    if (out_.ids) {
      std::vector<std::string> both;
      std::ranges::set_intersection(*out_.ids, ids, std::back_inserter(both));
      ids = std::move(both);
    }
    out_.ids = std::move(ids);
    return true;
  }

  bool add_updated(std::string_view modifier, std::string_view value) {
    if (!modifier.empty()) lacks(cat("the modifier :", modifier, " of _lastUpdated"));
    if (out_.updated_filters.size() == kFiltersMax) {
      fail(cat("_lastUpdated is there more than ", kFiltersMax, " times"));
    }
    auto alternatives = parse_values("_lastUpdated", ParameterKind::date, value);
    TimeRange any = bounds_of(alternatives.front());
    for (const Alternative& each : alternatives) {
      const TimeRange bounds = bounds_of(each);
      any = {std::min(any.begin, bounds.begin), std::max(any.end, bounds.end)};
    }
    out_.updated = {std::max(out_.updated.begin, any.begin), std::min(out_.updated.end, any.end)};
    out_.updated_filters.push_back(std::move(alternatives));
    return true;
  }

  // What is about the answer rather than about resources.
  bool add_of_result(std::string_view name, const std::string& value) {
    if (name == "_count") {
      read_count(value);
    } else if (name == "page") {
      out_.page = value;
    } else if (name == "_total") {
      if (value != "none" && value != "accurate" && value != "estimate") fail(cat("_total cannot be ", value));
      out_.with_total = value != "none";
    } else if (name == "_summary") {
      if (value != "count" && value != "false") lacks(cat("_summary=", value));
      out_.only_total = value == "count";
    } else if (name == "_format") {
      constexpr std::array<std::string_view, 3> kJson{"json", "application/json", "application/fhir json"};
      const bool is_json = value == "application/fhir+json" || std::ranges::find(kJson, value) != kJson.end();
      if (!is_json) lacks(cat("_format=", value));
    } else {
      return false;
    }
    return true;
  }

  void read_count(const std::string& value) {
    int count = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), count);
    if (error != std::errc() || end != value.data() + value.size() || count < 0) {
      fail(cat("_count is no number from 0: ", value));
    }
    out_.count = std::min(count, kCountMax);
    if (count == 0) out_.only_total = true;
  }

  std::string_view type_;
  Handling handling_;
  SearchQuery& out_;
};

}  // namespace

SearchQuery SearchQuery::parse(std::string_view resource_type, const Parameters& parameters, Handling handling) {
  SearchQuery query;
  QueryParser parser(resource_type, handling, query);
  for (const auto& [name, values] : parameters) parser.add(name, values);
  return query;
}

bool SearchQuery::matches(const json::Value& resource, base::Time last_updated) const {
  const TimeRange target{last_updated, last_updated + std::chrono::milliseconds(1)};
  for (const auto& alternatives : updated_filters) {
    const auto meets = [&](const Alternative& each) { return compare(each.prefix, target, each.time); };
    if (std::ranges::none_of(alternatives, meets)) return false;
  }
  return std::ranges::all_of(filters, [&](const Filter& filter) { return matches_filter(resource, filter); });
}

}  // namespace tidemill::lang::fhir
