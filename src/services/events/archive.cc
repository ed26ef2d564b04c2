#include "services/events/archive.h"

#include <algorithm>
#include <stdexcept>

#include "base/json_members.h"
#include "base/ordered.h"
#include "base/text.h"
#include "services/events/bus.h"
#include "services/events/errors.h"
#include "store/keys.h"
#include "store/resources.h"
#include "wire/arn.h"

namespace tidemill::events {
namespace {

using namespace std::chrono_literals;

constexpr store::ResourceType kArchives{"events", "archive"};
constexpr std::string_view kArchiveType = "archive/";
constexpr std::string_view kTrimTimer = "events-archive-trim";
constexpr base::Duration kTrimEvery = 1h;
constexpr size_t kTrimEventsMax = 1000;  // in one transaction
constexpr int64_t kDaysMax = 365'000;    // all that is longer is for ever: a clock cannot count it

// Of numbers of archives, and of their logs. Others' logs begin with ids of tables, streams and groups.
constexpr char kArchiveSpace = 'a';
constexpr std::string_view kLogPrefix = "events-archive/";

constexpr auto kArchiveMembers = [](auto& member, auto& archive) {
  member("id", archive.id);
  member.as("bus", archive.bus, [](const BusAddress& bus) { return bus.arn(); }, parse_bus_arn);
  member("description", archive.description);
  member("event_pattern", archive.event_pattern);
  member("retention_days", archive.retention_days);
  member("created_us", archive.created);
};

std::string key_of(const ArchiveAddress& address) {
  return store::resource_key(kArchives, address.account, address.region, address.name);
}

std::string count_key(std::string_view archive_id, char what) {
  std::string key{static_cast<char>(store::KeySpace::tally), kArchiveSpace};
  base::append_string(key, archive_id);
  key.push_back(what);
  return key;
}

constexpr char kEvents = 'e';
constexpr char kBytes = 'b';

Task<int64_t> read_count(store::Snapshot& reader, std::string key) {
  const auto bytes = co_await reader.get(key);
  if (!bytes) co_return 0;
  base::OrderedReader number(*bytes);
  co_return number.i64();
}

void add_counts(store::Transaction& txn, std::string_view archive_id, ArchiveCounts counts) {
  txn.add(count_key(archive_id, kEvents), counts.events);
  txn.add(count_key(archive_id, kBytes), counts.bytes);
}

// An archive may outlive its bus, and an edition says that there is one.
Task<void> renew_rules(store::Transaction& txn, BusAddress bus) {
  if (co_await find_bus(txn, bus)) renew_edition(txn, bus);
}

// Drops the oldest events that came before `until`. True: there may be more of them.
Task<bool> trim(store::Transaction& txn, const Archive& archive, base::Time until) {
  const store::LogId log = archive_log(archive.id);
  ArchiveCounts dropped;
  store::Position last = store::Position::before_all();
  co_await txn.read_log(log, {store::Position::before_all(), kTrimEventsMax},
                        [&](store::Position position, std::string_view event) {
                          if (position.version.time() >= until) return false;
                          --dropped.events;
                          dropped.bytes -= static_cast<int64_t>(event.size());
                          last = position;
                          return true;
                        });
  if (dropped.events == 0) co_return false;
  txn.trim_log(log, last);
  add_counts(txn, archive.id, dropped);
  co_return -dropped.events == static_cast<int64_t>(kTrimEventsMax);
}

Task<void> run_trim(store::Store& store, base::Clock& clock, const store::Timer& timer) {
  const auto address = parse_archive_arn(timer.id);
  if (!address) throw std::runtime_error("the timer of an archive is damaged");
  const base::Time now = clock.now();
  co_await store.transact([&](store::Transaction& txn) -> Task<void> {
    if (!co_await store::finish_timer(txn, timer)) co_return;
    const auto archive = co_await find_archive(txn, *address);
    if (!archive || archive->retention_days == 0) co_return;
    const std::chrono::days kept(std::min<int64_t>(archive->retention_days, kDaysMax));
    const bool has_more = co_await trim(txn, *archive, now - kept);
    store::Timer again = timer;
    again.due = has_more ? now : now + kTrimEvery;
    co_await store::set_timer(txn, again);
  });
}

}  // namespace

std::string ArchiveAddress::arn() const {
  const std::string resource = base::cat(kArchiveType, name);
  return wire::Arn{.service = "events", .region = region, .account = account, .resource = resource}.text();
}

std::optional<ArchiveAddress> parse_archive_arn(std::string_view arn) {
  const auto parts = wire::parse_arn_of("events", arn);
  if (!parts || !parts->resource.starts_with(kArchiveType)) return std::nullopt;
  return ArchiveAddress{std::string(parts->account), std::string(parts->region),
                        std::string(parts->resource.substr(kArchiveType.size()))};
}

store::Range archives_range(std::string_view account, std::string_view region, std::string_view prefix) {
  return store::Range::prefix(store::resource_prefix(kArchives, account, region).append(prefix));
}

Archive decode_archive(std::string_view key, std::string_view bytes) {
  auto address = store::resource_of_key(kArchives, key);
  if (!address) throw std::runtime_error("an archive's key is not readable");
  return json::decode(
      "archive", bytes, kArchiveMembers,
      Archive{.address = {std::move(address->account), std::move(address->region), std::move(address->name)}});
}

Task<std::optional<Archive>> find_archive(store::Snapshot& reader, ArchiveAddress address) {
  const std::string key = key_of(address);
  const auto bytes = co_await reader.get(key);
  if (!bytes) co_return std::nullopt;
  co_return decode_archive(key, *bytes);
}

Task<Archive> load_archive(store::Snapshot& reader, ArchiveAddress address) {
  auto archive = co_await find_archive(reader, address);
  if (archive) co_return *std::move(archive);
  throw errors::resource_not_found_exception(base::cat("Archive ", address.name, " does not exist."));
}

Task<void> save_archive(store::Transaction& txn, Archive archive) {
  txn.put(key_of(archive.address), json::encode(archive, kArchiveMembers));
  co_await renew_rules(txn, archive.bus);
}

Task<void> erase_archive(store::Transaction& txn, Archive archive) {
  txn.erase(key_of(archive.address));
  txn.erase_log(archive_log(archive.id));
  txn.erase(count_key(archive.id, kEvents));
  txn.erase(count_key(archive.id, kBytes));
  co_await renew_rules(txn, archive.bus);
  const std::string arn = archive.address.arn();
  co_await store::cancel_timer(txn, {kTrimTimer}, arn);
}

store::LogId archive_log(std::string_view archive_id) {
  std::string bytes(kLogPrefix);
  base::append_string(bytes, archive_id);
  return {std::move(bytes)};
}

void keep_event(store::Transaction& txn, std::string_view archive_id, std::string_view event) {
  (void)txn.append(archive_log(archive_id), event);
  add_counts(txn, archive_id, {.events = 1, .bytes = static_cast<int64_t>(event.size())});
}

Task<ArchiveCounts> count_events(store::Snapshot& reader, std::string archive_id) {
  ArchiveCounts counts;
  counts.events = co_await read_count(reader, count_key(archive_id, kEvents));
  counts.bytes = co_await read_count(reader, count_key(archive_id, kBytes));
  co_return counts;
}

Task<void> plan_trim(store::Transaction& txn, const Archive& archive, base::Time now) {
  const std::string arn = archive.address.arn();
  if (archive.retention_days == 0) {
    co_await store::cancel_timer(txn, {kTrimTimer}, arn);
  } else {
    co_await store::set_timer(txn, {std::string(kTrimTimer), arn, now + kTrimEvery, ""});
  }
}

void trim_archives_by(engine::TimerService& timers, store::Store& store, base::Clock& clock) {
  timers.handle(store::TimerKind{kTrimTimer},
                [&store, &clock](const store::Timer& timer) { return run_trim(store, clock, timer); },
                {.purpose = base::Purpose::housekeeping});
}

}  // namespace tidemill::events
