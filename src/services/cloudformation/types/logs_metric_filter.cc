// AWS::Logs::MetricFilter.
#include "services/cloudformation/types/claim.h"
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

constexpr size_t kFilterNameSizeMax = 512;

constexpr Property kFilterDimension[] = {
    {.name = "Key", .required = true},
    {.name = "Value", .required = true},
};

constexpr Property kFilterMetricTransformation[] = {
    {.name = "DefaultValue", .kind = Kind::number},
    {.name = "Dimensions", .kind = Kind::object, .form = Form::list, .members = kFilterDimension},
    {.name = "MetricName", .required = true},
    {.name = "MetricNamespace", .required = true},
    {.name = "MetricValue", .required = true},
    {.name = "Unit"},
};

constexpr Property kFilterProperties[] = {
    {.name = "FilterName", .update = Update::replaces},
    {.name = "LogGroupName", .required = true, .update = Update::replaces},
    {.name = "ApplyOnTransformedLogs", .kind = Kind::boolean},
    {.name = "EmitSystemFieldDimensions", .form = Form::list},
    {.name = "FieldSelectionCriteria"},
    {.name = "FilterPattern", .required = true},
    {.name = "MetricTransformations",
     .kind = Kind::object,
     .form = Form::list,
     .required = true,
     .members = kFilterMetricTransformation},
};

Task<bool> metric_filter_exists(Step& step, std::string group, std::string name) {
  const json::Value answer = co_await step.call(
      "logs", "DescribeMetricFilters", json::Object{{"LogGroupName", group}, {"FilterNamePrefix", name}, {"Limit", 1}});
  for (const json::Value& filter : list_of(answer.object(), "MetricFilters")) {
    if (text_of(filter.object(), "FilterName") == name) co_return true;
  }
  co_return false;
}

// Dimensions are a map to the service.
json::Array metric_transformations(const json::Object& properties) {
  json::Array result;
  for (const json::Value& one : list_of(properties, "MetricTransformations")) {
    json::Object transformation = one.object();
    json::Object dimensions;
    for (const json::Value& dimension : list_of(transformation, "Dimensions")) {
      dimensions.set(text_of(dimension.object(), "Key"), answered(dimension, "Value"));
    }
    if (transformation.find("Dimensions")) transformation.set("Dimensions", std::move(dimensions));
    result.push_back(std::move(transformation));
  }
  return result;
}

Task<void> put_metric_filter(Step& step, std::string name, const json::Object& properties) {
  json::Object request = properties;
  request.set("FilterName", name);
  request.set("MetricTransformations", metric_transformations(properties));
  co_await step.call("logs", "PutMetricFilter", std::move(request));
}

Task<std::string> create_metric_filter(Step& step, const json::Object& properties) {
  const std::string name = name_of(step, properties, "FilterName", kFilterNameSizeMax);
  if (properties.find("FilterName") && !has_claimed(step)) {
    if (co_await metric_filter_exists(step, text_of(properties, "LogGroupName"), name)) refuse_existing(step, name);
    co_await remember_claim(step);
  }
  co_await put_metric_filter(step, name, properties);
  co_return name;
}

Task<std::string> update_metric_filter(Step& step, std::string name, const json::Object&, const json::Object& after) {
  co_await put_metric_filter(step, name, after);
  co_return name;
}

Task<void> remove_metric_filter(Step& step, std::string name, const json::Object& properties) {
  const json::Object key{{"LogGroupName", text_of(properties, "LogGroupName")}, {"FilterName", name}};
  co_await step.call_or_null("logs", "DeleteMetricFilter", key, {"ResourceNotFoundException"});
}

}  // namespace

const ResourceType types::kLogsMetricFilter = {
    .name = "AWS::Logs::MetricFilter",
    .properties = kFilterProperties,
    .create = create_metric_filter,
    .update = update_metric_filter,
    .remove = remove_metric_filter,
    .name_property = "FilterName",
};

}  // namespace tidemill::cloudformation
