// Task tokens: which attempt of which task, and proof that they were made here. They outlive restarts, and are good
// only in the account of their execution.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "services/states/live.h"

namespace tidemill::states {

struct TaskToken {
  ExecutionId id;
  FrameId frame = 0;
  uint32_t attempt = 0;
};

// The attempt in bytes: the id of its timers.
[[nodiscard]] std::string bytes_of(const TaskToken& task);
// Throws std::runtime_error for what is none.
[[nodiscard]] TaskToken task_of(std::string_view bytes);

[[nodiscard]] std::string token_of(const Live& live, FrameId frame, uint32_t attempt);
// Throws InvalidToken for what was not made here for this account.
[[nodiscard]] TaskToken parse_token(std::string_view account, std::string_view text);

}  // namespace tidemill::states
