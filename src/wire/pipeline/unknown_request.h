// Refusals of what no operation of ours is asked for, in the form that the client reads.
#pragma once

#include <string>
#include <string_view>

#include "net/http.h"
#include "wire/pipeline/identify.h"
#include "wire/respond.h"
#include "wire/routing.h"

namespace tidemill::wire {

// The form in which the client reads errors: of the operation if it is known, otherwise of its neighbours, of the
// service that it signed for, or what its headers suggest.
[[nodiscard]] ErrorStyle error_style(const Routes& routes, const Identity& identity);

// UnknownOperationException that names the service and the operation. `action` of Query requests, else empty.
[[nodiscard]] net::Response refuse_unknown(const Routes& routes, const Identity& identity, const std::string& action,
                                           const std::string& request_id);

// Access denied with that line: to clients of AWS as an error in their form, to others as text.
[[nodiscard]] net::Response refuse_access(const Routes& routes, const Identity& identity, const std::string& line);

// What a message repeats of a request may be any bytes; an answer is text.
[[nodiscard]] std::string printable(std::string text);

}  // namespace tidemill::wire
