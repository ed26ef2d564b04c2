// The files of an export: data, one item a line, and the manifests that tell of them (developer guide, "Table export
// output format").
#pragma once

#include <string>

#include "base/blocking_work.h"
#include "services/dynamodb/export.h"

namespace tidemill::dynamodb {

// Of a data file, unpacked: how much is read and written at a time, and so how much is in memory.
inline constexpr size_t kExportFileBytes = 16 << 20;

struct DataFile {
  std::string packed;
  int64_t items = 0;
  int64_t bytes = 0;     // of changes' images
  std::string last;      // the place of the last item
  bool is_last = false;  // there is nothing behind it
};
// The file behind the export's cursor, of its data, which are complete. Lets others run meanwhile; large items are written
// down on one of `threads`.
Task<DataFile> pack_data_file(store::Store& store, const Export& record, base::BlockingWork* threads);

[[nodiscard]] std::string manifest_line(const Export& record, const DataFile& file, std::string_view etag);
// manifest-summary.json, as of `ended`.
[[nodiscard]] std::string manifest_summary(const Export& record, base::Time ended);
// What manifest-files.md5 and manifest-summary.md5 hold, and what a line tells of its file.
[[nodiscard]] std::string md5_text(std::string_view file);

}  // namespace tidemill::dynamodb
