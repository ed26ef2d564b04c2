#include "services/events/target_input.h"

#include <algorithm>
#include <array>
#include <deque>
#include <map>

#include "base/executor.h"
#include "base/text.h"
#include "services/events/errors.h"

namespace tidemill::events {
namespace {

using base::cat;

// What the platform knows without a path.
constexpr std::string_view kWholeEvent = "aws.events.event.json";
constexpr std::array<std::string_view, 5> kReserved{"aws.events.rule-arn", "aws.events.rule-name",
                                                    "aws.events.event.ingestion-time", "aws.events.event", kWholeEvent};

json::Value reserved_value(std::string_view name, const ActiveRule& rule, const Arrival& arrival) {
  if (name == "aws.events.rule-arn") return rule.arn;
  if (name == "aws.events.rule-name") return rule.address.name;
  if (name == "aws.events.event.ingestion-time") return event_time(arrival.ingested);
  json::Value event = arrival.document;
  if (name == "aws.events.event") event.object().erase("detail");
  return event;
}

constexpr size_t kBytesPerStep = 2048;  // of an event a path goes through in about a microsecond (base::slice_is_over)

// Each path is followed once, however often the template names it.
Task<std::optional<std::string>> transform(const ActiveRule& rule, const ActiveTarget& target, const Arrival& arrival) {
  const size_t steps = 1 + arrival.text.size() / kBytesPerStep;
  std::map<std::string_view, const json::Value*> values;
  for (const auto& [name, path] : target.variables) {
    values.emplace(name, path.find(arrival.document));
    if (base::slice_is_over(steps)) co_await base::give_way();
  }
  std::deque<json::Value> reserved;
  for (const std::string_view name : target.input_template->names()) {
    if (values.contains(name) || std::ranges::find(kReserved, name) == kReserved.end()) continue;
    values.emplace(name, &reserved.emplace_back(reserved_value(name, rule, arrival)));
  }
  const auto value_of = [&](std::string_view name) -> const json::Value* {
    const auto value = values.find(name);
    return value == values.end() ? nullptr : value->second;
  };
  co_return target.input_template->render(value_of, kTransformedBytesMax);
}

void check_template(const shapes::Target& target, const ActiveTarget& active) {
  if (const auto name = lang::inputs::InputTemplate::unclosed(target.input_transformer->input_template)) {
    throw invalid(cat("InputTemplate for target ", target.id, " contains invalid placeholder ", *name, "."));
  }
  const std::string& text = target.input_transformer->input_template;
  const size_t first = text.find_first_not_of(" \t\r\n");
  const bool is_object = first != std::string::npos && text[first] == '{';
  for (const std::string_view name : active.input_template->names()) {
    if (name == kWholeEvent && !is_object) {
      throw invalid(cat("InputTemplate for target ", target.id, " contains placeholder ", name,
                        " valid only for JSON template."));
    }
    const bool is_reserved = std::ranges::find(kReserved, name) != kReserved.end();
    const bool is_variable = std::ranges::any_of(active.variables, [&](const auto& one) { return one.first == name; });
    if (is_reserved || is_variable) continue;
    throw invalid(cat("InputTemplate for target ", target.id, " contains invalid placeholder ", name, "."));
  }
}

void check_path(const shapes::Target& target) {
  if (!target.input_path) return;
  try {
    (void)lang::inputs::InputPath::parse(*target.input_path);
  } catch (const lang::inputs::InputError&) {
    throw invalid(cat("InputPath for target ", target.id, " is invalid."));
  }
}

}  // namespace

Task<std::optional<std::string>> input_of(const ActiveRule& rule, const ActiveTarget& target, const Arrival& arrival) {
  using Input = std::optional<std::string>;
  if (target.target.input) return Task<Input>::ready(*target.target.input);
  if (target.input_path) {
    const json::Value* part = target.input_path->find(arrival.document);
    return Task<Input>::ready(part ? json::write(*part) : "{}");
  }
  return target.input_template ? transform(rule, target, arrival) : Task<Input>::ready(arrival.text);
}

void check_input(const shapes::Target& target) {
  const int given = (target.input ? 1 : 0) + (target.input_path ? 1 : 0) + (target.input_transformer ? 1 : 0);
  if (given > 1) {
    throw invalid(
        cat("Only one of Input, InputPath, or InputTransformer must be provided for target ", target.id, "."));
  }
  if (target.input && !json::parse(*target.input)) {
    throw invalid(cat("JSON syntax error in input for target ", target.id, "."));
  }
  check_path(target);
  try {
    const ActiveTarget active = activate(target);
    if (active.input_template) check_template(target, active);
  } catch (const lang::inputs::InputError& error) {
    throw invalid(cat(error.what(), " for target ", target.id, "."));
  }
}

}  // namespace tidemill::events
