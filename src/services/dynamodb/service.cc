#include "services/dynamodb/service.h"

#include "services/dynamodb/idempotency.h"
#include "services/dynamodb/index_backfill.h"
#include "services/dynamodb/operations.h"
#include "services/dynamodb/replica_fill.h"
#include "services/dynamodb/table_metrics.h"

namespace tidemill::dynamodb {

namespace {

// Registers `handler` for an operation.
template <class Op>
void add(wire::Registry& registry, Service& service,
         Task<typename Op::Response> (*handler)(Service&, wire::Context&, const typename Op::Request&)) {
  registry.add<Op>([&service, handler](wire::Context& context, const typename Op::Request& request) {
    return handler(service, context, request);
  });
}

// Tells of the tables that a request is about.
template <class Request>
void add_tables(RequestMeter& meter, const Request& request) {
  if constexpr (requires { request.table_name; }) {
    meter.add_table(request.table_name);
  } else if constexpr (requires { request.request_items; }) {
    for (const auto& [name, items] : request.request_items) meter.add_table(name);
  } else {
    for (const auto& item : request.transact_items) {
      if constexpr (requires { item.get; }) {
        meter.add_table(item.get.table_name);
      } else {
        if (item.put) meter.add_table(item.put->table_name);
        if (item.update) meter.add_table(item.update->table_name);
        if (item.delete_) meter.add_table(item.delete_->table_name);
        if (item.condition_check) meter.add_table(item.condition_check->table_name);
      }
    }
  }
}

// The same for an operation on items, whose requests are measured.
template <class Op>
void add_measured(wire::Registry& registry, Service& service,
                  Task<typename Op::Response> (*handler)(Service&, wire::Context&, const typename Op::Request&)) {
  registry.add<Op>([&service, handler](wire::Context& context,
                                       const typename Op::Request& request) -> Task<typename Op::Response> {
    RequestMeter meter(context, Op::info.name);
    add_tables(meter, request);
    try {
      typename Op::Response response = co_await handler(service, context, request);
      meter.succeeded();
      if constexpr (requires { response.scanned_count; }) meter.returned(response.count.value_or(0));
      co_return response;
    } catch (...) {
      meter.failed();
      throw;
    }
  });
}

}  // namespace

void Service::register_operations(wire::Registry& registry) {
  namespace ops = shapes::ops;
  namespace stream_ops = stream_shapes::ops;

  add<ops::CreateTable>(registry, *this, create_table);
  add<ops::DescribeTable>(registry, *this, describe_table);
  add<ops::UpdateTable>(registry, *this, update_table);
  add<ops::DeleteTable>(registry, *this, delete_table);
  add<ops::ListTables>(registry, *this, list_tables);
  add<ops::TagResource>(registry, *this, tag_resource);
  add<ops::UntagResource>(registry, *this, untag_resource);
  add<ops::ListTagsOfResource>(registry, *this, list_tags_of_resource);
  add<ops::DescribeLimits>(registry, *this, describe_limits);
  add<ops::DescribeEndpoints>(registry, *this, describe_endpoints);

  add<ops::UpdateTimeToLive>(registry, *this, update_time_to_live);
  add<ops::DescribeTimeToLive>(registry, *this, describe_time_to_live);
  add<ops::PutResourcePolicy>(registry, *this, put_resource_policy);
  add<ops::GetResourcePolicy>(registry, *this, get_resource_policy);
  add<ops::DeleteResourcePolicy>(registry, *this, delete_resource_policy);

  add<ops::EnableKinesisStreamingDestination>(registry, *this, enable_kinesis_streaming_destination);
  add<ops::DisableKinesisStreamingDestination>(registry, *this, disable_kinesis_streaming_destination);
  add<ops::UpdateKinesisStreamingDestination>(registry, *this, update_kinesis_streaming_destination);
  add<ops::DescribeKinesisStreamingDestination>(registry, *this, describe_kinesis_streaming_destination);

  add<ops::CreateBackup>(registry, *this, create_backup);
  add<ops::DescribeBackup>(registry, *this, describe_backup);
  add<ops::DeleteBackup>(registry, *this, delete_backup);
  add<ops::ListBackups>(registry, *this, list_backups);
  add<ops::RestoreTableFromBackup>(registry, *this, restore_table_from_backup);
  add<ops::RestoreTableToPointInTime>(registry, *this, restore_table_to_point_in_time);
  add<ops::UpdateContinuousBackups>(registry, *this, update_continuous_backups);
  add<ops::DescribeContinuousBackups>(registry, *this, describe_continuous_backups);

  add<ops::ExportTableToPointInTime>(registry, *this, export_table_to_point_in_time);
  add<ops::DescribeExport>(registry, *this, describe_export);
  add<ops::ListExports>(registry, *this, list_exports);
  add<ops::ImportTable>(registry, *this, import_table);
  add<ops::DescribeImport>(registry, *this, describe_import);
  add<ops::ListImports>(registry, *this, list_imports);

  add_measured<ops::PutItem>(registry, *this, put_item);
  add_measured<ops::GetItem>(registry, *this, get_item);
  add_measured<ops::UpdateItem>(registry, *this, update_item);
  add_measured<ops::DeleteItem>(registry, *this, delete_item);
  add_measured<ops::Query>(registry, *this, query);
  add_measured<ops::Scan>(registry, *this, scan);
  add_measured<ops::BatchWriteItem>(registry, *this, batch_write_item);
  add_measured<ops::BatchGetItem>(registry, *this, batch_get_item);

  add<ops::ExecuteStatement>(registry, *this, execute_statement);
  add<ops::BatchExecuteStatement>(registry, *this, batch_execute_statement);

  add_measured<ops::TransactWriteItems>(registry, *this, transact_write_items);
  add_measured<ops::TransactGetItems>(registry, *this, transact_get_items);
  add<ops::ExecuteTransaction>(registry, *this, execute_transaction);

  measure_user_errors(registry);
  registry.refuse(shapes::refused_operations());

  add<stream_ops::ListStreams>(registry, *this, list_streams);
  add<stream_ops::DescribeStream>(registry, *this, describe_stream);
  add<stream_ops::GetShardIterator>(registry, *this, get_shard_iterator);
  add<stream_ops::GetRecords>(registry, *this, get_records);
}

Task<void> Service::note_replicated_write(const Table& table) {
  co_await retention_.note_write(table);
  const auto snapshot = store_.snapshot();
  for (const Replica& other : table.replication.others) {
    if (const TablePtr replica = co_await tables_.find(*snapshot, table.address_of(other))) {
      co_await retention_.note_write(*replica);
    }
  }
}

Task<void> Service::note_expiry(const TableAddress& address) {
  const auto snapshot = store_.snapshot();
  if (const TablePtr table = co_await tables_.find(*snapshot, address)) co_await note_write(*table);
}

void Service::register_timers(engine::TimerService& timers) {
  const engine::TimerService::KindOptions housekeeping{.purpose = base::Purpose::housekeeping};
  timers.handle(kTrimTimer, [this](const store::Timer& timer) { return retention_.trim(timer); }, housekeeping);
  timers.handle(kRemovalTimer, [this](const store::Timer& timer) { return retention_.remove(timer); }, housekeeping);
  timers.handle(kTokenExpiryTimer, [this](const store::Timer& timer) { return forget_expired_tokens(store_, timer); },
                housekeeping);
  timers.handle(kBackfillTimer, [this](const store::Timer& timer) { return backfill(store_, clock_, timer); });
  timers.handle(kReplicaFillTimer, [this](const store::Timer& timer) { return fill_replica(store_, clock_, timer); });
  timers.handle(kExpiryTimer, [this](const store::Timer& timer) { return expiry_.expire(timer); });
  timers.handle(kExpiryBackfillTimer, [this](const store::Timer& timer) { return expiry_.backfill(timer); });
  timers.handle(kBackupTimer, [this](const store::Timer& timer) { return backups_.go_on_with_backup(timer); });
  timers.handle(kRestoreTimer, [this](const store::Timer& timer) { return backups_.go_on_with_restore(timer); });
  timers.handle(kHistoryTrimTimer, [this](const store::Timer& timer) { return backups_.trim_history(timer); },
                housekeeping);
  timers.handle(kBackupExpiryTimer, [this](const store::Timer& timer) { return backups_.expire_backup(timer); },
                housekeeping);
}

}  // namespace tidemill::dynamodb
