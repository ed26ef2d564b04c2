// Export tasks: the events of a group's streams on their way to a bucket. The record of one, a resource (account,
// region, "logs", "export-task", id); export_run.h carries it out. API reference, "CreateExportTask".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "services/logs/stream.h"
#include "store/resources.h"
#include "store/timer.h"

namespace tidemill::logs {

inline constexpr store::ResourceType kExportTaskType{"logs", "export-task"};
// Id: the task's key.
inline constexpr store::TimerKind kExportTimer{"logs-export"};
// Those that have ended are shown for so long.
inline constexpr base::Duration kExportTasksKept = std::chrono::days(30);

struct ExportTask {
  store::ResourceAddress address;  // its name is the task's id
  std::string name;                // empty: none was given
  std::string group;
  std::string group_id;
  std::string stream_prefix;
  Milliseconds from = 0;
  Milliseconds to = 0;  // included
  std::string bucket;
  std::string prefix;
  std::string status;  // shapes::ExportTaskStatusCode
  std::string message;
  base::Time created;
  std::optional<base::Time> ended;

  // How far it is.
  std::string stream;  // that is being written; those before it are there
  int64_t files = 0;   // of it that are there
  std::string after;   // EventPlace::digits of the last event in them

  // PENDING, RUNNING, PENDING_CANCEL.
  [[nodiscard]] bool is_active() const;
  [[nodiscard]] std::string group_arn() const;
  // "PREFIX/ID/FOLDER/000000.gz"; the folder is a stream's (export_folders.h).
  [[nodiscard]] std::string file_key(std::string_view folder, int64_t number) const;
};

[[nodiscard]] std::string export_task_key(const store::ResourceAddress& address);
[[nodiscard]] std::string encode_export_task(const ExportTask& task);
// Throws std::runtime_error if `bytes` are damaged.
[[nodiscard]] ExportTask decode_export_task(store::ResourceAddress address, std::string_view bytes);
// Nothing: there is none.
Task<std::optional<ExportTask>> find_export_task(store::Snapshot& reader, store::ResourceAddress address);

}  // namespace tidemill::logs
