// The entries of containers while these are read (json_decode.cc): where each stands, and what it is ordered by.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

namespace tidemill::lang::dynamodb::detail {

// Where one entry of a container stands in the buffer, and the part of it that gives its order: a member's name, a
// set's element.
struct Entry {
  uint32_t begin;
  uint32_t end;
  uint32_t key_begin;
  uint32_t key_size;
  uint64_t key_prefix;  // the key's first bytes as a number whose order is theirs; most keys differ in it
};

// `bytes` can be read behind their end up to kPadding.
inline uint64_t prefix_of(std::string_view bytes) {
  uint64_t prefix;
  std::memcpy(&prefix, bytes.data(), sizeof(prefix));
  if constexpr (std::endian::native == std::endian::little) prefix = std::byteswap(prefix);
  if (bytes.size() < sizeof(prefix)) prefix &= ~(~uint64_t{0} >> (8 * bytes.size()));
  return prefix;
}

// The entries of the containers that are open, innermost last.
class EntryStack {
 public:
  EntryStack() = default;
  EntryStack(const EntryStack&) = delete;

  [[nodiscard]] size_t size() const { return size_; }
  [[nodiscard]] Entry* at(size_t index) { return data_ + index; }
  void push(const Entry& entry) {
    if (size_ == capacity_) grow();
    data_[size_++] = entry;
  }
  void pop_to(size_t size) { size_ = size; }

 private:
  static constexpr size_t kInlineSize = 64;

  void grow() {
    std::vector<Entry> heap(capacity_ * 2);
    std::copy_n(data_, size_, heap.data());
    heap_ = std::move(heap);
    data_ = heap_.data();
    capacity_ = heap_.size();
  }

  Entry* data_ = inline_;
  size_t size_ = 0;
  size_t capacity_ = kInlineSize;
  std::vector<Entry> heap_;
  Entry inline_[kInlineSize];
};

}  // namespace tidemill::lang::dynamodb::detail
