// Lists the streams of an account's region, by name.
#include <algorithm>

#include "services/kinesis/operations.h"
#include "services/kinesis/paging_token.h"
#include "services/kinesis/stream_description.h"

namespace tidemill::kinesis {
namespace {

constexpr int kStreamsPerPageMax = 100;
constexpr std::string_view kTokenName = "ListStreams";

}  // namespace

Task<shapes::ListStreamsOutput> list_streams(Service& service, wire::Context& context,
                                             const shapes::ListStreamsInput& request) {
  const auto limit = static_cast<size_t>(std::min(request.limit.value_or(kStreamsPerPageMax), kStreamsPerPageMax));
  std::string after = request.exclusive_start_stream_name.value_or("");
  if (request.next_token) after = read_token(context, kTokenName, *request.next_token, 1).front();
  store::Range range = streams_range(context.account, context.region);
  if (!after.empty()) range.begin = stream_key({context.account, context.region, after}) + '\0';

  shapes::ListStreamsOutput out{.has_more_streams = false};
  auto& summaries = out.stream_summaries.emplace();
  const store::EntryVisitor visit = [&](std::string_view key, std::string_view value) {
    auto address = stream_of_key(key);
    if (!address) return true;
    out.has_more_streams = out.stream_names.size() == limit;
    if (out.has_more_streams) return false;
    const Stream stream = decode_stream(*std::move(address), std::string(value));
    out.stream_names.push_back(stream.address.name);
    summaries.push_back({.stream_name = stream.address.name,
                         .stream_arn = stream.address.arn(),
                         .stream_status = std::string(status_name(stream.status)),
                         .stream_mode_details = mode_details(stream),
                         .stream_creation_timestamp = creation_time(stream)});
    return true;
  };
  const auto snapshot = service.store().snapshot();
  co_await snapshot->scan(range, store::Direction::forward, visit);
  if (out.has_more_streams) out.next_token = make_token(context, kTokenName, {out.stream_names.back()});
  co_return out;
}

}  // namespace tidemill::kinesis
