// Makes a rule, or replaces all that one says but its targets and its tags.
#include "lang/patterns/pattern.h"
#include "services/events/bus.h"
#include "services/events/errors.h"
#include "services/events/operations.h"
#include "services/events/rule.h"
#include "services/events/schedule.h"
#include "services/events/tags.h"

namespace tidemill::events {
namespace {

void check_pattern(const std::string& pattern) {
  try {
    (void)lang::patterns::Pattern::parse(pattern, lang::patterns::event_bridge());
  } catch (const lang::patterns::PatternError& error) {
    throw invalid_pattern(error.what());
  }
}

void check(const shapes::PutRuleInput& request, const BusAddress& bus) {
  const std::string pattern = request.event_pattern.value_or("");
  const std::string schedule = request.schedule_expression.value_or("");
  if (pattern.empty() && schedule.empty()) {
    throw invalid("Parameter(s) EventPattern or ScheduleExpression must be specified.");
  }
  if (request.role_arn) check_role(*request.role_arn);
  if (!pattern.empty()) check_pattern(pattern);
  if (!schedule.empty()) check_schedule(bus, schedule);
  if (request.state == shapes::RuleState::kEnabledWithAllCloudtrailManagementEvents) {
    throw not_supported("the state ENABLED_WITH_ALL_CLOUDTRAIL_MANAGEMENT_EVENTS");
  }
}

// What is there of the rule, or a new one.
Task<Rule> begin_rule(store::Transaction& txn, RuleAddress address, const shapes::PutRuleInput& request,
                      base::Time now) {
  if (auto rule = co_await find_rule(txn, address)) co_return *std::move(rule);
  size_t rules = 0;
  const store::Range range = rules_range(address.bus);
  co_await txn.scan(range, store::first(kRulesMax), [&](std::string_view, std::string_view) { return ++rules > 0; });
  if (rules >= kRulesMax) throw limit_exceeded();
  Rule rule{.address = std::move(address), .created = now};
  if (request.tags) rule.tags = with_tags({}, *request.tags);
  co_return rule;
}

}  // namespace

Task<shapes::PutRuleOutput> put_rule(Service& service, wire::Context& context, const shapes::PutRuleInput& request) {
  const RuleAddress address{bus_of(context, request.event_bus_name), request.name};
  check(request, address.bus);
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    (void)co_await load_bus(txn, address.bus);
    Rule rule = co_await begin_rule(txn, address, request, context.now());
    rule.event_pattern = request.event_pattern.value_or("");
    const std::string schedule = request.schedule_expression.value_or("");
    const bool was_scheduled = rule.schedule == schedule && rule.is_enabled();
    rule.schedule = schedule;
    rule.state = request.state.value_or(std::string(shapes::RuleState::kEnabled));
    if (!was_scheduled) rule.scheduled = context.now();
    rule.description = request.description.value_or("");
    rule.role = request.role_arn.value_or("");
    save_rule(txn, rule);
    co_await plan(txn, rule, context.now());
  });
  co_return shapes::PutRuleOutput{.rule_arn = address.arn()};
}

}  // namespace tidemill::events
