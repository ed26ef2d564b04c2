#include "services/dynamodb/export_run.h"

#include "base/log.h"
#include "services/dynamodb/dropped_table.h"
#include "services/dynamodb/export_files.h"
#include "wire/large_work.h"

namespace tidemill::dynamodb {

Task<void> Exports::go_on(const store::Timer& timer, std::shared_ptr<const engine::Tenure> tenure) {
  const auto address = parse_transfer_arn(TransferKind::exporting, timer.id);
  auto copy = TableCopy::decode(timer.payload);
  if (!copy) throw std::runtime_error("the state of an export is damaged");
  std::optional<Export> record;
  if (address) record = co_await load_export(*platform_.store.snapshot(), *address);
  if (!record || record->status != TransferStatus::in_progress) co_return;

  std::optional<TransferFailure> failure;
  try {
    engine::BucketAccess bucket(platform_, timer.id, record->destination.bucket, record->destination.owner,
                                record->caller.principal());
    if (!record->announced) co_await announce(*record, bucket, *tenure);
    if (copy->phase != TableCopy::Phase::done) {
      co_await advance_copy(platform_.store, timer, *std::move(copy), nullptr);
      co_return;
    }
    co_await write_files(*record, *copy, bucket, *tenure);
    co_await write_manifests(*record, bucket);
  } catch (const engine::CallRefused& refused) {
    failure = refused.refusal();
    base::log_warning("an export of a table failed", {{"export", timer.id}, {"reason", failure->message}});
  }
  co_await finish(timer, failure ? TransferStatus::failed : TransferStatus::completed, failure);
}

Task<void> Exports::announce(Export& record, engine::BucketAccess& bucket, const engine::Tenure& tenure) {
  co_await bucket.put(record.key_of("_started"), "");
  record.announced = true;
  co_await save(record, tenure);
}

Task<void> Exports::write_files(Export& record, const TableCopy& copy, engine::BucketAccess& bucket,
                                const engine::Tenure& tenure) {
  while (!record.written) {
    const DataFile file = co_await pack_data_file(platform_.store, record, &large_items_);
    const std::string etag = co_await bucket.put(record.data_file_key(record.files), file.packed);
    const std::string line_key = manifest_line_key(record, record.files);
    const std::string line = co_await wire::do_large_joined(&large_items_, file.packed.size(),
                                                            [&] { return manifest_line(record, file, etag); });
    ++record.files;
    record.cursor = file.last;
    record.items += file.items;
    record.bytes = record.is_incremental() ? record.bytes + file.bytes : copy.bytes;
    record.written = file.is_last;
    co_await platform_.store.transact([&](store::Transaction& txn) -> Task<void> {
      co_await tenure.fence(txn);
      txn.put(line_key, line);
      save_export(txn, record);
    });
  }
}

Task<void> Exports::write_manifests(const Export& record, engine::BucketAccess& bucket) {
  const std::string files = co_await read_manifest_lines(record);
  const std::string summary = manifest_summary(record, platform_.clock.now());
  co_await bucket.put(record.key_of("manifest-files.json"), files);
  co_await bucket.put(record.key_of("manifest-files.md5"), md5_text(files));
  co_await bucket.put(record.key_of("manifest-summary.json"), summary);
  co_await bucket.put(record.key_of("manifest-summary.md5"), md5_text(summary));
}

Task<std::string> Exports::read_manifest_lines(const Export& record) {
  std::string lines;
  const store::Range range = manifest_lines_range(record);
  const store::EntryVisitor visit = [&](std::string_view, std::string_view line) {
    lines.append(line);
    return true;
  };
  const auto snapshot = platform_.store.snapshot();
  co_await snapshot->scan(range, store::Direction::forward, visit);
  co_return lines;
}

Task<void> Exports::save(const Export& record, const engine::Tenure& tenure) {
  co_await platform_.store.transact([&](store::Transaction& txn) -> Task<void> {
    co_await tenure.fence(txn);
    save_export(txn, record);
  });
}

Task<void> Exports::finish(const store::Timer& timer, TransferStatus status, std::optional<TransferFailure> failure) {
  const auto address = parse_transfer_arn(TransferKind::exporting, timer.id);
  const base::Time now = platform_.clock.now();
  co_await platform_.store.transact([&](store::Transaction& txn) -> Task<void> {
    if (!co_await store::finish_timer(txn, timer)) co_return;
    std::optional<Export> record = co_await load_export(txn, *address);
    if (!record) co_return;
    record->status = status;
    record->failure = failure;
    record->ended = std::chrono::floor<std::chrono::milliseconds>(now);
    save_export(txn, *record);
    txn.erase_range(table_range(record->data));
    co_await release_copy(txn, record->address.table, record->table, timer.id);
    co_await end_transfer(txn, record->address, now);
  });
}

}  // namespace tidemill::dynamodb
