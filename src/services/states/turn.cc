#include "services/states/turn.h"

#include <random>

#include "base/uuid.h"

namespace tidemill::states {

asl::World world_at(base::Time now) {
  return {.now = now,
          .random =
              [] {
                thread_local std::mt19937_64 engine{std::random_device{}()};
                return engine();
              },
          .uuid = [] { return base::new_uuid(); }};
}

}  // namespace tidemill::states
