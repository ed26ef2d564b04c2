// Random WHERE clauses: that they mean what the same ConditionExpression means, and that a key plan finds what the
// whole clause finds.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "lang/partiql/key_plan.h"
#include "lang/partiql/statement.h"

namespace tidemill::lang::partiql {
namespace {

using dynamodb::Item;
using dynamodb::Type;
using dynamodb::Value;

constexpr int kClauses = 3000;
constexpr int kItemsPerClause = 12;
constexpr int kDepth = 3;

// One clause, written in both languages with literals where both have them and placeholders in the expression.
struct Clause {
  std::string partiql;
  std::string expression;
};

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  int below(int count) { return std::uniform_int_distribution(0, count - 1)(random_); }

  Clause clause(int depth) {
    const int choice = below(depth > 0 ? 8 : 5);
    if (choice < 5) return leaf();
    Clause left = clause(depth - 1);
    if (choice == 5) return {"NOT " + left.partiql, "NOT " + left.expression};
    const Clause right = clause(depth - 1);
    const std::string joint = choice == 6 && below(3) == 0 ? " OR " : " AND ";
    return {"(" + left.partiql + joint + right.partiql + ")", "(" + left.expression + joint + right.expression + ")"};
  }

  Item item() {
    Item item{{"k", Value::string(text())}, {"s", Value::number(below(5))}};
    if (below(2) == 0) item.set("n", Value::number(below(5)));
    if (below(3) == 0) item.set("n", Value::string(text()));
    return item;
  }

  // The values of the last clause by their placeholders.
  Item values;

 private:
  std::string text() { return std::string(1, static_cast<char>('a' + below(3))); }

  // A literal and its placeholder.
  Clause operand(bool number) {
    const std::string placeholder = ":v" + std::to_string(next_++);
    if (number) {
      const int value = below(5);
      values.set(placeholder, Value::number(value));
      return {std::to_string(value), placeholder};
    }
    const std::string value = text();
    values.set(placeholder, Value::string(value));
    return {"'" + value + "'", placeholder};
  }

  Clause leaf() {
    static constexpr std::array<std::string_view, 6> kComparators = {"=", "=", "<", "<=", ">", "<>"};
    const std::string name(1, "ksn"[below(3)]);
    const bool number = name == "s" || (name == "n" && below(2) == 0);
    const Clause value = operand(number);
    switch (below(6)) {
      case 0: {
        const Clause other = operand(number);
        return {name + " IN [" + value.partiql + ", " + other.partiql + "]",
                name + " IN (" + value.expression + ", " + other.expression + ")"};
      }
      case 1: {
        if (!number)
          return {"begins_with(" + name + ", " + value.partiql + ")",
                  "begins_with(" + name + ", " + value.expression + ")"};
        values.set(value.expression, Value::number(1));
        const Clause high = operand(true);
        values.set(high.expression, Value::number(3));
        return {name + " BETWEEN 1 AND 3", name + " BETWEEN " + value.expression + " AND " + high.expression};
      }
      case 2: {
        const std::string op(kComparators[static_cast<size_t>(below(6))]);
        return {value.partiql + " " + op + " " + name, value.expression + " " + op + " " + name};
      }
      default: {
        const std::string op(kComparators[static_cast<size_t>(below(6))]);
        return {name + " " + op + " " + value.partiql, name + " " + op + " " + value.expression};
      }
    }
  }

  std::mt19937_64 random_;
  int next_ = 0;
};

// How often a plan finds an item: where to look, and the filter.
int times_found(const KeyPlan& plan, const Item& item) {
  if (plan.rest && !evaluate(*plan.rest, item)) return 0;
  if (plan.ranges.empty()) return 1;
  return static_cast<int>(std::ranges::count_if(plan.ranges, [&](const KeyRange& range) {
    return range.partition == *item.find("k") && (!range.sort || matches(*range.sort, *item.find("s")));
  }));
}

TEST(PartiqlAgreement, ClausesMeanWhatConditionsMeanAndPlansFindWhatClausesFind) {
  int planned = 0;
  for (int seed = 0; seed < kClauses; ++seed) {
    Generator generator(static_cast<uint64_t>(seed));
    const Clause clause = generator.clause(kDepth);
    SCOPED_TRACE(clause.partiql);
    const Statement statement = parse_statement("SELECT * FROM Tab WHERE " + clause.partiql, {});
    dynamodb::Substitutions substitutions;
    substitutions.set_values(generator.values);
    const dynamodb::Condition condition =
        parse_condition(clause.expression, dynamodb::ExpressionKind::condition, substitutions);
    const KeyPlan plan = plan_keys(statement.where, {"k", Type::S, "s", Type::N});
    planned += plan.ranges.empty() ? 0 : 1;
    for (int i = 0; i < kItemsPerClause; ++i) {
      const Item item = generator.item();
      const bool expected = evaluate(condition, item);
      ASSERT_EQ(evaluate(*statement.where, item), expected);
      ASSERT_EQ(times_found(plan, item), expected ? 1 : 0);
    }
  }
  EXPECT_GT(planned, kClauses / 20);  // else the plans have hardly been tested
}

}  // namespace
}  // namespace tidemill::lang::partiql
