#include "services/dynamodb/backup_timers.h"

#include <algorithm>
#include <stdexcept>

#include "services/dynamodb/backup.h"
#include "services/dynamodb/dropped_table.h"
#include "services/dynamodb/sequence_number.h"

namespace tidemill::dynamodb {

namespace {

TableCopy copy_of(const store::Timer& timer) {
  auto copy = TableCopy::decode(timer.payload);
  if (!copy) throw std::runtime_error("the state of a copy of a table is damaged");
  return *std::move(copy);
}

// The backup that was restored is free for another restore, or the table's history for being forgotten.
Task<void> release_source(store::Transaction& txn, const Table& restored, const TableCopy& copy) {
  const Restoring& origin = *restored.features.restoring;
  if (const auto address = parse_backup_arn(origin.backup_arn)) {
    std::optional<Backup> backup = co_await load_backup(txn, *address);
    if (!backup) co_return;
    backup->restoring_to.clear();
    save_backup(txn, *backup);
  } else if (const auto source = parse_table_arn(origin.source_arn)) {
    co_await release_copy(txn, *source, copy.source, restored.address.arn());
  }
}

}  // namespace

Task<void> start_copy(store::Transaction& txn, store::TimerKind kind, std::string_view id, const TableCopy& copy,
                      base::Time now) {
  const store::Timer timer{.kind = std::string(kind.name), .id = std::string(id), .due = now, .payload = copy.encode()};
  co_await store::set_timer(txn, timer);
}

Task<void> start_trimming(store::Transaction& txn, const TableAddress& table, base::Time now) {
  const store::Timer timer{
      .kind = std::string(kHistoryTrimTimer.name), .id = table.arn(), .due = now + kHistoryTrimInterval};
  co_await store::set_timer(txn, timer);
}

base::Time earliest_restorable(const PointInTimeRecovery& recovery, base::Time now) {
  return std::max<base::Time>(recovery.since, now - std::chrono::days(recovery.days));
}

Task<void> BackupTimers::go_on_with_backup(const store::Timer& timer) {
  const TableCopy copy = copy_of(timer);
  if (copy.phase != TableCopy::Phase::done) {
    co_await advance_copy(store_, timer, copy, nullptr);
    co_return;
  }
  co_await store_.transact([&](store::Transaction& txn) -> Task<void> {
    const auto address = parse_backup_arn(timer.id);
    if (!co_await store::finish_timer(txn, timer) || !address) co_return;
    erase_copy_notes(txn, copy);
    if (std::optional<Backup> backup = co_await load_backup(txn, *address)) {
      backup->status = Backup::Status::available;
      backup->items = copy.items;
      backup->bytes = copy.bytes;
      save_backup(txn, *backup);
    }
    co_await release_copy(txn, address->table, copy.source, timer.id);
  });
}

Task<void> BackupTimers::go_on_with_restore(const store::Timer& timer) {
  const TableCopy copy = copy_of(timer);
  const auto address = parse_table_arn(timer.id);
  // Nobody changes a table that is being restored.
  std::optional<Table> target;
  if (address) target = co_await load_table(*store_.snapshot(), *address);
  if (!target || target->id != copy.target || !target->features.restoring) co_return;
  if (copy.phase != TableCopy::Phase::done) {
    co_await advance_copy(store_, timer, copy, &*target);
    co_return;
  }
  co_await store_.transact([&](store::Transaction& txn) -> Task<void> {
    if (!co_await store::finish_timer(txn, timer)) co_return;
    erase_copy_notes(txn, copy);
    std::optional<Table> restored = co_await load_table(txn, *address);
    if (!restored) co_return;
    co_await release_source(txn, *restored, copy);
    restored->features.restoring.reset();
    save_table(txn, *restored);
  });
}

Task<void> BackupTimers::trim_history(const store::Timer& timer) {
  const auto address = parse_table_arn(timer.id);
  const base::Time now = clock_.now();
  co_await store_.transact([&](store::Transaction& txn) -> Task<void> {
    if (!co_await store::finish_timer(txn, timer) || !address) co_return;
    const std::optional<Table> table = co_await load_table(txn, *address);
    if (!table || !table->features.recovery) co_return;
    store::Position upto = before_time(earliest_restorable(*table->features.recovery, now));
    for (const auto& [name, from] : table->features.copies) upto = std::min(upto, before({from, 0}));
    txn.trim_log(history_log(table->id), upto);
    co_await start_trimming(txn, *address, now);
  });
}

Task<void> BackupTimers::expire_backup(const store::Timer& timer) {
  const auto address = parse_backup_arn(timer.id);
  co_await store_.transact([&](store::Transaction& txn) -> Task<void> {
    if (!co_await store::finish_timer(txn, timer) || !address) co_return;
    const std::optional<Backup> backup = co_await load_backup(txn, *address);
    if (!backup) co_return;
    if (!backup->restoring_to.empty()) {  // it has a day more to finish
      store::Timer later = timer;
      later.due += std::chrono::days(1);
      co_await store::set_timer(txn, later);
      co_return;
    }
    erase_backup(txn, *backup);
  });
}

}  // namespace tidemill::dynamodb
