#include "store/store.h"

#include "base/ordered.h"

namespace tidemill::store {

std::string Position::encode() const {
  std::string out;
  base::append_u64(out, version.value);
  base::append_u32(out, index);
  return out;
}

std::optional<Position> Position::decode(std::string_view bytes) {
  base::OrderedReader reader(bytes);
  Position position;
  position.version.value = reader.u64();
  position.index = reader.u32();
  if (!reader.ok() || !reader.at_end()) return std::nullopt;
  return position;
}

Range Range::prefix(std::string_view prefix) { return {std::string(prefix), base::prefix_end(prefix)}; }

}  // namespace tidemill::store
