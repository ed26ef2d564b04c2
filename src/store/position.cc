#include "store/position.h"

#include <limits>

namespace tidemill::store {

namespace {

constexpr uint32_t kIndexMax = std::numeric_limits<uint32_t>::max();

}  // namespace

Position before(Position position) {
  if (position.index > 0) return {position.version, position.index - 1};
  if (position.version.value > 0) return {{position.version.value - 1}, kIndexMax};
  return Position::before_all();
}

Position before_time(base::Time time) {
  if (time <= base::Time{}) return Position::before_all();
  return before({Version::at(time), 0});
}

Position after_version(Version version) { return {version, kIndexMax}; }

}  // namespace tidemill::store
