// What expressions come to for a row, and aggregates for all rows.
#pragma once

#include <atomic>
#include <vector>

#include "base/clock.h"
#include "lang/select/row.h"
#include "lang/select/statement.h"

namespace tidemill::lang::select {

// What one expression may make of one row, what it names of it counted each time; beyond, the statement fails.
inline constexpr size_t kMadeBytesMax = 64 << 20;
[[nodiscard]] SelectError made_too_much();

struct Circumstances {
  base::Time now;                                   // UTCNOW()
  const std::vector<Value>* aggregates = nullptr;   // by their numbers
  const std::atomic<bool>* is_abandoned = nullptr;  // then evaluating ends
};

// Throws SelectError.
[[nodiscard]] Value evaluate(const Node& node, const Row& row, const Circumstances& circumstances);
// Whether a condition holds: neither false nor unknown.
[[nodiscard]] bool holds(const Node& node, const Row& row, const Circumstances& circumstances);

class Aggregate {
 public:
  explicit Aggregate(NodePtr call) : call_(std::move(call)) {}
  void add(const Row& row, const Circumstances& circumstances);
  [[nodiscard]] Value result() const;
  // What it holds.
  [[nodiscard]] size_t bytes() const { return bytes_; }

 private:
  NodePtr call_;
  int64_t count_ = 0;
  bool is_integer_ = true;
  int64_t integer_ = 0;
  double sum_ = 0;
  Value best_;
  size_t bytes_ = 0;
};

// Inside: functions by name, once their arguments are known; COALESCE needs not all of them.
[[nodiscard]] Value call_function(const Node& node, const std::vector<Value>& arguments, base::Time now);
[[nodiscard]] Value cast_to(const std::string& type, const Value& value);

}  // namespace tidemill::lang::select
