// KMS, assembled: what its operations share, and how they come into the registry.
#pragma once

#include <memory>

#include "engine/timer_service.h"
#include "services/kms/key_file.h"
#include "services/kms/master_key.h"
#include "wire/context.h"
#include "wire/registry.h"

namespace tidemill::kms {

// Made once in main; outlives the registry's use. Any thread.
class Service {
 public:
  Service(wire::Platform& platform, std::unique_ptr<KeyFile> file)
      : platform_(platform), file_(std::move(file)), master_(platform.store, *file_) {}

  // Registers every operation, and refuses those that are not there.
  void register_operations(wire::Registry& registry);
  // Deletions and rotations. Before the timers start.
  void register_timers(engine::TimerService& timers);
  // Says in the log if what this pond has encrypted cannot be read. Before the first request.
  Task<void> start() { return master_.check(); }

  [[nodiscard]] store::Store& store() { return platform_.store; }
  [[nodiscard]] base::Clock& clock() { return platform_.clock; }
  [[nodiscard]] MasterKey& master() { return master_; }

 private:
  wire::Platform& platform_;
  std::unique_ptr<KeyFile> file_;
  MasterKey master_;
};

}  // namespace tidemill::kms
