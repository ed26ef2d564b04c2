// What a connection has received and not yet understood, and what it has still to send.
#pragma once

#include <sys/uio.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tidemill::net {

// Bytes come in at the back and are consumed at the front. What room() gave stays in place until the next room().
class Input {
 public:
  explicit Input(size_t size_max) : size_max_(size_max) {}

  [[nodiscard]] std::string_view view() const { return {data_.get() + begin_, end_ - begin_}; }
  [[nodiscard]] size_t size() const { return end_ - begin_; }
  [[nodiscard]] bool full() const { return size() >= size_max_; }
  void consume(size_t count) { begin_ += count; }

  // Room for what comes next; empty if full(). Grows when what came filled the room there was.
  std::span<char> room() {
    if (full()) return {};
    if (begin_ == end_) begin_ = end_ = 0;
    if (end_ == capacity_ && begin_ > 0) {
      std::memmove(data_.get(), data_.get() + begin_, size());
      end_ -= std::exchange(begin_, 0);
    }
    if (end_ == capacity_ || std::exchange(filled_, false)) grow();
    return {data_.get() + end_, capacity_ - end_};
  }
  void commit(size_t count) {
    end_ += count;
    filled_ = end_ == capacity_;
  }

 private:
  static constexpr size_t kFirstSize = 4 << 10;

  void grow() {
    if (capacity_ >= size_max_) return;
    const size_t capacity = std::min(size_max_, std::max(kFirstSize, capacity_ * 4));
    auto data = std::make_unique_for_overwrite<char[]>(capacity);
    if (size() > 0) std::memcpy(data.get(), data_.get() + begin_, size());
    end_ = size();
    begin_ = 0;
    data_ = std::move(data);
    capacity_ = capacity;
  }

  const size_t size_max_;
  std::unique_ptr<char[]> data_;
  size_t capacity_ = 0;
  size_t begin_ = 0;
  size_t end_ = 0;
  bool filled_ = false;
};

// Small pieces are gathered, large ones taken over without a copy.
class Output {
 public:
  [[nodiscard]] size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }

  void append(std::string_view bytes) {
    tail().append(bytes);
    size_ += bytes.size();
  }
  void append(std::string&& bytes) {
    if (bytes.size() < kMoved) return append(std::string_view(bytes));
    size_ += bytes.size();
    pieces_.push_back(std::move(bytes));
  }
  // Lets `write` append to a string in place.
  template <class Write>
  void compose(Write write) {
    std::string& piece = tail();
    const size_t before = piece.size();
    write(piece);
    size_ += piece.size() - before;
  }

  static constexpr size_t kGatherMax = 16;
  // The first pieces, for one gathered write of so many bytes at most.
  size_t gather(iovec (&vectors)[kGatherMax], size_t bytes_max) const {
    size_t count = 0;
    for (size_t i = first_; i < pieces_.size() && count < kGatherMax && bytes_max > 0; ++i) {
      const size_t skip = i == first_ ? offset_ : 0;
      if (pieces_[i].size() == skip) continue;
      const size_t length = std::min(bytes_max, pieces_[i].size() - skip);
      vectors[count++] = {const_cast<char*>(pieces_[i].data()) + skip, length};
      bytes_max -= length;
    }
    return count;
  }
  void consume(size_t count) {
    size_ -= count;
    while (count > 0) {
      std::string& piece = pieces_[first_];
      const size_t left = piece.size() - offset_;
      if (count < left) {
        offset_ += count;
        return;
      }
      count -= left;
      offset_ = 0;
      ++first_;
      if (piece.size() >= kSpentMin) spent_.push_back(std::move(piece));
    }
    if (size_ == 0) reset();
    else if (first_ > kGatherMax) drop_sent();
  }

  // Large pieces that have been sent, for whoever gives them back.
  static constexpr size_t kSpentMin = 1 << 20;
  [[nodiscard]] bool has_spent() const { return !spent_.empty(); }
  [[nodiscard]] std::vector<std::string> take_spent() { return std::exchange(spent_, {}); }

 private:
  static constexpr size_t kMoved = 8 << 10;
  static constexpr size_t kPiece = 64 << 10;  // a gathered piece is closed beyond this, and its memory not kept

  std::string& tail() {
    if (pieces_.size() == first_ || pieces_.back().size() >= kPiece) pieces_.emplace_back();
    return pieces_.back();
  }
  void drop_sent() {
    pieces_.erase(pieces_.begin(), pieces_.begin() + static_cast<ptrdiff_t>(first_));
    first_ = 0;
  }
  void reset() {
    first_ = 0;
    offset_ = 0;
    if (pieces_.size() > 1 || pieces_[0].capacity() > kPiece) pieces_.clear();
    else pieces_[0].clear();
  }

  std::vector<std::string> pieces_;
  std::vector<std::string> spent_;
  size_t first_ = 0;   // the piece that is being sent
  size_t offset_ = 0;  // how much of it has been
  size_t size_ = 0;
};

}  // namespace tidemill::net
