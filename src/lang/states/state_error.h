// A failure of a state itself: a path that is not there, an expression that fails, a limit.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tidemill::lang::states {

// Names of errors that the language reserves (Amazon States Language, "Appendix A"; developer guide, "Handling
// errors").
namespace error_name {
inline constexpr std::string_view kAll = "States.ALL";
inline constexpr std::string_view kBranchFailed = "States.BranchFailed";
inline constexpr std::string_view kDataLimitExceeded = "States.DataLimitExceeded";
inline constexpr std::string_view kExceedToleratedFailureThreshold = "States.ExceedToleratedFailureThreshold";
inline constexpr std::string_view kHeartbeatTimeout = "States.HeartbeatTimeout";
inline constexpr std::string_view kHttpSocket = "States.Http.Socket";
inline constexpr std::string_view kIntrinsicFailure = "States.IntrinsicFailure";
inline constexpr std::string_view kItemReaderFailed = "States.ItemReaderFailed";
inline constexpr std::string_view kNoChoiceMatched = "States.NoChoiceMatched";
inline constexpr std::string_view kParameterPathFailure = "States.ParameterPathFailure";
inline constexpr std::string_view kPermissions = "States.Permissions";
inline constexpr std::string_view kQueryEvaluationError = "States.QueryEvaluationError";
inline constexpr std::string_view kResultPathMatchFailure = "States.ResultPathMatchFailure";
inline constexpr std::string_view kResultWriterFailed = "States.ResultWriterFailed";
inline constexpr std::string_view kRuntime = "States.Runtime";
inline constexpr std::string_view kTaskFailed = "States.TaskFailed";
inline constexpr std::string_view kTimeout = "States.Timeout";
}  // namespace error_name

// Thrown by every function of evaluate.h.
class StateError : public std::runtime_error {
 public:
  // `is_framed`: AWS says the state and its event before the detail.
  StateError(std::string_view error, std::string detail, bool is_framed = true);
  // An expression of JSONata: `location` is the field, "Output/total".
  [[nodiscard]] static StateError of_query(std::string detail, std::string location);
  // A result, or what a state hands on, of more than kPayloadBytesMax. `what`: the state's name or the task's resource.
  [[nodiscard]] static StateError too_large(std::string_view what);
  // One that nests deeper than is read back (json::kDepthMax).
  [[nodiscard]] static StateError too_deep(std::string_view what);

  [[nodiscard]] const std::string& error() const { return error_; }
  // The cause without its frame.
  [[nodiscard]] const std::string& detail() const { return detail_; }
  // Only of expressions of JSONata, which are an EvaluationFailed event in the history: the field. Else empty.
  [[nodiscard]] const std::string& location() const { return location_; }
  [[nodiscard]] bool is_evaluation() const { return !location_.empty(); }

  // "An error occurred while executing the state 'X' (entered at the event id #2). " and the detail.
  [[nodiscard]] std::string cause(std::string_view state, int64_t entered_event_id) const;

 private:
  std::string error_;
  std::string detail_;
  std::string location_;
  bool is_framed_ = true;
};

}  // namespace tidemill::lang::states
