// Reads records of a shard from where an iterator points to.
#include <ctime>

#include "base/text.h"
#include "services/kinesis/errors.h"
#include "services/kinesis/operations.h"
#include "services/kinesis/shard_iterator.h"
#include "services/kinesis/shard_reader.h"
#include "services/kinesis/stream_description.h"
#include "services/kinesis/stream_metrics.h"

namespace tidemill::kinesis {
namespace {

constexpr int32_t kRecordsMax = 10'000;
constexpr size_t kBytesMax = 10 << 20;

// "Thu Jan 22 01:22:02 UTC 2015"
std::string java_date(base::Time time) {
  const std::time_t seconds = std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[40];
  const size_t size = std::strftime(text, sizeof(text), "%a %b %d %H:%M:%S UTC %Y", &parts);
  return {text, size};
}

ShardIterator iterator_of(const wire::Context& context, const shapes::GetRecordsInput& request) {
  auto iterator = decode_iterator(context, request.shard_iterator);
  if (!iterator) throw invalid_argument("Invalid ShardIterator.");
  if (request.stream_arn && resolve_stream(context, std::nullopt, request.stream_arn) != iterator->stream) {
    throw invalid_argument(base::cat("The ShardIterator does not belong to the stream ", *request.stream_arn, "."));
  }
  const base::Time now = context.now();
  if (iterator->made <= now - kIteratorLifetime) {
    throw errors::expired_iterator_exception(base::cat(
        "Iterator expired. The iterator was created at time ", java_date(iterator->made), " while right now it is ",
        java_date(now), " which is further in the future than the tolerated delay of ",
        std::chrono::milliseconds(kIteratorLifetime).count(), " milliseconds."));
  }
  return *std::move(iterator);
}

}  // namespace

Task<shapes::GetRecordsOutput> get_records(Service& service, wire::Context& context,
                                           const shapes::GetRecordsInput& request) {
  ShardIterator iterator = iterator_of(context, request);
  const base::Time now = context.now();
  const auto snapshot = service.store().snapshot();
  const StreamPtr stream = co_await service.streams().get(*snapshot, iterator.stream);
  const Shard* shard = stream->find(iterator.shard);
  if (stream->id != iterator.stream_id) throw stream_not_found(iterator.stream);
  if (!shard || !stream->is_live(*shard, now)) {
    throw shard_does_not_exist(Shard{.number = iterator.shard}.id(), iterator.stream);
  }
  const StreamMeter meter(context.platform().usage, iterator.stream);
  try {
    service.throttle().admit_read(*stream, *shard);
  } catch (const wire::Error&) {
    meter.read_throttled(*stream, *shard);
    throw;
  }
  const ReadLimits limits{.records = static_cast<size_t>(request.limit.value_or(kRecordsMax)), .bytes = kBytesMax};
  RecordOpener opener(service.data_keys(), &context);
  ShardPage page = co_await read_shard(*snapshot, *stream, *shard, iterator.after, limits, now, opener);
  service.throttle().charge_read(*stream, *shard, page.bytes);
  meter.read(*stream, *shard, static_cast<double>(page.bytes), static_cast<double>(page.records.size()),
             static_cast<double>(page.behind_ms));

  shapes::GetRecordsOutput out{.records = std::move(page.records), .millis_behind_latest = page.behind_ms};
  if (page.at_end && !shard->is_open()) {
    out.child_shards = describe_children(*stream, shard->number);
    co_return out;
  }
  iterator.after = page.after;
  iterator.made = now;
  out.next_shard_iterator = encode_iterator(iterator);
  co_return out;
}

}  // namespace tidemill::kinesis
