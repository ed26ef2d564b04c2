// Put and Delete of the policy that bounds what a user or role may be granted.
#include "services/iam/managed_policy.h"
#include "services/iam/operations.h"
#include "services/iam/requests.h"

namespace tidemill::iam {

namespace ops = shapes::ops;

namespace {

// `boundary`: empty, to have none.
Task<void> set_boundary(Service& service, const IdentityAddress& address, std::string boundary) {
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    Identity identity = co_await load_identity(txn, address);
    check_modifiable(identity);
    if (!identity.boundary.empty()) co_await count_use(txn, address.account, identity.boundary, {.bounds = -1});
    if (!boundary.empty()) co_await count_use(txn, address.account, boundary, {.bounds = 1});
    identity.boundary = boundary;
    put_identity(txn, identity);
  });
}

}  // namespace

template <class Op>
Task<typename Op::Response> put_boundary(Service& service, wire::Context& context,
                                         const typename Op::Request& request) {
  co_await set_boundary(service, address_of(context, request), request.permissions_boundary);
  co_return typename Op::Response{};
}

template <class Op>
Task<typename Op::Response> delete_boundary(Service& service, wire::Context& context,
                                            const typename Op::Request& request) {
  co_await set_boundary(service, address_of(context, request), "");
  co_return typename Op::Response{};
}

template Task<shapes::PutRolePermissionsBoundaryOutput> put_boundary<ops::PutRolePermissionsBoundary>(
    Service&, wire::Context&, const shapes::PutRolePermissionsBoundaryInput&);
template Task<shapes::DeleteRolePermissionsBoundaryOutput> delete_boundary<ops::DeleteRolePermissionsBoundary>(
    Service&, wire::Context&, const shapes::DeleteRolePermissionsBoundaryInput&);
template Task<shapes::PutUserPermissionsBoundaryOutput> put_boundary<ops::PutUserPermissionsBoundary>(
    Service&, wire::Context&, const shapes::PutUserPermissionsBoundaryInput&);
template Task<shapes::DeleteUserPermissionsBoundaryOutput> delete_boundary<ops::DeleteUserPermissionsBoundary>(
    Service&, wire::Context&, const shapes::DeleteUserPermissionsBoundaryInput&);

}  // namespace tidemill::iam
