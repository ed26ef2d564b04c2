#include "engine/mappings/queue_answer.h"

#include "base/json.h"
#include "engine/mappings/item_failures.h"

namespace tidemill::engine {

namespace {

bool says_nothing(const json::Value& answer) {
  return answer.is_null() || (answer.is_string() && answer.string().empty()) ||
         (answer.is_array() && answer.array().empty());
}

}  // namespace

std::optional<std::vector<std::string>> reported_failures(std::string_view answer) {
  std::vector<std::string> none;
  if (answer.empty()) return none;
  const auto document = json::parse(answer);
  if (!document) return std::nullopt;
  if (says_nothing(*document)) return none;
  if (!document->is_object()) return std::nullopt;
  return item_failures(*document);
}

}  // namespace tidemill::engine
