// PutTargets, RemoveTargets, ListTargetsByRule and ListRuleNamesByTarget.
#include <algorithm>
#include <set>

#include "base/base64.h"
#include "base/text.h"
#include "services/events/bus.h"
#include "services/events/errors.h"
#include "services/events/listing.h"
#include "services/events/operations.h"
#include "services/events/rule.h"
#include "services/events/target_services.h"

namespace tidemill::events {
namespace {

template <class Request>
RuleAddress rule_of(const wire::Context& context, const Request& request) {
  return {bus_of(context, request.event_bus_name), request.rule};
}

// One of the same id is replaced.
void put_target(Rule& rule, const shapes::Target& target) {
  const auto same = std::ranges::find(rule.targets, target.id, &shapes::Target::id);
  if (same != rule.targets.end())
    *same = target;
  else
    rule.targets.push_back(target);
  if (rule.targets.size() > kTargetsMax) throw limit_exceeded();
}

void check_ids(const std::vector<shapes::Target>& targets) {
  std::set<std::string_view> ids;
  for (const shapes::Target& target : targets) {
    if (ids.insert(target.id).second) continue;
    throw invalid_parameter("targets", base::cat("More than one target with Id '", target.id, "' is provided."));
  }
}

}  // namespace

Task<shapes::PutTargetsOutput> put_targets(Service& service, wire::Context& context,
                                           const shapes::PutTargetsInput& request) {
  const RuleAddress address = rule_of(context, request);
  check_ids(request.targets);
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    Rule rule = co_await load_rule(txn, address);
    for (const shapes::Target& target : request.targets) {
      check_target(context, address.bus, target);
      put_target(rule, target);
    }
    save_rule(txn, rule);
  });
  shapes::PutTargetsOutput out;
  out.failed_entry_count = 0;
  out.failed_entries.emplace();
  co_return out;
}

Task<shapes::RemoveTargetsOutput> remove_targets(Service& service, wire::Context& context,
                                                 const shapes::RemoveTargetsInput& request) {
  const RuleAddress address = rule_of(context, request);
  shapes::RemoveTargetsOutput out;
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    out.failed_entries.emplace();
    Rule rule = co_await load_rule(txn, address);
    for (const std::string& id : request.ids) {
      if (std::erase_if(rule.targets, [&](const shapes::Target& target) { return target.id == id; }) > 0) continue;
      out.failed_entries->push_back(
          {.target_id = id,
           .error_code = "ResourceNotFoundException",
           .error_message = base::cat("Rule ", rule.address.name, " does not have a target with the Id ", id, ".")});
    }
    save_rule(txn, rule);
  });
  out.failed_entry_count = static_cast<int32_t>(out.failed_entries->size());
  co_return out;
}

Task<shapes::ListTargetsByRuleOutput> list_targets_by_rule(Service& service, wire::Context& context,
                                                           const shapes::ListTargetsByRuleInput& request) {
  const auto after = request.next_token ? base::base64_decode(*request.next_token) : std::string();
  if (!after) throw invalid_parameter("NextToken", "It is no token of this list.");
  const size_t most = request.limit ? static_cast<size_t>(*request.limit) : kPageSize;
  const auto snapshot = service.store().snapshot();
  const Rule rule = co_await load_rule(*snapshot, rule_of(context, request));
  // A token is the id of the last target that was shown.
  auto target = std::ranges::find(rule.targets, *after, &shapes::Target::id);
  target = target == rule.targets.end() ? rule.targets.begin() : target + 1;
  shapes::ListTargetsByRuleOutput out;
  out.targets.emplace();
  for (; target != rule.targets.end() && out.targets->size() < most; ++target) out.targets->push_back(*target);
  if (target != rule.targets.end()) out.next_token = base::base64_encode(out.targets->back().id);
  co_return out;
}

Task<shapes::ListRuleNamesByTargetOutput> list_rule_names_by_target(Service& service, wire::Context& context,
                                                                    const shapes::ListRuleNamesByTargetInput& request) {
  const BusAddress bus = bus_of(context, request.event_bus_name);
  const auto snapshot = service.store().snapshot();
  (void)co_await load_bus(*snapshot, bus);
  shapes::ListRuleNamesByTargetOutput out;
  out.rule_names.emplace();
  out.next_token = co_await read_page(*snapshot, rules_range(bus), {request.next_token, request.limit},
                                      [&](std::string_view key, std::string_view value) {
                                        const Rule rule = decode_rule(rule_of_key(key), value);
                                        const bool has_it = std::ranges::any_of(rule.targets, [&](const auto& target) {
                                          return target.arn == request.target_arn;
                                        });
                                        if (has_it) out.rule_names->push_back(rule.address.name);
                                        return has_it;
                                      });
  co_return out;
}

}  // namespace tidemill::events
