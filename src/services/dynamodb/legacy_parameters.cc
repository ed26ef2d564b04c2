#include "services/dynamodb/legacy_parameters.h"

#include <algorithm>
#include <set>

#include "lang/dynamodb/legacy_condition.h"
#include "lang/dynamodb/legacy_update.h"
#include "services/dynamodb/expressions.h"

namespace tidemill::dynamodb {

namespace {

namespace language = lang::dynamodb;

// "AttributesToGet, ScanFilter"
std::string present_names(std::initializer_list<Presence> parameters) {
  std::string names;
  for (const Presence& parameter : parameters) {
    if (!parameter.present) continue;
    if (!names.empty()) names.append(", ");
    names.append(parameter.name);
  }
  return names;
}

language::Junction parse_junction(const std::optional<std::string>& conditional_operator, size_t conditions) {
  if (conditional_operator && conditions == 0) {
    throw validation("ConditionalOperator cannot be used without Filter or Expected");
  }
  if (conditional_operator && conditions == 1) {
    throw validation("ConditionalOperator can only be used when Filter or Expected has two or more elements");
  }
  return conditional_operator == "OR" ? language::Junction::any_of : language::Junction::all_of;
}

std::vector<ValueView> views(const std::vector<Value>& values) { return {values.begin(), values.end()}; }

std::vector<language::LegacyComparison> comparisons(const LegacyFilter& filter) {
  std::vector<language::LegacyComparison> list;
  for (const auto& [attribute, condition] : *filter) {
    list.push_back({attribute, condition.comparison_operator,
                    condition.attribute_value_list ? views(*condition.attribute_value_list) : std::vector<ValueView>()});
  }
  return list;
}

}  // namespace

void check_not_mixed(std::initializer_list<Presence> legacy, std::initializer_list<Presence> expressions) {
  if (std::ranges::none_of(legacy, &Presence::present)) return;
  if (std::ranges::none_of(expressions, &Presence::present)) return;
  throw validation("Can not use both expression and non-expression parameters in the same request: Non-expression "
                   "parameters: {" +
                   present_names(legacy) + "} Expression parameters: {" + present_names(expressions) + "}");
}

std::optional<language::Condition> parse_expected(const LegacyExpected& expected,
                                                  const std::optional<std::string>& conditional_operator) {
  const language::Junction junction = parse_junction(conditional_operator, expected ? expected->size() : 0);
  if (!expected || expected->empty()) return std::nullopt;
  std::vector<language::LegacyExpectation> list;
  for (const auto& [attribute, entry] : *expected) {
    language::LegacyExpectation& item = list.emplace_back(language::LegacyExpectation{.attribute = attribute});
    item.value = entry.value;
    item.exists = entry.exists;
    item.op = entry.comparison_operator;
    if (entry.attribute_value_list) item.operands = views(*entry.attribute_value_list);
  }
  return with_expression_errors(MessageStyle::prefixed, [&] { return language::legacy_condition(list, junction); });
}

std::optional<language::Condition> parse_legacy_filter(MessageStyle style, const LegacyFilter& filter,
                                                       const std::optional<std::string>& conditional_operator) {
  const language::Junction junction = parse_junction(conditional_operator, filter ? filter->size() : 0);
  if (!filter || filter->empty()) return std::nullopt;
  return with_expression_errors(style, [&] { return language::legacy_condition(comparisons(filter), junction); });
}

std::optional<language::KeyConditionExpression> parse_key_conditions(const LegacyFilter& conditions) {
  if (!conditions) return std::nullopt;
  return with_expression_errors(MessageStyle::prefixed,
                                [&] { return language::legacy_key_condition(comparisons(conditions)); });
}

std::optional<language::Update> parse_attribute_updates(const LegacyUpdates& updates) {
  if (!updates || updates->empty()) return std::nullopt;
  std::vector<language::LegacyAttributeUpdate> list;
  for (const auto& [attribute, update] : *updates) list.push_back({attribute, update.action, update.value});
  return with_expression_errors(MessageStyle::prefixed, [&] { return language::legacy_update(list); });
}

std::optional<language::Projection> parse_attributes_to_get(MessageStyle style,
                                                            const std::optional<std::vector<std::string>>& attributes) {
  if (!attributes) return std::nullopt;
  std::set<std::string_view> seen;
  for (const std::string& attribute : *attributes) {
    if (seen.insert(attribute).second) continue;
    throw validation(style, "One or more parameter values were invalid: Duplicate value in attribute name: " + attribute);
  }
  return language::projection_of(*attributes);
}

}  // namespace tidemill::dynamodb
