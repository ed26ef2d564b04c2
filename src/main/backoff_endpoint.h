// Topics that hold back (services/sns/backoff.h), for their operators:
//
//   GET  /_tidemill/backoff?topic=ARN[&after=TOKEN]
//        {"states":[{"principal":"…","cause":"…","first":"2026-01-01T00:00:00Z","last":…,"reports":12,"deliveries":3,
//         "next":…,"suppressed":9,"silencedUntil":…}],"next":TOKEN}    "next" if there are more
//   POST /_tidemill/backoff   {"topic":ARN,"principal":"…","cause":"…","silence":3600}   for so many seconds; 0: no
//   more
//                             {"topic":ARN,"principal":"…","cause":"…","reset":true}
//        {"done":true}; false: nothing of that kind has been reported yet
//
// What is wrong is refused with 400 and {"error":"…"}.
#pragma once

#include "net/http.h"
#include "services/sns/service.h"

namespace tidemill {

Task<net::Response> answer_backoff(sns::Service& topics, net::Request& request);

}  // namespace tidemill
