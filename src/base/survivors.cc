#include "base/survivors.h"

namespace tidemill::base {

void Survivors::adopt(Task<void> task) {
  Executor* executor = Executor::current_or_null();
  Scope* scope = nullptr;
  {
    const std::lock_guard lock(mutex_);
    auto& slot = scopes_[executor];
    if (!slot) slot = std::make_unique<Scope>();
    scope = slot.get();
  }
  if (scope->running() < kPerExecutorMax) scope->spawn(std::move(task));
}

size_t Survivors::running() {
  const std::lock_guard lock(mutex_);
  const auto found = scopes_.find(Executor::current_or_null());
  return found == scopes_.end() ? 0 : found->second->running();
}

}  // namespace tidemill::base
