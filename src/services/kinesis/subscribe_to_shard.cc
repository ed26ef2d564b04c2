// Pushes the records of a shard to a consumer (enhanced fan-out): each commit wakes the subscription, nothing polls. It
// ends after five minutes, at the end of a closed shard, when another takes over, and when its client leaves.
#include <algorithm>

#include "base/text.h"
#include "services/kinesis/consumer.h"
#include "services/kinesis/errors.h"
#include "services/kinesis/operations.h"
#include "services/kinesis/shard_iterator.h"
#include "services/kinesis/shard_reader.h"
#include "services/kinesis/stream_description.h"
#include "services/kinesis/stream_metrics.h"
#include "services/kinesis/subscriptions.h"

namespace tidemill::kinesis {
namespace {

using base::cat;
using Event = shapes::SubscribeToShardEventStream;

constexpr ReadLimits kEventLimits{.records = 10'000, .bytes = 2 << 20};
// An event without records that often tells the client how far it has come, as on AWS.
constexpr std::chrono::seconds kHeartbeat{5};

// What a subscription is for.
struct Subscribed {
  ConsumerAddress consumer;
  std::string stream_id;
  uint32_t shard = 0;
  store::Position after;
};

wire::Error taken_over(const ConsumerAddress& consumer) {
  return errors::resource_in_use_exception(
      cat("Another subscription of consumer ", consumer.name, " to this shard has taken over."));
}

// The stream, if everything that the subscription stands on is still there. Throws ResourceNotFoundException.
Task<StreamPtr> check(Service& service, store::Snapshot& snapshot, const Subscribed& subscribed) {
  const StreamAddress& address = subscribed.consumer.stream;
  StreamPtr stream = co_await service.streams().get(snapshot, address);
  (void)co_await get_consumer(snapshot, subscribed.consumer);
  const Shard* shard = stream->id == subscribed.stream_id ? stream->find(subscribed.shard) : nullptr;
  if (!shard || !stream->is_live(*shard, service.clock().now())) {
    throw shard_does_not_exist(Shard{.number = subscribed.shard}.id(), address);
  }
  co_return stream;
}

base::Generator<Event> events(Service& service, wire::Context reader, std::shared_ptr<Subscription> subscription,
                              Subscribed subscribed) {
  wire::PlatformMetrics* const metrics = reader.platform().usage;
  const auto wake = [signal = subscription->wake] { signal.signal(); };
  const store::LogId log = shard_log(subscribed.stream_id, subscribed.shard);
  const auto on_records = service.store().subscribe(log.bytes, wake);
  const auto on_stream = service.store().subscribe(stream_topic(subscribed.consumer.stream), wake);
  const auto on_consumer = service.store().subscribe(consumer_topic(subscribed.consumer), wake);
  const base::Time end = subscription->began + kSubscriptionLifetime;
  base::Time heartbeat = subscription->began;
  while (true) {
    if (service.subscriptions().is_taken_over(*subscription)) throw taken_over(subscribed.consumer);
    const base::Time now = service.clock().now();
    if (now >= end) co_return;
    const auto snapshot = service.store().snapshot();
    const StreamPtr stream = co_await check(service, *snapshot, subscribed);
    const Shard& shard = *stream->find(subscribed.shard);
    RecordOpener opener(service.data_keys(), &reader);
    ShardPage page = co_await read_shard(*snapshot, *stream, shard, subscribed.after, kEventLimits, now, opener);
    // The shard's end is an event of its own, and the only one without a number to go on from: that is how clients tell.
    const bool is_last = page.at_end && page.records.empty() && !shard.is_open();
    const bool has_more = !page.at_end || (!page.records.empty() && !shard.is_open());
    if (!page.records.empty() || is_last || now >= heartbeat) {
      heartbeat = now + kHeartbeat;
      subscribed.after = page.after;
      measure_event(metrics, subscribed.consumer.stream, subscribed.consumer.name, static_cast<double>(page.bytes),
                    static_cast<double>(page.records.size()), static_cast<double>(page.behind_ms));
      shapes::SubscribeToShardEvent event{.records = std::move(page.records),
                                          .millis_behind_latest = page.behind_ms};
      if (is_last) event.child_shards = describe_children(*stream, shard.number);
      else event.continuation_sequence_number = shard.sequence_number(page.after);
      co_yield Event{.subscribe_to_shard_event = std::move(event)};
    }
    if (is_last) co_return;
    if (!has_more) {
      co_await service.clock().wait(subscription->wake, std::min(end, heartbeat), base::Purpose::housekeeping);
    }
  }
}

}  // namespace

Task<shapes::SubscribeToShardOutput> subscribe_to_shard(Service& service, wire::Context& context,
                                                        const shapes::SubscribeToShardInput& request) {
  const ConsumerAddress consumer = resolve_consumer(context, request.consumer_arn);
  const base::Time now = context.now();
  const auto snapshot = service.store().snapshot();
  const StreamPtr stream = co_await service.streams().get(*snapshot, consumer.stream);
  (void)co_await get_consumer(*snapshot, consumer);
  const Shard* shard = stream->find(request.shard_id, now);
  if (!shard) throw shard_does_not_exist(request.shard_id, consumer.stream);
  const Start start{.type = request.starting_position.type,
                    .sequence_number = request.starting_position.sequence_number,
                    .time = request.starting_position.timestamp};
  Subscribed subscribed{.consumer = consumer,
                        .stream_id = stream->id,
                        .shard = shard->number,
                        .after = start_position(start, *stream, *shard, snapshot->version(), now)};
  auto subscription = service.subscriptions().begin(consumer.arn(), shard->id(), now);
  if (!subscription) {
    throw errors::resource_in_use_exception(
        cat("Another active subscription exists for this consumer: ", context.account, ":", consumer.stream.name, ":",
            shard->id(), ":", consumer.name));
  }
  co_return shapes::SubscribeToShardOutput{.event_stream =
                                               events(service, context, std::move(subscription), std::move(subscribed))};
}

}  // namespace tidemill::kinesis
