#include "base/frame_pool.h"

#include <array>

namespace tidemill::base::detail {

#if defined(__has_feature) && (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))

void* allocate_frame(size_t size) { return ::operator new(size); }
void free_frame(void* frame, size_t size) noexcept { ::operator delete(frame, size); }

#else

namespace {

struct FreeFrame {
  FreeFrame* next;
};

struct Stock {
  FreeFrame* first = nullptr;
  size_t count = 0;
};

constexpr size_t kSizes = kPooledFrameBytesMax / kFrameSizeStep;

size_t index_of(size_t size) { return (size + kFrameSizeStep - 1) / kFrameSizeStep - 1; }

class Pool {
 public:
  ~Pool() {
    for (Stock& stock : stocks_) {
      while (FreeFrame* frame = stock.first) {
        stock.first = frame->next;
        ::operator delete(frame);
      }
      stock.count = kFramesKeptPerSize;  // what this thread still frees goes straight to the heap
    }
  }

  void* allocate(size_t index) {
    Stock& stock = stocks_[index];
    FreeFrame* const frame = stock.first;
    if (frame == nullptr) return ::operator new((index + 1) * kFrameSizeStep);
    stock.first = frame->next;
    --stock.count;
    return frame;
  }

  void free(void* memory, size_t index) noexcept {
    Stock& stock = stocks_[index];
    if (stock.count >= kFramesKeptPerSize) {
      ::operator delete(memory);
      return;
    }
    stock.first = new (memory) FreeFrame{stock.first};
    ++stock.count;
  }

 private:
  std::array<Stock, kSizes> stocks_;
};

thread_local Pool pool;

}  // namespace

void* allocate_frame(size_t size) {
  return size > kPooledFrameBytesMax ? ::operator new(size) : pool.allocate(index_of(size));
}

void free_frame(void* frame, size_t size) noexcept {
  if (size > kPooledFrameBytesMax) {
    ::operator delete(frame);
  } else {
    pool.free(frame, index_of(size));
  }
}

#endif

}  // namespace tidemill::base::detail
