// What stands in several others at once, which are made elsewhere and perhaps by others: policies of topics and queues.
// One of them may refuse. Those that it has not come to by then never had it, and may have something of somebody else's
// in its place: so they are noted, and whoever takes it back leaves them alone.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/task.h"
#include "services/cloudformation/step.h"

namespace tidemill::cloudformation {

// Puts it into each of `holders`, in this order. `had`: those that it stands in by an earlier change, whatever happens.
Task<void> put_into_each(Step& step, std::vector<std::string> holders, std::vector<std::string> had,
                         std::function<Task<void>(std::string holder)> put);

// Whether it was to be put into this one, and never came to it.
[[nodiscard]] bool never_held(const Step& step, std::string_view holder);

}  // namespace tidemill::cloudformation
