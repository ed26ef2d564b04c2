// What roles, users and groups have in common: policies inside them, managed ones attached to them, their boundary.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/task.h"
#include "services/cloudformation/resource_type.h"

namespace tidemill::cloudformation {

inline constexpr std::string_view kNoSuchEntity = "NoSuchEntityException";
inline constexpr std::string_view kEntityExists = "EntityAlreadyExistsException";

// Names of IAM's entities: at most 64 letters of roles and users, 128 of policies and groups.
inline constexpr size_t kRoleNameSizeMax = 64;
inline constexpr size_t kPolicyNameSizeMax = 128;

enum class PrincipalKind { role, user, group };

struct Principal {
  PrincipalKind kind;
  std::string name;
};

// "PutRolePolicy" of "Put" and "Policy".
[[nodiscard]] std::string principal_operation(PrincipalKind kind, std::string_view verb, std::string_view object);
// {"RoleName": …}
[[nodiscard]] json::Object principal_request(const Principal& principal);

// Takes something away by an operation of IAM. It succeeds where there is nothing to take away: where it is gone, or what
// it is in; and of what is malformed, so that it never was there.
Task<void> take_away(Step& step, std::string operation, json::Object request);

// A policy inside it. `document` is an object or text. Removing one takes it away.
Task<void> put_inline_policy(Step& step, Principal principal, std::string policy, json::Value document);
Task<void> remove_inline_policy(Step& step, Principal principal, std::string policy);
// A managed one, likewise.
Task<void> attach_policy(Step& step, Principal principal, std::string arn);
Task<void> detach_policy(Step& step, Principal principal, std::string arn);

// The properties Policies and ManagedPolicyArns, from the one to the other.
Task<void> change_policies(Step& step, Principal principal, const json::Object& before, const json::Object& after);
// What these two properties are; they are left out where there is none.
Task<json::Object> read_policies(Step& step, Principal principal);
// The document that IAM tells as text, percent-encoded.
[[nodiscard]] json::Value policy_document(const json::Object& from, std::string_view name);
// PermissionsBoundary, of roles and users.
Task<void> change_boundary(Step& step, Principal principal, const json::Object& before, const json::Object& after);
// Tags, of roles and users.
Task<void> change_principal_tags(Step& step, Principal principal, const json::Object& before,
                                 const json::Object& after);

// The texts of `before` that are not in `after`, under `name`.
[[nodiscard]] std::vector<std::string> texts_gone(const json::Object& before, const json::Object& after,
                                                  std::string_view name);

}  // namespace tidemill::cloudformation
