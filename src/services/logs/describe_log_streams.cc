// Lists a group's streams, by name or by the time of their last event.
#include "base/base64.h"
#include "base/ordered.h"
#include "base/text.h"
#include "services/logs/errors.h"
#include "services/logs/group_name.h"
#include "services/logs/operations.h"
#include "services/logs/stream_listing.h"
#include "services/logs/stream_totals.h"

namespace tidemill::logs {
namespace {

constexpr int kStreamsByDefault = 50;

std::string encode_cursor(const ListedStream& last) {
  std::string bytes;
  base::append_i64(bytes, last.time);
  base::append_fixed(bytes, last.stream.name);
  return base::base64_encode(bytes);
}

StreamPlace decode_cursor(const std::string& token) {
  const auto bytes = base::base64_decode(token);
  if (!bytes) throw invalid_next_token();
  base::OrderedReader reader(*bytes);
  StreamPlace cursor;
  cursor.time = reader.i64();
  cursor.name = reader.rest();
  if (!reader.ok()) throw invalid_next_token();
  return cursor;
}

Task<StreamTotals> totals_of(store::Snapshot& snapshot, const LogGroup& group, const LogStream& stream) {
  const auto stored = co_await snapshot.get(totals_key(group.id, stream.id));
  co_return stored ? decode_totals(*stored) : StreamTotals{};
}

shapes::LogStream shown(const LogGroup& group, const LogStream& stream, const StreamTotals& totals) {
  shapes::LogStream out;
  out.log_stream_name = stream.name;
  out.creation_time = milliseconds(stream.created);
  out.arn = base::cat(group.arn(), ":log-stream:", stream.name);
  out.stored_bytes = 0;  // AWS says so of every stream since 2019
  if (totals.events > 0) {
    out.first_event_timestamp = totals.first_event;
    out.last_event_timestamp = totals.last_event;
  }
  if (totals.last_ingestion > 0) out.last_ingestion_time = totals.last_ingestion;
  return out;
}

}  // namespace

Task<shapes::DescribeLogStreamsOutput> describe_log_streams(Service& service, wire::Context& context,
                                                            const shapes::DescribeLogStreamsInput& request) {
  const bool by_time = request.order_by == shapes::OrderBy::kLastEventTime;
  if (by_time && request.log_stream_name_prefix) {
    throw errors::invalid_parameter_exception("Cannot order by LastEventTime with a logStreamNamePrefix.");
  }
  const store::ResourceAddress address =
      group_called(context, request.log_group_name, request.log_group_identifier);
  const auto snapshot = service.store().snapshot();
  const LogGroupPtr group = co_await service.groups().get(*snapshot, address);
  const auto limit = static_cast<size_t>(request.limit.value_or(kStreamsByDefault));
  StreamListing listing{.by_time = by_time,
                        .descending = request.descending.value_or(false),
                        .name_prefix = request.log_stream_name_prefix.value_or(""),
                        .count = limit + 1};
  if (request.next_token) listing.after = decode_cursor(*request.next_token);
  std::vector<ListedStream> page = co_await list_page(*snapshot, *group, std::move(listing));
  const bool has_more = page.size() > limit;
  if (has_more) page.pop_back();
  shapes::DescribeLogStreamsOutput out;
  out.log_streams.emplace();
  for (const ListedStream& one : page) {
    out.log_streams->push_back(shown(*group, one.stream, co_await totals_of(*snapshot, *group, one.stream)));
  }
  if (has_more && !page.empty()) out.next_token = encode_cursor(page.back());
  co_return out;
}

}  // namespace tidemill::logs
