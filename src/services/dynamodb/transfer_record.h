// What is kept of an export as of an import, and how: a JSON object, to which its kind adds members (export.h,
// import.h).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/json_record.h"
#include "engine/caller.h"
#include "services/dynamodb/transfer.h"

namespace tidemill::dynamodb {

struct TransferRecord {
  TransferAddress address;
  TransferStatus status = TransferStatus::in_progress;
  TableId table;      // that is exported, or made
  std::string token;  // of its request
  engine::Caller caller;  // in whose name its objects are read or written
  base::Time started;
  std::optional<base::Time> ended;
  std::optional<TransferFailure> failure;
};

// The members that both kinds have. Throws std::runtime_error if one is damaged.
[[nodiscard]] TransferRecord read_transfer(TransferKind kind, const json::Record& in);
[[nodiscard]] TableId read_table_id(const json::Record& in, std::string_view name);

// With those that `write_more` adds.
void save_transfer(store::Transaction& txn, const TransferRecord& record,
                   const std::function<void(json::Writer&)>& write_more);
// As it was saved.
Task<std::optional<std::string>> load_transfer(store::Snapshot& snapshot, const TransferAddress& address);

}  // namespace tidemill::dynamodb
