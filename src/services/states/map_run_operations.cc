// DescribeMapRun, UpdateMapRun and ListMapRuns.
#include "base/text.h"
#include "services/states/errors.h"
#include "services/states/execution.h"
#include "services/states/listing.h"
#include "services/states/map_run.h"
#include "services/states/operations.h"

namespace tidemill::states {
namespace {

Task<MapRunRecord> load_map_run(store::Snapshot& reader, std::string arn) {
  auto run = co_await find_map_run(reader, map_run_key(parse_map_run_arn(arn)));
  if (!run) throw errors::resource_not_found(base::cat("Resource not found: '", arn, "'"), {.resource_name = arn});
  co_return *std::move(run);
}

std::string_view status_name(const MapRunRecord& run) {
  return run.phase == MapPhase::over ? name_of(run.status) : name_of(Status::running);
}

template <class Counts>
Counts shown(const MapRunCounts& counts, int64_t pending, bool are_written) {
  return {.pending = pending,
          .running = counts.running,
          .succeeded = counts.succeeded,
          .failed = counts.failed,
          .timed_out = counts.timed_out,
          .aborted = counts.aborted,
          .total = counts.total() + pending,
          .results_written = are_written ? counts.total() : 0,
          .failures_not_redrivable = counts.not_redrivable,
          .pending_redrive = counts.pending_redrive};
}

}  // namespace

Task<shapes::DescribeMapRunOutput> describe_map_run(Service& service, wire::Context&,
                                                    const shapes::DescribeMapRunInput& request) {
  const auto snapshot = service.store().snapshot();
  const MapRunRecord run = co_await load_map_run(*snapshot, request.map_run_arn);
  const bool is_over = run.phase == MapPhase::over;
  const int64_t pending = run.items_known ? std::max<int64_t>(*run.items_known - run.items.total(), 0) : 0;
  shapes::DescribeMapRunOutput out;
  out.map_run_arn = run.address.arn();
  out.execution_arn = run.parent.arn();
  out.status = status_name(run);
  out.start_date = run.started;
  out.stop_date = run.stopped;
  out.max_concurrency = static_cast<int32_t>(run.concurrency_max);
  out.tolerated_failure_percentage = static_cast<float>(run.tolerated_percentage.value_or(0));
  out.tolerated_failure_count = run.tolerated_count.value_or(0);
  out.item_counts = shown<shapes::MapRunItemCounts>(run.items, pending, is_over);
  out.execution_counts = shown<shapes::MapRunExecutionCounts>(run.executions, 0, is_over);
  out.redrive_count = static_cast<int32_t>(run.redrives);
  out.redrive_date = run.redriven;
  co_return out;
}

Task<shapes::UpdateMapRunOutput> update_map_run(Service& service, wire::Context& context,
                                                const shapes::UpdateMapRunInput& request) {
  const base::Time now = context.now();
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    MapRunRecord run = co_await load_map_run(txn, request.map_run_arn);
    if (run.phase == MapPhase::over) {
      throw errors::validation_exception("Map Run must be in RUNNING state to be updated");
    }
    if (request.max_concurrency) run.concurrency_max = *request.max_concurrency;
    if (request.tolerated_failure_count) {
      run.tolerated_count = *request.tolerated_failure_count;
    }
    if (request.tolerated_failure_percentage) {
      run.tolerated_percentage = *request.tolerated_failure_percentage;
    }
    put_map_run(txn, run);
    co_await wake_map_run(txn, map_run_key(run.address), now);
  });
  co_return shapes::UpdateMapRunOutput{};
}

Task<shapes::ListMapRunsOutput> list_map_runs(Service& service, wire::Context&,
                                              const shapes::ListMapRunsInput& request) {
  const auto snapshot = service.store().snapshot();
  const ExecutionRecord parent =
      co_await load_execution(*snapshot, parse_execution_arn(request.execution_arn), service.evaluations());
  std::vector<std::string> arns;
  shapes::ListMapRunsOutput out;
  out.next_token = co_await read_page(*snapshot, store::Range::prefix(map_runs_prefix(parent.id)), request.next_token,
                                      page_size(request.max_results), store::Direction::forward,
                                      [&](std::string_view, std::string_view arn) {
                                        arns.emplace_back(arn);
                                        return true;
                                      });
  for (const std::string& arn : arns) {
    const MapRunRecord run = co_await load_map_run(*snapshot, arn);
    out.map_runs.push_back({.execution_arn = parent.address.arn(),
                            .map_run_arn = arn,
                            .state_machine_arn = parent.address.machine_arn(),
                            .start_date = run.started,
                            .stop_date = run.stopped});
  }
  co_return out;
}

}  // namespace tidemill::states
