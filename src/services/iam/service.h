// IAM, assembled: what its operations share, and how they come into the registry.
#pragma once

#include "base/blocking_work.h"
#include "wire/context.h"
#include "wire/registry.h"

namespace tidemill::iam {

// Made once in main; outlives the registry's use. Any thread.
class Service {
 public:
  // `simulating_threads`: 0 in tests, where whoever asks for a simulation makes it.
  explicit Service(store::Store& store, int simulating_threads = 1)
      : store_(store), simulating_(simulating_threads) {}

  // Registers every operation, and refuses those that are not there.
  void register_operations(wire::Registry& registry);
  // Before the first request.
  Task<void> start();

  [[nodiscard]] store::Store& store() { return store_; }
  // Where policies are simulated: they may be large, and so may what they are asked about.
  [[nodiscard]] base::BlockingWork& simulating() { return simulating_; }

 private:
  store::Store& store_;
  base::BlockingWork simulating_;
};

}  // namespace tidemill::iam
