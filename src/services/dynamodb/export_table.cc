// ExportTableToPointInTime: begins an export, which goes on in the background (export_run.h).
#include "base/uuid.h"
#include "services/dynamodb/backup.h"
#include "services/dynamodb/backup_errors.h"
#include "services/dynamodb/backup_timers.h"
#include "services/dynamodb/errors.h"
#include "services/dynamodb/export.h"
#include "services/dynamodb/idempotency.h"
#include "services/dynamodb/operations.h"
#include "store/position.h"
#include "wire/unsupported.h"

namespace tidemill::dynamodb {

namespace {

using Input = shapes::ExportTableToPointInTimeInput;

TableAddress resolve_source(const wire::Context& context, const std::string& arn) {
  if (!parse_table_arn(arn)) throw validation("tableArn is not a valid ARN");
  return resolve_table(context, arn);
}

bool is_incremental(const Input& request) { return request.export_type == shapes::ExportType::kIncrementalExport; }

void check(const Input& request) {
  if (request.s3_sse_algorithm == shapes::S3SseAlgorithm::kKms) {
    throw wire::unsupported_parameter(shapes::ops::ExportTableToPointInTime::info, "S3SseAlgorithm KMS");
  }
  if (is_incremental(request) != request.incremental_export_specification.has_value()) {
    throw validation(
        "Invalid Request: IncrementalExportSpecification must be provided if, and only if, ExportType is "
        "INCREMENTAL_EXPORT");
  }
  if (!is_incremental(request)) return;
  if (request.export_time) {
    throw validation("Invalid Request: ExportTime cannot be provided if ExportType is INCREMENTAL_EXPORT");
  }
  if (!request.incremental_export_specification->export_from_time) {
    throw validation("Invalid Request: ExportFromTime must be provided if ExportType is INCREMENTAL_EXPORT");
  }
}

std::string fingerprint(const Input& request) {
  const auto time_text = [](const std::optional<base::Time>& time) {
    return time ? std::optional(std::to_string(time->time_since_epoch().count())) : std::nullopt;
  };
  Fingerprint parts;
  parts.add(std::string_view(request.table_arn)).add(time_text(request.export_time));
  parts.add(std::string_view(request.s3_bucket)).add(request.s3_bucket_owner);
  parts.add(request.s3_prefix).add(request.s3_sse_algorithm).add(request.export_format).add(request.export_type);
  if (const auto& period = request.incremental_export_specification) {
    parts.add(time_text(period->export_from_time)).add(time_text(period->export_to_time)).add(period->export_view_type);
  }
  return parts.bytes();
}

void check_moment(std::string_view name, base::Time moment, base::Time earliest, base::Time now) {
  if (moment >= std::chrono::floor<std::chrono::seconds>(earliest) && moment <= now) return;
  throw shapes::errors::invalid_export_time_exception(
      std::string(name) + " '" + iso_time(moment) + "' must be within EarliestRestorableDateTime '" +
      iso_time(earliest) + "' and LatestRestorableDateTime '" + iso_time(now) + "'");
}

void check_period(const Export::Period& period) {
  if (period.to - period.from < kExportPeriodMin) {
    throw shapes::errors::invalid_export_time_exception(
        "Difference between export period from time and to time is less than 15 minutes");
  }
  if (period.to - period.from > kExportPeriodMax) {
    throw shapes::errors::invalid_export_time_exception(
        "Difference between export period from time and to time is more than 24 hours");
  }
}

void set_times(Export& record, const Input& request, const PointInTimeRecovery& recovery, base::Time now) {
  const base::Time earliest = earliest_restorable(recovery, now);
  record.moment = request.export_time.value_or(now);
  const auto& wanted = request.incremental_export_specification;
  if (!wanted) return check_moment("ExportTime", record.moment, earliest, now);
  record.period = Export::Period{.from = *wanted->export_from_time,
                                 .to = wanted->export_to_time.value_or(now),
                                 .old_images = wanted->export_view_type != shapes::ExportViewType::kNewImage};
  check_moment("ExportFromTime", record.period->from, earliest, now);
  check_moment("ExportToTime", record.period->to, earliest, now);
  check_period(*record.period);
}

Export make_export(const wire::Context& context, const Input& request, const Table& table, const std::string& token) {
  const base::Time now = context.now();
  Export record{{.address = {.kind = TransferKind::exporting, .table = table.address}}};
  record.started = std::chrono::floor<std::chrono::milliseconds>(now);
  record.data = new_id(table.address.arn() + "/export", context.request_id, now);
  record.address.id = backup_id(record.started, record.data);
  record.table = table.id;
  record.partition = table.partition;
  record.sort = table.sort;
  record.token = token;
  record.caller = engine::caller_of(context.principal);
  record.destination = {.bucket = request.s3_bucket,
                        .owner = request.s3_bucket_owner,
                        .prefix = request.s3_prefix,
                        .sse_given = request.s3_sse_algorithm.has_value()};
  record.ion = request.export_format == shapes::ExportFormat::kIon;
  record.type_given = request.export_type.has_value();
  set_times(record, request, *table.features.recovery, now);
  return record;
}

TableCopy copy_for(const Export& record) {
  TableCopy copy{.source = record.table, .target = record.data, .with_history = true};
  if (record.period) {
    copy.phase = TableCopy::Phase::collecting;
    copy.only_changes = true;
    copy.since = store::before_time(record.period->from);
    copy.until = store::before_time(record.period->to);
  } else {
    // What was committed within the moment's microsecond belongs to it.
    copy.since = store::before_time(record.moment + base::Duration(1));
  }
  return copy;
}

// The export that the same request began before.
Task<std::optional<Export>> find_earlier(store::Transaction& txn, const wire::Context& context,
                                         const std::string& token, const std::string& wanted) {
  const auto use = co_await find_transfer_token(txn, TransferKind::exporting, context, token);
  if (!use) co_return std::nullopt;
  if (use->fingerprint != wanted) {
    throw shapes::errors::export_conflict_exception("Duplicate request detected with conflicting parameters");
  }
  const auto address = parse_transfer_arn(TransferKind::exporting, use->arn);
  co_return address ? co_await load_export(txn, *address) : std::nullopt;
}

}  // namespace

Task<shapes::ExportTableToPointInTimeOutput> export_table_to_point_in_time(Service&, wire::Context& context,
                                                                           const Input& request) {
  const TableAddress address = resolve_source(context, request.table_arn);
  check(request);
  const std::string token = request.client_token.value_or(base::new_uuid());
  const std::string parameters = fingerprint(request);
  const Export begun = co_await context.store().transact([&](store::Transaction& txn) -> Task<Export> {
    if (auto earlier = co_await find_earlier(txn, context, token, parameters)) co_return *std::move(earlier);
    std::optional<Table> table = co_await load_usable_table(txn, address);
    if (!table) throw table_not_found_for_backup(request.table_arn);
    if (!table->features.recovery) {
      throw shapes::errors::point_in_time_recovery_unavailable_exception(
          "Point in time recovery is not enabled for table '" + address.name + "'");
    }
    Export record = make_export(context, request, *table, token);
    const std::string arn = record.address.arn();
    const TableCopy copy = copy_for(record);
    co_await begin_transfer(txn, record.address);
    save_export(txn, record);
    save_transfer_token(txn, TransferKind::exporting, context, token, {arn, parameters, context.now()});
    table->features.copies[arn] = copy.since.version;
    save_table(txn, *table);
    co_await start_copy(txn, kExportTimer, arn, copy, context.now());
    co_return record;
  });
  co_return shapes::ExportTableToPointInTimeOutput{.export_description = describe(begun)};
}

}  // namespace tidemill::dynamodb
