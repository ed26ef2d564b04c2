// Carries out export tasks, file by file. How far a task is stands in the store with each file, so that it goes on
// there after a crash; a file that was written when the process died is written again, under the same name. What S3
// refuses ends the task as FAILED; what may pass is tried again.
#pragma once

#include <memory>

#include "engine/ownership.h"
#include "engine/targets/bucket_access.h"
#include "services/logs/export_task.h"
#include "services/logs/service.h"

namespace tidemill::logs {

// Of a file, unpacked: how much is read and written at a time, and so about how much is in memory.
inline constexpr size_t kExportFileBytes = 16 << 20;

// The bucket of a task, as CloudWatch Logs itself asks for it.
[[nodiscard]] engine::BucketAccess bucket_of(wire::Platform& platform, const ExportTask& task);

// The handler of kExportTimer.
Task<void> go_on_exporting(Service& service, wire::Platform& platform, const store::Timer& timer,
                           std::shared_ptr<const engine::Tenure> tenure);

}  // namespace tidemill::logs
