// What answers say of a key.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "services/kms/key.h"
#include "store/pages.h"
#include "wire/shapes/kms.h"

namespace tidemill::kms {

[[nodiscard]] wire::kms::KeyMetadata describe(const Key& key);
// "Enabled", "Disabled" or "PendingDeletion".
[[nodiscard]] std::string state_of(const Key& key);

// Fills the marks of a page; `take` as read_page() has it. Throws InvalidMarkerException.
template <class Output, class Input>
Task<void> list_records(Output& out, store::Snapshot& snapshot, store::Range range, const Input& request, int32_t usual,
                        std::function<bool(std::string_view key, std::string_view value)> take) {
  try {
    out.next_marker = co_await store::read_page(
        snapshot, std::move(range), {request.marker, static_cast<size_t>(request.limit.value_or(usual))}, std::move(take));
  } catch (const store::NotAPageToken&) {
    throw wire::kms::errors::invalid_marker_exception("The marker is not valid.");
  }
  out.truncated = out.next_marker.has_value();
}

}  // namespace tidemill::kms
