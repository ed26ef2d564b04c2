// How much memory the elements of a request's lists and maps may take: as structures they can take a hundred times what
// they take in a body ("[{},{},…]"), and what budgets count of a request is its body.
#pragma once

#include <cstddef>
#include <limits>

#include "wire/error.h"

namespace tidemill::wire {

class ElementRoom {
 public:
  // Far beyond what the largest valid request of any operation takes: ten thousand elements are three megabytes.
  static constexpr size_t kBytes = 16 << 20;
  static constexpr size_t kBytesPerByteOfBody = 4;

  // Without end: of what this server has written itself.
  ElementRoom() = default;
  explicit ElementRoom(size_t body_bytes) : left_(kBytes + kBytesPerByteOfBody * body_bytes) {}

  // For one more element. Throws SerializationException.
  void take(size_t bytes) {
    if (bytes > left_) refuse();
    left_ -= bytes;
  }

 private:
  [[noreturn]] static void refuse() { throw serialization_error("Too many elements in lists and maps"); }

  size_t left_ = std::numeric_limits<size_t>::max();
};

}  // namespace tidemill::wire
