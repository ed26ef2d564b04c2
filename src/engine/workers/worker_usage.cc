// What functions tell CloudWatch of their calls.
#include "engine/workers/worker_pool.h"

#include <algorithm>

#include "engine/workers/worker_errors.h"

namespace tidemill::engine {
namespace {

constexpr wire::PlatformMetric kInvocations{"AWS/Lambda", "Invocations", "Count", "FunctionName"};
constexpr wire::PlatformMetric kErrors{"AWS/Lambda", "Errors", "Count", "FunctionName"};
constexpr wire::PlatformMetric kThrottles{"AWS/Lambda", "Throttles", "Count", "FunctionName"};
constexpr wire::PlatformMetric kDuration{"AWS/Lambda", "Duration", "Milliseconds", "FunctionName"};
// Of versions that have provisioned concurrency; by whom the caller named, "function:alias" (AWS's dimension Resource).
constexpr wire::PlatformMetric kProvisionedInvocations{"AWS/Lambda", "ProvisionedConcurrencyInvocations", "Count",
                                                       "FunctionName", "Resource"};
constexpr wire::PlatformMetric kSpilloverInvocations{
    "AWS/Lambda", "ProvisionedConcurrencySpilloverInvocations", "Count", "FunctionName", "Resource"};
constexpr wire::PlatformMetric kProvisionedExecutions{"AWS/Lambda", "ProvisionedConcurrentExecutions", "Count",
                                                      "FunctionName", "Resource"};
constexpr wire::PlatformMetric kProvisionedUtilization{"AWS/Lambda", "ProvisionedConcurrencyUtilization", "None",
                                                       "FunctionName", "Resource"};
constexpr wire::PlatformMetric kConcurrentExecutions{"AWS/Lambda", "ConcurrentExecutions", "Count", "FunctionName"};

}  // namespace

void Workers::Impl::measure(const wire::PlatformMetric& metric, const FunctionSpec& spec, double value) {
  if (options.usage) options.usage->add(metric, spec.account, spec.region, spec.name, value);
}

void Workers::Impl::measure_provisioned(Member& member, const WorkerCall& call) {
  const Group& group = *member.group;
  member.is_barren = false;
  if (!options.usage || group.provisioned == 0) return;
  const FunctionSpec& spec = *call.spec;
  const std::string& arn = call.invocation.function_arn;
  const bool is_qualified = arn.size() > spec.arn.size() + 1 && arn.starts_with(spec.arn);
  const std::string resource = spec.name + ":" + (is_qualified ? arn.substr(spec.arn.size() + 1) : spec.version);
  const auto add = [&](const wire::PlatformMetric& metric, double value) {
    options.usage->add(metric, spec.account, spec.region, spec.name, value, 1, resource);
  };
  const int running_there = std::min(static_cast<int>(group.provisioned), count_in(in_provisioned, key_of(spec)));
  add(kProvisionedInvocations, member.is_provisioned ? 1 : 0);
  add(kSpilloverInvocations, member.is_provisioned ? 0 : 1);
  add(kProvisionedExecutions, running_there);
  add(kProvisionedUtilization, static_cast<double>(running_there) / static_cast<double>(group.provisioned));
}

void Workers::Impl::measure_end(const WorkerCall& call, const InvocationResult& result) {
  const FunctionSpec& spec = *call.spec;
  const base::Duration duration = base::RealClock().now() - call.dispatched;
  measure(kDuration, spec, std::chrono::duration<double, std::milli>(duration).count());
  measure(kErrors, spec, result.status == InvokeStatus::function_error ? 1 : 0);
  const auto count = running.find(spec.arn);
  if (count != running.end() && --count->second == 0) running.erase(count);
}

void Workers::Impl::measure_begin(const FunctionSpec& spec) {
  measure(kInvocations, spec, 1);
  measure(kThrottles, spec, 0);
  measure(kConcurrentExecutions, spec, ++running[spec.arn]);
}

void Workers::Impl::count_throttle(const FunctionSpec& spec) {
  throttles.add();
  measure(kThrottles, spec, 1);
}

InvocationResult Workers::Impl::struck(const FunctionSpec& spec, const Invocation& invocation,
                                         const wire::Faults::Blow& blow) {
  if (blow.effect == wire::FaultEffect::throttle) {
    count_throttle(spec);
    return {.status = InvokeStatus::throttled, .detail = blow.message};
  }
  errors.add();
  measure(kInvocations, spec, 1);
  measure(kErrors, spec, 1);
  return {.status = InvokeStatus::function_error,
          .payload = error_document(blow.error, invocation.request_id, blow.message),
          .function_error = "Unhandled",
          .detail = blow.message};
}

}  // namespace tidemill::engine
