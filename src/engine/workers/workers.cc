#include "engine/workers/workers.h"

#include <cstdlib>

#include "engine/workers/worker_pool.h"

namespace tidemill::engine {

Workers::Workers(net::Loop& loop, base::Clock& clock, base::Metrics& metrics, WorkersOptions options) {
  if (options.search_path.empty()) {
    if (const char* path = std::getenv("PATH")) options.search_path = path;
  }
  impl_ = std::make_shared<Impl>(loop, clock, metrics, std::move(options));
}

Workers::~Workers() = default;

Task<InvocationResult> Workers::invoke(std::shared_ptr<const FunctionSpec> spec, Invocation invocation) {
  const base::Future<InvocationResult> done = co_await begin(std::move(spec), std::move(invocation));
  co_return co_await done;
}

Task<base::Future<InvocationResult>> Workers::begin(std::shared_ptr<const FunctionSpec> spec, Invocation invocation) {
  const std::shared_ptr<Impl> kept = impl_;
  Impl& impl = *kept;
  if (wire::Faults* faults = impl.options.faults; faults && faults->any()) {
    const auto hold = impl.clock.activity().hold();
    if (auto blow = co_await faults->before_function(spec->name, spec->arn)) {
      const base::Future<InvocationResult> refused;
      refused.set(impl.struck(*spec, invocation, *blow));
      if (invocation.stream) invocation.stream->end();
      co_return refused;
    }
  }
  auto call = std::make_unique<WorkerCall>(
      WorkerCall{std::move(spec), std::move(invocation), {}, impl.clock.activity().hold()});
  const base::Future<InvocationResult> done = call->done;
  if (base::Executor::current_or_null() == &impl.loop) {
    impl.submit(std::move(call));
  } else {
    impl.loop.post([weak = std::weak_ptr(impl_), call = std::move(call)]() mutable {
      if (const auto shared = weak.lock()) shared->submit(std::move(call));
    });
  }
  co_return done;
}

PlaceTurnPtr Workers::wait_for_place(std::shared_ptr<const FunctionSpec> spec, base::Time since,
                                     std::function<void()> called) {
  const wire::Faults* faults = impl_->options.faults;
  if (faults && faults->may_throttle(spec->name, spec->arn)) return nullptr;
  std::string pool = Impl::pool_of(*spec);
  return impl_->lines->enter(std::move(pool), std::move(spec), since, std::move(called));
}

void Workers::retire(const std::string& function_arn, std::string_view version) {
  impl_->loop.post([weak = std::weak_ptr(impl_), function_arn, version = std::string(version)] {
    if (const auto shared = weak.lock()) shared->retire_function(function_arn, version);
  });
}

void Workers::provision(const std::string& function_arn, std::vector<Provision> versions, uint64_t edition) {
  impl_->loop.post([weak = std::weak_ptr(impl_), function_arn, versions = std::move(versions), edition] {
    if (const auto shared = weak.lock()) shared->provision(function_arn, versions, edition);
  });
}

Workers::Provisioned Workers::provisioned(const std::string& function_arn, std::string_view version) const {
  const std::lock_guard lock(impl_->provisioned_mutex);
  const auto found = impl_->provisioned_now.find(function_arn + ":" + std::string(version));
  return found == impl_->provisioned_now.end() ? Provisioned() : found->second;
}

void Workers::refuse_more() { impl_->refuses = true; }

size_t Workers::under_way() const { return impl_->under_way.load(std::memory_order_relaxed); }

std::optional<std::string> Workers::unsupported_reason(std::string_view runtime) const {
  auto launch = impl_->runtimes.resolve(runtime);
  if (launch) return std::nullopt;
  return launch.error();
}

}  // namespace tidemill::engine
