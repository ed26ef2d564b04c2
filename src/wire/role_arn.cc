#include "wire/role_arn.h"

#include "wire/arn.h"
#include "wire/credential_scope.h"

namespace tidemill::wire {

bool is_role_arn(std::string_view text) {
  constexpr std::string_view kRole = "role/";
  const auto arn = parse_arn(text);
  return arn && arn->service == "iam" && arn->region.empty() && is_account(arn->account) &&
         arn->resource.starts_with(kRole) && arn->resource.size() > kRole.size();
}

}  // namespace tidemill::wire
