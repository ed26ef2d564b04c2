// Memory for coroutine frames: each thread keeps a few of each size that it has freed, for the next of that size. Frames
// may be freed on another thread than they were made on. Under a sanitizer every frame comes from the heap, so that a use
// after its end is seen.
#pragma once

#include <cstddef>
#include <new>

namespace tidemill::base::detail {

inline constexpr size_t kFrameSizeStep = 64;
inline constexpr size_t kPooledFrameBytesMax = 1024;  // larger frames come from the heap
inline constexpr size_t kFramesKeptPerSize = 64;      // and so does what is freed beyond these

void* allocate_frame(size_t size);
void free_frame(void* frame, size_t size) noexcept;

}  // namespace tidemill::base::detail
