// The types of resources of FHIR R4 (4.0.1), and what their ids may be.
#pragma once

#include <span>
#include <string_view>

namespace tidemill::lang::fhir {

// All of them, sorted.
[[nodiscard]] std::span<const std::string_view> resource_types();
[[nodiscard]] bool is_resource_type(std::string_view name);

// 1 to 64 letters, digits, '-' and '.'.
[[nodiscard]] bool is_resource_id(std::string_view text);

}  // namespace tidemill::lang::fhir
