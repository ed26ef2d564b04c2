#include "services/dynamodb/service.h"

#include "services/dynamodb/idempotency.h"
#include "services/dynamodb/index_backfill.h"
#include "services/dynamodb/operations.h"

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

  add<ops::PutItem>(registry, *this, put_item);
  add<ops::GetItem>(registry, *this, get_item);
  add<ops::UpdateItem>(registry, *this, update_item);
  add<ops::DeleteItem>(registry, *this, delete_item);
  add<ops::Query>(registry, *this, query);
  add<ops::Scan>(registry, *this, scan);
  add<ops::BatchWriteItem>(registry, *this, batch_write_item);
  add<ops::BatchGetItem>(registry, *this, batch_get_item);

  add<ops::ExecuteStatement>(registry, *this, execute_statement);
  add<ops::BatchExecuteStatement>(registry, *this, batch_execute_statement);

  add<ops::TransactWriteItems>(registry, *this, transact_write_items);
  add<ops::TransactGetItems>(registry, *this, transact_get_items);
  add<ops::ExecuteTransaction>(registry, *this, execute_transaction);

  registry.refuse(shapes::refused_operations());

  add<stream_ops::ListStreams>(registry, *this, list_streams);
  add<stream_ops::DescribeStream>(registry, *this, describe_stream);
  add<stream_ops::GetShardIterator>(registry, *this, get_shard_iterator);
  add<stream_ops::GetRecords>(registry, *this, get_records);
}

void Service::register_timers(engine::TimerService& timers) {
  const engine::TimerService::KindOptions housekeeping{.purpose = base::Purpose::housekeeping};
  timers.handle(kTrimTimer, [this](const store::Timer& timer) { return retention_.trim(timer); }, housekeeping);
  timers.handle(kRemovalTimer, [this](const store::Timer& timer) { return retention_.remove(timer); }, housekeeping);
  timers.handle(kTokenExpiryTimer, [this](const store::Timer& timer) { return forget_expired_tokens(store_, timer); },
                housekeeping);
  timers.handle(kBackfillTimer, [this](const store::Timer& timer) { return backfill(store_, clock_, timer); });
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
