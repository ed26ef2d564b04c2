// The services that AWS has and Tidemill lacks, by the names that clients sign for and find them by, and the form in
// which those clients read an error. So whoever asks for one is told so, instead of getting something that they
// cannot read, or another service's answer.
#pragma once

#include <optional>
#include <string_view>

namespace tidemill::wire {

enum class ForeignForm { query, ec2, rest_xml, json, rest_json };

// Nothing for names that AWS does not have, or did not have when this was written.
[[nodiscard]] std::optional<ForeignForm> form_of_foreign_service(std::string_view name);

}  // namespace tidemill::wire
