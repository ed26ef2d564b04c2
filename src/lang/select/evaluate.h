// What expressions come to for a row, and aggregates for all rows.
#pragma once

#include <vector>

#include "base/clock.h"
#include "lang/select/row.h"
#include "lang/select/statement.h"

namespace tidemill::lang::select {

// What one expression may make of one row; beyond, the statement fails.
inline constexpr size_t kMadeBytesMax = 16 << 20;

struct Circumstances {
  base::Time now;                                  // UTCNOW()
  const std::vector<Value>* aggregates = nullptr;  // by their numbers
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

 private:
  NodePtr call_;
  int64_t count_ = 0;
  bool is_integer_ = true;
  int64_t integer_ = 0;
  double sum_ = 0;
  Value best_;
};

// Inside: functions by name, once their arguments are known.
[[nodiscard]] Value call_function(const Node& node, const std::vector<Value>& arguments, base::Time now);
[[nodiscard]] Value cast_to(const std::string& type, const Value& value);

}  // namespace tidemill::lang::select
