// Stack policies: which resources an update of a stack may touch, and how. With a policy, what no statement allows is
// denied, and what one denies is denied whatever others allow. Creations, rollbacks and removals of stacks ask nobody.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/cloudformation/plan.h"
#include "wire/context.h"

namespace tidemill::cloudformation {

inline constexpr size_t kStackPolicyBytesMax = 16'384;

class StackPolicy {
 public:
  // Throws std::invalid_argument for what is no stack policy.
  explicit StackPolicy(std::string_view text);

  // Why `action` ("Update:Modify", "Update:Replace", "Update:Delete") is denied; empty: it is allowed.
  [[nodiscard]] std::string why_denied(std::string_view action, std::string_view logical_id, std::string_view type) const;

  // The first resource that a statement names without a wildcard and that is not in the template; empty: none.
  [[nodiscard]] std::string unknown_resource(const Plan& plan) const;

 private:
  struct List {
    std::vector<std::string> patterns;
    bool is_negated = false;  // NotAction, NotResource

    [[nodiscard]] bool covers(std::string_view text) const;
  };
  struct Condition {
    std::vector<std::string> types;
    bool is_negated = false;
    bool has_wildcards = false;
  };
  struct Statement {
    bool allows = false;
    List actions;
    List resources;
    std::vector<Condition> conditions;

    [[nodiscard]] bool covers(std::string_view action, std::string_view logical_id, std::string_view type) const;
  };

  static Statement parse_statement(const json::Value& value);
  static List parse_list(const json::Value& statement, std::string_view name, std::string_view negated_name);
  static std::vector<Condition> parse_conditions(const json::Value& value);

  std::vector<Statement> statements_;
};

// The policy of a request, which gives it or where it stands; nothing: neither. `name`: "StackPolicy". Throws
// ValidationError for both, for what is no policy, and for one that names what `plan`, if there is one, has not.
Task<std::optional<std::string>> stack_policy_of(wire::Context& context, std::optional<std::string> body,
                                                 std::optional<std::string> url, std::string name, const Plan* plan);

}  // namespace tidemill::cloudformation
