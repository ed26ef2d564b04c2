#include "services/events/schedule.h"

#include "base/uuid.h"
#include "lang/schedules/schedule.h"
#include "services/events/errors.h"
#include "services/events/routing.h"

namespace tidemill::events {
namespace {

using lang::schedules::Schedule;
using lang::schedules::TimeZone;

constexpr std::string_view kTimer = "events-schedule";

Arrival scheduled_event(const RuleAddress& rule, base::Time due, base::Time now) {
  Event event{.id = base::new_uuid(),
              .source = "aws.events",
              .detail_type = "Scheduled Event",
              .account = rule.bus.account,
              .region = rule.bus.region,
              .time = due,
              .resources = {rule.arn()},
              .detail = json::Object()};
  return {rule.bus, document_of(std::move(event)), now};
}

Task<void> run(Service& service, const store::Timer& timer) {
  const auto address = parse_rule_arn(timer.id);
  if (!address) throw std::runtime_error("the timer of a rule is damaged");
  const base::Time now = service.clock().now();
  const Arrival arrival = scheduled_event(*address, timer.due, now);
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    if (!co_await store::finish_timer(txn, timer)) co_return;
    const RuleSetPtr rules = co_await service.rules().of_bus(txn, address->bus);
    const auto rule = co_await find_rule(txn, *address);
    if (!rules || !rule) co_return;
    const auto active = rules->by_key.find(rule_key(*address));
    Round round(SIZE_MAX);  // nobody would send what is left over
    if (active != rules->by_key.end()) co_await reach_targets(txn, service, *active->second, arrival, round, now);
    co_await plan(txn, *rule, now);
  });
}

}  // namespace

void check_schedule(const BusAddress& bus, const std::string& expression) {
  const auto schedule = Schedule::parse(expression);
  if (!schedule || schedule->kind() == Schedule::Kind::at) throw invalid("Parameter ScheduleExpression is not valid.");
  if (!bus.is_default()) throw invalid("ScheduleExpression is supported only on the default event bus.");
}

Task<void> plan(store::Transaction& txn, const Rule& rule, base::Time now) {
  const auto schedule = Schedule::parse(rule.schedule);
  std::optional<base::Time> next;
  if (schedule && rule.is_enabled()) {
    const auto utc = TimeZone::utc();
    next = schedule->next(now, {.zone = *utc, .anchor = rule.scheduled});
  }
  if (next)
    co_await store::set_timer(txn, {std::string(kTimer), rule.address.arn(), *next, ""});
  else
    co_await unplan(txn, rule.address);
}

Task<void> unplan(store::Transaction& txn, const RuleAddress& rule) {
  const std::string arn = rule.arn();
  co_await store::cancel_timer(txn, {kTimer}, arn);
}

void run_schedules_by(engine::TimerService& timers, Service& service) {
  timers.handle(store::TimerKind{kTimer}, [&service](const store::Timer& timer) { return run(service, timer); });
}

}  // namespace tidemill::events
