#include <algorithm>
#include <cmath>
#include <limits>

#include "base/executor.h"
#include "base/text.h"
#include "lang/metrics/functions.h"
#include "lang/metrics/node.h"

namespace tidemill::lang::metrics {
namespace {

using base::cat;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr size_t kPointsPerStep = 50;  // worked on in about a microsecond (base::slice_is_over)

class Evaluator {
 public:
  explicit Evaluator(const Environment& environment) : environment_(environment) {}

  Task<Value> evaluate(const Node& node) {
    switch (node.kind) {
      case NodeKind::number:
        co_return node.number;
      case NodeKind::text:
        throw ExpressionError(cat("Unexpected text \"", node.name, "\""));
      case NodeKind::word:
        co_return value_of(node.name);
      case NodeKind::array:
        co_return co_await array(node);
      case NodeKind::unary_minus: {
        Value value = co_await evaluate(*node.parts[0]);
        co_return co_await binary("*", std::move(value), -1.0);
      }
      case NodeKind::binary: {
        Value left = co_await evaluate(*node.parts[0]);
        Value right = co_await evaluate(*node.parts[1]);
        co_return co_await binary(node.name, std::move(left), std::move(right));
      }
      case NodeKind::call:
        co_return co_await call(node);
    }
    throw ExpressionError("Syntax error");
  }

 private:
  static bool give_way_after(const Series& series) {
    return base::slice_is_over(1 + series.points.size() / kPointsPerStep);
  }

  [[nodiscard]] Value value_of(const std::string& id) const {
    const Value* found = environment_.find(id);
    if (!found) throw ExpressionError(cat("'", id, "' is not defined"));
    return *found;
  }

  static void check_size(const SeriesList& list) {
    size_t points = 0;
    for (const Series& series : list) points += series.points.size() + 1;
    if (points > kPointsMax) throw ExpressionError("There are too many datapoints");
  }

  Task<Value> array(const Node& node) {
    SeriesList list;
    for (const auto& part : node.parts) {
      Value value = co_await evaluate(*part);
      if (auto* many = std::get_if<SeriesList>(&value)) {
        std::ranges::move(*many, std::back_inserter(list));
      } else if (auto* one = std::get_if<Series>(&value)) {
        list.push_back(std::move(*one));
      } else {
        throw ExpressionError("An array has time series");
      }
      check_size(list);
    }
    co_return list;
  }

  Task<Value> binary(const std::string& name, Value a, Value b) {
    const auto* number_a = std::get_if<double>(&a);
    const auto* number_b = std::get_if<double>(&b);
    if (number_a && number_b) co_return apply(name, *number_a, *number_b);
    const auto* series_a = std::get_if<Series>(&a);
    const auto* series_b = std::get_if<Series>(&b);
    if (series_a && series_b) {
      Series out = combine(name, *series_a, *series_b);
      if (give_way_after(*series_a)) co_await base::give_way();
      co_return out;
    }
    if (series_a && number_b) co_return combine(name, *series_a, *number_b);
    if (number_a && series_b) co_return combine(name, *number_a, *series_b);
    const auto* list_a = std::get_if<SeriesList>(&a);
    const auto* list_b = std::get_if<SeriesList>(&b);
    if (list_a && list_b) {
      throw ExpressionError(
          cat("Unsupported operand type(s) for ", name, ": '[", type_name(a), ", ", type_name(b), "]'"));
    }
    SeriesList out;
    for (const Series& series : list_a ? *list_a : *list_b) {
      if (list_a)
        out.push_back(series_b ? combine(name, series, *series_b) : combine(name, series, *number_b));
      else
        out.push_back(series_a ? combine(name, *series_a, series) : combine(name, *number_a, series));
      out.back().label = series.label;
      if (give_way_after(series)) co_await base::give_way();
    }
    co_return out;
  }

