#include "services/pipes/input.h"

#include <algorithm>
#include <array>

#include "base/executor.h"
#include "base/text.h"
#include "services/pipes/target.h"

namespace tidemill::pipes {
namespace {

using base::cat;
using lang::inputs::InputError;
using lang::inputs::InputPath;
using lang::inputs::InputTemplate;

constexpr std::array<std::string_view, 8> kReserved{"aws.pipes.pipe-arn",   "aws.pipes.pipe-name",
                                                    "aws.pipes.source-arn", "aws.pipes.enrichment-arn",
                                                    "aws.pipes.target-arn", "aws.pipes.event.ingestion-time",
                                                    "aws.pipes.event",      "aws.pipes.event.json"};

constexpr size_t kStepsPerPath = 16;  // a path may go through thousands of members (base::slice_is_over)

bool is_reserved(std::string_view name) { return std::ranges::find(kReserved, name) != kReserved.end(); }

InputPath path_of(std::string_view text) { return InputPath::parse(text, InputPath::Wildcards::allowed); }

std::optional<json::Value> reserved_value(std::string_view name, const Event& event, const Pipe& pipe, base::Time now) {
  const std::string_view which = name.substr(std::string_view("aws.pipes.").size());
  if (which == "pipe-arn") return pipe.address.arn();
  if (which == "pipe-name") return pipe.address.name;
  if (which == "source-arn") return pipe.settings.source;
  if (which == "enrichment-arn") return pipe.settings.enrichment.value_or("");
  if (which == "target-arn") return pipe.settings.target;
  if (which == "event.ingestion-time") return base::iso_milliseconds(now) + "Z";
  if (which == "event") return event.document;
  return event.is_json ? std::optional(event.parsed) : std::nullopt;
}

}  // namespace

std::string text_of(const json::Value& value) { return value.is_string() ? value.string() : json::write(value); }

ParameterValue::ParameterValue(std::string_view text) : text_(text) {
  if (text.starts_with('$')) path_ = path_of(text);
}

std::string ParameterValue::of(const Event& event) const {
  if (!path_) return text_;
  const auto found = path_->select(event.parsed);
  return found ? text_of(*found) : "";
}

PipeTemplate::PipeTemplate(const std::string& text) : template_(InputTemplate::parse(text)) {
  for (const std::string_view name : template_.names()) {
    if (is_reserved(name)) continue;
    if (!name.starts_with('$')) throw InputError(cat("Invalid placeholder <", name, ">"));
    if (!paths_.contains(name)) paths_.emplace(name, path_of(name));
  }
  const std::string_view first = template_.names().empty() ? "" : template_.names().front();
  if (!first.empty() && text == cat("<", first, ">")) sole_ = first;
}

// What a template of one place alone makes is the value itself: a text without quotation marks.
Task<std::optional<std::string>> PipeTemplate::render(const Event& event, const Pipe& pipe, base::Time now,
                                                      size_t bytes_max) const {
  std::map<std::string_view, json::Value> values;
  for (const std::string_view name : template_.names()) {
    if (!is_reserved(name) || values.contains(name)) continue;
    if (auto value = reserved_value(name, event, pipe, now)) values.emplace(name, *std::move(value));
  }
  for (const auto& [name, path] : paths_) {
    if (auto value = path.select(event.parsed)) values.emplace(name, *std::move(value));
    if (base::slice_is_over(kStepsPerPath)) co_await base::give_way();
  }
  const auto value_of = [&](std::string_view name) -> const json::Value* {
    const auto value = values.find(name);
    return value == values.end() ? nullptr : &value->second;
  };
  if (!sole_.empty()) {
    const json::Value* value = value_of(sole_);
    std::string text = value ? text_of(*value) : "";
    co_return text.size() <= bytes_max ? std::optional(std::move(text)) : std::nullopt;
  }
  co_return template_.render(value_of, bytes_max);
}

}  // namespace tidemill::pipes
