// Records as answers show them.
#pragma once

#include <optional>
#include <vector>

#include "base/json_record.h"
#include "services/iam/identity.h"
#include "services/iam/instance_profile.h"
#include "services/iam/managed_policy.h"
#include "wire/context.h"
#include "wire/shapes/iam.h"

namespace tidemill::iam {

// Lists leave out tags and boundaries, as on AWS; what creates a role leaves out how long its sessions may be.
enum class Shown { created, whole, listed };

[[nodiscard]] wire::iam::Role describe_role(const Identity& role, Shown shown);
// The same with the principals of its trust policy as whoever asks is shown them (engine/policy_principals.h).
Task<wire::iam::Role> tell_role(const wire::Context& context, Identity role, Shown shown);
[[nodiscard]] wire::iam::User describe_user(const Identity& user, Shown shown);
[[nodiscard]] wire::iam::Group describe_group(const Identity& group);
[[nodiscard]] wire::iam::Policy describe_policy(const ManagedPolicy& policy, Shown shown);
// `role`: that of the profile, if it has one.
[[nodiscard]] wire::iam::InstanceProfile describe_profile(const InstanceProfile& profile,
                                                          const std::optional<Identity>& role, Shown shown);

// Nothing: there are none.
[[nodiscard]] std::optional<std::vector<wire::iam::Tag>> describe_tags(const base::json::TextMap& tags);

}  // namespace tidemill::iam
