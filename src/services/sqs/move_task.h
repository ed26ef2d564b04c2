// Message move tasks: they carry messages out of a dead-letter queue, back to where they came from or elsewhere. A task
// is a record beside the source's messages and a timer: each run moves some messages and the task's count in one
// commit, so it goes on where it was after a crash, and moves no message twice.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "services/sqs/service.h"
#include "store/timer.h"

namespace tidemill::sqs {

inline constexpr store::TimerKind kMoveTimer{"sqs-move"};
inline constexpr int kMovesPerSecondMax = 500;
inline constexpr size_t kMoveTasksKeptMax = 10;  // of one source, with the one that runs

namespace move_status {
inline constexpr std::string_view kRunning = "RUNNING";
inline constexpr std::string_view kCompleted = "COMPLETED";
inline constexpr std::string_view kCancelled = "CANCELLED";
inline constexpr std::string_view kFailed = "FAILED";
}  // namespace move_status

struct MoveTask {
  std::string id;  // UUID
  base::Time started;
  std::string status{move_status::kRunning};
  std::string destination_arn;  // empty: where each message came from
  // The queues to which whoever began it was let send, for a task without a destination; empty: nobody was asked.
  std::vector<std::string> allowed_arns;
  int rate = 0;                 // messages per second; 0: as fast as it goes
  int64_t moved = 0;
  int64_t to_move = 0;  // when it began
  std::string failure;

  [[nodiscard]] bool is_running() const { return status == move_status::kRunning; }
};

// As clients know it: the task and its source.
[[nodiscard]] std::string make_task_handle(const MoveTask& task, const QueueAddress& source);
struct TaskHandle {
  std::string task_id;
  QueueAddress source;
};
// Nothing: it is none.
[[nodiscard]] std::optional<TaskHandle> parse_task_handle(const std::string& handle);

void save_task(store::Transaction& txn, const Queue& source, const MoveTask& task);
void erase_task(store::Transaction& txn, const Queue& source, const MoveTask& task);
// Newest first.
Task<std::vector<MoveTask>> load_tasks(store::Snapshot& reader, const Queue& source, size_t most = kMoveTasksKeptMax);

// Sets the timer for the task's next run.
Task<void> schedule_move(store::Transaction& txn, const Queue& source, const MoveTask& task, base::Time due);

// The timer's handler: one run.
Task<void> move_messages(Service& service, store::Timer timer);

}  // namespace tidemill::sqs
