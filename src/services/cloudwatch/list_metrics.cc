// Lists the metrics that have had values in the last two weeks.
#include <algorithm>

#include "base/base64.h"
#include "services/cloudwatch/errors.h"
#include "services/cloudwatch/metric_series.h"
#include "services/cloudwatch/operations.h"

namespace tidemill::cloudwatch {
namespace {

using namespace std::chrono_literals;

constexpr size_t kMetricsMax = 500;
constexpr size_t kFiltersMax = 30;
constexpr base::Duration kRecently = 3h;

bool has_all(const MetricId& metric, const std::vector<shapes::DimensionFilter>& filters) {
  return std::ranges::all_of(filters, [&](const shapes::DimensionFilter& filter) {
    return std::ranges::any_of(metric.dimensions, [&](const auto& dimension) {
      return dimension.first == filter.name && (!filter.value || dimension.second == *filter.value);
    });
  });
}

}  // namespace

Task<shapes::ListMetricsOutput> list_metrics(Service& service, wire::Context& context,
                                             const shapes::ListMetricsInput& request) {
  const auto filters = request.dimensions.value_or(std::vector<shapes::DimensionFilter>{});
  if (filters.size() > kFiltersMax) throw collection_too_large("Dimensions", kFiltersMax);
  const std::string name_space = request.namespace_.value_or("");
  const std::string name = request.metric_name.value_or("");
  store::Range range =
      series_range(context.account, context.region, name_space, name_space.empty() ? "" : std::string_view(name));
  if (request.next_token) {
    const auto after = base::base64_decode(*request.next_token);
    if (!after || *after < range.begin || *after >= range.end) throw invalid_next_token();
    range.begin = *after + '\0';
  }
  const base::Time active_since = context.now() - (request.recently_active ? kRecently : kListedFor);
  co_await service.platform_writer().write_now();
  const auto snapshot = service.store().snapshot();
  shapes::ListMetricsOutput out;
  out.metrics.emplace();
  std::string last;
  co_await snapshot->scan(range, store::Direction::forward, [&](std::string_view key, std::string_view value) {
    const MetricId metric = metric_of_series_key(key);
    if (!name.empty() && metric.name != name) return true;
    if (!has_all(metric, filters) || decode_series(value).last_active + kActiveStep < active_since) return true;
    if (out.metrics->size() == kMetricsMax) {
      out.next_token = base::base64_encode(last);
      return false;
    }
    out.metrics->push_back(
        {.namespace_ = metric.name_space, .metric_name = metric.name, .dimensions = shown(metric.dimensions)});
    last = key;
    return true;
  });
  co_return out;
}

}  // namespace tidemill::cloudwatch
