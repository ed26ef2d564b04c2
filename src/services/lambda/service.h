// Lambda, assembled: what its operations share, and how they come into the registry.
#pragma once

#include <filesystem>

#include "base/blocking_work.h"
#include "engine/invoker.h"
#include "engine/workers/workers.h"
#include "services/lambda/event_queue.h"
#include "services/lambda/function_cache.h"
#include "services/lambda/package_store.h"
#include "store/store.h"
#include "wire/registry.h"

namespace tidemill::lambda {

class StreamedCall;  // services/lambda/invocation.h

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
  // The same, waiting only until the call is on its way.
  Task<std::shared_ptr<StreamedCall>> begin(FunctionPtr function, engine::Invocation invocation);
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
  // Unpacks packages below `packages` (<data>/functions). Throws std::filesystem::filesystem_error.
  // `usage` may be null. `is_lenient`: settings that would change nothing here are kept and shown instead of refused.
  Service(store::Store& store, store::Blobs& blobs, engine::Workers& workers, std::filesystem::path packages,
          wire::PlatformMetrics* usage = nullptr, bool is_lenient = false);

  // Takes over what an earlier format left, and removes what is unpacked of packages that no function names. Once, before
  // the first operation.
  Task<void> start();

  // Registers the operations of functions; those of event source mappings have a function of their own
  // (event_source_mappings.h).
  void register_operations(wire::Registry& registry);

  // Before the timers start: until then events are taken and wait.
  void register_senders(engine::Deliveries& deliveries, wire::Platform& platform);

  [[nodiscard]] FunctionCache& functions() { return functions_; }
  [[nodiscard]] PackageStore& packages() { return packages_; }
  [[nodiscard]] engine::Workers& workers() const { return workers_; }
  [[nodiscard]] FunctionInvoker& invoker() { return invoker_; }
  [[nodiscard]] EventQueue& events() { return events_; }
  [[nodiscard]] store::Store& store() { return store_; }
  [[nodiscard]] bool is_lenient() const { return is_lenient_; }
  // For payloads of megabytes, which nobody reads on a loop.
  [[nodiscard]] base::BlockingWork& large() { return large_; }

  // After functions, versions or their code have gone: the packages do that nothing names any more.
  Task<void> forget(DroppedPackages dropped);

 private:
  store::Store& store_;
  engine::Workers& workers_;
  PackageStore packages_;
  FunctionCache functions_;
  FunctionInvoker invoker_;
  EventQueue events_;
  base::BlockingWork large_;
  const bool is_lenient_;
};

}  // namespace tidemill::lambda
