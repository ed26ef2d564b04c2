// Who is called by the service of its ARN: a function ("lambda"), a pipe ("pipes"). So what a mapping gives its batches
// to is a matter of its ARN alone.
#pragma once

#include <map>
#include <string>

#include "engine/invoker.h"

namespace tidemill::engine {

class Invokers final : public Invoker {
 public:
  // What it points to outlives this.
  explicit Invokers(std::map<std::string, Invoker*, std::less<>> by_service) : by_service_(std::move(by_service)) {}

  Task<InvokeOutcome> invoke(std::string_view arn, std::string payload) override;
  Task<InvokeOutcome> invoke_in_turn(std::string_view arn, std::string payload, PlaceTurnPtr turn) override;
  Task<PlaceTurnPtr> wait_for_place(std::string_view arn, base::Time since, std::function<void()> called) override;
  Task<std::optional<std::chrono::seconds>> timeout(std::string_view arn) override;

 private:
  [[nodiscard]] Invoker* find(std::string_view arn) const;

  std::map<std::string, Invoker*, std::less<>> by_service_;
};

}  // namespace tidemill::engine
