// Refusals that several operations share, with AWS's words where they are known.
#pragma once

#include <string_view>

#include "wire/error.h"
#include "wire/shapes/scheduler.h"

namespace tidemill::scheduler {

namespace errors = wire::scheduler::errors;

[[nodiscard]] wire::Error invalid(std::string_view what);
[[nodiscard]] wire::Error no_schedule(std::string_view name);
[[nodiscard]] wire::Error no_group(std::string_view name);
// A value or combination that AWS has and Tidemill lacks.
[[nodiscard]] wire::Error not_supported(std::string_view what);

}  // namespace tidemill::scheduler
