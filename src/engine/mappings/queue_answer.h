// What a function answers that reports the failures of single messages (FunctionResponseTypes: ReportBatchItemFailures;
// developer guide, "Implementing partial batch responses" for SQS):
//   {"batchItemFailures":[{"itemIdentifier":"…"}, …]}
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemill::engine {

// The identifiers that the answer names, as they stand there; none: everything succeeded, which "", null, {}, [] and a
// list that is null or missing say as well. Nothing (nullopt): it is no such answer, or names something without an
// identifier: everything failed. Whether an identifier is one of the batch is for the caller to see.
[[nodiscard]] std::optional<std::vector<std::string>> reported_failures(std::string_view answer);

}  // namespace tidemill::engine
