#include "services/dynamodb/export_files.h"

#include "base/base64.h"
#include "base/executor.h"
#include "base/text.h"
#include "crypto/digest.h"
#include "lang/dynamodb/ion_codec.h"
#include "services/dynamodb/large_reads.h"
#include "services/dynamodb/transfer_coding.h"
#include "wire/gzip_writer.h"
#include "wire/large_work.h"

namespace tidemill::dynamodb {

namespace {

// Read, then packed in one go: that takes some hundred microseconds, a slice of its own.
constexpr size_t kStepBytes = 16 << 10;

constexpr std::string_view kVersionOfFull = "2020-06-30";
constexpr std::string_view kVersionOfIncremental = "2023-08-01";

struct Change {
  ItemView keys;
  base::Time written;
  std::optional<ItemView> before;  // nothing also where nobody asked for it
  std::optional<ItemView> after;
};

void append(std::string& out, bool ion, ItemView item) {
  if (ion)
    lang::dynamodb::append_ion(out, item);
  else
    lang::dynamodb::append_json(out, item);
}

void append_item_line(std::string& out, bool ion, ItemView item) {
  out.append(ion ? "$ion_1_0 {Item:" : R"({"Item":)");
  append(out, ion, item);
  out.append("}\n");
}

void append_change_line(std::string& out, bool ion, const Change& change) {
  const std::string written = std::to_string(change.written.time_since_epoch().count());
  const auto name = [&](std::string_view text) {
    if (ion)
      out.append(",").append(text).append(":");
    else
      out.append(",\"").append(text).append("\":");
  };
  if (ion)
    out.append("$ion_1_0 {Record:{Metadata:{WriteTimestampMicros:").append(written).append(".}");
  else
    out.append(R"({"Metadata":{"WriteTimestampMicros":{"N":")").append(written).append("\"}}");
  name("Keys"), append(out, ion, change.keys);
  if (change.before) name("OldImage"), append(out, ion, *change.before);
  if (change.after) name("NewImage"), append(out, ion, *change.after);
  out.append(ion ? "}}\n" : "}\n");
}

lang::dynamodb::KeySchema key_schema(const Export& record) {
  lang::dynamodb::KeySchema schema{record.partition.name, record.partition.type};
  if (record.sort) {
    schema.sort_name = record.sort->name;
    schema.sort_type = record.sort->type;
  }
  return schema;
}

// A piece of the file: the lines behind `file.last`.
struct Lines {
  std::string text;
  bool complete = true;  // there are no others
};

Task<Lines> read_items(store::Snapshot& snapshot, const Export& record, DataFile& file, base::BlockingWork* threads) {
  Lines lines;
  store::Range range = segment_range(record.data, 0, 1);
  if (!file.last.empty()) range.begin = key_at_place(record.data, file.last) + '\0';
  const store::EntryVisitor visit = [&](std::string_view key, std::string_view item) {
    lines.complete = lines.text.size() < kStepBytes;
    if (!lines.complete) return false;
    append_item_line(lines.text, record.ion, ItemView(item));
    file.last = place_in_table(key);
    ++file.items;
    return true;
  };
  co_await scan_large(snapshot, std::move(range), store::Direction::forward, visit, threads);
  co_return lines;
}

// A line for an item that is not what it was, or was written again as it was. An item that came and went has none.
Task<void> append_changed_item(store::Snapshot& snapshot, const Export& record, std::string_view place,
                               const ChangedItem& changed, DataFile& file, std::string& text,
                               base::BlockingWork* threads) {
  const ItemKey key = key_of_place(record.data, place);
  const auto after = co_await snapshot.get(key.bytes);
  if (!after && !changed.before) co_return;
  const Item keys = key_attributes(key.bytes, key_schema(record));
  Change change{.keys = keys.view(), .written = changed.last_change};
  if (changed.before && record.period->old_images) change.before = ItemView(*changed.before);
  if (after) change.after = ItemView(*after);
  const size_t stored = (changed.before ? changed.before->size() : 0) + (after ? after->size() : 0);
  co_await wire::do_large_joined(threads, stored, [&] {
    append_change_line(text, record.ion, change);
    for (const auto& image : {change.before, change.after}) {
      if (image) file.bytes += static_cast<int64_t>(lang::dynamodb::item_size(*image));
    }
  });
  ++file.items;
}

Task<Lines> read_changes(store::Snapshot& snapshot, const Export& record, DataFile& file, base::BlockingWork* threads) {
  Lines lines;
  std::vector<std::pair<std::string, ChangedItem>> changes;
  size_t bytes = 0;
  store::Range range = changed_items_range(record.data);
  if (!file.last.empty()) range.begin = changed_item_key(record.data, file.last) + '\0';
  const store::EntryVisitor visit = [&](std::string_view key, std::string_view value) {
    lines.complete = bytes < kStepBytes;
    if (!lines.complete) return false;
    bytes += key.size() + value.size();
    changes.emplace_back(place_in_table(key), decode_changed_item(value));
    return true;
  };
  co_await snapshot.scan(range, store::Direction::forward, visit);
  for (const auto& [place, changed] : changes) {
    co_await append_changed_item(snapshot, record, place, changed, file, lines.text, threads);
    file.last = place;
  }
  co_return lines;
}

std::string time_text(base::Time time) { return base::iso_milliseconds(time) + "Z"; }

}  // namespace

