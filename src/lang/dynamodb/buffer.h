// Appending many small pieces quickly. Inside this room only.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "base/json.h"
#include "lang/dynamodb/value.h"

namespace tidemill::lang::dynamodb::detail {

// How many bytes behind JSON text can be read, so that strings can be scanned and copied in blocks.
inline constexpr size_t kPadding = 32;

// Bytes that begin on the stack: what is encoded before it is put in order.
class Buffer {
 public:
  Buffer() = default;
  Buffer(const Buffer&) = delete;

  [[nodiscard]] char* data() { return data_; }
  [[nodiscard]] uint32_t size() const { return static_cast<uint32_t>(size_); }
  void resize_down(size_t size) { size_ = size; }

  // Room for `size` more bytes; what of them is used is told by advance().
  char* room(size_t size) {
    if (capacity_ - size_ < size) grow(size);
    return data_ + size_;
  }
  void advance(const char* end) { size_ = static_cast<size_t>(end - data_); }

  void byte(char c) { *room(1) = c, ++size_; }
  void append(const char* bytes, size_t size) {
    std::memcpy(room(size), bytes, size);
    size_ += size;
  }
  void varint(size_t value) {
    constexpr size_t kVarintSizeMax = 5;
    char* at = room(kVarintSizeMax);
    for (; value >= 0x80; value >>= 7) *at++ = static_cast<char>(value | 0x80);
    *at++ = static_cast<char>(value);
    advance(at);
  }
  void sized(std::string_view bytes) {
    varint(bytes.size());
    append(bytes.data(), bytes.size());
  }
  // The same for bytes behind which kPadding more can be read: what is short is copied as one block.
  void sized_padded(std::string_view bytes) {
    if (bytes.size() > kPadding) return sized(bytes);
    char* const at = room(1 + kPadding);
    *at = static_cast<char>(bytes.size());
    std::memcpy(at + 1, bytes.data(), kPadding);
    size_ += 1 + bytes.size();
  }

 private:
  static constexpr size_t kInlineSize = 2048;

  void grow(size_t size) {
    const size_t capacity = std::max(capacity_ * 2, size_ + size);
    auto heap = std::make_unique_for_overwrite<char[]>(capacity);
    std::memcpy(heap.get(), data_, size_);
    heap_ = std::move(heap);
    data_ = heap_.get();
    capacity_ = capacity;
  }

  char* data_ = inline_;
  size_t size_ = 0;
  size_t capacity_ = kInlineSize;
  std::unique_ptr<char[]> heap_;
  char inline_[kInlineSize];
};

// Appends JSON to a string; the string has its right size once this is destroyed.
class JsonAppender {
 public:
  explicit JsonAppender(std::string& out) : out_(out), size_(out.size()) { open(kRoomFirst); }
  JsonAppender(const JsonAppender&) = delete;
  ~JsonAppender() { out_.resize(size_); }

  char* room(size_t size) {
    if (out_.size() - size_ < size) open(size);
    return out_.data() + size_;
  }
  void advance(const char* end) { size_ = static_cast<size_t>(end - out_.data()); }

  void byte(char c) { *room(1) = c, ++size_; }
  template <size_t N>
  void literal(const char (&text)[N]) {
    std::memcpy(room(N), text, N - 1);
    size_ += N - 1;
  }
  void string(std::string_view text) {
    if (!json::is_plain(text)) return escaped(text);
    char* at = room(text.size() + 2);
    *at++ = '"';
    std::memcpy(at, text.data(), text.size());
    at[text.size()] = '"';
    size_ += text.size() + 2;
  }

 private:
  static constexpr size_t kRoomFirst = 256;

  void open(size_t size) {
    const size_t wanted = std::max(out_.capacity(), size_ + size);
    out_.resize_and_overwrite(wanted, [&](char*, size_t) { return wanted; });
  }
  void escaped(std::string_view text) {
    out_.resize(size_);
    json::append_string(out_, text);
    size_ = out_.size();
    open(0);
  }

  std::string& out_;
  size_t size_;
};

}  // namespace tidemill::lang::dynamodb::detail
