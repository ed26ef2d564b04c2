#include "services/dynamodb/import.h"

#include "base/text.h"
#include "wire/registry.h"

namespace tidemill::dynamodb {

namespace {

namespace shapes = wire::dynamodb;
namespace ops = shapes::ops;

// A request as it came in, which is how it is kept: the members that a description has, too.
std::string request_json(const shapes::ImportTableInput& request) {
  shapes::ImportTableOutput output;
  output.import_table_description = {.client_token = request.client_token,
                                     .s3_bucket_source = request.s3_bucket_source,
                                     .input_format = request.input_format,
                                     .input_format_options = request.input_format_options,
                                     .input_compression_type = request.input_compression_type,
                                     .table_creation_parameters = request.table_creation_parameters};
  wire::WireResponse written;
  ops::ImportTable::serialize(output, written);
  const auto document = json::parse(written.body);
  return json::write(*document->find("ImportTableDescription"));
}

shapes::ImportTableInput request_from(const std::string& text) {
  return ops::ImportTable::parse(wire::WireRequest{.body = text});
}

std::string log_group_arn(const Import& record) {
  return base::cat("arn:aws:logs:", record.address.table.region, ":", record.address.table.account,
                   ":log-group:", kImportLogGroup, ":*");
}

void write_progress(json::Writer& writer, const Import& record) {
  json::write_member(writer, "begun", record.begun);
  json::write_member(writer, "done", record.done);
  if (record.file) {
    json::write_member(writer, "file", record.file->key);
    json::write_member(writer, "file_etag", record.file->etag);
    json::write_member(writer, "file_records", record.file->records);
  }
  json::write_member(writer, "processed", record.counts.processed);
  json::write_member(writer, "imported", record.counts.imported);
  json::write_member(writer, "errors", record.counts.errors);
  json::write_member(writer, "bytes", record.counts.bytes);
  json::write_member(writer, "logged", record.logged);
}

void read_progress(const json::Record& in, Import& record) {
  record.begun = in.boolean("begun");
  record.done = in.text("done");
  if (const auto key = in.find_text("file")) {
    record.file = Import::File{.key = *key, .etag = in.text("file_etag"), .records = in.integer("file_records")};
  }
  record.counts = {.processed = in.integer("processed"),
                   .imported = in.integer("imported"),
                   .errors = in.integer("errors"),
                   .bytes = in.integer("bytes")};
  record.logged = in.integer("logged");
}

}  // namespace

SourceFormat Import::format() const {
  if (request.input_format == shapes::InputFormat::kCsv) return SourceFormat::csv;
  return request.input_format == shapes::InputFormat::kIon ? SourceFormat::ion : SourceFormat::json;
}

CsvFormat Import::csv() const {
  CsvFormat csv;
  if (!request.input_format_options || !request.input_format_options->csv) return csv;
  const shapes::CsvOptions& options = *request.input_format_options->csv;
  if (options.delimiter) csv.delimiter = options.delimiter->front();
  if (options.header_list) csv.header = *options.header_list;
  return csv;
}

Packing Import::packing() const {
  if (request.input_compression_type == shapes::InputCompressionType::kGzip) return Packing::gzip;
  return request.input_compression_type == shapes::InputCompressionType::kZstd ? Packing::zstd : Packing::none;
}

Import decode_import(std::string_view bytes) {
  const json::Record in("import", bytes);
  Import record{read_transfer(TransferKind::importing, in)};
  record.request = request_from(in.text("request"));
  read_progress(in, record);
  return record;
}

Task<std::optional<Import>> load_import(store::Snapshot& snapshot, const TransferAddress& address) {
  const auto bytes = co_await load_transfer(snapshot, address);
  if (!bytes) co_return std::nullopt;
  co_return decode_import(*bytes);
}

void save_import(store::Transaction& txn, const Import& record) {
  save_transfer(txn, record, [&](json::Writer& writer) {
    json::write_member(writer, "request", request_json(record.request));
    write_progress(writer, record);
  });
}

shapes::ImportTableDescription describe(const Import& record) {
  // Nothing is told of the counts before the end, as on AWS.
  const bool ended = record.status != TransferStatus::in_progress;
  const Import::Counts counts = ended ? record.counts : Import::Counts();
  shapes::ImportTableDescription description{.import_arn = record.address.arn(),
                                             .import_status = std::string(status_name(record.status)),
                                             .table_arn = record.address.table.arn(),
                                             .table_id = record.table.uuid(),
                                             .client_token = record.token,
                                             .s3_bucket_source = record.request.s3_bucket_source,
                                             .error_count = counts.errors,
                                             .cloud_watch_log_group_arn = log_group_arn(record),
                                             .input_format = record.request.input_format,
                                             .input_format_options = record.request.input_format_options,
                                             .input_compression_type = record.request.input_compression_type.value_or(
                                                 std::string(shapes::InputCompressionType::kNone)),
                                             .table_creation_parameters = record.request.table_creation_parameters,
                                             .start_time = record.started,
                                             .end_time = record.ended,
                                             .processed_item_count = counts.processed,
                                             .imported_item_count = counts.imported};
  if (ended) description.processed_size_bytes = counts.bytes;
  if (record.failure) {
    description.failure_code = record.failure->code;
    description.failure_message = record.failure->message;
  }
  return description;
}

shapes::ImportSummary summarize(const Import& record) {
  return {.import_arn = record.address.arn(),
          .import_status = std::string(status_name(record.status)),
          .table_arn = record.address.table.arn(),
          .s3_bucket_source = record.request.s3_bucket_source,
          .cloud_watch_log_group_arn = log_group_arn(record),
          .input_format = record.request.input_format,
          .start_time = record.started,
          .end_time = record.ended};
}

}  // namespace tidemill::dynamodb
