// DescribeRule, ListRules, EnableRule, DisableRule and DeleteRule.
#include "services/events/bus.h"
#include "services/events/errors.h"
#include "services/events/listing.h"
#include "services/events/operations.h"
#include "services/events/rule.h"
#include "services/events/schedule.h"

namespace tidemill::events {
namespace {

std::optional<std::string> text_or_none(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

template <class Request>
RuleAddress rule_of(const wire::Context& context, const Request& request) {
  return {bus_of(context, request.event_bus_name), request.name};
}

shapes::Rule describe(const Rule& rule) {
  return {.name = rule.address.name,
          .arn = rule.address.arn(),
          .event_pattern = text_or_none(rule.event_pattern),
          .state = rule.state,
          .description = text_or_none(rule.description),
          .schedule_expression = text_or_none(rule.schedule),
          .role_arn = text_or_none(rule.role),
          .managed_by = {},
          .event_bus_name = rule.address.bus.name};
}

Task<void> set_state(Service& service, RuleAddress address, std::string_view state) {
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    Rule rule = co_await load_rule(txn, address);
    if (rule.state == state) co_return;
    rule.state = state;
    rule.scheduled = service.clock().now();
    save_rule(txn, rule);
    co_await plan(txn, rule, rule.scheduled);
  });
}

}  // namespace

Task<shapes::DescribeRuleOutput> describe_rule(Service& service, wire::Context& context,
                                               const shapes::DescribeRuleInput& request) {
  const auto snapshot = service.store().snapshot();
  shapes::Rule rule = describe(co_await load_rule(*snapshot, rule_of(context, request)));
  co_return shapes::DescribeRuleOutput{.name = std::move(rule.name),
                                       .arn = std::move(rule.arn),
                                       .event_pattern = std::move(rule.event_pattern),
                                       .schedule_expression = std::move(rule.schedule_expression),
                                       .state = std::move(rule.state),
                                       .description = std::move(rule.description),
                                       .role_arn = std::move(rule.role_arn),
                                       .managed_by = {},
                                       .event_bus_name = std::move(rule.event_bus_name),
                                       .created_by = bus_of(context, request.event_bus_name).account};
}

Task<shapes::ListRulesOutput> list_rules(Service& service, wire::Context& context,
                                         const shapes::ListRulesInput& request) {
  const BusAddress bus = bus_of(context, request.event_bus_name);
  const auto snapshot = service.store().snapshot();
  (void)co_await load_bus(*snapshot, bus);
  shapes::ListRulesOutput out;
  out.rules.emplace();
  out.next_token =
      co_await read_page(*snapshot, rules_range(bus, request.name_prefix.value_or("")),
                         {request.next_token, request.limit}, [&](std::string_view key, std::string_view value) {
                           out.rules->push_back(describe(decode_rule(rule_of_key(key), value)));
                           return true;
                         });
  co_return out;
}

Task<shapes::EnableRuleOutput> enable_rule(Service& service, wire::Context& context,
                                           const shapes::EnableRuleInput& request) {
  co_await set_state(service, rule_of(context, request), shapes::RuleState::kEnabled);
  co_return shapes::EnableRuleOutput{};
}

Task<shapes::DisableRuleOutput> disable_rule(Service& service, wire::Context& context,
                                             const shapes::DisableRuleInput& request) {
  co_await set_state(service, rule_of(context, request), shapes::RuleState::kDisabled);
  co_return shapes::DisableRuleOutput{};
}

// A rule that is not there is no error.
Task<shapes::DeleteRuleOutput> delete_rule(Service& service, wire::Context& context,
                                           const shapes::DeleteRuleInput& request) {
  const RuleAddress address = rule_of(context, request);
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    (void)co_await load_bus(txn, address.bus);
    const auto rule = co_await find_rule(txn, address);
    if (!rule) co_return;
    if (!rule->targets.empty()) throw invalid("Rule can't be deleted since it has targets.");
    txn.erase(rule_key(address));
    renew_edition(txn, address.bus);
    co_await unplan(txn, address);
  });
  co_return shapes::DeleteRuleOutput{};
}

}  // namespace tidemill::events
