// Exports and imports, assembled: what goes on with them by itself. Beside the service, since they ask S3 and Logs.
#pragma once

#include "engine/timer_service.h"
#include "services/dynamodb/export_run.h"
#include "services/dynamodb/import_run.h"

namespace tidemill::dynamodb {

// At the same time, of each kind: each has some 20 MB in memory at most, and more with ZSTD. The others wait.
inline constexpr size_t kTransfersAtOnceMax = 4;

class TableTransfers {
 public:
  // Outlives this.
  explicit TableTransfers(wire::Platform& platform) : platform_(platform), exports_(platform), imports_(platform) {}

  // Before the timers start.
  void register_timers(engine::TimerService& timers);

 private:
  wire::Platform& platform_;
  Exports exports_;
  Imports imports_;
};

}  // namespace tidemill::dynamodb
