#include "services/cloudformation/tokens.h"

#include "base/text.h"
#include "wire/shapes/cloudformation.h"

namespace tidemill::cloudformation {

using base::cat;

bool was_begun(const Stack& stack, std::string_view operation, const std::optional<std::string>& token) {
  if (!token || token->empty()) return false;
  for (const std::string& used : stack.used_tokens) {
    const size_t blank = used.find(' ');  // no operation has one in its name
    if (std::string_view(used).substr(blank + 1) != *token) continue;
    if (std::string_view(used).substr(0, blank) == operation) return true;
    throw wire::cloudformation::errors::token_already_exists_exception(
        cat("Token ", *token, " already exists for a different operation on stack [", stack.id.name, "]"));
  }
  return false;
}

void note_token(Stack& stack, std::string_view operation, const std::optional<std::string>& token) {
  stack.token = token.value_or("");
  if (stack.token.empty()) return;
  stack.used_tokens.push_back(cat(operation, ' ', stack.token));
  if (stack.used_tokens.size() > kTokensKept) stack.used_tokens.erase(stack.used_tokens.begin());
}

}  // namespace tidemill::cloudformation
