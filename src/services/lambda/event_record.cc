#include "services/lambda/event_record.h"

#include <algorithm>

#include "base/json.h"
#include "base/text.h"
#include "services/lambda/payload.h"

namespace tidemill::lambda {
namespace {

using base::cat;

constexpr size_t kErrorMessageBytesMax = 1024;  // AWS tells the first kilobyte
constexpr int kOk = 200;
constexpr int kTooManyRequests = 429;
constexpr int kServiceFailed = 500;

// Of an attempt at which the function did or might have run.
std::optional<int> status_code(const EventAttempt& attempt) {
  switch (attempt.status) {
    case engine::InvokeStatus::ok:
    case engine::InvokeStatus::function_error: return kOk;
    case engine::InvokeStatus::throttled: return kTooManyRequests;
    case engine::InvokeStatus::failed: return kServiceFailed;
    case engine::InvokeStatus::no_function: return std::nullopt;
  }
  return std::nullopt;
}

// Known before it was tried that it would not run.
bool was_stopped(const EventAttempt& attempt) { return attempt.is_switched_off || attempt.is_recursive; }

bool has_run(const EventAttempt& attempt) {
  return attempt.status == engine::InvokeStatus::ok || attempt.status == engine::InvokeStatus::function_error;
}

// As it is if it is JSON; a runtime of one's own may answer anything else, which then is told as a string.
void write_payload(json::Writer& writer, std::string_view payload) {
  if (!json_problem(payload)) writer.raw(payload);
  else if (payload.empty()) writer.null();
  else writer.string(payload);
}

void write_text(json::Writer& writer, std::string_view name, std::string_view text) {
  writer.key(name);
  writer.string(text);
}

void write_response(json::Writer& writer, const EventAttempt& attempt) {
  const auto status = status_code(attempt);
  if (!status || was_stopped(attempt)) return;
  writer.key("responseContext");
  writer.begin_object();
  writer.key("statusCode");
  writer.integer(*status);
  if (!attempt.executed_version.empty()) write_text(writer, "executedVersion", attempt.executed_version);
  if (!attempt.function_error.empty()) write_text(writer, "functionError", attempt.function_error);
  writer.end_object();
  if (!has_run(attempt)) return;
  writer.key("responsePayload");
  write_payload(writer, attempt.payload);
}

// Without the beginning of a character at the end.
void cut(std::string& text, size_t bytes_max) {
  if (text.size() <= bytes_max) return;
  size_t end = bytes_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  text.resize(end);
}

std::string error_message(const EventEnd& end) {
  if (!end.last) return "";
  if (end.last->is_switched_off) return "Function not invoked. Function is configured with zero reserved concurrent executions";
  if (end.last->status == engine::InvokeStatus::throttled && !end.last->is_recursive) return "Rate Exceeded.";
  if (!has_run(*end.last)) return end.last->detail;
  const auto document = json::parse(end.last->payload);
  const json::Value* message = document && document->is_object() ? document->find("errorMessage") : nullptr;
  return message && message->is_string() ? message->string() : "";
}

}  // namespace

std::string destination_record(const Event& event, const EventEnd& end) {
  std::string out;
  json::Writer writer(out);
  writer.begin_object();
  write_text(writer, "version", "1.0");
  write_text(writer, "timestamp", base::iso_milliseconds(end.at) + "Z");
  writer.key("requestContext");
  writer.begin_object();
  write_text(writer, "requestId", event.request_id);
  write_text(writer, "functionArn", end.function_arn);
  write_text(writer, "condition", end.condition);
  writer.key("approximateInvokeCount");
  writer.integer(end.invoke_count);
  writer.end_object();
  writer.key("requestPayload");
  write_payload(writer, event.payload);
  if (end.last) write_response(writer, *end.last);
  writer.end_object();
  return out;
}

engine::MessageAttributes dead_letter_attributes(const Event& event, const EventEnd& end) {
  engine::MessageAttributes attributes{{"RequestID", "String", event.request_id}};
  const auto code = end.last && !was_stopped(*end.last) ? status_code(*end.last) : std::nullopt;
  if (code) attributes.push_back({"ErrorCode", "Number", std::to_string(*code)});
  std::string message = error_message(end);
  cut(message, kErrorMessageBytesMax);
  if (!message.empty()) attributes.push_back({"ErrorMessage", "String", std::move(message)});
  return attributes;
}

std::string destination_prefix(std::string_view function_name) { return cat("aws/lambda/async/", function_name, "/"); }

std::string destination_key(std::string_view function_name, base::Time at, std::string_view id) {
  std::string time = base::iso_milliseconds(at).substr(0, std::string_view("2026-11-21T10:20:30").size());
  std::string day = time.substr(0, time.find('T'));
  std::ranges::replace(day, '-', '/');
  std::string file = time;
  std::ranges::replace(file, ':', '.');
  return cat(destination_prefix(function_name), day, "/", file, "-", id);
}

}  // namespace tidemill::lambda
