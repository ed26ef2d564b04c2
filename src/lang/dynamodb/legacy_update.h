// AttributeUpdates, how UpdateItem was told its work before it had expressions (developer guide, "Legacy conditional
// parameters"). It becomes the update that an expression becomes, with its own words for a wrong type.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "lang/dynamodb/update.h"

namespace tidemill::lang::dynamodb {

struct LegacyAttributeUpdate {
  std::string_view attribute;
  std::optional<std::string_view> action;  // PUT (also if missing), ADD or DELETE; no other
  std::optional<ValueView> value;
};

// PUT sets the attribute. ADD adds a number or the elements of a set, and appends a list; what is missing counts as
// nothing. DELETE removes the attribute, or the elements of a set if there is a value. Each attribute stands once.
// Throws ExpressionError; refers to the values.
[[nodiscard]] Update legacy_update(std::span<const LegacyAttributeUpdate> updates);

}  // namespace tidemill::lang::dynamodb
