#include "services/events/routing.h"

#include "services/events/archive.h"

namespace tidemill::events {
namespace {

constexpr size_t kStepsOfDelivery = 4;  // what it takes to make one, of base::slice_is_over

// False: there is no such bus.
Task<bool> forward(store::Transaction& txn, Service& service, const BusAddress& bus, const Arrival& arrival,
                   base::Time now) {
  if (!co_await service.rules().of_bus(txn, bus)) co_return false;
  Arrival forwarded = arrival;
  forwarded.bus = bus;
  forwarded.is_forwarded = true;
  co_await route(txn, service, forwarded, now);
  co_return true;
}

Task<void> reach(store::Transaction& txn, Service& service, const ActiveRule& rule, const ActiveTarget& target,
                 const Arrival& arrival, base::Time now) {
  const auto bus = parse_bus_arn(target.target.arn);
  if (bus && arrival.is_forwarded) co_return;
  if (bus && co_await forward(txn, service, *bus, arrival, now)) co_return;
  co_await service.sending().enqueue(txn, rule, target, arrival, now);
}

}  // namespace

Task<void> route(store::Transaction& txn, Service& service, const Arrival& arrival,
                 const std::set<std::string>& only_rules, base::Time now) {
  const RuleSetPtr rules = co_await service.rules().of_bus(txn, arrival.bus);
  if (!rules) co_return;
  const bool is_replay = arrival.document.find("replay-name") != nullptr;
  for (const Wanting* wanting : rules->match(arrival.document)) {
    if (!wanting->rule) {
      if (!is_replay) keep_event(txn, wanting->archive_id, arrival.text);
    } else if (only_rules.empty() || only_rules.contains(wanting->rule->arn)) {
      co_await reach_targets(txn, service, *wanting->rule, arrival, now);
    }
  }
}

Task<void> route(store::Transaction& txn, Service& service, const Arrival& arrival, base::Time now) {
  const std::set<std::string> all;
  co_await route(txn, service, arrival, all, now);
}

Task<void> reach_targets(store::Transaction& txn, Service& service, const ActiveRule& rule, const Arrival& arrival,
                         base::Time now) {
  for (const ActiveTarget& target : rule.targets) {
    co_await reach(txn, service, rule, target, arrival, now);
    if (base::slice_is_over(kStepsOfDelivery)) co_await base::give_way();
  }
}

}  // namespace tidemill::events
