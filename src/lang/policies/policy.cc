#include "lang/policies/policy.h"

#include <algorithm>

namespace tidemill::lang::policies {

std::optional<bool> Statement::Patterns::fit(std::string_view text, const FactSource& facts) const {
  if (!is_given) return true;
  bool found = false;
  for (const Glob& glob : globs) {
    const auto matched = glob.matches(text, facts);
    if (!matched) return std::nullopt;
    if (*matched) found = true;
  }
  return found != is_negated;
}

Naming Statement::match(const Question& question) const {
  if (!concerns(question).value_or(false)) return Naming::none;
  Naming naming = Naming::everybody;
  if (principals_ && spares_principals_) {
    if (principals_->spares(question.caller)) return Naming::none;
  } else if (principals_) {
    naming = principals_->naming(question.caller);
    if (naming == Naming::none) return naming;
  }
  for (const Condition& condition : conditions_) {
    const bool holds = question.facts.is_unknown(condition.key) ? effect() == Effect::deny
                                                                : condition.holds(question.facts).value_or(false);
    if (!holds) return Naming::none;
  }
  return naming;
}

bool Statement::uses_facts() const {
  const auto uses = [](const Glob& glob) { return glob.uses_facts(); };
  return !conditions_.empty() || std::ranges::any_of(actions_.globs, uses) ||
         std::ranges::any_of(resources_.globs, uses);
}

Effort Statement::effort() const {
  Effort effort;
  for (const Glob& glob : actions_.globs) effort.a_byte_asked += glob.effort();
  for (const Glob& glob : resources_.globs) effort.a_byte_asked += glob.effort();
  for (const Condition& condition : conditions_) effort.a_byte_of_facts += condition.effort();
  return effort;
}

std::optional<bool> Statement::concerns(const Question& question) const {
  if (!actions_.fit(question.action, question.facts).value_or(false)) return false;
  return resources_.fit(question.resource, question.facts);
}

std::vector<std::string> Statement::keys() const {
  std::vector<std::string> keys;
  for (const Glob& glob : resources_.globs) glob.add_keys(keys);
  for (const Condition& condition : conditions_) {
    keys.push_back(condition.name);
    for (const Glob& value : condition.values) value.add_keys(keys);
  }
  return keys;
}

Verdict Policy::judge(const Question& question) const {
  Verdict verdict;
  for (const Statement& statement : statements_) {
    const Naming naming = statement.match(question);
    if (naming == Naming::none) continue;
    if (statement.effect() == Effect::deny) {
      verdict.denies = &statement;
      return verdict;
    }
    if (naming <= verdict.naming) continue;
    verdict.allows = &statement;
    verdict.naming = naming;
  }
  return verdict;
}

}  // namespace tidemill::lang::policies
