#include "services/cloudwatch/statistic.h"

#include <algorithm>
#include <charconv>

namespace tidemill::cloudwatch {
namespace {

std::optional<double> number(std::string_view text) {
  double value = 0;
  if (text.empty() || text[0] == '-' || text.size() > 32) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// The part of a weight that lies between two ranks.
double overlap(double begin, double end, double low, double high) {
  return std::max(0.0, std::min(end, high) - std::max(begin, low));
}

}  // namespace

std::optional<Statistic> Statistic::parse(std::string_view text) {
  Statistic result;
  const auto of_kind = [&](Kind kind) {
    result.kind_ = kind;
    return result;
  };
  if (text == "SampleCount") return of_kind(Kind::sample_count);
  if (text == "Average") return of_kind(Kind::average);
  if (text == "Sum") return of_kind(Kind::sum);
  if (text == "Minimum") return of_kind(Kind::minimum);
  if (text == "Maximum") return of_kind(Kind::maximum);
  if (text == "IQM") return parse_range(Kind::trimmed_mean, "(25%:75%)");
  const std::string_view kind = text.substr(0, std::min<size_t>(2, text.size()));
  if (kind == "tm" || kind == "TM") return parse_range(Kind::trimmed_mean, text.substr(2));
  if (kind == "wm" || kind == "WM") return parse_range(Kind::winsorized_mean, text.substr(2));
  if (kind == "tc" || kind == "TC") return parse_range(Kind::trimmed_count, text.substr(2));
  if (kind == "ts" || kind == "TS") return parse_range(Kind::trimmed_sum, text.substr(2));
  if (kind == "PR") return parse_range(Kind::percent_rank, text.substr(2));
  if (text.starts_with('p')) {
    const auto percent = number(text.substr(1));
    if (!percent || *percent > 100) return std::nullopt;
    result.percent_ = *percent;
    return of_kind(Kind::percentile);
  }
  return std::nullopt;
}

std::optional<Statistic> Statistic::parse_range(Kind kind, std::string_view text) {
  Statistic result;
  result.kind_ = kind;
  if (const auto percent = number(text)) {  // tm90
    if (*percent > 100 || kind == Kind::percent_rank) return std::nullopt;
    result.high_ = percent;
    return result;
  }
  if (!text.starts_with('(') || !text.ends_with(')')) return std::nullopt;
  text = text.substr(1, text.size() - 2);
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  int percents = 0;
  int bounds = 0;
  const auto bound = [&](std::string_view part, std::optional<double>& into) {
    if (part.empty()) return true;
    ++bounds;
    if (part.ends_with('%')) {
      ++percents;
      part.remove_suffix(1);
    }
    into = number(part);
    return into.has_value();
  };
  if (!bound(text.substr(0, colon), result.low_) || !bound(text.substr(colon + 1), result.high_)) return std::nullopt;
  if (bounds == 0 || (percents != 0 && percents != bounds)) return std::nullopt;
  result.is_percent_ = percents > 0;
  if (result.is_percent_ && (kind == Kind::percent_rank || result.high_.value_or(0) > 100)) return std::nullopt;
  if (result.low_ && result.high_ && *result.low_ >= *result.high_) return std::nullopt;
  return result;
}

std::optional<double> Statistic::of(const base::Distribution& values) const {
  if (values.count() <= 0) return std::nullopt;
  switch (kind_) {
    case Kind::sample_count: return values.count();
    case Kind::average: return values.average();
    case Kind::sum: return values.sum();
    case Kind::minimum: return values.min();
    case Kind::maximum: return values.max();
    case Kind::percentile: return values.percentile(percent_);
    default: return trimmed(values);
  }
}

std::optional<double> Statistic::trimmed(const base::Distribution& values) const {
  if (!values.has_values()) return std::nullopt;
  const double low_rank = is_percent_ ? values.count() * low_.value_or(0) / 100 : 0;
  const double high_rank = is_percent_ ? values.count() * high_.value_or(100) / 100 : values.count();
  double seen = 0;
  double count = 0;
  double sum = 0;
  double below = 0;  // how many are trimmed there
  std::optional<double> first;
  double last = 0;
  for (const auto& [value, weight] : values.values()) {
    double within = overlap(seen, seen + weight, low_rank, high_rank);
    // Bounds that are values: above the low one, up to the high one.
    if (!is_percent_ && ((low_ && value <= *low_) || (high_ && value > *high_))) within = 0;
    seen += weight;
    if (within > 0) {
      if (!first) first = value;
      last = value;
    } else if (!first) {
      below += weight;
    }
    count += within;
    sum += value * within;
  }
  if (kind_ == Kind::trimmed_count) return count;
  if (kind_ == Kind::trimmed_sum) return sum;
  if (kind_ == Kind::percent_rank) return 100 * count / values.count();
  if (!first) return std::nullopt;
  if (kind_ == Kind::trimmed_mean) return sum / count;
  const double trimmed_below = is_percent_ ? low_rank : below;
  const double trimmed_above = values.count() - count - trimmed_below;
  return (sum + *first * trimmed_below + last * trimmed_above) / values.count();
}

}  // namespace tidemill::cloudwatch
