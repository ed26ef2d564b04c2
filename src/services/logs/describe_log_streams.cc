// Lists a group's streams, by name or by the time of their last event.
#include <algorithm>

#include "base/base64.h"
#include "base/ordered.h"
#include "base/text.h"
#include "services/logs/errors.h"
#include "services/logs/group_name.h"
#include "services/logs/operations.h"
#include "services/logs/stream.h"

namespace tidemill::logs {
namespace {

constexpr int kStreamsByDefault = 50;

struct Listed {
  Milliseconds order = 0;  // the last event's time; 0 if ordered by name
  LogStream stream;
  [[nodiscard]] auto key() const { return std::tie(order, stream.name); }
};

struct Cursor {
  Milliseconds order = 0;
  std::string name;
  [[nodiscard]] auto key() const { return std::tie(order, name); }
};

std::string encode_cursor(const Listed& last) {
  std::string bytes;
  base::append_i64(bytes, last.order);
  base::append_fixed(bytes, last.stream.name);
  return base::base64_encode(bytes);
}

Cursor decode_cursor(const std::string& token) {
  const auto bytes = base::base64_decode(token);
  if (!bytes) throw invalid_next_token();
  base::OrderedReader reader(*bytes);
  Cursor cursor;
  cursor.order = reader.i64();
  cursor.name = reader.rest();
  if (!reader.ok()) throw invalid_next_token();
  return cursor;
}

Task<std::map<std::string, StreamTotals>> load_totals(store::Snapshot& snapshot, const LogGroup& group) {
  std::map<std::string, StreamTotals> totals;
  co_await snapshot.scan(totals_range(group.id), store::Direction::forward,
                         [&](std::string_view key, std::string_view value) {
                           totals.emplace(stream_id_of_totals_key(key), decode_totals(value));
                           return true;
                         });
  co_return totals;
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
  const auto totals = co_await load_totals(*snapshot, *group);
  const auto totals_of = [&](const LogStream& stream) {
    const auto found = totals.find(stream.id);
    return found == totals.end() ? StreamTotals{} : found->second;
  };

  std::vector<Listed> listed;
  for (LogStream& stream : co_await list_streams(*snapshot, *group, request.log_stream_name_prefix.value_or(""))) {
    const Milliseconds order = by_time ? totals_of(stream).last_event : 0;
    listed.push_back({order, std::move(stream)});
  }
  const bool descending = request.descending.value_or(false);
  std::ranges::sort(listed, [&](const Listed& a, const Listed& b) {
    return descending ? b.key() < a.key() : a.key() < b.key();
  });
  auto from = listed.begin();
  if (request.next_token) {
    const Cursor after = decode_cursor(*request.next_token);
    from = std::ranges::find_if(listed, [&](const Listed& one) {
      return descending ? one.key() < after.key() : after.key() < one.key();
    });
  }
  shapes::DescribeLogStreamsOutput out;
  out.log_streams.emplace();
  const auto limit = static_cast<size_t>(request.limit.value_or(kStreamsByDefault));
  for (; from != listed.end() && out.log_streams->size() < limit; ++from) {
    out.log_streams->push_back(shown(*group, from->stream, totals_of(from->stream)));
  }
  if (from != listed.end() && from != listed.begin()) out.next_token = encode_cursor(*std::prev(from));
  co_return out;
}

}  // namespace tidemill::logs
