#include "services/dynamodb/export.h"

#include <openssl/sha.h>

#include "base/ordered.h"
#include "base/text.h"
#include "services/dynamodb/descriptor_json.h"
#include "store/keys.h"

namespace tidemill::dynamodb {

namespace {

namespace shapes = wire::dynamodb;

constexpr std::string_view kFolder = "AWSDynamoDB/";
constexpr uint16_t kManifestLines = 0xfffb;  // an index's number that no index has
constexpr size_t kFileNameSize = 26;

std::string folder_of(const Export& record) {
  const std::string& prefix = record.destination.prefix.value_or("");
  return base::cat(prefix, prefix.empty() || prefix.ends_with('/') ? "" : "/", kFolder);
}

// The same whenever the file is written, so that one that a crash left half done is replaced.
std::string file_name(const std::string& export_arn, int64_t number) {
  const std::string text = base::cat(export_arn, "/", number);
  unsigned char hash[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), hash);
  static constexpr std::string_view kAlphabet = "abcdefghijklmnopqrstuvwxyz234567";
  std::string name;
  for (size_t i = 0; i < kFileNameSize; ++i) name.push_back(kAlphabet[hash[i] % kAlphabet.size()]);
  return name;
}

std::string manifest_prefix(const Export& record) {
  std::string key(1, static_cast<char>(store::KeySpace::item));
  base::append_fixed(key, record.data.view());
  base::append_u16(key, kManifestLines);
  return key;
}

void write_optional(json::Writer& writer, std::string_view name, const std::optional<std::string>& text) {
  if (text) json::write_member(writer, name, *text);
}

void write_request(json::Writer& writer, const Export& record) {
  json::write_member(writer, "bucket", record.destination.bucket);
  write_optional(writer, "bucket_owner", record.destination.owner);
  write_optional(writer, "prefix", record.destination.prefix);
  json::write_member(writer, "sse_given", record.destination.sse_given);
  json::write_member(writer, "ion", record.ion);
  json::write_member(writer, "type_given", record.type_given);
  json::write_member(writer, "moment", record.moment);
  if (record.period) {
    json::write_member(writer, "from", record.period->from);
    json::write_member(writer, "to", record.period->to);
    json::write_member(writer, "old_images", record.period->old_images);
  }
}

void read_request(const json::Record& in, Export& record) {
  record.destination = {.bucket = in.text("bucket"),
                        .owner = in.find_text("bucket_owner"),
                        .prefix = in.find_text("prefix"),
                        .sse_given = in.boolean("sse_given")};
  record.ion = in.boolean("ion");
  record.type_given = in.boolean("type_given");
  record.moment = in.time("moment");
  if (const auto from = in.find_time("from")) {
    record.period = Export::Period{.from = *from, .to = in.time("to"), .old_images = in.boolean("old_images")};
  }
}

void write_progress(json::Writer& writer, const Export& record) {
  json::write_member(writer, "announced", record.announced);
  json::write_member(writer, "files", record.files);
  json::write_bytes(writer, "cursor", record.cursor);
  json::write_member(writer, "written", record.written);
  json::write_member(writer, "items", record.items);
  json::write_member(writer, "bytes", record.bytes);
}

void read_progress(const json::Record& in, Export& record) {
  record.announced = in.boolean("announced");
  record.files = in.integer("files");
  record.cursor = in.bytes("cursor");
  record.written = in.boolean("written");
  record.items = in.integer("items");
  record.bytes = in.integer("bytes");
}

KeyAttribute read_key(const json::Record& in, std::string_view name, std::string_view type) {
  const auto kind = lang::dynamodb::type_from_name(in.text(type));
  if (!kind) in.damaged(type);
  return {in.text(name), *kind};
}

}  // namespace

std::string Export::key_of(std::string_view name) const { return base::cat(folder_of(*this), address.id, "/", name); }

std::string Export::data_file_key(int64_t number) const {
  const std::string name = base::cat("data/", file_name(address.arn(), number), ion ? ".ion.gz" : ".json.gz");
  // The files of all incremental exports share a folder.
  return is_incremental() ? folder_of(*this) + name : key_of(name);
}

Export decode_export(std::string_view bytes) {
  const json::Record in("export", bytes);
  Export record{read_transfer(TransferKind::exporting, in)};
  record.data = read_table_id(in, "data");
  record.partition = read_key(in, "partition_key", "partition_key_type");
  if (in.find("sort_key")) record.sort = read_key(in, "sort_key", "sort_key_type");
  read_request(in, record);
  read_progress(in, record);
  return record;
}

Task<std::optional<Export>> load_export(store::Snapshot& snapshot, const TransferAddress& address) {
  const auto bytes = co_await load_transfer(snapshot, address);
  if (!bytes) co_return std::nullopt;
  co_return decode_export(*bytes);
}

void save_export(store::Transaction& txn, const Export& record) {
  save_transfer(txn, record, [&](json::Writer& writer) {
    json::write_member(writer, "data", record.data.uuid());
    json::write_member(writer, "partition_key", record.partition.name);
    json::write_member(writer, "partition_key_type", lang::dynamodb::type_name(record.partition.type));
    if (record.sort) {
      json::write_member(writer, "sort_key", record.sort->name);
      json::write_member(writer, "sort_key_type", lang::dynamodb::type_name(record.sort->type));
    }
    write_request(writer, record);
    write_progress(writer, record);
  });
}

shapes::ExportDescription describe(const Export& record) {
  shapes::ExportDescription description{.export_arn = record.address.arn(),
                                        .export_status = std::string(status_name(record.status)),
                                        .start_time = record.started,
                                        .end_time = record.ended,
                                        .table_arn = record.address.table.arn(),
                                        .table_id = record.table.uuid(),
                                        .client_token = record.token,
                                        .s3_bucket = record.destination.bucket,
                                        .s3_bucket_owner = record.destination.owner,
                                        .s3_prefix = record.destination.prefix};
  if (record.destination.sse_given) description.s3_sse_algorithm = std::string(shapes::S3SseAlgorithm::kAes256);
  description.export_format =
      std::string(record.ion ? shapes::ExportFormat::kIon : shapes::ExportFormat::kDynamodbJson);
  if (record.type_given) {
    description.export_type =
        std::string(record.is_incremental() ? shapes::ExportType::kIncrementalExport : shapes::ExportType::kFullExport);
  }
  if (record.period) {
    description.incremental_export_specification = shapes::IncrementalExportSpecification{
        .export_from_time = record.period->from,
        .export_to_time = record.period->to,
        .export_view_type = std::string(record.period->old_images ? shapes::ExportViewType::kNewAndOldImages
                                                                  : shapes::ExportViewType::kNewImage)};
  } else {
    description.export_time = record.moment;
  }
  if (record.failure) {
    description.failure_code = record.failure->code;
    description.failure_message = record.failure->message;
  }
  if (record.status == TransferStatus::completed) {
    description.export_manifest = record.key_of("manifest-summary.json");
    description.billed_size_bytes = record.bytes;
    description.item_count = record.items;
  }
  return description;
}

std::string manifest_line_key(const Export& record, int64_t file) {
  std::string key = manifest_prefix(record);
  base::append_i64(key, file);
  return key;
}

store::Range manifest_lines_range(const Export& record) { return store::Range::prefix(manifest_prefix(record)); }

}  // namespace tidemill::dynamodb