  // A function of each series, or of a scalar where `of_number` says what it is.
  template <class OfSeries>
  Task<Value> each(const std::string& name, Value value, OfSeries of_series) {
    if (auto* series = std::get_if<Series>(&value)) co_return of_series(*series);
    auto* list = std::get_if<SeriesList>(&value);
    if (!list) throw ExpressionError(cat("The function ", name, " does not take a ", type_name(value)));
    SeriesList out;
    for (const Series& series : *list) {
      out.push_back(of_series(series));
      if (give_way_after(series)) co_await base::give_way();
    }
    check_size(out);
    co_return out;
  }

  Task<Value> call(const Node& node) {
    const std::string& name = node.name;
    if (name == "METRICS") co_return metrics(node);
    if (name == "SEARCH") {
      const SeriesList* found = environment_.found(node.search);
      co_return found ? *found : SeriesList{};
    }
    if (name == "FILL") co_return co_await filled(node);
    if (name == "IF") co_return co_await chosen(node);
    if (name == "SORT") co_return co_await sorted(node);
    Value value = co_await evaluate(*node.parts[0]);
    if (const auto function = point_function(name)) {
      if (const auto* number = std::get_if<double>(&value)) co_return (*function)(*number);
      co_return co_await each(name, std::move(value),
                              [&](const Series& series) { return of_each_point(series, *function); });
    }
    if (is_aggregate(name)) co_return aggregated(name, value);
    if (is_transform(name)) {
      co_return co_await each(name, std::move(value), [&](const Series& series) { return *transform(name, series); });
    }
    if (name == "TIME_SERIES") {
      const auto* number = std::get_if<double>(&value);
      if (!number) throw ExpressionError("The function TIME_SERIES takes a Scalar");
      co_return constant(*number, environment_);
    }
    if (name == "PERIOD") {
      const auto* series = std::get_if<Series>(&value);
      if (!series) throw ExpressionError("The function PERIOD takes a TimeSeries");
      co_return static_cast<double>(series->period);
    }
    co_return co_await of_list(node, std::move(value));
  }

  // FIRST, LAST, METRIC_COUNT, REMOVE_EMPTY, SLICE.
  Task<Value> of_list(const Node& node, Value value) {
    const std::string& name = node.name;
    auto* list = std::get_if<SeriesList>(&value);
    if (!list) throw ExpressionError(cat("The function ", name, " takes an Array[TimeSeries]"));
    if (name == "METRIC_COUNT") co_return static_cast<double>(list->size());
    if (name == "REMOVE_EMPTY") {
      std::erase_if(*list, [](const Series& series) { return series.points.empty(); });
      co_return value;
    }
    if (name == "SLICE") {
      const size_t begin = co_await index(*node.parts[1], list->size());
      size_t end = list->size();
      if (node.parts.size() == 3) end = co_await index(*node.parts[2], list->size());
      if (begin >= end) co_return SeriesList{};
      co_return SeriesList(list->begin() + static_cast<std::ptrdiff_t>(begin),
                           list->begin() + static_cast<std::ptrdiff_t>(end));
    }
    if (list->empty()) co_return Series{.period = environment_.period};
    co_return name == "FIRST" ? list->front() : list->back();
  }

  Task<size_t> index(const Node& node, size_t size) {
    const Value value = co_await evaluate(node);
    const auto* number = std::get_if<double>(&value);
    if (!number || !(*number >= 0)) throw ExpressionError("A place in an array must be a Scalar of 0 or more");
    co_return *number >= static_cast<double>(size) ? size : static_cast<size_t>(*number);
  }

  [[nodiscard]] Value metrics(const Node& node) const {
    std::string part;
    if (!node.parts.empty()) {
      if (node.parts[0]->kind != NodeKind::text) throw ExpressionError("METRICS takes a part of an Id, in quotes");
      part = node.parts[0]->name;
    }
    SeriesList list;
    for (const auto& [id, series] : environment_.metrics()) {
      if (id.find(part) != std::string::npos) list.push_back(*series);
    }
    check_size(list);
    return list;
  }

