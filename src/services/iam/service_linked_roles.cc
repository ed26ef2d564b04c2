// CreateServiceLinkedRole, DeleteServiceLinkedRole and GetServiceLinkedRoleDeletionStatus: roles that are a service's
// own. How AWS names them follows no rule, so those that are known stand here and others are refused.
#include <algorithm>
#include <array>

#include "base/text.h"
#include "base/uuid.h"
#include "services/iam/describing.h"
#include "services/iam/errors.h"
#include "services/iam/operations.h"
#include "services/iam/requests.h"

namespace tidemill::iam {
namespace {

using base::cat;

struct LinkedRole {
  std::string_view service;
  std::string_view name;  // behind "AWSServiceRoleFor"
  bool takes_suffix = false;
};

constexpr std::string_view kNameStart = "AWSServiceRoleFor";
constexpr store::ResourceType kDeletions{"iam", "role-deletion"};
constexpr std::array<LinkedRole, 12> kLinkedRoles{{
    {"apidestinations.events.amazonaws.com", "AmazonEventBridgeApiDestinations"},
    {"autoscaling.amazonaws.com", "AutoScaling", true},
    {"dynamodb.application-autoscaling.amazonaws.com", "ApplicationAutoScaling_DynamoDBTable"},
    {"ecs.amazonaws.com", "ECS"},
    {"elasticloadbalancing.amazonaws.com", "ElasticLoadBalancing"},
    {"events.amazonaws.com", "CloudWatchEvents"},
    {"kinesisreplication.dynamodb.amazonaws.com", "DynamoDBKinesisDataStreamsReplication"},
    {"lambda.application-autoscaling.amazonaws.com", "ApplicationAutoScaling_LambdaConcurrency"},
    {"ops.apigateway.amazonaws.com", "APIGateway"},
    {"organizations.amazonaws.com", "Organizations"},
    {"replication.dynamodb.amazonaws.com", "DynamoDBReplication"},
    {"sso.amazonaws.com", "SSO"},
}};

std::string trust_of(std::string_view service) {
  return cat(R"({"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"Service":")", service,
             R"("},"Action":"sts:AssumeRole"}]})");
}

LinkedRole linked_role_of(const shapes::CreateServiceLinkedRoleInput& request) {
  const auto found = std::ranges::find(kLinkedRoles, request.aws_service_name, &LinkedRole::service);
  if (found == kLinkedRoles.end()) throw not_supported(cat("a role of the service ", request.aws_service_name));
  if (request.custom_suffix && !found->takes_suffix) {
    throw errors::invalid_input_exception(cat("Custom suffix is not allowed for ", request.aws_service_name));
  }
  return *found;
}

}  // namespace

Task<shapes::CreateServiceLinkedRoleOutput> create_service_linked_role(
    Service& service, wire::Context& context, const shapes::CreateServiceLinkedRoleInput& request) {
  const LinkedRole linked = linked_role_of(request);
  std::string name = cat(kNameStart, linked.name);
  if (request.custom_suffix) name += cat("_", *request.custom_suffix);
  Identity role = new_identity({Kind::role, context.account, std::move(name)}, context.now());
  role.path = cat("/aws-service-role/", linked.service, "/");
  role.trust = trust_of(linked.service);
  role.description = request.description;
  role.linked_service = linked.service;
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    if (co_await txn.get(identity_key(role.address))) {
      throw errors::invalid_input_exception(cat("Service role name ", role.address.name,
                                                " has been taken in this account, please try a different suffix."));
    }
    put_identity(txn, role);
  });
  shapes::CreateServiceLinkedRoleOutput out;
  out.role = describe_role(role, Shown::created);
  co_return out;
}

Task<shapes::DeleteServiceLinkedRoleOutput> delete_service_linked_role(
    Service& service, wire::Context& context, const shapes::DeleteServiceLinkedRoleInput& request) {
  const IdentityAddress address = address_of(context, request);
  const std::string id = base::new_uuid();
  shapes::DeleteServiceLinkedRoleOutput out;
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    const Identity role = co_await load_identity(txn, address);
    if (role.linked_service.empty()) throw no_such("service linked role", address.name);
    out.deletion_task_id = cat("task", role.path, address.name, "/", id);
    erase_identity(txn, role);
    txn.put(store::resource_key(kDeletions, context.account, kNoRegion, out.deletion_task_id), "");
  });
  co_return out;
}

Task<shapes::GetServiceLinkedRoleDeletionStatusOutput> get_service_linked_role_deletion_status(
    Service& service, wire::Context& context, const shapes::GetServiceLinkedRoleDeletionStatusInput& request) {
  const auto snapshot = service.store().snapshot();
  if (!co_await snapshot->get(store::resource_key(kDeletions, context.account, kNoRegion, request.deletion_task_id))) {
    throw errors::no_such_entity_exception(cat("The deletion task ", request.deletion_task_id, " cannot be found."));
  }
  // The role goes in the transaction that begins its deletion.
  co_return shapes::GetServiceLinkedRoleDeletionStatusOutput{.status = "SUCCEEDED"};
}

}  // namespace tidemill::iam
