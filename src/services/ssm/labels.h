// Labels of parameters' versions.
#pragma once

#include <string>
#include <vector>

#include "services/ssm/parameter.h"

namespace tidemill::ssm {

inline constexpr size_t kLabelsOfVersionMax = 10;

// Those of one version; `newest` knows all.
[[nodiscard]] std::vector<std::string> labels_of(const Parameter& newest, int64_t version);

}  // namespace tidemill::ssm
