#include "services/kinesis/stream_changes.h"

#include "services/kinesis/consumer.h"
#include "services/kinesis/errors.h"
#include "services/kinesis/policy.h"
#include "services/kinesis/resharding.h"
#include "services/kinesis/service.h"

namespace tidemill::kinesis {
namespace {

void apply(Stream& stream, const PendingChange& change, base::Time now) {
  switch (change.kind) {
    case PendingChange::Kind::none:
      break;
    case PendingChange::Kind::split:
      split_open_shard(stream, change.shard, change.split_at, now);
      break;
    case PendingChange::Kind::merge:
      merge_open_shards(stream, change.shard, change.adjacent_shard, now);
      break;
    case PendingChange::Kind::reshard:
      reshard_uniformly(stream, change.shard_count, now);
      break;
  }
}

// Its records, its consumers, and all that is kept about them.
Task<void> erase_stream(store::Transaction& txn, const Stream& stream) {
  for (const Shard& shard : stream.shards) txn.erase_log(shard_log(stream.id, shard.number));
  txn.erase_range(consumers_range(stream.address));
  erase_policies(txn, stream.address);
  co_await store::cancel_timer(txn, kTrimTimer, stream.address.arn());
  erase_stream_record(txn, stream.address);
}

}  // namespace

void require_active(const Stream& stream) {
  if (stream.status != Status::active) throw stream_not_active(stream.address, status_name(stream.status));
}

Task<void> begin_change(store::Transaction& txn, Stream& stream, Status status, base::Time now) {
  stream.status = status;
  const store::Timer timer{.kind = std::string(kChangeTimer.name), .id = stream.address.arn(), .due = now};
  co_await store::set_timer(txn, timer);
}

Task<void> carry_out_change(Service& service, const store::Timer& timer) {
  const auto address = parse_stream_arn(timer.id);
  const bool resharded = co_await service.store().transact([&](store::Transaction& txn) -> Task<bool> {
    if (!co_await store::finish_timer(txn, timer) || !address) co_return false;
    const StreamPtr current = co_await service.streams().find(txn, *address);
    if (!current) co_return false;
    if (current->status == Status::deleting) {
      co_await erase_stream(txn, *current);
      co_return false;
    }
    Stream stream = *current;
    apply(stream, stream.pending, service.clock().now());
    const bool has_closed = stream.pending.kind != PendingChange::Kind::none;
    stream.pending = {};
    stream.status = Status::active;
    save_stream(txn, stream);
    // Readers of shards that are closed now have no record to wake them.
    for (const Shard& shard : current->shards) {
      if (has_closed && shard.is_open() && !stream.find(shard.number)->is_open()) {
        txn.signal(shard_log(stream.id, shard.number).bytes);
      }
    }
    co_return has_closed;
  });
  if (!resharded) co_return;
  const auto snapshot = service.store().snapshot();
  const StreamPtr stream = co_await service.streams().find(*snapshot, *address);
  if (stream) co_await service.retention().note_write(stream);  // closed shards go after the retention, too
}

}  // namespace tidemill::kinesis
