// Who is called by the service of its ARN: a function ("lambda"), a pipe ("pipes"). So what a mapping gives its batches
// to is a matter of its ARN alone.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "engine/invoker.h"

namespace tidemill::engine {

class Invokers final : public Invoker {
 public:
  // What it points to outlives this.
  explicit Invokers(const std::map<std::string, Invoker*, std::less<>>& by_service);

  // How often somebody of the service was called. Any thread.
  [[nodiscard]] uint64_t calls_of(std::string_view service) const;

  Task<InvokeOutcome> invoke(std::string_view arn, std::string payload) override;
  Task<InvokeOutcome> invoke_in_turn(std::string_view arn, std::string payload, PlaceTurnPtr turn) override;
  Task<PlaceTurnPtr> wait_for_place(std::string_view arn, base::Time since, std::function<void()> called) override;
  Task<std::optional<std::chrono::seconds>> timeout(std::string_view arn) override;

 private:
  struct Called {
    Invoker* invoker = nullptr;
    std::atomic<uint64_t> calls = 0;
  };
  // Null: it is of no service that can be called.
  [[nodiscard]] Called* find(std::string_view arn);

  std::map<std::string, Called, std::less<>> by_service_;
};

}  // namespace tidemill::engine
