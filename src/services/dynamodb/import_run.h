// Carries out imports: the files whose names begin as the request says, one after the other, in batches of items. Each
// batch is one transaction that also notes how far the file is read, so that an import goes on where it was after a
// crash: the file is read again from its beginning, and what is done is passed over.
//
// What S3 or Logs refuse ends the import as FAILED, what may pass is tried again. Records that become no items are
// counted and told in the log; if there are any, the import ends as FAILED, too, and the table has all others.
#pragma once

#include <vector>

#include "engine/ownership.h"
#include "engine/targets/bucket_access.h"
#include "services/dynamodb/import.h"
#include "services/dynamodb/import_log.h"

namespace tidemill::dynamodb {

// Of one batch.
inline constexpr size_t kImportItemsMax = 500;
inline constexpr size_t kImportBytesMax = 1 << 20;
inline constexpr size_t kImportErrorsMax = 500;

class Imports {
 public:
  // Outlives this.
  explicit Imports(wire::Platform& platform) : platform_(platform) {}

  // The handler of kImportTimer. Running it again does no harm; beside another process, which has the timers now, it
  // writes nothing.
  Task<void> go_on(const store::Timer& timer, std::shared_ptr<const engine::Tenure> tenure);

 private:
  struct Batch;
  struct Reader;

  Task<void> read_files(Import& record, const Table& table, engine::BucketAccess& bucket, const engine::Tenure& tenure);
  Task<void> read_file(Import& record, const Table& table, engine::BucketAccess& bucket, const engine::Tenure& tenure);
  Task<void> read_pieces(Import& record, const Table& table, Reader& reader, engine::BucketAccess& bucket);
  // False: the rest of the file is abandoned.
  Task<bool> take_records(Import& record, const Table& table, Reader& reader);
  Task<void> commit(Import& record, const Table& table, Reader& reader);
  Task<void> save(const Import& record, const engine::Tenure& tenure);
  Task<void> finish(const store::Timer& timer, std::optional<TransferFailure> failure);

  wire::Platform& platform_;
};

}  // namespace tidemill::dynamodb
