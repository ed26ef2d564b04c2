// Calls of the platform's own: on whose behalf, and what a refusal means for a delivery.
#pragma once

#include <string>
#include <string_view>

#include "base/uuid.h"
#include "store/delivery.h"
#include "wire/arn.h"
#include "wire/context.h"
#include "wire/error.h"
#include "wire/registry.h"
#include "wire/trace_header.h"

namespace tidemill::engine {

// In the account and region that an ARN names, on behalf of `principal`, for what `trace_header` belongs to.
[[nodiscard]] inline wire::Context internal_context(wire::Platform& platform, std::string_view arn,
                                                    wire::Principal principal = wire::Principal::platform(),
                                                    std::string_view trace_header = {}) {
  const wire::Arn place = wire::parse_arn(arn).value_or(wire::Arn{});
  wire::Context context(platform, std::string(place.account), std::string(place.region), base::new_uuid(),
                        std::move(principal));
  context.trace_header = wire::trace_to_hand_on(trace_header);
  return context;
}

// What the caller did wrong will be wrong the next time, too; what the server could not do it may be able to later.
[[nodiscard]] inline store::SendOutcome outcome_of(const wire::Error& error) {
  const std::string text = error.code + ": " + error.message;
  constexpr int kTooManyRequests = 429;
  // Most services of AWS throttle with 400.
  const bool is_throttled = error.http_status == kTooManyRequests || error.code.contains("Throttl") ||
                            error.code == "ProvisionedThroughputExceededException";
  if (is_throttled) return {store::SendStatus::unavailable, text};
  // A key of KMS may be enabled again: KmsDisabled of queues, KMSDisabledException of topics and streams.
  if (error.code == "KmsDisabled" || error.code == "KMSDisabledException") return {store::SendStatus::failed, text};
  return {error.http_status >= 500 ? store::SendStatus::failed : store::SendStatus::rejected, text};
}

// One attempt at a call whose answer does not matter.
template <class Op>
Task<store::SendOutcome> call_once(wire::Context context, typename Op::Request request) {
  try {
    (void)co_await context.registry().call<Op>(context, request);
  } catch (const wire::Error& error) {
    co_return outcome_of(error);
  } catch (const store::Overloaded& error) {
    co_return store::SendOutcome{store::SendStatus::unavailable, error.what()};
  }
  co_return store::SendOutcome{};
}

}  // namespace tidemill::engine
