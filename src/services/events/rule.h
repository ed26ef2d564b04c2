// What a rule is with its targets, and how it is kept: KeySpace::resource, (account, region, "events", "rule", bus,
// name), as JSON; the targets in it as PutTargets takes them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json_record.h"
#include "services/events/address.h"
#include "store/store.h"
#include "wire/shapes/events.h"

namespace tidemill::events {

namespace shapes = wire::events;

inline constexpr size_t kTargetsMax = 5;  // of a rule
inline constexpr size_t kRulesMax = 300;  // of a bus

struct Rule {
  RuleAddress address;
  base::Time created;
  std::string event_pattern;  // empty: none
  std::string schedule;       // empty: none
  base::Time scheduled;       // since when it has this schedule and is enabled
  std::string state = std::string(shapes::RuleState::kEnabled);
  std::string description;
  std::string role;
  json::TextMap tags;
  std::vector<shapes::Target> targets;

  [[nodiscard]] bool is_enabled() const { return state != shapes::RuleState::kDisabled; }
};

[[nodiscard]] std::string rule_key(const RuleAddress& address);
[[nodiscard]] store::Range rules_range(const BusAddress& bus);
// Those whose names begin with `prefix`.
[[nodiscard]] store::Range rules_range(const BusAddress& bus, std::string_view prefix);
// Throws std::runtime_error if the key is not one of a rule.
[[nodiscard]] RuleAddress rule_of_key(std::string_view key);

[[nodiscard]] std::string encode_rule(const Rule& rule);
// Throws std::runtime_error if `bytes` are damaged.
[[nodiscard]] Rule decode_rule(RuleAddress address, std::string_view bytes);

// Nothing: there is no such rule. The read is tracked if `reader` is a transaction.
Task<std::optional<Rule>> find_rule(store::Snapshot& reader, RuleAddress address);
// The same; throws ResourceNotFoundException, of its bus if that is not there.
Task<Rule> load_rule(store::Snapshot& reader, RuleAddress address);
// With a new edition of the bus's rules.
void save_rule(store::Transaction& txn, const Rule& rule);

}  // namespace tidemill::events
