// StartReplay, DescribeReplay, ListReplays and CancelReplay.
#include <algorithm>
#include <limits>

#include "base/text.h"
#include "services/events/bus.h"
#include "services/events/errors.h"
#include "services/events/listing.h"
#include "services/events/operations.h"
#include "services/events/replay.h"

namespace tidemill::events {
namespace {

using base::cat;

constexpr size_t kActiveMax = 10;  // of an account's region

ReplayAddress replay_of(const wire::Context& context, const std::string& name) {
  return {context.account, context.region, name};
}

std::optional<std::string> text_or_none(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

// Of the caller's account and region: the replay goes to the bus of the archive.
Task<Archive> source_archive(store::Transaction& txn, const wire::Context& context,
                             const shapes::StartReplayInput& request) {
  const auto address = parse_archive_arn(request.event_source_arn);
  if (!address) throw invalid_parameter("EventSourceArn", "Provided Arn is not in correct format.");
  const bool is_own = address->account == context.account && address->region == context.region;
  auto archive = is_own ? co_await find_archive(txn, *address) : std::nullopt;
  if (!archive) throw invalid_parameter("EventSourceArn", cat("Archive ", address->name, " does not exist."));
  co_return *std::move(archive);
}

Task<void> check_destination(store::Transaction& txn, const shapes::StartReplayInput& request, const Archive& archive) {
  const auto bus = parse_bus_arn(request.destination.arn);
  if (!bus) throw invalid_parameter("Destination.Arn", "Must contain an event bus ARN.");
  if (!co_await find_bus(txn, *bus)) {
    throw invalid_parameter("Destination.Arn", cat("Event bus ", bus->name, " does not exist."));
  }
  if (*bus != archive.bus) throw invalid_parameter("Destination.Arn", "Cross event bus replay is not permitted.");
}

Task<size_t> count_active(store::Transaction& txn, const ReplayAddress& address) {
  size_t count = 0;
  const store::Range range = replays_range(address.account, address.region, "");
  co_await txn.scan_untracked(range, store::Direction::forward, [&](std::string_view key, std::string_view value) {
    if (decode_replay(key, value).is_active()) ++count;
    return true;
  });
  co_return count;
}

shapes::Replay describe(const Replay& replay) {
  return {.replay_name = replay.address.name,
          .event_source_arn = replay.archive.arn(),
          .state = replay.state,
          .state_reason = text_or_none(replay.state_reason),
          .event_start_time = replay.from,
          .event_end_time = replay.until,
          .event_last_replayed_time = replay.last_replayed,
          .replay_start_time = replay.started,
          .replay_end_time = replay.ended};
}

}  // namespace

Task<shapes::StartReplayOutput> start_replay(Service& service, wire::Context& context,
                                             const shapes::StartReplayInput& request) {
  if (request.event_start_time >= request.event_end_time) {
    throw invalid_parameter("EventEndTime", "EventStartTime must be before EventEndTime.");
  }
  const ReplayAddress address = replay_of(context, request.replay_name);
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    const Archive archive = co_await source_archive(txn, context, request);
    co_await check_destination(txn, request, archive);
    if (co_await find_replay(txn, address)) {
      throw errors::resource_already_exists_exception(cat("Replay ", address.name, " already exists."));
    }
    if (co_await count_active(txn, address) >= kActiveMax) throw limit_exceeded();
    Replay replay{.address = address,
                  .description = request.description.value_or(""),
                  .state = "STARTING",
                  .archive = archive.address,
                  .archive_id = archive.id,
                  .bus = archive.bus,
                  .only_rules = request.destination.filter_arns.value_or(std::vector<std::string>()),
                  .from = request.event_start_time,
                  .until = request.event_end_time,
                  .started = context.now()};
    // What came before is as good as done.
    const base::Time start =
        std::clamp(request.event_start_time, base::Time(base::Duration(1)), context.now() + std::chrono::days(1));
    const store::Version first = store::Version::at(start);
    replay.done = {.version = {first.value - 1}, .index = std::numeric_limits<uint32_t>::max()};
    co_await save_replay(txn, replay, context.now());
  });
  co_return shapes::StartReplayOutput{
      .replay_arn = address.arn(), .state = "STARTING", .state_reason = {}, .replay_start_time = context.now()};
}

Task<shapes::DescribeReplayOutput> describe_replay(Service& service, wire::Context& context,
                                                   const shapes::DescribeReplayInput& request) {
  const auto snapshot = service.store().snapshot();
  const Replay replay = co_await load_replay(*snapshot, replay_of(context, request.replay_name));
  shapes::ReplayDestination destination{.arn = replay.bus.arn()};
  if (!replay.only_rules.empty()) destination.filter_arns = replay.only_rules;
  co_return shapes::DescribeReplayOutput{.replay_name = replay.address.name,
                                         .replay_arn = replay.address.arn(),
                                         .description = text_or_none(replay.description),
                                         .state = replay.state,
                                         .state_reason = text_or_none(replay.state_reason),
                                         .event_source_arn = replay.archive.arn(),
                                         .destination = std::move(destination),
                                         .event_start_time = replay.from,
                                         .event_end_time = replay.until,
                                         .event_last_replayed_time = replay.last_replayed,
                                         .replay_start_time = replay.started,
                                         .replay_end_time = replay.ended};
}

Task<shapes::ListReplaysOutput> list_replays(Service& service, wire::Context& context,
                                             const shapes::ListReplaysInput& request) {
  if ((request.name_prefix ? 1 : 0) + (request.event_source_arn ? 1 : 0) + (request.state ? 1 : 0) > 1) {
    throw invalid("At most one filter is allowed for ListReplays. Use either : State, EventSourceArn, or NamePrefix.");
  }
  const auto snapshot = service.store().snapshot();
  shapes::ListReplaysOutput out;
  out.replays.emplace();
  out.next_token = co_await read_page(
      *snapshot, replays_range(context.account, context.region, request.name_prefix.value_or("")),
      {request.next_token, request.limit}, [&](std::string_view key, std::string_view value) {
        const Replay replay = decode_replay(key, value);
        const bool is_wanted = (!request.state || replay.state == *request.state) &&
                               (!request.event_source_arn || replay.archive.arn() == *request.event_source_arn);
        if (is_wanted) out.replays->push_back(describe(replay));
        return is_wanted;
      });
  co_return out;
}

Task<shapes::CancelReplayOutput> cancel_replay(Service& service, wire::Context& context,
                                               const shapes::CancelReplayInput& request) {
  const ReplayAddress address = replay_of(context, request.replay_name);
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    Replay replay = co_await load_replay(txn, address);
    if (!replay.is_active() || replay.state == "CANCELLING") {
      throw errors::illegal_status_exception(
          cat("Replay ", address.name, " is not in a valid state for this operation."));
    }
    replay.state = "CANCELLING";
    co_await save_replay(txn, replay, context.now());
  });
  co_return shapes::CancelReplayOutput{.replay_arn = address.arn(), .state = "CANCELLING", .state_reason = {}};
}

}  // namespace tidemill::events
