// Inside: numbers by texts, for tables that are looked into far more often than they grow. One open table of small
// slots, and the texts one after the other, so that a look costs two cache lines however many there are: a node for
// each text would be two more, which is most of what ten thousand rules cost an event.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace tidemill::lang::patterns {

class TextTable {
 public:
  static constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

  // Leaves what stands there. `value` is not kNone; all texts together have less than 4 GiB.
  void emplace(std::string_view text, uint32_t value);

  // kNone: it is not there.
  [[nodiscard]] uint32_t find(std::string_view text) const;

  [[nodiscard]] bool empty() const { return size_ == 0; }

 private:
  struct Slot {
    uint32_t tag = 0;  // of the text's hash, so that others' texts need not be read
    uint32_t value = kNone;
    uint32_t begin = 0;
    uint32_t size = 0;
  };

  // The slot of the text, or the empty one where it belongs.
  [[nodiscard]] size_t place_of(std::string_view text, uint64_t hash) const;
  void grow();

  std::vector<Slot> slots_;  // a power of two, at least a quarter of them empty; or none
  std::string bytes_;
  size_t size_ = 0;
};

}  // namespace tidemill::lang::patterns
