// What of a WHERE clause finds items by their keys, and what remains to be asked of each item found.
#pragma once

#include <optional>
#include <vector>

#include "lang/dynamodb/condition.h"
#include "lang/dynamodb/key_condition.h"

namespace tidemill::lang::partiql {

struct KeyPlan {
  std::vector<dynamodb::ValueView> partitions;       // from = or IN, each once; empty: any partition
  std::optional<dynamodb::KeyCondition::Sort> sort;  // only if there are partitions
  std::optional<dynamodb::Condition> rest;

  // Whether this is one primary key of a schema with or without a sort key.
  [[nodiscard]] bool is_one_key(bool has_sort_key) const {
    return partitions.size() == 1 && (!has_sort_key || (sort && sort->op == dynamodb::KeyCondition::Op::equal));
  }
};

// Conditions on key attributes count that are joined by AND with all others. Throws StatementError where a key
// attribute is compared with a value of another type than the schema's. Refers to the values of `where`.
[[nodiscard]] KeyPlan plan_keys(const std::optional<dynamodb::Condition>& where, const dynamodb::KeySchema& schema);

}  // namespace tidemill::lang::partiql
