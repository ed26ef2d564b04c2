#include "services/events/routing.h"

#include "services/events/archive.h"
#include "services/events/target_services.h"
#include "wire/error.h"

namespace tidemill::events {
namespace {

constexpr int kInternalStatus = 500;

}  // namespace

void Round::begin() {
  letters_ = taken_ = bytes_ = 0;
  if (done_ > 0) return;
  rules_.clear();  // the first transaction is to track what it reads of them
  denials_.clear();
}

bool Round::goes_on() {
  done_ = taken_;
  return taken_ < letters_;
}

bool Round::may_send() {
  ++letters_;
  if (letters_ <= done_) {
    taken_ = letters_;
    return false;
  }
  if (bytes_ >= bytes_max_) return false;
  taken_ = letters_;
  return true;
}

Task<RuleSetPtr> Round::rules_of(store::Transaction& txn, Service& service, BusAddress bus) {
  const std::string arn = bus.arn();
  if (const auto known = rules_.find(arn); known != rules_.end()) co_return known->second;
  RuleSetPtr rules = co_await service.rules().of_bus(txn, std::move(bus));
  rules_.emplace(arn, rules);
  co_return rules;
}

Task<std::string> Round::denial_of(wire::Platform& platform, const ActiveRule& rule, const ActiveTarget& target) {
  std::pair key(rule.arn, target.target.id);
  if (const auto known = denials_.find(key); known != denials_.end()) co_return known->second;
  const auto denial = co_await find_denial(platform, rule.arn, target.target.arn, target.target.role_arn.value_or(""));
  // Who asks again may be told: the event would be lost for what ends by itself.
  if (denial && denial->status != store::SendStatus::rejected) {
    throw wire::Error("InternalException", kInternalStatus, denial->error);
  }
  co_return denials_.emplace(std::move(key), denial ? denial->error : std::string()).first->second;
}

namespace {

// What it takes to make a delivery, or to keep an event (base::slice_is_over): a little, and what it brings is written.
constexpr size_t kStepsOfDelivery = 4;
constexpr size_t kBytesPerStep = 512;
size_t steps_of(size_t bytes) { return kStepsOfDelivery + bytes / kBytesPerStep; }

// False: there is no such bus.
Task<bool> forward(store::Transaction& txn, Service& service, const BusAddress& bus, const Arrival& arrival,
                   Round& round, base::Time now) {
  if (!co_await round.rules_of(txn, service, bus)) co_return false;
  Arrival forwarded = arrival;
  forwarded.bus = bus;
  forwarded.is_forwarded = true;
  const std::set<std::string> all;
  co_await route(txn, service, forwarded, all, round, now);
  co_return true;
}

// How many bytes it brings.
Task<size_t> reach(store::Transaction& txn, Service& service, const ActiveRule& rule, const ActiveTarget& target,
                   const Arrival& arrival, Round& round, base::Time now) {
  const auto bus = parse_bus_arn(target.target.arn);
  if (bus && arrival.is_forwarded) co_return 0;
  // What may not go there, or has nowhere to go, is a delivery, which is refused and told of as others are.
  std::string denial;
  if (bus) {
    denial = co_await round.denial_of(service.platform(), rule, target);
    if (denial.empty() && co_await forward(txn, service, *bus, arrival, round, now)) co_return 0;
  }
  if (!round.may_send()) co_return 0;
  const size_t bytes = co_await service.sending().enqueue(txn, rule, target, arrival, std::move(denial), now);
  round.sent(bytes);
  co_return bytes;
}

}  // namespace

Task<void> route(store::Transaction& txn, Service& service, const Arrival& arrival,
                 const std::set<std::string>& only_rules, Round& round, base::Time now) {
  const RuleSetPtr rules = co_await round.rules_of(txn, service, arrival.bus);
  if (!rules) co_return;
  const bool is_replay = arrival.document.find("replay-name") != nullptr;
  const std::vector<const Wanting*> wanting_it = co_await rules->match(arrival.document, arrival.text.size());
  for (const Wanting* wanting : wanting_it) {
    if (!wanting->rule) {
      if (is_replay || !round.may_send()) continue;
      keep_event(txn, wanting->archive_id, arrival.text);
      round.sent(arrival.text.size());
      if (base::slice_is_over(steps_of(arrival.text.size()))) co_await base::give_way();
    } else if (only_rules.empty() || only_rules.contains(wanting->rule->arn)) {
      co_await reach_targets(txn, service, *wanting->rule, arrival, round, now);
    }
  }
}

Task<void> reach_targets(store::Transaction& txn, Service& service, const ActiveRule& rule, const Arrival& arrival,
                         Round& round, base::Time now) {
  for (const ActiveTarget& target : rule.targets) {
    const size_t bytes = co_await reach(txn, service, rule, target, arrival, round, now);
    if (base::slice_is_over(steps_of(bytes))) co_await base::give_way();
  }
}

}  // namespace tidemill::events
