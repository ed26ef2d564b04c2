// Takes values of metrics.
#include <cmath>

#include "base/text.h"
#include "services/cloudwatch/errors.h"
#include "services/cloudwatch/operations.h"

namespace tidemill::cloudwatch {
namespace {

using namespace std::chrono_literals;
using base::cat;

// "PutMetricData" and "MetricDatum" in the API reference.
constexpr size_t kDataMax = 1'000;
constexpr size_t kValuesMax = 150;
constexpr base::Duration kPastMax = 14 * 24h;
constexpr base::Duration kFutureMax = 2h;
constexpr double kMagnitudeMax = 0x1p360;

void check_number(double value, std::string_view parameter) {
  if (std::isfinite(value) && std::abs(value) <= kMagnitudeMax) return;
  throw invalid_value(parameter, std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity");
}

wire::Error exclusive(std::string_view a, std::string_view b) {
  return errors::invalid_parameter_combination_exception(
      cat("The parameters ", a, " and ", b, " are mutually exclusive and you have specified both."));
}

void add_values(const shapes::MetricDatum& in, const std::string& at, base::Distribution& out) {
  const auto& counts = in.counts;
  if (in.values->size() > kValuesMax) throw collection_too_large(at + ".Values", kValuesMax);
  if (counts && counts->size() != in.values->size()) {
    throw errors::invalid_parameter_value_exception(
        cat("The parameters ", at, ".Values and ", at, ".Counts must be of the same size."));
  }
  for (size_t i = 0; i < in.values->size(); ++i) {
    const double count = counts ? (*counts)[i] : 1;
    check_number((*in.values)[i], at + ".Values");
    check_number(count, at + ".Counts");
    if (count < 0) throw invalid_value(at + ".Counts", "of a negative count");
    out.add((*in.values)[i], count);
  }
}

void add_statistics(const shapes::StatisticSet& in, const std::string& at, base::Distribution& out) {
  for (const double number : {in.sample_count, in.sum, in.minimum, in.maximum}) {
    check_number(number, at + ".StatisticValues");
  }
  if (in.sample_count <= 0 || in.minimum > in.maximum) {
    throw errors::invalid_parameter_value_exception(cat(
        "The parameter ", at, ".StatisticValues must have a SampleCount above 0, and a Minimum up to its Maximum."));
  }
  out.add_summary(in.sample_count, in.sum, in.minimum, in.maximum);
}

base::Distribution values_of(const shapes::MetricDatum& in, const std::string& at) {
  base::Distribution result;
  if (in.value && in.statistic_values) throw exclusive(at + ".Value", at + ".StatisticValues");
  if (in.value && in.values) throw exclusive(at + ".Value", at + ".Values");
  if (in.counts && !in.values) {
    throw errors::invalid_parameter_combination_exception(cat("The parameter ", at, ".Counts needs ", at, ".Values."));
  }
  if (in.value) {
    check_number(*in.value, at + ".Value");
    result.add(*in.value);
  }
  // AWS takes both of these; both count.
  if (in.values) add_values(in, at, result);
  if (in.statistic_values) add_statistics(*in.statistic_values, at, result);
  if (!in.value && !in.values && !in.statistic_values) {
    throw errors::missing_required_parameter_exception(
        cat("At least one of the parameters ", at, ".Value, ", at, ".Values and ", at, ".StatisticValues must be specified."));
  }
  return result;
}

base::Time time_of(const shapes::MetricDatum& in, const std::string& at, base::Time now) {
  const base::Time time = in.timestamp.value_or(now);
  if (time < now - kPastMax || time > now + kFutureMax) {
    throw errors::invalid_parameter_value_exception(
        cat("The parameter ", at, ".Timestamp must be within the past two weeks and the next two hours."));
  }
  return time;
}

Datum datum_of(const shapes::MetricDatum& in, const std::string& at, const std::string& name_space,
               const wire::Context& context, base::Time now) {
  Datum datum;
  datum.metric = {.account = context.account,
                  .region = context.region,
                  .name_space = name_space,
                  .name = in.metric_name,
                  .dimensions = dimensions_of(in.dimensions, at + ".Dimensions")};
  datum.unit = number_of_unit(in.unit.value_or(std::string(kNoUnit)));
  datum.time = time_of(in, at, now);
  const int resolution = in.storage_resolution.value_or(60);
  if (resolution != 1 && resolution != 60) throw invalid_value(at + ".StorageResolution", std::to_string(resolution));
  datum.is_high_resolution = resolution == 1;
  datum.values = values_of(in, at);
  return datum;
}

}  // namespace

Task<shapes::PutMetricDataOutput> put_metric_data(Service& service, wire::Context& context,
                                                  const shapes::PutMetricDataInput& request) {
  // The platform's own.
  if (request.namespace_.starts_with("AWS/")) throw invalid_value("Namespace", request.namespace_);
  if (!request.metric_data || request.metric_data->empty()) {
    throw errors::missing_required_parameter_exception("The parameter MetricData is required.");
  }
  if (request.metric_data->size() > kDataMax) throw collection_too_large("MetricData", kDataMax);
  std::vector<Datum> data;
  data.reserve(request.metric_data->size());
  for (const shapes::MetricDatum& in : *request.metric_data) {
    data.push_back(
        datum_of(in, cat("MetricData.member.", data.size() + 1), request.namespace_, context, context.now()));
  }
  co_await service.writer().write(std::move(data));
  co_return shapes::PutMetricDataOutput{};
}

}  // namespace tidemill::cloudwatch
