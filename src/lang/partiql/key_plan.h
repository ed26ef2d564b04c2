// What of a WHERE clause finds items by their keys, and what remains to be asked of each item found.
#pragma once

#include <optional>
#include <vector>

#include "lang/dynamodb/condition.h"
#include "lang/dynamodb/key_condition.h"

namespace tidemill::lang::partiql {

// The items of a partition, or those of a range of its sort keys.
struct KeyRange {
  dynamodb::ValueView partition;
  std::optional<dynamodb::KeyCondition::Sort> sort;
  bool exact = true;  // whether all that the clause says of the sort key here is in `sort`
};

struct KeyPlan {
  std::vector<KeyRange> ranges;  // where to look: no item is in two of them; empty: everywhere
  std::optional<dynamodb::Condition> rest;
  bool alternatives = false;  // the ranges come from conditions that are joined by OR
  bool overlapping = false;   // two of these conditions name some of the same sort keys, which AWS refuses

  // Whether this is one primary key of a schema with or without a sort key.
  [[nodiscard]] bool is_one_key(bool has_sort_key) const {
    if (ranges.size() != 1 || alternatives) return false;
    const auto& sort = ranges[0].sort;
    return !has_sort_key || (sort && sort->op == dynamodb::KeyCondition::Op::equal);
  }
};

// Whether every sort key of `a` is less than every one of `b`.
[[nodiscard]] bool lies_before(const dynamodb::KeyCondition::Sort& a, const dynamodb::KeyCondition::Sort& b);

// Conditions on key attributes count that are joined by AND with all others, and alternatives each of which names a
// partition key. Throws StatementError where a key attribute is compared with a value of another type than the
// schema's. Refers to the values of `where`.
[[nodiscard]] KeyPlan plan_keys(const std::optional<dynamodb::Condition>& where, const dynamodb::KeySchema& schema);

}  // namespace tidemill::lang::partiql
