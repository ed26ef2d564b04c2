// What many numbers come to: count, sum, least, greatest, and where they lie, in bounded space.
//
// Up to kExactMax different values are kept as they are, each with its weight: then every answer is exact. Beyond that,
// values are counted in buckets whose bounds grow by 2 %, and an answer about a value is right to within 1 %. Several
// distributions merge into one as if all values had come to it.
//
// Of values that came only as sums (add_summary), and of negative ones, it is not known where they lie: has_values().
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemill::base {

class Distribution {
 public:
  static constexpr size_t kExactMax = 100;
  // Buckets at most; beyond, those of the least values are counted as one.
  static constexpr size_t kBucketsMax = 2048;

  struct Weighted {
    double value = 0;
    double weight = 0;
  };

  void add(double value, double weight = 1);
  // `count` values of which only this is known. If they are all the same, or there is one, it is as if they were added.
  void add_summary(double count, double sum, double min, double max);
  void merge(const Distribution& other);

  [[nodiscard]] double count() const { return count_; }
  [[nodiscard]] double sum() const { return sum_; }
  [[nodiscard]] double min() const { return min_; }  // of none: infinite
  [[nodiscard]] double max() const { return max_; }
  [[nodiscard]] double average() const { return sum_ / count_; }
  [[nodiscard]] bool has_values() const { return has_values_ && count_ > 0; }

  // By value; those in a bucket with the bucket's middle. Empty without has_values().
  [[nodiscard]] std::vector<Weighted> values() const;
  // The least value such that `percent` of all are not greater.
  [[nodiscard]] std::optional<double> percentile(double percent) const;

  [[nodiscard]] std::string encode() const;
  // Nothing: these bytes are no distribution.
  static std::optional<Distribution> decode(std::string_view bytes);

 private:
  void summarize(double count, double sum, double min, double max);
  void to_buckets();
  void add_to_bucket(double value, double weight);
  void limit_buckets();

  double count_ = 0;
  double sum_ = 0;
  double min_ = std::numeric_limits<double>::infinity();
  double max_ = -std::numeric_limits<double>::infinity();
  bool has_values_ = true;
  bool is_exact_ = true;
  std::map<double, double> exact_;      // value: weight
  std::map<int32_t, double> buckets_;   // number: weight
};

}  // namespace tidemill::base
