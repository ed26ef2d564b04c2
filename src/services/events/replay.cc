#include "services/events/replay.h"

#include <set>
#include <stdexcept>

#include "base/json_members.h"
#include "base/text.h"
#include "services/events/errors.h"
#include "services/events/routing.h"
#include "store/resources.h"
#include "wire/arn.h"

namespace tidemill::events {
namespace {

constexpr store::ResourceType kReplays{"events", "replay"};
constexpr std::string_view kReplayType = "replay/";
constexpr std::string_view kTimer = "events-replay";
constexpr size_t kEventsMax = 100;     // of a slice
constexpr size_t kBytesMax = 1 << 20;  // the same; one more event may come

std::string key_of(const ReplayAddress& address) {
  return store::resource_key(kReplays, address.account, address.region, address.name);
}

std::optional<ReplayAddress> parse_replay_arn(std::string_view arn) {
  const auto parts = wire::parse_arn_of("events", arn);
  if (!parts || !parts->resource.starts_with(kReplayType)) return std::nullopt;
  return ReplayAddress{std::string(parts->account), std::string(parts->region),
                       std::string(parts->resource.substr(kReplayType.size()))};
}

constexpr auto kReplayMembers = [](auto& member, auto& replay) {
  member("description", replay.description);
  member("state", replay.state);
  member("state_reason", replay.state_reason);
  member.as("archive", replay.archive, [](const ArchiveAddress& archive) { return archive.arn(); }, parse_archive_arn);
  member("archive_id", replay.archive_id);
  member.as("bus", replay.bus, [](const BusAddress& bus) { return bus.arn(); }, parse_bus_arn);
  member("only_rules", replay.only_rules);
  member("from_us", replay.from);
  member("until_us", replay.until);
  member.bytes_as("done", replay.done, [](const store::Position& done) { return done.encode(); },
                  store::Position::decode);
  member("last_replayed_us", replay.last_replayed);
  member("started_us", replay.started);
  member("ended_us", replay.ended);
};

// The next events, and whether that is all there are.
struct Slice {
  std::vector<json::Value> events;
  std::vector<store::Position> positions;  // of each
  store::Position last;
  bool is_end = true;

