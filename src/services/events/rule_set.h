// The rules and archives of a bus as events meet them: patterns compiled into one set, inputs parsed. Kept from event
// to event, and made anew when the edition of the rules in the store is another (bus.h).
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lang/inputs/input_path.h"
#include "lang/inputs/input_template.h"
#include "lang/patterns/pattern_set.h"
#include "services/events/rule.h"
#include "store/store.h"

namespace tidemill::events {

struct ActiveTarget {
  shapes::Target target;
  std::optional<lang::inputs::InputPath> input_path;
  std::optional<lang::inputs::InputTemplate> input_template;
  std::vector<std::pair<std::string, lang::inputs::InputPath>> variables;  // of the template
  std::optional<lang::inputs::InputPath> partition_key;                    // of a data stream
};

struct ActiveRule {
  RuleAddress address;
  std::string arn;
  bool is_enabled = true;
  std::optional<lang::patterns::Pattern> pattern;  // none: it has a schedule only
  std::vector<ActiveTarget> targets;
  std::string encoded;
};
using RulePtr = std::shared_ptr<const ActiveRule>;

// Who wants events of a pattern: a rule or an archive.
struct Wanting {
  RulePtr rule;
  std::string archive_id;  // empty: it is a rule
};

struct RuleSet {
  std::string edition;
  lang::patterns::PatternSet patterns;
  std::vector<Wanting> by_place;                    // of the patterns
  std::unordered_map<std::string, RulePtr> by_key;  // all rules, disabled ones too

  // Those who want the event, which is of so many bytes. Gives way between patterns; both outlive it.
  Task<std::vector<const Wanting*>> match(const json::Value& event, size_t bytes) const;
};
using RuleSetPtr = std::shared_ptr<const RuleSet>;

// Throws lang::inputs::InputError for what cannot be read, which PutTargets refuses.
[[nodiscard]] ActiveTarget activate(const shapes::Target& target);

// Any thread.
class RuleSets {
 public:
  static constexpr size_t kBusesMax = 1000;  // kept; beyond, the cache starts anew

  // nullptr: there is no such bus. What the transaction reads of it is tracked: a rule that changes makes it conflict.
  Task<RuleSetPtr> of_bus(store::Transaction& txn, BusAddress bus);

 private:
  Task<RuleSetPtr> compile(store::Transaction& txn, BusAddress bus, std::string edition, RuleSetPtr before);
  [[nodiscard]] RuleSetPtr find(const std::string& arn);

  std::mutex mutex_;
  std::unordered_map<std::string, RuleSetPtr> sets_;  // by the bus's ARN
};

}  // namespace tidemill::events
