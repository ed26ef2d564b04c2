// Lambda, assembled: what its operations share, and how they come into the registry.
#pragma once

#include <filesystem>

#include "engine/invoker.h"
#include "engine/workers/workers.h"
#include "services/lambda/event_queue.h"
#include "services/lambda/function_cache.h"
#include "services/lambda/package_store.h"
#include "store/store.h"
#include "wire/registry.h"

namespace tidemill::lambda {

// Runs functions: for callers that wait, for events and, by ARN, for the engine.
class FunctionInvoker final : public engine::Invoker, public EventRunner {
 public:
  FunctionInvoker(FunctionCache& functions, PackageStore& packages, engine::Workers& workers)
      : functions_(functions), packages_(packages), workers_(workers) {}

  Task<engine::InvokeOutcome> invoke(std::string_view function_arn, std::string payload) override;
  Task<engine::InvokeOutcome> invoke_in_turn(std::string_view function_arn, std::string payload,
                                             engine::PlaceTurnPtr turn) override;
  Task<engine::PlaceTurnPtr> wait_for_place(std::string_view function_arn, base::Time since,
                                            std::function<void()> called) override;
  Task<std::optional<std::chrono::seconds>> timeout(std::string_view function_arn) override;

  // What throws are defects and a disk that does not take the package.
  Task<engine::InvocationResult> run(FunctionPtr function, engine::Invocation invocation);
  Task<EventAttempt> run_event(FunctionReference reference, Event event, engine::PlaceTurnPtr turn) override;
  Task<engine::PlaceTurnPtr> line_up(FunctionReference reference, base::Time since,
                                     std::function<void()> called) override;

 private:
  FunctionCache& functions_;
  PackageStore& packages_;
  engine::Workers& workers_;
};

// Made once in main; outlives the registry's use and the engine's. Any thread.
class Service {
 public:
  // Keeps packages in `packages` (<data>/functions). Throws std::filesystem::filesystem_error.
  // `usage` may be null.
  Service(store::Store& store, engine::Workers& workers, std::filesystem::path packages,
          wire::PlatformMetrics* usage = nullptr);

  // Removes packages that no function names. Once, before the first operation.
  Task<void> start();

  // Registers the operations of functions; those of event source mappings have a function of their own
  // (event_source_mappings.h).
  void register_operations(wire::Registry& registry);

  // Before the timers start: until then events are taken and wait.
  void register_senders(engine::Deliveries& deliveries, wire::Platform& platform);

  [[nodiscard]] FunctionCache& functions() { return functions_; }
  [[nodiscard]] PackageStore& packages() { return packages_; }
  [[nodiscard]] engine::Workers& workers() { return workers_; }
  [[nodiscard]] FunctionInvoker& invoker() { return invoker_; }
  [[nodiscard]] EventQueue& events() { return events_; }
  [[nodiscard]] store::Store& store() { return store_; }

  // After $LATEST has got other code: ends its idle workers, and some time later the package goes unless another function
  // or version names it.
  Task<void> replaced(FunctionAddress address, std::string code_digest);

  // Removes packages that were released some time ago and no function names.
  Task<void> remove_unreferenced();

 private:
  store::Store& store_;
  engine::Workers& workers_;
  PackageStore packages_;
  FunctionCache functions_;
  FunctionInvoker invoker_;
  EventQueue events_;
};

}  // namespace tidemill::lambda
