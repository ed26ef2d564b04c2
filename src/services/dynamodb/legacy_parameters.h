// The parameters that expressions have replaced: Expected, AttributeUpdates, KeyConditions, QueryFilter, ScanFilter,
// ConditionalOperator, AttributesToGet. Each becomes what the expression in its place becomes. All throw
// ValidationException; results refer to the values they are made of, which must stay where they are.
#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/dynamodb/condition.h"
#include "lang/dynamodb/key_condition.h"
#include "lang/dynamodb/projection.h"
#include "lang/dynamodb/update.h"
#include "services/dynamodb/errors.h"
#include "wire/shapes/dynamodb.h"

namespace tidemill::dynamodb {

using LegacyExpected = std::optional<std::map<std::string, wire::dynamodb::ExpectedAttributeValue>>;
using LegacyFilter = std::optional<std::map<std::string, wire::dynamodb::Condition>>;
using LegacyUpdates = std::optional<std::map<std::string, wire::dynamodb::AttributeValueUpdate>>;

// A parameter of a request, and whether the request has it.
struct Presence {
  std::string_view name;
  bool present;
};

// That a request does not have parameters of both kinds. Both lists are in the order in which AWS names them.
void check_not_mixed(std::initializer_list<Presence> legacy, std::initializer_list<Presence> expressions);

// Expected, QueryFilter or ScanFilter, with ConditionalOperator. Nothing if there are no conditions.
[[nodiscard]] std::optional<lang::dynamodb::Condition> parse_expected(
    const LegacyExpected& expected, const std::optional<std::string>& conditional_operator);
[[nodiscard]] std::optional<lang::dynamodb::Condition> parse_legacy_filter(
    MessageStyle style, const LegacyFilter& filter, const std::optional<std::string>& conditional_operator);

// KeyConditions; nothing if the request has none.
[[nodiscard]] std::optional<lang::dynamodb::KeyConditionExpression> parse_key_conditions(const LegacyFilter& conditions);

// AttributeUpdates; nothing if there are none.
[[nodiscard]] std::optional<lang::dynamodb::Update> parse_attribute_updates(const LegacyUpdates& updates);

// AttributesToGet: whole attributes, each named once. Nothing if the request has none.
[[nodiscard]] std::optional<lang::dynamodb::Projection> parse_attributes_to_get(
    MessageStyle style, const std::optional<std::vector<std::string>>& attributes);

}  // namespace tidemill::dynamodb
