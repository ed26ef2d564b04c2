// Every operation of DynamoDB and DynamoDB Streams, each in the file of its name. Shapes and constraints:
// models/dynamodb.smithy, models/dynamodbstreams.smithy; docs/dynamodb.md says what works.
#pragma once

#include "base/task.h"
#include "services/dynamodb/service.h"
#include "wire/context.h"
#include "wire/shapes/dynamodb.h"
#include "wire/shapes/dynamodbstreams.h"

namespace tidemill::dynamodb {

namespace shapes = wire::dynamodb;
namespace stream_shapes = wire::dynamodbstreams;

// Tables.
Task<shapes::CreateTableOutput> create_table(Service&, wire::Context&, const shapes::CreateTableInput&);
Task<shapes::DescribeTableOutput> describe_table(Service&, wire::Context&, const shapes::DescribeTableInput&);
Task<shapes::UpdateTableOutput> update_table(Service&, wire::Context&, const shapes::UpdateTableInput&);
Task<shapes::DeleteTableOutput> delete_table(Service&, wire::Context&, const shapes::DeleteTableInput&);
Task<shapes::ListTablesOutput> list_tables(Service&, wire::Context&, const shapes::ListTablesInput&);
Task<shapes::TagResourceOutput> tag_resource(Service&, wire::Context&, const shapes::TagResourceInput&);
Task<shapes::UntagResourceOutput> untag_resource(Service&, wire::Context&, const shapes::UntagResourceInput&);
Task<shapes::ListTagsOfResourceOutput> list_tags_of_resource(Service&, wire::Context&,
                                                             const shapes::ListTagsOfResourceInput&);
Task<shapes::DescribeLimitsOutput> describe_limits(Service&, wire::Context&, const shapes::DescribeLimitsInput&);
Task<shapes::DescribeEndpointsOutput> describe_endpoints(Service&, wire::Context&,
                                                         const shapes::DescribeEndpointsInput&);

// Settings of a table that have operations of their own.
Task<shapes::UpdateTimeToLiveOutput> update_time_to_live(Service&, wire::Context&,
                                                         const shapes::UpdateTimeToLiveInput&);
Task<shapes::DescribeTimeToLiveOutput> describe_time_to_live(Service&, wire::Context&,
                                                             const shapes::DescribeTimeToLiveInput&);
Task<shapes::PutResourcePolicyOutput> put_resource_policy(Service&, wire::Context&,
                                                          const shapes::PutResourcePolicyInput&);
Task<shapes::GetResourcePolicyOutput> get_resource_policy(Service&, wire::Context&,
                                                          const shapes::GetResourcePolicyInput&);
Task<shapes::DeleteResourcePolicyOutput> delete_resource_policy(Service&, wire::Context&,
                                                                const shapes::DeleteResourcePolicyInput&);

// Streaming to Kinesis.
Task<shapes::EnableKinesisStreamingDestinationOutput> enable_kinesis_streaming_destination(
    Service&, wire::Context&, const shapes::EnableKinesisStreamingDestinationInput&);
Task<shapes::DisableKinesisStreamingDestinationOutput> disable_kinesis_streaming_destination(
    Service&, wire::Context&, const shapes::DisableKinesisStreamingDestinationInput&);
Task<shapes::UpdateKinesisStreamingDestinationOutput> update_kinesis_streaming_destination(
    Service&, wire::Context&, const shapes::UpdateKinesisStreamingDestinationInput&);
Task<shapes::DescribeKinesisStreamingDestinationOutput> describe_kinesis_streaming_destination(
    Service&, wire::Context&, const shapes::DescribeKinesisStreamingDestinationInput&);

// Backups.
Task<shapes::CreateBackupOutput> create_backup(Service&, wire::Context&, const shapes::CreateBackupInput&);
Task<shapes::DescribeBackupOutput> describe_backup(Service&, wire::Context&, const shapes::DescribeBackupInput&);
Task<shapes::DeleteBackupOutput> delete_backup(Service&, wire::Context&, const shapes::DeleteBackupInput&);
Task<shapes::ListBackupsOutput> list_backups(Service&, wire::Context&, const shapes::ListBackupsInput&);
Task<shapes::RestoreTableFromBackupOutput> restore_table_from_backup(Service&, wire::Context&,
                                                                     const shapes::RestoreTableFromBackupInput&);
Task<shapes::RestoreTableToPointInTimeOutput> restore_table_to_point_in_time(
    Service&, wire::Context&, const shapes::RestoreTableToPointInTimeInput&);
Task<shapes::UpdateContinuousBackupsOutput> update_continuous_backups(Service&, wire::Context&,
                                                                      const shapes::UpdateContinuousBackupsInput&);
Task<shapes::DescribeContinuousBackupsOutput> describe_continuous_backups(
    Service&, wire::Context&, const shapes::DescribeContinuousBackupsInput&);

// To S3 and from it.
Task<shapes::ExportTableToPointInTimeOutput> export_table_to_point_in_time(
    Service&, wire::Context&, const shapes::ExportTableToPointInTimeInput&);
Task<shapes::DescribeExportOutput> describe_export(Service&, wire::Context&, const shapes::DescribeExportInput&);
Task<shapes::ListExportsOutput> list_exports(Service&, wire::Context&, const shapes::ListExportsInput&);
Task<shapes::ImportTableOutput> import_table(Service&, wire::Context&, const shapes::ImportTableInput&);
Task<shapes::DescribeImportOutput> describe_import(Service&, wire::Context&, const shapes::DescribeImportInput&);
Task<shapes::ListImportsOutput> list_imports(Service&, wire::Context&, const shapes::ListImportsInput&);

// Items.
Task<shapes::PutItemOutput> put_item(Service&, wire::Context&, const shapes::PutItemInput&);
Task<shapes::GetItemOutput> get_item(Service&, wire::Context&, const shapes::GetItemInput&);
Task<shapes::UpdateItemOutput> update_item(Service&, wire::Context&, const shapes::UpdateItemInput&);
Task<shapes::DeleteItemOutput> delete_item(Service&, wire::Context&, const shapes::DeleteItemInput&);
Task<shapes::QueryOutput> query(Service&, wire::Context&, const shapes::QueryInput&);
Task<shapes::QueryOutput> query(Service&, wire::Context&, const shapes::QueryInput&, lang::dynamodb::ItemForm);
Task<shapes::ScanOutput> scan(Service&, wire::Context&, const shapes::ScanInput&);
Task<shapes::ScanOutput> scan(Service&, wire::Context&, const shapes::ScanInput&, lang::dynamodb::ItemForm);
Task<shapes::BatchWriteItemOutput> batch_write_item(Service&, wire::Context&, const shapes::BatchWriteItemInput&);
Task<shapes::BatchGetItemOutput> batch_get_item(Service&, wire::Context&, const shapes::BatchGetItemInput&);

// PartiQL.
Task<shapes::ExecuteStatementOutput> execute_statement(Service&, wire::Context&, const shapes::ExecuteStatementInput&);
Task<shapes::BatchExecuteStatementOutput> batch_execute_statement(Service&, wire::Context&,
                                                                  const shapes::BatchExecuteStatementInput&);

// Transactions.
Task<shapes::TransactWriteItemsOutput> transact_write_items(Service&, wire::Context&,
                                                            const shapes::TransactWriteItemsInput&);
Task<shapes::TransactGetItemsOutput> transact_get_items(Service&, wire::Context&, const shapes::TransactGetItemsInput&);
Task<shapes::ExecuteTransactionOutput> execute_transaction(Service&, wire::Context&,
                                                           const shapes::ExecuteTransactionInput&);

// Streams.
Task<stream_shapes::ListStreamsOutput> list_streams(Service&, wire::Context&, const stream_shapes::ListStreamsInput&);
Task<stream_shapes::DescribeStreamOutput> describe_stream(Service&, wire::Context&,
                                                          const stream_shapes::DescribeStreamInput&);
Task<stream_shapes::GetShardIteratorOutput> get_shard_iterator(Service&, wire::Context&,
                                                               const stream_shapes::GetShardIteratorInput&);
Task<stream_shapes::GetRecordsOutput> get_records(Service&, wire::Context&, const stream_shapes::GetRecordsInput&);

}  // namespace tidemill::dynamodb
