#include "wire/trace_header.h"

#include <algorithm>

namespace tidemill::wire {

std::string_view trace_to_hand_on(std::string_view header) {
  const bool is_text = std::ranges::all_of(header, [](char c) { return c >= ' ' && c <= '~'; });
  const bool has_root = header.starts_with("Root=") || header.contains(";Root=");
  return has_root && is_text && header.size() <= kTraceHeaderBytesMax ? header : std::string_view();
}

}  // namespace tidemill::wire
