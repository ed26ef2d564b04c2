// A place in the line of those who were throttled and wait until their function may run once more. Places that become
// free go to who has waited longest: whoever it is, event, stream or queue, is called, and calls the function.
#pragma once

#include <memory>

namespace tidemill::engine {

// Leaves the line with its end, on any thread. Given to the call that is made in turn, it goes once that has its place:
// until then the place that it was called for is kept from those behind it.
class PlaceTurn {
 public:
  virtual ~PlaceTurn() = default;
};
using PlaceTurnPtr = std::shared_ptr<PlaceTurn>;

}  // namespace tidemill::engine
