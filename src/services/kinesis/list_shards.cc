// Lists the shards of a stream: all that can still be read, or those that a filter asks for.
#include <algorithm>

#include "services/kinesis/errors.h"
#include "services/kinesis/operations.h"
#include "services/kinesis/paging_token.h"
#include "services/kinesis/shards_page.h"
#include "services/kinesis/stream_description.h"

namespace tidemill::kinesis {
namespace {

namespace types = shapes::ShardFilterType;

constexpr int kShardsPerPageMax = 1'000;

// What a listing is of; a token holds all of it.
struct Listing {
  StreamAddress address;
  std::string after;  // the last shard of the page before
  std::string type{types::kFromTrimHorizon};
  base::Time time{};
};

void check_filter(const shapes::ShardFilter& filter) {
  const bool needs_shard = filter.type == types::kAfterShardId;
  const bool needs_time = filter.type == types::kAtTimestamp || filter.type == types::kFromTimestamp;
  if (needs_shard != filter.shard_id.has_value()) {
    throw invalid_argument("ShardId must be specified with the shard filter type AFTER_SHARD_ID, and with no other.");
  }
  if (needs_time != filter.timestamp.has_value()) {
    throw invalid_argument(
        "Timestamp must be specified with the shard filter types AT_TIMESTAMP and FROM_TIMESTAMP, and with no others.");
  }
}

void check_token_alone(const shapes::ListShardsInput& request) {
  if (request.stream_name || request.stream_creation_timestamp || request.exclusive_start_shard_id ||
      request.shard_filter) {
    throw invalid_argument(
        "NextToken and StreamName, StreamCreationTimestamp, ExclusiveStartShardId or ShardFilter cannot be provided "
        "together.");
  }
}

Listing listing_of(const wire::Context& context, const shapes::ListShardsInput& request) {
  if (request.next_token) {
    check_token_alone(request);
    const auto parts = read_token(context, kShardsToken, *request.next_token, kShardsTokenParts);
    const StreamAddress address{context.account, context.region, parts[0]};
    if (request.stream_arn && resolve_stream(context, std::nullopt, request.stream_arn) != address) {
      throw invalid_argument("NextToken and StreamARN name different streams.");
    }
    return {.address = address,
            .after = parts[1],
            .type = parts[2],
            .time = base::Time(base::Duration(std::strtoll(parts[3].c_str(), nullptr, 10)))};
  }
  Listing listing{.address = stream_of(context, request), .after = request.exclusive_start_shard_id.value_or("")};
  if (request.shard_filter) {
    check_filter(*request.shard_filter);
    listing.type = request.shard_filter->type;
    listing.time = request.shard_filter->timestamp.value_or(base::Time{});
    if (listing.type == types::kAfterShardId) listing.after = std::max(listing.after, *request.shard_filter->shard_id);
  }
  return listing;
}

bool is_wanted(const Listing& listing, const Stream& stream, const Shard& shard, base::Time now) {
  const base::Time horizon = std::max(stream.horizon(now), stream.created);
  // Open at `time`. Of a moment before the horizon nothing is known but what was open at the horizon.
  const auto was_open_at = [&](base::Time time) {
    return shard.created <= time && (shard.is_open() || *shard.closed >= time);
  };
  if (shard.id() <= listing.after) return false;
  if (listing.type == types::kAtLatest) return shard.is_open();
  if (listing.type == types::kAtTrimHorizon) return was_open_at(horizon);
  if (listing.type == types::kAtTimestamp) return was_open_at(std::max(listing.time, horizon));
  if (listing.type == types::kFromTimestamp) return shard.is_open() || *shard.closed >= listing.time;
  return true;
}

}  // namespace

Task<shapes::ListShardsOutput> list_shards(Service& service, wire::Context& context,
                                           const shapes::ListShardsInput& request) {
  const Listing listing = listing_of(context, request);
  const StreamPtr stream = co_await service.find_stream(listing.address);
  if (request.stream_creation_timestamp &&
      std::chrono::floor<std::chrono::seconds>(*request.stream_creation_timestamp) != creation_time(*stream)) {
    throw stream_not_found(listing.address);
  }
  const auto limit = static_cast<size_t>(std::min(request.max_results.value_or(kShardsPerPageMax), kShardsPerPageMax));
  shapes::ListShardsOutput out;
  auto& shards = out.shards.emplace();
  for (const Shard* shard : stream->live_shards(context.now())) {
    if (!is_wanted(listing, *stream, *shard, context.now())) continue;
    if (shards.size() == limit) {
      out.next_token = make_token(context, kShardsToken,
                                  {listing.address.name, shards.back().shard_id, listing.type,
                                   std::to_string(listing.time.time_since_epoch().count())});
      break;
    }
    shards.push_back(describe_shard(*shard));
  }
  co_return out;
}

}  // namespace tidemill::kinesis
