// GetAccessKeyInfo: the account that an access key id tells.
#include "services/sts/operations.h"
#include "wire/access_key.h"
#include "wire/credential_scope.h"

namespace tidemill::sts {

Task<shapes::GetAccessKeyInfoOutput> get_access_key_info(Service&, wire::Context&,
                                                         const shapes::GetAccessKeyInfoInput& request) {
  auto account = wire::account_of_access_key(request.access_key_id);
  if (!account) throw wire::sts::errors::validation_exception("Invalid access key ID");
  shapes::GetAccessKeyInfoOutput out;
  out.account = *std::move(account);
  co_return out;
}

}  // namespace tidemill::sts
