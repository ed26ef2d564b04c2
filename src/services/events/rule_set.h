// The rules of a bus as events meet them: patterns compiled into one set, inputs parsed. Kept from event to event, and
// made anew when the edition of the rules in the store is another (bus.h).
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

struct RuleSet {
  std::string edition;
  lang::patterns::PatternSet patterns;
  std::vector<RulePtr> by_place;                    // of the patterns
  std::unordered_map<std::string, RulePtr> by_key;  // all, disabled ones too

  // The rules that want the event.
  [[nodiscard]] std::vector<RulePtr> match(const json::Value& event) const;
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
