// What is wrong with a payload that is no JSON, in the words of AWS's parser (Jackson's):
//
//   Unexpected character ('n' (code 110)): was expecting double-quote to start field name
//    at [Source: (byte[])"{not json"; line: 1, column: 3]
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tidemill::lambda {

// Nothing: this finds no fault.
[[nodiscard]] std::optional<std::string> find_json_fault(std::string_view text);

}  // namespace tidemill::lambda
