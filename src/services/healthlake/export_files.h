// What an export writes: NDJSON, files of one type each, and the manifest that tells of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "services/healthlake/export_job.h"

namespace tidemill::healthlake {

struct ExportLines {
  std::string text;
  int64_t count = 0;     // of lines
  std::string last;      // the update that was looked at last: the cursor behind it
  bool is_last = false;  // there are no others of this type
};

// The types that a job takes, in the order in which it does.
[[nodiscard]] std::vector<std::string> types_of(const ExportJob& job);

// Resources of a type as they were when the job began, those behind its cursor, until a file is full. Lets
// others run meanwhile. What is written later changes nothing in it.
Task<ExportLines> read_lines(store::Store& store, std::string_view datastore_id, std::string_view type,
                             const ExportJob& job, size_t file_bytes);

// "Patient/Patient-971340731094998775-1-0.ndjson": the `index`th of that type, from 1.
[[nodiscard]] std::string file_name(const ExportJob& job, std::string_view type, int64_t index);

[[nodiscard]] std::string manifest_of(std::string_view datastore_id, const ExportJob& job,
                                      const std::vector<ExportFile>& files);

}  // namespace tidemill::healthlake
