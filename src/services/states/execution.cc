#include "services/states/execution.h"

#include "base/json_members.h"
#include "base/ordered.h"
#include "base/text.h"
#include "services/states/errors.h"
#include "wire/arn.h"

namespace tidemill::states {

using base::cat;

namespace {

constexpr std::string_view kExecution = "execution:";

constexpr auto kExecutionMembers = [](auto& member, auto& record) {
  member.bytes("id", record.id.bytes);
  member("revision", record.revision);
  member("role", record.role);
  member.as("status", record.status, [](Status status) { return name_of(status); }, status_of);
  member("started_us", record.started);
  member("stopped_us", record.stopped);
  member("input", record.input);
  member("output", record.output);
  member("error", record.error);
  member("cause", record.cause);
  member("version", record.version_arn);
  member("alias", record.alias_arn);
  member("trace", record.trace_header);
  member("map_run", record.map_run_arn);
  member("redrives", record.redrives);
  member("redriven_us", record.redriven);
  member("redrive_token", record.redrive_token);
  member("state_lost", record.is_state_lost);
};

// Of its entries in lists: what ListExecutions says.
constexpr auto kEntryMembers = [](auto& member, auto& record) {
  member("name", record.address.name);
  member.as("status", record.status, [](Status status) { return name_of(status); }, status_of);
  member("started_us", record.started);
  member("stopped_us", record.stopped);
  member("version", record.version_arn);
  member("alias", record.alias_arn);
  member("redrives", record.redrives);
  member("map_run", record.map_run_arn);
  member("redriven_us", record.redriven);
};

}  // namespace

ExecutionAddress parse_execution_arn(std::string_view text) {
  const auto arn = wire::parse_arn_of("states", text);
  if (!arn || !arn->resource.starts_with(kExecution)) throw invalid_arn(text);
  const std::string_view rest = arn->resource.substr(kExecution.size());
  const size_t colon = rest.find(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == rest.size()) throw invalid_arn(text);
  return {std::string(arn->account), std::string(arn->region), std::string(rest.substr(0, colon)),
          std::string(rest.substr(colon + 1))};
}

std::string encode_execution(const ExecutionRecord& record) { return json::encode(record, kExecutionMembers); }

ExecutionRecord decode_execution(ExecutionAddress address, std::string_view bytes) {
  return json::decode("execution", bytes, kExecutionMembers, ExecutionRecord{.address = std::move(address)});
}

Task<std::optional<ExecutionRecord>> find_execution(store::Snapshot& reader, ExecutionAddress address) {
  const auto bytes = co_await reader.get(execution_key(address));
  if (!bytes) co_return std::nullopt;
  co_return decode_execution(std::move(address), *bytes);
}

Task<ExecutionRecord> load_execution(store::Snapshot& reader, ExecutionAddress address) {
  const std::string arn = address.arn();
  auto record = co_await find_execution(reader, std::move(address));
  if (!record) throw no_execution(arn);
  co_return *std::move(record);
}

Task<ExecutionRecord> load_execution(store::Snapshot& reader, ExecutionAddress address, LongEvaluations& evaluations) {
  const auto bytes = co_await reader.get(execution_key(address));
  if (!bytes) throw no_execution(address.arn());
  co_return co_await evaluations.run_large(bytes->size(), [&] { return decode_execution(std::move(address), *bytes); });
}

void put_execution(store::Transaction& txn, const ExecutionRecord& record, std::optional<Status> before) {
  const auto listed = [&](Status status) {
    return status_listing_key(record.address, static_cast<uint8_t>(status), record.started);
  };
  const std::string entry = json::encode(record, kEntryMembers);
  txn.put(execution_key(record.address), encode_execution(record));
  txn.put(listing_key(record.address, record.started), entry);
  if (before && *before != record.status) txn.erase(listed(*before));
  txn.put(listed(record.status), entry);
}

void list_by_status(store::Transaction& txn, const ExecutionRecord& record) {
  txn.put(status_listing_key(record.address, static_cast<uint8_t>(record.status), record.started),
          json::encode(record, kEntryMembers));
}

void erase_execution(store::Transaction& txn, const ExecutionRecord& record) {
  txn.erase(execution_key(record.address));
  txn.erase(listing_key(record.address, record.started));
  txn.erase(status_listing_key(record.address, static_cast<uint8_t>(record.status), record.started));
}

shapes::DescribeExecutionOutput describe(const ExecutionRecord& record, base::Time now, bool with_data) {
  shapes::DescribeExecutionOutput out{.execution_arn = record.address.arn(),
                                      .state_machine_arn = record.address.machine_arn(),
                                      .name = record.address.name,
                                      .status = std::string(name_of(record.status)),
                                      .start_date = record.started};
  out.stop_date = record.stopped;
  out.input_details = {{.included = with_data}};
  if (with_data) out.input = record.input;
  if (record.output) {
    out.output_details = {{.included = with_data}};
    if (with_data) out.output = record.output;
  }
  out.trace_header = record.trace_header;
  out.map_run_arn = record.map_run_arn;
  if (with_data) {
    out.error = record.error;
    out.cause = record.cause;
  }
  out.state_machine_version_arn = record.version_arn;
  out.state_machine_alias_arn = record.alias_arn;
  out.redrive_count = static_cast<int32_t>(record.redrives);
  out.redrive_date = record.redriven;
  const bool is_over = record.status != Status::running && record.status != Status::succeeded;
  const bool is_fresh = is_over && record.stopped && now - *record.stopped <= kRedrivableFor;
  const std::string_view redrivable = record.map_run_arn ? "REDRIVABLE_BY_MAP_RUN" : "REDRIVABLE";
  if (!is_over) {
    out.redrive_status_reason = cat("Execution is ", name_of(record.status), " and cannot be redriven");
  } else if (!is_fresh) {
    out.redrive_status_reason = "Execution redrivable period exceeded";
  } else if (record.is_state_lost.value_or(false)) {
    out.redrive_status_reason = "Execution has no state left";
  }
  out.redrive_status = out.redrive_status_reason ? "NOT_REDRIVABLE" : std::string(redrivable);
  return out;
}

shapes::ExecutionListItem list_item(ExecutionAddress machine, std::string_view value) {
  const auto record =
      json::decode("listed execution", value, kEntryMembers, ExecutionRecord{.address = std::move(machine)});
  shapes::ExecutionListItem item{.execution_arn = record.address.arn(),
                                 .state_machine_arn = record.address.machine_arn(),
                                 .name = record.address.name,
                                 .status = std::string(name_of(record.status)),
                                 .start_date = record.started};
  item.stop_date = record.stopped;
  item.state_machine_version_arn = record.version_arn;
  item.state_machine_alias_arn = record.alias_arn;
  item.map_run_arn = record.map_run_arn;
  item.redrive_count = static_cast<int32_t>(record.redrives);
  item.redrive_date = record.redriven;
  return item;
}

}  // namespace tidemill::states
