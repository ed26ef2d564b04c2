#include "services/iam/service.h"

#include "services/iam/operations.h"
#include "services/iam/principals.h"

namespace tidemill::iam {

namespace ops = shapes::ops;

namespace {

// Registers handlers that take the service.
class Adder {
 public:
  Adder(Service& service, wire::Registry& registry) : service_(service), registry_(registry) {}

  template <class Op>
  void add(Task<typename Op::Response> (*handler)(Service&, wire::Context&, const typename Op::Request&)) {
    registry_.add<Op>([&service = service_, handler](wire::Context& context, const typename Op::Request& request) {
      return handler(service, context, request);
    });
  }

 private:
  Service& service_;
  wire::Registry& registry_;
};

void add_roles(Adder& adder) {
  adder.add<ops::CreateRole>(create_role);
  adder.add<ops::GetRole>(get_role);
  adder.add<ops::ListRoles>(list_roles);
  adder.add<ops::UpdateRole>(update_role);
  adder.add<ops::UpdateRoleDescription>(update_role_description);
  adder.add<ops::UpdateAssumeRolePolicy>(update_assume_role_policy);
  adder.add<ops::DeleteRole>(delete_role);
}

void add_service_linked_roles(Adder& adder) {
  adder.add<ops::CreateServiceLinkedRole>(create_service_linked_role);
  adder.add<ops::DeleteServiceLinkedRole>(delete_service_linked_role);
  adder.add<ops::GetServiceLinkedRoleDeletionStatus>(get_service_linked_role_deletion_status);
}

void add_managed_policies(Adder& adder) {
  adder.add<ops::CreatePolicy>(create_policy);
  adder.add<ops::GetPolicy>(get_policy);
  adder.add<ops::ListPolicies>(list_policies);
  adder.add<ops::DeletePolicy>(delete_policy);
  adder.add<ops::ListEntitiesForPolicy>(list_entities_for_policy);
  adder.add<ops::CreatePolicyVersion>(create_policy_version);
  adder.add<ops::GetPolicyVersion>(get_policy_version);
  adder.add<ops::ListPolicyVersions>(list_policy_versions);
  adder.add<ops::SetDefaultPolicyVersion>(set_default_policy_version);
  adder.add<ops::DeletePolicyVersion>(delete_policy_version);
}

void add_users(Adder& adder) {
  adder.add<ops::CreateUser>(create_user);
  adder.add<ops::GetUser>(get_user);
  adder.add<ops::ListUsers>(list_users);
  adder.add<ops::UpdateUser>(update_user);
  adder.add<ops::DeleteUser>(delete_user);
  adder.add<ops::CreateAccessKey>(create_access_key);
  adder.add<ops::ListAccessKeys>(list_access_keys);
  adder.add<ops::UpdateAccessKey>(update_access_key);
  adder.add<ops::DeleteAccessKey>(delete_access_key);
  adder.add<ops::GetAccessKeyLastUsed>(get_access_key_last_used);
}

void add_groups(Adder& adder) {
  adder.add<ops::CreateGroup>(create_group);
  adder.add<ops::GetGroup>(get_group);
  adder.add<ops::ListGroups>(list_groups);
  adder.add<ops::UpdateGroup>(update_group);
  adder.add<ops::DeleteGroup>(delete_group);
  adder.add<ops::AddUserToGroup>(add_user_to_group);
  adder.add<ops::RemoveUserFromGroup>(remove_user_from_group);
  adder.add<ops::ListGroupsForUser>(list_groups_for_user);
}

void add_instance_profiles(Adder& adder) {
  adder.add<ops::CreateInstanceProfile>(create_instance_profile);
  adder.add<ops::GetInstanceProfile>(get_instance_profile);
  adder.add<ops::ListInstanceProfiles>(list_instance_profiles);
  adder.add<ops::ListInstanceProfilesForRole>(list_instance_profiles_for_role);
  adder.add<ops::DeleteInstanceProfile>(delete_instance_profile);
  adder.add<ops::AddRoleToInstanceProfile>(add_role_to_instance_profile);
  adder.add<ops::RemoveRoleFromInstanceProfile>(remove_role_from_instance_profile);
}

void add_simulations(Adder& adder) {
  adder.add<ops::SimulateCustomPolicy>(simulate_custom_policy);
  adder.add<ops::SimulatePrincipalPolicy>(simulate_principal_policy);
  adder.add<ops::GetContextKeysForCustomPolicy>(get_context_keys_for_custom_policy);
  adder.add<ops::GetContextKeysForPrincipalPolicy>(get_context_keys_for_principal_policy);
}

void add_inline_policies(Adder& adder) {
  adder.add<ops::PutRolePolicy>(put_inline_policy<ops::PutRolePolicy>);
  adder.add<ops::GetRolePolicy>(get_inline_policy<ops::GetRolePolicy>);
  adder.add<ops::DeleteRolePolicy>(delete_inline_policy<ops::DeleteRolePolicy>);
  adder.add<ops::ListRolePolicies>(list_inline_policies<ops::ListRolePolicies>);
  adder.add<ops::PutUserPolicy>(put_inline_policy<ops::PutUserPolicy>);
  adder.add<ops::GetUserPolicy>(get_inline_policy<ops::GetUserPolicy>);
  adder.add<ops::DeleteUserPolicy>(delete_inline_policy<ops::DeleteUserPolicy>);
  adder.add<ops::ListUserPolicies>(list_inline_policies<ops::ListUserPolicies>);
  adder.add<ops::PutGroupPolicy>(put_inline_policy<ops::PutGroupPolicy>);
  adder.add<ops::GetGroupPolicy>(get_inline_policy<ops::GetGroupPolicy>);
  adder.add<ops::DeleteGroupPolicy>(delete_inline_policy<ops::DeleteGroupPolicy>);
  adder.add<ops::ListGroupPolicies>(list_inline_policies<ops::ListGroupPolicies>);
}

void add_attached_policies(Adder& adder) {
  adder.add<ops::AttachRolePolicy>(attach_policy<ops::AttachRolePolicy>);
  adder.add<ops::DetachRolePolicy>(detach_policy<ops::DetachRolePolicy>);
  adder.add<ops::ListAttachedRolePolicies>(list_attached_policies<ops::ListAttachedRolePolicies>);
  adder.add<ops::AttachUserPolicy>(attach_policy<ops::AttachUserPolicy>);
  adder.add<ops::DetachUserPolicy>(detach_policy<ops::DetachUserPolicy>);
  adder.add<ops::ListAttachedUserPolicies>(list_attached_policies<ops::ListAttachedUserPolicies>);
  adder.add<ops::AttachGroupPolicy>(attach_policy<ops::AttachGroupPolicy>);
  adder.add<ops::DetachGroupPolicy>(detach_policy<ops::DetachGroupPolicy>);
  adder.add<ops::ListAttachedGroupPolicies>(list_attached_policies<ops::ListAttachedGroupPolicies>);
}

void add_boundaries(Adder& adder) {
  adder.add<ops::PutRolePermissionsBoundary>(put_boundary<ops::PutRolePermissionsBoundary>);
  adder.add<ops::DeleteRolePermissionsBoundary>(delete_boundary<ops::DeleteRolePermissionsBoundary>);
  adder.add<ops::PutUserPermissionsBoundary>(put_boundary<ops::PutUserPermissionsBoundary>);
  adder.add<ops::DeleteUserPermissionsBoundary>(delete_boundary<ops::DeleteUserPermissionsBoundary>);
}

void add_tags(Adder& adder) {
  adder.add<ops::TagRole>(tag<ops::TagRole>);
  adder.add<ops::UntagRole>(untag<ops::UntagRole>);
  adder.add<ops::ListRoleTags>(list_tags<ops::ListRoleTags>);
  adder.add<ops::TagUser>(tag<ops::TagUser>);
  adder.add<ops::UntagUser>(untag<ops::UntagUser>);
  adder.add<ops::ListUserTags>(list_tags<ops::ListUserTags>);
  adder.add<ops::TagPolicy>(tag<ops::TagPolicy>);
  adder.add<ops::UntagPolicy>(untag<ops::UntagPolicy>);
  adder.add<ops::ListPolicyTags>(list_tags<ops::ListPolicyTags>);
  adder.add<ops::TagInstanceProfile>(tag<ops::TagInstanceProfile>);
  adder.add<ops::UntagInstanceProfile>(untag<ops::UntagInstanceProfile>);
  adder.add<ops::ListInstanceProfileTags>(list_tags<ops::ListInstanceProfileTags>);
}

}  // namespace

Task<void> Service::start() { return keep_all_principals(store_); }

void Service::register_operations(wire::Registry& registry) {
  Adder adder(*this, registry);
  add_roles(adder);
  add_service_linked_roles(adder);
  add_managed_policies(adder);
  add_users(adder);
  add_groups(adder);
  add_instance_profiles(adder);
  add_simulations(adder);
  add_inline_policies(adder);
  add_attached_policies(adder);
  add_boundaries(adder);
  add_tags(adder);
  registry.refuse(shapes::refused_operations());
}

}  // namespace tidemill::iam
