// Gives a place in a shard to read from.
#include "services/dynamodb/errors.h"
#include "services/dynamodb/operations.h"
#include "services/dynamodb/sequence_number.h"
#include "services/dynamodb/shard_iterator.h"
#include "services/dynamodb/stream_reader.h"

namespace tidemill::dynamodb {

namespace {

namespace kinds = stream_shapes::ShardIteratorType;

store::Position requested_position(const stream_shapes::GetShardIteratorInput& request) {
  const auto position = position_from_sequence(*request.sequence_number);
  if (!position) throw validation("Invalid SequenceNumber: " + *request.sequence_number);
  return request.shard_iterator_type == kinds::kAtSequenceNumber ? before(*position) : *position;
}

void check_sequence_number(const stream_shapes::GetShardIteratorInput& request) {
  const std::string& kind = request.shard_iterator_type;
  const bool needs_one = kind == kinds::kAtSequenceNumber || kind == kinds::kAfterSequenceNumber;
  if (needs_one && !request.sequence_number) {
    throw validation("SequenceNumber is required when ShardIteratorType is " + kind);
  }
  if (!needs_one && request.sequence_number) {
    throw validation("SequenceNumber must not be specified when ShardIteratorType is " + kind);
  }
}

}  // namespace

Task<stream_shapes::GetShardIteratorOutput> get_shard_iterator(Service&, wire::Context& context,
                                                               const stream_shapes::GetShardIteratorInput& request) {
  const StreamAddress address = resolve_stream(context, request.stream_arn);
  check_sequence_number(request);
  ShardIterator iterator{.stream = address, .shard_id = request.shard_id, .made = context.now()};
  if (request.sequence_number) iterator.after = requested_position(request);

  const auto snapshot = context.store().snapshot();
  const Stream stream = co_await require_stream(context, *snapshot, address);
  const Shard* shard = stream.find(request.shard_id);
  if (!shard || !stream.is_live(*shard, context.now())) throw shard_not_found(request.shard_id, request.stream_arn);

  if (request.sequence_number) {
    // The shard's StartingSequenceNumber is no record's, but may be named.
    iterator.complete = iterator.after <= store::Position{store::Version::at(shard->created), 0};
  } else {
    iterator.complete = true;
    if (request.shard_iterator_type == kinds::kLatest) iterator.after = after_version(snapshot->version());
  }
  co_return stream_shapes::GetShardIteratorOutput{.shard_iterator = encode_iterator(iterator)};
}

}  // namespace tidemill::dynamodb
