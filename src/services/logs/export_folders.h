// In which folder the files of an export's stream lie. On AWS, and here, it is called as the stream, with "-" for "/";
// so "a/b" and "a-b" want the same one. Who comes first has it; the next has "a-b:2", which no stream is called, as
// their names have no colon.
#pragma once

#include <string>
#include <string_view>

#include "services/logs/export_task.h"
#include "store/store.h"

namespace tidemill::logs {

// The same each time for one stream of a task, also after a crash, and never that of another.
Task<std::string> claim_export_folder(store::Transaction& txn, const ExportTask& task, std::string_view stream_name);

// Once the task has ended.
void forget_export_folders(store::Transaction& txn, const ExportTask& task);

}  // namespace tidemill::logs
