// Carries out exports. Their state is in the store, so that one goes on where it was after a crash:
//
//   1. `_started` in the bucket shows that it can be written to
//   2. the items as of the moment, or the changes of the period, are copied beside the table (table_copy.h)
//   3. they are written to S3 file by file; each file's transaction notes its line of the manifest. A file that was
//      written when the process died is written again, under the same name
//   4. the manifests; then the copy is removed
//
// What S3 refuses ends the export as FAILED; what may pass is tried again.
#pragma once

#include "base/blocking_work.h"
#include "engine/ownership.h"
#include "engine/targets/bucket_access.h"
#include "services/dynamodb/export.h"

namespace tidemill::dynamodb {

class Exports {
 public:
  // Outlives this.
  explicit Exports(wire::Platform& platform) : platform_(platform) {}

  // The handler of kExportTimer. Running it again does no harm; beside another process, which has the timers now, it
  // writes nothing.
  Task<void> go_on(const store::Timer& timer, std::shared_ptr<const engine::Tenure> tenure);

 private:
  Task<void> announce(Export& record, engine::BucketAccess& bucket, const engine::Tenure& tenure);
  Task<void> write_files(Export& record, const TableCopy& copy, engine::BucketAccess& bucket,
                         const engine::Tenure& tenure);
  Task<void> write_manifests(const Export& record, engine::BucketAccess& bucket);
  Task<std::string> read_manifest_lines(const Export& record);
  Task<void> save(const Export& record, const engine::Tenure& tenure);
  Task<void> finish(const store::Timer& timer, TransferStatus status, std::optional<TransferFailure> failure);

  wire::Platform& platform_;
  base::BlockingWork large_items_;
};

}  // namespace tidemill::dynamodb