  void cut(size_t count) {
    events.resize(count);
    positions.resize(count);
    last = positions.back();
    is_end = false;
  }
};

Task<Slice> read_slice(store::Snapshot& reader, const Replay& replay) {
  Slice slice{.events = {}, .positions = {}, .last = replay.done};
  size_t bytes = 0;
  const store::LogId log = archive_log(replay.archive_id);
  co_await reader.read_log(log, replay.done, [&](store::Position position, std::string_view text) {
    if (position.version.time() >= replay.until) return false;
    if (slice.events.size() == kEventsMax || bytes >= kBytesMax) return slice.is_end = false;
    auto event = json::parse(text, kDetailDepthMax + 1);
    if (!event) throw std::runtime_error("an event in an archive is damaged");
    slice.events.push_back(*std::move(event));
    slice.positions.push_back(position);
    slice.last = position;
    bytes += text.size();
    return true;
  });
  co_return slice;
}

Arrival arrival_of(const Replay& replay, json::Value event, base::Time now) {
  event.object().set("replay-name", replay.address.name);
  return {replay.bus, std::move(event), now};
}

// About what the event's letters come to: each has it once as it is, and once as the target gets it.
Task<size_t> bytes_of_letters(store::Transaction& txn, Service& service, const Arrival& arrival,
                              const std::set<std::string>& only, base::Time now) {
  constexpr size_t kEnvelope = 1 << 10;
  Round counting(0);
  co_await route(txn, service, arrival, only, counting, now);
  co_return counting.letters() * (2 * arrival.text.size() + kEnvelope);
}

// As many of the slice's events as one transaction takes, at least the first, which `first` may have begun. The others
// are left for the next slice. False: the first goes on in another transaction.
Task<bool> route_slice(store::Transaction& txn, Service& service, const Replay& replay, Slice& slice, Round& first,
                       base::Time now) {
  const std::set<std::string> only(replay.only_rules.begin(), replay.only_rules.end());
  size_t bytes = 0;
  for (size_t i = 0; i < slice.events.size(); ++i) {
    const Arrival arrival = arrival_of(replay, std::move(slice.events[i]), now);
    bytes += co_await bytes_of_letters(txn, service, arrival, only, now);
    if (i > 0 && bytes > kRoutedBytesMax) {
      slice.cut(i);
      co_return true;
    }
    Round whole(SIZE_MAX);
    co_await route(txn, service, arrival, only, i == 0 ? first : whole, now);
    if (i == 0 && !first.is_whole()) co_return false;
  }
  co_return true;
}

// What comes of a slice.
void go_on(Replay& replay, const Slice& slice, base::Time now) {
  replay.done = slice.last;
  replay.state = slice.is_end ? "COMPLETED" : "RUNNING";
  if (!slice.events.empty()) replay.last_replayed = slice.last.version.time();
  if (slice.is_end) replay.ended = now;
}

Task<void> run(Service& service, const store::Timer& timer) {
  const auto address = parse_replay_arn(timer.id);
  if (!address) throw std::runtime_error("the timer of a replay is damaged");
  const base::Time now = service.clock().now();
  Round first;
  bool is_over = false;
  do {
    is_over = co_await service.store().transact([&](store::Transaction& txn) -> Task<bool> {
      first.begin();
      if (!co_await store::timer_stands(txn, timer)) co_return true;
      auto replay = co_await find_replay(txn, *address);
      const bool is_active = replay && replay->is_active();
      const bool is_cancelled = is_active && replay->state == "CANCELLING";
      Slice slice;
      if (is_active && !is_cancelled) {
        slice = co_await read_slice(txn, *replay);
        if (!co_await route_slice(txn, service, *replay, slice, first, now)) co_return false;
      }
      (void)co_await store::finish_timer(txn, timer);
      if (!is_active) co_return true;
      if (is_cancelled) {
        replay->state = "CANCELLED";
        replay->ended = now;
      } else {
        go_on(*replay, slice, now);
      }
      co_await save_replay(txn, *replay, now);
      co_return true;
    });
    (void)first.goes_on();
  } while (!is_over);
}

}  // namespace

std::string ReplayAddress::arn() const {
  const std::string resource = base::cat(kReplayType, name);
  return wire::Arn{.service = "events", .region = region, .account = account, .resource = resource}.text();
}

bool Replay::is_active() const { return state == "STARTING" || state == "RUNNING" || state == "CANCELLING"; }

store::Range replays_range(std::string_view account, std::string_view region, std::string_view prefix) {
  return store::Range::prefix(store::resource_prefix(kReplays, account, region).append(prefix));
}

Replay decode_replay(std::string_view key, std::string_view bytes) {
  auto address = store::resource_of_key(kReplays, key);
  if (!address) throw std::runtime_error("a replay's key is not readable");
  return json::decode(
      "replay", bytes, kReplayMembers,
      Replay{.address = {std::move(address->account), std::move(address->region), std::move(address->name)}});
}

Task<std::optional<Replay>> find_replay(store::Snapshot& reader, ReplayAddress address) {
  const std::string key = key_of(address);
  const auto bytes = co_await reader.get(key);
  if (!bytes) co_return std::nullopt;
  co_return decode_replay(key, *bytes);
}

Task<Replay> load_replay(store::Snapshot& reader, ReplayAddress address) {
  auto replay = co_await find_replay(reader, address);
  if (replay) co_return *std::move(replay);
  throw errors::resource_not_found_exception(base::cat("Replay ", address.name, " does not exist."));
}

Task<void> save_replay(store::Transaction& txn, const Replay& replay, base::Time now) {
  txn.put(key_of(replay.address), json::encode(replay, kReplayMembers));
  if (replay.is_active()) co_await store::set_timer(txn, {std::string(kTimer), replay.address.arn(), now, ""});
}

void run_replays_by(engine::TimerService& timers, Service& service) {
  timers.handle(store::TimerKind{kTimer}, [&service](const store::Timer& timer) { return run(service, timer); });
}

}  // namespace tidemill::events
