#include "services/states/tasks/optimised.h"

#include <chrono>
#include <utility>
#include <vector>

#include "base/text.h"
#include "wire/arn.h"
#include "wire/timestamp.h"

namespace tidemill::states::tasks {
namespace {

using base::cat;

constexpr std::string_view kFailedEntry = "EventBridge.FailedEntry";
constexpr std::string_view kTaskFailed = "States.TaskFailed";
constexpr std::string_view kUnknownFunctionError = "Lambda.Unknown";

// ---- Requests ----

// Text that stands for any JSON value.
void make_text(json::Object& members, std::string_view name) {
  json::Value* value = members.find(name);
  if (value && !value->is_null() && !value->is_string()) *value = json::write(*value);
}

// A function takes JSON: text is a string of it.
void make_payload(json::Object& request) {
  json::Value* payload = request.find("Payload");
  if (payload && !payload->is_null()) *payload = json::write(*payload);
}

// Events tell which machine and which execution sent them.
void complete_entries(json::Object& request, const TaskCall& call) {
  json::Value* entries = request.find("Entries");
  if (!entries || !entries->is_array()) return;
  for (json::Value& entry : entries->array()) {
    if (!entry.is_object()) continue;
    make_text(entry.object(), "Detail");
    json::Value* resources = entry.object().find("Resources");
    if (!resources || resources->is_null()) resources = &entry.object().set("Resources", json::Array());
    if (!resources->is_array()) continue;  // the operation says what is wrong with it
    resources->array().push_back(machine_of(call.execution_arn));
    resources->array().push_back(call.execution_arn);
  }
}

// An execution that was begun before a crash is found by its name again.
void complete_execution(json::Object& request, const TaskCall& call) {
  make_text(request, "Input");
  const auto set_if_absent = [&](std::string_view name, std::string_view value) {
    const json::Value* given = request.find(name);
    if (!given || given->is_null()) request.set(std::string(name), value);
  };
  set_if_absent("Input", "{}");
  set_if_absent("Name", call.attempt_name);
}

// ---- Answers ----

// As SDKs for Java tell of an answer.
void add_metadata(json::Object& output, const wire::OperationInfo& info, const Answer& answer, int status) {
  using enum wire::Protocol;
  std::vector<std::pair<std::string, std::string>> headers{{"x-amzn-RequestId", answer.request_id},
                                                           {"Connection", "keep-alive"}};
  const bool is_xml = info.protocol == query || info.protocol == rest_xml;
  if (!is_xml) headers.emplace_back("Content-Length", std::to_string(json::write(answer.document).size()));
  headers.emplace_back("Date", wire::format_timestamp(answer.time, wire::TimestampFormat::http_date));
  headers.emplace_back("Content-Type", is_xml                      ? "text/xml"
                                       : info.protocol == json_1_0 ? "application/x-amz-json-1.0"
                                       : info.protocol == json_1_1 ? "application/x-amz-json-1.1"
                                                                   : "application/json");
  json::Object all;
  json::Object single;
  for (auto& [name, value] : headers) {
    all.set(name, json::Array{value});
    single.set(std::move(name), std::move(value));
  }
  output.set(
      "SdkHttpMetadata",
      json::Object{{"AllHttpHeaders", std::move(all)}, {"HttpHeaders", std::move(single)}, {"HttpStatusCode", status}});
  output.set("SdkResponseMetadata", json::Object{{"RequestId", answer.request_id}});
}

std::string text_in(const json::Value& document, std::string_view name) {
  const json::Value* value = document.find(name);
  return value && value->is_string() ? value->string() : "";
}

// JSON if it is that; else the text.
json::Value read_text(std::string text) {
  auto parsed = json::parse(text);
  return parsed ? *std::move(parsed) : json::Value(std::move(text));
}

// What a function says of its error. `payload`: as it came.
Failed function_failure(const std::string& payload, std::string cause) {
  const auto document = json::parse(payload);
  const std::string type = document ? text_in(*document, "errorType") : "";
  if (!type.empty()) return {type, std::move(cause)};
  return {std::string(kUnknownFunctionError),
          cat("The cause could not be determined because Lambda did not return an error type. Returned payload: ",
              payload)};
}

TaskOutcome invoke_outcome(const wire::OperationInfo& info, Answer answer) {
  const std::string payload = text_in(answer.document, "Payload");
  json::Value read = read_text(payload);
  if (answer.document.find("FunctionError")) {
    return function_failure(payload, read.is_object() ? json::write(read) : payload);
  }
  const json::Value* status = answer.document.find("StatusCode");
  const int64_t code = status ? status->to_int64().value_or(info.success_status) : info.success_status;
  json::Object output;
  if (const json::Value* version = answer.document.find("ExecutedVersion")) output.set("ExecutedVersion", *version);
  output.set("Payload", std::move(read));
  add_metadata(output, info, answer, static_cast<int>(code));
  output.set("StatusCode", code);
  return Succeeded{std::move(output)};
}

TaskOutcome events_outcome(json::Value answer) {
  const json::Value* failed = answer.find("FailedEntryCount");
  if (failed && failed->to_int64().value_or(0) > 0) return Failed{std::string(kFailedEntry), json::write(answer)};
  return Succeeded{std::move(answer)};
}

// SDKs for Java 1 count time in milliseconds since 1970.
json::Value in_milliseconds(const json::Value& time) {
  const auto parsed =
      time.is_string() ? wire::parse_timestamp(time.string(), wire::TimestampFormat::date_time) : std::nullopt;
  if (!parsed) return time;
  return int64_t{std::chrono::duration_cast<std::chrono::milliseconds>(parsed->time_since_epoch()).count()};
}

}  // namespace

std::string machine_of(std::string_view execution_arn) {
  const auto arn = wire::parse_arn(execution_arn);
  if (!arn) return "";
  std::string_view name = arn->resource;
  name.remove_prefix(std::min(name.find(':') + 1, name.size()));
  name = name.substr(0, name.find(':'));
  return wire::Arn{arn->partition, arn->service, arn->region, arn->account, cat("stateMachine:", name)}.text();
}

json::Value optimised_request(const Target& target, const TaskCall& call) {
  json::Value document = call.parameters;
  json::Object& request = document.object();
  if (target.service == "lambda") make_payload(request);
  if (target.service == "sqs") make_text(request, "MessageBody");
  if (target.service == "sns") make_text(request, "Message");
  if (target.service == "events") complete_entries(request, call);
  if (target.service == "states") complete_execution(request, call);
  return document;
}

TaskOutcome optimised_outcome(const Target& target, const wire::OperationInfo& info, Answer answer) {
  if (target.service == "lambda") return invoke_outcome(info, std::move(answer));
  if (!target.integration->has_metadata) return events_outcome(std::move(answer.document));
  json::Object output = answer.document.object();
  if (json::Value* begun = output.find("StartDate")) *begun = in_milliseconds(*begun);
  add_metadata(output, info, answer, info.success_status);
  return Succeeded{std::move(output)};
}

json::Value function_request(const TaskCall& call) {
  return json::Object{{"FunctionName", call.resource.arn}, {"Payload", json::write(call.parameters)}};
}

TaskOutcome function_outcome(const json::Value& answer) {
  std::string payload = text_in(answer, "Payload");
  if (answer.find("FunctionError")) return function_failure(payload, payload);
  return Succeeded{read_text(std::move(payload))};
}

TaskOutcome outcome_of_execution(Pattern pattern, const NestedEnd& end) {
  constexpr std::string_view kShown[] = {"Cause",  "Error",   "ExecutionArn",  "Input",     "InputDetails",
                                         "Name",   "Output",  "OutputDetails", "StartDate", "StateMachineArn",
                                         "Status", "StopDate"};
  json::Object shown;
  for (const std::string_view name : kShown) {
    const json::Value* value = end.description.find(name);
    if (!value) continue;
    const bool is_time = name == "StartDate" || name == "StopDate";
    const bool is_data = name == "Input" || name == "Output";
    json::Value written = is_time ? in_milliseconds(*value) : *value;
    if (is_data && pattern == Pattern::sync_2 && written.is_string()) written = read_text(written.string());
    shown.set(std::string(name), std::move(written));
  }
  if (end.status != "SUCCEEDED") return Failed{std::string(kTaskFailed), json::write(shown)};
  return Succeeded{std::move(shown)};
}

}  // namespace tidemill::states::tasks
