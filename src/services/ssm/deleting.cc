// DeleteParameter and DeleteParameters.
#include "services/ssm/bus_events.h"
#include "services/ssm/operations.h"
#include "services/ssm/parameter.h"

namespace tidemill::ssm {
namespace {

// With all versions. False: there is none.
Task<bool> erase(store::Transaction& txn, const wire::Context& context, const std::string& name) {
  const Reference reference = parse_reference(context, name);
  const auto found = co_await find_referred(txn, {.address = reference.address, .other_name = reference.other_name});
  if (!found) co_return false;
  txn.erase(parameter_key(found->address));
  txn.erase_range(versions_range(found->address));
  co_await tell_bus(txn, *found, kTellDelete, context.now());
  co_return true;
}

}  // namespace

Task<shapes::DeleteParameterOutput> delete_parameter(Service& service, wire::Context& context,
                                                     const shapes::DeleteParameterInput& request) {
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    if (!co_await erase(txn, context, request.name)) throw shapes::errors::parameter_not_found("");
  });
  co_return shapes::DeleteParameterOutput{};
}

Task<shapes::DeleteParametersOutput> delete_parameters(Service& service, wire::Context& context,
                                                       const shapes::DeleteParametersInput& request) {
  shapes::DeleteParametersOutput out;
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    out.deleted_parameters.emplace();
    out.invalid_parameters.emplace();
    for (const std::string& name : request.names) {
      const bool was_there = co_await erase(txn, context, name);
      (was_there ? out.deleted_parameters : out.invalid_parameters)->push_back(name);
    }
  });
  co_return out;
}

}  // namespace tidemill::ssm
