// What AWS calls its regions where people read it: "US East (N. Virginia)". AWS General Reference, "Service endpoints".
#pragma once

#include <string>
#include <string_view>

namespace tidemill::cloudwatch {

// The code itself of a region that has no name here.
[[nodiscard]] std::string region_name(std::string_view code);

}  // namespace tidemill::cloudwatch
