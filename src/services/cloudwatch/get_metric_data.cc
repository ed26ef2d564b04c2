// Several metrics' statistics, and expressions over them, at once. Answers are cut into pages of so many datapoints; a
// token says where the next one begins.
#include <algorithm>

#include "services/cloudwatch/errors.h"
#include "services/cloudwatch/metric_math.h"
#include "services/cloudwatch/operations.h"
#include "services/cloudwatch/page_token.h"

namespace tidemill::cloudwatch {
namespace {

using lang::metrics::Point;
using lang::metrics::Series;

// "GetMetricData" in the API reference.
constexpr size_t kQueriesMax = 500;
constexpr size_t kDatapointsMax = 100'800;

std::vector<MetricQuery> asked_queries(const wire::Context& context, const shapes::GetMetricDataInput& request) {
  if (request.metric_data_queries.size() > kQueriesMax) throw collection_too_large("MetricDataQueries", kQueriesMax);
  if (request.start_time >= request.end_time) {
    throw errors::invalid_parameter_value_exception("The parameter StartTime must be less than the parameter EndTime.");
  }
  return queries_of(context.account, context.region, request.metric_data_queries, "MetricDataQueries");
}

// The pages of one answer: how many datapoints it still takes, and where the next one begins.
class Page {
 public:
  Page(size_t left, PagePlace from) : left_(left), from_(from) {}

  [[nodiscard]] bool is_full() const { return next_.has_value(); }
  [[nodiscard]] const std::optional<PagePlace>& next() const { return next_; }

  // The series of a query, the first of which stands at offset 0, the next behind its points and one more.
  void add(size_t item, const MetricQuery& query, const std::vector<Series>& all,
           std::vector<shapes::MetricDataResult>& out) {
    const size_t first = item == from_.item ? from_.offset : 0;
    size_t offset = 0;
    for (const Series& series : all) {
      const size_t size = series.points.size();
      const size_t skipped = first > offset ? first - offset : 0;
      if (skipped <= size && (skipped < size || skipped == 0)) {
        if (left_ == 0) {
          next_ = PagePlace{item, offset + skipped};
          return;
        }
        const size_t taken = std::min(left_, size - skipped);
        left_ -= taken;
        show(query, series, skipped, skipped + taken, out);
        if (skipped + taken < size) {
          next_ = PagePlace{item, offset + skipped + taken};
          return;
        }
      }
      offset += size + 1;
    }
  }

 private:
  static void show(const MetricQuery& query, const Series& series, size_t begin, size_t end,
                   std::vector<shapes::MetricDataResult>& out) {
    shapes::MetricDataResult& result = out.emplace_back();
    result = {.id = query.id, .label = series.label};
    result.status_code = end == series.points.size() ? "Complete" : "PartialData";
    result.timestamps.emplace();
    result.values.emplace();
    for (size_t i = begin; i < end; ++i) {
      result.timestamps->push_back(Seconds(std::chrono::seconds(series.points[i].time)));
      result.values->push_back(series.points[i].value);
    }
  }

  size_t left_;
  const PagePlace from_;
  std::optional<PagePlace> next_;
};

}  // namespace

Task<shapes::GetMetricDataOutput> get_metric_data(Service& service, wire::Context& context,
                                                  const shapes::GetMetricDataInput& request) {
  const std::vector<MetricQuery> queries = asked_queries(context, request);
  const bool ascending = request.scan_by == shapes::ScanBy::kTimestampAscending;
  const size_t left = std::min(kDatapointsMax, static_cast<size_t>(request.max_datapoints.value_or(kDatapointsMax)));
  const PagePlace from = request.next_token ? decode_page_token(*request.next_token) : PagePlace{};
  co_await service.platform_writer().write_now();
  const auto snapshot = service.store().snapshot();
  MetricMath math(*snapshot, queries, {context.account, context.region}, {request.start_time, request.end_time},
                  context.now());
  shapes::GetMetricDataOutput out;
  out.metric_data_results.emplace();
  out.messages.emplace();
  Page page(left, from);
  for (size_t i = from.item; i < queries.size() && !page.is_full(); ++i) {
    if (!queries[i].is_returned) continue;
    std::vector<Series> all = co_await math.series_of(queries[i]);
    if (!ascending) {
      for (Series& series : all) std::ranges::reverse(series.points);
    }
    page.add(i, queries[i], all, *out.metric_data_results);
  }
  if (page.next()) out.next_token = encode_page_token(*page.next());
  co_return out;
}

}  // namespace tidemill::cloudwatch
