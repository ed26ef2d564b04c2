#include "lang/insights/aggregation.h"

#include <cmath>

namespace tidemill::lang::insights {
namespace {

constexpr size_t kEntryBytes = 64;  // of a set or a map

}  // namespace

void Aggregation::add(const Record& record) {
  const std::string& name = call_->name;
  if (name == "count" && (call_->parts.empty() || call_->parts[0]->kind == NodeKind::constant)) {
    ++count_;
    return;
  }
  Value value = evaluate(*call_->parts[0], record);
  if (value.is_nothing()) return;
  if (name == "count") {
    ++count_;
    return;
  }
  if (name == "count_distinct") {
    if (is_full()) return;
    const auto [text, is_new] = distinct_.insert(value.text());
    if (is_new) bytes_ += text->size() + kEntryBytes;
    return;
  }
  if (name == "earliest" || name == "latest") {
    const double time = record.get("@timestamp").number().value_or(0);
    const bool is_better = best_.is_nothing() || (name == "earliest" ? time < time_ : time >= time_);
    if (is_better) best_ = std::move(value), time_ = time;
    return;
  }
  if (name == "sortsfirst" || name == "sortslast" || name == "min" || name == "max") {
    const bool is_least = name == "sortsfirst" || name == "min";
    const int order = best_.is_nothing() ? -1 : compare(value, best_);
    if (best_.is_nothing() || (is_least ? order < 0 : order > 0)) best_ = std::move(value);
    return;
  }
  const auto number = value.number();
  if (!number) return;
  ++count_;
  sum_ += *number;
  const double delta = *number - mean_;
  mean_ += delta / count_;
  squares_ += delta * (*number - mean_);
  if (name != "pct" && name != "median") return;
  if (!values_) values_ = std::make_unique<base::Distribution>();
  values_->add(*number);
  if (count_ <= base::Distribution::kBucketsMax) bytes_ += kEntryBytes;  // at most
  if (name == "pct") percent_ = evaluate(*call_->parts[1], record).number().value_or(percent_);
}

Value Aggregation::result() const {
  const std::string& name = call_->name;
  if (name == "count") return count_;
  if (name == "count_distinct") return static_cast<double>(distinct_.size());
  if (!best_.is_nothing()) return best_;
  if (count_ == 0) return {};
  if (name == "sum") return sum_;
  if (name == "avg") return sum_ / count_;
  if (name == "stddev") return std::sqrt(squares_ / count_);
  if (!values_) return {};
  const auto found = percent_ >= 0 && percent_ <= 100 ? values_->percentile(percent_) : std::nullopt;
  return found ? Value(*found) : Value();
}

}  // namespace tidemill::lang::insights
