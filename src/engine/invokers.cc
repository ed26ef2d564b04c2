#include "engine/invokers.h"

#include "base/text.h"
#include "wire/arn.h"

namespace tidemill::engine {

Invoker* Invokers::find(std::string_view arn) const {
  const auto parsed = wire::parse_arn(arn);
  const auto found = parsed ? by_service_.find(parsed->service) : by_service_.end();
  return found == by_service_.end() ? nullptr : found->second;
}

Task<InvokeOutcome> Invokers::invoke(std::string_view arn, std::string payload) {
  return invoke_in_turn(arn, std::move(payload), nullptr);
}

Task<InvokeOutcome> Invokers::invoke_in_turn(std::string_view arn, std::string payload, PlaceTurnPtr turn) {
  if (Invoker* invoker = find(arn)) return invoker->invoke_in_turn(arn, std::move(payload), std::move(turn));
  return Task<InvokeOutcome>::ready(
      {.status = InvokeStatus::no_function, .detail = base::cat("nothing here can be called by ", arn)});
}

Task<PlaceTurnPtr> Invokers::wait_for_place(std::string_view arn, base::Time since, std::function<void()> called) {
  if (Invoker* invoker = find(arn)) return invoker->wait_for_place(arn, since, std::move(called));
  return Task<PlaceTurnPtr>::ready(nullptr);
}

Task<std::optional<std::chrono::seconds>> Invokers::timeout(std::string_view arn) {
  if (Invoker* invoker = find(arn)) return invoker->timeout(arn);
  return Task<std::optional<std::chrono::seconds>>::ready();
}

}  // namespace tidemill::engine
