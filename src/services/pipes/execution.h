// A batch on its way through a pipe: enrichment, template, target; and what that means for the mapping which gave it:
//
//   records ──> [template ──> enrichment] ──> events ──> [template] ──> target
//                                                                         |
//   batchItemFailures (by the mapping's own identifiers) <────────────────┘
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/task.h"
#include "engine/invoker.h"
#include "services/pipes/active_pipe.h"
#include "services/pipes/compute.h"
#include "services/pipes/execution_log.h"
#include "services/pipes/records.h"
#include "services/pipes/sending.h"

namespace tidemill::pipes {

// What templates may make of a batch: some times as much as the batch has.
inline constexpr size_t kTransformedBytesMax = size_t{32} << 20;

class Execution {
 public:
  // A place that is kept for this at a function.
  struct Turn {
    std::string function;
    engine::PlaceTurnPtr turn;  // null: none is
  };

  // What is passed outlives this. All on one executor.
  Execution(wire::Platform& platform, Compute& compute, ActivePipePtr pipe, Turn turn);

  // `batch` as functions get it. The outcome as if a function had reported failures of single items. Once.
  Task<engine::InvokeOutcome> run(std::string batch);

  // The function that was throttled; empty: none.
  [[nodiscard]] const std::string& throttled() const { return throttled_; }

 private:
  using Level = ExecutionLog::Level;

  // False: the execution is over, `outcome_` says how.
  Task<bool> enrich();
  Task<void> send();
  Task<void> send_array();
  Task<void> send_each();

  // Nothing: the template makes more than `bytes_max`.
  Task<std::optional<std::string>> text_for(const std::optional<PipeTemplate>& form, const Event& event,
                                                    size_t bytes_max) const;
  Task<bool> make_array(const std::optional<PipeTemplate>& form, std::string_view stage, std::string& array);
  bool take_answer(const std::string& answer);
  void read_failures(const std::string& answer);
  void report(const std::vector<std::string>& failed_records);
  void tell_end();
  void fail(engine::InvokeOutcome outcome, std::string_view step, std::string_view payload = {});
  [[nodiscard]] engine::PlaceTurnPtr take_turn(std::string_view arn);
  void note_throttling(const std::string& arn, const engine::InvokeOutcome& outcome);

  wire::Platform& platform_;
  Compute& compute_;
  ActivePipePtr pipe_;
  Turn turn_;
  ExecutionLog log_;
  Records records_;
  std::vector<Event> events_;
  engine::InvokeOutcome outcome_;
  std::string throttled_;
};

}  // namespace tidemill::pipes
