#include "services/logs/metric_filter.h"

namespace tidemill::logs {
namespace {

constexpr std::string_view kFilters = "metric_filters";

MetricFilter read_filter(const json::Value& value) {
  const json::Record record = json::Record::part("log group", value);
  MetricFilter filter{.name = record.text("name"),
                      .pattern_text = record.text("pattern"),
                      .created = record.time("created_us"),
                      .metric = record.text("metric"),
                      .name_space = record.text("namespace"),
                      .value = record.text("value"),
                      .dimensions = record.map("dimensions"),
                      .unit = record.text("unit")};
  if (const json::Value* number = record.find("default")) {
    filter.default_value = number->to_double();
    if (!filter.default_value) record.damaged("default");
  }
  auto pattern = lang::logs::FilterPattern::parse(filter.pattern_text);
  if (!pattern) record.damaged("pattern");
  filter.pattern = std::make_shared<const lang::logs::FilterPattern>(*std::move(pattern));
  return filter;
}

}  // namespace

void write_metric_filters(json::Writer& writer, const std::vector<MetricFilter>& filters) {
  if (filters.empty()) return;
  writer.key(kFilters);
  writer.begin_array();
  for (const MetricFilter& filter : filters) {
    writer.begin_object();
    json::write_member(writer, "name", std::string_view(filter.name));
    json::write_member(writer, "pattern", std::string_view(filter.pattern_text));
    json::write_member(writer, "created_us", filter.created);
    json::write_member(writer, "metric", std::string_view(filter.metric));
    json::write_member(writer, "namespace", std::string_view(filter.name_space));
    json::write_member(writer, "value", std::string_view(filter.value));
    if (filter.default_value) {
      writer.key("default");
      writer.number(*filter.default_value);
    }
    json::write_member(writer, "dimensions", filter.dimensions);
    json::write_member(writer, "unit", std::string_view(filter.unit));
    writer.end_object();
  }
  writer.end_array();
}

std::vector<MetricFilter> read_metric_filters(const json::Record& record) {
  std::vector<MetricFilter> filters;
  const json::Value* found = record.find(kFilters);
  if (!found) return filters;
  if (!found->is_array()) record.damaged(kFilters);
  for (const json::Value& value : found->array()) filters.push_back(read_filter(value));
  return filters;
}

}  // namespace tidemill::logs
