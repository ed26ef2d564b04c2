// Makes a stream: with so many shards, or on demand.
#include "base/text.h"
#include "services/kinesis/errors.h"
#include "services/kinesis/limits.h"
#include "services/kinesis/operations.h"
#include "services/kinesis/stream_changes.h"
#include "services/kinesis/tags.h"

namespace tidemill::kinesis {
namespace {

// Without a mode, a count of shards means a provisioned stream (AWS gives four shards to one that names neither).
bool is_on_demand(const shapes::CreateStreamInput& request) {
  if (!request.stream_mode_details) return !request.shard_count;
  return request.stream_mode_details->stream_mode == shapes::StreamMode::kOnDemand;
}

uint32_t shard_count(const shapes::CreateStreamInput& request, bool on_demand) {
  if (on_demand && request.shard_count) {
    throw errors::validation_exception("ShardCount must not be specified for a stream in ON_DEMAND mode.");
  }
  if (!on_demand && !request.shard_count) {
    throw errors::validation_exception("ShardCount is required for a stream in PROVISIONED mode.");
  }
  return on_demand ? kOnDemandShards : static_cast<uint32_t>(*request.shard_count);
}

}  // namespace

Task<shapes::CreateStreamOutput> create_stream(Service& service, wire::Context& context,
                                               const shapes::CreateStreamInput& request) {
  const StreamAddress address{context.account, context.region, request.stream_name};
  const bool on_demand = is_on_demand(request);
  const uint32_t shards = shard_count(request, on_demand);
  if (shards > kShardsMax) co_await require_room(context, on_demand, shards);  // which there is not
  Stream stream = make_stream(address, shards, context.now());
  stream.on_demand = on_demand;
  stream.record_kib_max = request.max_record_size_in_ki_b.value_or(kRecordKibMin);
  if (request.tags) add_tags(stream.tags, *request.tags);
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    if (co_await service.streams().find(txn, address)) {
      throw errors::resource_in_use_exception(
          base::cat("Stream ", address.name, " under account ", address.account, " already exists."));
    }
    co_await require_room(context, on_demand, shards);
    co_await begin_change(txn, stream, Status::creating, context.now());
    save_stream(txn, stream);
  });
  co_return shapes::CreateStreamOutput{};
}

}  // namespace tidemill::kinesis
