// Describes a stream and its shards, a page of them at a time.
#include "services/dynamodb/errors.h"
#include "services/dynamodb/operations.h"
#include "services/dynamodb/sequence_number.h"
#include "services/dynamodb/stream_reader.h"

namespace tidemill::dynamodb {

namespace {

constexpr int32_t kShardsPerPage = 100;

bool is_wanted(const Shard& shard, const stream_shapes::DescribeStreamInput& request) {
  if (request.exclusive_start_shard_id && shard.id <= *request.exclusive_start_shard_id) return false;
  return !request.shard_filter || shard.parent == request.shard_filter->shard_id;
}

Task<stream_shapes::Shard> describe(store::Snapshot& snapshot, const Stream& stream, const Shard& shard) {
  const store::Position start{store::Version::at(shard.created), 0};
  stream_shapes::SequenceNumberRange range{.starting_sequence_number = sequence_number(start)};
  if (shard.closed) {
    const store::LogId log = shard_log(stream.address.arn(), shard.id);
    const std::optional<store::Position> last = co_await snapshot.last_position(log);
    range.ending_sequence_number = sequence_number(last.value_or(start));
  }
  stream_shapes::Shard description{.shard_id = shard.id, .sequence_number_range = std::move(range)};
  if (!shard.parent.empty()) description.parent_shard_id = shard.parent;
  co_return description;
}

stream_shapes::StreamDescription describe(const Stream& stream) {
  stream_shapes::StreamDescription description{.stream_arn = stream.address.arn(),
                                               .stream_label = stream.address.label,
                                               .stream_status = stream.disabled ? "DISABLED" : "ENABLED",
                                               .stream_view_type = std::string(view_type_name(stream.view_type)),
                                               .creation_request_date_time = stream.created,
                                               .table_name = stream.address.table.name};
  auto& keys = description.key_schema.emplace();
  keys.push_back({.attribute_name = stream.partition.name, .key_type = "HASH"});
  if (stream.sort) keys.push_back({.attribute_name = stream.sort->name, .key_type = "RANGE"});
  return description;
}

}  // namespace

Task<stream_shapes::DescribeStreamOutput> describe_stream(Service&, wire::Context& context,
                                                          const stream_shapes::DescribeStreamInput& request) {
  const StreamAddress address = resolve_stream(context, request.stream_arn);
  if (request.shard_filter && (!request.shard_filter->type || !request.shard_filter->shard_id)) {
    throw invalid_parameters("ShardFilter must have a Type and a ShardId");
  }
  const auto snapshot = context.store().snapshot();
  const Stream stream = co_await require_stream(context, *snapshot, address);

  stream_shapes::StreamDescription description = describe(stream);
  auto& shards = description.shards.emplace();
  const auto limit = static_cast<size_t>(request.limit.value_or(kShardsPerPage));
  for (const Shard& shard : stream.shards) {
    if (!is_wanted(shard, request) || !stream.is_live(shard, context.now())) continue;
    if (shards.size() == limit) {
      description.last_evaluated_shard_id = shards.back().shard_id;
      break;
    }
    shards.push_back(co_await describe(*snapshot, stream, shard));
  }
  co_return stream_shapes::DescribeStreamOutput{.stream_description = std::move(description)};
}

}  // namespace tidemill::dynamodb
