#include "services/events/rule.h"

#include <stdexcept>

#include "base/json_members.h"
#include "base/ordered.h"
#include "services/events/bus.h"
#include "services/events/errors.h"
#include "store/resources.h"
#include "wire/registry.h"

namespace tidemill::events {
namespace {

constexpr store::ResourceType kRules{"events", "rule"};

std::string rules_prefix(const BusAddress& bus) {
  std::string key = store::resource_prefix(kRules, bus.account, bus.region);
  base::append_string(key, bus.name);
  return key;
}

// {"Targets": [...]}
std::string document_of(const std::vector<shapes::Target>& targets) {
  wire::WireResponse out;
  shapes::ops::ListTargetsByRule::serialize({.targets = targets}, out);
  return std::move(out.body);
}

std::vector<shapes::Target> targets_of(const std::string& document) {
  return shapes::ops::PutTargets::parse(wire::WireRequest{.body = document}).targets;
}

constexpr auto kRuleMembers = [](auto& member, auto& rule) {
  member("created_us", rule.created);
  member("event_pattern", rule.event_pattern);
  member("schedule", rule.schedule);
  member("scheduled_us", rule.scheduled);
  member("state", rule.state);
  member("description", rule.description);
  member("role", rule.role);
  member("tags", rule.tags);
  member.as("targets", rule.targets, document_of, targets_of);
};

}  // namespace

std::string rule_key(const RuleAddress& address) {
  std::string key = rules_prefix(address.bus);
  base::append_string(key, address.name);
  return key;
}

store::Range rules_range(const BusAddress& bus) { return store::Range::prefix(rules_prefix(bus)); }
store::Range rules_range(const BusAddress& bus, std::string_view prefix) {
  return store::Range::prefix(rules_prefix(bus).append(prefix));
}

RuleAddress rule_of_key(std::string_view key) {
  base::OrderedReader reader(key.substr(1));
  RuleAddress address;
  address.bus.account = reader.string();
  address.bus.region = reader.string();
  const bool is_ours = reader.string() == kRules.service && reader.string() == kRules.type;
  address.bus.name = reader.string();
  address.name = reader.string();
  if (!is_ours || !reader.ok() || !reader.at_end()) throw std::runtime_error("a rule's key is not readable");
  return address;
}

std::string encode_rule(const Rule& rule) { return json::encode(rule, kRuleMembers); }

Rule decode_rule(RuleAddress address, std::string_view bytes) {
  return json::decode("rule", bytes, kRuleMembers, Rule{.address = std::move(address)});
}

Task<std::optional<Rule>> find_rule(store::Snapshot& reader, RuleAddress address) {
  const auto bytes = co_await reader.get(rule_key(address));
  if (!bytes) co_return std::nullopt;
  co_return decode_rule(std::move(address), *bytes);
}

Task<Rule> load_rule(store::Snapshot& reader, RuleAddress address) {
  auto rule = co_await find_rule(reader, address);
  if (rule) co_return *std::move(rule);
  (void)co_await load_bus(reader, address.bus);
  throw rule_does_not_exist(address);
}

void save_rule(store::Transaction& txn, const Rule& rule) {
  txn.put(rule_key(rule.address), encode_rule(rule));
  renew_edition(txn, rule.address.bus);
}

}  // namespace tidemill::events
