#include "engine/workers/worker_records.h"

#include <algorithm>
#include <cmath>

#include "base/json.h"
#include "base/text.h"
#include "engine/workers/worker_environment.h"

namespace tidemill::engine {
namespace {

namespace json = base::json;
using base::cat;
using Status = InvocationReport::Status;

enum class Level { debug, info, warn };

bool is_wanted(const FunctionSpec& spec, Level level) {
  const std::string& least = spec.logging.system_level;
  return level >= (least == "DEBUG" ? Level::debug : least == "WARN" ? Level::warn : Level::info);
}

void add_record(std::vector<std::string>& lines, const FunctionSpec& spec, Level level, base::Time now,
                std::string_view type, json::Object record) {
  if (!is_wanted(spec, level)) return;
  lines.push_back(json::write(json::Object{{"time", base::iso_milliseconds(now) + "Z"},
                                           {"type", std::string(type)},
                                           {"record", std::move(record)}}) +
                  "\n");
}

// "python:3.12.v1" of python3.12, "nodejs:20.v1" of nodejs20.x, "provided:al2023.v1" of provided.al2023.
std::string runtime_version(std::string_view runtime) {
  constexpr std::string_view kFamilies[] = {"python", "nodejs", "provided"};
  for (const std::string_view family : kFamilies) {
    if (!runtime.starts_with(family)) continue;
    runtime.remove_prefix(family.size());
    if (runtime.starts_with('.')) runtime.remove_prefix(1);
    if (runtime.ends_with(".x")) runtime.remove_suffix(2);
    return cat(family, ":", runtime, runtime.empty() ? "v1" : ".v1");
  }
  return std::string(runtime);
}

std::string_view name_of(Status status) {
  switch (status) {
    case Status::success: return "success";
    case Status::error: return "error";
    case Status::timeout: return "timeout";
  }
  return "";
}

// A number as the log shows it.
json::Value rounded(double milliseconds) { return json::Number{base::fixed(milliseconds, 3)}; }

std::string report_line(const FunctionSpec& spec, const InvocationReport& report) {
  std::string line = cat("REPORT RequestId: ", report.request_id, "\tDuration: ", base::fixed(report.duration_ms, 2),
                         " ms\tBilled Duration: ", base::fixed(std::ceil(report.duration_ms), 0),
                         " ms\tMemory Size: ", spec.memory_mb, " MB\tMax Memory Used: ", report.memory_used_mb, " MB");
  if (report.init_duration_ms) line += cat("\tInit Duration: ", base::fixed(*report.init_duration_ms, 2), " ms");
  if (report.status != Status::success) line += cat("\tStatus: ", name_of(report.status));
  if (report.status == Status::error && !report.error_type.empty()) line += cat("\tError Type: ", report.error_type);
  return line + "\t\n";
}

json::Object report_record(const FunctionSpec& spec, const InvocationReport& report) {
  json::Object metrics{{"durationMs", rounded(report.duration_ms)},
                       {"billedDurationMs", static_cast<int64_t>(std::ceil(report.duration_ms))},
                       {"memorySizeMB", spec.memory_mb},
                       {"maxMemoryUsedMB", report.memory_used_mb}};
  if (report.init_duration_ms) metrics.set("initDurationMs", rounded(*report.init_duration_ms));
  json::Object record{{"requestId", report.request_id}, {"metrics", std::move(metrics)}};
  record.set("status", std::string(name_of(report.status)));
  if (!report.error_type.empty()) record.set("errorType", report.error_type);
  return record;
}

json::Object done_record(const InvocationReport& report) {
  json::Object record{{"requestId", report.request_id}, {"status", std::string(name_of(report.status))}};
  if (!report.error_type.empty()) record.set("errorType", report.error_type);
  record.set("metrics", json::Object{{"durationMs", rounded(report.duration_ms)}});
  return record;
}

}  // namespace

std::vector<std::string> init_lines(const FunctionSpec& spec, base::Time now, bool is_provisioned) {
  const std::string version = runtime_version(spec.runtime);
  if (!spec.logging.is_json) {
    return {cat("INIT_START Runtime Version: ", version, "\tRuntime Version ARN: ", spec.runtime_version_arn, "\n")};
  }
  std::vector<std::string> lines;
  add_record(lines, spec, Level::info, now, "platform.initStart",
             {{"initializationType", initialization_type(is_provisioned)},
              {"phase", "init"},
              {"runtimeVersion", version},
              {"runtimeVersionArn", spec.runtime_version_arn},
              {"functionName", spec.name},
              {"functionVersion", spec.version}});
  return lines;
}

std::vector<std::string> start_lines(const FunctionSpec& spec, base::Time now, std::string_view request_id) {
  if (!spec.logging.is_json) return {cat("START RequestId: ", request_id, " Version: ", spec.version, "\n")};
  std::vector<std::string> lines;
  add_record(lines, spec, Level::info, now, "platform.start",
             {{"requestId", std::string(request_id)}, {"version", spec.version}});
  return lines;
}

std::vector<std::string> end_lines(const FunctionSpec& spec, base::Time now, const InvocationReport& report) {
  if (!spec.logging.is_json) return {cat("END RequestId: ", report.request_id, "\n"), report_line(spec, report)};
  const bool succeeded = report.status == Status::success;
  std::vector<std::string> lines;
  add_record(lines, spec, succeeded ? Level::debug : Level::warn, now, "platform.runtimeDone", done_record(report));
  add_record(lines, spec, succeeded ? Level::info : Level::warn, now, "platform.report", report_record(spec, report));
  return lines;
}

}  // namespace tidemill::engine
