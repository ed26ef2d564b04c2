#include "services/dynamodb/import_run.h"

#include "base/executor.h"
#include "base/log.h"
#include "services/dynamodb/dropped_table.h"
#include "services/dynamodb/write_item.h"

namespace tidemill::dynamodb {

namespace {

// How much text is unpacked or read in about a microsecond (base::slice_is_over).
constexpr size_t kBytesPerStep = 256;

constexpr std::string_view kItemErrors = "ItemValidationError";
constexpr std::string_view kItemErrorsMessage =
    "Some of the items failed validation checks and were not imported. Please check CloudWatch error logs for more "
    "details.";

Task<void> write(store::Transaction& txn, const Table& table, ItemView item) {
  const ItemKey key = key_in(table, item);
  if (!needs_before(table)) {
    write_blindly(txn, key, item);
    co_return;
  }
  const auto stored = co_await txn.get(key.bytes);
  std::optional<ItemView> before;
  if (stored) before = ItemView(*stored);
  co_await write_item(txn, table, key, before, item);
}

}  // namespace

struct Imports::Batch {
  std::vector<Item> items;
  size_t bytes = 0;
  std::vector<ImportError> errors;

  [[nodiscard]] bool is_full() const {
    return items.size() >= kImportItemsMax || bytes >= kImportBytesMax || errors.size() >= kImportErrorsMax;
  }
  void add(Item item) {
    bytes += item.encoded().size();
    items.push_back(std::move(item));
  }
};

// Where the reading of a file is.
struct Imports::Reader {
  Reader(const Import& record, const Table& table, const engine::Tenure& held)
      : tenure(held),
        unpacker(make_unpacker(record.packing())),
        splitter(record.format()),
        items(table, record.format(), record.csv()) {}

