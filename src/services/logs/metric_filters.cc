// Puts, describes and deletes the metric filters of groups.
#include <algorithm>
#include <cmath>

#include "base/base64.h"
#include "base/text.h"
#include "lang/logs/pattern_text.h"
#include "services/logs/errors.h"
#include "services/logs/group_name.h"
#include "services/logs/operations.h"
#include "services/logs/patterns.h"

namespace tidemill::logs {
namespace {

using base::cat;

constexpr int kFiltersByDefault = 50;

wire::Error invalid_transformation(std::string_view reason) {
  return errors::invalid_parameter_exception(cat("Invalid metric transformation: ", reason));
}

MetricFilter filter_of(const shapes::PutMetricFilterInput& request, base::Time now) {
  const auto& transformation = request.metric_transformations.front();
  MetricFilter filter{.name = request.filter_name,
                      .pattern_text = request.filter_pattern,
                      .created = now,
                      .metric = transformation.metric_name,
                      .name_space = transformation.metric_namespace,
                      .value = transformation.metric_value,
                      .default_value = transformation.default_value,
                      .dimensions = transformation.dimensions.value_or(std::map<std::string, std::string>{}),
                      .unit = transformation.unit.value_or("")};
  (void)parse_pattern(filter.pattern_text);
  if (!filter.value.starts_with('$') && !lang::logs::number_of(filter.value)) {
    throw invalid_transformation("the metric value must be a number or a field of the pattern, which begins with $.");
  }
  const auto fixed = lang::logs::number_of(filter.value);
  for (const std::optional<double>& number : {fixed, filter.default_value}) {
    // Not a number compares as neither.
    if (number && !(std::abs(*number) <= kMetricMagnitudeMax)) {
      throw invalid_transformation("a value must be a number between -2^360 and 2^360.");
    }
  }
  if (filter.name_space.starts_with("AWS/")) throw invalid_transformation("namespaces that begin with AWS/ are reserved.");
  if (filter.default_value && !filter.dimensions.empty()) {
    throw invalid_transformation("dimensions and default value are mutually exclusive properties.");
  }
  if (filter.dimensions.size() > kFilterDimensionsMax) {
    throw invalid_transformation(cat("there are more than ", kFilterDimensionsMax, " dimensions."));
  }
  for (const auto& [name, field] : filter.dimensions) {
    if (name.starts_with(':')) throw invalid_transformation("the name of a dimension must not begin with a colon.");
    if (!field.starts_with('$')) throw invalid_transformation("the value of a dimension must be a field of the pattern.");
  }
  return filter;
}

shapes::MetricFilter describe(const LogGroup& group, const MetricFilter& filter) {
  shapes::MetricTransformation transformation{.metric_name = filter.metric,
                                              .metric_namespace = filter.name_space,
                                              .metric_value = filter.value,
                                              .default_value = filter.default_value};
  if (!filter.dimensions.empty()) transformation.dimensions = filter.dimensions;
  if (!filter.unit.empty()) transformation.unit = filter.unit;
  shapes::MetricFilter out{.filter_name = filter.name, .filter_pattern = filter.pattern_text};
  out.metric_transformations.emplace().push_back(std::move(transformation));
  out.creation_time = milliseconds(filter.created);
  out.log_group_name = group.address.name;
  out.apply_on_transformed_logs = false;
  return out;
}

// Of one group, or of all.
Task<std::vector<LogGroup>> groups_asked_for(Service& service, wire::Context& context,
                                             const shapes::DescribeMetricFiltersInput& request) {
  const auto snapshot = service.store().snapshot();
  std::vector<LogGroup> groups;
  if (request.log_group_name) {
    const store::ResourceAddress address = group_called(context, *request.log_group_name);
    groups.push_back(*co_await service.groups().get(*snapshot, address));
    co_return groups;
  }
  const store::Range all = store::resources_range(kLogGroupType, context.account, context.region);
  co_await snapshot->scan(all, store::Direction::forward, [&](std::string_view key, std::string_view value) {
    if (auto address = store::resource_of_key(kLogGroupType, key)) {
      LogGroup group = decode_group(*std::move(address), std::string(value));
      if (!group.metric_filters.empty()) groups.push_back(std::move(group));
    }
    return true;
  });
  co_return groups;
}

// Where a page goes on: behind this filter of this group.
struct PageToken {
  std::string group;
  std::string filter;
  auto operator<=>(const PageToken&) const = default;
};

PageToken decode_token(const std::optional<std::string>& token) {
  if (!token) return {};
  const auto text = base::base64_decode(*token);
  const size_t colon = text ? text->find(':') : std::string::npos;
  if (colon == std::string::npos) throw invalid_next_token();
  return {text->substr(0, colon), text->substr(colon + 1)};
}

}  // namespace

Task<shapes::PutMetricFilterOutput> put_metric_filter(Service& service, wire::Context& context,
                                                      const shapes::PutMetricFilterInput& request) {
  const MetricFilter filter = filter_of(request, context.now());
  co_await service.change_group(
      group_called(context, request.log_group_name), [&](store::Transaction&, LogGroup& group) -> Task<void> {
        auto& filters = group.metric_filters;
        const auto place = std::ranges::lower_bound(filters, filter.name, {}, &MetricFilter::name);
        if (place != filters.end() && place->name == filter.name) {
          const base::Time created = place->created;
          *place = filter;
          place->created = created;
        } else if (filters.size() == kMetricFiltersMax) {
          throw errors::limit_exceeded_exception("Resource limit exceeded.");
        } else {
          filters.insert(place, filter);
        }
        co_return;
      });
  co_return shapes::PutMetricFilterOutput{};
}

Task<shapes::DescribeMetricFiltersOutput> describe_metric_filters(Service& service, wire::Context& context,
                                                                  const shapes::DescribeMetricFiltersInput& request) {
  if (request.metric_name.has_value() != request.metric_namespace.has_value()) {
    throw errors::invalid_parameter_exception("metricName and metricNamespace must be specified together.");
  }
  const PageToken after = decode_token(request.next_token);
  const auto count_max = static_cast<size_t>(request.limit.value_or(kFiltersByDefault));
  shapes::DescribeMetricFiltersOutput out;
  auto& found = out.metric_filters.emplace();
  for (const LogGroup& group : co_await groups_asked_for(service, context, request)) {
    for (const MetricFilter& filter : group.metric_filters) {
      if (!filter.name.starts_with(request.filter_name_prefix.value_or(""))) continue;
      if (request.metric_name && filter.metric != *request.metric_name) continue;
      if (request.metric_namespace && filter.name_space != *request.metric_namespace) continue;
      if (request.next_token && PageToken{group.address.name, filter.name} <= after) continue;
      if (found.size() == count_max) {
        out.next_token = base::base64_encode(cat(*found.back().log_group_name, ":", *found.back().filter_name));
        co_return out;
      }
      found.push_back(describe(group, filter));
    }
  }
  co_return out;
}

Task<shapes::DeleteMetricFilterOutput> delete_metric_filter(Service& service, wire::Context& context,
                                                            const shapes::DeleteMetricFilterInput& request) {
  co_await service.change_group(
      group_called(context, request.log_group_name), [&](store::Transaction&, LogGroup& group) -> Task<void> {
        const size_t erased = std::erase_if(
            group.metric_filters, [&](const MetricFilter& filter) { return filter.name == request.filter_name; });
        if (erased == 0) throw errors::resource_not_found_exception("The specified metric filter does not exist.");
        co_return;
      });
  co_return shapes::DeleteMetricFilterOutput{};
}

}  // namespace tidemill::logs
