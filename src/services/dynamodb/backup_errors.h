// The errors of backups and restores, which have names of their own on AWS, and what several of their operations check.
#pragma once

#include <string>
#include <string_view>

#include "services/dynamodb/backup.h"
#include "wire/context.h"
#include "wire/error.h"

namespace tidemill::dynamodb {

// TableNotFoundException, where other operations say ResourceNotFoundException.
wire::Error table_not_found_for_backup(std::string_view name);
wire::Error backup_not_found(std::string_view arn);

// The backup that a request means. Throws ValidationException.
[[nodiscard]] BackupAddress resolve_backup(const wire::Context& context, const std::string& arn);

// That nobody makes it or makes a table of it. Throws BackupInUseException.
void check_usable(const Backup& backup);

// "2026-10-06T23:16:32Z".
[[nodiscard]] std::string iso_time(base::Time time);

}  // namespace tidemill::dynamodb
