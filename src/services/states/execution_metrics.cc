#include "services/states/execution_metrics.h"

namespace tidemill::states {
namespace {

const wire::PlatformMetric* metric_of(Status status) {
  switch (status) {
    case Status::succeeded: return &kExecutionsSucceeded;
    case Status::failed: return &kExecutionsFailed;
    case Status::timed_out: return &kExecutionsTimedOut;
    case Status::aborted: return &kExecutionsAborted;
    case Status::running: break;
  }
  return nullptr;
}

}  // namespace

void measure_start(const wire::Platform& platform, const ExecutionAddress& address) {
  if (platform.usage) platform.usage->add(kExecutionsStarted, address.account, address.region, address.machine_arn());
}

void measure_end(const wire::Platform& platform, const ExecutionAddress& address, Status status, base::Duration took) {
  const wire::PlatformMetric* metric = metric_of(status);
  if (!platform.usage || !metric) return;
  const std::string machine = address.machine_arn();
  platform.usage->add(*metric, address.account, address.region, machine);
  const double milliseconds = static_cast<double>(took.count()) / 1000;
  platform.usage->add(kExecutionTime, address.account, address.region, machine, milliseconds);
}

}  // namespace tidemill::states
