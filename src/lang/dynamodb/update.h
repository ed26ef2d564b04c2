// UpdateExpression.
//
//   const Update update = parse_update(text, substitutions);
//   check_key_untouched(update, {"pk", "sk"});
//   const auto updated = apply(update, old_item);        // const: a transaction may run it again
//   … apply(update.paths, old_item) is UPDATED_OLD, apply(update.paths, *updated) UPDATED_NEW
#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <string_view>
#include <vector>

#include "lang/dynamodb/expression.h"
#include "lang/dynamodb/projection.h"

namespace tidemill::lang::dynamodb {

struct Update {
  enum class Section : uint8_t { set, remove, add, del };

  // A right-hand side: a tree of nodes by number.
  struct Operand {
    enum class Kind : uint8_t { path, value, if_not_exists, list_append, plus, minus };
    Kind kind;
    uint32_t first = 0;           // path: its number in operand_paths; else the first operand's number
    uint32_t second = 0;          // the second operand's number
    const char* value = nullptr;  // value: the encoded value, owned by the request
  };
  struct Action {
    Section section;
    uint32_t operand = 0;  // of set, add, del
  };

  Projection paths;  // what is updated; path number i is the target of action i
  std::vector<Action> actions;
  std::vector<Operand> operands;
  std::vector<Path> operand_paths;
  bool legacy = false;  // AttributeUpdates: another message where an attribute is of another type than the operand
};

// Throws ExpressionError.
[[nodiscard]] Update parse_update(std::string_view text, Substitutions& substitutions);

// Throws ExpressionError if the update's target is, or lies in, one of these attributes. Empty names are skipped.
void check_key_untouched(const Update& update, std::span<const std::string_view> key_attributes);

// The item after the update. All right-hand sides see `old`, which for an item that does not exist holds its key
// attributes alone. Errors are those that depend on the item. That the result is not too large is up to the caller.
[[nodiscard]] std::expected<Item, ExpressionError> apply(const Update& update, ItemView old);

}  // namespace tidemill::lang::dynamodb
