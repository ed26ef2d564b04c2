// How executions begin: those that are asked for, and the children of map runs.
#include "base/text.h"
#include "services/states/bus_events.h"
#include "services/states/errors.h"
#include "services/states/execution_log.h"
#include "services/states/running.h"
#include "store/timer.h"

namespace tidemill::states {

using base::cat;

Loaded Running::unborn(ExecutionRecord execution, const ParsedDefinition& parsed) const {
  Loaded loaded{.record = std::move(execution), .has_log = logs_anything(parsed.definition)};
  const ExecutionRecord& record = loaded.record;
  Live& live = loaded.live;
  live.id = record.id;
  live.machine = parsed.machine;
  live.head.address = record.address;
  live.head.revision = record.revision;
  live.head.role = record.role;
  live.head.started = record.started;
  return loaded;
}

// `turn` has begun it.
Task<void> Running::begin(store::Transaction& txn, Loaded& loaded, Turn& turn) {
  const ExecutionRecord& record = loaded.record;
  co_await evaluations_.run_large(record.input.size(), [&] { put_execution(txn, record, std::nullopt); });
  co_await tell_bus(txn, record, record.started);
  co_await store::set_timer(txn, {std::string(kAgeTimer), record.id.bytes, record.started + kExecutionAgeMax,
                                  execution_key(record.address)});
  Change change{txn};
  co_await carry_out(change, loaded, turn);
}

Task<ExecutionRecord> Running::start(store::Transaction& txn, NewExecution execution, const Chosen& chosen) {
  ExecutionAddress address{execution.machine.account, execution.machine.region, execution.machine.name, execution.name};
  if (auto existing = co_await find_execution(txn, address)) {
    if (existing->status == Status::running && existing->input == execution.input) co_return *std::move(existing);
    throw errors::execution_already_exists(cat("Execution Already Exists: '", address.arn(), "'"));
  }
  const auto parsed = co_await parsed_definition(txn, machines_, address.account, address.region, address.machine,
                                                 chosen.revision);
  ExecutionRecord record{.id = new_execution_id(), .address = address, .revision = chosen.revision,
                         .role = parsed->definition.role, .started = clock_.now(), .input = execution.input};
  record.version_arn = chosen.version_arn;
  record.alias_arn = chosen.alias_arn;
  record.trace_header = execution.trace_header;
  Loaded loaded = unborn(std::move(record), *parsed);
  Turn turn(loaded.live, loaded.record.started);
  co_await evaluations_.run_large(loaded.record.input.size(), [&] {
    turn.stepper.begin(Payload::of_text(loaded.record.input), chosen.alias_arn, chosen.version_arn);
  });
  co_await begin(txn, loaded, turn);
  co_return std::move(loaded.record);
}

Task<void> Running::start_child(store::Transaction& txn, const MapRunRecord& run, uint64_t index, Payload input) {
  const std::string run_key = map_run_key(run.address);
  const ExecutionAddress address{run.address.account, run.address.region, run.address.child_machine(),
                                 child_name(run_key, index)};
  const auto parsed = co_await parsed_definition(txn, machines_, address.account, address.region,
                                                 run.address.machine, run.revision);
  const asl::State* const map = parsed->machine->find(run.state);
  if (!map || !map->processor) throw std::runtime_error(cat("the state ", run.state, " of a map run is lost"));
  ExecutionRecord record{.id = new_execution_id(), .address = address, .revision = run.revision, .role = run.role,
                         .started = clock_.now(), .input = input.text()};
  record.map_run_arn = run.address.arn();
  Loaded loaded = unborn(std::move(record), *parsed);
  loaded.live.head.map_run = run_key;
  loaded.live.head.map_child = index;
  Turn turn(loaded.live, loaded.record.started);
  turn.stepper.begin(input, std::nullopt, std::nullopt, map->processor.get());
  co_await begin(txn, loaded, turn);
}

}  // namespace tidemill::states
