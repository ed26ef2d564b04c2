#include "engine/queue_answer.h"

#include "base/json.h"

namespace tidemill::engine {

std::optional<std::vector<std::string>> reported_failures(std::string_view answer) {
  std::vector<std::string> failures;
  if (answer.empty()) return failures;
  const auto document = json::parse(answer);
  if (!document) return std::nullopt;
  if (document->is_null()) return failures;
  if (document->is_string() && document->string().empty()) return failures;
  if (document->is_array() && document->array().empty()) return failures;
  if (!document->is_object()) return std::nullopt;
  const json::Value* items = document->find("batchItemFailures");
  if (!items || items->is_null()) return failures;
  if (!items->is_array()) return std::nullopt;
  for (const json::Value& item : items->array()) {
    const json::Value* identifier = item.find("itemIdentifier");
    if (!identifier || !identifier->is_string() || identifier->string().empty()) return std::nullopt;
    failures.push_back(identifier->string());
  }
  return failures;
}

}  // namespace tidemill::engine
