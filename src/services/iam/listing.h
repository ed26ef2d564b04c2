// Pages of lists: IsTruncated and Marker, as all of IAM's have them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "services/iam/errors.h"
#include "store/pages.h"

namespace tidemill::iam {

inline constexpr int32_t kPageDefault = 100;

inline size_t page_size(const auto& request) { return static_cast<size_t>(request.max_items.value_or(kPageDefault)); }

// Of what stands in a range of the store: `take` is called for each record and says whether it is one that counts.
template <class Output, class Input>
Task<Output> list_records(store::Snapshot& snapshot, store::Range range, const Input& request, Output out,
                          std::type_identity_t<std::function<bool(Output& out, std::string_view bytes)>> take) {
  try {
    out.marker = co_await store::read_page(
        snapshot, std::move(range), {request.marker, page_size(request)},
        [&](std::string_view, std::string_view bytes) { return take(out, bytes); });
  } catch (const store::NotAPageToken&) {
    throw invalid("Invalid Marker.");
  }
  out.is_truncated = out.marker.has_value();
  co_return out;
}

// Of a collection in memory, in the order of its keys: the marker is the last key of the page before. `key_of` and
// `take` are called with its elements.
template <class Output, class Input, class Collection, class KeyOf, class Take>
void list_some(Output& out, const Input& request, const Collection& all, KeyOf key_of, Take take) {
  size_t taken = 0;
  out.is_truncated = false;
  for (const auto& each : all) {
    const std::string& key = key_of(each);
    if (request.marker && key <= *request.marker) continue;
    if (taken == page_size(request)) {
      out.is_truncated = true;
      return;
    }
    take(each);
    out.marker = key;
    ++taken;
  }
  out.marker.reset();
}

[[nodiscard]] inline bool is_under(std::string_view path, const std::optional<std::string>& prefix) {
  return !prefix || path.starts_with(*prefix);
}

}  // namespace tidemill::iam
