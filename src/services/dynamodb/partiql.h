// What the operations of PartiQL share: statements parsed with AWS's errors, reads as Query, Scan and GetItem do them,
// writes as item operations.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lang/partiql/key_plan.h"
#include "lang/partiql/statement.h"
#include "services/dynamodb/item_operation.h"
#include "services/dynamodb/operations.h"

namespace tidemill::dynamodb {

using lang::partiql::Statement;
using StatementParameters = std::optional<std::vector<lang::dynamodb::Value>>;

// Throws ValidationException. `place` names the parameters in AWS's complaint about an empty list of them.
[[nodiscard]] Statement parse_statement(const std::string& text, const StatementParameters& parameters,
                                        std::string_view place = "parameters");

// What of the WHERE clause is a key of the table or index. Throws ValidationException. Refers to the statement.
[[nodiscard]] lang::partiql::KeyPlan plan_statement(const Statement& statement,
                                                    const lang::dynamodb::KeySchema& schema);

// The primary key that the plan names; the plan is_one_key().
[[nodiscard]] Item planned_key(const lang::partiql::KeyPlan& plan, const Table& table);

// Where a SELECT goes on: in which of its plan's ranges, and behind which key.
struct StatementPosition {
  uint32_t range = 0;
  std::optional<Item> start_key;
};

// An opaque token that is good for this statement with these parameters only.
[[nodiscard]] std::string encode_next_token(const StatementPosition& position, const std::string& text,
                                            const StatementParameters& parameters);
// Throws ValidationException: "Invalid NextToken", "NextToken does not match request".
[[nodiscard]] StatementPosition decode_next_token(const std::string& token, const std::string& text,
                                                  const StatementParameters& parameters);

struct ReadOptions {
  std::optional<bool> consistent;
  std::optional<int32_t> limit;  // items looked at
  StatementPosition from;
  std::optional<std::string> return_consumed_capacity;
};

struct ReadPage {
  std::vector<Item> items;
  std::optional<StatementPosition> next;
  std::optional<Item> last_evaluated_key;
  std::optional<shapes::ConsumedCapacity> consumed_capacity;
};

// One page of a SELECT. Throws wire::Error.
Task<ReadPage> read_page(Service& service, wire::Context& context, const Statement& statement, ReadOptions options);

// A SELECT that must name one item by its primary key and nothing else, as in batches and transactions. `operation`
// stands in AWS's message. Throws wire::Error.
Task<ReadPage> read_one(Service& service, wire::Context& context, const Statement& statement, ReadOptions options,
                        std::string_view operation);

// INSERT, UPDATE or DELETE, to be run(), or EXISTS, which only a transaction can carry out. Its outcome's attributes are
// what RETURNING asks for.
[[nodiscard]] std::shared_ptr<ItemOperation> make_write(
    Statement statement, const std::optional<std::string>& return_consumed_capacity,
    const std::optional<std::string>& return_values_on_condition_check_failure);

}  // namespace tidemill::dynamodb
