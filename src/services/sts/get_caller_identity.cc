// GetCallerIdentity.
#include "services/sts/caller.h"
#include "services/sts/operations.h"

namespace tidemill::sts {

Task<shapes::GetCallerIdentityOutput> get_caller_identity(Service& service, wire::Context& context,
                                                          const shapes::GetCallerIdentityInput&) {
  CallerIdentity caller = co_await find_caller(service, context);
  shapes::GetCallerIdentityOutput out;
  out.user_id = std::move(caller.user_id);
  out.account = context.account;
  out.arn = std::move(caller.arn);
  co_return out;
}

}  // namespace tidemill::sts
