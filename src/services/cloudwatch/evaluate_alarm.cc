// The handler of the evaluation timer.
#include "services/cloudwatch/alarm_change.h"
#include "services/cloudwatch/evaluate_alarm.h"
#include "services/cloudwatch/evaluation.h"

namespace tidemill::cloudwatch {

Task<void> evaluate_alarm(Service& service, const store::Timer& timer) {
  const auto address = store::resource_of_key(kAlarmType, timer.id);
  if (!address) co_return;
  co_await service.platform_writer().write_now();
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    if (!co_await store::finish_timer(txn, timer)) co_return;
    auto alarm = co_await find_alarm(txn, *address);
    if (!alarm) co_return;
    const base::Time now = service.clock().now();
    const auto points = co_await read_points(txn, *alarm, now);
    Verdict verdict = judge(*alarm, points, now);
    if (verdict.state != alarm->state.value || alarm->state.reason.empty()) {
      co_await change_state(txn, *alarm, std::move(verdict.state), std::move(verdict.reason),
                            std::move(verdict.reason_data), now);
    }
    // While there is data to look back at, it will leave; after that nothing changes until new data comes.
    auto next = co_await end_of_coming_data(txn, *alarm, now);
    if (verdict.saw_data) next = next_period(*alarm, now);
    if (next) co_await evaluate_at(txn, *address, *next);
  });
}

}  // namespace tidemill::cloudwatch
