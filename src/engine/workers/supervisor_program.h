// The program of runtimes/supervisor/, as it stands in this binary.
#pragma once

#include <string_view>

namespace tidemill::engine {

[[nodiscard]] std::string_view supervisor_program();

}  // namespace tidemill::engine
