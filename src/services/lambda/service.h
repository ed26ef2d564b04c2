// Lambda, assembled: what its operations share, and how they come into the registry.
#pragma once

#include <filesystem>

#include "engine/invoker.h"
#include "engine/workers.h"
#include "services/lambda/function_cache.h"
#include "services/lambda/package_store.h"
#include "store/store.h"
#include "wire/registry.h"

namespace tidemill::lambda {

// Runs functions for the engine, by ARN.
class FunctionInvoker final : public engine::Invoker {
 public:
  FunctionInvoker(FunctionCache& functions, PackageStore& packages, engine::Workers& workers)
      : functions_(functions), packages_(packages), workers_(workers) {}

  Task<engine::InvokeOutcome> invoke(std::string_view function_arn, std::string payload) override;
  Task<std::optional<std::chrono::seconds>> timeout(std::string_view function_arn) override;

 private:
  FunctionCache& functions_;
  PackageStore& packages_;
  engine::Workers& workers_;
};

// Made once in main; outlives the registry's use and the engine's. Any thread.
class Service {
 public:
  // Keeps packages in `packages` (<data>/functions). Throws std::filesystem::filesystem_error.
  Service(store::Store& store, engine::Workers& workers, std::filesystem::path packages);

  // Removes packages that no function names. Once, before the first operation.
  Task<void> start();

  // Registers the operations of functions; those of event source mappings have a function of their own
  // (event_source_mappings.h).
  void register_operations(wire::Registry& registry);

  [[nodiscard]] FunctionCache& functions() { return functions_; }
  [[nodiscard]] PackageStore& packages() { return packages_; }
  [[nodiscard]] engine::Workers& workers() { return workers_; }
  [[nodiscard]] engine::Invoker& invoker() { return invoker_; }
  [[nodiscard]] store::Store& store() { return store_; }

  // After a function has got other code or is gone: ends its idle workers, and some time later the package goes unless
  // another function names it.
  Task<void> replaced(FunctionAddress address, std::string code_digest);

 private:
  Task<void> remove_unreferenced();

  store::Store& store_;
  engine::Workers& workers_;
  PackageStore packages_;
  FunctionCache functions_;
  FunctionInvoker invoker_;
};

}  // namespace tidemill::lambda
