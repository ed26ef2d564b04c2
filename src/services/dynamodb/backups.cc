// CreateBackup, DescribeBackup, DeleteBackup, ListBackups. A backup holds the items as they were when CreateBackup's
// transaction committed, however long their copying takes.
#include "services/dynamodb/backup_description.h"
#include "services/dynamodb/backup_errors.h"
#include "services/dynamodb/backup_timers.h"
#include "services/dynamodb/errors.h"
#include "services/dynamodb/operations.h"

namespace tidemill::dynamodb {

namespace {

constexpr int32_t kBackupsPerPage = 100;

Backup make_backup(const wire::Context& context, const Table& table, const std::string& name) {
  Backup backup{.name = name, .created = std::chrono::floor<std::chrono::milliseconds>(context.now())};
  backup.data = new_id(table.address.arn() + "/backup", context.request_id, context.now());
  backup.address = {table.address, backup_id(backup.created, backup.data)};
  backup.table = table;
  return backup;
}

Task<Backup> require_backup(store::Snapshot& snapshot, const BackupAddress& address) {
  std::optional<Backup> backup = co_await load_backup(snapshot, address);
  if (!backup) throw backup_not_found(address.arn());
  co_return *std::move(backup);
}

void check_unused(const Backup& backup) {
  if (backup.type == Backup::Type::system) {
    throw validation("Invalid Request: User is not allowed to delete the system backup with arn " +
                     backup.address.arn() + ". It will automatically expire on " + iso_time(*backup.expires));
  }
  check_usable(backup);
}

bool is_wanted(const Backup& backup, const shapes::ListBackupsInput& request) {
  const std::string type = request.backup_type.value_or("USER");
  if (type != "ALL" && type != (backup.type == Backup::Type::system ? "SYSTEM" : "USER")) return false;
  return (!request.time_range_lower_bound || backup.created >= *request.time_range_lower_bound) &&
         (!request.time_range_upper_bound || backup.created < *request.time_range_upper_bound);
}

store::Range listed_range(const wire::Context& context, const shapes::ListBackupsInput& request) {
  store::Range range = all_backups_range(context.account, context.region);
  if (request.table_name) range = table_backups_range(resolve_table(context, *request.table_name));
  if (request.exclusive_start_backup_arn) {
    range.begin =
        std::max(range.begin, backup_key(resolve_backup(context, *request.exclusive_start_backup_arn)) + '\0');
  }
  return range;
}

}  // namespace

Task<shapes::CreateBackupOutput> create_backup(Service&, wire::Context& context,
                                               const shapes::CreateBackupInput& request) {
  const TableAddress address = resolve_table(context, request.table_name);
  const Backup backup = co_await context.store().transact([&](store::Transaction& txn) -> Task<Backup> {
    std::optional<Table> table = co_await load_usable_table(txn, address);
    if (!table) throw table_not_found_for_backup(address.name);
    Backup made = make_backup(context, *table, request.backup_name);
    save_backup(txn, made);
    const std::string arn = made.address.arn();
    co_await start_copy(txn, kBackupTimer, arn, copy_as_of_now(txn, table->id, made.data, arn), context.now());
    table->features.copies[arn] = txn.version();
    save_table(txn, *table);
    co_return made;
  });
  co_return shapes::CreateBackupOutput{.backup_details = describe_details(backup)};
}

Task<shapes::DescribeBackupOutput> describe_backup(Service&, wire::Context& context,
                                                   const shapes::DescribeBackupInput& request) {
  const BackupAddress address = resolve_backup(context, request.backup_arn);
  const Backup backup = co_await require_backup(*context.store().snapshot(), address);
  co_return shapes::DescribeBackupOutput{.backup_description = describe(backup)};
}

Task<shapes::DeleteBackupOutput> delete_backup(Service&, wire::Context& context,
                                               const shapes::DeleteBackupInput& request) {
  const BackupAddress address = resolve_backup(context, request.backup_arn);
  const Backup backup = co_await context.store().transact([&](store::Transaction& txn) -> Task<Backup> {
    Backup found = co_await require_backup(txn, address);
    check_unused(found);
    erase_backup(txn, found);
    co_return found;
  });
  shapes::BackupDescription description = describe(backup);
  description.backup_details->backup_status = "DELETED";
  co_return shapes::DeleteBackupOutput{.backup_description = std::move(description)};
}

Task<shapes::ListBackupsOutput> list_backups(Service&, wire::Context& context,
                                             const shapes::ListBackupsInput& request) {
  if (request.time_range_lower_bound && request.time_range_upper_bound &&
      *request.time_range_lower_bound > *request.time_range_upper_bound) {
    throw invalid_parameters("Time range lower bound must be less than or equal to upper bound");
  }
  const auto limit = static_cast<size_t>(request.limit.value_or(kBackupsPerPage));
  shapes::ListBackupsOutput output;
  auto& summaries = output.backup_summaries.emplace();
  const store::EntryVisitor visit = [&](std::string_view, std::string_view value) {
    const auto backup = decode_backup(value);
    if (!backup || !is_wanted(*backup, request)) return true;
    if (summaries.size() == limit) {
      output.last_evaluated_backup_arn = summaries.back().backup_arn;
      return false;
    }
    summaries.push_back(summarize(*backup));
    return true;
  };
  const store::Range range = listed_range(context, request);
  co_await context.store().snapshot()->scan(range, store::Direction::forward, visit);
  co_return output;
}

}  // namespace tidemill::dynamodb
