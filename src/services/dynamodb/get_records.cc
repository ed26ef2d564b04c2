// Reads records of a shard from where an iterator points to.
#include "services/dynamodb/errors.h"
#include "services/dynamodb/large_reads.h"
#include "services/dynamodb/operations.h"
#include "services/dynamodb/sequence_number.h"
#include "services/dynamodb/shard_iterator.h"
#include "services/dynamodb/stream_reader.h"
#include "services/dynamodb/stream_record.h"
#include "services/dynamodb/stream_retention.h"

namespace tidemill::dynamodb {

namespace {

constexpr int32_t kRecordsMax = 1000;
constexpr size_t kRecordBytesMax = 1 << 20;  // by SizeBytes

ShardIterator parse(const wire::Context& context, const std::string& token) {
  auto iterator = decode_iterator(token);
  if (!iterator) throw validation("Invalid ShardIterator");
  const TableAddress& table = iterator->stream.table;
  if (table.account != context.account || table.region != context.region) {
    throw stream_not_found(iterator->stream.arn());
  }
  if (iterator->is_expired(context.now())) throw expired_iterator();
  return *std::move(iterator);
}

stream_shapes::Record describe(const ChangeRecord& change, const Stream& stream, const store::LogId& log,
                               store::Position position) {
  stream_shapes::StreamRecord record{
      .approximate_creation_date_time = std::chrono::floor<std::chrono::seconds>(position.version.time()),
      .keys = change.keys,
      .sequence_number = sequence_number(position),
      .size_bytes = static_cast<int64_t>(change.size_bytes()),
      .stream_view_type = std::string(view_type_name(stream.view_type))};
  if (change.new_image) record.new_image = Item(*change.new_image);
  if (change.old_image) record.old_image = Item(*change.old_image);
  stream_shapes::Record result{.event_id = event_id(log, position),
                               .event_name = std::string(event_name_text(change.event)),
                               .event_version = "1.1",
                               .event_source = "aws:dynamodb",
                               .aws_region = stream.address.table.region,
                               .dynamodb = std::move(record)};
  if (change.expired) {
    result.user_identity = stream_shapes::Identity{.principal_id = "dynamodb.amazonaws.com", .type = "Service"};
  }
  return result;
}

}  // namespace

Task<stream_shapes::GetRecordsOutput> get_records(Service& service, wire::Context& context,
                                                  const stream_shapes::GetRecordsInput& request) {
  const ShardIterator iterator = parse(context, request.shard_iterator);
  const auto snapshot = context.store().snapshot();
  const Stream stream = co_await require_stream(context, *snapshot, iterator.stream);
  const Shard* shard = stream.find(iterator.shard_id);
  if (!shard) throw shard_not_found(iterator.shard_id, stream.address.arn());
  const store::Position oldest = oldest_readable(context.now());
  if (iterator.after < oldest && !iterator.complete) throw trimmed_data_access();

  stream_shapes::GetRecordsOutput output;
  auto& records = output.records.emplace();
  const auto limit = static_cast<size_t>(request.limit.value_or(kRecordsMax));
  const std::string sort_name = stream.sort ? stream.sort->name : "";
  const store::LogId log = shard_log(stream.address.arn(), shard->id);
  store::Position last = std::max(iterator.after, oldest);
  size_t bytes = 0;
  bool at_end = true;
  const store::RecordVisitor visit = [&](store::Position position, std::string_view record) {
    const auto change = decode_change(record, stream.partition.name, sort_name);
    if (!change) throw std::runtime_error("a stream record is damaged");
    const size_t size = change->size_bytes();
    at_end = records.size() < limit && (records.empty() || bytes + size <= kRecordBytesMax);
    if (!at_end) return false;
    records.push_back(describe(*change, stream, log, position));
    last = position;
    bytes += size;
    return true;
  };
  co_await read_large_log(*snapshot, log, {last, limit + 1}, visit, service.large_items());

  if (at_end && shard->closed) co_return output;
  const ShardIterator next{.stream = iterator.stream,
                           .shard_id = iterator.shard_id,
                           .after = at_end ? after_version(snapshot->version()) : last,
                           .complete = at_end,
                           .made = context.now()};
  output.next_shard_iterator = encode_iterator(next);
  co_return output;
}

}  // namespace tidemill::dynamodb
