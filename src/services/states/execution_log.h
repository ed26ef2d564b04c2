// What executions tell CloudWatch Logs, as their machine's loggingConfiguration says: the events of their histories, each
// as the JSON document that Step Functions writes, whose scalars are all text.
//
// A Standard execution's lines follow its history: a timer (kLogTimer) is set with the transition that adds events, and what
// has been written is noted behind them. So nothing is missing after a crash, and what was under way may stand there
// twice. An Express execution writes while it runs, and its end waits for its last lines.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/timer_service.h"
#include "services/states/execution.h"
#include "services/states/machine_cache.h"
#include "wire/context.h"

namespace tidemill::states {

inline constexpr std::string_view kLogTimer = "states-log";  // id: the execution's; payload: its key
inline constexpr size_t kLogsAtOnce = 16;                    // executions whose lines are written at the same time
inline constexpr size_t kLogEventsAtOnce = 1000;             // of one execution, by one PutLogEvents
inline constexpr size_t kLogBytesAtOnce = 900'000;           // less than a PutLogEvents may have
inline constexpr size_t kLoggedDataBytesMax = 248 * 1024;    // of an input or output as it is escaped: AWS's limit

[[nodiscard]] bool logs_anything(const Definition& definition);
// Whether a level takes in events of a type: "Log levels" in the developer guide.
[[nodiscard]] bool is_logged(std::string_view level, std::string_view type);

struct LogLine {
  int64_t time_ms = 0;
  std::string message;
};
// Of an event as it stands in a history; nothing: the level leaves it out. `redrives`: of the execution by then; an event
// that tells of one more counts it.
[[nodiscard]] std::optional<LogLine> log_line_of(std::string_view event, const Definition& definition,
                                                 std::string_view execution_arn, uint32_t& redrives);

// "states/m/2026-03-14-10-30/0f1e2d3c": one for each revision of a machine.
[[nodiscard]] std::string log_stream_of(std::string_view machine, const Definition& definition);

// Writes them, in their order. What Logs refuses is lost, and the server's log says so, as of lines for a group that is not
// of the machine's account and region: a definition may be older than require_log_group(). Anything else is thrown.
Task<void> put_log_lines(wire::Platform& platform, std::string account, std::string region, std::string group_arn,
                         std::string stream, std::vector<LogLine> lines);

// "/g" of "arn:aws:logs:…:log-group:/g:*". Throws InvalidLoggingConfiguration.
[[nodiscard]] std::string log_group_of(std::string_view arn);
// Where policies are enforced, throws AccessDeniedException if the machine's role may not have logs delivered (developer guide, "IAM
// Policies for logging to CloudWatch Logs"): logs:CreateLogDelivery, which is of no resource.
Task<void> require_log_delivery(wire::Platform& platform, std::string machine_arn, std::string role);
// Throws InvalidLoggingConfiguration if it is not there, or is not of the account and region of the machine.
Task<void> require_log_group(wire::Platform& platform, std::string account, std::string region, std::string group_arn);

// Of Standard executions.
class ExecutionLogs {
 public:
  // Both outlive it.
  ExecutionLogs(wire::Platform& platform, MachineCache& machines) : platform_(platform), machines_(machines) {}

  void register_with(engine::TimerService& timers);
  // In the transaction that adds events to its history.
  static Task<void> wake(store::Transaction& txn, const ExecutionRecord& record, base::Time now);
  // With its history.
  static void forget(store::Transaction& txn, const ExecutionId& id);

 private:
  Task<void> run(const store::Timer& timer);
  // False: nothing is left, and the timer is finished.
  Task<bool> write_some(const store::Timer& timer);

  wire::Platform& platform_;
  MachineCache& machines_;
};

}  // namespace tidemill::states
