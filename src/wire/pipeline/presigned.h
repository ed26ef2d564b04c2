// Requests whose signature stands in their address, so that it can be given away. They are good until they expire.
#pragma once

#include <optional>
#include <string_view>

#include "base/clock.h"
#include "wire/error.h"

namespace tidemill::wire {

// Whether its query has a signature, however its name is spelled; `target` as sent.
[[nodiscard]] bool is_presigned(std::string_view target);

// Why it is refused at `now`; nothing: it is not, or it is none.
[[nodiscard]] std::optional<Error> find_expiry(std::string_view target, base::Time now);

// Why what Signature Version 4 made at `date` to be good for `expires` seconds, both as the address has them, is refused
// at `now`; nothing: it is not.
[[nodiscard]] std::optional<Error> find_expiry(std::string_view date, std::string_view expires, base::Time now);

// Whether what was made at `made` (nothing: it does not say) by the machine's clock is good until `until` by that
// clock: so are judged the signatures of programs outside, which know no other time than the machine's.
[[nodiscard]] bool is_good_by_machine(std::optional<base::Time> made, base::Time until);

// Whether somebody whose clock shows about `now` has made it, and it has not expired by that clock.
[[nodiscard]] bool is_good_at(std::string_view target, base::Time now);

}  // namespace tidemill::wire
