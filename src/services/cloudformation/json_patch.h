// JSON Patch (RFC 6902), as UpdateResource has it.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "base/json.h"

namespace tidemill::cloudformation {

namespace json = base::json;

inline constexpr size_t kPatchesMax = 1'000;         // of one document
inline constexpr size_t kPatchedBytesMax = 262'144;  // of what comes of it, as of DesiredState, and of all it puts in

// What is no patch, or cannot be applied; what() says which.
struct PatchRefused : std::runtime_error {
  explicit PatchRefused(const std::string& what) : std::runtime_error(what) {}
};

// `document` after all operations of the patch, in their order. Throws PatchRefused.
[[nodiscard]] json::Value apply_patch(json::Value document, std::string_view patch);

}  // namespace tidemill::cloudformation
