#include "services/logs/filtered_metrics.h"

#include <map>

#include "base/executor.h"
#include "lang/logs/pattern_text.h"

namespace tidemill::logs {
namespace {

constexpr Milliseconds kMinute = 60'000;

}  // namespace

Task<FilteredMetrics> FilteredMetrics::find(PatternMatching& matching, LogGroupPtr group,
                                            const std::vector<wire::logs::InputLogEvent>& events) {
  FilteredMetrics result;
  result.group_ = group;
  for (const MetricFilter& filter : group->metric_filters) {
    auto& found = result.found_.emplace_back(events.size());
    for (size_t i = 0; i < events.size(); ++i) {
      const size_t steps = PatternMatching::slice_steps(*filter.pattern, events[i].message);
      if (base::slice_is_over(1 + steps)) co_await base::give_way();
      if (!co_await matching.matches(*filter.pattern, events[i].message)) continue;
      const bool is_fixed = !filter.value.starts_with('$');
      lang::logs::Extracted fields;
      if (!is_fixed || !filter.dimensions.empty()) {
        fields = co_await matching.extract(*filter.pattern, events[i].message);
      }
      const auto field = [&](const std::string& name) -> std::optional<std::string> {
        const auto at = fields.find(name);
        if (at == fields.end() || at->second.empty()) return std::nullopt;
        return at->second;
      };
      const auto text = is_fixed ? std::optional(filter.value) : field(filter.value);
      const auto number = text ? lang::logs::number_of(*text) : std::nullopt;
      if (!number || !is_number_of_metric(*number)) continue;
      Value value{.number = *number};
      for (const auto& [name, from] : filter.dimensions) {
        auto of_event = field(from);
        if (of_event && is_dimension_value(*of_event)) value.dimensions.emplace(name, *std::move(of_event));
      }
      // Without one of its dimensions it would be a value of another metric.
      if (value.dimensions.size() == filter.dimensions.size()) found[i] = std::move(value);
    }
  }
  co_return result;
}

bool FilteredMetrics::is_of(const LogGroup& group) const {
  return group_ ? group_->encoded == group.encoded : group.metric_filters.empty();
}

void FilteredMetrics::add(const std::vector<wire::logs::InputLogEvent>& events, size_t begin, size_t end,
                          MetricValues& values) const {
  for (size_t number = 0; number < found_.size(); ++number) {
    const MetricFilter& filter = group_->metric_filters[number];
    std::map<Milliseconds, bool> minutes;  // and whether an event of each matched
    for (size_t i = begin; i < end; ++i) {
      const Milliseconds minute = events[i].timestamp / kMinute * kMinute;
      const auto& value = found_[number][i];
      minutes[minute] = minutes[minute] || value.has_value();
      if (value) values.add({filter.name_space, filter.metric, filter.unit, value->dimensions, minute}, value->number);
    }
    if (!filter.default_value) continue;
    for (const auto& [minute, is_matched] : minutes) {
      if (!is_matched) values.add({filter.name_space, filter.metric, filter.unit, {}, minute}, *filter.default_value);
    }
  }
}

}  // namespace tidemill::logs
