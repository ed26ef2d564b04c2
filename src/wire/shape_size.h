// How much there is in a structure, before it is written: whether writing it would hold up others.
#pragma once

#include <cstddef>

#include "wire/shape_table.h"

namespace tidemill::wire::shapes {

// What is larger in a request is parsed on a thread: it takes longer than a slice may.
inline constexpr size_t kLargeBytes = 256 << 10;
// And what is larger in an answer is written on one: characters may become several, and numbers take their time.
inline constexpr size_t kLargeAnswerBytes = 64 << 10;

// Whether texts, blobs and values in it come to more than `bytes`. Ends as soon as that is known; streams count nothing.
[[nodiscard]] bool is_larger_than(size_t bytes, const Shape& shape, const void* structure);

}  // namespace tidemill::wire::shapes
