// Gives a place in a shard to read from.
#include "services/kinesis/errors.h"
#include "services/kinesis/operations.h"
#include "services/kinesis/shard_iterator.h"

namespace tidemill::kinesis {

Task<shapes::GetShardIteratorOutput> get_shard_iterator(Service& service, wire::Context& context,
                                                        const shapes::GetShardIteratorInput& request) {
  const StreamAddress address = stream_of(context, request);
  if (!parse_shard_id(request.shard_id)) throw shard_not_found(request.shard_id, address);
  const auto snapshot = service.store().snapshot();
  const StreamPtr stream = co_await service.streams().find(*snapshot, address);
  // AWS looks for the shard, so it does not say that there is no such stream.
  if (!stream) throw shard_does_not_exist(request.shard_id, address);
  const Shard* shard = stream->find(request.shard_id, context.now());
  if (!shard) throw shard_does_not_exist(request.shard_id, stream->address);
  const Start start{.type = request.shard_iterator_type,
                    .sequence_number = request.starting_sequence_number,
                    .time = request.timestamp};
  const ShardIterator iterator{.stream = stream->address,
                               .stream_id = stream->id,
                               .shard = shard->number,
                               .after = start_position(start, *stream, *shard, snapshot->version(), context.now()),
                               .made = context.now()};
  co_return shapes::GetShardIteratorOutput{.shard_iterator = encode_iterator(iterator)};
}

}  // namespace tidemill::kinesis