  static Value aggregated(const std::string& name, const Value& value) {
    if (const auto* list = std::get_if<SeriesList>(&value)) return aggregate_across(name, *list);
    std::vector<double> numbers;
    if (const auto* number = std::get_if<double>(&value))
      numbers.push_back(*number);
    else
      for (const Point& point : std::get<Series>(value).points) numbers.push_back(point.value);
    return aggregate(name, numbers).value_or(kNone);
  }

  Task<Value> filled(const Node& node) {
    Value value = co_await evaluate(*node.parts[0]);
    const Node& how = *node.parts[1];
    Fill with;
    Value other;
    if (how.kind == NodeKind::word && (how.name == "REPEAT" || how.name == "LINEAR")) {
      with.how = how.name == "REPEAT" ? Filling::repeat : Filling::linear;
    } else {
      other = co_await evaluate(how);
      if (const auto* number = std::get_if<double>(&other)) {
        with.number = *number;
        if (!std::isfinite(with.number)) co_return value;
      } else if (const auto* series = std::get_if<Series>(&other)) {
        with = {.how = Filling::series, .series = series};
      } else {
        throw ExpressionError("The function FILL takes a Scalar, a TimeSeries, REPEAT or LINEAR");
      }
    }
    co_return co_await each("FILL", std::move(value),
                            [&](const Series& series) { return fill(series, with, environment_); });
  }

  Task<Value> chosen(const Node& node) {
    const Value condition = co_await evaluate(*node.parts[0]);
    const Value yes = co_await evaluate(*node.parts[1]);
    Value no = kNone;
    if (node.parts.size() == 3) no = co_await evaluate(*node.parts[2]);
    if (std::holds_alternative<SeriesList>(condition) || std::holds_alternative<SeriesList>(yes) ||
        std::holds_alternative<SeriesList>(no)) {
      throw ExpressionError("The function IF does not take an Array[TimeSeries]");
    }
    if (const auto* number = std::get_if<double>(&condition)) co_return *number != 0 ? yes : no;
    co_return choose(std::get<Series>(condition), yes, no);
  }

  Task<Value> sorted(const Node& node) {
    Value value = co_await evaluate(*node.parts[0]);
    auto* list = std::get_if<SeriesList>(&value);
    const Node& by = *node.parts[1];
    const Node& order = *node.parts[2];
    const bool is_known = by.kind == NodeKind::word && is_aggregate(by.name) && order.kind == NodeKind::word &&
                          (order.name == "ASC" || order.name == "DESC");
    if (!list || !is_known) {
      throw ExpressionError("SORT takes an Array[TimeSeries], one of AVG, MAX, MIN, STDDEV and SUM, and ASC or DESC");
    }
    std::vector<std::pair<double, size_t>> keys;
    for (size_t i = 0; i < list->size(); ++i) {
      const Value key = aggregated(by.name, (*list)[i]);
      keys.emplace_back(std::get<double>(key), i);
      if (give_way_after((*list)[i])) co_await base::give_way();
    }
    // Those without values come last.
    const bool is_ascending = order.name == "ASC";
    std::ranges::stable_sort(keys, [&](const auto& a, const auto& b) {
      if (std::isnan(a.first) || std::isnan(b.first)) return !std::isnan(a.first) && std::isnan(b.first);
      return is_ascending ? a.first < b.first : b.first < a.first;
    });
    if (node.parts.size() == 4) keys.resize(co_await index(*node.parts[3], keys.size()));
    SeriesList out;
    for (const auto& [key, place] : keys) out.push_back(std::move((*list)[place]));
    co_return out;
  }

  const Environment& environment_;
};

}  // namespace

Task<Value> Expression::evaluate(const Environment& environment) const {
  Evaluator evaluator(environment);
  co_return co_await evaluator.evaluate(*root_);
}

}  // namespace tidemill::lang::metrics
