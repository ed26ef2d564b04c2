// Carries out export jobs. Their state is in the store, so that one goes on where it was after a crash:
//
//   1. its begin opens a new epoch of the data store: what is written from then on is not in it, however long it takes
//   2. the resources as of that moment are written to S3 file by file; each file's transaction notes its name and how
//      far the job is. A file that was written when the process died is written again, as it was and under the same
//      name
//   3. manifest.json; then the job has ended, and the next one that waits begins
//
// What S3 refuses ends the job as FAILED; what may pass is tried again.
#pragma once

#include <memory>

#include "engine/ownership.h"
#include "engine/targets/bucket_access.h"
#include "services/healthlake/export_job.h"
#include "store/timer.h"
#include "wire/context.h"

namespace tidemill::healthlake {

// Of a file: what is in memory at a time. The last resource may go beyond.
inline constexpr size_t kExportFileBytes = 16 << 20;

// Jobs of different data stores that run side by side: each holds a file in memory (kExportFileBytes).
inline constexpr size_t kExportsAtOnceMax = 4;

class Exports {
 public:
  // Outlives this.
  explicit Exports(wire::Platform& platform, size_t file_bytes) : platform_(platform), file_bytes_(file_bytes) {}

  // The handler of kExportTimer. Running it again does no harm; beside another process, which has the timers now, it
  // writes nothing.
  Task<void> go_on(const store::Timer& timer, std::shared_ptr<const engine::Tenure> tenure);

 private:
  Task<std::optional<ExportJob>> begin(const DatastoreAddress& address, std::string id, const engine::Tenure& tenure);
  Task<void> write_all(const DatastoreAddress& address, ExportJob job, const engine::Tenure& tenure);
  Task<bool> save_progress(const DatastoreAddress& address, const ExportJob& job, const std::string& file,
                           const engine::Tenure& tenure);
  Task<void> write_manifest(const DatastoreAddress& address, const ExportJob& job, engine::BucketAccess& bucket);
  Task<void> finish(const store::Timer& timer, const DatastoreAddress& address, const std::string& id,
                    std::optional<engine::Refusal> refusal);

  wire::Platform& platform_;
  const size_t file_bytes_;
};

}  // namespace tidemill::healthlake
