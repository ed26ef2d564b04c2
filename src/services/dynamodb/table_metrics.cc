#include "services/dynamodb/table_metrics.h"

#include <algorithm>

namespace tidemill::dynamodb {
namespace {

using wire::PlatformMetric;

constexpr int kBadRequest = 400;
constexpr std::string_view kConditionalCheckFailedCode = "ConditionalCheckFailedException";

constexpr PlatformMetric of_operation(std::string_view name, std::string_view unit = "Count") {
  return {kMetricsNamespace, name, unit, "TableName", "Operation"};
}
constexpr PlatformMetric kLatency = of_operation("SuccessfulRequestLatency", "Milliseconds");
constexpr PlatformMetric kReturnedItems = of_operation("ReturnedItemCount");
constexpr PlatformMetric kThrottled = of_operation("ThrottledRequests");
constexpr PlatformMetric kSystemErrors = of_operation("SystemErrors");
constexpr PlatformMetric kUserErrors{kMetricsNamespace, "UserErrors", "Count", ""};

std::string_view name_of(std::string_view table) {
  if (!table.starts_with("arn:")) return table;
  const size_t slash = table.find('/');
  return slash == std::string_view::npos ? table : table.substr(slash + 1);
}

bool is_throttling(std::string_view code) {
  return code == "ProvisionedThroughputExceededException" || code == "ThrottlingException" ||
         code == "RequestLimitExceeded";
}

}  // namespace

RequestMeter::RequestMeter(const wire::Context& context, std::string_view operation)
    : context_(context), operation_(operation) {
  if (context.platform().usage) begun_ = std::chrono::steady_clock::now();
}

void RequestMeter::add_table(std::string_view table) {
  if (table_.empty()) table_ = table;
  else if (table != table_ && std::ranges::find(more_tables_, table) == more_tables_.end()) more_tables_.push_back(table);
}

void RequestMeter::count_each(const PlatformMetric& metric, double value, std::string_view operation) const {
  measure(context_, metric, name_of(table_), value, 1, operation);
  for (const std::string_view table : more_tables_) measure(context_, metric, name_of(table), value, 1, operation);
}

void RequestMeter::add(const PlatformMetric& metric, double value) const { count_each(metric, value, operation_); }

void RequestMeter::succeeded() const {
  if (!context_.platform().usage) return;
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begun_;
  add(kLatency, took.count());
}

void RequestMeter::returned(double items) const { add(kReturnedItems, items); }

void RequestMeter::failed() const {
  try {
    throw;
  } catch (const wire::Error& error) {
    if (error.code == kConditionalCheckFailedCode) {
      count_each(kConditionalCheckFailed, 1, "");
    } else if (is_throttling(error.code)) {
      add(kThrottled, 1);
    } else if (error.http_status > 499) {
      add(kSystemErrors, 1);
    }
  } catch (const store::Overloaded&) {
    add(kThrottled, 1);
  } catch (...) {
    add(kSystemErrors, 1);
  }
}

void measure_user_errors(wire::Registry& registry) {
  for (const char* service : {"dynamodb", "dynamodbstreams"}) {
    registry.on_failure(service, [](const wire::Context& context, const wire::OperationInfo&, const wire::Error& error) {
      const bool is_counted_elsewhere = error.code == kConditionalCheckFailedCode || is_throttling(error.code);
      if (error.http_status == kBadRequest && !is_counted_elsewhere) measure(context, kUserErrors, "");
    });
  }
}

}  // namespace tidemill::dynamodb
