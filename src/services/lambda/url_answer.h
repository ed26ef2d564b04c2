// What a function's answer is over HTTP, at its URL: status, headers, cookies and body of payload format 2.0, or the rules
// for an answer that says none of these.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "net/http.h"

namespace tidemill::lambda {

// The content type of an answer that streams and begins with a prelude: JSON of status, headers and cookies, then eight NULs.
inline constexpr std::string_view kHttpAnswerType = "application/vnd.awslambda.http-integration-response";
inline constexpr std::string_view kPreludeEnd{"\0\0\0\0\0\0\0\0", 8};
// Of a prelude; more is no prelude.
inline constexpr size_t kPreludeBytesMax = 256 << 10;

// Names and values of all headers and cookies; more is answered 502. Clients take about as much.
inline constexpr size_t kAnswerHeadersBytesMax = 32 << 10;

// Of a whole payload: an object with a statusCode is taken at its word; everything else is a body of JSON with status 200, a
// string being the body itself. What is taken at its word and makes no sense is answered 502.
[[nodiscard]] net::Response url_answer(std::string payload);

// Status, headers and cookies of a prelude; nothing if it is none.
[[nodiscard]] std::optional<net::Response> url_answer_head(std::string_view prelude);

// {"Message": …} with x-amzn-ErrorType.
[[nodiscard]] net::Response url_error(int status, std::string_view type, std::string_view message);
// What a caller gets of a function that failed.
[[nodiscard]] net::Response url_function_error();

}  // namespace tidemill::lambda
