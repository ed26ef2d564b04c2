#include "services/states/map_run.h"

#include "base/ordered.h"
#include "base/text.h"
#include "base/uuid.h"
#include "crypto/digest.h"
#include "services/states/errors.h"
#include "services/states/machine.h"
#include "store/keys.h"
#include "store/timer.h"
#include "wire/arn.h"

namespace tidemill::states {

using base::cat;

namespace {

constexpr std::string_view kMapRun = "mapRun:";

std::string key_of(char letter) { return {static_cast<char>(store::KeySpace::execution), letter}; }

}  // namespace

std::string MapRunAddress::arn() const {
  return cat("arn:aws:states:", region, ":", account, ":", kMapRun, machine, "/", label, ":", uuid);
}

std::string MapRunAddress::child_machine() const { return cat(machine, "/", label); }

wire::Principal principal_of(const MapRunRecord& run) {
  ExecutionAddress machine = run.parent;
  machine.machine = base_machine(machine.machine);  // a map within a map: of the machine that has both
  return session_of(run.role, machine.machine_arn());
}

MapRunAddress parse_map_run_arn(std::string_view text) {
  const auto arn = wire::parse_arn_of("states", text);
  if (!arn || !arn->resource.starts_with(kMapRun)) throw invalid_arn(text);
  const std::string_view rest = arn->resource.substr(kMapRun.size());
  const size_t slash = rest.find('/');
  const size_t colon = rest.rfind(':');
  if (slash == std::string_view::npos || colon == std::string_view::npos || colon < slash) throw invalid_arn(text);
  return {std::string(arn->account), std::string(arn->region), std::string(rest.substr(0, slash)),
          std::string(rest.substr(slash + 1, colon - slash - 1)), std::string(rest.substr(colon + 1))};
}

std::string base_machine(std::string_view machine) { return std::string(machine.substr(0, machine.find('/'))); }

void MapRunCounts::end(Status status, int64_t count) {
  running -= count;
  if (status == Status::succeeded) {
    succeeded += count;
  } else if (status == Status::timed_out) {
    timed_out += count;
  } else if (status == Status::aborted) {
    aborted += count;
  } else {
    failed += count;
  }
}

void MapRunCounts::redrive() {
  pending_redrive += unsuccessful() - not_redrivable;
  failed = not_redrivable;
  timed_out = aborted = 0;
}

void MapRunCounts::begin_again(int64_t count) {
  pending_redrive -= count;
  running += count;
}

void MapRunCounts::give_up(int64_t count) {
  pending_redrive -= count;
  failed += count;
  not_redrivable += count;
}

std::string map_run_key(const MapRunAddress& address) {
  std::string key = key_of('m');
  base::append_string(key, address.account);
  base::append_string(key, address.region);
  base::append_string(key, address.child_machine());
  base::append_string(key, address.uuid);
  return key;
}

std::string map_part_key(std::string_view run_key, char part) { return std::string(run_key) + part; }

std::string map_child_key(std::string_view run_key, char part, uint64_t index) {
  std::string key = map_part_key(run_key, part);
  base::append_u64(key, index);
  return key;
}

uint64_t index_of_child_key(std::string_view key) {
  base::OrderedReader reader(key.substr(key.size() - sizeof(uint64_t)));
  return reader.u64();
}

std::string map_runs_prefix(const ExecutionId& parent) { return key_of('M') + parent.bytes; }

std::string map_run_entry_key(const MapRunRecord& run) {
  std::string key = map_runs_prefix(run.parent_id);
  base::append_i64(key, -run.started.time_since_epoch().count());
  base::append_string(key, run.address.uuid);
  return key;
}

std::string child_name(std::string_view run_key, uint64_t index) {
  return base::uuid_text(crypto::sha256(map_child_key(run_key, 'n', index)));
}

void put_map_run(store::Transaction& txn, const MapRunRecord& run) {
  txn.put(map_part_key(map_run_key(run.address), 'd'), encode_map_run(run));
}

Task<std::optional<MapRunRecord>> find_map_run(store::Snapshot& reader, std::string run_key) {
  const auto bytes = co_await reader.get(map_part_key(run_key, 'd'));
  if (!bytes) co_return std::nullopt;
  co_return decode_map_run(*bytes);
}

// ---- Changes --------------------------------------------------------------------------------------------------------

Task<void> begin_map_run(store::Transaction& txn, MapRunRecord run, const asl::MapPlan& plan) {
  const std::string key = map_run_key(run.address);
  if (plan.items) {
    const json::Value& items = *plan.items;
    run.items_known = static_cast<int64_t>(items.is_array() ? items.array().size() : items.object().size());
    txn.put(map_part_key(key, 'i'), json::write(items));
  }
  txn.put(map_part_key(key, 'p'), encode_plan(plan));
  put_map_run(txn, run);
  txn.put(map_run_entry_key(run), run.address.arn());
  co_await wake_map_run(txn, key, run.started);
}

Task<void> wake_map_run(store::Transaction& txn, std::string run_key, base::Time now) {
  if (co_await store::timer_due(txn, {kMapTimer}, run_key)) co_return;
  co_await store::set_timer(txn, {std::string(kMapTimer), run_key, now, ""});
}

Task<void> abort_map_run(store::Transaction& txn, std::string arn, base::Time now, bool is_redrivable) {
  const std::string key = map_run_key(parse_map_run_arn(arn));
  auto run = co_await find_map_run(txn, key);
  if (!run || run->phase == MapPhase::over) co_return;
  run->phase = MapPhase::stopping;
  run->status = Status::aborted;
  run->is_redrivable = is_redrivable;
  run->has_redrive_waiting = false;
  put_map_run(txn, *run);
  co_await wake_map_run(txn, key, now);
}

void begin_redrive(MapRunRecord& run, base::Time now) {
  run.phase = MapPhase::running;
  run.status = Status::running;
  run.stopped.reset();
  run.error.clear();
  run.cause.clear();
  run.is_redrivable = false;
  run.has_redrive_waiting = false;
  ++run.redrives;
  run.redriven = now;
  run.items.redrive();
  run.executions.redrive();
}

Task<void> redrive_map_run(store::Transaction& txn, std::string arn, base::Time now) {
  const std::string key = map_run_key(parse_map_run_arn(arn));
  auto run = co_await find_map_run(txn, key);
  if (!run) throw std::runtime_error(cat("the map run ", arn, " is lost"));
  if (run->phase == MapPhase::over) {
    begin_redrive(*run, now);
  } else {
    run->has_redrive_waiting = true;
  }
  put_map_run(txn, *run);
  co_await wake_map_run(txn, key, now);
}

void erase_map_run_parts(store::Transaction& txn, std::string_view run_key) {
  for (const char part : {'p', 'i', 'c', 'e', 'f', 'o'}) {
    txn.erase_range(store::Range::prefix(map_part_key(run_key, part)));
  }
}

std::string encode_unsuccessful(const UnsuccessfulChild& child) {
  std::string bytes;
  base::append_i64(bytes, child.items);
  base::append_fixed(bytes, child.input);
  return bytes;
}

UnsuccessfulChild decode_unsuccessful(std::string_view bytes) {
  base::OrderedReader reader(bytes);
  UnsuccessfulChild child{.items = reader.i64()};
  if (!reader.ok()) throw std::runtime_error("a stored child of a map run is damaged");
  child.input = reader.rest();
  return child;
}

Task<void> forget_map_runs(store::Transaction& txn, ExecutionId parent) {
  std::vector<std::string> arns;
  const store::Range range = store::Range::prefix(map_runs_prefix(parent));
  co_await txn.scan(range, store::Direction::forward, [&](std::string_view, std::string_view arn) {
    arns.emplace_back(arn);
    return true;
  });
  if (arns.empty()) co_return;
  for (const std::string& arn : arns) {
    txn.erase_range(store::Range::prefix(map_run_key(parse_map_run_arn(arn))));
  }
  txn.erase_range(range);
}

Task<void> note_child_end(store::Transaction& txn, std::string run_key, uint64_t index, const ChildEnd& end) {
  txn.put(map_child_key(run_key, 'e', index), encode_child_end(end));
  co_await wake_map_run(txn, run_key, end.stopped);
}

}  // namespace tidemill::states
