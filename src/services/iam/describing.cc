#include "services/iam/describing.h"

#include "base/text.h"
#include "engine/policy_principals.h"
#include "services/iam/documents.h"

namespace tidemill::iam {

namespace shapes = wire::iam;

namespace {

std::optional<shapes::AttachedPermissionsBoundary> boundary_of(const Identity& identity) {
  if (identity.boundary.empty()) return std::nullopt;
  shapes::AttachedPermissionsBoundary boundary;
  boundary.permissions_boundary_type = "Policy";
  boundary.permissions_boundary_arn = identity.boundary;
  return boundary;
}

}  // namespace

std::optional<std::vector<shapes::Tag>> describe_tags(const json::TextMap& tags) {
  if (tags.empty()) return std::nullopt;
  std::vector<shapes::Tag> result;
  for (const auto& [key, value] : tags) result.push_back({.key = key, .value = value});
  return result;
}

shapes::Role describe_role(const Identity& role, Shown shown) {
  shapes::Role result{.path = role.path,
                      .role_name = role.address.name,
                      .role_id = role.id,
                      .arn = role.arn(),
                      .create_date = role.created};
  result.assume_role_policy_document = url_encoded(role.trust);
  if (role.description && !role.description->empty()) result.description = role.description;
  if (shown != Shown::created) result.max_session_duration = static_cast<int32_t>(role.session_seconds_max);
  if (shown == Shown::listed) return result;
  result.permissions_boundary = boundary_of(role);
  result.tags = describe_tags(role.tags);
  if (shown == Shown::whole) result.role_last_used.emplace();
  return result;
}

Task<shapes::Role> tell_role(const wire::Context& context, Identity role, Shown shown) {
  role.trust = co_await engine::with_arns(context, std::move(role.trust));
  co_return describe_role(role, shown);
}

shapes::User describe_user(const Identity& user, Shown shown) {
  shapes::User result{.path = user.path,
                      .user_name = user.address.name,
                      .user_id = user.id,
                      .arn = user.arn(),
                      .create_date = user.created};
  if (shown == Shown::listed) return result;
  result.permissions_boundary = boundary_of(user);
  result.tags = describe_tags(user.tags);
  return result;
}

shapes::Group describe_group(const Identity& group) {
  return {.path = group.path,
          .group_name = group.address.name,
          .group_id = group.id,
          .arn = group.arn(),
          .create_date = group.created};
}

shapes::Policy describe_policy(const ManagedPolicy& policy, Shown shown) {
  shapes::Policy result;
  result.policy_name = policy.name;
  result.policy_id = policy.id;
  result.arn = policy.arn();
  result.path = policy.path;
  result.default_version_id = base::cat("v", policy.default_version);
  result.attachment_count = static_cast<int32_t>(policy.attachments);
  result.permissions_boundary_usage_count = static_cast<int32_t>(policy.bounds);
  result.is_attachable = true;
  result.create_date = policy.created;
  result.update_date = policy.updated;
  if (shown == Shown::listed) return result;
  if (shown == Shown::whole) result.description = policy.description;
  result.tags = describe_tags(policy.tags);
  return result;
}

shapes::InstanceProfile describe_profile(const InstanceProfile& profile, const std::optional<Identity>& role,
                                         Shown shown) {
  shapes::InstanceProfile result{.path = profile.path,
                                 .instance_profile_name = profile.name,
                                 .instance_profile_id = profile.id,
                                 .arn = profile.arn(),
                                 .create_date = profile.created};
  if (role) result.roles.push_back(describe_role(*role, Shown::created));
  if (shown != Shown::listed) result.tags = describe_tags(profile.tags);
  return result;
}

}  // namespace tidemill::iam
