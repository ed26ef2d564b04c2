#include "engine/queue_answer.h"

#include "base/json.h"
#include "engine/item_failures.h"

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
  return item_failures(*document);
}

}  // namespace tidemill::engine
