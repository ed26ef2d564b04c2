#include "lang/states/state_error.h"

#include "base/json.h"
#include "base/text.h"

namespace tidemill::lang::states {

StateError::StateError(std::string_view error, std::string detail, bool is_framed)
    : std::runtime_error(base::cat(error, ": ", detail)),
      error_(error),
      detail_(std::move(detail)),
      is_framed_(is_framed) {}

StateError StateError::of_query(std::string detail, std::string location) {
  StateError error(error_name::kQueryEvaluationError, std::move(detail));
  error.location_ = std::move(location);
  return error;
}

StateError StateError::too_large(std::string_view what) {
  return {error_name::kDataLimitExceeded,
          base::cat("The state/task '", what,
                    "' returned a result with a size exceeding the maximum number of bytes service limit."),
          false};
}

StateError StateError::too_deep(std::string_view what) {
  return {error_name::kDataLimitExceeded,
          base::cat("The state/task '", what, "' returned a result nested deeper than ", json::kDepthMax, " levels."),
          false};
}

std::string StateError::cause(std::string_view state, int64_t entered_event_id) const {
  if (!is_framed_) return detail_;
  return base::cat("An error occurred while executing the state '", state, "' (entered at the event id #",
                   entered_event_id, "). ", detail_);
}

}  // namespace tidemill::lang::states
