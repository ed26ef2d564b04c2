// Bodies of requests: FHIR's JSON, checked as such (a known type, an id, no empty values), not against profiles.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"

namespace tidemill::healthlake {

// How deep elements of a resource may nest.
inline constexpr int kResourceDepthMax = 128;

// Throws 415 for what is not sent as JSON, 400 for what is none.
[[nodiscard]] json::Value parse_body(const std::optional<std::string>& body,
                                     const std::optional<std::string>& content_type);

// Throws 400 for what is no resource of that type; "": of any. The id may be missing.
void check_resource(const json::Value& resource, std::string_view type);

// "Patient" of a checked resource.
[[nodiscard]] std::string_view type_of(const json::Value& resource);
// Its id; "" if it has none.
[[nodiscard]] std::string_view id_of(const json::Value& resource);

}  // namespace tidemill::healthlake
