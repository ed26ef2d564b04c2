// How long a group keeps its events.
#include <algorithm>
#include <array>

#include "base/text.h"
#include "services/logs/errors.h"
#include "services/logs/group_name.h"
#include "services/logs/operations.h"
#include "services/logs/retention.h"

namespace tidemill::logs {
namespace {

// PutRetentionPolicy in the API reference.
constexpr std::array kRetentionDays = {1,   3,   5,   7,   14,   30,   60,   90,   120,  150,  180,
                                       365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653};

void check_days(int days) {
  if (std::ranges::find(kRetentionDays, days) != kRetentionDays.end()) return;
  std::string allowed;
  for (const int one : kRetentionDays) allowed += base::cat(allowed.empty() ? "" : ", ", one);
  throw errors::invalid_parameter_exception(
      base::cat("1 validation error detected: Value '", days,
                "' at 'retentionInDays' failed to satisfy constraint: Member must satisfy enum value set: [", allowed, "]"));
}

}  // namespace

Task<shapes::PutRetentionPolicyOutput> put_retention_policy(Service& service, wire::Context& context,
                                                            const shapes::PutRetentionPolicyInput& request) {
  check_days(request.retention_in_days);
  co_await service.change_group(group_called(context, request.log_group_name),
                                [&](store::Transaction& txn, LogGroup& group) -> Task<void> {
                                  group.retention_days = request.retention_in_days;
                                  co_await start_retention(txn, group, context.now());
                                });
  co_return shapes::PutRetentionPolicyOutput{};
}

Task<shapes::DeleteRetentionPolicyOutput> delete_retention_policy(Service& service, wire::Context& context,
                                                                  const shapes::DeleteRetentionPolicyInput& request) {
  co_await service.change_group(group_called(context, request.log_group_name),
                                [&](store::Transaction& txn, LogGroup& group) -> Task<void> {
                                  group.retention_days.reset();
                                  co_await stop_retention(txn, group);
                                });
  co_return shapes::DeleteRetentionPolicyOutput{};
}

}  // namespace tidemill::logs
