// Tumbling windows (TumblingWindowInSeconds, facts 1.9): a shard's records fall, by their time of arrival, into windows
// that begin at multiples of their size since 1970. Each invocation gets the state that the one before it returned, and
// the window's last one is final.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/json.h"
#include "engine/mappings/checkpoint.h"
#include "engine/mappings/stream_source.h"

namespace tidemill::engine {

// State beyond this ends a window early. AWS's limit per shard.
inline constexpr size_t kWindowStateBytesMax = 1024 * 1024;

// How long AWS waits after a window's end for a record that would show that the window is over. Here the option
// --window-idle-wait.
inline constexpr base::Duration kWindowIdleWait = std::chrono::minutes(2);

inline constexpr std::string_view kFreshState = "{}";

// A window some of whose records were taken by the function, until its final invocation has succeeded. Durable.
struct OpenWindow {
  base::Time start;
  base::Duration size{};
  std::string state{kFreshState};  // JSON
  BatchPiece closing;              // attempts of the final (or early) invocation; `last` means nothing

  // Of the records that were taken: what a failure document says if the final invocation is given up.
  uint64_t records = 0;
  std::string first_sequence_number;
  std::string last_sequence_number;
  base::Time first_arrival;
  base::Time last_arrival;

  [[nodiscard]] base::Time end() const { return start + size; }
  [[nodiscard]] bool is_overflown() const { return state.size() > kWindowStateBytesMax; }
  // The record was taken.
  void add(const StreamRecord& record);
};

// The window that a record arriving then begins.
[[nodiscard]] OpenWindow window_at(base::Time arrival, base::Duration size);

std::string encode_window(const OpenWindow& window);
std::optional<OpenWindow> decode_window(std::string_view bytes);

enum class WindowCall { within, final, early };

// The members that stand behind "Records" in an invocation's event, beginning with a comma.
[[nodiscard]] std::string window_members(const OpenWindow& window, std::string_view shard_id,
                                         std::string_view event_source_arn, WindowCall call);

// At least as many bytes as those members take within the window.
[[nodiscard]] size_t window_members_size_max(const OpenWindow& window, std::string_view shard_id,
                                             std::string_view event_source_arn);

// The state in a function's answer, as JSON. Nothing: there is none, so the invocation has failed.
[[nodiscard]] std::optional<std::string> state_in(const json::Value& answer);

}  // namespace tidemill::engine
