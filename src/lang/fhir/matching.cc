// Whether a resource meets a filter: the elements that its parameter looks at, compared as their kind says.
#include <algorithm>

#include "base/find.h"
#include "lang/fhir/search_query.h"

namespace tidemill::lang::fhir {

namespace {

// ---- Paths ----

struct Step {
  std::string_view name;
  std::string_view condition_name;  // of "telecom[system=email]"
  std::string_view condition_value;
};

Step step_of(std::string_view text) {
  const size_t bracket = text.find('[');
  if (bracket == std::string_view::npos) return {text, {}, {}};
  const std::string_view condition = text.substr(bracket + 1, text.size() - bracket - 2);
  const size_t equals = condition.find('=');
  return {text.substr(0, bracket), condition.substr(0, equals), condition.substr(equals + 1)};
}

std::string_view text_of(const json::Value* value) {
  return value && value->is_string() ? std::string_view(value->string()) : std::string_view();
}

using Visit = std::function<void(const json::Value&)>;

void walk(const json::Value& value, std::string_view path, const Visit& visit);

void walk_each(const json::Value& value, const Step& step, std::string_view rest, const Visit& visit) {
  if (value.is_array()) {
    for (const json::Value& each : value.array()) walk_each(each, step, rest, visit);
    return;
  }
  if (!step.condition_name.empty() && text_of(value.find(step.condition_name)) != step.condition_value) return;
  walk(value, rest, visit);
}

void walk(const json::Value& value, std::string_view path, const Visit& visit) {
  if (path.empty()) return visit(value);
  const size_t dot = path.find('.');
  const Step step = step_of(path.substr(0, dot));
  const json::Value* next = value.find(step.name);
  if (next) walk_each(*next, step, dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1), visit);
}

// ---- Kinds ----

bool is_system(const Alternative& searched, const json::Value& value) {
  return !searched.system || text_of(value.find("system")) == *searched.system;
}

bool is_coding(const Alternative& searched, const json::Value& value, std::string_view code_name) {
  if (!is_system(searched, value)) return false;
  const json::Value* code = value.find(code_name);
  return searched.code.empty() ? code != nullptr : text_of(code) == searched.code;
}

bool matches_token(const Alternative& searched, const json::Value& value) {
  if (value.is_boolean()) return searched.code == (value.boolean() ? "true" : "false");
  if (value.is_string()) return value.string() == searched.code;  // its system is the element's, and implied
  if (const json::Value* codings = value.find("coding"); codings && codings->is_array()) {
    return std::ranges::any_of(codings->array(),
                               [&](const json::Value& each) { return is_coding(searched, each, "code"); });
  }
  return is_coding(searched, value, value.find("code") ? "code" : "value");
}

char folded(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

std::string folded(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](char c) { return folded(c); });
  return result;
}

bool matches_text(const Alternative& searched, Modifier modifier, std::string_view text) {
  if (modifier == Modifier::exact) return text == searched.text;
  const std::string all = folded(text);
  const std::string part = folded(searched.text);
  return modifier == Modifier::contains ? base::find(all, part) != std::string_view::npos : all.starts_with(part);
}

// Of a name or an address any part counts but these.
constexpr std::string_view kNoText[] = {"extension", "id", "period", "use"};

bool matches_string(const Alternative& searched, Modifier modifier, const json::Value& value) {
  if (value.is_string()) return matches_text(searched, modifier, value.string());
  if (value.is_array()) {
    return std::ranges::any_of(value.array(),
                               [&](const json::Value& each) { return matches_string(searched, modifier, each); });
  }
  if (!value.is_object()) return false;
  return std::ranges::any_of(value.object(), [&](const json::Member& member) {
    const bool is_part = std::ranges::find(kNoText, member.first) == std::end(kNoText);
    return is_part && matches_string(searched, modifier, member.second);
  });
}

// "Patient/1" of "https://…/Patient/1/_history/2".
std::string_view without_version(std::string_view reference) {
  return reference.substr(0, reference.find("/_history/"));
}

// Type and id of "Patient/1", "https://…/Patient/1"; of "1" the id alone.
std::pair<std::string_view, std::string_view> type_and_id(std::string_view reference) {
  const size_t slash = reference.rfind('/');
  if (slash == std::string_view::npos) return {{}, reference};
  const std::string_view front = reference.substr(0, slash);
  const size_t before = front.rfind('/');
  return {before == std::string_view::npos ? front : front.substr(before + 1), reference.substr(slash + 1)};
}

