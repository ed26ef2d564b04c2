// What goes wrong on request (wire/faults.h), for tests:
//
//   GET    /_tidemill/faults        {"faults":[{"id":1,"service":"dynamodb","operation":"BatchWriteItem","effect":"partial",
//                                   "probability":0.5,"times":3,"seed":7,"seen":25,"struck":3}]}
//   POST   /_tidemill/faults        such an object without "id", "seen" and "struck", or with "function" instead of the
//                                   operation: sets one more. "effect" is "throttle", "fail" (with "error", "status" and
//                                   "message" if they are to be others), "delay" (with "delay" in seconds) or "partial".
//                                   {"id":1,"seed":7}
//   DELETE /_tidemill/faults[?id=1]  takes all back, or one. {"cleared":1}
//
// What is wrong is refused with 400 and {"error":"…"}.
#pragma once

#include "net/http.h"
#include "wire/faults.h"
#include "wire/registry.h"

namespace tidemill {

// `registry` says which operations there are.
Task<net::Response> answer_faults(wire::Faults& faults, const wire::Registry& registry, net::Request& request);

}  // namespace tidemill
