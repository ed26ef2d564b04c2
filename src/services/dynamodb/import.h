// Imports: a new table made of files in S3 (developer guide, "DynamoDB data import from Amazon S3"). The record of an
// import; import_run.h carries it out.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "services/dynamodb/import_items.h"
#include "services/dynamodb/transfer_coding.h"
#include "services/dynamodb/transfer_record.h"
#include "wire/shapes/dynamodb.h"

namespace tidemill::dynamodb {

// Where imports tell of the records that they could not import, each in a stream "ID/error".
inline constexpr std::string_view kImportLogGroup = "/aws-dynamodb/imports";

struct Import : TransferRecord {
  struct File {  // that is being read
    std::string key;
    std::string etag;     // it must not change meanwhile
    int64_t records = 0;  // that are done
  };
  struct Counts {
    int64_t processed = 0;  // records
    int64_t imported = 0;
    int64_t errors = 0;
    int64_t bytes = 0;  // unpacked, of files that are done
  };

  wire::dynamodb::ImportTableInput request;

  // How far it is.
  bool begun = false;  // the bucket has been seen: from now on a failure leaves the table
  std::string done;    // the key of the last file that is done
  std::optional<File> file;
  Counts counts;
  int64_t logged = 0;  // errors

  [[nodiscard]] SourceFormat format() const;
  [[nodiscard]] CsvFormat csv() const;
  [[nodiscard]] Packing packing() const;
  // "ID/error".
  [[nodiscard]] std::string log_stream() const { return address.id + "/error"; }
};

// Throws std::runtime_error if it is damaged.
[[nodiscard]] Import decode_import(std::string_view bytes);
Task<std::optional<Import>> load_import(store::Snapshot& snapshot, const TransferAddress& address);
void save_import(store::Transaction& txn, const Import& record);

[[nodiscard]] wire::dynamodb::ImportTableDescription describe(const Import& record);
[[nodiscard]] wire::dynamodb::ImportSummary summarize(const Import& record);

}  // namespace tidemill::dynamodb