Task<DataFile> pack_data_file(store::Store& store, const Export& record, base::BlockingWork* threads) {
  DataFile file{.last = record.cursor};
  wire::GzipWriter packed;
  size_t bytes = 0;
  const auto snapshot = store.snapshot();
  while (!file.is_last && bytes < kExportFileBytes) {
    const Lines lines = record.is_incremental() ? co_await read_changes(*snapshot, record, file, threads)
                                                : co_await read_items(*snapshot, record, file, threads);
    co_await wire::do_large_joined(threads, lines.text.size(), [&] { packed.add(lines.text); });
    bytes += lines.text.size();
    file.is_last = lines.complete;
    co_await base::give_way();
  }
  file.packed = packed.finish();
  co_return file;
}

std::string manifest_line(const Export& record, const DataFile& file, std::string_view etag) {
  std::string text;
  json::Writer writer(text);
  writer.begin_object();
  writer.key("itemCount"), writer.integer(file.items);
  writer.key("md5Checksum"), writer.string(md5_text(file.packed));
  writer.key("etag"), writer.string(etag);
  writer.key("dataFileS3Key"), writer.string(record.data_file_key(record.files));
  writer.end_object();
  return text + "\n";
}

std::string manifest_summary(const Export& record, base::Time ended) {
  std::string text;
  json::Writer writer(text);
  const auto member = [&](std::string_view name, std::string_view value) { writer.key(name), writer.string(value); };
  const auto nullable = [&](std::string_view name, const std::optional<std::string>& value) {
    writer.key(name);
    if (value)
      writer.string(*value);
    else
      writer.null();
  };
  writer.begin_object();
  member("version", record.is_incremental() ? kVersionOfIncremental : kVersionOfFull);
  member("exportArn", record.address.arn());
  member("startTime", time_text(record.started));
  member("endTime", time_text(ended));
  member("tableArn", record.address.table.arn());
  member("tableId", record.table.uuid());
  if (record.period) {
    member("exportFromTime", time_text(record.period->from));
    member("exportToTime", time_text(record.period->to));
  } else {
    member("exportTime", time_text(record.moment));
  }
  member("s3Bucket", record.destination.bucket);
  nullable("s3Prefix", record.destination.prefix);
  member("s3SseAlgorithm", "AES256");
  nullable("s3SseKmsKeyId", std::nullopt);
  member("manifestFilesS3Key", record.key_of("manifest-files.json"));
  writer.key("billedSizeBytes"), writer.integer(record.bytes);
  writer.key("itemCount"), writer.integer(record.items);
  member("outputFormat", record.ion ? "ION" : "DYNAMODB_JSON");
  if (record.period) {
    member("outputView", record.period->old_images ? "NEW_AND_OLD_IMAGES" : "NEW_IMAGE");
    member("exportType", "INCREMENTAL_EXPORT");
  }
  writer.end_object();
  return text;
}

std::string md5_text(std::string_view file) { return base::base64_encode(crypto::md5(file)); }

}  // namespace tidemill::dynamodb
