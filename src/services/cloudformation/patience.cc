#include "services/cloudformation/patience.h"

#include <algorithm>

#include "wire/error.h"
#include "wire/registry.h"

namespace tidemill::cloudformation {

namespace {

constexpr int kThrottledTriesMax = 10;
constexpr base::Duration kPauseFirst = std::chrono::milliseconds(20);
constexpr base::Duration kPauseMax = std::chrono::seconds(5);

bool is_throttle(const wire::Error& error) {
  return error.code.find("Throttl") != std::string::npos || error.code == "TooManyRequestsException";
}

}  // namespace

Task<json::Value> call_patiently(wire::Context& context, std::string service, std::string operation,
                                 json::Value document, Rest rest) {
  base::Duration pause = kPauseFirst;
  for (int tries = 1;; ++tries, pause = std::min(pause * 2, kPauseMax)) {
    try {
      co_return co_await context.registry().call(context, service, operation, document);
    } catch (const wire::Error& error) {
      if (!is_throttle(error) || tries == kThrottledTriesMax) throw;
    }
    co_await rest(context.now() + pause);
  }
}

Task<bool> wait_patiently(wire::Context& context, std::function<Task<bool>()> done, base::Duration most, Rest rest) {
  const base::Time deadline = context.now() + most;
  base::Duration pause = kPauseFirst;
  for (;;) {
    if (co_await done()) co_return true;
    if (context.now() >= deadline) co_return false;
    co_await rest(std::min(deadline, context.now() + pause));
    pause = std::min(pause * 2, kPauseMax);
  }
}

}  // namespace tidemill::cloudformation
