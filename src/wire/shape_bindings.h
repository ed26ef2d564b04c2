// Labels, query and headers of rest-json and rest-xml requests as the models' types. Text of another type is a
// SerializationException.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
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
// The elements of a header "a, b", of all headers of that name.
[[nodiscard]] std::vector<std::string> list_of(const Pairs& pairs, std::string_view name);
// What stands behind `prefix` in the headers' names, with their values; those of one name joined by ",". Without any,
// `out` stays empty.
void read_prefixed(const Pairs& headers, std::string_view prefix, std::optional<std::map<std::string, std::string>>& out);

[[nodiscard]] std::string text_of(const std::string& text);  // checked to be UTF-8
[[nodiscard]] bool boolean_of(const std::string& text);
[[nodiscard]] int32_t integer_of(const std::string& text);
[[nodiscard]] int64_t long_of(const std::string& text);
// InvalidArgument with the parameter's name, as S3 refuses what is no number.
[[nodiscard]] int32_t integer_of(const std::string& text, std::string_view name);
[[nodiscard]] int64_t long_of(const std::string& text, std::string_view name);
[[nodiscard]] double double_of(const std::string& text);
[[nodiscard]] base::Time timestamp_of(const std::string& text);  // date-time or http-date

// Throws the service's error for unsupported parameters if the request has `name`, unless its value is `accepted`.
void refuse_unsupported(const OperationInfo& operation, const Pairs& pairs, std::string_view name,
                        std::string_view accepted);

// MissingRequestBodyError (400): S3's, of an operation that needs a body.
[[nodiscard]] Error missing_body();

}  // namespace tidemill::wire::shapes
