#include "engine/mappings/item_failures.h"

namespace tidemill::engine {

std::optional<std::vector<std::string>> item_failures(const json::Value& answer) {
  std::vector<std::string> identifiers;
  const json::Value* list = answer.find("batchItemFailures");
  if (list == nullptr || list->is_null()) return identifiers;
  if (!list->is_array()) return std::nullopt;
  for (const json::Value& item : list->array()) {
    const json::Value* identifier = item.find("itemIdentifier");
    if (identifier == nullptr || !identifier->is_string() || identifier->string().empty()) return std::nullopt;
    identifiers.push_back(identifier->string());
  }
  return identifiers;
}

}  // namespace tidemill::engine
