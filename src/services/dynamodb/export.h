// Exports: a table's items at one moment, or what changed between two, as files in S3 (developer guide, "Table export
// output format"). The record of an export; export_run.h carries it out.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "services/dynamodb/table_copy.h"
#include "services/dynamodb/transfer_record.h"
#include "wire/shapes/dynamodb.h"

namespace tidemill::dynamodb {

// Of an incremental export.
inline constexpr std::chrono::minutes kExportPeriodMin{15};
inline constexpr std::chrono::hours kExportPeriodMax{24};

struct Export : TransferRecord {
  struct Period {
    base::Time from;  // inclusive
    base::Time to;    // exclusive
    bool old_images = true;
  };
  struct Destination {
    std::string bucket;
    std::optional<std::string> owner;  // who must own the bucket
    std::optional<std::string> prefix;
    bool sse_given = false;  // S3SseAlgorithm AES256
  };

  TableId data;  // where the table's items as of the moment are, until they are in S3
  KeyAttribute partition;
  std::optional<KeyAttribute> sort;
  Destination destination;
  bool ion = false;
  bool type_given = false;       // descriptions name the type only then
  base::Time moment;             // of a full export
  std::optional<Period> period;  // of an incremental one

  // How far it is.
  bool announced = false;  // `_started` is in the bucket
  int64_t files = 0;       // that are there
  std::string cursor;      // the place of the last item in them
  bool written = false;    // all are there
  int64_t items = 0;
  int64_t bytes = 0;  // of the table, or of the changes' images

  [[nodiscard]] bool is_incremental() const { return period.has_value(); }
  // "PREFIX/AWSDynamoDB/ID/NAME".
  [[nodiscard]] std::string key_of(std::string_view name) const;
  [[nodiscard]] std::string data_file_key(int64_t number) const;
};

// Throws std::runtime_error if it is damaged.
[[nodiscard]] Export decode_export(std::string_view bytes);
Task<std::optional<Export>> load_export(store::Snapshot& snapshot, const TransferAddress& address);
void save_export(store::Transaction& txn, const Export& record);

[[nodiscard]] wire::dynamodb::ExportDescription describe(const Export& record);

// The lines of manifest-files.json, which lie among the data until the manifest is written.
[[nodiscard]] std::string manifest_line_key(const Export& record, int64_t file);
[[nodiscard]] store::Range manifest_lines_range(const Export& record);

}  // namespace tidemill::dynamodb
