// From the syntax tree to the conditions and updates of lang/dynamodb. Inside this room only.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "lang/partiql/syntax.h"

namespace tidemill::lang::partiql::detail {

// Literals and parameters of a statement. Views live as long as `store`.
class Values {
 public:
  Values(const Syntax& syntax, std::span<const dynamodb::Value> parameters, std::deque<dynamodb::Value>& store)
      : syntax_(syntax), parameters_(parameters), store_(store) {}

  // Whether the node is a literal or a parameter.
  [[nodiscard]] bool is_value(uint32_t node) const;
  // Throws StatementError for what DynamoDB cannot hold.
  [[nodiscard]] dynamodb::ValueView value(uint32_t node);
  [[nodiscard]] dynamodb::ValueView keep(dynamodb::Value value) { return store_.emplace_back(std::move(value)).view(); }
  // The members of a {…}, whose keys are strings.
  [[nodiscard]] dynamodb::Item item(uint32_t node);

 private:
  [[nodiscard]] dynamodb::Value build(uint32_t node, const std::string& place);
  [[nodiscard]] dynamodb::Value build_set(const Node& node, const std::string& place);
  [[nodiscard]] std::vector<std::pair<std::string, dynamodb::Value>> members(const Node& node, const std::string& place,
                                                                             bool top);

  const Syntax& syntax_;
  std::span<const dynamodb::Value> parameters_;
  std::deque<dynamodb::Value>& store_;
};

// Both throw StatementError.
[[nodiscard]] dynamodb::Condition compile_condition(const Syntax& syntax, Values& values);
[[nodiscard]] dynamodb::Update compile_update(const Syntax& syntax, Values& values);

// "Incorrect operand type for operator or function; operator or function: <, operand type: BOOL"
[[noreturn]] void refuse_operand_type(std::string_view name, std::string_view type);
[[noreturn]] void refuse_operand_count(std::string_view name, size_t count);

}  // namespace tidemill::lang::partiql::detail
