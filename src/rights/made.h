// Asks that no pattern makes: of statements of PartiQL, ciphertexts, sources of copies, lists of objects,
// new names.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rights/ask.h"
#include "wire/context.h"

namespace tidemill::rights {

struct MakerInput {
  const wire::Context& context;
  const void* request;              // of the C++ type of the operation's input
  const std::string& action;        // that the row names; may be empty
  std::vector<std::string> values;  // of the member that the row names
};
using Maker = void (*)(const MakerInput& input, std::vector<Ask>& asks);

// Nothing: there is no such.
[[nodiscard]] std::optional<Maker> find_maker(std::string_view name);

}  // namespace tidemill::rights
