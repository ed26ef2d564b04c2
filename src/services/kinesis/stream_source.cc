#include "services/kinesis/stream_source.h"

#include "engine/mappings/mapping.h"
#include "engine/mappings/mapping_rights.h"
#include "engine/targets/internal_call.h"
#include "services/kinesis/consumer.h"
#include "services/kinesis/sequence_number.h"
#include "services/kinesis/user_record_position.h"
#include "services/kinesis/user_record_reader.h"
#include "store/position.h"

namespace tidemill::kinesis {

namespace {

// The stream that is read, whether the ARN is its own or a consumer's.
std::optional<StreamAddress> address_of(std::string_view arn) {
  if (auto consumer = parse_consumer_arn(arn)) return std::move(consumer->stream);
  return parse_stream_arn(arn);
}

store::Subscription both(store::Subscription one, store::Subscription other) {
  return store::Subscription(
      std::make_shared<std::pair<store::Subscription, store::Subscription>>(std::move(one), std::move(other)));
}

}  // namespace

KinesisStreamSource::KinesisStreamSource(Service& service, base::Metrics& metrics, RoleOf role_of,
                                         wire::Platform* platform)
    : service_(service),
      foreign_records_(metrics.counter("tidemill_kinesis_foreign_user_records_total",
                                       "User records of aggregated records that consumers' mappings left out, since "
                                       "their keys belong to other shards")),
      role_of_(std::move(role_of)),
      platform_(platform) {}

bool KinesisStreamSource::owns(std::string_view arn) const { return address_of(arn).has_value(); }

Task<bool> KinesisStreamSource::exists(std::string_view arn) {
  const auto snapshot = service_.store().snapshot();
  co_return co_await find(*snapshot, std::string(arn)) != nullptr;
}

Task<std::vector<engine::StreamShard>> KinesisStreamSource::shards(std::string_view arn) {
  std::vector<engine::StreamShard> result;
  const auto snapshot = service_.store().snapshot();
  const StreamPtr stream = co_await find(*snapshot, std::string(arn));
  if (!stream) co_return result;
  for (const Shard* shard : stream->live_shards(service_.clock().now())) {
    engine::StreamShard& listed = result.emplace_back();
    listed.shard_id = shard->id();
    listed.closed = !shard->is_open();
    listed.incarnation = stream->id;
    for (const auto& parent : {shard->parent, shard->adjacent_parent}) {
      if (parent) listed.parents.push_back(Shard{.number = *parent}.id());
    }
  }
  co_return result;
}

Task<std::vector<engine::StreamRecord>> KinesisStreamSource::read(const engine::Mapping& mapping,
                                                                  std::string_view shard_id, store::Position after,
                                                                  size_t count_max, size_t bytes_max) {
  const std::string id(shard_id);
  const base::Time now = service_.clock().now();
  const auto snapshot = service_.store().snapshot();
  const StreamPtr stream = co_await find(*snapshot, mapping.event_source_arn);
  const Shard* shard = stream ? stream->find(id, now) : nullptr;
  if (shard == nullptr) co_return std::vector<engine::StreamRecord>();
  const std::string role = co_await role_of_(mapping.function_arn);
  UserRecordReader reader({.shard_id = id,
                           .region = mapping.region,
                           .event_source_arn = mapping.event_source_arn,
                           .invoke_identity_arn = role},
                          *shard, {.count_max = count_max, .bytes_max = bytes_max});
  const bool is_consumer = parse_consumer_arn(mapping.event_source_arn).has_value();
  const std::string place = mapping.uuid + "/" + id;
  if (is_consumer) reader.leave_out_foreign(noted_foreign(place));
  std::optional<wire::Context> own;
  if (platform_) {
    auto by = co_await engine::acting_for(*platform_, mapping.uuid, mapping.function_arn);
    if (!by) co_return std::vector<engine::StreamRecord>();  // the mapping ends
    own.emplace(engine::internal_context(*platform_, mapping.event_source_arn, *std::move(by)));
  }
  RecordOpener opener(service_.data_keys(), own ? &*own : nullptr);
  co_await reader.read(*snapshot, *stream, after, now, opener);
  if (reader.foreign_records() > 0) note_foreign(place, reader);
  co_return reader.take();
}

std::optional<engine::SequenceSpan> KinesisStreamSource::span_of(std::string_view sequence_number) const {
  const auto number = parse_sequence_number(sequence_number);
  if (!number || number->position.index > kCommitIndexMax) return std::nullopt;
  const UserRecordPosition first{.log = number->position, .user_record = 0};
  return engine::SequenceSpan{store::before(first.encode()), UserRecordPosition{.log = number->position}.encode()};
}

Task<store::Position> KinesisStreamSource::latest(std::string_view, std::string_view) {
  // Not the last record's position, which may be trimmed or none: whatever commits from now on comes behind this.
  co_return store::after_version(service_.store().snapshot()->version());
}

store::Subscription KinesisStreamSource::watch_shard(std::string_view arn, std::string_view shard_id,
                                                     std::function<void()> changed) {
  const auto number = parse_shard_id(shard_id);
  return service_.store().subscribe(shard_log(known(arn).stream_id, number.value_or(0)).bytes, std::move(changed));
}

store::Subscription KinesisStreamSource::watch_shards(std::string_view arn, std::function<void()> changed) {
  const auto address = address_of(arn);
  if (!address) return {};
  auto of_stream = service_.store().subscribe(stream_topic(*address), changed);
  const auto consumer = parse_consumer_arn(arn);
  if (!consumer) return of_stream;
  return both(std::move(of_stream), service_.store().subscribe(consumer_topic(*consumer), std::move(changed)));
}

base::Duration KinesisStreamSource::retention(std::string_view arn) const { return known(arn).retention; }

// nullptr: the stream is gone, or the consumer is.
Task<StreamPtr> KinesisStreamSource::find(store::Snapshot& snapshot, std::string arn) {
  const auto address = address_of(arn);
  if (!address) co_return nullptr;
  const StreamPtr stream = co_await service_.streams().find(snapshot, *address);
  if (!stream) co_return nullptr;
  note(*stream);
  const auto wanted = parse_consumer_arn(arn);
  if (!wanted) co_return stream;
  const auto consumer = co_await find_consumer(snapshot, *address, wanted->name);
  const bool is_the_same = consumer && consumer->address.created_seconds == wanted->created_seconds;
  co_return is_the_same ? stream : nullptr;
}

store::Position KinesisStreamSource::noted_foreign(const std::string& place) const {
  const std::lock_guard lock(mutex_);
  const auto found = foreign_.find(place);
  return found == foreign_.end() ? store::Position::before_all() : found->second;
}

void KinesisStreamSource::note_foreign(const std::string& place, const UserRecordReader& reader) {
  foreign_records_.add(reader.foreign_records());
  const std::lock_guard lock(mutex_);
  if (foreign_.size() >= kPlacesMax) foreign_.clear();
  foreign_.insert_or_assign(place, reader.last_foreign());
}

void KinesisStreamSource::note(const Stream& stream) {
  const std::lock_guard lock(mutex_);
  known_.insert_or_assign(stream.address.arn(), Known{stream.id, stream.retention});
}

KinesisStreamSource::Known KinesisStreamSource::known(std::string_view arn) const {
  const auto address = address_of(arn);
  const std::lock_guard lock(mutex_);
  const auto found = address ? known_.find(address->arn()) : known_.end();
  return found == known_.end() ? Known{.stream_id = {}, .retention = kRetentionMax} : found->second;
}

}  // namespace tidemill::kinesis
