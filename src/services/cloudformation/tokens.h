// Requests that are sent again: an operation on a stack is begun once for each ClientRequestToken. What is asked for a
// second time with the same token is answered as the first time; a token that another operation has used is refused.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "services/cloudformation/stack.h"

namespace tidemill::cloudformation {

inline constexpr size_t kTokensKept = 20;  // of one stack, the newest

// Whether `operation` ("UpdateStack") was begun with this token before. Throws TokenAlreadyExistsException.
[[nodiscard]] bool was_begun(const Stack& stack, std::string_view operation, const std::optional<std::string>& token);

// The operation begins: its events have the token.
void note_token(Stack& stack, std::string_view operation, const std::optional<std::string>& token);

}  // namespace tidemill::cloudformation
