// ListExecutions and GetExecutionHistory.
#include <charconv>

#include "base/text.h"
#include "services/states/errors.h"
#include "services/states/execution.h"
#include "services/states/history.h"
#include "services/states/listing.h"
#include "services/states/machine.h"
#include "services/states/map_run.h"
#include "services/states/operations.h"
#include "services/states/shown_history.h"

namespace tidemill::states {
namespace {

bool is_wanted(const shapes::ListExecutionsInput& request, const std::string& qualifier_arn,
               const shapes::ExecutionListItem& item) {
  if (request.status_filter && *request.status_filter != item.status) return false;
  if (request.redrive_filter) {
    const bool wants_redriven = *request.redrive_filter == shapes::ExecutionRedriveFilter::kRedriven;
    if (wants_redriven != (item.redrive_count.value_or(0) > 0)) return false;
  }
  return qualifier_arn.empty() || item.state_machine_version_arn == qualifier_arn ||
         item.state_machine_alias_arn == qualifier_arn;
}

// Tokens of histories are numbers of events.
uint64_t event_of_token(const std::optional<std::string>& token) {
  if (!token) return 0;
  uint64_t event = 0;
  const auto parsed = std::from_chars(token->data(), token->data() + token->size(), event);
  if (parsed.ec != std::errc() || parsed.ptr != token->data() + token->size() || event == 0) {
    throw errors::invalid_token("Invalid Token: 'Invalid token'");
  }
  return event;
}

// Where the executions of a machine, or of a map run's label, stand that could be wanted.
store::Range listed(const shapes::ListExecutionsInput& request, const ExecutionAddress& machine) {
  const auto status = request.status_filter ? status_of(*request.status_filter) : std::nullopt;
  if (!status) return store::Range::prefix(listing_prefix(machine.account, machine.region, machine.machine));
  return store::Range::prefix(
      status_listing_prefix(machine.account, machine.region, machine.machine, static_cast<uint8_t>(*status)));
}

Task<shapes::ListExecutionsOutput> list_children(Service& service, const shapes::ListExecutionsInput& request) {
  const MapRunAddress address = parse_map_run_arn(*request.map_run_arn);
  const auto snapshot = service.store().snapshot();
  const auto run = co_await find_map_run(*snapshot, map_run_key(address));
  if (!run) {
    throw errors::resource_not_found(base::cat("Resource not found: '", *request.map_run_arn, "'"),
                                     {.resource_name = *request.map_run_arn});
  }
  if (run->has_express_children) throw wrong_type();
  const ExecutionAddress machine{address.account, address.region, address.child_machine(), ""};
  shapes::ListExecutionsOutput out;
  out.next_token = co_await read_page(
      *snapshot, listed(request, machine), request.next_token, page_size(request.max_results), store::Direction::forward,
      [&](std::string_view, std::string_view value) {
        auto item = list_item(machine, value);
        if (item.map_run_arn != request.map_run_arn || !is_wanted(request, "", item)) return false;
        out.executions.push_back(std::move(item));
        return true;
      });
  co_return out;
}

}  // namespace

Task<shapes::ListExecutionsOutput> list_executions(Service& service, wire::Context&,
                                                   const shapes::ListExecutionsInput& request) {
  if (request.map_run_arn.has_value() == request.state_machine_arn.has_value()) {
    throw errors::validation_exception("Must provide a StateMachine ARN or MapRun ARN");
  }
  if (request.map_run_arn) co_return co_await list_children(service, request);
  const MachineRef ref = parse_machine_arn(*request.state_machine_arn);
  const auto snapshot = service.store().snapshot();
  MachineRef unqualified = ref;
  unqualified.qualifier.clear();
  const StateMachine machine = co_await load_machine(*snapshot, unqualified);
  if (machine.is_express) throw wrong_type();
  const std::string qualifier_arn = ref.qualifier.empty() ? "" : ref.arn();
  shapes::ListExecutionsOutput out;
  out.next_token = co_await read_page(
      *snapshot, listed(request, {ref.account, ref.region, ref.name, ""}), request.next_token,
      page_size(request.max_results), store::Direction::forward, [&](std::string_view, std::string_view value) {
        auto item = list_item({ref.account, ref.region, ref.name, ""}, value);
        if (!is_wanted(request, qualifier_arn, item)) return false;
        out.executions.push_back(std::move(item));
        return true;
      });
  co_return out;
}

Task<shapes::GetExecutionHistoryOutput> get_execution_history(Service& service, wire::Context&,
                                                              const shapes::GetExecutionHistoryInput& request) {
  if (request.execution_arn.contains(":express:")) throw wrong_type();
  const auto snapshot = service.store().snapshot();
  const ExecutionRecord record = co_await load_execution(*snapshot, parse_execution_arn(request.execution_arn));
  HistoryPage page =
      co_await read_history(*snapshot, record.id, event_of_token(request.next_token), page_size(request.max_results),
                            request.reverse_order.value_or(false));
  shapes::GetExecutionHistoryOutput out;
  out.events = co_await shown_events(service.evaluations(), std::move(page.events));
  if (!request.include_execution_data.value_or(true)) {
    for (auto& event : out.events) drop_data(event);
  }
  if (page.next != 0) out.next_token = std::to_string(page.next);
  co_return out;
}

}  // namespace tidemill::states
