// Every operation of Kinesis Data Streams, each in the file of its name or of its family. Shapes:
// models/kinesis.smithy; docs/kinesis.md says what works.
#pragma once

#include "base/task.h"
#include "services/kinesis/service.h"
#include "wire/context.h"
#include "wire/shapes/kinesis.h"

namespace tidemill::kinesis {

namespace shapes = wire::kinesis;

// Streams.
Task<shapes::CreateStreamOutput> create_stream(Service&, wire::Context&, const shapes::CreateStreamInput&);
Task<shapes::DeleteStreamOutput> delete_stream(Service&, wire::Context&, const shapes::DeleteStreamInput&);
Task<shapes::DescribeStreamOutput> describe_stream(Service&, wire::Context&, const shapes::DescribeStreamInput&);
Task<shapes::DescribeStreamSummaryOutput> describe_stream_summary(Service&, wire::Context&,
                                                                  const shapes::DescribeStreamSummaryInput&);
Task<shapes::ListStreamsOutput> list_streams(Service&, wire::Context&, const shapes::ListStreamsInput&);
Task<shapes::DescribeLimitsOutput> describe_limits(Service&, wire::Context&, const shapes::DescribeLimitsInput&);
Task<shapes::DescribeAccountSettingsOutput> describe_account_settings(Service&, wire::Context&,
                                                                      const shapes::DescribeAccountSettingsInput&);

// Settings of a stream.
Task<shapes::UpdateStreamModeOutput> update_stream_mode(Service&, wire::Context&, const shapes::UpdateStreamModeInput&);
Task<shapes::UpdateMaxRecordSizeOutput> update_max_record_size(Service&, wire::Context&,
                                                               const shapes::UpdateMaxRecordSizeInput&);
Task<shapes::IncreaseStreamRetentionPeriodOutput> increase_stream_retention_period(
    Service&, wire::Context&, const shapes::IncreaseStreamRetentionPeriodInput&);
Task<shapes::DecreaseStreamRetentionPeriodOutput> decrease_stream_retention_period(
    Service&, wire::Context&, const shapes::DecreaseStreamRetentionPeriodInput&);
Task<shapes::EnhancedMonitoringOutput> enable_enhanced_monitoring(Service&, wire::Context&,
                                                                  const shapes::EnableEnhancedMonitoringInput&);
Task<shapes::EnhancedMonitoringOutput> disable_enhanced_monitoring(Service&, wire::Context&,
                                                                   const shapes::DisableEnhancedMonitoringInput&);

// Tags and policies.
Task<shapes::AddTagsToStreamOutput> add_tags_to_stream(Service&, wire::Context&, const shapes::AddTagsToStreamInput&);
Task<shapes::ListTagsForStreamOutput> list_tags_for_stream(Service&, wire::Context&,
                                                           const shapes::ListTagsForStreamInput&);
Task<shapes::RemoveTagsFromStreamOutput> remove_tags_from_stream(Service&, wire::Context&,
                                                                 const shapes::RemoveTagsFromStreamInput&);
Task<shapes::TagResourceOutput> tag_resource(Service&, wire::Context&, const shapes::TagResourceInput&);
Task<shapes::ListTagsForResourceOutput> list_tags_for_resource(Service&, wire::Context&,
                                                               const shapes::ListTagsForResourceInput&);
Task<shapes::UntagResourceOutput> untag_resource(Service&, wire::Context&, const shapes::UntagResourceInput&);
Task<shapes::PutResourcePolicyOutput> put_resource_policy(Service&, wire::Context&,
                                                          const shapes::PutResourcePolicyInput&);
Task<shapes::GetResourcePolicyOutput> get_resource_policy(Service&, wire::Context&,
                                                          const shapes::GetResourcePolicyInput&);
Task<shapes::DeleteResourcePolicyOutput> delete_resource_policy(Service&, wire::Context&,
                                                                const shapes::DeleteResourcePolicyInput&);

// Shards.
Task<shapes::StartStreamEncryptionOutput> start_stream_encryption(Service&, wire::Context&,
                                                                  const shapes::StartStreamEncryptionInput&);
Task<shapes::StopStreamEncryptionOutput> stop_stream_encryption(Service&, wire::Context&,
                                                                const shapes::StopStreamEncryptionInput&);
Task<shapes::ListShardsOutput> list_shards(Service&, wire::Context&, const shapes::ListShardsInput&);
Task<shapes::SplitShardOutput> split_shard(Service&, wire::Context&, const shapes::SplitShardInput&);
Task<shapes::MergeShardsOutput> merge_shards(Service&, wire::Context&, const shapes::MergeShardsInput&);
Task<shapes::UpdateShardCountOutput> update_shard_count(Service&, wire::Context&, const shapes::UpdateShardCountInput&);

// Records.
Task<shapes::PutRecordOutput> put_record(Service&, wire::Context&, const shapes::PutRecordInput&);
Task<shapes::PutRecordsOutput> put_records(Service&, wire::Context&, const shapes::PutRecordsInput&);
Task<shapes::GetShardIteratorOutput> get_shard_iterator(Service&, wire::Context&, const shapes::GetShardIteratorInput&);
Task<shapes::GetRecordsOutput> get_records(Service&, wire::Context&, const shapes::GetRecordsInput&);

// Consumers.
Task<shapes::RegisterStreamConsumerOutput> register_stream_consumer(Service&, wire::Context&,
                                                                    const shapes::RegisterStreamConsumerInput&);
Task<shapes::DescribeStreamConsumerOutput> describe_stream_consumer(Service&, wire::Context&,
                                                                    const shapes::DescribeStreamConsumerInput&);
Task<shapes::ListStreamConsumersOutput> list_stream_consumers(Service&, wire::Context&,
                                                              const shapes::ListStreamConsumersInput&);
Task<shapes::DeregisterStreamConsumerOutput> deregister_stream_consumer(Service&, wire::Context&,
                                                                        const shapes::DeregisterStreamConsumerInput&);
Task<shapes::SubscribeToShardOutput> subscribe_to_shard(Service&, wire::Context&, const shapes::SubscribeToShardInput&);

}  // namespace tidemill::kinesis
