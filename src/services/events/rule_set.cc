#include "services/events/rule_set.h"

#include "base/executor.h"
#include "services/events/archive.h"
#include "services/events/bus.h"

namespace tidemill::events {
namespace {

// How much of an event a pattern goes through in about a microsecond (base::slice_is_over).
constexpr size_t kBytesPerStep = 512;

RulePtr activate_rule(RuleAddress address, std::string encoded) {
  Rule rule = decode_rule(std::move(address), encoded);
  auto active = std::make_shared<ActiveRule>();
  active->arn = rule.address.arn();
  active->is_enabled = rule.is_enabled();
  if (!rule.event_pattern.empty()) {
    const auto options = lang::patterns::without_limits(lang::patterns::event_bridge());
    active->pattern = lang::patterns::Pattern::parse(rule.event_pattern, options);
  }
  for (const shapes::Target& target : rule.targets) active->targets.push_back(activate(target));
  active->address = std::move(rule.address);
  active->encoded = std::move(encoded);
  return active;
}

lang::patterns::Pattern pattern_of(const Archive& archive) {
  auto options = lang::patterns::without_limits(lang::patterns::event_bridge());
  options.allows_empty = true;
  return lang::patterns::Pattern::parse(archive.event_pattern.empty() ? "{}" : archive.event_pattern, options);
}

}  // namespace

ActiveTarget activate(const shapes::Target& target) {
  using lang::inputs::InputPath;
  ActiveTarget active{.target = target, .input_path = {}, .input_template = {}, .variables = {}, .partition_key = {}};
  if (target.input_path) active.input_path = InputPath::parse(*target.input_path);
  if (target.kinesis_parameters) {
    active.partition_key = InputPath::parse(target.kinesis_parameters->partition_key_path);
  }
  if (!target.input_transformer) return active;
  active.input_template = lang::inputs::InputTemplate::parse(target.input_transformer->input_template);
  if (!target.input_transformer->input_paths_map) return active;
  for (const auto& [name, path] : *target.input_transformer->input_paths_map) {
    active.variables.emplace_back(name, InputPath::parse(path));
  }
  return active;
}

Task<std::vector<const Wanting*>> RuleSet::match(const json::Value& event, size_t bytes) const {
  lang::patterns::PatternSet::Matching matching(patterns, event);
  while (matching.step()) {
    if (base::slice_is_over(1 + bytes / kBytesPerStep)) co_await base::give_way();
  }
  std::vector<const Wanting*> found;
  for (const uint32_t place : std::move(matching).finish()) found.push_back(&by_place[place]);
  co_return found;
}

RuleSetPtr RuleSets::find(const std::string& arn) {
  const std::lock_guard lock(mutex_);
  const auto found = sets_.find(arn);
  return found == sets_.end() ? nullptr : found->second;
}

Task<RuleSetPtr> RuleSets::of_bus(store::Transaction& txn, BusAddress bus) {
  const auto edition = co_await txn.get(edition_key(bus));
  if (!edition) {
    static const RuleSetPtr kNoRules = std::make_shared<const RuleSet>();
    co_return bus.is_default() ? kNoRules : nullptr;
  }
  const std::string arn = bus.arn();
  RuleSetPtr before = find(arn);
  if (before && before->edition == *edition) co_return before;
  RuleSetPtr set = co_await compile(txn, std::move(bus), *edition, std::move(before));
  const std::lock_guard lock(mutex_);
  if (sets_.size() >= kBusesMax) sets_.clear();
  sets_.insert_or_assign(arn, set);
  co_return set;
}

// What stands in the store as it did before is not read anew.
Task<RuleSetPtr> RuleSets::compile(store::Transaction& txn, BusAddress bus, std::string edition, RuleSetPtr before) {
  auto set = std::make_shared<RuleSet>();
  set->edition = std::move(edition);
  std::vector<RulePtr> rules;
  const store::Range range = rules_range(bus);
  co_await txn.scan_untracked(range, store::Direction::forward, [&](std::string_view key, std::string_view value) {
    RulePtr rule;
    if (before) {
      const auto known = before->by_key.find(std::string(key));
      if (known != before->by_key.end() && known->second->encoded == value) rule = known->second;
    }
    if (!rule) rule = activate_rule(rule_of_key(key), std::string(value));
    set->by_key.emplace(std::string(key), rule);
    rules.push_back(std::move(rule));
    return true;
  });
  lang::patterns::PatternSet::Builder builder;
  for (RulePtr& rule : rules) {
    if (!rule->is_enabled || !rule->pattern) continue;
    builder.add(*rule->pattern);
    set->by_place.push_back({.rule = std::move(rule), .archive_id = ""});
    if (base::slice_is_over()) co_await base::give_way();
  }
  const store::Range archives = archives_range(bus.account, bus.region, "");
  co_await txn.scan_untracked(archives, store::Direction::forward, [&](std::string_view key, std::string_view value) {
    Archive archive = decode_archive(key, value);
    if (archive.bus != bus) return true;
    builder.add(pattern_of(archive));
    set->by_place.push_back({.rule = nullptr, .archive_id = std::move(archive.id)});
    return true;
  });
  while (builder.step()) {
    if (base::slice_is_over()) co_await base::give_way();
  }
  set->patterns = std::move(builder).finish();
  co_return set;
}

}  // namespace tidemill::events
