// Changes of executions: how one is read for a transaction, and moved in it.
#include <algorithm>

#include "base/log.h"
#include "base/text.h"
#include "services/states/definition.h"
#include "services/states/execution_log.h"
#include "services/states/running.h"
#include "services/states/view.h"

namespace tidemill::states {

using base::cat;

Task<std::unique_ptr<Loaded>> Running::load(Change& change, ExecutionId id) {
  const auto moved = std::ranges::find_if(change.moved, [&](const auto& one) { return one->live.id == id; });
  if (moved == change.moved.end()) co_return co_await load(change.txn, std::move(id));
  auto loaded = std::move(*moved);
  change.moved.erase(moved);
  co_return loaded;
}

Task<std::unique_ptr<Loaded>> Running::load(store::Transaction& txn, ExecutionId id) {
  auto bytes = co_await read_head(txn, id);
  if (!bytes) co_return nullptr;
  co_return co_await load(txn, std::move(id), *std::move(bytes));
}

Task<std::unique_ptr<Loaded>> Running::load(store::Transaction& txn, ExecutionId id, std::string head_bytes,
                                            std::optional<FrameId> only) {
  auto loaded = only ? nullptr : loaded_.take(id, head_bytes);
  if (loaded) co_return loaded;
  loaded = std::make_unique<Loaded>();
  Live& live = loaded->live;
  live.id = std::move(id);
  live.head = decode_head(head_bytes);
  live.head_bytes = std::move(head_bytes);
  const ExecutionAddress& address = live.head.address;
  const auto parsed = co_await parsed_definition(txn, machines_, address.account, address.region,
                                                 base_machine(address.machine), live.head.revision);
  live.machine = parsed->machine;
  loaded->has_log = logs_anything(parsed->definition);
  if (only) {
    co_await read_called(txn, live, *only);
  } else {
    co_await read_frames(txn, live, evaluations_);
  }
  if (only) co_return loaded;
  const auto record = co_await txn.get_untracked(execution_key(address));  // changes with the head only
  if (!record) throw std::runtime_error(cat("the execution ", address.arn(), " is lost"));
  co_await evaluations_.run_large(record->size(), [&] {
    loaded->record = decode_execution(address, *record);
    live.context = context_of_execution(live.head, Payload::of_text(loaded->record.input).document(), address.arn(),
                                        address.machine_arn());
  });
  loaded->bytes = std::max(record->size(), live.bytes_on_hand());
  co_return loaded;
}

void Running::keep(std::unique_ptr<Loaded> loaded) {
  for (auto& dropped : loaded_.keep(std::move(loaded))) {
    const size_t bytes = dropped->bytes;
    evaluations_.let_go(bytes, std::move(dropped));
  }
}

Task<bool> Running::move(Change& change, ExecutionId id, Move by) {
  std::optional<Turn> turn;
  auto loaded = co_await load(change, id);
  if (!loaded) co_return false;
  const bool has_changed = co_await evolve(change, loaded, turn, by);
  if (has_changed) co_await carry_out(change, *loaded, *turn);
  change.moved.push_back(std::move(loaded));
  co_return has_changed;
}

// What takes long is begun again on a thread, with the execution as it stands in the store; what has much on hand is begun
// there.
Task<bool> Running::evolve(Change& change, std::unique_ptr<Loaded>& loaded, std::optional<Turn>& turn, const Move& by) {
  turn.emplace(loaded->live, clock_.now());
  turn->world.when_long = [] { throw TakesLong(); };
  try {
    co_return co_await evaluations_.run_large(loaded->bytes, [&] { return by(turn->stepper, loaded->live); });
  } catch (const TakesLong&) {
  }
  ExecutionId id = loaded->live.id;
  turn.reset();
  loaded = co_await load(change.txn, std::move(id));
  if (!loaded) throw std::runtime_error("an execution was lost within a transaction");
  turn.emplace(loaded->live, clock_.now());
  co_return co_await evaluations_.run([&] { return by(turn->stepper, loaded->live); });
}

Task<void> Running::end_by(Change& change, const ExecutionRecord& record, const Move& by) {
  bool is_readable = true;
  try {
    (void)co_await move(change, record.id, by);
  } catch (const DamagedState& error) {
    is_readable = false;
    base::log_warning("an execution that cannot be read is ended",
                      {{"execution", record.address.arn()}, {"reason", error.what()}});
  }
  if (!is_readable) co_await end_unread(change, record, by);
}

// As if it stood before its first state: who brings anything for what it waited for finds nobody. Nothing is left of it
// that could be redriven.
Task<void> Running::end_unread(Change& change, const ExecutionRecord& record, const Move& by) {
  auto head_bytes = co_await read_head(change.txn, record.id);
  if (!head_bytes) co_return;
  const ExecutionAddress& address = record.address;
  const auto parsed = co_await parsed_definition(change.txn, machines_, address.account, address.region,
                                                 base_machine(address.machine), record.revision);
  Loaded loaded = unborn(record, *parsed);
  loaded.record.is_state_lost = true;
  Live& live = loaded.live;
  live.head = decode_head(*head_bytes);
  live.head_bytes = *std::move(head_bytes);
  const asl::State& first = parsed->machine->flow().start();
  Frame& root = live.frames[kRootFrame];
  root.state = first.name;
  root.at = &first;
  root.last_event = live.head.next_event - 1;
  Turn turn(live, clock_.now());
  if (!by(turn.stepper, live)) co_return;
  co_await carry_out(change, loaded, turn);
  erase_unread(change.txn, live.id);
}

}  // namespace tidemill::states
