// On whose behalf the steps are made of what somebody has begun: kept beside it, as they are made later, also by another
// process. Who acts under a role acts under it then too, and only the platform itself as the platform.
#pragma once

#include <optional>
#include <string>

#include "wire/context.h"

namespace tidemill::engine {

struct Caller {
  std::string access_key;                  // of a user, a session, a function; empty: none
  std::optional<wire::Standing> standing;  // of a role or a service
  bool is_platform = false;

  [[nodiscard]] wire::Principal principal() const;
};

[[nodiscard]] Caller caller_of(const wire::Principal& principal);

inline constexpr auto kStandingMembers = [](auto& member, auto& standing) {
  member.unless_empty("role", standing.role_arn);
  member.unless_empty("session", standing.session_name);
  member.unless_empty("service", standing.service);
  member.unless_empty("source", standing.source_arn);
  member.unless_empty("source_account", standing.source_account);
  member.unless_empty("taken_by", standing.taken_by);
};
// Among those of the record that it belongs to.
inline constexpr auto kCallerMembers = [](auto& member, auto& caller) {
  member.unless_empty("caller", caller.access_key);
  member.part("standing", "caller's standing", caller.standing, kStandingMembers);
  member.unless_empty("by_platform", caller.is_platform);
};

}  // namespace tidemill::engine
