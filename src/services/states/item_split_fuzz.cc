// Objects of items, in pieces of a size that the first byte says; what comes out must come out again from each cursor.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "lang/states/state_error.h"
#include "services/states/item_split.h"

namespace {

using namespace tidemill::states;

size_t count_of(const asl::ItemReader& reader, std::string_view object, size_t piece, const ItemCursor& from,
                ItemCursor& middle) {
  const auto splitter = make_splitter(reader, from);
  object.remove_prefix(std::min<size_t>(from.offset, object.size()));
  size_t count = 0;
  for (;;) {
    while (const auto item = splitter->next()) {
      if (count++ == 1) middle = item->after;
    }
    if (splitter->cursor().is_done) return count;
    if (object.empty()) splitter->finish();
    splitter->feed(object.substr(0, piece));
    object.remove_prefix(std::min(piece, object.size()));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  using InputType = asl::ItemReader::InputType;
  constexpr InputType kTypes[] = {InputType::json, InputType::jsonl, InputType::csv, InputType::json};
  asl::ItemReader reader{.input_type = kTypes[data[0] % 4]};
  if (data[0] % 4 == 3) reader.items_pointer = "/a/1";
  const std::string_view object(reinterpret_cast<const char*>(data) + 2, size - 2);
  try {
    ItemCursor middle;
    ItemCursor other;
    const size_t count = count_of(reader, object, 1 + data[1] % 16, {}, middle);
    if (count_of(reader, object, object.size() + 1, {}, other) != count) std::abort();
    if (count > 1 && count_of(reader, object, 3, middle, other) != count - 2) std::abort();
  } catch (const asl::StateError&) {
  }
  return 0;
}
