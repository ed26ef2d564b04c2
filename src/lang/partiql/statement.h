// DynamoDB's subset of PartiQL: SELECT, INSERT, UPDATE, DELETE and EXISTS(SELECT …) on one table or index
// (developer guide, "PartiQL - a SQL-compatible query language for Amazon DynamoDB").
//
//   const Statement statement = parse_statement("SELECT * FROM \"Music\" WHERE \"Artist\" = ?", parameters);
//   const KeyPlan plan = plan_keys(statement.where, schema);   // key_plan.h: what of WHERE is a key, what a filter
//
// A statement is compiled into the conditions and updates of lang/dynamodb, which evaluate it.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "lang/dynamodb/condition.h"
#include "lang/dynamodb/update.h"
#include "lang/dynamodb/value.h"

namespace tidemill::lang::partiql {

inline constexpr size_t kStatementSizeMax = 8192;  // characters
inline constexpr int kNestingMax = 128;            // of parentheses, NOTs, lists, maps; AWS documents none

// A ValidationException. what() is AWS's message.
class StatementError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Statement {
  enum class Kind : uint8_t { select, insert, update, del, exists };
  enum class Returning : uint8_t { none, all_old, all_new, modified_old, modified_new };

  // One entry of a SELECT list: what stands at `path` becomes the attribute `name`, which is the path's last step.
  struct Column {
    dynamodb::Path path;
    std::string name;
  };
  struct Order {
    std::string attribute;
    bool descending = false;
  };

  Statement() = default;
  Statement(Statement&&) = default;
  Statement& operator=(Statement&&) = default;

  Kind kind = Kind::select;
  std::string table;
  std::optional<std::string> index;          // SELECT and EXISTS
  std::vector<Column> columns;               // SELECT; empty: *
  std::optional<dynamodb::Condition> where;  // all but INSERT
  std::vector<Order> order;                  // SELECT
  dynamodb::Item item;                       // INSERT
  dynamodb::Update update;                   // UPDATE
  Returning returning = Returning::none;     // UPDATE, DELETE

  std::deque<dynamodb::Value> values;  // what conditions and updates refer to
};

// Whether it only reads.
[[nodiscard]] inline bool is_read(const Statement& statement) { return statement.kind == Statement::Kind::select; }

// Parameters stand for the question marks in their order; there may be more of them, as on AWS. Throws StatementError.
[[nodiscard]] Statement parse_statement(std::string_view text, std::span<const dynamodb::Value> parameters);

// The attributes that the SELECT list names.
[[nodiscard]] dynamodb::Item project(const Statement& statement, dynamodb::ItemView item);

}  // namespace tidemill::lang::partiql
