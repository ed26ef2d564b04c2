// What goes wrong before, beside and in operations, as the error that its service would answer, in the request's form.
// What succeeds is written in wire/respond.h.
#pragma once

#include <exception>
#include <string>

#include "net/http.h"
#include "wire/respond.h"

namespace tidemill::wire {

// An Error as the service says it, overload and lost bodies in its words, and anything else as the defect that it is.
[[nodiscard]] Error refusal_for(const OperationInfo& info, const std::exception_ptr& thrown);

[[nodiscard]] net::Response encode(const OperationInfo& info, Encoding encoding, Error refusal,
                                   const std::string& request_id);

}  // namespace tidemill::wire
