// Lists the streams of the caller's account and region, or those that one table has had.
#include "services/dynamodb/errors.h"
#include "services/dynamodb/operations.h"
#include "services/dynamodb/stream_reader.h"

namespace tidemill::dynamodb {

namespace {

constexpr int32_t kStreamsPerPage = 100;

}  // namespace

Task<stream_shapes::ListStreamsOutput> list_streams(Service&, wire::Context& context,
                                                    const stream_shapes::ListStreamsInput& request) {
  const auto limit = static_cast<size_t>(request.limit.value_or(kStreamsPerPage));
  store::Range range = request.table_name ? table_streams_range(resolve_table(context, *request.table_name))
                                          : all_streams_range(context.account, context.region);
  if (request.exclusive_start_stream_arn) {
    std::string start = stream_key(resolve_stream(context, *request.exclusive_start_stream_arn));
    start.push_back('\0');
    range.begin = std::max(range.begin, start);
  }

  stream_shapes::ListStreamsOutput output;
  auto& streams = output.streams.emplace();
  bool more = false;
  const store::EntryVisitor visit = [&](std::string_view, std::string_view value) {
    const std::optional<Stream> stream = decode_stream(value);
    if (!stream || (stream->disabled && *stream->disabled + kStreamRetention <= context.now())) return true;
    more = streams.size() >= limit;
    if (more) return false;
    streams.push_back({.stream_arn = stream->address.arn(),
                       .table_name = stream->address.table.name,
                       .stream_label = stream->address.label});
    return true;
  };
  const auto snapshot = context.store().snapshot();
  if (range.begin < range.end) co_await snapshot->scan(range, store::Direction::forward, visit);
  if (more) output.last_evaluated_stream_arn = streams.back().stream_arn;
  co_return output;
}

}  // namespace tidemill::dynamodb