  const engine::Tenure& tenure;
  std::unique_ptr<Unpacker> unpacker;
  RecordSplitter splitter;
  ItemReader items;
  int64_t records = 0;  // that have been found
  int64_t item = 0;     // of them, those of items
  int64_t bytes = 0;    // unpacked
  Batch batch;
};

Task<void> Imports::go_on(const store::Timer& timer, std::shared_ptr<const engine::Tenure> tenure) {
  const auto address = parse_transfer_arn(TransferKind::importing, timer.id);
  std::optional<Import> record;
  if (address) record = co_await load_import(*platform_.store.snapshot(), *address);
  if (!record || record->status != TransferStatus::in_progress) co_return;
  // Nobody changes a table that is being imported.
  const std::optional<Table> table = co_await load_table(*platform_.store.snapshot(), address->table);
  if (!table || table->id != record->table) co_return;

  std::optional<TransferFailure> failure;
  try {
    const auto& source = record->request.s3_bucket_source;
    engine::BucketAccess bucket(platform_, timer.id, source.s3_bucket, source.s3_bucket_owner,
                                record->caller.principal());
    co_await read_files(*record, *table, bucket, *tenure);
    if (record->counts.errors > 0) {
      failure = TransferFailure{std::string(kItemErrors), std::string(kItemErrorsMessage)};
    }
  } catch (const engine::CallRefused& refused) {
    failure = refused.refusal();
    base::log_warning("an import of a table failed", {{"import", timer.id}, {"reason", failure->message}});
  }
  co_await finish(timer, failure);
}

Task<void> Imports::read_files(Import& record, const Table& table, engine::BucketAccess& bucket,
                               const engine::Tenure& tenure) {
  if (record.file) co_await read_file(record, table, bucket, tenure);
  const std::string prefix = record.request.s3_bucket_source.s3_key_prefix.value_or("");
  for (bool more = true; more;) {
    const engine::BucketAccess::Page page = co_await bucket.list(prefix, record.done);
    more = page.more;
    if (!record.begun) {
      record.begun = true;
      co_await save(record, tenure);
    }
    for (const std::string& key : page.keys) {
      record.file = Import::File{.key = key};
      co_await read_file(record, table, bucket, tenure);
    }
  }
}

Task<void> Imports::read_file(Import& record, const Table& table, engine::BucketAccess& bucket,
                              const engine::Tenure& tenure) {
  Reader reader(record, table, tenure);
  std::string damage;
  try {
    co_await read_pieces(record, table, reader, bucket);
    if (reader.splitter.is_damaged()) damage = "The file is malformed";
  } catch (const DamagedFile& damaged) {
    damage = damaged.what();
  }
  // As the one record that it could not be read beyond.
  if (!damage.empty()) reader.batch.errors.push_back({reader.item, damage});
  record.done = record.file->key;
  record.counts.bytes += reader.bytes;
  co_await commit(record, table, reader);
}

Task<void> Imports::read_pieces(Import& record, const Table& table, Reader& reader, engine::BucketAccess& bucket) {
  const engine::BucketAccess::Object object = co_await bucket.get(record.file->key, record.file->etag);
  record.file->etag = object.etag;
  while (auto piece = co_await object.body.read()) {
    reader.unpacker->add(*std::move(piece));
    while (const auto part = reader.unpacker->next()) {
      reader.bytes += static_cast<int64_t>(part->size());
      reader.splitter.add(*part);
      if (!co_await take_records(record, table, reader)) co_return;
      if (base::slice_is_over(part->size() / kBytesPerStep)) co_await base::give_way();
    }
  }
  reader.unpacker->check_end();
  reader.splitter.end();
  co_await take_records(record, table, reader);
}

Task<bool> Imports::take_records(Import& record, const Table& table, Reader& reader) {
  while (const auto text = reader.splitter.next()) {
    if (base::slice_is_over(1 + text->size() / kBytesPerStep)) co_await base::give_way();
    if (reader.records++ < record.file->records) {
      reader.item += reader.items.skip(*text);
      continue;
    }
    try {
      if (auto item = reader.items.read(*text)) {
        reader.batch.add(*std::move(item));
        ++reader.item;
      }
    } catch (const RecordError& error) {
      reader.batch.errors.push_back({reader.item++, error.what()});
      if (error.abandons_file()) co_return false;
    }
    if (!reader.batch.is_full()) continue;
    record.file->records = reader.records;
    co_await commit(record, table, reader);
  }
  co_return !reader.splitter.is_damaged();
}

Task<void> Imports::commit(Import& record, const Table& table, Reader& reader) {
  Batch& batch = reader.batch;
  co_await log_import_errors(platform_, record, record.file->key, batch.errors);
  const auto items = static_cast<int64_t>(batch.items.size());
  const auto errors = static_cast<int64_t>(batch.errors.size());
  record.counts.processed += items + errors;
  record.counts.imported += items;
  record.counts.errors += errors;
  record.logged = std::min(record.logged + errors, kImportErrorsLoggedMax);
  if (record.done == record.file->key) record.file.reset();
  co_await platform_.store.transact([&](store::Transaction& txn) -> Task<void> {
    co_await reader.tenure.fence(txn);
    for (const Item& item : batch.items) co_await write(txn, table, item.view());
    save_import(txn, record);
  });
  batch = Batch();
}

Task<void> Imports::save(const Import& record, const engine::Tenure& tenure) {
  co_await platform_.store.transact([&](store::Transaction& txn) -> Task<void> {
    co_await tenure.fence(txn);
    save_import(txn, record);
  });
}

Task<void> Imports::finish(const store::Timer& timer, std::optional<TransferFailure> failure) {
  const auto address = parse_transfer_arn(TransferKind::importing, timer.id);
  const base::Time now = platform_.clock.now();
  co_await platform_.store.transact([&](store::Transaction& txn) -> Task<void> {
    if (!co_await store::finish_timer(txn, timer)) co_return;
    std::optional<Import> record = co_await load_import(txn, *address);
    std::optional<Table> table = co_await load_table(txn, address->table);
    if (!record || !table) co_return;
    record->status = failure ? TransferStatus::failed : TransferStatus::completed;
    record->failure = failure;
    record->ended = std::chrono::floor<std::chrono::milliseconds>(now);
    save_import(txn, *record);
    co_await end_transfer(txn, record->address, now);
    table->features.importing.reset();
    if (record->begun)
      save_table(txn, *table);
    else
      co_await drop_table(txn, *table, now);
  });
}

}  // namespace tidemill::dynamodb
