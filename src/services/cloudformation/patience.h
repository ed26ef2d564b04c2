// How steps wait: for what comes in its time, and with calls that are throttled.
#pragma once

#include <functional>
#include <string>

#include "base/clock.h"
#include "base/json.h"
#include "base/task.h"
#include "wire/context.h"

namespace tidemill::cloudformation {


// Until then, or it throws: who waits does so no more.
using Rest = std::function<Task<void>(base::Time until)>;

// Calls the operation, and again at growing distances as long as that is throttled, for some ten seconds.
Task<json::Value> call_patiently(wire::Context& context, std::string service, std::string operation,
                                 json::Value document, Rest rest);

// Asks at once, and then at growing distances of at most five seconds. False: `most` has passed.
Task<bool> wait_patiently(wire::Context& context, std::function<Task<bool>()> done, base::Duration most, Rest rest);

}  // namespace tidemill::cloudformation
