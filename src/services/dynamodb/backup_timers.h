// What happens to backups and restored tables by itself: copies go on, old history is forgotten, system backups expire.
#pragma once

#include "services/dynamodb/table_copy.h"

namespace tidemill::dynamodb {

inline constexpr store::TimerKind kBackupTimer{"dynamodb-backup"};    // id: the backup's ARN; payload: TableCopy
inline constexpr store::TimerKind kRestoreTimer{"dynamodb-restore"};  // id: the new table's ARN; payload: TableCopy
inline constexpr store::TimerKind kHistoryTrimTimer{"dynamodb-history-trim"};    // id: the table's ARN
inline constexpr store::TimerKind kBackupExpiryTimer{"dynamodb-backup-expiry"};  // id: the backup's ARN

// How often history that is too old to restore is dropped: so long it may be kept beyond its time.
inline constexpr std::chrono::days kHistoryTrimInterval{1};

// Starts a copy: its first step is due at once.
Task<void> start_copy(store::Transaction& txn, store::TimerKind kind, std::string_view id, const TableCopy& copy,
                      base::Time now);
Task<void> start_trimming(store::Transaction& txn, const TableAddress& table, base::Time now);

// The moments that can be restored begin here.
[[nodiscard]] base::Time earliest_restorable(const PointInTimeRecovery& recovery, base::Time now);

// The handlers of the timers. Running one again does no harm.
class BackupTimers {
 public:
  // Both must outlive this.
  BackupTimers(store::Store& store, base::Clock& clock) : store_(store), clock_(clock) {}

  Task<void> go_on_with_backup(const store::Timer& timer);
  Task<void> go_on_with_restore(const store::Timer& timer);
  Task<void> trim_history(const store::Timer& timer);
  Task<void> expire_backup(const store::Timer& timer);

 private:
  store::Store& store_;
  base::Clock& clock_;
};

}  // namespace tidemill::dynamodb
