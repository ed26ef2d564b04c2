// UpdateContinuousBackups, DescribeContinuousBackups: whether, and how far back, a table can be restored to what it
// was.
#include "services/dynamodb/backup_errors.h"
#include "services/dynamodb/backup_timers.h"
#include "services/dynamodb/errors.h"
#include "services/dynamodb/operations.h"

namespace tidemill::dynamodb {

namespace {

constexpr int32_t kRecoveryDays = 35;  // unless the request says less

// A table's changes are kept from the commit on that enables recovery, whose time nobody knows beforehand. Until that
// is noted, which takes another commit, the window begins so much later: a crash in between only makes it shorter.
constexpr std::chrono::minutes kEnablingMax{1};

shapes::ContinuousBackupsDescription describe(const Table& table, base::Time now) {
  shapes::PointInTimeRecoveryDescription recovery{.point_in_time_recovery_status = "DISABLED"};
  if (const auto& enabled = table.features.recovery) {
    // Every moment up to now; on AWS the last five minutes are missing.
    recovery = {.point_in_time_recovery_status = "ENABLED",
                .recovery_period_in_days = static_cast<int32_t>(enabled->days),
                .earliest_restorable_date_time = earliest_restorable(*enabled, now),
                .latest_restorable_date_time = now};
  }
  return {.continuous_backups_status = "ENABLED", .point_in_time_recovery_description = std::move(recovery)};
}

Task<void> enable(store::Transaction& txn, Table& table, int32_t days, base::Time now) {
  if (table.features.recovery) {
    // A longer period begins to be filled now: what a shorter one has forgotten does not come back.
    auto& recovery = *table.features.recovery;
    recovery.since = earliest_restorable(recovery, now);
    recovery.days = days;
    co_return;
  }
  table.features.recovery = PointInTimeRecovery{.since = now + kEnablingMax, .days = days};
  co_await start_trimming(txn, table.address, now);
}

Task<void> disable(store::Transaction& txn, Table& table) {
  table.features.recovery.reset();
  co_await store::cancel_timer(txn, kHistoryTrimTimer, table.address.arn());
  if (!table.features.keeps_history()) txn.erase_log(history_log(table.id));
}

// Once recovery has been enabled: the window begins with the commit that did it.
Task<Table> note_beginning(store::Store& store, const Table& enabled, store::Version version) {
  co_return co_await store.transact([&](store::Transaction& txn) -> Task<Table> {
    std::optional<Table> table = co_await load_table(txn, enabled.address);
    if (!table || table->id != enabled.id || !table->features.recovery) co_return enabled;
    auto& since = table->features.recovery->since;
    if (since != enabled.features.recovery->since) co_return *std::move(table);
    since = version.time();
    save_table(txn, *table);
    co_return *std::move(table);
  });
}

}  // namespace

Task<shapes::UpdateContinuousBackupsOutput> update_continuous_backups(
    Service&, wire::Context& context, const shapes::UpdateContinuousBackupsInput& request) {
  const TableAddress address = resolve_table(context, request.table_name);
  const auto& wanted = request.point_in_time_recovery_specification;
  if (!wanted.point_in_time_recovery_enabled && wanted.recovery_period_in_days) {
    throw validation("Invalid Request: Cannot specify RecoveryPeriodInDays when disabling point-in-time recovery.");
  }
  const base::Time now = context.now();
  const auto change = [&](store::Transaction& txn) -> Task<Table> {
    std::optional<Table> found = co_await load_usable_table(txn, address);
    if (!found) throw table_not_found_for_backup(address.name);
    if (wanted.point_in_time_recovery_enabled) {
      co_await enable(txn, *found, wanted.recovery_period_in_days.value_or(kRecoveryDays), now);
    } else if (found->features.recovery) {
      co_await disable(txn, *found);
    }
    save_table(txn, *found);
    co_return *std::move(found);
  };
  auto [table, version] = co_await context.store().transact_versioned(change);
  if (table.features.recovery && table.features.recovery->since > now) {
    table = co_await note_beginning(context.store(), table, version);
  }
  co_return shapes::UpdateContinuousBackupsOutput{.continuous_backups_description = describe(table, context.now())};
}

Task<shapes::DescribeContinuousBackupsOutput> describe_continuous_backups(
    Service&, wire::Context& context, const shapes::DescribeContinuousBackupsInput& request) {
  const TableAddress address = resolve_table(context, request.table_name);
  const std::optional<Table> table = co_await load_usable_table(*context.store().snapshot(), address);
  if (!table) throw table_not_found_for_backup(address.name);
  co_return shapes::DescribeContinuousBackupsOutput{.continuous_backups_description = describe(*table, context.now())};
}

}  // namespace tidemill::dynamodb
