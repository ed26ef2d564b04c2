#include "services/cloudformation/types/claim.h"

#include "base/text.h"

namespace tidemill::cloudformation {

namespace {
constexpr std::string_view kClaimed = "Claimed";
}

bool has_claimed(const Step& step) { return step.memory().find(kClaimed) != nullptr; }

Task<void> remember_claim(Step& step) {
  json::Value memory = step.memory();
  if (!memory.is_object()) memory = json::Object();
  memory.object().set(std::string(kClaimed), true);
  co_await step.remember(std::move(memory));
}

void refuse_existing(const Step& step, std::string_view identifier) {
  throw AlreadyExists(base::cat("Resource of type '", step.scope().type, "' with identifier '", identifier, "'"));
}

Task<void> claim(Step& step, std::string identifier, FindOperation find) {
  if (has_claimed(step)) co_return;
  const json::Value found = co_await step.call_or_null(std::move(find.service), std::move(find.operation),
                                                       std::move(find.document), std::move(find.codes));
  if (!found.is_null()) refuse_existing(step, identifier);
  co_await remember_claim(step);
}

std::string name_of(const Step& step, const json::Object& properties, std::string_view property, size_t size_max,
                    NameLetters letters) {
  std::string name = text_of(properties, property);
  return name.empty() ? step.physical_name(size_max, letters) : name;
}

}  // namespace tidemill::cloudformation
