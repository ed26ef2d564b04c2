#include "rights/judgment.h"

#include "base/json.h"
#include "base/text.h"

namespace tidemill::rights {

using lang::policies::Outcome;

size_t bytes_of(const Judgment& judgment) {
  size_t bytes = sizeof(Judgment) + judgment.ask.action.size() + judgment.ask.resource.size() + judgment.policy.size() +
                 judgment.statement.size() + judgment.message.size();
  for (const auto& [key, values] : judgment.ask.facts) {
    bytes += sizeof(judgment.ask.facts.front()) + key.size();
    for (const std::string& value : values) bytes += sizeof(value) + value.size();
  }
  return bytes;
}

std::string because_of(const Judgment& judgment) {
  if (judgment.statement.empty()) {
    return judgment.is_allowed() ? "nothing bounds the caller"
                                 : base::cat("no ", name_of(judgment.kind), " allows it");
  }
  std::string text(name_of(judgment.kind));
  if (!judgment.policy.empty()) text += base::cat(" ", judgment.policy);
  return base::cat(text, ", ", judgment.statement);
}

std::string name_of(const wire::OperationInfo& operation) {
  return base::cat(operation.service, ".", operation.name);
}

std::string_view name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::allowed:
      return "allowed";
    case Outcome::implicitly_denied:
      return "implicitDeny";
    case Outcome::explicitly_denied:
      return "explicitDeny";
  }
  return "";
}

std::string least_statement(const Ask& ask) {
  return json::write(json::Object{{"Effect", "Allow"}, {"Action", ask.action}, {"Resource", ask.resource}});
}

}  // namespace tidemill::rights
