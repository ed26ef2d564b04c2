#include "engine/invokers.h"

#include "base/text.h"
#include "wire/arn.h"

namespace tidemill::engine {

Invokers::Invokers(const std::map<std::string, Invoker*, std::less<>>& by_service) {
  for (const auto& [service, invoker] : by_service) by_service_[service].invoker = invoker;
}

uint64_t Invokers::calls_of(std::string_view service) const {
  const auto found = by_service_.find(service);
  return found == by_service_.end() ? 0 : found->second.calls.load(std::memory_order_relaxed);
}

Invokers::Called* Invokers::find(std::string_view arn) {
  const auto parsed = wire::parse_arn(arn);
  const auto found = parsed ? by_service_.find(parsed->service) : by_service_.end();
  return found == by_service_.end() ? nullptr : &found->second;
}

Task<InvokeOutcome> Invokers::invoke(std::string_view arn, std::string payload) {
  return invoke_in_turn(arn, std::move(payload), nullptr);
}

Task<InvokeOutcome> Invokers::invoke_in_turn(std::string_view arn, std::string payload, PlaceTurnPtr turn) {
  if (Called* called = find(arn)) {
    called->calls.fetch_add(1, std::memory_order_relaxed);
    return called->invoker->invoke_in_turn(arn, std::move(payload), std::move(turn));
  }
  return Task<InvokeOutcome>::ready(
      {.status = InvokeStatus::no_function, .detail = base::cat("nothing here can be called by ", arn)});
}

Task<PlaceTurnPtr> Invokers::wait_for_place(std::string_view arn, base::Time since, std::function<void()> called) {
  if (const Called* found = find(arn)) return found->invoker->wait_for_place(arn, since, std::move(called));
  return Task<PlaceTurnPtr>::ready(nullptr);
}

Task<std::optional<std::chrono::seconds>> Invokers::timeout(std::string_view arn) {
  if (const Called* called = find(arn)) return called->invoker->timeout(arn);
  return Task<std::optional<std::chrono::seconds>>::ready();
}

}  // namespace tidemill::engine
