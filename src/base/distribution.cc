#include "base/distribution.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/ordered.h"

namespace tidemill::base {
namespace {

constexpr uint8_t kVersion = 1;
constexpr uint8_t kHasValues = 1;
constexpr uint8_t kIsExact = 2;
// From one bucket's bound to the next.
constexpr double kGrowth = 1.02;
// The bucket of zero, and of what is too small to matter.
constexpr int32_t kZeroBucket = std::numeric_limits<int32_t>::min();
constexpr double kSmallest = 1e-150;

int32_t bucket_of(double value) {
  if (value < kSmallest) return kZeroBucket;
  static const double log_growth = std::log(kGrowth);
  return static_cast<int32_t>(std::ceil(std::log(value) / log_growth));
}

double middle_of(int32_t bucket) {
  if (bucket == kZeroBucket) return 0;
  return 2 * std::pow(kGrowth, bucket) / (kGrowth + 1);
}

void append_double(std::string& out, double value) { append_u64(out, std::bit_cast<uint64_t>(value)); }
double read_double(OrderedReader& reader) { return std::bit_cast<double>(reader.u64()); }

}  // namespace

void Distribution::summarize(double count, double sum, double min, double max) {
  count_ += count;
  sum_ += sum;
  min_ = std::min(min_, min);
  max_ = std::max(max_, max);
}

void Distribution::add(double value, double weight) {
  if (weight <= 0) return;
  summarize(weight, value * weight, value, value);
  if (value < 0) has_values_ = false;
  if (!has_values_) {
    exact_.clear();
    buckets_.clear();
    return;
  }
  if (!is_exact_) return add_to_bucket(value, weight);
  exact_[value] += weight;
  if (exact_.size() > kExactMax) to_buckets();
}

void Distribution::add_summary(double count, double sum, double min, double max) {
  if (count <= 0) return;
  if (min == max) return add(min, count);
  summarize(count, sum, min, max);
  has_values_ = false;
  exact_.clear();
  buckets_.clear();
}

void Distribution::merge(const Distribution& other) {
  if (other.count_ <= 0) return;
  summarize(other.count_, other.sum_, other.min_, other.max_);
  has_values_ = has_values_ && other.has_values_;
  if (!has_values_) {
    exact_.clear();
    buckets_.clear();
    return;
  }
  if (!other.is_exact_ && is_exact_) to_buckets();
  for (const auto& [bucket, weight] : other.buckets_) buckets_[bucket] += weight;
  for (const auto& [value, weight] : other.exact_) {
    if (is_exact_) exact_[value] += weight;
    else add_to_bucket(value, weight);
  }
  if (is_exact_ && exact_.size() > kExactMax) to_buckets();
  limit_buckets();
}

void Distribution::to_buckets() {
  is_exact_ = false;
  for (const auto& [value, weight] : exact_) add_to_bucket(value, weight);
  exact_.clear();
}

void Distribution::add_to_bucket(double value, double weight) {
  buckets_[bucket_of(value)] += weight;
  limit_buckets();
}

void Distribution::limit_buckets() {
  while (buckets_.size() > kBucketsMax) {
    const double weight = buckets_.begin()->second;
    buckets_.erase(buckets_.begin());
    buckets_.begin()->second += weight;
  }
}

std::vector<Distribution::Weighted> Distribution::values() const {
  std::vector<Weighted> result;
  if (!has_values()) return result;
  for (const auto& [value, weight] : exact_) result.push_back({value, weight});
  for (const auto& [bucket, weight] : buckets_) result.push_back({std::clamp(middle_of(bucket), min_, max_), weight});
  return result;
}

std::optional<double> Distribution::percentile(double percent) const {
  if (!has_values()) return std::nullopt;
  if (percent >= 100) return max_;
  const double rank = count_ * percent / 100;
  double seen = 0;
  const std::vector<Weighted> all = values();
  for (const Weighted& one : all) {
    seen += one.weight;
    // Weights are sums of doubles: what is equal but for rounding is equal.
    if (seen >= rank - count_ * 1e-12) return one.value;
  }
  return max_;
}

std::string Distribution::encode() const {
  std::string out;
  append_u8(out, kVersion);
  append_u8(out, static_cast<uint8_t>((has_values_ ? kHasValues : 0) | (is_exact_ ? kIsExact : 0)));
  for (const double number : {count_, sum_, min_, max_}) append_double(out, number);
  append_u32(out, static_cast<uint32_t>(is_exact_ ? exact_.size() : buckets_.size()));
  for (const auto& [value, weight] : exact_) {
    append_double(out, value);
    append_double(out, weight);
  }
  for (const auto& [bucket, weight] : buckets_) {
    append_u32(out, static_cast<uint32_t>(bucket));
    append_double(out, weight);
  }
  return out;
}

std::optional<Distribution> Distribution::decode(std::string_view bytes) {
  OrderedReader reader(bytes);
  Distribution result;
  const uint8_t version = reader.u8();
  const uint8_t flags = reader.u8();
  result.has_values_ = flags & kHasValues;
  result.is_exact_ = flags & kIsExact;
  for (double* number : {&result.count_, &result.sum_, &result.min_, &result.max_}) *number = read_double(reader);
  const uint32_t size = reader.u32();
  for (uint32_t i = 0; i < size && reader.ok(); ++i) {
    if (result.is_exact_) {
      const double value = read_double(reader);
      result.exact_[value] = read_double(reader);
    } else {
      const auto bucket = static_cast<int32_t>(reader.u32());
      result.buckets_[bucket] = read_double(reader);
    }
  }
  if (!reader.ok() || !reader.at_end() || version != kVersion) return std::nullopt;
  return result;
}

}  // namespace tidemill::base
