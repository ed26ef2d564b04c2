#include "services/scheduler/input.h"

#include "base/json.h"
#include "base/json_record.h"
#include "wire/timestamp.h"

namespace tidemill::scheduler {

namespace json = base::json;

namespace {

constexpr std::string_view kStart = "<aws.scheduler.";

std::string value_of(std::string_view name, const Execution& execution, bool& known) {
  if (name == "schedule-arn") return execution.schedule_arn;
  if (name == "scheduled-time") return scheduled_text(execution.scheduled);
  if (name == "execution-id") return execution.id;
  if (name == "attempt-number") return std::to_string(execution.attempt);
  known = false;
  return {};
}

}  // namespace

std::string scheduled_text(base::Time time) {
  return wire::format_timestamp(std::chrono::floor<std::chrono::seconds>(time), wire::TimestampFormat::date_time);
}

std::string with_attributes(std::string_view input, const Execution& execution) {
  std::string out;
  for (;;) {
    const size_t start = input.find(kStart);
    out += input.substr(0, start);
    if (start == std::string_view::npos) return out;
    const size_t end = input.find('>', start);
    bool known = end != std::string_view::npos;
    const std::string_view name = known ? input.substr(start + kStart.size(), end - start - kStart.size()) : "";
    const std::string value = known ? value_of(name, execution, known) : "";
    // What is no attribute stays as it is.
    const size_t taken = known ? end + 1 : start + kStart.size();
    out += known ? std::string_view(value) : input.substr(start, kStart.size());
    input.remove_prefix(taken);
  }
}

std::string default_notification(const Execution& execution) {
  std::string out;
  json::Writer writer(out);
  writer.begin_object();
  json::write_member(writer, "version", "0");
  json::write_member(writer, "id", execution.id);
  json::write_member(writer, "detail-type", "Scheduled Event");
  json::write_member(writer, "source", "aws.scheduler");
  json::write_member(writer, "account", execution.account);
  json::write_member(writer, "time", scheduled_text(execution.scheduled));
  json::write_member(writer, "region", execution.region);
  writer.key("resources");
  writer.begin_array();
  writer.string(execution.schedule_arn);
  writer.end_array();
  json::write_member(writer, "detail", "{}");
  writer.end_object();
  return out;
}

}  // namespace tidemill::scheduler
