#include "services/dynamodb/stream_source.h"

#include "engine/mappings/mapping.h"
#include "services/dynamodb/large_reads.h"
#include "services/dynamodb/sequence_number.h"
#include "services/dynamodb/stream_reader.h"
#include "services/dynamodb/stream_record.h"
#include "services/dynamodb/stream_retention.h"

namespace tidemill::dynamodb {

bool DynamodbStreamSource::owns(std::string_view arn) const { return parse_stream_arn(arn).has_value(); }

Task<bool> DynamodbStreamSource::exists(std::string_view arn) {
  const auto snapshot = store_.snapshot();
  co_return (co_await find(*snapshot, arn)).has_value();
}

Task<std::vector<engine::StreamShard>> DynamodbStreamSource::shards(std::string_view arn) {
  std::vector<engine::StreamShard> result;
  const auto snapshot = store_.snapshot();
  const std::optional<Stream> stream = co_await find(*snapshot, arn);
  if (!stream) co_return result;
  for (const Shard& shard : stream->shards) {
    if (!stream->is_live(shard, clock_.now())) continue;
    result.push_back({.shard_id = shard.id, .closed = shard.closed.has_value()});
    if (!shard.parent.empty()) result.back().parents.push_back(shard.parent);
  }
  co_return result;
}

Task<std::vector<engine::StreamRecord>> DynamodbStreamSource::read(const engine::Mapping& mapping,
                                                                   std::string_view shard_id, store::Position after,
                                                                   size_t count_max, size_t bytes_max) {
  const std::string& arn = mapping.event_source_arn;
  std::vector<engine::StreamRecord> records;
  const auto snapshot = store_.snapshot();
  const std::optional<Stream> stream = co_await find(*snapshot, arn);
  if (!stream) co_return records;
  const std::string sort_name = stream->sort ? stream->sort->name : "";
  const store::LogId log = shard_log(arn, shard_id);
  size_t bytes = 0;
  const store::RecordVisitor visit = [&](store::Position position, std::string_view record) {
    if (bytes >= bytes_max && !records.empty()) return false;
    const auto change = decode_change(record, stream->partition.name, sort_name);
    if (!change) throw std::runtime_error("a stream record is damaged");
    records.push_back({.position = position,
                       .sequence_number = sequence_number(position),
                       .arrival = position.version.time(),
                       .event_json = lambda_event_json(*change, *stream, arn, log, position),
                       .ordering_key = std::string(change->keys.view().encoded())});
    bytes += records.back().event_json.size();
    return true;
  };
  const store::Position from = std::max(after, oldest_readable(clock_.now()));
  co_await read_large_log(*snapshot, log, {from, count_max}, visit, &large_records_);
  co_return records;
}

std::optional<engine::SequenceSpan> DynamodbStreamSource::span_of(std::string_view sequence_number) const {
  const auto position = position_from_sequence(sequence_number);
  if (!position) return std::nullopt;
  return engine::SequenceSpan{store::before(*position), *position};
}

Task<store::Position> DynamodbStreamSource::latest(std::string_view, std::string_view) {
  // Not the last record's position, which may be trimmed or none: whatever commits from now on comes behind this.
  co_return after_version(store_.snapshot()->version());
}

store::Subscription DynamodbStreamSource::watch_shard(std::string_view arn, std::string_view shard_id,
                                                      std::function<void()> changed) {
  return store_.subscribe(shard_log(arn, shard_id).bytes, std::move(changed));
}

store::Subscription DynamodbStreamSource::watch_shards(std::string_view arn, std::function<void()> changed) {
  return store_.subscribe(stream_topic(arn), std::move(changed));
}

Task<std::optional<Stream>> DynamodbStreamSource::find(store::Snapshot& snapshot, std::string_view arn) const {
  const auto address = parse_stream_arn(arn);
  if (!address) co_return std::nullopt;
  co_return co_await find_stream(snapshot, *address, clock_.now());
}

}  // namespace tidemill::dynamodb
