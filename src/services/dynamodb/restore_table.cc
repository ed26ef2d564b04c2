// RestoreTableFromBackup, RestoreTableToPointInTime: a new table with the keys, the billing and the encryption of the
// old one, and its items as they were. It is CREATING, and nobody else can use it, until they are all there.
#include "services/dynamodb/backup_errors.h"
#include "services/dynamodb/backup_timers.h"
#include "services/dynamodb/errors.h"
#include "services/dynamodb/operations.h"
#include "services/dynamodb/restore_indexes.h"
#include "services/dynamodb/sequence_number.h"
#include "services/dynamodb/table_description.h"
#include "services/dynamodb/table_key.h"
#include "services/dynamodb/table_options.h"

namespace tidemill::dynamodb {

namespace {

// What of the old table the request wants otherwise. Both operations have these.
struct Overrides {
  const std::optional<std::string>& billing_mode;
  const std::optional<shapes::ProvisionedThroughput>& throughput;
  const std::optional<shapes::OnDemandThroughput>& on_demand_throughput;
  const std::optional<shapes::SSESpecification>& encryption;
  const std::optional<std::vector<shapes::GlobalSecondaryIndex>>& global_indexes;
  const std::optional<std::vector<shapes::LocalSecondaryIndex>>& local_indexes;
};

template <class Request>
Overrides overrides_of(const Request& request) {
  return {request.billing_mode_override,           request.provisioned_throughput_override,
          request.on_demand_throughput_override,   request.sse_specification_override,
          request.global_secondary_index_override, request.local_secondary_index_override};
}

wire::Error invalid(std::string_view reason) { return validation("Invalid Request: " + std::string(reason)); }

void override_billing(Table& table, const Overrides& wanted) {
  if (wanted.billing_mode) {
    table.on_demand = *wanted.billing_mode == shapes::BillingMode::kPayPerRequest;
    if (table.on_demand && wanted.throughput) {
      throw invalid("Cannot override ProvisionedThroughput if BillingMode is overridden to PAY_PER_REQUEST");
    }
    if (!table.on_demand && !wanted.throughput) {
      throw invalid("Must override ProvisionedThroughput if BillingMode is overridden to PROVISIONED");
    }
  }
  if (wanted.throughput) {
    if (table.on_demand) throw invalid("Cannot override ProvisionedThroughput unless BillingMode is PROVISIONED");
    table.throughput.read_units = wanted.throughput->read_capacity_units;
    table.throughput.write_units = wanted.throughput->write_capacity_units;
  }
  if (table.on_demand) {
    table.throughput = {};
    table.on_demand_since = table.created;
  } else {
    table.on_demand_since.reset();
    table.read_request_units_max.reset();
    table.write_request_units_max.reset();
  }
  if (!wanted.on_demand_throughput) return;
  if (!table.on_demand) {
    throw invalid(
        "Cannot override MaxReadRequestUnits for OnDemandThroughput unless BillingModeOverride is PAY_PER_REQUEST");
  }
  set_on_demand_throughput(table, *wanted.on_demand_throughput);
}

// Streams, time to live, recovery, tags, protection, class and policy do not come along, as on AWS.
Table make_target(const wire::Context& context, const Table& source, const std::string& name, Restoring origin,
                  const Overrides& wanted) {
  Table table{.address = {context.account, context.region, name}};
  table.created = context.now();
  table.id = new_id(table.address.arn(), context.request_id, table.created);
  table.partition = source.partition;
  table.sort = source.sort;
  table.on_demand = source.on_demand;
  table.throughput = {.read_units = source.throughput.read_units, .write_units = source.throughput.write_units};
  table.read_request_units_max = source.read_request_units_max;
  table.write_request_units_max = source.write_request_units_max;
  table.encryption = source.encryption;
  override_billing(table, wanted);
  restore_indexes(table, source, wanted.global_indexes, wanted.local_indexes);
  if (table.has_local_indexes()) table.collection_counts = Table::CollectionCounts::all;
  if (wanted.encryption) set_encryption(table, *wanted.encryption, table.created);
  table.features.restoring = std::move(origin);
  return table;
}

Task<void> check_name_is_free(store::Transaction& txn, const TableAddress& address, const std::string& from) {
  const std::optional<Table> there = co_await load_table(txn, address);
  if (!there) co_return;
  if (!there->features.restoring) {
    throw shapes::errors::table_already_exists_exception("Table already exists: " + address.name);
  }
  throw shapes::errors::table_in_use_exception("Table: " + address.name + " is already being restored from " + from);
}

TableAddress resolve_source(const wire::Context& context, const shapes::RestoreTableToPointInTimeInput& request) {
  if (request.source_table_arn && request.source_table_name) {
    throw invalid("Must provide exactly one of: sourceTableArn, sourceTableName");
  }
  if (request.source_table_name) return resolve_table(context, *request.source_table_name);
  if (!request.source_table_arn) {
    throw validation("The parameter 'TableName' is required but was not present in the request");
  }
  if (!parse_table_arn(*request.source_table_arn)) throw validation("sourceTableArn is not a valid ARN");
  return resolve_table(context, *request.source_table_arn);
}

void check_moment_is_given(const shapes::RestoreTableToPointInTimeInput& request) {
  const bool latest = request.use_latest_restorable_time.value_or(false);
  if (latest && request.restore_date_time) {
    throw invalid(
        "Both RestoreDateTime and UseLatestRestorableTime cannot be set for point-in-time restore request. Please "
        "specify "
        "only one");
  }
  if (!latest && !request.restore_date_time) {
    throw invalid("Either one of RestoreDateTime or UseLatestRestorableTime must be specified, but not both");
  }
}

void check_moment(const PointInTimeRecovery& recovery, const std::optional<base::Time>& moment, base::Time now) {
  if (!moment) return;
  const base::Time earliest = earliest_restorable(recovery, now);
  if (*moment >= std::chrono::floor<std::chrono::seconds>(earliest) && *moment <= now) return;
  throw shapes::errors::invalid_restore_time_exception(
      "RestoreDateTime '" + iso_time(*moment) + "' must be within EarliestRestorableDateTime '" + iso_time(earliest) +
      "' and LatestRestorableDateTime '" + iso_time(now) + "'");
}

TableCopy copy_as_of(store::Transaction& txn, const Table& source, const Table& target,
                     const std::optional<base::Time>& moment) {
  if (!moment) return copy_as_of_now(txn, source.id, target.id, target.address.arn());
  // What was committed within the moment's microsecond belongs to it.
  return {.source = source.id,
          .target = target.id,
          .with_history = true,
          .since = before_time(*moment + base::Duration(1))};
}

}  // namespace

Task<shapes::RestoreTableFromBackupOutput> restore_table_from_backup(
    Service&, wire::Context& context, const shapes::RestoreTableFromBackupInput& request) {
  const BackupAddress address = resolve_backup(context, request.backup_arn);
  const Overrides overrides = overrides_of(request);
  const Table table = co_await context.store().transact([&](store::Transaction& txn) -> Task<Table> {
    std::optional<Backup> backup = co_await load_backup(txn, address);
    if (!backup) throw backup_not_found(request.backup_arn);
    Table target = make_target(
        context, backup->table, request.target_table_name,
        {.backup_arn = request.backup_arn, .source_arn = backup->table.address.arn(), .moment = backup->created},
        overrides);
    co_await check_name_is_free(txn, target.address, "backup: " + request.backup_arn);
    check_usable(*backup);
    co_await settle_key(context, target);
    backup->restoring_to = target.address.name;
    save_backup(txn, *backup);
    save_table(txn, target);
    co_await start_copy(txn, kRestoreTimer, target.address.arn(), {.source = backup->data, .target = target.id},
                        target.created);
    co_return target;
  });
  co_return shapes::RestoreTableFromBackupOutput{.table_description = describe(table, "CREATING")};
}

Task<shapes::RestoreTableToPointInTimeOutput> restore_table_to_point_in_time(
    Service&, wire::Context& context, const shapes::RestoreTableToPointInTimeInput& request) {
  check_moment_is_given(request);
  const TableAddress address = resolve_source(context, request);
  const base::Time now = context.now();
  const Overrides overrides = overrides_of(request);
  const Table table = co_await context.store().transact([&](store::Transaction& txn) -> Task<Table> {
    std::optional<Table> source = co_await load_usable_table(txn, address);
    if (!source) throw table_not_found_for_backup(address.name);
    if (!source->features.recovery) {
      throw shapes::errors::point_in_time_recovery_unavailable_exception(
          "Point in time recovery is not enabled for table '" + address.name + "'");
    }
    check_moment(*source->features.recovery, request.restore_date_time, now);
    Table target =
        make_target(context, *source, request.target_table_name,
                    {.source_arn = address.arn(), .moment = request.restore_date_time.value_or(now)}, overrides);
    const std::string arn = target.address.arn();
    co_await check_name_is_free(txn, target.address, "table: " + address.arn());
    co_await settle_key(context, target);
    const TableCopy copy = copy_as_of(txn, *source, target, request.restore_date_time);
    source->features.copies[arn] = copy.since.version;
    save_table(txn, *source);
    save_table(txn, target);
    co_await start_copy(txn, kRestoreTimer, arn, copy, now);
    co_return target;
  });
  co_return shapes::RestoreTableToPointInTimeOutput{.table_description = describe(table, "CREATING")};
}

}  // namespace tidemill::dynamodb
