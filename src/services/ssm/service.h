// Systems Manager's parameter store, assembled: what its operations share, and how they come into the registry.
#pragma once

#include "wire/context.h"
#include "wire/registry.h"

namespace tidemill::ssm {

// Made once in main; outlives the registry's use. Any thread.
class Service {
 public:
  explicit Service(store::Store& store) : store_(store) {}

  // Registers every operation, and refuses those that are not there.
  void register_operations(wire::Registry& registry);

  [[nodiscard]] store::Store& store() { return store_; }

 private:
  store::Store& store_;
};

}  // namespace tidemill::ssm
