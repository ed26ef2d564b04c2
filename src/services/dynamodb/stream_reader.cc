#include "services/dynamodb/stream_reader.h"

#include "services/dynamodb/errors.h"

namespace tidemill::dynamodb {

StreamAddress resolve_stream(const wire::Context& context, std::string_view arn) {
  auto address = parse_stream_arn(arn);
  if (!address) throw validation("Invalid StreamArn: " + std::string(arn));
  if (address->table.account != context.account || address->table.region != context.region) {
    throw stream_not_found(arn);
  }
  return *std::move(address);
}

Task<std::optional<Stream>> find_stream(store::Snapshot& snapshot, const StreamAddress& address, base::Time now) {
  std::optional<Stream> stream = co_await load_stream(snapshot, address);
  if (stream && stream->disabled && *stream->disabled + kStreamRetention <= now) stream.reset();
  co_return stream;
}

Task<Stream> require_stream(wire::Context& context, store::Snapshot& snapshot, const StreamAddress& address) {
  std::optional<Stream> stream = co_await find_stream(snapshot, address, context.now());
  if (!stream) throw stream_not_found(address.arn());
  co_return *std::move(stream);
}

}  // namespace tidemill::dynamodb
