// What a connection of EventBridge adds to calls of endpoints, secrets and all: for those who make such calls, inside
// the process only. It is neither shown nor logged.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/task.h"

namespace tidemill::engine {

struct ConnectionParts {
  using Pairs = std::vector<std::pair<std::string, std::string>>;

  Pairs headers;  // with the one that authorizes
  Pairs query;
  Pairs body;  // members of its object
  // To be told if an endpoint says that a call was not authorized. Null: nobody need know.
  std::function<void()> refused = nullptr;
};

// Whether an answer's status says that a call was not authorized.
[[nodiscard]] inline bool is_refusal(int status) { return status == 401 || status == 407; }

// By its ARN. Nothing: there is none, or it is not authorized.
using FindConnection = std::function<Task<std::optional<ConnectionParts>>(std::string arn)>;

}  // namespace tidemill::engine
