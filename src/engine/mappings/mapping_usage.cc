#include "engine/mappings/mapping_usage.h"

#include <algorithm>

#include "wire/arn.h"

namespace tidemill::engine {

namespace {

constexpr wire::PlatformMetric kIteratorAge{"AWS/Lambda", "IteratorAge", "Milliseconds", "FunctionName"};

}  // namespace

std::string_view function_name_in(std::string_view function_arn) {
  const auto arn = wire::parse_arn(function_arn);
  const size_t colon = arn ? arn->resource.find(':') : std::string_view::npos;
  if (colon == std::string_view::npos) return {};
  const std::string_view name = arn->resource.substr(colon + 1);
  return name.substr(0, name.find(':'));
}

void measure_age(wire::PlatformMetrics* usage, const Mapping& mapping, base::Duration age) {
  const auto function = wire::parse_arn(mapping.function_arn);
  if (usage == nullptr || !function || goes_to_pipe(mapping)) return;
  usage->add(kIteratorAge, function->account, function->region, function_name_in(mapping.function_arn),
             std::chrono::duration<double, std::milli>(std::max(age, base::Duration(0))).count());
}

}  // namespace tidemill::engine
