#include "services/dynamodb/dropped_table.h"

#include <set>

#include "services/dynamodb/backup.h"
#include "services/dynamodb/backup_timers.h"
#include "services/dynamodb/descriptor_json.h"
#include "services/dynamodb/history.h"
#include "services/dynamodb/policy.h"
#include "services/dynamodb/table_description.h"
#include "store/resources.h"

namespace tidemill::dynamodb {

namespace {

constexpr store::ResourceType kDroppedTables{"dynamodb", "dropped"};
constexpr std::string_view kSystemBackupId = "-00000000";

struct Dropped {
  std::set<std::string> copies;
  bool is_backup = false;  // a system backup has the items
};

std::string dropped_key(const TableAddress& address, const TableId& id) {
  return store::resource_key(kDroppedTables, address.account, address.region, id.view());
}

void save(store::Transaction& txn, const std::string& key, const Dropped& dropped) {
  json::Array copies;
  for (const std::string& name : dropped.copies) copies.push_back(name);
  txn.put(key, json::write(json::Object{{"copies", std::move(copies)}, {"isBackup", dropped.is_backup}}));
}

Task<std::optional<Dropped>> load(store::Transaction& txn, const std::string& key) {
  const auto bytes = co_await txn.get(key);
  if (!bytes) co_return std::nullopt;
  const auto json = json::parse(*bytes);
  if (!json) co_return std::nullopt;
  Dropped dropped{.is_backup = boolean_at(*json, "isBackup")};
  if (const json::Value* copies = json->find("copies"); copies && copies->is_array()) {
    for (const json::Value& name : copies->array()) dropped.copies.insert(name.string());
  }
  co_return dropped;
}

// Everything of the table but its items: entries of indexes, notes, expiry entries.
store::Range beside_items(const TableId& table) { return {segment_range(table, 0, 1).end, table_range(table).end}; }

// The items stay where they are, and the backup has them.
Task<void> make_system_backup(store::Transaction& txn, const Table& table, base::Time now) {
  Backup backup{.address = {table.address, backup_id(now, table.id).substr(0, 14) + std::string(kSystemBackupId)},
                .name = table.address.name + "$DeletedTableBackup",
                .status = Backup::Status::available,
                .type = Backup::Type::system,
                .created = now,
                .expires = now + kSystemBackupRetention,
                .data = table.id,
                .table = table};
  const TableCounts counts = co_await count_items(txn, table);
  backup.items = counts.items;
  backup.bytes = counts.bytes;
  save_backup(txn, backup);
  const store::Timer timer{
      .kind = std::string(kBackupExpiryTimer.name), .id = backup.address.arn(), .due = *backup.expires};
  co_await store::set_timer(txn, timer);
}

}  // namespace

Task<void> drop_table(store::Transaction& txn, const Table& table, base::Time now) {
  Dropped dropped{.is_backup = table.features.recovery.has_value()};
  for (const auto& [name, from] : table.features.copies) dropped.copies.insert(name);
  for (KinesisDestination destination : table.features.kinesis) co_await end_destination(txn, destination);
  txn.erase(table_key(table.address));
  erase_policies(txn, table.address);
  if (dropped.is_backup) {
    co_await make_system_backup(txn, table, now);
    co_await store::cancel_timer(txn, kHistoryTrimTimer, table.address.arn());
  }
  if (dropped.copies.empty()) {
    txn.erase_log(history_log(table.id));
    txn.erase_range(dropped.is_backup ? beside_items(table.id) : table_range(table.id));
  } else {
    txn.erase_range(beside_items(table.id));
    save(txn, dropped_key(table.address, table.id), dropped);
  }
}

Task<void> release_copy(store::Transaction& txn, const TableAddress& address, const TableId& id,
                        std::string_view name) {
  std::optional<Table> table = co_await load_table(txn, address);
  if (table && table->id == id) {
    table->features.copies.erase(std::string(name));
    if (!table->features.keeps_history()) txn.erase_log(history_log(id));
    save_table(txn, *table);
    co_return;
  }
  const std::string key = dropped_key(address, id);
  std::optional<Dropped> dropped = co_await load(txn, key);
  if (!dropped) co_return;
  dropped->copies.erase(std::string(name));
  if (!dropped->copies.empty()) {
    save(txn, key, *dropped);
    co_return;
  }
  txn.erase(key);
  txn.erase_log(history_log(id));
  if (!dropped->is_backup) txn.erase_range(table_range(id));
}

}  // namespace tidemill::dynamodb
