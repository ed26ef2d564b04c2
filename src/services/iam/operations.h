// Every operation of IAM, each in the file of its family. Shapes: models/iam.smithy; docs/iam.md says what works.
//
// What users, groups and roles have alike is one template of the operation: put_inline_policy<PutRolePolicy>.
#pragma once

#include "base/task.h"
#include "services/iam/service.h"
#include "wire/context.h"
#include "wire/shapes/iam.h"

namespace tidemill::iam {

namespace shapes = wire::iam;

// Roles.
Task<shapes::CreateRoleOutput> create_role(Service&, wire::Context&, const shapes::CreateRoleInput&);
Task<shapes::GetRoleOutput> get_role(Service&, wire::Context&, const shapes::GetRoleInput&);
Task<shapes::ListRolesOutput> list_roles(Service&, wire::Context&, const shapes::ListRolesInput&);
Task<shapes::UpdateRoleOutput> update_role(Service&, wire::Context&, const shapes::UpdateRoleInput&);
Task<shapes::UpdateRoleDescriptionOutput> update_role_description(Service&, wire::Context&,
                                                                  const shapes::UpdateRoleDescriptionInput&);
Task<shapes::UpdateAssumeRolePolicyOutput> update_assume_role_policy(Service&, wire::Context&,
                                                                     const shapes::UpdateAssumeRolePolicyInput&);
Task<shapes::DeleteRoleOutput> delete_role(Service&, wire::Context&, const shapes::DeleteRoleInput&);

// Roles that are services' own.
Task<shapes::CreateServiceLinkedRoleOutput> create_service_linked_role(Service&, wire::Context&,
                                                                       const shapes::CreateServiceLinkedRoleInput&);
Task<shapes::DeleteServiceLinkedRoleOutput> delete_service_linked_role(Service&, wire::Context&,
                                                                       const shapes::DeleteServiceLinkedRoleInput&);
Task<shapes::GetServiceLinkedRoleDeletionStatusOutput> get_service_linked_role_deletion_status(
    Service&, wire::Context&, const shapes::GetServiceLinkedRoleDeletionStatusInput&);

// Managed policies and their versions.
Task<shapes::CreatePolicyOutput> create_policy(Service&, wire::Context&, const shapes::CreatePolicyInput&);
Task<shapes::GetPolicyOutput> get_policy(Service&, wire::Context&, const shapes::GetPolicyInput&);
Task<shapes::ListPoliciesOutput> list_policies(Service&, wire::Context&, const shapes::ListPoliciesInput&);
Task<shapes::DeletePolicyOutput> delete_policy(Service&, wire::Context&, const shapes::DeletePolicyInput&);
Task<shapes::ListEntitiesForPolicyOutput> list_entities_for_policy(Service&, wire::Context&,
                                                                   const shapes::ListEntitiesForPolicyInput&);
Task<shapes::CreatePolicyVersionOutput> create_policy_version(Service&, wire::Context&,
                                                              const shapes::CreatePolicyVersionInput&);
Task<shapes::GetPolicyVersionOutput> get_policy_version(Service&, wire::Context&, const shapes::GetPolicyVersionInput&);
Task<shapes::ListPolicyVersionsOutput> list_policy_versions(Service&, wire::Context&,
                                                            const shapes::ListPolicyVersionsInput&);
Task<shapes::SetDefaultPolicyVersionOutput> set_default_policy_version(Service&, wire::Context&,
                                                                       const shapes::SetDefaultPolicyVersionInput&);
Task<shapes::DeletePolicyVersionOutput> delete_policy_version(Service&, wire::Context&,
                                                              const shapes::DeletePolicyVersionInput&);

// Users and their access keys.
Task<shapes::CreateUserOutput> create_user(Service&, wire::Context&, const shapes::CreateUserInput&);
Task<shapes::GetUserOutput> get_user(Service&, wire::Context&, const shapes::GetUserInput&);
Task<shapes::ListUsersOutput> list_users(Service&, wire::Context&, const shapes::ListUsersInput&);
Task<shapes::UpdateUserOutput> update_user(Service&, wire::Context&, const shapes::UpdateUserInput&);
Task<shapes::DeleteUserOutput> delete_user(Service&, wire::Context&, const shapes::DeleteUserInput&);
Task<shapes::CreateAccessKeyOutput> create_access_key(Service&, wire::Context&, const shapes::CreateAccessKeyInput&);
Task<shapes::ListAccessKeysOutput> list_access_keys(Service&, wire::Context&, const shapes::ListAccessKeysInput&);
Task<shapes::UpdateAccessKeyOutput> update_access_key(Service&, wire::Context&, const shapes::UpdateAccessKeyInput&);
Task<shapes::DeleteAccessKeyOutput> delete_access_key(Service&, wire::Context&, const shapes::DeleteAccessKeyInput&);
Task<shapes::GetAccessKeyLastUsedOutput> get_access_key_last_used(Service&, wire::Context&,
                                                                  const shapes::GetAccessKeyLastUsedInput&);

// Groups.
Task<shapes::CreateGroupOutput> create_group(Service&, wire::Context&, const shapes::CreateGroupInput&);
Task<shapes::GetGroupOutput> get_group(Service&, wire::Context&, const shapes::GetGroupInput&);
Task<shapes::ListGroupsOutput> list_groups(Service&, wire::Context&, const shapes::ListGroupsInput&);
Task<shapes::UpdateGroupOutput> update_group(Service&, wire::Context&, const shapes::UpdateGroupInput&);
Task<shapes::DeleteGroupOutput> delete_group(Service&, wire::Context&, const shapes::DeleteGroupInput&);
Task<shapes::AddUserToGroupOutput> add_user_to_group(Service&, wire::Context&, const shapes::AddUserToGroupInput&);
Task<shapes::RemoveUserFromGroupOutput> remove_user_from_group(Service&, wire::Context&,
                                                               const shapes::RemoveUserFromGroupInput&);
Task<shapes::ListGroupsForUserOutput> list_groups_for_user(Service&, wire::Context&,
                                                           const shapes::ListGroupsForUserInput&);

// Instance profiles.
Task<shapes::CreateInstanceProfileOutput> create_instance_profile(Service&, wire::Context&,
                                                                  const shapes::CreateInstanceProfileInput&);
Task<shapes::GetInstanceProfileOutput> get_instance_profile(Service&, wire::Context&,
                                                            const shapes::GetInstanceProfileInput&);
Task<shapes::ListInstanceProfilesOutput> list_instance_profiles(Service&, wire::Context&,
                                                                const shapes::ListInstanceProfilesInput&);
Task<shapes::ListInstanceProfilesForRoleOutput> list_instance_profiles_for_role(
    Service&, wire::Context&, const shapes::ListInstanceProfilesForRoleInput&);
Task<shapes::DeleteInstanceProfileOutput> delete_instance_profile(Service&, wire::Context&,
                                                                  const shapes::DeleteInstanceProfileInput&);
Task<shapes::AddRoleToInstanceProfileOutput> add_role_to_instance_profile(Service&, wire::Context&,
                                                                          const shapes::AddRoleToInstanceProfileInput&);
Task<shapes::RemoveRoleFromInstanceProfileOutput> remove_role_from_instance_profile(
    Service&, wire::Context&, const shapes::RemoveRoleFromInstanceProfileInput&);

// What policies would decide.
Task<shapes::SimulateCustomPolicyOutput> simulate_custom_policy(Service&, wire::Context&,
                                                                const shapes::SimulateCustomPolicyInput&);
Task<shapes::SimulatePrincipalPolicyOutput> simulate_principal_policy(Service&, wire::Context&,
                                                                      const shapes::SimulatePrincipalPolicyInput&);
Task<shapes::GetContextKeysForCustomPolicyOutput> get_context_keys_for_custom_policy(
    Service&, wire::Context&, const shapes::GetContextKeysForCustomPolicyInput&);
Task<shapes::GetContextKeysForPrincipalPolicyOutput> get_context_keys_for_principal_policy(
    Service&, wire::Context&, const shapes::GetContextKeysForPrincipalPolicyInput&);

// Of users, groups and roles alike; tags also of policies and instance profiles.
template <class Op>
Task<typename Op::Response> put_inline_policy(Service&, wire::Context&, const typename Op::Request&);
template <class Op>
Task<typename Op::Response> get_inline_policy(Service&, wire::Context&, const typename Op::Request&);
template <class Op>
Task<typename Op::Response> delete_inline_policy(Service&, wire::Context&, const typename Op::Request&);
template <class Op>
Task<typename Op::Response> list_inline_policies(Service&, wire::Context&, const typename Op::Request&);
template <class Op>
Task<typename Op::Response> attach_policy(Service&, wire::Context&, const typename Op::Request&);
template <class Op>
Task<typename Op::Response> detach_policy(Service&, wire::Context&, const typename Op::Request&);
template <class Op>
Task<typename Op::Response> list_attached_policies(Service&, wire::Context&, const typename Op::Request&);
template <class Op>
Task<typename Op::Response> put_boundary(Service&, wire::Context&, const typename Op::Request&);
template <class Op>
Task<typename Op::Response> delete_boundary(Service&, wire::Context&, const typename Op::Request&);
template <class Op>
Task<typename Op::Response> tag(Service&, wire::Context&, const typename Op::Request&);
template <class Op>
Task<typename Op::Response> untag(Service&, wire::Context&, const typename Op::Request&);
template <class Op>
Task<typename Op::Response> list_tags(Service&, wire::Context&, const typename Op::Request&);

}  // namespace tidemill::iam
