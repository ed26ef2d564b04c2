#include "services/states/bus_events.h"

#include "base/json_record.h"
#include "engine/targets/bus_target.h"

namespace tidemill::states {

namespace {

int64_t milliseconds(base::Time time) {
  return std::chrono::floor<std::chrono::milliseconds>(time).time_since_epoch().count();
}

void write_text(json::Writer& writer, std::string_view name, const std::optional<std::string>& text) {
  writer.key(name);
  if (text)
    writer.string(*text);
  else
    writer.null();
}

void write_time(json::Writer& writer, std::string_view name, std::optional<base::Time> time) {
  writer.key(name);
  if (time)
    writer.integer(milliseconds(*time));
  else
    writer.null();
}

// `included`: nothing: there is no such data.
void write_details(json::Writer& writer, std::string_view name, std::optional<bool> included) {
  writer.key(name);
  if (!included) return writer.null();
  writer.begin_object();
  json::write_member(writer, "included", *included);
  writer.end_object();
}

size_t escaped_size(const std::optional<std::string>& text) {
  if (!text) return 0;
  std::string escaped;
  json::append_string(escaped, *text);
  return escaped.size();
}

std::string detail_of(const ExecutionRecord& record, base::Time now) {
  const shapes::DescribeExecutionOutput described = describe(record, now, true);
  const size_t result_size = escaped_size(record.output) + escaped_size(record.error) + escaped_size(record.cause);
  const bool has_input = escaped_size(record.input) + result_size <= kToldBytesMax;
  const bool has_output = record.output && result_size <= kToldBytesMax;
  std::string out;
  json::Writer writer(out);
  writer.begin_object();
  json::write_member(writer, "executionArn", described.execution_arn);
  json::write_member(writer, "stateMachineArn", described.state_machine_arn);
  write_text(writer, "name", described.name);
  json::write_member(writer, "status", described.status);
  write_time(writer, "startDate", record.started);
  write_time(writer, "stopDate", record.stopped);
  write_text(writer, "input", has_input ? std::optional(record.input) : std::nullopt);
  write_text(writer, "output", has_output ? record.output : std::nullopt);
  write_text(writer, "stateMachineVersionArn", record.version_arn);
  write_text(writer, "stateMachineAliasArn", record.alias_arn);
  json::write_member(writer, "redriveCount", int64_t{record.redrives});
  write_time(writer, "redriveDate", record.redriven);
  write_text(writer, "redriveStatus", described.redrive_status);
  write_text(writer, "redriveStatusReason", described.redrive_status_reason);
  write_details(writer, "inputDetails", has_input);
  write_details(writer, "outputDetails", record.output ? std::optional(has_output) : std::nullopt);
  write_text(writer, "error", record.error);
  write_text(writer, "cause", record.cause);
  writer.end_object();
  return out;
}

}  // namespace

Task<void> tell_bus(store::Transaction& txn, const ExecutionRecord& record, base::Time now) {
  co_await engine::tell_default_bus(txn, record.address.account, record.address.region, now, [&] {
    return engine::BusEvent{.source = "aws.states",
                            .detail_type = "Step Functions Execution Status Change",
                            .resource = record.address.arn(),
                            .detail = detail_of(record, now)};
  });
}

}  // namespace tidemill::states
