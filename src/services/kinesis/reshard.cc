// SplitShard, MergeShards and UpdateShardCount: they check what is asked, and the stream changes once they are
// answered.
#include "base/text.h"
#include "services/kinesis/errors.h"
#include "services/kinesis/limits.h"
#include "services/kinesis/operations.h"
#include "services/kinesis/quota_window.h"
#include "services/kinesis/resharding.h"
#include "services/kinesis/stream_changes.h"

namespace tidemill::kinesis {
namespace {

constexpr size_t kReshardingsMax = 10;  // by UpdateShardCount, in 24 hours

using base::cat;

void require_provisioned(const Stream& stream, std::string_view operation) {
  if (!stream.on_demand) return;
  throw errors::validation_exception(
      cat("Request is invalid. Operation ", operation,
          " is not supported for streams with ON_DEMAND capacity mode. Stream: ", stream.address.name));
}

const Shard& require_open_shard(const Stream& stream, const std::string& id, base::Time now) {
  const Shard* shard = stream.find(id, now);
  if (!shard) throw shard_not_found(id, stream.address);
  if (!shard->is_open()) {
    throw invalid_argument(cat("Shard ", shard->id(), " in stream ", stream.address.name, " under account ",
                               stream.address.account,
                               " has already been merged or split, and thus is not eligible for "
                               "merging or splitting."));
  }
  return *shard;
}

// Before the stream is looked for, as on AWS.
void require_shard_id(const std::string& id, const StreamAddress& address) {
  if (!parse_shard_id(id)) throw shard_not_found(id, address);
}

PendingChange plan_split(const Stream& stream, const shapes::SplitShardInput& request, base::Time now) {
  const Shard& shard = require_open_shard(stream, request.shard_to_split, now);
  const auto at = parse_hash_key(request.new_starting_hash_key);
  if (!at) {
    throw invalid_argument(
        cat("Invalid NewStartingHashKey. NewStartingHashKey must be in the range: [0, 2^128-1]. "
            "Specified value was ",
            request.new_starting_hash_key));
  }
  // Both children must have more than one key.
  if (*at <= shard.begin || *at - shard.begin <= 1 || *at >= shard.end) {
    throw invalid_argument(
        cat("NewStartingHashKey ", request.new_starting_hash_key, " used in SplitShard() on shard ", shard.id(),
            " in stream ", stream.address.name, " under account ", stream.address.account,
            " is not both greater than one plus the shard's StartingHashKey ", hash_key_text(shard.begin),
            " and less than the shard's EndingHashKey ", hash_key_text(shard.end), "."));
  }
  return {.kind = PendingChange::Kind::split, .shard = shard.number, .split_at = *at};
}

PendingChange plan_merge(const Stream& stream, const shapes::MergeShardsInput& request, base::Time now) {
  const Shard& shard = require_open_shard(stream, request.shard_to_merge, now);
  const Shard& adjacent = require_open_shard(stream, request.adjacent_shard_to_merge, now);
  if (!are_adjacent(shard, adjacent)) {
    throw invalid_argument(cat("Shards ", shard.id(), " and ", adjacent.id(), " in stream ", stream.address.name,
                               " under account ", stream.address.account,
                               " are not an adjacent pair of shards eligible for merging"));
  }
  return {.kind = PendingChange::Kind::merge, .shard = shard.number, .adjacent_shard = adjacent.number};
}

void check_target(uint32_t now, uint32_t target) {
  if (target > now * 2) {
    throw invalid_argument(
        cat("UpdateShardCount cannot scale up over double your current open shard count. Current "
            "open shard count: ",
            now, " Target shard count: ", target));
  }
  if (target * 2 < now) {
    throw invalid_argument(
        cat("UpdateShardCount cannot scale down below half your current open shard count. Current "
            "open shard count: ",
            now, " Target shard count: ", target));
  }
}

}  // namespace

Task<shapes::SplitShardOutput> split_shard(Service& service, wire::Context& context,
                                           const shapes::SplitShardInput& request) {
  const StreamAddress address = stream_of(context, request);
  require_shard_id(request.shard_to_split, address);
  co_await service.change(address, [&](store::Transaction& txn, Stream& stream) -> Task<void> {
    require_provisioned(stream, "SplitShard");
    require_active(stream);
    stream.pending = plan_split(stream, request, context.now());
    co_await require_room(context, false, 1);
    co_await begin_change(txn, stream, Status::updating, context.now());
  });
  co_return shapes::SplitShardOutput{};
}

Task<shapes::MergeShardsOutput> merge_shards(Service& service, wire::Context& context,
                                             const shapes::MergeShardsInput& request) {
  const StreamAddress address = stream_of(context, request);
  require_shard_id(request.shard_to_merge, address);
  require_shard_id(request.adjacent_shard_to_merge, address);
  co_await service.change(address, [&](store::Transaction& txn, Stream& stream) -> Task<void> {
    require_provisioned(stream, "MergeShards");
    require_active(stream);
    stream.pending = plan_merge(stream, request, context.now());
    co_await begin_change(txn, stream, Status::updating, context.now());
  });
  co_return shapes::MergeShardsOutput{};
}

Task<shapes::UpdateShardCountOutput> update_shard_count(Service& service, wire::Context& context,
                                                        const shapes::UpdateShardCountInput& request) {
  const StreamAddress address = stream_of(context, request);
  const auto target = static_cast<uint32_t>(request.target_shard_count);
  shapes::UpdateShardCountOutput out{
      .stream_name = address.name, .target_shard_count = request.target_shard_count, .stream_arn = address.arn()};
  co_await service.change(address, [&](store::Transaction& txn, Stream& stream) -> Task<void> {
    require_provisioned(stream, "UpdateShardCount");
    require_active(stream);
    const auto now = static_cast<uint32_t>(stream.open_shards());
    out.current_shard_count = static_cast<int32_t>(now);
    check_target(now, target);
    if (!take_from_quota(stream.reshardings, kReshardingsMax, context.now())) {
      throw limit_exceeded(cat("The shards of stream ", address.name, " under account ", address.account,
                               " can be counted anew ", kReshardingsMax, " times in 24 hours."));
    }
    if (target > now) co_await require_room(context, false, target - now);
    stream.pending = {.kind = PendingChange::Kind::reshard, .shard_count = target};
    co_await begin_change(txn, stream, Status::updating, context.now());
  });
  co_return out;
}

}  // namespace tidemill::kinesis
