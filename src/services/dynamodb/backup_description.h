// How backups are described to their owner.
#pragma once

#include "services/dynamodb/backup.h"
#include "wire/shapes/dynamodb.h"

namespace tidemill::dynamodb {

[[nodiscard]] wire::dynamodb::BackupDetails describe_details(const Backup& backup);
[[nodiscard]] wire::dynamodb::BackupDescription describe(const Backup& backup);
[[nodiscard]] wire::dynamodb::BackupSummary summarize(const Backup& backup);

}  // namespace tidemill::dynamodb
