// Backups: a table's description and items as they were at one moment. A backup outlives its table, and so it is a
// resource of its own: KeySpace::resource, (account, region, "dynamodb", "backup", table name, backup id). Its items
// lie as a table's do (key_layout.h), under an id of the backup's own.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "services/dynamodb/table.h"
#include "store/store.h"
#include "store/timer.h"

namespace tidemill::dynamodb {

inline constexpr std::chrono::days kSystemBackupRetention{35};

// arn:aws:dynamodb:REGION:ACCOUNT:table/NAME/backup/01489602797149-73d8d5bc: milliseconds and 8 hex digits.
struct BackupAddress {
  TableAddress table;
  std::string id;

  [[nodiscard]] std::string arn() const;
};
[[nodiscard]] std::optional<BackupAddress> parse_backup_arn(std::string_view arn);

struct Backup {
  enum class Status : uint8_t { creating, available };
  enum class Type : uint8_t { user, system };

  BackupAddress address;
  std::string name;
  Status status = Status::creating;
  Type type = Type::user;
  base::Time created;
  std::optional<base::Time> expires;  // of a system backup
  TableId data;                       // where the items are
  int64_t items = 0;
  int64_t bytes = 0;
  std::string restoring_to;  // the table that is being made of it; empty: none
  Table table;               // as it was
};

[[nodiscard]] std::string backup_key(const BackupAddress& address);
// The backups of one table's name, oldest first; of an account's region.
[[nodiscard]] store::Range table_backups_range(const TableAddress& table);
[[nodiscard]] store::Range all_backups_range(std::string_view account, std::string_view region);

// Nothing if it cannot be read.
[[nodiscard]] std::optional<Backup> decode_backup(std::string_view bytes);
Task<std::optional<Backup>> load_backup(store::Snapshot& snapshot, const BackupAddress& address);
void save_backup(store::Transaction& txn, const Backup& backup);
// Removes it with its items.
void erase_backup(store::Transaction& txn, const Backup& backup);

// An id that no table and no backup had: of what is made, and of the request that makes it.
[[nodiscard]] TableId new_id(std::string_view arn, std::string_view request_id, base::Time now);
// "01489602797149-73d8d5bc".
[[nodiscard]] std::string backup_id(base::Time created, const TableId& data);

}  // namespace tidemill::dynamodb
