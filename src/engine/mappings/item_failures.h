// What a function answers that reports failures of single items (FunctionResponseTypes: ReportBatchItemFailures), facts
// 1.7:
//
//   {"batchItemFailures":[{"itemIdentifier":"4421584500000000017450439092"}]}
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"

namespace tidemill::engine {

// The identifiers of the items that failed; none: all went well. Nothing: the answer means that the whole batch failed,
// since an identifier is missing, empty or null, or the list is none. Whether the identifiers are of the batch is for
// the caller to see. Answers without a list (null, "", {}, [], text) mean success.
[[nodiscard]] std::optional<std::vector<std::string>> item_failures(const json::Value& answer);

}  // namespace tidemill::engine
