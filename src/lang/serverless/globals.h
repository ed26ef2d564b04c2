// Inside: the Globals section.
#pragma once

#include <string_view>

#include "base/json.h"

namespace tidemill::lang::serverless {

// What Globals says of resources of a type ("AWS::Serverless::Function"), with `properties` over it: maps are merged,
// lists come one behind the other, of the rest the resource's own counts. `globals` may be null.
[[nodiscard]] json::Object with_globals(const json::Value* globals, std::string_view type,
                                        const json::Object& properties);

// Throws Error for what may not stand there.
void check_globals(const json::Value& globals);

}  // namespace tidemill::lang::serverless
