// What an import tells its owner of records that became no items: events in CloudWatch Logs (developer guide, "Import
// format quotas and validation", Troubleshooting), at least once each.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "services/dynamodb/import.h"
#include "wire/context.h"

namespace tidemill::dynamodb {

inline constexpr int64_t kImportErrorsLoggedMax = 10'000;  // of an import; all are counted
inline constexpr size_t kImportErrorBytesMax = 1000;       // of an error's text: some show the value

struct ImportError {
  int64_t item = 0;  // the how manieth of its file, from 0
  std::string message;
};

// Those of one file, at most 10,000. Throws engine::CallRefused.
Task<void> log_import_errors(wire::Platform& platform, const Import& record, std::string_view file,
                             std::span<const ImportError> errors);

}  // namespace tidemill::dynamodb
