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

std::string phase_of(const Init& init) { return init.is_again ? "invoke" : "init"; }

bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }

bool is_letter(char c) { return is_capital(c) || (c >= 'a' && c <= 'z'); }

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

std::string platform_error_type(std::string_view reported) {
  constexpr std::string_view kUnknown = "Unknown";
  for (const std::string_view kind : {"Function.", "Runtime."}) {
    if (!reported.starts_with(kind)) continue;
    const std::string_view name = reported.substr(kind.size());
    const bool is_name = name.size() > 1 && is_capital(name.front()) && std::ranges::all_of(name, is_letter);
    return cat(kind, is_name ? name : kUnknown);
  }
  return cat("Runtime.", kUnknown);
}

std::vector<std::string> init_lines(const FunctionSpec& spec, base::Time now, const Init& init) {
  const std::string version = runtime_version(spec.runtime);
  if (!spec.logging.is_json) {
    return {cat("INIT_START Runtime Version: ", version, "\tRuntime Version ARN: ", spec.runtime_version_arn, "\n")};
  }
  std::vector<std::string> lines;
  add_record(lines, spec, Level::info, now, "platform.initStart",
             {{"initializationType", initialization_type(init.is_provisioned)},
              {"phase", phase_of(init)},
              {"runtimeVersion", version},
              {"runtimeVersionArn", spec.runtime_version_arn},
              {"functionName", spec.name},
              {"functionVersion", spec.version}});
  return lines;
}

std::vector<std::string> init_report_lines(const FunctionSpec& spec, base::Time now, const InitReport& report) {
  const std::string phase = phase_of(report.init);
  const std::string status(name_of(report.status));
  if (!spec.logging.is_json) {
    const std::string error = report.error_type.empty() ? "" : cat("\tError Type: ", report.error_type);
    return {cat("INIT_REPORT Init Duration: ", base::fixed(report.duration_ms, 2), " ms\tPhase: ", phase,
                "\tStatus: ", status, error, "\n")};
  }
  json::Object record{{"initializationType", initialization_type(report.init.is_provisioned)},
                      {"phase", phase},
                      {"status", status}};
  if (!report.error_type.empty()) record.set("errorType", report.error_type);
  record.set("metrics", json::Object{{"durationMs", rounded(report.duration_ms)}});
  std::vector<std::string> lines;
  add_record(lines, spec, Level::warn, now, "platform.initReport", std::move(record));
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
