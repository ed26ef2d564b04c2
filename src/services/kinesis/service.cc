#include "services/kinesis/service.h"

#include "services/kinesis/operations.h"
#include "services/kinesis/stream_changes.h"

namespace tidemill::kinesis {

Task<StreamPtr> Service::find_stream(StreamAddress address) {
  const auto snapshot = store_.snapshot();
  co_return co_await streams_.get(*snapshot, std::move(address));
}

void Service::register_operations(wire::Registry& registry) {
  namespace ops = shapes::ops;
  const auto add = [&]<class Op>(Op, auto* handler) {
    registry.add<Op>([this, handler](wire::Context& context, const typename Op::Request& request) {
      return handler(*this, context, request);
    });
  };
  add(ops::CreateStream{}, create_stream);
  add(ops::DeleteStream{}, delete_stream);
  add(ops::DescribeStream{}, describe_stream);
  add(ops::DescribeStreamSummary{}, describe_stream_summary);
  add(ops::ListStreams{}, list_streams);
  add(ops::DescribeLimits{}, describe_limits);
  add(ops::DescribeAccountSettings{}, describe_account_settings);
  add(ops::UpdateStreamMode{}, update_stream_mode);
  add(ops::UpdateMaxRecordSize{}, update_max_record_size);
  add(ops::IncreaseStreamRetentionPeriod{}, increase_stream_retention_period);
  add(ops::DecreaseStreamRetentionPeriod{}, decrease_stream_retention_period);
  add(ops::EnableEnhancedMonitoring{}, enable_enhanced_monitoring);
  add(ops::DisableEnhancedMonitoring{}, disable_enhanced_monitoring);
  add(ops::AddTagsToStream{}, add_tags_to_stream);
  add(ops::ListTagsForStream{}, list_tags_for_stream);
  add(ops::RemoveTagsFromStream{}, remove_tags_from_stream);
  add(ops::TagResource{}, tag_resource);
  add(ops::ListTagsForResource{}, list_tags_for_resource);
  add(ops::UntagResource{}, untag_resource);
  add(ops::PutResourcePolicy{}, put_resource_policy);
  add(ops::GetResourcePolicy{}, get_resource_policy);
  add(ops::DeleteResourcePolicy{}, delete_resource_policy);
  add(ops::StartStreamEncryption{}, start_stream_encryption);
  add(ops::StopStreamEncryption{}, stop_stream_encryption);
  add(ops::ListShards{}, list_shards);
  add(ops::SplitShard{}, split_shard);
  add(ops::MergeShards{}, merge_shards);
  add(ops::UpdateShardCount{}, update_shard_count);
  add(ops::PutRecord{}, put_record);
  add(ops::PutRecords{}, put_records);
  add(ops::GetShardIterator{}, get_shard_iterator);
  add(ops::GetRecords{}, get_records);
  add(ops::RegisterStreamConsumer{}, register_stream_consumer);
  add(ops::DescribeStreamConsumer{}, describe_stream_consumer);
  add(ops::ListStreamConsumers{}, list_stream_consumers);
  add(ops::DeregisterStreamConsumer{}, deregister_stream_consumer);
  add(ops::SubscribeToShard{}, subscribe_to_shard);
  registry.refuse(shapes::refused_operations());
}

void Service::register_timers(engine::TimerService& timers) {
  timers.handle(kChangeTimer, [this](const store::Timer& timer) { return carry_out_change(*this, timer); });
  timers.handle(kTrimTimer, [this](const store::Timer& timer) { return retention_.trim(timer); },
                {.purpose = base::Purpose::housekeeping});
}

}  // namespace tidemill::kinesis
