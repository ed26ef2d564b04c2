// Whose resources are whose. With `--auth signed` whoever has a key may do everything in its account, and beyond it
// what the policy of the other's resource lets.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "rights/actor.h"
#include "rights/ask.h"
#include "wire/context.h"

namespace tidemill::rights {

// In whose name the call is: of a key, of a role, or of what a service acts for. Empty: only a record tells it, as of a
// bucket.
[[nodiscard]] std::string account_acting(const wire::Context& context);
// The same, once that record has been read.
[[nodiscard]] std::string account_of(const wire::Context& context, const Actor& actor);

// Whether the resource can be of no other account than `account`, as it reads. False for buckets, whose ARNs tell none.
[[nodiscard]] bool is_within(std::string_view account, const Ask& ask);

// Whether a role of another account would be given to a service.
[[nodiscard]] bool passes_role_of_another(std::string_view account, const Ask& ask);

// The same actor, whom the own account lets do everything.
[[nodiscard]] std::shared_ptr<const Actor> let_by_own_account(const Actor& actor);

}  // namespace tidemill::rights
