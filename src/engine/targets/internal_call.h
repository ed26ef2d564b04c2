// Calls of the platform's own: on whose behalf, and what a refusal means for a delivery.
#pragma once

#include <string>
#include <string_view>

#include "base/uuid.h"
#include "store/delivery.h"
#include "wire/context.h"
#include "wire/error.h"

namespace tidemill::engine {

inline constexpr std::string_view kInternalPrincipal = "tidemill.internal";

// In the account and region that an ARN names.
[[nodiscard]] inline wire::Context internal_context(wire::Platform& platform, std::string_view arn) {
  const auto field = [&](int index) {
    size_t begin = 0;
    for (int i = 0; i < index && begin != std::string_view::npos; ++i) {
      begin = arn.find(':', begin);
      if (begin != std::string_view::npos) ++begin;
    }
    if (begin == std::string_view::npos) return std::string();
    return std::string(arn.substr(begin, arn.find(':', begin) - begin));
  };
  return {platform, field(4), field(3), base::new_uuid(), std::string(kInternalPrincipal)};
}

// What the caller did wrong will be wrong the next time, too; what the server could not do it may be able to later.
[[nodiscard]] inline store::SendOutcome outcome_of(const wire::Error& error) {
  const std::string text = error.code + ": " + error.message;
  constexpr int kTooManyRequests = 429;
  if (error.http_status == kTooManyRequests) return {store::SendStatus::unavailable, text};
  return {error.http_status >= 500 ? store::SendStatus::failed : store::SendStatus::rejected, text};
}

}  // namespace tidemill::engine