bool matches_reference(const Filter& filter, const Alternative& searched, const json::Value& value) {
  if (filter.modifier == Modifier::identifier) {
    const json::Value* identifier = value.find("identifier");
    return identifier && matches_token(searched, *identifier);
  }
  std::string_view found = value.is_string() ? std::string_view(value.string()) : text_of(value.find("reference"));
  if (found.empty()) return false;
  const auto [type, id] = type_and_id(without_version(found));
  const std::string_view wanted_type =
      filter.modifier == Modifier::type ? std::string_view(filter.type) : filter.parameter->target;
  if (!wanted_type.empty() && type != wanted_type) return false;
  if (found == searched.text) return true;
  const auto [searched_type, searched_id] = type_and_id(searched.text);
  if (searched_id != id) return false;
  return searched_type.empty() || searched_type == type;
}

std::optional<TimeRange> range_of(const json::Value& value) {
  if (value.is_string()) return parse_time(value.string());
  const json::Value* start = value.find("start");
  const json::Value* end = value.find("end");
  if (!start && !end) return std::nullopt;
  TimeRange range{kBeginningOfTime, kEndOfTime};
  if (const auto first = parse_time(text_of(start))) range.begin = first->begin;
  if (const auto last = parse_time(text_of(end))) range.end = last->end;
  return range;
}

bool matches_date(const Alternative& searched, const json::Value& value) {
  if (const auto range = range_of(value)) return compare(searched.prefix, *range, searched.time);
  // A Timing: its events, or the period of its repetitions.
  bool found = false;
  for (const std::string_view path : {"event", "repeat.boundsPeriod"}) {
    walk(value, path, [&](const json::Value& each) {
      const auto range = range_of(each);
      found = found || (range && compare(searched.prefix, *range, searched.time));
    });
  }
  return found;
}

bool matches_number(const Alternative& searched, double number) {
  const bool equal = searched.number - searched.precision <= number && number < searched.number + searched.precision;
  switch (searched.prefix) {
    case Prefix::eq:
      return equal;
    case Prefix::ne:
      return !equal;
    case Prefix::gt:
    case Prefix::sa:
      return number > searched.number;
    case Prefix::lt:
    case Prefix::eb:
      return number < searched.number;
    case Prefix::ge:
      return number >= searched.number;
    case Prefix::le:
      return number <= searched.number;
  }
  return false;
}

bool matches_quantity(const Alternative& searched, const json::Value& value) {
  const json::Value* amount = value.find("value");
  const auto number = amount ? amount->to_double() : std::nullopt;
  if (!number || !matches_number(searched, *number) || !is_system(searched, value)) return false;
  if (searched.code.empty() || text_of(value.find("code")) == searched.code) return true;
  return text_of(value.find("unit")) == searched.code;
}

bool matches_uri(const Alternative& searched, const json::Value& value) {
  const std::string_view found = text_of(&value);
  if (found == searched.text) return true;
  // A canonical URL names a version behind '|'.
  return found.substr(0, found.find('|')) == searched.text;
}

bool matches_value(const Filter& filter, const Alternative& searched, const json::Value& value) {
  switch (filter.parameter->kind) {
    case ParameterKind::token:
      return matches_token(searched, value);
    case ParameterKind::string:
      return matches_string(searched, filter.modifier, value);
    case ParameterKind::reference:
      return matches_reference(filter, searched, value);
    case ParameterKind::date:
      return matches_date(searched, value);
    case ParameterKind::number: {
      const auto number = value.to_double();
      return number && matches_number(searched, *number);
    }
    case ParameterKind::quantity:
      return matches_quantity(searched, value);
    case ParameterKind::uri:
      return matches_uri(searched, value);
  }
  return false;
}

bool is_of_target(const Filter& filter, const json::Value& value) {
  if (filter.parameter->target.empty()) return true;
  return type_and_id(without_version(text_of(value.find("reference")))).first == filter.parameter->target;
}

}  // namespace

void visit_paths(const json::Value& resource, std::string_view paths, const Visit& visit) {
  while (!paths.empty()) {
    std::string_view path = paths.substr(0, paths.find('|'));
    paths.remove_prefix(std::min(paths.size(), path.size() + 1));
    const bool is_there = path.ends_with('?');
    if (is_there) path.remove_suffix(1);
    walk(resource, path, [&](const json::Value& value) { visit(is_there ? json::Value(true) : value); });
  }
}

bool matches_filter(const json::Value& resource, const Filter& filter) {
  bool present = false;
  bool matched = false;
  visit_paths(resource, filter.parameter->paths, [&](const json::Value& value) {
    if (filter.modifier == Modifier::missing) {
      present = present || is_of_target(filter, value);
      return;
    }
    matched = matched || std::ranges::any_of(filter.alternatives, [&](const Alternative& each) {
                return matches_value(filter, each, value);
              });
  });
  if (filter.modifier == Modifier::missing) return present == (filter.alternatives.front().text == "false");
  return filter.modifier == Modifier::is_not ? !matched : matched;
}

}  // namespace tidemill::lang::fhir
