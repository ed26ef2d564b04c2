// Reads of many items at one moment, and changes of many items of which all happen or none: what TransactGetItems,
// TransactWriteItems and ExecuteTransaction share.
//
// Writers of the same item go one after the other (item_queue.h): a transaction waits for the items that others are
// changing, and they for its own. So nobody is refused because of a conflict, unless too many wait for one item.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "services/dynamodb/idempotency.h"
#include "services/dynamodb/item_operation.h"
#include "services/dynamodb/transaction_capacity.h"

namespace tidemill::dynamodb {

inline constexpr size_t kTransactionBytesMax = 4 << 20;

// What a request brings, or what a read finds, may not be larger than 4 MB. Throws ValidationException.
void check_transaction_size(size_t bytes);

// ---- Changes ----

struct TransactedWrite {
  std::string table_name;  // as in the request
  std::shared_ptr<ItemOperation> operation;
};

struct TransactionResult {
  TransactionUsage usage;
  // What it consumed: reads if its token had been used before, and now nothing has happened.
  TransactionKind kind = TransactionKind::write;
};

// Carries all out in one commit, durably, with its token if it has one. Throws wire::Error: ResourceNotFoundException,
// ValidationException for two writes of one item and for RequestErrors, IdempotentParameterMismatchException, else
// TransactionCanceledException; store::StoreFailed, store::Overloaded.
Task<TransactionResult> write_transaction(Service& service, wire::Context& context,
                                          std::vector<TransactedWrite> writes, std::optional<RequestToken> token,
                                          const std::optional<std::string>& return_consumed_capacity);

// ---- Reads ----

struct TransactedRead {
  TablePtr table;
  Item key;  // not checked yet
  ItemKey place = {};
  std::optional<std::string> stored = {};  // the encoded item, once read
};

// Reads all from the snapshot in which their tables were found. Throws ValidationException for two reads of one item and for RequestErrors, and
// TransactionCanceledException for keys that do not suit their tables.
Task<TransactionUsage> read_transaction(Service& service, store::Snapshot& snapshot,
                                        std::vector<TransactedRead>& reads);

}  // namespace tidemill::dynamodb
