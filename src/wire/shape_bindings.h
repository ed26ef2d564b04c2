// Labels, query and headers of rest-json requests as the models' types: what generated code calls. Text of another type
// is a SerializationException.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "wire/error.h"
#include "wire/registry.h"

namespace tidemill::wire::shapes {

using Pairs = std::vector<std::pair<std::string, std::string>>;

// The first value, or nullptr.
[[nodiscard]] const std::string* find(const Pairs& pairs, std::string_view name);
[[nodiscard]] std::vector<std::string> all_of(const Pairs& pairs, std::string_view name);

[[nodiscard]] std::string text_of(const std::string& text);  // checked to be UTF-8
[[nodiscard]] bool boolean_of(const std::string& text);
[[nodiscard]] int32_t integer_of(const std::string& text);
[[nodiscard]] int64_t long_of(const std::string& text);
[[nodiscard]] double double_of(const std::string& text);
[[nodiscard]] base::Time timestamp_of(const std::string& text);  // date-time or http-date

// Throws the service's error for unsupported parameters if the request has `name`.
void refuse_unsupported(const OperationInfo& operation, const Pairs& pairs, std::string_view name);

}  // namespace tidemill::wire::shapes
