// DescribeStream and DescribeStreamSummary.
#include <algorithm>

#include "services/kinesis/consumer.h"
#include "services/kinesis/errors.h"
#include "services/kinesis/operations.h"
#include "services/kinesis/stream_description.h"

namespace tidemill::kinesis {
namespace {

constexpr int kShardsPerPageMax = 100;

}  // namespace

Task<shapes::DescribeStreamOutput> describe_stream(Service& service, wire::Context& context,
                                                   const shapes::DescribeStreamInput& request) {
  const StreamPtr stream = co_await service.find_stream(stream_of(context, request));
  const auto limit = static_cast<size_t>(std::min(request.limit.value_or(kShardsPerPageMax), kShardsPerPageMax));
  const std::string after = request.exclusive_start_shard_id.value_or("");
  shapes::StreamDescription description{.stream_name = stream->address.name,
                                        .stream_arn = stream->address.arn(),
                                        .stream_status = std::string(status_name(stream->status)),
                                        .stream_mode_details = mode_details(*stream),
                                        .has_more_shards = false,
                                        .retention_period_hours = static_cast<int32_t>(stream->retention.count()),
                                        .stream_creation_timestamp = creation_time(*stream),
                                        .enhanced_monitoring = enhanced_monitoring(*stream),
                                        .encryption_type = encryption_type(*stream),
                                        .key_id = encryption_key(*stream)};
  // A stream that is being created has no shards yet that one could see, as on AWS.
  if (stream->status != Status::creating) {
    for (const Shard* shard : stream->live_shards(context.now())) {
      if (shard->id() <= after) continue;
      description.has_more_shards = description.shards.size() == limit;
      if (description.has_more_shards) break;
      description.shards.push_back(describe_shard(*shard));
    }
  }
  co_return shapes::DescribeStreamOutput{.stream_description = std::move(description)};
}

Task<shapes::DescribeStreamSummaryOutput> describe_stream_summary(Service& service, wire::Context& context,
                                                                  const shapes::DescribeStreamSummaryInput& request) {
  const auto snapshot = service.store().snapshot();
  const StreamPtr stream = co_await service.streams().get(*snapshot, stream_of(context, request));
  const auto consumers = co_await load_consumers(*snapshot, stream->address);
  shapes::StreamDescriptionSummary summary{.stream_name = stream->address.name,
                                           .stream_arn = stream->address.arn(),
                                           .stream_status = std::string(status_name(stream->status)),
                                           .stream_mode_details = mode_details(*stream),
                                           .retention_period_hours = static_cast<int32_t>(stream->retention.count()),
                                           .stream_creation_timestamp = creation_time(*stream),
                                           .enhanced_monitoring = enhanced_monitoring(*stream),
                                           .encryption_type = encryption_type(*stream),
                                           .key_id = encryption_key(*stream),
                                           .open_shard_count = static_cast<int32_t>(stream->open_shards()),
                                           .consumer_count = static_cast<int32_t>(consumers.size()),
                                           .max_record_size_in_ki_b = stream->record_kib_max};
  co_return shapes::DescribeStreamSummaryOutput{.stream_description_summary = std::move(summary)};
}

}  // namespace tidemill::kinesis
