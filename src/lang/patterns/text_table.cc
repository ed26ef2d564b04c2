#include "lang/patterns/text_table.h"

#include <functional>
#include <utility>

namespace tidemill::lang::patterns {

namespace {

constexpr size_t kSlotsFirst = 4;

uint64_t hash_of(std::string_view text) { return std::hash<std::string_view>()(text); }
uint32_t tag_of(uint64_t hash) { return static_cast<uint32_t>(hash >> 32); }

}  // namespace

size_t TextTable::place_of(std::string_view text, uint64_t hash) const {
  const size_t mask = slots_.size() - 1;
  for (size_t place = hash & mask;; place = (place + 1) & mask) {
    const Slot& slot = slots_[place];
    if (slot.value == kNone) return place;
    if (slot.tag == tag_of(hash) && std::string_view(bytes_.data() + slot.begin, slot.size) == text) return place;
  }
}

uint32_t TextTable::find(std::string_view text) const {
  if (slots_.empty()) return kNone;
  return slots_[place_of(text, hash_of(text))].value;
}

void TextTable::emplace(std::string_view text, uint32_t value) {
  if ((size_ + 1) * 4 > slots_.size() * 3) grow();
  const uint64_t hash = hash_of(text);
  Slot& slot = slots_[place_of(text, hash)];
  if (slot.value != kNone) return;
  slot = {tag_of(hash), value, static_cast<uint32_t>(bytes_.size()), static_cast<uint32_t>(text.size())};
  bytes_.append(text);
  ++size_;
}

void TextTable::grow() {
  const std::vector<Slot> old = std::exchange(slots_, {});
  slots_.resize(old.empty() ? kSlotsFirst : old.size() * 2);
  for (const Slot& slot : old) {
    if (slot.value == kNone) continue;
    const std::string_view text(bytes_.data() + slot.begin, slot.size);
    slots_[place_of(text, hash_of(text))] = slot;
  }
}

}  // namespace tidemill::lang::patterns
