// Requests whose signature stands in their address, so that it can be given away. They are good until they expire.
#pragma once

#include <optional>
#include <string_view>

#include "base/clock.h"
#include "wire/error.h"

namespace tidemill::wire {

// Whether it looks like one; `target` as sent.
[[nodiscard]] bool is_presigned(std::string_view target);

// Why it is refused at `now`; nothing: it is not, or it is none.
[[nodiscard]] std::optional<Error> find_expiry(std::string_view target, base::Time now);

// Whether somebody whose clock shows about `now` has made it, and it has not expired by that clock.
[[nodiscard]] bool is_good_at(std::string_view target, base::Time now);

}  // namespace tidemill::wire
