#include "services/dynamodb/backup_errors.h"

#include "services/dynamodb/errors.h"
#include "wire/shapes/dynamodb.h"
#include "wire/timestamp.h"

namespace tidemill::dynamodb {

namespace errors = wire::dynamodb::errors;

wire::Error table_not_found_for_backup(std::string_view name) {
  return errors::table_not_found_exception("Table not found: " + std::string(name));
}

wire::Error backup_not_found(std::string_view arn) {
  return errors::backup_not_found_exception("Backup not found: " + std::string(arn));
}

BackupAddress resolve_backup(const wire::Context& context, const std::string& arn) {
  auto address = parse_backup_arn(arn);
  if (!address) throw validation("Invalid Backup ARN");
  if (address->table.account != context.account || address->table.region != context.region) {
    throw backup_not_found(arn);
  }
  return *std::move(address);
}

void check_usable(const Backup& backup) {
  if (backup.status == Backup::Status::creating) {
    throw errors::backup_in_use_exception("Backup is being created: " + backup.address.arn());
  }
  if (backup.restoring_to.empty()) return;
  throw errors::backup_in_use_exception("Backup is being used to restore the table " + backup.restoring_to + ": " +
                                        backup.address.arn());
}

std::string iso_time(base::Time time) {
  // Whole seconds: "…:32Z".
  return wire::format_timestamp(std::chrono::floor<std::chrono::seconds>(time), wire::TimestampFormat::date_time);
}

}  // namespace tidemill::dynamodb
