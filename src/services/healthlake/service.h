// HealthLake, assembled: what its operations share, and how they come into the registry.
#pragma once

#include "engine/timer_service.h"
#include "services/healthlake/export_run.h"
#include "wire/context.h"
#include "wire/registry.h"

namespace tidemill::healthlake {

struct ServiceOptions {
  size_t export_file_bytes = kExportFileBytes;  // less only in tests
};

// Made once in main; outlives the registry's use. Any thread.
class Service {
 public:
  explicit Service(wire::Platform& platform, ServiceOptions options = {})
      : platform_(platform), exports_(platform, options.export_file_bytes) {}

  // Registers every operation, those of FHIR's clients too.
  void register_operations(wire::Registry& registry);
  // Registers the handlers of its timers. Before the timers start.
  void register_timers(engine::TimerService& timers);

  [[nodiscard]] store::Store& store() { return platform_.store; }

 private:
  wire::Platform& platform_;
  Exports exports_;
};

}  // namespace tidemill::healthlake
