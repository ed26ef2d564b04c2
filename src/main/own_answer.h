// Answers of the server's own paths, below /_tidemill/.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "net/http.h"

namespace tidemill {

[[nodiscard]] net::Response own_answer(int status, std::string_view content_type, std::string body);
[[nodiscard]] net::Response json_answer(int status, const base::json::Object& body);
// {"error":"…"}
[[nodiscard]] net::Response refusal(int status, std::string_view why);
[[nodiscard]] net::Response wrong_method();

// The first member of a request's object that is none of these. Nothing: there is no other.
[[nodiscard]] std::optional<std::string> other_member(const base::json::Value& document,
                                                      std::initializer_list<std::string_view> known);

}  // namespace tidemill
